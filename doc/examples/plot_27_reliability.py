"""
Reliability of predicted probabilities
======================================

Of the cases to which a classifier gives the probability 90 %, nine in ten should be in
that class. **The classical naive Bayes is overconfident, because it counts correlated
columns as independent evidence. Leave-one-out corrects this.**
"""

# %%
# Four classifiers
# ----------------
# The question is whether a horse with colic needs surgery, from strings, numbers and
# missing cells. A horse is predicted by a model that was fitted without it, in ten
# folds. ``GaussianNB`` needs imputed and encoded columns; the others read the table as
# it is.

import matplotlib.pyplot as plt
import numpy as np
from scipy.stats import beta
from sklearn.calibration import CalibrationDisplay
from sklearn.compose import make_column_selector, make_column_transformer
from sklearn.impute import SimpleImputer
from sklearn.metrics import log_loss
from sklearn.model_selection import StratifiedKFold, cross_val_predict
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder

from sklearn_bayeslazy import AODEClassifier, MEstimateNB
from sklearn_bayeslazy.datasets import load_horse_colic

X, y = load_horse_colic(as_frame=True, return_X_y=True)
X = X.drop(columns=["surgery", "outcome"])  # not known at the prediction
surgical = y == "yes"

strings = make_pipeline(
    SimpleImputer(strategy="most_frequent"),
    OneHotEncoder(handle_unknown="ignore", sparse_output=False),
)
columns = make_column_transformer(
    (SimpleImputer(), make_column_selector(dtype_include="number")),
    (strings, make_column_selector(dtype_exclude="number")),
)
models = {
    "GaussianNB()": make_pipeline(columns, GaussianNB()),
    "MEstimateNB, classical": MEstimateNB(
        m=1.0, distribution="auto", feature_weights=None
    ),
    "MEstimateNB()": MEstimateNB(),
    "AODEClassifier()": AODEClassifier(),
}
folds = StratifiedKFold(10, shuffle=True, random_state=0)
probabilities = {
    name: cross_val_predict(model, X, surgical, cv=folds, method="predict_proba")[:, 1]
    for name, model in models.items()
}

# %%
# Reliability diagrams
# --------------------
# scikit-learn's ``CalibrationDisplay`` groups the horses by their predicted
# probability. A point compares the mean prediction of a group with its share of
# surgical horses; its area shows the number of horses. A bar is a 68 % interval of that
# share, from the binomial distribution with Jeffreys' prior. Reliable predictions lie
# near the dashed line.


def draw_reliability(ax, predicted, true, n_bins=6):
    display = CalibrationDisplay.from_predictions(
        true, predicted, n_bins=n_bins, ax=ax, linestyle="none", marker=""
    )
    n = np.histogram(predicted, np.linspace(0, 1, n_bins + 1))[0]
    n = n[n > 0]
    mean, share = display.prob_pred, display.prob_true
    a, b = n * share + 0.5, n * (1 - share) + 0.5
    ax.vlines(mean, beta.ppf(0.16, a, b), beta.ppf(0.84, a, b), color="tab:blue")
    ax.scatter(mean, share, s=1.5 * n, color="tab:blue", alpha=0.6)
    ax.set(xlim=(-0.05, 1.05), ylim=(-0.05, 1.05), xlabel="", ylabel="", aspect="equal")
    ax.get_legend().remove()


figure, axes = plt.subplots(
    1, 4, figsize=(11, 3.3), layout="constrained", sharex=True, sharey=True
)
for ax, (name, predicted) in zip(axes, probabilities.items()):
    draw_reliability(ax, predicted, surgical)
    ax.set_title(f"{name}\nlog loss {log_loss(surgical, predicted):.2f}", fontsize=10)
axes[0].set_ylabel("share of surgical horses")
figure.supxlabel("predicted probability of surgery", fontsize=10)
plt.show()

# %%
# The two classifiers on the left give most horses a probability near 0 or 1. A horse in
# pain also has a fast pulse, and both findings count in full, as if they were
# independent. By default, ``MEstimateNB`` chooses by leave-one-out how much each column
# counts. So does ``AODEClassifier``, which also models how pairs of columns depend on
# each other. Of the horses for which a classifier gives either class at least 90 %:

for name, predicted in probabilities.items():
    sure = np.maximum(predicted, 1 - predicted) >= 0.9
    right = (predicted > 0.5)[sure] == surgical[sure]
    print(f"{name:24}{sure.sum():4} horses, {right.mean():.0%} right")

# %%
# A caveat
# --------
# Reliable probabilities can still be uninformative. A model that gives every horse the
# frequency of surgery has a single point, on the dashed line. The log loss depends on
# both: how reliable the probabilities are, and how well they separate the classes.

frequency = np.full(len(y), surgical.mean())
print(f"class frequencies: log loss {log_loss(surgical, frequency):.2f}")
for name, predicted in probabilities.items():
    print(f"{name + ':':24} log loss {log_loss(surgical, predicted):.2f}")

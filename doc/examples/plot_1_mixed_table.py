"""
A table with strings and missing values
=======================================

A veterinary clinic recorded its findings on 368 horses with colic. Does the problem
need surgery? Some findings are numbers, most are strings, and about a quarter of the
cells is missing. **MEstimateNB takes such a table without preprocessing, and every
prediction can be decomposed into the evidence of each cell.**
"""

# %%
# The table
# ---------
# Two columns are dropped: whether the horse was operated on and whether it lived are
# not known at the time of the prediction.

import matplotlib.pyplot as plt
import numpy as np
from sklearn.dummy import DummyClassifier
from sklearn.model_selection import StratifiedKFold, cross_val_predict, cross_validate

from sklearn_bayeslazy import MEstimateNB
from sklearn_bayeslazy.datasets import load_horse_colic

X, y = load_horse_colic(as_frame=True, return_X_y=True)
X = X.drop(columns=["surgery", "outcome"])
X.iloc[:5, 5:12]

# %%
# No imputer and no encoder is needed: a missing cell is left out of the counts in
# training and out of the product in prediction. By default, leave-one-out chooses which
# distribution each column has, how many virtual examples smooth its estimates, and the
# weight of each column. The classical method leaves all that out.

models = {
    "class frequencies": DummyClassifier(strategy="prior"),
    "classical": MEstimateNB(m=1.0, distribution="auto", feature_weights=None),
    "MEstimateNB()": MEstimateNB(),
}
folds = StratifiedKFold(5, shuffle=True, random_state=0)
for name, model in models.items():
    scores = cross_validate(model, X, y, cv=folds, scoring=("accuracy", "neg_log_loss"))
    accuracy, loss = scores["test_accuracy"], -scores["test_neg_log_loss"]
    print(f"{name:18} accuracy {accuracy.mean():.3f}   log loss {loss.mean():.3f}")

# %%
# The classical model is more accurate than the class frequencies, and yet its log loss
# is larger: its errors are overconfident. Weights repair that.
#
# One horse, cell by cell
# -----------------------
# The log odds are a sum: the log odds of the prior, and the evidence of each cell. A
# cell that is missing gives none.

model = MEstimateNB().fit(X, y)
print(f"columns of weight 0: {np.sum(model.feature_weights_ == 0)}")
row = 3
explanation = model.explain(X.iloc[[row]])
ax = explanation.plot(target="yes", against="no", max_parts=12)
share = model.predict_proba(X)[row, 1]
ax.set_title(f"Surgical with probability {share:.1%}; in truth: {y[row]}")
plt.show()

# %%
# A caveat
# --------
# The sum of the bars assumes that the columns are independent. They are not: a horse in
# pain has a fast pulse, and naive Bayes counts both. Weights compensate by shrinking
# the bars. So a bar understates the evidence of its cell alone; only the sum is
# reliable. Of the held-out horses for which each model was at least 80 % sure:

for name in ("classical", "MEstimateNB()"):
    proba = cross_val_predict(models[name], X, y, cv=folds, method="predict_proba")
    sure = proba.max(axis=1) >= 0.8
    right = model.classes_[proba.argmax(axis=1)] == y
    claimed, true = proba[sure].max(axis=1).mean(), right[sure].mean()
    print(f"{name:18}{sure.sum()} horses, {claimed:.0%} sure, right about {true:.0%}")

"""
Dependent votes
===============

The votes of a member of the House in 1984 predict the party, and the sixteen votes
depend on each other. **Naive Bayes counts the same opinion many times and is
overconfident. Tree-augmented naive Bayes (TAN), which adds a tree of columns, corrects
most of that, and a calibration by leave-one-out corrects what remains.**
"""

# %%
# The votes
# ---------
# 435 members and 16 votes, yes or no; the cell is empty if a member took no position.
# The table is read from the folder in the environment variable ``BAYESLAZY_DATA``. If
# it is absent, the horse colic table of the package is used instead; the text of this
# page does not apply to it.

import os
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from sklearn.model_selection import StratifiedKFold, cross_val_predict

from sklearn_bayeslazy import BeliefNetworkClassifier, BeliefNetworkDisplay
from sklearn_bayeslazy.datasets import load_horse_colic

file = Path(os.environ.get("BAYESLAZY_DATA", "")) / "house_votes_84.csv"
if file.exists():
    X = pd.read_csv(file)
    y = X.pop("target").rename("party")
    short = (
        "infants water budget physicians salvador religion satellites contras missile"
    )
    short += " immigration synfuels education superfund crime exports africa"
    X.columns = short.split()
else:
    X, y = load_horse_colic(as_frame=True, return_X_y=True)
    X = X.drop(columns=["surgery", "outcome"])
print(f"{len(X)} rows, {X.shape[1]} columns, {X.isna().to_numpy().mean():.1%} empty")

# %%
# The tree
# --------
# The class is a parent of every vote, and each vote but one has one other vote as a
# parent. Among all trees this one has the most mutual information of votes given the
# party. The width of an arc shows its mutual information given the other parent.

tan = BeliefNetworkClassifier("tan").fit(X, y)
figure, ax = plt.subplots(figsize=(13, 7), layout="constrained")
BeliefNetworkDisplay.from_estimator(tan, ax=ax)
plt.show()

# %%
# Is it better?
# -------------
# Five-fold cross-validation, with standard errors over the rows. By default hill
# climbing maximizes a score of whole rows; with ``structure_score="loo"`` it maximizes
# a score of the prediction of the class. These networks predict as they are: one
# virtual example in each row of a table, and no calibration. The last model has the
# defaults: leave-one-out chooses the virtual examples, and calibrates the
# probabilities.

plain = {"m": 1.0, "prior": "uniform", "calibration": None}
structures = {
    "naive": {"structure": "naive"},
    "tan": {"structure": "tan"},
    "hill climbing": {"structure": "hill_climbing"},
}
by_loo = structures["hill climbing"] | {"structure_score": "loo"}
structures["hill climbing, loo"] = by_loo
models = {
    name: BeliefNetworkClassifier(**options, **plain)
    for name, options in structures.items()
}
models["tan, defaults"] = BeliefNetworkClassifier("tan")
folds = StratifiedKFold(5, shuffle=True, random_state=0)
truth = np.searchsorted(tan.classes_, y)
scores, losses = {}, {}
for name, model in models.items():
    p = cross_val_predict(model, X, y, cv=folds, method="predict_proba")
    losses[name] = -np.log(p[np.arange(len(y)), truth])
    scores[name] = {"accuracy": p.argmax(axis=1) == truth, "log loss": losses[name]}

figure, axes = plt.subplots(1, 2, figsize=(9, 2.6), layout="constrained", sharey=True)
for ax, measure in zip(axes, ("accuracy", "log loss")):
    values = np.array([of_rows[measure] for of_rows in scores.values()])
    means, errors = values.mean(axis=1), values.std(axis=1) / np.sqrt(len(y))
    ax.errorbar(means, list(scores), xerr=errors, fmt="o", capsize=3)
    ax.set_xlabel(measure)
    for name, mean, error in zip(scores, means, errors):
        print(f"{measure:8} {name:18} {mean:.3f} ± {error:.3f}")
axes[0].invert_yaxis()
axes[0].margins(y=0.2)
plt.show()

# %%
# Predictions from few votes
# --------------------------
# The member whose log loss is highest in naive Bayes compared with TAN is left out of
# learning. Then the party is predicted with more and more votes removed, in 100 random
# orders. No vote is imputed; without any vote both models predict by the sizes of the
# parties.

member = int(np.argmax(losses["naive"] - losses["tan"]))
rest = np.arange(len(y)) != member
observed = np.flatnonzero(X.iloc[member].notna())
rng = np.random.default_rng(0)
n_orders, n_steps = 100, len(observed) + 1
queries = X.iloc[np.full(n_orders * n_steps, member)].reset_index(drop=True)
removed = np.zeros(queries.shape, dtype=bool)
for order in range(n_orders):
    votes = rng.permutation(observed)
    for n_removed in range(n_steps):
        removed[order * n_steps + n_removed, votes[:n_removed]] = True
queries = queries.mask(removed)

figure, ax = plt.subplots(figsize=(6, 3.6), layout="constrained")
for name in ("naive", "tan"):
    model = BeliefNetworkClassifier(name, **plain).fit(X[rest], y[rest])
    p = model.predict_proba(queries)[:, truth[member]].reshape(n_orders, n_steps)
    low, middle, high = np.quantile(p, [0.1, 0.5, 0.9], axis=0)
    left = len(observed) - np.arange(n_steps)
    (line,) = ax.plot(left, middle, "o-", ms=3, label=name)
    ax.fill_between(left, low, high, color=line.get_color(), alpha=0.2)
ax.legend(title="median, and 10 to 90 %")
ax.set(
    xlabel="observed votes",
    ylabel=f"P({y.name} = {y.iloc[member]}), the truth",
)
plt.show()

# %%
# Naive Bayes predicts the wrong party, and it becomes more confident with each vote.
# The first votes mislead TAN as well, but it counts dependent votes less often, and it
# predicts the right party once it has seen all votes.

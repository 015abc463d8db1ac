"""
Votes that go together
======================

How a member of the House voted in 1984 tells the party, and the sixteen votes tell much
of each other. **Naive Bayes counts the same opinion many times over and is too sure of
it. A tree of columns beside the class, TAN, takes most of that back.**
"""

# %%
# The votes
# ---------
# 435 members, 16 votes, yes or no; where a member took no side the cell is empty. The
# table is read from the folder that ``BAYESLAZY_DATA`` names. Where it is absent, the
# horses that come with the package take its place, of which the text does not speak.

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
# The class leads to every vote, and each vote but one has one other before it. Of all
# trees it is the one whose arcs tell most about votes within a party. The wider an arc,
# the more it tells beside the other.

tan = BeliefNetworkClassifier("tan").fit(X, y)
figure, ax = plt.subplots(figsize=(13, 7), layout="constrained")
BeliefNetworkDisplay.from_estimator(tan, ax=ax)
plt.show()

# %%
# Is it better?
# -------------
# Five-fold cross-validation, with standard errors over the rows. Hill climbing looks
# for the arcs that explain the whole table, or with ``structure_score="loo"`` for those
# that tell the class.

structures = {
    "naive": {"structure": "naive"},
    "tan": {"structure": "tan"},
    "hill climbing": {"structure": "hill_climbing"},
}
by_loo = structures["hill climbing"] | {"structure_score": "loo"}
structures["hill climbing, loo"] = by_loo
folds = StratifiedKFold(5, shuffle=True, random_state=0)
truth = np.searchsorted(tan.classes_, y)
scores, losses = {}, {}
for name, options in structures.items():
    model = BeliefNetworkClassifier(**options)
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
# A member of few words
# ---------------------
# The member about whom naive Bayes errs most, compared with TAN, is left out and then
# asked for, with ever more votes taken away, in 100 random orders. No vote is filled
# in; with none left, both models answer by the sizes of the parties.

member = int(np.argmax(losses["naive"] - losses["tan"]))
rest = np.arange(len(y)) != member
there = np.flatnonzero(X.iloc[member].notna())
rng = np.random.default_rng(0)
n_orders, n_left = 100, len(there) + 1
asked = X.iloc[np.full(n_orders * n_left, member)].reset_index(drop=True)
taken = np.zeros(asked.shape, dtype=bool)
for order in range(n_orders):
    votes = rng.permutation(there)
    for away in range(n_left):
        taken[order * n_left + away, votes[:away]] = True
asked = asked.mask(taken)

figure, ax = plt.subplots(figsize=(6, 3.6), layout="constrained")
for name in ("naive", "tan"):
    model = BeliefNetworkClassifier(name).fit(X[rest], y[rest])
    p = model.predict_proba(asked)[:, truth[member]].reshape(n_orders, n_left)
    low, middle, high = np.quantile(p, [0.1, 0.5, 0.9], axis=0)
    left = len(there) - np.arange(n_left)
    (line,) = ax.plot(left, middle, "o-", ms=3, label=name)
    ax.fill_between(left, low, high, color=line.get_color(), alpha=0.2)
ax.legend(title="median, and 10 to 90 %")
ax.set(
    xlabel="cells of the row that are left",
    ylabel=f"P({y.name} = {y.iloc[member]}), the truth",
)
plt.show()

# %%
# Naive Bayes takes the member for one of the other party, the more surely, the more
# votes it sees. The first votes mislead the tree as well, but it counts those that go
# together less often, and has found the party when it has seen them all.

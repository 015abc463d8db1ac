"""
Boosted naive Bayes
===================

Naive Bayes weighs each column by itself, and cannot say that two findings mean
something only together. **A committee of naive Bayes classifiers can, and errs far less
where that matters; where it does not, boosting gains nothing, and may do harm.**
"""

# %%
# A table of threes in a row
# --------------------------
# All 958 final positions of noughts and crosses, and whether × has won: nine columns,
# of which none says much, while three together decide. Beside it the horses with colic,
# of which some died, where naive Bayes does well.

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from sklearn.base import clone
from sklearn.datasets import load_breast_cancer
from sklearn.model_selection import StratifiedKFold, cross_validate, train_test_split

from sklearn_bayeslazy import MEstimateNB, MyAdaBoost, StagedErrorDisplay
from sklearn_bayeslazy.datasets import load_horse_colic

ROWS = [(0, 1, 2), (3, 4, 5), (6, 7, 8), (0, 3, 6), (1, 4, 7), (2, 5, 8)]
ROWS += [(0, 4, 8), (2, 4, 6)]


def has_won(board, player):
    return any(all(board[i] == player for i in row) for row in ROWS)


def final_positions(n_moves=0, boards=frozenset({"." * 9})):
    """Return all final positions that games from some positions lead to."""
    over = {b for b in boards if has_won(b, "x") or has_won(b, "o") or "." not in b}
    if n_moves == 9:
        return over
    move = "xo"[n_moves % 2]
    moved = {
        board[:i] + move + board[i + 1 :]
        for board in boards - over
        for i in range(9)
        if board[i] == "."
    }
    return over | final_positions(n_moves + 1, moved)


boards = sorted(final_positions())
columns = [f"{place}{side}" for place in "123" for side in "abc"]
games = pd.DataFrame([list(board) for board in boards], columns=columns)
won = np.array(["won" if has_won(board, "x") else "not won" for board in boards])

horses, outcome = load_horse_colic(return_X_y=True, as_frame=True)
horses = horses.drop(columns=["surgery", "outcome"])  # not known when one asks

# %%
# Round by round
# --------------
# The first round is naive Bayes alone. Votes are halved by ``learning_rate``: at their
# full size it takes fewer rounds to one that is no better than a coin, where boosting
# ends, as naive Bayes would only repeat itself after a reset.

alone = MEstimateNB()
boosted = MyAdaBoost(alone, n_estimators=20, learning_rate=0.5, on_weak_round="stop")

figure, axes = plt.subplots(1, 2, figsize=(9, 3.8), layout="constrained", sharey=True)
for ax, X, y, title in (
    (axes[0], games, won, "noughts and crosses"),
    (axes[1], horses, outcome, "horse colic"),
):
    X, X_new, y, y_new = train_test_split(X, y, stratify=y, random_state=0)
    model = clone(boosted).fit(X, y)
    draw = StagedErrorDisplay.from_estimator
    draw(model, X, y, name="training rows", bound=False, ax=ax)
    draw(model, X_new, y_new, name="new rows", bound=False, ax=ax)
    ax.set_title(title)
axes[1].set_ylabel("")
plt.show()

# %%
# Four folds
# ----------
# Two more tables: breast cancer, whose thirty columns repeat each other, and one whose
# columns are independent within the classes, just as naive Bayes assumes.

rng = np.random.default_rng(0)
coin = rng.integers(2, size=400)
independent = (rng.random((400, 8)) < np.where(coin, 0.65, 0.35)[:, None]).astype(int)
tables = {
    "noughts and crosses": (games, won),
    "breast cancer": load_breast_cancer(return_X_y=True),
    "horse colic": (horses, outcome),
    "independent columns": (independent, coin),
}
folds = StratifiedKFold(4, shuffle=True, random_state=0)
scoring = {"error": "accuracy", "loss": "neg_log_loss"}
print(f"{'':20}    error            log loss")
for name, (X, y) in tables.items():
    means = []
    for model in (alone, boosted):
        found = cross_validate(model, X, y, cv=folds, scoring=scoring)
        means.append((1 - found["test_error"].mean(), -found["test_loss"].mean()))
    (error, loss), (new_error, new_loss) = means
    print(f"{name:20} {error:.3f} → {new_error:.3f}    {loss:.2f} → {new_loss:.2f}")

# %%
# Where columns decide together, the error falls to a fraction; where they repeat each
# other, somewhat, and probabilities that were far too sure become better. Where naive
# Bayes is right there is nothing to gain, and of the horses the committee learns by
# heart what does not hold for others.
#
# A caveat
# --------
# A round must be better than a coin. If the class is whether two columns differ,
# neither says anything by itself, naive Bayes is no better than a coin in the first
# round, and boosting has nothing to begin with.

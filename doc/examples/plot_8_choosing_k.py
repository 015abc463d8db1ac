"""
Choosing k in one pass
======================

Cross-validation fits and predicts once for each fold and each number of neighbours,
although the neighbours are the same each time. **Leave-one-out finds the neighbours of
each row once, and computes the score of every k from that list.**
"""

# %%
# Fifty candidates, and all rows
# ------------------------------
# 569 biopsies of the breast are described by thirty measurements of cell nuclei in
# different units, so distances are measured in standard deviations. Votes have the
# weight one over the squared distance. A grid search over scikit-learn's neighbours
# with the same weights is the comparison.

from time import perf_counter

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_breast_cancer
from sklearn.model_selection import GridSearchCV, StratifiedKFold
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from sklearn_bayeslazy import LeaveOneOutDisplay, ShepardKNN

X, y = load_breast_cancer(return_X_y=True)
model = ShepardKNN(
    n_neighbors="loo",
    power=2,
    m=0,
    metric="seuclidean",
    loo_candidates={"n_neighbors": [*range(1, 51), None]},
    loo_scoring="accuracy",
)

# The first fit in a process loads the compiled loops; it is not timed.
model.fit(X, y)

start = perf_counter()
model.fit(X, y)
loo_seconds = perf_counter() - start


def inverse_square(distances):
    """Return the weights of neighbours; no two of these biopsies are equal."""
    return distances**-2.0


candidates = list(range(1, 51))
search = GridSearchCV(
    make_pipeline(StandardScaler(), KNeighborsClassifier(weights=inverse_square)),
    {"kneighborsclassifier__n_neighbors": candidates},
    cv=StratifiedKFold(5, shuffle=True, random_state=0),
)
start = perf_counter()
search.fit(X, y)
grid_seconds = perf_counter() - start

found = search.best_params_["kneighborsclassifier__n_neighbors"]
print(f"leave-one-out: k = {model.n_neighbors_} in {loo_seconds:.3f} s")
print(f"five folds:    k = {found} in {grid_seconds:.3f} s")

# %%
# The curve
# ---------
# ``loo_results_`` keeps the score of each candidate and its standard error, and
# ``LeaveOneOutDisplay`` draws them. For "all", the other 568 rows vote: in thirty
# columns the far rows outvote the near ones, unless the power is above 2.

figure, axes = plt.subplots(figsize=(8, 4.8), layout="constrained")
LeaveOneOutDisplay.from_estimator(model, ax=axes, label="leave-one-out, one pass")
axes.plot(
    candidates,
    search.cv_results_["mean_test_score"],
    color="tab:orange",
    linewidth=1,
    label="five folds, 250 fits",
)
axes.set_xlabel("k, the number of neighbours")
axes.legend(loc="lower left")
plt.show()

# %%
# Both curves rise steeply, stay within one percentage point between 4 and 20, and fall
# as the neighbourhood becomes larger than the smaller class. The two curves differ
# because five folds train on four fifths of the rows, and because the folds are random.
#
# Larger powers
# -------------
# ``power="loo"`` tries each k with several powers of the distance, from the same lists.

both = ShepardKNN(
    n_neighbors="loo",
    power="loo",
    m=0,
    metric="seuclidean",
    loo_scoring="accuracy",
    loo_candidates={"n_neighbors": [1, 10, 50, None], "power": [0, 1, 2, 4, 8, 16]},
).fit(X, y)
figure, axes = plt.subplots(figsize=(8, 4.8), layout="constrained")
LeaveOneOutDisplay.from_estimator(both, parameter="power", ax=axes)
axes.set_xlabel("power of the distance in the weights")
plt.show()

# %%
# A large power compensates for too many neighbours: the vote of all rows is useless at
# power 0, and as good as that of fifty neighbours at power 8. For one neighbour the
# power makes no difference.
#
# A caveat
# --------
# The standard error of an accuracy near .97 is most of a percentage point for 569 rows,
# so the best k between 4 and 20 is chosen by chance. Its score is the best of 51 and a
# little optimistic. To score the whole procedure, pass the estimator to
# ``cross_val_score``: the choice is cheap enough to be repeated in every fold.

loo = np.asarray(model.loo_results_["mean_accuracy"])
error = model.loo_results_["standard_error_accuracy"][loo.argmax()]
near = np.flatnonzero(loo[:50] > loo.max() - error) + 1
print(f"within one standard error of the best: k = {near.min()} to {near.max()}")

"""
Choosing k in one pass
======================

How many neighbours? Cross-validation fits and asks once for each fold and candidate,
although the neighbours are the same each time. **Leave-one-out finds the neighbours of
each row once, and reads the score of every k from that list.**
"""

# %%
# Fifty candidates, and everybody
# -------------------------------
# 569 biopsies of the breast are described by thirty measurements of cell nuclei, in
# units of their own: distances are measured in standard deviations. Votes weigh one
# over the squared distance. Beside it the same rule by scikit-learn, in a grid search.

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
model = ShepardKNN(n_neighbors="loo", metric="seuclidean")

# The first fit in a process loads the compiled loops; it is not what we time.
model.fit(X, y)

start = perf_counter()
model.fit(X, y)
loo_seconds = perf_counter() - start


def inverse_square(distances):
    """Return the weights of neighbours; no two of these biopsies are alike."""
    return distances**-2.0


candidates = list(range(1, 51))
search = GridSearchCV(
    make_pipeline(StandardScaler(), KNeighborsClassifier(weights=inverse_square)),
    {"kneighborsclassifier__n_neighbors": candidates},
    cv=StratifiedKFold(10, shuffle=True, random_state=0),
)
start = perf_counter()
search.fit(X, y)
grid_seconds = perf_counter() - start

found = search.best_params_["kneighborsclassifier__n_neighbors"]
print(f"leave-one-out: k = {model.n_neighbors_} in {loo_seconds:.3f} s")
print(f"ten folds:     k = {found} in {grid_seconds:.3f} s")

# %%
# The curve
# ---------
# ``loo_results_`` keeps the score of each candidate and its standard error, and
# ``LeaveOneOutDisplay`` draws them. "all" are all other 568 rows: in thirty columns
# they drown the near ones, unless their weights fall more steeply than with the square.

figure, axes = plt.subplots(figsize=(8, 4.8), layout="constrained")
LeaveOneOutDisplay.from_estimator(model, ax=axes, label="leave-one-out, one pass")
axes.plot(
    candidates,
    search.cv_results_["mean_test_score"],
    color="tab:orange",
    linewidth=1,
    label="ten folds, 500 fits",
)
axes.set_xlabel("k, the number of neighbours")
axes.legend(loc="lower left")
plt.show()

# %%
# Both curves rise steeply, stay within a point between 4 and 20, and sink as the
# neighbourhood outgrows the smaller class. The candidates are judged by one and the
# same pass, so the two curves differ only as much as losing a tenth of the rows
# matters, and as the folds were shuffled.
#
# Steeper weights
# ---------------
# ``power="loo"`` tries each k with several powers of the distance, from the same lists.

both = ShepardKNN(
    n_neighbors="loo",
    power="loo",
    metric="seuclidean",
    loo_candidates={"n_neighbors": [1, 10, 50, None], "power": [0, 1, 2, 4, 8, 16]},
).fit(X, y)
figure, axes = plt.subplots(figsize=(8, 4.8), layout="constrained")
LeaveOneOutDisplay.from_estimator(both, parameter="power", ax=axes)
axes.set_xlabel("power of the distance in the weights")
plt.show()

# %%
# A steep power makes up for too many neighbours: everybody's vote is useless at power 0
# and as good as fifty neighbours' at 8. One neighbour does not care.
#
# A caveat
# --------
# The standard error of an accuracy near .97 is most of a point for 569 rows, so which
# of the k between 4 and 20 has won is an accident, and its score is the best of 51 and
# a little too kind. To know how good the whole procedure is, put the estimator into
# ``cross_val_score``: at this price the choice can be made afresh in every fold.

loo = np.asarray(model.loo_results_["mean_accuracy"])
error = model.loo_results_["standard_error_accuracy"][loo.argmax()]
near = np.flatnonzero(loo[:50] > loo.max() - error) + 1
print(f"within one standard error of the best: k = {near.min()} to {near.max()}")

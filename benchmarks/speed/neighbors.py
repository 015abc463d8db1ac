"""Speed of neighbours: ShepardKNN and its regressor beside scikit-learn.

Both sides use two threads. The number of queries does not depend on the size of the
table, so the growth is that of one query.
"""

from functools import partial
from time import perf_counter

import numpy as np
from scipy import sparse
from sklearn.model_selection import GridSearchCV
from sklearn.neighbors import (
    KNeighborsClassifier,
    KNeighborsRegressor,
    NearestNeighbors,
)

from benchmarks.speed._harness import Agreement, Case, Data
from sklearn_bayeslazy import ShepardKNN, ShepardKNNRegressor

N_JOBS = 2
K = 10
KS = list(range(1, 51))
TOL = 0.01
# Leave-one-out and ten folds may choose different k. Their accuracies on 2 000 new rows
# differ by less than this, which is not significant.
TOLERANCE = 0.01


def normal_data(rows, *, columns, queries):
    """Return normal columns, new rows, and classes that depend on three columns."""
    rng = np.random.default_rng(0)
    X = rng.standard_normal((rows + queries, columns))
    first = X[:, : min(3, columns)]
    y = (np.sin(2 * first).sum(axis=1) + 0.5 * rng.standard_normal(len(X)) > 0) * 1
    return Data(X[:rows], y[:rows], X[rows:], y[rows:])


def sparse_data(rows, *, columns, queries):
    """Return CSR rows with nonzero values in one column of a hundred."""
    shape = (rows + queries, columns)
    X = sparse.random_array(shape, density=0.01, format="csr", random_state=0)
    y = np.random.default_rng(0).integers(2, size=len(range(rows + queries)))
    return Data(X[:rows], y[:rows], X[rows:], y[rows:])


def ours_all_rows(data, tol=None):
    """Return our task: predict from all rows; the fit is not timed."""
    model = ShepardKNNRegressor(
        None, power=2, metric="euclidean", tol=tol, n_jobs=N_JOBS
    )
    model.fit(data.X, data.y)
    return lambda: model.predict(data.X_new)


def peer_all_rows(data):
    """Return scikit-learn's task: sort all rows for each query."""
    model = KNeighborsRegressor(
        n_neighbors=len(data.X),
        weights=lambda distance: 1 / distance**2,
        n_jobs=N_JOBS,
    ).fit(data.X, data.y)
    return lambda: model.predict(data.X_new)


def compare_numbers(data, ours, peer, tolerance=1e-9):
    """Compare two vectors of predictions."""
    difference = np.max(np.abs(ours - peer))
    text = f"predictions equal to {difference:.0e}"
    return Agreement(bool(difference <= tolerance), text)


def ours_nearest(data, **parameters):
    """Return our task: fit and find the nearest rows."""
    model = ShepardKNN(K, power=2, m=0, metric="euclidean", n_jobs=N_JOBS, **parameters)
    return lambda: model.fit(data.X, data.y).kneighbors(data.X_new)


def peer_nearest(data, algorithms=("kd_tree", "ball_tree", "brute")):
    """Return the task of scikit-learn's fastest algorithm, found on some queries."""
    jobs = []
    for algorithm in algorithms:
        model = NearestNeighbors(n_neighbors=K, algorithm=algorithm, n_jobs=N_JOBS)
        some = data.X_new[: max(1, data.X_new.shape[0] // 20)]
        start = perf_counter()
        model.fit(data.X).kneighbors(some)
        jobs.append((perf_counter() - start, model))
    model = min(jobs, key=lambda pair: pair[0])[1]

    def task():
        return (*model.fit(data.X).kneighbors(data.X_new), model.algorithm)

    return task


def compare_lists(data, ours, peer):
    """Compare distances and indices of neighbours."""
    difference = np.max(np.abs(ours[0] - peer[0]))
    same = np.mean(ours[1] == peer[1])
    return Agreement(
        bool(difference < 1e-6),
        f"the fastest algorithm was {peer[2]}; {same:.4%} of neighbours equal, "
        f"distances equal to {difference:.0e}",
    )


def ours_choice(data):
    """Return our task: choose k by leave-one-out of all rows."""
    model = ShepardKNN(
        power=1,
        m=0,
        metric="euclidean",
        loo_candidates={"n_neighbors": KS},
        loo_scoring="accuracy",
        loo_max_samples=None,
        n_jobs=N_JOBS,
    )
    return lambda: model.fit(data.X, data.y)


def peer_choice(data):
    """Return scikit-learn's task: choose k by ten-fold cross-validation."""
    search = GridSearchCV(
        KNeighborsClassifier(weights="distance"),
        {"n_neighbors": KS},
        cv=10,
        n_jobs=N_JOBS,
    )
    return lambda: search.fit(data.X, data.y)


def compare_choices(data, ours, peer):
    """Compare the accuracies of the chosen k on new rows."""
    ks = ours.n_neighbors_, peer.best_params_["n_neighbors"]
    accuracies = [model.score(data.X_new, data.y_new) for model in (ours, peer)]
    return Agreement(
        bool(accuracies[0] >= accuracies[1] - TOLERANCE),
        "k = {} / {}, accuracy {:.4f} / {:.4f}".format(*ks, *accuracies),
    )


def nearest_case(name, work, size, data, target=None, ours=ours_nearest, **peer):
    """Return a case of a search for the ten nearest rows."""
    return Case(
        name=name,
        work=work,
        peer_name="NearestNeighbors, fastest algorithm",
        target=target,
        size=size,
        quick_size=500,
        repeats=3,
        data=data,
        ours=ours,
        peer=partial(peer_nearest, **peer),
        agreement=compare_lists,
    )


CASES = (
    Case(
        name="shepard-all",
        work="Shepard over all rows, 8 columns: 2,000 queries",
        peer_name="KNeighborsRegressor(n_neighbors=n)",
        target=150,
        size=50_000,
        quick_size=500,
        repeats=1,
        data=partial(normal_data, columns=8, queries=2_000),
        ours=ours_all_rows,
        peer=peer_all_rows,
        agreement=compare_numbers,
    ),
    Case(
        name="shepard-tree-code",
        work=f"Shepard over all rows, 2 columns, tol={TOL}: 20,000 queries",
        peer_name="exact, ours",
        target=None,
        size=100_000,
        quick_size=500,
        repeats=3,
        data=partial(normal_data, columns=2, queries=20_000),
        ours=partial(ours_all_rows, tol=TOL),
        peer=ours_all_rows,
        agreement=partial(compare_numbers, tolerance=TOL),
    ),
    nearest_case(
        "nearest-8",
        "k = 10 nearest, 8 columns: index and 20,000 queries",
        100_000,
        partial(normal_data, columns=8, queries=20_000),
        target=1.5,
    ),
    nearest_case(
        "nearest-2",
        "k = 10 nearest, 2 columns: index and 20,000 queries",
        100_000,
        partial(normal_data, columns=2, queries=20_000),
        target=1,
    ),
    nearest_case(
        "nearest-64",
        "k = 10 nearest, 64 columns: index and 2,000 queries",
        50_000,
        partial(normal_data, columns=64, queries=2_000),
        target=1,
    ),
    nearest_case(
        "nearest-784",
        "k = 10 nearest, 784 columns: index and 500 queries",
        20_000,
        partial(normal_data, columns=784, queries=500),
        target=1,
    ),
    nearest_case(
        "nearest-sparse",
        "k = 10 nearest, CSR, 10,000 columns, 100 nonzero in a row: index and 1,000 "
        "queries",
        20_000,
        partial(sparse_data, columns=10_000, queries=1_000),
        algorithms=("brute",),
    ),
    Case(
        name="choose-k",
        work="choice of k in 1 to 50, 8 columns, leave-one-out of every row",
        peer_name="GridSearchCV, 10 folds",
        target=100,
        size=20_000,
        quick_size=500,
        repeats=1,
        data=partial(normal_data, columns=8, queries=20_000),
        ours=ours_choice,
        peer=peer_choice,
        agreement=compare_choices,
    ),
)

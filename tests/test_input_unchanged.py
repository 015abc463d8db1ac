"""No method of any registered estimator changes an array of the user."""

import numpy as np
import pytest
from scipy import sparse
from sklearn import config_context, get_config
from sklearn.base import clone, is_regressor
from sklearn.utils import get_tags

from sklearn_bayeslazy import (
    InvertedIndexNeighbors,
    LSHNeighbors,
    ShardedNeighbors,
    ShepardKNN,
)
from sklearn_bayeslazy.testing import ESTIMATORS

every_estimator = pytest.mark.parametrize("estimator", ESTIMATORS, ids=str)
takes_sparse = pytest.mark.parametrize(
    "estimator",
    [each for each in ESTIMATORS if get_tags(each).input_tags.sparse],
    ids=str,
)
METHODS = (
    "predict",
    "predict_proba",
    "predict_log_proba",
    "decision_function",
    "predict_joint_log_proba",
    "transform",
    "score_samples",
    "kneighbors",
    "kneighbors_graph",
    "radius_neighbors",
    "radius_neighbors_graph",
    "explain",
)


def table():
    """Return counts with zeros, as float64 and in C order."""
    rng = np.random.default_rng(0)
    return rng.poisson(1.0, size=(60, 4)).astype(np.float64)


def targets_for(estimator, n_rows):
    y = np.arange(n_rows) % 2
    return y.astype(np.float64) if is_regressor(estimator) else y


def csr_with_duplicates(X):
    """Return rows whose columns are stored in falling order, each cell in two halves.

    The buffers are read-only.
    """
    rows, columns = np.nonzero(X)
    order = np.lexsort((-columns, rows))
    rows, columns = rows[order], columns[order]
    arrays = (
        np.repeat(X[rows, columns] / 2, 2),
        np.repeat(columns, 2).astype(np.int32),
        np.append(0, np.cumsum(2 * (X != 0).sum(axis=1))).astype(np.int32),
    )
    for array in arrays:
        array.flags.writeable = False
    return sparse.csr_array(arrays, shape=X.shape)


def arrays_of(X):
    return (X.data, X.indices, X.indptr) if sparse.issparse(X) else (X,)


def call_every_method(estimator, X, y):
    """Fit, and call all methods that take rows."""
    model = clone(estimator)
    if hasattr(model, "fit_transform"):
        model.fit_transform(X, y)
    model.fit(X, y)
    for name in METHODS:
        if hasattr(model, name):
            near = {"radius": 1.0} if name.startswith("radius") else {}
            getattr(model, name)(X, **near)
    if hasattr(model, "partial_fit"):
        model.partial_fit(X, y)


@every_estimator
def test_no_method_changes_dense_rows_or_targets(estimator):
    X = table()
    y = targets_for(estimator, len(X))
    if hasattr(estimator, "local_estimator"):  # fitted anew for every query
        X, y = X[:30], y[:30]
    before = X.copy(), y.copy()
    call_every_method(estimator, X, y)
    np.testing.assert_array_equal(X, before[0])
    np.testing.assert_array_equal(y, before[1])


@takes_sparse
def test_no_method_changes_sparse_rows(estimator):
    X = csr_with_duplicates(table())
    buffers = arrays_of(X)
    before = [array.copy() for array in buffers]
    call_every_method(estimator, X, targets_for(estimator, X.shape[0]))
    for array, now, then in zip(buffers, arrays_of(X), before):
        assert now is array, "a buffer was replaced"
        np.testing.assert_array_equal(now, then)


@pytest.mark.parametrize("metric", ["euclidean", "seuclidean", "cosine"])
def test_writable_duplicates_stay_as_they_are(metric):
    X = csr_with_duplicates(table())
    X = sparse.csr_matrix(tuple(a.copy() for a in arrays_of(X)), shape=X.shape)
    before = [array.copy() for array in arrays_of(X)]
    y = np.arange(X.shape[0]) % 2
    model = ShepardKNN(3, metric=metric).fit(X, y)
    found = model.predict_proba(X)
    for now, then in zip(arrays_of(X), before):
        np.testing.assert_array_equal(now, then)
    canonical = sparse.csr_array(X.toarray())
    expected = ShepardKNN(3, metric=metric).fit(canonical, y)
    np.testing.assert_array_equal(found, expected.predict_proba(canonical))


@pytest.mark.parametrize("interface", ["spmatrix", "sparray"])
@pytest.mark.parametrize(
    "estimator",
    [
        ShepardKNN(3, metric="euclidean"),
        LSHNeighbors(3),
        InvertedIndexNeighbors(3),
        ShardedNeighbors(LSHNeighbors(3)),
    ],
    ids=str,
)
def test_graphs_have_the_configured_sparse_interface(estimator, interface):
    if "sparse_interface" not in get_config():
        if interface == "sparray":
            pytest.skip("scikit-learn 1.9 introduced the option sparse_interface")
        options = {}
    else:
        options = {"sparse_interface": interface}
    X = table()
    model = clone(estimator).fit(X, targets_for(estimator, len(X)))
    expected = sparse.csr_array if interface == "sparray" else sparse.csr_matrix
    with config_context(**options):
        graphs = [model.kneighbors_graph(X), model.kneighbors_graph(mode="distance")]
        if hasattr(model, "transform"):
            graphs.append(model.transform(X))
        if hasattr(model, "radius_neighbors_graph"):
            graphs.append(model.radius_neighbors_graph(X, radius=1.0))
    for graph in graphs:
        assert type(graph) is expected
        assert graph.shape == (len(X), len(X))

"""ShepardKNN and its regressor answer sparse rows as dense ones.

Code under test: `search/_sparse_kernels.py`, `search/_sparse_search.py`.
"""

import numpy as np
import pytest
from scipy import sparse

from tests.helpers.neighbors_by_hand import (
    metric_of,
    table_of_distances,
)
from tests.helpers.shepard_knn_cases import (
    SPARSE_METRICS,
    WEIGHTINGS,
    assert_equal_by_hand,
    sample_weights,
    targets_of,
)
from tests.helpers.shepard_knn_classical import classical_knn, classical_knn_regressor

# Sparse rows


def sparse_table(seed, n_rows=40, d=9):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n_rows + 12, d)) * (rng.random((n_rows + 12, d)) < 0.4)
    X[:, 4] = 0
    X[5] = X[n_rows + 1] = 0
    X[9] = X[6]
    X[n_rows + 2] = X[6]
    labels = rng.integers(3, size=n_rows)
    return X[:n_rows], labels, rng.normal(size=(n_rows, 2)), X[n_rows:]


@pytest.mark.parametrize("metric", SPARSE_METRICS)
@pytest.mark.parametrize("weighting", WEIGHTINGS)
@pytest.mark.parametrize("weighed", ["none", "integers", "fractions"])
def test_sparse_rows_vote_as_dense_ones(metric, weighting, weighed):
    if weighting == "cosine" and metric != "cosine":
        weighting = "uniform"
    X, labels, numbers, Q = sparse_table(7)
    weight = sample_weights(weighed, len(X))
    D = table_of_distances(metric_of(metric, X, weight), Q, X)
    params = {"metric": metric, **WEIGHTINGS[weighting]}
    container = sparse.csc_matrix if weighed == "integers" else sparse.csr_array
    for k in (5, None):
        for estimator, y in targets_of(labels, numbers, k):
            model = estimator(k, **params).fit(container(X), y, weight)
            rule = {"k": k, **WEIGHTINGS[weighting]}
            assert_equal_by_hand(model, D, y, container(Q), weight, rule)
            # Dense queries to sparse rows, and the other way round.
            assert_equal_by_hand(model, D, y, Q, weight, rule)
            model.fit(X, y, weight)
            assert_equal_by_hand(model, D, y, container(Q), weight, rule)


@pytest.mark.parametrize("metric", SPARSE_METRICS)
def test_sparse_lists_are_the_dense_ones(metric):
    X, labels, _, Q = sparse_table(8)
    dense = classical_knn(5, metric=metric).fit(X, labels)
    rows = classical_knn(5, metric=metric).fit(sparse.csr_array(X), labels)
    for queries in (None, Q):
        converted = None if queries is None else sparse.csr_array(queries)
        apart, ids = dense.kneighbors(queries)
        others, other_ids = rows.kneighbors(converted)
        np.testing.assert_allclose(others, apart, rtol=1e-12, atol=1e-15)
        np.testing.assert_array_equal(other_ids, ids)


def test_sparse_rows_of_one_direction_are_exact_hits():
    # Their lengths are rounded. They were 1e-16 apart, and only some of them voted.
    rng = np.random.default_rng(0)
    row = rng.integers(0, 4, size=(1, 6)) * [1, 1, 1, 1, 1, 0] + [0, 0, 0, 0, 1, 0]
    X = np.vstack([row * np.arange(1.0, 13.0)[:, None], np.eye(6), np.zeros((1, 6))])
    y = np.arange(len(X), dtype=float)
    for container in (np.asarray, sparse.csr_array):
        model = classical_knn_regressor(3, metric="cosine").fit(container(X), y)
        distances, rows = model.kneighbors(container(row * 7.0), 12)
        np.testing.assert_array_equal(distances, 0.0)
        np.testing.assert_array_equal(rows, [np.arange(12)])
        np.testing.assert_allclose(model.predict(container(row * 7.0)), 5.5)


@pytest.mark.parametrize("offset", [1.0, 1e3, 1e6])
def test_sparse_variances_are_accurate_far_from_zero(offset):
    """A column far from 0 loses digits to E[x²] - E[x]², and must not."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(40, 2)) + np.array([offset, 0])
    y = rng.normal(size=40)
    Q = rng.normal(size=(5, 2)) + np.array([offset, 0])
    params = {"n_neighbors": 5, "metric": "seuclidean"}
    dense = classical_knn_regressor(**params).fit(X, y)
    rows = classical_knn_regressor(**params).fit(sparse.csr_array(X), y)
    np.testing.assert_allclose(
        rows.kneighbors(Q)[0], dense.kneighbors(Q)[0], rtol=1e-12 * offset
    )


@pytest.mark.parametrize("container", [np.asarray, sparse.csr_array])
@pytest.mark.parametrize("seed", range(5))
def test_a_constant_column_under_fractional_weights_has_no_variance(container, seed):
    rng = np.random.default_rng(seed)
    X = np.column_stack([np.full(500, 0.3), rng.normal(size=500)])
    weight = rng.uniform(0.05, 2.5, size=500)
    y = rng.normal(size=500)
    model = classical_knn_regressor(5, metric="seuclidean").fit(container(X), y, weight)
    X = np.vstack([X, X[:5] + np.array([1.0, 0.0])])
    D = table_of_distances(metric_of("seuclidean", X[:500], weight), X[500:], X[:500])
    np.testing.assert_allclose(
        model.kneighbors(container(X[500:]))[0], np.sort(D, axis=1)[:, :5], rtol=1e-9
    )


@pytest.mark.parametrize(
    "params",
    [
        {"metric": "chebyshev"},
        {"metric": "mahalanobis"},
        {"metric": "minkowski"},
        {"metric": "nan_euclidean"},
        {"algorithm": "kd_tree"},
    ],
    ids=str,
)
def test_dense_metrics_refuse_sparse_rows(params):
    X, labels, _, _ = sparse_table(0)
    with pytest.raises(TypeError, match=r"[Ss]parse"):
        classical_knn(2, **params).fit(sparse.csr_array(X), labels)

"""ShepardKNN on tables of constant columns, equal rows, missing values or zeros."""

import numpy as np
import pytest
from scipy import sparse
from sklearn.base import clone
from sklearn.neighbors import NearestNeighbors

from sklearn_bayeslazy.testing import answers
from tests.helpers.neighbors_by_hand import (
    METRICS,
    means,
    metric_of,
    table_of_distances,
)
from tests.helpers.shepard_knn_classical import classical_knn, classical_knn_regressor
from tests.helpers.shepard_knn_tables import (
    assert_close,
    both,
    draw_table,
    every_k,
    every_metric,
)

# Degenerate tables


@every_metric
@every_k
@both
def test_constant_columns(estimator, metric, k):
    X, y, Q = draw_table()
    params = {"metric": metric, "metric_params": METRICS[metric]}
    wide = np.insert(X, 1, 0.3, axis=1)
    model = estimator(k, **params).fit(wide, y)
    assert np.isfinite(answers(model, wide)).all()
    if metric not in ("cosine", "nan_euclidean"):
        plain = estimator(k, **params).fit(X, y)
        assert_close(model, _with_column(plain), np.insert(Q, 1, 0.3, axis=1), 1e-11)
    alone = estimator(k, **params).fit(np.full((9, 2), 0.3), np.arange(9) % 2)
    assert np.isfinite(answers(alone, np.full((2, 2), 0.3))).all()
    assert np.isfinite(answers(alone, [[5.0, -1.0]])).all()


class _with_column:
    """A model that is given queries without the constant column."""

    def __init__(self, model):
        self.model = model

    def predict_proba(self, X):
        return answers(self.model, np.delete(X, 1, axis=1))


@every_metric
@both
def test_one_row_answers_all(estimator, metric):
    for k in (1, 50, None):
        model = estimator(k, metric=metric).fit([[1.0, 2.0]], [3])
        assert model.predict([[0.0, 0.0], [1.0, 2.0]]).tolist() == [3, 3]
        ids = model.kneighbors([[0.0, 7.0]], return_distance=False)
        assert ids.tolist() == [[0]]
        assert model.kneighbors_graph([[0.0, 7.0]]).shape == (1, 1)
    with pytest.raises(ValueError, match="only 0 training rows"):
        model.kneighbors(n_neighbors=1)


@every_metric
def test_one_class(metric):
    X, _, Q = draw_table()
    for k in (3, None, "loo"):
        model = classical_knn(k, metric=metric, class_weight="balanced")
        model.fit(X, np.full(len(X), "only"))
        assert model.predict_proba(Q).tolist() == [[1.0]] * len(Q)
        assert set(model.predict(Q)) == {"only"}


@every_metric
@both
def test_equal_rows_vote_alike(estimator, metric):
    """All are hit, or all are equally far."""
    X, y = np.tile([2.0, 0.5], (8, 1)), np.array([0, 1, 1, 1, 0, 0, 1, 1])
    for k in (3, 8, 99, None):
        model = estimator(k, metric=metric).fit(X, y)
        for query in ([[2.0, 0.5]], [[7.0, -1.0]]):
            answer = answers(model, query)
            got = answer[0, 1] if estimator is classical_knn else answer[0]
            np.testing.assert_allclose(got, y.mean(), atol=1e-12)
    assert np.isfinite(
        list(estimator(metric=metric).fit(X, y).loo_results_["rank"])
    ).all()


@every_metric
@pytest.mark.parametrize("k", [10**6, 2**31, 2**62, 10**30])
def test_k_may_be_huge(metric, k):
    X, y, Q = draw_table()
    weight = np.random.default_rng(0).uniform(0.1, 2, size=len(y))
    for given in (None, weight):
        huge = classical_knn_regressor(k, metric=metric).fit(X, y, given)
        every = classical_knn_regressor(None, metric=metric).fit(X, y, given)
        assert_close(huge, every, Q)
    model = classical_knn(k, algorithm=NearestNeighbors()).fit(X, y)
    assert_close(model, classical_knn(None).fit(X, y), Q)


# Bad cells


@pytest.mark.parametrize("metric", METRICS)
@both
def test_infinite_and_missing_values_are_refused_by_name(estimator, metric):
    pandas = pytest.importorskip("pandas", reason="columns have names there")
    X, y, _ = draw_table()
    model = estimator(3, metric=metric)
    for bad in (np.inf, -np.inf, np.nan):
        invalid = X.copy()
        invalid[4, 1] = bad
        if np.isnan(bad) and metric == "nan_euclidean":
            assert np.isfinite(answers(model.fit(invalid, y), invalid)).all()
            continue
        with pytest.raises(ValueError, match=r"(?i)infinity|nan"):
            model.fit(invalid, y)
        with pytest.raises(ValueError, match=r"(?i)infinity|nan"):
            clone(model).fit(X, y).predict(invalid)
        frame = pandas.DataFrame(invalid, columns=["a", "b", "c"])
        with pytest.raises(ValueError, match=r"(?i)infinity|nan"):
            model.fit(frame, y)
    if estimator is classical_knn_regressor:
        for bad in (np.inf, np.nan):
            with pytest.raises(ValueError, match=r"(?i)\by\b.*(infinity|nan)"):
                model.fit(X, np.where(np.arange(len(y)) == 3, bad, y))


@every_k
def test_missing_values_and_rows_without_values(k):
    rng = np.random.default_rng(6)
    X, y, Q = draw_table(6)
    X[rng.random(X.shape) < 0.4] = np.nan
    X[:4] = np.nan
    Q[rng.random(Q.shape) < 0.4] = np.nan
    Q[0] = np.nan
    apart = metric_of("nan_euclidean", X)
    D = table_of_distances(apart, Q, X)
    assert np.isinf(D).any(axis=1).all()
    model = classical_knn_regressor(k, metric="nan_euclidean").fit(X, y)
    np.testing.assert_allclose(model.predict(Q), means(D, y, k=k), rtol=1e-12)
    distances, ids = model.kneighbors(Q, 60)
    np.testing.assert_allclose(distances, np.sort(D, axis=1), rtol=1e-12)
    np.testing.assert_array_equal(ids[:, -4:], np.sort(ids[:, -4:], axis=1))
    assert np.isinf(distances[0]).all()
    assert ids[0].tolist() == list(range(60))
    shares = model.explain(Q, n_rows=None).shares
    np.testing.assert_allclose(np.nansum(shares, axis=1), 1)


@every_k
def test_a_table_of_missing_values_only(k):
    model = classical_knn_regressor(k, metric="nan_euclidean")
    model.fit(np.full((3, 2), np.nan), [1.0, 2.0, 6.0])
    # All rows are infinitely far, and share k votes: (1 + 2 + 6) / 3.
    np.testing.assert_allclose(model.predict([[0.0, 1.0], [np.nan] * 2]), 3.0)
    loo = classical_knn_regressor(metric="nan_euclidean")
    assert np.isfinite(
        loo.fit(np.full((3, 2), np.nan), [1.0, 2.0, 6.0]).loo_results_[
            "mean_squared_error"
        ]
    ).all()


@pytest.mark.parametrize("weights", ["inverse", "cosine"])
@every_k
@both
def test_rows_of_zeros_are_at_distance_1_of_everything(estimator, k, weights):
    X, y, Q = draw_table()
    X[[3, 8]] = 0
    Q[0] = 0
    params = {"metric": "cosine", "weights": weights}
    dense = estimator(k, **params).fit(X, y)
    rows = estimator(k, **params).fit(sparse.csr_array(X), y)
    assert_close(dense, rows, Q)
    np.testing.assert_allclose(
        answers(dense, Q), answers(rows, sparse.csr_array(Q)), atol=1e-12
    )
    for model in (dense, rows):
        distances, ids = model.kneighbors(Q, len(X))
        assert distances[0].tolist() == [1.0] * len(X)
        assert ids[0].tolist() == list(range(len(X)))
        assert np.all(distances[np.isin(ids, [3, 8])] == 1.0)

"""What must not change the answers of ShepardKNN: threads, order, scale, copies."""

import joblib
import numpy as np
import pytest
import sklearn
from scipy import sparse

from sklearn_bayeslazy.testing import answers
from tests.helpers.neighbors_by_hand import METRICS
from tests.helpers.shepard_knn_classical import classical_knn, classical_knn_regressor
from tests.helpers.shepard_knn_tables import (
    assert_close,
    both,
    draw_table,
    every_k,
    every_metric,
)

# Threads, memory and order


@every_metric
@every_k
@both
def test_neither_threads_nor_memory_nor_batches_change_a_bit(estimator, metric, k):
    X, y, _ = draw_table(n=150)
    Q = np.vstack([draw_table(1)[2]] * 6)
    params = {"metric": metric, "metric_params": METRICS[metric]}
    model = estimator(k, n_jobs=1, **params).fit(X, y)
    expected = answers(model, Q)
    lists = model.kneighbors(Q, 7)
    why = model.explain(Q)
    model.set_params(n_jobs=2)
    for memory in (1e-3, 64):  # MiB
        with sklearn.config_context(working_memory=memory):
            np.testing.assert_array_equal(answers(model, Q), expected)
            for a, b in zip(model.kneighbors(Q, 7), lists):
                np.testing.assert_array_equal(a, b)
            np.testing.assert_array_equal(model.explain(Q).shares, why.shares)
    order = np.random.default_rng(0).permutation(len(Q))
    np.testing.assert_array_equal(answers(model, Q[order]), expected[order])
    for i in range(8):
        np.testing.assert_array_equal(answers(model, Q[i : i + 1])[0], expected[i])
        apart, ids = model.kneighbors(Q[i : i + 1], 7)
        np.testing.assert_array_equal(apart[0], lists[0][i])
        np.testing.assert_array_equal(ids[0], lists[1][i])


@pytest.mark.parametrize("metric", ["euclidean", "seuclidean", "cosine"])
@every_k
@both
def test_sparse_rows_are_answered_one_by_one_too(estimator, metric, k):
    rng = np.random.default_rng(0)
    X = rng.poisson(0.4, size=(200, 12)).astype(float)
    Q = sparse.csr_array(rng.poisson(0.4, size=(90, 12)).astype(float))
    y = rng.integers(3, size=200)
    model = estimator(k, metric=metric, n_jobs=1).fit(sparse.csr_array(X), y)
    expected, lists = answers(model, Q), model.kneighbors(Q, 7)
    model.set_params(n_jobs=2)
    with sklearn.config_context(working_memory=1e-3):
        np.testing.assert_array_equal(answers(model, Q), expected)
    for i in range(12):
        np.testing.assert_array_equal(answers(model, Q[[i]])[0], expected[i])
        np.testing.assert_array_equal(model.kneighbors(Q[[i]], 7)[1][0], lists[1][i])


@pytest.mark.parametrize("metric", ["euclidean", "cosine", "nan_euclidean"])
@both
def test_a_choice_depends_neither_on_threads_nor_on_memory(estimator, metric):
    X, y, _ = draw_table(n=150)
    candidates = {"n_neighbors": [1, 4, 30, None], "power": [1, 2.5]}
    params = {"metric": metric, "power": "loo", "loo_candidates": candidates}
    one = estimator(n_jobs=1, **params).fit(X, y)
    with sklearn.config_context(working_memory=1e-2):
        two = estimator(n_jobs=2, **params).fit(X, y)
    with joblib.parallel_config(n_jobs=2):
        three = estimator(**params).fit(X, y)
    for other in (two, three):
        for name, values in one.loo_results_.items():
            np.testing.assert_array_equal(other.loo_results_[name], values)


@every_metric
@every_k
@both
def test_the_order_of_the_table_does_not_matter(estimator, metric, k):
    X, y, Q = draw_table()
    order = np.random.default_rng(1).permutation(len(y))
    weight = np.random.default_rng(2).uniform(0.1, 2.0, size=len(y))
    params = {"metric": metric, "metric_params": METRICS[metric]}
    one = estimator(k, **params).fit(X, y, weight)
    other = estimator(k, **params).fit(X[order], y[order], weight[order])
    assert_close(one, other, Q, rtol=1e-11)
    np.testing.assert_array_equal(
        one.kneighbors(Q, 9)[1], order[other.kneighbors(Q, 9)[1]]
    )
    candidates = {"n_neighbors": [1, 3, 9, None]}
    one = estimator(loo_candidates=candidates, **params).fit(X, y, weight)
    other = estimator(loo_candidates=candidates, **params)
    other.fit(X[order], y[order], weight[order])
    for name, values in one.loo_results_.items():
        if name.startswith("mean"):
            np.testing.assert_allclose(values, other.loo_results_[name], rtol=1e-10)
    assert one.n_neighbors_ == other.n_neighbors_


# Weights


@every_metric
@every_k
@both
def test_integer_weights_are_copies_and_zero_removes_rows(estimator, metric, k):
    X, y, Q = draw_table()
    weight = np.random.default_rng(0).integers(0, 4, size=len(y))
    y[weight == 0] = 7  # a class of rows that are gone
    copies = np.repeat(np.arange(len(y)), weight)
    params = {"metric": metric, "metric_params": METRICS[metric]}
    one = estimator(k, **params).fit(X, y, weight)
    other = estimator(k, **params).fit(X[copies], y[copies])
    assert_close(one, other, Q, rtol=1e-11)
    dropped = estimator(k, **params).fit(
        X[weight > 0], y[weight > 0], weight[weight > 0]
    )
    np.testing.assert_array_equal(answers(one, Q), answers(dropped, Q))
    if estimator is classical_knn:
        assert one.classes_.tolist() == [0, 1, 2]


@both
@pytest.mark.parametrize(
    ("weight", "message"),
    [
        (np.zeros(60), "sample_weight is zero for all rows|at least one non-zero"),
        (np.full(60, -1.0), "Negative values|negative"),
        (np.full(60, np.nan), "NaN"),
        (np.full(60, np.inf), "inf"),
        (np.full(60, 1e308), "overflows"),
        (np.ones(59), "shape"),
    ],
    ids=["zero", "negative", "NaN", "infinite", "overflow", "short"],
)
def test_invalid_sample_weights_are_refused(estimator, weight, message):
    X, y, _ = draw_table()
    with pytest.raises(ValueError, match=message):
        estimator(3).fit(X, y, weight)


@both
@pytest.mark.parametrize("factor", [1e-12, 1e-3, 1e9, 1e200])
def test_all_rows_vote_alike_under_weights_of_any_scale(estimator, factor):
    X, y, Q = draw_table()
    weight = np.random.default_rng(3).uniform(0.1, 2.0, size=len(y))
    one = estimator(None).fit(X, y, weight)
    other = estimator(None).fit(X, y, weight * factor)
    assert_close(one, other, Q, rtol=1e-11)


@both
@pytest.mark.parametrize("size", [1e6, 1e15, 1e200])
def test_a_heavy_row_fills_the_list(estimator, size):
    X, y = np.array([[0.0], [1.0], [2.0]]), np.array([0, 1, 2])
    model = estimator(5).fit(X, y, [1.0, size, 1.0])
    np.testing.assert_array_equal(model.predict([[1.1]]), [1])
    # Row 0, then 4 copies of row 1: at distances 1/4 and 3/4.
    first, second = 1 * 16, 4 * 16 / 9
    share = second / (first + second)
    if estimator is classical_knn:
        np.testing.assert_allclose(
            model.predict_proba([[0.25]]), [[1 - share, share, 0]], atol=1e-12
        )
    else:
        np.testing.assert_allclose(model.predict([[0.25]]), [share])


# Scales


@every_metric
@every_k
@pytest.mark.parametrize("size", [1e-300, 1e-160, 1e-20, 1e20, 1e150, 1e300])
def test_tables_of_any_scale(metric, k, size):
    """Squares of such numbers overflow or vanish; distances and votes must not."""
    X, y, Q = draw_table(3, n=40, n_queries=10)
    if metric == "mahalanobis" and (size > 1e153 or size < 1e-153):
        return  # tested below
    params = {"metric": metric, "metric_params": METRICS[metric]}
    plain = classical_knn_regressor(k, **params).fit(X, y)
    scaled = classical_knn_regressor(k, **params).fit(X * size, y)
    np.testing.assert_allclose(scaled.predict(Q * size), plain.predict(Q), rtol=1e-9)
    np.testing.assert_array_equal(
        scaled.kneighbors(Q * size, 5)[1], plain.kneighbors(Q, 5)[1]
    )
    relative = metric in ("seuclidean", "mahalanobis", "cosine")
    np.testing.assert_allclose(
        scaled.kneighbors(Q * size, 5)[0] / (1 if relative else size),
        plain.kneighbors(Q, 5)[0],
        rtol=1e-9,
        atol=1e-14,
    )
    if metric in ("euclidean", "seuclidean", "cosine"):
        rows = classical_knn_regressor(k, **params).fit(sparse.csr_array(X * size), y)
        np.testing.assert_allclose(
            rows.predict(sparse.csr_array(Q * size)), plain.predict(Q), rtol=1e-9
        )


@pytest.mark.parametrize("size", [1e-300, 1e-160, 1e150])
def test_mahalanobis_of_extreme_columns(size):
    X, y, Q = draw_table(3, n=40, n_queries=10)
    plain = classical_knn_regressor(4, metric="mahalanobis").fit(X, y)
    model = classical_knn_regressor(4, metric="mahalanobis").fit(X * size, y)
    np.testing.assert_allclose(model.predict(Q * size), plain.predict(Q), rtol=1e-9)


@every_k
@pytest.mark.parametrize("scales", [[1e300, 1e-300, 1e150], [1e-300, 1.0, 1e-150]])
def test_columns_of_extreme_scales_side_by_side(k, scales):
    """The largest column decides unless columns are standardised."""
    X, y, Q = draw_table(4, n=40, n_queries=10)
    wide, queries = X * scales, Q * scales
    for metric in ("euclidean", "manhattan", "minkowski", "nan_euclidean"):
        model = classical_knn_regressor(k, metric=metric).fit(wide, y)
        column = [int(np.argmax(scales))]
        alone = classical_knn_regressor(k).fit(X[:, column], y)
        np.testing.assert_allclose(
            model.predict(queries), alone.predict(Q[:, column]), rtol=1e-9
        )
    model = classical_knn_regressor(k, metric="seuclidean").fit(wide, y)
    plain = classical_knn_regressor(k, metric="seuclidean").fit(X, y)
    np.testing.assert_allclose(model.predict(queries), plain.predict(Q), rtol=1e-9)


@pytest.mark.parametrize("power", [1e-3, 1.0, 200, 1000, 1e6])
@every_metric
@pytest.mark.parametrize("scale", [1e-100, 1.0, 1e100])
def test_powers_neither_overflow_nor_vanish(power, metric, scale):
    X, y, Q = draw_table(5)
    X, Q = X * scale, Q * scale
    params = {"metric": metric, "power": power, "metric_params": METRICS[metric]}
    for k in (9, None):
        model = classical_knn(k, **params).fit(X, y)
        shares = model.predict_proba(Q)
        assert np.isfinite(shares).all()
        np.testing.assert_allclose(shares.sum(axis=1), 1)
        if power == 1e6:
            nearest = classical_knn(1, **params).fit(X, y)
            np.testing.assert_array_equal(shares.argmax(axis=1), nearest.predict(Q))
            np.testing.assert_allclose(shares.max(axis=1), 1, atol=1e-6)
        if power == 1e-3:
            uniform = classical_knn(k, **{**params, "weights": "uniform"}).fit(X, y)
            keep = np.arange(len(Q)) != 3  # but for the exact hit
            np.testing.assert_allclose(
                shares[keep], uniform.predict_proba(Q[keep]), atol=0.02
            )


@pytest.mark.parametrize("power", [1.0, 2.0, 3.0, 700.0])
def test_near_hits_at_the_smallest_float(power):
    """A row at the least distance there is outweighs all, an exact hit those too."""
    tiny = np.nextafter(0.0, 1.0)
    X, y = np.array([[tiny], [1.0], [2.0]]), [5.0, 1.0, 2.0]
    for k in (3, None):
        model = classical_knn_regressor(k, power=power).fit(X, y)
        np.testing.assert_array_equal(model.predict([[tiny], [1.0]]), [5.0, 1.0])
        assert model.predict([[0.0]]) == 5.0

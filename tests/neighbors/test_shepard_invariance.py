"""What must not change ShepardKNN's answers, and tables at the edge of what is one."""

import pickle
from concurrent.futures import ThreadPoolExecutor

import joblib
import numpy as np
import pytest
import sklearn
from neighbors_by_hand import METRICS, means, metric_of, table_of_distances
from scipy import sparse
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.neighbors import NearestNeighbors
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from sklearn_bayeslazy import ShepardKNN, ShepardKNNRegressor
from sklearn_bayeslazy.testing import answers

every_metric = pytest.mark.parametrize("metric", METRICS)
both = pytest.mark.parametrize("estimator", [ShepardKNN, ShepardKNNRegressor])
every_k = pytest.mark.parametrize("k", [1, 4, None])


def draw(seed=0, n=60, d=3, n_queries=25):
    rng = np.random.default_rng(seed)
    X, Q = rng.normal(size=(n, d)), rng.normal(size=(n_queries, d))
    Q[3] = X[5]
    return X, rng.integers(3, size=n), Q


def assert_close(one, other, Q, rtol=1e-12):
    np.testing.assert_allclose(
        answers(one, Q), answers(other, Q), rtol=rtol, atol=1e-12
    )


# Threads, memory and order


@every_metric
@every_k
@both
def test_neither_threads_nor_memory_nor_batches_change_a_bit(estimator, metric, k):
    X, y, _ = draw(n=150)
    Q = np.vstack([draw(1)[2]] * 6)
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
    X, y, _ = draw(n=150)
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
    X, y, Q = draw()
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
def test_whole_weights_are_copies_and_zero_is_none(estimator, metric, k):
    X, y, Q = draw()
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
    if estimator is ShepardKNN:
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
def test_weights_that_are_none(estimator, weight, message):
    X, y, _ = draw()
    with pytest.raises(ValueError, match=message):
        estimator(3).fit(X, y, weight)


@both
@pytest.mark.parametrize("factor", [1e-12, 1e-3, 1e9, 1e200])
def test_all_rows_vote_alike_under_weights_of_any_scale(estimator, factor):
    X, y, Q = draw()
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
    if estimator is ShepardKNN:
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
    X, y, Q = draw(3, n=40, n_queries=10)
    if metric == "mahalanobis" and (size > 1e153 or size < 1e-153):
        return  # tested below
    params = {"metric": metric, "metric_params": METRICS[metric]}
    plain = ShepardKNNRegressor(k, **params).fit(X, y)
    scaled = ShepardKNNRegressor(k, **params).fit(X * size, y)
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
        rows = ShepardKNNRegressor(k, **params).fit(sparse.csr_array(X * size), y)
        np.testing.assert_allclose(
            rows.predict(sparse.csr_array(Q * size)), plain.predict(Q), rtol=1e-9
        )


@pytest.mark.parametrize("size", [1e-300, 1e-160, 1e150])
def test_mahalanobis_of_extreme_columns(size):
    X, y, Q = draw(3, n=40, n_queries=10)
    plain = ShepardKNNRegressor(4, metric="mahalanobis").fit(X, y)
    model = ShepardKNNRegressor(4, metric="mahalanobis").fit(X * size, y)
    np.testing.assert_allclose(model.predict(Q * size), plain.predict(Q), rtol=1e-9)


@every_k
@pytest.mark.parametrize("scales", [[1e300, 1e-300, 1e150], [1e-300, 1.0, 1e-150]])
def test_columns_of_extreme_scales_side_by_side(k, scales):
    """The largest column decides where nothing is standardised, or all do alike."""
    X, y, Q = draw(4, n=40, n_queries=10)
    wide, asked = X * scales, Q * scales
    for metric in ("euclidean", "manhattan", "minkowski", "nan_euclidean"):
        model = ShepardKNNRegressor(k, metric=metric).fit(wide, y)
        column = [int(np.argmax(scales))]
        alone = ShepardKNNRegressor(k).fit(X[:, column], y)
        np.testing.assert_allclose(
            model.predict(asked), alone.predict(Q[:, column]), rtol=1e-9
        )
    model = ShepardKNNRegressor(k, metric="seuclidean").fit(wide, y)
    plain = ShepardKNNRegressor(k, metric="seuclidean").fit(X, y)
    np.testing.assert_allclose(model.predict(asked), plain.predict(Q), rtol=1e-9)


@pytest.mark.parametrize("power", [1e-3, 1.0, 200, 1000, 1e6])
@every_metric
@pytest.mark.parametrize("scale", [1e-100, 1.0, 1e100])
def test_powers_neither_overflow_nor_vanish(power, metric, scale):
    X, y, Q = draw(5)
    X, Q = X * scale, Q * scale
    params = {"metric": metric, "power": power, "metric_params": METRICS[metric]}
    for k in (9, None):
        model = ShepardKNN(k, **params).fit(X, y)
        shares = model.predict_proba(Q)
        assert np.isfinite(shares).all()
        np.testing.assert_allclose(shares.sum(axis=1), 1)
        if power == 1e6:
            nearest = ShepardKNN(1, **params).fit(X, y)
            np.testing.assert_array_equal(shares.argmax(axis=1), nearest.predict(Q))
            np.testing.assert_allclose(shares.max(axis=1), 1, atol=1e-6)
        if power == 1e-3:
            uniform = ShepardKNN(k, **{**params, "weights": "uniform"}).fit(X, y)
            keep = np.arange(len(Q)) != 3  # but for the exact hit
            np.testing.assert_allclose(
                shares[keep], uniform.predict_proba(Q[keep]), atol=0.02
            )


@pytest.mark.parametrize("power", [1.0, 2.0, 3.0, 700.0])
def test_near_hits_at_the_end_of_the_numbers(power):
    """A row at the least distance there is outweighs all, an exact hit those too."""
    tiny = np.nextafter(0.0, 1.0)
    X, y = np.array([[tiny], [1.0], [2.0]]), [5.0, 1.0, 2.0]
    for k in (3, None):
        model = ShepardKNNRegressor(k, power=power).fit(X, y)
        np.testing.assert_array_equal(model.predict([[tiny], [1.0]]), [5.0, 1.0])
        assert model.predict([[0.0]]) == 5.0


# Degenerate tables


@every_metric
@every_k
@both
def test_constant_columns(estimator, metric, k):
    X, y, Q = draw()
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
    """A model that is asked without the constant column."""

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
    X, _, Q = draw()
    for k in (3, None, "loo"):
        model = ShepardKNN(k, metric=metric, class_weight="balanced")
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
        votes = y[:3] if k == 3 else y
        for query in ([[2.0, 0.5]], [[7.0, -1.0]]):
            answer = answers(model, query)
            got = answer[0, 1] if estimator is ShepardKNN else answer[0]
            np.testing.assert_allclose(got, votes.mean(), atol=1e-12)
    assert np.isfinite(
        list(estimator(metric=metric).fit(X, y).loo_results_["rank"])
    ).all()


@every_metric
@pytest.mark.parametrize("k", [10**6, 2**31, 2**62, 10**30])
def test_k_may_be_huge(metric, k):
    X, y, Q = draw()
    weight = np.random.default_rng(0).uniform(0.1, 2, size=len(y))
    for given in (None, weight):
        huge = ShepardKNNRegressor(k, metric=metric).fit(X, y, given)
        every = ShepardKNNRegressor(None, metric=metric).fit(X, y, given)
        assert_close(huge, every, Q)
    model = ShepardKNN(k, algorithm=NearestNeighbors()).fit(X, y)
    assert_close(model, ShepardKNN(None).fit(X, y), Q)


# Bad cells


@pytest.mark.parametrize("metric", METRICS)
@both
def test_infinite_and_missing_cells_are_refused_by_name(estimator, metric):
    pandas = pytest.importorskip("pandas", reason="columns have names there")
    X, y, _ = draw()
    model = estimator(3, metric=metric)
    for bad in (np.inf, -np.inf, np.nan):
        spoilt = X.copy()
        spoilt[4, 1] = bad
        if np.isnan(bad) and metric == "nan_euclidean":
            assert np.isfinite(answers(model.fit(spoilt, y), spoilt)).all()
            continue
        with pytest.raises(ValueError, match=r"(?i)infinity|nan"):
            model.fit(spoilt, y)
        with pytest.raises(ValueError, match=r"(?i)infinity|nan"):
            clone(model).fit(X, y).predict(spoilt)
        frame = pandas.DataFrame(spoilt, columns=["a", "b", "c"])
        with pytest.raises(ValueError, match=r"(?i)infinity|nan"):
            model.fit(frame, y)
    if estimator is ShepardKNNRegressor:
        for bad in (np.inf, np.nan):
            with pytest.raises(ValueError, match=r"(?i)\by\b.*(infinity|nan)"):
                model.fit(X, np.where(np.arange(len(y)) == 3, bad, y))


@every_k
def test_missing_cells_and_rows_without_any(k):
    rng = np.random.default_rng(6)
    X, y, Q = draw(6)
    X[rng.random(X.shape) < 0.4] = np.nan
    X[:4] = np.nan
    Q[rng.random(Q.shape) < 0.4] = np.nan
    Q[0] = np.nan
    apart = metric_of("nan_euclidean", X)
    D = table_of_distances(apart, Q, X)
    assert np.isinf(D).any(axis=1).all()
    model = ShepardKNNRegressor(k, metric="nan_euclidean").fit(X, y)
    np.testing.assert_allclose(model.predict(Q), means(D, y, k=k), rtol=1e-12)
    distances, ids = model.kneighbors(Q, 60)
    np.testing.assert_allclose(distances, np.sort(D, axis=1), rtol=1e-12)
    np.testing.assert_array_equal(ids[:, -4:], np.sort(ids[:, -4:], axis=1))
    assert np.isinf(distances[0]).all()
    assert ids[0].tolist() == list(range(60))
    shares = model.explain(Q, n_rows=None).shares
    np.testing.assert_allclose(np.nansum(shares, axis=1), 1)


@every_k
def test_a_table_without_any_cell(k):
    model = ShepardKNNRegressor(k, metric="nan_euclidean")
    model.fit(np.full((3, 2), np.nan), [1.0, 2.0, 6.0])
    expected = {1: 1.0, 4: 3.0, None: 3.0}[k]
    np.testing.assert_allclose(model.predict([[0.0, 1.0], [np.nan] * 2]), expected)
    loo = ShepardKNNRegressor(metric="nan_euclidean")
    assert np.isfinite(
        loo.fit(np.full((3, 2), np.nan), [1.0, 2.0, 6.0]).loo_results_[
            "mean_squared_error"
        ]
    ).all()


@pytest.mark.parametrize("weights", ["inverse", "cosine"])
@every_k
@both
def test_rows_of_zeros_are_at_distance_1_of_everything(estimator, k, weights):
    X, y, Q = draw()
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


# Containers


@both
@every_k
@pytest.mark.parametrize("algorithm", ["brute", "kd_tree"])
def test_any_array_of_the_same_numbers_answers_alike(estimator, k, algorithm):
    rng = np.random.default_rng(0)
    X, y = rng.integers(-5, 6, size=(60, 3)), rng.integers(3, size=60)
    Q = rng.integers(-5, 6, size=(20, 3))
    expected = answers(
        estimator(k, algorithm=algorithm).fit(X.astype(float), y), Q.astype(float)
    )
    read_only = X.astype(float)
    read_only.flags.writeable = False
    strided = np.repeat(X.astype(float), 2, axis=0)[::2]
    for other in (
        X,
        X.tolist(),
        X.astype(np.float32),
        X.astype(np.int8),
        np.asfortranarray(X.astype(float)),
        read_only,
        strided,
    ):
        model = estimator(k, algorithm=algorithm).fit(other, y)
        np.testing.assert_array_equal(answers(model, Q), expected)
        dtype = getattr(other, "dtype", np.int64)
        np.testing.assert_array_equal(answers(model, Q.astype(dtype)), expected)


@both
def test_the_callers_arrays_are_left_alone(estimator):
    X, y, Q = draw()
    weight = np.ones(len(y))
    for metric in METRICS:
        copies = [array.copy() for array in (X, y, Q, weight)]
        model = estimator(metric=metric).fit(X, y, weight)
        model.predict(Q)
        model.kneighbors(Q)
        model.explain(Q)
        for before, after in zip(copies, (X, y, Q, weight)):
            np.testing.assert_array_equal(before, after)


@both
@pytest.mark.parametrize("k", [3, None])
@pytest.mark.parametrize("written", ["X", "y", "sample_weight"])
@pytest.mark.parametrize("container", [np.asarray, sparse.csr_array])
def test_what_the_caller_writes_later_does_not_change_the_model(
    estimator, k, written, container
):
    X, y, Q = draw()
    X, y = container(X), y.astype(float)
    weight = np.random.default_rng(0).uniform(0.5, 2.0, size=len(y))
    model = estimator(k).fit(X, y, weight)
    expected = answers(model, Q)
    cells = X if isinstance(X, np.ndarray) else X.data
    array = {"X": cells, "y": y, "sample_weight": weight}[written]
    array[:] = array[::-1].copy()
    np.testing.assert_array_equal(answers(model, Q), expected)


@both
def test_frames_keep_their_names(estimator):
    pandas = pytest.importorskip("pandas", reason="it tests frames")
    X, y, Q = draw()
    frame = pandas.DataFrame(X, columns=["a", "b", "c"])
    model = estimator().fit(frame, pandas.Series(y, name="target"))
    assert model.feature_names_in_.tolist() == ["a", "b", "c"]
    assert model.n_features_in_ == 3
    expected = answers(estimator().fit(X, y), Q)
    named = pandas.DataFrame(Q, columns=["a", "b", "c"])
    np.testing.assert_array_equal(answers(model, named), expected)
    with pytest.raises(ValueError, match="feature names"):
        model.predict(named[["c", "b", "a"]])
    with pytest.warns(UserWarning, match="feature names"):
        model.predict(Q)
    with pytest.raises(ValueError, match="3 features"):
        estimator(2).fit(X, y).predict(Q[:, :2])


@pytest.mark.parametrize(
    "labels",
    [
        np.array(["no", "yes", "perhaps"]),
        np.array(["no", "yes", "perhaps"], dtype=object),
        np.array([-3, 100, 7]),
        np.array([0.5, 1.5, 3.0]).astype(str),
    ],
    ids=["str", "object", "int", "numbers as str"],
)
def test_labels_of_any_kind(labels):
    X, codes, Q = draw()
    model = ShepardKNN(4).fit(X, labels[codes])
    assert model.classes_.tolist() == sorted(labels.tolist())
    plain = ShepardKNN(4).fit(X, codes)
    order = np.argsort(labels)
    np.testing.assert_allclose(
        model.predict_proba(Q), plain.predict_proba(Q)[:, order], rtol=1e-14
    )
    assert set(model.explain(Q).targets.ravel()) <= set(labels.tolist())
    assert model.score(X, labels[codes]) == 1.0


def test_continuous_targets_are_no_classes():
    X, _, _ = draw()
    with pytest.raises(ValueError, match="Unknown label type"):
        ShepardKNN(3).fit(X, np.linspace(0, 1, len(X)) + 0.1)
    with pytest.raises(ValueError, match=r"(?i)y"):
        ShepardKNN(3).fit(X, np.zeros((len(X), 2)))
    with pytest.raises(ValueError, match="requires y"):
        ShepardKNN(3).fit(X, None)
    with pytest.raises(ValueError, match="requires y"):
        ShepardKNNRegressor(3).fit(X, None)
    with pytest.raises(ValueError, match=r"dim"):
        ShepardKNNRegressor(3).fit(X, np.zeros((len(X), 2, 2)))


@pytest.mark.parametrize("shape", [(60,), (60, 1), (60, 3)])
def test_predictions_have_the_shape_of_the_targets(shape):
    X, _, Q = draw()
    y = np.random.default_rng(0).normal(size=shape)
    for k in (3, None, "loo"):
        assert ShepardKNNRegressor(k).fit(X, y).predict(Q).shape == (25, *shape[1:])


@both
@pytest.mark.parametrize(
    "params",
    [
        {"n_neighbors": 0},
        {"n_neighbors": 2.5},
        {"n_neighbors": "all"},
        {"power": -1},
        {"power": np.nan},
        {"power": np.inf},
        {"power": "big"},
        {"weights": "distance"},
        {"metric": "hamming"},
        {"metric_params": {"p": 3}},
        {"metric": "minkowski", "metric_params": {"p": 0.5}},
        {"metric": "minkowski", "metric_params": {"p": "3"}},
        {"metric": "seuclidean", "metric_params": {"V": [1.0]}},
        {"metric": "seuclidean", "metric_params": {"V": [1.0, -1.0, 1.0]}},
        {"metric": "seuclidean", "metric_params": {"V": [1.0, np.nan, 1.0]}},
        {"metric": "seuclidean", "metric_params": {"V": [1.0, np.inf, 1.0]}},
        {"metric": "mahalanobis", "metric_params": {"V": np.eye(2)}},
        {"metric": "mahalanobis", "metric_params": {"V": -np.eye(3)}},
        {"metric": "mahalanobis", "metric_params": {"VI": np.full((3, 3), np.nan)}},
        {"metric": "mahalanobis", "metric_params": {"V": np.eye(3), "VI": np.eye(3)}},
        {"feature_weights": [1.0, 2.0]},
        {"feature_weights": [1.0, -2.0, 1.0]},
        {"feature_weights": [0.0, 0.0, 0.0]},
        {"feature_weights": [np.nan, 1.0, 1.0]},
        {"feature_weights": "all"},
        {"algorithm": "ball_tree"},
        {"algorithm": object()},
        {"loo_max_samples": 0},
        {"loo_scoring": "auc"},
    ],
    ids=lambda params: (
        "-".join(f"{k}={v}" for k, v in params.items())
        .replace("\n", "")
        .split("<")[0][:60]
    ),
)
def test_wrong_parameters_are_named(estimator, params):
    X, y, _ = draw()
    name = list(params)[-1]
    with pytest.raises(ValueError, match=name):
        estimator(**{"n_neighbors": 3, **params}).fit(X, y)


@pytest.mark.parametrize(
    "class_weight",
    [{9: 1.0}, {0: -1.0}, {0: 0.0}, {0: np.inf}, {0: np.nan}, {0: "x"}, "skewed"],
    ids=str,
)
def test_wrong_class_weights(class_weight):
    X, y, _ = draw()
    with pytest.raises(ValueError, match="class_weight"):
        ShepardKNN(3, class_weight=class_weight).fit(X, y)


# scikit-learn's machinery


@both
def test_grid_searches_and_pipelines(estimator):
    X, y, _ = draw(n=90)
    grid = {"n_neighbors": [1, 5, None], "power": [1, 4]}
    search = GridSearchCV(estimator(), grid, cv=3, error_score="raise").fit(X, y)
    assert search.best_params_["n_neighbors"] in (1, 5, None)
    pipeline = make_pipeline(StandardScaler(), estimator(power="loo"))
    scores = cross_val_score(pipeline, X, y, cv=3)
    with joblib.parallel_config("threading"):  # test_rules.py does it in processes
        again = cross_val_score(pipeline, X, y, cv=3, n_jobs=2)
    np.testing.assert_array_equal(scores, again)
    # Standardised columns are seuclidean ones but for a common factor.
    inside = make_pipeline(StandardScaler(), estimator(5)).fit(X, y)
    assert_close(inside, estimator(5, metric="seuclidean").fit(X, y), X + 0.1, 1e-10)


@both
@pytest.mark.parametrize(
    "params",
    [
        {"n_neighbors": 3, "algorithm": "kd_tree"},
        {"n_neighbors": None},
        {"power": "loo"},
        {"metric": "mahalanobis"},
        {"n_neighbors": 3, "algorithm": NearestNeighbors()},
        {"n_neighbors": 3, "weights": np.reciprocal},
    ],
    ids=["tree", "all", "loo", "mahalanobis", "engine", "callable"],
)
def test_clones_and_pickles(estimator, params):
    X, y, Q = draw()
    model = estimator(**params).fit(X, y)
    expected = answers(model, Q)
    for other in (pickle.loads(pickle.dumps(model)), clone(model).fit(X, y)):
        np.testing.assert_array_equal(answers(other, Q), expected)
        for a, b in zip(model.kneighbors(Q), other.kneighbors(Q)):
            np.testing.assert_array_equal(a, b)
    before = vars(model).copy()
    model.predict(Q)
    model.explain(Q)
    assert vars(model).keys() == before.keys()
    with pytest.raises(NotFittedError):
        clone(model).predict(Q)
    for method in ("kneighbors", "kneighbors_graph", "explain"):
        with pytest.raises(NotFittedError):
            getattr(clone(model), method)(Q)


@both
@pytest.mark.parametrize(
    "change",
    [
        {"weights": "cosine"},
        {"metric_params": {"p": 3}},
        {"n_neighbors": "loo", "loo_candidates": {"n_neighbors": [0]}},
        {"metric": "mahalanobis", "metric_params": {"V": np.eye(2)}},
        {"feature_weights": [1.0]},
    ],
    ids=["cosine", "metric_params", "candidates", "V", "feature_weights"],
)
def test_a_failed_fit_keeps_the_former_model(estimator, change):
    X, y, Q = draw()
    model = estimator().fit(X, y)
    expected, before = answers(model, Q), set(vars(model))
    given = model.get_params()
    model.set_params(**change)
    with pytest.raises(ValueError):
        model.fit(np.hstack([X, X])[:30], 5 - y[:30])
    model.set_params(**given)
    assert set(vars(model)) == before
    np.testing.assert_array_equal(answers(model, Q), expected)
    assert model.n_features_in_ == 3


def test_a_callable_that_fails_in_a_thread_is_heard():
    X, y, Q = draw()

    def broken(distances):
        raise RuntimeError("no weights today")

    model = ShepardKNN(3, weights=broken, n_jobs=2).fit(X, y)
    with pytest.raises(RuntimeError, match="no weights today"):
        model.predict(np.repeat(Q, 20, axis=0))


@both
@pytest.mark.parametrize("k", [5, None])
def test_threads_share_a_model(estimator, k):
    X, y, Q = draw(n=300)
    model = estimator(k, n_jobs=2).fit(X, y)
    expected, lists = answers(model, Q), model.kneighbors(Q, 4)
    with ThreadPoolExecutor(4) as pool:
        for answer in pool.map(lambda _: answers(model, Q), range(12)):
            np.testing.assert_array_equal(answer, expected)
        for found in pool.map(lambda _: model.kneighbors(Q, 4), range(12)):
            np.testing.assert_array_equal(found[1], lists[1])
        fits = pool.map(lambda _: estimator(k).fit(X, y), range(6))
        for other in fits:
            np.testing.assert_array_equal(answers(other, Q), expected)


@both
def test_no_queries_are_an_error_of_scikit_learn(estimator):
    X, y, _ = draw()
    with pytest.raises(ValueError, match="0 sample"):
        estimator(3).fit(X, y).predict(np.empty((0, 3)))
    with pytest.raises(ValueError, match="0 sample"):
        estimator(3).fit(np.empty((0, 3)), [])

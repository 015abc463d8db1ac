"""ShepardKNN with invalid engines, many classes, and numbers near the largest float."""

import numpy as np
import pytest
from sklearn.base import BaseEstimator
from sklearn.neighbors import NearestNeighbors

from sklearn_bayeslazy import AxisStretcher, CaseBasedRegressor, ShepardKNNRegressor
from tests.helpers.shepard_knn_classical import classical_knn, classical_knn_regressor

N = 60
RNG = np.random.default_rng(0)
X, LABELS, NUMBERS = (
    RNG.normal(size=(N, 3)),
    RNG.integers(3, size=N),
    RNG.normal(size=N),
)
Z = X[:5] + 0.1


class Engine(BaseEstimator):
    """An engine whose answer is changed by a function."""

    def __init__(self, change):
        self.change = change

    def fit(self, X, y=None):
        self.n_samples_fit_ = len(X)
        self.exact_ = NearestNeighbors().fit(X)
        return self

    def kneighbors(self, X, n_neighbors=5):
        return self.change(*self.exact_.kneighbors(X, n_neighbors))


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda d, i: (d, i + 10**12), "no integers from 0 to 59"),
        (lambda d, i: (d, i - 60), "no integers from 0 to 59"),
        (lambda d, i: (d, np.where(i == i[:, :1], -1, i)), "no integers from 0"),
        (lambda d, i: (d, i + 0.5), "no integers from 0"),
        (lambda d, i: (np.full_like(d, np.nan), i), "NaN or negative"),
        (lambda d, i: (d - 100, i), "NaN or negative"),
        (lambda d, i: (d[:, 1:], i[:, 1:]), "asked for 3 neighbors of 5 rows"),
        (lambda d, i: (d[:, :0], i[:, :0]), "asked for 3 neighbors of 5 rows"),
        (lambda d, i: (d[0], i[0]), "asked for 3 neighbors of 5 rows"),
        (lambda d, i: (d, i[:, :2]), "asked for 3 neighbors of 5 rows"),
    ],
    ids=range(10),
)
def test_invalid_answers_of_an_engine_are_refused(change, message):
    model = classical_knn_regressor(3, algorithm=Engine(change)).fit(X, NUMBERS)
    for method in (model.predict, model.kneighbors, model.explain):
        with pytest.raises(ValueError, match=rf"engine \(Engine\).*{message}"):
            method(Z)
    with pytest.raises(ValueError, match=r"engine \(Engine\)"):
        classical_knn_regressor(algorithm=Engine(change)).fit(X, NUMBERS)


def test_an_engine_may_answer_in_any_order():
    def reversed_lists(d, i):
        return d[:, ::-1], i[:, ::-1]

    model = classical_knn_regressor(3, algorithm=Engine(reversed_lists)).fit(X, NUMBERS)
    exact = classical_knn_regressor(3).fit(X, NUMBERS)
    np.testing.assert_allclose(model.predict(Z), exact.predict(Z), rtol=1e-12)
    np.testing.assert_array_equal(model.kneighbors(Z)[1], exact.kneighbors(Z)[1])


def test_an_engine_that_is_not_an_estimator_works_or_is_refused():
    class NoEstimator:
        def get_params(self, deep=True):
            return {}

        def fit(self, X):
            return self

        def kneighbors(self, X, n_neighbors):
            return np.zeros((len(X), n_neighbors)), np.zeros((len(X), n_neighbors), int)

    message = ""
    try:
        classical_knn(3, algorithm=NoEstimator()).fit(X, LABELS)
    except TypeError as error:  # scikit-learn 1.7 and later ask for its tags
        message = str(error)
    assert message == "" or "(NoEstimator) is no scikit-learn estimator" in message


@pytest.mark.parametrize("size", [1e-300, 1e-308, 1e300, 1e308])
@pytest.mark.parametrize("k", [3, "loo"])
def test_only_ratios_of_callable_weights_count(k, size):
    weight = np.full(N, 1e-100)

    def sized(d):
        return size * np.exp(-np.minimum(d, 3))

    def plain(d):
        return np.exp(-np.minimum(d, 3))

    pair = [
        classical_knn_regressor(k, weights=function).fit(X, NUMBERS, weight)
        for function in (plain, sized)
    ]
    expected, got = (model.predict(Z) for model in pair)
    np.testing.assert_allclose(got, expected, rtol=1e-6)  # subnormals have few digits


@pytest.mark.parametrize("k", [5, None])
def test_a_class_a_row_takes_no_more_memory_than_rows(k):
    import tracemalloc

    n, d = 2000, 64
    rows = RNG.normal(size=(n, d))
    tracemalloc.start()
    classical_knn(k).fit(rows, np.arange(n))
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 14 * rows.nbytes  # with blocks of 256 rows a class: 256 times


@pytest.mark.parametrize("k", [1, None])
def test_many_classes_are_separated(k):
    model = classical_knn(k, power=50).fit(X, np.arange(N))
    np.testing.assert_array_equal(model.predict(X + 1e-9), np.arange(N))


def test_too_many_classes_are_refused():
    many = np.arange(300)
    rows = RNG.normal(size=(300, 2))
    with pytest.raises(ValueError, match=r"tol=0\.1 keeps the sums of all 300 classes"):
        classical_knn(None, tol=0.1).fit(rows, many)
    with pytest.raises(
        ValueError, match="y has 300 classes; at most 200 are supported"
    ):
        AxisStretcher(task="classification").fit(rows, many)


def test_matrix_products_take_blocks_of_queries():
    import tracemalloc

    rows = RNG.normal(size=(300, 11))
    model = classical_knn_regressor(1).fit(rows, rows[:, 0])
    queries = RNG.normal(size=(100_000, 11))
    tracemalloc.start()
    model.predict(queries)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 8 * queries.nbytes  # all products with a block: 23 times


@pytest.mark.parametrize("algorithm", ["brute", "kd_tree"])
@pytest.mark.parametrize("p", [1.0, 1.5, 3.0, 40.0, 600.0, 1e5, 1e300])
def test_minkowski_of_any_p(p, algorithm):
    model = classical_knn_regressor(
        N, metric="minkowski", metric_params={"p": p}, algorithm=algorithm
    ).fit(X, NUMBERS)
    distances, ids = model.kneighbors(Z, N)
    gaps = np.abs(Z[:, None] - X[ids])
    largest = gaps.max(axis=2)
    expected = largest * ((gaps / largest[..., None]) ** p).sum(axis=2) ** (1 / p)
    np.testing.assert_allclose(distances, expected, rtol=1e-12)


@pytest.mark.parametrize("estimator", [classical_knn, classical_knn_regressor])
def test_the_graph_of_the_training_rows_is_square(estimator):
    weight = (np.arange(N) > 4) * 1.0
    graph = estimator(3).fit(X, LABELS, weight).kneighbors_graph()
    assert graph.shape == (N, N)
    assert np.diff(graph.indptr).tolist() == [0] * 5 + [3] * (N - 5)
    expected = estimator(3).fit(X[5:], LABELS[5:]).kneighbors_graph().toarray()
    np.testing.assert_array_equal(graph.toarray()[5:, 5:], expected)
    alone = estimator(1).fit([[1.0]], [0]).kneighbors_graph()
    assert alone.shape == (1, 1)
    assert alone.nnz == 0


@pytest.mark.parametrize("k", [3, None, "loo"])
@pytest.mark.parametrize("exponent", [-900, -300, 300, 600, 1000])
def test_targets_of_any_size_are_answered_alike(exponent, k):
    plain = classical_knn_regressor(k).fit(X, NUMBERS)
    sized = classical_knn_regressor(k).fit(X, np.ldexp(NUMBERS, exponent))
    np.testing.assert_array_equal(
        sized.predict(Z), np.ldexp(plain.predict(Z), exponent)
    )
    np.testing.assert_array_equal(
        sized.explain(Z).targets, np.ldexp(plain.explain(Z).targets, exponent)
    )
    if k == "loo":
        assert sized.n_neighbors_ == plain.n_neighbors_
        with np.errstate(over="ignore", under="ignore"):
            expected = plain.loo_results_["mean_squared_error"] * 2.0**exponent
            expected = expected * 2.0**exponent
        np.testing.assert_allclose(
            sized.loo_results_["mean_squared_error"], expected, rtol=1e-12, atol=5e-324
        )


@pytest.mark.parametrize("k", [3, None])
@pytest.mark.parametrize("weights", ["inverse", "uniform"])
def test_the_mean_of_huge_numbers_does_not_overflow(k, weights):
    largest = np.full(N, 1.7e308)
    model = classical_knn_regressor(k, weights=weights).fit(X, largest)
    np.testing.assert_allclose(model.predict(Z) / largest[0], 1, rtol=1e-12)


@pytest.mark.parametrize("factor", [1e308, 1e-308, [1.0], "a", 1j])
def test_class_weights_are_numbers_that_can_be_added(factor):
    with pytest.raises(ValueError, match="class_weight must"):
        classical_knn(3, class_weight={0: factor}).fit(X, LABELS)


@pytest.mark.parametrize("metric", ["euclidean", "seuclidean"])
def test_queries_beyond_all_floats_are_infinitely_far(metric):
    model = classical_knn_regressor(3, metric=metric).fit(X * 1e-200, NUMBERS)
    assert np.isfinite(model.predict(Z * 1e300)).all()


def test_training_rows_must_fit_where_they_are_measured():
    with pytest.raises(ValueError, match="Rows overflow"):
        classical_knn_regressor(3, feature_weights=[1e300] * 3).fit(X * 1e10, NUMBERS)
    with pytest.raises(ValueError, match="Rows overflow"):
        classical_knn_regressor(
            3, metric="seuclidean", metric_params={"V": [1e-320] * 3}
        ).fit(X * 1e160, NUMBERS)


def test_a_fitted_model_ignores_later_parameters():
    model = classical_knn(None, tol=0.1).fit(X[:, :2], LABELS)
    expected = model.predict_proba(Z[:, :2])
    model.set_params(tol=None, metric="nan_euclidean", n_neighbors=1, power=9)
    np.testing.assert_array_equal(model.predict_proba(Z[:, :2]), expected)
    with pytest.raises(ValueError, match="NaN"):
        model.predict(Z[:, :2] * np.nan)


@pytest.mark.parametrize("huge", [10**20, 10**400])
def test_more_neighbours_than_there_are_numbers_for(huge):
    all_rows = classical_knn_regressor(N).fit(X, NUMBERS).predict(Z)
    candidates = {"n_neighbors": [min(huge, 10**300)]}  # as float64
    for model in (
        classical_knn_regressor(huge),
        classical_knn_regressor(loo_candidates=candidates),
    ):
        np.testing.assert_array_equal(model.fit(X, NUMBERS).predict(Z), all_rows)
    scale = AxisStretcher(huge).fit(X, NUMBERS).scale_
    np.testing.assert_allclose(scale, AxisStretcher().fit(X, NUMBERS).scale_, rtol=1e-6)


@pytest.mark.parametrize(
    "params",
    [
        {"power": 10**400},
        {"power": "loo", "loo_candidates": {"power": [10**400]}},
        {"metric_params": {1: 2, "a": 3}},
        {"metric": "seuclidean", "metric_params": {"V": "abc"}},
        {"metric": "seuclidean", "metric_params": {"V": [1, 2, 1j]}},
        {"metric": "mahalanobis", "metric_params": {"VI": [[1], [1, 2]]}},
        {"feature_weights": ["a", 1, 1]},
        {"weights": lambda d: d * 1j},
        {"weights": lambda d: "abc"},
        {"weights": lambda d: [[1], [1, 2]]},
    ],
    ids=range(10),
)
def test_invalid_values_are_named(params):
    name = next(reversed(params))
    with pytest.raises(ValueError, match=name):
        classical_knn_regressor(**{"n_neighbors": 3, **params}).fit(X, NUMBERS).predict(
            Z
        )


def test_a_covariance_of_none_is_learnt():
    given = {"metric": "mahalanobis", "metric_params": {"V": None}}
    learnt = classical_knn(3, metric="mahalanobis").fit(X, LABELS)
    model = classical_knn(3, **given).fit(X, LABELS)
    np.testing.assert_array_equal(model.predict_proba(Z), learnt.predict_proba(Z))


@pytest.mark.parametrize("param", ["power", "alpha", "parsimony"])
def test_the_stretcher_refuses_parameters_that_overflow(param):
    with pytest.raises(ValueError, match=param):
        AxisStretcher(**{param: 1e100}).fit(X, NUMBERS)


def test_the_stretcher_takes_weights_of_any_size():
    wild = np.where(np.arange(N) % 2, 1e17, 1)
    assert np.isfinite(AxisStretcher(4).fit(X, NUMBERS, wild).scale_).all()
    with pytest.raises(ValueError, match="needs two rows"):
        AxisStretcher().fit(X[:2], NUMBERS[:2], [1e-300, 1.0])


@pytest.mark.parametrize("size", [2.0**-997, 2.0**-600, 2.0**600, 2.0**997])
@pytest.mark.parametrize("model", [ShepardKNNRegressor(), CaseBasedRegressor()])
def test_column_weights_for_targets_of_any_size(model, size):
    """Their squared errors overflow or vanish, and must still be compared."""
    y = np.sin(2 * X[:, 0]) + 0.1 * NUMBERS
    expected = model.fit(X, y).predict(Z)
    assert model.loo_results_["mean_squared_error"].min() > 0
    got = model.fit(X, y * size).predict(Z)
    np.testing.assert_allclose(got / size, expected, rtol=1e-9)

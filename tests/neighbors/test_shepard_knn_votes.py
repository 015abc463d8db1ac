"""ShepardKNN and its regressor equal plain loops, and scikit-learn where both exist.

Code under test: `neighbors/_shepard/_all_rows.py`,
`neighbors/_shepard/_dense_vote_kernels.py`, `neighbors/_shepard/_weighting.py`,
`search/_engine_search.py`.
"""

import numpy as np
import pytest
from scipy import sparse
from sklearn.neighbors import (
    KNeighborsClassifier,
    KNeighborsRegressor,
    NearestNeighbors,
)

from tests.helpers.neighbors_by_hand import (
    METRICS,
    metric_of,
    table_of_distances,
)
from tests.helpers.shepard_knn_cases import (
    N_ROWS,
    WEIGHTINGS,
    assert_equal_by_hand,
    draw_table,
    every_metric,
    sample_weights,
    targets_of,
)
from tests.helpers.shepard_knn_classical import classical_knn, classical_knn_regressor


@every_metric
@pytest.mark.parametrize("weighting", WEIGHTINGS)
@pytest.mark.parametrize("weighed", ["none", "integers", "fractions"])
def test_votes_are_those_of_plain_loops(metric, weighting, weighed):
    if weighting == "cosine" and metric != "cosine":
        with pytest.raises(ValueError, match="metric='cosine'"):
            classical_knn(3, metric=metric, weights="cosine").fit([[1.0]], [0])
        return
    X, labels, numbers, Q = draw_table(1, metric)
    weight = sample_weights(weighed)
    D = table_of_distances(metric_of(metric, X, weight, METRICS[metric]), Q, X)
    params = {"metric": metric, "metric_params": METRICS[metric]}
    params |= WEIGHTINGS[weighting]
    engines = ["brute", "auto"] if metric == "nan_euclidean" else ["brute", "kd_tree"]
    for k in (1, 5, None, N_ROWS + 40):
        for engine in engines:
            for estimator, y in targets_of(labels, numbers, k):
                model = estimator(k, algorithm=engine, **params)
                model.fit(X, y, weight)
                rule = {"k": k, **WEIGHTINGS[weighting]}
                assert_equal_by_hand(model, D, y, Q, weight, rule)


@pytest.mark.parametrize("weighting", WEIGHTINGS)
@pytest.mark.parametrize("fitted", [True, False])
def test_an_engine_finds_the_voters(weighting, fitted):
    X, labels, numbers, Q = draw_table(2)
    X[11] += 1  # an engine's lists hold rows at equal distances in any order
    rule = dict(WEIGHTINGS[weighting])
    if rule["weights"] == "cosine":
        engine = NearestNeighbors(metric="cosine", algorithm="brute")
        # scikit-learn's cosines miss 1 by a rounding, which neither hits nor ties bear.
        metric, Q = "cosine", Q[:5]
    else:
        engine = NearestNeighbors(algorithm="kd_tree", p=1)
        metric = "manhattan"
    if fitted:
        engine.fit(X)
    D = table_of_distances(metric_of(metric, X), Q, X)
    for k in (1, 5, N_ROWS + 40):
        for estimator, y in targets_of(labels, numbers, k):
            model = estimator(k, algorithm=engine, **rule).fit(X, y)
            assert_equal_by_hand(model, D, y, Q, None, {"k": k, **rule})
    assert fitted == hasattr(engine, "n_samples_fit_")


def test_an_engine_reads_sparse_rows():
    X, labels, _, Q = draw_table(2)
    X[11] += 1
    engine = NearestNeighbors(metric="manhattan", algorithm="brute")
    model = classical_knn(4, algorithm=engine).fit(sparse.csr_array(X), labels)
    D = table_of_distances(metric_of("manhattan", X), Q[:5], X)
    assert_equal_by_hand(model, D, labels, sparse.csr_array(Q[:5]), None, {"k": 4})


@pytest.mark.parametrize(
    ("params", "message"),
    [
        ({"n_neighbors": None}, "n_neighbors=None"),
        ({"metric": "manhattan"}, "leave metric, metric_params and feature_weights"),
        (
            {"feature_weights": [1, 1, 2]},
            "leave metric, metric_params and feature_weights",
        ),
    ],
    ids=str,
)
@pytest.mark.parametrize("estimator", [classical_knn, classical_knn_regressor])
def test_parameters_that_exclude_an_engine(estimator, params, message):
    X, _, numbers, _ = draw_table(0)
    y = np.arange(N_ROWS) if estimator is classical_knn else numbers
    model = estimator(**{"n_neighbors": 2, **params}, algorithm=NearestNeighbors())
    with pytest.raises(ValueError, match=message):
        model.fit(X, y)


def test_an_engine_refuses_sample_weights_and_other_rows():
    X, labels, _, _ = draw_table(0)
    model = classical_knn(2, algorithm=NearestNeighbors())
    with pytest.raises(ValueError, match="sample_weight cannot be used with an engine"):
        model.fit(X, labels, np.ones(N_ROWS))
    model = classical_knn(2, algorithm=NearestNeighbors().fit(X[1:]))
    with pytest.raises(ValueError, match="was fitted to 23 rows, and X has 24"):
        model.fit(X, labels)


PARAMS = [
    ("minkowski", {"p": 1}),
    ("minkowski", {"p": 2}),
    ("minkowski", {"p": 1.5}),
    ("minkowski", {"p": 7}),
    ("minkowski", {"p": np.inf}),
    ("seuclidean", {"V": [2.0, 0.0, 0.5]}),
    ("mahalanobis", {"V": np.array([[2.0, 0.5, 0], [0.5, 1, 0.1], [0, 0.1, 3]])}),
    ("mahalanobis", {"VI": np.array([[2.0, 0.5, 0], [0.5, 1, 0.1], [0, 0.1, 3]])}),
]


@pytest.mark.parametrize(
    ("metric", "given"),
    PARAMS,
    ids=[f"{m}-{next(iter(p))}{i}" for i, (m, p) in enumerate(PARAMS)],
)
def test_parameters_of_metrics(metric, given):
    X, labels, _, Q = draw_table(3)
    D = table_of_distances(metric_of(metric, X, None, given), Q, X)
    for k in (5, None):
        model = classical_knn(k, metric=metric, metric_params=given).fit(X, labels)
        assert_equal_by_hand(model, D, labels, Q, None, {"k": k})
        # Not relative: (a - b) @ VI @ (a - b) has lost half the digits near a hit.
        np.testing.assert_allclose(
            model.kneighbors(Q, 5)[0], np.sort(D, axis=1)[:, :5], atol=1e-12
        )


@pytest.mark.parametrize("metric", [name for name in METRICS if name != "mahalanobis"])
@pytest.mark.parametrize("k", [5, None])
def test_feature_weights_stretch_columns_and_zero_removes_them(metric, k):
    X, labels, numbers, Q = draw_table(4, metric)
    stretch = np.array([2.0, 0.0, 0.3])
    params = {"metric": metric, "metric_params": METRICS[metric]}
    weight = sample_weights("fractions")
    apart = metric_of(metric, X, weight, METRICS[metric], stretch)
    D = table_of_distances(apart, Q, X)
    for estimator, y in targets_of(labels, numbers, k):
        model = estimator(k, feature_weights=stretch, **params).fit(X, y, weight)
        assert_equal_by_hand(model, D, y, Q, weight, {"k": k})
        there = stretch > 0
        part = estimator(k, feature_weights=stretch[there], **params)
        part.fit(X[:, there], y, weight)
        np.testing.assert_allclose(
            model.kneighbors(Q, 6)[0], part.kneighbors(Q[:, there], 6)[0], rtol=1e-12
        )


def test_mahalanobis_refuses_feature_weights():
    with pytest.raises(ValueError, match="undoes what feature_weights stretch"):
        classical_knn(1, metric="mahalanobis", feature_weights=[2.0]).fit([[0.0]], [0])


@pytest.mark.parametrize("kind", ["balanced", "dict"])
@pytest.mark.parametrize("weighed", ["none", "integers", "fractions"])
@pytest.mark.parametrize("k", [1, 5, None])
def test_class_weight_multiplies_votes(kind, weighed, k):
    X, labels, _, Q = draw_table(5)
    class_weight = {"a": 0.25, "c": 7} if kind == "dict" else kind
    weight = sample_weights(weighed)
    D = table_of_distances(metric_of("euclidean", X), Q, X)
    model = classical_knn(k, class_weight=class_weight).fit(X, labels, weight)
    assert_equal_by_hand(model, D, labels, Q, weight, {"k": k}, class_weight)


@every_metric
def test_power_auto_is_the_number_of_columns_not_removed(metric):
    X, labels, _, _ = draw_table(6, metric)
    model = classical_knn(5, power="auto", metric=metric).fit(X, labels)
    assert model.power_ == 3
    if metric != "mahalanobis":
        model.set_params(feature_weights=[1, 0, 1]).fit(X, labels)
        assert model.power_ == 2


# Against scikit-learn


@pytest.mark.parametrize("k", [1, 2, 7, 60])
@pytest.mark.parametrize("seed", range(3))
def test_power_1_is_scikit_learns_weights_by_distance(k, seed):
    rng = np.random.default_rng(seed)
    X, Q = rng.normal(size=(60, 3)), rng.normal(size=(30, 3))
    Q[:4] = X[:4]
    y, numbers = rng.integers(4, size=60), rng.normal(size=(60, 2))
    params = {"weights": "distance", "algorithm": "kd_tree"}
    peer = KNeighborsClassifier(k, **params).fit(X, y)
    ours = classical_knn(k, power=1).fit(X, y)
    np.testing.assert_allclose(
        ours.predict_proba(Q), peer.predict_proba(Q), rtol=1e-12, atol=1e-12
    )
    np.testing.assert_array_equal(ours.predict(Q), peer.predict(Q))
    for y in (numbers, numbers[:, 0]):
        peer = KNeighborsRegressor(k, **params).fit(X, y)
        ours = classical_knn_regressor(k, power=1).fit(X, y)
        np.testing.assert_allclose(
            ours.predict(Q), peer.predict(Q), rtol=1e-12, atol=1e-12
        )


@pytest.mark.parametrize("k", [1, 7, 60])
def test_uniform_weights_are_scikit_learns(k):
    rng = np.random.default_rng(0)
    X, Q = rng.normal(size=(60, 3)), rng.normal(size=(30, 3))
    y = rng.integers(4, size=60)
    peer = KNeighborsClassifier(k).fit(X, y)
    ours = classical_knn(k, weights="uniform").fit(X, y)
    np.testing.assert_allclose(ours.predict_proba(Q), peer.predict_proba(Q))
    np.testing.assert_array_equal(ours.predict(Q), peer.predict(Q))


# Where nothing has any weight


def test_neighbours_of_weight_0_count_equally():
    """Opposite directions have no positive cosine; the two nearest still answer."""
    X = np.array([[-1.0, 0.1], [-1.0, -0.2], [-1.0, -3.0], [-1.0, 5.0]])
    y = np.array([1.0, 3.0, 100.0, 1000.0])
    params = {"metric": "cosine", "weights": "cosine"}
    Q = np.array([[1.0, 0.0]])
    assert metric_of("cosine", X)(Q[0], X[0]) > 1
    D = table_of_distances(metric_of("cosine", X), Q, X)
    for k in (2, None):
        model = classical_knn_regressor(k, **params).fit(X, y)
        assert_equal_by_hand(model, D, y, Q, None, {"k": k, "weights": "cosine"})


@pytest.mark.parametrize("container", [np.asarray, sparse.csr_array])
@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("query", ["zeros", "at right angles"])
def test_documents_without_a_common_word_are_at_distance_1(container, seed, query):
    """A rounding must neither rank them nor give them a weight."""
    rng = np.random.default_rng(seed)
    X = np.hstack([rng.uniform(0.1, 3.0, size=(20, 3)), np.zeros((20, 2))])
    y = rng.normal(size=20)
    Q = np.array([[0.0, 0.0, 0.0, 0.3, 0.7]]) * (query != "zeros")
    for weights in ("cosine", "inverse", "uniform"):
        model = classical_knn_regressor(4, metric="cosine", weights=weights)
        model.fit(container(X), y)
        distances, ids = model.kneighbors(container(Q))
        assert distances.tolist() == [[1.0] * 4]
        assert ids.tolist() == [[0, 1, 2, 3]]
        np.testing.assert_allclose(model.predict(container(Q)), y.mean())


def test_rows_without_a_common_column_count_equally():
    X = np.array([[np.nan, 1.0], [np.nan, 2.0], [np.nan, 3.0]])
    y = np.array([1.0, 3.0, 100.0])
    Q = np.array([[0.0, np.nan]])
    D = np.full((1, 3), np.inf)
    for k in (2, None):
        model = classical_knn_regressor(k, metric="nan_euclidean").fit(X, y)
        assert_equal_by_hand(model, D, y, Q, None, {"k": k})


@pytest.mark.parametrize(
    ("weights", "message"),
    [
        (lambda d: -d, "weights"),
        (lambda d: d * np.nan, "weights"),
        (lambda d: d[:, 0], "shape"),
    ],
    ids=["negative", "NaN", "shape"],
)
@pytest.mark.parametrize("k", [2, None])
def test_callables_of_bad_weights(weights, message, k):
    X, labels, _, Q = draw_table(0)
    model = classical_knn(k, weights=weights).fit(X, labels)
    with pytest.raises(ValueError, match=message):
        model.predict(Q)

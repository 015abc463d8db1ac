"""ShepardKNN and its regressor equal plain loops, and scikit-learn where both exist."""

import numpy as np
import pytest
from neighbors_by_hand import (
    METRICS,
    means,
    metric_of,
    probabilities,
    table_of_distances,
)
from scipy import sparse
from sklearn.neighbors import (
    KNeighborsClassifier,
    KNeighborsRegressor,
    NearestNeighbors,
)

from sklearn_bayeslazy import ShepardKNN, ShepardKNNRegressor
from sklearn_bayeslazy.testing import assert_on_simplex

N_ROWS = 24
SPARSE_METRICS = ("euclidean", "seuclidean", "cosine")
every_metric = pytest.mark.parametrize("metric", METRICS)


def bell(distances):
    """Weigh by a bell: a callable as users write it."""
    return np.exp(-(distances**2))


WEIGHTINGS = {
    "inverse": {"weights": "inverse", "power": 2.0},
    "inverse, power 3.5": {"weights": "inverse", "power": 3.5},
    "power 0": {"weights": "inverse", "power": 0},
    "uniform": {"weights": "uniform"},
    "cosine": {"weights": "cosine"},
    "callable": {"weights": bell},
    "callable with infinities": {"weights": np.reciprocal},
}


def draw(seed, metric="euclidean", n_rows=N_ROWS, d=3):
    """Draw rows, two of them alike, and queries, two of them exact hits."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n_rows, d)) * [1.0, 5.0, 0.3]
    X[11] = X[2]
    Q = np.vstack([rng.normal(size=(5, d)) * [1.0, 5.0, 0.3], X[2], X[5]])
    if metric == "cosine":
        X[7], Q[0] = 0, 0
    if metric == "nan_euclidean":
        X[rng.random(X.shape) < 0.2] = np.nan
        Q[rng.random(Q.shape) < 0.2] = np.nan
        X[11] = X[2] = Q[5] = rng.normal(size=d)
        X[7] = np.nan
        X[8], Q[1] = [1.5, np.nan, np.nan], [np.nan, 0.5, 0.2]
    labels = rng.choice(["a", "b", "c"], size=n_rows)
    numbers = rng.normal(size=(n_rows, 2))
    return X, labels, numbers, Q


def sample_weights(kind, n_rows=N_ROWS, seed=0):
    rng = np.random.default_rng(seed)
    if kind == "none":
        return None
    if kind == "integers":
        weight = rng.integers(0, 4, size=n_rows).astype(float)
        weight[[2, 5, 9]] = [0, 2, 3]  # of two equal rows one is gone
        return weight
    weight = rng.uniform(0.05, 2.5, size=n_rows)
    weight[3] = 0
    return weight


def assert_equal_by_hand(model, D, y, Q, weight, rule, class_weight=None):
    if isinstance(model, ShepardKNN):
        expected = probabilities(D, y, weight, class_weight, **rule)
        np.testing.assert_allclose(model.predict_proba(Q), expected, atol=1e-12, rtol=0)
        np.testing.assert_array_equal(
            model.predict(Q), model.classes_[np.argmax(model.predict_proba(Q), axis=1)]
        )
    else:
        expected = means(D, y, weight, **rule)
        np.testing.assert_allclose(model.predict(Q), expected, atol=1e-12, rtol=1e-12)


def targets_of(labels, numbers, k=5):
    """Return estimators with their targets; a single target at one k is enough."""
    cases = [(ShepardKNN, labels), (ShepardKNNRegressor, numbers)]
    return cases + [(ShepardKNNRegressor, numbers[:, 0])] * (k == 5)


@every_metric
@pytest.mark.parametrize("weighting", WEIGHTINGS)
@pytest.mark.parametrize("weighed", ["none", "integers", "fractions"])
def test_votes_are_those_of_plain_loops(metric, weighting, weighed):
    if weighting == "cosine" and metric != "cosine":
        with pytest.raises(ValueError, match="metric='cosine'"):
            ShepardKNN(3, metric=metric, weights="cosine").fit([[1.0]], [0])
        return
    X, labels, numbers, Q = draw(1, metric)
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
    X, labels, numbers, Q = draw(2)
    rule = dict(WEIGHTINGS[weighting])
    if rule["weights"] == "cosine":
        engine = NearestNeighbors(metric="cosine", algorithm="brute")
        # scikit-learn's cosines miss 1 by a rounding, which neither hits nor ties bear.
        metric, Q = "cosine", Q[:5]
        X[11] += 1
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
    X, labels, _, Q = draw(2)
    engine = NearestNeighbors(metric="manhattan", algorithm="brute")
    model = ShepardKNN(4, algorithm=engine).fit(sparse.csr_array(X), labels)
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
@pytest.mark.parametrize("estimator", [ShepardKNN, ShepardKNNRegressor])
def test_what_an_engine_cannot_do(estimator, params, message):
    X, _, numbers, _ = draw(0)
    y = np.arange(N_ROWS) if estimator is ShepardKNN else numbers
    model = estimator(**{"n_neighbors": 2, **params}, algorithm=NearestNeighbors())
    with pytest.raises(ValueError, match=message):
        model.fit(X, y)


def test_an_engine_refuses_masses_and_other_rows():
    X, labels, _, _ = draw(0)
    model = ShepardKNN(2, algorithm=NearestNeighbors())
    with pytest.raises(ValueError, match="sample_weight cannot be used with an engine"):
        model.fit(X, labels, np.ones(N_ROWS))
    model = ShepardKNN(2, algorithm=NearestNeighbors().fit(X[1:]))
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
    X, labels, _, Q = draw(3)
    D = table_of_distances(metric_of(metric, X, None, given), Q, X)
    for k in (5, None):
        model = ShepardKNN(k, metric=metric, metric_params=given).fit(X, labels)
        assert_equal_by_hand(model, D, labels, Q, None, {"k": k})
        # Not relative: (a - b) @ VI @ (a - b) has lost half the digits near a hit.
        np.testing.assert_allclose(
            model.kneighbors(Q, 5)[0], np.sort(D, axis=1)[:, :5], atol=1e-12
        )


@pytest.mark.parametrize("metric", [name for name in METRICS if name != "mahalanobis"])
@pytest.mark.parametrize("k", [5, None])
def test_feature_weights_stretch_columns_and_zero_removes_them(metric, k):
    X, labels, numbers, Q = draw(4, metric)
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
        ShepardKNN(1, metric="mahalanobis", feature_weights=[2.0]).fit([[0.0]], [0])


@pytest.mark.parametrize("kind", ["balanced", "dict"])
@pytest.mark.parametrize("weighed", ["none", "integers", "fractions"])
@pytest.mark.parametrize("k", [1, 5, None])
def test_class_weight_multiplies_votes(kind, weighed, k):
    X, labels, _, Q = draw(5)
    class_weight = {"a": 0.25, "c": 7} if kind == "dict" else kind
    weight = sample_weights(weighed)
    D = table_of_distances(metric_of("euclidean", X), Q, X)
    model = ShepardKNN(k, class_weight=class_weight).fit(X, labels, weight)
    assert_equal_by_hand(model, D, labels, Q, weight, {"k": k}, class_weight)


@every_metric
def test_power_auto_is_the_number_of_columns_that_count(metric):
    X, labels, _, _ = draw(6, metric)
    model = ShepardKNN(5, power="auto", metric=metric).fit(X, labels)
    assert model.power_ == 3
    if metric != "mahalanobis":
        model.set_params(feature_weights=[1, 0, 1]).fit(X, labels)
        assert model.power_ == 2


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
    dense = ShepardKNN(5, metric=metric).fit(X, labels)
    rows = ShepardKNN(5, metric=metric).fit(sparse.csr_array(X), labels)
    for queries in (None, Q):
        converted = None if queries is None else sparse.csr_array(queries)
        apart, ids = dense.kneighbors(queries)
        others, other_ids = rows.kneighbors(converted)
        np.testing.assert_allclose(others, apart, rtol=1e-12, atol=1e-15)
        np.testing.assert_array_equal(other_ids, ids)


@pytest.mark.parametrize("offset", [1.0, 1e3, 1e6])
def test_sparse_variances_keep_their_digits_far_from_zero(offset):
    """A column far from 0 loses digits to E[x²] - E[x]², and must not."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(40, 2)) + np.array([offset, 0])
    y = rng.normal(size=40)
    Q = rng.normal(size=(5, 2)) + np.array([offset, 0])
    params = {"n_neighbors": 5, "metric": "seuclidean"}
    dense = ShepardKNNRegressor(**params).fit(X, y)
    rows = ShepardKNNRegressor(**params).fit(sparse.csr_array(X), y)
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
    model = ShepardKNNRegressor(5, metric="seuclidean").fit(container(X), y, weight)
    X = np.vstack([X, X[:5] + np.array([1.0, 0.0])])
    D = table_of_distances(metric_of("seuclidean", X[:500], weight), X[500:], X[:500])
    np.testing.assert_allclose(
        model.kneighbors(container(X[500:]))[0], np.sort(D, axis=1)[:, :5], rtol=1e-9
    )


@pytest.mark.parametrize(
    "params",
    [
        {"metric": "manhattan"},
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
        ShepardKNN(2, **params).fit(sparse.csr_array(X), labels)


# Searches agree to the last bit


def tables_with_ties(seed):
    rng = np.random.default_rng(seed)
    n, d = int(rng.integers(200, 500)), int(rng.integers(1, 5))
    X = rng.normal(size=(n, d)).round(int(rng.integers(0, 2)))
    return X, rng.integers(3, size=n), np.vstack([X[:20], rng.normal(size=(20, d))])


@every_metric
@pytest.mark.parametrize("seed", range(2))
def test_brute_and_tree_give_the_same_bits(metric, seed):
    if metric == "nan_euclidean":
        with pytest.raises(ValueError, match="no place for missing cells"):
            ShepardKNN(1, metric=metric, algorithm="kd_tree").fit([[1.0]], [0])
        return
    X, y, Q = tables_with_ties(seed)
    rng = np.random.default_rng(seed)
    params = {"metric": metric, "metric_params": METRICS[metric]}
    for weight in (None, rng.integers(0, 4, len(y)), rng.uniform(0.05, 2.5, len(y))):
        for k in (1, 7, 60):
            brute = ShepardKNN(k, algorithm="brute", **params).fit(X, y, weight)
            tree = ShepardKNN(k, algorithm="kd_tree", **params).fit(X, y, weight)
            assert_same_bits(brute, tree, X, Q)


def assert_same_bits(one, two, X, Q):
    np.testing.assert_array_equal(one.predict_proba(Q), two.predict_proba(Q))
    for queries in (None, Q):
        for a, b in zip(one.kneighbors(queries), two.kneighbors(queries)):
            np.testing.assert_array_equal(a, b)
    listed, other = one.explain(Q), two.explain(Q)
    for name, values in vars(listed).items():
        np.testing.assert_array_equal(values, getattr(other, name))


def test_auto_takes_a_tree_in_a_large_table_and_answers_alike():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(4000, 3)).round(1)
    y = rng.normal(size=4000)
    models = [
        ShepardKNNRegressor(9, algorithm=algorithm).fit(X, y)
        for algorithm in ("auto", "brute", "kd_tree")
    ]
    answers = [model.predict(X[:300] + 0.01) for model in models]
    np.testing.assert_array_equal(answers[0], answers[1])
    np.testing.assert_array_equal(answers[0], answers[2])


@pytest.mark.parametrize("metric", ["euclidean", "manhattan", "minkowski"])
@pytest.mark.parametrize("weighed", ["none", "integers", "fractions"])
def test_ties_go_to_the_first_row(metric, weighed):
    """Whole coordinates make exact ties, in any order of summation."""
    rng = np.random.default_rng(3)
    X = rng.integers(-2, 3, size=(60, 2)).astype(float)
    Q = rng.integers(-2, 3, size=(10, 2)) + 0.5
    y = rng.integers(3, size=60)
    weight = sample_weights(weighed, 60)
    params = {"metric": metric, "metric_params": METRICS[metric]}
    D = table_of_distances(metric_of(metric, X, weight, METRICS[metric]), Q, X)
    for algorithm in ("brute", "kd_tree"):
        for k in (1, 4, 9):
            model = ShepardKNN(k, algorithm=algorithm, **params).fit(X, y, weight)
            assert_equal_by_hand(model, D, y, Q, weight, {"k": k})
            kept = np.arange(60) if weight is None else np.flatnonzero(weight)
            order = np.argsort(D[:, kept], axis=1, kind="stable")
            np.testing.assert_array_equal(
                model.kneighbors(Q, return_distance=False), kept[order[:, :k]]
            )


# Against scikit-learn


@pytest.mark.parametrize("k", [1, 2, 7, 60])
@pytest.mark.parametrize("seed", range(3))
def test_power_1_is_scikit_learns_weights_by_distance(k, seed):
    rng = np.random.default_rng(seed)
    X, Q = rng.normal(size=(60, 3)), rng.normal(size=(30, 3))
    Q[:4] = X[:4]
    y, numbers = rng.integers(4, size=60), rng.normal(size=(60, 2))
    params = {"weights": "distance", "algorithm": "kd_tree"}
    theirs = KNeighborsClassifier(k, **params).fit(X, y)
    ours = ShepardKNN(k, power=1).fit(X, y)
    np.testing.assert_allclose(
        ours.predict_proba(Q), theirs.predict_proba(Q), rtol=1e-12, atol=1e-12
    )
    np.testing.assert_array_equal(ours.predict(Q), theirs.predict(Q))
    for y in (numbers, numbers[:, 0]):
        theirs = KNeighborsRegressor(k, **params).fit(X, y)
        ours = ShepardKNNRegressor(k, power=1).fit(X, y)
        np.testing.assert_allclose(
            ours.predict(Q), theirs.predict(Q), rtol=1e-12, atol=1e-12
        )


@pytest.mark.parametrize("k", [1, 7, 60])
def test_uniform_weights_are_scikit_learns(k):
    rng = np.random.default_rng(0)
    X, Q = rng.normal(size=(60, 3)), rng.normal(size=(30, 3))
    y = rng.integers(4, size=60)
    theirs = KNeighborsClassifier(k).fit(X, y)
    ours = ShepardKNN(k, weights="uniform").fit(X, y)
    np.testing.assert_allclose(ours.predict_proba(Q), theirs.predict_proba(Q))
    np.testing.assert_array_equal(ours.predict(Q), theirs.predict(Q))


# Lists and graphs


@pytest.mark.parametrize("algorithm", ["brute", "kd_tree", "engine"])
@pytest.mark.parametrize("container", [np.asarray, sparse.csr_array])
def test_lists_and_graphs_are_scikit_learns(algorithm, container):
    rng = np.random.default_rng(1)
    X, Q = rng.normal(size=(50, 3)), rng.normal(size=(20, 3))
    theirs = NearestNeighbors(n_neighbors=6, algorithm="kd_tree").fit(X)
    if algorithm == "engine":
        algorithm = NearestNeighbors(n_neighbors=2, algorithm="kd_tree")
        container = np.asarray
    elif algorithm == "kd_tree":
        container = np.asarray
    model = ShepardKNN(6, algorithm=algorithm)
    model.fit(container(X), rng.integers(2, size=50))
    for queries, given in ((None, None), (Q, container(Q)), (X, container(X))):
        for k in (None, 1, 13):
            for a, b in zip(model.kneighbors(given, k), theirs.kneighbors(queries, k)):
                assert a.dtype == b.dtype
                np.testing.assert_allclose(a, b, rtol=1e-12, atol=1e-12)
            ids = model.kneighbors(given, k, return_distance=False)
            np.testing.assert_array_equal(ids, model.kneighbors(given, k)[1])
            for mode in ("connectivity", "distance"):
                graph = model.kneighbors_graph(given, k, mode=mode)
                expected = theirs.kneighbors_graph(queries, k, mode=mode)
                assert_neighbour_graph(graph, k or 6)
                assert graph.shape == expected.shape
                np.testing.assert_allclose(
                    graph.toarray(), expected.toarray(), rtol=1e-12, atol=1e-12
                )


def assert_neighbour_graph(graph, k):
    """Assert the rules of scikit-learn's precomputed neighbour graphs."""
    assert graph.format == "csr"
    assert isinstance(graph, sparse.csr_matrix)
    assert graph.nnz == graph.shape[0] * k  # zeros are entries too
    np.testing.assert_array_equal(np.diff(graph.indptr), k)
    for row in range(graph.shape[0]):
        part = slice(graph.indptr[row], graph.indptr[row + 1])
        assert len(set(graph.indices[part])) == k
        assert np.all(np.diff(graph.data[part]) >= 0)


def test_a_graph_of_equal_rows_keeps_its_zeros_and_never_itself():
    X = np.repeat([[0.0], [1.0], [5.0]], 4, axis=0)
    model = ShepardKNN(3).fit(X, np.arange(12) % 2)
    graph = model.kneighbors_graph(mode="distance")
    assert_neighbour_graph(graph, 3)
    assert not graph.data.any()
    assert np.all(graph.indices.reshape(12, 3) != np.arange(12)[:, None])
    assert graph.indices[:3].tolist() == [1, 2, 3]
    assert graph.indices[6:9].tolist() == [0, 1, 3]
    asked = model.kneighbors_graph(X, 3, mode="distance")
    assert asked.indices[6:9].tolist() == [0, 1, 2]
    theirs = KNeighborsClassifier(3, metric="precomputed")
    theirs.fit(graph, np.arange(12) % 2)  # scikit-learn takes it as it is


def test_lists_name_rows_as_they_were_given():
    """Rows of weight 0 are gone, and the numbers of the others stay."""
    X = np.array([[0.0], [1.0], [2.0], [3.0]])
    model = ShepardKNN(2).fit(X, [0, 1, 0, 1], sample_weight=[1, 0, 5, 1])
    distances, ids = model.kneighbors([[0.9]])
    assert ids.tolist() == [[0, 2]]  # sample weights do not matter here
    np.testing.assert_allclose(distances, [[0.9, 1.1]])
    assert model.kneighbors(return_distance=False).tolist() == [[2, 3], [3, 0], [2, 0]]
    graph = model.kneighbors_graph([[0.9]])
    assert graph.shape == (1, 4)
    assert model.n_samples_fit_ == 4
    assert model.explain([[0.9]], n_rows=2).rows.tolist() == [[0, 2]]


def test_all_rows_are_listed_where_all_vote():
    X = np.array([[0.0], [1.0], [3.0]])
    model = ShepardKNN(None).fit(X, [0, 1, 1])
    assert model.kneighbors([[0.1]], return_distance=False).tolist() == [[0, 1, 2]]
    assert model.kneighbors(return_distance=False).tolist() == [[1, 2], [0, 2], [1, 0]]
    model = ShepardKNN(99).fit(X, [0, 1, 1])
    assert model.kneighbors([[0.1]])[1].shape == (1, 3)


@pytest.mark.parametrize("k", [0, -1, 2.0, "2"])
def test_wrong_numbers_of_neighbours(k):
    model = ShepardKNN(2).fit([[0.0], [1.0], [3.0]], [0, 1, 1])
    with pytest.raises(ValueError, match=r"n_neighbors must be an integer ≥ 1, got"):
        model.kneighbors([[0.0]], k)
    with pytest.raises(ValueError, match="n_rows must be an integer ≥ 1 or None"):
        model.explain([[0.0]], n_rows=k)


def test_more_neighbours_than_rows_are_not_found():
    model = ShepardKNN(2).fit([[0.0], [1.0], [3.0]], [0, 1, 1])
    with pytest.raises(ValueError, match="there are only 3 training rows"):
        model.kneighbors([[0.0]], 4)
    with pytest.raises(ValueError, match="there are only 2 training rows"):
        model.kneighbors(n_neighbors=3)
    with pytest.raises(ValueError, match="mode must be 'connectivity' or 'distance'"):
        model.kneighbors_graph([[0.0]], mode="adjacency")


# Explanations


@every_metric
@pytest.mark.parametrize("weighting", WEIGHTINGS)
@pytest.mark.parametrize("weighed", ["none", "fractions"])
def test_explanations_add_up_to_the_answers(metric, weighting, weighed):
    if weighting == "cosine" and metric != "cosine":
        weighting = "inverse"
    X, labels, numbers, Q = draw(9, metric)
    weight = sample_weights(weighed)
    params = {"metric": metric, **WEIGHTINGS[weighting]}
    for k in (5, None):
        model = ShepardKNN(k, class_weight="balanced", **params)
        model.fit(X, labels, weight)
        why = model.explain(Q, n_rows=None)
        assert_explains(why, X, Q)
        listed = np.where(why.rows >= 0, why.shares, 0.0)
        sums = [(listed * (why.targets == c)).sum(axis=1) for c in model.classes_]
        np.testing.assert_allclose(
            np.transpose(sums), model.predict_proba(Q), atol=1e-12
        )
        for y in (numbers[:, 0], numbers):
            regressor = ShepardKNNRegressor(k, **params).fit(X, y, weight)
            why = regressor.explain(Q, n_rows=None)
            assert_explains(why, X, Q)
            listed = np.where(why.rows >= 0, why.shares, 0.0)
            if y.ndim == 2:
                listed = listed[:, :, None]
            np.testing.assert_allclose(
                (listed * why.targets).sum(axis=1), regressor.predict(Q), atol=1e-12
            )
            at = np.maximum(why.rows, 0)
            np.testing.assert_array_equal(
                why.targets[why.rows >= 0], y[at][why.rows >= 0]
            )


def assert_explains(why, X, Q):
    assert_on_simplex(np.where(why.rows >= 0, why.shares, 0.0))
    assert np.isnan(why.shares[why.rows < 0]).all()
    assert np.isnan(why.distances[why.rows < 0]).all()
    for rows, distances in zip(why.rows, why.distances):
        rows, distances = rows[rows >= 0], distances[rows >= 0]
        assert len(set(rows)) == len(rows)
        pairs = list(zip(distances, rows))
        assert pairs == sorted(pairs)


def test_an_explanation_is_as_wide_as_its_longest_list():
    X, labels, _, Q = draw(10)
    for n_rows in (10, None):
        assert ShepardKNN(3).fit(X, labels).explain(Q, n_rows).rows.shape == (7, 3)


@pytest.mark.parametrize("k", [6, None])
def test_a_short_explanation_is_the_start_of_the_whole(k):
    X, labels, _, Q = draw(10)
    model = ShepardKNN(k).fit(X, labels)
    whole, short = model.explain(Q, n_rows=None), model.explain(Q, n_rows=3)
    assert short.rows.shape == (len(Q), 3)
    for name in ("rows", "distances", "shares", "targets"):
        np.testing.assert_array_equal(
            getattr(short, name), getattr(whole, name)[:, :3], err_msg=name
        )


def test_an_explanation_is_a_frame():
    pytest.importorskip("pandas", reason="frame() returns a pandas frame")
    model = ShepardKNN(None).fit([[0.0], [1.0], [3.0]], ["a", "b", "b"])
    frame = model.explain([[0.0], [2.0]]).frame(1)
    assert frame.index.tolist() == [1, 2, 0]
    assert frame["distance"].tolist() == [1.0, 1.0, 2.0]
    np.testing.assert_allclose(frame["share"], [4 / 9, 4 / 9, 1 / 9])
    assert frame["target"].tolist() == ["b", "b", "a"]
    regressor = ShepardKNNRegressor(1).fit([[0.0], [1.0]], [[1.0, 2.0], [3.0, 4.0]])
    frame = regressor.explain([[0.9]]).frame()
    assert frame.loc[1].tolist() == pytest.approx([0.1, 1.0, 3.0, 4.0])


# Where nothing has any weight


def test_neighbours_without_weight_are_alike():
    """Opposite directions have no positive cosine; the two nearest still answer."""
    X = np.array([[-1.0, 0.1], [-1.0, -0.2], [-1.0, -3.0], [-1.0, 5.0]])
    y = np.array([1.0, 3.0, 100.0, 1000.0])
    params = {"metric": "cosine", "weights": "cosine"}
    Q = np.array([[1.0, 0.0]])
    assert metric_of("cosine", X)(Q[0], X[0]) > 1
    D = table_of_distances(metric_of("cosine", X), Q, X)
    for k in (2, None):
        model = ShepardKNNRegressor(k, **params).fit(X, y)
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
        model = ShepardKNNRegressor(4, metric="cosine", weights=weights)
        model.fit(container(X), y)
        distances, ids = model.kneighbors(container(Q))
        assert distances.tolist() == [[1.0] * 4]
        assert ids.tolist() == [[0, 1, 2, 3]]
        np.testing.assert_allclose(model.predict(container(Q)), y[:4].mean())


def test_rows_without_a_common_cell_are_alike():
    X = np.array([[np.nan, 1.0], [np.nan, 2.0], [np.nan, 3.0]])
    y = np.array([1.0, 3.0, 100.0])
    Q = np.array([[0.0, np.nan]])
    D = np.full((1, 3), np.inf)
    for k in (2, None):
        model = ShepardKNNRegressor(k, metric="nan_euclidean").fit(X, y)
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
    X, labels, _, Q = draw(0)
    model = ShepardKNN(k, weights=weights).fit(X, labels)
    with pytest.raises(ValueError, match=message):
        model.predict(Q)

"""The searches of ShepardKNN agree to the last bit; its lists are scikit-learn's.

Code under test: `search/_dense_search.py`.
"""

import numpy as np
import pytest
from scipy import sparse
from sklearn.neighbors import (
    KNeighborsClassifier,
    NearestNeighbors,
)

from tests.helpers.neighbors_by_hand import (
    METRICS,
    metric_of,
    table_of_distances,
)
from tests.helpers.shepard_knn_cases import (
    assert_equal_by_hand,
    every_metric,
    sample_weights,
)
from tests.helpers.shepard_knn_classical import classical_knn, classical_knn_regressor

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
        with pytest.raises(ValueError, match="coordinates without missing values"):
            classical_knn(1, metric=metric, algorithm="kd_tree").fit([[1.0]], [0])
        return
    X, y, Q = tables_with_ties(seed)
    rng = np.random.default_rng(seed)
    params = {"metric": metric, "metric_params": METRICS[metric]}
    for weight in (None, rng.integers(0, 4, len(y)), rng.uniform(0.05, 2.5, len(y))):
        for k in (1, 7, 60):
            brute = classical_knn(k, algorithm="brute", **params).fit(X, y, weight)
            tree = classical_knn(k, algorithm="kd_tree", **params).fit(X, y, weight)
            assert_same_bits(brute, tree, X, Q)


def assert_same_bits(one, two, X, Q):
    np.testing.assert_array_equal(one.predict_proba(Q), two.predict_proba(Q))
    for queries in (None, Q):
        for a, b in zip(one.kneighbors(queries), two.kneighbors(queries)):
            np.testing.assert_array_equal(a, b)
    listed, other = one.explain(Q), two.explain(Q)
    for name in ("rows", "distances", "shares", "targets", "base"):
        np.testing.assert_equal(getattr(listed, name), getattr(other, name))


def test_auto_takes_a_tree_in_a_large_table_and_answers_alike():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(4000, 3)).round(1)
    y = rng.normal(size=4000)
    models = [
        classical_knn_regressor(9, algorithm=algorithm).fit(X, y)
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
            model = classical_knn(k, algorithm=algorithm, **params).fit(X, y, weight)
            assert_equal_by_hand(model, D, y, Q, weight, {"k": k})
            kept = np.arange(60) if weight is None else np.flatnonzero(weight)
            order = np.argsort(D[:, kept], axis=1, kind="stable")
            np.testing.assert_array_equal(
                model.kneighbors(Q, return_distance=False), kept[order[:, :k]]
            )


# Lists and graphs


@pytest.mark.parametrize("algorithm", ["brute", "kd_tree", "engine"])
@pytest.mark.parametrize("container", [np.asarray, sparse.csr_array])
def test_lists_and_graphs_are_scikit_learns(algorithm, container):
    rng = np.random.default_rng(1)
    X, Q = rng.normal(size=(50, 3)), rng.normal(size=(20, 3))
    peer = NearestNeighbors(n_neighbors=6, algorithm="kd_tree").fit(X)
    if algorithm == "engine":
        algorithm = NearestNeighbors(n_neighbors=2, algorithm="kd_tree")
        container = np.asarray
    elif algorithm == "kd_tree":
        container = np.asarray
    model = classical_knn(6, algorithm=algorithm)
    model.fit(container(X), rng.integers(2, size=50))
    for queries, given in ((None, None), (Q, container(Q)), (X, container(X))):
        for k in (None, 1, 13):
            for a, b in zip(model.kneighbors(given, k), peer.kneighbors(queries, k)):
                assert a.dtype == b.dtype
                np.testing.assert_allclose(a, b, rtol=1e-12, atol=1e-12)
            ids = model.kneighbors(given, k, return_distance=False)
            np.testing.assert_array_equal(ids, model.kneighbors(given, k)[1])
            for mode in ("connectivity", "distance"):
                graph = model.kneighbors_graph(given, k, mode=mode)
                expected = peer.kneighbors_graph(queries, k, mode=mode)
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
    model = classical_knn(3).fit(X, np.arange(12) % 2)
    graph = model.kneighbors_graph(mode="distance")
    assert_neighbour_graph(graph, 3)
    assert not graph.data.any()
    assert np.all(graph.indices.reshape(12, 3) != np.arange(12)[:, None])
    assert graph.indices[:3].tolist() == [1, 2, 3]
    assert graph.indices[6:9].tolist() == [0, 1, 3]
    listed = model.kneighbors_graph(X, 3, mode="distance")
    assert listed.indices[6:9].tolist() == [0, 1, 2]
    peer = KNeighborsClassifier(3, metric="precomputed")
    peer.fit(graph, np.arange(12) % 2)  # scikit-learn takes it as it is


def test_lists_name_rows_as_they_were_given():
    """Rows of weight 0 are gone, and the numbers of the others stay."""
    X = np.array([[0.0], [1.0], [2.0], [3.0]])
    model = classical_knn(2).fit(X, [0, 1, 0, 1], sample_weight=[1, 0, 5, 1])
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
    model = classical_knn(None).fit(X, [0, 1, 1])
    assert model.kneighbors([[0.1]], return_distance=False).tolist() == [[0, 1, 2]]
    assert model.kneighbors(return_distance=False).tolist() == [[1, 2], [0, 2], [1, 0]]
    model = classical_knn(99).fit(X, [0, 1, 1])
    assert model.kneighbors([[0.1]])[1].shape == (1, 3)


@pytest.mark.parametrize("k", [0, -1, 2.0, "2"])
def test_wrong_numbers_of_neighbours(k):
    model = classical_knn(2).fit([[0.0], [1.0], [3.0]], [0, 1, 1])
    with pytest.raises(ValueError, match=r"n_neighbors must be an integer ≥ 1, got"):
        model.kneighbors([[0.0]], k)
    with pytest.raises(ValueError, match="n_rows must be an integer ≥ 1 or None"):
        model.explain([[0.0]], n_rows=k)


def test_more_neighbours_than_rows_are_not_found():
    model = classical_knn(2).fit([[0.0], [1.0], [3.0]], [0, 1, 1])
    with pytest.raises(ValueError, match="there are only 3 training rows"):
        model.kneighbors([[0.0]], 4)
    with pytest.raises(ValueError, match="there are only 2 training rows"):
        model.kneighbors(n_neighbors=3)
    with pytest.raises(ValueError, match="mode must be 'connectivity' or 'distance'"):
        model.kneighbors_graph([[0.0]], mode="adjacency")

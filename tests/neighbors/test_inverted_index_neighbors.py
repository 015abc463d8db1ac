"""InvertedIndexNeighbors against brute force, other libraries and graph rules.

Code under test: `neighbors/_neighbor_engine.py`, `search/_inverted_index.py`,
`search/_inverted_index_kernels.py`.
"""

import numpy as np
import pytest
from scipy import sparse
from sklearn.cluster import DBSCAN
from sklearn.manifold import Isomap
from sklearn.neighbors import (
    KNeighborsClassifier,
    KNeighborsTransformer,
    NearestNeighbors,
)
from sklearn.pipeline import make_pipeline

from sklearn_bayeslazy import InvertedIndexNeighbors
from sklearn_bayeslazy.search import _inverted_index
from tests.helpers.shared import shared_path
from tests.helpers.shepard_knn_classical import classical_knn

METRICS = ["cosine", "euclidean", "dot"]


def documents(n, n_words=300, seed=0, signed=False):
    """Return rows in which a few words are frequent, and most words are rare."""
    rng = np.random.default_rng(seed)
    share = np.minimum(0.9, 3 / np.arange(1, n_words + 1))
    counts = rng.poisson(share, size=(n, n_words)) * rng.uniform(0.5, 2, size=n_words)
    if signed:
        counts = counts * rng.choice([-1, 1], size=counts.shape)
    return sparse.csr_array(counts)


def brute(X, queries, k, metric):
    """Return the k nearest by (distance, row), from all products."""
    A, B = queries.toarray(), X.toarray()
    if metric == "euclidean":
        distances = np.sqrt(((A[:, None] - B[None]) ** 2).sum(axis=2))
    else:
        distances = -A @ B.T
        if metric == "cosine":
            lengths = np.linalg.norm(A, axis=1)[:, None] * np.linalg.norm(B, axis=1)
            with np.errstate(divide="ignore", invalid="ignore"):
                distances = 1 + np.where(lengths > 0, distances / lengths, 0.0)
    indices = np.argsort(distances.round(12), axis=1, kind="stable")[:, :k]
    return np.take_along_axis(distances, indices, axis=1), indices


@pytest.fixture
def small_tiles(monkeypatch):
    """Let tables of a few hundred rows take every path of large ones."""
    monkeypatch.setattr(_inverted_index, "_ROWS_PER_TILE", 37)
    monkeypatch.setattr(_inverted_index, "_QUERIES_PER_BLOCK", 11)
    monkeypatch.setattr(_inverted_index, "_N_SPARE_CANDIDATES", 3)


@pytest.mark.parametrize("signed", [False, True])
@pytest.mark.parametrize("metric", METRICS)
def test_lists_are_those_of_brute_force(metric, signed, small_tiles):
    X, queries = documents(200, signed=signed), documents(60, seed=1, signed=signed)
    index = InvertedIndexNeighbors(7, metric=metric).fit(X)
    assert 0 < index._search.index.n_frequent < X.shape[1]
    distances, indices = index.kneighbors(queries)
    expected, expected_indices = brute(X, queries, 7, metric)
    np.testing.assert_array_equal(indices, expected_indices)
    np.testing.assert_allclose(distances, expected, atol=1e-7, rtol=1e-12)


@pytest.mark.parametrize("metric", ["cosine", "euclidean"])
def test_lists_equal_those_of_other_searches_to_the_last_bit(metric):
    X, queries = documents(500), documents(50, seed=1)
    ours = InvertedIndexNeighbors(10, metric=metric).fit(X).kneighbors(queries)
    other = classical_knn(10, metric=metric).fit(X, np.arange(500) % 2)
    for one, another in zip(ours, other.kneighbors(queries)):
        np.testing.assert_array_equal(one, another)
    peer = NearestNeighbors(n_neighbors=10, metric=metric).fit(X).kneighbors(queries)
    np.testing.assert_allclose(ours[0], peer[0], atol=1e-7)


@pytest.mark.parametrize("metric", METRICS)
def test_equal_rows_are_listed_in_ascending_order(metric, small_tiles):
    X = sparse.vstack([documents(9)] * 30, format="csr")
    order = np.random.default_rng(0).permutation(270)
    index = InvertedIndexNeighbors(30, metric=metric).fit(X[order])
    indices = index.kneighbors(X[:9], return_distance=False)
    for copy in range(9):
        equal = np.flatnonzero(order % 9 == copy)
        if metric != "dot":  # by products longer rows are nearer than the row itself
            np.testing.assert_array_equal(indices[copy], equal)
    _, expected = brute(X[order], X[:9], 30, metric)
    np.testing.assert_array_equal(indices, expected)


def test_rows_that_share_no_column_are_at_equal_distances(small_tiles):
    X = sparse.csr_array(np.eye(100))
    distances, indices = InvertedIndexNeighbors(4).fit(X).kneighbors(X[[50]])
    np.testing.assert_array_equal(indices, [[50, 0, 1, 2]])
    np.testing.assert_array_equal(distances, [[0, 1, 1, 1]])


def test_an_empty_row_has_the_cosine_distance_one_and_its_length_by_euclidean():
    X = sparse.csr_array([[3.0, 4.0], [0.0, 0.0], [1.0, 0.0]])
    empty = sparse.csr_array((1, 2))
    by_angle = InvertedIndexNeighbors(3).fit(X).kneighbors(empty)
    np.testing.assert_array_equal(by_angle[0], [[1, 1, 1]])
    np.testing.assert_array_equal(by_angle[1], [[0, 1, 2]])
    by_length = InvertedIndexNeighbors(3, metric="euclidean").fit(X).kneighbors(empty)
    np.testing.assert_array_equal(by_length[0], [[0, 1, 5]])
    np.testing.assert_array_equal(by_length[1], [[1, 2, 0]])


@pytest.mark.parametrize("metric", METRICS)
def test_training_rows_do_not_find_themselves(metric, small_tiles):
    X = documents(120)
    index = InvertedIndexNeighbors(5, metric=metric).fit(X)
    distances, indices = index.kneighbors()
    both = brute(X, X, 120, metric)
    others = both[1] != np.arange(120)[:, None]
    expected = [part[others].reshape(120, 119)[:, :5] for part in both]
    np.testing.assert_array_equal(indices, expected[1])
    np.testing.assert_allclose(distances, expected[0], atol=1e-7)


@pytest.mark.parametrize("metric", METRICS)
def test_no_answer_depends_on_threads_batches_or_the_form_of_a_table(metric):
    X, queries = documents(700), documents(200, seed=1)
    index = InvertedIndexNeighbors(6, metric=metric).fit(X)
    expected = index.kneighbors(queries)
    index.set_params(n_jobs=2)
    forms = [queries, queries.tocsc(), sparse.csr_matrix(queries), queries.toarray()]
    if metric != "euclidean":  # whose power of two follows the training rows
        twice = sparse.vstack([queries, queries], format="coo")
        forms.append(sparse.csr_array(twice)[:200])
    for form in forms:
        for one, another in zip(index.kneighbors(form), expected):
            np.testing.assert_array_equal(one, another)
    alone = [index.kneighbors(queries[[q]])[0][0] for q in range(20)]
    np.testing.assert_array_equal(alone, expected[0][:20])


@pytest.mark.parametrize("metric", METRICS)
@pytest.mark.parametrize("cuts", [[1], [30, 31, 90], [37, 74]], ids=str)
def test_rows_may_come_in_any_batches(metric, cuts, small_tiles):
    X, queries = documents(120), documents(30, seed=1)
    whole = InvertedIndexNeighbors(5, metric=metric).fit(X).kneighbors(queries)
    index = InvertedIndexNeighbors(5, metric=metric)
    for some in np.split(np.arange(120), cuts):
        index.partial_fit(X[some])
    assert index.n_samples_fit_ == 120
    distances, indices = index.kneighbors(queries)
    np.testing.assert_array_equal(indices, whole[1])
    np.testing.assert_allclose(distances, whole[0], rtol=1e-12, atol=1e-12)


def test_a_failed_batch_keeps_the_former_index():
    X = documents(50)
    index = InvertedIndexNeighbors(3).fit(X)
    expected = index.kneighbors(X)
    with pytest.raises(ValueError, match="features"):
        index.partial_fit(X[:, :10])
    index.set_params(metric="euclidean")
    with pytest.raises(ValueError, match=r"metric='euclidean'.*'cosine'"):
        index.partial_fit(X)
    index.set_params(metric="cosine")
    np.testing.assert_array_equal(index.kneighbors(X), expected)


@pytest.mark.parametrize("mode", ["distance", "connectivity"])
def test_graphs_equal_those_of_scikit_learns_transformer(mode):
    X, queries = documents(80), documents(20, seed=1)
    ours = InvertedIndexNeighbors(4, metric="euclidean", mode=mode)
    peer = KNeighborsTransformer(n_neighbors=4, mode=mode)
    for model in (ours, peer):
        model.fit(X)
    for table in (X, queries):
        found, expected = ours.transform(table), peer.transform(table)
        assert found.format == "csr"
        assert found.shape == expected.shape
        np.testing.assert_array_equal(found.indptr, expected.indptr)
        np.testing.assert_array_equal(found.indices, expected.indices)
        np.testing.assert_allclose(found.data, expected.data, atol=1e-7)
    np.testing.assert_array_equal(
        ours.fit_transform(X).toarray(), ours.transform(X).toarray()
    )
    assert len(ours.get_feature_names_out()) == 80


def test_graphs_feed_estimators_that_take_a_graph():
    X = documents(90)
    y = (X[:, [0]].toarray().ravel() > 0).astype(int)
    index = InvertedIndexNeighbors(10, metric="euclidean")
    for last in (
        KNeighborsClassifier(5, metric="precomputed"),
        DBSCAN(metric="precomputed", eps=8.0),
        Isomap(n_neighbors=6, metric="precomputed"),
    ):
        make_pipeline(index, last).fit(X, y)
    voted = make_pipeline(index, KNeighborsClassifier(5, metric="precomputed"))
    plain = KNeighborsClassifier(5).fit(X, y)
    np.testing.assert_array_equal(voted.fit(X, y).predict(X), plain.predict(X))


def test_shepard_takes_an_inverted_index_as_an_engine():
    X, queries = documents(150), documents(30, seed=1)
    y = np.arange(150) % 3
    plain = classical_knn(7, metric="cosine").fit(X, y).predict_proba(queries)
    with_engine = classical_knn(7, algorithm=InvertedIndexNeighbors()).fit(X, y)
    np.testing.assert_allclose(with_engine.predict_proba(queries), plain, rtol=1e-9)


@pytest.mark.parametrize("scale", [1e-150, 1e-30, 1e30, 1e150])
def test_the_unit_of_rows_does_not_change_neighbours(scale):
    X, queries = documents(100), documents(20, seed=1)
    for metric, power in (("cosine", 0), ("euclidean", 1), ("dot", 2)):
        index = InvertedIndexNeighbors(5, metric=metric)
        distances, indices = index.fit(X).kneighbors(queries)
        scaled, same = index.fit(X * scale).kneighbors(queries * scale)
        np.testing.assert_array_equal(same, indices)
        np.testing.assert_allclose(scaled, distances * scale**power, rtol=1e-9)


@pytest.mark.parametrize("metric", ["euclidean", "dot"])
@pytest.mark.parametrize("scale", [1e-60, 1e-20, 1e20, 1e60])
def test_queries_and_rows_may_differ_by_any_scale(metric, scale, small_tiles):
    X, queries = documents(100), documents(20, seed=1)
    X = sparse.vstack([X, X[:40] * scale], format="csr")
    index = InvertedIndexNeighbors(5, metric=metric).fit(X)
    for some in (queries, queries * scale):
        distances, indices = index.kneighbors(some)
        A, B = some.toarray(), X.toarray()
        exact = -A @ B.T if metric == "dot" else (A[:, None] - B[None]) ** 2
        exact = exact if metric == "dot" else np.sqrt(exact.sum(axis=2))
        best = np.sort(exact, axis=1)[:, :5]
        np.testing.assert_allclose(distances, best, rtol=1e-9)
        found = np.take_along_axis(exact, indices, axis=1)
        np.testing.assert_allclose(found, best, rtol=1e-9)


@pytest.mark.parametrize("exponents", [(-900, 900), (-1020, -1000), (1000, 1010)])
def test_cosines_do_not_depend_on_lengths_near_an_overflow(exponents):
    X, queries = documents(60), documents(20, seed=1)
    X = sparse.vstack([X, sparse.csr_array((2, X.shape[1]))], format="csr")
    expected = InvertedIndexNeighbors(5).fit(X).kneighbors(queries)
    rng = np.random.default_rng(0)
    scaled = [
        sparse.diags_array(2.0 ** rng.integers(*exponents, size=rows.shape[0])) @ rows
        for rows in (X, queries)
    ]
    found = InvertedIndexNeighbors(5).fit(scaled[0]).kneighbors(scaled[1])
    np.testing.assert_array_equal(found[1], expected[1])
    np.testing.assert_allclose(found[0], expected[0], rtol=1e-14, atol=1e-15)


def test_extreme_queries_do_not_change_the_rounding_of_others():
    X, queries = documents(60), documents(20, seed=1)
    index = InvertedIndexNeighbors(5).fit(X)
    expected, _ = index.kneighbors(queries)
    zeros = sparse.csr_array(([0.0], [3], [0, 1]), shape=(1, X.shape[1]))
    together = sparse.vstack([queries, queries[:3] * 1e200, zeros], format="csr")
    found, _ = index.kneighbors(together)
    np.testing.assert_array_equal(found[: len(expected)], expected)


def test_rows_that_overflow_are_an_error():
    index = InvertedIndexNeighbors(1, metric="euclidean").fit([[1.0], [1e-300]])
    with pytest.raises(ValueError, match="infinity"):
        index.kneighbors([[np.inf]])
    small = InvertedIndexNeighbors(1, metric="euclidean").fit([[1e-300], [2e-300]])
    with pytest.raises(ValueError, match="Rows overflow"):
        small.kneighbors([[1e300]])


def test_more_neighbors_than_rows_are_an_error():
    index = InvertedIndexNeighbors(5).fit(documents(5))
    assert index.kneighbors(documents(2))[0].shape == (2, 5)
    with pytest.raises(ValueError, match=r"n_neighbors=5.*only 4 training rows"):
        index.kneighbors()
    with pytest.raises(ValueError, match=r"n_neighbors=6.*only 5 training rows"):
        index.transform(documents(5))


def test_twenty_newsgroups_are_searched_exactly():
    folder = shared_path("scikit_learn_data")
    from sklearn.datasets import fetch_20newsgroups
    from sklearn.feature_extraction.text import TfidfVectorizer

    texts = fetch_20newsgroups(
        data_home=folder, download_if_missing=False, subset="test"
    ).data
    X = TfidfVectorizer().fit_transform(texts)
    distances, indices = InvertedIndexNeighbors(10, n_jobs=2).fit(X).kneighbors(X[:300])
    products = (X[:300] @ X.T).toarray()
    best = -np.sort(-products, axis=1)[:, :10]
    np.testing.assert_allclose(1 - distances, best, atol=1e-12)
    found = np.take_along_axis(products, indices, axis=1)
    np.testing.assert_allclose(found, best, atol=1e-12)

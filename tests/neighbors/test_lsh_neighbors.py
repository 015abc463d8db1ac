"""LSHNeighbors against exact search: distances are true, and the recall is reached.

Code under test: `search/_hashed/_column_kernels.py`,
`search/_hashed/_column_search.py`, `search/_hashed/_hashed_search.py`.
"""

import numpy as np
import pytest
from sklearn.neighbors import NearestNeighbors

from sklearn_bayeslazy import LSHNeighbors
from tests.helpers.lsh_tables import blobs, documents, table, true_distances
from tests.helpers.shared import shared_path

FAMILIES = ["balanced", "random_projection", "super_bit", "learned"]


@pytest.mark.parametrize("kind", ["float32", "float64", "sparse"])
@pytest.mark.parametrize("metric", ["euclidean", "cosine"])
def test_a_recall_of_one_is_exact_search(metric, kind):
    X, queries = table(kind)
    engine = LSHNeighbors(7, metric=metric, recall=1.0, random_state=0).fit(X)
    distances, indices = engine.kneighbors(queries)
    expected = true_distances(kind, metric)
    order = np.argsort(expected, axis=1, kind="stable")[:, :7]
    if kind != "sparse":  # many documents are at equal distances up to rounding
        np.testing.assert_array_equal(indices, order)
    for listed in (indices, order):
        np.testing.assert_allclose(
            distances,
            np.take_along_axis(expected, listed, axis=1),
            rtol=1e-9,
            atol=1e-12,
        )
    report = engine.recall_report(queries)
    assert report.recall == 1.0
    assert (report.n_queries, report.n_neighbors) == (200, 7)


@pytest.mark.parametrize("kind", ["float32", "float64", "sparse"])
@pytest.mark.parametrize("family", FAMILIES)
@pytest.mark.parametrize("n_tables", [1, 3])
def test_distances_are_true_and_lists_are_sorted_and_full(n_tables, family, kind):
    X, queries = table(kind)
    if family == "learned" and kind == "sparse":
        pytest.skip("learned hashes need dense rows")
    engine = LSHNeighbors(
        6, hash_family=family, n_tables=n_tables, recall=0.6, random_state=0
    )
    engine.fit(X, np.arange(X.shape[0]) % 3)
    expected = true_distances(kind, "euclidean")
    for k in (1, 6, 40, X.shape[0]):
        distances, indices = engine.kneighbors(queries[:20], n_neighbors=k)
        assert indices.shape == (20, k)
        true = np.take_along_axis(expected[:20], indices, axis=1)
        np.testing.assert_allclose(distances, true, rtol=1e-9, atol=1e-9)
        assert all(len(set(row)) == k for row in indices)
        order = np.lexsort((indices, distances), axis=1)
        np.testing.assert_array_equal(order, np.tile(np.arange(k), (20, 1)))


@pytest.mark.parametrize("metric", ["euclidean", "cosine"])
@pytest.mark.parametrize("family", FAMILIES)
def test_the_recall_reaches_the_parameter(family, metric):
    X, queries, y = blobs(4000, 40, n_queries=2000)
    for recall in (0.5, 0.9, 0.99):
        engine = LSHNeighbors(
            10, metric=metric, hash_family=family, recall=recall, random_state=0
        ).fit(X, y)
        report = engine.recall_report(queries)
        assert report.recall >= recall - 0.01
        assert engine.recall_interval_[0] >= recall - 1e-9
        assert engine.recall_interval_[0] <= engine.estimated_recall_
        low, high = report.interval
        assert low <= report.recall <= high
        assert engine.n_read_ < 4000


def test_the_recall_of_documents_reaches_the_parameter():
    X, queries = documents(4000)
    for recall in (0.5, 0.9, 0.99):
        engine = LSHNeighbors(10, metric="cosine", recall=recall, random_state=0)
        assert engine.fit(X).recall_report(queries).recall >= recall - 0.01


def test_the_estimated_recall_agrees_with_the_recall_of_all_rows():
    X, _, _ = blobs(2000, 70)  # more columns than a projection has
    engine = LSHNeighbors(5, recall=0.8, random_state=0).fit(X)
    found = engine.kneighbors()[1]
    exact = NearestNeighbors(n_neighbors=5).fit(X).kneighbors()[1]
    recall = np.mean([np.isin(a, b).mean() for a, b in zip(exact, found)])
    # The estimate from the sample is a lower bound: it misses some rows that are found.
    deviation = np.diff(engine.recall_interval_)[0] / 2
    assert recall > engine.estimated_recall_ - 2 * deviation
    assert recall < engine.estimated_recall_ + 3 * deviation


@pytest.mark.parametrize("kind", ["float32", "float64", "sparse"])
@pytest.mark.parametrize("metric", ["euclidean", "cosine"])
@pytest.mark.parametrize("family", ["balanced", "super_bit"])
def test_neighbours_do_not_depend_on_the_batch(family, metric, kind):
    X, queries = table(kind)
    engine = LSHNeighbors(
        6, metric=metric, hash_family=family, recall=0.7, random_state=0
    ).fit(X)
    distances, indices = engine.kneighbors(queries)
    for i in (0, 77, 199):
        alone = engine.kneighbors(queries[[i]])
        np.testing.assert_array_equal(alone[0][0], distances[i])
        np.testing.assert_array_equal(alone[1][0], indices[i])
    order = np.random.default_rng(0).permutation(200)
    shuffled = engine.set_params(n_jobs=2).kneighbors(queries[order])
    np.testing.assert_array_equal(shuffled[0], distances[order])
    np.testing.assert_array_equal(shuffled[1], indices[order])


@pytest.mark.parametrize("kind", ["float64", "sparse"])
def test_threads_fit_the_same_model(kind):
    X, queries = table(kind)
    one = LSHNeighbors(6, recall=0.7, random_state=3).fit(X)
    two = LSHNeighbors(6, recall=0.7, random_state=3, n_jobs=2).fit(X)
    assert one.n_read_ == two.n_read_
    assert one.n_candidates_ == two.n_candidates_
    np.testing.assert_array_equal(
        one.kneighbors(queries)[1], two.kneighbors(queries)[1]
    )


def test_training_rows_are_not_their_own_neighbours():
    X, _, _ = blobs()
    engine = LSHNeighbors(4, recall=0.9, random_state=0).fit(X)
    indices = engine.kneighbors(return_distance=False)
    assert not np.any(indices == np.arange(len(X))[:, None])
    assert np.all(engine.kneighbors(X, 1)[1].ravel() == np.arange(len(X)))


@pytest.mark.parametrize("kind", ["float32", "sparse"])
@pytest.mark.parametrize("family", ["balanced", "random_projection"])
def test_rows_can_be_added(family, kind):
    X, queries = table(kind)
    engine = LSHNeighbors(5, hash_family=family, n_tables=2, recall=0.8, random_state=0)
    engine.partial_fit(X[:1000])
    before = engine.kneighbors(queries)[1]
    alike = LSHNeighbors(
        5, hash_family=family, n_tables=2, recall=0.8, random_state=0
    ).fit(X[:1000])
    np.testing.assert_array_equal(before, alike.kneighbors(queries)[1])
    engine.partial_fit(X[1000:1003]).partial_fit(X[1003:])
    assert engine.n_samples_fit_ == 1500
    distances, indices = engine.kneighbors(X[1000:], 1)
    assert np.all(distances < 1e-9)
    assert (
        np.mean(indices.ravel() == np.arange(1000, 1500)) > 0.95
    )  # some rows are equal
    assert engine.recall_report(queries).recall >= 0.75
    once = alike.partial_fit(X[1000:])
    for a, b in zip(engine.kneighbors(queries), once.kneighbors(queries)):
        np.testing.assert_array_equal(a, b)


@pytest.mark.parametrize("kind", ["float32", "float64", "sparse"])
def test_added_rows_are_found_before_and_after_they_are_hashed(kind):
    """One by one or at once: the same lists, of rows as queries and within a radius."""
    X, queries = table(kind)
    engine = LSHNeighbors(5, recall=0.9, random_state=0).fit(X[:1000])
    for i in range(1000, 1300):
        engine.partial_fit(X[i : i + 1])
        if i in (1000, 1254, 1255, 1299):  # 256 added rows are hashed
            assert engine._search.n_added == (i - 999) % 256
            once = LSHNeighbors(5, recall=0.9, random_state=0).fit(X[:1000])
            once.partial_fit(X[1000 : i + 1])
            for rows in (queries, None, X[990 : i + 1]):
                for a, b in zip(engine.kneighbors(rows), once.kneighbors(rows)):
                    np.testing.assert_array_equal(a, b)
            near = [
                model.radius_neighbors(X[990:1005], 0.5)[1] for model in (engine, once)
            ]
            for a, b in zip(*near):
                np.testing.assert_array_equal(a, b)
            _, nearest = engine.kneighbors(X[1000 : i + 1], 5)
            is_found = (nearest == np.arange(1000, i + 1)[:, None]).any(axis=1)
            assert is_found.mean() > 0.95  # some rows are equal
            alone = engine.kneighbors(return_distance=False)
            assert not np.any(alone == np.arange(i + 1)[:, None])
    report, curve = engine.recall_report(queries), engine.recall_curve(queries, [0.9])
    assert min(report.recall, curve.recall[0]) > 0.85


def test_word_vectors():
    """GloVe, 25 columns, cosine: the recall reaches the parameter."""
    path = shared_path("glove_twitter_25d_subset.tsv.gz")
    rows = np.loadtxt(
        path,
        delimiter="\t",
        skiprows=1,
        usecols=range(1, 26),
        comments=None,
        dtype=np.float32,
    )
    engine = LSHNeighbors(10, metric="cosine", random_state=0, n_jobs=2).fit(
        rows[:-500]
    )
    assert engine.recall_report(rows[-500:]).recall >= 0.94

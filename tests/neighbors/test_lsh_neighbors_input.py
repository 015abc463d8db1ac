"""LSHNeighbors: unusual rows, hash families, bits and tables, and failed calls."""

import numpy as np
import pytest
from scipy import sparse
from sklearn.frozen import FrozenEstimator
from sklearn.preprocessing import FunctionTransformer, StandardScaler

from sklearn_bayeslazy import LearnedHash, LSHNeighbors, RandomProjectionHash
from tests.helpers.lsh_tables import blobs, documents


def test_clusters_far_from_the_origin_keep_the_recall():
    X, queries, _ = blobs(2000, 30)
    X, queries = X + 1e7, queries + 1e7
    engine = LSHNeighbors(5, recall=0.9, random_state=0).fit(X)
    assert engine.recall_report(queries).recall >= 0.88


def test_equal_rows_are_all_neighbours():
    X = np.zeros((600, 4))
    engine = LSHNeighbors(5, recall=0.8, random_state=0).fit(X)
    distances, indices = engine.kneighbors(X[:10])
    assert np.all(distances == 0)
    assert all(len(set(row)) == 5 for row in indices)


@pytest.mark.parametrize("metric", ["euclidean", "cosine"])
@pytest.mark.parametrize("scale", [1e-300, 1e-160, 1e160, 1e300])
def test_the_scale_of_rows_does_not_change_neighbours(scale, metric):
    X, queries, _ = blobs(700, 6)
    plain = LSHNeighbors(5, metric=metric, recall=1.0).fit(X)
    scaled = LSHNeighbors(5, metric=metric, recall=1.0).fit(X * scale)
    distances, indices = scaled.kneighbors(queries * scale)
    expected, expected_indices = plain.kneighbors(queries)
    np.testing.assert_array_equal(indices, expected_indices)
    size = scale if metric == "euclidean" else 1.0
    np.testing.assert_allclose(distances / size, expected, rtol=1e-6, atol=1e-12)


def test_one_huge_row_does_not_spoil_projections():
    X, queries, _ = blobs(2000, 80)
    X[7] = 1e200
    engine = LSHNeighbors(5, recall=0.9, random_state=0).fit(X)
    assert engine.recall_report(queries).recall >= 0.88
    assert engine.kneighbors(X[[7]], 1)[1][0, 0] == 7


@pytest.mark.parametrize("kind", ["dense", "sparse"])
def test_rows_of_zeros_have_the_cosine_distance_one_from_all(kind):
    X, queries = documents(600)
    X, queries = X.toarray(), queries.toarray()
    X[[3, 50]] = 0.0
    queries[0] = 0.0
    if kind == "sparse":
        X, queries = sparse.csr_array(X), sparse.csr_array(queries)
    engine = LSHNeighbors(5, metric="cosine", recall=1.0).fit(X)
    distances, indices = engine.kneighbors(queries, 600)
    np.testing.assert_array_equal(distances[0], 1.0)
    np.testing.assert_array_equal(indices[0], np.arange(600))
    for i in (1, 2):
        assert distances[i][indices[i] == 3] == 1.0


@pytest.mark.parametrize("metric", ["euclidean", "cosine"])
def test_dense_queries_search_sparse_rows_and_vice_versa(metric):
    X, queries = documents(500)
    for fitted, given in ((X, queries.toarray()), (X.toarray(), queries)):
        engine = LSHNeighbors(5, metric=metric, recall=0.8, random_state=0).fit(fitted)
        same = queries if sparse.issparse(fitted) else queries.toarray()
        for mixed, plain in zip(engine.kneighbors(given), engine.kneighbors(same)):
            np.testing.assert_array_equal(mixed, plain)
        assert engine.partial_fit(given).n_samples_fit_ == 700


def test_a_transformer_to_bits_can_be_the_hash_family():
    X, queries, y = blobs(1500)
    for family in (
        RandomProjectionHash(5, center=True, random_state=1),
        FrozenEstimator(LearnedHash(5).fit(X, y)),
        FunctionTransformer(lambda X: X[:, :4] > 0),
    ):
        engine = LSHNeighbors(5, hash_family=family, recall=0.8, random_state=0)
        assert engine.fit(X).recall_report(queries).recall >= 0.78


@pytest.mark.parametrize(
    ("family", "message"),
    [
        (StandardScaler(), "must return only the values 0 and 1"),
        (
            FunctionTransformer(lambda X: np.ones((len(X), 63))),
            "must return at most 62 bits per row, got 63",
        ),
        (
            FunctionTransformer(lambda X: np.ones(len(X))),
            "must return a 2-D array of bits with 300 rows, got shape",
        ),
    ],
)
def test_a_transformer_that_gives_no_bits_is_an_error(family, message):
    with pytest.raises(ValueError, match=message):
        LSHNeighbors(hash_family=family).fit(blobs(300)[0])


@pytest.mark.parametrize("family", ["balanced", "random_projection"])
def test_bits_that_rows_cannot_fill_are_dropped(family):
    X, queries, _ = blobs(1500)
    engine = LSHNeighbors(5, hash_family=family, n_bits=40, recall=0.9, random_state=0)
    assert engine.fit(X[:1200]).recall_report(queries).recall >= 0.88
    (table_,) = engine._search.index.tables
    assert len(table_.sizes) <= 1200 / 32
    np.testing.assert_array_equal(
        engine.partial_fit(X[1200:]).kneighbors(X, 1)[1].ravel(), np.arange(1500)
    )
    (extended,) = engine._search.index.tables
    assert set(table_.values) <= set(extended.values)


def test_explicit_tables_and_bits_are_used():
    X, queries, _ = blobs(2048)
    engine = LSHNeighbors(5, n_tables=3, n_bits=6, random_state=0).fit(X)
    assert (engine.n_tables_, engine.n_bits_) == (3, 6)
    assert all(48 <= len(table.sizes) <= 64 for table in engine._search.index.tables)
    assert engine.recall_report(queries).recall >= 0.94


def test_a_tree_finds_the_leaf_of_each_row_again():
    X, _, _ = blobs(1500)
    search = LSHNeighbors(random_state=0).fit(X)._search.index
    table_ = search.tables[0]
    projections, _ = search.projection.transform(search.rows)
    codes = table_.hash_function.codes(search.rows, projections)
    np.testing.assert_array_equal(codes, table_.values[table_.bucket_of_rows()])


def test_a_failed_call_keeps_the_former_model():
    X, queries, _ = blobs(600)
    engine = LSHNeighbors(5, random_state=0).fit(X)
    before = engine.kneighbors(queries)[1]
    for change, X_new in (
        ({"n_tables": 0}, X),
        ({"hash_family": "learned"}, X),
        ({"recall": 0}, X),
        ({}, np.full((5, 20), np.nan)),
    ):
        params = engine.get_params()
        with pytest.raises(ValueError):
            engine.set_params(**change).fit(X_new)
        engine.set_params(**params)
    with pytest.raises(ValueError, match="were indexed for metric='euclidean'"):
        engine.set_params(metric="cosine").partial_fit(X)
    engine.set_params(metric="euclidean")
    with pytest.raises(ValueError, match="features"):
        engine.partial_fit(X[:, :3])
    with pytest.raises(ValueError, match="radius must be a number ≥ 0"):
        engine.radius_neighbors(queries)
    with pytest.raises(ValueError, match="mode must be"):
        engine.radius_neighbors_graph(queries, 1.0, mode="weights")
    np.testing.assert_array_equal(engine.kneighbors(queries)[1], before)


@pytest.mark.parametrize("n", [1, 2, 3, 257, 300])
def test_few_rows_are_searched_exactly(n):
    X = np.random.default_rng(0).normal(size=(n, 3))
    engine = LSHNeighbors(5, recall=0.9, random_state=0).fit(X)
    indices = engine.kneighbors(X, 1)[1]
    np.testing.assert_array_equal(indices.ravel(), np.arange(n))
    with pytest.raises(ValueError, match="there are only"):
        engine.kneighbors(X, n + 1)

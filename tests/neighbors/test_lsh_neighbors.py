"""LSHNeighbors against exact search: what is found is true, and enough is found."""

import numpy as np
import pytest
from scipy import sparse
from shared import shared_path
from sklearn.cluster import DBSCAN
from sklearn.datasets import make_blobs
from sklearn.frozen import FrozenEstimator
from sklearn.manifold import TSNE, Isomap
from sklearn.metrics import adjusted_rand_score
from sklearn.model_selection import GridSearchCV
from sklearn.neighbors import KNeighborsClassifier, NearestNeighbors
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer, StandardScaler

from sklearn_bayeslazy import (
    LearnedHash,
    LocallyWeightedRegressor,
    LSHNeighbors,
    RandomProjectionHash,
    ShepardKNN,
)

FAMILIES = ["balanced", "random_projection", "super_bit", "learned"]


def blobs(n=1500, n_columns=20, seed=0, dtype=np.float64):
    """Return rows in clusters, and more of the same to ask for."""
    X, y = make_blobs(n + 200, n_columns, centers=12, random_state=seed)
    return X[:n].astype(dtype), X[n:].astype(dtype), y[:n]


def documents(n=1500, n_words=400, seed=0):
    """Return sparse rows with common words and rare ones."""
    rng = np.random.default_rng(seed)
    share = np.minimum(0.9, 6 / np.arange(1, n_words + 1))
    topics = rng.gamma(0.2, 5, size=(15, n_words))
    rates = share * topics[rng.integers(15, size=n + 200)]
    counts = sparse.csr_array(rng.poisson(rates).astype(np.float64))
    return counts[:n], counts[n:]


def table(kind):
    """Return rows and queries, dense or sparse."""
    if kind == "sparse":
        return documents()
    # More columns in single precision than a sketch has cells.
    n_columns = 90 if kind == "float32" else 18
    X, queries, _ = blobs(n_columns=n_columns, dtype=np.dtype(kind))
    return X, queries


def true_distances(X, queries, metric):
    """Return all distances, in double precision."""
    A, B = (M.toarray() if sparse.issparse(M) else M for M in (queries, X))
    A, B = A.astype(np.float64), B.astype(np.float64)
    if metric == "cosine":
        A, B = (
            M / np.maximum(np.linalg.norm(M, axis=1, keepdims=True), 1e-300)
            for M in (A, B)
        )
        halved = ((A[:, None] - B[None]) ** 2).sum(axis=2) / 2
        empty = (np.abs(A).sum(1) == 0)[:, None] | (np.abs(B).sum(1) == 0)
        return np.where(empty, 1.0, halved)
    return np.sqrt(((A[:, None] - B[None]) ** 2).sum(axis=2))


@pytest.mark.parametrize("kind", ["float32", "float64", "sparse"])
@pytest.mark.parametrize("metric", ["euclidean", "cosine"])
def test_a_recall_of_one_is_exact_search(metric, kind):
    X, queries = table(kind)
    engine = LSHNeighbors(7, metric=metric, recall=1.0, random_state=0).fit(X)
    distances, ids = engine.kneighbors(queries)
    wanted = true_distances(X, queries, metric)
    order = np.argsort(wanted, axis=1, kind="stable")[:, :7]
    if kind != "sparse":  # many documents are equally far but for rounding
        np.testing.assert_array_equal(ids, order)
    for listed in (ids, order):
        np.testing.assert_allclose(
            distances, np.take_along_axis(wanted, listed, axis=1), rtol=1e-9, atol=1e-12
        )
    report = engine.recall_report(queries)
    assert report.recall == 1.0
    assert (report.n_queries, report.n_neighbors) == (200, 7)


@pytest.mark.parametrize("kind", ["float32", "float64", "sparse"])
@pytest.mark.parametrize("family", FAMILIES)
@pytest.mark.parametrize("n_tables", [1, 3])
def test_what_is_found_is_true_sorted_and_full(n_tables, family, kind):
    X, queries = table(kind)
    if family == "learned" and kind == "sparse":
        pytest.skip("learned hashes take dense rows")
    engine = LSHNeighbors(
        6, hash_family=family, n_tables=n_tables, recall=0.6, random_state=0
    )
    engine.fit(X, np.arange(X.shape[0]) % 3)
    wanted = true_distances(X, queries, "euclidean")
    for k in (1, 6, 40, X.shape[0]):
        distances, ids = engine.kneighbors(queries[:20], n_neighbors=k)
        assert ids.shape == (20, k)
        true = np.take_along_axis(wanted[:20], ids, axis=1)
        np.testing.assert_allclose(distances, true, rtol=1e-9, atol=1e-9)
        assert all(len(set(row)) == k for row in ids)
        order = np.lexsort((ids, distances), axis=1)
        np.testing.assert_array_equal(order, np.tile(np.arange(k), (20, 1)))


@pytest.mark.parametrize("metric", ["euclidean", "cosine"])
@pytest.mark.parametrize("family", FAMILIES)
def test_as_much_is_found_as_is_asked_for(family, metric):
    X, queries, y = blobs(4000, 40)
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


def test_as_much_is_found_of_documents():
    X, queries = documents(4000)
    for recall in (0.5, 0.9, 0.99):
        engine = LSHNeighbors(10, metric="cosine", recall=recall, random_state=0)
        assert engine.fit(X).recall_report(queries).recall >= recall - 0.01


def test_the_estimate_is_what_a_count_over_all_rows_says():
    X, _, _ = blobs(2000, 70)  # more columns than a sketch has cells
    engine = LSHNeighbors(5, recall=0.8, random_state=0).fit(X)
    found = engine.kneighbors()[1]
    exact = NearestNeighbors(n_neighbors=5).fit(X).kneighbors()[1]
    recall = np.mean([np.isin(a, b).mean() for a, b in zip(exact, found)])
    # The sample's estimate leaves out no row that is found, so that it errs low.
    deviation = np.diff(engine.recall_interval_)[0] / 2
    assert recall > engine.estimated_recall_ - 2 * deviation
    assert recall < engine.estimated_recall_ + 3 * deviation


@pytest.mark.parametrize("kind", ["float32", "float64", "sparse"])
@pytest.mark.parametrize("metric", ["euclidean", "cosine"])
@pytest.mark.parametrize("family", ["balanced", "super_bit"])
def test_no_answer_depends_on_its_batch(family, metric, kind):
    X, queries = table(kind)
    engine = LSHNeighbors(
        6, metric=metric, hash_family=family, recall=0.7, random_state=0
    ).fit(X)
    distances, ids = engine.kneighbors(queries)
    for i in (0, 77, 199):
        alone = engine.kneighbors(queries[[i]])
        np.testing.assert_array_equal(alone[0][0], distances[i])
        np.testing.assert_array_equal(alone[1][0], ids[i])
    order = np.random.default_rng(0).permutation(200)
    shuffled = engine.set_params(n_jobs=2).kneighbors(queries[order])
    np.testing.assert_array_equal(shuffled[0], distances[order])
    np.testing.assert_array_equal(shuffled[1], ids[order])


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
    ids = engine.kneighbors(return_distance=False)
    assert not np.any(ids == np.arange(len(X))[:, None])
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
    distances, ids = engine.kneighbors(X[1000:], 1)
    assert np.all(distances < 1e-9)
    assert np.mean(ids.ravel() == np.arange(1000, 1500)) > 0.95  # some rows are equal
    assert engine.recall_report(queries).recall >= 0.75
    once = alike.partial_fit(X[1000:])
    for a, b in zip(engine.kneighbors(queries), once.kneighbors(queries)):
        np.testing.assert_array_equal(a, b)


@pytest.mark.parametrize("metric", ["euclidean", "cosine"])
@pytest.mark.parametrize("kind", ["float64", "sparse"])
@pytest.mark.parametrize("n_tables", [1, 2])
def test_all_rows_within_a_radius_are_true(n_tables, kind, metric):
    X, queries = table(kind)
    wanted = true_distances(X, queries, metric)
    radius = np.quantile(wanted, 0.01)
    exact = wanted <= radius
    for recall in (0.9, 1.0):
        engine = LSHNeighbors(
            10, metric=metric, recall=recall, n_tables=n_tables, random_state=0
        ).fit(X)
        distances, ids = engine.radius_neighbors(queries, radius)
        found = np.zeros_like(exact)
        for i, (row, apart) in enumerate(zip(ids, distances)):
            found[i, row] = True
            np.testing.assert_allclose(apart, wanted[i, row], rtol=1e-9, atol=1e-9)
            assert len(set(row)) == len(row)
            assert np.all(np.diff(apart) >= 0)
        assert not np.any(found & ~exact)
        if recall == 1.0:
            np.testing.assert_array_equal(found, exact)
        graph = engine.radius_neighbors_graph(queries, radius, mode="distance")
        np.testing.assert_array_equal(np.diff(graph.indptr), found.sum(axis=1))
        np.testing.assert_array_equal(graph.indices, np.concatenate(list(ids)))
    exclude = engine.radius_neighbors(radius=radius, return_distance=False)
    assert not any(i in row for i, row in enumerate(exclude))


def test_a_radius_makes_the_transformer_one_of_radius():
    X, _, _ = blobs(500)
    engine = LSHNeighbors(recall=1.0, radius=3.0, mode="connectivity").fit(X)
    exact = NearestNeighbors(radius=3.0).fit(X).radius_neighbors_graph(X)
    assert (engine.transform(X) != exact).nnz == 0


def test_clusters_far_from_the_origin_are_told_apart():
    X, queries, _ = blobs(2000, 30)
    X, queries = X + 1e7, queries + 1e7
    engine = LSHNeighbors(5, recall=0.9, random_state=0).fit(X)
    assert engine.recall_report(queries).recall >= 0.88


def test_equal_rows_are_all_neighbours():
    X = np.zeros((600, 4))
    engine = LSHNeighbors(5, recall=0.8, random_state=0).fit(X)
    distances, ids = engine.kneighbors(X[:10])
    assert np.all(distances == 0)
    assert all(len(set(row)) == 5 for row in ids)


@pytest.mark.parametrize("metric", ["euclidean", "cosine"])
@pytest.mark.parametrize("scale", [1e-300, 1e-160, 1e160, 1e300])
def test_sizes_do_not_matter(scale, metric):
    X, queries, _ = blobs(700, 6)
    plain = LSHNeighbors(5, metric=metric, recall=1.0).fit(X)
    scaled = LSHNeighbors(5, metric=metric, recall=1.0).fit(X * scale)
    distances, ids = scaled.kneighbors(queries * scale)
    wanted, wanted_ids = plain.kneighbors(queries)
    np.testing.assert_array_equal(ids, wanted_ids)
    size = scale if metric == "euclidean" else 1.0
    np.testing.assert_allclose(distances / size, wanted, rtol=1e-6, atol=1e-12)


def test_one_huge_row_spoils_no_sketch():
    X, queries, _ = blobs(2000, 80)
    X[7] = 1e200
    engine = LSHNeighbors(5, recall=0.9, random_state=0).fit(X)
    assert engine.recall_report(queries).recall >= 0.88
    assert engine.kneighbors(X[[7]], 1)[1][0, 0] == 7


@pytest.mark.parametrize("kind", ["dense", "sparse"])
def test_rows_of_zeros_are_apart_from_all_by_angle(kind):
    X, queries = documents(600)
    X, queries = X.toarray(), queries.toarray()
    X[[3, 50]] = 0.0
    queries[0] = 0.0
    if kind == "sparse":
        X, queries = sparse.csr_array(X), sparse.csr_array(queries)
    engine = LSHNeighbors(5, metric="cosine", recall=1.0).fit(X)
    distances, ids = engine.kneighbors(queries, 600)
    np.testing.assert_array_equal(distances[0], 1.0)
    np.testing.assert_array_equal(ids[0], np.arange(600))
    for i in (1, 2):
        assert distances[i][ids[i] == 3] == 1.0


@pytest.mark.parametrize("metric", ["euclidean", "cosine"])
def test_dense_and_sparse_rows_may_meet(metric):
    X, queries = documents(500)
    for fitted, asked in ((X, queries.toarray()), (X.toarray(), queries)):
        engine = LSHNeighbors(5, metric=metric, recall=0.8, random_state=0).fit(fitted)
        same = queries if sparse.issparse(fitted) else queries.toarray()
        for mixed, plain in zip(engine.kneighbors(asked), engine.kneighbors(same)):
            np.testing.assert_array_equal(mixed, plain)
        assert engine.partial_fit(asked).n_samples_fit_ == 700


def test_a_transformer_to_bits_can_be_the_hash():
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
        (StandardScaler(), "must give at most 62 bits, 0 or 1"),
        (FunctionTransformer(lambda X: np.ones((len(X), 63))), "got 63 numbers a row"),
        (
            FunctionTransformer(lambda X: np.ones(len(X))),
            "an array of bits, a row each",
        ),
    ],
)
def test_what_gives_no_bits_is_refused(family, message):
    with pytest.raises(ValueError, match=message):
        LSHNeighbors(hash_family=family).fit(blobs(300)[0])


@pytest.mark.parametrize("family", ["balanced", "random_projection"])
def test_bits_beyond_what_rows_can_fill_cost_nothing(family):
    X, queries, _ = blobs(1500)
    engine = LSHNeighbors(5, hash_family=family, n_bits=40, recall=0.9, random_state=0)
    assert engine.fit(X[:1200]).recall_report(queries).recall >= 0.88
    (table_,) = engine._search.tables
    assert len(table_.sizes) <= 1200 / 32
    np.testing.assert_array_equal(
        engine.partial_fit(X[1200:]).kneighbors(X, 1)[1].ravel(), np.arange(1500)
    )
    (extended,) = engine._search.tables
    assert set(table_.values) <= set(extended.values)


def test_explicit_tables_and_bits_are_taken():
    X, queries, _ = blobs(2048)
    engine = LSHNeighbors(5, n_tables=3, n_bits=6, random_state=0).fit(X)
    assert (engine.n_tables_, engine.n_bits_) == (3, 6)
    assert [len(table.sizes) for table in engine._search.tables] == [64] * 3
    for table_ in engine._search.tables:
        assert table_.sizes.max() - table_.sizes.min() <= 1  # balanced
    assert engine.recall_report(queries).recall >= 0.94


def test_a_tree_finds_the_leaf_of_each_row_again():
    X, _, _ = blobs(1500)
    search = LSHNeighbors(random_state=0).fit(X)._search
    table_ = search.tables[0]
    projections, _ = search.projection.transform(search.rows)
    codes = table_.hash_function.codes(search.rows, projections)
    np.testing.assert_array_equal(codes, table_.row_codes())


def test_a_failed_call_leaves_the_former_model():
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
    with pytest.raises(ValueError, match="were hashed for metric='euclidean'"):
        engine.set_params(metric="cosine").partial_fit(X)
    engine.set_params(metric="euclidean")
    with pytest.raises(ValueError, match="features"):
        engine.partial_fit(X[:, :3])
    with pytest.raises(ValueError, match="radius must be a number ≥ 0, got None"):
        engine.radius_neighbors(queries)
    with pytest.raises(ValueError, match="mode must be"):
        engine.radius_neighbors_graph(queries, 1.0, mode="weights")
    np.testing.assert_array_equal(engine.kneighbors(queries)[1], before)


@pytest.mark.parametrize("n", [1, 2, 3, 257, 300])
def test_few_rows_are_enough(n):
    X = np.random.default_rng(0).normal(size=(n, 3))
    engine = LSHNeighbors(5, recall=0.9, random_state=0).fit(X)
    ids = engine.kneighbors(X, 1)[1]
    np.testing.assert_array_equal(ids.ravel(), np.arange(n))
    with pytest.raises(ValueError, match="there are only"):
        engine.kneighbors(X, n + 1)


def test_word_vectors():
    """GloVe, 25 columns: the recall asked for, by angle."""
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


def graph_users():
    """Return what takes a graph of neighbours, by name."""
    return {
        "votes": KNeighborsClassifier(5, metric="precomputed"),
        "isomap": Isomap(n_neighbors=6, metric="precomputed"),
        "t-SNE": TSNE(
            metric="precomputed", init="random", perplexity=4, max_iter=250, n_jobs=1
        ),
    }


@pytest.mark.parametrize("name", graph_users())
def test_it_stands_in_front_of_what_takes_a_graph(name):
    X = np.random.default_rng(0).uniform(size=(320, 3))
    y = (X[:, 0] > 0.5).astype(int)
    engine = LSHNeighbors(20, recall=0.9, random_state=0)
    make_pipeline(engine, graph_users()[name]).fit(X, y)


def test_clusters_are_those_of_an_exact_graph():
    X, _, _y = blobs(600, 6)
    model = make_pipeline(
        LSHNeighbors(20, radius=3.5, recall=0.99, random_state=0),
        DBSCAN(metric="precomputed", eps=3.5, min_samples=5),
    )
    labels = model.fit_predict(X)
    assert adjusted_rand_score(labels, DBSCAN(eps=3.5).fit_predict(X)) > 0.99


def test_a_grid_chooses_how_many_vote():
    X, queries, y = blobs(500, 6)
    model = make_pipeline(
        LSHNeighbors(30, random_state=0), KNeighborsClassifier(metric="precomputed")
    )
    grid = GridSearchCV(
        model, {"kneighborsclassifier__n_neighbors": [1, 5, 25]}, cv=3, n_jobs=2
    )
    assert grid.fit(X, y).best_score_ > 0.95
    assert set(grid.predict(queries)) <= set(y)


@pytest.mark.parametrize("recall", [0.9, 1.0])
def test_votes_and_local_lines_take_it_as_an_engine(recall):
    X, queries, y = blobs(800, 6)
    engine = LSHNeighbors(30, recall=recall, random_state=0)
    exact = ShepardKNN(7).fit(X, y).predict_proba(queries)
    hashed = ShepardKNN(7, algorithm=engine).fit(X, y).predict_proba(queries)
    target = X[:, 0] * X[:, 1]
    lines = LocallyWeightedRegressor(ridge=0.01).fit(X, target).predict(queries)
    near = LocallyWeightedRegressor(ridge=0.01, algorithm=engine).fit(X, target)
    if recall == 1.0:
        np.testing.assert_allclose(hashed, exact, rtol=1e-9, atol=1e-12)
        np.testing.assert_allclose(near.predict(queries), lines, rtol=1e-6, atol=1e-6)
    else:
        assert np.mean(np.abs(hashed - exact)) < 0.02
        assert np.corrcoef(near.predict(queries), lines)[0, 1] > 0.95

"""LSHNeighbors: rows within a radius, graphs for other estimators, and engines."""

import numpy as np
import pytest
from sklearn.cluster import DBSCAN
from sklearn.manifold import TSNE, Isomap
from sklearn.metrics import adjusted_rand_score
from sklearn.model_selection import GridSearchCV
from sklearn.neighbors import KNeighborsClassifier, NearestNeighbors
from sklearn.pipeline import make_pipeline

from sklearn_bayeslazy import LocallyWeightedRegressor, LSHNeighbors
from tests.helpers.lsh_tables import blobs, table, true_distances
from tests.helpers.shepard_knn_classical import classical_knn


def graph_users():
    """Return estimators that take a graph of neighbours, by name."""
    return {
        "votes": KNeighborsClassifier(5, metric="precomputed"),
        "isomap": Isomap(n_neighbors=6, metric="precomputed"),
        "t-SNE": TSNE(
            metric="precomputed", init="random", perplexity=4, max_iter=250, n_jobs=1
        ),
    }


@pytest.mark.parametrize("name", graph_users())
def test_lsh_graphs_feed_estimators_that_take_a_graph(name):
    X = np.random.default_rng(0).uniform(size=(320, 3))
    y = (X[:, 0] > 0.5).astype(int)
    engine = LSHNeighbors(20, recall=0.9, random_state=0)
    make_pipeline(engine, graph_users()[name]).fit(X, y)


def test_dbscan_finds_the_clusters_of_an_exact_graph():
    X, _, _y = blobs(600, 6)
    model = make_pipeline(
        LSHNeighbors(20, radius=2.5, recall=0.99, random_state=0),
        DBSCAN(metric="precomputed", eps=2.5, min_samples=5),
    )
    labels = model.fit_predict(X)
    assert adjusted_rand_score(labels, DBSCAN(eps=2.5).fit_predict(X)) > 0.99


def test_grid_search_chooses_the_number_of_neighbours():
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
def test_shepard_and_local_regression_take_lsh_as_an_engine(recall):
    X, queries, y = blobs(800, 6)
    engine = LSHNeighbors(30, recall=recall, random_state=0)
    exact = classical_knn(7).fit(X, y).predict_proba(queries)
    hashed = classical_knn(7, algorithm=engine).fit(X, y).predict_proba(queries)
    target = X[:, 0] * X[:, 1]
    line = {"degree": 1, "n_neighbors": 30, "scale": None, "ridge": 0.01}
    lines = LocallyWeightedRegressor(**line).fit(X, target).predict(queries)
    near = LocallyWeightedRegressor(**line, algorithm=engine).fit(X, target)
    if recall == 1.0:
        np.testing.assert_allclose(hashed, exact, rtol=1e-9, atol=1e-12)
        np.testing.assert_allclose(near.predict(queries), lines, rtol=1e-6, atol=1e-6)
    else:
        assert np.mean(np.abs(hashed - exact)) < 0.02
        assert np.corrcoef(near.predict(queries), lines)[0, 1] > 0.95


def test_with_a_radius_transform_returns_the_radius_graph():
    X, _, _ = blobs(500)
    engine = LSHNeighbors(recall=1.0, radius=3.0, mode="connectivity").fit(X)
    exact = NearestNeighbors(radius=3.0).fit(X).radius_neighbors_graph(X)
    assert (engine.transform(X) != exact).nnz == 0


@pytest.mark.parametrize("metric", ["euclidean", "cosine"])
@pytest.mark.parametrize("kind", ["float64", "sparse"])
@pytest.mark.parametrize("n_tables", [1, 2])
def test_rows_within_a_radius_have_true_distances(n_tables, kind, metric):
    X, queries = table(kind)
    X, expected = X[:800], true_distances(kind, metric)[:, :800]
    radius = np.quantile(expected, 0.01)
    exact = expected <= radius
    for recall in (0.9, 1.0):
        engine = LSHNeighbors(
            10, metric=metric, recall=recall, n_tables=n_tables, random_state=0
        ).fit(X)
        distances, indices = engine.radius_neighbors(queries, radius)
        found = np.zeros_like(exact)
        for i, (row, gaps) in enumerate(zip(indices, distances)):
            found[i, row] = True
            np.testing.assert_allclose(gaps, expected[i, row], rtol=1e-9, atol=1e-9)
            assert len(set(row)) == len(row)
            assert np.all(np.diff(gaps) >= 0)
        assert not np.any(found & ~exact)
        if recall == 1.0:
            np.testing.assert_array_equal(found, exact)
        graph = engine.radius_neighbors_graph(queries, radius, mode="distance")
        np.testing.assert_array_equal(np.diff(graph.indptr), found.sum(axis=1))
        np.testing.assert_array_equal(graph.indices, np.concatenate(list(indices)))
    of_training_rows = engine.radius_neighbors(radius=radius, return_distance=False)
    assert not any(i in row for i, row in enumerate(of_training_rows))

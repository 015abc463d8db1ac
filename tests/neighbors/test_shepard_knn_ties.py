"""Rows at the k-th distance share what is left of k: no answer depends on row order.

Code under test: `search/_ties.py`.
"""

import numpy as np
import pytest
from scipy import sparse
from sklearn.neighbors import NearestNeighbors

from sklearn_bayeslazy.testing import answers
from tests.helpers.neighbors_by_hand import (
    means,
    metric_of,
    probabilities,
    table_of_distances,
)
from tests.helpers.shepard_knn_classical import (
    classical_knn,
    classical_knn_regressor,
    euclidean_knn,
    euclidean_knn_regressor,
)

# Kinds of tables and searches, each with its own pass over the tied rows.
SEARCHES = {
    "brute": {"algorithm": "brute"},
    "tree": {"algorithm": "kd_tree"},
    "manhattan": {"algorithm": "brute", "metric": "manhattan"},
    "manhattan tree": {"algorithm": "kd_tree", "metric": "manhattan"},
    "cosine": {"metric": "cosine"},
    "nan_euclidean": {"metric": "nan_euclidean"},
    "sparse": {},
    "sparse cosine": {"metric": "cosine"},
}
# Cosines that are equal on paper differ by roundings: such rows do not tie.
exact_searches = [name for name in SEARCHES if "cosine" not in name]
every_search = pytest.mark.parametrize("search", SEARCHES)
both = pytest.mark.parametrize("estimator", [euclidean_knn, euclidean_knn_regressor])


def draw_noise(seed, n=120, d=12):
    """Draw binary columns independent of y: tens of rows at each distance."""
    rng = np.random.default_rng(seed)
    X = rng.integers(0, 2, size=(n, d)).astype(float)
    return X, rng.integers(0, 2, size=n), rng.integers(0, 2, size=(15, d)).astype(float)


def rows_of(search, X):
    return sparse.csr_array(X) if search.startswith("sparse") else X


def draw_weights(kind, n, rng):
    if kind == "none":
        return None
    if kind == "integers":
        return rng.integers(1, 5, size=n).astype(float)
    if kind == "heavy":
        return np.where(rng.random(n) < 0.1, 50.0, 1.0)
    return rng.uniform(0.1, 2.0, size=n)


@pytest.mark.parametrize("search", exact_searches)
@pytest.mark.parametrize("kind", ["none", "integers", "heavy", "fractions"])
@pytest.mark.parametrize("k", [1, 5, 30])
def test_tied_rows_share_by_definition(search, kind, k):
    rng = np.random.default_rng(k)
    X, y, Q = draw_noise(k, d=5 if search == "sparse" else 12)
    weight = draw_weights(kind, len(X), rng)
    params = SEARCHES[search]
    D = table_of_distances(metric_of(params.get("metric", "euclidean"), X), Q, X)
    D = np.round(D, 12)  # equal distances are equal by hand too
    for weighting in ({}, {"weights": "uniform"}, {"power": 1.0}):
        model = classical_knn(k, **params, **weighting)
        model.fit(rows_of(search, X), y, weight)
        np.testing.assert_allclose(
            model.predict_proba(rows_of(search, Q)),
            probabilities(D, y, weight, k=k, **weighting),
            atol=1e-10,
        )
        regressor = classical_knn_regressor(k, **params, **weighting)
        regressor.fit(rows_of(search, X), y, weight)
        np.testing.assert_allclose(
            regressor.predict(rows_of(search, Q)),
            means(D, y.astype(float), weight, k=k, **weighting),
            atol=1e-10,
        )


@every_search
@both
def test_the_order_of_rows_decides_nothing(estimator, search):
    X, y, Q = draw_noise(1)
    weight = draw_weights("fractions", len(X), np.random.default_rng(1))
    order = np.argsort(y, kind="stable")  # sorted by class: the worst order
    for params in ({"n_neighbors": 5}, {}):
        for given in (None, weight):
            models = []
            for rows in (np.arange(len(X)), order, order[::-1]):
                model = estimator(**{**SEARCHES[search], **params})
                w = None if given is None else given[rows]
                models.append(model.fit(rows_of(search, X[rows]), y[rows], w))
            one, *others = models
            for other in others:
                np.testing.assert_allclose(
                    answers(one, rows_of(search, Q)),
                    answers(other, rows_of(search, Q)),
                    atol=1e-12,
                )
                for name in ("mean_log_loss", "mean_squared_error", "mean_accuracy"):
                    if name in one.loo_results_:
                        np.testing.assert_allclose(
                            one.loo_results_[name], other.loo_results_[name], rtol=1e-10
                        )


@every_search
@both
def test_integer_weights_are_repetition_where_rows_tie(estimator, search):
    X, y, Q = draw_noise(2, n=60)
    weight = np.random.default_rng(2).integers(0, 4, size=60)
    copies = np.repeat(np.arange(60), weight)
    for params in ({"n_neighbors": 7}, {}):
        one = estimator(**{**SEARCHES[search], **params})
        one.fit(rows_of(search, X), y, weight)
        other = estimator(**{**SEARCHES[search], **params})
        other.fit(rows_of(search, X[copies]), y[copies])
        np.testing.assert_allclose(
            answers(one, rows_of(search, Q)),
            answers(other, rows_of(search, Q)),
            atol=1e-12,
        )


def test_noise_is_answered_by_the_class_frequencies():
    """On a sorted table of noise, cutting lists by row number would favour "a"."""
    X, y, Q = draw_noise(3, n=2000)
    y = np.sort(y)
    shares = classical_knn(5, weights="uniform").fit(X, y).predict_proba(Q)
    is_hit = np.array([(q == X).all(axis=1).any() for q in Q])
    assert abs(shares[~is_hit, 0].mean() - 0.5) < 0.2
    shares = euclidean_knn().fit(X, y).predict_proba(Q)
    np.testing.assert_allclose(shares[:, 0], (y == 0).mean(), atol=0.1)


def test_a_tie_by_hand():
    """K = 2: the row at 0 votes, and the three at distance 2 share one vote."""
    X, y = [[1.0], [3.0], [-1.0], [3.0], [9.0]], ["a", "b", "b", "c", "a"]
    model = euclidean_knn(2, weights="uniform", m=0).fit(X, y)
    np.testing.assert_allclose(model.predict_proba([[1.0]]), [[1 / 2, 1 / 3, 1 / 6]])
    why = model.explain([[1.0]])
    assert why.rows.tolist() == [[0, 1, 2, 3]]
    np.testing.assert_allclose(why.shares, [[1 / 2, 1 / 6, 1 / 6, 1 / 6]])
    assert model.kneighbors([[1.0]])[1].tolist() == [[0, 1]]
    weighted = euclidean_knn(2, weights="uniform", m=0)
    weighted.fit(X, y, sample_weight=[1, 4, 1, 1, 1])
    np.testing.assert_allclose(
        weighted.predict_proba([[1.0]]), [[1 / 2, 5 / 12, 1 / 12]]
    )


@pytest.mark.parametrize("search", ["brute", "tree", "sparse"])
def test_explanations_list_all_tied_rows(search):
    X, y, Q = draw_noise(4)
    weight = draw_weights("fractions", len(X), np.random.default_rng(4))
    for given in (None, weight):
        model = classical_knn(6, **SEARCHES[search])
        model.fit(rows_of(search, X), y, given)
        why = model.explain(rows_of(search, Q), n_rows=None)
        shares = np.where(why.rows >= 0, why.shares, 0.0)
        expected = [(shares * (why.targets == c)).sum(axis=1) for c in (0, 1)]
        np.testing.assert_allclose(
            np.transpose(expected), model.predict_proba(rows_of(search, Q)), atol=1e-12
        )
        short = model.explain(rows_of(search, Q), n_rows=8)
        width = short.rows.shape[1]
        np.testing.assert_array_equal(short.rows, why.rows[:, :width])
        np.testing.assert_allclose(short.shares, why.shares[:, :width], rtol=1e-12)


@both
def test_threads_and_searches_share_alike(estimator):
    X, y, Q = draw_noise(5, n=400, d=9)
    one = estimator(algorithm="brute").fit(X, y)
    for params in ({"algorithm": "kd_tree"}, {"n_jobs": 2}):
        other = estimator(**params).fit(X, y)
        np.testing.assert_array_equal(answers(one, Q), answers(other, Q))
        for name, values in one.loo_results_.items():
            np.testing.assert_array_equal(values, other.loo_results_[name])


def test_an_engine_shares_ties_within_its_lists():
    X, y, Q = draw_noise(6)
    engine = NearestNeighbors(algorithm="brute")
    model = classical_knn(5, algorithm=engine, weights="uniform").fit(X, y)
    listed = engine.fit(X).kneighbors(Q, 5, return_distance=False)
    np.testing.assert_allclose(model.predict_proba(Q)[:, 1], y[listed].mean(axis=1))

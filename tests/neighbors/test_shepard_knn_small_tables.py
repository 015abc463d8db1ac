"""ShepardKNN on small tables: lists of all rows give what passes over the rows give."""

import pickle

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from sklearn_bayeslazy import LSHNeighbors, ShepardKNN, ShepardKNNRegressor
from sklearn_bayeslazy.neighbors._shepard import _base
from sklearn_bayeslazy.search import _neighbor_lists
from sklearn_bayeslazy.search._hashed import _hashed_search


@pytest.fixture
def table():
    rng = np.random.default_rng(0)
    X = rng.integers(4, size=(60, 3)).astype(float)  # many equal distances
    return X, rng.integers(3, size=60), rng.integers(1, 3, size=60).astype(float)


@pytest.mark.parametrize("estimator", [ShepardKNN, ShepardKNNRegressor])
def test_leaving_out_by_lists_scores_like_passes_over_all_rows(
    estimator, table, monkeypatch
):
    X, y, weight = table
    by_lists = estimator(metric="euclidean").fit(X, y, weight).loo_results_
    monkeypatch.setattr(_base, "MAX_ROWS_TO_LIST", 0)
    by_passes = estimator(metric="euclidean").fit(X, y, weight).loo_results_
    names = [name for name in by_passes if name.startswith("mean_")]
    assert names
    for name in names:
        assert_allclose(by_lists[name], by_passes[name], rtol=1e-12)


@pytest.mark.parametrize("estimator", [ShepardKNN, ShepardKNNRegressor])
def test_listed_ties_give_the_same_bits_as_summed_ties(estimator, table, monkeypatch):
    X, y, weight = table
    model = estimator(n_neighbors=4, power=2, metric="euclidean").fit(X, y, weight)
    listed = model.predict(X), model.predict(None)
    monkeypatch.setattr(_neighbor_lists, "MAX_DISTANCES_TO_LIST", 0)
    assert_array_equal(listed, (model.predict(X), model.predict(None)))


def test_reading_all_rows_of_a_small_table_finds_what_hashing_finds(monkeypatch):
    X = np.random.default_rng(0).normal(size=(80, 4))
    model = LSHNeighbors(n_neighbors=3, random_state=0).fit(X)
    without_estimates = model.kneighbors(X + 0.1)
    monkeypatch.setattr(_hashed_search, "MAX_EXHAUSTIVE_ROWS", 0)
    assert_array_equal(without_estimates, model.kneighbors(X + 0.1))


def test_a_small_table_grows_its_tree_when_rows_are_added():
    X = np.random.default_rng(0).normal(size=(400, 4))
    engine = LSHNeighbors(n_neighbors=3, random_state=0).fit(X[:200])
    copied = pickle.loads(pickle.dumps(engine))
    directions = [
        model.partial_fit(X[200:])._search.index.tables[0].hash_function.directions
        for model in (engine, copied)
    ]
    assert directions[0].shape == (2**engine.n_bits_ - 1, 4)
    assert_array_equal(*directions)
    assert_array_equal(engine.kneighbors(X, 1)[1].ravel(), np.arange(400))


def test_a_small_table_takes_as_many_random_numbers_as_its_trees():
    X = np.random.default_rng(0).normal(size=(200, 4))
    generator, other = (np.random.RandomState(0) for _ in range(2))
    engine = LSHNeighbors(n_tables=2, random_state=generator).fit(X)
    other.permutation(200)  # the rows that a projection is learnt from
    other.random((2, 2**engine.n_bits_ - 1, 2))
    assert generator.randint(10**9) == other.randint(10**9)

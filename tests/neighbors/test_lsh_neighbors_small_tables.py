"""LSHNeighbors on small tables: all rows are measured."""

import pickle

import numpy as np
from numpy.testing import assert_array_equal

from sklearn_bayeslazy import LSHNeighbors
from sklearn_bayeslazy.search._hashed import _hashed_search


def test_reading_all_rows_of_a_small_table_finds_what_hashing_finds(monkeypatch):
    X = np.random.default_rng(0).normal(size=(80, 4))
    model = LSHNeighbors(n_neighbors=3, random_state=0).fit(X)
    without_estimates = model.kneighbors(X + 0.1)
    monkeypatch.setattr(_hashed_search, "MAX_EXHAUSTIVE_ROWS", 0)
    assert_array_equal(without_estimates, model.kneighbors(X + 0.1))


def test_the_tree_of_a_small_table_serves_when_rows_are_added():
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

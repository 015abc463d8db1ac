"""Rows of zeros have the cosine distance 1 from all rows, wherever others lie."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy import sparse

from sklearn_bayeslazy import InvertedIndexNeighbors, LSHNeighbors


@pytest.fixture
def documents():
    """Return sparse rows that are far apart, and rows of zeros among them."""
    rng = np.random.default_rng(0)
    X = sparse.random_array((300, 300), density=0.02, rng=rng).toarray()
    X[::40] = 0.0
    return X


def brute_force(X, k):
    """Return the distances and rows of the k nearest, by (distance, row)."""
    lengths = np.linalg.norm(X, axis=1)
    cosines = X @ X.T / np.where(lengths > 0, lengths, 1.0)[:, None]
    cosines /= np.where(lengths > 0, lengths, 1.0)
    distances = (1 - cosines).round(12)
    rows = np.argsort(distances, axis=1, kind="stable")[:, :k]
    return np.take_along_axis(distances, rows, axis=1), rows


@pytest.mark.parametrize(
    "index",
    [
        InvertedIndexNeighbors(n_neighbors=9),
        LSHNeighbors(n_neighbors=9, metric="cosine", recall=1.0, random_state=0),
    ],
    ids=["inverted index", "hashing"],
)
def test_rows_of_zeros_do_not_hide_nearer_rows(index, documents):
    X = sparse.csr_array(documents)
    distances, rows = index.fit(X).kneighbors(X)
    expected_distances, expected_rows = brute_force(documents, 9)
    assert_allclose(distances, expected_distances, atol=1e-7)
    assert_array_equal(rows, expected_rows)

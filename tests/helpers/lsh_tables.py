"""Tables for the tests of LSHNeighbors, and their distances by brute force."""

from functools import cache

import numpy as np
from scipy import sparse
from sklearn.datasets import make_blobs


def blobs(n=1500, n_columns=20, seed=0, dtype=np.float64, n_queries=200):
    """Return rows in clusters, queries of the same kind, and classes of the rows."""
    X, y = make_blobs(n + n_queries, n_columns, centers=12, random_state=seed)
    return X[:n].astype(dtype), X[n:].astype(dtype), y[:n]


def documents(n=1500, n_words=400, seed=0):
    """Return sparse rows and queries with frequent words and rare ones."""
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
    # In single precision there are more columns than a projection has.
    n_columns = 90 if kind == "float32" else 18
    X, queries, _ = blobs(n_columns=n_columns, dtype=np.dtype(kind))
    return X, queries


@cache
def true_distances(kind, metric):
    """Return the distances of `table(kind)`, in double precision."""
    X, queries = table(kind)
    A, B = (M.toarray() if sparse.issparse(M) else M for M in (queries, X))
    A, B = A.astype(np.float64), B.astype(np.float64)
    if metric == "cosine":
        A, B = (
            M / np.maximum(np.linalg.norm(M, axis=1, keepdims=True), 1e-300)
            for M in (A, B)
        )
        halved = squares(A, B) / 2
        empty = (np.abs(A).sum(1) == 0)[:, None] | (np.abs(B).sum(1) == 0)
        return np.where(empty, 1.0, halved)
    return np.sqrt(squares(A, B))


def squares(A, B):
    """Return all squared distances; a row at a time, which stays in the cache."""
    return np.array([((row - B) ** 2).sum(axis=1) for row in A])

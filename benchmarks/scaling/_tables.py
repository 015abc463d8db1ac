"""The tables of the workloads: columns that depend on the class, words, texts."""

import numpy as np
import pandas as pd
from scipy import sparse


def categories(rows):
    """Return 30 columns of codes 0..9 that depend on five classes."""
    rng = np.random.default_rng(0)
    y = rng.integers(5, size=rows)
    X = (10 * rng.random((rows, 30)) ** (1 + 0.1 * y[:, None])).astype(np.int64)
    return X, y


def numbers(rows, n_columns=20):
    """Return normal columns and five classes."""
    rng = np.random.default_rng(0)
    y = rng.integers(5, size=rows)
    return rng.normal(size=(rows, n_columns)) + 0.2 * y[:, None], y


def targets(rows):
    """Return normal columns and a smooth function of them with noise."""
    X, y = numbers(rows, 8)
    return X, np.sin(X[:, 0]) + X[:, 1] + 0.1 * y


def symbols(rows):
    """Return a frame of 15 columns of strings and two classes."""
    X, y = categories(rows)
    names = [f"column {j}" for j in range(15)]
    return pd.DataFrame(X[:, :15].astype(str), columns=names), y % 2


def counts(rows):
    """Return sparse rows of 50 words out of 20 000, and five classes."""
    rng = np.random.default_rng(0)
    words = (20_000 * rng.random((rows, 50)) ** 3).astype(np.int32)
    starts = np.arange(0, words.size + 1, 50)
    X = sparse.csr_matrix((np.ones(words.size), words.ravel(), starts), (rows, 20_000))
    X.sum_duplicates()
    return X, rng.integers(5, size=rows)


def texts(rows):
    """Return texts of 30 words of 5 000, and two classes."""
    rng = np.random.default_rng(0)
    names = np.array([f"w{k}" for k in range(5000)])
    words = names[(5000 * rng.random((rows, 30)) ** 2).astype(int)]
    return [" ".join(row) for row in words], rng.integers(2, size=rows)

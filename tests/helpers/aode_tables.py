"""Tables for the tests of AODEClassifier."""

import numpy as np

COLUMNS = ["abc", "uv", "pqrs", "xy"]
CLASSES = [0, 1, 2]


def nominal_table(seed, n_rows=40, missing=0.15):
    """Return rows of letters, None where missing, and classes."""
    rng = np.random.default_rng(seed)
    y = rng.integers(3, size=n_rows)
    y[:6] = [0, 1, 2, 0, 1, 2]
    rows = [
        [
            None
            if rng.random() < missing
            else values[(k + rng.integers(3)) % len(values)]
            for values in COLUMNS
        ]
        for k in y
    ]
    return rows, y.tolist()


def values_of(rows):
    """Return the sorted values of each column."""
    return [sorted({row[j] for row in rows} - {None}) for j in range(len(rows[0]))]


def mixed_table(seed, n_rows=200):
    """Return a table of numbers and letters with missing cells, and classes."""
    rng = np.random.default_rng(seed)
    y = rng.integers(3, size=n_rows)
    X = np.empty((n_rows, 5), dtype=object)
    X[:, 0] = rng.normal(size=n_rows) + y
    X[:, 1] = rng.normal(size=n_rows) * (1 + y)
    X[:, 2] = np.array(list("abcd"))[(y + rng.integers(3, size=n_rows)) % 4]
    X[:, 3] = rng.integers(4, size=n_rows).astype(float)
    X[:, 4] = np.array(["u", "v"])[(y + rng.integers(2, size=n_rows)) % 2]
    X[rng.random(X.shape) < 0.1] = None
    return X, y

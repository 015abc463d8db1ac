"""A 64-bit hash of each labelled row, which depends on its cells alone.

Rows that are drawn by their hash are the same in whatever blocks they come.
"""

from hashlib import blake2b

import numpy as np
from scipy import sparse

from ._classes import encode_classes
from ._read import read_table

# The constants of the splitmix64 generator (Steele, Lea and Flood, 2014).
_STEP = np.uint64(0x9E3779B97F4A7C15)
_FIRST, _SECOND = np.uint64(0xBF58476D1CE4E5B9), np.uint64(0x94D049BB133111EB)


def row_keys(X, y=None):
    """Return the hashes of labelled rows, uint64 (n,).

    >>> import numpy as np
    >>> int_keys = row_keys(np.array([[0, 1], [1, 0]]))
    >>> float_keys = row_keys(np.array([[-0.0, 1.0], [1.0, 0.0]]))
    >>> (int_keys == float_keys).tolist(), bool(int_keys[0] == int_keys[1])
    ([True, True], False)
    """
    # X: a frame, a sparse matrix, an array (n, d), or an object array of n documents;
    # y: (n,), class labels. Numbers are hashed by their value, whatever their type, and
    # -0.0 as 0.0.
    with np.errstate(over="ignore"):  # sums and products are modulo 2⁶⁴
        if sparse.issparse(X):
            key = _sparse_keys(X.tocsr())
        elif len(X.shape) == 1:
            key = _label_keys(X)
        else:
            key = _table_keys(read_table(X))
        if y is not None:
            classes, codes = encode_classes(y)
            key = _mixed(key + _STEP) + _label_keys(classes)[codes]
        return _mixed(key)


def _table_keys(table):
    key = np.zeros(table.n_rows, dtype=np.uint64)
    for column in range(table.n_columns):
        labels = table.labels(column)
        if labels is None:
            cells = _number_keys(table.column(column))
        else:  # the last is that of a missing cell, whose code is -1
            cells = np.append(_label_keys(labels.categories), _MISSING)[labels.codes]
        key = _mixed(key + _STEP) + cells
    return key


def _sparse_keys(X):
    X = X.copy()
    X.sum_duplicates()
    cells = _mixed(_number_keys(X.data) + X.indices.astype(np.uint64) * _STEP)
    sums = np.concatenate([np.zeros(1, np.uint64), np.cumsum(cells * (X.data != 0))])
    return sums[X.indptr[1:]] - sums[X.indptr[:-1]]


def _number_keys(numbers):
    numbers = np.asarray(numbers, dtype=np.float64) + 0.0  # -0.0 becomes 0.0
    numbers[np.isnan(numbers)] = np.nan  # of the bits of a NaN, one pattern
    return _mixed(numbers.view(np.uint64))


def _label_keys(labels):
    return np.array([_label_key(label) for label in labels], dtype=np.uint64)


def _label_key(label):
    if isinstance(label, int | float | np.number):  # 1 and 1.0 are equal
        label = float(label)
    text = str(label) if isinstance(label, str) else repr(label)
    digest = blake2b(text.encode("utf-8", "surrogatepass"), digest_size=8).digest()
    return int.from_bytes(digest, "little")


def _mixed(key):
    """Return keys in which each bit depends on all bits of the given ones."""
    key = (key ^ (key >> np.uint64(30))) * _FIRST
    key = (key ^ (key >> np.uint64(27))) * _SECOND
    return key ^ (key >> np.uint64(31))


_MISSING = _number_keys(np.array([np.nan]))[0]

"""A sample of the rows of all blocks, which does not depend on how they are cut."""

from dataclasses import dataclass
from hashlib import blake2b

import numpy as np
from scipy import sparse

from .._core._arrays import kept_rows
from ._copies import HASH_STEP, mixed_keys, number_keys, sparse_keys
from ._frames import concatenate_rows, is_frame, take_rows
from ._labelled_rows import encode_classes
from ._read import read_table
from ._table import Table

_LARGEST_KEY = np.uint64(2**64 - 1)


@dataclass(frozen=True)
class _Part:
    """Some labelled rows with their weights and hashes."""

    X: object
    y: np.ndarray | None
    weight: np.ndarray
    key: np.ndarray
    n_copies: np.ndarray  # int, how many rows of all blocks each stands for

    def take(self, rows):
        y = None if self.y is None else self.y[rows]
        of_rows = self.weight[rows], self.key[rows], self.n_copies[rows]
        return _Part(take_rows(self.X, rows), y, *of_rows)


class RowSample:
    """Distinct rows, drawn by their hashes, with the weights of all their copies."""

    def __init__(self, max_rows):
        # The sample is the max_rows distinct rows with the smallest hashes. A distinct
        # row is drawn with all its copies or not at all, so that the sample of two
        # samples is that of all their rows.
        self.max_rows = max_rows
        self.classes = None  # the sorted class labels of all rows so far
        # Whether no row was left out. A caller that has not added all rows sets it to
        # False.
        self.has_all_rows = True
        # y_name: that of y, if it came as a Series. loo_results: the `loo_results_` of
        # the fit to the sample.
        self.y_name = self.loo_results = None
        self._columns = None  # what `_columns_of` returns
        self._parts = []
        self._n_rows = 0
        self._limit = _LARGEST_KEY  # rows with larger hashes are not in the sample

    def add(self, X, y=None, sample_weight=None, y_name=None):
        """Add the rows of a `Block`; return the sample."""
        if not X.shape[0]:
            return self
        self.y_name = y_name if self.y_name is None else self.y_name
        self._check_columns(_columns_of(X))
        rows, weight = kept_rows(sample_weight, X.shape[0])
        if rows is not None:
            X, y = take_rows(X, rows), None if y is None else y[rows]
        if y is not None:
            self._add_classes(encode_classes(y)[0])
        part = _Part(X, y, weight, row_keys(X, y), np.ones(len(weight), np.int64))
        self._add(part.take(np.flatnonzero(part.key <= self._limit)))
        return self

    def merge(self, other):
        """Add the rows of another sample of the same `max_rows`; return the sample."""
        if other.classes is not None:
            self._add_classes(other.classes)
        self.y_name = other.y_name if self.y_name is None else self.y_name
        self._limit = min(self._limit, other._limit)
        self.has_all_rows = self.has_all_rows and other.has_all_rows
        if other._columns is not None:
            self._check_columns(other._columns)
        for part in other._parts:
            self._add(part)
        return self

    def rows(self):
        """Return X, y and the weights of the sample, sorted by their hashes."""
        # Leave-one-out leaves out one of several equal rows of symbols, as in a table
        # in memory. So copies share their weight, as far as 2 `max_rows` rows allow.
        if not self._parts:
            raise ValueError("The blocks hold no rows: give at least one row.")
        self._compact()
        part = self._parts[0]
        order = np.argsort(part.key)
        n_copies = _limited(part.n_copies[order], 2 * self.max_rows)
        part = part.take(np.repeat(order, n_copies))
        return part.X, part.y, part.weight / np.repeat(n_copies, n_copies)

    def _check_columns(self, columns):
        if self._columns is not None and columns != self._columns:
            raise ValueError(
                "The blocks differ in their columns or in their package: "
                f"{self._columns} and {columns}."
            )
        self._columns = columns

    def _add_classes(self, classes):
        known = [] if self.classes is None else [self.classes]
        self.classes = encode_classes(np.concatenate([*known, classes]))[0]

    def _add(self, part):
        self._parts.append(part)
        self._n_rows += len(part.key)
        if self._n_rows > 2 * self.max_rows:
            self._compact()

    def _compact(self):
        """Keep one copy of each row in the sample, in one part."""
        key = np.concatenate([part.key for part in self._parts])
        distinct, first, of_row = np.unique(key, return_index=True, return_inverse=True)
        if len(distinct) > self.max_rows:
            self.has_all_rows = False
            self._limit = min(self._limit, distinct[self.max_rows - 1])
        weight, n_copies = (
            np.bincount(of_row, np.concatenate(parts))
            for parts in zip(*((part.weight, part.n_copies) for part in self._parts))
        )
        drawn = np.flatnonzero(distinct <= self._limit)
        first = np.sort(first[drawn])
        ends = np.cumsum([len(part.key) for part in self._parts])
        starts = np.append(0, ends[:-1])
        kept = [
            part.take(first[(first >= start) & (first < end)] - start)
            for part, start, end in zip(self._parts, starts, ends)
        ]
        keys = np.concatenate([part.key for part in kept])
        places = np.searchsorted(distinct, keys)
        self._parts = [
            _Part(
                concatenate_rows([part.X for part in kept]),
                None if kept[0].y is None else np.concatenate([p.y for p in kept]),
                weight[places],
                keys,
                n_copies[places].astype(np.int64),
            )
        ]
        self._n_rows = len(keys)


def _limited(n_copies, max_rows):
    """Return numbers of copies, the largest of them cut to sum to max_rows at most.

    >>> _limited(np.array([1, 2, 9, 7]), 9)
    array([1, 2, 3, 3])
    """
    low, high = 1, int(n_copies.max())
    while low < high:
        middle = (low + high + 1) // 2
        fits = np.minimum(n_copies, middle).sum() <= max_rows
        low, high = (middle, high) if fits else (low, middle - 1)
    return np.minimum(n_copies, low)


def _columns_of(X):
    """Return the package of a block, and its names or the number of its columns."""
    package = type(X).__module__.partition(".")[0]
    return package, *(list(X.columns) if is_frame(X) else X.shape[1:])


# A 64-bit hash of each labelled row, which depends on its cells alone.
#
# Rows that are drawn by their hash are the same in whatever blocks they come.


def row_keys(X, y=None):
    """Return the hashes of labelled rows, uint64 (n,).

    >>> import numpy as np
    >>> int_keys = row_keys(np.array([[0, 1], [1, 0]]))
    >>> float_keys = row_keys(np.array([[-0.0, 1.0], [1.0, 0.0]]))
    >>> (int_keys == float_keys).tolist(), bool(int_keys[0] == int_keys[1])
    ([True, True], False)
    """
    # X: a frame, a sparse matrix, an array (n, d), a table that is not sparse, or an
    # object array of n documents; y: (n,), class labels. Numbers are hashed by their
    # value, whatever their type, and -0.0 as 0.0.
    with np.errstate(over="ignore"):  # sums and products are modulo 2⁶⁴
        if sparse.issparse(X):
            key = sparse_keys(X.tocsr())
        elif len(X.shape) == 1:
            key = _label_keys(X)
        else:
            key = _table_keys(X if isinstance(X, Table) else read_table(X))
        if y is not None:
            classes, codes = encode_classes(y)
            key = mixed_keys(key + HASH_STEP) + _label_keys(classes)[codes]
        return mixed_keys(key)


def _table_keys(table):
    key = np.zeros(table.n_rows, dtype=np.uint64)
    for column in range(table.n_columns):
        labels = table.labels(column)
        if labels is None:
            cells = number_keys(table.column(column))
        else:  # the last is that of a missing cell, whose code is -1
            cells = np.append(_label_keys(labels.categories), _MISSING)[labels.codes]
        key = mixed_keys(key + HASH_STEP) + cells
    return key


def _label_keys(labels):
    return np.array([_label_key(label) for label in labels], dtype=np.uint64)


def _label_key(label):
    if isinstance(label, int | float | np.number):  # 1 and 1.0 are equal
        label = float(label)
    text = str(label) if isinstance(label, str) else repr(label)
    digest = blake2b(text.encode("utf-8", "surrogatepass"), digest_size=8).digest()
    return int.from_bytes(digest, "little")


_MISSING = number_keys(np.array([np.nan]))[0]

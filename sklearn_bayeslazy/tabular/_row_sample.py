"""A sample of the rows of all blocks, which does not depend on how they are cut."""

from dataclasses import dataclass

import numpy as np

from .._core._weights import kept_rows
from ._classes import encode_classes
from ._frames import concatenate_rows, is_frame, take_rows
from ._row_keys import row_keys

_LARGEST_KEY = np.uint64(2**64 - 1)


@dataclass(frozen=True)
class _Part:
    """Some labelled rows with their weights and hashes."""

    X: object
    y: np.ndarray | None
    weight: np.ndarray
    key: np.ndarray

    def take(self, rows):
        y = None if self.y is None else self.y[rows]
        return _Part(take_rows(self.X, rows), y, self.weight[rows], self.key[rows])


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
        part = _Part(X, y, weight, row_keys(X, y))
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
        if not self._parts:
            raise ValueError("The blocks hold no rows: give at least one row.")
        self._compact()
        part = self._parts[0]
        part = part.take(np.argsort(part.key))
        return part.X, part.y, part.weight

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
        weight = np.bincount(
            of_row, np.concatenate([part.weight for part in self._parts])
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
        self._parts = [
            _Part(
                concatenate_rows([part.X for part in kept]),
                None if kept[0].y is None else np.concatenate([p.y for p in kept]),
                weight[np.searchsorted(distinct, keys)],
                keys,
            )
        ]
        self._n_rows = len(keys)


def _columns_of(X):
    """Return the package of a block, and its names or the number of its columns."""
    package = type(X).__module__.partition(".")[0]
    return package, *(list(X.columns) if is_frame(X) else X.shape[1:])

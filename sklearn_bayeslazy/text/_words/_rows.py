"""Rows of word counts, dense or sparse, as the stored cells that kernels read.

Dense rows are read in blocks that keep their non-zero cells only. So dense and sparse
data pass through the same loops, and agree to the last bit.
"""

import numpy as np
from scipy import sparse

from ..._core._kernel import frozen
from ..._core._parallel import slices_of
from ...tabular import CellRows

# A block of rows has about this many cells and at most this many rows, so that its
# temporaries stay in the cache and take little memory.
_CELLS_PER_BLOCK = 2**18
_MAX_ROWS_PER_BLOCK = 1024
# Larger numbers times a logarithm, summed over a document, would overflow.
_MAX_COUNT = 1e300


def weigh_terms(X, weighting):
    """Return rows of counts as they are, or log(1 + count) brought to unit length.

    >>> weigh_terms(np.array([[0, 7], [1, 1], [0, 0]]), "log").toarray().round(3)
    array([[0.   , 1.   ],
           [0.707, 0.707],
           [0.   , 0.   ]])
    """
    # weighting: "count" or "log", which returns a CSR matrix.
    if weighting == "count":
        return X
    if not sparse.issparse(X):
        cells = _cells_of_array(X)
        parts = cells.values, cells.positions, cells.starts
        X = sparse.csr_matrix(parts, shape=X.shape)
    elif not X.has_canonical_format:
        X = X.copy()
        X.sum_duplicates()
    check_word_counts(float(X.data.min(initial=0)), float(X.data.max(initial=0)))
    logs = np.log1p(X.data, dtype=np.float64)
    for rows in slices_of(range(X.shape[0]), _MAX_ROWS_PER_BLOCK):
        starts = X.indptr[rows.start : rows.stop + 1]
        row = np.repeat(np.arange(len(starts) - 1), np.diff(starts))
        block = logs[starts[0] : starts[-1]]
        squares = np.bincount(row, block * block, len(starts) - 1)
        block /= np.sqrt(np.where(squares > 0, squares, 1.0))[row]
    return sparse.csr_matrix((logs, X.indices, X.indptr), shape=X.shape)


class TextRows:
    """A matrix of counts or weights of words."""

    # X: ndarray or CSR matrix, (n_rows, n_words). With `distinct` a word must be stored
    # at most once in a row, as counting documents needs. Otherwise duplicate cells add
    # up.

    def __init__(self, X, *, distinct=False):
        if sparse.issparse(X) and distinct and not X.has_canonical_format:
            X = X.copy()
            X.sum_duplicates()
        self.X = X
        self.shape = X.shape
        self.is_sparse = sparse.issparse(X)

    def blocks(self, rows):
        """Yield ``(rows, cells)`` over a slice of rows, in order; check the counts."""
        # `cells` are the `CellRows` of the block, without zeros; values are int64 or
        # float64.
        start = rows.start
        while start < rows.stop:
            block = slice(start, self._end_of_block(start, rows.stop))
            cells = self._cells(block)
            values = cells.values
            check_word_counts(values.min(initial=0), values.max(initial=0))
            yield block, cells
            start = block.stop

    def cells_of(self, rows):
        """Return the cells of some rows (indices), data as float64."""
        part = self.X[rows]
        if self.is_sparse:
            cells = _nonzero_cells(part.indptr, part.indices, part.data)
        else:
            cells = _cells_of_array(part)
        return cells._replace(values=frozen(cells.values, np.float64))

    def _end_of_block(self, start, stop):
        if self.is_sparse:
            full = self.X.indptr[start] + _CELLS_PER_BLOCK
            end = int(np.searchsorted(self.X.indptr, full, side="right")) - 1
        else:
            end = start + _CELLS_PER_BLOCK // max(self.X.shape[1], 1)
        return min(max(end, start + 1), start + _MAX_ROWS_PER_BLOCK, stop)

    def _cells(self, rows):
        if not self.is_sparse:
            return _cells_of_array(self.X[rows])
        indptr = self.X.indptr[rows.start : rows.stop + 1]
        first, last = indptr[0], indptr[-1]
        stored = slice(first, last)
        return _nonzero_cells(
            indptr - first, self.X.indices[stored], self.X.data[stored]
        )


def refuse_raw_texts(X):
    """Raise an error if X holds texts in place of counts."""
    is_column = getattr(X, "ndim", 1) == 1 and not sparse.issparse(X)
    if is_column and hasattr(X, "__len__") and len(X):
        first = next(iter(X))
        if isinstance(first, str | bytes):
            raise ValueError(
                f"TextNB takes counts of words, and X holds texts ({first!r:.40}): put "
                "a CountVectorizer before it, or use LanguageModelNB. (Expected 2D "
                "array, got 1D array instead.)"
            )


def check_word_counts(low, high):
    """Raise an error if numbers from `low` to `high` cannot be counts of words."""
    if low < 0:
        raise ValueError(
            "Negative values in data passed to TextNB (input X): counts and weights of "
            "words must be ≥ 0. HashingVectorizer needs alternate_sign=False, "
            "MinMaxScaler clip=True."
        )
    if high > _MAX_COUNT:
        raise ValueError(
            f"X holds counts above {_MAX_COUNT:g}, too large for sums over a "
            "document: rescale X."
        )


def _frozen_counts(values):
    """Return numbers as kernels read them, int64 or float64."""
    whole = values.dtype.kind in "bi" or values.dtype in (
        np.uint8,
        np.uint16,
        np.uint32,
    )
    return frozen(values, np.int64 if whole else np.float64)


def _cells_of_array(X):
    row, column = np.nonzero(X)
    starts = np.searchsorted(row, np.arange(len(X) + 1))
    return _nonzero_cells(starts, column, X[row, column])


def _nonzero_cells(indptr, column, data):
    """Return the cells that are not 0; the product 0 · log 0 would be undefined."""
    if not data.all():
        kept = data != 0
        indptr = np.append(0, np.cumsum(kept))[indptr]
        column, data = column[kept], data[kept]
    return CellRows(
        frozen(indptr, np.int64), frozen(column, np.int32), _frozen_counts(data)
    )

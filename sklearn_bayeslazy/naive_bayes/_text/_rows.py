"""Rows of word counts, dense or sparse, as the stored cells that kernels walk over.

Dense rows are read in blocks that keep their non-zero cells only, so that dense and
sparse data pass through the same loops, and agree to the last bit.
"""

import numpy as np
from scipy import sparse

from ..._kernel import frozen
from ._word_kernels import store_nonzero, stores_words_twice

# Rows are walked over in blocks of about so many cells, and no more than so many rows:
# what is made of a block stays in the cache, and little memory is ever taken.
_BLOCK_CELLS = 2**18
_BLOCK_ROWS = 1024
# Larger numbers times a logarithm, summed over a document, would overflow.
_LARGEST_COUNT = 1e300


class TextRows:
    """A matrix of counts or weights of words.

    Parameters
    ----------
    X : ndarray or CSR matrix of shape (n_rows, n_words)
    distinct : bool, default=False
        Whether a word must be stored once a row at most, as counting documents needs;
        otherwise cells that are stored twice add up.
    """

    def __init__(self, X, *, distinct=False):
        if sparse.issparse(X) and distinct and _stores_words_twice(X):
            X = X.copy()
            X.sum_duplicates()
        self.X = X
        self.shape = X.shape
        self.is_sparse = sparse.issparse(X)

    def blocks(self, rows):
        """Yield ``(rows, cells)`` over a slice of rows, in order.

        Cells are (indptr, column, data) of the block, as kernels take them; data is
        int64 or float64.
        """
        start = rows.start
        while start < rows.stop:
            block = slice(start, self._end_of_block(start, rows.stop))
            yield block, self._cells(block)
            start = block.stop

    def cells_of(self, rows):
        """Return the cells of some rows (indices), data as float64."""
        if not self.is_sparse:
            indptr, column, data = _cells_of_array(self.X[rows])
        else:
            part = self.X[rows]
            indptr, column, data = part.indptr, part.indices, part.data
        return (
            frozen(indptr, np.int64),
            frozen(column, np.int32),
            frozen(data, np.float64),
        )

    def bytes_per_row(self):
        """Return what the cells of a row take, on average, when they are copied."""
        n_rows, n_words = self.X.shape
        per_row = self.X.nnz / max(n_rows, 1) if self.is_sparse else 2 * n_words
        return 24 * per_row

    def _end_of_block(self, start, stop):
        if self.is_sparse:
            full = self.X.indptr[start] + _BLOCK_CELLS
            end = int(np.searchsorted(self.X.indptr, full, side="right")) - 1
        else:
            end = start + _BLOCK_CELLS // max(self.X.shape[1], 1)
        return min(max(end, start + 1), start + _BLOCK_ROWS, stop)

    def _cells(self, rows):
        if not self.is_sparse:
            return _cells_of_array(self.X[rows])
        indptr = self.X.indptr[rows.start : rows.stop + 1]
        first, last = indptr[0], indptr[-1]
        return (
            frozen(indptr - first, np.int64),
            frozen(self.X.indices[first:last], np.int32),
            frozen_counts(self.X.data[first:last]),
        )


def _stores_words_twice(X):
    if X.has_canonical_format:  # sorted, too
        return False
    indptr, column = frozen(X.indptr, np.int64), frozen(X.indices, np.int32)
    return stores_words_twice(indptr, column, X.shape[1])


def frozen_counts(values):
    """Return numbers as kernels read them, int64 or float64."""
    whole = values.dtype.kind in "bi" or values.dtype in (
        np.uint8,
        np.uint16,
        np.uint32,
    )
    return frozen(values, np.int64 if whole else np.float64)


def _cells_of_array(X):
    block = frozen_counts(X)
    indptr, column, data = store_nonzero(block)
    return frozen(indptr, np.int64), frozen(column, np.int32), frozen_counts(data)


def refuse_texts(X):
    """Raise an error if X holds texts in place of counts."""
    if getattr(X, "ndim", 1) == 1 and hasattr(X, "__len__") and len(X):
        first = next(iter(X))
        if isinstance(first, str):
            raise ValueError(
                f"TextNB takes counts of words, and X holds texts ({first!r:.40}): put "
                "a CountVectorizer before it, or take LanguageModelNB. (Expected 2D "
                "array, got 1D array instead.)"
            )


def check_counts(low, high):
    """Raise an error if numbers from `low` to `high` cannot be counts of words."""
    if low < 0:
        raise ValueError(
            "Negative values in data passed to TextNB (input X): counts and weights of "
            "words must be ≥ 0. HashingVectorizer needs alternate_sign=False, "
            "MinMaxScaler clip=True."
        )
    if high > _LARGEST_COUNT:
        raise ValueError(
            f"X holds counts above {_LARGEST_COUNT:g}, too large for sums over a "
            "document: rescale X."
        )

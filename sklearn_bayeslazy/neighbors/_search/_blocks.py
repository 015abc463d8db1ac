"""Training rows in blocks, column after column, so that loops over rows vectorise.

A sum over the columns of one row cannot be vectorised without changing its rounding.
Turned around it can: for each column, add one term to the distances of all rows of a
block. Each distance is then summed in the order of the columns, whatever else is
computed beside it: the same bits in every search.
"""

from dataclasses import dataclass

import numpy as np

# Distances of a block, 2 KiB, and a block of eight columns stay in the first cache.
BLOCK = 256
# Small segments get narrower blocks, in steps of the lanes of a vector register.
LANES = 8
# So many are copied at a time.
_CELLS = 2**16


@dataclass
class Blocks:
    """Rows cut into blocks of equal width.

    Attributes
    ----------
    cells : ndarray of shape (n_blocks, n_features, width)
        Infinite where a block has no row.
    indices : int array of shape (n_blocks, width)
        Which row it is; -1 where there is none.
    """

    cells: np.ndarray
    indices: np.ndarray

    @property
    def n_rows(self):
        """Return how many rows there are."""
        return int((self.indices >= 0).sum())

    def rows(self):
        """Return the rows in their own order, of shape (n_rows, n_features)."""
        there = self.indices >= 0
        rows = np.empty((self.n_rows, self.cells.shape[1]))
        rows[self.indices[there]] = self.cells.transpose(0, 2, 1)[there]
        return rows

    def spread(self, values, empty=0.0):
        """Return an array of shape (n_rows,) laid out like `ids`."""
        return np.where(self.indices >= 0, values[self.indices], empty)


def in_blocks(X, segments, width=BLOCK):
    """Cut rows into blocks, none of which holds rows of two segments.

    Parameters
    ----------
    X : ndarray of shape (n, n_features)
    segments : list of int arrays
        Row numbers, each row in one segment.
    width : int

    Returns
    -------
    Blocks

    Examples
    --------
    >>> blocks = in_blocks(np.array([[1.0], [2.0], [3.0]]), [[0, 2], [1]], width=2)
    >>> blocks.indices
    array([[ 0,  2],
           [ 1, -1]])
    >>> blocks.cells[:, 0]
    array([[ 1.,  3.],
           [ 2., inf]])
    """
    ids = block_ids(segments, width)
    cells = np.empty((len(ids), X.shape[1], width))
    step = max(_CELLS // (X.shape[1] * width), 1)
    for first in range(0, len(ids), step):
        some = slice(first, first + step)
        cells[some] = X[ids[some]].transpose(0, 2, 1)
    cells.transpose(0, 2, 1)[ids < 0] = np.inf
    return Blocks(cells, ids)


def width_for(segments):
    """Return a width that leaves less than half of the blocks' places empty, or so."""
    mean = sum(map(len, segments)) / len(segments)
    return int(min(BLOCK, LANES * np.ceil(mean / LANES)))


def block_ids(segments, width=BLOCK):
    """Return the row numbers of the blocks of `in_blocks`, -1 for none."""
    lengths = np.array([len(segment) for segment in segments])
    padded = -(-lengths // width) * width
    ids = np.full(padded.sum(), -1, dtype=np.int64)
    shifts = np.cumsum(padded - lengths) - (padded - lengths)
    ids[np.arange(lengths.sum()) + np.repeat(shifts, lengths)] = np.hstack(segments)
    return ids.reshape(-1, width)

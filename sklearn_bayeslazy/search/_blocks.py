"""Training rows in blocks, column after column, so that loops over rows vectorise.

A sum over the columns of one row cannot be vectorised without changing its rounding.
The loop over the rows of a block can: for each column, it adds one term to the distance
of every row. So each distance is summed in the order of the columns, and is the same to
the last bit in every search.
"""

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from .._core._kernel import frozen
from .._core._parallel import map_chunks

# Rows of a block: its distances (2 KiB) and eight of its columns fit the L1 cache.
BLOCK = 256
# Small segments get narrower blocks: multiples of the lanes of a vector register.
LANES = 8
# Cells that are copied at a time.
_CELLS_PER_COPY = 2**16
# Fewer cells are copied on one thread, in about a millisecond.
_MIN_CELLS_PER_TASK = 2**19


@dataclass
class Blocks:
    """Rows cut into blocks of equal width."""

    cells: np.ndarray  # (n_blocks, n_features, width); inf where a block has no row
    indices: np.ndarray  # (n_blocks, width), row numbers; -1 where a block has no row

    @property
    def n_rows(self):
        """Return the number of rows."""
        return int((self.indices >= 0).sum())

    def rows(self):
        """Return the rows in their original order, of shape (n_rows, n_features)."""
        rows = np.empty((self.n_rows, self.cells.shape[1]))
        for some in self.chunks():
            filled = self.indices[some] >= 0
            cells = self.cells[some].transpose(0, 2, 1)
            rows[self.indices[some][filled]] = cells[filled]
        return rows

    def take(self, rows):
        """Return the rows of some numbers, of shape (m, n_features)."""
        blocks, positions = np.divmod(self._positions[rows], self.cells.shape[2])
        return self.cells[blocks, :, positions]

    @cached_property
    def _positions(self):
        """Return where each row is in `indices`, the blocks one after the other."""
        flat = self.indices.ravel()
        filled = np.flatnonzero(flat >= 0)
        positions = np.empty_like(filled)
        positions[flat[filled]] = filled
        return positions

    def __getstate__(self):
        # The positions are left out, and found again when needed.
        return {name: part for name, part in vars(self).items() if name != "_positions"}

    def chunks(self):
        """Return slices of the blocks, of few cells each."""
        step = max(_CELLS_PER_COPY // max(self.cells[0].size, 1), 1)
        return [slice(i, i + step) for i in range(0, len(self.cells), step)]

    def arrange(self, values, fill=0.0):
        """Return values of the rows, arranged like `indices`."""
        return np.where(self.indices >= 0, values[self.indices], fill)

    def arrays(self):
        """Return cells and indices as kernels read them."""
        return frozen(self.cells, np.float64), frozen(self.indices, np.int64)


def in_blocks(X, segments, width=BLOCK, n_jobs=None):
    """Cut rows into blocks. Each block holds rows of one segment.

    >>> blocks = in_blocks(np.array([[1.0], [2.0], [3.0]]), [[0, 2], [1]], width=2)
    >>> blocks.indices
    array([[ 0,  2],
           [ 1, -1]])
    >>> blocks.cells[:, 0]
    array([[ 1.,  3.],
           [ 2., inf]])
    """
    # X: (n, n_features); segments: int arrays of row numbers, each row in one of them.
    # n_jobs: number of threads that copy the rows.
    indices = block_indices(segments, width)
    cells = np.empty((len(indices), X.shape[1], width))
    blocks = Blocks(cells, indices)

    def copy(some):
        for few in Blocks(cells[some], indices[some]).chunks():
            cells[some][few] = _rows_of(X, indices[some][few]).transpose(0, 2, 1)
        cells[some].transpose(0, 2, 1)[indices[some] < 0] = np.inf

    min_blocks = -(-_MIN_CELLS_PER_TASK // max(cells[0].size, 1))
    map_chunks(copy, len(indices), 1, n_jobs=n_jobs, min_rows=min_blocks)
    return blocks


def _rows_of(X, indices):
    """Return ``X[indices]``; consecutive rows are not copied first."""
    flat = indices.ravel()
    if (flat[1:] - flat[:-1] == 1).all():
        return X[flat[0] : flat[-1] + 1].reshape(*indices.shape, X.shape[1])
    return X[indices]


def width_for(segments):
    """Return a width of blocks that leaves at most about half of their cells empty."""
    mean = sum(map(len, segments)) / len(segments)
    return int(min(BLOCK, LANES * np.ceil(mean / LANES)))


def block_indices(segments, width=BLOCK):
    """Return the row numbers of the blocks of `in_blocks`, -1 for no row."""
    lengths = np.array([len(segment) for segment in segments])
    padded = -(-lengths // width) * width
    indices = np.full(padded.sum(), -1, dtype=np.int64)
    shifts = np.cumsum(padded - lengths) - (padded - lengths)
    indices[np.arange(lengths.sum()) + np.repeat(shifts, lengths)] = np.hstack(segments)
    return indices.reshape(-1, width)

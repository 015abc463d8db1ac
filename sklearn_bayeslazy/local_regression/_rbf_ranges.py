"""The ranges in which radial basis functions are trusted, with and without each row.

Between few rows the weights of overlapping functions are large and of both signs.
Outside the rows, where they no longer cancel, their sum can be anything.
"""

from dataclasses import dataclass

import numpy as np

from .._core._parallel import cache_sized_slices


@dataclass(frozen=True)
class Ranges:
    """The range of each column of the training rows, and those without a row."""

    low: np.ndarray  # (2, d): the least of all rows, and of those but `lowest`
    high: np.ndarray  # (2, d)
    lowest: np.ndarray  # (d,), the row of the least
    highest: np.ndarray  # (d,)

    @classmethod
    def of(cls, rows, is_bounded=True):
        """Return the ranges of rows (n, d); columns that are not bounded have none."""
        low, lowest = _two_least(rows, 1.0)
        high, highest = _two_least(rows, -1.0)
        low, high = np.where(is_bounded, (low, -high), [[[-np.inf]], [[np.inf]]])
        return cls(low, high, lowest, highest)

    def times(self, weights):
        """Return the ranges of the rows times weights (d,) above 0."""
        return Ranges(
            self.low * weights, self.high * weights, self.lowest, self.highest
        )

    def clip(self, points, without=None):
        """Return the nearest points (m, d) in the ranges, or in those without a row.

        >>> ranges = Ranges.of(np.array([[0.0], [4.0], [6.0]]))
        >>> ranges.clip(np.array([[-1.0], [7.0]])).ravel()
        array([0., 6.])
        >>> ranges.clip(np.array([[-1.0], [7.0]]), without=2).ravel()
        array([0., 4.])
        """
        low = np.where(self.lowest == without, self.low[1], self.low[0])
        high = np.where(self.highest == without, self.high[1], self.high[0])
        return np.clip(points, low, high)

    def extreme_rows(self):
        """Return the rows without which a range is narrower, as indices."""
        of_low = self.lowest[self.low[0] < self.low[1]]
        of_high = self.highest[self.high[0] > self.high[1]]
        return np.unique(np.concatenate([of_low, of_high]))

    def extremes_among(self, some):
        """Return the positions of those rows among some, (m,) indices of rows."""
        return np.flatnonzero(np.isin(some, self.extreme_rows()))

    def clip_each(self, values, some):
        """Return values (…, m, d) of some rows, each in the ranges without its row."""
        clipped = self.clip(values)
        for j in self.extremes_among(some):
            clipped[..., j, :] = self.clip(clipped[..., j, :], without=some[j])
        return clipped

    def outside_of_others(self, rows, some):
        """Return which of some rows lie outside the others, and the nearest points."""
        # some: (m,), indices of rows. Returned: (h,), positions in `some`, and (h, d).
        positions = self.extremes_among(some)
        of_rows = some[positions]
        return positions, self.clip_each(rows[of_rows], of_rows)


def _two_least(rows, sign):
    """Return the two least of sign times each column, and the row of the least."""
    # Returned: (2, d), of which the second is inf if there is one row, and (d,).
    n_columns = rows.shape[1]
    columns = np.arange(n_columns)
    least, row = np.full((2, n_columns), np.inf), np.zeros(n_columns, dtype=np.int64)
    for some in cache_sized_slices(range(rows.shape[0]), n_columns):
        block = sign * rows[some]
        here = block.argmin(axis=0)
        lowest = block[here, columns]
        block[here, columns] = np.inf
        row = np.where(lowest < least[0], some.start + here, row)
        least = np.sort(np.vstack([least, lowest, block.min(axis=0)]), axis=0)[:2]
    return least, row

"""Rows of any table as points among which radial basis functions measure distances.

A column of numbers is divided by its scale; a missing cell becomes the mean. Two
symbols of a column (strings, categories, booleans) are `SYMBOL_DISTANCE` apart if the
column has at most ten of them; more symbols become the m-estimated means
of the targets, for training rows without the row itself. Each column can then be
multiplied by a weight that grows with its relevance for the targets.
"""

import numpy as np

from .._core._arrays import as_float_array
from ..search import EncodedRows, TableColumns, column_relevance, relevance_weights
from ._scales import column_scales

# Chosen on all tables of ``python -m benchmarks.accuracy_out_of_the_box`` together, as
# the power of the relevance.
SYMBOL_DISTANCE = 2.0
RELEVANCE_POWER = 0.25


class RowEncoder:
    """Maps rows of tables to points, by what it learnt from the training rows."""

    # table: the training rows; targets: (n, n_targets), indicators of the classes or
    # standardised numbers; sample_weight: (n,), integer weights equal repetition;
    # scale: as in `column_scales`, not read for columns of symbols. The attribute scale
    # is (n_features,), 1 for columns of symbols; column_of: (n_encoded,), the column of
    # the table that each encoded column comes from.

    def __init__(self, table, targets, sample_weight, scale):
        self._columns = columns = TableColumns(
            table, targets, sample_weight, symbols="indicators"
        )
        self.column_of, self.has_symbols = columns.column_of, columns.has_symbols
        is_number = columns.is_number
        self.scale = np.ones(table.n_columns)
        numeric = columns.column_of[is_number]
        if isinstance(scale, str) or scale is None:
            cells = table.numbers(numeric, slice(0, table.n_rows))
            self.scale[numeric] = column_scales(scale, cells, sample_weight)
        else:
            given = column_scales(scale, np.empty((0, table.n_columns)), sample_weight)
            self.scale[numeric] = given[numeric]
        # Two symbols that become indicators are at distance 1.
        factors = np.where(is_number, 1.0, SYMBOL_DISTANCE)
        self._divisor = self.scale[self.column_of] / factors
        # Distances are those of the rows minus the medians. So rounding errors of a
        # column of large, nearly equal numbers do not count.
        medians = np.zeros(len(is_number))
        cells = columns.transform(table)
        for j in np.flatnonzero(is_number):
            medians[j] = _median(cells[:, j], sample_weight)
        with np.errstate(over="ignore"):  # refused by `training_rows`
            self._center = medians / self._divisor

    def transform(self, table):
        """Return the points of new rows, of shape (m, n_encoded)."""
        # A symbol that no training row has counts as a missing cell.
        return self._scaled(self._columns.transform(table))

    def training_rows(self, table, targets, sample_weight):
        """Return the points of the training rows, each encoded without its target."""
        # Without symbols they are `EncodedRows`, which take no memory.
        if not self.has_symbols:
            return EncodedRows(table, self.transform)
        rows = self._columns.training_rows(table, targets, sample_weight)
        return self._scaled(rows)

    def in_units_of_the_table(self, points):
        """Return points with numbers in the units of the table, symbols encoded."""
        with np.errstate(over="ignore"):
            rows = (points + self._center) * self._divisor
        # Points between rows are finite; rounding may exceed the largest float.
        largest = np.finfo(np.float64).max
        return np.clip(rows, -largest, largest)

    def _scaled(self, rows):
        with np.errstate(over="ignore", invalid="ignore"):
            points = rows / self._divisor
            points -= self._center
        if not np.isfinite(points).all():
            raise ValueError(
                "Rows overflow once divided by scale: give a larger scale."
            )
        return points


def _median(column, sample_weight):
    """Return the lower weighted median, a cell of the column.

    >>> _median(np.array([7.0, 5.0, 6.0]), np.ones(3))
    np.float64(6.0)
    """
    order = np.argsort(column, kind="stable")
    cumulative = np.cumsum(sample_weight[order])
    return column[order[np.searchsorted(cumulative, cumulative[-1] / 2)]]


def relative_relevance_weights(table, targets, sample_weight):
    """Return (ρ / max ρ)^¼ for each column, with ρ its relevance, at least .001."""
    relevance = column_relevance(table, targets, sample_weight)
    keep_all = np.zeros(table.n_columns)  # as columns of numbers
    weights = relevance_weights(relevance, keep_all, RELEVANCE_POWER)
    return weights / weights.max()


def check_feature_weights(given, n_features):
    """Return the weights of the columns that the user gives, checked."""
    weights = as_float_array(given, "feature_weights")
    allowed = (weights > 0) & (weights < np.inf)
    if weights.shape != (n_features,) or not np.all(allowed):
        raise ValueError(
            f"feature_weights must hold {n_features} finite numbers above 0, one for "
            f"each column, got {given!r}."
        )
    return weights

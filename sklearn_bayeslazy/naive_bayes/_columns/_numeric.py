"""Columns of numbers with a parametric density: what Poisson and Gaussian share."""

import copy

import numpy as np

from ._column_distribution import Family

# Below this share of the sum, a difference has lost digits and is summed anew.
SAFE_SHARE = 1e-3


class NumericColumns(Family):
    """Columns whose statistics are arrays of shape (n_classes, n_columns).

    Subclasses name their statistics and say how they are summed, how one row is taken
    out of them, and what log density they lead to.
    """

    statistics = ()

    def __init__(self, columns, names):
        self._columns = np.asarray(columns, dtype=np.int64)
        self.names = names

    @property
    def columns(self):
        """Return the columns of the table that are modelled here."""
        return self._columns

    def spread(self, places, n_classes):
        """Return this family with its classes at `places` among `n_classes`."""
        wide = []
        for values in self._values():
            spread = np.zeros((n_classes, values.shape[1]))
            spread[places] = values
            wide.append(spread)
        return self.with_statistics(wide)

    def merged(self, other):
        """Return this family with the statistics of both."""
        return self.with_statistics(self.add(self._values(), other._values()))

    def statistics_size(self, n_classes):
        """Return how many numbers the statistics are."""
        return len(self.statistics) * n_classes * len(self.columns)

    def refuse_overflow(self, fine):
        """Raise an error naming the first column whose estimates are not `fine`."""
        if not fine.all():
            name = self.names[self.columns[np.argmin(fine)]]
            raise ValueError(
                f"The estimates of column {name!r} overflow float64: rescale the "
                "column, or use a smaller m or prior."
            )

    def leave_out(self, left_out):
        """Return ``add(m, priors, out)`` for rows left out one by one."""
        # Per column: the known rows, their cells, the statistics of their own class.
        columns = []
        for j, column in enumerate(self.columns):
            cells = left_out.batch.table.column(column)
            known = np.flatnonzero(~np.isnan(cells[left_out.rows]))
            own = self._own_class_without(left_out, cells, known, j)
            columns.append((known, cells[left_out.rows[known]], own))

        def add_terms(m, priors, out):
            for j, (known, x, own) in enumerate(columns):
                if not len(known):
                    continue
                statistics = []
                for values, replaced in zip(self._values(), own):
                    by_row = np.repeat(values[:, j][None], len(known), axis=0)
                    by_row[np.arange(len(known)), left_out.classes[known]] = replaced
                    statistics.append(by_row)
                column = self.columns[j]
                estimates = self._estimates(statistics, m[column], priors[column], j)
                with np.errstate(over="ignore", invalid="ignore"):
                    out[known] += self._log_density(x[:, None], *estimates)

        return add_terms

    def _own_class_without(self, left_out, cells, known, j):
        """Return the statistics of each known row's class once the row has left.

        Subtracting is exact enough unless the row holds nearly all there is; then
        (an outlier, the last but one of a class) the rest is summed anew.
        """
        rows = left_out.rows[known]
        removed = left_out.removed[known]
        before = [values[left_out.classes[known], j] for values in self._values()]
        after, unsafe = self._subtract(before, cells[rows], removed)
        for i in np.flatnonzero(unsafe):
            x, weight = left_out.without_row(cells, rows[i], removed[i])
            for values, value in zip(after, self._sum(x, weight)):
                values[i] = value
        return after

    def _values(self):
        return [getattr(self, name) for name in self.statistics]

    def with_statistics(self, sums):
        """Return this family with these statistics."""
        family = copy.copy(self)
        for name, value in zip(self.statistics, sums):
            setattr(family, name, value)
        return family

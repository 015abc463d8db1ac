"""Columns of codes: categorical, Bernoulli and quantized, counted in the same way."""

import copy
from typing import NamedTuple

import numpy as np

from ..._core._parallel import row_chunks
from ...leave_one_out import cut_terms
from ...tabular import (
    CellRows,
    add_counts,
    add_table_rows,
    log_m_estimate,
    sum_by_column,
    without_each_row,
)
from ._batch import stored_cells, stored_columns
from ._column_distribution import ColumnDistribution
from ._m_estimates import DiscretePrior


class StoredCodes(NamedTuple):
    """The stored cells of all rows of a sparse table; others are zeros."""

    # By the positions of their codes, the number of codes for a cell without a code; by
    # their columns, the number of modelled columns for a cell of another one.
    codes: CellRows
    columns: CellRows


class DiscreteColumns(ColumnDistribution):
    """Columns encoded by a `Codebook`."""

    # The codes of all columns are concatenated; there are S of them. The position of a
    # code is its index among them.

    statistics, class_axis = ("counts",), 1

    def __init__(self, codebook, names):
        self.codebook = codebook
        self.names = names
        # (S, n_classes), the total weight of the rows of a class that hold a code.
        self.counts = None
        # (S + 1, n_classes), log P(code | class) after `estimate`, then a row of zeros.
        self._log_prob = None

    @property
    def log_prob(self):
        """Return log P(code | class), of shape (S, n_classes)."""
        return self._log_prob[: len(self.counts)]

    @property
    def columns(self):
        """Return the indices of these columns in the table."""
        return self.codebook.columns

    def sums(self, batch):
        """Return the counts of the batch."""
        if batch.table.is_sparse:
            return self._count_stored(batch)
        read = self.codebook.reader(batch.table, as_positions=True)
        counts = np.zeros((self.codebook.start[-1] + 1, batch.n_classes))
        for rows in batch.table.block_rows():
            of_rows = batch.classes[rows], batch.weight[rows]
            add_counts(CellRows.of(read(rows)), *of_rows, batch.n_classes, counts)
        return [counts[:-1]]

    def counted_with_known(self, known, batch, n_jobs=None):
        """Return a copy with the counts of a batch, those of some columns known."""
        # `known` is the result of `count_small_integers`.
        columns = self.columns.tolist()
        unknown = [j for j, column in enumerate(columns) if column not in known]
        codebook = self.codebook.part(unknown)
        counts = {}
        if unknown:
            group = DiscreteColumns(codebook, self.names).counted(batch, n_jobs)
            by_column = np.split(group.counts, codebook.start[1:-1])
            counts = dict(zip(codebook.columns, by_column))
        counts.update((column, counted) for column, (_, counted) in known.items())
        return self.with_statistics([np.concatenate([counts[j] for j in columns])])

    def statistics_size(self, n_classes):
        """Return how many counts there are."""
        return self.codebook.start[-1] * n_classes

    def _stored_cells(self, table, refuse_unknown=False):
        codes = self.codebook.encode_stored(table, refuse_unknown)
        column, start = stored_columns(table, self.columns), self.codebook.start
        positions = np.where(codes >= 0, start[column] + codes, start[-1])
        return StoredCodes(stored_cells(table, positions), stored_cells(table, column))

    def _count_stored(self, batch):
        n_columns, n_classes = len(self.columns), batch.n_classes
        cells = self._stored_cells(batch.table)
        counts = np.zeros((self.codebook.start[-1] + 1, n_classes))
        n_stored, stored = np.zeros((2, n_columns + 1, n_classes))
        add_counts(cells.codes, batch.classes, batch.weight, n_classes, counts)
        add_counts(cells.columns, batch.classes, batch.weight, n_classes, stored)
        ones = np.ones(len(batch.classes))
        add_counts(cells.columns, batch.classes, ones, n_classes, n_stored)
        n_rows = np.bincount(batch.classes, minlength=n_classes)
        # The remaining weight belongs to zeros. Where every row is stored, what remains
        # is a rounding error.
        zero_weight = np.where(n_stored < n_rows, batch.class_count - stored, 0.0)
        known, zero = self._zeros()
        counts[zero] += zero_weight[known]
        return [counts[:-1]]

    def _zeros(self):
        """Return the columns in which 0 has a code, and the positions of these."""
        zero = self.codebook.code_zero()
        known = np.flatnonzero(zero >= 0)
        return known, self.codebook.start[known] + zero[known]

    def part(self, indices):
        """Return some of the columns, with their statistics and estimates."""
        start = self.codebook.start
        codes = np.concatenate(
            [np.arange(start[j], start[j + 1]) for j in indices]
        ).astype(np.int64)
        group = DiscreteColumns(self.codebook.part(indices), self.names)
        group.counts = self.counts[codes]
        if self._log_prob is not None:
            group._log_prob = self._log_prob[np.append(codes, -1)]
        return group

    def weighted(self, weights, floor):
        """Return a copy with w log P(code | class) as estimates."""
        # weights: (n_columns,), those of these columns. Terms are cut at `floor` below
        # that of the best class.
        group = copy.copy(self)
        by_code = np.repeat(weights, self.codebook.sizes)[:, None]
        group._log_prob = _with_zeros(by_code * cut_terms(self.log_prob, floor))
        return group

    def merged(self, other):
        """Return a copy with the counts of both, over the categories of both."""
        codebook = self.codebook.union(other.codebook, self.names)
        counts = np.zeros((codebook.start[-1], self.counts.shape[1]))
        for group in (self, other):
            counts[group.codebook.positions_in(codebook)] += group.counts
        group = DiscreteColumns(codebook, self.names)
        return group.with_statistics([counts])

    def estimate(self, m, priors):
        """Set `log_prob` to the logarithms of the m-estimates."""
        table = self._log_table(self._prior(priors), m[self.columns])
        self._log_prob = _with_zeros(table)

    def by_column(self, table):
        """Return the rows of a table (S, n_classes) by column, each (n_classes, K)."""
        return [rows.T for rows in np.split(table, self.codebook.start[1:-1])]

    def observed(self):
        """Return the weight of the observed cells, of shape (n_columns, n_classes)."""
        return sum_by_column(self.counts, self.codebook.start)

    def reader(self, table, refuse_unknown=False):
        """Return ``read(rows)``: positions of codes, or `StoredCodes`."""
        if table.is_sparse:
            return lambda rows: self._stored_cells(table, refuse_unknown)
        return self.codebook.reader(table, refuse_unknown, as_positions=True)

    def check(self, table, refuse_unknown=False):
        """Raise an error if a column holds another kind of cells, or unknown ones."""
        read = self.reader(table, refuse_unknown)
        if refuse_unknown:
            for rows in table.block_rows():
                read(rows)

    def add_log_probs(self, cells, out):
        """Add log P(x | class) of cells to `out`."""
        if isinstance(cells, StoredCodes):
            self._add_stored(cells, out)
        else:
            add_table_rows(CellRows.of(cells), self._log_prob, out)

    def _add_stored(self, cells, out):
        """Add the terms of a row of zeros, and replace those of the stored cells."""
        known, zero = self._zeros()
        zero_terms = np.zeros((len(self.columns) + 1, out.shape[1]))
        zero_terms[known] = self.log_prob[zero]

        def add(terms, zero_terms, sums):
            sums += zero_terms.sum(axis=0)
            add_table_rows(cells.codes, terms, sums)
            add_table_rows(cells.columns, -zero_terms, sums)

        infinite, zero_infinite = np.isinf(self._log_prob), np.isinf(zero_terms)
        if not infinite.any():
            add(self._log_prob, zero_terms, out)
            return
        # They are counted, because -inf cannot be subtracted again.
        n_infinite = np.zeros_like(out)
        add(infinite.astype(np.float64), zero_infinite.astype(np.float64), n_infinite)
        terms = np.where(infinite, 0.0, self._log_prob)
        add(terms, np.where(zero_infinite, 0.0, zero_terms), out)
        out[n_infinite > 0] = -np.inf

    def left_out_terms(self, left_out, ms, priors):
        """Return log P(x | class) of cells, each row under the model without it."""
        read = self.codebook.reader(left_out.table, as_positions=True)
        positions, prior = read(slice(None)), self._prior(priors)
        terms = np.zeros((len(ms), *positions.shape, self.counts.shape[1]))
        of_rows = left_out.classes, left_out.removed
        for m, out in zip(ms[:, self.columns], terms):
            if left_out.equal_weights:
                other_class, true_class = self._left_out_tables(prior, m, left_out)
                out[:] = other_class[positions]
                own = true_class[positions, left_out.classes[:, None]]
                out[np.arange(len(out)), :, left_out.classes] = own
            else:
                row, j = known = np.nonzero(positions < self.codebook.start[-1])
                cells = j, positions[known], *(values[row] for values in of_rows)
                out[known] = self._left_out_cells(*cells, m[j, None], prior)
        return terms

    def held_by_no_other(self, left_out):
        """Return the cells (r, n_columns) whose value no other row of the table has."""
        read = self.codebook.reader(left_out.table, as_positions=True)
        return has_no_other_row(self.counts, read(slice(None)), left_out.removed)

    def _left_out_tables(self, prior, m, left_out):
        """Return the terms of cells without a row of another and of the true class."""
        removed = left_out.removed[0]
        tables = (self._log_table(prior, m, removed, own) for own in (False, True))
        return [_with_zeros(table) for table in tables]

    def add_left_out(self, left_out, ms, priors, out):
        """Add the sums of the `left_out_terms` of all columns to `out`."""
        if not left_out.equal_weights:
            super().add_left_out(left_out, ms, priors, out)
            return
        # All cells, and those of the true class among the positions of each class.
        read = self.codebook.reader(left_out.table, as_positions=True)
        positions, prior = read(slice(None)), self._prior(priors)
        classes = left_out.classes
        of_class = classes[:, None] * (self.codebook.start[-1] + 1)
        of_all, of_true_class = (
            CellRows.of(positions),
            CellRows.of(positions + of_class),
        )
        each = np.arange(len(classes))
        for m, joint in zip(ms[:, self.columns], out):
            other_class, true_class = self._left_out_tables(prior, m, left_out)
            # The terms of the other classes are added to the true class too; the true
            # class is then overwritten.
            sums = np.zeros((len(classes), 1))
            add_table_rows(of_true_class, true_class.T.reshape(-1, 1), sums)
            total = joint[each, classes] + sums[:, 0]
            add_table_rows(of_all, other_class, joint)
            joint[each, classes] = total

    def terms_of_distinct(self, cells, ms, priors):
        """Return the `terms` of the left-out cells of these columns."""
        # cells: DistinctCells; ms: (n_m, n_columns).
        return cells.terms(self.counts, self.observed(), ms, self._prior(priors).at)

    def _left_out_cells(self, j, position, classes, removed, m, prior):
        """Return log P(code | class) of cells (n,), (n, n_classes)."""
        count = without_each_row(self.counts[position], classes, removed)
        total = without_each_row(self.observed()[j], classes, removed)
        p, prior_sum = prior.at(position, removed[:, None])
        return log_m_estimate(count, total, m, p, prior_sum)

    def _log_table(self, prior, m, removed=0.0, reduce_counts=False):
        """Return log P(code | class) of shape (S, n_classes)."""
        # m: (n_columns,). With `removed`, under the model without that weight of a row
        # that holds the code. This changes marginal priors, and with `reduce_counts`
        # also the counts, as in the row's true class.
        taken = removed if reduce_counts else 0.0
        column = np.repeat(np.arange(len(self.columns)), self.codebook.sizes)
        observed = np.maximum(self.observed() - taken, 0.0)
        table = np.empty_like(self.counts)
        for rows in row_chunks(len(table), 40 * table.shape[1]):
            position = np.arange(rows.start, rows.stop)
            count = np.maximum(self.counts[rows] - taken, 0.0)
            p, prior_sum = prior.at(position, removed)
            j = column[rows]
            table[rows] = log_m_estimate(count, observed[j], m[j, None], p, prior_sum)
        return table

    def _prior(self, priors):
        return DiscretePrior(
            [priors[j] for j in self.columns],
            self.codebook,
            self.counts,
            [self.names[j] for j in self.columns],
        )

    def with_statistics(self, sums):
        """Return a copy with these counts and without estimates."""
        group = super().with_statistics(sums)
        group._log_prob = None
        return group


def _with_zeros(log_prob):
    """Return the table for `add_table_rows`: zeros follow, for missing cells."""
    return np.concatenate([log_prob, np.zeros((1, log_prob.shape[1]))])


def has_no_other_row(counts, positions, weight):
    """Return which cells of rows have a value that no other row has."""
    # counts: (n_values, n_classes), by position; positions: (n, d), that of a missing
    # cell is n_values; weight: (n,), of the rows, which are among those counted.
    total = np.append(counts.sum(axis=1), np.inf)
    return total[positions] <= weight[:, None]

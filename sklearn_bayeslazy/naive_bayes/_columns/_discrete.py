"""Columns of codes: categorical, Bernoulli and quantized, counted in the same way."""

import copy
from typing import NamedTuple

import numpy as np

from ..._core._kernel import frozen
from ..._core._parallel import row_chunks
from ...leave_one_out import cut_terms
from ...tabular import Table
from ._batch import column_positions, csr_structure, label_arrays
from ._column_distribution import ColumnDistribution
from ._column_kernels import (
    add_log_probs,
    add_stored_codes,
    add_true_class,
    count_codes,
    count_stored,
)
from ._m_estimates import DiscretePrior, log_m_estimate


class StoredCodes(NamedTuple):
    """All rows of a sparse table, and the codes of its stored cells."""

    table: Table
    codes: np.ndarray  # in the order of the stored cells


class DiscreteColumns(ColumnDistribution):
    """Columns encoded by a `Codebook`."""

    # The codes of all columns are concatenated; there are S of them. The position of a
    # code is its index among them.

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
        start = self.codebook.start
        counts = np.zeros((start[-1], batch.n_classes))
        if batch.table.is_sparse:
            self._count_sparse(batch, counts)
            return counts
        encode = self.codebook.reader(batch.table)
        classes, weight = label_arrays(batch)
        start = frozen(start, np.int64)
        for rows in batch.table.block_rows():
            codes = frozen(encode(rows), np.int32)
            count_codes(codes, classes[rows], weight[rows], start, counts)
        return counts

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
        return self.with_statistics(np.concatenate([counts[j] for j in columns]))

    def add(self, sums, more):
        """Return the counts of two batches together."""
        return sums + more

    def statistics_size(self, n_classes):
        """Return how many counts there are."""
        return self.codebook.start[-1] * n_classes

    def _count_sparse(self, batch, counts):
        codebook = self.codebook
        stored = np.zeros((2, len(codebook.columns), batch.n_classes))
        count_stored(
            *csr_structure(batch.table),
            frozen(codebook.encode_stored(batch.table), np.int32),
            *label_arrays(batch),
            column_positions(batch.table, self.columns),
            frozen(codebook.start, np.int64),
            counts,
            stored,
        )
        n_rows = np.bincount(batch.classes, minlength=batch.n_classes)
        # The remaining weight belongs to zeros. Where every row is stored, what remains
        # is a rounding error.
        zero_weight = np.where(stored[0] < n_rows, batch.class_count - stored[1], 0.0)
        zero = codebook.code_zero()
        known = zero >= 0
        counts[codebook.start[:-1][known] + zero[known]] += zero_weight[known]

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
        return group.with_statistics(counts)

    def without_rows(self):
        """Return a copy with the counts of no rows."""
        return self.with_statistics(np.zeros_like(self.counts))

    def expand_classes(self, positions, n_classes):
        """Return a copy with its classes at `positions` among `n_classes` classes."""
        counts = np.zeros((len(self.counts), n_classes))
        counts[:, positions] = self.counts
        return self.with_statistics(counts)

    def estimate(self, m, priors):
        """Set `log_prob` to the logarithms of the m-estimates."""
        table = self._log_table(self._prior(priors), m[self.columns])
        self._log_prob = _with_zeros(table)

    def observed(self):
        """Return the weight of the observed cells, of shape (n_columns, n_classes)."""
        return sum_by_column(self.counts, self.codebook.start)

    def reader(self, table, refuse_unknown=False):
        """Return ``read(rows)``: positions of codes, or `StoredCodes`."""
        codebook = self.codebook
        if table.is_sparse:
            encode = codebook.encode_stored
            return lambda rows: StoredCodes(table, encode(table, refuse_unknown))
        read = codebook.position_reader(table, refuse_unknown)
        return lambda rows: frozen(read(rows), np.int32)

    def add_log_probs(self, cells, out, first=0, last=None):
        """Add log P(x | class) of cells to `out`, over columns first … last - 1."""
        if isinstance(cells, StoredCodes):
            self._add_stored(cells, out)
            return
        log_prob = frozen(self._log_prob, np.float64)
        last = len(self.columns) if last is None else last
        add_log_probs(cells, log_prob, first, last, out)

    def _add_stored(self, stored, out):
        codebook = self.codebook
        zero = codebook.code_zero().astype(np.int64)
        zero[zero >= 0] += codebook.start[:-1][zero >= 0]
        zero_terms = self.log_prob[zero[zero >= 0]]
        infinite = np.isinf(zero_terms)
        empty = [np.where(infinite, 0.0, zero_terms).sum(0), infinite.sum(0)]
        add_stored_codes(
            *csr_structure(stored.table),
            frozen(stored.codes, np.int32),
            column_positions(stored.table, self.columns),
            frozen(codebook.start, np.int64),
            frozen(zero, np.int64),
            frozen(self.log_prob, np.float64),
            frozen(empty, np.float64),
            out,
        )

    def leave_out(self, left_out):
        """Return ``add(m, priors, out)`` for rows left out one by one."""
        codes = self.codebook.reader(left_out.table)(slice(None))
        start = self.codebook.start
        positions = np.where(codes >= 0, codes + start[:-1], start[-1])
        if left_out.equal_weights:
            add = self._add_left_out_by_table
            positions = frozen(positions, np.int32)
        else:
            add = self._add_left_out_by_cell

        def add_terms(m, priors, out):
            add(self._prior(priors), m[self.columns], left_out, positions, out)

        return add_terms

    def _add_left_out_by_table(self, prior, m, left_out, positions, out):
        """Add the terms of rows of equal weight: two tables hold all of them."""
        removed = left_out.removed[0]
        other_class = _with_zeros(self._log_table(prior, m, removed))
        true_class = self._log_table(prior, m, removed, reduce_counts=True)
        true_class = frozen(_with_zeros(true_class), np.float64)
        classes = frozen(left_out.classes, np.int32)
        each = np.arange(len(classes))
        # The kernel adds the terms of the other classes to the true class too; the true
        # class is then overwritten.
        sums = np.zeros(len(classes))
        add_true_class(positions, classes, true_class, sums)
        total = out[each, classes] + sums
        other_class = frozen(other_class, np.float64)
        add_log_probs(positions, other_class, 0, positions.shape[1], out)
        out[each, classes] = total

    def _add_left_out_by_cell(self, prior, m, left_out, positions, out):
        """Add the terms of rows of different weights, computed cell by cell."""
        for j in range(len(self.columns)):
            known = np.flatnonzero(positions[:, j] < self.codebook.start[-1])
            out[known] += self._left_out_cells(
                j,
                positions[known, j],
                left_out.classes[known],
                left_out.removed[known],
                m[j],
                prior,
            )

    def left_out_terms(self, j, codes, classes, removed, m, priors):
        """Return log P(code | class) of cells of column j that are left out."""
        # codes, classes, removed: (n_cells,). `m` may have axes before those of the
        # result, (..., n_cells, n_classes).
        position = codes + self.codebook.start[j]
        prior = self._prior(priors)
        return self._left_out_cells(j, position, classes, removed, m, prior)

    def _left_out_cells(self, j, position, classes, removed, m, prior):
        true_class = np.arange(len(position)), classes
        count = self.counts[position]
        count[true_class] = np.maximum(count[true_class] - removed, 0.0)
        total = np.repeat(self.observed()[[j]], len(position), axis=0)
        total[true_class] = np.maximum(total[true_class] - removed, 0.0)
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
        group = copy.copy(self)
        group.counts = sums
        group._log_prob = None
        return group


def _with_zeros(log_prob):
    """Return the table for `add_log_probs`: a row of zeros follows."""
    return np.pad(log_prob, ((0, 1), (0, 0)))


def sum_by_column(counts, start):
    """Return the sums of rows start[j] … start[j + 1] - 1, 0 where there are none."""
    sums = np.zeros((len(start) - 1, *counts.shape[1:]))
    nonempty = np.flatnonzero(np.diff(start))
    if len(nonempty):
        sums[nonempty] = np.add.reduceat(counts, start[nonempty], axis=0)
    return sums

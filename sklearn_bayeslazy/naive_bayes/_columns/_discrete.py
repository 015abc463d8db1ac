"""Columns of codes: categorical, Bernoulli and quantized, all counted alike."""

import copy

import numpy as np

from ..._kernel import frozen
from ..._parallel import row_chunks
from ._column_distribution import Family
from ._column_kernels import add_places, count_codes, own_class_sums
from ._kernel_arrays import frozen_labels, ranks, stored_layout
from ._m_estimates import log_m_estimate
from ._priors import DiscretePrior
from ._stored_kernels import add_stored_codes, count_stored


class DiscreteColumns(Family):
    """Columns of codes by a :class:`~..tabular._codebook.Codebook`.

    The codes of all columns are laid end to end: S of them.

    Attributes
    ----------
    counts : ndarray of shape (S, n_classes)
        Mass of the rows of a class that hold a code.
    log_prob : ndarray of shape (S, n_classes)
        log P(code | class), after :meth:`estimate`.
    """

    def __init__(self, codebook, names, refuse_unknown=False):
        self.codebook = codebook
        self.names = names
        self.refuse_unknown = refuse_unknown
        self.counts = None
        self._log_prob = None

    @property
    def log_prob(self):
        """Return log P(code | class), of shape (S, n_classes)."""
        return self._log_prob[: len(self.counts), : self.counts.shape[1]]

    @property
    def columns(self):
        """Return the columns of the table that are counted here."""
        return self.codebook.columns

    def sums(self, batch):
        """Return the counts of the batch."""
        start = self.codebook.start
        counts = np.zeros((start[-1], batch.n_classes))
        if batch.table.is_sparse:
            self._count_sparse(batch, counts)
            return counts
        encode = self.codebook.reader(batch.table)
        classes, weight = frozen_labels(batch)
        start = frozen(start, np.int64)
        for rows in batch.table.block_rows():
            codes = frozen(encode(rows), np.int32)
            count_codes(codes, classes[rows], weight[rows], start, counts)
        return counts

    def counted_but_for(self, known, batch, n_jobs=None):
        """Return this family with the counts of a batch, some of which are known.

        `known` is what :func:`count_small_integers` returns.
        """
        columns = self.columns.tolist()
        rest = [place for place, column in enumerate(columns) if column not in known]
        codebook = self.codebook.part(rest)
        family = DiscreteColumns(codebook, self.names).counted(batch, n_jobs)
        counts = dict(
            zip(codebook.columns, np.split(family.counts, codebook.start[1:-1]))
        )
        counts.update((column, counted) for column, (_, counted) in known.items())
        return self.with_statistics(np.concatenate([counts[j] for j in columns]))

    def add(self, sums, more):
        """Return the counts of two batches together."""
        return sums + more

    def statistics_size(self, n_classes):
        """Return how many numbers the counts are."""
        return self.codebook.start[-1] * n_classes

    def _count_sparse(self, batch, counts):
        codebook = self.codebook
        stored = np.zeros((2, len(codebook.columns), batch.n_classes))
        count_stored(
            *stored_layout(batch.table),
            frozen(codebook.encode_stored(batch.table), np.int32),
            *frozen_labels(batch),
            ranks(batch.table, self.columns),
            frozen(codebook.start, np.int64),
            counts,
            stored,
        )
        n_rows = np.bincount(batch.classes, minlength=batch.n_classes)
        # The rest of the mass sits on zeros; where no row is left, it is rounding.
        rest = np.where(stored[0] < n_rows, batch.class_count - stored[1], 0.0)
        zero = codebook.code_zero()
        known = zero >= 0
        counts[codebook.start[:-1][known] + zero[known]] += rest[known]

    def merged(self, other):
        """Return the counts of both, over the categories of both."""
        codebook = self.codebook.union(other.codebook, self.names)
        counts = np.zeros((codebook.start[-1], self.counts.shape[1]))
        for family in (self, other):
            counts[family.codebook.places_in(codebook)] += family.counts
        family = DiscreteColumns(codebook, self.names, self.refuse_unknown)
        return family.with_statistics(counts)

    def spread(self, places, n_classes):
        """Return this family with its classes at `places` among `n_classes`."""
        counts = np.zeros((len(self.counts), n_classes))
        counts[:, places] = self.counts
        return self.with_statistics(counts)

    def estimate(self, m, priors):
        """Set `log_prob` to the logarithms of the m-estimates."""
        table = self._log_table(self._prior(priors), m[self.columns])
        self._log_prob = in_fours(table)

    def observed(self):
        """Return the mass of the observed cells, of shape (n_columns, n_classes)."""
        return _sum_by_column(self.counts, self.codebook.start)

    def scorer(self, table):
        """Return ``prepare(rows)``."""
        log_prob = frozen(self._log_prob, np.float64)
        read = self.codebook.place_reader(table, refuse_unknown=self.refuse_unknown)

        n_columns = len(self.columns)

        def prepare(rows):
            if table.is_sparse:
                return lambda out: self._add_sparse(table, out)
            places = frozen(read(rows), np.int32)

            def add(out, first=0, last=n_columns):
                add_places(places, log_prob, first, last, out)

            return add

        return prepare

    def _add_sparse(self, table, out):
        codebook = self.codebook
        codes = codebook.encode_stored(table, refuse_unknown=self.refuse_unknown)
        zero = codebook.code_zero().astype(np.int64)
        zero[zero >= 0] += codebook.start[:-1][zero >= 0]
        of_zeros = self.log_prob[zero[zero >= 0]]
        infinite = np.isinf(of_zeros)
        empty = [np.where(infinite, 0.0, of_zeros).sum(0), infinite.sum(0)]
        add_stored_codes(
            *stored_layout(table),
            frozen(codes, np.int32),
            ranks(table, self.columns),
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
        places = np.where(codes >= 0, codes + start[:-1], start[-1])
        if left_out.equal_masses:
            add = self._add_left_out_by_table
            places = frozen(places, np.int32)
        else:
            add = self._add_left_out_by_cell

        def add_terms(m, priors, out):
            add(self._prior(priors), m[self.columns], left_out, places, out)

        return add_terms

    def _add_left_out_by_table(self, prior, m, left_out, places, out):
        """Rows of equal mass: two tables hold every term that can occur."""
        removed = left_out.removed[0]
        others = frozen(in_fours(self._log_table(prior, m, removed)), np.float64)
        own = self._log_table(prior, m, removed, own_class=True)
        own = frozen(in_fours(own), np.float64)
        classes = frozen(left_out.classes, np.int32)
        each = np.arange(len(classes))
        # Added to the own class as to the others, and then replaced.
        total = out[each, classes] + own_class_sums(places, classes, own)
        add_places(places, others, 0, places.shape[1], out)
        out[each, classes] = total

    def _add_left_out_by_cell(self, prior, m, left_out, places, out):
        """Rows of different masses: each cell's term is computed for itself."""
        observed = self.observed()
        for j in range(len(self.columns)):
            known = np.flatnonzero(places[:, j] < self.codebook.start[-1])
            if not len(known):
                continue
            place = places[known, j]
            removed = left_out.removed[known]
            own = np.arange(len(known)), left_out.classes[known]
            joint = self.counts[place]
            joint[own] = np.maximum(joint[own] - removed, 0.0)
            total = np.repeat(observed[[j]], len(known), axis=0)
            total[own] = np.maximum(total[own] - removed, 0.0)
            p, mass = prior.of(place, removed[:, None])
            out[known] += log_m_estimate(joint, total, m[j], p, mass)

    def _log_table(self, prior, m, removed=0.0, own_class=False):
        """Return log P(code | class) of shape (S, n_classes).

        With `removed`, under the model without so much of a row that holds the code;
        the row's own class has its counts reduced, the other classes only the prior.
        """
        taken = removed if own_class else 0.0
        column = np.repeat(np.arange(len(self.columns)), self.codebook.sizes)
        observed = np.maximum(self.observed() - taken, 0.0)
        table = np.empty_like(self.counts)
        for rows in row_chunks(len(table), 40 * table.shape[1]):
            place = np.arange(rows.start, rows.stop)
            joint = np.maximum(self.counts[rows] - taken, 0.0)
            p, mass = prior.of(place, removed)
            j = column[rows]
            table[rows] = log_m_estimate(joint, observed[j], m[j, None], p, mass)
        return table

    def _prior(self, priors):
        return DiscretePrior(
            [priors[j] for j in self.columns],
            self.codebook,
            self.counts,
            [self.names[j] for j in self.columns],
        )

    def with_statistics(self, sums):
        """Return this family with these counts."""
        family = copy.copy(self)
        family.counts = sums
        family._log_prob = None
        return family


def in_fours(log_prob):
    """Return the table as `add_places` takes it: classes in fours, a row of zeros."""
    return np.pad(log_prob, ((0, 1), (0, -log_prob.shape[1] % 4)))


def _sum_by_column(counts, start):
    """Return sums of rows start[j] … start[j + 1] - 1; columns may have no rows."""
    sums = np.zeros((len(start) - 1, counts.shape[1]))
    filled = np.flatnonzero(np.diff(start))
    if len(filled):
        sums[filled] = np.add.reduceat(counts, start[filled], axis=0)
    return sums

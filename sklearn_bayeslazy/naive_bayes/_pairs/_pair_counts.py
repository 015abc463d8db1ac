"""Counts of values and of pairs of values by class: additive statistics."""

import copy
from itertools import pairwise

import numpy as np
from joblib import effective_n_jobs
from scipy.special import xlogy

from ..._core._kernel import frozen
from ..._core._parallel import map_tasks
from ...tabular import CellRows, add_counts, sum_by_column


class PairCounts:
    """Counts of a table's values, and of their pairs with the super-parents' values."""

    # The codes of all columns are concatenated. There are S of them, and T codes of
    # super-parents. Statistics are replaced and never changed in place.

    def __init__(self, sizes, parents, n_classes):
        # (d,), the number of codes of each column.
        self.sizes = np.asarray(sizes, dtype=np.int64)
        # (p,), the columns that are super-parents.
        self.parents = np.asarray(parents, dtype=np.int64)
        self.n_classes = n_classes
        self.start = np.concatenate([[0], np.cumsum(self.sizes)])
        parent_sizes = self.sizes[self.parents]
        self.parent_start = np.concatenate([[0], np.cumsum(parent_sizes)])
        # The position of each super-parent's code among the codes of all columns.
        self.parent_values = np.concatenate(
            [np.arange(self.start[j], self.start[j + 1]) for j in self.parents]
            + [np.empty(0, dtype=np.int64)]
        ).astype(np.int64)
        n_values, n_parent_values = int(self.start[-1]), int(self.parent_start[-1])
        # (S, n_classes), the total weight of the rows of a class that hold a value.
        self.values = np.zeros((n_values, n_classes))
        # (T + 1, S + 1, n_classes), the same by the super-parent's value and the value.
        # The last row and the last column are 0: they stand for missing cells.
        self.pairs = np.zeros((n_parent_values + 1, n_values + 1, n_classes))

    def __getstate__(self):
        # Most pairs of rare values never occur.
        state, found = vars(self).copy(), np.flatnonzero(self.pairs)
        if 2 * len(found) < self.pairs.size:
            state["pairs"] = self.pairs.shape, found, self.pairs.ravel()[found]
        return state

    def __setstate__(self, state):
        vars(self).update(state)
        if isinstance(self.pairs, tuple):
            shape, found, counts = self.pairs
            self.pairs = np.zeros(shape)
            self.pairs.ravel()[found] = counts

    def parent_positions(self, positions):
        """Return the positions (n, p) of super-parents' codes among their codes."""
        shift = self.parent_start[:-1] - self.start[self.parents]
        moved = positions[:, self.parents] + shift
        missing = positions[:, self.parents] == self.start[-1]
        moved[missing] = self.parent_start[-1]
        return frozen(moved, np.int32)

    @classmethod
    def of(cls, batch, codebook, parents, n_jobs=None):
        """Return the counts of a batch."""
        # Each thread counts some of the super-parents.
        n_classes = batch.n_classes
        counts = cls(codebook.sizes, parents, n_classes)
        values = np.zeros((len(counts.values) + 1, n_classes))
        n_parts = max(min(effective_n_jobs(n_jobs), len(parents)), 1)
        parts = list(pairwise(np.linspace(0, len(parents), n_parts + 1, dtype=int)))
        read = codebook.reader(batch.table, as_positions=True)
        for rows in batch.table.block_rows():
            positions, classes = read(rows), batch.classes[rows]
            cells, weight = CellRows.of(positions), batch.weight[rows]
            add_counts(cells, classes, weight, n_classes, values)
            of_class = classes + counts.parent_positions(positions).T * np.int64(
                counts.pairs[0].size
            )

            def count(parents, cells=cells, weight=weight, of_class=of_class):
                for offset in of_class[slice(*parents)]:  # its counts stay in the cache
                    add_counts(cells, offset, weight, n_classes, counts.pairs)

            map_tasks(count, parts, n_jobs=n_jobs)
        counts.values = values[:-1]
        counts.pairs[-1] = 0.0
        counts.pairs[:, -1] = 0.0
        return counts

    def expand(self, sizes, positions, classes, n_classes):
        """Return the same counts over more values and classes."""
        # sizes: (d,), the new number of codes of each column; positions: (S,), the new
        # position of each value; classes: (self.n_classes,), the new position of each
        # class.
        if n_classes == self.n_classes and np.array_equal(sizes, self.sizes):
            return self  # there are no more
        expanded = PairCounts(sizes, self.parents, n_classes)
        if not self.values.any():  # zeros that are not written take no memory
            return expanded
        expanded.values[np.ix_(positions, classes)] = self.values
        of_parent = np.full(int(expanded.start[-1]), -1)
        of_parent[expanded.parent_values] = np.arange(len(expanded.parent_values))
        rows = of_parent[positions[self.parent_values]]
        expanded.pairs[np.ix_(rows, positions, classes)] = self.pairs[:-1, :-1]
        return expanded

    def of_parents(self, n_parents):
        """Return the counts of the first super-parents alone."""
        if n_parents == len(self.parents):
            return self
        counts = PairCounts(self.sizes, self.parents[:n_parents], self.n_classes)
        counts.values = self.values
        counts.pairs[:-1] = self.pairs[: counts.parent_start[-1]]
        return counts

    def informative(self, row_weight):
        """Return which columns tell of the class, alone or given a super-parent."""
        # row_weight: the weight that counts as one row. Returns (d,), bool.
        codes = np.split(np.arange(self.start[-1]), self.start[1:-1])
        found = _tells_of_class(self.values[None] / row_weight, self.start)
        for k, parent in enumerate(self.parents):
            others = np.flatnonzero(~found)
            others = others[others != parent]
            if len(others):
                values = np.concatenate([codes[j] for j in others])
                start = np.concatenate([[0], np.cumsum(self.sizes[others])])
                given = slice(self.parent_start[k], self.parent_start[k + 1])
                pairs = self.pairs[given][:, values] / row_weight
                found[others] = _tells_of_class(pairs, start)
        return found

    def merged(self, other):
        """Return the sums of two counts over the same values, parents and classes."""
        if not self.values.any():
            return other
        merged = copy.copy(self)
        merged.values = self.values + other.values
        merged.pairs = self.pairs + other.pairs
        return merged

    def observed(self):
        """Return the weight by column and class in which the column is observed."""
        return sum_by_column(self.values, self.start)

    def pairs_observed(self):
        """Return the sums of `pairs` over each column's values, (T + 1, d, C)."""
        pairs = self.pairs[:, :-1].transpose(1, 0, 2)
        return sum_by_column(pairs, self.start).transpose(1, 0, 2)


def _tells_of_class(counts, start):
    """Return whether the information of each column on the class is not by chance."""
    # counts: (n_given, n_values, n_classes), by the values of another column. Not by
    # chance: the log likelihood of the classes rises by more than the number of
    # parameters (Akaike 1974, A new look at the statistical model identification).
    by_value = counts.transpose(1, 0, 2)
    of_values = by_value.sum(axis=2)
    of_classes = sum_by_column(by_value, start)
    total = of_classes.sum(axis=2)
    gain = sum_by_column(xlogy(by_value, by_value).sum(axis=2), start)
    gain -= sum_by_column(xlogy(of_values, of_values), start)
    gain += xlogy(total, total) - xlogy(of_classes, of_classes).sum(axis=2)
    n_values = sum_by_column(of_values > 0, start)
    n_classes = (of_classes > 0).sum(axis=2)
    n_parameters = np.maximum(n_values - 1, 0) * np.maximum(n_classes - 1, 0)
    return gain.sum(axis=1) > n_parameters.sum(axis=1)

"""Conditional probability tables as m-estimates of counts."""

import math
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np

from .._core._parallel import map_tasks
from ..tabular import m_estimate
from ._counts import count_families, count_marginals, expand_counts


def bin_means(table, codes, weight, is_cut, sizes, n_jobs=None):
    """Return the mean number in each bin of each column, None for other columns."""
    # codes: (n_nodes, n_rows), the columns first, below 0 where a cell is missing;
    # weight: (n_rows,); is_cut: whether each column holds numbers, which are cut into
    # bins; sizes: the number of bins of each column.
    # Returns a list of (n_bins,) or None; NaN where a bin has no number.

    def means_of(column):
        if not is_cut[column]:
            return None
        cells, size = table.column(column), sizes[column]
        bins = codes[column].astype(np.intp)  # otherwise bincount converts them twice
        bin_weight, seen = weight, bins >= 0
        if not seen.all():
            cells, bins, bin_weight = cells[seen], bins[seen], weight[seen]
        total = np.bincount(bins, bin_weight, minlength=size)
        # Divide before summing: a sum of numbers near the largest float overflows.
        share = bin_weight / total[bins]
        mean = np.bincount(bins, cells * share, size)
        return np.where(total > 0, mean, np.nan)

    return map_tasks(means_of, range(len(is_cut)), n_jobs=n_jobs)


PRIORS = ("uniform", "marginal", "bdeu", "backoff")


class Smoothing(NamedTuple):
    """How tables follow from counts."""

    # The number of virtual examples of each combination of the parents' values; with
    # the prior "bdeu" all q combinations share them: m_j = m / q.
    m: float
    prior: str = "uniform"  # one of PRIORS, see `estimate_table`
    row_weight: float = 1.0  # of one row, for "backoff"

    def level_weights(self, shape, class_axis=None):
        """Return the numbers of virtual examples of three estimates."""
        # Of P(node), P(node | class) and P(node | parents), each the prior of the next.
        # -1 means that it is left out; then the one before it is the prior, or 1 / K.
        # shape: of the table.
        # With "backoff" P(node) and P(node | class) have at most one virtual example,
        # which weighs as much as a row. So a large m leads to P(node | class), not to
        # P(node): the node then depends on the class alone.
        if self.prior == "backoff":
            lower, n_parents = min(self.m, self.row_weight), len(shape) - 1
            return (
                lower if n_parents > 0 else -1.0,
                lower if class_axis is not None and n_parents > 1 else -1.0,
                self.m,
            )
        m_full = self.m
        if self.prior == "bdeu":
            m_full = self.m * shape[-1] / math.prod(shape)
        return (0.0 if self.prior == "marginal" else -1.0, -1.0, m_full)

    def virtual_examples(self, counts, marginal=None, class_axis=None):
        """Return their distribution p and number m_j; see `estimate_table`."""
        weights = self.level_weights(counts.shape, class_axis)
        p = np.full(counts.shape[-1], 1 / counts.shape[-1])
        if weights[0] >= 0:
            p = _m_estimate(marginal, weights[0], p)
        if weights[1] >= 0:
            p = _m_estimate(sum_by_class(counts, class_axis), weights[1], p)
        return p, weights[2]


def estimate_table(counts, smoothing, marginal=None, class_axis=None):
    """Return P(node | parents) by m-estimates.

    >>> counts = np.array([[3.0, 1.0], [0.0, 0.0]])
    >>> estimate_table(counts, Smoothing(m=2.0))
    array([[0.66666667, 0.33333333],
           [0.5       , 0.5       ]])
    >>> estimate_table(counts, Smoothing(m=2.0, prior="bdeu"))
    array([[0.7, 0.3],
           [0.5, 0.5]])
    >>> estimate_table(counts, Smoothing(2.0, "backoff"), marginal=counts.sum(axis=0))
    array([[0.73333333, 0.26666667],
           [0.7       , 0.3       ]])
    """
    # P(x_k | j) = (n_jk + m_j p_jk) / (n_j + m_j) for each combination j of the
    # parents' values. Where no row has the combination and m is 0, the estimate is the
    # limit for small m, p_jk.
    # counts: (*sizes of the parents, K). marginal: (K,), the total weight of each of
    # the node's values, for "marginal" and "backoff"; class_axis: the position of the
    # class among the parents, if it is one, for "backoff".
    # p is 1 / K, or with the prior "marginal" the relative frequencies of `marginal`.
    # With "backoff" it is the estimate from fewer parents: P(node | class) for a node
    # with the class and others as parents. The prior of that is P(node), and the prior
    # of P(node) is 1 / K; see `Smoothing.level_weights`.
    # The last example: P(node) = (3 + 1/2) / (4 + 1) = .7 with one virtual example,
    # then two virtual examples by that distribution.
    p, m_full = smoothing.virtual_examples(counts, marginal, class_axis)
    return _m_estimate(counts, m_full, p)


def _m_estimate(counts, m, p):
    return m_estimate(counts, counts.sum(axis=-1, keepdims=True), m, p)


def class_axes(parents, target):
    """Return the position of the class among each node's parents, None without it."""
    return [
        node_parents.index(target) if target in node_parents else None
        for node_parents in parents
    ]


def sum_by_class(counts, class_axis):
    """Return the counts summed over all parents but the class; axes are kept."""
    others = tuple(axis for axis in range(counts.ndim - 1) if axis != class_axis)
    return counts.sum(axis=others, keepdims=True)


@dataclass(frozen=True, eq=False)
class TableCounts:
    """The counts from which tables are estimated. They add up over batches of rows."""

    # For each node, (*sizes of the parents, K). None where the tables come from
    # expected counts or from a file: such a network cannot learn from more rows.
    families: list | None
    marginals: list  # for each node, (K,): the total weight of each value
    # For each column, (n_bins,): the mean number in each bin; None for categories.
    bin_means: list
    # While `fit_blocks` runs, the counts of pairs of nodes (TreeCounts) from which the
    # tree of all rows will follow; otherwise None.
    pairs: object = None

    @classmethod
    def of(cls, rows, parents, table, is_cut, n_jobs=None):
        """Count the rows of a table."""
        # rows: the coded rows of the table; is_cut: for each column, whether it holds
        # numbers.
        families, marginals = count_families(rows, parents), count_marginals(rows)
        means = bin_means(table, rows.codes, rows.weight, is_cut, rows.sizes, n_jobs)
        return cls(families, marginals, means)

    def tables(self, smoothing, axes):
        """Return the m-estimates of each node's table; see `estimate_table`."""
        # axes: the `class_axes`, for "backoff".
        return tuple(
            estimate_table(counts, smoothing, marginal, axis)
            for counts, marginal, axis in zip(self.families, self.marginals, axes)
        )

    def pseudo_counts(self, smoothing, axes):
        """Return the virtual examples m_j p_jk in the table of each node."""
        found = []
        for counts, *of_node in zip(self.families, self.marginals, axes):
            p, m_full = smoothing.virtual_examples(counts, *of_node)
            found.append(np.broadcast_to(m_full * p, counts.shape))
        return found

    def without_rows(self):
        """Return the counts of no rows."""
        zeros = [np.zeros_like(counts) for counts in self.marginals]
        families = [np.zeros_like(counts) for counts in self.families]
        means = [None if m is None else np.full_like(m, np.nan) for m in self.bin_means]
        return TableCounts(families, zeros, means)

    def expanded(self, parents, positions, sizes):
        """Return the counts in tables with more values."""
        # positions: for each node, the new position of each old value; sizes: the new
        # number of values of each node.

        def expand(counts, family):
            return expand_counts(
                counts,
                [positions[node] for node in family],
                [sizes[node] for node in family],
            )

        families = [(*of_node, node) for node, of_node in enumerate(parents)]
        nodes = [(node,) for node in range(len(parents))]
        return replace(
            self,
            families=list(map(expand, self.families, families)),
            marginals=list(map(expand, self.marginals, nodes)),
            pairs=self.pairs and self.pairs.expanded(positions, sizes),
        )

    def with_pairs_of(self, rows, n_jobs=None):
        """Return the counts, with `rows` added to those of pairs if there are any."""
        return replace(self, pairs=self.pairs and self.pairs.added(rows, n_jobs))

    def with_tree(self, parents):
        """Return the counts of the families of a tree, taken from those of pairs."""
        families = self.pairs.families(parents, self.marginals)
        return replace(self, families=families, pairs=None)

    def __add__(self, other):
        return TableCounts(
            [a + b for a, b in zip(self.families, other.families)],
            [a + b for a, b in zip(self.marginals, other.marginals)],
            merge_bin_means(
                self.bin_means, self.marginals, other.bin_means, other.marginals
            ),
            self.pairs if other.pairs is None else self.pairs + other.pairs,
        )


# Imputation of missing cells: the likeliest category, or the expected number.


def merge_bin_means(first, first_weights, second, second_weights):
    """Return the means of two tables together, from the means and weights of each.

    >>> one = [np.array([1.0, np.nan])], [np.array([3.0, 0.0])]
    >>> two = [np.array([5.0, 7.0])], [np.array([1.0, 2.0])]
    >>> merge_bin_means(*one, *two)
    [array([2., 7.])]
    """
    merged = []
    for a, n_a, b, n_b in zip(first, first_weights, second, second_weights):
        if a is None:
            merged.append(None)
            continue
        total = np.maximum(n_a + n_b, np.finfo(np.float64).tiny)
        parts = np.where(n_a > 0, a, 0.0) * (n_a / total)
        parts = parts + np.where(n_b > 0, b, 0.0) * (n_b / total)
        merged.append(np.where(n_a + n_b > 0, parts, np.nan))
    return merged


def cells_of_dtype(rows, is_missing, dtype):
    """Return the cells of rows as floats or objects."""
    # rows, is_missing: (n_rows, n_columns); dtype: float64 or object.
    cells = np.array(rows)
    if cells.dtype.kind not in "fiu":
        cells = cells.astype(object)
        if dtype.kind == "f":  # missing cells may be None or pandas.NA
            cells[is_missing] = np.nan
    return cells.astype(dtype)


def fill_missing(cells, is_missing, has_values, codes, network, inference, means):
    """Fill the missing cells of rows, each by its distribution given the row."""
    # cells: (n_rows, n_columns), changed in place; is_missing: of the same shape.
    # codes: (n_rows, n_nodes); means: as `bin_means` returns them.
    # has_values: (n_columns,), whether `fit` saw a value; other columns stay missing.
    incomplete = np.flatnonzero(is_missing.any(axis=1))
    columns = np.flatnonzero(is_missing.any(axis=0) & has_values)
    weights = inference.node_weights(network, codes[incomplete], columns)
    for column in columns:
        here = is_missing[incomplete, column]
        filled = impute(weights[column][here], network.values[column], means[column])
        cells[incomplete[here], column] = filled


def impute(weights, values, means):
    """Return the likeliest categories, or the expected numbers, of a column's cells.

    >>> impute(np.array([[0.2, 0.6, 0.2]]), ["a", "b", "c"], None)
    array(['b'], dtype=object)
    >>> impute(np.array([[0.25, 0.75, 0.5]]), [], np.array([1.0, 5.0, np.nan]))
    array([4.])
    """
    # weights: (n_cells, K), in proportion to the probabilities of the column's values;
    # all 0 where the row is impossible, whose cell stays missing. Returns (n_cells,).
    # means: (K,), the mean number of each bin, or None for a column of categories. Bins
    # without a number (NaN) are ignored.
    if means is None:
        likeliest = np.asarray(values, dtype=object)[weights.argmax(axis=1)]
        return np.where(weights.any(axis=1), likeliest, None)
    known = np.isfinite(means)
    weights = weights[:, known]
    with np.errstate(invalid="ignore"):
        p = weights / weights.sum(axis=1, keepdims=True)
        return (p * means[known]).sum(axis=1)

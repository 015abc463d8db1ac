"""Conditional probability tables as m-estimates of counts."""

import math
from dataclasses import dataclass, replace

import numpy as np

from ._counts import count_families, count_marginals, expand_counts
from ._imputation import bin_means, merge_bin_means


def estimate_table(counts, m, prior="uniform", marginal=None):
    r"""Return P(node | parents) by m-estimates.

    .. math:: \hat P(x_k \mid j) = \frac{n_{jk} + m_j\,p_k}{n_j + m_j}

    for each combination j of the parents' values. Where no row has the combination and
    m is 0, the estimate is the limit for small m, :math:`p_k`.

    Parameters
    ----------
    counts : ndarray of shape (*sizes of the parents, K)
    m : float
        The number of virtual examples. With "uniform" and "marginal" each combination
        has m of them; with "bdeu" all q combinations share them: :math:`m_j = m / q`.
    prior : {"uniform", "marginal", "bdeu"}
        p: 1 / K, or with "marginal" the relative frequencies of `marginal`.
    marginal : ndarray of shape (K,), default=None
        The total weight of each of the node's values, for prior="marginal".

    >>> estimate_table(np.array([[3.0, 1.0], [0.0, 0.0]]), m=2.0)
    array([[0.66666667, 0.33333333],
           [0.5       , 0.5       ]])
    >>> estimate_table(np.array([[3.0, 1.0], [0.0, 0.0]]), m=2.0, prior="bdeu")
    array([[0.7, 0.3],
           [0.5, 0.5]])
    """
    added = pseudo_counts(counts.shape, m, prior, marginal)
    total = counts.sum(axis=-1, keepdims=True) + added.sum(axis=-1, keepdims=True)
    with np.errstate(invalid="ignore"):
        table = (counts + added) / total
    one_each = "marginal" if prior == "marginal" else "uniform"
    limit = pseudo_counts(counts.shape, 1.0, one_each, marginal)
    return np.where(total > 0, table, limit)


def pseudo_counts(shape, m, prior="uniform", marginal=None):
    """Return the virtual examples of each cell, m_j p_k; see `estimate_table`.

    >>> pseudo_counts((2, 2), 3.0, "bdeu")
    array([[0.75, 0.75],
           [0.75, 0.75]])
    """
    size = shape[-1]
    p = np.full(size, 1 / size)
    if prior == "marginal" and marginal.sum() > 0:
        p = marginal / marginal.sum()
    m_j = m * size / math.prod(shape) if prior == "bdeu" else m
    return np.broadcast_to(m_j * p, shape)


@dataclass(frozen=True, eq=False)
class TableCounts:
    """The counts from which tables are estimated. They add up over batches of rows.

    Attributes
    ----------
    families : list of ndarray of shape (*sizes of the parents, K), or None
        For each node. None where the tables come from expected counts or from a file:
        such a network cannot learn from more rows.
    marginals : list of ndarray of shape (K,)
        The total weight of each value of each node.
    bin_means : list of (ndarray of shape (n_bins,) or None)
        The mean number in each bin of each column, None for columns of categories.
    """

    families: list | None
    marginals: list
    bin_means: list

    @classmethod
    def of(cls, rows, parents, table, is_cut):
        """Count the rows of a table.

        Parameters
        ----------
        rows : Rows
            The coded rows of the table.
        parents : sequence of tuples of int
        table : Table
        is_cut : sequence of bool
            For each column, whether it holds numbers.
        """
        families, marginals = count_families(rows, parents), count_marginals(rows)
        means = bin_means(table, rows.codes.T, rows.weight, is_cut, rows.sizes)
        return cls(families, marginals, means)

    def tables(self, m, prior):
        """Return the table of each node."""
        return estimate_tables(self.families, self.marginals, m, prior)

    def without_families(self):
        """Return the marginals and bin means alone."""
        return replace(self, families=None)

    def expanded(self, parents, positions, sizes):
        """Return the counts in tables with more values.

        Parameters
        ----------
        parents : sequence of tuples of int
        positions : list of int arrays
            For each node, the new position of each old value.
        sizes : sequence of int
            The new number of values of each node.
        """

        def expand(counts, family):
            return expand_counts(
                counts,
                [positions[node] for node in family],
                [sizes[node] for node in family],
            )

        return replace(
            self,
            families=[
                expand(counts, (*node_parents, node))
                for node, (node_parents, counts) in enumerate(
                    zip(parents, self.families)
                )
            ],
            marginals=[
                expand(counts, (node,)) for node, counts in enumerate(self.marginals)
            ],
        )

    def __add__(self, other):
        return TableCounts(
            [a + b for a, b in zip(self.families, other.families)],
            [a + b for a, b in zip(self.marginals, other.marginals)],
            merge_bin_means(
                self.bin_means, self.marginals, other.bin_means, other.marginals
            ),
        )


def estimate_tables(families, marginals, m, prior):
    """Return the m-estimate of each node's table; see `estimate_table`.

    Parameters
    ----------
    families : list of ndarray of shape (*sizes of the parents, K)
    marginals : list of ndarray of shape (K,)
        The total weight of each value of each node, for prior="marginal".
    m : float
    prior : {"uniform", "marginal", "bdeu"}
    """
    return tuple(
        estimate_table(counts, m, prior, marginal)
        for counts, marginal in zip(families, marginals)
    )

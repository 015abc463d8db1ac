"""Contingency tables of families of nodes, and tables of probabilities from them."""

import math
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from .._kernel import frozen
from ._count_kernels import count_family
from ._network import cell_strides

# Tables of more cells are refused.
MOST_CELLS = 2**26
# A search passes over tables of more.
_SEARCHED_CELLS = 2**20


@dataclass(frozen=True, eq=False)
class Rows:
    """Rows of codes as families are counted from them.

    Attributes
    ----------
    codes : int32 array of shape (n_nodes, n_rows)
        Below 0 where a value is missing.
    weight : ndarray of shape (n_rows,)
    names : tuple of str
        The nodes, for messages.
    sizes : tuple of int
        How many values each node has.
    """

    codes: np.ndarray
    weight: np.ndarray
    names: tuple
    sizes: tuple

    @classmethod
    def of(cls, codes, weight, names, sizes):
        """Return rows of codes of shape (n_rows, n_nodes)."""
        columns = frozen(np.asarray(codes).T, np.int32)
        return cls(
            columns, frozen(weight, np.float64), tuple(names), tuple(map(int, sizes))
        )

    @cached_property
    def has_missing(self):
        """Tell whether a value is missing."""
        return bool(self.codes.size and self.codes.min() < 0)

    @cached_property
    def mass(self):
        """Return the sum of the weights."""
        return float(self.weight.sum())

    def is_small(self, family):
        """Tell whether a search may count a family: its table must not be vast."""
        return math.prod(self.sizes[node] for node in family) <= _SEARCHED_CELLS

    def count(self, family):
        """Return the masses of a family's values, of shape (*sizes).

        Rows in which one of them is missing do not count.

        >>> rows = Rows.of([[0, 1], [0, 1], [1, -1]], np.ones(3), "ab", (2, 2))
        >>> rows.count((0, 1))
        array([[0., 2.],
               [0., 0.]])
        """
        shape = tuple(self.sizes[node] for node in family)
        if (cells := math.prod(shape)) > MOST_CELLS:
            raise ValueError(
                f"The table of {[self.names[node] for node in family]} would have "
                f"{cells:,} cells, above the limit of {MOST_CELLS:,}: give its last "
                "node fewer parents, or columns of many values fewer."
            )
        counts = np.zeros(cells)
        count_family(
            self.codes,
            frozen(family, np.int32),
            frozen(cell_strides(shape), np.int32),
            self.weight,
            not self.has_missing,
            counts,
        )
        return counts.reshape(shape)


def estimate_table(counts, m, prior="uniform", marginal=None):
    r"""Return P(node | parents) by m-estimates.

    .. math:: \hat P(x_k \mid j) = \frac{n_{jk} + m_j\,p_k}{n_j + m_j}

    for each combination j of the parents' values; where nothing was seen and m is 0,
    the limit, :math:`p_k`.

    Parameters
    ----------
    counts : ndarray of shape (*sizes of the parents, K)
    m : float
        Virtual examples, for each combination with "uniform" and "marginal", shared
        by all q of them with "bdeu": :math:`m_j = m / q`.
    prior : {"uniform", "marginal", "bdeu"}
        p: 1 / K, or the shares in `marginal`.
    marginal : ndarray of shape (K,), default=None
        Masses of the node's values in all rows, with prior="marginal".

    >>> estimate_table(np.array([[3.0, 1.0], [0.0, 0.0]]), m=2.0)
    array([[0.66666667, 0.33333333],
           [0.5       , 0.5       ]])
    >>> estimate_table(np.array([[3.0, 1.0], [0.0, 0.0]]), m=2.0, prior="bdeu")
    array([[0.7, 0.3],
           [0.5, 0.5]])
    """
    masses = prior_masses(counts.shape, m, prior, marginal)
    total = counts.sum(axis=-1, keepdims=True) + masses.sum(axis=-1, keepdims=True)
    with np.errstate(invalid="ignore"):
        table = (counts + masses) / total
    given = "marginal" if prior == "marginal" else "uniform"
    return np.where(total > 0, table, prior_masses(counts.shape, 1.0, given, marginal))


def prior_masses(shape, m, prior="uniform", marginal=None):
    """Return the virtual examples of each cell, m_j p_k; see `estimate_table`.

    >>> prior_masses((2, 2), 3.0, "bdeu")
    array([[0.75, 0.75],
           [0.75, 0.75]])
    """
    size = shape[-1]
    p = np.full(size, 1 / size)
    if prior == "marginal" and marginal.sum() > 0:
        p = marginal / marginal.sum()
    mass = m * size / math.prod(shape) if prior == "bdeu" else m
    return np.broadcast_to(mass * p, shape)

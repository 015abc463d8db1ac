"""Trees from counts that add up over batches of rows: of all pairs of nodes."""

import math
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from sklearn import get_config

from ..._core._parallel import map_tasks
from .._counts import MAX_SEARCHED_CELLS, TablesOfCounts, expand_counts
from ._trees_and_k2 import chow_liu, tan

# The structures that follow from the counts of pairs of nodes.
TREES = ("tan", "chow_liu")


@dataclass(frozen=True, eq=False)
class TreeCounts:
    """The weighted counts of all pairs of nodes, for "tan" given the class.

    >>> from sklearn_bayeslazy.belief_network._counts import CodedRows
    >>> names, sizes = ("a", "b", "c"), (2, 2, 2)
    >>> rows = CodedRows.of([[0, 1, 0], [1, 1, 0], [1, 1, 1]], np.ones(3), names, sizes)
    >>> counts = TreeCounts("chow_liu", names, sizes, None).added(rows)
    >>> counts.count((0, 2))
    array([[1., 0.],
           [1., 1.]])
    """

    # The tree of all rows follows from them, and so do the counts of its families. As
    # for one table, pairs with more than MAX_SEARCHED_CELLS cells are left out: no tree
    # has their arc. It has the methods of `CodedRows` by which a tree is learned.
    # Raises a ValueError if the counts take more than scikit-learn's `working_memory`.

    structure: str  # one of TREES
    names: tuple  # of the nodes
    sizes: tuple  # the number of values of each node
    target: int | None  # the node of the class
    # The tables one after the other: for each node of the tree those with the nodes
    # before it, then that of the node alone. None stands for zeros.
    cells: np.ndarray | None = None
    total_weight: float = 0.0  # of the rows

    def __post_init__(self):
        needed = 8 * int(self._starts[-1]) / 2**20
        available = get_config()["working_memory"]
        if needed > available:
            raise ValueError(
                f"The counts of all pairs of {len(self._nodes)} nodes, from which "
                f"structure={self.structure!r} follows, take {needed:,.0f} MiB, above "
                f"the working_memory of {available:,} MiB: set it by "
                "sklearn.set_config(working_memory=...), reduce the number of values "
                "of the columns, or give a list of arcs, such as the structure_ of a "
                "fit to fewer rows."
            )

    @property
    def n_nodes(self):
        """Return the number of nodes."""
        return len(self.sizes)

    @property
    def _given(self):
        return (self.target,) if self.structure == "tan" else ()

    @cached_property
    def _nodes(self):
        """Return the nodes of the tree."""
        return [node for node in range(self.n_nodes) if node not in self._given]

    @cached_property
    def _number(self):
        """Return the number of each node in the tree."""
        return {node: number for number, node in enumerate(self._nodes)}

    @cached_property
    def _starts(self):
        """Return where each table starts in `cells`, and where the last one ends."""
        sizes = np.array([self.sizes[node] for node in self._nodes], dtype=np.int64)
        given = math.prod(self.sizes[node] for node in self._given)
        n_cells = given * np.outer(sizes, sizes)
        n_cells[n_cells > MAX_SEARCHED_CELLS] = 0
        np.fill_diagonal(n_cells, given * sizes)
        of_tables = n_cells[np.tril_indices(len(sizes))]
        return np.concatenate([np.zeros(1, np.int64), np.cumsum(of_tables)])

    def _family(self, i, j):
        """Return the axes of the table of the tree's nodes number i ≥ j."""
        pair = (self._nodes[i],) if i == j else (self._nodes[i], self._nodes[j])
        return *self._given, *pair

    def _table(self, cells, i, j):
        """Return the table of the nodes number i ≥ j; None if it is too large."""
        start, end = self._starts[i * (i + 1) // 2 + j :][:2]
        if start == end:
            return None
        shape = [self.sizes[node] for node in self._family(i, j)]
        return cells[start:end].reshape(shape)

    def _tables(self, i, *cells):
        """Yield the axes of each table of the node number i, and its tables."""
        for j in range(i + 1):
            tables = [self._table(one, i, j) for one in cells]
            if tables[0] is not None:
                yield self._family(i, j), *tables

    def added(self, rows, n_jobs=None):
        """Return the counts with those of more rows, of the same nodes and values."""
        # Each of the `n_jobs` threads counts the pairs of some nodes.
        cells = np.zeros(self._starts[-1]) if self.cells is None else self.cells.copy()

        def count(i):
            for family, table in self._tables(i, cells):
                table += rows.count(family)

        map_tasks(count, range(len(self._nodes))[::-1], n_jobs=n_jobs)
        total_weight = self.total_weight + rows.total_weight
        return replace(self, cells=cells, total_weight=total_weight)

    def without(self, rows):
        """Return the counts of the other rows; `rows` are among those counted."""
        counted = replace(self, cells=None).added(rows)
        # Sums of fractions may leave less than nothing.
        cells = np.maximum(self.cells - counted.cells, 0.0)
        return replace(
            self, cells=cells, total_weight=self.total_weight - rows.total_weight
        )

    def __add__(self, other):
        """Return the counts of the rows of both, of the same nodes and values."""
        cells = self.cells if other.cells is None else other.cells
        if self.cells is not None and other.cells is not None:
            cells = self.cells + other.cells
        total_weight = self.total_weight + other.total_weight
        return replace(self, cells=cells, total_weight=total_weight)

    def expanded(self, positions, sizes):
        """Return the counts in larger tables; see `TableCounts.expanded`."""
        pairs = zip(positions, self.sizes)
        stay = (np.array_equal(found, np.arange(size)) for found, size in pairs)
        if tuple(sizes) == self.sizes and all(stay):
            return self
        larger = replace(self, sizes=tuple(sizes), cells=None)
        if self.cells is None:
            return larger
        cells = np.zeros(larger._starts[-1])
        for i in range(len(self._nodes)):
            for family, table in larger._tables(i, cells):
                axes = [positions[node] for node in family]
                table[...] = expand_counts(self.count(family), axes, table.shape)
        return replace(larger, cells=cells)

    def is_small(self, family):
        """Return whether a family's table is small enough for a tree."""
        return math.prod(self.sizes[node] for node in family) <= MAX_SEARCHED_CELLS

    def count(self, family):
        """Return the weight of each combination of values, as `CodedRows.count`."""
        # The family is a node or a pair of nodes, with the class for "tan".
        pair = [self._number[node] for node in family if node not in self._given]
        i, j = max(pair), min(pair)
        axes = self._family(i, j)
        cells = np.zeros(self._starts[-1]) if self.cells is None else self.cells
        table = self._table(cells, i, j)
        return table.transpose([axes.index(node) for node in family])

    def searched_batches(self, nodes, others):
        """Yield the other nodes whose tables with the given ones are small."""
        small = [other for other in others if self.is_small((*nodes, other))]
        if small:
            yield small

    def count_with_each(self, nodes, others):
        """Return the counts of a few nodes with each of several others."""
        # They are what `count` returns, as in `CodedRows.count_with_each`.
        tables = [self.count((other, *nodes)).ravel() for other in others]
        starts = np.cumsum([0, *map(len, tables)])
        return TablesOfCounts(np.concatenate(tables), starts)

    def tree(self, n_jobs=None):
        """Return the parents of each node in the tree of all rows."""
        if self.structure == "tan":
            return tan(self, self.target, n_jobs)
        return chow_liu(self, self.target, n_jobs)

    def families(self, parents, marginals):
        """Return the counts of each family, of shape (*sizes of the parents, K)."""
        # parents: a graph as `tree` returns it; marginals: (K,) for each node, the
        # counts of its values.
        return [
            np.ascontiguousarray(self.count((*of_node, node)))
            if of_node
            else marginals[node]
            for node, of_node in enumerate(parents)
        ]

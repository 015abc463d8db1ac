"""Trees from counts that add up over batches of rows: of all pairs of nodes."""

import math
from dataclasses import dataclass, replace
from itertools import combinations

import numpy as np
from sklearn import get_config

from ..._core._parallel import map_tasks
from .._counts import MAX_SEARCHED_CELLS, TablesOfCounts, expand_counts
from ._trees_and_k2 import TREES


@dataclass(frozen=True, eq=False)
class TreeCounts:
    """The weighted counts of all pairs of nodes, given the class but for "chow_liu".

    >>> from sklearn_bayeslazy.belief_network._counts import CodedRows
    >>> names, sizes = ("a", "b", "c"), (2, 2, 2)
    >>> rows = CodedRows.of([[0, 1, 0], [1, 1, 0], [1, 1, 1]], np.ones(3), names, sizes)
    >>> counts = TreeCounts.zeros("chow_liu", names, sizes, None).added(rows)
    >>> counts.count((0, 2))
    array([[1., 0.],
           [1., 1.]])
    """

    # The tree of all rows follows from them, and so do the counts of its families. As
    # for one table, pairs with more than MAX_SEARCHED_CELLS cells are left out: no tree
    # has their arc. It has the methods of `CodedRows` by which a tree is learned.

    structure: str  # one of TREES
    names: tuple  # of the nodes
    sizes: tuple  # the number of values of each node
    target: int | None  # the node of the class
    # The counts of each family: of a node, and of two nodes of which the second comes
    # first in the table; with the class in front for "tan" and "fan".
    tables: dict
    total_weight: float = 0.0  # of the rows
    largest_weight: float = 0.0
    row_weight: float = 1.0  # the weight that counts as one row

    @classmethod
    def zeros(cls, structure, names, sizes, target):
        """Return the counts of no rows; raise an error if they take too much memory."""
        empty = cls(structure, names, tuple(sizes), target, {})
        shapes = {family: empty._shape(family) for family in empty._families()}
        needed = 8 * sum(map(math.prod, shapes.values())) / 2**20
        if needed > (available := get_config()["working_memory"]):
            raise ValueError(
                f"The counts of all pairs of {len(empty._nodes)} nodes, from which "
                f"structure={structure!r} follows, take {needed:,.0f} MiB, above "
                f"the working_memory of {available:,} MiB: set it by "
                "sklearn.set_config(working_memory=...), reduce the number of values "
                "of the columns, or give a list of arcs, such as the structure_ of a "
                "fit to fewer rows."
            )
        tables = {family: np.zeros(shape) for family, shape in shapes.items()}
        return replace(empty, tables=tables)

    @property
    def n_nodes(self):
        """Return the number of nodes."""
        return len(self.sizes)

    @property
    def _given(self):
        return () if self.structure == "chow_liu" else (self.target,)

    @property
    def _nodes(self):
        """Return the nodes of the tree."""
        return [node for node in range(self.n_nodes) if node not in self._given]

    def _families(self):
        """Return the families that are counted."""
        pairs = combinations(reversed(self._nodes), 2)
        families = [(*self._given, *pair) for pair in pairs]
        alone = [(*self._given, node) for node in self._nodes]
        return [*filter(self.is_small, families), *alone]

    def _shape(self, family):
        return tuple(self.sizes[node] for node in family)

    def added(self, rows, n_jobs=None):
        """Return the counts with those of more rows, of the same nodes and values."""
        counted = map_tasks(rows.count, list(self.tables), n_jobs=n_jobs)
        tables = dict(zip(self.tables, counted))
        of_rows = rows.total_weight, rows.largest_weight
        return self + self._with(tables, *of_rows)

    def _with(self, tables, total_weight, largest_weight):
        """Return other counts, of rows of these weights."""
        of_rows = {"total_weight": total_weight, "largest_weight": largest_weight}
        return replace(self, tables=tables, **of_rows)

    def without(self, rows):
        """Return the counts of the other rows; `rows` are among those counted."""
        # Sums of fractions may leave less than nothing.
        tables = {f: np.maximum(t - rows.count(f), 0.0) for f, t in self.tables.items()}
        total_weight = self.total_weight - rows.total_weight
        return replace(self, tables=tables, total_weight=total_weight)

    def __add__(self, other):
        """Return the counts of the rows of both, of the same nodes and values."""
        tables = {f: table + other.tables[f] for f, table in self.tables.items()}
        total_weight = self.total_weight + other.total_weight
        largest_weight = max(self.largest_weight, other.largest_weight)
        return self._with(tables, total_weight, largest_weight)

    def expanded(self, positions, sizes):
        """Return the counts in larger tables; see `TableCounts.expanded`."""
        pairs = zip(positions, self.sizes)
        stay = (np.array_equal(found, np.arange(size)) for found, size in pairs)
        if tuple(sizes) == self.sizes and all(stay):
            return self
        larger = TreeCounts.zeros(self.structure, self.names, sizes, self.target)
        tables = {}
        for family, table in larger.tables.items():
            of_nodes = [positions[node] for node in family]
            tables[family] = expand_counts(self.tables[family], of_nodes, table.shape)
        return larger._with(tables, self.total_weight, self.largest_weight)

    @property
    def rows_per_weight(self):
        """Return the number of rows of weight 1, as `CodedRows.rows_per_weight`."""
        return 1.0 / min(self.row_weight, self.largest_weight)

    def is_small(self, family):
        """Return whether a family's table is small enough for a tree."""
        return math.prod(self._shape(family)) <= MAX_SEARCHED_CELLS

    def count(self, family):
        """Return the weight of each combination of values, as `CodedRows.count`."""
        # The family is a node or a pair of nodes, with the class for "tan" and "fan".
        others = sorted(set(family).difference(self._given), reverse=True)
        counted = *self._given, *others
        return self.tables[counted].transpose([counted.index(v) for v in family])

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

    def tree(self, row_weight, n_jobs=None):
        """Return the parents of each node in the tree of all rows."""
        counts = replace(self, row_weight=row_weight)
        return TREES[self.structure](counts, self.target, n_jobs)

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

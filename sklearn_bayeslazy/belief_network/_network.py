"""A belief network: nodes with values, a graph, and a table for each family."""

from dataclasses import dataclass
from functools import cached_property
from math import prod

import numpy as np

from ._factors import conditional
from ._graph import find_cycle, topological_order


@dataclass(frozen=True, eq=False)
class Network:
    """Nodes, their values, the graph, and P(node | parents) for each node.

    The joint distribution is the product of the tables.

    Attributes
    ----------
    names : tuple of str
    values : tuple of arrays
        The values of each node.
    parents : tuple of tuples of int
        Numbers of each node's parents, in the order of its table's axes.
    tables : tuple of ndarray of shape (*sizes of the parents, K)
        P(node | parents).

    Examples
    --------
    >>> network = Network(
    ...     names=("rain", "wet"),
    ...     values=(["yes", "no"], ["yes", "no"]),
    ...     parents=((), (0,)),
    ...     tables=([0.2, 0.8], [[0.9, 0.1], [0.3, 0.7]]),
    ... )
    >>> network.arcs()
    [('rain', 'wet')]
    """

    names: tuple
    values: tuple
    parents: tuple
    tables: tuple

    @property
    def n_nodes(self):
        """Return how many nodes there are."""
        return len(self.names)

    @cached_property
    def sizes(self):
        """Return how many values each node has."""
        return tuple(len(values) for values in self.values)

    @cached_property
    def order(self):
        """Return the nodes, parents before children."""
        return topological_order(self.parents)

    @cached_property
    def factors(self):
        """Return the logarithms of the tables as factors."""
        return [
            conditional(node, parents, table)
            for node, (parents, table) in enumerate(zip(self.parents, self.tables))
        ]

    @property
    def n_free_parameters(self):
        """Return how many numbers the tables hold, but for what sums to one."""
        return sum(
            table.size // size * (size - 1)
            for table, size in zip(self.tables, self.sizes)
        )

    def arcs(self):
        """Return the arcs as pairs of names, (parent, child)."""
        return [
            (self.names[parent], name)
            for name, parents in zip(self.names, self.parents)
            for parent in parents
        ]

    def __getstate__(self):
        """Leave out what is worked out again."""
        return {name: getattr(self, name) for name in self.__dataclass_fields__}


def parents_of_arcs(arcs, names):
    """Return the parents of each node, as numbers, of a list of (parent, child) names.

    Raises
    ------
    ValueError
        Where an arc is no pair, names a node that is not there, leads back to itself,
        is listed twice, or closes a cycle.
    """
    parents = [[] for _ in names]
    for arc in arcs:
        if isinstance(arc, str) or not hasattr(arc, "__len__") or len(arc) != 2:
            raise ValueError(f"An arc is a pair (parent, child), got {arc!r}.")
        pair = tuple(arc)
        parent, child = (find_place(name, names, f"the arc {pair!r}") for name in pair)
        if parent == child or parent in parents[child]:
            wrong = "leads back to itself" if parent == child else "is listed twice"
            raise ValueError(f"The arc {pair!r} {wrong}.")
        parents[child].append(parent)
    if cycle := find_cycle(parents):
        named = " → ".join(str(names[node]) for node in cycle)
        raise ValueError(f"The arcs make a cycle: {named}. Drop one of them.")
    return tuple(tuple(sorted(some)) for some in parents)


def starts(arrays):
    """Return where each of some arrays begins once they lie end to end, and the end.

    >>> starts([[0.2, 0.8], [1.0]])
    array([0, 2, 3])
    """
    return np.cumsum([0, *(len(array) for array in arrays)])


def cell_strides(shape):
    """Return how many cells lie between neighbouring values, on each axis of a table.

    >>> cell_strides((3, 2, 4))
    [8, 4, 1]
    """
    return [prod(shape[axis + 1 :]) for axis in range(len(shape))]


def find_place(name, names, where):
    """Return the number of a node; numbers of columns are names, too.

    >>> find_place("b", ("a", "b"), "order"), find_place(0, ("0", "1"), "order")
    (1, 0)
    """
    found = [place for place, some in enumerate(names) if some == str(name)]
    if len(found) != 1:
        wrong = "is no node" if not found else "is the name of several"
        raise ValueError(
            f"{where[0].upper()}{where[1:]} names {name!r}, which {wrong}: there are "
            f"{list(names)}."
        )
    return found[0]

"""A belief network: nodes with values, a graph, and a table for each node."""

from dataclasses import dataclass, replace
from functools import cached_property
from math import prod

import numpy as np

from .._core._kernel import frozen
from ._factors import conditional
from ._graph import arcs_of, find_cycle, topological_order

# In the text of a network.
MAX_VALUES_SHOWN = 8


@dataclass(frozen=True, eq=False, repr=False)
class Network:
    """Nodes, their values, the graph, and P(node | parents) for each node.

    The joint distribution is the product of the tables.

    Attributes
    ----------
    names : tuple of str
    values : tuple of arrays
        The values of each node.
    parents : tuple of tuples of int
        The indices of each node's parents, in the order of the axes of its table.
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
    >>> network
    Network of 2 nodes, 1 arc:
      P(rain): yes, no
      P(wet | rain): yes, no
    """

    names: tuple
    values: tuple
    parents: tuple
    tables: tuple

    @property
    def n_nodes(self):
        """Return the number of nodes."""
        return len(self.names)

    def number_of(self, name, where):
        """Return the index of a node; an error names the parameter `where`."""
        return find_node(name, self.names, where)

    @cached_property
    def sizes(self):
        """Return the number of values of each node."""
        return tuple(len(values) for values in self.values)

    @cached_property
    def order(self):
        """Return the nodes, parents before children."""
        return topological_order(self.parents)

    @cached_property
    def factors(self):
        """Return the tables as factors."""
        return [
            conditional(node, parents, table)
            for node, (parents, table) in enumerate(zip(self.parents, self.tables))
        ]

    @property
    def n_free_parameters(self):
        """Return the number of free parameters: each distribution has K - 1."""
        return sum(
            table.size // size * (size - 1)
            for table, size in zip(self.tables, self.sizes)
        )

    def arcs(self):
        """Return the arcs as pairs of names, (parent, child)."""
        names = self.names
        return [(names[node], names[child]) for node, child in arcs_of(self.parents)]

    def __repr__(self):
        """Return what each table is of, and the values of the nodes."""
        n_arcs = len(self.arcs())
        lines = [f"Network of {self.n_nodes} nodes, {n_arcs} arc{'s' * (n_arcs != 1)}:"]
        for name, values, parents in zip(self.names, self.values, self.parents):
            given = ", ".join(str(self.names[parent]) for parent in parents)
            shown = [str(value) for value in values[:MAX_VALUES_SHOWN]]
            if len(values) > MAX_VALUES_SHOWN:
                shown.append(f"… ({len(values)} values)")
            condition = f" | {given}" if given else ""
            lines.append(f"  P({name}{condition}): {', '.join(shown)}")
        return "\n".join(lines)

    def __getstate__(self):
        """Leave out cached properties: pickles do not grow by answering."""
        return {name: getattr(self, name) for name in self.__dataclass_fields__}


def parents_of_arcs(arcs, names):
    """Return each node's parents, by index, from a list of (parent, child) names."""
    # Raises a ValueError if an arc is not a pair, names an unknown node, leads from a
    # node to itself, is listed twice, or closes a cycle.
    if not np.iterable(arcs):  # such as np.array(2)
        raise ValueError(f"Arcs must be a list of pairs (parent, child), got {arcs!r}.")
    parents = [[] for _ in names]
    for arc in arcs:
        if isinstance(arc, str) or not hasattr(arc, "__len__") or len(arc) != 2:
            raise ValueError(f"An arc must be a pair (parent, child), got {arc!r}.")
        pair = tuple(arc)
        parent, child = (find_node(name, names, f"the arc {pair!r}") for name in pair)
        if parent == child or parent in parents[child]:
            problem = "leads to itself" if parent == child else "is listed twice"
            raise ValueError(f"The arc {pair!r} {problem}: drop it.")
        parents[child].append(parent)
    if cycle := find_cycle(parents):
        named = " → ".join(str(names[node]) for node in cycle)
        raise ValueError(f"The arcs form a cycle: {named}. Drop one of them.")
    return tuple(tuple(sorted(node_parents)) for node_parents in parents)


def reorder_values(network, node, order):
    """Return the network with the values of a node in another order.

    >>> network = Network(("h", "x"), ([0, 1], [0, 1]), ((), (0,)), (
    ...     np.array([0.2, 0.8]), np.array([[1.0, 0.0], [0.5, 0.5]])))
    >>> [table.tolist() for table in reorder_values(network, 0, [1, 0]).tables]
    [[0.8, 0.2], [[0.5, 0.5], [1.0, 0.0]]]
    """
    # Only the axes of the tables are reordered: `network.values` stays as it is.
    tables = []
    for other, (parents, table) in enumerate(zip(network.parents, network.tables)):
        family = (*parents, other)
        if node in family:
            table = np.take(table, order, axis=family.index(node))
        tables.append(table)
    return replace(network, tables=tuple(tables))


def reorder_nodes(network, order):
    """Return the network with its nodes in another order.

    >>> network = Network(("a", "b"), ([0, 1], [0, 1]), ((1,), ()), (
    ...     np.array([[1.0, 0.0], [0.5, 0.5]]), np.array([0.2, 0.8])))
    >>> reorder_nodes(network, [1, 0]).parents
    ((), (0,))
    """
    position = np.argsort(order)
    parents, tables = [], []
    for node in order:
        new = position[list(network.parents[node])].tolist()
        axes = np.argsort(new).tolist()
        parents.append(tuple(sorted(new)))
        tables.append(np.transpose(network.tables[node], [*axes, len(axes)]))
    names, values = network.names, network.values
    return Network(
        tuple(names[node] for node in order),
        tuple(values[node] for node in order),
        tuple(parents),
        tuple(tables),
    )


def intervened(network, nodes):
    """Return the network without the arcs to some nodes, whose values are set.

    >>> network = Network(("a", "b"), ([0, 1], [0, 1]), ((), (0,)), (
    ...     np.array([0.2, 0.8]), np.array([[1.0, 0.0], [0.5, 0.5]])))
    >>> intervened(network, [1]).parents
    ((), ())
    """
    # A set value has the factor 1, whatever the parents are: so have all values here.
    parents, tables = list(network.parents), list(network.tables)
    for node in nodes:
        parents[node], tables[node] = (), np.ones(network.sizes[node])
    return replace(network, parents=tuple(parents), tables=tuple(tables))


def with_likelihood(network, node, weights):
    """Return the network with a child of a node, the first value of which is noticed.

    >>> network = Network(("a",), ([0, 1],), ((),), (np.array([0.2, 0.8]),))
    >>> with_likelihood(network, 0, [1, 4]).tables[1][:, 0]
    array([0.25, 1.  ])
    """
    name, size = network.names[node], network.sizes[node]
    given = weights
    try:
        weights = np.asarray(given, dtype=np.float64)
    except (TypeError, ValueError):
        weights = np.empty(0)
    if weights.shape != (size,) or not np.all((weights >= 0) & (weights < np.inf)):
        raise ValueError(
            f"likelihood[{name!r}] must hold {size} finite numbers ≥ 0, one for each "
            f"of the values {list(network.values[node])}, got {given!r:.60}."
        )
    if (largest := weights.max()) == 0:
        raise ValueError(f"likelihood[{name!r}] is 0 for all values: nothing is left.")
    seen = weights / largest
    return Network(
        (*network.names, f"likelihood of {name}"),
        (*network.values, np.array(["noticed", "not noticed"], dtype=object)),
        (*network.parents, (node,)),
        (*network.tables, np.stack([seen, 1 - seen], axis=1)),
    )


def with_probability(network, node, cell, probability):
    """Return the network with one probability changed, its row in proportion.

    >>> network = Network(("a",), ([0, 1, 2],), ((),), (np.array([0.2, 0.6, 0.2]),))
    >>> with_probability(network, 0, (0,), 0.6).tables[0].round(9)
    array([0.6, 0.3, 0.1])
    """
    table = network.tables[node].copy()
    *row, value = cell
    others = np.delete(table[tuple(row)], value)
    total = others.sum()
    others = others / total if total > 0 else np.full(len(others), 1 / len(others))
    table[tuple(row)] = np.insert((1 - probability) * others, value, probability)
    tables = (*network.tables[:node], table, *network.tables[node + 1 :])
    return replace(network, tables=tables)


def starts_of(arrays):
    """Return where each array starts in their concatenation, and its length.

    >>> starts_of([[0.2, 0.8], [1.0]])
    array([0, 2, 3])
    """
    return np.cumsum([0, *(len(array) for array in arrays)])


def index_arrays(*arrays):
    """Return lists or arrays of integers as kernels read them."""
    return [frozen(array, np.int64) for array in arrays]


def cell_strides(shape):
    """Return the number of cells between consecutive values, for each axis of a table.

    >>> cell_strides((3, 2, 4))
    [8, 4, 1]
    """
    return [prod(shape[axis + 1 :]) for axis in range(len(shape))]


def find_node(name, names, where):
    """Return the index of a node; the index of a column is a name, too.

    >>> find_node("b", ("a", "b"), "order"), find_node(0, ("0", "1"), "order")
    (1, 0)
    """
    found = [node for node, other in enumerate(names) if other == str(name)]
    if len(found) != 1:
        problem = "is not a node" if not found else "is the name of several nodes"
        raise ValueError(
            f"{where[0].upper()}{where[1:]} names {name!r}, which {problem}: give one "
            f"of {list(names)}."
        )
    return found[0]

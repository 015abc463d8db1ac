"""From tables of probabilities that are given, by a person or a file, to a network."""

from dataclasses import replace

import numpy as np

from ..tabular import Codebook, Labels, factorize, missing_cells, object_array
from ._network import Network, find_node, parents_of_arcs, reorder_nodes, reorder_values
from ._nodes import Nodes

# Written numbers are often rounded: the sum of a table's row may differ from 1 by this.
MAX_SUM_ERROR = 0.01
# A row whose sum differs from 1 by less is not scaled: it is read as it was written.
MAX_SUM_ERROR_UNSCALED = 1e-12


def scaled_to_one(table):
    """Return a table whose rows sum to 1, or None if they are no distributions.

    >>> scaled_to_one(np.array([[0.333, 0.333, 0.333], [0.2, 0.3, 0.5]]))
    array([[0.33333333, 0.33333333, 0.33333333],
           [0.2       , 0.3       , 0.5       ]])
    >>> scaled_to_one(np.array([0.5, 0.6])) is None
    True
    """
    sums = table.sum(axis=-1, keepdims=True)
    if not (np.all(table >= 0) and np.all(np.abs(sums - 1) <= MAX_SUM_ERROR)):
        return None
    unscaled = np.abs(sums - 1) <= MAX_SUM_ERROR_UNSCALED
    return np.where(unscaled, table, table / sums)


def build_network(values, parents, tables):
    """Return a network, with each table's axes in the order of the nodes."""
    # values: {name: sequence}, its keys in the order of the nodes.
    # parents: {name: names}; tables: {name: (*sizes of the parents, K)}, with axes in
    # the order of `parents`.
    names = tuple(values)
    arcs = [(parent, name) for name in names for parent in parents[name]]
    node_parents = parents_of_arcs(arcs, names)
    ordered = []
    for name, nodes in zip(names, node_parents):
        axes = [parents[name].index(names[node]) for node in nodes]
        ordered.append(np.transpose(tables[name], [*axes, len(axes)]))
    arrays = tuple(object_array(values[name]) for name in names)
    return Network(names, arrays, node_parents, tuple(ordered))


def network_of_tables(arcs, tables, values=None):
    """Return a network of given tables; see `BeliefNetwork.from_tables`."""
    if not hasattr(tables, "items") or not len(tables):
        raise ValueError(
            "tables must be a dictionary {name: table} with at least one node, got "
            f"{tables!r:.60}."
        )
    names = tuple(map(str, tables))
    if len(set(names)) < len(names):
        raise ValueError(f"tables names a node twice: {list(tables)}.")
    tables = dict(zip(names, map(_as_table, tables.values(), names)))
    if isinstance(arcs, str) or not hasattr(arcs, "__iter__"):
        raise TypeError(f"arcs must be a list of pairs (parent, child), got {arcs!r}.")
    arcs = list(arcs)
    parents_of_arcs(arcs, names)  # raises errors
    parents = {name: [] for name in names}
    for arc in arcs:
        parent, child = (names[find_node(name, names, "arcs")] for name in arc)
        parents[child].append(parent)
    values = _checked_values(values, tables)
    for name, table in tables.items():
        shape = tuple(len(values[node]) for node in (*parents[name], name))
        if table.shape != shape:
            raise ValueError(
                f"The table of {name!r} has shape {table.shape}; with the parents "
                f"{parents[name]} and their values it needs {shape}, the last axis for "
                f"{name!r} itself."
            )
        if (scaled := scaled_to_one(table)) is None:
            raise ValueError(
                f"The table of {name!r} must hold probabilities ≥ 0 that sum to 1 over "
                "the last axis."
            )
        tables[name] = scaled
    return build_network(values, parents, tables)


def _as_table(table, name):
    """Return a table as floats."""
    try:
        array = np.array(table, dtype=np.float64)
    except (TypeError, ValueError):
        raise ValueError(
            f"The table of {name!r} must be an array of numbers, got {table!r:.60}."
        ) from None
    if not array.ndim or not array.size:
        raise ValueError(
            f"The table of {name!r} needs a probability for each value, got {table!r}."
        )
    return array


def _checked_values(values, tables):
    """Return the values of each node: those given, by default the integers from 0."""
    values = {} if values is None else values
    if not hasattr(values, "items"):
        raise ValueError(f"values must be a dictionary {{name: list}}, got {values!r}.")
    for name, some in values.items():
        if isinstance(some, str) or not hasattr(some, "__len__"):
            raise TypeError(f"The values of {name!r} must be a list, got {some!r}.")
    given = {
        find_node(name, tuple(tables), "values"): [
            v.item() if isinstance(v, np.generic) else v for v in some
        ]
        for name, some in values.items()
    }
    found = {}
    for node, (name, table) in enumerate(tables.items()):
        found[name] = given.get(node, list(range(table.shape[-1])))
        if len(found[name]) != table.shape[-1]:
            raise ValueError(
                f"The table of {name!r} has {table.shape[-1]} values on its last axis, "
                f"and {len(found[name])} are given: {found[name]}."
            )
        labels = factorize(found[name], f"values of {name!r}")
        codes = labels.codes if isinstance(labels, Labels) else labels
        if np.any(missing_cells(labels)) or len(np.unique(codes)) < len(codes):
            raise ValueError(
                f"The values of {name!r} must be distinct and not missing, got "
                f"{found[name]}."
            )
    return found


def nodes_of(network):
    """Return the nodes of a network without rows: each is a column of categories."""
    is_cut = [False] * network.n_nodes
    codebook = Codebook(range(network.n_nodes), network.values, is_cut)
    return Nodes(network.names, codebook)


def with_class(network, nodes, target):
    """Return a network and its nodes with the node `target` as the class."""
    # The values of the class are sorted. The nodes are the other columns, the class,
    # and then the nodes that were no columns.
    columns = [node for node in range(nodes.n_columns) if node != target]
    if not columns:
        raise ValueError(
            f"The network has no column besides the class {network.names[target]!r}."
        )
    hidden = [n for n in range(nodes.n_columns, network.n_nodes) if n != target]
    classes = np.array(list(network.values[target]))
    order = np.argsort(classes, kind="stable")
    network = reorder_values(network, target, order)
    network = reorder_nodes(network, [*columns, target, *hidden])
    book = nodes.codebook
    values = [book.values[node] for node in columns]
    codebook = Codebook(range(len(columns)), values, book.is_cut[columns])
    class_and_hidden = range(len(columns), network.n_nodes)
    others = [(network.names[node], network.values[node]) for node in class_and_hidden]
    others[0] = network.names[len(columns)], classes[order]
    nodes = Nodes(network.names[: len(columns)], codebook, tuple(others))
    return replace(network, values=nodes.values), nodes

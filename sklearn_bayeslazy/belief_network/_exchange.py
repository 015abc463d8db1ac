"""Networks as objects of other packages: networkx, pyAgrum, pgmpy."""

import numpy as np

from ._given_tables import network_of_tables


def to_networkx(network):
    """Return the graph as a `networkx.DiGraph`; see `BeliefNetwork.to_networkx`."""
    import networkx as nx

    graph = nx.DiGraph()
    for name, values, parents, table in zip(
        network.names, network.values, network.parents, network.tables
    ):
        names = [network.names[node] for node in parents]
        graph.add_node(name, values=list(values), parents=names, table=table.copy())
    graph.add_edges_from(network.arcs())
    return graph


def to_pyagrum(network):
    """Return a network as a `pyagrum.BayesNet`, whose labels are strings."""
    import pyagrum

    peer = pyagrum.BayesNet()
    for name, values in zip(network.names, network.values):
        peer.add(pyagrum.LabelizedVariable(name, name, [str(v) for v in values]))
    # The axes of an array of pyAgrum are the node's parents, the last one first, and
    # then the node.
    for parent, child in reversed(network.arcs()):
        peer.addArc(parent, child)
    for name, table in zip(network.names, network.tables):
        peer.cpt(name)[:] = np.ascontiguousarray(table)
    return peer


def from_pyagrum(peer):
    """Return the network of a `pyagrum.BayesNet`."""
    _check_peer(peer, "cpt", "pyagrum.BayesNet")
    values, parents, tables = {}, {}, {}
    for name in peer.names():
        cpt = peer.cpt(name)
        values[name] = list(cpt.variable(0).labels())
        parents[name] = list(cpt.names)[:0:-1]
        tables[name] = cpt.toarray()
    return _network(values, parents, tables)


def to_pgmpy(network):
    """Return a network as a `pgmpy.models.DiscreteBayesianNetwork`."""
    from pgmpy.factors.discrete import TabularCPD
    from pgmpy.models import DiscreteBayesianNetwork

    values = (np.asarray(some).tolist() for some in network.values)  # Python's types
    states = dict(zip(network.names, values))
    peer = DiscreteBayesianNetwork()
    peer.add_nodes_from(network.names)
    peer.add_edges_from(network.arcs())
    for name, nodes, table in zip(network.names, network.parents, network.tables):
        family = [name, *(network.names[node] for node in nodes)]
        peer.add_cpds(
            TabularCPD(
                name,
                table.shape[-1],
                table.reshape(-1, table.shape[-1]).T,
                family[1:],
                table.shape[:-1],
                state_names={member: states[member] for member in family},
            )
        )
    return peer


def from_pgmpy(peer):
    """Return the network of a `pgmpy.models.DiscreteBayesianNetwork`."""
    _check_peer(peer, "get_cpds", "pgmpy.models.DiscreteBayesianNetwork")
    values, parents, tables = {}, {}, {}
    for name in peer.nodes():
        cpd = peer.get_cpds(name)
        if cpd is None:
            raise ValueError(f"The network has no table of {name!r}: add its CPD.")
        name = str(name)
        values[name] = list(cpd.state_names[cpd.variable])
        parents[name] = [str(parent) for parent in cpd.variables[1:]]
        tables[name] = np.moveaxis(np.asarray(cpd.values), 0, -1)
    return _network(values, parents, tables)


def _check_peer(peer, method, kind):
    if not hasattr(peer, method):
        raise TypeError(f"network must be a {kind}, got {type(peer).__name__}.")


def _network(values, parents, tables):
    arcs = [(parent, name) for name, found in parents.items() for parent in found]
    return network_of_tables(arcs, tables, values)

"""Views of a network in other forms: a networkx graph, and a list of arcs in HTML."""

from html import escape


def as_networkx(network):
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


def arcs_as_html(network):
    """Return the parents of each node as a list in HTML that can be folded."""
    lines = [
        f"<li>{_escaped_names(network, parents)} → {escape(name)}</li>"
        for name, parents in zip(network.names, network.parents)
        if parents
    ]
    n_arcs = len(network.arcs())
    return (
        f"<details><summary>{n_arcs} arcs between {network.n_nodes} nodes"
        f"</summary><ul>{''.join(lines)}</ul></details>"
    )


def _escaped_names(network, nodes):
    return ", ".join(escape(network.names[node]) for node in nodes)

"""Parts of several cases that together cover a wanted graph.

A wanted function may have no stored design. Then parts of several designs are combined:
the case that covers most edges that are not yet covered is taken, again and again.
"""

from dataclasses import dataclass
from typing import NamedTuple

from ...tabular import import_pandas
from ._graphs import GraphSimilarity, SignedGraph, match_graphs


class Part(NamedTuple):
    """A part of a wanted graph, and the stored case that has it.

    Attributes
    ----------
    case : int
        The index of the stored case.
    nodes : dict
        ``{node of the wanted graph: node of the case's graph}``.
    edges : list of (node, node, sign)
        The edges of the wanted graph that this part covers and those before do not.
    is_exact : bool
        False if the search for the part ended at its budget.
    """

    case: int
    nodes: dict
    edges: list
    is_exact: bool  # False if the search for the part ended at its budget


@dataclass
class Combination:
    """Parts of stored cases that together cover a wanted graph, or some of it.

    The parts are chosen one after the other, greedily: fewer might do.

    Attributes
    ----------
    parts : list of Part
        In the order in which they were chosen. A case may occur more than once.
    uncovered : list of (node, node, sign)
        The edges of the wanted graph that no stored case has.
    """

    parts: list
    uncovered: list

    @property
    def is_complete(self):
        """Whether the parts cover all edges of the wanted graph."""
        return not self.uncovered

    def frame(self):
        """Return the parts as a pandas frame, a row for each."""
        pd = import_pandas()
        rows = [
            {
                "case": part.case,
                "edges": ", ".join(f"{u} {sign}> {v}" for u, v, sign in part.edges),
                "nodes": ", ".join(f"{u}: {v}" for u, v in part.nodes.items()),
            }
            for part in self.parts
        ]
        return pd.DataFrame(rows, columns=["case", "edges", "nodes"])


def combine_graphs(wanted, stored, similarity):
    """Return the `Combination` of stored graphs that covers a wanted one."""
    # wanted: SignedGraph; stored: list of (index of the case, SignedGraph).
    parts, labels = [], dict(wanted.labels)
    uncovered = set(wanted.edges)
    distinct = {}
    for case, graph in stored:  # equal graphs: the first case stands for them
        distinct.setdefault(graph, case)
    while uncovered:
        rest = _graph_of(uncovered, labels)
        best = None
        for graph, case in distinct.items():
            match = match_graphs(rest, graph, similarity.budget)
            if match.edges and (best is None or len(match.edges) > len(best.edges)):
                best = Part(case, *match)
        if best is None:
            break
        parts.append(best)
        uncovered -= set(best.edges)
    return Combination(parts, sorted(uncovered, key=str))


def check_graph_attribute(names, similarities, attribute):
    """Return the position of the graph-valued attribute, the only one by default."""
    graphs = [
        j for j, one in enumerate(similarities) if isinstance(one, GraphSimilarity)
    ]
    listed = [names[j] for j in graphs]
    if attribute is None and len(graphs) == 1:
        return graphs[0]
    if attribute is None:
        raise ValueError(
            f"The cases have {len(graphs)} attributes of graphs, {listed}: name one as "
            "attribute."
        )
    if str(attribute) not in listed:
        raise ValueError(
            f"attribute={attribute!r} is not an attribute of graphs; these are "
            f"{listed}."
        )
    return graphs[listed.index(str(attribute))]


def _graph_of(edges, labels):
    nodes = {node for u, v, _ in edges for node in (u, v)}
    found = frozenset((node, labels[node]) for node in nodes)
    return SignedGraph(frozenset(edges), found)

"""Signed graphs: their largest common sub-graph, and how alike they are by it.

A function of a design is a directed graph of quantities: an edge means that the first
quantity increases ("+") or decreases ("-") the second. Two graphs are compared by a map
of nodes to nodes of the same label, one to one, that keeps as many signed edges as
possible.

Source: K. Sycara et al. (1992), CADET: a case-based synthesis tool for engineering
design, Int. J. Expert Systems 4; T. Mitchell (1997), Machine Learning, section 8.5.
"""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from numbers import Number
from typing import NamedTuple

import numpy as np

from ...tabular import import_pandas
from ._similarities import Similarity, _one_of

_SIGNS = {"+": "+", "increases": "+", 1: "+", "-": "-", "decreases": "-", -1: "-"}


class SignedGraph(NamedTuple):
    """A directed graph with signed edges, hashable.

    Attributes
    ----------
    edges : frozenset of (node, node, sign)
        The sign is "+" or "-".
    labels : frozenset of (node, label)
        Only nodes that have the same label can be matched.
    """

    edges: frozenset
    labels: frozenset  # of (node, label); only nodes of the same label can be matched


class Match(NamedTuple):
    """A common sub-graph of a wanted and a stored graph.

    Attributes
    ----------
    nodes : dict
        ``{node of the wanted graph: node of the stored graph}``.
    edges : list of (node, node, sign)
        The edges of the wanted graph that the stored one has, sorted.
    is_exact : bool
        Whether no common sub-graph has more edges. False if the search ended at its
        budget: the match is then the best that was found.
    """

    nodes: dict
    edges: list
    is_exact: bool


@dataclass(frozen=True)
class GraphSimilarity(Similarity):
    r"""Signed graphs, compared by the edges of their largest common sub-graph.

    A cell is a ``networkx.DiGraph`` with the edge attribute "sign" and, if wanted, the
    node attribute "label"; a dict ``{(u, v): sign}``; or a list of (u, v, sign). Signs
    are "+", "-", "increases", "decreases", 1 or -1.

    Parameters
    ----------
    kind : {"contained", "dice"}, default="contained"
        "contained": common edges over the edges of the query's graph, so that a case
        whose graph contains the wanted one has similarity 1. "dice": twice the common
        edges over the edges of both graphs. Two graphs without edges have similarity 1.
    labels : dict, default=None
        ``{node: label}``. By default the node attribute "label", or None where there is
        none: then any nodes can be matched.
    budget : int, default=10_000
        The number of partial maps of nodes that the search tries for two graphs. If
        there are more, the best map so far counts, which a greedy search begins with;
        `Match.is_exact` is then False.

    Examples
    --------
    >>> from sklearn_bayeslazy import GraphSimilarity
    >>> similarity = GraphSimilarity()
    >>> wanted = similarity.read({("a", "b"): "+", ("b", "c"): "-"})
    >>> stored = similarity.read({(1, 2): "+"})
    >>> similarity.pairwise([wanted], [stored])
    array([[0.5]])
    >>> similarity.match(wanted, stored)
    Match(nodes={'a': 1, 'b': 2}, edges=[('a', 'b', '+')], is_exact=True)
    """

    kind: str = "contained"
    labels: Mapping | None = None
    budget: int = 10_000
    reads_objects = True

    def __post_init__(self):
        _one_of(self.kind, ("contained", "dice"))
        if self.labels is not None and not isinstance(self.labels, Mapping):
            raise ValueError(
                f"labels must be a dict {{node: label}}, got {self.labels!r}."
            )
        if not isinstance(self.budget, int | np.integer) or self.budget < 1:
            raise ValueError(f"budget must be an integer ≥ 1, got {self.budget!r}.")

    def __hash__(self):
        """Return a hash without the labels: dictionaries have none."""
        return hash((self.kind, self.budget))

    def read(self, cell):
        """Return a graph as a `SignedGraph`."""
        if isinstance(cell, SignedGraph):
            return cell
        triples, labels = _triples(cell)
        edges = set()
        for triple in triples:
            if not isinstance(triple, tuple | list) or len(triple) != 3:
                raise ValueError(f"an edge must be (u, v, sign), got {triple!r}.")
            u, v, sign = triple
            if not isinstance(sign, str | Number) or sign not in _SIGNS:
                raise ValueError(
                    f"the sign of the edge {u!r} -> {v!r} must be '+', '-', "
                    f"'increases' or 'decreases', got {sign!r}."
                )
            edges.add((u, v, _SIGNS[sign]))
        labels = labels if self.labels is None else self.labels
        return _graph_of(edges, labels)

    def match(self, wanted, stored):
        """Return the largest common sub-graph of two graphs, a `Match`."""
        return match_graphs(self.read(wanted), self.read(stored), self.budget)

    def _of_pair(self, x, y):
        whole = len(x.edges)
        if self.kind == "dice":
            whole = (len(x.edges) + len(y.edges)) / 2
        if whole == 0:
            return 1.0
        return len(match_graphs(x, y, self.budget).edges) / whole


def is_graph(cell):
    """Return whether a cell is a dict of signed edges or a networkx graph."""
    if isinstance(cell, SignedGraph) or hasattr(cell, "out_edges"):
        return True
    if not isinstance(cell, Mapping):
        return False
    return all(isinstance(key, tuple) and len(key) == 2 for key in cell)


def match_graphs(wanted, stored, budget):
    """Return the largest common sub-graph of two `SignedGraph`, as a `Match`."""
    # Branch and bound: nodes of the wanted graph are mapped in order, each to a free
    # node of its label or to none. A branch ends if the edges that can still be kept do
    # not exceed the best map so far.
    labels = dict(wanted.labels)
    degree = Counter(node for u, v, _ in wanted.edges for node in (u, v))
    order = sorted(labels, key=lambda node: (-degree[node], str(node)))
    candidates = {node: [] for node in order}
    for other, label in sorted(stored.labels, key=str):
        for node in order:
            if labels[node] == label:
                candidates[node].append(other)
    search = _Search(order, candidates, _edges_decided(order, wanted.edges), stored)
    search.start_greedily()
    is_exact = search.run(budget)
    nodes = search.best_map
    edges = sorted(_kept_edges(wanted.edges, stored.edges, nodes), key=str)
    used = {node for u, v, _ in edges for node in (u, v)}
    matched = {node: nodes[node] for node in sorted(used, key=str)}
    return Match(matched, edges, is_exact)


class _Search:
    """Branch and bound over maps of nodes."""

    # order: nodes of the wanted graph; candidates: {node: nodes of the stored graph};
    # decided: for each position of the order, the edges (u, v, sign) whose second end
    # is the node there; stored: SignedGraph.

    def __init__(self, order, candidates, decided, stored):
        self._order, self._candidates = order, candidates
        self._decided, self._stored = decided, stored.edges
        sizes = np.cumsum([0, *(len(one) for one in decided)])
        self._remaining = (sizes[-1] - sizes).tolist()
        self.best_map, self._best = {}, -1

    def start_greedily(self):
        """Map each node to the candidate that keeps the most edges at once."""
        nodes, kept = {}, 0
        for position, node in enumerate(self._order):
            free = [c for c in self._candidates[node] if c not in nodes.values()]
            gains = [self._gain(position, {**nodes, node: c}) for c in free]
            if gains:
                nodes[node] = free[int(np.argmax(gains))]
                kept += max(gains)
        self.best_map, self._best = nodes, kept

    def run(self, budget):
        """Search all maps; return whether the budget sufficed."""
        stack = [(0, 0, {})]
        while stack:
            position, kept, nodes = stack.pop()
            if kept > self._best:
                self.best_map, self._best = nodes, kept
            if kept + self._remaining[position] <= self._best:
                continue
            if budget == 0:
                return False
            budget -= 1
            node = self._order[position]
            stack.append((position + 1, kept, nodes))
            used = set(nodes.values())
            for other in self._candidates[node]:
                if other not in used:
                    more = {**nodes, node: other}
                    gain = self._gain(position, more)
                    stack.append((position + 1, kept + gain, more))
        return True

    def _gain(self, position, nodes):
        """Return how many edges decided at a position are kept by a map."""
        return len(_kept_edges(self._decided[position], self._stored, nodes))


def _edges_decided(order, edges):
    """Return the edges whose second end is each node of the order."""
    at = {node: i for i, node in enumerate(order)}
    decided = [[] for _ in order]
    for u, v, sign in edges:
        decided[max(at[u], at[v])].append((u, v, sign))
    return decided


def _kept_edges(edges, stored, nodes):
    """Return those edges that a map of nodes takes to stored ones."""
    return [
        (u, v, sign)
        for u, v, sign in edges
        if u in nodes and v in nodes and (nodes[u], nodes[v], sign) in stored
    ]


def _triples(cell):
    """Return the edges (u, v, sign) of a cell, and a dict of the labels of nodes."""
    if hasattr(cell, "out_edges"):
        edges = [(u, v, data.get("sign")) for u, v, data in cell.edges(data=True)]
        labels = {node: data.get("label") for node, data in cell.nodes(data=True)}
        return edges, labels
    if isinstance(cell, Mapping) and is_graph(cell):
        return [(u, v, sign) for (u, v), sign in cell.items()], {}
    if isinstance(cell, list | tuple):
        return list(cell), {}
    raise TypeError(
        "it must hold signed graphs: a networkx.DiGraph, a dict {(u, v): sign} or a "
        f"list of (u, v, sign), got {cell!r}"
    )


# Parts of several cases that together cover a wanted graph.
#
# A wanted function may have no stored design. Then parts of several designs are
# combined: the case that covers most edges that are not yet covered is taken, again and
# again.


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
    found = frozenset((node, labels.get(node)) for node in nodes)
    return SignedGraph(frozenset(edges), found)

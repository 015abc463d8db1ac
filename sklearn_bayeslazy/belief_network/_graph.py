"""Directed acyclic graphs: order, moral graph, d-separation, elimination order.

A graph is a sequence: ``parents[i]`` holds the indices of the parents of node i.
"""

from graphlib import CycleError, TopologicalSorter
from heapq import heappop, heappush
from itertools import combinations
from math import prod

import numpy as np


def topological_order(parents):
    """Return the nodes, parents before children; ties go to the smallest index.

    >>> topological_order([(2,), (0,), ()])
    [2, 0, 1]
    """
    # Raises a ValueError that lists the nodes of a cycle, if the graph has one.
    children = children_of(parents)
    n_waiting = [len(set(node_parents)) for node_parents in parents]
    ready = [node for node, count in enumerate(n_waiting) if count == 0]
    order = []
    while ready:
        node = heappop(ready)
        order.append(node)
        for child in children[node]:
            n_waiting[child] -= 1
            if n_waiting[child] == 0:
                heappush(ready, child)
    if len(order) < len(parents):
        cycle = find_cycle(parents)
        raise ValueError(f"The arcs form a cycle: {' → '.join(map(str, cycle))}.")
    return order


def find_cycle(parents):
    """Return the nodes of a cycle along its arcs, the first node again at the end.

    >>> find_cycle([(1,), (2,), (0,)])
    [0, 2, 1, 0]
    """
    # The list is empty if the graph has no cycle.
    try:
        TopologicalSorter(dict(enumerate(parents))).prepare()
    except CycleError as error:
        return error.args[1]
    return []


def arcs_of(parents):
    """Return the arcs as pairs of nodes (parent, child), child by child.

    >>> arcs_of([(2,), (0, 2), ()])
    [(2, 0), (0, 1), (2, 1)]
    """
    return [(node, child) for child, found in enumerate(parents) for node in found]


def children_of(parents):
    """Return the children of each node, ascending."""
    children = [[] for _ in parents]
    for child, child_parents in enumerate(parents):
        for node in sorted(set(child_parents)):
            children[node].append(child)
    return children


def ancestors(parents, nodes):
    """Return the nodes and all their ancestors, as a set."""
    found, waiting = set(), list(nodes)
    while waiting:
        node = waiting.pop()
        if node not in found:
            found.add(node)
            waiting.extend(parents[node])
    return found


def markov_blanket(parents, node):
    """Return a node's parents, children and the children's other parents, as a set.

    >>> sorted(markov_blanket([(), (), (0, 1), (2,)], 0))
    [1, 2]
    """
    # Given its Markov blanket a node is independent of all other nodes.
    blanket = set(parents[node])
    for child in children_of(parents)[node]:
        blanket |= {child, *parents[child]}
    return blanket - {node}


def compelled_arcs(parents):
    """Return the arcs (parent, child) that all Markov equivalent graphs have.

    >>> sorted(compelled_arcs([(), (), (0, 1), (2,), (3,)]))
    [(0, 2), (1, 2), (2, 3), (3, 4)]
    >>> compelled_arcs([(), (0,), (0, 1)])
    set()
    """
    # Those of v-structures (parents of one node that are not neighbors), and what
    # follows from them (Meek, "Causal inference and causal explanation with background
    # knowledge", UAI 1995, rules 1 to 3).
    arcs = set(arcs_of(parents))
    neighbors = moral_graph(arcs)
    compelled = {
        (parent, node)
        for parent, node in arcs
        if any(
            other not in neighbors[parent] for other in parents[node] if other != parent
        )
    }

    def follows(parent, node):
        into_node = {other for other in parents[node] if (other, node) in compelled}
        near = {
            other
            for other in into_node & neighbors[parent]
            if (other, parent) not in compelled
        }
        return (
            # an arc into the parent, from a node that is no neighbor of this one
            any(
                (other, parent) in compelled and other not in neighbors[node]
                for other in parents[parent]
            )
            # a path from the parent
            or any((parent, other) in compelled for other in into_node)
            # two neighbors of the parent that are not neighbors of each other
            or any(b not in neighbors[a] for a, b in combinations(near, 2))
        )

    while more := {arc for arc in arcs - compelled if follows(*arc)}:
        compelled |= more
    return compelled


def moral_graph(families):
    """Return the neighbors of each node where all nodes of a family are neighbors."""
    # families: sequences of nodes. Returns {node: set of its neighbors}.
    neighbors = {node: set() for family in families for node in family}
    for family in families:
        for a, b in combinations(family, 2):
            neighbors[a].add(b)
            neighbors[b].add(a)
    return neighbors


def d_separated(parents, x, y, given):
    """Return whether the sets of nodes x and y are d-separated by the nodes given.

    >>> collider = [(), (), (0, 1)]
    >>> d_separated(collider, {0}, {1}, set()), d_separated(collider, {0}, {1}, {2})
    (True, False)
    """
    # x and y are d-separated if they are not connected in the moral graph of the
    # ancestors of all three sets once the given nodes are removed (Lauritzen et al.,
    # "Independence properties of directed Markov fields", Networks 20, 1990).
    x, y, given = set(x), set(y), set(given)
    relevant = ancestors(parents, x | y | given)
    moral = moral_graph([(node, *parents[node]) for node in relevant])
    reached, waiting = set(), list(x - given)
    while waiting:
        node = waiting.pop()
        if node in reached or node in given:
            continue
        if node in y:
            return False
        reached.add(node)
        waiting.extend(moral[node])
    return True


def maximum_spanning_tree(weights):
    """Return each node's parent in the maximum spanning tree, and an order of nodes.

    >>> maximum_spanning_tree(np.array([[0, 1, 3], [1, 0, 2], [3, 2, 0]]))
    ([-1, 2, 0], [0, 2, 1])
    """
    # Prim's algorithm. ``weights[i]``: of the arcs that lead from node i to others,
    # ≥ 0. Parents come before children; the root is the first node. The parent is -1
    # for it, and for nodes whose weights are all 0. Ties go to the first nodes.
    parent, order = [-1] * len(weights), []
    outside = np.ones(len(weights), dtype=bool)
    best, source = np.zeros(len(weights)), np.zeros(len(weights), dtype=np.int64)
    while outside.any():
        node = int(np.argmax(np.where(outside, best, -1.0)))
        if best[node] > 0:
            parent[node] = int(source[node])
        order.append(node)
        outside[node] = False
        closer = outside & (weights[node] > best)
        best[closer], source[closer] = weights[node][closer], node
    return parent, order


def min_fill_order(families, eliminated, sizes):
    """Return an order for eliminating nodes, and the size of the largest factor.

    >>> min_fill_order([(0, 1), (1, 2), (2, 3)], {0, 1, 2}, [2, 2, 2, 2])
    ([0, 1, 2], 4)
    """
    # Each step eliminates the node that adds the fewest arcs between its neighbors (min
    # fill). Ties go to the node with the smallest factor, then to the smallest index.
    # families: the nodes of each factor; sizes: the number of values of each node.
    # Returns a list, and the number of cells of the largest product of factors.
    order, largest = [], 1
    for node, node_neighbors in _eliminate(families, eliminated, sizes):
        order.append(node)
        largest = max(largest, _n_cells({node, *node_neighbors}, sizes))
    return order, largest


def min_fill_cliques(families, sizes):
    """Return the maximal cliques of the triangulated moral graph.

    >>> min_fill_cliques([(0,), (0, 1), (0, 2), (1, 2, 3)], [2, 2, 2, 2])
    [(0, 1, 2), (1, 2, 3)]
    """
    nodes = {node for family in families for node in family}
    cliques = []
    for node, node_neighbors in _eliminate(families, nodes, sizes):
        clique = {node, *node_neighbors}
        if not any(clique <= other for other in cliques):
            cliques.append(clique)
    return [tuple(sorted(clique)) for clique in cliques]


def _eliminate(families, eliminated, sizes):
    """Yield nodes in the order of elimination, each with its neighbors at that time."""
    neighbors = moral_graph(families)

    def cost(node):
        near = neighbors[node]
        n_joined = sum(len(near & neighbors[other]) for other in near) // 2
        n_pairs = len(near) * (len(near) - 1) // 2
        return n_pairs - n_joined, _n_cells({node, *near}, sizes), node

    costs = {node: cost(node) for node in eliminated if node in neighbors}
    while costs:
        node = min(costs, key=costs.__getitem__)
        del costs[node]
        near = neighbors.pop(node)
        changed = set(near)
        for a in near:
            neighbors[a].discard(node)
        for a, b in combinations(near, 2):
            if b not in neighbors[a]:
                neighbors[a].add(b)
                neighbors[b].add(a)
                changed |= neighbors[a] & neighbors[b]
        costs |= {other: cost(other) for other in changed & costs.keys()}
        yield node, near


def _n_cells(nodes, sizes):
    return prod(sizes[node] for node in nodes)

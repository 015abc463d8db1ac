"""Directed acyclic graphs: order, moral graph, separation, elimination order.

A graph is a sequence: ``parents[i]`` holds the numbers of the parents of node i.
"""

from itertools import combinations
from math import prod


def topological_order(parents):
    """Return the nodes, parents before children, the smallest number first.

    >>> topological_order([(2,), (0,), ()])
    [2, 0, 1]

    Raises
    ------
    ValueError
        Where the graph has a cycle; its message names one by numbers.
    """
    children = children_of(parents)
    missing = [len(set(some)) for some in parents]
    ready = [node for node, count in enumerate(missing) if count == 0]
    order = []
    while ready:
        node = min(ready)
        ready.remove(node)
        order.append(node)
        for child in children[node]:
            missing[child] -= 1
            if missing[child] == 0:
                ready.append(child)
    if len(order) < len(parents):
        cycle = find_cycle(parents)
        raise ValueError(f"The arcs make a cycle: {' → '.join(map(str, cycle))}.")
    return order


def find_cycle(parents):
    """Return the nodes of a cycle, first and last the same; empty if there is none.

    >>> find_cycle([(1,), (2,), (0,)])
    [0, 2, 1, 0]
    """
    left = {node: set(some) for node, some in enumerate(parents)}
    while sources := [node for node, some in left.items() if not some & left.keys()]:
        for node in sources:
            del left[node]
    if not left:
        return []
    node, seen = min(left), []
    while node not in seen:  # a node that is left has a parent that is left
        seen.append(node)
        node = min(left[node] & left.keys())
    cycle = seen[seen.index(node) :]
    start = cycle.index(min(cycle))
    cycle = [*cycle[start:], *cycle[:start], cycle[start]]
    return cycle[::-1]  # along the arcs


def children_of(parents):
    """Return the children of each node, ascending."""
    children = [[] for _ in parents]
    for child, some in enumerate(parents):
        for node in sorted(set(some)):
            children[node].append(child)
    return children


def ancestors(parents, nodes):
    """Return the nodes and all from which an arc leads to them, as a set."""
    found, new = set(), list(nodes)
    while new:
        node = new.pop()
        if node not in found:
            found.add(node)
            new.extend(parents[node])
    return found


def descendants(parents, nodes):
    """Return the nodes and all to which an arc leads from them, as a set."""
    return ancestors(children_of(parents), nodes)


def markov_blanket(parents, node):
    """Return parents, children and the children's other parents, as a set.

    Given them, a node is independent of all others.

    >>> sorted(markov_blanket([(), (), (0, 1), (2,)], 0))
    [1, 2]
    """
    blanket = set(parents[node])
    for child in children_of(parents)[node]:
        blanket |= {child, *parents[child]}
    return blanket - {node}


def moral_graph(families):
    """Return the neighbours of each node, where all nodes of a family are neighbours.

    families are sequences of nodes; returned is a dictionary {node: set of nodes}.
    """
    neighbours = {node: set() for family in families for node in family}
    for family in families:
        for a, b in combinations(family, 2):
            neighbours[a].add(b)
            neighbours[b].add(a)
    return neighbours


def d_separated(parents, x, y, given):
    """Tell whether the sets of nodes x and y are independent given others.

    They are if no path leads from one to the other in the moral graph of their
    ancestors without the nodes given (Lauritzen et al., "Independence properties of
    directed Markov fields", *Networks* 20, 1990).

    >>> collider = [(), (), (0, 1)]
    >>> d_separated(collider, {0}, {1}, set()), d_separated(collider, {0}, {1}, {2})
    (True, False)
    """
    x, y, given = set(x), set(y), set(given)
    kept = ancestors(parents, x | y | given)
    moral = moral_graph([(node, *parents[node]) for node in kept])
    reached, new = set(), list(x - given)
    while new:
        node = new.pop()
        if node in reached or node in given:
            continue
        if node in y:
            return False
        reached.add(node)
        new.extend(moral[node])
    return True


def min_fill_order(families, removed, sizes):
    """Return an order in which to sum nodes out, and the largest table it takes.

    At each step the node goes that joins the fewest pairs of neighbours, ties by the
    size of the table and the number.

    Parameters
    ----------
    families : list of sequences of nodes
        The nodes of each factor.
    removed : set of nodes
    sizes : sequence of int
        How many values each node has.

    Returns
    -------
    order : list of nodes
    largest : int
        Cells of the largest product of factors.

    >>> min_fill_order([(0, 1), (1, 2), (2, 3)], {0, 1, 2}, [2, 2, 2, 2])
    ([0, 1, 2], 4)
    """
    order, largest = [], 1
    for node, near in _eliminate(families, removed, sizes):
        order.append(node)
        largest = max(largest, _cells({node, *near}, sizes))
    return order, largest


def min_fill_cliques(families, sizes):
    """Return the largest cliques of the moral graph, triangulated.

    >>> min_fill_cliques([(0,), (0, 1), (0, 2), (1, 2, 3)], [2, 2, 2, 2])
    [(0, 1, 2), (1, 2, 3)]
    """
    nodes = {node for family in families for node in family}
    cliques = []
    for node, near in _eliminate(families, nodes, sizes):
        clique = {node, *near}
        if not any(clique <= other for other in cliques):
            cliques.append(clique)
    return [tuple(sorted(clique)) for clique in cliques]


def _eliminate(families, removed, sizes):
    """Yield nodes in the order in which they go, and their neighbours then."""
    neighbours = moral_graph(families)

    def cost(node):
        near = neighbours[node]
        joined = sum(len(near & neighbours[other]) for other in near) // 2
        pairs = len(near) * (len(near) - 1) // 2
        return pairs - joined, _cells({node, *near}, sizes), node

    costs = {node: cost(node) for node in removed if node in neighbours}
    while costs:
        node = min(costs, key=costs.__getitem__)
        del costs[node]
        near = neighbours.pop(node)
        changed = set(near)
        for a in near:
            neighbours[a].discard(node)
        for a, b in combinations(near, 2):
            if b not in neighbours[a]:
                neighbours[a].add(b)
                neighbours[b].add(a)
                changed |= neighbours[a] & neighbours[b]
        costs |= {some: cost(some) for some in changed & costs.keys()}
        yield node, near


def _cells(nodes, sizes):
    return prod(sizes[node] for node in nodes)

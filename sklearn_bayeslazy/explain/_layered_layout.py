"""Positions of the nodes of a directed graph in layers, parents above children."""

from graphlib import TopologicalSorter
from itertools import pairwise

import numpy as np
from sklearn.isotonic import isotonic_regression

# How often the layers are sorted from above and from below.
N_SWEEPS = 8
# The width of an arc that passes through a layer; that of a node is 1.
PASSING_ARC_WIDTH = 0.3
# The minimum width of the rows of nodes without arcs.
MIN_NODES_PER_ROW = 5


def layered_layout(parents):
    """Return the positions of nodes, and the points around which arcs bend.

    >>> positions, bends = layered_layout([(), (0,), (0, 1)])
    >>> positions[:, 1], bends[0, 2][:, 1]
    (array([ 0., -1., -2.]), array([-1.]))
    """
    # parents: of each node, without cycles. positions: (n_nodes, 2), x, which differs
    # by at least 1 between nodes in a layer, and y, 0 for the first layer and -1 for
    # the next. bends: {(parent, child): (n_points, 2)}, the points between the ends of
    # each arc.
    #
    # A node is one layer below the lowest of its parents. The nodes of each layer are
    # sorted by the mean position of their neighbors in the next layer, alternately from
    # above and from below, and the order with the fewest crossings is kept (Sugiyama,
    # Tagawa & Toda 1981). Then each node moves as close to its neighbors as the order
    # allows. An arc over several layers has a bend in each layer between. Nodes without
    # arcs are in rows below all layers.
    n = len(parents)
    layers, above, chains = _layers_with_bends(parents)
    n_points = n + sum(len(chain) for chain in chains.values())
    below = {node: [] for node in above}
    for node, upper in above.items():
        for other in upper:
            below[other].append(node)
    layers = _reduce_crossings(layers, above, below)
    points = np.zeros((n_points, 2))
    for row, layer in enumerate(layers):
        points[layer, 1] = -row
    neighbors = {node: above[node] + below[node] for node in above}
    points[:, 0] = _horizontal_positions(layers, neighbors, n, n_points)
    isolated = [node for node in range(n) if node not in above]
    widest = max((sum(node < n for node in layer) for layer in layers), default=0)
    _position_isolated(isolated, max(MIN_NODES_PER_ROW, widest), len(layers), points)
    bends = {arc: points[chain].reshape(-1, 2) for arc, chain in chains.items()}
    return points[:n], bends


def _layers_with_bends(parents):
    """Return the nodes and the bends of arcs in layers."""
    # layers: lists of nodes, and of bends, which are numbered from the number of nodes
    # on. above: {node or bend: its neighbors in the layer above}. chains: {(parent,
    # child): the bends of the arc}.
    connected = {
        node
        for child, child_parents in enumerate(parents)
        if child_parents
        for node in (child, *child_parents)
    }
    depth = _depths(parents)
    layers = [[] for _ in range(max(depth) + 1 if connected else 0)]
    for node in sorted(connected):
        layers[depth[node]].append(node)
    above, chains, n_points = {node: [] for node in connected}, {}, len(parents)
    for child, child_parents in enumerate(parents):
        for parent in child_parents:
            chain = [parent]
            for layer in range(depth[parent] + 1, depth[child]):
                above[n_points] = [chain[-1]]
                layers[layer].append(n_points)
                chain.append(n_points)
                n_points += 1
            above[child].append(chain[-1])
            chains[parent, child] = chain[1:]
    return layers, above, chains


def _depths(parents):
    """Return the layer of each node."""
    depth = [0] * len(parents)
    for node in TopologicalSorter(dict(enumerate(parents))).static_order():
        depth[node] = max((depth[parent] + 1 for parent in parents[node]), default=0)
    return depth


def _position_isolated(nodes, nodes_per_row, first_row, points):
    """Write the positions of nodes without arcs, in centered rows."""
    for i, node in enumerate(nodes):
        row, column = divmod(i, nodes_per_row)
        in_row = min(len(nodes) - row * nodes_per_row, nodes_per_row)
        points[node] = column - (in_row - 1) / 2, -first_row - row


def _horizontal_positions(layers, neighbors, n_nodes, n_points):
    """Return x of each node and bend, close to its neighbors, in the layer's order."""
    x = np.zeros(n_points)
    width = np.where(np.arange(n_points) < n_nodes, 1.0, PASSING_ARC_WIDTH)
    for sweep in range(N_SWEEPS + 1):
        for layer in layers[:: -1 if sweep % 2 else 1]:
            steps = (width[layer][1:] + width[layer][:-1]) / 2
            closest = np.concatenate([[0.0], np.cumsum(steps)])
            closest -= closest.mean()
            desired = closest
            if sweep > 0:
                desired = [np.mean(x[neighbors[node]]) for node in layer]
            x[layer] = isotonic_regression(np.asarray(desired) - closest) + closest
    return x


def _reduce_crossings(layers, above, below):
    """Return the layers in the order with the fewest crossings over all sweeps."""
    best, fewest = layers, _count_crossings(layers, above)
    for sweep in range(N_SWEEPS):
        neighbors, step = (above, 1) if sweep % 2 == 0 else (below, -1)
        layers = [list(layer) for layer in layers]
        for row in range(len(layers))[::step]:
            fixed = layers[row - step] if 0 <= row - step < len(layers) else []
            layers[row] = _sorted_by_neighbors(layers[row], fixed, neighbors)
        crossings = _count_crossings(layers, above)
        if crossings < fewest:
            best, fewest = layers, crossings
    return best


def _sorted_by_neighbors(layer, fixed, neighbors):
    """Return a layer sorted by the mean position of the neighbors in a fixed layer."""
    # Positions are measured from the centers of the layers.
    position = {node: i - len(fixed) / 2 for i, node in enumerate(fixed)}
    keys = {}
    for i, node in enumerate(layer):
        known = [position[other] for other in neighbors[node] if other in position]
        keys[node] = np.mean(known) if known else i - len(layer) / 2
    return sorted(layer, key=keys.get)


def _count_crossings(layers, above):
    """Return the number of crossing pairs of arcs between consecutive layers."""
    total = 0
    for upper, lower in pairwise(layers):
        position = {node: i for i, node in enumerate(upper)}
        ends = np.array(
            [
                (position[other], i)
                for i, node in enumerate(lower)
                for other in above[node]
                if other in position
            ]
        ).reshape(-1, 2)
        left = np.subtract.outer(ends[:, 0], ends[:, 0])
        right = np.subtract.outer(ends[:, 1], ends[:, 1])
        total += int(np.sum(left * right < 0)) // 2
    return total

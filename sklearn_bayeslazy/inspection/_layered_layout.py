"""Places of the nodes of a directed graph in layers, parents above their children."""

from itertools import pairwise

import numpy as np
from sklearn.isotonic import isotonic_regression

from ..belief_network._graph import topological_order

_SWEEPS = 8
# Arcs that pass a layer take less room in it than nodes, which take 1.
_PASSING = 0.3
# Nodes without arcs stand in rows of so many, or as many as the widest layer has.
_ROW = 5


def layered_layout(parents):
    """Return where nodes are drawn, and through what points arcs go.

    A node is a layer below the lowest of its parents. In each layer nodes are sorted by
    the mean place of their neighbours in the next one, from above and from below in
    turns, and the order with the fewest crossings is kept (Sugiyama, Tagawa & Toda
    1981). Then each is moved as close to its neighbours as the order allows. An arc
    over several layers has a place in each. Nodes without arcs come last.

    Parameters
    ----------
    parents : sequence of sequences of int
        Of each node; without cycles.

    Returns
    -------
    positions : ndarray of shape (n_nodes, 2)
        x, of which neighbours in a layer differ by 1 at least, and y, 0 for the first
        layer and -1 for the next.
    ways : dict of {(int, int): ndarray of shape (n_points, 2)}
        For each arc (parent, child) the points between its ends.

    Examples
    --------
    >>> positions, ways = layered_layout([(), (0,), (0, 1)])
    >>> positions[:, 1], ways[0, 2][:, 1]
    (array([ 0., -1., -2.]), array([-1.]))
    """
    n = len(parents)
    joined = {node for c, some in enumerate(parents) if some for node in (c, *some)}
    depth = _depths(parents)
    layers = [[] for _ in range(max(depth) + 1 if joined else 0)]
    for node in sorted(joined):
        layers[depth[node]].append(node)
    above, chains, total = {node: [] for node in joined}, {}, n
    for child, some in enumerate(parents):
        for parent in some:
            chain = [parent]
            for layer in range(depth[parent] + 1, depth[child]):
                above[total] = [chain[-1]]
                layers[layer].append(total)
                chain.append(total)
                total += 1
            above[child].append(chain[-1])
            chains[parent, child] = chain[1:]
    below = {node: [] for node in above}
    for node, some in above.items():
        for other in some:
            below[other].append(node)
    layers = _untangled(layers, above, below)
    places = np.zeros((total, 2))
    for row, layer in enumerate(layers):
        places[layer, 1] = -row
    near = {node: above[node] + below[node] for node in above}
    places[:, 0] = _across(layers, near, n, total)
    alone = [node for node in range(n) if node not in joined]
    width = max([_ROW, *(sum(node < n for node in layer) for layer in layers)])
    for i, node in enumerate(alone):
        row, place = divmod(i, width)
        in_row = min(len(alone) - row * width, width)
        places[node] = place - (in_row - 1) / 2, -len(layers) - row
    ways = {arc: places[chain].reshape(-1, 2) for arc, chain in chains.items()}
    return places[:n], ways


def _depths(parents):
    """Return the layer of each node."""
    depth = [0] * len(parents)
    for node in topological_order(parents):
        depth[node] = max((depth[parent] + 1 for parent in parents[node]), default=0)
    return depth


def _across(layers, near, n, total):
    """Return x of each node, near its neighbours, in the order of its layer."""
    x = np.zeros(total)
    room = np.where(np.arange(total) < n, 1.0, _PASSING)
    for sweep in range(_SWEEPS + 1):
        for layer in layers[:: -1 if sweep % 2 else 1]:
            steps = (room[layer][1:] + room[layer][:-1]) / 2
            least = np.concatenate([[0.0], np.cumsum(steps)])
            least -= least.mean()
            wish = least if sweep == 0 else [np.mean(x[near[node]]) for node in layer]
            x[layer] = isotonic_regression(np.asarray(wish) - least) + least
    return x


def _untangled(layers, above, below):
    """Return the layers in the order with the fewest crossings that was found."""
    best, fewest = layers, _crossings(layers, above)
    for sweep in range(_SWEEPS):
        near, step = (above, 1) if sweep % 2 == 0 else (below, -1)
        layers = [list(layer) for layer in layers]
        for row in range(len(layers))[::step]:
            sorted_by = {}
            beside = layers[row - step] if 0 <= row - step < len(layers) else []
            place = {node: i - len(beside) / 2 for i, node in enumerate(beside)}
            for i, node in enumerate(layers[row]):
                known = [place[other] for other in near[node] if other in place]
                own = i - len(layers[row]) / 2
                sorted_by[node] = np.mean(known) if known else own
            layers[row].sort(key=sorted_by.get)
        crossings = _crossings(layers, above)
        if crossings < fewest:
            best, fewest = layers, crossings
    return best


def _crossings(layers, above):
    """Return how many pairs of arcs between neighbouring layers cross."""
    total = 0
    for upper, lower in pairwise(layers):
        place = {node: i for i, node in enumerate(upper)}
        ends = np.array(
            [
                (place[other], i)
                for i, node in enumerate(lower)
                for other in above[node]
                if other in place
            ]
        ).reshape(-1, 2)
        left = np.subtract.outer(ends[:, 0], ends[:, 0])
        right = np.subtract.outer(ends[:, 1], ends[:, 1])
        total += int(np.sum(left * right < 0)) // 2
    return total

"""Lists of the nearest training rows, and the total weight at which a list is full."""

from dataclasses import dataclass

import numpy as np

from ..._kernel import frozen

# Fractional weights are added up in any order: their sums are trusted to this share.
_SLACK = 1e-6


@dataclass
class NeighborLists:
    """The nearest rows of queries.

    Attributes
    ----------
    reduced : ndarray of shape (m, width)
        Reduced distances, ascending.
    indices : int array of shape (m, width)
    counts : int array of shape (m,)
        How many of a query's list are there; what comes after means nothing.
    """

    reduced: np.ndarray
    indices: np.ndarray
    counts: np.ndarray


class WeightedK:
    """How much mass of neighbours is wanted, and what that takes.

    Attributes
    ----------
    weight : ndarray of shape (n,)
        Masses of the rows; more than what is wanted is not counted.
    enough : float
        The mass at which a search may stop.
    width : int
        How long a list can become.
    """

    def __init__(self, k, weight):
        whole = bool(np.all(weight == np.floor(weight)))
        self.k = float(k) if whole else k * (1 + _SLACK)
        # One copy may be left out: a row needs to hold one more than what is wanted.
        self.weight = frozen(np.minimum(weight, self.k + 1), np.float64)
        reached = np.cumsum(np.sort(self.weight))
        limit = self.k if whole else self.k * (1 + _SLACK)
        needed = int(np.searchsorted(reached, limit)) + 1
        # One row at most is left out, and one comes in before another goes.
        self.width = min(needed + 1, len(weight)) + 1


def empty_lists(m, width):
    """Return lists to be filled."""
    return NeighborLists(
        np.empty((m, width)),
        np.empty((m, width), dtype=np.int64),
        np.zeros(m, dtype=np.int64),
    )


def full_lists(reduced, ids):
    """Return lists of rows that are all there, sorted by (distance, row)."""
    order = np.lexsort((ids, reduced), axis=-1)
    return NeighborLists(
        np.take_along_axis(reduced, order, axis=1),
        np.take_along_axis(ids, order, axis=1),
        np.full(len(ids), ids.shape[1], dtype=np.int64),
    )


def drop_excluded(distances, ids, exclude):
    """Return lists without the query itself, or without the last if it is not there."""
    kept = ids != exclude[:, None]
    kept[kept.all(axis=1), -1] = False
    shape = len(ids), ids.shape[1] - 1
    return distances[kept].reshape(shape), ids[kept].reshape(shape)


def no_exclusions(n_queries):
    """Return that no query is a training row."""
    return np.full(n_queries, -1)

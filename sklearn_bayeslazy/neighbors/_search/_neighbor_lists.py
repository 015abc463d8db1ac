"""Lists of the nearest training rows, and the total weight at which a list is full."""

from dataclasses import dataclass

import numpy as np

from ..._kernel import frozen

# Fractional weights are added up in any order: their sums are trusted to this share.
_SLACK = 1e-6


@dataclass
class Lists:
    """The nearest rows of queries.

    Attributes
    ----------
    reduced : ndarray of shape (m, width)
        Reduced distances, ascending.
    ids : int array of shape (m, width)
    counts : int array of shape (m,)
        How many of a query's list are there; what comes after means nothing.
    """

    reduced: np.ndarray
    ids: np.ndarray
    counts: np.ndarray


class Demand:
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
        self.enough = float(k) if whole else k * (1 + _SLACK)
        # One copy may be left out: a row needs to hold one more than what is wanted.
        self.weight = frozen(np.minimum(weight, self.enough + 1), np.float64)
        reached = np.cumsum(np.sort(self.weight))
        limit = self.enough if whole else self.enough * (1 + _SLACK)
        needed = int(np.searchsorted(reached, limit)) + 1
        # One row at most is left out, and one comes in before another goes.
        self.width = min(needed + 1, len(weight)) + 1


def empty_lists(m, width):
    """Return lists to be filled."""
    return Lists(
        np.empty((m, width)),
        np.empty((m, width), dtype=np.int64),
        np.zeros(m, dtype=np.int64),
    )


def full_lists(reduced, ids):
    """Return lists of rows that are all there, sorted by (distance, row)."""
    order = np.lexsort((ids, reduced), axis=-1)
    return Lists(
        np.take_along_axis(reduced, order, axis=1),
        np.take_along_axis(ids, order, axis=1),
        np.full(len(ids), ids.shape[1], dtype=np.int64),
    )


def without_own(distances, ids, own):
    """Return lists without the query itself, or without the last if it is not there."""
    kept = ids != own[:, None]
    kept[kept.all(axis=1), -1] = False
    shape = len(ids), ids.shape[1] - 1
    return distances[kept].reshape(shape), ids[kept].reshape(shape)


def nobody(n_queries):
    """Return that no query is a training row."""
    return np.full(n_queries, -1)

"""Recall: how much must be read to find the wanted share of neighbours."""

from dataclasses import dataclass

import numpy as np

# The recall wanted is the lower end of a 95 % interval: it is to be reached.
_SURE = 1.96
# Candidates are tried in steps of this ratio.
_RATIO = 1.1


@dataclass
class RecallReport:
    """How many of the true neighbours were found.

    Attributes
    ----------
    recall : float
        Share of the neighbours found that are as near as the true ones.
    interval : tuple of float
        95 % confidence interval for rows like these.
    n_neighbors, n_queries : int
    """

    recall: float
    interval: tuple
    n_neighbors: int
    n_queries: int


@dataclass
class RecallCurve:
    """What more effort finds, and what it takes.

    Attributes
    ----------
    recall : ndarray of shape (n_efforts,)
        Share of the true neighbours found.
    seconds : ndarray of shape (n_efforts,)
        Time of a query.
    n_read, n_candidates : int arrays of shape (n_efforts,)
        How many rows a query reads, and how many it measures.
    """

    recall: np.ndarray
    seconds: np.ndarray
    n_read: np.ndarray
    n_candidates: np.ndarray


def choose_effort(ranks, reading, measuring, wanted):
    """Return the cheapest effort that reaches the recall wanted.

    Parameters
    ----------
    ranks : array of shape (n_levels, m, k)
        At each level, how many rows seem at least as near to query i as its j-th
        neighbour, itself counted; infinite where the level does not read it.
    reading : array of shape (n_levels,)
        What a level costs; the last one reads everything.
    measuring : float
        What it costs to measure one row.
    wanted : float
        Share of the neighbours, up to 1.

    Returns
    -------
    level : int
    n_candidates : int
        How many rows are to be measured.

    Examples
    --------
    Two queries with two neighbours each. The first level reads one neighbour of each,
    which seems the nearest, the second level all.

    >>> ranks = np.array([[[1, np.inf], [np.inf, 1]], [[1, 2], [3, 2]]])
    >>> choose_effort(ranks, np.array([1.0, 10.0]), 1.0, 0.5)
    (0, 1)
    >>> choose_effort(ranks, np.array([1.0, 10.0]), 1.0, 1.0)
    (1, 3)
    """
    most = int(ranks[np.isfinite(ranks)].max())
    sizes = np.unique(np.ceil(_RATIO ** np.arange(np.log(most) / np.log(_RATIO) + 1)))
    sizes = np.append(sizes[sizes < most], most)
    best, least = None, np.inf
    for level, (rank, cost) in enumerate(zip(ranks, reading)):
        if cost >= least:
            continue
        found = (rank[:, :, None] <= sizes).mean(axis=1)
        doubt = _SURE * _standard_error(found)
        enough = np.flatnonzero(found.mean(axis=0) - doubt >= wanted)
        if len(enough) and cost + measuring * sizes[enough[0]] < least:
            n_candidates = int(sizes[enough[0]])
            least = cost + measuring * n_candidates
            best = level, n_candidates
    return best


def interval(found):
    """Return the 95 % confidence interval of a mean."""
    error, mean = _SURE * _standard_error(found), found.mean()
    return float(max(mean - error, 0.0)), float(min(mean + error, 1.0))


def _standard_error(found):
    """Return that of the mean over the first axis."""
    return found.std(axis=0, ddof=min(1, len(found) - 1)) / np.sqrt(len(found))

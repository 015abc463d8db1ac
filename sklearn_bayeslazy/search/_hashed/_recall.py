"""Recall: its measurement, and the cheapest search budget that reaches it."""

from dataclasses import dataclass

import numpy as np

# Quantile of the normal distribution for 95 % intervals.
_Z_95 = 1.96
# Ratio of consecutive numbers of candidates that are tried.
_CANDIDATE_RATIO = 1.1


@dataclass
class RecallReport:
    """The share of the true neighbours that was found.

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
    """Recall and time of queries, for several search budgets.

    Attributes
    ----------
    recall : ndarray of shape (n_budgets,)
        Share of the true neighbours found.
    seconds : ndarray of shape (n_budgets,)
        Time per query.
    n_read, n_candidates : int arrays of shape (n_budgets,)
        How much a query reads, and how many rows it measures.
    """

    recall: np.ndarray
    seconds: np.ndarray
    n_read: np.ndarray
    n_candidates: np.ndarray  # how many rows it measures


def choose_budget(ranks, read_costs, measure_cost, recall):
    """Return the (level, n_candidates) of least cost that reaches a recall.

    >>> ranks = np.array([[[1, np.inf], [np.inf, 1]], [[1, 2], [3, 2]]])
    >>> choose_budget(ranks, np.array([1.0, 10.0]), 1.0, 0.5)
    (0, 1)
    >>> choose_budget(ranks, np.array([1.0, 10.0]), 1.0, 1.0)
    (1, 3)
    """
    # ranks: (n_levels, m, k), at each level the rank of the j-th true neighbour of
    # query i by estimated distance; infinite if the level does not read this neighbour.
    # read_costs: (n_levels,), of which the last level reads everything; measure_cost:
    # the cost of measuring one row. n_candidates rows are measured.
    # The lower end of the 95 % interval of the recall must reach it. In the doctest
    # there are two queries with two neighbours each: the first level reads one
    # neighbour of each query, at rank 1; the second level reads all.
    largest = int(ranks[np.isfinite(ranks)].max())
    n_steps = np.log(largest) / np.log(_CANDIDATE_RATIO)
    sizes = np.unique(np.ceil(_CANDIDATE_RATIO ** np.arange(n_steps + 1)))
    sizes = np.append(sizes[sizes < largest], largest)
    best, lowest = None, np.inf
    for level, (rank, cost) in enumerate(zip(ranks, read_costs)):
        if cost >= lowest:
            continue
        found = (rank[:, :, None] <= sizes).mean(axis=1)
        margin = _Z_95 * _standard_error(found)
        reached = np.flatnonzero(found.mean(axis=0) - margin >= recall)
        if len(reached) and cost + measure_cost * sizes[reached[0]] < lowest:
            n_candidates = int(sizes[reached[0]])
            lowest = cost + measure_cost * n_candidates
            best = level, n_candidates
    return best


def interval(found):
    """Return the 95 % confidence interval of a mean."""
    error, mean = _Z_95 * _standard_error(found), found.mean()
    return float(max(mean - error, 0.0)), float(min(mean + error, 1.0))


def _standard_error(found):
    """Return the standard error of the mean over the first axis."""
    return found.std(axis=0, ddof=min(1, len(found) - 1)) / np.sqrt(len(found))

"""Expectation maximization (Dempster, Laird & Rubin 1977).

A step computes the expected counts under the present tables, and then estimates the
tables from these counts as if they had been observed.
"""

from ..._core._fit_tasks import Iterations
from .._inference import JunctionTree
from ._incomplete_rows import LearnedTables


def learn_by_em(
    rows,
    network,
    *,
    max_iter=200,
    tol=1e-6,
    n_jobs=None,
    report=None,
    iterations=None,
):
    """Improve the tables of a network by EM; return LearnedTables."""
    # network: with the tables to start from. EM ends when a step gains no more than
    # `tol` per unit of weight, or after `max_iter` steps.
    # report: called with the objective after each step; iterations: of the steps, with
    # LearnedTables as their result.
    iterations = iterations or Iterations()
    tree = JunctionTree.of(network.parents, network.sizes)
    counts, objective = rows.expect(tree, network, n_jobs)
    history = [objective]
    for _ in range(max_iter):
        iterations.begin()
        network = rows.maximize(network, counts)
        counts, objective = rows.expect(tree, network, n_jobs)
        history.append(objective)
        if report is not None:
            report(objective)
        converged = bool(history[-1] - history[-2] <= tol * rows.total_weight)
        stop = iterations.end(LearnedTables, network, history.copy(), converged)
        if stop or converged:
            break
    return LearnedTables(network, history, converged)

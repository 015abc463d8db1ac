"""Tables of incomplete rows by EM or gradient ascent, from several random starts."""

from dataclasses import replace
from functools import partial

import numpy as np

from ..._core._fit_tasks import Iterations
from .._inference import family_marginals
from .._network import reorder_values
from ._gradient import learn_by_gradient
from ._incomplete_rows import LearnedTables

# Expectation maximization (Dempster, Laird & Rubin 1977).
#
# A step computes the expected counts under the present tables, and then estimates the
# tables from these counts as if they had been observed.


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
    counts, objective = rows.expect(network, n_jobs)
    history = [objective]
    for _ in range(max_iter):
        iterations.begin()
        network = rows.maximize(network, counts)
        counts, objective = rows.expect(network, n_jobs)
        history.append(objective)
        if report is not None:
            report(objective)
        converged = bool(history[-1] - history[-2] <= tol * rows.total_weight)
        stop = iterations.end(LearnedTables, network, history.copy(), converged)
        if stop or converged:
            break
    return LearnedTables(network, history, converged)


LEARNERS = {"em": learn_by_em, "gradient": learn_by_gradient}


def learn_tables(
    rows,
    network,
    hidden,
    learner,
    rng,
    *,
    n_init,
    report=None,
    iterations=None,
    **options,
):
    """Learn tables from several starts; return the result with the best objective."""
    # With hidden nodes, each of `n_init` starts draws their tables and those of their
    # children at random; the other tables start from `network`. Without hidden nodes
    # there is one start.
    # hidden: nodes that no row observes. In the result their values are sorted by
    # decreasing probability: no order explains the rows better than another.
    # report: called with the number of the start and the objective after each step;
    # iterations: of the steps, with the best LearnedTables as their result; options: of
    # the learner.
    if not len(rows.codes):
        return rows.learn_complete(network)
    iterations = iterations or Iterations()
    best = None
    for start in range(n_init if len(hidden) else 1):
        if report is not None:
            options["report"] = partial(report, start)
        initial = random_tables(network, rng, hidden) if len(hidden) else network
        steps = iterations.for_part(partial(_better_sorted, best, hidden))
        learned = LEARNERS[learner](rows, initial, iterations=steps, **options)
        best = _better(best, learned)
        if iterations.stopped:
            break
    return _better_sorted(None, hidden, best)


def _better(best, learned):
    """Return the better of two LearnedTables; the first may be None."""
    is_better = best is None or learned.history[-1] > best.history[-1]
    return learned if is_better else best


def _better_sorted(best, hidden, learned):
    """Return the better of two LearnedTables, the values of hidden nodes sorted."""
    better = _better(best, learned)
    return better._replace(network=_sort_values(better.network, hidden))


def random_tables(network, rng, nodes=None):
    """Return the network with random tables, uniform over all tables."""
    # Only the tables of families that contain one of `nodes` are drawn; by default all.
    drawn = set(range(network.n_nodes) if nodes is None else nodes)
    tables = tuple(
        table
        if drawn.isdisjoint((node, *parents))
        else rng.dirichlet(np.ones(table.shape[-1]), size=table.shape[:-1])
        for node, (parents, table) in enumerate(zip(network.parents, network.tables))
    )
    return replace(network, tables=tables)


def _sort_values(network, nodes):
    """Return the network with the values of some nodes by decreasing probability."""
    for node in nodes:
        marginal = family_marginals(network)[node].reshape(-1, network.sizes[node])
        order = np.argsort(-marginal.sum(axis=0), kind="stable")
        network = reorder_values(network, node, order)
    return network

"""Gradient ascent of the likelihood in logits, by L-BFGS.

`_incomplete_rows` defines the objective and its symbols. Its derivative by θ_jk is
(E n_jk + m_j p_k) / θ_jk (Mitchell 1997, section 6.11.5; Binder, Koller, Russell &
Kanazawa 1997). Each row of a table is the softmax of its logits, so that it remains a
distribution. The derivative by a logit is E n_jk + m_j p_k − θ_jk (E n_j + m_j).
"""

from dataclasses import replace

import numpy as np
from scipy.optimize import minimize
from scipy.special import softmax

from ..._core._fit_tasks import Iterations
from ._incomplete_rows import LearnedTables

# The logit with which a probability of 0 starts.
MIN_LOGIT = -50.0
# The status of scipy's L-BFGS when it reached the maximum number of steps.
MAX_ITER_REACHED = 1
# The status if its callback ended it.
STOPPED = 99


def learn_by_gradient(
    rows,
    network,
    *,
    max_iter=200,
    tol=1e-6,
    n_jobs=None,
    report=None,
    iterations=None,
):
    """Improve the tables of a network by gradient ascent; return LearnedTables."""
    # The parameters are those of `learn_by_em` in `_starts.py`.
    # The line search of L-BFGS never decreases the objective. One poor step can end
    # L-BFGS far from a local optimum, so it restarts where it ended until a run gains
    # nothing.
    iterations = iterations or Iterations()
    total_weight, history = rows.total_weight, []
    ends = np.cumsum([table.size for table in network.tables])[:-1]

    def learned(logits, history, converged):
        tables = tuple(
            softmax(part.reshape(table.shape), axis=-1)
            for part, table in zip(np.split(logits, ends), network.tables)
        )
        return LearnedTables(replace(network, tables=tables), history, converged)

    def loss(logits):
        """Return minus the objective per unit of weight, and its gradient."""
        iterations.begin()
        present = learned(logits, history, False).network
        counts, objective = rows.expect(present, n_jobs)
        gradient = []
        for seen, added, table in zip(counts, rows.pseudo_counts, present.tables):
            total = seen + added
            of_table = total - table * total.sum(axis=-1, keepdims=True)
            gradient.append(of_table.ravel())
        return -objective / total_weight, -np.concatenate(gradient) / total_weight

    def record(objective):
        history.append(objective)
        if report is not None:
            report(objective)

    # scipy passes an OptimizeResult only to an argument of this name.
    def after_step(intermediate_result):
        record(-float(intermediate_result.fun) * total_weight)
        logits = intermediate_result.x.copy()
        if iterations.end(learned, logits, history.copy(), False):
            raise StopIteration

    with np.errstate(divide="ignore"):
        logs = [np.log(table).ravel() for table in network.tables]
    logits, converged = np.maximum(np.concatenate(logs), MIN_LOGIT), False
    record(-loss(logits)[0] * total_weight)
    while len(history) <= max_iter:
        before = history[-1]
        found = minimize(
            loss,
            logits,
            jac=True,
            method="L-BFGS-B",
            callback=after_step,
            options={"maxiter": max_iter + 1 - len(history), "ftol": tol, "gtol": 0.0},
        )
        logits = found.x
        if history[-1] - before <= tol * total_weight:
            converged = found.status not in (MAX_ITER_REACHED, STOPPED)
            break
        if iterations.stopped:
            break
    # The last evaluations may have begun an iteration that no step has ended.
    iterations.end()
    return learned(logits, history, converged)

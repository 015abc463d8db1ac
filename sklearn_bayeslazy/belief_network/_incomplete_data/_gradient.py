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
from .._inference import JunctionTree
from ._incomplete_rows import LearnedTables

# The logit with which a probability of 0 starts.
MIN_LOGIT = -50.0
# The status of scipy's L-BFGS when it reached the maximum number of steps.
MAX_ITER_REACHED = 1
# The status if its callback ended it.
STOPPED = 99


def learn_by_gradient(rows, network, *, max_iter=200, tol=1e-6, **options):
    """Improve the tables of a network by gradient ascent; return LearnedTables."""
    # The parameters are those of `learn_by_em` in `_starts.py`.
    # The line search of L-BFGS never decreases the objective. One poor step can end
    # L-BFGS far from a local optimum, so it restarts where it ended until a run gains
    # nothing.
    return _GradientAscent(rows, network, **options).run(max_iter, tol)


class _GradientAscent:
    """L-BFGS over the logits of all tables, and the history of the objective."""

    def __init__(self, rows, network, n_jobs=None, report=None, iterations=None):
        self.rows, self.network = rows, network
        self.n_jobs, self.report = n_jobs, report
        self.iterations = iterations or Iterations()
        self.tree = JunctionTree.of(network.parents, network.sizes)
        self.total_weight = rows.total_weight
        sizes = [table.size for table in network.tables]
        self.ends = np.cumsum(sizes)
        self.history = []

    def run(self, max_iter, tol):
        """Climb until a run of L-BFGS gains nothing."""
        logits, converged = self._initial_logits(), False
        self._record(-self._loss(logits)[0] * self.total_weight)
        while len(self.history) <= max_iter:
            before = self.history[-1]
            n_steps = max_iter + 1 - len(self.history)
            found = minimize(
                self._loss,
                logits,
                jac=True,
                method="L-BFGS-B",
                callback=self._after_step,
                options={"maxiter": n_steps, "ftol": tol, "gtol": 0.0},
            )
            logits = found.x
            if self.history[-1] - before <= tol * self.total_weight:
                converged = found.status not in (MAX_ITER_REACHED, STOPPED)
                break
            if self.iterations.stopped:
                break
        # The last evaluations may have begun an iteration that no step has ended.
        self.iterations.end()
        return self._learned(logits, self.history, converged)

    def _initial_logits(self):
        with np.errstate(divide="ignore"):
            logits = [
                np.maximum(np.log(table), MIN_LOGIT).ravel()
                for table in self.network.tables
            ]
        return np.concatenate(logits)

    def _network_of(self, logits):
        """Return the network with the tables of logits."""
        parts = np.split(logits, self.ends[:-1])
        tables = tuple(
            softmax(part.reshape(table.shape), axis=-1)
            for part, table in zip(parts, self.network.tables)
        )
        return replace(self.network, tables=tables)

    def _loss(self, logits):
        """Return minus the objective per unit of weight, and its gradient."""
        self.iterations.begin()
        network = self._network_of(logits)
        counts, objective = self.rows.expect(self.tree, network, self.n_jobs)
        gradient = []
        for seen, added, table in zip(counts, self.rows.pseudo_counts, network.tables):
            total = seen + added
            of_table = total - table * total.sum(axis=-1, keepdims=True)
            gradient.append(of_table.ravel())
        return (
            -objective / self.total_weight,
            -np.concatenate(gradient) / self.total_weight,
        )

    def _after_step(self, intermediate_result):
        # scipy passes an OptimizeResult only to an argument of this name.
        self._record(-float(intermediate_result.fun) * self.total_weight)
        logits = intermediate_result.x.copy()
        if self.iterations.end(self._learned, logits, self.history.copy(), False):
            raise StopIteration

    def _learned(self, logits, history, converged):
        return LearnedTables(self._network_of(logits), history, converged)

    def _record(self, objective):
        self.history.append(objective)
        if self.report is not None:
            self.report(objective)

"""Tables learnt where cells are missing or nodes are hidden: EM and gradient ascent.

Both climb the log likelihood of what is observed plus the logarithm of the prior,

    Σ_rows w ln P(observed | tables) + Σ_families Σ_jk m_j p_k ln θ_jk,

whose summits satisfy θ_jk = (E n_jk + m_j p_k) / (E n_j + m_j). EM takes that as its
step (Dempster, Laird & Rubin 1977). Gradient ascent follows (E n_jk + m_j p_k) / θ_jk
in logits, where tables stay tables: E n_jk + m_j p_k − θ_jk (E n_j + m_j)
(Mitchell 1997, section 6.11.5; Binder, Koller, Russell & Kanazawa 1997).
"""

from dataclasses import dataclass, replace

import numpy as np
from scipy.optimize import minimize
from scipy.special import softmax, xlogy

from ._counts import Rows, estimate_table, prior_masses
from ._junction_tree import JunctionTree
from ._learning import count_families


@dataclass(frozen=True, eq=False)
class HiddenRows:
    """Rows with missing cells beside counts of those without.

    Attributes
    ----------
    codes : int array of shape (n_rows, n_nodes)
        Below 0 where a value is missing.
    weight : ndarray of shape (n_rows,)
    complete : list of ndarray of shape (*sizes of the parents, K)
        Counts of all other rows.
    prior : list of ndarray of such shapes
        Virtual examples, m_j p_k.
    """

    codes: np.ndarray
    weight: np.ndarray
    complete: list
    prior: list

    @classmethod
    def of(cls, codes, weight, network, m, prior, marginals):
        """Count the complete rows, keep the others.

        marginals are the masses of each node's values, for prior="marginal".
        """
        codes, weight = np.asarray(codes), np.asarray(weight, dtype=np.float64)
        whole = (codes >= 0).all(axis=1)
        rows = Rows.of(codes[whole], weight[whole], network.names, network.sizes)
        complete = count_families(rows, network.parents)
        masses = [
            prior_masses(counts.shape, m, prior, marginal)
            for counts, marginal in zip(complete, marginals)
        ]
        return cls(codes[~whole], weight[~whole], complete, masses)

    @property
    def mass(self):
        """Return the mass of all rows."""
        return max(float(self.weight.sum() + self.complete[0].sum()), 1e-300)

    def expect(self, tree, network):
        """Return the expected counts of all rows, and what is climbed."""
        counts, log_evidence = tree.expected_counts(network, self.codes, self.weight)
        total = float(np.dot(self.weight, log_evidence))
        counts = [a + b for a, b in zip(counts, self.complete)]
        for seen, mass, table in zip(self.complete, self.prior, network.tables):
            total += xlogy(seen + mass, table).sum()
        return counts, total


def learn_by_em(rows, network, *, max_iter=200, tol=1e-6, report=None):
    """Return the network that EM ends at, from the tables of another.

    Parameters
    ----------
    rows : HiddenRows
    network : Network
    max_iter : int
    tol : float
        It ends when a step gains less, per unit of mass.
    report : callable, default=None
        Called with what each step reached.

    Returns
    -------
    network : Network
    history : list of float
        What was climbed, before each step and after the last; it never falls.
    """
    tree = JunctionTree.of(network.parents, network.sizes)
    counts, value = rows.expect(tree, network)
    history = [value]
    for _ in range(max_iter):
        tables = tuple(
            estimate_table(seen + prior, 0.0) for seen, prior in zip(counts, rows.prior)
        )
        network = replace(network, tables=tables)
        counts, value = rows.expect(tree, network)
        history.append(value)
        if report is not None:
            report(value)
        if history[-1] - history[-2] <= tol * rows.mass:
            break
    return network, history


def learn_by_gradient(rows, network, *, max_iter=200, tol=1e-6, report=None):
    """Return the network that gradient ascent ends at; see `learn_by_em`.

    The steps are those of L-BFGS, whose line search never goes down.
    """
    tree = JunctionTree.of(network.parents, network.sizes)
    shapes = [table.shape for table in network.tables]
    ends = np.cumsum([int(np.prod(shape)) for shape in shapes])
    mass = rows.mass

    def unpack(logits):
        parts = np.split(logits, ends[:-1])
        return replace(
            network,
            tables=tuple(
                softmax(part.reshape(shape), axis=-1)
                for part, shape in zip(parts, shapes)
            ),
        )

    def descend(logits):
        here = unpack(logits)
        counts, value = rows.expect(tree, here)
        slopes = []
        for seen, prior, table in zip(counts, rows.prior, here.tables):
            pull = seen + prior
            slopes.append((pull - table * pull.sum(axis=-1, keepdims=True)).ravel())
        return -value / mass, -np.concatenate(slopes) / mass

    history = []

    def note(value):
        history.append(value)
        if report is not None:
            report(value)

    def after_a_step(intermediate_result):
        note(-float(intermediate_result.fun) * mass)

    with np.errstate(divide="ignore"):
        start = [np.maximum(np.log(table), _LEAST).ravel() for table in network.tables]
    start = np.concatenate(start)
    note(-descend(start)[0] * mass)
    found = minimize(
        descend,
        start,
        jac=True,
        method="L-BFGS-B",
        callback=after_a_step,
        options={"maxiter": max_iter, "ftol": tol, "gtol": 0.0},
    )
    return unpack(found.x), history


# The logit of a probability of zero, where an ascent is to start from one.
_LEAST = -50.0


def random_tables(network, rng):
    """Return the network with tables drawn evenly from all."""
    tables = tuple(
        rng.dirichlet(np.ones(table.shape[-1]), size=table.shape[:-1])
        for table in network.tables
    )
    return replace(network, tables=tables)

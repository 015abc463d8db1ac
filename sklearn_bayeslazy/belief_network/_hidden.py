"""Tables learnt where cells are missing or nodes are hidden: EM and gradient ascent.

Both climb the log likelihood of what is observed plus the logarithm of the prior,

    Σ_rows w ln P(observed | tables) + Σ_families Σ_jk m_j p_k ln θ_jk,

whose summits satisfy θ_jk = (E n_jk + m_j p_k) / (E n_j + m_j). EM takes that as its
step (Dempster, Laird & Rubin 1977). Gradient ascent follows (E n_jk + m_j p_k) / θ_jk
in logits, where tables stay tables: E n_jk + m_j p_k − θ_jk (E n_j + m_j)
(Mitchell 1997, section 6.11.5; Binder, Koller, Russell & Kanazawa 1997).
"""

from dataclasses import dataclass, replace
from functools import partial
from typing import NamedTuple

import numpy as np
from scipy.optimize import minimize
from scipy.special import softmax, xlogy

from ._counts import Rows, estimate_table, prior_masses
from ._inference import JunctionTree, family_marginals
from ._learning import count_families
from ._network import Network


@dataclass(frozen=True, eq=False)
class HiddenRows:
    """Rows with missing cells beside counts of those without.

    Attributes
    ----------
    codes : int array of shape (n_rows, n_nodes)
        Below 0 where a value is missing. Equal rows are one, of their joint weight.
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
        return cls(*_distinct(codes[~whole], weight[~whole]), complete, masses)

    @property
    def mass(self):
        """Return the mass of all rows."""
        return max(float(self.weight.sum() + self.complete[0].sum()), 1e-300)

    def expect(self, tree, network, n_jobs=None):
        """Return the expected counts of all rows, and what is climbed."""
        counts, log_evidence = tree.expected_counts(
            network, self.codes, self.weight, n_jobs
        )
        counts = [a + b for a, b in zip(counts, self.complete)]
        return counts, self._climbed(network, np.dot(self.weight, log_evidence))

    def _climbed(self, network, of_incomplete=0.0):
        total = float(of_incomplete)
        for seen, mass, table in zip(self.complete, self.prior, network.tables):
            total += xlogy(seen + mass, table).sum()
        return total

    def without_ascent(self, network):
        """Return the summit, where all rows are complete: it has a formula."""
        network = _with_tables(network, self.complete, self.prior)
        return Ascent(network, [self._climbed(network)], True)


def _with_tables(network, counts, prior):
    """Return the network with the tables of counts and of virtual examples."""
    pairs = zip(counts, prior)
    tables = tuple(estimate_table(seen + mass, 0.0) for seen, mass in pairs)
    return replace(network, tables=tables)


def _distinct(codes, weight):
    """Return the rows that differ, sorted, and the sum of the weights of each."""
    if not len(codes):
        return codes, weight
    _, first, inverse = np.unique(codes, axis=0, return_index=True, return_inverse=True)
    return codes[first], np.bincount(inverse.ravel(), weight)


class Ascent(NamedTuple):
    """What an ascent has come to.

    Attributes
    ----------
    network : Network
    history : list of float
        What was climbed, before the first step and after each; it never falls.
    converged : bool
        Whether the last step gained too little to go on, rather than being the last
        that was allowed.
    """

    network: Network
    history: list
    converged: bool


def learn_by_em(rows, network, *, max_iter=200, tol=1e-6, n_jobs=None, report=None):
    """Climb by EM from the tables of a network.

    Parameters
    ----------
    rows : HiddenRows
    network : Network
    max_iter : int
    tol : float
        It ends when a step gains less, per unit of mass.
    n_jobs : int, default=None
    report : callable, default=None
        Called with what each step reached.

    Returns
    -------
    Ascent
    """
    tree = JunctionTree.of(network.parents, network.sizes)
    counts, value = rows.expect(tree, network, n_jobs)
    history = [value]
    for _ in range(max_iter):
        network = _with_tables(network, counts, rows.prior)
        counts, value = rows.expect(tree, network, n_jobs)
        history.append(value)
        if report is not None:
            report(value)
        if history[-1] - history[-2] <= tol * rows.mass:
            return Ascent(network, history, True)
    return Ascent(network, history, False)


def learn_by_gradient(
    rows, network, *, max_iter=200, tol=1e-6, n_jobs=None, report=None
):
    """Climb along the gradient from the tables of a network; see `learn_by_em`.

    The steps are those of L-BFGS, whose line search never goes down. One poor step can
    end it far from a summit, so it begins anew where it ended until that gains nothing.
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
        counts, value = rows.expect(tree, here, n_jobs)
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
    converged = False
    while len(history) <= max_iter:
        before = history[-1]
        found = minimize(
            descend,
            start,
            jac=True,
            method="L-BFGS-B",
            callback=after_a_step,
            options={"maxiter": max_iter + 1 - len(history), "ftol": tol, "gtol": 0.0},
        )
        start = found.x
        if history[-1] - before <= tol * mass:
            converged = found.status != 1  # 1: a limit was reached
            break
    return Ascent(unpack(start), history, converged)


# The logit of a probability of zero, where an ascent is to start from one.
_LEAST = -50.0


LEARNERS = {"em": learn_by_em, "gradient": learn_by_gradient}


def learn_hidden(
    rows, network, hidden, learner, rng, *, n_init, report=None, **options
):
    """Climb from several starts; return where the best ends.

    With hidden nodes the starts are tables of these and of their children drawn at
    random; without any there is one start.

    Parameters
    ----------
    rows : HiddenRows
    network : Network
        Where the other tables start.
    hidden : sequence of int
        Nodes that no row observes. In the end their values go by probability, the
        largest first: no labelling explains the rows better than another.
    learner : {"em", "gradient"}
    rng : RandomState
    n_init : int
        How many starts there are.
    report : callable, default=None
        Called with the number of the start and what each step reached.
    **options : dict
        Of the learner.

    Returns
    -------
    Ascent
    """
    if not len(rows.codes):
        return rows.without_ascent(network)
    best = None
    for start in range(n_init if len(hidden) else 1):
        if report is not None:
            options["report"] = partial(report, start)
        begun = random_tables(network, rng, hidden) if len(hidden) else network
        found = LEARNERS[learner](rows, begun, **options)
        if best is None or found.history[-1] > best.history[-1]:
            best = found
    network = best.network
    for node in hidden:
        mass = family_marginals(network)[node].reshape(-1, network.sizes[node])
        order = np.argsort(-mass.sum(axis=0), kind="stable")
        network = reordered(network, node, order)
    return best._replace(network=network)


def random_tables(network, rng, hidden=None):
    """Return the network with tables drawn evenly from all.

    Parameters
    ----------
    network : Network
    rng : RandomState
    hidden : sequence of int, default=None
        Tables without any of these nodes stay; by default all are drawn.
    """
    drawn = set(range(network.n_nodes) if hidden is None else hidden)
    tables = tuple(
        table
        if drawn.isdisjoint((node, *parents))
        else rng.dirichlet(np.ones(table.shape[-1]), size=table.shape[:-1])
        for node, (parents, table) in enumerate(zip(network.parents, network.tables))
    )
    return replace(network, tables=tables)


def reordered(network, node, order):
    """Return the network with the probabilities of a node's values in another order.

    >>> network = Network(("h", "x"), ([0, 1], [0, 1]), ((), (0,)), (
    ...     np.array([0.2, 0.8]), np.array([[1.0, 0.0], [0.5, 0.5]])))
    >>> [table.tolist() for table in reordered(network, 0, [1, 0]).tables]
    [[0.8, 0.2], [[0.5, 0.5], [1.0, 0.0]]]
    """
    tables = []
    for some, (parents, table) in enumerate(zip(network.parents, network.tables)):
        family = (*parents, some)
        if node in family:
            table = np.take(table, order, axis=family.index(node))
        tables.append(table)
    return replace(network, tables=tuple(tables))

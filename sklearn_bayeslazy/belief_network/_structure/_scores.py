r"""Scores of families: how well a node's parents explain its values.

With n_jk rows of the parents' combination j and value k, n_j their sums, q combinations
and K values:

- log likelihood: Σ n_jk ln(n_jk / n_j);
- AIC: that − q (K − 1); BIC: that − ½ ln n · q (K − 1);
- K2 (Cooper & Herskovits 1992): Σ_j [ln Γ(K) − ln Γ(n_j + K) + Σ_k ln Γ(n_jk + 1)];
- BDeu (Heckerman, Geiger & Chickering 1995), with an equivalent sample of size s:
  Σ_j [ln Γ(s/q) − ln Γ(n_j + s/q) + Σ_k (ln Γ(n_jk + s/qK) − ln Γ(s/qK))].

The score of a graph is the sum over its nodes.
"""

from functools import cached_property

import numpy as np
from scipy.special import gammaln, xlogy

SCORES = ("log_likelihood", "aic", "bic", "k2", "bdeu")


def family_score(score, counts, mass, sample_size=1.0):
    """Return the score of a node given its parents.

    Parameters
    ----------
    score : str
        One of SCORES.
    counts : ndarray of shape (*sizes of the parents, K)
    mass : float
        n, how many rows there are.
    sample_size : float, default=1.0
        The equivalent sample size of BDeu.

    >>> counts = np.array([[2.0, 0.0], [1.0, 1.0]])
    >>> round(float(family_score("log_likelihood", counts, 4.0)), 6)  # 2 ln(1/2)
    -1.386294
    >>> float(np.exp(-family_score("k2", counts, 4.0)).round(9))  # 3!/2! · 3!/1!
    18.0
    """
    size = counts.shape[-1]
    counts = counts.reshape(-1, size)
    totals = counts.sum(axis=1)
    if score == "k2":
        return _dirichlet(counts, totals, 1.0)
    if score == "bdeu":
        return _dirichlet(counts, totals, sample_size / counts.size)
    fit = xlogy(counts, counts).sum() - xlogy(totals, totals).sum()
    free = len(counts) * (size - 1)
    if score == "aic":
        return fit - free
    if score == "bic":
        return fit - 0.5 * np.log(mass) * free
    return fit


class FamilyScores:
    """Scores of a node given parents, each worked out once; a graph's is their sum.

    With missing values parents are taken in, those with the fewest holes first, and
    what each adds is measured over the rows in which it, those before it and the node
    are observed, then scaled to the mass of all rows. Other ways compare scores of
    different rows, and reward holes. Families of vast tables, or of no rows, are not
    for choice.

    Parameters
    ----------
    rows : Rows
    score : str
        One of SCORES.
    sample_size : float, default=1.0
    """

    # What a change of a node's parents gains does not depend on the other nodes.
    is_sum = True

    def __init__(self, rows, score, sample_size=1.0):
        self.rows, self.score, self.sample_size = rows, score, sample_size
        self.known = {}

    def __call__(self, node, parents):
        """Return the score of a node given some parents, in any order."""
        key = node, frozenset(parents)
        if key not in self.known:
            self.known[key] = self._of(node, sorted(parents))
        return self.known[key]

    def _of(self, node, parents):
        if not self.rows.is_small((*parents, node)):
            return -np.inf if parents else 0.0
        if not self.rows.has_missing:
            return self._score(self.rows.count((*parents, node)))
        parents = sorted(parents, key=lambda parent: (-self.observed[parent], parent))
        counts = self.rows.count((node,))
        if not counts.any():
            return -np.inf if parents else 0.0
        total = self.rows.mass / counts.sum() * self._score(counts)
        for place in range(len(parents)):
            counts = self.rows.count((*parents[: place + 1], node))
            if not counts.any():
                return -np.inf
            gain = self._score(counts) - self._score(counts.sum(axis=place))
            total += self.rows.mass / counts.sum() * gain
        return total

    @cached_property
    def observed(self):
        """Return the mass of the rows in which each node is observed."""
        nodes = range(len(self.rows.sizes))
        return [float(self.rows.count((node,)).sum()) for node in nodes]

    def _score(self, counts):
        mass = float(counts.sum())
        return float(family_score(self.score, counts, mass, self.sample_size))

    def total(self, parents):
        """Return the score of a graph, without families that are not for choice.

        Such a family is there only if its arcs are required, and then always.
        """
        scores = (self(node, some) for node, some in enumerate(parents))
        return sum(score for score in scores if score > -np.inf)

    def go_to(self, parents):
        """Take a graph, the parents of each node; changes are changes of it."""
        self.now = [self(node, some) for node, some in enumerate(parents)]

    def gain(self, changes):
        """Return what the score gains by other parents of some nodes, {node: parents}.

        -inf if a change is not for choice.
        """
        gain = 0.0
        for node, some in changes.items():
            score = self(node, some)
            if score == -np.inf:
                return score
            gain += score - self.now[node]
        return gain


def _dirichlet(counts, totals, alpha):
    """Return the log probability of the rows under Dirichlet priors of alpha each."""
    size = counts.shape[1]
    seen = counts[counts > 0]  # the other cells cancel out
    some = totals[totals > 0]
    inner = gammaln(seen + alpha).sum() - len(seen) * gammaln(alpha)
    return (
        inner + len(some) * gammaln(size * alpha) - gammaln(some + size * alpha).sum()
    )


def mutual_information(counts):
    """Return the mutual information of two nodes in nats, given a third perhaps.

    Parameters
    ----------
    counts : ndarray of shape (..., K_1, K_2)
        With an axis for each value of what is given.

    >>> float(np.exp(mutual_information(np.array([[5.0, 0.0], [0.0, 5.0]]))).round(9))
    2.0
    """
    total = counts.sum()
    if total == 0:
        return 0.0
    rows, columns = counts.sum(axis=-1), counts.sum(axis=-2)
    given = rows.sum(axis=-1)
    information = (
        xlogy(counts, counts).sum()
        - xlogy(rows, rows).sum()
        - xlogy(columns, columns).sum()
        + xlogy(given, given).sum()
    )
    return max(information / total, 0.0)

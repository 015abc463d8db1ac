r"""Decomposable scores: the score of a graph is the sum of its families' scores.

Of a family, n_jk is the number of rows (or their total weight) with the parents'
combination j and the node's value k; n_j is its sum over k; there are q combinations
and K values:

- log likelihood: Σ n_jk ln(n_jk / n_j);
- AIC: that − q (K − 1); BIC: that − ½ ln n · q (K − 1);
- K2 (Cooper & Herskovits 1992): Σ_j [ln Γ(K) − ln Γ(n_j + K) + Σ_k ln Γ(n_jk + 1)];
- BDeu (Heckerman, Geiger & Chickering 1995), with an equivalent sample of size s:
  Σ_j [ln Γ(s/q) − ln Γ(n_j + s/q) + Σ_k (ln Γ(n_jk + s/qK) − ln Γ(s/qK))].
"""

from functools import cached_property

import numpy as np
from scipy.special import gammaln, xlogy

from .._counts import TablesOfCounts

# A gain below this share of the score and of the rows' total weight is rounding error.
# The total weight matters for scores close to 0.
ROUNDING = 1e-10
SCORES = ("log_likelihood", "aic", "bic", "k2", "bdeu")


def score_rounding_error(score, rows):
    """Return the least difference from a graph's score that is not rounding error."""
    return ROUNDING * (abs(score) + rows.total_weight)


def family_score(score, counts, total_weight, sample_size=1.0):
    """Return the score of a node given its parents.

    >>> counts = np.array([[2.0, 0.0], [1.0, 1.0]])
    >>> round(float(family_score("log_likelihood", counts, 4.0)), 6)  # 2 ln(1/2)
    -1.386294
    >>> float(np.exp(-family_score("k2", counts, 4.0)).round(9))  # 3!/2! · 3!/1!
    18.0
    """
    # score: one of SCORES; counts: (*sizes of the parents, K); total_weight: n, the
    # number of rows or their total weight; sample_size: the equivalent sample size of
    # BDeu.
    table = TablesOfCounts(counts.ravel(), np.array([0, counts.size]))
    scores = family_scores(score, table, counts.shape[-1], total_weight, sample_size)
    return float(scores[0])


def family_scores(score, tables, size, total_weight, sample_size=1.0):
    """Return the score of a node given each of several sets of parents."""
    # tables: in each the node's value varies fastest; size: the number of values of the
    # node; the others as in `family_score`. Returns (n_tables,).
    counts, starts = tables
    totals, n_cells = counts.reshape(-1, size).sum(axis=1), np.diff(starts)
    if score in ("k2", "bdeu"):
        alpha = sample_size / n_cells if score == "bdeu" else np.ones(len(n_cells))
        of_values = _log_rising_factorial(counts, alpha, n_cells)
        of_parents = _log_rising_factorial(totals, alpha * size, n_cells // size)
    else:
        of_values, of_parents = xlogy(counts, counts), xlogy(totals, totals)
    starts = starts[:-1]
    of_values = np.add.reduceat(of_values, starts)
    scores = of_values - np.add.reduceat(of_parents, starts // size)
    n_parameters = n_cells // size * (size - 1)
    if score == "aic":
        return scores - n_parameters
    if score == "bic":
        return scores - 0.5 * np.log(total_weight) * n_parameters
    return scores


def _log_rising_factorial(n, alpha, lengths):
    """Return ln Γ(n + alpha) - ln Γ(alpha); `lengths` are how often alpha repeats."""
    return gammaln(n + alpha.repeat(lengths)) - gammaln(alpha).repeat(lengths)


class FamilyScores:
    """Scores of families, each computed once; a graph's score is their sum."""

    # With missing values, parents enter one by one, those with the fewest missing
    # values first. The gain of each is measured over the rows in which it, the parents
    # before it and the node are observed, then scaled to the total weight of all rows.
    # A comparison of scores of different rows would favor parents with many missing
    # values. Families with too large a table, or without any complete row, have the
    # score -inf.

    # The gain of a node's new parents does not depend on the other families.
    is_decomposable = True

    def __init__(self, rows, score, sample_size=1.0):
        self.rows, self.score, self.sample_size = rows, score, sample_size
        self._known = {}
        # Of each family of the present graph.
        self._parents, self._scores = [None] * rows.n_nodes, [0.0] * rows.n_nodes

    def __call__(self, node, parents):
        """Return the score of a node given its parents, in any order."""
        key = node, frozenset(parents)
        if key not in self._known:
            self._known[key] = self._family_score(node, sorted(parents))
        return self._known[key]

    def _family_score(self, node, parents):
        if not self.rows.is_small((*parents, node)):
            return -np.inf if parents else 0.0
        if not self.rows.has_missing:
            counts = self.rows.count((*parents, node))
            return self._score_of_counts(counts, self.rows.total_weight)
        return self._score_with_missing(node, parents)

    def _score_with_each(self, node, parents, others):
        """Score a node given its parents and each of several other nodes, together."""
        # Families with too large a table are skipped.
        nodes = *sorted(parents), node
        for some in self.rows.searched_batches(nodes, others):
            scores = family_scores(
                self.score,
                self.rows.count_with_each(nodes, some),
                self.rows.sizes[node],
                self.rows.total_weight,
                self.sample_size,
            )
            for other, score in zip(some, scores.tolist()):
                self._known[node, parents | {other}] = score

    def _score_with_missing(self, node, parents):
        parents = sorted(
            parents, key=lambda parent: (-self._observed_weight[parent], parent)
        )
        counts = self.rows.count((node,))
        if not counts.any():
            return -np.inf if parents else 0.0
        all_rows = self.rows.total_weight
        total = all_rows / counts.sum() * self._score_of_counts(counts, counts.sum())
        for axis in range(len(parents)):
            counts = self.rows.count((*parents[: axis + 1], node))
            if not counts.any():
                return -np.inf
            observed = counts.sum()
            without_parent = self._score_of_counts(counts.sum(axis=axis), observed)
            gain = self._score_of_counts(counts, observed) - without_parent
            total += all_rows / observed * gain
        return total

    @cached_property
    def _observed_weight(self):
        """Return, for each node, the total weight of the rows that observe it."""
        nodes = range(self.rows.n_nodes)
        return [float(self.rows.count((node,)).sum()) for node in nodes]

    def _score_of_counts(self, counts, total_weight):
        return family_score(self.score, counts, total_weight, self.sample_size)

    def total(self, parents):
        """Return the score of a graph, without families whose score is -inf."""
        # A graph contains such a family only if its arcs are required, and then always.
        scores = (self(node, of_node) for node, of_node in enumerate(parents))
        return sum(score for score in scores if score > -np.inf)

    def set_graph(self, parents):
        """Take a graph, the parents of each node; `gain` refers to it."""
        for node, of_node in enumerate(map(frozenset, parents)):
            if of_node != self._parents[node]:
                self._parents[node], self._scores[node] = of_node, self(node, of_node)

    def can_add(self, child):
        """Return, for each node, whether its gain as a parent is to be computed."""
        return np.ones(self.rows.n_nodes, dtype=bool)

    def gains_of_parents(self, child, nodes):
        """Return the gain of each of several nodes as a further parent of a child."""
        parents, nodes = self._parents[child], np.asarray(nodes).tolist()
        families = [(child, parents | {node}) for node in nodes]
        if not self.rows.has_missing:
            new = [n for n, family in zip(nodes, families) if family not in self._known]
            self._score_with_each(child, parents, new)
        known, present = self._known, self._scores[child]
        scores = [known[f] if f in known else self(*f) for f in families]
        return [score - present if score > -np.inf else score for score in scores]

    def gain(self, changes):
        """Return the gain in score if some nodes have other parents."""
        # changes: {node: its new parents}. The gain is -inf if a new family's score is
        # -inf.
        gain = 0.0
        for node, parents in changes.items():
            score = self(node, parents)
            if score == -np.inf:
                return score
            gain += score - self._scores[node]
        return gain


def mutual_information(counts):
    """Return the (conditional) mutual information of two nodes, in nats.

    >>> float(np.exp(mutual_information(np.array([[5.0, 0.0], [0.0, 5.0]]))).round(9))
    2.0
    """
    # counts: (..., K_1, K_2); the leading axes are those of the nodes that are
    # conditioned on.
    of_one = counts.reshape(1, -1, *counts.shape[-2:])
    return float(mutual_informations(of_one)[0])


def mutual_informations(counts):
    """Return the (conditional) mutual information of several pairs of nodes, (b,)."""
    # counts: (b, n_conditions, K_1, K_2).
    information, given, _, _ = _information_by_condition(counts)
    return _per_weight(information, given)


def informations_beyond_chance(counts, rows_per_weight=1.0):
    """Return mutual informations without what chance alone would give, (b,).

    >>> names, dependent = np.tile(np.eye(2), (2, 1)), np.array([[9.0, 1], [1, 9]])
    >>> informations_beyond_chance(names[None, None])
    array([0.])
    >>> informations_beyond_chance(dependent[None, None]).round(3)
    array([0.338])
    """
    # counts: as in `mutual_informations`; rows_per_weight: the number of rows of weight
    # 1, above 1 where weights are fractions of rows.
    # A node of many values has information about each other one by chance. Therefore
    # the information under each condition is multiplied by the share of Pearson's χ²
    # that exceeds its mean over all permutations of one node's values. This mean is
    # n (k_1 - 1) (k_2 - 1) / (n - 1) for n rows in which k_1 and k_2 values occur
    # (Haldane, "The mean and variance of χ², when used as a test of homogeneity, when
    # expectations are small", Biometrika 31, 1940).
    information, given, of_rows, of_columns = _information_by_condition(counts)
    by_chance = ((of_rows > 0).sum(axis=-1) - 1) * ((of_columns > 0).sum(axis=-1) - 1)
    tiny = np.finfo(np.float64).tiny
    squares = counts / np.maximum(of_rows, tiny)[..., None]
    squares *= counts / np.maximum(of_columns, tiny)[..., None, :]
    others = np.maximum(given * rows_per_weight - 1.0, 0.0)  # n - 1
    found = (squares.sum(axis=(-2, -1)) - 1.0) * others  # χ² (n - 1) / n
    exceeds = found > by_chance * (1.0 + ROUNDING)
    share = np.divide(by_chance, found, out=np.ones_like(found), where=exceeds)
    return _per_weight(information * (1.0 - share), given)


def _information_by_condition(counts):
    """Return weight times information, the weight and the margins by condition."""
    rows, columns = counts.sum(axis=-1), counts.sum(axis=-2)
    given = rows.sum(axis=-1)
    information = (
        xlogy(counts, counts).sum(axis=(-2, -1))
        - xlogy(rows, rows).sum(axis=-1)
        - xlogy(columns, columns).sum(axis=-1)
        + xlogy(given, given)
    )
    return information, given, rows, columns


def _per_weight(information, given):
    """Return the mean over the conditions, at least 0."""
    total = given.sum(axis=1)
    return np.maximum(information.sum(axis=1), 0.0) / np.where(total > 0, total, 1.0)

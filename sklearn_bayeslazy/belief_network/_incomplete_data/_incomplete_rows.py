"""Incomplete rows, their expected counts, and the objective that learners maximize.

The objective is the log likelihood of the observed values plus the log prior,

    Σ_rows w ln P(observed | tables) + Σ_families Σ_jk m_j p_k ln θ_jk.

At its local optima θ_jk = (E n_jk + m_j p_k) / (E n_j + m_j).
"""

from dataclasses import dataclass, replace
from functools import cached_property
from typing import NamedTuple

import numpy as np
from scipy.special import xlogy

from .._counts import CodedRows, count_families
from .._inference import JunctionTree
from .._network import Network
from .._tables import Smoothing, estimate_table


class LearnedTables(NamedTuple):
    """The result of a learner."""

    network: Network
    # The objective before the first step and after each step. It never decreases.
    history: list
    # Whether the learner ended because its last step gained too little, not because it
    # reached the maximum number of steps.
    converged: bool


@dataclass(frozen=True, eq=False)
class IncompleteRows:
    """The rows with missing values, and the counts of the complete rows."""

    # (n_rows, n_nodes), below 0 where a value is missing. Equal rows are merged.
    codes: np.ndarray
    weight: np.ndarray  # (n_rows,)
    # For each family, (*sizes of the parents, K): the counts of all complete rows.
    complete_counts: list
    pseudo_counts: list  # of these shapes: virtual examples, m_j p_k
    parents: tuple  # of each node
    sizes: np.ndarray  # (n_nodes,)

    @classmethod
    def of(cls, codes, weight, network, pseudo_counts):
        """Count the complete rows and keep the others."""
        # codes: (n_rows, n_nodes), below 0 where a value is missing; weight: (n_rows,).
        # The tables of `network` are not used.
        codes, weight = np.asarray(codes), np.asarray(weight, dtype=np.float64)
        complete = (codes >= 0).all(axis=1)
        rows = CodedRows.of(
            codes[complete], weight[complete], network.names, network.sizes
        )
        complete_counts = count_families(rows, network.parents)
        incomplete = _merge_equal_rows(codes[~complete], weight[~complete])
        graph = network.parents, network.sizes
        return cls(*incomplete, complete_counts, pseudo_counts, *graph)

    @property
    def total_weight(self):
        """Return the total weight of all rows, at least 1e-300 to divide by."""
        total = self.weight.sum() + self.complete_counts[0].sum()
        return max(float(total), 1e-300)

    @cached_property
    def _tree(self):
        return JunctionTree.of(self.parents, self.sizes)

    def expect(self, network, n_jobs=None):
        """Return the expected counts of all rows, and the objective."""
        # counts: a list of (*sizes of the parents, K).
        counts, log_evidence = self._tree.expected_counts(
            network, self.codes, self.weight, n_jobs
        )
        counts = [a + b for a, b in zip(counts, self.complete_counts)]
        return counts, self._objective(network, np.dot(self.weight, log_evidence))

    def maximize(self, network, counts):
        """Return the network with the tables of counts and virtual examples."""
        pairs, smoothing = zip(counts, self.pseudo_counts), Smoothing(m=0.0)
        tables = tuple(estimate_table(seen + added, smoothing) for seen, added in pairs)
        return replace(network, tables=tables)

    def learn_complete(self, network):
        """Return the optimum if all rows are complete: the tables have a formula."""
        network = self.maximize(network, self.complete_counts)
        return LearnedTables(network, [self._objective(network)], True)

    def _objective(self, network, log_likelihood_of_incomplete=0.0):
        total = float(log_likelihood_of_incomplete)
        for counts, added, table in zip(
            self.complete_counts, self.pseudo_counts, network.tables
        ):
            total += xlogy(counts + added, table).sum()
        return total


def _merge_equal_rows(codes, weight):
    """Return the distinct rows, sorted, and the total weight of each."""
    if not len(codes):
        return codes, weight
    _, first, inverse = np.unique(codes, axis=0, return_index=True, return_inverse=True)
    return codes[first], np.bincount(inverse.ravel(), weight)

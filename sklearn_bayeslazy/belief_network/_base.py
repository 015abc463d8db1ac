"""What both estimators of belief networks share: parameters, and answers for rows."""

from html import escape
from numbers import Integral, Real

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.utils.validation import check_is_fitted

from .._core._compat import Interval, StrOptions
from .._core._estimator import DocLinkMixin, FittedHtmlMixin, accepting_any_table
from .._core._parallel import map_chunks
from ..tabular import MISSING, check_table, read_table, take_rows
from ._incomplete_data import LEARNERS
from ._inference import (
    ExactInference,
    SampledInference,
    family_marginals,
    log_posteriors,
)
from ._learning import LearningMixin
from ._questions import QuestionsMixin
from ._structure import SCORES, mutual_information
from ._tables import PRIORS, cells_of_dtype, fill_missing

# The constraints of the parameters that both estimators have.
CONSTRAINTS = {
    "structure_score": [StrOptions(set(SCORES))],
    "max_parents": [Interval(Integral, 0, None, closed="left")],
    "order": ["array-like", None],
    "m": [Interval(Real, 0, None, closed="left")],
    "prior": [StrOptions(set(PRIORS))],
    "categories": [StrOptions({"auto"}), list, dict],
    "n_bins": [Interval(Integral, 2, None, closed="left")],
    "required_arcs": ["array-like", None],
    "forbidden_arcs": ["array-like", None],
    "tiers": ["array-like", None],
    "hidden": [dict, None],
    "missing": [StrOptions({"available", "expected"})],
    "hidden_learner": [StrOptions(set(LEARNERS))],
    "n_init": [Interval(Integral, 1, None, closed="left")],
    "max_iter": [Interval(Integral, 1, None, closed="left")],
    "tol": [Interval(Real, 0, None, closed="left")],
    "inference": [StrOptions({"exact", "sampling"})],
    "n_draws": [Interval(Integral, 1, None, closed="left")],
    "tabu": [Interval(Integral, 0, None, closed="left"), StrOptions({"auto"})],
    "n_restarts": [Interval(Integral, 0, None, closed="left")],
    "unknown": [StrOptions({"ignore", "error"})],
    "random_state": ["random_state"],
    "verbose": ["verbose"],
    "n_jobs": [Integral, None],
}


class BaseBeliefNetwork(
    QuestionsMixin, LearningMixin, FittedHtmlMixin, DocLinkMixin, BaseEstimator
):
    """Learning, and the answers for rows; subclasses are the two estimators."""

    def posterior(self, X, targets):
        """Return the distribution of some nodes in each row, given the row's values.

        Parameters
        ----------
        X : {array-like, dataframe} of shape (n_samples, n_features)
        targets : str, or list of str
            Names of nodes, for instance of hidden nodes. Several nodes have a joint
            distribution.

        Returns
        -------
        ndarray of shape (n_samples, K_1, ..., K_t)
            P(targets | observed values), in the order of `network_.values`. A target
            that is observed has probability 1 at its value. NaN where P(row) = 0.
        """
        check_is_fitted(self)
        nodes = self._find_nodes(targets, "targets")
        return np.exp(log_posteriors(self._log_marginals(X, nodes)))

    def impute(self, X):
        """Return rows with their missing cells filled, each from its posterior.

        This is not the jointly most probable completion. A category is replaced by the
        most probable one given the row. A number is replaced by its expectation given
        the row: the mean of the training values in each bin, weighted by the
        probability of the bin.

        Parameters
        ----------
        X : {array-like, dataframe} of shape (n_samples, n_features)

        Returns
        -------
        ndarray of shape (n_samples, n_features)
            Floats if all columns are numbers, otherwise objects. Observed cells stay.
            Cells remain missing in rows of probability 0, and in columns of which `fit`
            saw no value.
        """
        check_is_fitted(self)
        X = check_table(self, X, reset=False)
        means, network = self._counts.bin_means, self.network_
        inference = self._inference_engine()
        has_values = self._has_values()
        only_numbers = all(column is not None for column in means)
        out = np.empty(X.shape, dtype=np.float64 if only_numbers else object)

        def impute_rows(rows):
            codes = self._codes(X, rows)
            is_missing = codes[:, : self._nodes.n_columns] == MISSING
            cells = cells_of_dtype(take_rows(X, rows), is_missing, out.dtype)
            fill_missing(
                cells, is_missing, has_values, codes, network, inference, means
            )
            out[rows] = cells

        self._map_rows(impute_rows, len(out), sum(network.sizes))
        return out

    def _has_values(self):
        """Return, for each column, whether `fit` saw a value in a cell."""
        counts = self._counts.marginals[: self._nodes.n_columns]
        if not counts:  # a network from a file
            return self._nodes.codebook.sizes > 0
        return np.array([column.any() for column in counts])

    def _arc_information(self):
        """Return {arc: mutual information given the other parents, in nats}."""
        network, information = self.network_, {}
        for child, joint in enumerate(family_marginals(network)):
            for axis, parent in enumerate(network.parents[child]):
                of_arc = np.moveaxis(joint, axis, -2)  # parent and child: the last axes
                information[parent, child] = mutual_information(of_arc)
        return information

    def _codes(self, X, rows):
        """Return the codes of a slice of rows, below 0 for what is missing."""
        table = read_table(take_rows(X, rows), list(self._nodes.column_names))
        return self._nodes.codes(table, refuse_unknown=self.unknown == "error")

    def _inference_engine(self):
        """Return the engine that answers queries."""
        if self.inference == "exact":
            return ExactInference()
        return SampledInference(self.n_draws, self._sampling_seed)

    def _log_marginals(self, X, query_nodes):
        """Return log P(query nodes, observed values) of each row."""
        X, inference = check_table(self, X, reset=False), self._inference_engine()
        sizes = [self.network_.sizes[node] for node in query_nodes]
        out = np.empty((X.shape[0], *sizes))

        def answer(rows):
            codes = self._codes(X, rows)
            out[rows] = inference.log_marginals(self.network_, codes, query_nodes)

        self._map_rows(answer, len(out), sum(sizes))
        return out

    def _map_rows(self, function, n_rows, n_floats):
        """Call a function for slices of rows that need `n_floats` numbers a row."""
        bytes_per_row = 8 * (self.network_.n_nodes + n_floats)
        map_chunks(function, n_rows, bytes_per_row, n_jobs=self.n_jobs)

    def _html_of_fit(self):
        return arcs_as_html(self.network_) if hasattr(self, "network_") else ""

    def __sklearn_tags__(self):
        """Return the tags: missing cells, strings and categories are accepted."""
        return accepting_any_table(super().__sklearn_tags__())


def arcs_as_html(network):
    """Return the parents of each node as a list in HTML that can be folded."""
    lines = [
        f"<li>{_escaped_names(network, parents)} → {escape(name)}</li>"
        for name, parents in zip(network.names, network.parents)
        if parents
    ]
    n_arcs = len(network.arcs())
    return (
        f"<details><summary>{n_arcs} arcs between {network.n_nodes} nodes"
        f"</summary><ul>{''.join(lines)}</ul></details>"
    )


def _escaped_names(network, nodes):
    return ", ".join(escape(network.names[node]) for node in nodes)

"""The base of CaseBasedClassifier and CaseBasedRegressor: store, choose, vote."""

from abc import ABCMeta, abstractmethod
from dataclasses import dataclass
from numbers import Integral, Real

import numpy as np
from sklearn.base import BaseEstimator, is_classifier, is_regressor
from sklearn.utils import check_consistent_length
from sklearn.utils.validation import check_is_fitted

from ..._core._arrays import as_float_array, kept_rows
from ..._core._compat import Interval, StrOptions
from ..._core._estimator import DocLinkMixin
from ..._core._parallel import map_chunks
from ...leave_one_out import check_rows_remain, rows_to_leave_out
from ...tabular import import_pandas
from .._neighbor_lists import NeighborListsMixin
from .._shepard import (
    MAX_POWER,
    LeaveOneOut,
    ListVote,
    Weighting,
    candidates_of,
    choose,
    explain_votes,
)
from ._attribute_weights import learn_weights
from ._case_space import EXPONENTS, CaseSpace
from ._completion import complete_cases
from ._graphs import check_graph_attribute, combine_graphs
from ._memory import CaseMemoryMixin
from ._read_cases import CaseReader, column_cells

# More cases: n_neighbors=None, which lists all cases, is no candidate by default.
_MAX_CASES_FOR_ALL = 1000
_MIN_QUERIES_PER_TASK = 64
# The names of the ways to vote, in Shepard's method.
_VOTES = {"inverse": "inverse", "uniform": "uniform", "similarity": "cosine"}


class CaseBase(
    CaseMemoryMixin, NeighborListsMixin, DocLinkMixin, BaseEstimator, metaclass=ABCMeta
):
    """Stored cases that vote with weights by similarity."""

    _parameter_constraints = {
        "n_neighbors": [
            Interval(Integral, 1, None, closed="left"),
            StrOptions({"loo"}),
            None,
        ],
        "similarities": [dict, "array-like", None],
        "weights": ["array-like", StrOptions({"loo"}), None],
        "vote": [StrOptions(set(_VOTES))],
        "power": [Interval(Real, 0, MAX_POWER, closed="both"), StrOptions({"loo"})],
        "missing": [Interval(Real, 0, 1, closed="both"), StrOptions({"mean"})],
        "aggregation": [StrOptions(set(EXPONENTS))],
        "loo_candidates": [dict, None],
        "loo_max_samples": [Interval(Integral, 1, None, closed="left"), None],
        "random_state": ["random_state"],
        "n_jobs": [Integral, None],
    }

    @abstractmethod
    def _check_targets(self, y):
        """Return y checked, an array of one entry for each case."""

    @abstractmethod
    def _build_targets(self, y, weight):
        """Return the `TrainingTargets` of checked y; set attributes learnt from y."""

    def _learn(self, X, y, sample_weight):
        """Store the cases, and choose what is to be chosen."""
        self._reader = CaseReader(self, X, self.similarities)
        table, y = self._reader.table, self._check_targets(y)
        if len(y) != table.n_rows:
            check_consistent_length(np.empty(table.n_rows), y)
        del self._reader.table
        self.n_samples_fit_ = table.n_rows
        self._kept, weight = kept_rows(sample_weight, table.n_rows)
        if self._kept is not None:
            table, y = table.take(self._kept), y[self._kept]
        self._cases, self._answers, self._weight = table, y, weight.copy()
        self._similarities = self._reader.similarities
        self._learn_from_cases()

    def _learn_from_cases(self):
        """Choose what is to be chosen, from the stored cases."""
        self._compare_cases()
        self._choose_weights()
        chosen = self._choose_parameters()
        self.n_neighbors_, power = chosen["n_neighbors"], chosen["power"]
        self.power_ = None if power is None else float(power)
        if "m" in chosen:
            self.m_ = float(chosen["m"])
        self._build_vote()

    def _compare_cases(self):
        """Learn from the stored cases how attributes compare."""
        self._targets = self._build_targets(self._answers, self._weight)
        self._space = CaseSpace(
            self._cases,
            self._similarities,
            self._targets.embedding_targets(),
            is_regressor(self),
            self._weight,
            self.missing,
            EXPONENTS[self.aggregation],
        )

    def _build_vote(self):
        """Build the search and the vote from what was chosen."""
        self._search = self._space.search(self.weights_)
        if is_classifier(self):
            self._targets.m = self.m_
        weighting = Weighting.from_parameters(
            _VOTES[self.vote], self.power_, self._search.metric
        )
        self._vote = ListVote(self._search, weighting, self._targets, self.n_neighbors_)

    def _given_parameters(self):
        """Return the parameters as given, and which of them to choose."""
        reads_power = self.vote == "inverse"
        given = {
            "n_neighbors": self.n_neighbors,
            "power": self.power if reads_power else None,
        }
        if is_classifier(self):
            given["m"] = self.m
        return given, [name for name, value in given.items() if value == "loo"]

    def _choose_weights(self):
        """Set the weights of the attributes: given, equal, or learnt."""
        given, d = self.weights, self._cases.n_columns
        if given is None:
            self.weights_ = np.ones(d)
        elif isinstance(given, str):
            self.weights_ = learn_weights(self)
        else:
            self.weights_ = as_float_array(given, "weights", "one number for each")
            is_usable = np.all((self.weights_ >= 0) & (self.weights_ < np.inf))
            if self.weights_.shape != (d,) or not is_usable or not self.weights_.any():
                raise ValueError(
                    f"weights must be finite numbers ≥ 0, one for each of the {d} "
                    f"attributes and one of them above 0, got {given!r}."
                )

    def _choose_parameters(self):
        """Return n_neighbors, power and m, given or chosen, and keep the curve."""
        vars(self).pop("loo_results_", None)
        given, tuned = self._given_parameters()
        if not tuned:
            return given
        check_rows_remain(len(self._weight), tuned)
        left_out = rows_to_leave_out(
            len(self._weight), self.loo_max_samples, self.random_state
        )
        best, self.loo_results_ = self._leave_out(self.weights_, tuned, left_out)
        return {**given, **best}

    def _leave_out(self, weights, tuned, left_out):
        """Return the best candidate of n_neighbors, power and m, and the results."""
        given, _ = self._given_parameters()
        candidates = [{}]
        if tuned:
            candidates = candidates_of(
                self, tuned, self._weight, True, _MAX_CASES_FOR_ALL
            )
        leave_one_out = LeaveOneOut(
            self._targets,
            self._space.search(weights),
            None,
            self._space.left_out_queries(),
            _VOTES[self.vote],
        )
        return choose(
            leave_one_out,
            [{**given, **candidate} for candidate in candidates],
            candidates,
            left_out,
            self.loo_scoring,
            self._map,
        )

    def retrieve(self, X, n_cases=5):
        """Return the stored cases that are most similar to each case, and why.

        Parameters
        ----------
        X : list of dicts, dataframe or array-like of shape (n_samples, n_features)
        n_cases : int, default=5
            How many stored cases to return for each.

        Returns
        -------
        Retrieval
            With ``indices``, ``similarities`` and ``by_attribute``, most similar first;
            ``frame(row)`` is a pandas frame for one case. Cases of equal similarity are
            in the order of their indices.
        """
        check_is_fitted(self)
        queries = self._transform_queries(X)
        k = self._checked_n_neighbors(n_cases, self._search.n_rows)
        distances, rows = self._nearest(queries, k)
        return Retrieval(
            self._original(rows),
            1 - distances,
            self._space.similarities(queries, rows),
            self.weights_ / self.weights_.sum(),
            self._targets.values(rows),
            list(self._cases.names),
        )

    def explain(self, X, n_rows=10):
        """Return which stored cases decided, and the share that each had.

        Parameters
        ----------
        X : list of dicts, dataframe or array-like of shape (n_samples, n_features)
        n_rows : int, default=10
            How many of the most similar voting cases to list for each.

        Returns
        -------
        NeighborExplanation
            As ``ShepardKNN.explain`` returns it: ``rows``, ``distances`` (1 -
            similarity), ``shares`` of the votes, ``targets`` and ``column_distances``,
            the parts of the distance by attribute, which sum to it; for
            aggregation="euclidean" their squares sum to its square.
        """
        check_is_fitted(self)
        queries = self._transform_queries(X)
        explanation = explain_votes(self._vote, queries, n_rows, self._map)
        is_listed = explanation.rows >= 0
        rows = np.maximum(explanation.rows, 0)
        parts = 1 - self._space.similarities(queries, rows)
        share = self.weights_ / self.weights_.sum()
        parts *= share ** (1 / self._space.exponent)
        parts[~is_listed] = np.nan
        explanation.column_distances = parts
        explanation.feature_names = list(self._cases.names)
        explanation.rows = np.where(is_listed, self._original(rows), -1)
        return explanation

    def complete(self, X):
        """Fill the unknown attributes of cases from similar stored cases.

        Each attribute that a case lacks is predicted from its others, by cases as y is,
        from the stored cases that know it: symbols, sets and graphs as classes,
        numbers as numbers. The weights of the other attributes, and what is "loo", are
        learnt anew for it.

        Parameters
        ----------
        X : list of dicts, dataframe or array-like of shape (n_samples, n_features)

        Returns
        -------
        filled : of the kind of X
            Copies of the cases. Arrays of numbers stay so, other arrays are of objects.
            A cell stays missing if no stored case knows the attribute.
        confidences : ndarray of shape (n_samples, n_features)
            For symbols the probability of the value; for numbers the mean similarity of
            the value to those of the cases that voted, by their votes. NaN for cells
            that were known, or are still missing.
        """
        check_is_fitted(self)
        return complete_cases(self, X)

    def combine(self, graph, attribute=None):
        """Cover a wanted graph by parts of several stored cases.

        The case whose graph has most of the edges that are not covered yet is taken
        first, then the next, until all edges are covered or no case has one more.

        Parameters
        ----------
        graph : networkx.DiGraph, dict or list
            The wanted graph, as :class:`GraphSimilarity` reads it.
        attribute : str or int, default=None
            Which attribute holds the cases' graphs; not needed if there is only one.

        Returns
        -------
        Combination
            With ``parts``, each of a case, and ``uncovered`` edges.
        """
        check_is_fitted(self)
        names = self._cases.names
        j = check_graph_attribute(names, self._similarities, attribute)
        wanted = self._similarities[j].read(graph)
        cells = column_cells(self._cases, j)
        indices = self._original(np.arange(len(cells)))
        stored = [(int(i), cell) for i, cell in zip(indices, cells) if cell is not None]
        return combine_graphs(wanted, stored, self._similarities[j])

    @property
    def _metric(self):
        return self._search.metric

    def _predictions(self, X):
        """Return the answers (n_samples, n_outputs) for new cases."""
        check_is_fitted(self)
        return self._vote.predictions(self._transform_queries(X), self._map)

    def _transform_queries(self, X):
        """Return new cases as queries."""
        return self._space.queries(self._reader.read(self, X))

    def _map(
        self, function, n_rows, bytes_per_row, *, min_queries=_MIN_QUERIES_PER_TASK
    ):
        """Call ``function(rows)`` for slices of the queries, over threads."""
        map_chunks(
            function, n_rows, bytes_per_row, n_jobs=self.n_jobs, min_rows=min_queries
        )

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.categorical = tags.input_tags.string = True
        tags.input_tags.allow_nan = True
        return tags


# Retrieved cases: which they are, how similar, and why, by attribute.


@dataclass
class Retrieval:
    """The stored cases that are most similar to each of some cases.

    Attributes
    ----------
    indices : int array of shape (n_samples, n_cases)
        Of the stored cases, most similar first.
    similarities : ndarray of shape (n_samples, n_cases)
        From 0 to 1: over the attributes their weighted mean, or 1 less the root of the
        weighted mean of (1 - similarity)², for aggregation="euclidean".
    by_attribute : ndarray of shape (n_samples, n_cases, n_features)
        The similarity along each attribute. ``by_attribute @ weights`` are the
        similarities, for aggregation="mean".
    weights : ndarray of shape (n_features,)
        The weights of the attributes, whose sum is 1.
    answers : ndarray of shape (n_samples, n_cases)
        The class or the number of each retrieved case.
    feature_names : list of str
    """

    indices: np.ndarray
    similarities: np.ndarray
    by_attribute: np.ndarray
    weights: np.ndarray
    answers: np.ndarray
    feature_names: list

    def frame(self, row=0):
        """Return what was retrieved for one case as a pandas frame.

        A row for each retrieved case; columns "similarity" and "answer", then the
        similarity along each attribute, the attribute of the largest weight first.
        """
        pd = import_pandas()
        columns = {"similarity": self.similarities[row], "answer": self.answers[row]}
        for j in np.argsort(-self.weights, kind="stable"):
            name = self.feature_names[j]
            name = f"{name} (attribute)" if name in columns else name
            columns[name] = self.by_attribute[row][:, j]
        return pd.DataFrame(columns, index=pd.Index(self.indices[row], name="case"))

"""The base of CaseBasedClassifier and CaseBasedRegressor: store, choose, vote."""

from dataclasses import dataclass
from numbers import Real

import numpy as np
from sklearn.utils.validation import check_is_fitted

from ..._core._compat import Interval, StrOptions
from ..._core._estimator import accepting_any_table
from ...leave_one_out import is_loo
from ...tabular import import_pandas
from .._shepard import MAX_POWER, LeftOutVote, StoredRows
from ._case_model import VOTES, CaseModel, CaseOptions
from ._case_space import EXPONENTS
from ._completion import complete_cases
from ._graphs import check_graph_attribute, combine_graphs
from ._memory import CaseMemoryMixin
from ._read_cases import CaseReader
from ._similarities import EqualitySimilarity


class CaseBase(CaseMemoryMixin, StoredRows):
    """Stored cases that vote with weights by similarity."""

    _parameter_constraints = {
        **StoredRows._parameter_constraints,
        "similarities": [dict, "array-like", None],
        "weights": ["array-like", StrOptions({"loo"}), None],
        "vote": [StrOptions(set(VOTES))],
        "power": [Interval(Real, 0, MAX_POWER, closed="both"), StrOptions({"loo"})],
        "missing": [Interval(Real, 0, 1, closed="both"), StrOptions({"mean"})],
        "missing_indicators": ["boolean"],
        "aggregation": [StrOptions(set(EXPONENTS))],
    }

    def _learn(self, X, y, sample_weight):
        """Store the cases, and choose the "loo" parameters by leave-one-out."""
        self._reader = CaseReader(self, X, self.similarities)
        table = self._reader.table
        y, weight = self._read_targets(y, table.n_rows, sample_weight)
        # The model keeps the cases; the reader would keep those that `forget` removes.
        del self._reader.table
        # Arrays: skops saves no object of pandas.
        declared = table.declared.items()
        table.declared = {j: np.asarray(v, dtype=object) for j, v in declared}
        if self._kept is not None:
            table = table.take(self._kept)
        self._answers, similarities = y, list(self._reader.similarities)
        chooses = self.missing_indicators and is_loo(self.weights)
        table = self._with_indicators(table, y, weight, chooses)
        n_indicators = len(self.missing_indicators_)
        similarities += [EqualitySimilarity()] * n_indicators
        options = self._options()

        def learn(cases, targets):
            given = cases, similarities, targets, options
            return CaseModel.learn(*given, self._map, n_indicators)

        self._set_model(learn, table, y, weight)
        model = self._model
        vars(self).pop("loo_results_", None)
        if model.loo_results is not None:
            self.loo_results_ = model.loo_results
        self.weights_, self.n_neighbors_ = model.weights, model.n_neighbors
        self.power_ = model.power
        if model.m is not None:
            self.m_ = model.m

    def _set_model(self, model_of, cases, y, weight):
        """Set the model of cases, and that without copies if there are any."""
        # model_of(cases, targets) returns a `CaseModel`. Copies are left out together,
        # so that one case stands for them where cases are left out.
        targets = self._build_targets(y, weight)
        merged = targets.merge_copies(cases)
        if merged is None:
            self._model, self._without_copies = model_of(cases, targets), None
            return
        rows = merged.rows
        distinct = self._build_targets(y[rows], merged.weight)
        model = model_of(cases.take(rows), distinct)
        self._model = model.with_cases(cases, targets)
        self._without_copies = model, merged.of_row

    def _options(self):
        """Return the parameters on which the model depends, of classifiers also m."""
        names = set(CaseOptions._fields) & set(self.get_params(deep=False))
        return CaseOptions(**{name: getattr(self, name) for name in names})

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
            self._model.space.similarities(queries, rows),
            self.weights_ / self.weights_.sum(),
            self._model.targets.values(rows),
            list(self._model.cases.names),
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
        space, share = self._model.space, self.weights_ / self.weights_.sum()

        def by_column(queries, rows):
            apart = 1 - space.similarities(queries, rows)
            return apart * share ** (1 / space.exponent)

        return self._explain(X, n_rows, by_column, list(self._model.cases.names))

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
        table = self._read_cases(X)
        filled, confidences = complete_cases(self._model, X, table, self._map)
        return filled, confidences[:, : self.n_features_in_]

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
        names = self._model.cases.names
        j = check_graph_attribute(names, self._model.similarities, attribute)
        wanted = self._model.similarities[j].read(graph)
        graphs, codes = self._model.cases.distinct(j)
        indices = self._original(np.arange(len(codes))).tolist()
        stored = [(i, graphs[code]) for i, code in zip(indices, codes) if code >= 0]
        return combine_graphs(wanted, stored, self._model.similarities[j])

    @property
    def _search(self):
        return self._model.search

    @property
    def _vote(self):
        return self._model.vote

    def _left_out_vote(self):
        model, of_row = self._without_copies or (self._model, slice(None))
        if model.cases.n_rows < 2:
            raise ValueError(
                "X=None predicts each stored case from the others, and there are none: "
                "give X, or store two cases."
            )
        queries = model.space.left_out_queries()
        return LeftOutVote(model.vote, queries, of_row, model.inflation)

    def _transform_queries(self, X):
        """Return new cases as queries."""
        return self._model.space.queries(self._read_cases(X))

    def _read_cases(self, X):
        """Return new cases as a table, with the indicators of missing cells."""
        table = self._reader.read(self, X)
        return table.with_missing_indicators(self.missing_indicators_)

    def __sklearn_tags__(self):
        return accepting_any_table(super().__sklearn_tags__())


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

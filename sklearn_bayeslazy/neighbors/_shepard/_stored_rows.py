"""The base of ShepardBase and CaseBase: training rows that are stored, and vote."""

from abc import ABCMeta, abstractmethod
from functools import partial
from numbers import Integral, Real
from typing import NamedTuple

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin, RegressorMixin
from sklearn.utils.validation import check_consistent_length, check_is_fitted

from ..._core._arrays import kept_rows
from ..._core._compat import Interval, RealNotInt, StrOptions
from ..._core._estimator import DocLinkMixin, LeftOutScoreMixin, LogProbabilityMixin
from ..._core._parallel import MIN_QUERIES_PER_TASK, map_chunks
from ...leave_one_out import (
    LeftOutNumbers,
    PredictionIntervalMixin,
    PredictionSetMixin,
    informatively_missing,
    rows_to_leave_out,
)
from ...search import EngineSearch
from ...tabular import CLASS_WEIGHTS
from .._neighbor_lists import NeighborListsMixin
from ._explanation import explain_votes
from ._left_out_votes import MAX_M, predictions_without
from ._votes import Vote


class LeftOutVote(NamedTuple):
    """How training rows are predicted, each by the others without its copies."""

    vote: Vote  # of the distinct rows
    queries: object  # these rows as queries, when each is left out
    of_row: object  # (n,), the index of each training row among them; or a slice
    inflation: float  # that of `choose_votes`
    # (n_distinct, n_outputs), if they are known already.
    answers: np.ndarray | None = None

    def predictions(self, rows, map_rows):
        """Return the predictions of some of the distinct rows, each left out."""
        if self.answers is not None:
            return self.answers[rows]
        return self.vote.predictions(self.queries[rows], map_rows, left_out=rows)


class StoredRows(NeighborListsMixin, DocLinkMixin, BaseEstimator, metaclass=ABCMeta):
    """Training rows that are stored, and vote."""

    # The estimator has `_vote`, of all rows, beside what `NeighborListsMixin` needs.

    _parameter_constraints = {
        "n_neighbors": [
            Interval(Integral, 1, None, closed="left"),
            Interval(RealNotInt, 0, None, closed="neither"),
            StrOptions({"loo"}),
            None,
        ],
        "loo_candidates": [dict, None],
        "loo_max_samples": [Interval(Integral, 1, None, closed="left"), None],
        "random_state": ["random_state"],
        "n_jobs": [Integral, None],
    }

    @abstractmethod
    def _check_targets(self, y):
        """Return y checked, an array of one entry or row for each row of X."""

    @abstractmethod
    def _build_targets(self, y, weight):
        """Return the `TrainingTargets` of checked y; set attributes learnt from y."""

    @abstractmethod
    def _left_out_vote(self):
        """Return the `LeftOutVote`, or raise an error if there is one row."""

    @property
    def _metric(self):
        return self._search.metric

    def _read_targets(self, y, n_rows, sample_weight):
        """Return targets and weights of rows of weight above 0; note which they are."""
        y = self._check_targets(y)
        check_consistent_length(np.empty(n_rows), y)
        self.n_samples_fit_ = n_rows
        self._kept, weight = kept_rows(sample_weight, n_rows)
        return (y if self._kept is None else y[self._kept]), weight

    def _with_indicators(self, table, y, weight, chooses):
        """Return training rows with indicators of missing cells; note of which."""
        # chooses: whether there are any, of the columns whose missing cells tell of y.
        self.missing_indicators_ = np.array([], dtype=np.int64)
        if not (chooses and table.has_missing_cells()):
            return table
        # Of the rows without copies, as they are left out.
        targets, distinct = self._build_targets(y, weight), table
        if (merged := targets.merge_copies(table)) is not None:
            distinct, weight = table.slice_rows(merged.rows), merged.weight
            targets = self._build_targets(y[merged.rows], weight)
        numbers = targets.embedding_targets()
        columns = informatively_missing(distinct, numbers.__getitem__, weight)
        self.missing_indicators_ = columns
        return table.with_missing_indicators(columns)

    def _map(self, function, n_rows, bytes_per_row, search=None):
        """Call ``function(rows)`` over threads; one after the other for an engine."""
        if search is None:  # there may be none yet
            search = getattr(self, "_search", None)
        map_chunks(
            function,
            n_rows,
            bytes_per_row,
            n_jobs=1 if isinstance(search, EngineSearch) else self.n_jobs,
            min_rows=MIN_QUERIES_PER_TASK,
            uses_blas=getattr(search, "by_products", False),
        )

    def _predictions(self, X):
        """Return the answers (n_samples, n_outputs) for new rows, or for X=None."""
        check_is_fitted(self)
        if X is None:
            left_out = self._left_out_vote()
            rows = np.arange(left_out.vote.search.n_rows)
            return left_out.predictions(rows, self._map)[left_out.of_row]
        return self._vote.predictions(self._transform_queries(X), self._map)

    def _explain(self, X, n_rows, distances_by_column, feature_names):
        """Return the `NeighborExplanation` of new rows."""
        # distances_by_column(queries, rows): (m, n_listed, n_features), or None.
        queries = self._transform_queries(X)
        explanation = explain_votes(self._vote.exact(), queries, n_rows, self._map)
        rows, is_listed = np.maximum(explanation.rows, 0), explanation.rows >= 0
        by_column = distances_by_column(queries, rows)
        if by_column is not None:
            by_column[~is_listed] = np.nan
        explanation.column_distances = by_column
        explanation.feature_names = feature_names
        explanation.rows = np.where(is_listed, self._original(rows), -1)
        return explanation


class StoredClassesMixin(
    PredictionSetMixin, LeftOutScoreMixin, ClassifierMixin, LogProbabilityMixin
):
    """Classifiers whose `StoredRows` vote for classes."""

    _parameter_constraints = {
        "m": [Interval(Real, 0, MAX_M, closed="both"), StrOptions({"loo"})],
        "prior": [StrOptions({"marginal", "uniform"}), "array-like"],
        "class_weight": CLASS_WEIGHTS,
        "loo_scoring": [StrOptions({"accuracy", "log_loss"}), None],
    }

    def _left_out_classes(self):
        _, of_given = self._without_copies or (None, slice(None))
        return self._vote.targets.codes, self._vote.targets.weight, of_given


class StoredNumbersMixin(PredictionIntervalMixin, LeftOutScoreMixin, RegressorMixin):
    """Regressors whose `StoredRows` vote for numbers."""

    _parameter_constraints = {"loo_scoring": [StrOptions({"squared_error"}), None]}

    def _left_out_numbers(self):
        left_out = self._left_out_vote()
        n_rows, targets = left_out.vote.search.n_rows, left_out.vote.targets
        rows = rows_to_leave_out(n_rows, self.loo_max_samples, self.random_state or 0)
        return LeftOutNumbers(
            rows,
            left_out.predictions(rows, self._map),
            targets.indicators(rows),
            targets.weight,
            left_out.vote.search,
            left_out.queries,
            left_out.inflation,
        )

    def _predictor_without(self, rows):
        vote = self._left_out_vote().vote
        return partial(predictions_without, vote, rows, map_rows=self._map)

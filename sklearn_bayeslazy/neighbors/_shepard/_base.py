"""The base of ShepardKNN and ShepardKNNRegressor: search, choice, vote.

A subclass says which targets it accepts, and holds them as `TrainingTargets`. These
turn sums of votes into answers.
"""

from abc import ABCMeta, abstractmethod
from dataclasses import replace
from numbers import Integral, Real

import numpy as np
from scipy import sparse
from sklearn.base import BaseEstimator
from sklearn.utils import check_consistent_length, check_random_state
from sklearn.utils.validation import check_is_fitted, validate_data

from ..._arrays import as_float_array
from ..._compat import HasMethods, Interval, StrOptions
from ..._estimator import DocLinkMixin
from ..._leave_one_out import check_rows_remain
from ..._parallel import map_chunks
from ..._weights import kept_rows
from ...tabular import Table, check_table, read_table
from .._kneighbors import NeighborListsMixin
from .._mixed_metric import BruteSearch, TableEmbedding, check_distances
from .._search import (
    METRICS,
    PRESENT,
    SPARSE_METRICS,
    DenseSearch,
    EngineSearch,
    Metric,
    SparseSearch,
    learn_metric,
    refuse_overflow,
    wants_tree,
)
from .._stretching import stretch
from ._all_rows import AllRows
from ._brute_metrics import brute_search
from ._explanation import explain_votes
from ._leave_one_out import MAX_POWER, LeaveOneOut, candidates_of, choose
from ._parameter_checks import (
    TABLE_METRICS,
    check_parameters,
    check_treecode_size,
    hvdm_prior_weight,
)
from ._treecode import build_treecode
from ._votes import AllRowsVote, ListVote, TreecodeVote, UniformVote
from ._weight_kernels import UNIFORM
from ._weighting import Weighting

# A query takes many distances, so that few are worth a thread.
_MIN_QUERIES_PER_TASK = 64


class ShepardBase(NeighborListsMixin, DocLinkMixin, BaseEstimator, metaclass=ABCMeta):
    """Neighbours that vote with weights, k of them or all."""

    _parameter_constraints = {
        "n_neighbors": [
            Interval(Integral, 1, None, closed="left"),
            StrOptions({"loo"}),
            None,
        ],
        "power": [
            Interval(Real, 0, MAX_POWER, closed="both"),
            StrOptions({"auto", "loo"}),
        ],
        "weights": [StrOptions({"inverse", "uniform", "cosine"}), callable],
        "metric": [StrOptions({*METRICS, *TABLE_METRICS, "precomputed"}), callable],
        "metric_params": [dict, None],
        "feature_weights": ["array-like", StrOptions({"loo"}), None],
        "algorithm": [
            StrOptions({"auto", "brute", "kd_tree"}),
            HasMethods(["fit", "kneighbors"]),
        ],
        "tol": [Interval(Real, 0, 1, closed="neither"), None],
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

    def explain(self, X, n_rows=10):
        """Return which training rows decided, and the share that each had.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            The rows whose answers are to be explained.
        n_rows : int, default=10
            How many of the nearest voting rows to list for each; None for all.

        Returns
        -------
        NeighborExplanation
            With ``rows``, ``distances``, ``shares`` and ``targets``, and
            ``frame(row)``, a pandas frame of one answer.
        """
        check_is_fitted(self)
        queries = self._transform_queries(X)
        explanation = explain_votes(self._vote.exact(), queries, n_rows, self._map)
        rows = explanation.rows
        original = self._original(np.maximum(rows, 0))
        explanation.rows = np.where(rows >= 0, original, -1)
        return explanation

    def _learn(self, X, y, sample_weight):
        """Fit: transform the rows, choose k and power, and build the vote."""
        check_parameters(self, sample_weight)
        X, y, weight = self._read_training_rows(X, y, sample_weight)
        # A copy, because the caller may write into sample_weight later.
        self._targets = self._build_targets(y, weight.copy())
        self.feature_weights_ = self._read_feature_weights(X)
        queries = self._build_search(X, weight)
        chosen = self._choose_k_and_power(queries)
        self.n_neighbors_ = chosen["n_neighbors"]
        self.power_ = float(chosen["power"])
        self._vote = self._build_vote()

    def _read_training_rows(self, X, y, sample_weight):
        """Return checked rows, targets and weights, without rows of weight 0."""
        self._accepts_sparse = self._takes_sparse()
        self._accepts_nan = self._metric_is_in(("nan_euclidean",))
        self._reads_tables = self._metric_is_in(TABLE_METRICS)
        self._reads_distances = self._metric_is_in(("precomputed",))
        X = self._validate(X, reset=True)
        y = self._check_targets(y)
        check_consistent_length(X, y)
        self.n_samples_fit_ = X.shape[0]
        self._kept, weight = kept_rows(sample_weight, X.shape[0])
        if self._kept is not None:
            X = X.take(self._kept) if isinstance(X, Table) else X[self._kept]
            y = y[self._kept]
        return X, y, weight

    def _build_search(self, X, weight):
        """Learn the metric, build the search, and return the rows as queries."""
        self._embedding = None
        if not isinstance(self.algorithm, str):
            self._metric = Metric("engine", root=1.0, divisor=2.0)
            self._search = EngineSearch(self.algorithm, self._metric, X)
            return X
        if self._metric_is_in(("hvdm",)):
            return self._embed_and_search(X, weight)
        params, scale = self.metric_params, self.feature_weights_
        if not self._metric_is_in(METRICS):
            self._space, self._search = brute_search(
                self.metric, params, scale, X, self._kept
            )
            self._metric = self._search.metric
            return self._search.training_queries()
        self._metric = learn_metric(self.metric, params, scale, X, weight)
        return self._search_transformed(self._metric.transform(X))

    def _embed_and_search(self, table, weight):
        """Learn HVDM, build the search, and return the rows encoded without themselves.

        Their own targets must not bring the rows closer to rows of the same targets.
        """
        m = hvdm_prior_weight(self.metric_params)
        targets = None
        if any(map(table.is_categorical, range(table.n_columns))):
            targets = self._targets.stretching_targets()
        self._embedding = TableEmbedding(table, targets, weight, m=m)
        rows = self._embedding.transform(table)
        scale = self.feature_weights_
        if scale is not None:
            scale = scale[self._embedding.column_of]
        metric = learn_metric("euclidean", None, scale, rows, weight)
        self._metric = replace(metric, name=self.metric)
        self._search_transformed(self._metric.transform(rows))
        left_out = self._embedding.training_rows(table, targets, weight)
        return self._metric.transform(left_out, query=True)

    def _search_transformed(self, transformed):
        """Build the search among transformed rows; return them as queries."""
        refuse_overflow(transformed, self.metric, "X, feature_weights or metric_params")
        all_rows = np.arange(transformed.shape[0])
        tree = self._wants_tree(transformed)
        self._search = self._search_of(transformed, [all_rows], tree)
        return self._metric.as_queries(transformed)

    def _search_of(self, transformed, segments, tree=False):
        """Return a search whose blocks hold rows of one segment each."""
        if sparse.issparse(transformed):
            return SparseSearch(self._metric, transformed, segments)
        return DenseSearch(self._metric, transformed, segments, tree)

    def _search_by_segments(self):
        """Return a search of the same rows, with each class in blocks of its own."""
        transformed = self._search.transformed_rows()
        return self._search_of(transformed, self._targets.segments())

    def _choose_k_and_power(self, queries):
        """Return n_neighbors and power, given or chosen, and keep the curve."""
        vars(self).pop("loo_results_", None)
        given = {"n_neighbors": self.n_neighbors, "power": self._given_power()}
        tuned = sorted(name for name, value in given.items() if value == "loo")
        if not tuned:
            return given
        targets = self._targets
        check_rows_remain(len(targets.weight), tuned)
        has_engine = isinstance(self._search, EngineSearch)
        total_weight = targets.weight.sum()
        candidates = candidates_of(self, tuned, total_weight, not has_engine)
        settings = [{**given, **candidate} for candidate in candidates]
        all_rows = None
        if self._has_blocks() and any(
            setting["n_neighbors"] is None for setting in settings
        ):
            all_rows = AllRows(self._search_by_segments(), targets)
        best, self.loo_results_ = choose(
            LeaveOneOut(targets, self._search, all_rows, queries, self.weights),
            settings,
            candidates,
            self,
            self._map,
        )
        return {**given, **best}

    def _build_vote(self):
        """Return the way in which rows vote; where all do, search by segments."""
        targets = self._targets
        weighting = Weighting.from_parameters(self.weights, self.power_, self._metric)
        if self.n_neighbors_ is not None or not self._has_blocks():
            return ListVote(self._search, weighting, targets, self.n_neighbors_)
        self._search = search = self._search_by_segments()
        if weighting.kind == UNIFORM:
            return UniformVote(search, weighting, targets)
        if self.tol is None:
            return AllRowsVote(search, weighting, targets)
        rows = search.transformed_rows()
        check_treecode_size(self.tol, rows.shape[1], targets.n_outputs)
        treecode = build_treecode(rows, *targets.treecode_inputs())
        return TreecodeVote(search, weighting, targets, treecode, self.power_, self.tol)

    def _answers(self, X):
        """Return the answers (n_samples, n_outputs) for new rows."""
        check_is_fitted(self)
        return self._vote.predictions(self._transform_queries(X), self._map)

    def _transform_queries(self, X):
        """Return new rows, checked and transformed by the metric."""
        X = self._validate(X, reset=False)
        if isinstance(self._search, EngineSearch):
            return X
        if isinstance(self._search, BruteSearch):
            return self._space.transform(X)
        if self._embedding is not None:
            X = self._embedding.transform(X)
        elif isinstance(self._search, SparseSearch):
            X = sparse.csr_array(X)
        elif sparse.issparse(X):
            X = X.toarray()
        return self._metric.transform(X, query=True)

    def _validate(self, X, *, reset):
        """Return checked rows: a Table, numbers, or distances to the training rows."""
        if self._reads_tables:
            return read_table(check_table(self, X, reset=reset))
        X = validate_data(
            self,
            X,
            accept_sparse="csr" if self._accepts_sparse else False,
            dtype=np.float64,
            ensure_all_finite="allow-nan" if self._accepts_nan else True,
            reset=reset,
        )
        if self._reads_distances:
            check_distances(X, square=reset)
        return X

    def _metric_is_in(self, names):
        return isinstance(self.metric, str) and self.metric in names

    def _has_blocks(self):
        """Return whether all rows can vote as they are read, without lists of them."""
        return isinstance(self._search, DenseSearch | SparseSearch) and not callable(
            self.weights
        )

    def _takes_sparse(self):
        if not isinstance(self.algorithm, str):
            return True
        learnt = isinstance(self.feature_weights, str)
        dense = self.algorithm == "kd_tree" or self.tol is not None or learnt
        return self._metric_is_in(SPARSE_METRICS) and not dense

    def _wants_tree(self, transformed):
        if sparse.issparse(transformed) or self._metric.kind == PRESENT:
            return False
        if self.algorithm != "auto":
            return self.algorithm == "kd_tree"
        return wants_tree(*transformed.shape)

    def _given_power(self):
        """Return the power if it is given, "loo" otherwise."""
        if self.power != "auto":
            return self.power
        weights = self.feature_weights_
        return float(self.n_features_in_ if weights is None else np.sum(weights > 0))

    def _read_feature_weights(self, X):
        """Return the factors of the columns: given, learnt, or None."""
        given = self.feature_weights
        if given is None:
            return None
        if isinstance(given, str):
            return self._learn_feature_weights(X)
        weights = as_float_array(given, "feature_weights")
        if weights.shape != (X.shape[1],):
            raise ValueError(
                f"feature_weights has shape {weights.shape}; X has {X.shape[1]} "
                "columns: give one weight for each."
            )
        if not np.all((weights >= 0) & (weights < np.inf)) or not weights.any():
            raise ValueError(
                "feature_weights must be finite numbers ≥ 0, one of them above 0, got "
                f"{given!r}."
            )
        return weights

    def _learn_feature_weights(self, X):
        k = self.n_neighbors if isinstance(self.n_neighbors, Integral) else None
        scale = stretch(
            X,
            self._targets.stretching_targets(),
            self._targets.weight,
            n_neighbors=k,
            rng=check_random_state(self.random_state),
            n_jobs=self.n_jobs,
        ).scale
        return scale if scale.any() else np.ones(len(scale))

    def _map(
        self, function, n_rows, bytes_per_row, *, min_queries=_MIN_QUERIES_PER_TASK
    ):
        """Call ``function(rows)`` over threads; one after the other for an engine."""
        n_jobs = 1 if isinstance(self._search, EngineSearch) else self.n_jobs
        map_chunks(
            function,
            n_rows,
            bytes_per_row,
            n_jobs=n_jobs,
            min_rows=min_queries,
            uses_blas=getattr(self._search, "by_products", False),
        )

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = self._takes_sparse()
        reads_tables = self._metric_is_in(TABLE_METRICS)
        tags.input_tags.categorical = tags.input_tags.string = reads_tables
        tags.input_tags.allow_nan = self._metric_is_in(
            ("nan_euclidean", *TABLE_METRICS)
        )
        distances = self._metric_is_in(("precomputed",))
        tags.input_tags.pairwise = tags.input_tags.positive_only = distances
        return tags

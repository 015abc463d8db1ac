"""What the classifier and the regressor of Shepard's method share.

A subclass says what its rows vote for (`_encode`), and how a row that is left out is
scored (`_left_out_losses`).
"""

from abc import ABCMeta, abstractmethod
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
from .._kneighbors import NeighborListsMixin
from .._search import (
    METRICS,
    PRESENT,
    SPARSE_METRICS,
    DenseSearch,
    EngineSearch,
    Metric,
    SparseSearch,
    WeightedK,
    learn_metric,
    no_exclusions,
    refuse_overflow,
    refuse_sample_weight,
    wants_tree,
)
from .._stretching import indicators, standardise, stretch
from ._explanation import ExplanationMixin
from ._leave_one_out import LARGEST_POWER, Tuner, candidates_of
from ._treecode import plant, weighted_means
from ._vote_kernels import UNIFORM
from ._votes import AllRows, Weighting, vote_of_lists

# The tree code summarises boxes, of which space has too many beyond three columns.
TREE_CODE_MOST_COLUMNS = 3
TREE_CODE_MOST_OUTPUTS = 100
# So many rows are worth handing to a thread, as each asks for many distances.
_SMALLEST_CHUNK = 64
_SMALLEST_CODE_CHUNK = 1024


class ShepardBase(
    NeighborListsMixin,
    ExplanationMixin,
    DocLinkMixin,
    BaseEstimator,
    metaclass=ABCMeta,
):
    """Neighbours that vote with weights, k of them or all."""

    _parameter_constraints = {
        "n_neighbors": [
            Interval(Integral, 1, None, closed="left"),
            StrOptions({"loo"}),
            None,
        ],
        "power": [
            Interval(Real, 0, LARGEST_POWER, closed="both"),
            StrOptions({"auto", "loo"}),
        ],
        "weights": [StrOptions({"inverse", "uniform", "cosine"}), callable],
        "metric": [StrOptions(set(METRICS))],
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
    def _encode(self, y, weight):
        """Return the `Voters` for checked targets; store what is learnt of them."""

    @abstractmethod
    def _left_out_losses(self, voters, sums, totals, exclude):
        """Return the scores of rows that were left out, by name."""

    def _learn(self, X, y, sample_weight):
        """Place the rows, choose what is to be chosen, keep what predictions need."""
        self._check_parameters(sample_weight)
        self._takes = self._takes_sparse(), self.metric == "nan_euclidean"
        X = self._validate(X, reset=True)
        y = self._check_targets(y)
        check_consistent_length(X, y)
        self.n_samples_fit_ = X.shape[0]
        self._kept, weight = kept_rows(sample_weight, X.shape[0])
        if self._kept is not None:
            X, y = X[self._kept], y[self._kept]
        # A copy: what the caller writes into it later is none of the model's business.
        voters = self._voters = self._encode(y, weight.copy())
        vars(self).pop("loo_results_", None)
        self.feature_weights_ = self._feature_weights(X, voters)
        if isinstance(self.algorithm, str):
            self._metric = learn_metric(
                self.metric, self.metric_params, self.feature_weights_, X, weight
            )
            transformed = self._transform_training(X)
            tree = self._wants_tree(transformed)
            self._search = self._search_of(transformed, tree)
            queries = self._metric.as_queries(transformed)
        else:
            self._metric, queries = Metric("engine", root=1.0, divisor=2.0), X
            self._search = EngineSearch(self.algorithm, self._metric, X)
        settled = {"n_neighbors": self.n_neighbors, "power": self._given_power()}
        if "loo" in settled.values():
            settled.update(self._choose(settled, queries))
        self.n_neighbors_ = settled["n_neighbors"]
        self.power_ = float(settled["power"])
        self._weighting = Weighting.of(self.weights, self.power_, self._metric)
        self._all_rows = self._code = None
        self._tol = self.tol
        if self.n_neighbors_ is None and self._weighting.function is None:
            self._search = self._search_of(
                self._search.transformed_rows(), all_vote=True
            )
            if self._weighting.kind != UNIFORM and self.tol is not None:
                self._code = self._plant()
            elif self._weighting.kind != UNIFORM:
                self._all_rows = AllRows(self._search, voters)

    def _search_of(self, transformed, tree=False, *, all_vote=False):
        """Return a search; where all rows vote, their classes lie apart in it."""
        everyone = [np.arange(transformed.shape[0])]
        segments = self._voters.segments() if all_vote else everyone
        if sparse.issparse(transformed):
            return SparseSearch(self._metric, transformed, segments)
        return DenseSearch(self._metric, transformed, segments, tree)

    def _choose(self, settled, queries):
        """Return the choice of leave-one-out, and keep the curve."""
        voters = self._voters
        tuned = sorted(name for name, value in settled.items() if value == "loo")
        check_rows_remain(len(voters.weight), tuned)
        function = callable(self.weights)
        engine = isinstance(self._search, EngineSearch)
        candidates = candidates_of(self, tuned, voters.weight.sum(), not engine)
        if not function and any(
            {**settled, **one}["n_neighbors"] is None for one in candidates
        ):
            search = self._search_of(self._search.transformed_rows(), all_vote=True)
            all_rows = AllRows(search, voters)
        else:
            all_rows = None
        self._code = None
        tuner = Tuner(
            voters,
            self._search,
            all_rows,
            queries,
            lambda power: Weighting.of(self.weights, power, self._metric),
            lambda *votes: self._left_out_losses(voters, *votes),
            self._score_names,
            lambda rows: self._importance(voters, rows),
            settled,
        )
        best, self.loo_results_ = tuner.choose(
            candidates,
            self._scoring(),
            self.loo_max_samples,
            self.random_state,
            self._map,
        )
        return best

    def _sums(self, X):
        """Return the sums of the votes for each row, and their totals."""
        check_is_fitted(self)
        queries = self._transform_queries(X)
        m = queries.shape[0]
        sums, totals = np.empty((m, self._voters.n_outputs)), np.empty(m)
        listed = self.n_neighbors_ is not None or self._weighting.function is not None
        weighted_k = self._demand() if listed else None

        def add_up(rows):
            sums[rows], totals[rows] = self._sum_rows(queries, rows, weighted_k)

        self._map(add_up, m, 40 * weighted_k.width if listed else 64)
        lost = totals == 0
        if lost.any():  # no training row has any weight: all count alike
            sums[lost], totals[lost] = self._voters.sums()
        return sums, totals

    def _sum_rows(self, queries, rows, weighted_k):
        exclude = no_exclusions(rows.stop - rows.start)
        if weighted_k is not None:
            lists = self._search.nearest(queries, rows, weighted_k, exclude)
            return vote_of_lists(
                lists,
                self._weighting,
                self._metric,
                self._voters,
                weighted_k,
                self._mass(),
                exclude,
            )[:2]
        if self._code is not None:
            code, power = self._code, self.power_
            return weighted_means(code, queries[rows], power, self._tol)[0], 1.0
        if self._all_rows is None:  # weights alike
            return self._voters.sums()
        return self._all_rows.sum(queries, rows, self._weighting, exclude)[:2]

    def _mass(self):
        """Return the mass of neighbours that vote: n_neighbors, or everybody's."""
        everybody = float(np.ceil(self._voters.weight.sum()))
        if self.n_neighbors_ is None:
            return everybody
        return float(min(self.n_neighbors_, everybody))

    def _demand(self):
        return WeightedK(self._mass(), self._voters.weight)

    def _ballot_of_all(self):
        """Return the votes of all rows, or None where lists of neighbours vote."""
        if self.n_neighbors_ is not None or self._weighting.function is not None:
            return None
        return self._all_rows or AllRows(self._search, self._voters)

    def _plant(self):
        """Return the tree code of the training rows."""
        if self.n_features_in_ > TREE_CODE_MOST_COLUMNS:
            raise ValueError(
                f"tol={self._tol} summarises boxes, which helps in "
                f"{TREE_CODE_MOST_COLUMNS} columns at most; X has "
                f"{self.n_features_in_}: drop tol."
            )
        if self._voters.n_outputs > TREE_CODE_MOST_OUTPUTS:
            raise ValueError(
                f"tol={self._tol} keeps the sums of all {self._voters.n_outputs} "
                f"classes or targets in each box, {TREE_CODE_MOST_OUTPUTS} at most: "
                "drop tol."
            )
        return plant(self._search.transformed_rows(), *self._ballot_for_code())

    def _transform_training(self, X):
        transformed = self._metric.transform(X)
        refuse_overflow(transformed, self.metric, "X, feature_weights or metric_params")
        return transformed

    def _transform_queries(self, X):
        """Return new rows, checked, where distances are measured."""
        X = self._validate(X, reset=False)
        if isinstance(self._search, EngineSearch):
            return X
        if isinstance(self._search, SparseSearch):
            X = sparse.csr_array(X)
        elif sparse.issparse(X):
            X = X.toarray()
        return self._metric.transform(X, query=True)

    def _validate(self, X, *, reset):
        takes_sparse, takes_nan = self._takes
        return validate_data(
            self,
            X,
            accept_sparse="csr" if takes_sparse else False,
            dtype=np.float64,
            ensure_all_finite="allow-nan" if takes_nan else True,
            reset=reset,
        )

    def _takes_sparse(self):
        if not isinstance(self.algorithm, str):
            return True
        learnt = isinstance(self.feature_weights, str)
        dense = self.algorithm == "kd_tree" or self.tol is not None or learnt
        return self.metric in SPARSE_METRICS and not dense

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
        stretched = self.feature_weights_
        return float(
            self.n_features_in_ if stretched is None else np.sum(stretched > 0)
        )

    def _feature_weights(self, X, voters):
        """Return how the columns are stretched: as given, learnt, or None."""
        given = self.feature_weights
        if given is None:
            return None
        if isinstance(given, str):
            return self._learn_feature_weights(X, voters)
        weights = as_float_array(given, "feature_weights")
        if weights.shape != (X.shape[1],):
            raise ValueError(
                f"feature_weights has shape {weights.shape}; X has {X.shape[1]} "
                "columns: give one weight for each."
            )
        if not np.all((weights >= 0) & (weights < np.inf)) or not weights.any():
            raise ValueError(
                "feature_weights must be finite numbers ≥ 0, one of them above 0."
            )
        return weights

    def _learn_feature_weights(self, X, voters):
        targets = voters.targets
        if len(voters.codes):
            targets = indicators(voters.codes, voters.n_outputs)
        else:
            targets = standardise(targets, voters.weight)[0]
        k = self.n_neighbors if isinstance(self.n_neighbors, Integral) else None
        scale = stretch(
            X,
            targets,
            voters.weight,
            n_neighbors=k,
            rng=check_random_state(self.random_state),
            n_jobs=self.n_jobs,
        ).scale
        return scale if scale.any() else np.ones(len(scale))

    def _map(self, function, n_rows, bytes_per_row):
        """Call ``function(rows)`` over threads, unless an engine has its own."""
        n_jobs = 1 if isinstance(self._search, EngineSearch) else self.n_jobs
        # The tree code reads neighbouring queries together, and wants many of them.
        smallest = _SMALLEST_CHUNK if self._code is None else _SMALLEST_CODE_CHUNK
        map_chunks(
            function,
            n_rows,
            bytes_per_row,
            n_jobs=n_jobs,
            smallest=smallest,
            products=getattr(self._search, "by_products", False),
        )

    def _check_parameters(self, sample_weight):
        """Raise an error for parameters that do not go together."""
        engine = not isinstance(self.algorithm, str)
        if self.weights == "cosine" and self.metric != "cosine" and not engine:
            raise ValueError(
                "weights='cosine' are the cosines of metric='cosine'; got "
                f"metric={self.metric!r}: change one of the two."
            )
        if self.algorithm == "kd_tree" and self.metric == "nan_euclidean":
            raise ValueError(
                "algorithm='kd_tree' has no place for missing cells: "
                "metric='nan_euclidean' needs algorithm='brute' or 'auto'."
            )
        learnt = isinstance(self.feature_weights, str)
        if learnt and self.metric != "euclidean" and not engine:
            raise ValueError(
                "feature_weights='loo' learns the stretch for metric='euclidean'; got "
                f"metric={self.metric!r}: change one of the two."
            )
        if self.feature_weights is not None and self.metric == "mahalanobis":
            raise ValueError(
                "metric='mahalanobis' undoes what feature_weights stretch: drop one "
                "of the two."
            )
        if self.tol is not None:
            self._check_tol()
        if engine:
            self._check_engine(sample_weight)

    def _check_tol(self):
        if self.n_neighbors not in (None, "loo"):
            raise ValueError(
                f"tol={self.tol} is for votes of all rows, n_neighbors=None; got "
                f"n_neighbors={self.n_neighbors!r}: drop tol."
            )
        plain = ("euclidean", "seuclidean", "mahalanobis")
        if self.metric not in plain or self.weights != "inverse":
            raise ValueError(
                f"tol={self.tol} needs weights='inverse' and a metric of {plain}; got "
                f"metric={self.metric!r}, weights={self.weights!r}: drop tol."
            )

    def _check_engine(self, sample_weight):
        name = type(self.algorithm).__name__
        refuse_sample_weight(self.algorithm, sample_weight)
        if self.n_neighbors is None:
            raise ValueError(
                f"n_neighbors=None reads all rows, and an engine ({name}) is of no use "
                "there: set algorithm='auto', or n_neighbors."
            )
        ours = self.metric_params, self.feature_weights
        if self.metric != "euclidean" or any(given is not None for given in ours):
            raise ValueError(
                f"The engine ({name}) measures by itself: leave metric, metric_params "
                "and feature_weights at their defaults and set them in the engine."
            )

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = self._takes_sparse()
        tags.input_tags.allow_nan = self.metric == "nan_euclidean"
        return tags

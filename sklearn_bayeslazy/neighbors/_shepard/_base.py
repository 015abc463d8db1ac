"""The base of ShepardKNN and ShepardKNNRegressor: search, choice, vote.

A subclass checks its targets, and holds them as `TrainingTargets`. These
turn sums of votes into answers.
"""

from copy import copy
from functools import partial
from numbers import Real

import numpy as np
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted

from ..._core._arrays import check_feature_weights
from ..._core._compat import HasMethods, Interval, StrOptions
from ..._core._estimator import names_of_columns
from ...leave_one_out import (
    check_others_remain,
    rows_to_leave_out,
    spread_folds,
)
from ...search import (
    METRICS,
    PAIRWISE_METRICS,
    DenseSearch,
    EngineSearch,
    EngineSpace,
    SparseSearch,
    TableSpace,
    search_points,
)
from ...tabular import missing_indicator
from .._neighbor_lists import RadiusNeighborsMixin
from ._all_rows import AllRows
from ._column_weights import (
    GivenWeights,
    LearntStretch,
    LeftOutPart,
    RelevancePower,
    can_be_stretched,
)
from ._left_out_votes import (
    MAX_POWER,
    LeftOutVotes,
    best_weights,
    candidates_of,
    choose_parameters,
    choose_votes,
)
from ._parameters import (
    TABLE_METRICS,
    check_parameters,
    check_treecode_size,
    learn_feature_weights,
    make_space,
    set_input_tags,
)
from ._stored_rows import LeftOutVote, StoredRows
from ._treecode import build_treecode
from ._votes import AllRowsVote, ListVote, TreecodeVote
from ._weighting import UNIFORM, Weighting

# Exponents of the relevance of columns among which metric="auto" chooses, by leaving
# out at most this number of rows.
RELEVANCE_EXPONENTS = (0.0, 0.25, 0.5, 1.0)
MAX_ROWS_FOR_RELEVANCE = 1000


# With fewer rows for each column the relevance of columns is by chance.
MIN_ROWS_PER_COLUMN = 5
# Tables of more rows or coordinates are not cut into parts, each of which has points
# for all rows: in them the target of a row hardly moves the symbols that it holds.
MAX_ROWS_OF_PARTS, MAX_CELLS_OF_PARTS = 5000, 2**21


def _searches(weighting):
    """Return the rows, a search and all rows as queries, of each part."""
    return [
        (part.rows, *part.space.search(part.training, weighting.of(part)))
        for part in weighting.parts
    ]


def _is_large(training):
    """Return whether a table is not cut into parts."""
    n_rows, n_cells = len(training.weight), np.prod(training.points.shape)
    return n_rows > MAX_ROWS_OF_PARTS or n_cells > MAX_CELLS_OF_PARTS


class ShepardBase(RadiusNeighborsMixin, StoredRows):
    """Neighbours that vote with weights, k of them or all."""

    _parameter_constraints = {
        **StoredRows._parameter_constraints,
        "power": [
            Interval(Real, 0, MAX_POWER, closed="both"),
            StrOptions({"auto", "loo"}),
        ],
        "weights": [StrOptions({"inverse", "uniform", "cosine"}), callable],
        "metric": [
            StrOptions({*METRICS, *PAIRWISE_METRICS, *TABLE_METRICS, "precomputed"}),
            callable,
        ],
        "metric_params": [dict, None],
        "feature_weights": ["array-like", StrOptions({"loo"}), None],
        "algorithm": [
            StrOptions({"auto", "brute", "kd_tree"}),
            HasMethods(["fit", "kneighbors"]),
        ],
        "tol": [Interval(Real, 0, 1, closed="neither"), None],
        "missing_indicators": ["boolean"],
    }

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
            The contributions of the rows, which sum to the answer (with `tol`, to the
            exact one). With ``rows``, ``distances``, ``shares``, ``targets`` and
            ``column_distances``; ``frame(row, X)`` is a pandas frame of one answer with
            the cells of the training rows X, and ``column_frame(row)`` one of the
            distances by column. There can be more than k rows,
            as all rows at the k-th distance share the last votes.

            If there are several outputs, its `frame`, `plot` and text show one: of
            numbers the first, of classes the output and class of the highest
            probability. ``frame(row, target=1)`` shows another number,
            ``frame(row, target=(1, "a"))`` the class "a" of output 1, and
            ``output_frame(row)`` all.
        """
        check_is_fitted(self)

        def by_column(queries, rows):
            if n_rows is not None:
                return self._space.column_distances(queries, rows, self._search)

        names = names_of_columns(self)
        indicators = [missing_indicator(names[j]) for j in self.missing_indicators_]
        return self._explain(X, n_rows, by_column, [*names, *indicators])

    def _learn(self, X, y, sample_weight):
        """Fit: transform the rows, choose k, power and m, and build the vote."""
        check_parameters(self, sample_weight)
        X, y, weight = self._read_training_rows(X, y, sample_weight)
        self._without_copies = None
        # A copy, because the caller may write into sample_weight later.
        self._targets = self._build_targets(y, weight.copy())
        merged = self._merge_copies(X)
        if merged is None:
            self._fit_rows(X, weight)
            return
        # Copies are left out together, so one row stands for them where rows are.
        model, space = copy(self), copy(self._space)
        rows = merged.rows
        model._targets = model._build_targets(y[rows], merged.weight)
        chosen = model._fit_rows(self._space.take(X, rows), merged.weight)
        self._space = space
        self._fit_rows(X, weight, chosen)
        self._without_copies = model, merged.of_row
        vars(self).pop("loo_results_", None)
        if hasattr(model, "loo_results_"):
            self.loo_results_ = model.loo_results_

    def _merge_copies(self, X):
        """Return the `MergedRows` of checked rows, None if there are no copies."""
        if isinstance(self._space, EngineSpace) or self.metric == "precomputed":
            return None
        return self._targets.merge_copies(X)

    def _fit_rows(self, X, weight, choices=None):
        """Fit to the rows of `_targets`; return the choices, made here if not given."""
        training = self._space.fit(X, self._targets.embedding_targets, weight)
        if choices is None:
            whole = LeftOutPart(None, self._space, training)
            weighting = self._choose_weighting(X, whole)
            feature_weights, chosen = weighting.of(whole), None
        else:
            feature_weights, chosen = choices
        self.feature_weights_ = feature_weights
        self._search, queries = self._space.search(training, self.feature_weights_)
        is_same = training.left_out is training.points
        self._left_out_queries = None if is_same else queries
        if choices is None:
            searches = [(None, self._search, queries)]
            is_cut = len(weighting.parts) > 1
            if is_cut:
                searches = _searches(weighting)
            chosen = self._choose_parameters(searches)
        self.n_neighbors_, power = chosen["n_neighbors"], chosen["power"]
        self.power_ = None if power is None else float(power)
        if "m" in chosen:
            self.m_ = self._targets.m = float(chosen["m"])
        self._vote = self._build_vote()
        self._left_out_answers = None
        if choices is None and is_cut:
            self._left_out_answers = self._answers_of_parts(searches)
        return self.feature_weights_, chosen

    def _left_out_parts(self, X, whole):
        """Return parts of the rows, each with a space that has not seen its targets."""
        training = whole.training
        is_wide = len(training.weight) < MIN_ROWS_PER_COLUMN * X.n_columns
        is_wide &= self._space.relevance is not None
        if not (is_wide or X.are_categorical().any()):
            return [whole]
        targets = self._targets.embedding_targets()
        parts = []
        for part in self._cut(X, whole):
            fold = np.ones(len(targets), dtype=bool)
            fold[part.rows] = False
            space = copy(self._space)
            learnt = space.fit_part(X, targets, training, fold)
            parts.append(LeftOutPart(part.rows, space, learnt))
        return parts or [whole]

    def _cut(self, X, whole):
        """Return one part for each fold of the rows, [] if they form one fold."""
        targets, training = self._targets.embedding_targets(), whole.training
        labelled = self._targets.fold_codes, targets, training.weight
        folds = spread_folds(*self._space.codes(X), *labelled)
        return [
            whole._replace(rows=np.flatnonzero(fold))
            for fold in folds
            if not fold.all()
        ]

    def _answers_of_parts(self, searches):
        """Return the answers for all training rows, each left out."""
        answers = np.empty((len(self._targets.weight), self._targets.n_outputs))
        for rows, search, queries in searches:
            vote = self._exact_vote(search)
            answers[rows] = vote.predictions(queries[rows], self._map, left_out=rows)
        return answers

    def _read_training_rows(self, X, y, sample_weight):
        """Return checked rows, targets and weights, without rows of weight 0."""
        self._space = make_space(self, X)
        self._space.n_jobs = self.n_jobs
        X = self._space.check(self, X, reset=True)
        y, weight = self._read_targets(y, X.shape[0], sample_weight)
        if self._kept is not None:
            X = self._space.take(X, self._kept)
        is_auto = isinstance(self._space, TableSpace) and self.metric == "auto"
        is_free = self.feature_weights is None and self.tol is None
        chooses = self.missing_indicators and is_auto and is_free
        return self._with_indicators(X, y, weight, chooses), y, weight

    def _choose_weighting(self, X, whole):
        """Return the weights of columns, chosen by leave-one-out under "auto"."""
        can_cut = isinstance(self._space, TableSpace) and not _is_large(whole.training)
        parts = self._left_out_parts(X, whole) if can_cut else [whole]
        if self.feature_weights is not None or self._space.relevance is None:
            weights = self._given_or_learnt_weights(whole.training)
            return GivenWeights(parts, weights)
        n_rows = len(self._targets.weight)
        n_indicators = len(self.missing_indicators_)
        powers = [
            RelevancePower(parts, exponent, n_ignored)
            for n_ignored in sorted({n_indicators, 0}, reverse=True)
            for exponent in RELEVANCE_EXPONENTS
        ]
        if n_rows == 1:
            return powers[0]
        seed = 0 if self.random_state is None else self.random_state
        left_out = rows_to_leave_out(n_rows, MAX_ROWS_FOR_RELEVANCE, seed)
        candidates = powers
        if stretch := self._stretch(X, whole, parts, left_out, can_cut):
            candidates = [*powers, stretch]

        def leave_out(weighting):
            # The searches end with this call: those of one exponent are in memory.
            searches = _searches(weighting)
            given = self._given_parameters(weighting.of(weighting.parts[0]))
            grid = candidates_of(self, given, self._targets.weight, True)
            some_k = [one for one in grid if one.get("n_neighbors", 1)]
            grid = some_k or grid  # all rows take a pass over the table
            return self._leave_out(searches, given, grid, left_out)

        return best_weights(candidates, leave_out, self._targets, self.loo_scoring)

    def _stretch(self, X, whole, parts, judged, can_cut):
        """Return the `LearntStretch` that can be chosen, None if there is none."""
        targets, kept = self._targets.embedding_targets(), self._space.weights(0.0) > 0
        if not can_be_stretched(whole.training, targets, kept):
            return None
        if can_cut:
            parts = parts if len(parts) > 1 else self._cut(X, whole)
        if len(parts) < 2 and len(judged) == len(targets):
            return None
        return LearntStretch(
            parts,
            whole.training,
            targets,
            kept,
            judged,
            self._stretched_neighbors(),
            0 if self.random_state is None else self.random_state,
            self.n_jobs,
        )

    def _stretched_neighbors(self):
        """Return how many neighbours the estimate has that a stretch is learnt for."""
        return self.n_neighbors if isinstance(self.n_neighbors, Real) else None

    def _given_or_learnt_weights(self, training):
        """Return the factors of the columns, None for equal ones."""
        given, n_features = self.feature_weights, self.n_features_in_
        if given is None:
            return None
        if not isinstance(given, str):
            return check_feature_weights(given, n_features, n_above_0=1)
        kept = np.ones(n_features, dtype=bool)
        if self._space.relevance is not None:  # names of rows are not stretched
            kept = self._space.weights(0.0) > 0
        return learn_feature_weights(
            training,
            self._targets.embedding_targets(),
            kept,
            self._stretched_neighbors(),
            check_random_state(self.random_state),
            self.n_jobs,
        )

    def _by_segments(self, search):
        """Return a search of the same rows, with each class in blocks apart."""
        transformed, segments = search.transformed_rows(), self._targets.segments()
        return search_points(search.metric, transformed, segments, self.n_jobs)

    def _given_parameters(self, feature_weights):
        """Return n_neighbors, power and m as given."""
        given = {
            "n_neighbors": self.n_neighbors,
            "power": self._given_power(feature_weights),
        }
        if hasattr(self, "m"):  # classes vote
            given["m"] = 0.0 if self.tol is not None else self.m
        return given

    def _choose_parameters(self, searches):
        """Return n_neighbors, power and m, given or chosen, and keep the curve."""
        vars(self).pop("loo_results_", None)
        given = self._given_parameters(self.feature_weights_)
        targets, has_engine = self._targets, isinstance(self._search, EngineSearch)

        def leave_out(rows):
            candidates = candidates_of(self, given, targets.weight, not has_engine)
            return self._leave_out(searches, given, candidates, rows)

        chosen, results, self._inflation = choose_parameters(
            given, targets, self, leave_out
        )
        if results is not None:
            self.loo_results_ = results
        return chosen

    def _leave_out(self, searches, given, candidates, left_out):
        """Return what `choose_votes` returns."""
        ks = [{**given, **one}["n_neighbors"] for one in candidates]
        parts = []
        for rows, search, queries in searches:
            all_rows = None
            if None in ks and self._has_blocks(search):
                all_rows = AllRows(self._by_segments(search), self._targets)
            votes = LeftOutVotes(self._targets, search, all_rows, queries, self.weights)
            parts.append((rows, votes))
        return choose_votes(
            parts,
            given,
            candidates,
            left_out,
            self.loo_scoring,
            partial(self._map, search=searches[0][1]),
        )

    def _build_vote(self):
        """Return the way in which rows vote; where all do, search by segments."""
        vote, targets = self._exact_vote(self._search), self._targets
        self._search = vote.search
        if not isinstance(vote, AllRowsVote):
            return vote
        if self.tol is None or vote.weighting.kind == UNIFORM:
            return vote
        rows = self._search.transformed_rows()
        check_treecode_size(self.tol, rows.shape[1], targets.n_outputs)
        treecode = build_treecode(rows, *targets.treecode_inputs())
        return TreecodeVote(
            self._search, vote.weighting, targets, treecode, self.power_, self.tol
        )

    def _exact_vote(self, search):
        """Return the vote of the rows of a search."""
        targets, metric = self._targets, search.metric
        weighting = Weighting.from_parameters(self.weights, self.power_, metric)
        if self.n_neighbors_ is not None or not self._has_blocks(search):
            return ListVote(search, weighting, targets, self.n_neighbors_)
        return AllRowsVote(self._by_segments(search), weighting, targets)

    def _left_out_vote(self):
        model, of_row = self._without_copies or (self, slice(None))
        check_others_remain(model._search.n_rows)
        queries = model._left_out_queries
        if queries is None:
            queries = model._search.training_queries()
        return LeftOutVote(
            model._vote, queries, of_row, model._inflation, model._left_out_answers
        )

    def _transform_queries(self, X):
        """Return new rows, checked and transformed by the metric."""
        X = self._space.check(self, X, reset=False)
        if len(self.missing_indicators_):
            X = X.with_missing_indicators(self.missing_indicators_)
        return self._space.queries(X, self._search)

    def _has_blocks(self, search):
        """Return whether all rows can vote as they are read, without lists of them."""
        is_in_blocks = isinstance(search, DenseSearch | SparseSearch)
        return is_in_blocks and not callable(self.weights)

    def _given_power(self, feature_weights):
        """Return the power if it is given, "loo", or None if `weights` ignore it."""
        if self.power == "loo" and self.weights != "inverse":
            return None
        if self.power != "auto":
            return self.power
        if feature_weights is None:
            return float(self.n_features_in_)
        return float(np.sum(feature_weights > 0))

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        set_input_tags(tags.input_tags, self)
        return tags

"""The base of both radial basis function networks: centres, widths, choices."""

from abc import ABCMeta
from collections import defaultdict
from functools import partial
from numbers import Integral, Real

import numpy as np
from numpy.typing import ArrayLike
from sklearn.base import BaseEstimator, is_classifier
from sklearn.utils.validation import check_is_fitted

from .._core._arrays import as_float_array, check_feature_weights
from .._core._compat import Interval, StrOptions
from .._core._estimator import DocLinkMixin, accepting_any_table
from .._core._kernel import frozen
from .._core._parallel import map_chunks, map_tasks, one_thread_if_small
from ..leave_one_out import (
    candidate_grid,
    check_others_remain,
    check_rows_remain,
    choice_inflation,
    group_sums,
    in_rows,
    loss_groups,
    rank_candidates,
    rows_to_leave_out,
    tuned_names,
)
from ..search import TransformedRows
from ..tabular import check_table, read_table, without_copies
from ._rbf_centers import (
    RowEncoder,
    find_centers,
    local_widths,
    relative_relevance_weights,
    split,
    symbol_folds,
)
from ._rbf_ranges import Ranges
from ._rbf_ridge import Basis, BasisRidge, weighted_sums
from ._scales import SCALES, some_column_has_three_numbers

DEFAULT_CANDIDATES = {
    "scale": ("std", "normal_scores"),
    "feature_weights": (None, "relevance"),
    "n_centers": (10, 30, 100, 300),
    "overlap": (1.0, 2.0, 4.0),
    "ridge": (1e-6, 1e-4, 1e-3, 1e-2, 1e-1, 1.0, 10.0),
}
_ALLOWED = {
    "scale": (lambda scale: scale in SCALES, f"some of {', '.join(SCALES)}"),
    "feature_weights": (
        lambda weights: weights is None or weights == "relevance",
        'None and "relevance"',
    ),
    "n_centers": (lambda k: isinstance(k, Integral) and k >= 1, "integers ≥ 1"),
    "overlap": (
        lambda factor: isinstance(factor, Real) and 0 < factor < np.inf,
        "finite numbers above 0",
    ),
    "ridge": (
        lambda ridge: isinstance(ridge, Real) and 0 <= ridge < np.inf,
        "finite numbers ≥ 0",
    ),
}


# The first names a `_BasisBuilder`, the others are the arguments of its `build`.
_BASIS_PARAMETERS = ("scale", "feature_weights", "n_centers", "overlap")


class RBFNetwork(DocLinkMixin, BaseEstimator, metaclass=ABCMeta):
    """A ridge regression on radial basis functions."""

    # A subclass encodes its targets as numbers, calls `_fit_network`, and decodes
    # `_network_outputs`. It begins with the `TrainingRowsMixin`, and keeps what
    # `_fit_network` returned and the index of the rows that were given.

    _parameter_constraints = {
        "n_centers": [Interval(Integral, 1, None, closed="left"), StrOptions({"loo"})],
        "centers": [StrOptions({"kmeans"}), "array-like"],
        "width": [
            StrOptions({"global", "local"}),
            Interval(Real, 0, None, closed="neither"),
            "array-like",
        ],
        "overlap": [Interval(Real, 0, None, closed="neither"), StrOptions({"loo"})],
        "ridge": [Interval(Real, 0, None, closed="left"), StrOptions({"loo"})],
        "scale": [StrOptions({"loo", *SCALES}), "array-like", None],
        "feature_weights": [StrOptions({"loo", "relevance"}), "array-like", None],
        "loo_candidates": [dict, None],
        "loo_max_samples": [Interval(Integral, 1, None, closed="left"), None],
        "random_state": ["random_state"],
        "n_jobs": [Integral, None],
    }

    def __init__(
        self,
        n_centers: str | int = "loo",
        *,
        centers: ArrayLike = "kmeans",
        width: ArrayLike = "global",
        overlap: str | float = "loo",
        ridge: str | float = "loo",
        scale: ArrayLike | None = "loo",
        feature_weights: ArrayLike | None = "loo",
        loo_candidates=None,
        loo_max_samples=10_000,
        random_state=None,
        n_jobs=None,
    ):
        self.n_centers = n_centers
        self.centers = centers
        self.width = width
        self.overlap = overlap
        self.ridge = ridge
        self.scale = scale
        self.feature_weights = feature_weights
        self.loo_candidates = loo_candidates
        self.loo_max_samples = loo_max_samples
        self.random_state = random_state
        self.n_jobs = n_jobs

    def _fit_network(self, table, targets, standardized, sample_weight):
        """Find centres and widths, choose "loo" parameters, and fit the weights."""
        # targets: (n, V); standardized: the targets as indicators or standardised
        # numbers. Returns what leaves the rows out.
        n_centers = self.n_centers
        if n_centers == "loo":
            n_centers = max(DEFAULT_CANDIDATES["n_centers"])
        n_rows, n_columns = table.shape
        with one_thread_if_small(n_rows * max(n_columns, n_centers)):
            return self._fit_table(table, targets, standardized, sample_weight)

    def _read_rows(self, X, y, sample_weight):
        """Return the table of checked rows, targets and weights, copies as one row."""
        # And the row of each row that was given, as an index. Copies are left out
        # together. What is not chosen does not depend on it.
        return without_copies(read_table(X, n_jobs=self.n_jobs), y, sample_weight)

    def _fit_table(self, table, targets, standardized, sample_weight):
        vars(self).pop("loo_results_", None)
        self._inflation = 1.0
        weightings = self._weightings(table, standardized, sample_weight)
        centers = self._given_centers(table)
        parameters = {name: getattr(self, name) for name in DEFAULT_CANDIDATES}
        parameters["scale"] = self._scaling(table)
        parameters["feature_weights"] = self._weighting(weightings)
        if centers is not None:
            parameters["n_centers"] = len(centers)
        if not isinstance(self.width, str):
            parameters["overlap"] = 1.0
        tuned = tuned_names(parameters)
        candidates = self._candidates(tuned, sample_weight) if tuned else [{}]
        scales = dict.fromkeys((parameters | each)["scale"] for each in candidates)
        classes = np.zeros(table.n_rows, dtype=np.int64)
        if is_classifier(self):
            classes = standardized.argmax(axis=1)
        folds = symbol_folds(table, classes, standardized, sample_weight)
        builders = {}
        for scale in scales:
            given = self.scale if scale == "given" else scale
            encoder = RowEncoder(table, standardized, sample_weight, given)
            rows = encoder.training_rows(table, folds, standardized, sample_weight)
            builders[scale] = _BasisBuilder(
                encoder, rows, sample_weight, weightings, centers, self.width
            )
        if tuned:
            of_rows = targets, sample_weight
            parameters |= self._choose(parameters, candidates, builders, *of_rows)
        bases = builders[parameters["scale"]]
        if not tuned:
            bases.find_centers(
                [(parameters["feature_weights"], parameters["n_centers"])]
            )
        basis = bases.build(*(parameters[name] for name in _BASIS_PARAMETERS[1:]))
        rows = bases.rows(parameters["feature_weights"])
        self._encoder, self.scale_ = bases.encoder, bases.encoder.scale
        self._ranges = bases.ranges(parameters["feature_weights"])
        regression = BasisRidge(basis, rows, targets, sample_weight)
        fitted = regression.coefficients(parameters["ridge"])
        self._basis, (self._coef, self._intercept) = basis, fitted
        self.feature_weights_ = weightings[parameters["feature_weights"]]
        self.n_centers_ = len(basis.centers)
        self.overlap_ = float(parameters["overlap"])
        self.ridge_ = float(parameters["ridge"])
        centers = basis.centers / self._encoded_weights()
        self.centers_ = self._encoder.in_units_of_the_table(centers)
        self.widths_ = basis.widths
        self._calibrate(regression, rows, targets, sample_weight)
        return rows, targets, sample_weight

    def _calibrate(self, regression, rows, targets, sample_weight):
        """Learn what makes answers of the outputs; only classifiers do."""

    def _left_out_sample(self, n_rows):
        """Return the rows that are left out to choose by, as indices."""
        return rows_to_leave_out(n_rows, self.loo_max_samples, self.random_state)

    def _scaling(self, table):
        """Return the name of the scale, "loo" if it is chosen."""
        if not isinstance(self.scale, str):
            return "given"
        is_free = "scale" not in (self.loo_candidates or {})
        if self.scale == "loo" and is_free:
            # Columns of two numbers have the same distances either way.
            return "loo" if some_column_has_three_numbers(table) else "std"
        return self.scale

    def _weightings(self, table, standardized, sample_weight):
        """Return the weights of the columns for each value of `feature_weights`."""
        weightings = {None: np.ones(table.n_columns)}
        if isinstance(self.feature_weights, str):
            weightings["relevance"] = relative_relevance_weights(
                table, standardized, sample_weight
            )
        elif self.feature_weights is not None:
            weightings["given"] = check_feature_weights(
                self.feature_weights, table.n_columns, n_above_0=table.n_columns
            )
        return weightings

    def _weighting(self, weightings):
        """Return the name of the weights of the columns, "loo" if they are chosen."""
        if "given" in weightings:
            return "given"
        is_free = "feature_weights" not in (self.loo_candidates or {})
        if self.feature_weights == "loo" and is_free:
            # With one column, or nothing to learn from, there is no choice.
            return "loo" if np.any(weightings["relevance"] != 1) else None
        return self.feature_weights

    def _given_centers(self, table):
        """Return the user's centres, checked, or None."""
        centers, d = self.centers, table.n_columns
        if isinstance(centers, str):
            return None
        if not table.are_categorical().any():
            centers = as_float_array(centers, "centers")
            if not np.isfinite(centers).all():
                raise ValueError("centers must hold finite numbers.")
        elif not hasattr(centers, "shape"):
            centers = np.array(centers, dtype=object)
        if len(centers.shape) != 2 or centers.shape[1] != d or not len(centers):
            raise ValueError(
                f"centers has shape {centers.shape}; X has {d} columns: give an array "
                f"of shape (n_centers, {d})."
            )
        return centers

    def _encoded_weights(self):
        """Return the weight of each encoded column."""
        return self.feature_weights_[self._encoder.column_of]

    def _choose(self, parameters, candidates, builders, targets, sample_weight):
        """Return the best candidate by leave-one-out; keep the results of all."""
        # builders: a `_BasisBuilder` for each scale; targets: (n, V).
        left_out = self._left_out_sample(len(sample_weight))
        sample = targets[left_out], sample_weight[left_out]
        elsewhere = {
            scale: bases.unweighted_ranges.outside_of_others(
                bases.unweighted_rows, left_out
            )
            for scale, bases in builders.items()
        }
        ridges_by_basis = defaultdict(dict)
        for i, candidate in enumerate(candidates):
            merged = parameters | candidate
            basis = tuple(merged[name] for name in _BASIS_PARAMETERS)
            ridges_by_basis[basis][i] = merged["ridge"]
        scores = defaultdict(lambda: np.empty((len(candidates), len(left_out))))

        def left_out_scores(key):
            scale, *basis = key
            bases = builders[scale]
            rows = bases.rows(basis[0])
            regression = BasisRidge(bases.build(*basis), rows, targets, sample_weight)
            ridges = list(ridges_by_basis[key].values())
            fits = [regression.coefficients(ridge) for ridge in ridges]
            positions, points = elsewhere[scale]
            outside = positions, points * bases.weights(basis[0])
            predictions = regression.left_out(
                ridges, fits, rows[left_out], *sample, outside
            )
            predictions = self._clip_each(predictions, left_out)
            return [self._loo_scores(each, sample[0]) for each in predictions]

        # Many centres take most of the time: begin with them.
        by_size = sorted(ridges_by_basis, key=lambda basis: basis[2], reverse=True)
        for scale, bases in builders.items():
            keys = [key[1:3] for key in by_size if key[0] == scale]
            bases.find_centers(list(dict.fromkeys(keys)), self.n_jobs)
        found = map_tasks(left_out_scores, by_size, n_jobs=self.n_jobs, uses_blas=True)
        for basis, scores_by_ridge in zip(by_size, found):
            for i, scores_of_ridge in zip(ridges_by_basis[basis], scores_by_ridge):
                for name, values in scores_of_ridge.items():
                    scores[name][i] = values
        best, self.loo_results_ = rank_candidates(
            candidates, scores, sample[1], [("squared_error", -1)]
        )
        losses = scores["squared_error"]
        self._inflation = choice_inflation(
            group_sums(losses, sample[1], loss_groups(losses))
        )
        return candidates[best]

    def _candidates(self, tuned, sample_weight):
        check_rows_remain(len(sample_weight), tuned)
        defaults = {name: list(DEFAULT_CANDIDATES[name]) for name in tuned}
        if "n_centers" in tuned:
            largest = max(len(sample_weight) // 2, 1)
            usable = [k for k in defaults["n_centers"] if k <= largest]
            defaults["n_centers"] = usable or [largest]
        if "ridge" in tuned:
            defaults["ridge"] = in_rows(defaults["ridge"], sample_weight)
        return candidate_grid(defaults, self.loo_candidates, _ALLOWED)

    def _loo_scores(self, predictions, targets):
        """Return the scores of left-out rows by name, each of shape (m,)."""
        # predictions, targets: (m, V). A subclass may add scores. NaN predictions have
        # an infinite squared error.
        with np.errstate(over="ignore"):
            squares = np.mean((predictions - targets) ** 2, axis=1)
        return {"squared_error": np.where(np.isnan(squares), np.inf, squares)}

    def _network_outputs(self, X):
        """Return the outputs of the network, of shape (m, V)."""
        if X is None:
            return self._left_out_outputs(*self._rows_to_leave_out())
        queries = self._queries(X)
        outputs = np.empty((len(queries), len(self._coef)))

        def write_outputs(rows):
            weighted_sums(
                frozen(self._basis.values(queries[rows]), np.float64),
                frozen(self._coef, np.float64),
                frozen(self._intercept, np.float64),
                outputs[rows],
            )

        bytes_per_row = 8 * (len(self._basis.centers) + queries.shape[1])
        map_chunks(write_outputs, len(queries), bytes_per_row, n_jobs=self.n_jobs)
        return outputs

    def _left_out_outputs(self, rows, targets, sample_weight, of_given):
        """Return the outputs for the training rows, each by the network without it."""
        every = np.arange(len(targets))
        outside = self._ranges.outside_of_others(rows, every)
        outputs = self._outputs_without(rows, targets, sample_weight, outside)
        return self._clip_each(outputs, every)[of_given]

    def _outputs_without(self, rows, targets, sample_weight, elsewhere):
        """Return the outputs of the networks without each row (see `left_out`)."""
        of_rows = targets, sample_weight
        regression = BasisRidge(self._basis, rows, *of_rows)
        fit = self._coef, self._intercept
        (outputs,) = regression.left_out(
            [self.ridge_], [fit], rows, *of_rows, elsewhere
        )
        points = dict(zip(*elsewhere))
        for i in np.flatnonzero(np.isnan(outputs).any(axis=1)):
            # All that is known of some direction comes from this row.
            others = np.delete(np.arange(len(targets)), i)
            check_others_remain(len(targets))
            without = BasisRidge(
                self._basis, rows[others], targets[others], sample_weight[others]
            )
            coef, intercept = without.coefficients(self.ridge_)
            point = points.get(i, rows[np.array([i])][0])
            outputs[i] = self._basis.values(point[None])[0] @ coef.T + intercept
        return outputs

    def _clip_each(self, outputs, rows):
        """Return outputs (…, n, V) for left-out rows; a regressor clips them."""
        return outputs

    def _basis_values(self, X):
        """Return the values of the basis functions at new rows, of shape (m, K)."""
        queries = self._queries(X)  # first, as it raises NotFittedError
        return self._basis.values(queries)

    def _queries(self, X):
        """Return new rows, checked, encoded, weighted, and clipped to the ranges."""
        check_is_fitted(self)
        X = check_table(self, X, reset=False)
        rows = self._encoder.transform(read_table(X)) * self._encoded_weights()
        return self._ranges.clip(rows)

    def __sklearn_tags__(self):
        return accepting_any_table(super().__sklearn_tags__())


def _times(weights, points):
    """Return points times the weights of their columns; new points are overwritten."""
    return np.multiply(points, weights, out=points if points.base is None else None)


class _BasisBuilder:
    """Builds basis functions; centres are found only once for each number of them."""

    # rows: encoded training rows, (n, n_encoded) or TransformedRows; weightings:
    # weights of the columns by name, (n_features,) each; centers: the user's rows, or
    # None. Threads may call `build` for centres that `find_centers` has found.

    def __init__(self, encoder, rows, sample_weight, weightings, centers, width):
        self.encoder, self.sample_weight = encoder, sample_weight
        self.unweighted_rows, self._weightings = rows, weightings
        self.unweighted_ranges = Ranges.of(rows, encoder.is_number)
        self._width = width
        if not isinstance(width, str):
            self._width = as_float_array(width, "width")
            if not np.all((self._width > 0) & (self._width < np.inf)):
                raise ValueError("width must hold finite numbers above 0.")
        self._given_centers = None
        if centers is not None:
            self._given_centers = encoder.transform(read_table(centers))
        self._found = {}

    def weights(self, weighting):
        """Return the weight of each encoded column."""
        return self._weightings[weighting][self.encoder.column_of]

    def rows(self, weighting):
        """Return the encoded training rows times the weights of their columns."""
        weights = self.weights(weighting)
        return TransformedRows(self.unweighted_rows, partial(_times, weights))

    def ranges(self, weighting):
        """Return the :class:`Ranges` of these rows."""
        return self.unweighted_ranges.times(self.weights(weighting))

    def find_centers(self, keys, n_jobs=None):
        """Find the centres for pairs (weighting, number of centres), by threads."""
        # `build` needs them.
        sizes = defaultdict(set)
        for weighting, n_centers in keys:
            sizes[weighting].add(n_centers)

        def start(weighting):
            wanted = sorted(sizes[weighting])
            if self._given_centers is not None:
                centers = self._given_centers * self.weights(weighting)
                return dict.fromkeys(wanted, centers)
            rows = self.rows(weighting)[:]
            return dict(zip(wanted, split(rows, self.sample_weight, wanted)))

        def find(key):
            weighting, n_centers = key
            centers = starts[weighting][n_centers]
            if self._given_centers is None:
                rows = self.rows(weighting)[:]
                centers = find_centers(rows, self.sample_weight, centers)
            return centers, self._widths(centers)

        options = {"n_jobs": n_jobs, "uses_blas": True}
        starts = dict(zip(sizes, map_tasks(start, list(sizes), **options)))
        self._found.update(zip(keys, map_tasks(find, keys, **options)))

    def build(self, weighting, n_centers, overlap):
        """Return basis functions with a number of centres and an overlap."""
        centers, widths = self._found[weighting, n_centers]
        return Basis(centers, widths * overlap)

    def _widths(self, centers):
        if not isinstance(self._width, str):
            if self._width.shape not in ((), (len(centers),)):
                raise ValueError(
                    f"width has shape {self._width.shape}: give a number, or one for "
                    f"each of the {len(centers)} centers."
                )
            return np.broadcast_to(self._width, len(centers))
        widths = local_widths(centers)
        if self._width == "global":
            widths = np.full(len(widths), np.sqrt(np.mean(widths**2)))
        return np.where(widths > 0, widths, 1.0)

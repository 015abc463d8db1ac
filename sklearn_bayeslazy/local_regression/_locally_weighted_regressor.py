"""LocallyWeightedRegressor: a polynomial fitted to the rows around each query."""

from functools import lru_cache, partial
from numbers import Integral, Real
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from scipy import stats
from sklearn.base import BaseEstimator, RegressorMixin
from sklearn.utils import check_consistent_length
from sklearn.utils.validation import check_is_fitted

from .._core._arrays import check_numeric_targets, kept_rows
from .._core._compat import HasMethods, Interval, RealNotInt, StrOptions, fit_context
from .._core._estimator import (
    DocLinkMixin,
    LeftOutScoreMixin,
    accepting_any_table,
    all_or_nothing,
    names_of_columns,
    require_targets,
)
from .._core._parallel import MIN_QUERIES_PER_TASK, map_chunks, slices_of
from ..leave_one_out import (
    LeftOutNumbers,
    PredictionIntervalMixin,
    check_coverage,
    check_others_remain,
    check_rows_remain,
    is_loo,
    rows_to_leave_out,
    tuned_names,
    within_bounds,
)
from ..search import TableEmbedding
from ..tabular import (
    check_table,
    merge_copies,
    read_table,
    rescale_squares,
    rescale_targets,
    restore_targets,
    row_weight,
    standardize,
    take_rows,
)
from ._explanation import explain_columns, midpoint_terms
from ._fits import (
    LOO_PARAMETERS,
    LeftOutFits,
    LocalFitSettings,
    LocalRegression,
    ParameterChoice,
    refuse_combinations,
    scaled_solver,
)
from ._inference import MeanInferenceMixin
from ._rbf_centers import SYMBOL_DISTANCE
from ._scales import SCALES, column_scales, some_column_has_three_numbers
from ._smoothing_kernels import KERNELS

# A column of more symbols is encoded by one number, the mean of y at each symbol. The
# mean without a row depends on that row's y, the more the fewer rows it is of.
MAX_INDICATORS = 20
# Divisor of what missing numbers tell of y, in standard deviations of y: as far apart
# as in radial basis networks.
MISSING_SCALE = 1 / SYMBOL_DISTANCE
# With statistics="auto", δ2 is computed up to this number of rows: it takes n³ steps.
MAX_ROWS_FOR_EXACT = 1000
# With statistics="auto", the statistics are computed from up to this number of rows:
# the residual scale then has a relative standard error of 1/√2000, 2 %.
MAX_ROWS_FOR_STATISTICS = 1000
# Queries that are answered together, and the most memory that they take.
_QUERIES_PER_SLICE, _BYTES_PER_SLICE = 256, 2**25
_STATISTICS = (
    "residual_scale_",
    "effective_dof_",
    "equivalent_parameters_",
    "residual_dof_",
    "gcv_",
    "aicc_",
)


class LocallyWeightedRegressor(
    MeanInferenceMixin,
    PredictionIntervalMixin,
    LeftOutScoreMixin,
    RegressorMixin,
    DocLinkMixin,
    BaseEstimator,
):
    r"""Local regression (loess) in any number of columns, with standard errors.

    Degree, window, ridge and the scales of the columns are chosen by leave-one-out.
    Classical loess is one explicit call: ``LocallyWeightedRegressor(degree=1,
    n_neighbors=0.75, scale="trimmed", ridge=0.0)``, where n_neighbors is the span
    (loess leaves a single column as it is: scale=None).

    For each query a constant, linear or quadratic polynomial is fitted by least squares
    to the training rows around it. Each row is weighted by a kernel K of its distance d
    over a bandwidth h:

    .. math:: \min_\beta \sum_i K(d_i / h)\,
       \bigl(y_i - \beta_0 - \beta_1^T (x_i - x) - \ldots\bigr)^2, \qquad
       \hat f(x) = \beta_0 .

    The polynomial is fitted at every query; nothing is interpolated.

    Parameters
    ----------
    degree : {0, 1, 2} or "loo", default="loo"
        0: a weighted mean; with kernel="inverse_square" Shepard's method. 1: linear. 2:
        quadratic, with products of columns. "loo": chosen by leave-one-out, among
        polynomials of at most 120 terms, and lines of more columns where
        ``ridge="loo"``.

    n_neighbors : int, float, None or "loo", default="loo"
        The window holds this number of nearest rows; h is the distance of the last.
        Rows at this distance share what is left of k, so that their order does not
        matter. With sample weights k is a total weight. A float is a *span*, the
        fraction of all rows; above 1 the window holds all rows, and h is the distance
        of the last times √span, as in loess. None: `bandwidth` defines the window.
        "loo": chosen by leave-one-out.

    bandwidth : float, None or "loo", default=None
        h, in units of the (scaled) columns. With `n_neighbors` too, the larger of the
        two windows is used. "loo": chosen by leave-one-out.

    kernel : str, default="tricube"
        With u = d/h: "tricube" (1 - u³)³, "biweight" (1 - u²)², "epanechnikov" 1 - u²,
        "triangular" 1 - u, "uniform" 1, all of them for u < 1; "gaussian" exp(-u²/2)
        and "inverse_square" 1/d², for all rows or the nearest. "inverse_square" needs
        neither `n_neighbors` nor `bandwidth`.

    scale : str, array-like or None, default="loo"
        Divisor of each column before distances are computed: "std", its standard
        deviation; "trimmed", the deviation without the tenth of the rows at either end
        (as in loess); "range"; or the numbers given. None: columns are not scaled.
        "normal_scores": each number becomes the normal quantile of the share of smaller
        numbers in its column, over their standard deviation, which suits long tails and
        frequent values. "loo": "normal_scores" where its leave-one-out error is smaller
        by a tenth, else "std". The divisor is then divided by a gradient weight, the
        mean size of the local slopes along the column [1]_, where that has the smaller
        error: columns along which the target does not change then hardly count in the
        distance. With more than 500 encoded columns (see Notes) there are no gradient
        weights.

    ridge : float or "loo", default="loo"
        Adds ridge · ‖β‖² to the weighted squares, β being the slopes and curvatures per
        bandwidth; this shrinks the polynomial toward the local mean. With a ridge above
        0 predictions are bounded, see Notes. "loo": chosen by leave-one-out.

    robust_iterations : int, default=0
        How often to fit again with less weight for rows with large residuals (bisquare
        weights; loess's family="symmetric" has 4 iterations). Needs parameters that are
        not "loo".

    algorithm : {"auto", "brute", "kd_tree"} or estimator, default="auto"
        Search for the rows of a window; predictions do not depend on it. An estimator
        with ``kneighbors`` is fitted to the scaled rows; the distances of its
        neighbours are computed again.

    statistics : {"auto", "exact", "approximate", None}, default="auto"
        What `fit` computes for standard errors: the residual scale and its degrees of
        freedom, δ1²/δ2 ("exact": a multiple of n³ steps) or δ1 ("approximate").
        "auto": exact for up to 1000 rows, else approximate from 1000 of the rows. None:
        nothing.

    loo_candidates : dict, default=None
        {"n_neighbors": list, "bandwidth": list, "degree": list, "ridge": list}, the
        candidates of the "loo" parameters; all combinations are compared. Without
        it, and with several "loo" parameters, a coarse grid is compared on 150 rows,
        then candidates around the best one on 400 rows.

    loo_max_samples : int or None, default=10000
        Maximum number of rows that are left out one by one, and that the statistics
        are computed from; if there are more, a random subset of this size. None: every
        row.

    random_state : int, RandomState instance or None, default=None
        Seed of the subsets of rows. None: always the same subsets.

    n_jobs : int, default=None
        Number of threads. Predictions do not depend on it.

    Attributes
    ----------
    n_neighbors_, bandwidth_, degree_, ridge_
        The values given or chosen.
    numbers_ : {"given", "normal_scores"}
        How numbers are encoded: as they are, or by their normal scores.
    scale_ : ndarray of shape (n_encoded,)
        Divisors of the columns. A column of symbols is encoded by several numbers
        (see Notes), each with its divisor, and so may be one with missing numbers;
        other columns have one.
    loo_results_ : dict
        Only with "loo": "params", "mean_squared_error", "standard_error_squared_error"
        and "rank" of the candidates that were compared on the same rows, those of
        the last comparison; see :class:`LeaveOneOutDisplay`. The scales, which have
        seen all targets, are the same for all of them.
    residual_scale_ : float or ndarray of shape (n_outputs,)
        Estimate of the standard deviation of the noise, √(Σ r² / δ1). NaN if no
        degrees of freedom are left.
    effective_dof_ : float
        tr L, L being the hat matrix: the predictions at the training rows are L y.
    equivalent_parameters_ : float
        tr LᵀL, loess's "enp".
    residual_dof_ : float
        Degrees of freedom of `residual_scale_`: δ1²/δ2, or δ1.
    gcv_, aicc_ : float or ndarray of shape (n_outputs,)
        Generalised cross-validation, n Σ r² / (n - tr L)², and the corrected Akaike
        criterion, log(Σ r²/n) + 1 + 2 (tr L + 1) / (n - tr L - 2); infinite if the fit
        uses up all degrees of freedom.
    n_samples_fit_ : int
        The number of rows in `fit`.
    n_features_in_ : int
        Number of columns.
    feature_names_in_ : ndarray of shape (`n_features_in_`,)
        Names of the columns, where X had names that are all strings.

    See Also
    --------
    ShepardKNNRegressor : Weighted means of neighbours, without slopes.
    AxisStretcher : Learns a scale for each column.

    Notes
    -----
    A prediction with a ridge above 0 may lie beyond the targets of its window's rows by
    as much as their range. One that lies farther out is moved back to this bound, but
    by at most three of its standard errors, from the residuals of its window: a
    polynomial that the rows determine well is extrapolated, one that they do not
    determine is not. With ridge=0 the prediction is that of loess, without bounds.

    A missing number becomes the mean of its column. For a column with missing numbers
    one more encoded column is 0 where they are present, and elsewhere the distance of
    the m-estimated means of y over the missing and over the present cells, in standard
    deviations of y, with a divisor of 1/2 where scales are names. It is left out if by
    leave-one-out they tell nothing of y (m = ∞). A column of at most 20 symbols
    (strings, categories, booleans) becomes indicators, which are also terms of the
    polynomial. More symbols become the m-estimated mean of y at each symbol, with m by
    leave-one-out. For a training row this is computed without the row itself, so that a
    column of distinct symbols adds nothing. A symbol that is missing, or that no
    training row has, becomes the mean of y, or the centre of the indicators.

    A line with a ridge in more than 120 columns is solved in its dual form where the
    window has fewer rows than columns: it has one unknown for each row [2]_.

    If a window has too few rows, or rows that do not span all directions, the
    coefficients of least norm are taken. A window in which no row has any weight is
    replaced by the nearest rows, as many as the polynomial has terms and all as far as
    the last of them, with equal weights. With kernel="gaussian" weights only vanish by
    underflow, which is an error.

    References
    ----------
    .. [1] S. Kpotufe, A. Boularias, T. Schultz and K. Kim (2016), Gradients weights
       improve regression and classification, JMLR 17.

    .. [2] C. Saunders, A. Gammerman and V. Vovk (1998), Ridge regression learning
       algorithm in dual variables, ICML.

    W. S. Cleveland and S. J. Devlin (1988), Locally weighted regression, JASA 83.

    B. Seifert and T. Gasser (1996), Finite-sample variance of local polynomials:
    analysis and solutions, JASA 91.

    C. M. Hurvich, J. S. Simonoff and C.-L. Tsai (1998), Smoothing parameter selection
    in nonparametric regression using an improved Akaike information criterion, JRSS B.

    Examples
    --------
    If all rows lie on a line, the predictions do too, whatever the weights:

    >>> from sklearn_bayeslazy.local_regression import LocallyWeightedRegressor
    >>> X, y = [[0.0], [1.0], [2.0], [4.0]], [1.0, 3.0, 5.0, 9.0]
    >>> model = LocallyWeightedRegressor(1, n_neighbors=3, scale=None, ridge=0.0)
    >>> model.fit(X, y).predict([[3.0], [5.0]]).round(12)  # 1 + 2 x
    array([ 7., 11.])
    >>> model.gradient([[3.0]]).round(12)
    array([[2.]])
    """

    _parameter_constraints = {
        "degree": [Interval(Integral, 0, 2, closed="both"), StrOptions({"loo"})],
        "n_neighbors": [
            Interval(Integral, 1, None, closed="left"),
            Interval(RealNotInt, 0, None, closed="neither"),
            StrOptions({"loo"}),
            None,
        ],
        "bandwidth": [
            Interval(Real, 0, None, closed="neither"),
            StrOptions({"loo"}),
            None,
        ],
        "kernel": [StrOptions(set(KERNELS))],
        "scale": [
            StrOptions({"loo", *SCALES}),
            "array-like",
            None,
        ],
        "ridge": [Interval(Real, 0, None, closed="left"), StrOptions({"loo"})],
        "robust_iterations": [Interval(Integral, 0, None, closed="left")],
        "algorithm": [
            StrOptions({"auto", "brute", "kd_tree"}),
            HasMethods(["fit", "kneighbors"]),
        ],
        "statistics": [StrOptions({"auto", "exact", "approximate"}), None],
        "loo_candidates": [dict, None],
        "loo_max_samples": [Interval(Integral, 1, None, closed="left"), None],
        "random_state": ["random_state"],
        "n_jobs": [Integral, None],
    }

    def __init__(
        self,
        degree: str | int = "loo",
        *,
        n_neighbors: str | float | None = "loo",
        bandwidth=None,
        kernel="tricube",
        scale: ArrayLike | None = "loo",
        ridge: str | float = "loo",
        robust_iterations=0,
        algorithm: object = "auto",
        statistics: str | None = "auto",
        loo_candidates=None,
        loo_max_samples=10_000,
        random_state=None,
        n_jobs=None,
    ):
        self.degree = degree
        self.n_neighbors = n_neighbors
        self.bandwidth = bandwidth
        self.kernel = kernel
        self.scale = scale
        self.ridge = ridge
        self.robust_iterations = robust_iterations
        self.algorithm = algorithm
        self.statistics = statistics
        self.loo_candidates = loo_candidates
        self.loo_max_samples = loo_max_samples
        self.random_state = random_state
        self.n_jobs = n_jobs

    @fit_context(prefer_skip_nested_validation=True)
    def fit(self, X, y, sample_weight=None):
        """Store the rows, choose the "loo" parameters, and estimate the noise.

        Parameters
        ----------
        X : {array-like, dataframe} of shape (n_samples, n_features)
            Training rows: numbers, strings, categories, booleans and missing cells.
        y : array-like of shape (n_samples,) or (n_samples, n_outputs)
            Targets.
        sample_weight : array-like of shape (n_samples,), default=None
            Weights ≥ 0; an integer weight equals repetition, but for copies of
            rows of symbols (:ref:`weights-and-copies`). Where `n_neighbors` and `ridge`
            are "loo", weights whose median is below 1 are divided by it.

        Returns
        -------
        self : LocallyWeightedRegressor

        Raises
        ------
        ValueError
            If a parameter or the data cannot be used. An earlier fit remains usable.
        """
        with all_or_nothing(self):
            refuse_combinations(self, sample_weight)
            require_targets(self, y)
            X = check_table(self, X, reset=True)
            y = check_numeric_targets(y)
            check_consistent_length(X, y)
            self._is_single_output = y.ndim == 1
            self.n_samples_fit_ = X.shape[0]
            rows, weight = kept_rows(sample_weight, X.shape[0])
            self._kept = rows
            if rows is not None:
                X, y = take_rows(X, rows), y[rows]
            weight = weight / self._weight_unit(weight)
            self._fit_rows(read_table(X), y.reshape(len(y), -1), weight)
        return self

    def _weight_unit(self, weight):
        """Return the divisor of weights that are too small for whole windows."""
        # The total weight of a window is a whole number, so that one row of weight
        # 1/n has no small windows. What the user gives is in units of the weights.
        has_units = {"n_neighbors", "ridge"} & set(self.loo_candidates or ())
        is_chosen = is_loo(self.n_neighbors) and (self.ridge == 0 or is_loo(self.ridge))
        return min(row_weight(weight), 1.0) if is_chosen and not has_units else 1.0

    def predict(self, X, return_std=False) -> Any:
        """Return predictions, and optionally their standard errors.

        Parameters
        ----------
        X : {array-like, dataframe} of shape (n_samples, n_features), or None
            Queries. None: the training rows of weight above 0, each from all others
            without its copies (:ref:`weights-and-copies`). That equals a fit without
            the row, given the chosen parameters and what the scales and encodings have
            learnt from the whole table; symbols are encoded without the row.
        return_std : bool, default=False
            Whether to return standard errors too; not for None.

        Returns
        -------
        predictions : ndarray of shape (n_samples,) or (n_samples, n_outputs)
        std : ndarray of the same shape
            Standard errors of the predictions, without the noise of a new observation;
            only with `return_std`.
        """
        if X is None:
            if return_std:
                raise ValueError(
                    "X=None predicts each training row from the others, which has no "
                    "standard errors: give X, or return_std=False."
                )
            solver, of_row = self._left_out_solver()
            rows = np.arange(len(solver.targets))
            predictions = self._left_out_predictions(solver, rows)
            return self._squeeze_output(predictions[of_row])
        fits = self._solve_at(X, hat_statistics=return_std)
        predictions = self._squeeze_output(fits.predictions)
        if not return_std:
            return predictions
        std = self._standard_errors(fits.hat_statistics[:, 1])
        return predictions, self._squeeze_output(std)

    def prediction_interval(
        self, X, coverage=0.9, method="jackknife", *, bounds=None
    ) -> Any:
        """Return bounds that hold a new observation with a given probability.

        By default nothing is assumed of the noise but that new rows are like the
        training rows: the bounds are those between which the errors of left-out rows
        lie, each relative to the errors of similar rows; see
        :meth:`ShepardKNNRegressor.prediction_interval`.

        Parameters
        ----------
        X : {array-like, dataframe} of shape (n_samples, n_features)
            Queries.
        coverage : float, default=0.9
            Probability that an observation lies within the bounds, between 0 and 1.
        method : {"jackknife", "jackknife+", "normal"}, default="jackknife"
            "jackknife+": each score is added to the prediction without its row, see
            :meth:`ShepardKNNRegressor.prediction_interval`. "normal": the noise is
            assumed to be normal with the same variance everywhere, and the bias of the
            local polynomial to be small compared with it. These are the bounds of
            loess, by the residual scale, the standard error and Student's t.
        bounds : (float, float), default=None
            The smallest and the largest number that the target can be, such as (0,
            np.inf).

        Returns
        -------
        lower, upper : ndarrays of shape (n_samples,) or (n_samples, n_outputs)
            Infinite if there are too few rows for the coverage.
        """
        if method not in ("jackknife", "jackknife+", "normal"):
            raise ValueError(
                f"method must be 'jackknife', 'jackknife+' or 'normal', got {method!r}."
            )
        if method != "normal":
            return super().prediction_interval(X, coverage, method, bounds=bounds)
        check_coverage(coverage)
        fits = self._solve_at(X, hat_statistics=True)
        errors = self._standard_errors(1 + fits.hat_statistics[:, 1])
        half_width = stats.t.ppf((1 + coverage) / 2, self.residual_dof_) * errors
        found = fits.predictions + np.stack([-half_width, half_width])
        found = within_bounds(found, bounds)
        return tuple(self._squeeze_output(side) for side in found)

    def gradient(self, X):
        """Return the slopes of the local polynomials at the queries.

        Parameters
        ----------
        X : {array-like, dataframe} of shape (n_samples, n_features)
            Queries.

        Returns
        -------
        ndarray of shape (n_samples, n_features) or (n_samples, n_features, n_outputs)
            Target units per unit of each column; 0 for degree 0, NaN for columns of
            symbols. (The slope of the polynomial is a smoother estimate than the
            derivative of the predictions, which also change with the weights. Where
            numbers are replaced by normal scores, it is multiplied by their slope
            between half a standard deviation above and below.)
        """
        table = self._read_queries(X)
        queries = self._encode_queries(table)
        n_coef = 1 + queries.shape[1]
        fits = self._model.predict(queries, self._map_rows, n_coef=n_coef)
        slopes = self._slopes_of_columns(fits.coef[:, 1:], self._columns.slopes(table))
        return slopes[..., 0] if self._is_single_output else slopes

    def explain(self, X):
        """Return what each column adds to the predictions.

        The base is the value f(x̄) of the local polynomial at the weighted mean x̄ of
        the rows around a query x, for degrees 0 and 1 the weighted mean of their
        targets. The contribution of a column is x_j - x̄_j times the slope along it in
        the middle between x̄ and x: for polynomials of degree 2 this is exact.

        Parameters
        ----------
        X : {array-like, dataframe} of shape (n_samples, n_features)
            Queries.

        Returns
        -------
        Explanation
            In units of the target; it sums to :meth:`predict`. With a ridge, the part
            "(bound)" is how far the prediction was moved towards the targets around
            it, see Notes.
        """
        queries = self._queries(X)
        base, terms = midpoint_terms(
            self._model,
            queries,
            self._columns.column_of,
            self.n_features_in_,
            self._map_rows,
        )
        names = names_of_columns(self)
        base, terms = np.ldexp(base, self._exponent), np.ldexp(terms, self._exponent)
        return explain_columns(X, names, base, terms)

    def _queries(self, X):
        """Return new rows, checked, encoded and scaled."""
        return self._encode_queries(self._read_queries(X))

    def _read_queries(self, X):
        """Return the table of new rows, checked."""
        check_is_fitted(self)
        return read_table(check_table(self, X, reset=False))

    def _encode_queries(self, table):
        """Return new rows, encoded and scaled."""
        queries = self._metric.transform(self._columns.transform(table), query=True)
        if not np.isfinite(queries).all():
            raise ValueError("Queries overflow once divided by scale_.")
        return queries

    def _left_out_predictions(self, solver, rows):
        """Return the predictions of some of the rows of a solver, each left out."""
        if self.robust_iterations:
            raise ValueError(
                "X=None predicts each training row from the others, which has no exact "
                "answer for robust_iterations > 0: give X, or robust_iterations=0."
            )
        check_others_remain(len(solver.targets))
        predictions = self._left_out_fits(solver).predictions(rows)
        if np.isnan(predictions).any():
            raise ValueError(
                "All weights underflow for some row that is left out: give a larger "
                "bandwidth, or n_neighbors too."
            )
        return restore_targets(predictions, self._exponent)

    def _left_out_fits(self, solver):
        """Return what leaves out rows of a solver, under the chosen parameters."""
        parameters = {name: getattr(self, f"{name}_") for name in LOO_PARAMETERS}
        kernel = self._model.settings.kernel
        return LeftOutFits(solver, kernel, parameters, self._map_rows)

    def _left_out_numbers(self):
        solver, _ = self._left_out_solver()
        n_rows, seed = len(solver.targets), self.random_state or 0
        rows = rows_to_leave_out(n_rows, self.loo_max_samples, seed)
        return LeftOutNumbers(
            rows,
            self._left_out_predictions(solver, rows),
            restore_targets(solver.targets[rows], self._exponent),
            solver.finder.sample_weight,
            solver.finder.search,
            solver.finder.rows,
            self._inflation,
        )

    def _predictor_without(self, rows):
        solver, _ = self._left_out_solver()
        size = solver.finder.size(self.n_neighbors_, self.bandwidth_)
        model = LocalRegression(solver, size, self._model.settings)
        fits = self._left_out_fits(solver)
        is_span = isinstance(self.n_neighbors_, float)  # of fewer rows it is shorter

        def predict(queries):
            fitted = model.predict(queries, self._map_rows).predictions
            found = np.repeat(fitted[:, None], len(rows), axis=1)
            changes = np.ones(found.shape[:2], dtype=bool)
            if not is_span:
                changes = model.reads(queries, self._map_rows)[:, rows]
            q, position = np.nonzero(changes)
            found[q, position] = fits.predictions(rows[position], queries[q])
            return restore_targets(found, self._exponent)

        return predict

    def _left_out_solver(self):
        """Return the solver of distinct rows, and the index of each row among them."""
        check_is_fitted(self)
        return self._without_copies or (self._model.solver, slice(None))

    def _predictions_and_queries(self, X):
        queries = self._queries(X)
        fits = self._model.predict(queries, self._map_rows)
        return restore_targets(fits.predictions, self._exponent), queries

    def _fit_rows(self, table, y, sample_weight):
        """Build the local regression on the rows, with its parameters chosen."""
        targets, self._exponent = rescale_targets(y, sample_weight.sum())
        # Copies are left out together, so that one row stands for them where rows are.
        merged = None
        if isinstance(self.algorithm, str):
            merged = merge_copies(table, targets, sample_weight)
        some_targets, weight = targets, sample_weight
        if merged is not None:
            table, weight = table.take(merged.rows), merged.weight
            some_targets = targets[merged.rows]
        standardized = standardize(some_targets, weight)[0]
        encode = lru_cache(1)(partial(_encode_rows, table, standardized, weight))
        self._n_rows = table.n_rows
        solver = self._choose_parameters(table, encode, some_targets, weight)
        self._columns, X = encode(self.numbers_)
        # Where leave-one-out chooses, a distinct row is one observation on average.
        one_row = sample_weight.sum() / len(X) if self._tuned() else 1.0
        self._without_copies = None
        if merged is not None:
            self._without_copies = solver, merged.of_row
            X, self._n_rows = X[merged.of_row], len(merged.of_row)
            solver = scaled_solver(X, targets, sample_weight, self, self.scale_)[1]
        size = solver.finder.size(self.n_neighbors_, self.bandwidth_)
        polynomial = int(self.degree_), float(self.ridge_)
        settings = LocalFitSettings(self.kernel, (polynomial,))
        self._model = LocalRegression(solver, size, settings, one_row)
        if self.robust_iterations:
            self._model.set_robustness_weights(self.robust_iterations, self._map_rows)
        for name in _STATISTICS:
            vars(self).pop(name, None)
        self._rescaled_residual_scale = self._traces = None
        if self.statistics is not None:
            self._set_statistics()

    def _choose_parameters(self, table, encode, targets, sample_weight):
        """Set scales and parameters, "loo" ones by leave-one-out; return a solver."""
        # encode(numbers) returns the TableEmbedding and the encoded rows (n,
        # n_encoded); targets: (n, V). The LocalSolver is that of the scales.
        parameters = {name: getattr(self, name) for name in LOO_PARAMETERS}
        vars(self).pop("loo_results_", None)
        tuned = tuned_names(parameters)
        is_scale_tuned = is_loo(self.scale)
        if tuned or is_scale_tuned:
            check_rows_remain(table.n_rows, self._tuned())
        choice = ParameterChoice(
            tuned,
            parameters,
            self.loo_candidates,
            self.kernel,
            self._rows_to_leave_out,
            self._map_rows,
        )

        def scaled_rows(numbers, scale=None):
            """Return divisors, by default the first, the metric, and a solver."""
            columns, X = encode(numbers)
            if scale is None:
                scale = self._first_scale(columns, X, sample_weight)
            return scale, *scaled_solver(X, targets, sample_weight, self, scale)

        encodings = self._encodings(table)
        numbers, scale = encodings[0], None
        if is_scale_tuned:
            numbers, scale = choice.best_scale(scaled_rows, encodings)
        self.numbers_ = numbers
        self.scale_, self._metric, solver = scaled_rows(numbers, scale)
        self._inflation = 1.0
        if tuned:
            best, results = choice.best_parameters(solver)
            parameters.update(best)
            rescale_squares(results, self._exponent)
            self.loo_results_, self._inflation = results, choice.inflation
        for name, value in parameters.items():
            setattr(self, f"{name}_", value)
        return solver

    def _tuned(self):
        """Return the names of the parameters that leave-one-out chooses."""
        names = (*LOO_PARAMETERS, "scale")
        return [name for name in names if is_loo(getattr(self, name))]

    def _encodings(self, table):
        """Return how `TableEmbedding` may encode numbers, the usual way first."""
        if is_loo(self.scale) and some_column_has_three_numbers(table):
            return ["given", "normal_scores"]
        is_given = isinstance(self.scale, str) and self.scale == "normal_scores"
        return ["normal_scores" if is_given else "given"]

    def _first_scale(self, columns, X, sample_weight):
        """Return the divisors of the encoded columns, without gradient weights."""
        scale = self.scale
        if scale is None or isinstance(scale, str):
            by_deviation = scale in ("loo", "normal_scores")
            found = column_scales("std" if by_deviation else scale, X, sample_weight)
            if scale is None:
                return found
            # What hardly tells of the targets must not count as much as the numbers do.
            return np.where(columns.tells_missing, MISSING_SCALE, found)
        given = column_scales(scale, np.empty((0, self.n_features_in_)), sample_weight)
        return np.where(columns.is_number, given[columns.column_of], 1.0)

    def _rows_to_leave_out(self, max_rows=None):
        """Return up to `loo_max_samples` and `max_rows` rows; the same at each fit."""
        bounds = [m for m in (max_rows, self.loo_max_samples) if m is not None]
        seed = 0 if self.random_state is None else self.random_state
        return rows_to_leave_out(self._n_rows, min(bounds, default=None), seed)

    def _set_statistics(self):
        """Set the attributes that describe the residuals, in units of the targets."""
        exact, max_rows = self.statistics == "exact", None
        if self.statistics == "auto":
            n = len(self._model.solver.finder.sample_weight)
            exact, max_rows = n <= MAX_ROWS_FOR_EXACT, MAX_ROWS_FOR_STATISTICS
        sample = self._rows_to_leave_out(max_rows)
        found = self._model.statistics(sample, exact, self._map_rows)
        self._traces, self._rescaled_residual_scale, gcv, aicc = found
        with np.errstate(over="ignore", under="ignore"):
            gcv = np.ldexp(gcv, 2 * self._exponent)
            residual_scale = np.ldexp(self._rescaled_residual_scale, self._exponent)
        aicc = aicc + 2 * self._exponent * np.log(2)
        self.residual_scale_ = self._float_or_array(residual_scale)
        self.gcv_, self.aicc_ = self._float_or_array(gcv), self._float_or_array(aicc)
        self.effective_dof_ = self._traces.trace
        self.equivalent_parameters_ = self._traces.squared_norm
        self.residual_dof_ = self._traces.residual_dof

    def _solve_at(self, X, *, hat_statistics=False):
        """Return the fits at queries, in the units of X and y."""
        queries = self._queries(X)
        if hat_statistics and self._rescaled_residual_scale is None:
            raise ValueError(
                "Standard errors need the residual scale, which statistics=None does "
                "not estimate: fit with statistics='auto'."
            )
        fits = self._model.predict(
            queries, self._map_rows, hat_statistics=hat_statistics
        )
        predictions = restore_targets(fits.predictions, self._exponent)
        return fits._replace(predictions=predictions)

    def _slopes_of_columns(self, slopes, of_encoding):
        """Return slopes in units of y and X, of shape (m, n_features, n_outputs)."""
        # slopes: (m, n_encoded, n_outputs), those of the polynomials; of_encoding: (m,
        # n_encoded), those of encoded numbers.
        columns = self._columns
        per_column = (self._metric.unit / self.scale_)[:, None]
        shape = len(slopes), self.n_features_in_, slopes.shape[2]
        by_column = np.full(shape, np.nan)
        with np.errstate(over="ignore", under="ignore"):
            slopes = slopes * per_column * of_encoding[:, :, None]
            slopes = np.ldexp(slopes, self._exponent)
        by_column[:, columns.column_of[columns.is_number]] = slopes[
            :, columns.is_number
        ]
        return by_column

    def _standard_errors(self, variance_factors):
        rescaled = np.sqrt(variance_factors)[:, None] * self._rescaled_residual_scale
        return np.ldexp(rescaled, self._exponent)

    def _map_rows(self, function, n_rows, bytes_per_row):
        """Call ``function(rows)`` for slices of the rows, over threads."""
        size = min(max(_BYTES_PER_SLICE // bytes_per_row, 1), _QUERIES_PER_SLICE)

        def call_in_blocks(rows):
            for some in slices_of(rows, size):
                function(some)

        n_jobs = self.n_jobs if isinstance(self.algorithm, str) else 1
        map_chunks(
            call_in_blocks,
            n_rows,
            bytes_per_row,
            n_jobs=n_jobs,
            min_rows=MIN_QUERIES_PER_TASK,
        )

    def _squeeze_output(self, values):
        return values[:, 0] if self._is_single_output else values

    def _float_or_array(self, values):
        return float(values[0]) if self._is_single_output else values

    def __sklearn_tags__(self):
        tags = accepting_any_table(super().__sklearn_tags__())
        tags.target_tags.multi_output = True
        return tags


def _encode_rows(table, targets, sample_weight, numbers):
    """Return the encoding of a table, and its rows, each without its target."""
    columns = TableEmbedding(
        table,
        targets,
        sample_weight,
        numbers=numbers,
        missing_apart=True,
        symbols="indicators",
        m="loo",
        max_indicators=MAX_INDICATORS,
    )
    # The target, which a symbol would tell, would be fitted otherwise.
    return columns, columns.training_rows(table, targets, sample_weight)

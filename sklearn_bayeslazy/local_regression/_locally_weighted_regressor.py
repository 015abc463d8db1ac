"""LocallyWeightedRegressor: a polynomial fitted to the rows around each query."""

from numbers import Integral, Real

import numpy as np
from scipy import stats
from sklearn.base import BaseEstimator, RegressorMixin
from sklearn.utils.validation import check_is_fitted, validate_data

from .._compat import HasMethods, Interval, StrOptions, fit_context
from .._estimator import DocLinkMixin, all_or_nothing
from .._leave_one_out import check_rows_remain, rows_to_leave_out
from .._parallel import map_chunks
from .._target_scale import rescale_squares, rescale_targets
from .._weights import kept_rows
from ..neighbors._search import (
    DenseSearch,
    EngineSearch,
    Metric,
    learn_metric,
    refuse_sample_weight,
    wants_tree,
)
from ._fits import (
    LocalFitter,
    LocalRegression,
    Recipe,
    Size,
    WindowFinder,
    candidates_of,
    choose,
)
from ._scales import column_scales
from ._smoothing_kernels import BOUNDLESS, KERNELS

# With statistics="auto" δ2, which takes n³ steps, is computed for so many rows.
EXACT_ROWS = 1000
# What the temporaries of some queries may take, to stay in the cache.
_CACHED_BYTES = 2**20
# So many queries are worth handing to a thread.
_LEAST_ROWS = 64
_TUNED = ("n_neighbors", "bandwidth", "degree", "ridge")
_STATISTICS = (
    "residual_scale_",
    "effective_dof_",
    "equivalent_parameters_",
    "residual_dof_",
    "gcv_",
    "aicc_",
)


class LocallyWeightedRegressor(RegressorMixin, DocLinkMixin, BaseEstimator):
    r"""Local regression (loess) in any number of columns, with standard errors.

    Nothing is fitted but what a query asks for: a constant, linear or quadratic
    polynomial, by least squares over the training rows around the query, each weighted
    by a kernel K of its distance d over a bandwidth h:

    .. math:: \min_\beta \sum_i K(d_i / h)\,
       \bigl(y_i - \beta_0 - \beta_1^T (x_i - x) - \ldots\bigr)^2, \qquad
       \hat f(x) = \beta_0 .

    Answers are exact at every query; nothing is interpolated.

    Parameters
    ----------
    degree : {0, 1, 2} or "loo", default=1
        0: a weighted mean; with kernel="inverse_square" Shepard's method. 1: linear. 2:
        quadratic, with products of columns. "loo": chosen by leave-one-out.

    n_neighbors : int, float, None or "loo", default=30
        The window is that of so many of the nearest rows: h is the distance of the
        last. With sample weights it is a mass. A float is a *span*, the part of all
        rows; above 1 all rows are in it and h is the distance of the last times
        √span, as in loess. None: `bandwidth` says how wide a window is. "loo": chosen
        by leave-one-out.

    bandwidth : float, None or "loo", default=None
        h, in units of the (scaled) columns. With `n_neighbors` too, the larger of the
        two windows counts. "loo": chosen by leave-one-out.

    kernel : str, default="tricube"
        With u = d/h: "tricube" (1 - u³)³, "biweight" (1 - u²)², "epanechnikov" 1 - u²,
        "triangular" 1 - u, "uniform" 1, all of them for u < 1; "gaussian" exp(-u²/2)
        and "inverse_square" 1/d², for all rows or the nearest. "inverse_square" needs
        neither `n_neighbors` nor `bandwidth`.

    scale : {"std", "trimmed", "range"}, array-like or None, default=None
        What each column is divided by before distances are measured: its standard
        deviation, that without the tenth of the rows at either end (as loess does), its
        range, what is given, or nothing.

    ridge : float or "loo", default=0.0
        Adds ridge · ‖β‖² to the weighted squares, β being the slopes and curvatures per
        bandwidth. "loo": chosen by leave-one-out.

    robust_iterations : int, default=0
        How often to fit again with less weight for rows whose residuals are large
        (bisquare; loess's family="symmetric" has 4).

    algorithm : {"auto", "brute", "kd_tree"} or estimator, default="auto"
        What finds the rows of a window; the answers do not depend on it. An estimator
        with ``kneighbors`` is given the scaled rows; its neighbours are measured again.

    statistics : {"auto", "exact", "approximate", None}, default="auto"
        What `fit` finds out for standard errors: the residual scale and its degrees of
        freedom, δ1²/δ2 ("exact": a multiple of n³ steps) or δ1 ("approximate").
        "auto": exact for up to 1000 rows. None: nothing; `fit` then only keeps the
        rows.

    loo_candidates : dict, default=None
        {"n_neighbors": list, "bandwidth": list, "degree": list, "ridge": list}, the
        candidates of what is "loo"; if several are, each with each.

    loo_max_samples : int or None, default=10000
        Above so many rows, a random subset of this size is left out one by one, and
        stands for all in the statistics. None: every row.

    random_state : int, RandomState instance or None, default=None
        Draws the rows of `loo_max_samples`.

    n_jobs : int, default=None
        Number of threads. The answer does not depend on it.

    Attributes
    ----------
    n_neighbors_, bandwidth_, degree_, ridge_
        What was chosen or given.
    scale_ : ndarray of shape (n_features,)
        What each column is divided by.
    loo_results_ : dict
        Only where something is "loo": "params", "mean_squared_error",
        "standard_error_squared_error" and "rank" of the candidates.
    residual_scale_ : float or ndarray of shape (n_outputs,)
        Estimate of the standard deviation of the noise, √(Σ r² / δ1). NaN where no
        degrees of freedom are left.
    effective_dof_ : float
        tr L, L being the matrix that turns targets into answers.
    equivalent_parameters_ : float
        tr LᵀL, loess's "enp".
    residual_dof_ : float
        Degrees of freedom of `residual_scale_`: δ1²/δ2, or δ1.
    gcv_, aicc_ : float or ndarray of shape (n_outputs,)
        Generalised cross-validation, n Σ r² / (n - tr L)², and the corrected Akaike
        criterion, log(Σ r²/n) + 1 + 2 (tr L + 1) / (n - tr L - 2); infinite where the
        fit uses up all degrees of freedom.
    n_features_in_ : int
        Number of columns.
    feature_names_in_ : ndarray of shape (`n_features_in_`,)
        Names of the columns, where X had names that are all strings.

    See Also
    --------
    ShepardKNNRegressor : Weighted means of neighbours, without a slope.
    AxisStretcher : Learns how far each column should be stretched.

    Notes
    -----
    In many columns a window of 30 rows hardly determines a polynomial, and its slopes
    are wild: there a little `ridge`, such as 0.01, or both chosen by leave-one-out, is
    better than the defaults.

    Where a window has too few rows, or rows that do not span all directions, the
    coefficients of least norm are taken. A window in which no row has any weight is
    replaced by the nearest rows, as many as the polynomial has terms, all weighing
    alike; with kernel="gaussian" the weights can only underflow, which is an error.

    References
    ----------
    W. S. Cleveland and S. J. Devlin (1988), Locally weighted regression, JASA 83.

    C. M. Hurvich, J. S. Simonoff and C.-L. Tsai (1998), Smoothing parameter selection
    in nonparametric regression using an improved Akaike information criterion, JRSS B.

    Examples
    --------
    A line through all rows is found whatever the weights:

    >>> from sklearn_bayeslazy.local_regression import LocallyWeightedRegressor
    >>> X, y = [[0.0], [1.0], [2.0], [4.0]], [1.0, 3.0, 5.0, 9.0]
    >>> model = LocallyWeightedRegressor(n_neighbors=3).fit(X, y)
    >>> model.predict([[3.0], [5.0]]).round(12)  # 1 + 2 x
    array([ 7., 11.])
    >>> model.gradient([[3.0]]).round(12)
    array([[2.]])
    """

    _parameter_constraints = {
        "degree": [Interval(Integral, 0, 2, closed="both"), StrOptions({"loo"})],
        "n_neighbors": [
            Interval(Integral, 1, None, closed="left"),
            Interval(Real, 0, None, closed="neither"),
            StrOptions({"loo"}),
            None,
        ],
        "bandwidth": [
            Interval(Real, 0, None, closed="neither"),
            StrOptions({"loo"}),
            None,
        ],
        "kernel": [StrOptions(set(KERNELS))],
        "scale": [StrOptions({"std", "trimmed", "range"}), "array-like", None],
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
        degree=1,
        *,
        n_neighbors=30,
        bandwidth=None,
        kernel="tricube",
        scale=None,
        ridge=0.0,
        robust_iterations=0,
        algorithm="auto",
        statistics="auto",
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
        """Keep the rows, choose what is "loo", and estimate the noise.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Training rows, without missing cells.
        y : array-like of shape (n_samples,) or (n_samples, n_outputs)
            Targets.
        sample_weight : array-like of shape (n_samples,), default=None
            Weights ≥ 0; an integer weight is as good as repetition.

        Returns
        -------
        self : LocallyWeightedRegressor

        Raises
        ------
        ValueError
            Where a parameter or the data cannot be used; a former fit stays usable.
        """
        with all_or_nothing(self):
            self._check_parameters(sample_weight)
            X, y = validate_data(
                self, X, y, dtype=np.float64, multi_output=True, y_numeric=True
            )
            self._one_output = y.ndim == 1
            rows, weight = kept_rows(sample_weight, len(X))
            if rows is not None:
                X, y = X[rows], y[rows]
            self._learn(X, y.reshape(len(y), -1).astype(np.float64), weight.copy())
        return self

    def predict(self, X, return_std=False):
        """Return the local answers, and how uncertain they are.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Queries.
        return_std : bool, default=False
            Whether to return standard errors too.

        Returns
        -------
        answers : ndarray of shape (n_samples,) or (n_samples, n_outputs)
        std : ndarray of the same shape
            Standard errors of the answers, those of new observations not included; only
            with `return_std`.
        """
        fits = self._fit_at(X, variance=return_std)
        answers = self._given_shape(fits.answers)
        if not return_std:
            return answers
        return answers, self._given_shape(self._standard_errors(fits.spreads[:, 1]))

    def prediction_interval(self, X, coverage=0.95):
        """Return bounds between which new observations lie, so often.

        They take the noise for normal and alike everywhere, and what the polynomial
        misses for small beside it.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Queries.
        coverage : float, default=0.95
            The part of observations that the bounds hold, between 0 and 1.

        Returns
        -------
        lower, upper : ndarrays of shape (n_samples,) or (n_samples, n_outputs)
        """
        if not (isinstance(coverage, Real) and 0 < coverage < 1):
            raise ValueError(f"coverage must lie between 0 and 1, got {coverage!r}.")
        fits = self._fit_at(X, variance=True)
        errors = self._standard_errors(1 + fits.spreads[:, 1])
        reach = stats.t.ppf((1 + coverage) / 2, self.residual_dof_) * errors
        lower, upper = fits.answers - reach, fits.answers + reach
        return self._given_shape(lower), self._given_shape(upper)

    def gradient(self, X):
        """Return the slopes of the local polynomials at the queries.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Queries.

        Returns
        -------
        ndarray of shape (n_samples, n_features) or (n_samples, n_features, n_outputs)
            Target units per unit of each column; 0 for degree 0. (The slope of the
            polynomial is a smoother estimate than that of the answers, which also
            change with their weights.)
        """
        slopes = self._fit_at(X, slopes=True).slopes
        return slopes[..., 0] if self._one_output else slopes

    def _learn(self, X, y, weight):
        targets, self._exponent = rescale_targets(y)
        self.scale_ = column_scales(self.scale, X, weight)
        self._metric = learn_metric("euclidean", None, 1 / self.scale_, X, weight)
        rows = self._metric.transform(X)
        if not np.isfinite(rows).all():
            raise ValueError(
                "Rows overflow once divided by scale: give a larger scale."
            )
        finder = WindowFinder(
            self._search_of(rows),
            rows,
            weight,
            self.kernel in BOUNDLESS,
            1 / self._metric.unit,
        )
        fitter = LocalFitter(finder, targets)
        settled = self._settle(fitter)
        for name, value in settled.items():
            setattr(self, f"{name}_", value)
        reach = self.bandwidth_
        reach = None if reach is None else float(reach) * self._metric.unit
        size = Size.of(self.n_neighbors_, reach, weight.sum())
        recipe = Recipe(self.kernel, int(self.degree_), float(self.ridge_))
        self._model = LocalRegression(fitter, size, recipe)
        if self.robust_iterations:
            self._model.make_robust(self.robust_iterations, self._map)
        for name in _STATISTICS:
            vars(self).pop(name, None)
        self._noise = None
        if self.statistics is not None:
            self._keep_statistics()

    def _search_of(self, rows):
        if not isinstance(self.algorithm, str):
            return EngineSearch(self.algorithm, Metric("engine", root=1.0), rows)
        tree = self.algorithm == "kd_tree"
        if self.algorithm == "auto":
            tree = wants_tree(*rows.shape)
        return DenseSearch(self._metric, rows, [np.arange(len(rows))], tree)

    def _settle(self, fitter):
        """Return the parameters, those that are "loo" chosen."""
        settled = {name: getattr(self, name) for name in _TUNED}
        vars(self).pop("loo_results_", None)
        tuned = [name for name, value in settled.items() if value == "loo"]
        if not tuned:
            return settled
        finder = fitter.finder
        check_rows_remain(len(finder.weight), tuned)
        best, results = choose(
            fitter,
            self.kernel,
            settled,
            candidates_of(
                tuned,
                self.loo_candidates,
                finder.rows,
                finder.weight.sum(),
                finder.unit,
            ),
            self.loo_max_samples,
            self.random_state,
            self._map,
        )
        rescale_squares(results, self._exponent)
        self.loo_results_ = results
        return {**settled, **best}

    def _keep_statistics(self):
        n = len(self._model.fitter.finder.weight)
        sample = rows_to_leave_out(n, self.loo_max_samples, self.random_state)
        few = self.statistics == "auto" and n <= EXACT_ROWS
        noise = self._model.noise(sample, self.statistics == "exact" or few, self._map)
        self._noise, hat = noise.scale, noise.hat
        with np.errstate(over="ignore", under="ignore"):
            gcv = np.ldexp(noise.gcv, 2 * self._exponent)
            self.residual_scale_ = self._one_or_all(
                np.ldexp(noise.scale, self._exponent)
            )
        aicc = noise.aicc + 2 * self._exponent * np.log(2)
        self.gcv_, self.aicc_ = self._one_or_all(gcv), self._one_or_all(aicc)
        self.effective_dof_, self.equivalent_parameters_ = hat.trace, hat.square
        self.residual_dof_ = hat.residual_dof

    def _fit_at(self, X, *, variance=False, slopes=False):
        """Return the fits at queries, in the units of the caller."""
        check_is_fitted(self)
        X = validate_data(self, X, dtype=np.float64, reset=False)
        if variance and self._noise is None:
            raise ValueError(
                "statistics=None left the noise unknown: fit with statistics='auto'."
            )
        queries = self._metric.transform(X, query=True)
        if not np.isfinite(queries).all():
            raise ValueError("Queries overflow once divided by scale_.")
        fits = self._model.at(queries, self._map, variance=variance, slopes=slopes)
        fits.answers = np.ldexp(fits.answers, self._exponent)
        if slopes:
            per_column = (self._metric.unit / self.scale_)[:, None]
            with np.errstate(over="ignore", under="ignore"):
                fits.slopes = np.ldexp(fits.slopes * per_column, self._exponent)
        return fits

    def _standard_errors(self, spread):
        return np.ldexp(np.sqrt(spread)[:, None] * self._noise, self._exponent)

    def _map(self, function, n_rows, bytes_per_row):
        """Call ``function(rows)`` for slices of the rows, over threads.

        What a slice needs in temporaries stays in the cache.
        """
        engine = not isinstance(self.algorithm, str)
        piece = max(int(_CACHED_BYTES // bytes_per_row), 1)

        def by_pieces(rows):
            for first in range(rows.start, rows.stop, piece):
                function(slice(first, min(first + piece, rows.stop)))

        n_jobs = 1 if engine else self.n_jobs
        map_chunks(by_pieces, n_rows, 1, n_jobs=n_jobs, smallest=_LEAST_ROWS)

    def _given_shape(self, answers):
        return answers[:, 0] if self._one_output else answers

    def _one_or_all(self, values):
        return float(values[0]) if self._one_output else values

    def _check_parameters(self, sample_weight):
        if (
            self.n_neighbors is None
            and self.bandwidth is None
            and self.kernel != "inverse_square"
        ):
            raise ValueError(
                "n_neighbors=None and bandwidth=None leave the window open: give one."
            )
        tuned = [name for name in _TUNED if getattr(self, name) == "loo"]
        if tuned and self.robust_iterations:
            raise ValueError(
                f"robust_iterations={self.robust_iterations} with {tuned[0]}='loo': a "
                "robust fit has no exact leave-one-out. Choose first, without it."
            )
        if not isinstance(self.algorithm, str):
            self._check_engine(sample_weight)

    def _check_engine(self, sample_weight):
        name = type(self.algorithm).__name__
        refuse_sample_weight(self.algorithm, sample_weight)
        if self.n_neighbors is None or self.bandwidth is not None:
            raise ValueError(
                f"An engine ({name}) finds the nearest rows only: give n_neighbors, "
                "and no bandwidth."
            )

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.target_tags.multi_output = True
        return tags

"""RegressionBandDisplay: a local regression along one column, with its bands."""

from dataclasses import dataclass
from numbers import Integral

import numpy as np
from scipy import stats
from sklearn.utils.validation import check_consistent_length, check_is_fitted

from ..tabular import check_table, import_pandas, is_frame, read_table, take_rows
from . import _curve_artists as artists

KINDS = ("confidence", "prediction", "both")
# The narrow confidence band is darker than the wide prediction interval.
CONFIDENCE_ALPHA, PREDICTION_ALPHA = 0.3, 0.13
# The y axis leaves observations out if their range is larger than that of the curve,
# the bands and the central 96 % of the observations by more than this ratio.
MAX_RATIO_OF_RANGES = 4.0


@dataclass(kw_only=True, repr=False, eq=False)
class RegressionBandDisplay:
    """A local regression along one column, with bands of confidence or prediction.

    At each value of the column, the confidence band covers the true mean with the
    probability `coverage`, and the prediction interval a new observation.

    Create it with :meth:`from_estimator`. All parameters are stored as attributes.

    Parameters
    ----------
    x : ndarray of shape (n_points,)
        Values of the column.
    answer : ndarray of shape (n_points,)
        The predictions for them.
    confidence, prediction : ndarray of shape (2, n_points)
        Lower and upper bounds of the confidence band and of the prediction interval.
    coverage : float
        The coverage of both.
    feature_name : str
        The name of the column.
    target_name : str, default="y"
        The name of the target.
    observations : ndarray of shape (2, n_samples), default=None
        Rows that are drawn as dots: their values in the column, and their targets.

    Attributes
    ----------
    ax_ : matplotlib Axes
        Axes with the curve.
    figure_ : matplotlib Figure
        Figure that holds them.
    line_ : matplotlib Line2D
        The predictions.
    band_ : matplotlib PolyCollection or None
        The confidence band; None if `kind` excludes it, or if no residual degrees of
        freedom are left to estimate it.
    interval_ : matplotlib PolyCollection or None
        The prediction interval, likewise.
    scatter_ : matplotlib PathCollection or None
        The observations; None without any.
    outside_ : matplotlib Text or None
        How many observations lie outside the axes, if some are so extreme that the
        curve would be flat beside them.

    See Also
    --------
    LeaveOneOutDisplay : The scores by which a parameter was chosen.
    sklearn.inspection.PartialDependenceDisplay : Means over the rows, for any
        estimator, instead of predictions at the medians of the other columns.

    Notes
    -----
    The confidence band is prediction ± t · standard error, where t is the quantile for
    `residual_dof_` degrees of freedom. Both bands include the noise but not the bias:
    if the window is too wide for the curve, they are too narrow. They are pointwise:
    the probability that the whole curve lies in the band is smaller.

    The other columns are held at their medians along the curve, those of labels at
    their most frequent one. The observations keep their values in these columns, so
    with several columns they may lie off the curve.

    Examples
    --------
    >>> from sklearn_bayeslazy import LocallyWeightedRegressor, RegressionBandDisplay
    >>> X, y = [[0.0], [1.0], [2.0], [4.0], [5.0]], [1.0, 3.0, 4.0, 9.0, 12.0]
    >>> line = LocallyWeightedRegressor(1, n_neighbors=2.0, scale=None, ridge=0)
    >>> model = line.fit(X, y)
    >>> RegressionBandDisplay.from_estimator(model, X, y)  # doctest: +SKIP
    """

    x: np.ndarray
    answer: np.ndarray
    confidence: np.ndarray
    prediction: np.ndarray
    coverage: float
    feature_name: str
    target_name: str = "y"
    observations: np.ndarray | None = None

    @classmethod
    def from_estimator(
        cls,
        estimator,
        X,
        y=None,
        *,
        feature=0,
        target=None,
        coverage=0.95,
        kind="confidence",
        grid_resolution=200,
        ax=None,
        **plot_kw,
    ):
        """Draw a fitted regressor along one column.

        Parameters
        ----------
        estimator : estimator
            A fitted `LocallyWeightedRegressor`, with `statistics` other than None; for
            ``kind="prediction"`` any with a `prediction_interval`.
        X : array-like or frame of shape (n_samples, n_features)
            Rows, as the estimator takes them. The curve spans their range in the
            column, and the other columns are held at their medians or most frequent
            labels.
        y : array-like of shape (n_samples,) or (n_samples, n_outputs), default=None
            Targets of these rows, which are then drawn as dots.
        feature : int or str, default=0
            The column, by index or by name; it must hold numbers.
        target : int, default=None
            The output to draw, if there are several.
        coverage : float, default=0.95
            The coverage of the bands, between 0 and 1.
        kind : {"confidence", "prediction", "both"}, default="confidence"
            Which bands to draw.
        grid_resolution : int, default=200
            Number of values along the column, at least 2.
        ax : matplotlib Axes, default=None
            Axes to draw on; new ones by default.
        **plot_kw : dict
            Further keywords of :meth:`plot`.

        Returns
        -------
        RegressionBandDisplay

        Raises
        ------
        NotFittedError
            If the estimator is not fitted.
        TypeError
            If it has no prediction intervals.
        ValueError
            If a parameter is invalid, or the estimator did not estimate the noise.
        """
        _check_kind(kind)
        _check_estimator(estimator, kind)
        bands = bands_along(estimator, X, y, feature, target, coverage, grid_resolution)
        return cls(**bands).plot(ax, kind=kind, **plot_kw)

    def frame(self):
        """Return the curve as a pandas frame.

        Returns
        -------
        pandas.DataFrame
            A row for each value of x: "x", "answer", "confidence_lower",
            "confidence_upper", "prediction_lower" and "prediction_upper".
        """
        pd = import_pandas()
        columns = {"x": self.x, "answer": self.answer}
        for name in ("confidence", "prediction"):
            columns[f"{name}_lower"], columns[f"{name}_upper"] = getattr(self, name)
        return pd.DataFrame(columns)

    def plot(
        self,
        ax=None,
        *,
        kind="confidence",
        legend=True,
        line_kw=None,
        band_kw=None,
        interval_kw=None,
        scatter_kw=None,
    ):
        """Draw the curve, its bands and the observations.

        Parameters
        ----------
        ax : matplotlib Axes, default=None
            Axes to draw on; new ones by default.
        kind : {"confidence", "prediction", "both"}, default="confidence"
            Which bands to draw.
        legend : bool, default=True
            Whether to draw a legend.
        line_kw, band_kw, interval_kw, scatter_kw : dict, default=None
            Keywords of :meth:`matplotlib.axes.Axes.plot` for the predictions, of
            :meth:`~matplotlib.axes.Axes.fill_between` for the confidence band and for
            the prediction interval, of :meth:`~matplotlib.axes.Axes.scatter` for the
            observations.

        Returns
        -------
        self : RegressionBandDisplay
        """
        _check_kind(kind)
        ax, line_kw = artists.axes_and_keywords(ax, line_kw or {})
        self.ax_, self.figure_ = ax, ax.figure
        (self.line_,) = ax.plot(self.x, self.answer, **({"label": "fit"} | line_kw))
        self.band_ = self.interval_ = self.scatter_ = self.outside_ = None
        share = f"{100 * self.coverage:.4g} %"
        if kind != "prediction":
            style = {"label": f"{share} confidence band", "alpha": CONFIDENCE_ALPHA}
            self.band_ = self._draw_band(self.confidence, style | (band_kw or {}))
        if kind != "confidence":
            style = {"label": f"{share} prediction interval", "alpha": PREDICTION_ALPHA}
            self.interval_ = self._draw_band(
                self.prediction, style | (interval_kw or {})
            )
        if self.observations is not None:
            style = {"label": "observations", "s": 12, "color": "0.35", "linewidths": 0}
            style |= {"zorder": 1.5} | (scatter_kw or {})  # above bands, below the line
            self.scatter_ = ax.scatter(*self.observations, **style)
            self._leave_out_extremes()
        ax.set_xlabel(self.feature_name, parse_math=False)
        ax.set_ylabel(self.target_name, parse_math=False)
        if legend:
            ax.legend(fontsize="small")
        return self

    def _leave_out_extremes(self):
        """Limit the y axis if few observations would flatten the curve."""
        y = np.asarray(self.observations[1])
        shown = [self.answer, np.percentile(y, [2, 98])]
        if self.band_ is not None:
            shown += [*self.confidence]
        if self.interval_ is not None:
            shown += [*self.prediction]
        self.outside_ = artists.leave_out_extremes(
            self.ax_, y, np.concatenate(shown), MAX_RATIO_OF_RANGES, "observation"
        )

    def _draw_band(self, bounds, style):
        if not np.isfinite(bounds).any():  # no residual degrees of freedom remain
            return None
        style = {"color": self.line_.get_color(), "linewidth": 0} | style
        return self.ax_.fill_between(self.x, *bounds, **style)


def _check_kind(kind):
    if kind not in KINDS:
        raise ValueError(f"kind={kind!r}: pass one of {KINDS}.")


# The predictions and bands of a local regression along one column, not drawn.


def bands_along(estimator, X, y, feature, target, coverage, grid_resolution):
    """Return the parameters of a RegressionBandDisplay, by name."""
    # Arguments and errors are those of `RegressionBandDisplay.from_estimator`.
    if not isinstance(grid_resolution, Integral) or grid_resolution < 2:
        raise ValueError(f"grid_resolution={grid_resolution!r}: pass an integer ≥ 2.")
    X = check_table(estimator, X, reset=False)
    table, (index, name) = read_table(X), _find_column(estimator, feature)
    if table.labels(index) is not None or np.isnan(table.column(index)).all():
        raise ValueError(
            f"feature={feature!r} is a column without numbers, along which there is no "
            "curve: pass another one."
        )
    column = np.asarray(table.column(index), dtype=np.float64)
    grid = np.linspace(np.nanmin(column), np.nanmax(column), grid_resolution)
    queries = _typical_rows(X, table, index, grid)
    predicted, *bounds = bands_at(estimator, queries, coverage)
    if predicted.ndim == 1:
        predicted, bounds = predicted[:, None], [band[..., None] for band in bounds]
    n_outputs = predicted.shape[1]
    target = _check_target(target, n_outputs)
    confidence, prediction = (band[..., target] for band in bounds)
    return {
        "x": grid,
        "answer": predicted[:, target],
        "confidence": confidence,
        "prediction": prediction,
        "coverage": coverage,
        "feature_name": name,
        "target_name": _name_of_target(y, target, n_outputs),
        "observations": _observations(column, y, target, n_outputs),
    }


def bands_at(estimator, X, coverage=0.95):
    """Return predictions, their confidence bands, and prediction intervals.

    >>> from sklearn_bayeslazy import LocallyWeightedRegressor
    >>> mean = LocallyWeightedRegressor(
    ...     0, n_neighbors=2.0, kernel="uniform", scale=None, ridge=0.0
    ... )
    >>> predicted, confidence, prediction = bands_at(
    ...     mean.fit([[0.0], [1.0]], [0.0, 2.0]), [[0.5]], coverage=1 / 2
    ... )
    >>> predicted.round(12), confidence.ravel().round(12) + 0
    (array([1.]), array([0., 2.]))
    >>> ((prediction.ravel() - 1) ** 2).round(12)
    array([3., 3.])
    """
    # predicted: (n,) or (n, n_outputs); confidence, prediction: lower and upper bounds,
    # (2, n) or (2, n, n_outputs); confidence is NaN without standard errors.
    #
    # The example: the mean of two rows, 0 and 2, is 1. The noise has s² = 2 with one
    # degree of freedom, whose t-quantile at 3/4 is 1. So the confidence band of the
    # mean is ± √(s²/2) = 1, and the prediction interval ± √(s² + s²/2) = √3.
    if not _has_standard_errors(estimator):
        prediction = np.stack(estimator.prediction_interval(X, coverage))
        return estimator.predict(X), np.full_like(prediction, np.nan), prediction
    prediction = estimator.prediction_interval(X, coverage, method="normal")
    predicted, std = estimator.predict(X, return_std=True)
    half_width = stats.t.ppf((1 + coverage) / 2, estimator.residual_dof_) * std
    confidence = np.stack([predicted - half_width, predicted + half_width])
    return predicted, confidence, np.stack(prediction)


def _has_standard_errors(estimator):
    return hasattr(estimator, "robust_iterations")


def _check_estimator(estimator, kind):
    has_intervals = hasattr(estimator, "prediction_interval")
    is_enough = has_intervals and kind == "prediction"
    if not (is_enough or _has_standard_errors(estimator)):
        other = ', or kind="prediction"' if has_intervals else ""
        raise TypeError(
            f"estimator={type(estimator).__name__} has no standard errors: pass a "
            f"LocallyWeightedRegressor{other}. For a pipeline pass its last step, with "
            "X as transformed by the other steps."
        )
    check_is_fitted(estimator)


def _find_column(estimator, feature):
    """Return the index and the name of a column."""
    n = estimator.n_features_in_
    given = list(getattr(estimator, "feature_names_in_", []))
    names = given or [f"x{i}" for i in range(n)]
    if feature in given:
        return given.index(feature), feature
    if isinstance(feature, Integral) and 0 <= feature < n:
        return int(feature), names[feature]
    by_name = f", or one of {given}" if given else ""
    raise ValueError(
        f"feature={feature!r} is not a column: pass an integer from 0 to {n - 1}"
        f"{by_name}."
    )


def _check_target(target, n_outputs):
    """Return the index of an output; None means the only output."""
    if target is None and n_outputs == 1:
        return 0
    if isinstance(target, Integral) and 0 <= target < n_outputs:
        return int(target)
    raise ValueError(
        f"target={target!r} is not an output of the estimator: pass an integer from 0 "
        f"to {n_outputs - 1}."
    )


def _name_of_target(y, target, n_outputs):
    if n_outputs > 1:
        return f"y[{target}]"
    name = getattr(y, "name", None)  # a series has one
    return "y" if name is None else str(name)


def _typical_rows(X, table, index, grid):
    """Return rows of a grid in one column, with typical cells in the others."""
    # X, table: the checked rows, and the table that was read from them.
    columns = []
    for j in range(table.n_columns):
        labels = table.labels(j)
        if j == index:
            columns.append(grid)
        elif labels is None:
            column = table.column(j)
            known = column[~np.isnan(column)]
            middle = np.median(known) if len(known) else np.nan
            columns.append(np.full(len(grid), middle))
        else:  # the cells of a row that has it
            codes, first, count = np.unique(
                labels.codes, return_index=True, return_counts=True
            )
            most_frequent = np.argmax(count * (codes >= 0))  # missing cells have -1
            rows = take_rows(X, np.full(len(grid), first[most_frequent]))
            cells = rows[X.columns[j]] if is_frame(X) else rows[:, j]
            columns.append(getattr(cells, "array", cells))  # without pandas's index
    if is_frame(X):
        return type(X)(dict(zip(X.columns, columns)))
    dtype = object if X.dtype.kind == "O" else np.float64
    return np.array(columns, dtype=dtype).T


def _observations(column, y, target, n_outputs):
    """Return the coordinates of the observations; None if y is None."""
    if y is None:
        return None
    check_consistent_length(column, y)
    y = np.asarray(y, dtype=np.float64).reshape(len(column), -1)
    if y.shape[1] != n_outputs:
        raise ValueError(
            f"y has {y.shape[1]} outputs, but the estimator was fitted to "
            f"{n_outputs}: pass y as it was passed to fit."
        )
    known = ~np.isnan(column)
    return np.stack([column[known], y[known, target]])

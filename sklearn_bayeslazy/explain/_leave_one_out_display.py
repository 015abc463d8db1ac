"""LeaveOneOutDisplay: the scores by which leave-one-out chose a parameter."""

from dataclasses import dataclass

import numpy as np

from ..tabular import import_pandas, object_array
from . import _curve_artists as artists
from ._candidates import (
    axis_layout,
    check_parameter,
    column_results,
    default_parameter,
    final_step,
    group_by,
    label_of,
    label_of_score,
    other_parameters,
    score_of,
    stored_results,
)

# Several lines are drawn side by side at a category: the distance of two, and the
# largest distance of the first to the last.
OFFSET_PER_LINE, MAX_TOTAL_OFFSET = 0.15, 0.6
# The y axis shows this share of the candidates at least, those of the scores nearest to
# the chosen one. The others are left out if the range of all scores is larger by more
# than the ratio; with fewer candidates none is.
SHARE_SHOWN, MAX_RATIO_OF_RANGES, MIN_CANDIDATES_TO_LEAVE_OUT = 0.75, 10.0, 5


@dataclass(kw_only=True, repr=False, eq=False)
class LeaveOneOutDisplay:
    """The score of each candidate of a parameter that leave-one-out chose.

    An estimator fitted with some parameter set to ``"loo"`` keeps the scores of all
    candidates in ``loo_results_``. The display draws the scores over the candidates,
    with a band of one standard error, and marks the chosen candidate. If several
    parameters were chosen together, there is a line for each combination of the others.

    Create it with :meth:`from_estimator`. All parameters are stored as attributes.

    Parameters
    ----------
    params : list of dict
        The candidates, {parameter: value}.

    mean : ndarray of shape (n_candidates,)
        The mean score of each candidate over the rows left out.

    standard_error : ndarray of shape (n_candidates,)
        The standard errors of the means; NaN where unknown.

    rank : ndarray of shape (n_candidates,)
        1 for the chosen candidate.

    parameter : str
        The parameter along the horizontal axis.

    score : str
        The name of the score, such as "log_loss".

    estimator_name : str, default=None
        The label of the line, if there is only one.

    column : str, default=None
        The column, if the candidates are its distributions.

    Attributes
    ----------
    hue : list of str
        The other parameters that have several candidates; there is a line for each
        combination of their values.
    ax_ : matplotlib Axes
        Axes with the curve.
    figure_ : matplotlib Figure
        Figure of the axes.
    lines_ : list of matplotlib Line2D
        The mean scores of the numeric candidates; on an axis of categories, of all
        candidates.
    line_ : matplotlib Line2D
        The one of `lines_` that has the chosen candidate.
    bands_ : list of matplotlib PolyCollection or None
        The bands of one standard error of each of `lines_`. None where the errors are
        unknown, on an axis of categories, and for all but `line_` if there are more
        than three lines.
    error_bars_ : list of matplotlib ErrorbarContainer or None
        For each of `lines_` the candidates that have no band: None, infinity,
        categories. None if there are none.
    chosen_ : matplotlib Line2D or None
        The marker of the chosen candidate; None if its score is not finite.
    annotation_ : matplotlib Annotation or None
        The text that names the chosen candidate and its score.
    outside_ : matplotlib Text or None
        How many candidates lie outside the axes. A few are left out if their scores
        would flatten the curve of the others.

    See Also
    --------
    sklearn.model_selection.ValidationCurveDisplay : The same for any estimator, by
        cross-validation, which refits it.

    Notes
    -----
    All candidates are scored on the same rows, so the difference of two scores has a
    smaller standard error than each score. Overlapping bands do not imply that two
    candidates are equally good.

    The chosen candidate is the choice of the estimator, which need not be the best by
    another `score`.

    Positive candidates that span two decades have a logarithmic axis. Candidates that
    are not numbers have separate ticks, to the right of the numbers. The label of
    ``n_neighbors=None``, all training rows, is "all". Infinite scores are marked by
    triangles at the edge of the axes.

    Examples
    --------
    >>> from sklearn_bayeslazy import LeaveOneOutDisplay, MEstimateNB
    >>> from sklearn_bayeslazy.datasets import load_play_tennis
    >>> model = MEstimateNB(feature_weights=None)
    >>> model = model.fit(*load_play_tennis(return_X_y=True))
    >>> LeaveOneOutDisplay.from_estimator(model)  # doctest: +SKIP
    """

    params: list[dict]
    mean: np.ndarray
    standard_error: np.ndarray
    rank: np.ndarray
    parameter: str
    score: str
    estimator_name: str | None = None
    column: str | None = None

    @classmethod
    def from_estimator(
        cls,
        estimator,
        *,
        parameter=None,
        score=None,
        column=None,
        ax=None,
        annotate=True,
        band_kw=None,
        **line_kw,
    ):
        """Draw the scores of a fitted estimator.

        Parameters
        ----------
        estimator : estimator instance
            Fitted with some parameter set to "loo". For a pipeline its last step is
            used.

        parameter : str, default=None
            The parameter along the horizontal axis. By default the one with the most
            distinct candidates.

        score : str, default=None
            The score to draw, "log_loss", "accuracy" or "squared_error". By default
            `loo_scoring`, which decided the choice; the first stored score if the
            estimator has no `loo_scoring`.

        column : int or str, default=None
            The column, by index or by name, whose candidate distributions are drawn,
            for ``MEstimateNB(distribution="loo")``.

        ax : matplotlib Axes, default=None
            Axes to draw on; new ones by default.

        annotate : bool, default=True
            Whether to write the chosen candidate and its score beside its marker.

        band_kw : dict, default=None
            Keywords of :meth:`matplotlib.axes.Axes.fill_between` for the bands.

        **line_kw : dict
            Keywords of :meth:`matplotlib.axes.Axes.plot` for the lines.

        Returns
        -------
        LeaveOneOutDisplay

        Raises
        ------
        NotFittedError
            If the estimator is not fitted.
        ValueError
            If no parameter was chosen by leave-one-out, or not this parameter, score
            or column.
        """
        estimator = final_step(estimator)
        if column is None:
            results = stored_results(estimator)
        else:
            results, column = column_results(estimator, column)
        params = results["params"]
        if parameter is None:
            parameter = default_parameter(params)
        check_parameter(parameter, estimator, params)
        score = score_of(estimator, results, score)
        mean = np.asarray(results[f"mean_{score}"], dtype=float)
        unknown = np.full(len(mean), np.nan)
        error = results.get(f"standard_error_{score}", unknown)
        display = cls(
            params=params,
            mean=mean,
            standard_error=np.asarray(error, dtype=float),
            rank=np.asarray(results["rank"]),
            parameter=parameter,
            score=score,
            estimator_name=type(estimator).__name__,
            column=column,
        )
        return display.plot(ax, annotate=annotate, band_kw=band_kw, **line_kw)

    @property
    def hue(self):
        """The other parameters that have several candidates."""
        return other_parameters(self.params, self.parameter)

    def frame(self):
        """Return the scores as a pandas frame.

        Returns
        -------
        pandas.DataFrame
            A row for each candidate: the parameters, "mean", "standard_error" and
            "rank".
        """
        pd = import_pandas()
        columns = {
            name: _as_series([candidate[name] for candidate in self.params], pd)
            for name in self.params[0]
        }
        scores = {"mean": self.mean, "standard_error": self.standard_error}
        return pd.DataFrame({**columns, **scores, "rank": self.rank})

    def plot(self, ax=None, *, annotate=True, band_kw=None, **line_kw):
        """Draw the scores.

        Parameters
        ----------
        ax : matplotlib Axes, default=None
            Axes to draw on; new ones by default.

        annotate : bool, default=True
            Whether to write the chosen candidate and its score beside its marker.

        band_kw : dict, default=None
            Keywords of :meth:`matplotlib.axes.Axes.fill_between` for the bands.

        **line_kw : dict
            Keywords of :meth:`matplotlib.axes.Axes.plot` for the lines.

        Returns
        -------
        self : LeaveOneOutDisplay
        """
        has_new_figure = ax is None
        ax, line_kw = artists.axes_and_keywords(ax, line_kw)
        layout = axis_layout([p[self.parameter] for p in self.params], self.parameter)
        artists.set_up_axis(ax, layout)
        self.ax_, self.figure_ = ax, ax.figure
        self._draw_lines(layout, line_kw, band_kw or {})
        of_column = "" if self.column is None else f" of {self.column}"
        ax.set_xlabel(f"{self.parameter}{of_column}", parse_math=False)
        ax.set_ylabel(self._score_label())
        if self.hue and "label" not in line_kw:
            artists.draw_legend(ax, self.lines_, self.line_, self.hue, has_new_figure)
        self.annotation_ = None
        if annotate and self.chosen_ is not None:
            self.annotation_ = self._annotate()
        self.outside_ = self._leave_out_extremes()
        return self

    def _leave_out_extremes(self):
        """Limit the y axis if few bad candidates would flatten the curve."""
        is_finite = np.isfinite(self.mean)
        mean, error = self.mean[is_finite], self.standard_error[is_finite]
        if self.chosen_ is None or len(mean) < MIN_CANDIDATES_TO_LEAVE_OUT:
            return None
        distance = np.abs(mean - self.mean[self._chosen()])
        near = distance <= np.quantile(distance, SHARE_SHOWN)
        error = np.where(np.isfinite(error), error, 0.0)[near]
        kept = np.concatenate([mean[near] - error, mean[near] + error])
        return artists.leave_out_extremes(
            self.ax_, mean, kept, MAX_RATIO_OF_RANGES, "candidate"
        )

    def _draw_lines(self, layout, line_kw, band_kw):
        """Draw a line for each combination of the other parameters."""
        self.lines_, self.bands_, self.error_bars_ = [], [], []
        chosen = self._chosen()
        groups = group_by(self.params, self.hue)
        styles = artists.line_styles([values for values, _ in groups])
        offsets = np.zeros(len(groups))
        if layout.scale == "category":
            width = min(OFFSET_PER_LINE * (len(groups) - 1), MAX_TOTAL_OFFSET)
            offsets = np.linspace(-width / 2, width / 2, len(groups))
        for (values, rows), style, offset in zip(groups, styles, offsets):
            rows = rows[np.argsort(layout.x[rows], kind="stable")]
            has_many = len(groups) > artists.MAX_LINES_WITH_BANDS
            thin = has_many and layout.scale != "category" and chosen not in rows
            points = artists.Points(
                x=layout.x[rows] + offset,
                mean=self.mean[rows],
                error=np.where(thin, np.nan, self.standard_error[rows]),
                on_scale=layout.on_scale[rows],
                at_end=layout.at_end[rows],
            )
            style = style | {"label": self._line_label(values)}
            line = artists.draw_line(self.ax_, points, style, line_kw, thin)
            self.lines_.append(line)
            self.bands_.append(artists.draw_band(self.ax_, points, line, band_kw))
            self.error_bars_.append(artists.draw_error_bars(self.ax_, points, line))
            if chosen in rows:
                x = layout.x[chosen] + offset
                self.line_ = line
                self.chosen_ = artists.draw_chosen(self.ax_, x, self.mean[chosen], line)

    def _annotate(self):
        """Write the chosen candidate and its score above or below the curve."""
        chosen = self._chosen()
        mean, error = self.mean[chosen], self.standard_error[chosen]
        # The best accuracy is a maximum, the best loss a minimum.
        above = mean >= np.median(self.mean[np.isfinite(self.mean)])
        known_error = error if np.isfinite(error) else 0.0
        edge = mean + known_error if above else mean - known_error
        # The legend marks the line of the others; more than three would not fit.
        names = [self.parameter, *(self.hue if len(self.hue) <= 2 else [])]
        values = [f"{one} = {label_of(self.params[chosen][one], one)}" for one in names]
        text = f"{', '.join(values)}\n{label_of_score(mean, error)}"
        return artists.annotate(
            self.ax_, text, self.chosen_.get_xdata()[0], edge, above
        )

    def _chosen(self):
        return int(np.argmin(self.rank))

    def _line_label(self, values):
        if not self.hue:
            return self.estimator_name
        return ", ".join(map(label_of, values, self.hue))

    def _score_label(self):
        name = f"{self.score.replace('_', ' ')}, left out"
        known = np.isfinite(self.standard_error).any()
        return f"{name} (± standard error)" if known else name


def _as_series(values, pd):
    """Return a series of candidates, in which None stays None, with arrays as cells."""
    series = pd.Series(object_array(values))
    return series if any(value is None for value in values) else series.infer_objects()

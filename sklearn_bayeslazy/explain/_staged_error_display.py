"""StagedErrorDisplay: the error of a boosted ensemble after each round."""

import numpy as np
from sklearn.metrics import zero_one_loss

from ..tabular import import_pandas
from . import _curve_artists as artists

_BOUND = "bound on training rows"


class StagedErrorDisplay:
    """The error of a boosted ensemble after each round, and its bound.

    Create it with :meth:`from_estimator`. All parameters are stored as attributes.

    Parameters
    ----------
    errors : ndarray of shape (n_rounds,)
        The share of the rows that are misclassified after each round.
    bounds : ndarray of shape (n_rounds,), default=None
        Upper bounds of the error on the training rows; NaN where unknown.
    name : str, default=None
        The name of the line in the legend.

    Attributes
    ----------
    ax_ : matplotlib Axes
        Axes with the line.
    figure_ : matplotlib Figure
        Figure that holds them.
    line_ : matplotlib Line2D
        The errors.
    bound_ : matplotlib Line2D or None
        The bounds that are known and at most 1; None if there are none.

    See Also
    --------
    MarginDisplay : The margins of the rows, of which negative ones are errors.

    Examples
    --------
    Training rows and new ones in the same axes:

    >>> from sklearn.datasets import load_breast_cancer
    >>> from sklearn_bayeslazy import MyAdaBoost, StagedErrorDisplay
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> model = MyAdaBoost().fit(X[::2], y[::2])
    >>> draw = StagedErrorDisplay.from_estimator
    >>> display = draw(model, X[::2], y[::2], name="training")  # doctest: +SKIP
    >>> draw(model, X[1::2], y[1::2], name="new", ax=display.ax_)  # doctest: +SKIP
    """

    def __init__(self, *, errors, bounds=None, name=None):
        self.errors = errors
        self.bounds = bounds
        self.name = name

    @classmethod
    def from_estimator(
        cls,
        estimator,
        X,
        y,
        *,
        sample_weight=None,
        name=None,
        bound=True,
        ax=None,
        bound_kw=None,
        **line_kw,
    ):
        """Compute the errors after each round and draw them.

        Parameters
        ----------
        estimator : MyAdaBoost
            Fitted. Any other estimator with `staged_score` is drawn without a bound.
        X : {array-like, dataframe} of shape (n_samples, n_features)
            Rows whose errors are counted.
        y : array-like of shape (n_samples,)
            The true classes.
        sample_weight : array-like of shape (n_samples,), default=None
            Weights of the rows.
        name : str, default=None
            The name of the line in the legend; by default the name of the class.
        bound : bool, default=True
            Whether the bound of the training error, `error_bounds_`, is drawn.
        ax : matplotlib Axes, default=None
            Axes to draw on; new ones by default.
        bound_kw : dict, default=None
            Keywords of :meth:`matplotlib.axes.Axes.plot` for the bound.
        **line_kw : dict
            Keywords of :meth:`matplotlib.axes.Axes.plot` for the errors.

        Returns
        -------
        StagedErrorDisplay

        Raises
        ------
        NotFittedError
            If the estimator is not fitted.
        TypeError
            If it has no `staged_score`.
        """
        artists.check_has(estimator, "staged_score", "a MyAdaBoost")
        scores = estimator.staged_score(X, y, sample_weight=sample_weight)
        display = cls(
            errors=1.0 - np.array(list(scores)),
            bounds=getattr(estimator, "error_bounds_", None),
            name=type(estimator).__name__ if name is None else name,
        )
        return display.plot(ax, bound=bound, bound_kw=bound_kw, **line_kw)

    @classmethod
    def from_predictions(
        cls, y_true, y_staged, *, sample_weight=None, name=None, ax=None, **line_kw
    ):
        """Compute the errors of staged predictions, of any ensemble, and draw them.

        Parameters
        ----------
        y_true : array-like of shape (n_samples,)
            The true classes.
        y_staged : iterable of array-like of shape (n_samples,)
            The predicted classes after each round, as ``staged_predict`` yields them.
        sample_weight : array-like of shape (n_samples,), default=None
            Weights of the rows in the error.
        name : str, default=None
            The name of the line in the legend.
        ax : matplotlib Axes, default=None
            Axes to draw on; new ones by default.
        **line_kw : dict
            Keywords of :meth:`matplotlib.axes.Axes.plot` for the line.

        Returns
        -------
        StagedErrorDisplay
        """
        errors = [
            zero_one_loss(y_true, predicted, sample_weight=sample_weight)
            for predicted in y_staged
        ]
        if not errors:
            raise ValueError(
                "y_staged has no predictions: pass those of one round or more."
            )
        return cls(errors=np.array(errors), name=name).plot(ax, **line_kw)

    def frame(self):
        """Return the errors as a pandas frame.

        Returns
        -------
        DataFrame
            Indexed by the number of the round, with the columns "error" and, if there
            are bounds, "bound".
        """
        pd = import_pandas()
        columns = {"error": self.errors}
        if self.bounds is not None:
            columns["bound"] = self.bounds
        index = pd.RangeIndex(1, len(self.errors) + 1, name="round")
        return pd.DataFrame(columns, index=index)

    def plot(self, ax=None, *, bound=True, bound_kw=None, **line_kw):
        """Draw the errors.

        Parameters
        ----------
        ax : matplotlib Axes, default=None
            Axes to draw on; new ones by default.
        bound : bool, default=True
            Whether the bound of the training error is drawn. If the axes have the same
            bound already, it is not drawn again.
        bound_kw : dict, default=None
            Keywords of :meth:`matplotlib.axes.Axes.plot` for the bound.
        **line_kw : dict
            Keywords of :meth:`matplotlib.axes.Axes.plot` for the errors.

        Returns
        -------
        self : StagedErrorDisplay
        """
        ax, line_kw = artists.axes_and_keywords(ax, line_kw)
        self.ax_, self.figure_ = ax, ax.figure
        has_markers = len(self.errors) <= artists.MAX_MARKERS
        marker = {"marker": "." if has_markers else "none"}
        rounds = np.arange(1, len(self.errors) + 1)
        style = marker | {"label": self.name} | line_kw
        (self.line_,) = ax.plot(rounds, self.errors, **style)
        self.bound_ = None
        if bound and self.bounds is not None:
            _, bound_kw = artists.axes_and_keywords(ax, bound_kw or {})
            style = marker | {"linestyle": "--", "label": _BOUND}
            style |= {"color": self.line_.get_color()} | bound_kw
            self.bound_ = _draw_bound(ax, rounds, self.bounds, style)
        ax.set_xlabel("rounds")
        ax.set_ylabel("error")
        artists.use_integer_ticks(ax.xaxis)
        artists.draw_plain_legend(ax)
        return self


def _draw_bound(ax, rounds, bounds, style):
    """Return the line of the bounds; draw it unless the axes have it already."""
    bounds = np.asarray(bounds, dtype=float)
    bounds = np.where(bounds <= 1.0, bounds, np.nan)  # an error is never above 1
    if np.isnan(bounds).all():
        return None
    for line in ax.lines:
        is_bound = line.get_label() == style["label"]
        if is_bound and np.array_equal(line.get_ydata(), bounds, equal_nan=True):
            return line
    return ax.plot(rounds, bounds, **style)[0]

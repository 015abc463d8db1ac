"""RecallDisplay: the recall of hashed neighbours against the time of a query."""

import numpy as np

from ..tabular import import_pandas
from . import _curve_artists as artists


class RecallDisplay:
    """The recall of hashed neighbours against the time of a query.

    Each point is a search budget: how many rows are read, and for how many the distance
    is computed. The budget that `fit` has chosen is marked.

    Create it with :meth:`from_estimator`. All parameters are stored as attributes.

    Parameters
    ----------
    recall : ndarray of shape (n_budgets,)
        The share of the true neighbours that is found. The last is that of the budget
        chosen by `fit`.
    seconds : ndarray of shape (n_budgets,)
        The mean time of a query.
    name : str, default=None
        The name of the curve in the legend.

    Attributes
    ----------
    ax_ : matplotlib Axes
        Axes with the curve.
    figure_ : matplotlib Figure
        Figure that holds them.
    line_ : matplotlib Line2D
        The curve of all budgets but the last.
    mark_ : matplotlib Line2D
        The budget that `fit` has chosen.

    See Also
    --------
    LSHNeighbors : Its `recall_curve` is drawn.

    Examples
    --------
    >>> from sklearn.datasets import load_digits
    >>> from sklearn_bayeslazy import LSHNeighbors, RecallDisplay
    >>> X = load_digits().data
    >>> engine = LSHNeighbors(random_state=0).fit(X[:1500])
    >>> RecallDisplay.from_estimator(engine, X[1500:])  # doctest: +SKIP
    """

    def __init__(self, *, recall, seconds, name=None):
        self.recall = recall
        self.seconds = seconds
        self.name = name

    @classmethod
    def from_estimator(cls, estimator, X, *, name=None, ax=None, **plot_kw):
        """Measure recall and time on some queries and draw them.

        Parameters
        ----------
        estimator : LSHNeighbors
            Fitted.
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            Queries; a few thousand give reliable times.
        name : str, default=None
            The name of the curve in the legend; by default the name of the class.
        ax : matplotlib Axes, default=None
            Axes to draw on; new ones by default.
        **plot_kw : dict
            Further keywords of :meth:`plot`.

        Returns
        -------
        RecallDisplay

        Raises
        ------
        NotFittedError
            If the estimator is not fitted.
        TypeError
            If it has no `recall_curve`.
        """
        artists.check_has(estimator, "recall_curve", "an LSHNeighbors")
        curve = estimator.recall_curve(X)
        name = type(estimator).__name__ if name is None else name
        display = cls(recall=curve.recall, seconds=curve.seconds, name=name)
        return display.plot(ax, **plot_kw)

    def frame(self):
        """Return the curve as a pandas frame.

        Returns
        -------
        DataFrame
            A row for each budget, with the columns "recall", "seconds" and "is_chosen".
        """
        pd = import_pandas()
        is_chosen = np.arange(len(self.recall)) == len(self.recall) - 1
        columns = {"recall": self.recall, "seconds": self.seconds}
        return pd.DataFrame({**columns, "is_chosen": is_chosen})

    def plot(self, ax=None, *, line_kw=None, mark_kw=None):
        """Draw the curve.

        Parameters
        ----------
        ax : matplotlib Axes, default=None
            Axes to draw on; new ones by default.
        line_kw, mark_kw : dict, default=None
            Keywords of :meth:`matplotlib.axes.Axes.plot` for the curve and for the
            budget that `fit` has chosen.

        Returns
        -------
        self : RecallDisplay
        """
        ax, line_kw = artists.axes_and_keywords(ax, line_kw or {})
        self.ax_, self.figure_ = ax, ax.figure
        order = np.argsort(self.recall[:-1], kind="stable")
        microseconds = 1e6 * np.asarray(self.seconds)
        style = {"marker": ".", "label": self.name} | line_kw
        (self.line_,) = ax.plot(self.recall[order], microseconds[order], **style)
        style = {"marker": "o", "markersize": 9, "markerfacecolor": "none"}
        style |= {"linestyle": "none", "color": self.line_.get_color()}
        style |= {"label": "chosen by fit"} | (mark_kw or {})
        (self.mark_,) = ax.plot(self.recall[-1:], microseconds[-1:], **style)
        ax.set_xlabel("recall")
        ax.set_ylabel("microseconds a query")
        ax.set_yscale("log")
        ax.legend(fontsize="small")
        return self

"""MarginDisplay: how clearly a boosted committee is right, after some of its rounds."""

from numbers import Integral

import numpy as np
from sklearn.utils.validation import check_is_fitted

from . import _curve_artists as artists

# Lines by default; more are hard to tell apart.
_MOST_LINES = 4


class MarginDisplay:
    """The cumulative distribution of margins after some rounds of boosting.

    The margin of a row is the share of the votes for its class less that of the class
    with most votes among the others: 1 where all agree and are right, below 0 where the
    committee is wrong. A line's height at 0 is thus the error, ties aside.

    Create it with :meth:`from_estimator`. All parameters are stored as attributes.

    Parameters
    ----------
    rounds : array-like of shape (n_lines,)
        After which rounds.
    margins : ndarray of shape (n_lines, n_samples)
        The margins of the rows after each of these.

    Attributes
    ----------
    ax_ : matplotlib Axes
        Axes with the lines.
    figure_ : matplotlib Figure
        Figure that holds them.
    lines_ : list of matplotlib Line2D
        One for each of `rounds`.
    zero_ : matplotlib Line2D
        The vertical line at 0.

    See Also
    --------
    StagedErrorDisplay : The error after each round.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from sklearn_bayeslazy import MarginDisplay, MyAdaBoost
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> model = MyAdaBoost().fit(X, y)
    >>> MarginDisplay.from_estimator(model, X, y, rounds=[5, 50])  # doctest: +SKIP
    """

    def __init__(self, *, rounds, margins):
        self.rounds = rounds
        self.margins = margins

    @classmethod
    def from_estimator(cls, estimator, X, y, *, rounds=None, ax=None, **line_kw):
        """Draw the margins of rows.

        Parameters
        ----------
        estimator : MyAdaBoost
            Fitted.
        X : {array-like, dataframe} of shape (n_samples, n_features)
            Rows to be judged.
        y : array-like of shape (n_samples,)
            Their classes.
        rounds : int or array-like of int, default=None
            After which rounds, each from 1 to the number of rounds. By default four
            from the first to the last, each a multiple of the one before, nearly.
        ax : matplotlib Axes, default=None
            Axes to draw on; new ones by default.
        **line_kw : dict
            Keywords of :meth:`matplotlib.axes.Axes.plot` for the lines.

        Returns
        -------
        MarginDisplay

        Raises
        ------
        NotFittedError
            If the estimator is not fitted.
        TypeError
            If it has no `staged_margins`.
        ValueError
            If there is no such round.
        """
        if not hasattr(estimator, "staged_margins"):
            raise TypeError(
                f"{type(estimator).__name__} has no staged_margins: give a MyAdaBoost."
            )
        check_is_fitted(estimator)
        rounds = _checked_rounds(rounds, len(estimator.estimators_))
        found = {}
        for t, margins in enumerate(estimator.staged_margins(X, y), start=1):
            if t in rounds:
                found[t] = margins
            if t == max(rounds):
                break
        display = cls(rounds=rounds, margins=np.array([found[t] for t in rounds]))
        return display.plot(ax, **line_kw)

    def plot(self, ax=None, **line_kw):
        """Draw the lines.

        Parameters
        ----------
        ax : matplotlib Axes, default=None
            Axes to draw on; new ones by default.
        **line_kw : dict
            Keywords of :meth:`matplotlib.axes.Axes.plot` for the lines.

        Returns
        -------
        self : MarginDisplay
        """
        ax, line_kw = artists.axes_and_keywords(ax, line_kw)
        self.ax_, self.figure_ = ax, ax.figure
        self.zero_ = ax.axvline(0.0, color="0.6", linewidth=0.8, zorder=1)
        n_rows = np.shape(self.margins)[1]
        shares = np.append(np.arange(n_rows + 1) / n_rows, 1.0)
        colours = artists.styles_of([(t,) for t in self.rounds])  # dark to bright
        self.lines_ = []
        for t, margins, colour in zip(self.rounds, self.margins, colours):
            label = f"{t} round{'s' if t > 1 else ''}"
            style = {"drawstyle": "steps-post", "label": label} | colour | line_kw
            steps = np.concatenate([[-1.0], np.sort(margins), [1.0]])
            self.lines_ += ax.plot(steps, shares, **style)
        ax.set_xlim(-1.0, 1.0)
        ax.set_xlabel("margin")
        ax.set_ylabel("share of rows at most")
        artists.plain_legend(ax)
        return self


def _checked_rounds(rounds, n_rounds):
    """Return the rounds that are to be shown, as a list of distinct ints."""
    if rounds is None:
        spread = np.geomspace(1, n_rounds, _MOST_LINES).round().astype(int)
        return np.unique(spread).tolist()
    rounds = np.atleast_1d(np.asarray(rounds, dtype=object)).tolist()
    if not rounds:
        raise ValueError(f"rounds is empty: name some from 1 to {n_rounds}.")
    for t in rounds:
        if not isinstance(t, Integral) or not 1 <= t <= n_rounds:
            raise ValueError(
                f"rounds has {t!r}, but the estimator has {n_rounds} rounds: give "
                f"integers from 1 to {n_rounds}."
            )
    return list(dict.fromkeys(map(int, rounds)))

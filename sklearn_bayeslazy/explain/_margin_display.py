"""MarginDisplay: the margins of a boosted ensemble after some of its rounds."""

from numbers import Integral

import numpy as np

from ..tabular import import_pandas
from . import _curve_artists as artists

# The largest number of lines that are drawn by default.
_MAX_DEFAULT_LINES = 4


class MarginDisplay:
    """The cumulative distribution of margins after some rounds of boosting.

    The margin of a row is the share of the votes for its true class less the largest
    share for another class: 1 if all members are right, below 0 if the ensemble is
    wrong. So the height of a line at 0 is the error, except for ties.

    Create it with :meth:`from_estimator`. All parameters are stored as attributes.

    Parameters
    ----------
    rounds : array-like of shape (n_lines,)
        After how many rounds the margins of each line are taken.
    margins : ndarray of shape (n_lines, n_samples)
        The margins of the rows after each of these numbers of rounds.

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
            Rows whose margins are drawn.
        y : array-like of shape (n_samples,)
            The true classes.
        rounds : int or array-like of int, default=None
            After how many rounds to draw the margins: from 1 to the number of rounds
            fitted. By default up to four from 1 to that number, geometrically spaced.
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
            If a number of rounds is not between 1 and the number fitted.
        """
        artists.check_has(estimator, "staged_margins", "a MyAdaBoost")
        rounds = _checked_rounds(rounds, len(estimator.estimators_))
        margins_after = {}
        for t, margins in enumerate(estimator.staged_margins(X, y), start=1):
            if t in rounds:
                margins_after[t] = margins
            if t == max(rounds):
                break
        margins = np.array([margins_after[t] for t in rounds])
        display = cls(rounds=rounds, margins=margins)
        return display.plot(ax, **line_kw)

    def frame(self):
        """Return the margins as a pandas frame.

        Returns
        -------
        DataFrame
            A row for each row of X, and a column for each of `rounds`.
        """
        pd = import_pandas()
        columns = pd.Index(self.rounds, name="rounds")
        return pd.DataFrame(np.transpose(self.margins), columns=columns)

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
        colors = artists.line_styles([(t,) for t in self.rounds])  # dark to bright
        self.lines_ = []
        for t, margins, color in zip(self.rounds, self.margins, colors):
            label = f"{t} round{'s' if t > 1 else ''}"
            style = {"drawstyle": "steps-post", "label": label} | color | line_kw
            steps = np.concatenate([[-1.0], np.sort(margins), [1.0]])
            self.lines_ += ax.plot(steps, shares, **style)
        ax.set_xlim(-1.0, 1.0)
        ax.set_xlabel("margin")
        ax.set_ylabel("cumulative share of rows")
        artists.draw_plain_legend(ax)
        return self


def _checked_rounds(rounds, n_rounds):
    """Return the numbers of rounds to draw, as a list of distinct ints."""
    if rounds is None:
        spaced = np.geomspace(1, n_rounds, _MAX_DEFAULT_LINES).round().astype(int)
        return np.unique(spaced).tolist()
    rounds = np.atleast_1d(np.asarray(rounds, dtype=object)).tolist()
    if not rounds:
        raise ValueError(f"rounds is empty: pass integers from 1 to {n_rounds}.")
    for t in rounds:
        if not isinstance(t, Integral) or not 1 <= t <= n_rounds:
            raise ValueError(
                f"rounds has {t!r}, but the estimator has {n_rounds} rounds: pass "
                f"integers from 1 to {n_rounds}."
            )
    return list(dict.fromkeys(map(int, rounds)))

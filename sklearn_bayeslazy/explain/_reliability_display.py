"""ReliabilityDisplay: whether events are as frequent as their probabilities say."""

import numpy as np
from sklearn.isotonic import IsotonicRegression
from sklearn.utils import check_consistent_length

from ..leave_one_out import check_coverage
from ..tabular import import_pandas
from . import _curve_artists as artists

# Draws of the events for the band; its ends are the mean of the draws beside a rank.
_N_DRAWS = 200
# The band is drawn at this number of probabilities.
_N_POSITIONS = 100
# The heights of the bars that show how frequent probabilities are, as a share of the
# axes, and their number.
_BAR_HEIGHT, _N_BARS = 0.12, 40


class ReliabilityDisplay:
    """How frequent an event is where it was predicted with some probability.

    The curve is the best increasing function of the probability, by isotonic regression
    of the events: no bins are chosen [1]_. It is the diagonal if probabilities are
    reliable. The band holds the curve with the probability `coverage` at each point if
    they are. Bars show how frequent the probabilities are.

    Create it with :meth:`from_estimator` or :meth:`from_predictions`. All parameters
    are stored as attributes.

    Parameters
    ----------
    probabilities : ndarray of shape (n_samples,)
        Of the event.
    events : ndarray of shape (n_samples,)
        1 where it happened, else 0.
    sample_weight : ndarray of shape (n_samples,), default=None
    name : str, default=None
        The name of the curve in the legend.

    Attributes
    ----------
    recalibrated : ndarray of shape (n_samples,)
        The value of the curve at each probability.
    brier : float
        The mean of (p - event)². It is `miscalibration` - `discrimination` +
        `uncertainty`.
    miscalibration : float
        How much smaller the mean would be for the recalibrated probabilities; 0 is
        best.
    discrimination : float
        How much smaller it would then be than for the share of the events, the same
        probability for all rows.
    uncertainty : float
        The mean for this share.
    expected_calibration_error : float
        The mean distance between a probability and its recalibrated value.
    ax_ : matplotlib Axes
        Axes with the curve.
    figure_ : matplotlib Figure
        Figure that holds them.
    line_ : matplotlib Line2D
        The curve.
    band_ : matplotlib PolyCollection
        The band.

    References
    ----------
    .. [1] T. Dimitriadis, T. Gneiting and A. Jordan (2021), Stable reliability diagrams
       for probabilistic classifiers, PNAS 118.

    Examples
    --------
    Of the two rows with a probability of .2 none, and of those with .8 both had the
    event. So the recalibrated probabilities are 0 and 1, and each is off by .2:

    >>> import numpy as np
    >>> from sklearn_bayeslazy import ReliabilityDisplay
    >>> p, events = np.array([0.2, 0.2, 0.8, 0.8]), np.array([0, 0, 1, 1])
    >>> display = ReliabilityDisplay(probabilities=p, events=events)
    >>> display.recalibrated
    array([0., 0., 1., 1.])
    >>> round(display.brier, 9), round(display.miscalibration, 9)
    (0.04, 0.04)
    >>> display.discrimination, display.uncertainty
    (0.25, 0.25)
    >>> round(display.expected_calibration_error, 9)
    0.2

    Of a fitted classifier, by probabilities of training rows that were left out:

    >>> from sklearn.datasets import load_breast_cancer
    >>> from sklearn_bayeslazy import MEstimateNB
    >>> model = MEstimateNB().fit(*load_breast_cancer(return_X_y=True))
    >>> ReliabilityDisplay.from_estimator(model)  # doctest: +SKIP
    """

    def __init__(self, *, probabilities, events, sample_weight=None, name=None):
        self.probabilities = np.asarray(probabilities, dtype=np.float64)
        self.events = np.asarray(events, dtype=np.float64)
        self.sample_weight, self.name = sample_weight, name
        weight = np.ones(len(self.events)) if sample_weight is None else sample_weight
        self._weight = weight = np.asarray(weight, dtype=np.float64)
        p = self.probabilities
        self.recalibrated = _isotonic(p, self.events, weight).predict(p)
        share = np.average(self.events, weights=weight)
        self.brier = self._mean((p - self.events) ** 2)
        recalibrated = self._mean((self.recalibrated - self.events) ** 2)
        self.miscalibration = self.brier - recalibrated
        self.uncertainty = float(share * (1 - share))
        self.discrimination = self.uncertainty - recalibrated
        self.expected_calibration_error = self._mean(np.abs(self.recalibrated - p))

    def _mean(self, values):
        return float(np.average(values, weights=self._weight))

    @classmethod
    def from_estimator(
        cls,
        estimator,
        X=None,
        y=None,
        *,
        sample_weight=None,
        pos_label=None,
        name=None,
        ax=None,
        **plot_kw,
    ):
        """Predict the probabilities of rows and draw the curve.

        Parameters
        ----------
        estimator : classifier
            Fitted, with `predict_proba`.
        X : {array-like, dataframe, sparse matrix} of shape (n_samples, n_features), \
default=None
            Rows that the estimator has not seen. None: its training rows, each
            predicted without itself, by classifiers that can do so.
        y : array-like of shape (n_samples,), default=None
            The classes of X.
        sample_weight : array-like of shape (n_samples,), default=None
            The weights of X. Training rows have those of `fit`.
        pos_label : label, default=None
            The class that is the event. None: the second of two classes; of more, the
            event is that the most probable class is the true one.
        name : str, default=None
            The name of the curve in the legend; by default the name of the class.
        ax : matplotlib Axes, default=None
            Axes to draw on; new ones by default.
        **plot_kw : dict
            Further keywords of :meth:`plot`.

        Returns
        -------
        ReliabilityDisplay

        Raises
        ------
        NotFittedError
            If the estimator is not fitted.
        TypeError
            If it has no `predict_proba`, or cannot leave rows out.
        """
        kind = type(estimator).__name__
        artists.check_has(estimator, "predict_proba", "a classifier")
        classes = estimator.classes_
        if X is None:
            if not hasattr(estimator, "_left_out_probabilities"):
                raise TypeError(
                    f"{kind} cannot predict its training rows without them: give X and "
                    "y, rows that it has not seen."
                )
            found, codes, sample_weight, _ = estimator._left_out_probabilities()
            y = classes[codes]
        else:
            found = estimator.predict_proba(X)
            if y is None:
                raise ValueError("y is missing: give the classes of X.")
        return cls.from_predictions(
            y,
            found,
            classes=classes,
            sample_weight=sample_weight,
            pos_label=pos_label,
            name=kind if name is None else name,
            ax=ax,
            **plot_kw,
        )

    @classmethod
    def from_predictions(
        cls,
        y_true,
        y_proba,
        *,
        classes=None,
        sample_weight=None,
        pos_label=None,
        name=None,
        ax=None,
        **plot_kw,
    ):
        """Draw the curve of given probabilities.

        Parameters
        ----------
        y_true : array-like of shape (n_samples,)
            The classes.
        y_proba : array-like of shape (n_samples, n_classes) or (n_samples,)
            The probabilities of all classes; or of the second of two.
        classes : array-like of shape (n_classes,), default=None
            The order of the columns; by default the sorted classes of y_true.
        sample_weight, pos_label, name, ax, **plot_kw : as in `from_estimator`

        Returns
        -------
        ReliabilityDisplay
        """
        y, found = np.asarray(y_true), np.asarray(y_proba, dtype=np.float64)
        check_consistent_length(y, found, sample_weight)
        classes = np.unique(y) if classes is None else np.asarray(classes)
        if found.ndim == 1:
            found = np.column_stack([1 - found, found])
        if found.ndim != 2 or found.shape[1] != len(classes):
            raise ValueError(
                f"y_proba has shape {np.shape(y_proba)}, and there are {len(classes)} "
                "classes: give a column for each, and classes in their order."
            )
        if not np.all((found >= 0) & (found <= 1)):
            raise ValueError("y_proba must hold probabilities from 0 to 1.")
        if not np.allclose(found.sum(axis=1), 1, atol=1e-3):
            raise ValueError("y_proba must hold probabilities that sum to 1 in a row.")
        unknown = dict.fromkeys(y.tolist()).keys() - set(classes.tolist())
        if unknown:
            raise ValueError(
                f"y_true holds {min(unknown, key=str)!r}, which is none of the classes "
                f"{classes.tolist()}."
            )
        if pos_label is None and len(classes) == 2:
            pos_label = classes[1]
        if pos_label is None:
            predicted = found.argmax(axis=1)
            p, events = found.max(axis=1), classes[predicted] == y
        else:
            columns = np.flatnonzero(classes == pos_label)
            if not len(columns):
                raise ValueError(
                    f"pos_label={pos_label!r} is none of the classes "
                    f"{classes.tolist()}."
                )
            p, events = found[:, columns[0]], y == pos_label
        display = cls(
            probabilities=p, events=events, sample_weight=sample_weight, name=name
        )
        return display.plot(ax, **plot_kw)

    def frame(self):
        """Return the curve as a pandas frame.

        Returns
        -------
        DataFrame
            A row for each distinct probability, with the columns "probability",
            "recalibrated" and "weight", the total of its rows.
        """
        pd = import_pandas()
        p, first, row = np.unique(
            self.probabilities, return_index=True, return_inverse=True
        )
        weight = np.bincount(row, self._weight)
        columns = {"probability": p, "recalibrated": self.recalibrated[first]}
        return pd.DataFrame({**columns, "weight": weight})

    def plot(self, ax=None, *, coverage=0.9, line_kw=None, band_kw=None):
        """Draw the curve, the band and the bars.

        Parameters
        ----------
        ax : matplotlib Axes, default=None
            Axes to draw on; new ones by default.
        coverage : float, default=0.9
            Probability that the band holds the curve of reliable probabilities.
        line_kw, band_kw : dict, default=None
            Keywords of :meth:`matplotlib.axes.Axes.plot` for the curve, and of
            :meth:`matplotlib.axes.Axes.fill_between` for the band.

        Returns
        -------
        ReliabilityDisplay
        """
        check_coverage(coverage)
        ax, line_kw = artists.axes_and_keywords(ax, line_kw)
        is_first = not ax.lines
        if is_first:
            ax.plot([0, 1], [0, 1], color="gray", linestyle=":", linewidth=1)
        order = np.argsort(self.probabilities, kind="stable")
        curve = self.probabilities[order], self.recalibrated[order]
        label = {} if self.name is None else {"label": self.name}
        (self.line_,) = ax.plot(*curve, **(label | line_kw))
        color = self.line_.get_color()
        positions, low, high = self._band(coverage)
        style = {"color": color, "alpha": 0.15, "linewidth": 0} | (band_kw or {})
        self.band_ = ax.fill_between(positions, low, high, **style)
        counts, edges = np.histogram(
            self.probabilities, _N_BARS, (0, 1), weights=self._weight
        )
        heights = _BAR_HEIGHT * counts / counts.max()
        ax.bar(
            edges[:-1], heights, np.diff(edges), align="edge", color=color, alpha=0.3
        )
        ax.set(
            xlim=(0, 1),
            ylim=(0, 1),
            xlabel="predicted probability",
            ylabel="share of the events",
        )
        if is_first:
            self._write_scores(ax)
        artists.draw_plain_legend(ax)
        self.ax_, self.figure_ = ax, ax.figure
        return self

    def _band(self, coverage):
        """Return probabilities, and where the curve lies there if they are reliable."""
        p, rng = self.probabilities, np.random.default_rng(0)
        positions = np.unique(np.quantile(p, np.linspace(0, 1, _N_POSITIONS)))
        curves = np.empty((_N_DRAWS, len(positions)))
        for curve in curves:
            events = (rng.random(len(p)) < p).astype(np.float64)
            curve[:] = _isotonic(p, events, self._weight).predict(positions)
        sides = (1 - coverage) / 2, (1 + coverage) / 2
        return positions, *np.quantile(curves, sides, axis=0)

    def _write_scores(self, ax):
        text = (
            ("" if self.name is None else f"{self.name}: ")
            + f"Brier score {self.brier:.3g} =\n"
            f"miscalibration {self.miscalibration:.2g}\n"
            f"- discrimination {self.discrimination:.3g}\n"
            f"+ uncertainty {self.uncertainty:.3g}\n"
            f"expected calibration error {self.expected_calibration_error:.2g}"
        )
        position = {"transform": ax.transAxes, "ha": "right", "va": "bottom"}
        style = {"fontsize": "small", "parse_math": False}
        ax.text(0.98, _BAR_HEIGHT + 0.02, text, **style, **position)


def _isotonic(p, events, weight):
    """Return the increasing function of p that is nearest to events."""
    model = IsotonicRegression(y_min=0.0, y_max=1.0, out_of_bounds="clip")
    return model.fit(p, events, sample_weight=weight)

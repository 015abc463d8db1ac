"""ImportanceDisplay: how much a fitted model depends on each column, as bars."""

from collections import defaultdict

import numpy as np
from sklearn.utils.validation import check_is_fitted

from .._core._arrays import check_count
from ..tabular import import_pandas
from ._bars import draw_bars

METHODS = "auto", "attribute", "contribution", "permutation"
# What a bar is, as the label of the axis.
_LABELS = {
    "attribute": "feature_importances_",
    "contribution": "mean size of the contribution ({unit})",
    "permutation": "loss of score when the column is permuted",
}


class ImportanceDisplay:
    """How much a fitted model depends on each column.

    Create it with :meth:`from_estimator`. All parameters are stored as attributes.

    Parameters
    ----------
    importances : array-like of shape (n_columns,)
    names : sequence of str
        The names of the columns.
    label : str
        What the importances are; the label of the axis.
    errors : array-like of shape (n_columns,), default=None
        Their standard deviations.

    Attributes
    ----------
    ax_ : matplotlib Axes
        Axes with the bars.
    figure_ : matplotlib Figure
        Figure that holds them.
    bars_ : matplotlib BarContainer
        The bars, the most important column first.
    text_ : list of matplotlib Text
        The number of each bar.

    See Also
    --------
    Explanation : The contributions to one prediction.

    Examples
    --------
    >>> from sklearn_bayeslazy import ImportanceDisplay, MEstimateNB
    >>> from sklearn_bayeslazy.datasets import load_horse_colic
    >>> X, y = load_horse_colic(return_X_y=True, as_frame=True)
    >>> model = MEstimateNB().fit(X, y)
    >>> ImportanceDisplay.from_estimator(model)  # doctest: +SKIP
    """

    def __init__(self, *, importances, names, label, errors=None):
        self.importances = importances
        self.names = names
        self.label = label
        self.errors = errors

    @classmethod
    def from_estimator(
        cls,
        estimator,
        X=None,
        y=None,
        *,
        method="auto",
        scoring=None,
        n_repeats=5,
        random_state=None,
        n_jobs=None,
        max_columns=20,
        ax=None,
        **bar_kw,
    ):
        """Compute the importances by a method, and draw them.

        Parameters
        ----------
        estimator : estimator
            Fitted.
        X : {array-like, dataframe, sparse matrix}, default=None
            Rows for "contribution" and "permutation", best not those of `fit`.
        y : array-like of shape (n_samples,), default=None
            Their classes or targets, for "permutation".
        method : str, default="auto"
            - "attribute": ``feature_importances_`` of the estimator.
            - "contribution": the mean over the rows of the sizes of the contributions
              of each column (or word), as ``explain(X)`` returns them.
            - "permutation": how much the score falls when the cells of a column are
              permuted, by :func:`sklearn.inspection.permutation_importance`.
            - "auto": the first of these that the estimator and the arguments allow.
        scoring : str or callable, default=None
            The score for "permutation"; by default that of the estimator.
        n_repeats : int, default=5
            The number of permutations of each column.
        random_state : int, RandomState instance or None, default=None
            Of the permutations.
        n_jobs : int, default=None
            Of the permutations.
        max_columns : int, default=20
            The number of columns that are drawn, the most important ones.
        ax : matplotlib Axes, default=None
            Axes to draw on; new ones by default.
        **bar_kw : dict
            Keywords of :meth:`matplotlib.axes.Axes.barh`.

        Returns
        -------
        ImportanceDisplay

        Raises
        ------
        ValueError, TypeError
            If the method needs what the estimator or the arguments lack.
        """
        check_is_fitted(estimator)
        method = _chosen_method(estimator, X, y, method)
        errors, unit = None, ""
        if method == "attribute":
            importances = np.asarray(estimator.feature_importances_)
            names = _column_names(estimator, len(importances))
        elif method == "contribution":
            names, importances, unit = mean_contributions(estimator.explain(X))
        else:
            # Imported here: it imports scikit-learn's ensembles and trees.
            from sklearn.inspection import permutation_importance

            result = permutation_importance(
                estimator,
                X,
                y,
                scoring=scoring,
                n_repeats=n_repeats,
                random_state=random_state,
                n_jobs=n_jobs,
            )
            importances, errors = result.importances_mean, result.importances_std
            names = _column_names(estimator, len(importances))
        display = cls(
            importances=importances,
            names=names,
            label=_LABELS[method].format(unit=unit),
            errors=errors,
        )
        return display.plot(ax, max_columns=max_columns, **bar_kw)

    def frame(self):
        """Return the importances as a pandas DataFrame, the most important first.

        Returns
        -------
        DataFrame
            Indexed by the columns, with the columns "importance" and, if there are
            `errors`, "std".
        """
        pd = import_pandas()
        order = self._order()
        columns = {"importance": np.asarray(self.importances)[order]}
        if self.errors is not None:
            columns["std"] = np.asarray(self.errors)[order]
        index = pd.Index([self.names[j] for j in order], name="column")
        return pd.DataFrame(columns, index=index)

    def plot(self, ax=None, *, max_columns=20, **bar_kw):
        """Draw the bars.

        Parameters
        ----------
        ax : matplotlib Axes, default=None
            Axes to draw on; new ones by default.
        max_columns : int, default=20
            The number of columns that are drawn, the most important ones.
        **bar_kw : dict
            Keywords of :meth:`matplotlib.axes.Axes.barh`.

        Returns
        -------
        self : ImportanceDisplay
        """
        check_count(max_columns, "max_columns", least=1)
        order = self._order()
        drawn = order[:max_columns]
        errors = None if self.errors is None else np.asarray(self.errors)[drawn]
        self.ax_, self.bars_, self.text_ = draw_bars(
            ax,
            [str(self.names[j]) for j in drawn],
            np.asarray(self.importances)[drawn],
            errors=errors,
            bar_kw=bar_kw,
        )
        self.figure_ = self.ax_.figure
        self.ax_.set_xlabel(self.label)
        if len(drawn) < len(order):
            title = f"{len(drawn)} most important of {len(order)}"
            self.ax_.set_title(title, fontsize="medium")
        return self

    def _order(self):
        return np.argsort(-np.asarray(self.importances, dtype=float), kind="stable")


def mean_contributions(explanation):
    """Return names, mean sizes of the contributions over the rows, and their unit."""
    # Parts of the same name in a row, such as the words of a document, are added up. A
    # contribution that is infinite does not count.
    if explanation.part == "row":
        raise ValueError(
            'method="contribution" needs contributions of columns, and this estimator '
            'explains its predictions by training rows: set method="permutation".'
        )
    totals = defaultdict(float)
    for row in range(len(explanation)):
        in_row = defaultdict(float)
        _, effects = explanation.effects(row)
        for name, effect in zip(explanation.part_names(row), effects):
            in_row[name] += effect if np.isfinite(effect) else 0.0
        for name, effect in in_row.items():
            totals[name] += abs(effect)
    sizes = np.array(list(totals.values())) / len(explanation)
    return list(totals), sizes, explanation.unit


def _chosen_method(estimator, X, y, method):
    """Return the method, with "auto" replaced by the first that is possible."""
    if method not in METHODS:
        raise ValueError(f"method must be one of {METHODS}, got {method!r}.")
    name = type(estimator).__name__
    has_attribute = hasattr(estimator, "feature_importances_")
    has_explain = hasattr(estimator, "explain")
    if method == "auto":
        if has_attribute:
            return "attribute"
        if y is None and X is not None and has_explain:
            return "contribution"
        method = "permutation"
    if method == "attribute" and not has_attribute:
        raise TypeError(
            f"{name} has no feature_importances_: pass X and y, and set "
            'method="permutation".'
        )
    if method == "contribution" and not has_explain:
        raise TypeError(
            f'{name} has no method explain: pass X and y, and set method="permutation".'
        )
    if X is None and method != "attribute":
        raise ValueError(f'method="{method}" needs X: pass rows that fit has not seen.')
    if y is None and method == "permutation":
        raise ValueError('method="permutation" needs y: pass the targets of X.')
    return method


def _column_names(estimator, n_columns):
    numbered = [f"x{j}" for j in range(n_columns)]
    return [str(name) for name in getattr(estimator, "feature_names_in_", numbered)]

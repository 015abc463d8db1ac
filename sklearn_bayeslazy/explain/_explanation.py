"""Explanation: the contributions of cells, words or rows, which sum to a prediction."""

from collections.abc import Sequence
from dataclasses import KW_ONLY, dataclass
from numbers import Integral

import numpy as np
from numpy.typing import ArrayLike

from .._core._arrays import check_count
from ..tabular import import_pandas, object_array
from ._bars import draw_bars
from ._text import (
    MAX_PARTS,
    best_output,
    contrast,
    format_value,
    most_important,
    output_text,
    render_html,
    render_text,
    shown_lines,
)


@dataclass(repr=False, eq=False)
class Explanation:
    """The contributions of parts of a row, such as its cells, to a prediction.

    The base value plus the contributions of all parts is the prediction, to the
    rounding error. ``explain`` of an estimator states what the parts are.

    - Classifiers that multiply probabilities explain the log odds log P(a | x) -
      log P(b | x) of a class against another one. They are undefined if both classes
      have the probability 0. A row that is impossible in all classes gets the prior as
      its prediction; its explanation shows which parts are impossible in which class.
    - Classifiers that average votes explain the probability P(a | x).
    - Regressors explain the predicted target.

    Parameters
    ----------
    terms : ndarray of shape (n_samples, n_parts, n_outputs), or list of ndarrays
        The contribution of each part to the score of each output: to a class's log
        probability (up to a constant), to its probability, or to a target. A list has
        an array (n_parts, n_outputs) for each row, if the rows have different parts.
    base : array-like of shape (n_samples, n_outputs)
        The scores without the parts: the log prior, the mean of the target.
    outputs : array-like of shape (n_outputs,)
        The class labels; the numbers of the targets.
    names : array-like of shape (n_parts,), or list of array-likes
        The names of the parts; a list has those of each row.
    values : sequence, default=None
        ``values[row]`` are the values of the parts of a row, such as its cells.
    unit : str, default="log odds"
        The unit of the contributions: "log odds", "probability", "decision value" or
        "target units".
    part : str, default="column"
        What a part is, the name of the index of frames.
    base_name : str, default="(base)"
        What the base is.
    note : str, default=""
        A sentence below the text and the HTML, on a part that is not a cell.

    Attributes
    ----------
    terms, base, outputs, names, values, unit, part, base_name, note
        As given.

    See Also
    --------
    ImportanceDisplay : How much a model depends on each column.

    Examples
    --------
    Saturdays with rain are worse for tennis than those with wind:

    >>> import numpy as np
    >>> from sklearn_bayeslazy.explain import Explanation
    >>> terms = np.log([[[0.2, 0.6], [0.5, 0.5]]])  # P(cell | class) of two cells
    >>> why = Explanation(
    ...     terms, np.log([[0.5, 0.5]]), ["play", "stay"], names=["sky", "wind"],
    ...     values=[["rain", "weak"]], base_name="(prior)",
    ... )
    >>> why
    Explanation of 1 row
    row 0: log odds of 'stay' against 'play' = 1.1
      (prior)         0
      sky = rain   +1.1  ##########
      wind = weak     0
    >>> bool(np.isclose(why.frame()["log odds"].sum(), np.log(0.6 / 0.2)))
    True
    """

    terms: np.ndarray | list
    base: np.ndarray
    outputs: ArrayLike
    _: KW_ONLY
    names: ArrayLike
    values: Sequence | None = None
    unit: str = "log odds"
    part: str = "column"
    base_name: str = "(base)"
    note: str = ""

    def __post_init__(self):
        self.base = np.asarray(self.base, dtype=float)
        by_row = isinstance(self.names, list) and self.names
        if not (by_row and np.ndim(self.names[0]) == 1):
            self.names = object_array(list(self.names))

    def __len__(self):
        return len(self.terms)

    def scores(self):
        """Return base plus terms: the explained scores, (n_samples, n_outputs).

        For classes in log odds these are log probabilities up to a constant for each
        row, otherwise the probabilities or targets.
        """
        sums = [np.sum(terms, axis=0) for terms in self.terms]
        return self.base + np.reshape(sums, self.base.shape)

    def effects(self, row=0, target=None, against=None):
        """Return the base value and the contributions of the parts.

        Parameters
        ----------
        row : int, default=0
            The position of the row in X.
        target : object, default=None
            The class, or the number of the target, that is explained. By default the
            class that is predicted, or the first target.
        against : object, default=None
            The class with which it is compared: the contributions to its score are
            subtracted. By default, in log odds, the most probable other class;
            otherwise none.

        Returns
        -------
        base : float
        effects : ndarray of shape (n_parts,)
            In the order of `names`. A part that is impossible in both classes
            counts as 0.
        """
        explained = self._explained(row, target, against)
        return explained.base, explained.effects

    def frame(self, row=0, target=None, against=None):
        """Return the contributions to one prediction, the most important first.

        Parameters
        ----------
        row : int, default=0
            The position of the row in X.
        target, against : object, default=None
            As in :meth:`effects`.

        Returns
        -------
        DataFrame
            A row for each part, with the columns "value" (such as the cell) and the
            unit of the contribution, which sums to the explained prediction. The first
            row is the base.
        """
        pd = import_pandas()
        explained = self._explained(row, target, against)
        order = most_important(explained.effects)
        names = self.part_names(row)
        columns = {
            name: _with_base(cells[order]) for name, cells in self._details(row).items()
        }
        columns[self.unit] = np.append(explained.base, explained.effects[order])
        index = object_array([self.base_name, *(names[j] for j in order)])
        return pd.DataFrame(columns, index=pd.Index(index, name=self.part))

    def output_frame(self, row=0):
        """Return the terms of one row, a column for each class or target.

        Parameters
        ----------
        row : int, default=0
            The position of the row in X.

        Returns
        -------
        DataFrame
            A row for each part, in the order of `names`; the first one is the base.
        """
        pd = import_pandas()
        row = self._position(row)
        terms = np.vstack([self.base[row][None], self.terms[row]])
        index = object_array([self.base_name, *self.part_names(row)])
        return pd.DataFrame(terms, index=index, columns=self.outputs)

    def plot(
        self,
        row=0,
        ax=None,
        *,
        target=None,
        against=None,
        max_parts=MAX_PARTS,
        **bar_kw,
    ):
        """Draw the contributions to one prediction as bars.

        Parameters
        ----------
        row : int, default=0
            The position of the row in X.
        ax : matplotlib Axes, default=None
            Axes to draw on; new ones by default.
        target, against : object, default=None
            As in :meth:`effects`.
        max_parts : int, default=10
            The number of parts that have a bar. One more bar is the sum of the others.
        **bar_kw : dict
            Keywords of :meth:`matplotlib.axes.Axes.barh`.

        Returns
        -------
        matplotlib Axes
            An extreme bar is cut and hatched; each has its number.
        """
        check_count(max_parts, "max_parts", least=1)
        title, labels, values = shown_lines(self, row, target, against, max_parts)
        is_base = [True] + [False] * (len(values) - 1)
        ax, *_ = draw_bars(ax, labels, values, is_base=is_base, bar_kw=bar_kw)
        ax.set_title(title, fontsize="medium", parse_math=False)
        ax.set_xlabel(f"contribution ({self.unit})")
        return ax

    def __repr__(self):
        return render_text(self)

    def _repr_html_(self):
        return render_html(self)

    def _label(self, name, value):
        name = format_value(name)
        return f"{name} = {value}" if value else name

    def _explained(self, row, target, against):
        """Return the contrast of target and against, or of the default outputs."""
        row = self._position(row)
        terms, base = np.asarray(self.terms[row]), self.base[row]
        if target is None:
            target = 0 if self.unit == "target units" else best_output(terms, base)
        else:
            target = self._output(target, "target")
        if against is not None:
            against = self._output(against, "against")
            if against == target:
                raise ValueError(
                    f"against={self.outputs[against]!r} is the explained class itself: "
                    "name another one."
                )
        elif self.unit == "log odds" and len(self.outputs) > 1:
            against = best_output(terms, base, other_than=target)
        return contrast(terms, base, target, against)

    def _output(self, label, name):
        for position, other in enumerate(self.outputs):
            same = label == other
            if isinstance(same, bool | np.bool_) and same:
                return position
        known = ", ".join(map(output_text, self.outputs))
        raise ValueError(f"{name}={label!r} is not one of {known}.")

    def _position(self, row):
        n_rows = len(self)
        if n_rows == 0:
            raise ValueError("There is nothing to explain: X had no rows.")
        if not isinstance(row, Integral) or not -n_rows <= row < n_rows:
            raise ValueError(
                f"row must be an integer from 0 to {n_rows - 1}, got {row!r}."
            )
        return row % n_rows

    def part_names(self, row=0):
        """Return the names of the parts of a row, in the order of `terms`."""
        row = self._position(row)
        return self.names[row] if isinstance(self.names, list) else self.names

    def _values(self, row):
        """Return the values of the parts, "" for those at the end without one."""
        if self.values is None:
            return None
        values = list(self.values[self._position(row)])
        return values + [""] * (len(self.part_names(row)) - len(values))

    def _n_cells(self, row):
        """Return the number of parts that are shown even if they contribute 0."""
        # Parts at the end without a value, such as "(average)", are not cells.
        row = self._position(row)
        return len(self.terms[row] if self.values is None else self.values[row])

    def _details(self, row):
        """Return the columns of the frame before the contribution, as arrays."""
        values = self._values(row)
        return {} if values is None else {"value": object_array(values)}


def _with_base(cells):
    """Return the cells of a column of the frame, with an empty one for the base."""
    if cells.dtype == object:
        return object_array(["", *cells])
    return np.append(np.nan, cells)

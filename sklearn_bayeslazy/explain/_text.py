"""The cells of explained rows, and explanations as text and as HTML, line by line."""

from html import escape
from numbers import Integral, Real
from typing import NamedTuple

import numpy as np
from scipy import sparse

from ..tabular import is_frame, is_missing_cell, is_pandas, object_array, take_rows
from ._bars import NEGATIVE, NEUTRAL, POSITIVE, drawn_lengths, number_text

# More rows are only counted.
MAX_ROWS = 3
MAX_BAR = 10


def render_text(explanation):
    """Return the contributions to the first predictions as lines with bars."""
    lines = [_heading(explanation)]
    for row in range(min(len(explanation), MAX_ROWS)):
        title, labels, values = shown_lines(explanation, row)
        lines.append(f"row {row}: {title}")
        width = max(map(len, labels))
        numbers = [number_text(values[0]), *map(_signed, values[1:])]
        digits = max(map(len, numbers))
        for label, number, share, cut in zip(labels, numbers, *_bars(values)):
            bar = ("#" if share > 0 else "-") * round(MAX_BAR * abs(share))
            bar += " …" if cut else ""
            lines.append(f"  {label:<{width}}  {number:>{digits}}  {bar}".rstrip())
    return "\n".join([*lines, *_more(explanation)])


def render_html(explanation):
    """Return the same as tables with coloured bars, in the colours of the page."""
    parts = [f"<div><p>{escape(_heading(explanation))}</p>"]
    for row in range(min(len(explanation), MAX_ROWS)):
        title, labels, values = shown_lines(explanation, row)
        shares, _ = _bars(values)
        lines = [
            _html_line(*line, is_base=position == 0)
            for position, line in enumerate(zip(labels, values, shares))
        ]
        parts.append(
            '<table style="border-collapse:collapse">'
            '<caption style="text-align:left;caption-side:top;white-space:nowrap">'
            f"row {row}: {escape(title)}</caption><tbody>{''.join(lines)}"
            "</tbody></table>"
        )
    parts += [f"<p>{escape(line)}</p>" for line in _more(explanation)]
    return "".join([*parts, "</div>"])


def _heading(explanation):
    n_rows = len(explanation)
    return f"{type(explanation).__name__} of {n_rows} row{'s' if n_rows != 1 else ''}"


def _more(explanation):
    """Yield the lines below the contributions."""
    if len(explanation) > MAX_ROWS:
        n_more = len(explanation) - MAX_ROWS
        yield f"… {n_more} more row{'s' if n_more > 1 else ''}: see frame(row)"
    if explanation.note:
        yield explanation.note


def _signed(value):
    text = number_text(value)
    return f"+{text}" if value > 0 and text != "0" else text


def _bars(values):
    """Return the bars as shares of the longest, 0 for the base; whether each is cut."""
    lengths, is_cut = drawn_lengths(values[1:])
    longest = np.max(np.abs(lengths), initial=0.0) or 1.0
    return np.append(0.0, lengths / longest), np.append(False, is_cut)


def _html_line(label, value, share, is_base):
    color = NEUTRAL if is_base else POSITIVE if value >= 0 else NEGATIVE
    width = f"{120 * abs(share):.0f}px"
    bar = f'<div style="background:{color};height:0.8em;width:{width}"></div>'
    number = number_text(value) if is_base else _signed(value)
    return (
        f'<tr><td style="text-align:left;padding:1px 12px 1px 0">{escape(label)}</td>'
        f'<td style="text-align:right;padding:1px 8px">{number}</td>'
        f'<td style="text-align:left;min-width:120px">{bar}</td></tr>'
    )


# The lines of an explanation that texts, tables and plots show.


# The parts that a plot or a text shows; the rest is one line.
MAX_PARTS = 10
# Contributions that are smaller than this share of the largest term are shown as 0.
ROUNDING_ERROR = 1e-13


def shown_lines(why, row, target=None, against=None, max_parts=MAX_PARTS):
    """Return a title, the labels of the base and of the parts, and the numbers."""
    # why: an Explanation; the other arguments: as in `Explanation.plot`. Both have the
    # base, at most max_parts parts, and the sum of all others if there are any.
    explained = why._explained(row, target, against)
    base, effects = _without_rounding_errors(why, row, explained)
    order = most_important(effects)
    order = order[(effects[order] != 0) | (order < why._n_cells(row))]
    shown, rest = order[:max_parts], order[max_parts:]
    names, values = why.part_names(row), why._values(row)
    labels = [why.base_name]
    for j in shown:
        value = None if values is None else format_value(values[j])
        labels.append(why._label(names[j], value))
    numbers = [base, *effects[shown]]
    if len(rest):
        labels.append(f"({len(rest)} other{'s' if len(rest) > 1 else ''})")
        with np.errstate(invalid="ignore"):  # ∞ - ∞
            numbers.append(np.sum(effects[rest]))
    return _title(why, explained), labels, np.array(numbers)


def output_text(label):
    """Return a class, or the number of a target, as Python would write it."""
    return repr(label.item() if isinstance(label, np.generic) else label)


def _title(why, explained):
    """Return what is explained in words, and the sum."""
    total = number_text(explained.total)
    if why.unit == "target units":
        number = f" {explained.target}" if len(why.outputs) > 1 else ""
        return f"target{number} = {total}"
    target = output_text(why.outputs[explained.target])
    if explained.against is None:
        if why.unit == "log odds":
            return f"log score of {target}, the only class = {total}"
        return f"{why.unit} of {target} = {total}"
    what = (
        f"{why.unit} of {target} against {output_text(why.outputs[explained.against])}"
    )
    if np.isnan(explained.total):
        return f"{what} undefined: both have probability 0"
    return f"{what} = {total}"


def _without_rounding_errors(why, row, explained):
    """Return base and effects, those of the size of rounding errors as 0."""
    numbers = np.append(explained.base, explained.effects)
    sizes = np.abs([*why.base[row], *np.ravel(why.terms[row])])
    largest = np.max(sizes, initial=0.0, where=np.isfinite(sizes))
    numbers[np.abs(numbers) < ROUNDING_ERROR * largest] = 0.0
    return numbers[0], numbers[1:]


# The score of one output against another one: base, effects, and their sum.


class Contrast(NamedTuple):
    """What is explained for one row: an output, or the difference of two."""

    target: int  # the position of the explained output
    against: int | None  # that of the output whose score is subtracted
    base: float
    effects: np.ndarray  # (n_parts,)
    total: float  # base plus effects; NaN if both outputs have the score -inf


def contrast(terms, base, target, against):
    """Return the contributions to one output, or to its difference from another one.

    >>> terms, base = np.log([[0.2, 0.8], [0.5, 0.5]]), np.zeros(2)
    >>> contrast(terms, base, 1, 0).effects.round(2).tolist()  # log 0.8 / 0.2, log 1
    [1.39, 0.0]
    """
    if against is None:
        of_base, effects = base[target], terms[:, target]
    else:
        of_base = _difference(base[target], base[against])
        effects = _difference(terms[:, target], terms[:, against])
        scores = (base + terms.sum(axis=0))[[target, against]]
        if np.isneginf(scores).all():
            return Contrast(target, against, float(of_base), effects, np.nan)
    total = float(of_base + effects.sum())
    return Contrast(target, against, float(of_base), effects, total)


def best_output(terms, base, other_than=None):
    """Return the position of the largest score; without finite ones, of the base.

    >>> best_output(np.array([[0.0, -np.inf], [-np.inf, 0.0]]), np.array([-2.0, -1.0]))
    1
    """
    scores = base + terms.sum(axis=0)
    if np.isneginf(scores).all():
        scores = base
    allowed = np.arange(len(scores))
    allowed = allowed[allowed != other_than]
    return int(allowed[np.argmax(scores[allowed])])


def most_important(effects):
    """Return the positions of effects, the largest size first; ties keep the order."""
    return np.argsort(-np.abs(effects), kind="stable")


def _difference(a, b):
    """Return a - b; 0 where both are the same infinity."""
    with np.errstate(invalid="ignore"):
        return np.where(a == b, 0.0, np.subtract(a, b))


# The cells of explained rows, copied from any kind of input, and their text.


MAX_LETTERS = 28


class Cells:
    """A copy of the rows of X, whose cells can be read row by row.

    >>> Cells([["red", 1.5], [None, 2.0]], ["colour", "size"])[1].tolist()
    [None, 2.0]
    """

    def __init__(self, X, names):
        # X: array-like, sparse matrix, pandas or polars frame, or list of dicts.
        # names: the names of the columns, which are the keys of dicts.
        self.names = names
        self.is_dicts = isinstance(X, list | tuple) and isinstance(X[0], dict)
        if self.is_dicts:
            X = [{str(key): cell for key, cell in case.items()} for case in X]
        elif sparse.issparse(X):
            X = X.tocsr(copy=True)
        elif is_frame(X):
            X = X.copy() if is_pandas(X) else X.clone()
        else:
            X = np.array(X, dtype=object if isinstance(X, list | tuple) else None)
        self.X = X

    def __getitem__(self, row):
        """Return the cells of one row, an object array (n_columns,)."""
        if self.is_dicts:
            return object_array([self.X[row].get(name) for name in self.names])
        if sparse.issparse(self.X):
            return object_array(self.X[[row]].toarray()[0].tolist())
        if is_frame(self.X):
            one = take_rows(self.X, slice(row, row + 1))
            columns = (one.iloc[:, j] for j in range(one.shape[1]))
            columns = columns if is_pandas(one) else iter(one)
            return object_array([column.to_list()[0] for column in columns])
        return object_array(self.X[row].tolist())


def format_value(value):
    """Return a cell as a short text.

    >>> format_value(0.123456), format_value(3.0), format_value(None)
    ('0.1235', '3', 'missing')
    """
    if is_missing_cell(value):
        return "missing"
    if isinstance(value, bool | np.bool_ | Integral):
        text = str(value)
    elif isinstance(value, Real):
        text = f"{value:.4g}"
    else:
        text = str(value)
    text = " ".join(text.split())
    return text if len(text) <= MAX_LETTERS else text[: MAX_LETTERS - 1] + "…"

"""The lines of an explanation that texts, tables and plots show."""

import numpy as np

from ._bars import number_text
from ._cells import format_value
from ._contrasts import most_important

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

"""Where the candidates of a parameter lie along an axis, and what stands beside them.

A candidate is a number, or None or infinity (where a scale of numbers ends), or
anything else, a category. Numbers lie on a scale of their own size; what is no number
comes after them, each with its own tick. Without two numbers there is no scale, and
all are categories side by side. Nothing is drawn here.
"""

from dataclasses import dataclass
from numbers import Real

import numpy as np

# Numbers > 0 whose largest is as many times the smallest need a logarithmic axis.
LOG_RATIO = 100
# How far apart lies what comes after the numbers, as a share of their range: so much,
# more for each letter between the middles of two labels, and at most.
STEP_BEYOND, LETTER, LARGEST_STEP = 0.05, 0.018, 0.25
# What None means, where it has a meaning that reads better.
WORDS_FOR_NONE = {"n_neighbors": "all"}
LONGEST_LABEL = 24
# Scores beyond these are written with powers of ten.
SMALLEST_DECIMAL, LARGEST_DECIMAL = 1e-3, 1e7


@dataclass(frozen=True)
class Layout:
    """The places of candidates along an axis.

    Attributes
    ----------
    x : ndarray of shape (n_candidates,)
    on_scale : bool array of shape (n_candidates,)
        Whether a candidate is a number on a scale of numbers.
    at_end : bool array of shape (n_candidates,)
        Whether it is None or infinity, at the end of such a scale.
    scale : {"linear", "log", "symlog", "category"}
    ticks : list of (float, str)
        Places and labels of what has a tick of its own.
    """

    x: np.ndarray
    on_scale: np.ndarray
    at_end: np.ndarray
    scale: str
    ticks: list


def lay_out(values, parameter=None):
    """Return the places of candidates along the axis of their parameter.

    Parameters
    ----------
    values : list
    parameter : str, default=None
        Its name, which may say what None means.

    Returns
    -------
    Layout

    Examples
    --------
    >>> layout = lay_out([1, 11, None], "n_neighbors")
    >>> layout.x.round().tolist(), layout.scale, layout.ticks[0][1]
    ([1.0, 11.0, 12.0], 'linear', 'all')
    """
    ordered = distinct(values)
    numbers = np.array([float(value) for value in ordered if is_finite(value)])
    if len(numbers) < 2:
        numbers, scale = numbers[:0], "category"
        places = np.arange(float(len(ordered)))
    else:
        scale = scale_of(numbers)
        labels = [label_of(value, parameter) for value in ordered[len(numbers) - 1 :]]
        places = np.concatenate([numbers, _places_beyond(numbers, labels, scale)])
    place_of = {identity(value): x for value, x in zip(ordered, places)}
    others = list(zip(places.tolist(), ordered))[len(numbers) :]
    numeric = scale != "category"
    return Layout(
        x=np.array([place_of[identity(value)] for value in values]),
        on_scale=np.array([numeric and is_finite(value) for value in values]),
        at_end=np.array([numeric and _is_end(value) for value in values]),
        scale=scale,
        ticks=[(x, label_of(value, parameter)) for x, value in others],
    )


def scale_of(numbers):
    """Return the scale on which sorted numbers can be told apart.

    >>> scale_of([1, 50]), scale_of([0.01, 10_000]), scale_of([0, 0.01, 100])
    ('linear', 'log', 'symlog')
    """
    positive = [x for x in numbers if x > 0]
    if numbers[0] < 0 or not positive or positive[-1] < LOG_RATIO * positive[0]:
        return "linear"
    return "log" if numbers[0] > 0 else "symlog"


def linear_threshold(x):
    """Return where a "symlog" axis turns linear: 0 is then a decade away from it."""
    return min(x[x > 0])


def _places_beyond(numbers, labels, scale):
    """Return places after sorted numbers; labels: the last number's, then theirs."""
    letters = np.array([len(label) for label in labels])
    room = STEP_BEYOND + LETTER * (letters[:-1] + letters[1:]) / 2
    steps = np.cumsum(np.minimum(room, LARGEST_STEP))
    if scale == "linear":
        return numbers[-1] + steps * (numbers[-1] - numbers[0])
    first = numbers[0] if scale == "log" else linear_threshold(numbers) / 10
    return numbers[-1] * (numbers[-1] / first) ** steps


def default_parameter(params):
    """Return the parameter with most distinct candidates, the first of several.

    >>> default_parameter([{"power": 1, "n_neighbors": k} for k in range(1, 9)])
    'n_neighbors'
    """
    return max(params[0], key=lambda name: len(distinct([p[name] for p in params])))


def other_parameters(params, parameter):
    """Return the names of the other parameters that have more than one candidate."""
    return [
        name
        for name in params[0]
        if name != parameter and len(distinct([p[name] for p in params])) > 1
    ]


def group_by(params, names):
    """Return groups of candidates that are alike in some parameters, in their order.

    Returns
    -------
    list of (tuple, int array)
        Their values, and which candidates have them.

    Examples
    --------
    >>> group_by([{"p": 2, "k": 1}, {"p": 1, "k": 1}, {"p": 2, "k": 3}], ["p"])
    [((1,), array([1])), ((2,), array([0, 2]))]
    """
    place_of = {
        name: {
            identity(v): i for i, v in enumerate(distinct([p[name] for p in params]))
        }
        for name in names
    }
    groups = {}
    for index, candidate in enumerate(params):
        key = tuple(place_of[name][identity(candidate[name])] for name in names)
        groups.setdefault(key, []).append(index)
    return [
        (tuple(params[groups[key][0]][name] for name in names), np.array(groups[key]))
        for key in sorted(groups)
    ]


def distinct(values):
    """Return the distinct values: numbers by size, infinity, None, categories.

    >>> distinct([None, 5, "laplace", 1.0, 1, float("inf")])
    [1.0, 5, inf, None, 'laplace']
    """
    firsts = {}
    for value in values:
        firsts.setdefault(identity(value), value)
    return sorted(firsts.values(), key=_order)


def identity(value):
    """Return a key that equal candidates share; arrays and lists have one too."""
    value = _plain(value)
    return repr(float(value) if _is_number(value) else value)


def label_of(value, parameter=None):
    """Return how a candidate is written at an axis or in a legend.

    >>> label_of(0.1 + 0.2), label_of(20000.0), label_of(None, "n_neighbors")
    ('0.3', '20000', 'all')
    """
    value = _plain(value)
    if value is None:
        return WORDS_FOR_NONE.get(parameter, "None")
    if isinstance(value, float):
        return label_of_number(value)
    text = value if isinstance(value, str) else getattr(value, "__name__", repr(value))
    return text if len(text) <= LONGEST_LABEL else f"{text[: LONGEST_LABEL - 1]}…"


def label_of_number(value):
    """Return a number with four digits that count, or whole."""
    if np.isinf(value):
        return "∞" if value > 0 else "-∞"
    return f"{value:.0f}" if 1e4 <= abs(value) < 1e7 else f"{value:.4g}"


def label_of_score(mean, error):
    """Return a score with its standard error, as finely as that is known.

    >>> label_of_score(0.50512, 0.0213), label_of_score(0.50512, float("nan"))
    ('0.505 ± 0.021', '0.5051')
    """
    if not (np.isfinite(error) and error > 0):
        return f"{mean:.4g}"
    if not SMALLEST_DECIMAL <= max(error, abs(mean)) < LARGEST_DECIMAL:
        return f"{mean:.3g} ± {error:.2g}"
    digits = int(np.clip(1 - np.floor(np.log10(error)), 0, 6))
    return f"{mean:.{digits}f} ± {error:.{digits}f}"


def is_finite(value):
    """Tell whether a candidate is a finite number; True and False are none."""
    return _is_number(value) and bool(np.isfinite(value))


def _is_number(value):
    return isinstance(value, Real) and not isinstance(value, bool | np.bool_)


def _is_end(value):
    return value is None or (_is_number(value) and value == np.inf)


def _order(value):
    if is_finite(value):
        return 0, float(value)
    return (1 + (value is None) if _is_end(value) else 3), 0.0


def _plain(value):
    """Return NumPy's scalars and arrays as Python's."""
    return value.tolist() if isinstance(value, np.ndarray | np.generic) else value

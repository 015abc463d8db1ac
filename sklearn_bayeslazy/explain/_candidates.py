"""The positions of a parameter's candidates along an axis, and their tick labels.

A candidate is a number; or None or infinity, the end of a numeric scale; or a category.
Numbers have a linear or logarithmic scale. All other candidates come after them, each
with a tick. With fewer than two numbers there is no scale, and all candidates are
categories at equal distances. Nothing is drawn here.
"""

from dataclasses import dataclass
from numbers import Integral, Real

import numpy as np
from sklearn.pipeline import Pipeline
from sklearn.utils.validation import check_is_fitted

# Positive numbers have a logarithmic axis if their largest is at least this many times
# their smallest.
MIN_RATIO_OF_LOG_SCALE = 100
# The distance between candidates after the numbers, as a share of the numbers' range:
# for each label, for each letter between the centres of two labels, and at most.
STEP_PER_LABEL, STEP_PER_LETTER, MAX_STEP = 0.05, 0.018, 0.25
# What None means as the value of a parameter.
LABELS_FOR_NONE = {"n_neighbors": "all"}
MAX_LABEL_LENGTH = 24
# Scores outside this range are written with powers of ten.
MIN_DECIMAL, MAX_DECIMAL = 1e-3, 1e7


@dataclass(frozen=True)
class AxisLayout:
    """The positions of candidates along an axis."""

    # All arrays have the shape (n_candidates,).
    x: np.ndarray
    on_scale: np.ndarray  # bool: numbers on a numeric scale
    at_end: np.ndarray  # bool: None or infinity, at the end of a numeric scale
    scale: str  # "linear", "log", "symlog" or "category"
    ticks: list  # of (position, label), of the candidates that are not on the scale


def axis_layout(values, parameter=None):
    """Return the `AxisLayout` of candidates along the axis of their parameter.

    >>> layout = axis_layout([1, 11, None], "n_neighbors")
    >>> layout.x.round().tolist(), layout.scale, layout.ticks[0][1]
    ([1.0, 11.0, 12.0], 'linear', 'all')
    """
    # parameter: its name, which may give None a label.
    ordered = sorted_distinct(values)
    numbers = np.array([float(value) for value in ordered if is_finite(value)])
    if len(numbers) < 2:
        numbers, scale = numbers[:0], "category"
        positions = np.arange(float(len(ordered)))
    else:
        scale = scale_of(numbers)
        labels = [label_of(value, parameter) for value in ordered[len(numbers) - 1 :]]
        positions = np.concatenate([numbers, _positions_after(numbers, labels, scale)])
    others = list(zip(positions.tolist(), ordered))[len(numbers) :]
    numeric = scale != "category"
    return AxisLayout(
        x=positions[ranks(values)],
        on_scale=np.array([numeric and is_finite(value) for value in values]),
        at_end=np.array([numeric and _is_end_of_scale(value) for value in values]),
        scale=scale,
        ticks=[(x, label_of(value, parameter)) for x, value in others],
    )


def scale_of(numbers):
    """Return the scale on which sorted numbers can be distinguished.

    >>> scale_of([1, 50]), scale_of([0.01, 10_000]), scale_of([0, 0.01, 100])
    ('linear', 'log', 'symlog')
    """
    positive = [x for x in numbers if x > 0]
    if (
        numbers[0] < 0
        or not positive
        or positive[-1] < MIN_RATIO_OF_LOG_SCALE * positive[0]
    ):
        return "linear"
    return "log" if numbers[0] > 0 else "symlog"


def linear_threshold(x):
    """Return the smallest positive number: below it a "symlog" axis is linear."""
    return min(x[x > 0])


def _positions_after(numbers, labels, scale):
    """Return positions after sorted numbers."""
    # labels: of the last number, then of each position.
    letters = np.array([len(label) for label in labels])
    step = STEP_PER_LABEL + STEP_PER_LETTER * (letters[:-1] + letters[1:]) / 2
    steps = np.cumsum(np.minimum(step, MAX_STEP))
    if scale == "linear":
        return numbers[-1] + steps * (numbers[-1] - numbers[0])
    first = numbers[0] if scale == "log" else linear_threshold(numbers) / 10
    return numbers[-1] * (numbers[-1] / first) ** steps


def default_parameter(params):
    """Return the first parameter with the largest number of distinct candidates.

    >>> default_parameter([{"power": 1, "n_neighbors": k} for k in range(1, 9)])
    'n_neighbors'
    """
    return max(params[0], key=lambda name: _n_distinct(params, name))


def other_parameters(params, parameter):
    """Return the names of the other parameters that have more than one candidate."""
    others = [name for name in params[0] if name != parameter]
    return [name for name in others if _n_distinct(params, name) > 1]


def _n_distinct(params, name):
    return len(sorted_distinct([candidate[name] for candidate in params]))


def group_by(params, names):
    """Return groups of candidates with equal values of some parameters, sorted.

    >>> group_by([{"p": 2, "k": 1}, {"p": 1, "k": 1}, {"p": 2, "k": 3}], ["p"])
    [((1,), array([1])), ((2,), array([0, 2]))]
    """
    # A group: the values, and the indices of the candidates that have them.
    ranks_of = [ranks([candidate[name] for candidate in params]) for name in names]
    groups = {}
    for index in range(len(params)):
        groups.setdefault(tuple(r[index] for r in ranks_of), []).append(index)
    return [
        (tuple(params[rows[0]][name] for name in names), np.array(rows))
        for _, rows in sorted(groups.items())
    ]


def ranks(values):
    """Return the position of each value among the sorted distinct ones.

    >>> ranks([10, None, 2.5, 10.0])
    [1, 2, 0, 1]
    """
    rank_of = {_key(value): i for i, value in enumerate(sorted_distinct(values))}
    return [rank_of[_key(value)] for value in values]


def sorted_distinct(values):
    """Return the distinct values: sorted numbers, infinity, None, categories.

    >>> sorted_distinct([None, 5, "laplace", 1.0, 1, float("inf")])
    [1.0, 5, inf, None, 'laplace']
    """
    firsts = {}
    for value in values:
        firsts.setdefault(_key(value), value)
    return sorted(firsts.values(), key=_sort_key)


def _key(value):
    """Return a hashable key that equal candidates share, arrays and lists included."""
    value = _as_python(value)
    return repr(float(value) if _is_number(value) else value)


def label_of(value, parameter=None):
    """Return the label of a candidate on an axis or in a legend.

    >>> label_of(0.1 + 0.2), label_of(20000.0), label_of(None, "n_neighbors")
    ('0.3', '20000', 'all')
    """
    value = _as_python(value)
    if value is None:
        return LABELS_FOR_NONE.get(parameter, "None")
    if isinstance(value, float):
        return label_of_number(value)
    text = value if isinstance(value, str) else getattr(value, "__name__", repr(value))
    return text if len(text) <= MAX_LABEL_LENGTH else f"{text[: MAX_LABEL_LENGTH - 1]}…"


def label_of_number(value):
    """Return a number with four significant digits, or rounded to an integer."""
    if np.isinf(value):
        return "∞" if value > 0 else "-∞"
    return f"{value:.0f}" if 1e4 <= abs(value) < 1e7 else f"{value:.4g}"


def label_of_score(mean, error):
    """Return a score with its standard error, with the digits that the error allows.

    >>> label_of_score(0.50512, 0.0213), label_of_score(0.50512, float("nan"))
    ('0.505 ± 0.021', '0.5051')
    """
    if not (np.isfinite(error) and error > 0):
        return f"{mean:.4g}"
    if not MIN_DECIMAL <= max(error, abs(mean)) < MAX_DECIMAL:
        return f"{mean:.3g} ± {error:.2g}"
    digits = int(np.clip(1 - np.floor(np.log10(error)), 0, 6))
    return f"{mean:.{digits}f} ± {error:.{digits}f}"


def is_finite(value):
    """Return whether a candidate is a finite number; True and False are not."""
    return _is_number(value) and bool(np.isfinite(value))


def _is_number(value):
    return isinstance(value, Real) and not isinstance(value, bool | np.bool_)


def _is_end_of_scale(value):
    return value is None or (_is_number(value) and value == np.inf)


def _sort_key(value):
    if is_finite(value):
        return 0, float(value)
    return (1 + (value is None) if _is_end_of_scale(value) else 3), 0.0


def _as_python(value):
    """Return NumPy scalars and arrays as Python objects."""
    return value.tolist() if isinstance(value, np.ndarray | np.generic) else value


# Reads the leave-one-out scores of a fitted estimator, or explains their absence.
#
# ``loo_results_`` holds the scores of the parameters. ``loo_columns_`` of MEstimateNB
# holds, for each column, those of its distributions.


def final_step(estimator):
    """Return the estimator, or the last step of a pipeline, checked to be fitted."""
    if isinstance(estimator, Pipeline):
        estimator = estimator.steps[-1][1]
    check_is_fitted(estimator)
    return estimator


def stored_results(estimator):
    """Return the ``loo_results_`` of a fitted estimator, or raise a ValueError."""
    # The error names the parameters to set to "loo".
    results = getattr(estimator, "loo_results_", None)
    if results and results.get("params") and score_names(results):
        return results
    name = type(estimator).__name__
    tunable = parameters_that_take_loo(estimator)
    if not tunable:
        raise ValueError(
            f"{name} has no loo_results_: none of its parameters can be chosen by "
            "leave-one-out."
        )
    raise ValueError(
        f"{name} has no loo_results_: its last fit chose nothing by leave-one-out. "
        f'Set {" or ".join(tunable)} to "loo" and call fit.'
    )


def column_results(estimator, column):
    """Return the results for the distribution of one column, and the column's name."""
    # estimator: fitted MEstimateNB; column: index or name. A ValueError if there is no
    # such column, or its distribution was not chosen.
    stored = getattr(estimator, "loo_columns_", None) or []
    names = list(getattr(estimator, "feature_names_in_", range(len(stored))))
    chosen = [name for name, results in zip(names, stored) if results]
    if not chosen:
        raise ValueError(
            f"column={column!r}: {type(estimator).__name__} did not choose the "
            "distribution of any column by leave-one-out: fit "
            'MEstimateNB(distribution="loo").'
        )
    by_index = isinstance(column, Integral) and 0 <= column < len(names)
    name = names[column] if by_index else column
    if name not in chosen:
        raise ValueError(
            f"column={column!r} has no distribution that leave-one-out chose: pass a "
            f"column of those that have, which are {chosen}."
        )
    return stored[names.index(name)], str(name)


def check_parameter(parameter, estimator, params):
    """Raise a ValueError if the candidates do not have the parameter."""
    if parameter in params[0]:
        return
    message = (
        f"The candidates have the parameters {list(params[0])}, not "
        f"parameter={parameter!r}."
    )
    if getattr(estimator, "loo_columns_", None):
        message += " For the distribution of one column, pass column=."
    raise ValueError(message)


def score_of(estimator, results, score=None):
    """Return the name of the score to draw: the given one, or the one that decided."""
    # A ValueError if the given score was not stored.
    names = score_names(results)
    if score is None:
        decisive = getattr(estimator, "loo_scoring", None)
        return decisive if decisive in names else names[0]
    if score not in names:
        raise ValueError(
            f"score={score!r} was not stored by {type(estimator).__name__}; the "
            f"stored scores are {names}."
        )
    return score


def score_names(results):
    """Return the names of the mean scores.

    >>> score_names({"params": [], "mean_accuracy": [], "mean_log_loss": []})
    ['accuracy', 'log_loss']
    """
    return [key[len("mean_") :] for key in results if key.startswith("mean_")]


def parameters_that_take_loo(estimator):
    """Return the parameters that the estimator can choose by leave-one-out.

    >>> from sklearn_bayeslazy import MEstimateNB
    >>> parameters_that_take_loo(MEstimateNB())
    ['m', 'distribution', 'feature_weights', 'n_bins', 'binning', 'var_smoothing']
    """
    constraints = getattr(estimator, "_parameter_constraints", {})
    return [
        name
        for name, allowed in constraints.items()
        if isinstance(allowed, list)
        and any("loo" in getattr(one, "options", ()) for one in allowed)
    ]

"""The choice among candidates by leave-one-out, for every parameter that takes "loo".

An estimator defines its candidates. For each candidate and each row it computes how
well the row is predicted from the other rows. This file checks candidates, draws the
rows, computes losses, and ranks the candidates.

A row is left out with all its weight w, and its loss has weight w. Copies of a row that
are left out together are one row by then; see `sklearn_bayeslazy.tabular.merge_copies`.
"""

from collections.abc import Iterable
from itertools import product
from numbers import Real

import numpy as np
from sklearn.utils import check_random_state

from .._core._parallel import cache_sized_slices
from .._core._warnings import warn_caller
from ..tabular import row_weight

# The log loss of a probability of 0 for the true class, instead of infinity: the
# convention of sklearn.metrics.log_loss for float64.
MAX_LOG_LOSS = -np.log(np.finfo(np.float64).eps)
# Numbers of rows are no larger or smaller weights, unless the numbers are so.
_MIN, _MAX = 1e-100, 1e100
# Decimals, of the largest, in which mean scores are compared.
_DECIMALS = 12
# Log likelihoods that differ by less are equal but for rounding.
_TIE = 1e-10
# Rows are left out in at most this number of steps, about 40 seconds, but at least
# `MIN_LEFT_OUT` rows. Docstrings of classifiers say it.
MAX_LEFT_OUT_STEPS, MIN_LEFT_OUT = 2**33, 500
_SECONDS = 40
# More of these steps are warned of: with all else the fit takes about a minute.
_LONG_SHARE = 0.9
# A classifier's ``loo_scoring`` as the `scoring` of :func:`rank_candidates`.
CLASSIFICATION_SCORING = {
    "log_loss": [("log_loss", -1)],
    "accuracy": [("accuracy", 1), ("log_loss", -1)],
}


def candidate_lists(defaults, given, allowed=None):
    """Return the candidates of each parameter: the default ones, or the user's.

    >>> candidate_lists({"n_neighbors": [1, 3], "power": [1, 2]}, {"power": [4]})
    {'n_neighbors': [1, 3], 'power': [4]}
    """
    # defaults: {parameter: candidates} of all that can be chosen. given: the user's
    # `loo_candidates`, None or such a dict. allowed: {parameter: (is_allowed,
    # description)}, a function that returns whether a value is usable, and a
    # description of the usable values for the error; by default all are.
    lists = {parameter: list(values) for parameter, values in defaults.items()}
    for parameter, values in (given or {}).items():
        if parameter not in defaults:
            raise ValueError(
                f"loo_candidates names {parameter!r}; the parameters that can be "
                f"chosen by leave-one-out are {sorted(defaults)}."
            )
        if isinstance(values, str) or not isinstance(values, Iterable):
            raise ValueError(
                f"loo_candidates[{parameter!r}] must be a list, got {values!r}."
            )
        # A float32 overflows where it is compared with large numbers.
        lists[parameter] = [
            float(value) if isinstance(value, np.floating) else value
            for value in values
        ]
        if not lists[parameter]:
            raise ValueError(f"loo_candidates[{parameter!r}] is empty.")
        if parameter in (allowed or {}):
            is_allowed, description = allowed[parameter]
            for value in lists[parameter]:
                if not _is_usable(is_allowed, value):
                    raise ValueError(
                        f"loo_candidates[{parameter!r}] holds {value!r}: give "
                        f"{description}."
                    )
    return lists


def _is_usable(is_allowed, value):
    """Return whether a candidate is allowed; no object that cannot be compared is."""
    try:
        if isinstance(value, Real):
            float(value)
        return bool(is_allowed(value))
    except (TypeError, ValueError, OverflowError):  # arrays, pandas.NA, 10**400
        return False


def candidate_grid(defaults, given, allowed):
    """Return the joint grid of the candidates; raise an error for unusable given ones.

    >>> allowed = {"k": (lambda k: k >= 1, "numbers ≥ 1")}
    >>> candidate_grid({"k": [1, 2]}, None, allowed)
    [{'k': 1}, {'k': 2}]
    """
    # defaults, given, allowed: as in `candidate_lists`.
    lists = candidate_lists(defaults, given, allowed)
    return [dict(zip(lists, values)) for values in product(*lists.values())]


def in_rows(candidates, weight):
    """Return numbers of rows as total weights.

    >>> in_rows([1, 2, 4], np.array([2.5, 2.5]))
    [2.5, 5.0, 10.0]
    """
    unit = row_weight(weight)
    if unit == 1:
        return list(candidates)
    return [float(np.clip(n * unit, min(n, _MIN), max(n, _MAX))) for n in candidates]


def whole_in_rows(ks, weight):
    """Return numbers of rows as whole total weights, from 1.

    >>> whole_in_rows([1, 2, 4, 8], np.array([0.3, 0.3]))
    [1, 2]
    """
    return sorted({max(round(k), 1) for k in in_rows(ks, weight)})


def is_loo(value):
    """Return whether a parameter, which may be an array, is "loo"."""
    return isinstance(value, str) and value == "loo"


def tuned_names(given):
    """Return the names of the parameters {name: value} that are "loo"."""
    return [name for name, value in given.items() if is_loo(value)]


def check_rows_remain(n_rows, tuned):
    """Raise an error if there are fewer than two rows to choose parameters from."""
    if n_rows < 2:
        raise ValueError(
            "Leave-one-out needs two rows of weight above 0, got "
            f"n_samples = {n_rows}: set {' and '.join(tuned)} to other values than "
            "'loo'."
        )


def check_others_remain(n_rows):
    """Raise an error if there are no others to predict training rows from."""
    if n_rows < 2:
        raise ValueError(
            "X=None predicts each training row from the others, and there are none: "
            "give X, or fit two rows of weight above 0."
        )


def check_same_choices(choices):
    """Raise an error unless two models that are to be merged have the same choices."""
    # choices: [(name, choice of the first model, choice of the second)].
    for name, first, second in choices:
        if not np.array_equal(first, second):
            raise ValueError(
                f"The two models differ in {name}: {first!s:.200} and {second!s:.200}, "
                "chosen by leave-one-out or given. Give both one value, or start each "
                "by partial_fit on the same batch."
            )


def most_rows(max_rows, steps_per_row, n_rows):
    """Return the maximum number of rows to leave out: fewer if each takes long.

    >>> most_rows(10_000, 2**18, 20_000), most_rows(10_000, 2**20, 900)
    (10000, 8192)
    """
    # max_rows: the user's `loo_max_samples`, None for all rows, whatever they take.
    # steps_per_row: candidates times columns times classes, say; n_rows: of the table.
    # If all this takes about a minute, or longer, there is a warning.
    most = max_rows
    if max_rows is not None:
        affordable = int(MAX_LEFT_OUT_STEPS // max(steps_per_row, 1))
        most = min(max_rows, max(affordable, MIN_LEFT_OUT))
    n_steps = steps_per_row * (n_rows if most is None else min(most, n_rows))
    if n_steps > _LONG_SHARE * MAX_LEFT_OUT_STEPS:
        minutes = max(n_steps / MAX_LEFT_OUT_STEPS * _SECONDS / 60, 1.0)
        warn_caller(
            f"The choice of parameters by leave-one-out may take {minutes:.0f} min "
            "or longer for this many classes and columns. It takes less with fewer "
            "loo_candidates, or with values in place of 'loo'."
        )
    return most


def rows_to_leave_out(n_rows, max_rows, random_state):
    """Return the rows that are left out one by one: all, or a random subset."""
    # In increasing order. max_rows: None for all.
    if max_rows is None or n_rows <= max_rows:
        return np.arange(n_rows)
    rng = check_random_state(random_state)
    return np.sort(rng.choice(n_rows, size=int(max_rows), replace=False))


def classification_losses(joint, classes, log_prior):
    """Return the log loss and the correctness of each row, two arrays (..., n)."""
    # joint: (..., n, n_classes), joint log likelihoods, or scores; classes of score
    # +inf share the probability 1. classes: (n,), the true ones. log_prior, broadcast
    # to `joint`: the prediction for rows to which every class gives probability 0.
    gaps, _ = gaps_by_class(joint, log_prior)
    correct = first_of_largest(gaps) == classes
    return log_losses(gaps, classes), correct.astype(np.float64)


def gaps_by_class(joint, log_prior):
    """Return each class's score minus the largest of its row, and impossible rows."""
    # joint: (..., n, n_classes); log_prior, broadcast to it: see
    # `classification_losses`.
    # gaps: (..., n_classes, n), one row per class: sums over classes then run over long
    # rows. impossible: bool (..., n), whether every class gave probability 0, so that
    # the gaps are of the prior.
    gaps = np.array(np.swapaxes(joint, -1, -2), order="C")
    largest = gaps.max(axis=-2, keepdims=True)
    impossible = np.isneginf(largest)
    if impossible.any():
        prior = np.swapaxes(np.broadcast_to(log_prior, joint.shape), -1, -2)
        gaps = np.where(impossible, prior, gaps)
        largest = gaps.max(axis=-2, keepdims=True)
    certain = largest == np.inf
    if certain.any():
        gaps = np.where(certain, np.where(gaps == np.inf, 0.0, -np.inf), gaps)
        largest[certain] = 0.0
    gaps -= largest
    return gaps, impossible[..., 0, :]


def first_of_largest(gaps):
    """Return the first class of gap 0 of each row, from gaps (..., n_classes, n)."""
    # A rounding error, which a factor of all weights changes, must not decide.
    first = np.zeros(gaps.shape[:-2] + gaps.shape[-1:], dtype=np.int64)
    for c in range(gaps.shape[-2] - 1, -1, -1):  # many times faster than argmax
        first[gaps[..., c, :] >= -_TIE] = c
    return first


def log_losses(gaps, classes):
    """Return the log loss of each row from gaps, which it overwrites."""
    # gaps: (..., n_classes, n); classes: (n,).
    true_gap = gaps[..., classes, np.arange(gaps.shape[-1])]
    with np.errstate(divide="ignore"):
        log_loss = np.log(np.exp(gaps, out=gaps).sum(axis=-2)) - true_gap
    return np.minimum(log_loss, MAX_LOG_LOSS)


def rank_candidates(candidates, scores, weight, scoring, last=None):
    """Return the index of the best candidate and the ``loo_results_`` of all."""
    # scores: {name: (n_candidates, n)}, each row's score under each candidate; weight:
    # (n,).
    # scoring: the (name, sign) that decide, in order of precedence; sign 1 if larger is
    # better, -1 if smaller is. Of candidates that tie in all scores the one with the
    # smallest `last` (n_candidates,) wins, or the first.
    # results: "params"; for each score "mean_..." and "standard_error_...",
    # (n_candidates,); "rank", 1 for the best.
    return rank_means(candidates, mean_scores(scores, weight), scoring, last)


def rank_means(candidates, means, scoring, last=None):
    """Return the same as `rank_candidates`, from what `mean_scores` returns."""
    order = candidate_order(
        {name: means[f"mean_{name}"] for name, _ in scoring}, scoring, last
    )
    rank = np.empty(len(candidates), dtype=int)
    rank[order] = np.arange(1, len(candidates) + 1)
    return int(order[0]), {"params": list(candidates), **means, "rank": rank}


def mean_scores(scores, weight):
    """Return "mean_..." and "standard_error_..." of each score, by name."""
    # scores: {name: (n_candidates, n)}; weight: (n,). Results: (n_candidates,).
    means, total = {}, weight.sum()
    for name, values in scores.items():
        mean, deviation = np.empty((2, len(values)))
        with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
            for here in cache_sized_slices(range(len(values)), len(weight)):
                # Not a matrix product: it may round the sums of equal candidates
                # differently.
                mean[here] = np.sum(values[here] * weight, axis=1) / total
                squares = (values[here] - mean[here, None]) ** 2
                deviation[here] = np.sum(squares * weight, axis=1)
            variance = np.where(total > 1, deviation / (total - 1) / total, np.nan)
        means[f"mean_{name}"] = mean
        means[f"standard_error_{name}"] = np.sqrt(variance)
    return means


def candidate_order(means, scoring, last=None):
    """Return the indices of candidates from the best to the worst.

    >>> candidate_order({"log_loss": np.array([0.5, 0.3, 0.3])}, [("log_loss", -1)])
    array([1, 2, 0])
    """
    # means: {name: (..., n_candidates)}, mean scores, or sums over the same rows;
    # scoring: as in `rank_candidates`.
    # Means that differ only by the rounding of their sums tie: the order of the rows
    # must not decide. Candidates that tie in all scores are ordered by `last`
    # (n_candidates,), or as they are given.
    keys = [-sign * _round(means[name]) for name, sign in reversed(scoring)]
    return np.lexsort(keys if last is None else [last, *keys])


def _round(means):
    """Return means rounded to `_DECIMALS` of the largest finite one."""
    finite = np.isfinite(means)
    largest = np.max(np.abs(means), -1, initial=0.0, where=finite, keepdims=True)
    return np.round(means / np.where(largest > 0, largest, 1.0), _DECIMALS)


# What the choice itself adds to the error.

# The rows are put into this number of groups.
_N_GROUPS = 10


def loss_groups(losses):
    """Return a group for each row, so that all groups have alike losses."""
    # losses: (n_candidates, n).
    rank = np.empty(losses.shape[1], dtype=np.int64)
    rank[np.argsort(losses.mean(axis=0), kind="stable")] = np.arange(len(rank))
    return rank % _N_GROUPS


def group_sums(losses, weight, groups):
    """Return the weighted sums of each group's losses and of their square roots."""
    # losses: (n_candidates, n), squared errors. The result is (n_candidates, 2,
    # n_groups), infinite for a candidate without a prediction for some row.
    of_group = (groups[:, None] == np.arange(_N_GROUPS)) * weight[:, None]
    sums = np.full((len(losses), 2, _N_GROUPS), np.inf)
    usable = np.isfinite(losses).all(axis=1)
    with np.errstate(over="ignore", invalid="ignore"):  # of huge weights
        sums[usable, 0] = losses[usable] @ of_group
        sums[usable, 1] = np.sqrt(losses[usable]) @ of_group
    return sums


def choice_inflation(sums):
    """Return the factor of errors that have chosen the best candidate.

    The rows that choose a candidate are predicted better by it than new rows. So each
    group of rows is also predicted by the candidate that the other groups choose. Here
    the first group errs twice as much by the choice of the second, which errs as much:

    >>> squares = np.array([[1.0, 4.0], [4.0, 1.5]])
    >>> sums = np.stack([squares, np.sqrt(squares)], axis=1)
    >>> round(choice_inflation(sums), 3)  # √(2 · 1)
    1.414

    This is a geometric mean, and errors are compared by their sizes, since one row
    whose prediction by a candidate is far off must not widen the bounds of all.
    """
    # sums: (n_candidates, 2, n_groups), of squared errors, by which candidates are
    # chosen, and of sizes of errors.
    squares, sizes = sums.swapaxes(0, 1)
    total = squares.sum(axis=1)
    usable = np.where(np.isfinite(total), total, np.inf)[:, None]
    others = np.argmin(usable - np.where(np.isfinite(usable), squares, 0.0), axis=0)
    best, honest = sizes[np.argmin(total)], sizes[others, np.arange(sizes.shape[1])]
    known = (best > 0) & (honest > 0) & np.isfinite(best) & np.isfinite(honest)
    ratio = np.log(honest[known]) - np.log(best[known])
    return max(float(np.exp(ratio.mean())), 1.0) if len(ratio) else 1.0

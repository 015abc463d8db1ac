"""Reads the leave-one-out scores of a fitted estimator, or explains their absence.

``loo_results_`` holds the scores of the parameters. ``loo_columns_`` of MEstimateNB
holds, for each column, those of its distributions.
"""

from numbers import Integral

from sklearn.pipeline import Pipeline
from sklearn.utils.validation import check_is_fitted


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

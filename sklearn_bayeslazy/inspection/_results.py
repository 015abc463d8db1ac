"""Finds the scores that a choice by leave-one-out left behind, or says why it cannot.

``loo_results_`` holds those of the parameters; ``loo_columns_`` of MEstimateNB holds,
for each column, those of its distributions.
"""

from numbers import Integral

from sklearn.pipeline import Pipeline
from sklearn.utils.validation import check_is_fitted


def last_step(estimator):
    """Return the estimator that chose: of a pipeline the last step; checked as fitted.

    Raises
    ------
    NotFittedError
    """
    if isinstance(estimator, Pipeline):
        estimator = estimator.steps[-1][1]
    check_is_fitted(estimator)
    return estimator


def kept_results(estimator):
    """Return the ``loo_results_`` of a fitted estimator.

    Raises
    ------
    ValueError
        Where there are none; it tells how to come by them.
    """
    results = getattr(estimator, "loo_results_", None)
    if results and results.get("params") and score_names(results):
        return results
    name = type(estimator).__name__
    could = parameters_that_take_loo(estimator)
    if not could:
        raise ValueError(
            f"{name} has no loo_results_: none of its parameters can be chosen by "
            "leave-one-out."
        )
    raise ValueError(
        f"{name} has no loo_results_: when it last learnt, nothing was chosen by "
        f'leave-one-out. Set {" or ".join(could)} to "loo" and call fit.'
    )


def column_results(estimator, column):
    """Return what leave-one-out found for the distribution of one column, and its name.

    Parameters
    ----------
    estimator : MEstimateNB
        Fitted.
    column : int or str

    Raises
    ------
    ValueError
        Where there is no such column, or it had no choice.
    """
    kept = getattr(estimator, "loo_columns_", None) or []
    names = list(getattr(estimator, "feature_names_in_", range(len(kept))))
    chosen = [name for name, results in zip(names, kept) if results]
    if not chosen:
        raise ValueError(
            f"column={column!r}: {type(estimator).__name__} chose no column's "
            'distribution by leave-one-out; MEstimateNB(distribution="loo") does.'
        )
    by_place = isinstance(column, Integral) and 0 <= column < len(names)
    name = names[column] if by_place else column
    if name not in chosen:
        raise ValueError(
            f"column={column!r} is none whose distribution leave-one-out chose; these "
            f"are {chosen}."
        )
    return kept[names.index(name)], str(name)


def check_parameter(parameter, estimator, params):
    """Raise a ValueError if the candidates have no such parameter."""
    if parameter in params[0]:
        return
    message = f"The candidates have {list(params[0])}, not parameter={parameter!r}."
    if getattr(estimator, "loo_columns_", None):
        message += " For the distribution of one column, give column=."
    raise ValueError(message)


def score_of(estimator, results, score=None):
    """Return the score to be shown: the one asked for, or the one that decided.

    Raises
    ------
    ValueError
        Where the scores asked for were not kept.
    """
    names = score_names(results)
    if score is None:
        decided = getattr(estimator, "loo_scoring", None)
        return decided if decided in names else names[0]
    if score not in names:
        raise ValueError(
            f"score={score!r} was not kept by {type(estimator).__name__}; there "
            f"{'is' if len(names) == 1 else 'are'} {names}."
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
    ['m', 'distribution']
    """
    constraints = getattr(estimator, "_parameter_constraints", {})
    return [
        name
        for name, allowed in constraints.items()
        if isinstance(allowed, list)
        and any("loo" in getattr(one, "options", ()) for one in allowed)
    ]

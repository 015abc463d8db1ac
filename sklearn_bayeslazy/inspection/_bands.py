"""Computes a local regression's answers and bands along one column; draws nothing."""

from numbers import Integral

import numpy as np
from scipy import stats
from sklearn.utils.validation import (
    check_consistent_length,
    check_is_fitted,
    validate_data,
)


def bands_along(estimator, X, y, feature, target, coverage, grid_resolution):
    """Return what a RegressionBandDisplay holds, by the names of its parameters.

    The parameters are those of its ``from_estimator``, which says what is raised.
    """
    _check_estimator(estimator)
    if not isinstance(grid_resolution, Integral) or grid_resolution < 2:
        raise ValueError(
            f"grid_resolution={grid_resolution!r}: give an integer of 2 at least."
        )
    rows = validate_data(estimator, X, dtype=np.float64, reset=False)
    index, name = _column_of(estimator, feature)
    column = rows[:, index]
    grid = np.tile(np.median(rows, axis=0), (grid_resolution, 1))
    grid[:, index] = np.linspace(column.min(), column.max(), grid_resolution)
    answers, *bounds = bands_at(estimator, _in_kind_of(X, grid), coverage)
    if answers.ndim == 1:
        answers, bounds = answers[:, None], [one[..., None] for one in bounds]
    n_outputs = answers.shape[1]
    target = _check_target(target, n_outputs)
    confidence, prediction = (one[..., target] for one in bounds)
    return {
        "x": grid[:, index],
        "answer": answers[:, target],
        "confidence": confidence,
        "prediction": prediction,
        "coverage": coverage,
        "feature_name": name,
        "target_name": _name_of_target(y, target, n_outputs),
        "observations": _observations(column, y, target, n_outputs),
    }


def bands_at(estimator, X, coverage=0.95):
    """Return answers, and bounds of their confidence and of new observations.

    Returns
    -------
    answers : ndarray of shape (n,) or (n, n_outputs)
    confidence, prediction : ndarrays of shape (2, n) or (2, n, n_outputs)

    Examples
    --------
    The mean of two rows, 0 and 2, is 1. The noise has s² = 2 by one degree of freedom,
    whose t-quantile of 3/4 is 1. So the mean is known by ± √(s²/2) = 1, and a new
    observation by ± √(s² + s²/2) = √3.

    >>> from sklearn_bayeslazy import LocallyWeightedRegressor
    >>> mean = LocallyWeightedRegressor(0, n_neighbors=2.0, kernel="uniform")
    >>> answers, confidence, prediction = bands_at(
    ...     mean.fit([[0.0], [1.0]], [0.0, 2.0]), [[0.5]], coverage=1 / 2
    ... )
    >>> answers.round(12), confidence.ravel().round(12) + 0
    (array([1.]), array([0., 2.]))
    >>> ((prediction.ravel() - 1) ** 2).round(12)
    array([3., 3.])
    """
    prediction = estimator.prediction_interval(X, coverage)  # which checks coverage
    answers, std = estimator.predict(X, return_std=True)
    reach = stats.t.ppf((1 + coverage) / 2, estimator.residual_dof_) * std
    return answers, np.stack([answers - reach, answers + reach]), np.stack(prediction)


def _check_estimator(estimator):
    if not hasattr(estimator, "prediction_interval"):
        raise TypeError(
            f"estimator={type(estimator).__name__} has no prediction_interval: give a "
            "LocallyWeightedRegressor, and for a pipeline its last step with X as that "
            "step sees it."
        )
    check_is_fitted(estimator)


def _column_of(estimator, feature):
    """Return the place and the name of a column."""
    n = estimator.n_features_in_
    given = list(getattr(estimator, "feature_names_in_", []))
    names = given or [f"x{i}" for i in range(n)]
    if feature in given:
        return given.index(feature), feature
    if isinstance(feature, Integral) and 0 <= feature < n:
        return int(feature), names[feature]
    by_name = f", or a name of {given}" if given else ""
    raise ValueError(
        f"feature={feature!r} is no column: give an integer from 0 to {n - 1}{by_name}."
    )


def _check_target(target, n_outputs):
    """Return the place of an output; None is that of the only one."""
    if target is None and n_outputs == 1:
        return 0
    if isinstance(target, Integral) and 0 <= target < n_outputs:
        return int(target)
    raise ValueError(
        f"target={target!r} is no output of the estimator: give an integer from 0 to "
        f"{n_outputs - 1}."
    )


def _name_of_target(y, target, n_outputs):
    if n_outputs > 1:
        return f"y[{target}]"
    name = getattr(y, "name", None)  # a series has one
    return "y" if name is None else str(name)


def _in_kind_of(X, grid):
    """Return the grid as a frame if X is one, so that the estimator sees its names."""
    columns = getattr(X, "columns", None)
    return grid if columns is None else type(X)(dict(zip(columns, grid.T)))


def _observations(column, y, target, n_outputs):
    """Return the dots' coordinates, or None without targets."""
    if y is None:
        return None
    check_consistent_length(column, y)
    y = np.asarray(y, dtype=np.float64).reshape(len(column), -1)
    if y.shape[1] != n_outputs:
        raise ValueError(
            f"y has {y.shape[1]} outputs, but the estimator learnt {n_outputs}: give y "
            "as it was given to fit."
        )
    return np.stack([column, y[:, target]])

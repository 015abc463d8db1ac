"""The predictions and bands of a local regression along one column, not drawn."""

from numbers import Integral

import numpy as np
from scipy import stats
from sklearn.utils.validation import check_consistent_length, check_is_fitted

from ..tabular import check_rows


def bands_along(estimator, X, y, feature, target, coverage, grid_resolution):
    """Return the parameters of a RegressionBandDisplay, by name."""
    # Arguments and errors are those of `RegressionBandDisplay.from_estimator`.
    _check_estimator(estimator)
    if not isinstance(grid_resolution, Integral) or grid_resolution < 2:
        raise ValueError(f"grid_resolution={grid_resolution!r}: pass an integer ≥ 2.")
    rows = check_rows(estimator, X, dtype=np.float64, reset=False)
    index, name = _find_column(estimator, feature)
    column = rows[:, index]
    grid = np.tile(np.median(rows, axis=0), (grid_resolution, 1))
    grid[:, index] = np.linspace(column.min(), column.max(), grid_resolution)
    predicted, *bounds = bands_at(estimator, _like(X, grid), coverage)
    if predicted.ndim == 1:
        predicted, bounds = predicted[:, None], [band[..., None] for band in bounds]
    n_outputs = predicted.shape[1]
    target = _check_target(target, n_outputs)
    confidence, prediction = (band[..., target] for band in bounds)
    return {
        "x": grid[:, index],
        "answer": predicted[:, target],
        "confidence": confidence,
        "prediction": prediction,
        "coverage": coverage,
        "feature_name": name,
        "target_name": _name_of_target(y, target, n_outputs),
        "observations": _observations(column, y, target, n_outputs),
    }


def bands_at(estimator, X, coverage=0.95):
    """Return predictions, their confidence bands, and prediction intervals.

    >>> from sklearn_bayeslazy import LocallyWeightedRegressor
    >>> mean = LocallyWeightedRegressor(
    ...     0, n_neighbors=2.0, kernel="uniform", scale=None, ridge=0.0
    ... )
    >>> predicted, confidence, prediction = bands_at(
    ...     mean.fit([[0.0], [1.0]], [0.0, 2.0]), [[0.5]], coverage=1 / 2
    ... )
    >>> predicted.round(12), confidence.ravel().round(12) + 0
    (array([1.]), array([0., 2.]))
    >>> ((prediction.ravel() - 1) ** 2).round(12)
    array([3., 3.])
    """
    # predicted: (n,) or (n, n_outputs); confidence, prediction: lower and upper bounds,
    # (2, n) or (2, n, n_outputs).
    #
    # The example: the mean of two rows, 0 and 2, is 1. The noise has s² = 2 with one
    # degree of freedom, whose t-quantile at 3/4 is 1. So the confidence band of the
    # mean is ± √(s²/2) = 1, and the prediction interval ± √(s² + s²/2) = √3.
    prediction = estimator.prediction_interval(X, coverage)  # checks coverage, too
    predicted, std = estimator.predict(X, return_std=True)
    half_width = stats.t.ppf((1 + coverage) / 2, estimator.residual_dof_) * std
    confidence = np.stack([predicted - half_width, predicted + half_width])
    return predicted, confidence, np.stack(prediction)


def _check_estimator(estimator):
    if not hasattr(estimator, "prediction_interval"):
        raise TypeError(
            f"estimator={type(estimator).__name__} has no prediction_interval: pass a "
            "LocallyWeightedRegressor. For a pipeline pass its last step, with X as "
            "transformed by the other steps."
        )
    check_is_fitted(estimator)


def _find_column(estimator, feature):
    """Return the index and the name of a column."""
    n = estimator.n_features_in_
    given = list(getattr(estimator, "feature_names_in_", []))
    names = given or [f"x{i}" for i in range(n)]
    if feature in given:
        return given.index(feature), feature
    if isinstance(feature, Integral) and 0 <= feature < n:
        return int(feature), names[feature]
    by_name = f", or one of {given}" if given else ""
    raise ValueError(
        f"feature={feature!r} is not a column: pass an integer from 0 to {n - 1}"
        f"{by_name}."
    )


def _check_target(target, n_outputs):
    """Return the index of an output; None means the only output."""
    if target is None and n_outputs == 1:
        return 0
    if isinstance(target, Integral) and 0 <= target < n_outputs:
        return int(target)
    raise ValueError(
        f"target={target!r} is not an output of the estimator: pass an integer from 0 "
        f"to {n_outputs - 1}."
    )


def _name_of_target(y, target, n_outputs):
    if n_outputs > 1:
        return f"y[{target}]"
    name = getattr(y, "name", None)  # a series has one
    return "y" if name is None else str(name)


def _like(X, grid):
    """Return the grid as a frame if X is one, so that the estimator gets its names."""
    columns = getattr(X, "columns", None)
    return grid if columns is None else type(X)(dict(zip(columns, grid.T)))


def _observations(column, y, target, n_outputs):
    """Return the coordinates of the observations; None if y is None."""
    if y is None:
        return None
    check_consistent_length(column, y)
    y = np.asarray(y, dtype=np.float64).reshape(len(column), -1)
    if y.shape[1] != n_outputs:
        raise ValueError(
            f"y has {y.shape[1]} outputs, but the estimator was fitted to "
            f"{n_outputs}: pass y as it was passed to fit."
        )
    return np.stack([column, y[:, target]])

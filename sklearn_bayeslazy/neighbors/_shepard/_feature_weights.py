"""The weights of columns in Shepard's method: given, learnt, or by relevance."""

import numpy as np

from ..._core._arrays import check_feature_weights
from .._stretching import stretch


def given_feature_weights(given, n_features):
    """Return the weights of the columns that the user gives, one of them above 0."""
    weights = check_feature_weights(given, n_features)
    if not weights.any():
        raise ValueError(
            "feature_weights must be finite numbers ≥ 0, one of them above 0, got "
            f"{given!r}."
        )
    return weights


def learn_feature_weights(training, targets, kept, n_neighbors, rng, n_jobs):
    """Return the stretch of each column, as AxisStretcher learns it."""
    # training: `TrainingPoints`; kept: (n_features,), the columns to stretch; the
    # others get the weight 0.
    is_kept = kept[training.column_of]
    points = np.ascontiguousarray(np.asarray(training.points)[:, is_kept])
    column_of, queries = training.column_of[is_kept], None
    if training.left_out is not training.points:
        queries = np.ascontiguousarray(training.left_out[:, is_kept])
    scale = stretch(
        points,
        targets.stretching_targets(),
        targets.weight,
        column_of=None if queries is None else column_of,
        queries=queries,
        n_neighbors=n_neighbors,
        rng=rng,
        n_jobs=n_jobs,
    ).scale
    weights = np.zeros(len(kept))
    np.maximum.at(weights, column_of, scale)
    return weights if weights.any() else kept.astype(np.float64)

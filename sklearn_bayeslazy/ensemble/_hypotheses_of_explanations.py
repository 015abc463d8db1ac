"""Explanations of mixtures: the weighted probabilities of each hypothesis."""

import numpy as np

from ..explain import Explanation
from ..tabular import object_array


def explain_hypotheses(names, classes, weights, predictions):
    """Return the explanation of a mixture, a part for each hypothesis that counts."""
    # names: n_used strings; weights: (n_used,); predictions: n_used arrays of shape
    # (n_samples, n_classes).
    found = np.stack(predictions, axis=1)
    return Explanation(
        found * weights[:, None],
        np.zeros(found[:, 0].shape),
        classes,
        names=names,
        values=[labels_of_scores(classes, part) for part in found],
        unit="probability",
        part="hypothesis",
        base_name="(no hypothesis)",
    )


def labels_of_scores(classes, scores):
    """Return the class with the largest score of each part, as objects."""
    return object_array(classes[scores.argmax(axis=1)].tolist())

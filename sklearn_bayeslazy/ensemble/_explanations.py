"""Explanations of ensembles: what members and hypotheses contribute."""

import numpy as np

from ..explain import Explanation
from ..tabular import object_array


def explain_members(members, X, n_jobs):
    """Return the explanation of boosted classifiers, a part for each round."""
    # members: ClassifierMembers.
    staged = [votes.copy() for votes in members.staged_votes(X, n_jobs)]
    terms = np.stack(np.diff(staged, axis=0, prepend=0.0), axis=1)
    return Explanation(
        members.logits(terms),
        np.zeros_like(staged[0]),
        members.classes,
        names=[f"round {t}" for t in range(1, terms.shape[1] + 1)],
        values=[labels_of_scores(members.classes, part) for part in terms],
        part="round",
        base_name="(no rounds)",
    )


# Explanations of mixtures: the weighted predictions of each hypothesis.


def explain_mixture(
    names,
    outputs,
    weights,
    predictions,
    part="hypothesis",
    unit="probability",
    values=None,
):
    """Return the explanation of a weighted sum of predictions, by hypothesis."""
    # names: n_used strings; outputs: classes, or the numbers of targets; weights:
    # (n_used,); predictions: n_used arrays of shape (n_samples, n_outputs), of the
    # unit; part: what is mixed; values: of the parts of each row, by default the
    # classes that they predict.
    found = np.stack(predictions, axis=1)
    if values is None:
        values = [labels_of_scores(outputs, scores) for scores in found]
    return Explanation(
        found * weights[:, None],
        np.zeros(found[:, 0].shape),
        outputs,
        names=names,
        values=values,
        unit=unit,
        part=part,
        base_name=f"(no {part})",
    )


def labels_of_scores(classes, scores):
    """Return the class with the largest score of each part, as objects."""
    return object_array(classes[scores.argmax(axis=1)].tolist())

"""Explanations of ensembles: what columns, members and hypotheses contribute."""

import numpy as np

from ..explain import Cells, Explanation
from ..tabular import object_array


def explain_columns(members, X, table, names, n_jobs):
    """Return the explanation of boosted stumps or trees, a part for each column."""
    # members: StumpMembers; table: a Table of the same rows as X.
    terms, base = members.votes_by_column(table, n_jobs)
    return Explanation(
        members.logits(terms),
        members.logits(base),
        members.classes,
        names=names,
        values=Cells(X, names),
    )


def explain_members(members, X, n_jobs):
    """Return the explanation of boosted classifiers, a part for each round."""
    # members: ClassifierMembers.
    before, terms = 0.0, []
    for votes in members.staged_votes(X, n_jobs):
        terms.append(votes - before)
        before = votes.copy()
    terms = np.stack(terms, axis=1)
    return Explanation(
        members.logits(terms),
        np.zeros_like(before),
        members.classes,
        names=[f"round {t}" for t in range(1, terms.shape[1] + 1)],
        values=[labels_of_scores(members.classes, part) for part in terms],
        part="round",
        base_name="(no rounds)",
    )


# Explanations of mixtures: the weighted probabilities of each hypothesis.


def explain_mixture(names, classes, weights, predictions, part="hypothesis"):
    """Return the explanation of a mixture of class probabilities, by hypothesis."""
    # names: n_used strings; weights: (n_used,); predictions: n_used arrays of shape
    # (n_samples, n_classes); part: what is mixed.
    found = np.stack(predictions, axis=1)
    return Explanation(
        found * weights[:, None],
        np.zeros(found[:, 0].shape),
        classes,
        names=names,
        values=[labels_of_scores(classes, scores) for scores in found],
        unit="probability",
        part=part,
        base_name=f"(no {part})",
    )


def explain_product(names, classes, weights, logs, part):
    """Return the explanation of a product of powers of probabilities, by factor."""
    # names, weights, part: as above; logs: (n_used, n_samples, n_classes).
    found = np.stack(logs, axis=1)
    return Explanation(
        found * weights[:, None],
        np.zeros(found[:, 0].shape),
        classes,
        names=names,
        values=[labels_of_scores(classes, scores) for scores in found],
        part=part,
        base_name=f"(no {part})",
    )


def labels_of_scores(classes, scores):
    """Return the class with the largest score of each part, as objects."""
    return object_array(classes[scores.argmax(axis=1)].tolist())

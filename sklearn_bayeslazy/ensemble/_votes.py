"""Decisions, probabilities and margins from the votes of a boosted ensemble.

Every function takes an array of shape (n_rows, n_classes): `votes`, the sum of the
weights α of the members that predict a class for a row, or `scores`, the sum of votes
for and against the class.
"""

import numpy as np
from sklearn.utils.validation import check_consistent_length


def decision_values(votes):
    """Return the mean vote of each row.

    >>> decision_values(np.array([[1.0, 3.0]]))
    array([0.5])
    >>> decision_values(np.array([[1.0, 3.0, 0.0]]))  # 3/4, and -1/2 of 1/4
    array([[-0.125,  0.625, -0.5  ]])
    """
    # With two classes (n_rows,): the second column less the first, as a share of all
    # votes. With more (n_rows, n_classes): each vote counts 1 for its class and
    # -1 / (n_classes - 1) for the others.
    n_classes = votes.shape[1]
    if n_classes <= 2:
        return (votes[:, -1] - votes[:, 0]) / _total_votes(votes)
    shares = votes / _total_votes(votes)[:, None]
    return (n_classes * shares - 1.0) / (n_classes - 1)


def vote_logits(votes):
    """Return unnormalised log probabilities of the classes: twice the votes.

    >>> from scipy.special import softmax
    >>> softmax(vote_logits(np.log([[1.0, 3.0]]) / 2), axis=1)
    array([[0.25, 0.75]])
    """
    return 2.0 * votes


def vote_margins(votes, codes):
    """Return the share of votes for the true class less the largest other share.

    >>> vote_margins(np.array([[1.0, 3.0], [1.0, 3.0]]), np.array([0, 1]))
    array([-0.5,  0.5])
    """
    # codes: the true classes, int (n_rows,).
    check_consistent_length(votes, codes)
    true_class = np.arange(len(codes)), codes
    others = votes.copy()
    right, others[true_class] = votes[true_class], 0.0
    return (right - others.max(axis=1)) / _total_votes(votes)


def score_values(scores):
    """Return the scores; with two classes those of the second class, of shape (n,)."""
    return scores[:, -1].copy() if scores.shape[1] <= 2 else scores.copy()


def score_logits(scores):
    """Return unnormalised log probabilities: the scores.

    >>> from scipy.special import softmax
    >>> softmax(score_logits(np.log([[1 / 3, 3.0]]) / 2), axis=1)  # 1 / (1 + 3), ...
    array([[0.25, 0.75]])
    """
    # With two classes, whose scores are f and -f, these are the probabilities of real
    # AdaBoost, 1 / (1 + exp(-2 f)).
    return scores


def score_margins(scores, codes, largest):
    """Return half of the true class's score less the largest other, as a share.

    >>> score_margins(np.array([[-1.0, 1.0], [-1.0, 1.0]]), np.array([0, 1]), 2.0)
    array([-0.5,  0.5])
    """
    # codes: the true classes, int (n_rows,); largest: the largest score that the
    # members can give.
    check_consistent_length(scores, codes)
    true_class = np.arange(len(codes)), codes
    others = scores.copy()
    right, others[true_class] = scores[true_class], -np.inf
    return (right - others.max(axis=1)) / (2.0 * largest or 1.0)


def _total_votes(votes):
    """Return the sum of the votes for each row, 1 where it is 0."""
    total = votes.sum(axis=1)
    total[total == 0.0] = 1.0
    return total

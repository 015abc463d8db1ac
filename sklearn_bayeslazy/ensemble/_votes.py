"""Decisions, probabilities and margins from the votes of a boosted ensemble.

Every function takes `votes` of shape (n_rows, n_classes): the sum of the weights α of
the members that predict a class for a row.
"""

import numpy as np
from scipy.special import softmax
from sklearn.utils.validation import check_consistent_length


def decision_values(votes):
    """Return the mean vote of each row.

    Returns
    -------
    ndarray of shape (n_rows,) or (n_rows, n_classes)
        With two classes the second column less the first, as a share of all votes. With
        more classes each vote counts 1 for its class and -1 / (n_classes - 1) for the
        others.

    Examples
    --------
    >>> decision_values(np.array([[1.0, 3.0]]))
    array([0.5])
    >>> decision_values(np.array([[1.0, 3.0, 0.0]]))  # 3/4, and -1/2 of 1/4
    array([[-0.125,  0.625, -0.5  ]])
    """
    n_classes = votes.shape[1]
    if n_classes <= 2:
        return (votes[:, -1] - votes[:, 0]) / _total_votes(votes)
    shares = votes / _total_votes(votes)[:, None]
    return (n_classes * shares - 1.0) / (n_classes - 1)


def probabilities(votes):
    """Return the class probabilities, the softmax of twice the votes.

    >>> probabilities(np.log([[1.0, 3.0]]) / 2)
    array([[0.25, 0.75]])
    """
    return softmax(2 * votes, axis=1)


def vote_margins(votes, codes):
    """Return the share of votes for the true class less the largest other share.

    Parameters
    ----------
    votes : ndarray of shape (n_rows, n_classes)
    codes : int array of shape (n_rows,)
        The true classes.

    Examples
    --------
    >>> vote_margins(np.array([[1.0, 3.0], [1.0, 3.0]]), np.array([0, 1]))
    array([-0.5,  0.5])
    """
    check_consistent_length(votes, codes)
    true_class = np.arange(len(codes)), codes
    others = votes.copy()
    right, others[true_class] = votes[true_class], 0.0
    return (right - others.max(axis=1)) / _total_votes(votes)


def _total_votes(votes):
    """Return the sum of the votes for each row, 1 where it is 0."""
    total = votes.sum(axis=1)
    total[total == 0.0] = 1.0
    return total

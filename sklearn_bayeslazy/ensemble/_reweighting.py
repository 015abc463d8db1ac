r"""The formulas of an AdaBoost round on arrays: errors, vote weights, row weights.

In each round a member has the weighted error

.. math:: \epsilon = \frac{\sum_j w_j [C(x_j) \ne y_j]}{\sum_j w_j}

Its vote has the weight :math:`\alpha = \frac12 \ln \frac{1 - \epsilon}{\epsilon}`. The
weight of a row is multiplied by :math:`e^{-\alpha}` if the member classifies it
correctly and by :math:`e^{\alpha}` if not (Freund & Schapire 1997). Row weights are
stored as logarithms, so that they do not underflow or overflow in thousands of rounds.
"""

import numpy as np
from scipy.special import logsumexp

# Algorithms whose members are trees, and those whose members vote for and against each
# class.
TREE_ALGORITHMS = ("gentle", "real")
CONFIDENCE_RATED = ("mh", *TREE_ALGORITHMS)
# The smallest error of a member that misclassifies any row: the weights of rows may
# differ by more than the range of float64.
MIN_ERROR = np.finfo(np.float64).tiny
# With a larger mean, sample weights do not count rows.
_MAX_MEAN_WEIGHT = 1e6
# An error that is below the limit by no more than this relative difference counts as
# equal to it: the difference is rounding.
_ROUNDING = 1e-10


def error_limit(n_classes, algorithm="samme"):
    """Return the error at which a member is too weak to be used.

    >>> error_limit(4, "m1"), error_limit(4, "samme"), error_limit(2, "samme")
    (0.5, 0.75, 0.5)
    """
    # "m1" requires an error below one half for any number of classes (Freund & Schapire
    # 1997), "samme" a smaller error than that of random guessing (Zhu, Zou, Rosset &
    # Hastie 2009). The error of "mh" is that of binary decisions, one for each pair of
    # a row and a class (Schapire & Singer 1999).
    # A member of trees is used whatever its error, unless no tree has a split.
    if algorithm in TREE_ALGORITHMS:
        return 1.0
    return 1.0 - 1.0 / n_classes if algorithm == "samme" else 0.5


def is_weak(error, n_classes, algorithm="samme"):
    """Return whether an error is not below the limit, up to rounding.

    >>> is_weak(0.5, 2), is_weak(0.5 - 1e-15, 2), is_weak(0.499, 2)
    (True, True, False)
    """
    return bool(error >= error_limit(n_classes, algorithm) * (1.0 - _ROUNDING))


def weighted_error(wrong, log_weight):
    """Return the misclassified share of the total weight.

    >>> float(weighted_error(np.array([True, False]), np.log([1.0, 3.0])).round(9))
    0.25
    """
    # wrong: bool, whether a row is misclassified; wrong and log_weight: (n_rows,).
    if not wrong.any():
        return 0.0
    error = np.exp(logsumexp(log_weight[wrong]) - logsumexp(log_weight))
    return max(error, MIN_ERROR)


def vote_weight(error, n_classes=2, algorithm="samme"):
    """Return the vote weight α of a member with an error in (0, 1).

    >>> [round(float(vote_weight(error)), 3) for error in (3 / 10, 3 / 14, 3 / 22)]
    [0.424, 0.65, 0.923]
    """
    # With more than two classes, "samme" adds ½ ln(K - 1) to ½ ln((1 - ε) / ε). The
    # example has the three rounds of Freund & Schapire's example in the plane.
    alpha = 0.5 * (np.log1p(-error) - np.log(error))
    if algorithm == "samme":
        alpha += 0.5 * np.log(n_classes - 1)
    return alpha


def reweighted(log_weight, wrong, alpha):
    """Return the log weights of the rows after a round; the weights sum to one.

    >>> log_weight = np.log([0.25] * 4)
    >>> wrong = np.array([True, False, False, False])
    >>> np.exp(reweighted(log_weight, wrong, vote_weight(0.25))).round(6)
    array([0.5     , 0.166667, 0.166667, 0.166667])
    """
    # log_weight and wrong (bool): (n_rows,). In the example the misclassified row of
    # four then has half of the total weight.
    moved = log_weight + np.where(wrong, alpha, -alpha)
    return moved - logsumexp(moved)


def number_of_rows(weight):
    """Return the total weight, or the number of weights if they do not count rows.

    >>> float(number_of_rows(np.array([2.0, 1.0]))), number_of_rows(np.full(2, 0.5))
    (3.0, 2)
    """
    return weight.sum() if 1.0 <= weight.mean() <= _MAX_MEAN_WEIGHT else len(weight)


def perfect_member_alpha(sum_of_alphas, total_weight, n_classes):
    """Return the vote weight of a member without a training error.

    >>> float(np.exp(2 * perfect_member_alpha(0.0, 8.0, 2)).round(9))  # .9 : .1
    9.0
    """
    # It exceeds the sum of all other vote weights, so that the member outvotes them.
    # The excess is the vote weight of the error 1 / (total_weight + 2), the estimate of
    # Laplace's rule of succession after no error. A total weight below 1 counts as 1.
    return sum_of_alphas + vote_weight(1.0 / (max(total_weight, 1.0) + 2.0), n_classes)


def constant_member_vote(class_weight, n_classes):
    """Return the error and the vote weight of predicting the class of most weight.

    >>> error, alpha = constant_member_vote(np.array([1.0, 3.0]), 2)
    >>> error, float(np.exp(2 * alpha).round(9))  # odds of 3 : 1
    (0.25, 3.0)
    """
    # class_weight: (n_classes,), the total weight of each class.
    if n_classes == 1:
        return 0.0, 1.0
    others = np.delete(class_weight, np.argmax(class_weight)).sum()
    error = max(float(others / class_weight.sum()), MIN_ERROR)
    return error, max(vote_weight(error, n_classes), 0.0)


def log_loss_factor(error, alpha, n_classes=2):
    """Return the log of the factor by which a vote changes the exponential loss.

    >>> errors = np.array([0.2, 0.1])  # 2 √(.2 · .8) = .8, 2 √(.1 · .9) = .6
    >>> np.exp(log_loss_factor(errors, vote_weight(errors)))
    array([0.8, 0.6])
    """
    # The factor is (1 - ε) exp(-2 α (1 - 1/K)) + ε exp(2 α / K), with K = n_classes and
    # the weights of the rows as all former votes leave them.
    # For K = 2 the product of all factors is a bound of the training error: a row that
    # the ensemble misclassifies has at least as much vote weight against its class as
    # for it. With more classes SAMME reduces the loss of K classes, which is no such
    # bound; the factor for K = 2 still is.
    with np.errstate(divide="ignore"):
        right = np.log1p(-error) - 2.0 * alpha * (1.0 - 1.0 / n_classes)
        wrong = np.log(error) + 2.0 * alpha / n_classes
    return np.logaddexp(right, wrong)

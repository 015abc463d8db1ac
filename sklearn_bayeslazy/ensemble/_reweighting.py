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

    "m1" requires an error below one half for any number of classes (Freund & Schapire
    1997), "samme" requires less than random guessing (Zhu, Zou, Rosset & Hastie 2009).
    The error of "mh" is that of answers to yes-or-no questions (Schapire & Singer
    1999).

    >>> error_limit(4, "m1"), error_limit(4, "samme"), error_limit(2, "samme")
    (0.5, 0.75, 0.5)
    """
    return 1.0 - 1.0 / n_classes if algorithm == "samme" else 0.5


def is_weak(error, n_classes, algorithm="samme"):
    """Return whether an error is not below the limit, up to rounding.

    >>> is_weak(0.5, 2), is_weak(0.5 - 1e-15, 2), is_weak(0.499, 2)
    (True, True, False)
    """
    return bool(error >= error_limit(n_classes, algorithm) * (1.0 - _ROUNDING))


def weighted_error(wrong, log_weight):
    """Return the misclassified share of the total weight.

    Parameters
    ----------
    wrong : bool array of shape (n_rows,)
        Which rows are misclassified.
    log_weight : ndarray of shape (n_rows,)

    >>> float(weighted_error(np.array([True, False]), np.log([1.0, 3.0])).round(9))
    0.25
    """
    if not wrong.any():
        return 0.0
    error = np.exp(logsumexp(log_weight[wrong]) - logsumexp(log_weight))
    return max(error, MIN_ERROR)


def vote_weight(error, n_classes=2, algorithm="samme"):
    r"""Return the vote weight α of a member with an error in (0, 1).

    With more than two classes, "samme" adds :math:`\frac12 \ln (K - 1)`.

    Examples
    --------
    The three rounds of Freund & Schapire's example in the plane:

    >>> [round(float(vote_weight(error)), 3) for error in (3 / 10, 3 / 14, 3 / 22)]
    [0.424, 0.65, 0.923]
    """
    alpha = 0.5 * (np.log1p(-error) - np.log(error))
    if algorithm == "samme":
        alpha += 0.5 * np.log(n_classes - 1)
    return alpha


def reweighted(log_weight, wrong, alpha):
    """Return the log weights of the rows after a round; the weights sum to one.

    Examples
    --------
    One of four rows is misclassified. It then has half of the total weight:

    >>> log_weight = np.log([0.25] * 4)
    >>> wrong = np.array([True, False, False, False])
    >>> np.exp(reweighted(log_weight, wrong, vote_weight(0.25))).round(6)
    array([0.5     , 0.166667, 0.166667, 0.166667])
    """
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

    It exceeds the sum of all other vote weights, so that the member outvotes them. The
    excess is the vote weight of the error 1 / (total_weight + 2), the estimate of
    Laplace's rule of succession after no error. The total weight counts as at least 1.

    >>> float(np.exp(2 * perfect_member_alpha(0.0, 8.0, 2)).round(9))  # .9 : .1
    9.0
    """
    return sum_of_alphas + vote_weight(1.0 / (max(total_weight, 1.0) + 2.0), n_classes)


def constant_member_vote(class_weight, n_classes):
    """Return the error and the vote weight of predicting the heaviest class.

    Parameters
    ----------
    class_weight : ndarray of shape (n_classes,)
        The total weight of each class.
    n_classes : int

    Examples
    --------
    >>> error, alpha = constant_member_vote(np.array([1.0, 3.0]), 2)
    >>> error, float(np.exp(2 * alpha).round(9))  # odds of 3 : 1
    (0.25, 3.0)
    """
    if n_classes == 1:
        return 0.0, 1.0
    others = np.delete(class_weight, np.argmax(class_weight)).sum()
    error = max(float(others / class_weight.sum()), MIN_ERROR)
    return error, max(vote_weight(error, n_classes), 0.0)


def replayed_log_weight(codes, predictions, alphas):
    """Return the log factors that some rounds have multiplied the weights by.

    Parameters
    ----------
    codes : int array of shape (n_rows,)
        The true classes.
    predictions : iterable of int array of shape (n_rows,)
        The classes that each member predicts.
    alphas : iterable of float

    Examples
    --------
    >>> replayed_log_weight(np.array([0, 1]), [np.array([0, 0])], [0.5])
    array([-0.5,  0.5])
    """
    log_weight = np.zeros(len(codes))
    for alpha, predicted in zip(alphas, predictions):
        log_weight += np.where(predicted == codes, -alpha, alpha)
    return log_weight


def log_loss_factor(error, alpha, n_classes=2):
    r"""Return the log of the factor by which a vote changes the exponential loss.

    With the weights of the rows as all former votes leave them, it is

    .. math:: (1 - \epsilon) e^{-2 \alpha (1 - 1/K)} + \epsilon e^{2 \alpha / K}.

    For K = 2 the product of all factors is a bound of the training error: a row that
    the ensemble misclassifies has at least as much vote weight against its class as for
    it. With more classes SAMME reduces the loss of K classes, which is no such bound;
    the factor for K = 2 still is.

    Parameters
    ----------
    error : float
        The weighted error of the member.
    alpha : float
        Its vote weight.
    n_classes : int, default=2
        K.

    Examples
    --------
    >>> errors = np.array([0.2, 0.1])  # 2 √(.2 · .8) = .8, 2 √(.1 · .9) = .6
    >>> np.exp(log_loss_factor(errors, vote_weight(errors)))
    array([0.8, 0.6])
    """
    with np.errstate(divide="ignore"):
        right = np.log1p(-error) - 2.0 * alpha * (1.0 - 1.0 / n_classes)
        wrong = np.log(error) + 2.0 * alpha / n_classes
    return np.logaddexp(right, wrong)

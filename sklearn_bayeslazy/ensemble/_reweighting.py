r"""The rounds of AdaBoost on arrays: errors, votes, weights.

In each round a learner that errs with

.. math:: \epsilon = \frac{\sum_j w_j [C(x_j) \ne y_j]}{\sum_j w_j}

has the vote :math:`\alpha = \frac12 \ln \frac{1 - \epsilon}{\epsilon}`, and each row's
weight is multiplied by :math:`e^{-\alpha}` where it was right and :math:`e^{\alpha}`
where it was wrong (seed 004; Freund & Schapire 1997). Weights are kept as logarithms:
ten thousand rounds neither vanish nor overflow.
"""

import numpy as np
from scipy.special import logsumexp

# Of a learner that is wrong at all: weights may differ by more than doubles do.
LEAST_ERROR = np.finfo(np.float64).tiny
# An error this near to the limit, as a share of it, has reached it but for rounding.
_ROUNDING = 1e-10


def error_limit(n_classes, algorithm="samme"):
    """Return the error at which a learner is too weak to be of use.

    "m1" asks for better than one half whatever the number of classes (Freund & Schapire
    1997), "samme" for better than guessing (Zhu, Zou, Rosset & Hastie 2009).

    >>> error_limit(4, "m1"), error_limit(4, "samme"), error_limit(2, "samme")
    (0.5, 0.75, 0.5)
    """
    return 0.5 if algorithm == "m1" else 1.0 - 1.0 / n_classes


def is_weak(error, n_classes, algorithm="samme"):
    """Tell whether an error is not below the limit, to within rounding.

    >>> is_weak(0.5, 2), is_weak(0.5 - 1e-15, 2), is_weak(0.499, 2)
    (True, True, False)
    """
    return bool(error >= error_limit(n_classes, algorithm) * (1.0 - _ROUNDING))


def weighted_error(wrong, log_weight):
    """Return the share of the weight of the rows that are wrong.

    Parameters
    ----------
    wrong : bool array of shape (n_rows,)
    log_weight : ndarray of shape (n_rows,)

    >>> float(weighted_error(np.array([True, False]), np.log([1.0, 3.0])).round(9))
    0.25
    """
    if not wrong.any():
        return 0.0
    error = np.exp(logsumexp(log_weight[wrong]) - logsumexp(log_weight))
    return max(error, LEAST_ERROR)


def vote(error, n_classes=2, algorithm="samme"):
    r"""Return α of a learner with an error in (0, 1).

    With more than two classes "samme" adds :math:`\frac12 \ln (K - 1)`.

    Examples
    --------
    The three rounds of Freund & Schapire's plane:

    >>> [round(float(vote(error)), 3) for error in (3 / 10, 3 / 14, 3 / 22)]
    [0.424, 0.65, 0.923]
    """
    alpha = 0.5 * (np.log1p(-error) - np.log(error))
    if algorithm == "samme":
        alpha += 0.5 * np.log(n_classes - 1)
    return alpha


def reweighted(log_weight, wrong, alpha):
    """Return the logarithms of the weights after a round; the weights sum to one.

    Examples
    --------
    Of four rows one is wrong. It then has half of the weight, as always:

    >>> log_weight = np.log([0.25] * 4)
    >>> wrong = np.array([True, False, False, False])
    >>> np.exp(reweighted(log_weight, wrong, vote(0.25))).round(6)
    array([0.5     , 0.166667, 0.166667, 0.166667])
    """
    moved = log_weight + np.where(wrong, alpha, -alpha)
    return moved - logsumexp(moved)


def vote_of_faultless(total_vote, mass, n_classes):
    """Return the vote of a learner without an error, which is to decide alone.

    It is more than all other votes together by that of the error 1 / (mass + 2), which
    Laplace's rule of succession gives to a rule that has not failed yet; the mass of
    the rows counts as 1 at least.

    >>> float(np.exp(2 * vote_of_faultless(0.0, 8.0, 2)).round(9))  # .9 : .1
    9.0
    """
    return total_vote + vote(1.0 / (max(mass, 1.0) + 2.0), n_classes)


def log_error_bounds(errors, votes):
    r"""Return the logarithms of bounds of the training error after each round.

    A row that a committee gets wrong has at least as much vote against it as for it, so
    that its weight has not fallen; hence the weighted share of such rows is at most

    .. math:: \prod_t (1 - \epsilon_t) e^{-\alpha_t} + \epsilon_t e^{\alpha_t}
        = \prod_t 2 \sqrt{\epsilon_t (1 - \epsilon_t)},

    the latter with the votes of two classes and a learning rate of 1.

    >>> errors = np.array([0.2, 0.1])
    >>> np.exp(log_error_bounds(errors, vote(errors)))  # .8, .8 · .6
    array([0.8 , 0.48])
    """
    errors, votes = np.asarray(errors), np.asarray(votes)
    with np.errstate(divide="ignore"):
        terms = np.log1p(-errors) - votes, np.log(errors) + votes
    return np.cumsum(np.logaddexp(*terms))

"""Bayes' rule over finitely many hypotheses, in logarithms.

Seeds 001 and 004; T. Mitchell (1997), Machine Learning, sections 6.2 to 6.8.
"""

import numpy as np
from scipy.special import logsumexp, xlogy


def log_posterior(log_prior, log_likelihood):
    r"""Return log P(h | D) of each hypothesis, -inf everywhere if D is impossible.

    .. math:: P(h \mid D) = \frac{P(D \mid h)\,P(h)}{\sum_{h'} P(D \mid h')\,P(h')}

    Parameters
    ----------
    log_prior, log_likelihood : ndarrays of shape (n_hypotheses,)

    Examples
    --------
    A test says + of 98 % of those who have the cancer, .8 % of all, and of 3 % of the
    others. The products are .0078 and .0298, so the cancer has a posterior of .21:

    >>> prior, positive = np.array([0.008, 0.992]), np.array([0.98, 0.03])
    >>> (prior * positive).round(4)
    array([0.0078, 0.0298])
    >>> np.exp(log_posterior(np.log(prior), np.log(positive))).round(2)
    array([0.21, 0.79])

    Half of those with meningitis have a stiff neck, one of 50 000 people has it, one of
    20 a stiff neck:

    >>> meningitis = 1 / 50_000
    >>> others = (1 / 20 - 0.5 * meningitis) / (1 - meningitis)
    >>> prior = np.array([meningitis, 1 - meningitis])
    >>> found = log_posterior(np.log(prior), np.log([0.5, others]))
    >>> float(np.exp(found[0]).round(9))
    0.0002
    """
    joint = log_prior + log_likelihood
    if np.all(joint == -np.inf):
        return joint
    return joint - logsumexp(joint)


def log_likelihood(probabilities, classes, weight):
    """Return Σ w ln P(class | row, h), the log likelihood of a hypothesis.

    Parameters
    ----------
    probabilities : ndarray of shape (n_rows, n_classes)
    classes : int array of shape (n_rows,)
    weight : ndarray of shape (n_rows,)

    >>> p = np.array([[0.5, 0.5], [0.25, 0.75]])
    >>> float(np.exp(log_likelihood(p, np.array([0, 1]), np.ones(2))).round(9))
    0.375
    """
    return float(xlogy(weight, probabilities[np.arange(len(classes)), classes]).sum())


def soften(probabilities, noise):
    """Return answers that are drawn from all classes alike with probability `noise`.

    >>> soften(np.array([[1.0, 0.0]]), 0.2)
    array([[0.9, 0.1]])
    """
    return (1.0 - noise) * probabilities + noise / probabilities.shape[1]


def mixture(weights, answers):
    """Return Σ_h P(h | D) P(class | row, h), the Bayes optimal answer.

    Parameters
    ----------
    weights : ndarray of shape (n_hypotheses,)
        Summing to 1.
    answers : iterable of ndarray of shape (n_rows, n_classes)
        Of those hypotheses whose weight is above 0.

    Examples
    --------
    The most probable hypothesis says +, and the others, more probable together, -:

    >>> votes = [np.array([[1.0, 0.0]]), np.array([[0.0, 1.0]]), np.array([[0.0, 1.0]])]
    >>> mixture(np.array([0.4, 0.3, 0.3]), votes)
    array([[0.4, 0.6]])
    """
    total = 0.0
    for weight, answer in zip(weights[weights > 0], answers):
        total = total + weight * answer
    return total

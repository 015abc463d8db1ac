"""Bayes' rule over finitely many hypotheses, in logarithms.

T. Mitchell (1997), Machine Learning, sections 6.2 to 6.8.
"""

import numpy as np
from scipy.special import logsumexp, xlogy

from .._core._arrays import as_float_array


def log_prior(prior, n_hypotheses):
    """Return the logarithms of prior probabilities, which are normalised.

    >>> np.exp(log_prior([1, 3], 2))
    array([0.25, 0.75])
    """
    # prior: array-like (n_hypotheses,); None is uniform.
    shares = np.ones(n_hypotheses) if prior is None else as_float_array(prior, "prior")
    if shares.shape != (n_hypotheses,):
        raise ValueError(
            f"prior has shape {shares.shape}, but there are {n_hypotheses} hypotheses: "
            "pass one number for each."
        )
    if not np.all(shares >= 0) or not 0 < shares.sum() < np.inf:
        raise ValueError(f"prior={shares.tolist()} must be ≥ 0, finite, and not all 0.")
    with np.errstate(divide="ignore"):
        return np.log(shares / shares.sum())


def hypothesis_log_posterior(log_prior, hypothesis_log_likelihood):
    """Return log P(h | D) of each hypothesis, -inf everywhere if D is impossible.

    >>> prior, positive = np.array([0.008, 0.992]), np.array([0.98, 0.03])
    >>> (prior * positive).round(4)
    array([0.0078, 0.0298])
    >>> np.exp(hypothesis_log_posterior(np.log(prior), np.log(positive))).round(2)
    array([0.21, 0.79])

    >>> meningitis = 1 / 50_000
    >>> others = (1 / 20 - 0.5 * meningitis) / (1 - meningitis)
    >>> prior = np.array([meningitis, 1 - meningitis])
    >>> found = hypothesis_log_posterior(np.log(prior), np.log([0.5, others]))
    >>> float(np.exp(found[0]).round(9))
    0.0002
    """
    # P(h | D) = P(D | h) P(h) / Σ_h' P(D | h') P(h'). Both arguments: (n_hypotheses,).
    # First example (Mitchell 1997, section 6.2): a test is positive for 98 % of those
    # who have a certain cancer, which are .8 % of all, and for 3 % of the others.
    # Second: half of those with meningitis have a stiff neck. One of 50 000 people has
    # meningitis, one of 20 a stiff neck.
    joint = log_prior + hypothesis_log_likelihood
    if np.all(joint == -np.inf):
        return joint
    joint = joint - joint.max()  # next to -1e300, a sum would lose all digits
    return joint - logsumexp(joint)


def hypothesis_log_likelihood(probabilities, classes, weight):
    """Return Σ w ln P(class | row, h), the log likelihood of a hypothesis.

    >>> p = np.array([[0.5, 0.5], [0.25, 0.75]])
    >>> found = hypothesis_log_likelihood(p, np.array([0, 1]), np.ones(2))
    >>> float(np.exp(found).round(9))
    0.375
    """
    # probabilities: (n_rows, n_classes); classes (int codes) and weight: (n_rows,).
    of_label = probabilities[np.arange(len(classes)), classes]
    with np.errstate(over="ignore"):
        total = float(xlogy(weight, of_label).sum())
    if total == -np.inf and of_label.all():
        raise ValueError(
            "The log likelihood overflows float64: divide sample_weight by a constant."
        )
    return total


def soften(probabilities, noise):
    """Return a mixture with the uniform distribution, which has the weight `noise`.

    >>> soften(np.array([[1.0, 0.0]]), 0.2)
    array([[0.9, 0.1]])
    """
    return (1.0 - noise) * probabilities + noise / probabilities.shape[1]


def mixture(predictions):
    """Return Σ_h P(h | D) P(class | row, h), the Bayes optimal prediction.

    >>> plus, minus = np.array([[1.0, 0.0]]), np.array([[0.0, 1.0]])
    >>> mixture([(0.4, plus), (0.3, minus), (0.3, minus)])
    array([[0.4, 0.6]])
    """
    # predictions: pairs of the weight of a hypothesis, above 0, and its predictions
    # (n_rows, n_classes); weights sum to 1. In the example the most probable hypothesis
    # predicts +; the two others, more probable together, predict -.
    total = sum(weight * predicted for weight, predicted in predictions)
    return total / total.sum(axis=1, keepdims=True)  # weights sum to 1 but for rounding

"""Leave-one-out of LanguageModelNB: smoothing and length normalisation, chosen jointly.

The log likelihoods of all left-out documents are computed once for each smoothing
parameter. The length normalisation then only multiplies them.
"""

from itertools import product

import numpy as np

from ...leave_one_out import (
    CLASSIFICATION_SCORING,
    classification_losses,
    rank_candidates,
    rows_to_leave_out,
)
from ...tabular import log_prior_without
from ._left_out_documents import left_out_log_likelihoods, without_copied_documents
from ._smoothing import check_smoothing_parameter

# Default candidates, in words. Two for each decade: a finer series changes little.
LENGTH_NORMALIZATIONS = [None, 1000.0, 300.0, 100.0, 30.0, 10.0, 3.0]


def choose_parameters(estimator, corpus, classes, weight):
    """Return the best (smoothing parameter, length), and the results of all."""
    # `estimator` has the counts of all documents. classes, weight: (n_documents,).
    corpus, classes, weight, _ = without_copied_documents(corpus, classes, weight)
    rows = rows_to_leave_out(
        len(corpus), estimator.loo_max_samples, estimator.random_state
    )
    lists = estimator._loo_candidates()
    candidates = list(product(*lists.values()))
    lengths = lists["length_normalization"]
    left_out = rows, classes[rows], weight[rows]
    log_prior = _log_prior(estimator, left_out)
    factors = [token_length_factor(corpus.n_predicted[rows], each) for each in lengths]
    losses = []
    for likelihood in left_out_log_likelihoods(
        estimator, lists["smoothing_parameter"], corpus, left_out
    ):
        losses += [
            classification_losses(
                (likelihood + log_prior) * factor, classes[rows], log_prior
            )
            for factor in factors
        ]
    log_loss, correct = map(np.array, zip(*losses))
    best, results = rank_candidates(
        [dict(zip(lists, values)) for values in candidates],
        {"log_loss": log_loss, "accuracy": correct},
        weight[rows],
        CLASSIFICATION_SCORING[estimator.loo_scoring],
    )
    return candidates[best], results


def left_out_joint(estimator, corpus, classes, weight):
    """Return the joint log likelihoods and log priors of documents left out."""
    # `estimator` has chosen, and has the counts of all documents. Both results are
    # (n_documents, n_classes).
    if estimator._value("smoothing") == "kneser_ney":
        raise ValueError(
            "X=None does not go with smoothing='kneser_ney', from whose counts no "
            "document can be subtracted: give X, or fit with another smoothing, such "
            "as 'absolute_discount'."
        )
    corpus, classes, weight, of_given = without_copied_documents(
        corpus, classes, weight
    )
    left_out = np.arange(len(corpus)), classes, weight
    parameter = check_smoothing_parameter(
        estimator._value("smoothing"), estimator.smoothing_parameter_, None
    )
    (likelihood,) = left_out_log_likelihoods(estimator, [parameter], corpus, left_out)
    log_prior = _log_prior(estimator, left_out)
    length = estimator.length_normalization_
    joint = (likelihood + log_prior) * token_length_factor(corpus.n_predicted, length)
    return joint[of_given], log_prior[of_given]


def _log_prior(estimator, left_out):
    """Return log P(class) without each of the documents, (n, n_classes)."""
    _, classes, weight = left_out
    given = estimator.fit_prior, estimator.class_prior
    return log_prior_without(estimator.class_count_, classes, weight, *given)


def token_length_factor(n_words, length):
    """Return the factor of each document's log P(c, d), of shape (n, 1).

    >>> token_length_factor(np.array([2, 10]), 5.0)
    array([[1. ],
           [0.5]])
    """
    if length is None:
        return np.ones((len(n_words), 1))
    return np.minimum(1.0, length / np.maximum(n_words, 1))[:, None]

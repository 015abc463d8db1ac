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
from ._left_out_documents import (
    map_left_out,
    models_with_statistics,
    without_copied_documents,
)

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
    losses = np.empty((2, len(candidates), len(rows)))
    true_class, n_words = classes[rows], corpus.n_predicted[rows]
    parameters = lists["smoothing_parameter"]
    parts = np.split(losses, len(parameters), axis=1)
    models = models_with_statistics(estimator, parameters)
    for by_length, (model, discount) in zip(parts, models):

        def score(part, likelihood, log_prior, by_length=by_length):
            for i, length in enumerate(lengths):
                factor = token_length_factor(n_words[part], length)
                by_length[:, i, part] = classification_losses(
                    (likelihood + log_prior) * factor, true_class[part], log_prior
                )

        left_out = rows, classes[rows], weight[rows]
        _map_left_out(estimator, model, discount, corpus, left_out, score)
    best, results = rank_candidates(
        [dict(zip(lists, values)) for values in candidates],
        {"log_loss": losses[0], "accuracy": losses[1]},
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
    parameters = [estimator.smoothing_parameter_]
    ((model, discount),) = models_with_statistics(estimator, parameters)
    joint, priors = np.empty((2, len(corpus), len(estimator.classes_)))
    length = estimator.length_normalization_

    def store(part, likelihood, log_prior):
        factor = token_length_factor(corpus.n_predicted[part], length)
        joint[part], priors[part] = (likelihood + log_prior) * factor, log_prior

    left_out = np.arange(len(corpus)), classes, weight
    _map_left_out(estimator, model, discount, corpus, left_out, store)
    return joint[of_given], priors[of_given]


def _map_left_out(estimator, model, discount, corpus, left_out, use):
    """Call ``use(part, log likelihoods, log priors)`` for parts of the documents."""
    # left_out: as for `map_left_out`.
    _, true_class, removed = left_out

    def add_prior(part, likelihood):
        log_prior = log_prior_without(
            estimator.class_count_,
            true_class[part],
            removed[part],
            estimator.fit_prior,
            estimator.class_prior,
        )
        use(part, likelihood, log_prior)

    map_left_out(estimator, model, discount, corpus, left_out, add_prior)


def token_length_factor(n_words, length):
    """Return the factor of each document's log P(c, d), of shape (n, 1).

    >>> token_length_factor(np.array([2, 10]), 5.0)
    array([[1. ],
           [0.5]])
    """
    if length is None:
        return np.ones((len(n_words), 1))
    return np.minimum(1.0, length / np.maximum(n_words, 1))[:, None]

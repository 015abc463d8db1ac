"""Leave-one-out of LanguageModelNB: smoothing and length normalisation, chosen jointly.

The log likelihoods of all left-out documents are computed once for each smoothing
parameter. The length normalisation then only multiplies them.
"""

from itertools import product
from numbers import Real

import numpy as np

from ..._core._parallel import map_chunks
from ...leave_one_out import (
    CLASSIFICATION_SCORING,
    classification_losses,
    rank_candidates,
    rows_to_leave_out,
)
from ...tabular import log_prior_without
from ._left_out_documents import score_rows_left_out
from ._smoothing import history_pairs

# Default candidates, in words. Two for each decade: a finer series changes little.
LENGTH_NORMALIZATIONS = [None, 1000.0, 300.0, 100.0, 30.0, 10.0, 3.0]


def choose_parameters(estimator, corpus, classes, weight):
    """Return the best (smoothing parameter, length), and the results of all."""
    # `estimator` has the counts of all documents. classes, weight: (n_documents,).
    rows = rows_to_leave_out(
        len(corpus), estimator.loo_max_samples, estimator.random_state
    )
    lists = estimator._loo_candidates()
    candidates = list(product(*lists.values()))
    lengths = lists["length_normalization"]
    losses = np.empty((2, len(candidates), len(rows)))
    history = history_pairs(estimator._counts)
    background = None
    if estimator.background:
        background = estimator._smoothed_background(with_statistics=True)
    for i, parameter in enumerate(lists["smoothing_parameter"]):
        model = estimator._smoothed_model(
            parameter, history=history, with_statistics=True, background=background
        )
        discount = parameter if estimator.smoothing == "absolute_discount" else 0.0
        losses[:, i * len(lengths) : (i + 1) * len(lengths)] = _losses(
            estimator, model, discount, lengths, corpus, rows, classes, weight
        )
    best, results = rank_candidates(
        [dict(zip(lists, values)) for values in candidates],
        {"log_loss": losses[0], "accuracy": losses[1]},
        weight[rows],
        CLASSIFICATION_SCORING[estimator.loo_scoring],
    )
    return candidates[best], results


def _losses(estimator, model, discount, lengths, corpus, rows, classes, weight):
    """Return log loss and correctness by (score, length, document)."""
    true_class, removed = classes[rows], weight[rows]
    n_words = corpus.n_predicted[rows]
    losses = np.empty((2, len(lengths), len(rows)))

    def score(part):
        likelihood = score_rows_left_out(
            model,
            corpus,
            rows[part],
            true_class[part],
            removed[part],
            discount,
            estimator.binary,
        )
        log_prior = log_prior_without(
            estimator.class_count_,
            true_class[part],
            removed[part],
            estimator.fit_prior,
            estimator.class_prior,
        )
        for i, length in enumerate(lengths):
            joint = likelihood * token_length_factor(n_words[part], length) + log_prior
            losses[:, i, part] = classification_losses(
                joint, true_class[part], log_prior
            )

    bytes_per_row = 48 * len(estimator.classes_)
    map_chunks(score, len(rows), bytes_per_row, n_jobs=estimator.n_jobs)
    return losses


def check_length_normalizations(lengths):
    """Raise an error unless all lengths are None or positive numbers."""
    for length in lengths:
        is_positive = isinstance(length, Real) and 0 < length < np.inf
        if length is not None and not is_positive:
            raise ValueError(
                "loo_candidates['length_normalization'] must be numbers above 0, or "
                f"None; got {length!r}."
            )


def token_length_factor(n_words, length):
    """Return the factor of each document's log likelihood, of shape (n, 1).

    >>> token_length_factor(np.array([2, 10]), 5.0)
    array([[1. ],
           [0.5]])
    """
    if length is None:
        return np.ones((len(n_words), 1))
    return np.minimum(1.0, length / np.maximum(n_words, 1))[:, None]

"""The choice of TextNB's m by exact leave-one-out, without refitting.

Leaving a document out changes three things: the word counts of its class, the document
count of its class, and the collection from which the "background" prior is estimated.
Only the words of the document itself need new estimates.
"""

import numpy as np

from ..._labelled_rows import log_prior_without
from ..._leave_one_out import (
    CLASSIFICATION_SCORING,
    candidate_lists,
    classification_losses,
    rank_candidates,
    rows_to_leave_out,
)
from ..._parallel import map_chunks
from ._priors import m_candidates, n_virtual_examples


def choose_m(estimator, model, rows, classes, weight):
    """Return the best candidate of m and the ``loo_results_`` of all.

    Parameters
    ----------
    estimator : TextNB
        For its parameters.
    model : MultinomialModel or BernoulliModel
        With the statistics of all rows.
    rows : TextRows
        No word is stored twice in a row.
    classes : int array of shape (n_rows,)
    weight : ndarray of shape (n_rows,)
    """
    n_words = rows.shape[1]
    defaults = {"m": m_candidates(estimator.event_model, n_words)}
    candidates = candidate_lists(defaults, estimator.loo_candidates)["m"]
    ms = [n_virtual_examples(m, estimator.event_model, n_words) for m in candidates]
    chosen = rows_to_leave_out(
        len(classes), estimator.loo_max_samples, estimator.random_state
    )
    true_class, removed = classes[chosen], np.minimum(1.0, weight[chosen])
    log_loss, correct = np.empty((2, len(ms), len(chosen)))
    n_classes = len(model.class_count)
    bytes_per_row = rows.bytes_per_row() + 128 * n_classes
    for i, m in enumerate(ms):
        scorer = model.leave_one_out(m, true_class, removed)

        def score(part, i=i, scorer=scorer):
            log_prior = log_prior_without(
                model.class_count,
                true_class[part],
                removed[part],
                estimator.fit_prior,
                estimator.class_prior,
            )
            joint = log_prior.copy()
            scorer.add_to(part, rows.cells_of(chosen[part]), joint)
            log_loss[i, part], correct[i, part] = classification_losses(
                joint, true_class[part], log_prior
            )

        map_chunks(score, len(chosen), bytes_per_row, n_jobs=estimator.n_jobs)
    best, results = rank_candidates(
        [{"m": m} for m in candidates],
        {"log_loss": log_loss, "accuracy": correct},
        weight[chosen],
        CLASSIFICATION_SCORING[estimator.loo_scoring],
    )
    return candidates[best], results

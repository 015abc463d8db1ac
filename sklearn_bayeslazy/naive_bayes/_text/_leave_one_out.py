"""The choice of TextNB's m by exact leave-one-out, without refitting.

A document that is left out takes its words from its class's counts, its mass from its
class's documents, and both from the whole collection that priors are drawn from. What
that changes in its own score is worked out at its own words.
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
from ._priors import m_candidates, virtual_mass


def choose_m(estimator, model, rows, classes, weight):
    """Return the best candidate of m and the ``loo_results_`` of all.

    Parameters
    ----------
    estimator : TextNB
        For its parameters.
    model : WordModel or PresenceModel
        With the statistics of all rows.
    rows : TextRows
        No word stored twice in a row.
    classes : int array of shape (n_rows,)
    weight : ndarray of shape (n_rows,)
    """
    n_words = rows.shape[1]
    defaults = {"m": m_candidates(estimator.event_model, n_words)}
    candidates = candidate_lists(defaults, estimator.loo_candidates)["m"]
    ms = [virtual_mass(m, estimator.event_model, n_words) for m in candidates]
    chosen = rows_to_leave_out(
        len(classes), estimator.loo_max_samples, estimator.random_state
    )
    own, removed = classes[chosen], np.minimum(1.0, weight[chosen])
    log_loss, correct = np.empty((2, len(ms), len(chosen)))
    n_classes = len(model.class_count)
    bytes_per_row = rows.bytes_per_row() + 128 * n_classes
    for i, m in enumerate(ms):
        add = model.left_out(m, own, removed)

        def score(part, i=i, add=add):
            log_prior = log_prior_without(
                model.class_count,
                own[part],
                removed[part],
                estimator.fit_prior,
                estimator.class_prior,
            )
            joint = log_prior.copy()
            add(part, rows.cells_of(chosen[part]), joint)
            log_loss[i, part], correct[i, part] = classification_losses(
                joint, own[part], log_prior
            )

        map_chunks(score, len(chosen), bytes_per_row, n_jobs=estimator.n_jobs)
    best, results = rank_candidates(
        [{"m": m} for m in candidates],
        {"log_loss": log_loss, "accuracy": correct},
        weight[chosen],
        CLASSIFICATION_SCORING[estimator.loo_scoring],
    )
    return candidates[best], results

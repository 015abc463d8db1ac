"""Weights of attributes, learnt by leave-one-out."""

import numpy as np

from .._leave_one_out import candidate_order, rows_to_leave_out
from ..neighbors._mixed_metric import column_relevance, relevance_weights

# Exponents of the relevance among which leave-one-out chooses.
EXPONENTS = (0.0, 0.25, 0.5, 1.0, 2.0)
# The weights are chosen by leaving out at most this number of cases.
MAX_CASES_TO_LEAVE_OUT = 1000


def learn_weights(model):
    """Return the weights of the attributes of a model whose cases are stored."""
    targets, weight = model._targets, model._weight
    n = len(weight)
    relevance = column_relevance(model._cases, targets.embedding_targets(), weight)
    n_values = np.array(
        [0 if one.n_codes is None else one.n_codes - 1 for one in model._space.columns]
    )
    candidates = [relevance_weights(relevance, n_values, one) for one in EXPONENTS]
    if n < 2:
        return candidates[0]
    seed = 0 if model.random_state is None else model.random_state
    left_out = rows_to_leave_out(n, MAX_CASES_TO_LEAVE_OUT, seed)
    _, tuned = model._given_parameters()
    means = []
    for weights in candidates:
        _, results = model._leave_out(weights, tuned, left_out)
        best = int(np.argmin(results["rank"]))
        means.append({name: results[f"mean_{name}"][best] for name in targets.score_names})
    scores = {name: np.array([one[name] for one in means]) for name in means[0]}
    model.loo_weight_scores_ = scores
    order = candidate_order(scores, targets.scoring(model.loo_scoring))
    return candidates[order[0]]

"""The weight of evidence of each cell, in the order of the network.

The chain rule splits the log posterior of a class: with the observed nodes one after
the other, parents before children,

    log P(c | x) = log P(c) + Σ_j (log P(c | x_1 … x_j) - log P(c | x_1 … x_{j-1})).

Where the class has no parents and no cell is missing, a part of the sum is that of the
node's table, log P(x_j | parents), less a number that is the same for all classes.
"""

import numpy as np
from scipy.special import logsumexp

from ...tabular import MISSING


def evidence_terms(codes, order, log_posterior_of):
    """Return log P(c) and what each observed node adds to log P(c | x)."""
    # codes: (n_rows, n_nodes), below 0 where a value is missing, and in the column of
    # the class. order: the nodes that may be observed, parents first.
    # ``log_posterior_of(codes)`` returns log P(c | codes), (n_rows, n_classes), up to a
    # constant for each row.
    # Returns (n_rows, n_classes) and (n_rows, n_nodes, n_classes): 0 for missing cells,
    # and for classes that were impossible before.
    known = np.full_like(codes, MISSING)
    base = before = _normalized(log_posterior_of(known))
    terms = np.zeros((*codes.shape, base.shape[1]))
    for node in order:
        rows = np.flatnonzero(codes[:, node] >= 0)
        if not len(rows):
            continue
        known[rows, node] = codes[rows, node]
        after = before.copy()
        after[rows] = _normalized(log_posterior_of(known[rows]))
        with np.errstate(invalid="ignore"):
            terms[:, node] = np.where(np.isneginf(before), 0.0, after - before)
        before = after
    return base, terms


def _normalized(log_scores):
    with np.errstate(invalid="ignore"):  # every class has probability 0
        scores = log_scores - logsumexp(log_scores, axis=1, keepdims=True)
    return np.where(np.isnan(scores), -np.inf, scores)

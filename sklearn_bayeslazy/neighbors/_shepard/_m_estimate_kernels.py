"""Numba kernel that scores m-estimates from votes, for rows that were left out."""

from typing import NamedTuple

import numpy as np

from ..._core._kernel import kernel


class LeftOutClasses(NamedTuple):
    """The classes of rows that were left out, and what changes without each row."""

    codes: np.ndarray  # (m,), the classes
    true_factor: np.ndarray  # (m,), factor of the row's class
    true_prior: np.ndarray  # (m,), prior of the row's class
    other_factor: np.ndarray  # (m,), multiplies the factors of other classes
    other_prior: np.ndarray  # (m,), multiplies the priors of other classes


@kernel
def score_m_estimates(
    sums, totals, squares, left_out, factor, prior, ms, max_loss, correct, log_loss
):
    """Write whether the true class is most probable, and its log loss, for each m."""
    # sums, totals, squares: the votes for m rows, as in `VoteSums`.
    # factor, prior: (n_classes,); ms: (n_ms,); max_loss: log loss of a probability of
    # 0; correct, log_loss: (n_ms, m), output.
    codes, true_factor, true_prior, other_factor, other_prior = left_out
    n_classes = sums.shape[1]
    votes, priors = np.empty(n_classes), np.empty(n_classes)
    for q in range(sums.shape[0]):
        n_effective = totals[q] * (totals[q] / squares[q])
        all_votes = all_priors = 0.0
        for c in range(n_classes):
            by = factor[c] * other_factor[q]
            p = prior[c] * other_prior[q]
            if c == codes[q]:
                by, p = true_factor[q], true_prior[q]
            votes[c] = by * (sums[q, c] / totals[q])
            priors[c] = by * p
            all_votes += votes[c]
            all_priors += priors[c]
        for i in range(len(ms)):
            of_votes = n_effective / (n_effective + ms[i])
            of_prior = ms[i] / (n_effective + ms[i])
            best, largest = 0, -1.0
            for c in range(n_classes):
                score = of_votes * votes[c] + of_prior * priors[c]
                if score > largest:
                    best, largest = c, score
            true_score = of_votes * votes[codes[q]] + of_prior * priors[codes[q]]
            p = true_score / (of_votes * all_votes + of_prior * all_priors)
            correct[i, q] = 1.0 if best == codes[q] else 0.0
            log_loss[i, q] = min(-np.log(p), max_loss) if p > 0.0 else max_loss

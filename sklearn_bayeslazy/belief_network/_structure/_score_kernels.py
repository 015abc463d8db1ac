"""Numba kernel that scores families by their tables of counts."""

from math import lgamma

import numpy as np

from ..._kernel import kernel


@kernel
def score_tables(counts, starts, size, alpha, penalty):
    """Return the score of each of several tables; see `family_scores`.

    Parameters
    ----------
    counts : ndarray of shape (n_cells,)
        One table after the other. The node's value varies fastest.
    starts : int64 array of shape (n_tables + 1,)
        Where each table begins.
    size : int
        The number of values of the node.
    alpha : ndarray of shape (n_tables,)
        The parameter of each cell's symmetric Dirichlet prior; 0 for the log
        likelihood.
    penalty : float
        Is subtracted for each free parameter.

    Returns
    -------
    ndarray of shape (n_tables,)
    """
    scores = np.empty(len(alpha))
    for t in range(len(alpha)):
        # The terms of empty cells, and of combinations without rows, are 0.
        of_values, of_parents, n_combinations = 0.0, 0.0, 0
        a, a_of_parents = alpha[t], alpha[t] * size
        log_gamma = lgamma(a) if a > 0 else 0.0
        log_gamma_of_parents = lgamma(a_of_parents) if a > 0 else 0.0
        for first in range(starts[t], starts[t + 1], size):
            total = 0.0
            for cell in range(first, first + size):
                n = counts[cell]
                total += n
                if n > 0:
                    of_values += lgamma(n + a) - log_gamma if a > 0 else n * np.log(n)
            if total > 0:
                if a > 0:
                    of_parents += lgamma(total + a_of_parents) - log_gamma_of_parents
                else:
                    of_parents += total * np.log(total)
            n_combinations += 1
        scores[t] = of_values - of_parents - penalty * n_combinations * (size - 1)
    return scores

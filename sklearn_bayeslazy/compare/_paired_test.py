"""The corrected paired t-test for scores of two learners on the same folds."""

import numpy as np
from scipy.stats import t

# Two-sided level at which a difference counts as more than noise.
SIGNIFICANCE = 0.05


def corrected_p_value(differences, test_ratio):
    """Return the p-value of the mean difference of scores over folds.

    >>> round(corrected_p_value([1, 3], 1), 4)
    0.4544
    """
    # differences: (k,), of k folds. test_ratio: n₂/n₁, the size of the scored part over
    # that of the training part; 1 / (k - 1) for cross-validation. The training parts of
    # the folds overlap, so the folds' scores are not independent. Nadeau and Bengio
    # (2003), Inference for the generalization error, Machine Learning 52, correct the
    # variance of the mean: t = mean / √((1/k + n₂/n₁) s²) has k - 1 degrees of freedom;
    # s² is the sample variance of the differences.
    # p is 1 for fewer than two folds, for differences that are not finite, and if all
    # are 0.
    # The doctest: mean 2, variance 2 and n₂/n₁ = 1 give t = 2 / √((1/2 + 1) 2) = 1.155
    # with one degree of freedom.
    differences = np.asarray(differences, dtype=float)
    n = len(differences)
    if n < 2 or not np.isfinite(differences).all() or not differences.any():
        return 1.0
    scale = np.sqrt((1 / n + test_ratio) * differences.var(ddof=1))
    mean = abs(differences.mean())
    if scale <= 1e-12 * mean:
        return 0.0
    return float(2 * t.sf(mean / scale, n - 1))

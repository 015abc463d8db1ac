"""The corrected paired t-test for scores of two learners on the same folds."""

import numpy as np
from scipy.stats import t

# Two-sided level at which a difference counts as more than noise.
SIGNIFICANCE = 0.05


def corrected_p_value(differences, test_ratio):
    r"""Return the p-value of the mean difference of scores over folds.

    The training parts of the folds overlap, so the folds' scores are not independent.
    Nadeau and Bengio correct the variance of the mean,

    .. math:: t = \frac{\bar d}{\sqrt{(1/k + n_2/n_1)\, s^2}},

    with k folds, the sample variance s² of the differences, and n₂/n₁ the size of the
    scored part over that of the training part; t has k - 1 degrees of freedom.

    Parameters
    ----------
    differences : array-like of shape (n_folds,)
    test_ratio : float
        n₂/n₁; 1 / (k - 1) for k folds.

    Returns
    -------
    p : float
        1 for fewer than two folds, and if all differences are 0.

    References
    ----------
    C. Nadeau and Y. Bengio (2003), Inference for the generalization error, Machine
    Learning 52.

    Examples
    --------
    Differences 1 and 3 have the mean 2 and the variance 2. With n₂/n₁ = 1, t =
    2 / √((1/2 + 1) 2) = 1.155 with one degree of freedom:

    >>> round(corrected_p_value([1, 3], 1), 4)
    0.4544
    """
    differences = np.asarray(differences, dtype=float)
    n = len(differences)
    if n < 2 or not np.isfinite(differences).all() or not differences.any():
        return 1.0
    scale = np.sqrt((1 / n + test_ratio) * differences.var(ddof=1))
    mean = abs(differences.mean())
    if scale <= 1e-12 * mean:
        return 0.0
    return float(2 * t.sf(mean / scale, n - 1))

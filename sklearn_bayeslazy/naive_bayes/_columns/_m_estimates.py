r"""The m-estimate for each distribution: m virtual examples drawn from a prior.

With n the total weight of a class's observed cells in a column, and m virtual
examples:

============  ==========================================================  =========
distribution  estimate                                                    prior
============  ==========================================================  =========
categorical   θ = (n_v + m p_v) / (n + m q)                               p_v, q=Σp
Poisson       λ = (Σx + m λ₀) / (n + m)                                   λ₀
Gaussian      μ' = (n x̄ + m μ₀) / (n + m),                                μ₀, σ₀²
              SS' = SS + m σ₀² + n m / (n + m) (x̄ - μ₀)²,
              σ² = SS' / (n + m - u), SS' / (n + m) where n + m ≤ u
============  ==========================================================  =========

Where n + m = 0 the quotient is 0/0, and the estimate is its limit for m → 0, the prior
itself. u is the weight of one row, usually 1. A prior is a vector of pseudo-counts per
virtual example, whose sum q need not be 1. Source: T. Mitchell (1997), Machine
Learning, section 6.9.1.1 (the m-estimate).
"""

import numpy as np

from ..._core._arrays import as_float_array
from ...tabular import MAX_VIRTUAL_EXAMPLES, per_column_list

_LOG_SQRT_2PI = 0.5 * np.log(2 * np.pi)


def gaussian_m_estimate(
    observed, mean, ss, m, prior_mean, prior_variance, gap=None, row_weight=1.0
):
    """Return (μ', σ²); arguments broadcast. σ² is 0 where all values are equal.

    >>> mean, variance = gaussian_m_estimate(3.0, 90.0, 50.0, 0.0, 104.0, 1890.0)
    >>> float(mean), float(variance)
    (90.0, 25.0)
    """
    # `gap` is mean - prior_mean, given where it is known to more digits than the means.
    # row_weight: that of one row, u.
    # The example is Evade's incomes 95, 85, 90 (class Yes): m = 0 gives 50 / (3 - 1).
    n = observed + m
    with np.errstate(all="ignore"):
        gap = mean - prior_mean if gap is None else gap
        gap = np.where(observed > 0, gap, 0.0)
        share = np.where(n > 0, np.divide(m, n), 1.0)
        new_mean = np.where(observed > 0, mean - share * gap, prior_mean)
        new_ss = ss + m * prior_variance + observed * share * gap * gap
        variance = new_ss / np.where(n > row_weight, n - row_weight, n)
    return new_mean, np.where(n > 0, variance, prior_variance)


def pool_moments(observed, mean, compensation, ss):
    """Return the moments of the union of the groups along the last axis.

    >>> n, mean, compensation, ss = pool_moments(
    ...     np.ones(2), np.array([2.0, 4.0]), np.zeros(2), np.zeros(2)
    ... )
    >>> float(n), float(mean), float(compensation), float(ss)  # of the numbers 2, 4
    (2.0, 3.0, 0.0, 2.0)
    """
    # All arguments: (..., n_groups); results: (...). A mean is the sum of two floats:
    # `mean`, and its rounding error `compensation` (as in Kahan's summation).
    # Deviations are taken from one group's mean, so equal means pool without rounding.
    n = observed.sum(axis=-1)
    first = np.expand_dims(np.argmax(observed > 0, axis=-1), -1)
    origin = np.take_along_axis(mean, first, axis=-1)
    # An overflow stays infinite; the caller refuses it.
    with np.errstate(all="ignore"):
        gap = np.where(observed > 0, (mean - origin) + compensation, 0.0)
        shift = np.where(n > 0, (observed * gap).sum(axis=-1) / n, 0.0)
        between = (observed * (gap - shift[..., None]) ** 2).sum(axis=-1)
        origin = origin[..., 0]
        pooled = origin + shift
        return n, pooled, (origin - pooled) + shift, ss.sum(axis=-1) + between


def gaussian_terms(mean, variance):
    """Return (μ, 1 / (σ √2), -log(σ √2π)), the terms of a Gaussian log density."""
    sd = np.sqrt(variance)
    return mean, np.sqrt(0.5) / sd, -np.log(sd) - _LOG_SQRT_2PI


# The priors from which the virtual examples of an m-estimate are drawn.
#
# Each column's prior is "uniform", "marginal" (the frequencies in the whole table) or
# an array: of shape (K,), or (n_classes, K) with a row for each class. An array q holds
# pseudo-counts. Their sum q(y) = Σ q(x, y) need not be 1: θ = (count + m q(x, y)) / (n
# + m q(y)). The prior of a Poisson column is its rate λ₀, an array of one number; that
# of a Gaussian column is its mean and variance, two numbers.


_NAMED_PRIORS = ("uniform", "marginal")


def prior_per_column(prior, table):
    """Return the prior of each column: "uniform", "marginal" or a float array."""
    # prior: a name, a list of length d, or a dict {column: prior}.
    per_column = per_column_list(prior, table, "prior", "uniform")
    return [_check_prior(p, name) for p, name in zip(per_column, table.names)]


def _check_prior(prior, name):
    if isinstance(prior, str):
        if prior not in _NAMED_PRIORS:
            raise ValueError(
                f"prior={prior!r} for column {name!r}: it must be 'uniform', "
                "'marginal' or an array."
            )
        return prior
    meaning = "'uniform', 'marginal' or a finite array of shape (K,) or (n_classes, K)"
    values = as_float_array(prior, f"prior for column {name!r}", meaning)
    if values.ndim not in (1, 2) or not np.all(np.abs(values) <= MAX_VIRTUAL_EXAMPLES):
        raise ValueError(f"prior for column {name!r} must be {meaning}; got {prior!r}.")
    return values


def check_shape(prior, name, n_values, n_classes, meaning):
    """Return an array prior as (1 or n_classes, n_values), or raise."""
    prior = np.atleast_2d(prior)
    if prior.shape[0] not in (1, n_classes) or prior.shape[1] != n_values:
        raise ValueError(
            f"prior for column {name!r} has shape {prior.shape}; it needs "
            f"({n_values},) or ({n_classes}, {n_values}): {meaning}."
        )
    return prior


class DiscretePrior:
    """Priors of the concatenated codes of all columns: p_v and its sum q."""

    # priors: d str or arrays; counts: (S, n_classes).

    def __init__(self, priors, codebook, counts, names):
        n_classes = counts.shape[1]
        sizes, start = codebook.sizes, codebook.start
        arrays = [j for j, prior in enumerate(priors) if not isinstance(prior, str)]
        width = n_classes if any(priors[j].ndim == 2 for j in arrays) else 1
        self._p = np.repeat(1 / np.maximum(sizes, 1), sizes)[:, None]
        self._sum = np.ones((len(sizes), 1))
        if width > 1:
            self._p = np.repeat(self._p, width, axis=1)
            self._sum = np.repeat(self._sum, width, axis=1)
        for j in arrays:
            p = check_shape(
                priors[j], names[j], sizes[j], n_classes, "one number per category"
            )
            if np.any(p < 0) or np.any(p.sum(axis=1) <= 0):
                raise ValueError(
                    f"prior for column {names[j]!r} must be ≥ 0 with a sum above 0."
                )
            self._p[start[j] : start[j + 1]] = p.T
            self._sum[j] = p.sum(axis=1)
        self._column = np.repeat(np.arange(len(sizes)), sizes)
        marginal = np.array([isinstance(p, str) and p == "marginal" for p in priors])
        self._marginal = marginal[self._column] if len(priors) else marginal
        if self._marginal.any():
            self._value_total = counts.sum(axis=1)
            self._column_total = np.bincount(
                self._column, self._value_total, len(sizes)
            )

    def at(self, position, removed=0.0):
        """Return p_v and q of the codes at `position`."""
        # Both have the shape (len(position), 1 or n_classes). `removed` is the weight
        # of a row with that code that is left out.
        p, prior_sum = self._p[position], self._sum[self._column[position]]
        marginal = self._marginal[position]
        if marginal.any():
            value = np.maximum(self._value_total[position, None] - removed, 0.0)
            total = self._column_total[self._column[position], None] - removed
            with np.errstate(divide="ignore", invalid="ignore"):
                frequency = np.where(total > 0, value / total, p)
            p = np.where(marginal[:, None], frequency, p)
        return p, prior_sum

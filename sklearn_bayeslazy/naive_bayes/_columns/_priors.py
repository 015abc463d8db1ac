"""The priors from which the virtual examples of an m-estimate are drawn.

Each column's prior is "uniform", "marginal" (the frequencies in the whole table) or an
array: of shape (K,), or (n_classes, K) with a row for each class. An array q holds
pseudo-counts. Their sum q(y) = Σ q(x, y) need not be 1:
θ = (count + m q(x, y)) / (n + m q(y)). The prior of a Poisson column is its rate λ₀, an
array of one number; that of a Gaussian column is its mean and variance, two numbers.
"""

import numpy as np

from ..._core._arrays import as_float_array
from ..._core._virtual_examples import MAX_VIRTUAL_EXAMPLES
from ...tabular import per_column_list

_NAMED_PRIORS = ("uniform", "marginal")


def prior_per_column(prior, table):
    """Return the prior of each column: "uniform", "marginal" or a float array."""
    # prior: a name, a list of length d, or a dict {column: prior}.
    if isinstance(prior, str):
        per_column = [prior] * table.n_columns
    else:
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

"""What the virtual examples of an m-estimate are drawn from.

Each column's prior is "uniform", "marginal" (the frequencies in the whole table) or an
array: of shape (K,), or (n_classes, K) with a row for each class. Sums need not be 1:
they are the class masses q(y) of seed 002, θ = (count + m q(x, y)) / (n + m q(y)).
A Poisson column takes its rate λ₀ as an array of one number, a Gaussian column its
mean and variance as two.
"""

import numbers

import numpy as np

from ..._arrays import as_float_array

_WORDS = ("uniform", "marginal")


# Virtual examples and priors up to this size can be multiplied without overflow.
LARGEST = 1e150


def prior_per_column(prior, table):
    """Return the prior of each column: a word or a float array.

    Parameters
    ----------
    prior : {"uniform", "marginal"}, list of length d, or dict {column: prior}
    table : Table
        Of d columns.
    """
    if isinstance(prior, str):
        per_column = [prior] * table.n_columns
    else:
        per_column = per_column_list(prior, table, "prior", "uniform")
    return [_check(one, name) for one, name in zip(per_column, table.names)]


def per_column_list(given, table, parameter, default):
    """Spread a list or a dictionary {column: value} over the columns of a table.

    A dictionary names a column by its label in a frame, or else by its number.
    """
    names = table.names
    if not isinstance(given, dict):
        if len(given) != len(names):
            raise ValueError(
                f"{parameter} has {len(given)} entries for {len(names)} columns; give "
                "one a column, or a dictionary {column: value}."
            )
        return list(given)
    spread = [default] * len(names)
    numbered = all(isinstance(label, str) for label in table.labels_of_columns)
    for key, value in given.items():
        if key in table.labels_of_columns:
            spread[table.labels_of_columns.index(key)] = value
        elif numbered and isinstance(key, numbers.Integral) and 0 <= key < len(names):
            spread[key] = value
        else:
            raise ValueError(
                f"{parameter} names the column {key!r}, which X does not have; its "
                f"columns are {table.labels_of_columns[:20]}."
            )
    return spread


def _check(prior, name):
    if isinstance(prior, str):
        if prior not in _WORDS:
            raise ValueError(
                f"prior={prior!r} for column {name!r}: it must be 'uniform', "
                "'marginal' or an array."
            )
        return prior
    meaning = "'uniform', 'marginal' or a finite array of shape (K,) or (n_classes, K)"
    values = as_float_array(prior, f"prior for column {name!r}", meaning)
    if values.ndim not in (1, 2) or not np.all(np.abs(values) <= LARGEST):
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
    """Priors of the codes of all columns, laid end to end: p_v and its sum q.

    Parameters
    ----------
    priors : list of d words or arrays
    codebook : Codebook
    counts : ndarray of shape (S, n_classes)
    names : list of d str
    """

    def __init__(self, priors, codebook, counts, names):
        n_classes = counts.shape[1]
        sizes, start = codebook.sizes, codebook.start
        arrays = [j for j, prior in enumerate(priors) if not isinstance(prior, str)]
        width = n_classes if any(priors[j].ndim == 2 for j in arrays) else 1
        self._p = np.repeat(1 / np.maximum(sizes, 1), sizes)[:, None]
        self._mass = np.ones((len(sizes), 1))
        if width > 1:
            self._p = np.repeat(self._p, width, axis=1)
            self._mass = np.repeat(self._mass, width, axis=1)
        for j in arrays:
            p = check_shape(
                priors[j], names[j], sizes[j], n_classes, "one number a category"
            )
            if np.any(p < 0) or np.any(p.sum(axis=1) <= 0):
                raise ValueError(
                    f"prior for column {names[j]!r} must be ≥ 0 with a sum above 0."
                )
            self._p[start[j] : start[j + 1]] = p.T
            self._mass[j] = p.sum(axis=1)
        self._column = np.repeat(np.arange(len(sizes)), sizes)
        marginal = np.array([isinstance(p, str) and p == "marginal" for p in priors])
        self._marginal = marginal[self._column] if len(priors) else marginal
        if self._marginal.any():
            self._value_total = counts.sum(axis=1)
            self._column_total = np.bincount(
                self._column, self._value_total, len(sizes)
            )

    def of(self, place, removed=0.0):
        """Return p_v and q of the codes at `place`, as (len(place), 1 or n_classes).

        `removed` is the mass of a row that holds the code and has been taken away.
        """
        p, mass = self._p[place], self._mass[self._column[place]]
        marginal = self._marginal[place]
        if marginal.any():
            value = np.maximum(self._value_total[place, None] - removed, 0.0)
            total = self._column_total[self._column[place], None] - removed
            with np.errstate(divide="ignore", invalid="ignore"):
                frequency = np.where(total > 0, value / total, p)
            p = np.where(marginal[:, None], frequency, p)
        return p, mass

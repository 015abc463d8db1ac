"""What a fitted model shows of its columns, under scikit-learn's names."""

import numpy as np

from ._discrete import DiscreteColumns
from ._gaussian import GaussianColumns
from ._poisson import PoissonColumns


class FittedColumnsMixin:
    """Read-only attributes over ``_families``, one entry for each column of X.

    They are properties, so that the model holds (and pickles) each array once.
    """

    @property
    def categories_(self):
        """Sorted categories of each categorical column, None for the others."""
        return self._of_codes(
            lambda f, j: None if f.codebook.is_cut[j] else _values(f, j)
        )

    @property
    def bin_edges_(self):
        """Cut points of each quantized or Bernoulli column, None for the others."""
        return self._of_codes(
            lambda f, j: _values(f, j) if f.codebook.is_cut[j] else None
        )

    @property
    def category_count_(self):
        """Mass by class and value of each discrete column, None for the others."""
        return self._of_codes(lambda f, j: f.counts[_span(f, j)].T)

    @property
    def feature_log_prob_(self):
        """Log P(value | class) of each discrete column, None for the others."""
        return self._of_codes(lambda f, j: f.log_prob[_span(f, j)].T)

    @property
    def rate_(self):
        """Poisson rates, of shape (n_classes, n_features)."""
        return self._of_numbers(PoissonColumns, lambda family: family.rate.T)

    @property
    def theta_(self):
        """Gaussian means, of shape (n_classes, n_features)."""
        return self._of_numbers(GaussianColumns, lambda family: family.theta)

    @property
    def var_(self):
        """Gaussian variances, of shape (n_classes, n_features)."""
        return self._of_numbers(GaussianColumns, lambda family: family.variance)

    def _of_codes(self, read):
        values = [None] * self.n_features_in_
        for family in self._families:
            if isinstance(family, DiscreteColumns):
                for place, column in enumerate(family.columns):
                    values[column] = read(family, place)
        return values

    def _of_numbers(self, kind, read):
        values = np.full((len(self.classes_), self.n_features_in_), np.nan)
        for family in self._families:
            if isinstance(family, kind):
                values[:, family.columns] = read(family)
        return values


def _values(family, place):
    return family.codebook.values[place]


def _span(family, place):
    start = family.codebook.start
    return slice(start[place], start[place + 1])

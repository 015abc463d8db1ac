"""How distances become weights: a power, the cosine, no weights, or a callable."""

from dataclasses import dataclass

import numpy as np

from ..._core._arrays import as_float_array
from ._weight_kernels import COSINE, POWER, UNIFORM, WeightRule, weigh_lists


@dataclass(frozen=True)
class Weighting:
    """How a distance becomes a weight."""

    # `POWER`, `COSINE` or `UNIFORM`; `POWER`, and not read, where there is a function.
    kind: int
    exponent: float = 1.0  # of the reduced distance
    function: object = None  # callable given by the user: distances to weights

    @classmethod
    def from_parameters(cls, weights, power, metric):
        """Return the weighting for an estimator's parameters."""
        if callable(weights):
            return cls(POWER, function=weights)
        if weights == "cosine":
            return cls(COSINE)
        if weights == "uniform" or power == 0:
            return cls(UNIFORM)
        return cls(POWER, power / metric.root)

    @property
    def rule(self):
        """Return what the kernels read."""
        return WeightRule(self.kind, self.exponent)

    def weigh(self, lists, metric):
        """Return the weights of listed rows; an exact hit has an infinite weight."""
        weights = np.zeros_like(lists.reduced)
        if self.function is None:
            weigh_lists(lists.reduced, lists.counts, self.rule, weights)
            return weights
        return self._call(lists, metric, weights)

    def relative_to(self, references, nearest):
        """Return the nearest rows' weights relative to those of reference rows."""
        # references, nearest: (m,), reduced distances.
        if self.kind != POWER:
            return np.ones(len(nearest))
        with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
            ratios = np.where(references > nearest, references / nearest, 1.0)
            return ratios**self.exponent

    def _call(self, lists, metric, weights):
        """Return the weights by the function, called for lists of equal length."""
        for count in np.unique(lists.counts):
            some = lists.counts == count
            distances = metric.distances(lists.reduced[some, :count])
            with np.errstate(divide="ignore"):
                given = as_float_array(
                    self.function(distances), "What weights returned"
                )
            if given.shape != distances.shape:
                raise ValueError(
                    f"weights returned an array of shape {given.shape} for distances "
                    f"of shape {distances.shape}: it must return one weight for each."
                )
            if not np.all(given >= 0):
                raise ValueError(
                    "weights returned a negative weight or NaN: return numbers ≥ 0."
                )
            weights[some, :count] = given
        # Relative to the largest finite weight, so that no sum over- or underflows.
        largest = np.max(weights, axis=1, where=weights < np.inf, initial=0.0)
        return weights / np.where(largest > 0, largest, 1.0)[:, None]

"""How distances become weights: a power, the cosine, no weights, or a callable.

Weights are relative to that of a near row, which is 1, so that no power of a distance
overflows.
"""

from dataclasses import dataclass

import numpy as np

from ..._core._arrays import as_float_array
from ..._core._kernel import inlined, inlined_late, kernel


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
            return cls(COSINE, 1 / metric.root)
        if weights == "uniform" or power == 0:
            return cls(UNIFORM)
        return cls(POWER, power / metric.root)

    def weigh(self, lists, metric):
        """Return the weights of listed rows; an exact hit has an infinite weight."""
        weights = np.zeros_like(lists.reduced)
        if self.function is None:
            weigh_lists(lists.reduced, lists.counts, self.kind, self.exponent, weights)
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


def replace_degenerate_weights(counts, weights):
    """Replace infinite weights, and lists of weights that are all 0."""
    # counts: (m,); weights: (m, width), overwritten; 0 after the end of a list. Where a
    # list has exact hits, only these count. Where no row has any weight, all have the
    # same.
    hits = weights == np.inf
    has_hits = hits.any(axis=1)
    weights[has_hits] = hits[has_hits]
    none = ~weights.any(axis=1)
    weights[none] = np.arange(weights.shape[1]) < counts[none, None]


# Numba kernels that turn reduced distances into weights.
#
# Weights are relative to that of a near row, which is 1, so that no power of a distance
# overflows.


# How a reduced distance becomes a weight.
POWER, COSINE, UNIFORM = range(3)


@inlined_late
def relative_power(t, exponent):
    """Return t ** exponent; a product where 2 exponent is a whole number."""
    if exponent == 1.0:
        return t
    whole = int(exponent)
    half = exponent - whole
    if whole > 64 or (half != 0.0 and half != 0.5):
        return t**exponent
    power = np.sqrt(t) if half != 0.0 else 1.0
    while whole > 0:
        if whole & 1:
            power *= t
        t *= t
        whole >>= 1
    return power


@inlined
def relate_block(out, reference):
    """Turn the reduced distances of a block into ratios reference / distance."""
    # out: (width,), overwritten. Where the reference is an exact hit, hits get 1 and
    # other rows 0.
    if reference == 0.0:
        for r in range(out.shape[0]):
            out[r] = 1.0 if out[r] == 0.0 else 0.0
    else:
        for r in range(out.shape[0]):
            out[r] = reference / out[r]


@inlined
def weigh_block(out, kind, exponent, weights):
    """Write the weights of a block; `out` holds ratios, for `COSINE` distances."""
    width = out.shape[0]
    if kind == COSINE:
        for r in range(width):
            t = 1.0 - out[r] / 2
            weights[r] = t if t > 0.0 else 0.0
    elif exponent == 0.5:
        for r in range(width):
            weights[r] = np.sqrt(out[r])
    elif exponent in (1.0, 2.0, 4.0, 8.0):
        for r in range(width):
            weights[r] = out[r]
        power = 1.0
        while power < exponent:
            for r in range(width):
                weights[r] *= weights[r]
            power *= 2.0
    else:
        for r in range(width):
            weights[r] = relative_power(out[r], exponent)


@kernel
def weigh_lists(reduced, counts, kind, exponent, weights):
    """Write the weights of listed rows; an exact hit has an infinite weight."""
    for q in range(reduced.shape[0]):
        nearest = reduced[q, 0] if counts[q] > 0 else np.inf
        for c in range(counts[q]):
            value = reduced[q, c]
            if kind == UNIFORM:
                weights[q, c] = 1.0
            elif kind == COSINE:
                weights[q, c] = max(1.0 - relative_power(value / 2, exponent), 0.0)
            elif value == 0.0:
                weights[q, c] = np.inf
            elif value == np.inf:
                weights[q, c] = 0.0
            else:
                weights[q, c] = relative_power(nearest / value, exponent)

"""Offsets of scores by column value and class.

Naive Bayes and AODE estimate the effect of each column separately. An offset u_jc(v)
corrects log P(c | row) where column j has the value v. The offset of a category is a
parameter. Offsets of neighbouring bins of numbers differ by a step, and the steps are
the parameters: their penalty keeps the offsets smooth.
"""

from copy import copy

import numpy as np


class ValueOffsets:
    """The codes of columns as positions, and the parameters of their offsets."""

    # The parameters φ of a column are its steps in a basis in which they hardly
    # interact: the eigenvectors of their Gram matrix over the rows. A rotation does not
    # change Σ θ², θ being the steps.
    #
    # sizes: (d,), the number of codes of each column; is_ordered: (d,), whether the
    # codes are ordered bins; positions: (n, d), the codes of the rows plus the start of
    # their column. Missing and unknown cells have the position after the last code,
    # whose offset is 0. n_positions: the number of codes of all columns and one; 0 if
    # there are no columns. curvature: (n_positions,), Σ weight (effect of each
    # parameter on a row's score)².

    def __init__(self, sizes, is_ordered, positions, weight):
        start = np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)
        self.n_positions = int(start[-1]) + 1 if len(start) > 1 else 0
        self.curvature = np.zeros(self.n_positions)
        self._columns = []
        for column, first, stop, ordered in zip(
            positions.T, start[:-1], start[1:], is_ordered
        ):
            codes = slice(first, stop)
            count = np.bincount(column, weight, self.n_positions)[codes]
            effects = step_effects(stop - first) if ordered else np.eye(stop - first)
            curvature, basis = np.linalg.eigh(effects.T * count @ effects)
            self._columns.append((codes, effects @ basis))
            self.curvature[codes] = np.maximum(curvature, 0.0)

    @classmethod
    def none(cls):
        """Return offsets of no columns."""
        return cls([], [], np.empty((0, 0), dtype=np.int64), np.empty(0))

    def with_weights_divided_by(self, unit):
        """Return the same offsets for rows whose weights are divided by a number."""
        divided = copy(self)
        divided.curvature = self.curvature / unit
        return divided

    def values(self, parameters):
        """Return the offsets by position; both arrays are (n_positions, n_classes)."""
        values = np.zeros_like(parameters)
        for codes, effects in self._columns:
            values[codes] = effects @ parameters[codes]
        return values

    def gradient(self, by_value):
        """Return the gradient by parameter from that by offset."""
        gradient = np.zeros_like(by_value)
        for codes, effects in self._columns:
            gradient[codes] = effects.T @ by_value[codes]
        return gradient


def step_effects(n_bins):
    """Return the effect of each step (columns) on the offset of each bin (rows).

    >>> step_effects(3)
    array([[ 0. , -0.5, -0.5],
           [ 0. ,  0.5, -0.5],
           [ 0. ,  0.5,  0.5]])
    """
    # Step k lies between bins k - 1 and k. It raises the offsets above it by 1/2 and
    # lowers those below it. There is no step before the first bin.
    effects = np.where(np.arange(n_bins)[:, None] >= np.arange(n_bins), 0.5, -0.5)
    effects[:, 0] = 0.0
    return effects

"""The similarity of numbers: by the range of the cases, or by a given scale."""

from dataclasses import dataclass
from numbers import Real

import numpy as np

from ._similarities import Similarity


@dataclass(frozen=True)
class NumberSimilarity(Similarity):
    """Numbers: 1 - abs(a - b) / scale, and 0 for those that differ by more.

    Parameters
    ----------
    scale : float or None, default=None
        The difference at which two numbers have similarity 0. None: the range of the
        training cases; if they are all equal, any two numbers have similarity 1.

    Examples
    --------
    >>> from sklearn_bayeslazy import NumberSimilarity
    >>> NumberSimilarity(scale=10.0).pairwise([1.0], [3.0, 20.0])
    array([[0.8, 0. ]])
    """

    scale: float | None = None

    def __post_init__(self):
        is_number = isinstance(self.scale, Real) and 0 < self.scale < np.inf
        if self.scale is not None and not is_number:
            raise ValueError(f"scale must be a number above 0, got {self.scale!r}.")

    def scale_for(self, numbers):
        """Return the scale for training numbers (NaN for missing)."""
        if self.scale is not None:
            return float(self.scale)
        present = numbers[~np.isnan(numbers)]
        if not len(present) or present.min() == present.max():
            return np.inf
        with np.errstate(over="ignore"):
            width = present.max() - present.min()
        return min(float(width), np.finfo(np.float64).max)

    def pairwise(self, a, b):
        """Return the similarities (len(a), len(b)) of two lists of numbers."""
        a, b = np.asarray(a, dtype=float), np.asarray(b, dtype=float)
        gaps = np.abs(a[:, None] - b) / self.scale_for(np.append(a, b))
        return np.maximum(1 - gaps, 0.0)

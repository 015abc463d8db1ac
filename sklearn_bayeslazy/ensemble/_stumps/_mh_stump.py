"""Stumps that vote for and against each class, as AdaBoost.MH fits them."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from ..._core._kernel import frozen
from ...tabular import MISSING, object_array, read_table
from ._mh_kernels import add_mh_votes
from ._stump import StumpArrays, condition_of


@dataclass(frozen=True)
class MHStump:
    """A tree of one split whose sides vote for and against each class.

    >>> sides = (0.5, -0.5), (-1.0, 1.0), (0.0, 0.0)
    >>> stump = MHStump(0, "age", 40.5, None, ("old", "young"), *sides)
    >>> print(stump)
    (old 0.5, young -0.5) if age < 40.5 else (old -1, young 1)
    >>> stump.votes([[30.0], [50.0], [np.nan]])
    array([[ 0.5, -0.5],
           [-1. ,  1. ],
           [ 0. ,  0. ]])
    """

    feature: int  # the column
    name: str  # its name
    # Numbers below the threshold go to the left, all others to the right. Infinity
    # separates numbers from missing cells. None: one category is split from all others.
    threshold: float | None
    # The category that goes to the left if `threshold` is None. None: only missing
    # cells are split from the others.
    category: Any
    classes: tuple  # sorted
    # The votes of each side for each class; below 0 they are against it. Missing cells
    # are a third side. A side that no training row reached abstains: its votes are 0.
    left: tuple
    right: tuple
    missing: tuple

    @classmethod
    def constant(cls, name, classes, votes):
        """Return the stump whose sides all have the same votes."""
        return cls(0, name, np.inf, None, classes, votes, votes, votes)

    @property
    def is_constant(self):
        """Whether all rows get the same votes."""
        return self.left == self.right == self.missing

    @property
    def largest_vote(self):
        """The largest absolute value of a vote."""
        return float(np.abs([self.left, self.right, self.missing]).max())

    def __str__(self):
        if self.is_constant:
            return f"always {self._votes_text(self.left)}"
        left, right = self.left, self.right
        if self.threshold == np.inf:
            right = self.missing
        elif self.threshold is None and self.category is None:
            left = self.missing
        text = f"{self._votes_text(left)} if {condition_of(self)} "
        text += f"else {self._votes_text(right)}"
        if any(self.missing) and self.missing not in (left, right):
            text += f", {self._votes_text(self.missing)} if missing"
        return text

    def _votes_text(self, votes):
        pairs = [f"{label} {vote:.4g}" for label, vote in zip(self.classes, votes)]
        return f"({', '.join(pairs)})"

    def votes(self, X):
        """Return the votes of each row, of shape (n_samples, n_classes)."""
        # X: (n_samples, n_features), all columns of the rows given to `fit`.
        return MHStumpArrays([self], self.classes).votes(read_table(X), np.ones(1))

    def predict(self, X):
        """Return the class of the largest vote of each row, as an array of objects."""
        # X: (n_samples, n_features), all columns of the rows given to `fit`.
        return object_array(self.classes)[self.votes(X).argmax(axis=1)]


class MHStumpArrays(StumpArrays):
    """Many such stumps as arrays, for fast votes on many rows."""

    def _set_sides(self, stumps, classes):
        """Set what each side of each stump votes."""
        sides = [(s.left, s.right, s.missing) for s in stumps]
        self._votes = np.array(sides, dtype=np.float64)  # (n_stumps, 3, n_classes)

    def _add_votes(self, cells, alpha, sums):
        """Add the votes for some rows to sums of shape (n_classes, n_rows)."""
        votes = frozen(self._votes * alpha[:, None, None], np.float64)
        add_mh_votes(cells, self._splits, votes, sums)

    @staticmethod
    def _label_cells(codes):
        """Return the codes of categories, and NaN for missing cells."""
        return np.where(codes == MISSING, np.nan, codes)

"""Stumps that vote for and against each class, as AdaBoost.MH fits them."""

from dataclasses import dataclass

import numpy as np

from ..._core._kernel import inlined, kernel
from ...tabular import LANES, object_array, read_table
from ._stump import Split, StumpArrays
from ._stump_kernels import TOLERANCE, one_against_the_others, sum_from_both_ends


@dataclass(frozen=True)
class MHStump(Split):
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
        text = f"{self._votes_text(left)} if {self.condition} "
        text += f"else {self._votes_text(right)}"
        if any(self.missing) and self.missing not in (left, right):
            text += f", {self._votes_text(self.missing)} if missing"
        return text

    def _votes_text(self, votes):
        pairs = [f"{label} {vote:.4g}" for label, vote in zip(self.classes, votes)]
        return f"({', '.join(pairs)})"

    def side_votes(self, classes):
        """Return the votes of the sides for each class, of shape (3, n_classes)."""
        return self.left, self.right, self.missing

    def votes(self, X):
        """Return the votes of each row, of shape (n_samples, n_classes)."""
        # X: (n_samples, n_features), all columns of the rows given to `fit`.
        return StumpArrays([self], self.classes).votes(read_table(X), np.ones(1))

    def predict(self, X):
        """Return the class of the largest vote of each row, as an array of objects."""
        # X: (n_samples, n_features), all columns of the rows given to `fit`.
        return object_array(self.classes)[self.votes(X).argmax(axis=1)]


# Kernels of AdaBoost.MH: the split with the least Z of each column, and the weights.
#
# For each class there are two sums of weights: W- of the rows of other classes, and W+
# of the rows of that class.


@inlined
def add_sides(sums, n, z, total):
    """Add Σ √(W- W+) over the classes, and the total weight, of each of n sides."""
    # sums: (2 n_classes, n or more), W- and W+ of each class in turn; z and total: (n
    # or more,), added to.
    for t in range(sums.shape[0] // 2):
        for k in range(n):
            z[k] += np.sqrt(sums[2 * t, k] * sums[2 * t + 1, k])
            total[k] += sums[2 * t, k] + sums[2 * t + 1, k]


@kernel
def best_mh_splits(histograms, n_bins, is_label, loss, code):
    """Write the split of each column with the least Z, the sum of 2 √(W- W+)."""
    # histograms: (n_groups, 2 n_classes, LANES, n_codes), of W- and W+ of each class in
    # turn; all others: (n_columns,). n_bins: how many codes of a column are bins or
    # categories to split at. Missing cells are a third side.
    # Written: loss, Z as a share of the total weight, infinite if no split separates
    # any rows; and code. Numbers: codes below `code` go to the left. Labels: only this
    # code goes to the left. The code n_codes - 1 separates missing cells only.
    n_sums, n_codes = histograms.shape[1], histograms.shape[3]
    missing = n_codes - 1
    before = np.empty((n_sums, n_codes + 1))
    after = np.empty((n_sums, n_codes + 1))
    z = np.empty(n_codes + 1)
    sides = np.empty((2, n_codes + 1))
    missing_z, missing_weight = np.empty(1), np.empty(1)
    for j in range(loss.shape[0]):
        weight = histograms[j // LANES, :, j % LANES]
        n = missing if is_label[j] else n_bins[j]
        sum_from_both_ends(weight, n, before, after)
        if is_label[j]:
            one_against_the_others(weight, n, before, after)
        missing_z[0], missing_weight[0] = 0.0, 0.0
        add_sides(weight[:, missing:], 1, missing_z, missing_weight)
        for k in range(n + 1):
            z[k], sides[0, k], sides[1, k] = missing_z[0], 0.0, 0.0
        add_sides(before, n + 1, z, sides[0])
        add_sides(after, n + 1, z, sides[1])
        # At n all cells that are not missing are on one side.
        total = sides[0, n] + missing_weight[0]
        least, best = np.inf, missing
        for k in range(n_bins[j]):
            both = sides[0, k] > 0.0 and sides[1, k] > 0.0
            if both and z[k] < least - TOLERANCE * total:
                least, best = z[k], k
        both = sides[0, n] > 0.0 and missing_weight[0] > 0.0
        if both and z[n] < least - TOLERANCE * total:
            least, best = z[n], missing
        loss[j], code[j] = 2.0 * least / total, best


@kernel
def add_signed_votes(is_class, side, votes, log_weight):
    """Add to each row's log weight the vote for its side, signed by its class."""
    # is_class, side and log_weight: (n_rows,); votes: (2, 3), by whether a row is of
    # the class and by side. Indexing by arrays takes seven times as long.
    for i in range(log_weight.shape[0]):
        log_weight[i] += votes[is_class[i], side[i]]

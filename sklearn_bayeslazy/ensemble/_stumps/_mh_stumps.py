r"""AdaBoost.MH: stumps that vote for and against each class, and how they are fitted.

Each row has a weight for each class. :math:`W^b_+(c)` is the total weight of the pairs
(row, c) on side b of a split whose row is of class c, :math:`W^b_-(c)` that of all
other pairs. The vote of the side for the class is

.. math:: h_b(c) = \tfrac12 \ln
    \frac{W^b_+(c) + \varepsilon}{W^b_-(c) + \varepsilon},

and the split minimises :math:`Z = 2 \sum_{b, c} \sqrt{W^b_+(c) W^b_-(c)}` (Schapire &
Singer 1999, sections 4.1, 4.2 and 6). As in their experiments,
:math:`\varepsilon = 1 / n`, where the weights of all pairs sum to 1.
"""

from dataclasses import dataclass

import numpy as np

from ..._core._kernel import frozen, inlined, kernel
from ..._core._parallel import jobs_for, map_tasks
from ...tabular import LANES, MAX_BINS, object_array, read_table
from .._reweighting import MIN_ERROR, error_limit
from ._binned_learner import BinnedLearner
from ._stump import Split, StumpArrays
from ._stump_kernels import (
    TOLERANCE,
    WeightedRows,
    one_against_the_others,
    sum_from_both_ends,
)

# Weights are at least e to this times the largest, so that their products are not 0.
_MIN_LOG_WEIGHT = -300.0


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


def smoothed_votes(weights, smoothing):
    """Return the votes of each side for each class.

    >>> votes = smoothed_votes(np.array([[[5 / 8]], [[3 / 8]]]), 2 / 8)
    >>> float(np.exp(2 * votes)[0, 0].round(4))
    0.7143
    """
    # weights: (2, n_sides, n_classes), W- and W+; `smoothing` is added to each. Returns
    # (n_sides, n_classes). In the example three of eight rows are of a class, and two
    # are added: the odds for it are 5 : 7.
    log_against, log_in_favour = np.log(weights + smoothing)
    return 0.5 * (log_in_favour - log_against)


def log_z(weights, votes):
    """Return ln Z, by which some votes change the log of the mean weight of a pair."""
    # weights: (2, n_sides, n_classes), W- and W+; votes: (n_sides, n_classes).
    against, in_favour = weights
    gain = np.exp(votes)
    return float(np.log((against * gain + in_favour / gain).sum()))


class MHStumpLearner(BinnedLearner):
    """Fits stumps that vote for and against each class."""

    is_random = False

    # n_rows: the number of rows that the weights stand for. With two classes the
    # weights and votes of one follow from those of the other, so only the second class
    # is computed.
    def __init__(self, rows, model, n_rows):
        n_classes = len(model.classes_)
        targets = np.arange(n_classes)[int(n_classes == 2) :]
        is_class = rows.codes == targets[:, None]
        self._is_class = frozen(is_class, np.uint8)
        max_bins = MAX_BINS if model.max_bins == "auto" else model.max_bins
        self._class_jobs = jobs_for(self._is_class.size, model.n_jobs)
        # The weights of the pairs that are computed sum to 1.
        self._smoothing = n_classes / (n_rows * len(targets))
        super().__init__(rows, model, max_bins, 2 * len(targets), len(targets))
        every_row = frozen(np.arange(len(rows.codes)), np.int32)
        self._pairs = [
            (every_row, frozen(self._starts[2 * t + of_class], np.int32))
            for t, of_class in enumerate(is_class)
        ]

    def restart(self, scores=None):
        """Set the weights to those after members with the given scores."""
        # scores: (n_rows, n_classes), the sum of the members' votes; None: no members.
        self._log_weight = np.tile(self._log_sample_weight, (len(self._is_class), 1))
        self._weight = np.empty_like(self._log_weight)
        if scores is not None:
            scores = scores.T[-len(self._is_class) :]
            self._log_weight += np.where(self._is_class, -scores, scores)
        self._rescale()

    def _rescale(self):
        """Compute the weights from their logarithms; they sum to 1."""
        largest = self._log_weight.max()

        def compute(t):
            log_weight, weight = self._log_weight[t], self._weight[t]
            log_weight -= largest
            np.maximum(log_weight, _MIN_LOG_WEIGHT, out=weight)
            np.exp(weight, out=weight)

        self._map_classes(compute)
        self._weight /= self._weight.sum()

    def _map_classes(self, function):
        """Return ``function(t)`` for each class t that is computed."""
        n_targets = len(self._is_class)
        return map_tasks(function, range(n_targets), n_jobs=self._class_jobs)

    def fit_member(self, seed):
        """Find the best stump; return it and the weight of the pairs it votes wrong."""
        n_columns = len(self._n_bins)
        loss, code = np.empty(n_columns), np.empty(n_columns, np.int64)
        row_sets = [
            WeightedRows(*pairs, frozen(weight, np.float64))
            for pairs, weight in zip(self._pairs, self._weight)
        ]
        j = self._search(row_sets, True, best_mh_splits, (loss, code))
        if j is None:
            return None, error_limit(len(self._classes), "mh")  # nothing to split
        side_of_code = self._sides(j, code[j])
        side_of_code[-1] = 2  # missing cells are a third side
        self._side = frozen(side_of_code[self._table.column(j)], np.uint8)

        def side_weights(t):
            pairs = 3 * self._is_class[t] + self._side
            return np.bincount(pairs, self._weight[t], 6).reshape(2, 3)

        self._side_weight = np.stack(self._map_classes(side_weights), axis=2)
        self._votes = smoothed_votes(self._side_weight, self._smoothing)
        return self._stump(j, code[j]), self._side_weight.min(axis=0).sum()

    def _stump(self, j, split_code):
        """Return the stump of a split, with the last votes."""
        votes = self._votes
        if len(self._classes) == 2:
            votes = np.hstack([-votes, votes])
        classes = tuple(self._classes.tolist())
        sides = (tuple(side) for side in votes.tolist())
        return MHStump(j, self._names[j], *self._cut(j, split_code), classes, *sides)

    def vote_weight(self, error, alphas):
        """Return the factor of the votes, which differ in size by themselves."""
        return self._rate

    def log_bound_factor(self, alpha, error):
        """Return ln Z, by which the votes of the last stump change the error bound."""
        return log_z(self._side_weight, alpha * self._votes)

    def _reweight(self, alpha):
        """Multiply the weights of the pairs by e to the votes against their sign."""
        votes = alpha * self._votes
        signed_votes = frozen(np.stack([votes, -votes]).transpose(2, 0, 1), np.float64)

        def add_votes(t):
            add_signed_votes(
                self._is_class[t], self._side, signed_votes[t], self._log_weight[t]
            )

        self._map_classes(add_votes)
        self._rescale()


def constant_votes(class_weight):
    """Return votes whose probabilities are the class shares, their error and ln Z.

    >>> votes, error, _ = constant_votes(np.array([3.0, 5.0]))
    >>> np.exp(2 * np.array(votes)).round(4), error  # 3/5, 5/3
    (array([0.6   , 1.6667]), 0.375)
    """
    # class_weight: (n_classes,), total weights; a share of 0 counts as `MIN_ERROR`.
    # Returns the votes as a tuple, one for each class.
    share = class_weight / class_weight.sum()
    weights = np.stack([1.0 - share, share])[:, None] / len(share)
    log_share = np.log(np.maximum(share, MIN_ERROR))
    votes = log_share - log_share.mean()
    error = float(weights.min(axis=0).sum())
    return tuple(votes.tolist()), error, log_z(weights, votes[None])


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

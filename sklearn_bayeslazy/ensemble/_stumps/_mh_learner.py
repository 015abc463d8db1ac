r"""The weak learner of AdaBoost.MH: stumps that vote for and against each class.

Each row has a weight for each class. :math:`W^b_+(c)` is the total weight of the pairs
(row, c) on side b of a split whose row is of class c, :math:`W^b_-(c)` that of all
other pairs. The vote of the side for the class is

.. math:: h_b(c) = \tfrac12 \ln
    \frac{W^b_+(c) + \varepsilon}{W^b_-(c) + \varepsilon},

and the split minimises :math:`Z = 2 \sum_{b, c} \sqrt{W^b_+(c) W^b_-(c)}` (Schapire &
Singer 1999, sections 4.1, 4.2 and 6). As in their experiments,
:math:`\varepsilon = 1 / n`, where the weights of all pairs sum to 1.
"""

import numpy as np

from ..._core._kernel import frozen
from ..._core._parallel import jobs_for, map_tasks
from ...tabular import MAX_BINS
from .._reweighting import MIN_ERROR, error_limit
from ._binned_learner import BinnedLearner, first_least
from ._mh_stump import MHStump, add_signed_votes, best_mh_splits
from ._stump_kernels import WeightedRows

# Weights are at least e to this times the largest, so that their products are not 0.
_MIN_LOG_WEIGHT = -300.0


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
        self.n_histograms_of_row = len(targets)
        super().__init__(rows, model, max_bins, 2 * len(targets))
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
            for log_weight, is_class, score in zip(
                self._log_weight, self._is_class, scores.T[-len(self._is_class) :]
            ):
                log_weight += np.where(is_class, -score, score)
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
        self._search(row_sets, True, best_mh_splits, (loss, code))
        j = first_least(loss)
        if loss[j] == np.inf:
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

"""Boosted stumps that predict a class on each side, by error or Gini impurity."""

import numpy as np
from sklearn.utils import check_random_state

from ..._core._kernel import frozen
from ...tabular import MAX_BINS
from .._reweighting import MIN_ERROR
from ._binned_learner import BinnedLearner
from ._stump import Stump
from ._stump_kernels import WeightedRows, best_splits, find_misclassified, raise_weights

# Weights are rescaled before their logarithm can exceed this, so that their squares do
# not overflow.
_MAX_LOG_WEIGHT = 200.0
# max_bins="auto": up to this total weight and number of values each distinct value has
# a bin; larger tables have quantile bins.
_MAX_WEIGHT_OF_EXACT_BINS = 2**14
_MAX_EXACT_BINS = 2**16 - 1


class StumpLearner(BinnedLearner):
    """Fits stumps that predict a class on each side."""

    # After a round the weights of the misclassified rows are raised, and the others
    # stay. So only the misclassified rows are added to the histograms. These are sums
    # of positive numbers, which lose no digits. Before a weight could overflow, all
    # weights are computed from their logarithms again.

    def __init__(self, rows, model):
        max_bins = model.max_bins
        if max_bins == "auto":
            has_few_rows = rows.weight.sum() <= _MAX_WEIGHT_OF_EXACT_BINS
            is_exact = has_few_rows and len(rows.weight) < _MAX_EXACT_BINS
            max_bins = None if is_exact else MAX_BINS
        super().__init__(rows, model, max_bins, len(model.classes_))
        self.is_random = self.resamples
        self._gini = model.criterion == "gini"
        self._class_start = frozen(self._starts[rows.codes], np.int32)
        # A round writes the misclassified rows here.
        self._wrong_rows = WeightedRows.empty(len(rows.codes))

    def restart(self, log_factor=0.0):
        """Set the weights to the sample weights times factors, given as logarithms."""
        super().restart(log_factor)
        self._rescale()

    def _rescale(self):
        """Compute the weights from their logarithms; the largest weight is 1."""
        self._log_weight -= self._log_weight.max()
        self._weight = np.exp(self._log_weight)
        self._total_weight = self._weight.sum()
        self._max_log_weight = 0.0
        self._must_rebuild = True

    def fit_member(self, seed):
        """Find the best stump; return it and its weighted error."""
        if self.resamples:
            drawn = self._draw_rows(check_random_state(seed))
            rows, counts = np.unique(drawn, return_counts=True)
            stump, predicted = self._best_stump(rows, self._class_start[rows], counts)
        elif self._must_rebuild or not self._keeps_histograms:
            every_row = np.arange(len(self._weight))
            stump, predicted = self._best_stump(
                every_row, self._class_start, self._weight
            )
        else:  # `reweight` has raised the weights of these rows
            stump, predicted = self._best_stump(*self._last_wrong, rebuild=False)
        n_wrong = find_misclassified(
            self._table.column(stump.feature),
            frozen(self._starts[predicted], np.int32),
            self._class_start,
            self._weight,
            self._wrong_rows,
        )
        self._last_wrong = self._wrong_rows.first(n_wrong)
        self._wrong = self._last_wrong.indices
        error = self._last_wrong.weight.sum() / self._total_weight
        return stump, max(error, MIN_ERROR) if n_wrong else 0.0

    def _best_stump(self, rows, class_start, weight, rebuild=True):
        """Return the best stump and the class that it predicts for each code."""
        # The weights of some rows (rows, class_start, weight: (n,)) are added to the
        # histograms, which are set to 0 before if `rebuild` is true. Classes: int32
        # (n_codes,).
        n_columns = len(self._n_bins)
        loss, missing_left = np.empty(n_columns), np.empty(n_columns, bool)
        code, left, right = np.empty((3, n_columns), np.int64)
        rows = WeightedRows(
            frozen(rows, np.int32),
            frozen(class_start, np.int32),
            frozen(weight, np.float64),
        )
        found = loss, code, missing_left, left, right
        j = self._search([rows], rebuild, best_splits, found, self._gini)
        if j is None:
            weights = np.bincount(self._class_start, self._weight, self._starts[-1])
            return self._constant(weights[self._starts[:-1]].argmax())
        if left[j] == right[j] and not self._gini:  # no split lowers the error
            return self._constant(left[j])
        return self._stump(j, code[j], bool(missing_left[j]), left[j], right[j])

    def _constant(self, class_code):
        """Return the stump that predicts one class, and that class for each code."""
        stump = Stump.constant(self._names[0], self._classes.tolist()[class_code])
        return stump, np.full(self._table.n_codes, class_code, dtype=np.int32)

    def _stump(self, j, split_code, missing_left, left, right):
        """Return the stump of a split, and the class that it predicts for each code."""
        sides = self._sides(j, split_code)
        threshold, category = self._cut(j, split_code)
        if threshold is not None:
            sides[-1] = not missing_left
        labels = self._classes[[left, right]].tolist()
        name = self._names[j]
        stump = Stump(j, name, threshold, category, missing_left, *labels)
        return stump, np.array([left, right], np.int32)[sides]

    def _reweight(self, alpha):
        """Increase the weights of the rows that the last stump misclassified."""
        # Their log weight grows by 2 α and that of the others stays, which differs from
        # e^α and e^-α by a common factor.
        if self._max_log_weight + 2 * alpha > _MAX_LOG_WEIGHT:
            self._log_weight[self._wrong] += 2 * alpha
            self._rescale()
            return
        indices, _, added = self._last_wrong
        raise_weights(indices, added, 2 * alpha, self._log_weight, self._weight)
        self._max_log_weight += 2 * alpha
        self._total_weight += added.sum()
        self._must_rebuild = False

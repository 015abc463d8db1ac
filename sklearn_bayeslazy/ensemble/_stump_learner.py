"""Boosted stumps: the best split in histograms of a table that was binned once."""

from itertools import pairwise

import numpy as np
from joblib import effective_n_jobs
from sklearn import get_config
from sklearn.utils import check_random_state

from .._kernel import frozen
from .._parallel import map_tasks
from ..tabular import LANES, code_table, read_table
from ._learners import Learner
from ._reweighting import LEAST_ERROR
from ._stump_kernels import (
    TOLERANCE,
    add_to_histograms,
    best_splits,
    find_wrong,
    raise_weights,
)
from ._stumps import Stump

# Weights are brought down before they can be larger than e to this: their squares, too,
# must stay numbers.
_LARGEST_LOG = 200.0
# Up to so much mass of rows each value is a bin; more rows have quantile bins.
_EVERY_VALUE = 2**14
_MOST_CODES = 2**16 - 1
# Cells of a round that are worth handing to a second thread.
_WORTH_A_THREAD = 2**23


class StumpLearner(Learner):
    """Stumps on columns that are binned once.

    After a round, weights are raised where it was wrong and stay where it was right,
    so that only the wrong rows are added to the histograms: sums of positive numbers,
    which lose no digits. Where a factor might overflow, weights are taken from their
    logarithms anew.

    Parameters
    ----------
    rows, classes, resample : see Learner
    names : sequence of str
        Of the columns.
    criterion : {"error", "gini"}
    max_bins : int or "auto"
    n_jobs : int
    """

    def __init__(self, rows, classes, resample, names, criterion, max_bins, n_jobs):
        super().__init__(rows, classes, resample)
        self.is_random = resample
        weight = rows.weight
        self._names = names
        if max_bins == "auto":
            is_small = weight.sum() <= _EVERY_VALUE and len(weight) < _MOST_CODES
            max_bins = None if is_small else 255
        self._table = code_table(read_table(rows.X), max_bins, weight, n_jobs)
        # Where the histograms of a class begin, by class and by row.
        self._begin = np.arange(len(classes) + 1) * LANES * self._table.n_codes
        self._start = frozen(self._begin[rows.codes], np.int32)
        self._gini = criterion == "gini"
        n_groups, n_rows, _ = self._table.codes.shape
        n_threads = min(effective_n_jobs(n_jobs), n_groups)
        if self._table.codes.size < _WORTH_A_THREAD:
            n_threads = 1
        # Histograms of all columns are kept where they fit the working memory.
        budget = get_config()["working_memory"] * 2**20 / (8 * self._begin[-1])
        self._kept = None
        n_parts = n_threads
        if n_groups <= max(budget, 1):
            self._kept = np.zeros((n_groups, self._begin[-1]))
        else:
            n_parts = min(n_groups, n_threads * int(np.ceil(n_groups / budget)))
        cuts = np.linspace(0, n_groups, n_parts + 1).astype(int)
        self._parts = [slice(a, b) for a, b in pairwise(cuts)]
        self._n_jobs = n_threads
        # What a round writes: which rows are wrong, where they count, what is added.
        self._places = np.empty(n_rows, dtype=np.int32)
        self._starts = np.empty(n_rows, dtype=np.int32)
        self._masses = np.empty(n_rows)
        self._of_column = [
            frozen(np.append(part, np.zeros(-len(part) % LANES)), kind)
            for part, kind in (
                (self._table.n_bins, np.int64),
                ([cuts is None for cuts in self._table.cuts], np.bool_),
            )
        ]

    def restart(self, log_weight=0.0):
        """Set the weights to the rows' own times factors, given as logarithms."""
        super().restart(log_weight)
        self._rebase()

    def _rebase(self):
        """Take the weights from their logarithms; the largest is 1."""
        self._log_weight -= self._log_weight.max()
        self._weight = np.exp(self._log_weight)
        self._total = self._weight.sum()
        self._largest_log = 0.0
        self._added = None  # histograms are to be made anew

    def learn(self, seed):
        """Find the best stump; return it and its weighted error."""
        if self._resample:
            drawn = self._draw(check_random_state(seed))
            rows, mass = np.unique(drawn, return_counts=True)
            stump, said = self._best(rows, self._start[rows], mass)
        elif self._added is None or self._kept is None:
            every = np.arange(len(self._places))
            stump, said = self._best(every, self._start, self._weight)
        else:
            stump, said = self._best(*self._added, is_new=False)
            self._added = self._places[:0], self._starts[:0], self._masses[:0]
        written = self._places, self._starts, self._masses
        column = self._table.column(stump.feature)
        said = frozen(self._begin[said], np.int32)
        n_wrong = find_wrong(column, said, self._start, self._weight, *written)
        self._wrong = self._places[:n_wrong]
        mass = self._masses[:n_wrong].sum()
        return stump, max(mass / self._total, LEAST_ERROR) if n_wrong else 0.0

    def _best(self, rows, start, mass, is_new=True):
        """Return the best stump, and the class it says of each code.

        The masses of some rows are added to the histograms, to new ones if `is_new`.
        """
        counted = frozen(rows, np.int32), frozen(start, np.int32)
        counted = *counted, frozen(mass, np.float64)
        n_classes, n_columns = len(self._classes), len(self._of_column[0])
        loss = np.empty(n_columns)
        place, left, right = (np.empty(n_columns, np.int64) for _ in range(3))
        missing_left = np.empty(n_columns, bool)

        def split(groups):
            if self._kept is None:
                shape = groups.stop - groups.start, self._begin[-1]
                histograms = np.zeros(shape)
            else:
                histograms = self._kept[groups]
                if is_new:
                    histograms[:] = 0.0
            n_left = len(self._table.cuts) - groups.start * LANES
            sizes = n_left, self._table.n_codes
            codes = self._table.codes[groups]
            add_to_histograms(codes, *counted, *sizes, histograms)
            shape = -1, n_classes, LANES, self._table.n_codes
            columns = slice(groups.start * LANES, groups.stop * LANES)
            best_splits(
                histograms.reshape(shape),
                *(array[columns] for array in self._of_column),
                self._gini,
                loss[columns],
                place[columns],
                missing_left[columns],
                left[columns],
                right[columns],
            )

        map_tasks(split, self._parts, n_jobs=self._n_jobs)
        # The first of those that differ from the least by rounding.
        j = int(np.argmax(loss <= loss.min() + TOLERANCE))
        if loss[j] == np.inf:
            mass = np.bincount(self._start, self._weight, self._begin[-1])
            mass = mass[self._begin[:-1]]
            return self._constant(mass.argmax())
        if left[j] == right[j] and not self._gini:  # no split of any column helps
            return self._constant(left[j])
        return self._stump(j, place[j], bool(missing_left[j]), left[j], right[j])

    def _constant(self, code):
        """Return the stump that says one class, and that class for each code."""
        stump = Stump.constant(self._names[0], self._classes.tolist()[code])
        return stump, np.full(self._table.n_codes, code, dtype=np.int32)

    def _stump(self, j, place, missing_left, left, right):
        """Return the stump of a split, and the class that it says of each code."""
        cuts = self._table.cuts[j]
        said = np.full(self._table.n_codes, right, dtype=np.int32)
        threshold, category = None, None
        if cuts is not None:
            said[:place] = left
            said[-1] = left if missing_left else right
            threshold = float(cuts[place - 1]) if place <= len(cuts) else np.inf
        else:
            said[place] = left
            if place != self._table.missing:
                known = self._table.categories[j]
                category = known[self._table.category_of_code[j][place]]
        labels = self._classes[[left, right]].tolist()
        name = self._names[j]
        stump = Stump(j, name, threshold, category, missing_left, *labels)
        return stump, said

    def reweight(self, alpha):
        """Raise the weights of the rows that the last stump was wrong about."""
        if self._largest_log + 2 * alpha > _LARGEST_LOG:
            self._log_weight[self._wrong] += 2 * alpha
            return self._rebase()
        n_wrong = len(self._wrong)
        added = self._masses[:n_wrong]
        raise_weights(self._wrong, added, 2 * alpha, self._log_weight, self._weight)
        self._largest_log += 2 * alpha
        self._total += added.sum()
        self._added = self._wrong, self._starts[:n_wrong], added

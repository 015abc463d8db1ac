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
from ._stump_kernels import (
    TOLERANCE,
    add_to_histograms,
    best_splits,
    find_wrong,
    mass_of,
    raise_weights,
)
from ._stumps import Stump

# Weights are brought down before a factor beyond e to this carries them to infinity.
_LARGEST_LOG = 500.0
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
    X : {array-like, dataframe} of shape (n_rows, n_columns)
    names : sequence of str
        Of the columns.
    codes : int array of shape (n_rows,)
        The classes.
    classes : ndarray of shape (n_classes,)
    weight, resample : see Learner
    criterion : {"error", "gini"}
    max_bins : int or "auto"
    n_jobs : int
    """

    def __init__(
        self, X, names, codes, classes, weight, resample, criterion, max_bins, n_jobs
    ):
        super().__init__(weight, resample)
        self.is_random = resample
        table = read_table(X)
        self._names = names
        if max_bins == "auto":
            is_small = weight.sum() <= _EVERY_VALUE and len(weight) < _MOST_CODES
            max_bins = None if is_small else 255
        self._table = code_table(table, max_bins, weight, n_jobs)
        self._classes = classes
        self._codes = frozen(codes, np.int32)
        self._start = frozen(codes * np.int32(LANES * self._table.n_codes), np.int32)
        self._gini = criterion == "gini"
        n_groups, n_rows, _ = self._table.codes.shape
        n_cells = LANES * self._table.n_codes * len(classes)
        n_threads = min(effective_n_jobs(n_jobs), n_groups)
        if self._table.codes.size < _WORTH_A_THREAD:
            n_threads = 1
        # Histograms of all columns are kept where they fit the working memory.
        budget = get_config()["working_memory"] * 2**20 / (8 * n_cells)
        self._kept = None
        n_parts = n_threads
        if n_groups <= max(budget, 1):
            self._kept = np.zeros((n_groups, n_cells))
        else:
            n_parts = min(n_groups, n_threads * int(np.ceil(n_groups / budget)))
        cuts = np.linspace(0, n_groups, n_parts + 1).astype(int)
        self._parts = [slice(a, b) for a, b in pairwise(cuts)]
        self._n_jobs = n_threads
        self._rows = np.empty(n_rows, dtype=np.int32)
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
            every = np.arange(len(self._codes))
            stump, said = self._best(every, self._start, self._weight)
        else:
            stump, said = self._best(*self._added, is_new=False)
            self._added = self._rows[:0], self._start[:0], np.empty(0)
        column = self._table.column(stump.feature)
        n_wrong = find_wrong(column, said, self._codes, self._rows)
        self._wrong = self._rows[:n_wrong]
        mass = mass_of(self._wrong, self._weight)
        least = np.finfo(np.float64).tiny
        return stump, max(mass / self._total, least) if n_wrong else 0.0

    def _best(self, rows, start, mass, is_new=True):
        """Return the best stump, and the class it says of each code.

        The masses of some rows are added to the histograms, to new ones if `is_new`.
        """
        counted = frozen(rows, np.int32), frozen(start, np.int32)
        counted = *counted, frozen(mass, np.float64)
        n_classes, n_codes = len(self._classes), self._table.n_codes
        n_columns = len(self._of_column[0])
        loss, place = np.empty(n_columns), np.empty(n_columns, np.int64)
        missing_left = np.empty(n_columns, bool)
        found = [None] * n_columns

        def split(groups):
            if self._kept is None:
                shape = groups.stop - groups.start, LANES * n_codes * n_classes
                histograms = np.zeros(shape)
            else:
                histograms = self._kept[groups]
                if is_new:
                    histograms[:] = 0.0
            codes = self._table.codes[groups]
            add_to_histograms(codes, *counted, n_codes, histograms)
            columns = slice(groups.start * LANES, groups.stop * LANES)
            masses = histograms.reshape(-1, n_classes, LANES, n_codes)
            best_splits(
                masses,
                *(array[columns] for array in self._of_column),
                self._gini,
                loss[columns],
                place[columns],
                missing_left[columns],
            )
            if self._kept is None:  # one of these may be needed below
                for j in _nearly_least(loss[columns]):
                    found[columns.start + j] = masses[j // LANES, :, j % LANES].copy()

        map_tasks(split, self._parts, n_jobs=self._n_jobs)
        j = int(_nearly_least(loss)[0])
        if self._kept is not None:
            shape = -1, n_classes, LANES, n_codes
            found[j] = self._kept.reshape(shape)[j // LANES, :, j % LANES]
        return self._stump(j, loss[j] < np.inf, place[j], missing_left[j], found[j])

    def _stump(self, j, splits, place, missing_left, masses):
        """Return the stump of a split, and the class that it says of each code."""
        cuts = self._table.cuts[j]
        codes = np.arange(self._table.n_codes)
        goes_left = codes == place if cuts is None else codes < place
        if cuts is not None:
            goes_left[-1] = missing_left
        left = _first_largest(masses[:, goes_left].sum(axis=1))
        right = _first_largest(masses[:, ~goes_left].sum(axis=1))
        if not splits or (left == right and not self._gini):
            most = _first_largest(masses.sum(axis=1))
            stump = Stump.constant(self._names[0], self._classes.tolist()[most])
            return stump, frozen(np.full(len(codes), most), np.int32)
        threshold, category = None, None
        if cuts is not None:
            threshold = float(np.append(cuts, np.inf)[place - 1])
        elif place != self._table.missing:
            category = self._table.categories[j][self._table.category_of_code[j][place]]
        labels = self._classes[[left, right]].tolist()
        name = self._names[j]
        stump = Stump(j, name, threshold, category, bool(missing_left), *labels)
        return stump, frozen(np.where(goes_left, left, right), np.int32)

    def reweight(self, alpha):
        """Raise the weights of the rows that the last stump was wrong about."""
        n_wrong = len(self._wrong)
        start, added = np.empty(n_wrong, np.int32), np.empty(n_wrong)
        if self._largest_log + 2 * alpha > _LARGEST_LOG:
            self._log_weight[self._wrong] += 2 * alpha
            return self._rebase()
        weights = self._log_weight, self._weight
        raise_weights(self._wrong, 2 * alpha, self._start, *weights, start, added)
        self._largest_log += 2 * alpha
        self._total += added.sum()
        self._added = self._wrong, start, added


def _nearly_least(loss):
    """Return the places of all that differ from the least by no more than rounding."""
    return np.flatnonzero(loss <= loss.min() + TOLERANCE)


def _first_largest(mass):
    """Return the first place whose mass is the largest, to within rounding."""
    return int(np.argmax(mass >= mass.max() * (1 - TOLERANCE)))

"""Weak learners that search histograms of a table that is binned once."""

from itertools import pairwise

import numpy as np
from joblib import effective_n_jobs
from sklearn import get_config

from ..._core._estimator import names_of_columns
from ..._core._kernel import frozen
from ..._core._parallel import jobs_for, map_tasks
from ...tabular import LANES, code_table, read_table
from .._weak_learners import WeakLearner
from ._stump_kernels import TOLERANCE, add_to_histograms


class BinnedLearner(WeakLearner):
    """Holds the codes of the table, and histograms of weights over them."""

    # max_bins: of each column, or None; n_histograms: how many each column has, and
    # n_added: to how many of them each row adds a weight.
    def __init__(self, rows, model, max_bins, n_histograms, n_added=1):
        super().__init__(rows, model)
        self._names, n_jobs = names_of_columns(model), model.n_jobs
        self._table = code_table(
            read_table(rows.X, n_jobs=n_jobs), max_bins, rows.weight, n_jobs
        )
        # Where each histogram of a column begins.
        self._n_histograms = n_histograms
        histograms = np.arange(self._n_histograms + 1)
        self._starts = histograms * LANES * self._table.n_codes
        self._n_bins = _pad_to_lanes(self._table.n_bins, np.int64)
        is_label = [cuts is None for cuts in self._table.cuts]
        self._is_label = _pad_to_lanes(is_label, np.bool_)
        self._plan_histograms(n_added, n_jobs)

    def _plan_histograms(self, n_added, n_jobs):
        """Divide the groups of columns over threads and over the working memory."""
        # The histograms of all columns are kept between rounds if they fit.
        n_groups, size = len(self._table.codes), self._starts[-1]
        n_jobs = jobs_for(self._table.codes.size * n_added, n_jobs)
        self._n_jobs = min(effective_n_jobs(n_jobs), n_groups)
        budget = get_config()["working_memory"] * 2**20 / (8 * size)
        self._keeps_histograms = n_groups <= max(budget, 1)
        n_parts = self._n_jobs
        if self._keeps_histograms:
            self._histograms = np.zeros((n_groups, size))
        else:
            n_parts = min(n_groups, self._n_jobs * int(np.ceil(n_groups / budget)))
        ends = np.linspace(0, n_groups, n_parts + 1).astype(int)
        self._parts = [slice(a, b) for a, b in pairwise(ends)]

    def _search(self, row_sets, rebuild, find_splits, found, *options):
        """Find the best split of each column; return the best column, None if none."""
        # row_sets: list of WeightedRows; rebuild: whether the histograms are set to 0
        # before; find_splits: a kernel, which takes histograms of shape (n_groups,
        # n_histograms, LANES, n_codes), facts about their columns, `options`, and the
        # arrays that it writes; found: these arrays, (n_columns,) each, first the loss.
        # Of equal columns the first is the best.
        n_codes = self._table.n_codes

        def add_and_find(groups):
            if self._keeps_histograms:
                histograms = self._histograms[groups]
                if rebuild:
                    histograms[:] = 0.0
            else:
                n_groups = groups.stop - groups.start
                histograms = np.zeros((n_groups, self._starts[-1]))
            n_columns_left = len(self._table.cuts) - groups.start * LANES
            codes = self._table.codes[groups]
            for rows in row_sets:
                add_to_histograms(codes, *rows, n_columns_left, n_codes, histograms)
            columns = slice(groups.start * LANES, groups.stop * LANES)
            find_splits(
                histograms.reshape(-1, self._n_histograms, LANES, n_codes),
                self._n_bins[columns],
                self._is_label[columns],
                *options,
                *(array[columns] for array in found),
            )

        map_tasks(add_and_find, self._parts, n_jobs=self._n_jobs)
        loss = found[0]
        j = int(np.argmax(loss <= loss.min() + TOLERANCE))
        return None if loss[j] == np.inf else j

    def _cut(self, j, split_code):
        """Return the threshold and the category of a split, one of which is None."""
        cuts = self._table.cuts[j]
        if cuts is not None:
            is_finite = 0 < split_code <= len(cuts)
            return (float(cuts[split_code - 1]) if is_finite else np.inf), None
        if split_code == self._table.missing:
            return None, None
        category_of_code = self._table.category_of_code[j]
        return None, self._table.categories[j][category_of_code[split_code]]

    def _sides(self, j, split_code):
        """Return the side of each code: 0 left, 1 right."""
        side = np.ones(self._table.n_codes, dtype=np.uint8)
        is_label = self._table.cuts[j] is None
        side[split_code if is_label else slice(split_code)] = 0
        return side


def _pad_to_lanes(values, dtype):
    """Return values with zeros appended up to a multiple of LANES."""
    return frozen(np.append(values, np.zeros(-len(values) % LANES)), dtype)

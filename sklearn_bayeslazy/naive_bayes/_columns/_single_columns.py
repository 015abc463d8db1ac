"""The choice of a column's distribution, bins and m by exact leave-one-out.

Each candidate is scored as the only column beside the class prior, at its best m. The
distinct numbers of a column and their counts by class are found once; categories and
bins are sums of these counts. Rows with one code, class and weight have the
same score, so discrete candidates are scored on these combinations, not on rows.
"""

from dataclasses import dataclass
from itertools import product

import numpy as np

from ..._core._parallel import map_tasks
from ..._core._warnings import warned_of_length
from ...leave_one_out import (
    candidate_order,
    classification_losses,
    rank_candidates,
    rows_to_leave_out,
)
from ...tabular import (
    EXACT_INTEGER_LIMIT,
    Codebook,
    find_categories,
    frequent_value_ends,
    midpoint,
)
from ._build import ABOVE_ZERO, count_columns
from ._discrete import DiscreteColumns
from ._left_out_cells import LeftOutCells, distinct_numbers

_NUMERIC = ("gaussian", "poisson")
# An integer column with more distinct values is tried as categorical only if the user
# names the candidates.
_MAX_CATEGORIES = 32
# Squares of larger numbers, summed over rows, overflow.
_MAX_NUMBER = 1e140
# Scores of several columns that are held at a time, about 32 MiB.
_MAX_SCORES = 2**22
# Rows on which the distributions of a column are compared: fewer of many classes, but
# at least `_MIN_ROWS`.
_MAX_ROWS, _MAX_ROWS_BY_CLASSES, _MIN_ROWS = 1500, 2**22, 400
# Numeric densities hardly depend on m: by default every fifth candidate is tried.
_NUMERIC_STEP = 5


@dataclass
class ColumnChoice:
    """The distribution, m and bins that were chosen for one column."""

    distribution: str
    m: float
    edges: np.ndarray | None  # the cut points, if the column is quantized
    results: dict  # scores of all candidates, as `loo_results_`


@dataclass
class _Candidate:
    """A distribution of a column, and its scores at its best m."""

    column: int
    params: dict  # as in `loo_results_`
    edges: np.ndarray | None = None  # the cut points, if it is quantized
    # Of a discrete distribution: the categories or cut points, the code of each
    # left-out row, and the total weight (n_codes, n_classes) of each code.
    values: np.ndarray | None = None
    is_cut: bool = False
    codes: np.ndarray | None = None
    counts: np.ndarray | None = None
    # What `SingleColumns` finds: the best m and, at it, the scores of the rows.
    m: float | None = None
    losses: np.ndarray | None = None
    correct: np.ndarray | None = None


class SingleColumns:
    """Chooses for each column as if it were the only one."""

    # `tuner` holds the batch, the priors, the settings, the left-out rows and the
    # candidates.

    def __init__(self, tuner):
        self.tuner = tuner
        self.batch, self.settings = tuner.batch, tuner.settings
        rows = tuner.rows
        affordable = max(_MAX_ROWS_BY_CLASSES // self.batch.n_classes, _MIN_ROWS)
        # Evenly spaced rows may all be of one class, where classes take turns.
        some = rows_to_leave_out(len(rows), min(_MAX_ROWS, affordable), random_state=0)
        self.rows = rows[some]
        self.weight = self.batch.weight[self.rows]
        self.left_out = LeftOutCells(
            self.batch.classes[self.rows], self.weight, tuner.log_prior(self.rows)
        )

        # The weights of the last column's values, and by n_bins where its bins end.
        self._counted, self._ends = None, {}

    def choose(self, distributions):
        """Return the :class:`ColumnChoice` of each column, by column."""
        # distributions: {column: its name, or "loo" for a choice among the possible
        # ones}. Many columns are scored at a time, as many as their scores leave small.
        choices, waiting, size = {}, {}, 0
        given = warned_of_length(
            distributions.items(),
            len(distributions),
            "The choice of the distributions of columns by leave-one-out",
            "It takes less with distribution='auto', or fewer loo_candidates.",
        )
        for column, distribution in given:
            waiting[column] = list(self._candidates(column, distribution))
            size += sum(self._n_scores(candidate) for candidate in waiting[column])
            if size > _MAX_SCORES:
                choices |= self._choose(waiting)
                waiting, size = {}, 0
        return choices | self._choose(waiting)

    def _n_scores(self, candidate):
        """Return about how many numbers the scores of a candidate are."""
        n_rows, n_classes = self.left_out.log_prior.shape
        if candidate.codes is not None:
            n_rows += self.left_out.most_groups(len(candidate.counts)) * n_classes
        return n_rows * len(self.tuner.ms)

    def _choose(self, candidates):
        """Return the :class:`ColumnChoice` of each column from its candidates."""
        every = [one for of_column in candidates.values() for one in of_column]
        self._score_codes([one for one in every if one.codes is not None])
        for name in _NUMERIC:
            self._score_numbers(
                name, [one for one in every if one.params["distribution"] == name]
            )
        return {column: self._best(some) for column, some in candidates.items()}

    def _best(self, candidates):
        """Return the :class:`ColumnChoice` of a column from its scored candidates."""
        named = {
            "log_loss": np.array([one.losses for one in candidates]),
            "accuracy": np.array([one.correct for one in candidates]),
        }
        params = [one.params for one in candidates]
        best, results = rank_candidates(params, named, self.weight, self.tuner.scoring)
        best = candidates[best]
        return ColumnChoice(best.params["distribution"], best.m, best.edges, results)

    def _candidates(self, column, distribution):
        """Yield each :class:`_Candidate` of a column."""
        cells = _Cells(self.batch, column)
        names, lists = [distribution], self.tuner.lists
        if distribution == "loo":
            names = self._possible(cells, column)
        for name in names:
            params = {"distribution": name}
            if name in _NUMERIC:
                yield _Candidate(column, params)
            elif name != "quantized":
                yield self._candidate_of_codes(cells, column, params)
            else:
                for binning, n_bins in product(lists["binning"], lists["n_bins"]):
                    of_bins = {**params, "binning": binning, "n_bins": n_bins}
                    if binning == "frequent_values":  # from the counts
                        edges = self._frequent_value_cuts(cells, n_bins)
                    else:
                        edges = self.batch.cut_points(column, binning, n_bins)
                    yield self._candidate_of_codes(cells, column, of_bins, edges)

    def _frequent_value_cuts(self, cells, n_bins):
        """Return the cut points of a column, from the weights of its values."""
        # The numbers of a wide table often all differ: then the weights are those of
        # the column before.
        if not np.array_equal(cells.weight, self._counted):
            self._counted, self._ends = cells.weight, {}
        if n_bins not in self._ends:
            self._ends[n_bins] = frequent_value_ends(cells.weight, n_bins)
        last = self._ends[n_bins]
        return midpoint(cells.values[last], cells.values[last + 1])

    def _candidate_of_codes(self, cells, column, params, edges=None):
        name = params["distribution"]
        values, code = cells.encode(column, name, edges)
        is_cut = name != "categorical"
        n_codes = len(values) + is_cut
        codes = np.append(code, n_codes)[cells.index[self.rows]]
        counts = cells.count(code, n_codes)
        return _Candidate(column, params, edges, values, is_cut, codes, counts)

    def _possible(self, cells, column):
        """Return the candidate distributions that the column's numbers allow."""
        tuner, table = self.tuner, self.batch.table
        x = cells.values
        is_integer = bool(np.all(x == np.floor(x)))
        low, high = (x[0], x[-1]) if len(x) else (0.0, 0.0)
        is_exact = max(abs(low), abs(high)) < EXACT_INTEGER_LIMIT
        is_huge = max(abs(low), abs(high)) > _MAX_NUMBER
        is_small = tuner.is_given or len(x) <= _MAX_CATEGORIES
        possible = {
            "categorical": is_integer and is_exact and is_small,
            "bernoulli": low <= 0 < high,
            "poisson": is_integer and low >= 0 and not is_huge,
            "gaussian": not table.is_sparse and not is_huge,
            "quantized": not table.is_sparse,
        }
        names = [name for name in tuner.distributions if possible[name]]
        if not names and tuner.is_given:
            raise ValueError(
                f"None of loo_candidates['distribution']={tuner.distributions} fits "
                f"the numbers of column {table.names[column]!r}."
            )
        return names or ["bernoulli"]  # for instance sparse rows of fractions

    def _score_codes(self, candidates):
        """Score discrete distributions on combinations of code, class and weight."""
        if not candidates:
            return
        columns = [one.column for one in candidates]
        codebook = Codebook(
            columns,
            [one.values for one in candidates],
            [one.is_cut for one in candidates],
        )
        group = DiscreteColumns(codebook, self.batch.table.names)
        group = group.with_statistics([np.concatenate([c.counts for c in candidates])])
        left_out = self.left_out.distinct(
            np.array([one.codes for one in candidates]), codebook.sizes
        )
        ms = self.tuner.m_of_columns(columns, codebook.sizes)
        terms = group.terms_of_distinct(left_out, ms, self.tuner.priors)
        losses, correct = left_out.losses(*terms)
        scores = {"log_loss": losses, "accuracy": correct}
        starts = np.searchsorted(left_out.column, np.arange(len(candidates)))
        sums = {
            name: np.add.reduceat(score * left_out.weight, starts, axis=1).T
            for name, score in scores.items()
        }
        order = candidate_order(sums, self.tuner.scoring)
        for j, (one, best) in enumerate(zip(candidates, order[:, 0])):
            one.m = ms[best, j]
            one.losses = losses[best, left_out.index[j]]
            one.correct = correct[best, left_out.index[j]]

    def _score_numbers(self, name, candidates):
        """Score the columns of a numeric density row by row."""
        if not candidates:
            return
        tuner, ms = self.tuner, self.tuner.ms
        if len(ms) > _NUMERIC_STEP and not tuner.m_is_given:
            ms = ms[::_NUMERIC_STEP]
        by_column = {one.column: one for one in candidates}
        (group,) = count_columns(
            dict.fromkeys(by_column, name), self.batch, self.settings
        )
        left_out, log_prior = self.batch.leave_out(self.rows), self.left_out.log_prior

        def score(part):
            terms = part.apart().left_out_terms(left_out, ms, tuner.priors)
            joint = np.moveaxis(terms, 2, 0)  # (n_columns, n_m, n, n_classes)
            losses, correct = classification_losses(
                log_prior + joint, left_out.classes, log_prior
            )
            sums = {
                "log_loss": np.sum(losses * self.weight, axis=2),
                "accuracy": np.sum(correct * self.weight, axis=2),
            }
            order = candidate_order(sums, tuner.scoring)
            for j, (column, best) in enumerate(zip(part.columns, order[:, 0])):
                one = by_column[column]
                one.m = ms[best, column]
                one.losses, one.correct = losses[j, best], correct[j, best]

        parts = group.parts(len(ms) * log_prior.size)
        map_tasks(score, parts, n_jobs=self.settings.n_jobs)


class _Cells:
    """The distinct values of a column, and the total weight of each by class."""

    # The latter as the pairs of a value and a class that occur, in this order. Most do
    # not occur if classes and values are many.

    def __init__(self, batch, column):
        self.batch = batch
        labels = batch.table.labels(column)
        if labels is None or not batch.table.is_categorical(column):
            cells = batch.table.column(column)
            known = ~np.isnan(cells)
            self.values, index = np.unique(cells[known], return_inverse=True)
            self.index = np.full(len(cells), len(self.values))
            self.index[known] = index
        else:
            self.values = labels.categories
            self.index = np.where(labels.codes < 0, len(self.values), labels.codes)
        n_classes, n_values = batch.n_classes, len(self.values)
        pairs, index = distinct_numbers(
            self.index * n_classes + batch.classes, (n_values + 1) * n_classes
        )
        is_known = pairs < n_values * n_classes
        self._pair_weight = np.bincount(index, batch.weight)[is_known]
        pairs = pairs[is_known]
        self._pair_value, self._pair_class = pairs // n_classes, pairs % n_classes
        self.weight = np.bincount(self._pair_value, self._pair_weight, n_values)

    def encode(self, column, name, edges):
        """Return categories or cut points, and the code of each distinct value."""
        if name in ("quantized", "bernoulli"):
            edges = ABOVE_ZERO if edges is None else edges
            values = np.asarray(self.values, dtype=np.float64)
            return edges, np.searchsorted(edges, values, side="right")
        (values,) = find_categories(self.batch.table, [column])
        position = {value: code for code, value in enumerate(values.tolist())}
        code = [position[value] for value in self.values.tolist()]
        return values, np.array(code, dtype=np.int64)

    def count(self, code, n_codes):
        """Return the total weight (n_codes, n_classes) of each code and class."""
        n_classes = self.batch.n_classes
        flat = code[self._pair_value] * n_classes + self._pair_class
        counts = np.bincount(flat, self._pair_weight, n_codes * n_classes)
        return counts.reshape(n_codes, n_classes)

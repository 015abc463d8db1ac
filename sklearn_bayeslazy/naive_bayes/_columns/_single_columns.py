"""The choice of a column's distribution, bins and m by exact leave-one-out.

Each candidate is scored as the only column beside the class prior, at its best m. The
distinct numbers of a column and their counts by class are found once; categories and
bins are sums of these counts. Rows with one code, class and weight have the
same score, so discrete candidates are scored on these combinations, not on rows.
"""

from dataclasses import dataclass
from itertools import product

import numpy as np

from ...leave_one_out import candidate_order, rank_candidates
from ...tabular import (
    EXACT_INTEGER_LIMIT,
    Codebook,
    cut_points,
    find_categories,
    frequent_value_cuts,
)
from ._build import ABOVE_ZERO, count_columns, virtual_examples
from ._discrete import DiscreteColumns
from ._left_out_cells import LeftOutCells

# An integer column with more distinct values is tried as categorical only if the user
# names the candidates.
_MAX_CATEGORIES = 32
# Squares of larger numbers, summed over rows, overflow.
_MAX_NUMBER = 1e140
# Rows on which the distributions of a column are compared.
_MAX_ROWS = 1500
# Numeric densities hardly depend on m: by default every fifth candidate is tried.
_NUMERIC_STEP = 5


@dataclass
class ColumnChoice:
    """The distribution, m and bins that were chosen for one column."""

    distribution: str
    m: float
    edges: np.ndarray | None  # the cut points, if the column is quantized
    results: dict  # scores of all candidates, as `loo_results_`


class SingleColumns:
    """Chooses for one column at a time."""

    # `tuner` holds the batch, the priors, the settings, the left-out rows and the
    # candidates.

    def __init__(self, tuner):
        self.tuner = tuner
        self.batch, self.settings = tuner.batch, tuner.settings
        rows = tuner.rows
        self.rows = rows[:: -(-len(rows) // _MAX_ROWS)]
        self.weight = self.batch.weight[self.rows]
        self.left_out = LeftOutCells(
            self.batch.classes[self.rows], self.weight, tuner.log_prior(self.rows)
        )

    def choose(self, column, distribution):
        """Return the :class:`ColumnChoice` of a column."""
        # `distribution` is a name, or "loo" for a choice among the possible ones.
        cells = _Cells(self.batch, column)
        names = [distribution]
        if distribution == "loo":
            names = self._possible(cells, column)
        candidates, scores, choices = [], [], []
        for name, binning, n_bins in self._candidates(names):
            loss, correct, m, edges = self._score(cells, column, name, binning, n_bins)
            candidate = {"distribution": name}
            if name == "quantized":
                candidate |= {"binning": binning, "n_bins": n_bins}
            candidates.append(candidate)
            scores.append((loss, correct))
            choices.append((name, m, edges))
        losses, correct = (np.array(values) for values in zip(*scores))
        named = {"log_loss": losses, "accuracy": correct}
        scoring = self.tuner.scoring
        best, results = rank_candidates(candidates, named, self.weight, scoring)
        return ColumnChoice(*choices[best], results)

    def _candidates(self, names):
        """Yield (distribution, binning, n_bins)."""
        lists = self.tuner.lists
        for name in names:
            if name == "quantized":
                for binning, n_bins in product(lists["binning"], lists["n_bins"]):
                    yield name, binning, n_bins
            else:
                yield name, None, None

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

    def _score(self, cells, column, name, binning, n_bins):
        """Return log loss and correctness by row, the best m, and the cut points."""
        if name in ("gaussian", "poisson"):
            return *self._score_numbers(column, name), None
        edges = None
        if name == "quantized":
            edges = self._cut(cells, binning, n_bins)
        return *self._score_codes(cells, column, name, edges), edges

    def _cut(self, cells, binning, n_bins):
        if binning == "frequent_values":
            return frequent_value_cuts(cells.values, cells.weight, n_bins)
        return cut_points(
            cells.cells(),
            binning,
            n_bins,
            self.batch.classes,
            self.batch.n_classes,
            self.batch.weight,
        )

    def _score_codes(self, cells, column, name, edges):
        """Score a discrete distribution on its combinations of code, class, weight."""
        codebook, code = cells.encode(column, name, edges)
        counts = cells.count(code, int(codebook.sizes[0]))
        group = DiscreteColumns(codebook, self.batch.table.names)
        group = group.with_statistics(counts)
        missing = int(codebook.sizes[0])
        left_out = self.left_out.distinct(
            np.append(code, missing)[cells.index[self.rows]]
        )
        ms = self.tuner.m_of_column(column, missing)
        terms = group.left_out_terms(left_out, ms, self.tuner.priors)
        losses, correct = left_out.losses(*terms)
        sums = {
            "log_loss": losses @ left_out.weight,
            "accuracy": correct @ left_out.weight,
        }
        best = candidate_order(sums, self.tuner.scoring)[0]
        losses, correct = (scores[best][left_out.index] for scores in (losses, correct))
        return losses, correct, ms[best]

    def _score_numbers(self, column, name):
        """Score a numeric density row by row."""
        groups = count_columns({column: name}, self.batch, self.settings)
        tuner = self.tuner
        candidates = tuner.m_candidates
        if len(candidates) > _NUMERIC_STEP and not tuner.m_is_given:
            candidates = candidates[::_NUMERIC_STEP]
        scores = tuner.score(groups, self.rows, candidates)
        best, _ = rank_candidates(
            [{}] * len(candidates), scores, self.weight, tuner.scoring
        )
        (m,) = virtual_examples(candidates[best], [], self.batch.table.n_columns)[
            [column]
        ]
        return *(values[best] for values in scores.values()), m


class _Cells:
    """The distinct values of a column, and the total weight of each by class."""

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
        shape = len(self.values) + 1, batch.n_classes
        flat = self.index * batch.n_classes + batch.classes
        table = np.bincount(flat, batch.weight, shape[0] * shape[1])
        self.table = table.reshape(shape)[:-1]
        self.weight = self.table.sum(axis=1)

    def cells(self):
        """Return the column's numbers."""
        return np.append(self.values, np.nan)[self.index]

    def encode(self, column, name, edges):
        """Return a codebook of the column, and the code of each distinct value."""
        table = self.batch.table
        if name in ("quantized", "bernoulli"):
            edges = ABOVE_ZERO if edges is None else edges
            values = np.asarray(self.values, dtype=np.float64)
            code = np.searchsorted(edges, values, side="right")
            return Codebook([column], [edges], [True]), code
        (values,) = find_categories(table, [column])
        codebook = Codebook([column], [values], [False])
        position = {value: code for code, value in enumerate(values.tolist())}
        code = [position[value] for value in self.values.tolist()]
        return codebook, np.array(code, dtype=np.int64)

    def count(self, code, n_codes):
        """Return the total weight (n_codes, n_classes) of each code and class."""
        counts = np.zeros((n_codes, self.batch.n_classes))
        if len(code):  # codes increase with the values
            first = np.flatnonzero(np.diff(code, prepend=-1))
            counts[code[first]] = np.add.reduceat(self.table, first, axis=0)
        return counts

"""Decision stumps: trees of one split, on numbers or on categories."""

from bisect import bisect_left
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..._core._kernel import frozen
from ..._core._parallel import map_chunks, slices_of
from ...tabular import MISSING, Codebook, object_array, read_table
from ._stump_kernels import StumpSplits, add_votes

# Rows per block whose cells are transposed, so that they stay in the cache.
_ROWS_PER_BLOCK = 4096


@dataclass(frozen=True)
class Split:
    """The split of the rows of a table at one column."""

    feature: int  # the column
    name: str  # its name
    # Numbers below the threshold go to the left, all others to the right. Infinity
    # separates numbers from missing cells. None: one category is split from all others.
    threshold: float | None
    # The category that goes to the left if `threshold` is None. None stands for missing
    # cells.
    category: Any

    @property
    def condition(self):
        """On what rows without a missing cell go to the left."""
        if self.threshold == np.inf:
            return f"{self.name} is not missing"
        if self.threshold is not None:
            return f"{self.name} < {self.threshold:.6g}"
        if self.category is None:
            return f"{self.name} is missing"
        return f"{self.name} = {self.category}"


@dataclass(frozen=True)
class Stump(Split):
    """A tree of one split.

    >>> stump = Stump(0, "age", 40.5, None, False, "young", "old")
    >>> print(stump)
    young if age < 40.5 else old
    >>> stump.predict([[30.0], [50.0], [np.nan]])
    array(['young', 'old', 'old'], dtype=object)
    """

    missing_left: bool  # whether missing cells go to the left of a threshold
    # The class that each side predicts.
    left: Any
    right: Any

    @classmethod
    def constant(cls, name, label):
        """Return the stump that predicts one class for all rows."""
        return cls(0, name, np.inf, None, True, label, label)

    @property
    def is_constant(self):
        """Whether all rows go to the same side."""
        return self.threshold == np.inf and self.missing_left

    def __str__(self):
        if self.left == self.right:
            return f"always {self.left}"
        or_missing = " or missing" if self.missing_left else ""
        return f"{self.left} if {self.condition}{or_missing} else {self.right}"

    def side_votes(self, classes):
        """Return the votes of the sides for each class, of shape (3, n_classes)."""
        # 1 for the class that the left or the right side or missing cells get.
        splits_missing = self.threshold is None and self.category is None
        missing = self.left if self.missing_left or splits_missing else self.right
        labels, sides = list(classes), (self.left, self.right, missing)
        return np.eye(len(labels))[[labels.index(label) for label in sides]]

    def predict(self, X):
        """Return the predicted class of each row, as an array of objects."""
        # X: (n_samples, n_features), all columns of the rows given to `fit`.
        classes = object_array([self.left, self.right])
        votes = StumpArrays([self], classes).votes(read_table(X), np.ones(1))
        return classes[votes.argmax(axis=1)]


class StumpArrays:
    """Many stumps as arrays, for fast votes on many rows."""

    # stumps: list of Stump or MHStump; classes: (n_classes,).
    def __init__(self, stumps, classes):
        self._n_classes = len(classes)
        # A stump splits numbers, or one category of a column from the others.
        cut = [s for s in stumps if s.threshold is not None and not s.is_constant]
        self._numeric = np.array(sorted({s.feature for s in cut}), dtype=np.int64)
        categories = _categories_of(stumps)
        values = [object_array(labels) for labels in categories.values()]
        self._codebook = Codebook([*categories], values, [False] * len(values))
        columns = [*self._numeric.tolist(), *categories]
        # Constant stumps read a row of zeros behind the columns.
        row_of = {j: row for row, j in enumerate(columns)}
        rows = [len(columns) if s.is_constant else row_of[s.feature] for s in stumps]
        cuts = [_threshold_or_code(s, categories) for s in stumps]
        self._splits = StumpSplits(
            frozen(rows, np.int64),
            frozen(cuts, np.float64),
            frozen([s.threshold is None for s in stumps], np.bool_),
        )
        # What each side of each stump votes, (n_stumps, 3, n_classes).
        self._votes = np.array([s.side_votes(classes) for s in stumps], np.float64)

    def votes(self, table, alpha, n_jobs=None):
        """Return the total votes for each class, of shape (n_rows, n_classes)."""
        # table: Table; alpha: (n_stumps,), the weights of the votes.
        table.require_numbers(self._numeric)
        codes_of = self._codebook.reader(table)
        side_votes = frozen(self._votes * alpha[:, None, None], np.float64)
        votes = np.empty((table.n_rows, self._n_classes))

        def add_chunk(rows):
            for block in slices_of(rows, _ROWS_PER_BLOCK):
                cells = frozen(self._cells(table, codes_of, block), np.float64)
                sums = np.zeros((self._n_classes, cells.shape[1]))
                add_votes(cells, self._splits, side_votes, sums)
                votes[block] = sums.T

        map_chunks(add_chunk, table.n_rows, 8 * self._n_classes, n_jobs=n_jobs)
        return votes

    def _cells(self, table, codes_of, rows):
        """Return the cells that the stumps read, one contiguous row a column."""
        codes = codes_of(rows).T
        codes = np.where(codes == MISSING, np.nan, codes)
        parts = [codes, np.zeros((1, codes.shape[1]))]
        if len(self._numeric):
            parts.insert(0, table.numbers(self._numeric, rows).T)
        return np.concatenate(parts)


def _categories_of(stumps):
    """Return the categories that stumps name, {column: sorted categories}."""
    found = {s.feature: set() for s in stumps if s.threshold is None}
    for stump in stumps:
        if stump.category is not None:
            found[stump.feature].add(stump.category)
    return {j: sorted(found[j]) for j in sorted(found)}


def _threshold_or_code(stump, categories):
    """Return the threshold of a stump, or the code of its category."""
    if stump.threshold is not None:
        return stump.threshold
    if stump.category is None:
        return MISSING
    return bisect_left(categories[stump.feature], stump.category)

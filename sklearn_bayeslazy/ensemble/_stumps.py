"""Decision stumps: trees of one split, on numbers or on categories."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from .._kernel import frozen
from .._parallel import map_chunks
from ..tabular import MISSING, Codebook, object_array, read_table
from ._stump_kernels import add_votes

# Rows whose cells are turned into columns at a time, so that they stay in the cache.
_BLOCK = 4096


@dataclass(frozen=True)
class Stump:
    """A tree of one split.

    Attributes
    ----------
    feature : int
        The column.
    name : str
        Its name.
    threshold : float or None
        Numbers below go to the left, all others to the right; infinity parts numbers
        from missing cells. None: a category is split from all others.
    category : object
        What goes to the left if `threshold` is None; None stands for missing cells.
    missing_left : bool
        Where missing cells go that a threshold splits.
    left, right : object
        The classes that are said there.

    Examples
    --------
    >>> stump = Stump(0, "age", 40.5, None, False, "young", "old")
    >>> print(stump)
    young if age < 40.5 else old
    >>> stump.predict([[30.0], [50.0], [np.nan]])
    array(['young', 'old', 'old'], dtype=object)
    """

    feature: int
    name: str
    threshold: float | None
    category: Any
    missing_left: bool
    left: Any
    right: Any

    @classmethod
    def constant(cls, name, label):
        """Return the stump that says one class of all rows."""
        return cls(0, name, np.inf, None, True, label, label)

    @property
    def is_constant(self):
        """Whether nothing is split."""
        return self.threshold == np.inf and self.missing_left

    def __str__(self):
        if self.left == self.right:
            return f"always {self.left}"
        if self.threshold is None:
            missing = self.category is None
            question = "is missing" if missing else f"= {self.category}"
        elif self.threshold == np.inf:
            question = "is not missing"
        else:
            question = f"< {self.threshold:.6g}"
            question += " or missing" if self.missing_left else ""
        return f"{self.left} if {self.name} {question} else {self.right}"

    def predict(self, X):
        """Return the class that is said of each row, as an array of objects.

        Parameters
        ----------
        X : {array-like, dataframe} of shape (n_samples, n_features)
            All columns, as at `fit`.
        """
        classes = object_array([self.left, self.right])
        votes = StumpArrays([self], classes).votes(read_table(X), np.ones(1))
        return classes[votes.argmax(axis=1)]


class StumpArrays:
    """Stumps laid out as arrays, to be asked about many rows.

    Parameters
    ----------
    stumps : list of Stump
    classes : ndarray of shape (n_classes,)
    """

    def __init__(self, stumps, classes):
        self._n_classes = len(classes)
        code = {label: k for k, label in reversed([*enumerate(classes.tolist())])}
        asks = [s for s in stumps if not s.is_constant]
        numeric = {s.feature for s in asks if s.threshold is not None}
        known = {s.feature: set() for s in stumps if s.threshold is None}
        for s in stumps:
            if s.category is not None:
                known[s.feature].add(s.category)
        known = {j: sorted(known[j]) for j in sorted(known)}
        code_of = {j: {label: k for k, label in enumerate(known[j])} for j in known}
        self._numeric = np.array(sorted(numeric), dtype=np.int64)
        values = [object_array(labels) for labels in known.values()]
        self._labels = Codebook([*known], values, [False] * len(values))
        columns = [*self._numeric.tolist(), *known]
        place = {j: p for p, j in enumerate(columns)}
        self._zeros = int(len(asks) < len(stumps))  # a row of them, for constant stumps
        places = [len(columns) if s.is_constant else place[s.feature] for s in stumps]
        cuts = [
            code_of[s.feature].get(s.category, MISSING)
            if s.threshold is None
            else s.threshold
            for s in stumps
        ]
        self._arrays = (
            frozen(places, np.int64),
            frozen(cuts, np.float64),
            frozen([s.threshold is None for s in stumps], np.bool_),
            frozen([s.missing_left for s in stumps], np.bool_),
            frozen([code[s.left] for s in stumps], np.int64),
            frozen([code[s.right] for s in stumps], np.int64),
        )

    def votes(self, table, alpha, n_jobs=None):
        """Return the sums of the votes for each class, of shape (n_rows, n_classes).

        Parameters
        ----------
        table : Table
        alpha : array of shape (n_stumps,)
        n_jobs : int, default=None
            Threads.
        """
        table.require_numbers(self._numeric)
        codes_of = self._labels.reader(table)
        alpha = frozen(alpha, np.float64)
        votes = np.empty((table.n_rows, self._n_classes))

        def answer(rows):
            for start in range(rows.start, rows.stop, _BLOCK):
                block = slice(start, min(start + _BLOCK, rows.stop))
                cells = self._cells(table, codes_of, block)
                sums = np.zeros((self._n_classes, cells.shape[1]))
                add_votes(frozen(cells, np.float64), *self._arrays, alpha, sums)
                votes[block] = sums.T

        map_chunks(answer, table.n_rows, 8 * self._n_classes, n_jobs=n_jobs)
        return votes

    def _cells(self, table, codes_of, rows):
        """Return the cells of what is asked for, each column in one piece."""
        codes = codes_of(rows).T
        parts = [codes, np.zeros((self._zeros, codes.shape[1]))]
        if len(self._numeric):
            parts.insert(0, table.numbers(self._numeric, rows).T)
        return np.concatenate(parts)

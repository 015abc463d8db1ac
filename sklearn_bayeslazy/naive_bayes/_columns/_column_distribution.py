"""The interface of columns that share a distribution in a naive Bayes model.

A model has up to three groups of columns: discrete, Poisson and Gaussian. Each group
keeps additive statistics of its columns, turns them into m-estimates, and adds
log P(x | class) to the joint log likelihoods of rows.
"""

import functools
from abc import ABC, abstractmethod

import numpy as np

from ..._core._parallel import map_tasks

# log x! of a larger number, times a few columns, overflows.
MAX_COUNT = 1e300


class ColumnDistribution(ABC):
    """The columns of a table that share a distribution, with their statistics."""

    # Statistics are replaced and never changed in place, so that a failed call leaves
    # the former model intact.

    columns: np.ndarray  # int, their indices in the table

    @abstractmethod
    def sums(self, batch):
        """Return the statistics of the batch, a list of arrays."""

    @abstractmethod
    def add(self, sums, more):
        """Return the statistics of two batches together."""

    @abstractmethod
    def with_statistics(self, sums):
        """Return a copy with these statistics, to be followed by :meth:`estimate`."""

    @abstractmethod
    def statistics_size(self, n_classes):
        """Return how many numbers the statistics consist of."""

    def counted(self, batch, n_jobs=None):
        """Return a copy with the statistics of the batch alone."""
        chunks = batch.chunks(self.statistics_size(batch.n_classes))
        sums = map_tasks(self.sums, chunks, n_jobs=n_jobs)
        return self.with_statistics(functools.reduce(self.add, sums))

    @abstractmethod
    def part(self, indices):
        """Return some of the columns, with their statistics and estimates."""

    @abstractmethod
    def merged(self, other):
        """Return a copy with the statistics of both."""

    @abstractmethod
    def without_rows(self):
        """Return a copy with the statistics of no rows."""

    @abstractmethod
    def expand_classes(self, positions, n_classes):
        """Return a copy with its classes at `positions` among `n_classes` classes."""

    def with_var_smoothing(self, share):
        """Return the columns with another `var_smoothing`, which Gaussian ones have."""
        return self

    @abstractmethod
    def estimate(self, m, priors):
        """Set the m-estimates; `m` (d,) and `priors` (d entries) are the table's."""

    @abstractmethod
    def scorer(self, table, refuse_unknown=False):
        """Return a function ``prepare(rows)`` of slices of rows of a table."""
        # ``prepare(rows)`` returns a function ``add(out, first, last)``. That adds
        # log P(x | class) of these rows to `out` (n_rows, n_classes), over this group's
        # columns first … last - 1, by default all. On a sparse table both the rows and
        # the columns must be all of the table's. With `refuse_unknown` a category that
        # was not in the training data raises an error.

    @abstractmethod
    def leave_out(self, left_out):
        """Return a function ``add(m, priors, out)`` for rows left out one by one."""
        # It adds log P(x | class) to `out` (r, n_classes), each row under the model
        # that was learnt without it. m: (d,) and priors: d entries, as in `estimate`.


def check_counts(low, high, names):
    """Raise an error if numbers from `low` to `high` cannot be Poisson counts."""
    if low < 0:
        raise ValueError(
            "Negative values in data passed to a Poisson distribution, which needs "
            "counts, x ≥ 0. Choose another distribution for the columns among "
            f"{_shorten(names)} that hold numbers below 0."
        )
    if high > MAX_COUNT:
        raise ValueError(
            f"Counts above {MAX_COUNT:g} are too large for a Poisson distribution: "
            f"rescale the columns among {_shorten(names)} that hold them."
        )


def _shorten(names):
    return str(names if len(names) <= 10 else [*names[:10], "..."])

"""Weights of columns: given ones, powers of their relevance, or a learnt stretch.

Those that learn from the targets are compared by rows that are left out. The weights
for a left-out row come from rows of other folds, where the table is cut into parts.
"""

from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np
from sklearn.utils import check_random_state

from ...leave_one_out import rows_to_leave_out
from ...tabular import number_of_equal_rows
from ._parameters import learn_feature_weights

# A stretch that is one of the candidates is learnt for each of eight folds, from at
# most this number of rows, of which some are left out.
_MAX_ROWS, _MAX_LEFT_OUT = 1000, 300
# With fewer rows a stretch follows chance; with more coordinates of rows and targets it
# takes longer than the rest of the fit.
_MIN_ROWS, _MAX_COORDINATES = 50, 100


class LeftOutPart(NamedTuple):
    """Rows that are left out one by one, among points that ignore their targets."""

    rows: np.ndarray | None  # None for all
    space: object  # RowSpace
    training: object  # TrainingPoints


@dataclass
class GivenWeights:
    """The same factors of the columns for all rows; None for equal ones."""

    parts: list  # of `LeftOutPart`
    factors: np.ndarray | None

    def of(self, part):
        """Return the factors of the columns for the rows of a part."""
        return self.factors


def without_last(factors, n_ignored):
    """Return the factors with 0 for the last columns, unless no other has any.

    >>> without_last(np.array([0.5, 0.0, 2.0]), 1)
    array([0.5, 0. , 0. ])
    """
    is_kept = np.arange(len(factors)) < len(factors) - n_ignored
    return factors * is_kept if factors[is_kept].any() else factors


@dataclass
class RelevancePower:
    """A power of what each column alone tells of the targets."""

    parts: list
    exponent: float
    n_ignored: int = 0  # of the last columns, indicators of missing cells, get 0

    def of(self, part):
        """Return the factors of the columns for the rows of a part."""
        return without_last(part.space.weights(self.exponent), self.n_ignored)


def can_be_stretched(training, targets, kept):
    """Return whether there are several columns, and enough rows, but not too many."""
    # training: `TrainingPoints`; targets, kept: as in `LearntStretch`.
    n_rows = number_of_equal_rows(training.weight)
    n_coordinates = training.points.shape[1] + targets.shape[1]
    return n_rows >= _MIN_ROWS and n_coordinates <= _MAX_COORDINATES and kept.sum() > 1


@dataclass
class LearntStretch:
    """The stretch that AxisStretcher finds, for a part of the rows from all others.

    That for new rows is the mean of those of the parts: each may be another optimum.
    """

    # targets: (n, n_targets); kept: bool (n_columns,), the columns to stretch.
    # judged: the rows that decide between this and other weights where the table is not
    # cut into parts, which then teach nothing. n_neighbors: as `stretch` takes it.

    parts: list
    training: object  # TrainingPoints of all rows
    targets: np.ndarray
    kept: np.ndarray
    judged: np.ndarray
    n_neighbors: float | None
    seed: object
    n_jobs: int | None
    _learnt: dict = field(default_factory=dict)  # by the first row that is not seen

    def of(self, part):
        """Return the factors of the columns for the rows of a part, or for new rows."""
        if part.rows is None and len(self.parts) > 1:
            every = [self.of(one) for one in self.parts]
            return np.mean([one / one.max() for one in every], axis=0)
        unseen = self.judged if part.rows is None else part.rows
        if unseen[0] not in self._learnt:
            self._learnt[unseen[0]] = self._learn(unseen)
        return self._learnt[unseen[0]]

    def _learn(self, unseen):
        """Return the factors of the columns by all rows but some."""
        training = self.training
        others = np.delete(np.arange(len(self.targets)), unseen)
        rows = others[rows_to_leave_out(len(others), _MAX_ROWS, self.seed)]
        points, is_same = training.points[rows], training.left_out is training.points
        return learn_feature_weights(
            training._replace(
                points=points,
                left_out=points if is_same else training.left_out[rows],
                weight=training.weight[rows],
            ),
            self.targets[rows],
            self.kept,
            self.n_neighbors,
            check_random_state(self.seed),
            self.n_jobs,
            n_starts=1,  # all columns equal: others are drawn, or take twice the time
            loo_max_samples=_MAX_LEFT_OUT,
        )

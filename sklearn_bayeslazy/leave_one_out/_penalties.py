"""The penalties of a log-linear model, by cross-validation over left-out rows."""

from copy import copy

import numpy as np

from .._core._parallel import map_tasks
from ._folds import folds
from ._log_linear import fit_log_linear

# Two foldings are as good as three; with one the log loss of AODE on the 26 tables of
# the accuracy page is higher by half a percent.
_N_FOLDINGS = 2
# Candidates are compared by losses that are exact to about this share.
_TOLERANCE = 1e-3
# A search ends at a loss that exceeds the least one by this share. Weak offsets are
# sometimes slightly worse than none, where strong ones are much better.
_MAX_RISE = 0.05


def choose_penalties(
    rows, offsets, weights0, penalties, value_penalties, *, n_jobs=None
):
    """Return the best λ, the best λ_u (None for no value offsets), and the losses."""
    # λ is chosen first, without value offsets; then λ_u. Candidates are scored in the
    # given order until the log loss rises by 5 %: give the strongest first.
    # rows.positions are those of `offsets`; weights0: (n_terms,). losses: the mean log
    # loss by (λ, λ_u), for each pair that was scored.
    held_out = _Folds(rows, offsets, weights0, n_jobs)
    losses = {}
    if not held_out.parts:  # all rows are equal
        return penalties[0], None, losses

    def search(pairs):
        for pair in pairs:
            losses[pair] = held_out.log_loss(*pair)
            if losses[pair] > (1 + _MAX_RISE) * min(losses.values()):
                break
        return min(losses, key=losses.get)

    penalty, _ = search([(penalty, None) for penalty in penalties])
    if offsets.n_positions:
        losses = {(penalty, None): losses[penalty, None], **losses}
        best = search([(penalty, value) for value in value_penalties])
        penalty, value_penalty = best
    else:
        value_penalty = None
    return penalty, value_penalty, losses


class _Folds:
    """Cross-validation whose models start from those of the candidate before."""

    def __init__(self, rows, offsets, weights0, n_jobs):
        self.rows, self.offsets = rows, offsets
        self.weights0, self.n_jobs = weights0, n_jobs
        # Tiny weights may underflow: a model needs others.
        parts = folds(rows.key, _N_FOLDINGS)
        self.parts = [part for part in parts if rows.weight[~part].any()]
        self.models = [None] * len(self.parts)

    def log_loss(self, penalty, value_penalty):
        """Return the mean log loss of the rows under models of the other folds."""
        rows, offsets = self.rows, self.offsets
        if value_penalty is None:
            rows, offsets = rows.without_offsets(), ValueOffsets.none()
        total_weight = self.rows.weight.sum()

        def fold_loss(k):
            part = self.parts[k]
            # The folds share the threads.
            self.models[k] = fit_log_linear(
                rows.with_weight(np.where(part, 0.0, rows.weight)),
                offsets,
                self.weights0,
                penalty=penalty,
                value_penalty=value_penalty or 1.0,
                start=self.models[k],
                tolerance=_TOLERANCE,
                n_jobs=1,
            )
            held_out = rows.take(part)
            share = held_out.weight / total_weight  # so that no product overflows
            return np.sum(share * held_out.log_losses(self.models[k]))

        return sum(map_tasks(fold_loss, range(len(self.parts)), n_jobs=self.n_jobs))


# Offsets of scores by column value and class.
#
# Naive Bayes and AODE estimate the effect of each column separately. An offset u_jc(v)
# corrects log P(c | row) where column j has the value v. The offset of a category is a
# parameter. Offsets of neighbouring bins of numbers differ by a step, and the steps are
# the parameters: their penalty keeps the offsets smooth.


class ValueOffsets:
    """The codes of columns as positions, and the parameters of their offsets."""

    # The parameters φ of a column are its steps in a basis in which they hardly
    # interact: the eigenvectors of their Gram matrix over the rows. A rotation does not
    # change Σ θ², θ being the steps.
    #
    # sizes: (d,), the number of codes of each column; is_ordered: (d,), whether the
    # codes are ordered bins; positions: (n, d), the codes of the rows plus the start of
    # their column. Missing and unknown cells have the position after the last code,
    # whose offset is 0. n_positions: the number of codes of all columns and one; 0 if
    # there are no columns. curvature: (n_positions,), Σ weight (effect of each
    # parameter on a row's score)².

    def __init__(self, sizes, is_ordered, positions, weight):
        start = np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)
        sizes, is_ordered = np.diff(start), np.asarray(is_ordered, dtype=bool)
        self.n_positions = int(start[-1]) + 1 if len(sizes) else 0
        self.curvature = np.zeros(self.n_positions)
        by_row = np.broadcast_to(weight[:, None], positions.shape)
        counts = np.bincount(positions.ravel(), by_row.ravel(), self.n_positions)
        # Columns of one kind and number of codes are computed together.
        self._groups = []
        for size, ordered in sorted(set(zip(sizes, is_ordered))):
            alike = start[:-1][(sizes == size) & (is_ordered == ordered)]
            codes = alike[:, None] + np.arange(size)
            effects = step_effects(size) if ordered else np.eye(size)
            gram = effects.T * counts[codes][:, None] @ effects
            curvature, basis = np.linalg.eigh(gram)
            self._groups.append((codes, effects @ basis))
            self.curvature[codes] = np.maximum(curvature, 0.0)

    @classmethod
    def none(cls):
        """Return offsets of no columns."""
        return cls([], [], np.empty((0, 0), dtype=np.int64), np.empty(0))

    def with_weights_divided_by(self, unit):
        """Return the same offsets for rows whose weights are divided by a number."""
        divided = copy(self)
        divided.curvature = self.curvature / unit
        return divided

    def values(self, parameters):
        """Return the offsets by position; both arrays are (n_positions, n_classes)."""
        values = np.zeros_like(parameters)
        for codes, effects in self._groups:
            values[codes] = effects @ parameters[codes]
        return values

    def gradient(self, by_value):
        """Return the gradient by parameter from that by offset."""
        gradient = np.zeros_like(by_value)
        for codes, effects in self._groups:
            gradient[codes] = effects.swapaxes(1, 2) @ by_value[codes]
        return gradient


def step_effects(n_bins):
    """Return the effect of each step (columns) on the offset of each bin (rows).

    >>> step_effects(3)
    array([[ 0. , -0.5, -0.5],
           [ 0. ,  0.5, -0.5],
           [ 0. ,  0.5,  0.5]])
    """
    # Step k lies between bins k - 1 and k. It raises the offsets above it by 1/2 and
    # lowers those below it. There is no step before the first bin.
    effects = np.where(np.arange(n_bins)[:, None] >= np.arange(n_bins), 0.5, -0.5)
    effects[:, 0] = 0.0
    return effects

"""The penalties of a log-linear model, by cross-validation over left-out rows."""

import numpy as np

from .._core._parallel import map_tasks
from ._log_linear import fit_log_linear
from ._value_offsets import ValueOffsets

# Enough to choose among penalties that differ by factors of four.
_N_FOLDS = 4
# Candidates are compared by losses that are exact to about this share.
_TOLERANCE = 1e-4
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
    folds = _Folds(rows, offsets, weights0, n_jobs)
    losses = {}
    if not folds.parts:  # all rows are equal
        return penalties[0], None, losses

    def search(pairs):
        for pair in pairs:
            losses[pair] = folds.log_loss(*pair)
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

    # The fold of a row is given by its key: it depends neither on the order of rows nor
    # on weights, and equal rows share a fold.

    def __init__(self, rows, offsets, weights0, n_jobs):
        self.rows, self.offsets = rows, offsets
        self.weights0, self.n_jobs = weights0, n_jobs
        fold = rows.key % np.uint64(_N_FOLDS)
        parts = [fold == k for k in range(_N_FOLDS)]
        self.parts = [part for part in parts if part.any() and not part.all()]
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

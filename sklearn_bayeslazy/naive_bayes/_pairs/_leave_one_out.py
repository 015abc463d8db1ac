"""The choices of AODE by exact leave-one-out: bins, super-parents, m, weights.

Nothing is refitted: a left-out row is subtracted from the counts of its values and
pairs. Bins and category lists stay those of the whole table.
"""

import numpy as np

from ..._labelled_rows import log_prior_without
from ..._leave_one_out import (
    CLASSIFICATION_SCORING,
    classification_losses,
    rank_candidates,
    rows_to_leave_out,
)
from ..._parallel import map_chunks
from .._log_linear import (
    LogLinearRows,
    ValueOffsets,
    center_terms,
    choose_value_penalty,
    fit_log_linear,
)
from ._column_terms import LeftOutCells, tune_column
from ._pair_model import PairModel

# Penalties of weights and class offsets, and then of value offsets (None: no offsets),
# from AODE nearly alone to free parameters.
_PENALTIES = [100.0, 10.0, 1.0]
_VALUE_PENALTIES = [None, 256.0, 64.0, 16.0, 4.0, 1.0, 0.25, 0.0625]
# Rows that choose among the penalties.
_MAX_PENALTY_ROWS = 4000
# The weights that the penalty pulls to: AODE as published.
_COLUMN_WEIGHT, _AVERAGED_WEIGHT = 0.0, 1.0


class LeftOutBatch:
    """The rows of a batch that are left out one by one.

    Parameters
    ----------
    batch : Batch
    settings : AODESettings
    """

    def __init__(self, batch, settings):
        rows = rows_to_leave_out(
            len(batch.classes), settings.loo_max_samples, settings.random_state
        )
        self.rows = rows
        self.table = batch.table.take(rows)
        self.n_classes = batch.n_classes
        self.cells = LeftOutCells(
            batch.classes[rows], batch.weight[rows], batch.n_classes
        )
        self.log_prior = log_prior_without(
            batch.class_count, self.cells.classes, self.cells.removed, True, None
        )
        self.settings = settings

    def tune_columns(self, counts, positions, m_candidates):
        """Return the :class:`LeftOutColumn` of each column of some counts."""
        columns = []
        for j, n_values in enumerate(counts.sizes):
            first = counts.start[j]
            codes = np.where(
                positions[:, j] < counts.start[-1], positions[:, j] - first, n_values
            )
            values = counts.values[first : first + n_values]
            columns.append(
                tune_column(codes, values, self.cells, self.log_prior, m_candidates)
            )
        return columns

    def score_super_parents(self, counts, positions, columns, m):
        """Return log loss and correctness (p, n) with the first 1 … p super-parents."""
        shape = len(counts.parents), len(self.rows)
        log_loss, correct = np.empty(shape), np.empty(shape)

        def score(rows, joint, prior):
            classes = self.cells.classes[rows]
            for k in range(shape[0]):
                log_loss[k, rows], correct[k, rows] = classification_losses(
                    joint[:, k], classes, prior
                )

        self._map_joint(counts, positions, columns, m, score)
        return {"log_loss": log_loss, "accuracy": correct}

    def averaged_terms(self, counts, positions, columns, m):
        """Return the joint log likelihoods (n, n_classes) with all super-parents."""
        averaged = np.empty((len(self.rows), self.n_classes))

        def store(rows, joint, prior):
            averaged[rows] = joint[:, -1] if joint.shape[1] else prior

        self._map_joint(counts, positions, columns, m, store)
        return averaged

    def _map_joint(self, counts, positions, columns, m, use):
        """Call ``use(rows, joint, log prior)`` for chunks of left-out rows."""
        joint = PairModel(counts, m, self.settings.min_count).leave_out()

        def chunk_joint(rows):
            prior = self.log_prior[rows]
            naive = prior + sum(column.terms[rows] for column in columns)
            removed, classes = self.cells.removed[rows], self.cells.classes[rows]
            use(rows, joint(positions[rows], classes, removed, naive), prior)

        bytes_per_row = 8 * self.n_classes * (len(counts.parents) + len(columns))
        n_jobs = self.settings.n_jobs
        map_chunks(
            chunk_joint, len(self.rows), bytes_per_row, n_jobs=n_jobs, min_rows=256
        )

    def rank(self, candidates, scores):
        """Return the index of the best candidate and the results of all."""
        scoring = CLASSIFICATION_SCORING[self.settings.loo_scoring]
        return rank_candidates(candidates, scores, self.cells.weight, scoring)

    def fit_weights(self, columns, averaged, offset_codes):
        """Return the :class:`LogLinearModel` of column terms and the averaged term.

        Parameters
        ----------
        columns : list of LeftOutColumn
        averaged : ndarray of shape (n, n_classes)
            The averaged term without the row.
        offset_codes : Codebook
            The codes whose values have offsets.
        """
        terms = [column.terms for column in columns] + [best_of_row(averaged)]
        terms = center_terms(np.stack(terms, axis=1)).transpose(0, 2, 1)
        positions = offset_codes.position_reader(self.table)(slice(None))
        rows = LogLinearRows(
            terms,
            np.zeros(averaged.shape),
            self.cells.classes,
            self.cells.weight,
            positions,
        )
        weights0 = np.append(np.full(len(columns), _COLUMN_WEIGHT), _AVERAGED_WEIGHT)
        n_jobs = self.settings.n_jobs

        def offsets_of(rows):
            return ValueOffsets(
                offset_codes.sizes, offset_codes.is_cut, rows.positions, rows.weight
            )

        some = rows.sample(_MAX_PENALTY_ROWS)
        candidates = [(penalty, None) for penalty in _PENALTIES]
        arguments = some, offsets_of(some), weights0
        (penalty, _), _ = choose_value_penalty(*arguments, candidates, n_jobs)
        candidates = [(penalty, value) for value in _VALUE_PENALTIES]
        (_, value_penalty), _ = choose_value_penalty(*arguments, candidates, n_jobs)
        offsets = offsets_of(rows)
        if value_penalty is None:
            rows, offsets = rows.without_offsets(), ValueOffsets.none()
        return fit_log_linear(
            rows,
            offsets,
            weights0,
            penalty=penalty,
            value_penalty=value_penalty or 1.0,
            n_jobs=n_jobs,
        )


def best_of_row(joint):
    """Return log likelihoods relative to the best class of each row."""
    largest = joint.max(axis=1, keepdims=True)
    return joint - np.where(np.isfinite(largest), largest, 0.0)

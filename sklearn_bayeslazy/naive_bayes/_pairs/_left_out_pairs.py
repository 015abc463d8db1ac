"""The choices of AODE by exact leave-one-out: bins, super-parents, m, weights.

Nothing is refitted: a left-out row is subtracted from the counts of its values and
pairs. Bins and category lists stay those of the whole table; but a value that no other
row holds is unknown to them, so it counts as missing, as it does in `predict`.
"""

from dataclasses import dataclass, replace

import numpy as np

from ..._core._parallel import map_chunks, slices_of
from ...leave_one_out import (
    CLASSIFICATION_SCORING,
    MAX_TERMS,
    LogLinearRows,
    ValueOffsets,
    center_terms,
    choose_penalties,
    classification_losses,
    fit_log_linear,
    fold_keys,
    rank_candidates,
)
from ...tabular import log_prior_without
from .._columns import (
    DiscreteColumns,
    DistinctCells,
    LeftOutCells,
    has_no_other_row,
)
from ._pair_model import PairModel, least_weight

# Penalties of weights and class offsets, and then of value offsets, from AODE nearly
# alone to free parameters.
_PENALTIES = [100.0, 10.0, 1.0]
_VALUE_PENALTIES = [256.0, 64.0, 16.0, 4.0, 1.0, 0.25, 0.0625, 0.015625]
# Rows that choose among the penalties.
_MAX_PENALTY_ROWS = 4000
# Rows whose losses are computed together.
_ROWS_PER_SCORE = 512
# The weights that the penalty pulls to: AODE as published.
_COLUMN_WEIGHT, _AVERAGED_WEIGHT = 0.0, 1.0


@dataclass(frozen=True)
class ToThePrior:
    """A penalty that pulls all weights to 0, where the class prior is predicted."""

    penalty: float


@dataclass
class LeftOutColumn:
    """A column of left-out rows at its best m."""

    m: float  # the number of virtual examples, or "laplace"
    loss: float  # the mean leave-one-out log loss of the column with the class prior
    index: np.ndarray  # int, (n,), the combination among `cells` of each row
    # Those of several columns, and their `DistinctCells.terms` at the best m:
    # (n_groups, n_classes) and (n_distinct,).
    cells: DistinctCells
    of_others: np.ndarray
    of_own: np.ndarray

    def terms(self, rows):
        """Return the terms (n_rows, n_classes) of some left-out rows."""
        cells, index = self.cells, self.index[rows]
        terms = self.of_others[cells.group[index]]
        terms[np.arange(len(terms)), cells.classes[index]] = self.of_own[index]
        return terms


class LeftOutBatch:
    """The rows of a batch that are left out one by one."""

    def __init__(self, batch, settings, rows):
        self.rows = rows  # int, their indices
        self.table = batch.table.take(rows)
        self.n_classes = batch.n_classes
        self.likelihood_unit = batch.likelihood_unit
        self.min_count = least_weight(settings.min_count, batch.row_weight)
        classes, weight = batch.classes[rows], batch.weight[rows]
        log_prior = log_prior_without(batch.class_count, classes, weight, True, None)
        self.cells = LeftOutCells(classes, weight, log_prior)
        self.settings = settings
        # One row of each class more, so that no class is impossible.
        shares = batch.class_count + batch.row_weight
        self.class_log_prior = np.log(shares / shares.sum())

    def known_positions(self, counts, positions):
        """Return positions without the values that no other row holds."""
        is_unknown = has_no_other_row(counts.values, positions, self.cells.weight)
        return np.where(is_unknown, len(counts.values), positions)

    def tune_columns(self, codebook, counts, positions, candidates):
        """Return the :class:`LeftOutColumn` of each column of some counts."""
        # candidates: a list of m for each column.
        group = DiscreteColumns(codebook, self.table.names)
        group = group.with_statistics([counts.values])
        is_known = positions < counts.start[-1]
        codes = np.where(is_known, positions - counts.start[:-1], counts.sizes)
        n_scores = len(self.rows) * self.n_classes * len(candidates[0])
        columns = []
        for part in group.parts(n_scores):
            some = [candidates[j] for j in part.columns]
            columns += self._tune_columns(part, codes[:, part.columns].T, some)
        return columns

    def _tune_columns(self, group, codes, candidates):
        """Return the :class:`LeftOutColumn` of each column of codes (n_columns, n)."""
        # group: DiscreteColumns of these columns, with the counts of all rows.
        sizes = group.codebook.sizes
        cells = self.cells.distinct(codes, sizes)
        n_values = np.maximum(sizes, 1)  # a column of missing cells
        ms = np.array(
            [
                [n if isinstance(m, str) else m for m in of_column]
                for n, of_column in zip(n_values, candidates)
            ]
        )
        priors = ["uniform"] * self.table.n_columns
        of_others, of_own = group.terms_of_distinct(cells, ms.T, priors)
        losses, _ = cells.losses(of_others, of_own)
        best, loss = np.empty(len(sizes), dtype=np.int64), np.empty(len(sizes))
        for j in range(len(sizes)):
            here = cells.of_column(j)
            weight = cells.weight[here]
            means = np.sum(losses[:, here] * weight, axis=1) / weight.sum()
            best[j], loss[j] = np.argmin(means), means.min()
        at_best = (
            cells,
            of_others[best[cells.group_column], np.arange(of_others.shape[1])],
            of_own[best[cells.column], np.arange(of_own.shape[1])],
        )
        return [
            LeftOutColumn(of_column[i], mean, index, *at_best)
            for of_column, i, mean, index in zip(candidates, best, loss, cells.index)
        ]

    def score_super_parents(self, positions, columns, counts, predicted, m):
        """Return log loss and correctness (p, n) with the first 1 … p super-parents."""
        # Without super-parents they are those of naive Bayes, of shape (1, n).
        shape = max(len(counts.parents), 1), len(self.rows)
        log_loss, correct = np.empty(shape), np.empty(shape)

        def score(rows, joint, prior):
            # All super-parents at once, and few rows, so that they stay in the cache.
            for here in slices_of(rows, _ROWS_PER_SCORE):
                some = slice(here.start - rows.start, here.stop - rows.start)
                losses, is_correct = classification_losses(
                    joint[some].reshape(-1, self.n_classes),
                    np.repeat(self.cells.classes[here], shape[0]),
                    np.repeat(prior[some], shape[0], axis=0),
                )
                log_loss[:, here] = losses.reshape(-1, shape[0]).T
                correct[:, here] = is_correct.reshape(-1, shape[0]).T

        self._map_joint(positions, columns, counts, predicted, m, score)
        return {"log_loss": log_loss, "accuracy": correct}

    def averaged_terms(self, positions, columns, counts, predicted, m):
        """Return the joint log likelihoods (n, n_classes) with all super-parents."""
        averaged = np.empty((len(self.rows), self.n_classes))

        def store(rows, joint, prior):
            averaged[rows] = joint[:, -1]

        self._map_joint(positions, columns, counts, predicted, m, store)
        return averaged

    def _map_joint(self, positions, columns, counts, predicted, m, use):
        """Call ``use(rows, joint, log prior)`` for chunks of left-out rows."""
        model = PairModel(counts, predicted, m, self.min_count)
        joint = model.leave_out(len(self.rows))

        def chunk_joint(rows):
            prior = self.cells.log_prior[rows]
            naive = prior + sum(column.terms(rows) for column in columns)
            scores = naive[:, None]
            if len(counts.parents):
                weight, classes = self.cells.weight[rows], self.cells.classes[rows]
                scores = joint(positions[rows], classes, weight, naive)
            use(rows, scores, prior)

        n_parents, n_columns = len(counts.parents), len(columns)
        map_chunks(
            chunk_joint,
            len(self.rows),
            bytes_per_row=8 * self.n_classes * (n_parents + n_columns),
            n_jobs=self.settings.n_jobs,
            min_rows=256,
            steps_per_row=n_parents * n_columns * self.n_classes / 4,  # four at a time
        )

    def rank(self, candidates, scores):
        """Return the index of the best candidate and the results of all."""
        scoring = CLASSIFICATION_SCORING[self.settings.loo_scoring]
        return rank_candidates(candidates, scores, self.cells.weight, scoring)

    def fit_weights(self, columns, averaged, positions, offset_codes, penalties):
        """Return for each penalty a :class:`LogLinearModel`, and the penalty."""
        # columns: d LeftOutColumns; averaged: (n, n_classes), the averaged term without
        # the row; positions: (n, d), of the rows' codes; offset_codes: the Codebook
        # whose values have offsets. penalties: each is λ and λ_u, None for the best of
        # these, or `ToThePrior`.
        rows = self._log_linear_rows(columns, averaged, positions, offset_codes)
        fits = []
        for penalty in penalties:
            if isinstance(penalty, ToThePrior):
                fits.append((self._fit_to_the_prior(rows, penalty), penalty))
            else:
                fits.append(self._fit_with_offsets(rows, offset_codes, penalty))
        return fits

    def _fit_to_the_prior(self, rows, penalty):
        """Return the model of weights that are pulled to 0, without value offsets."""
        model = fit_log_linear(
            replace(rows, fixed=rows.fixed + self.class_log_prior),
            None,
            np.zeros(rows.terms.shape[2]),
            penalty=penalty.penalty,
            n_jobs=self.settings.n_jobs,
        )
        offset = model.class_offset + self.class_log_prior
        return replace(model, class_offset=offset)

    def _fit_with_offsets(self, rows, offset_codes, penalties):
        """Return the model of weights and value offsets, and the penalties."""
        n_columns = rows.terms.shape[2] - 1
        weights0 = np.append(np.full(n_columns, _COLUMN_WEIGHT), _AVERAGED_WEIGHT)
        n_jobs = self.settings.n_jobs

        def offsets_of(rows):
            return ValueOffsets(
                offset_codes.sizes, offset_codes.is_cut, rows.positions, rows.weight
            )

        if penalties is None:
            order = np.lexsort([rows.weight, rows.classes, rows.key])
            some = rows.take(_evenly_spaced(order, _MAX_PENALTY_ROWS))
            *penalties, _ = choose_penalties(
                some,
                offsets_of(some),
                weights0,
                _PENALTIES,
                _VALUE_PENALTIES,
                n_jobs=n_jobs,
            )
        penalty, value_penalty = penalties
        model = fit_log_linear(
            rows,
            offsets_of(rows),
            weights0,
            penalty=penalty,
            value_penalty=value_penalty,
            n_jobs=n_jobs,
        )
        return model, (penalty, value_penalty)

    def _log_linear_rows(self, columns, averaged, positions, offset_codes):
        """Return left-out rows of at most `MAX_TERMS` terms, evenly spaced."""
        # They are spaced in the order of hashes of their codes. So the choice depends
        # neither on the order of rows nor on names, and frequent rows keep their share.
        classes, weight = self.cells.classes, self.cells.weight
        read = offset_codes.reader(self.table, as_positions=True)
        offset_positions = read(slice(None))
        both = np.hstack([positions, offset_positions])
        key = fold_keys(both, classes)
        n_terms = len(columns) + 1
        n_fitting = max(MAX_TERMS // (n_terms * self.n_classes), 2)
        order = np.lexsort([weight, classes, key])
        kept = _evenly_spaced(order, n_fitting)
        return LogLinearRows(
            self._terms(kept, columns, averaged),
            np.zeros((len(kept), self.n_classes)),
            classes[kept],
            weight[kept] / self.likelihood_unit,
            offset_positions[kept],
            key[kept],
        )

    def _terms(self, rows, columns, averaged):
        """Return the terms (n, n_classes, n_terms) of some of the rows, centred."""
        terms = np.empty((len(rows), self.n_classes, len(columns) + 1))
        for j, column in enumerate(columns):
            terms[:, :, j] = center_terms(column.terms(rows))
        terms[:, :, -1] = center_terms(averaged[rows])
        return terms

    def pooled(self, model, columns, averaged, offset_codes):
        """Return the scores (n, n_classes) of the rows under a `LogLinearModel`."""
        read = offset_codes.reader(self.table, as_positions=True)
        scores = np.empty_like(averaged)

        def score(chunk):
            some = np.arange(chunk.start, chunk.stop)
            terms = self._terms(some, columns, averaged)
            scores[chunk] = model.scores(terms, read(chunk))

        bytes_per_row = 8 * self.n_classes * (len(columns) + 1)
        map_chunks(score, len(averaged), bytes_per_row, n_jobs=self.settings.n_jobs)
        return scores


def _evenly_spaced(order, n_rows):
    """Return at most `n_rows` evenly spaced elements of an order, sorted.

    >>> _evenly_spaced(np.array([4, 0, 3, 1, 2]), 2)
    array([3, 4])
    """
    n_rows = min(n_rows, len(order))
    return np.sort(order[np.arange(n_rows) * len(order) // n_rows])

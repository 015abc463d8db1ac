"""The choices on a first batch: bins, super-parents, m and weights, in this order."""

from dataclasses import dataclass
from itertools import product

import numpy as np

from ...leave_one_out import LogLinearModel, most_rows, rows_to_leave_out
from ...tabular import Codebook
from ._left_out_pairs import LeftOutBatch, ToThePrior
from ._pair_counts import PairCounts

# The maximum number of super-parents: more change little, and each costs a pass.
_MAX_SUPER_PARENTS = 64
# Bins of the numbers that value offsets distinguish.
_OFFSET_BINS = 32
# Mean losses of columns that predict equally well differ by less.
_ROUNDING = 1e-12
# Labels with more categories have no value offsets: they would name single rows.
_MAX_OFFSET_CATEGORIES = 64


@dataclass(frozen=True)
class Choices:
    """What was given, or chosen by leave-one-out on the first batch."""

    m: object  # float or "laplace", virtual examples of the averaged estimates
    predicted: np.ndarray  # bool, (d,), the columns that super-parents predict
    column_m: list  # virtual examples of the estimates of each single column
    n_bins: int
    binning: str
    row_weight: float  # the weight that counts as one row for `min_count`
    # Of the column terms, then of the averaged term. None: as published.
    weights: LogLinearModel | None = None
    penalty: tuple | ToThePrior | None = None  # by which the weights were learnt
    offset_codes: Codebook | None = None  # the codes whose values have offsets
    loo_results: dict | None = None


@dataclass
class _State:
    """Codes and counts for one way of binning."""

    codebook: Codebook
    counts: PairCounts
    predicted: np.ndarray
    positions: np.ndarray
    columns: list
    ends: np.ndarray  # of the first super-parents that may be chosen, the last of them


class ChoiceByLeaveOneOut:
    """Leave-one-out over the candidates."""

    def __init__(self, batch, settings):
        self.batch = batch
        self.settings = settings
        self.candidates = settings.candidates(batch)
        lists, n_columns = self.candidates, batch.table.n_columns
        n_passes = len(lists["binning"]) * len(lists["n_bins"]) + len(lists["m"])
        n_pairs = n_columns * min(n_columns, _MAX_SUPER_PARENTS)
        # The tables of four classes are added at a time.
        steps = n_passes * n_pairs * batch.n_classes / 4
        n_rows = len(batch.classes)
        most = most_rows(settings.loo_max_samples, steps, n_rows)
        rows = rows_to_leave_out(n_rows, most, settings.random_state)
        self.left_out = LeftOutBatch(batch, settings, rows)
        self.tried = []
        self.scores = []

    def run(self, penalties):
        """Return codebook, pair counts, and :class:`Choices` for each penalty."""
        # The binning is chosen at m = 1 row, or at the first candidate of m. With
        # weights, the super-parents are those first ones in the order of their log loss
        # as single columns that predict best together.
        m_candidates = self.candidates["m"]
        one_row = self.batch.row_weight
        first_m = one_row if one_row in m_candidates else m_candidates[0]
        states = []
        for binning, n_bins in self._binnings():
            state = self._prepare(binning, n_bins)
            states.append(state)
            self._try(state, {"binning": binning, "n_bins": n_bins, "m": first_m})
        best, _ = self._rank()
        state, chosen = states[best], self.tried[best]
        for m in m_candidates:
            if m != first_m:
                self._try(state, {**chosen, "m": m})
        best, results = self._rank()
        return self._finish(state, self.tried[best], results, penalties)

    def _binnings(self):
        """Return the candidates of binning and n_bins; one where nothing is binned."""
        candidates = list(
            product(self.candidates["binning"], self.candidates["n_bins"])
        )
        table = self.batch.table
        has_numbers = not table.are_categorical().all()
        return candidates if has_numbers else candidates[:1]

    def _prepare(self, binning, n_bins):
        """Return the codes, the counts and the columns at their best m."""
        batch, settings = self.batch, self.settings
        codebook = batch.codebook(binning, n_bins)
        positions = codebook.reader(self.left_out.table, as_positions=True)(slice(None))
        values = PairCounts.of(batch, codebook, [], settings.n_jobs)
        positions = self.left_out.known_positions(values, positions)
        ms = [self.candidates["m"]] * len(codebook.sizes)
        columns = self.left_out.tune_columns(codebook, values, positions, ms)
        loss = np.array([column.loss for column in columns])
        order = np.arange(len(columns))
        if settings.weights is not None:  # the best first, and none of one value
            order = np.argsort(loss, kind="stable")
            order = order[codebook.sizes[order] > 1]
        parents = parents_that_fit(order, codebook.sizes, batch.n_classes, settings)
        ends = np.array([max(len(parents) - 1, 0)])
        if settings.weights is not None and len(parents):
            parents = parents[:_MAX_SUPER_PARENTS]
            # Columns that predict equally well are chosen together: their order is that
            # of the table.
            rise = np.append(np.diff(loss[parents]), np.inf)
            ends = np.flatnonzero(rise > _ROUNDING)
        counts = PairCounts.of(batch, codebook, parents, settings.n_jobs)
        predicted = np.ones(len(columns), dtype=bool)
        if settings.weights is not None:
            predicted = counts.informative(batch.row_weight)
        return _State(codebook, counts, predicted, positions, columns, ends)

    def _try(self, state, candidate):
        """Score a candidate with the best number of super-parents."""
        scores = self.left_out.score_super_parents(
            state.positions,
            state.columns,
            state.counts,
            state.predicted,
            candidate["m"],
        )
        scores = {key: values[state.ends] for key, values in scores.items()}
        best, _ = self.left_out.rank([{} for _ in state.ends], scores)
        n_parents = min(int(state.ends[best]) + 1, len(state.counts.parents))
        self.tried.append({**candidate, "n_super_parents": n_parents})
        self.scores.append({key: values[best] for key, values in scores.items()})

    def _rank(self):
        scores = {
            key: np.array([one[key] for one in self.scores]) for key in self.scores[0]
        }
        return self.left_out.rank(self.tried, scores)

    def _finish(self, state, chosen, results, penalties):
        """Return codebook, counts and choices, weights included."""
        batch, settings = self.batch, self.settings
        counts = state.counts.of_parents(chosen["n_super_parents"])
        fits, offset_codes = [(None, None)], None
        if settings.weights is not None and batch.n_classes > 1:
            pairs = counts, state.predicted, chosen["m"]
            averaged = self.left_out.averaged_terms(
                state.positions, state.columns, *pairs
            )
            offset_codes = _offset_codes(batch)
            fits = self.left_out.fit_weights(
                state.columns, averaged, state.positions, offset_codes, penalties
            )
        choices = [
            Choices(
                chosen["m"],
                state.predicted,
                [column.m for column in state.columns],
                chosen["n_bins"],
                chosen["binning"],
                batch.row_weight,
                weights,
                penalty,
                offset_codes,
                results,
            )
            for weights, penalty in fits
        ]
        return state.codebook, counts, choices


def parents_that_fit(order, sizes, n_classes, settings):
    """Return the columns, in order, whose counts of pairs fit ``max_pair_counts``."""
    cells = int(sizes.sum() + 1) * n_classes
    parents, free = [], settings.max_pair_counts
    for column in order:
        size = int(sizes[column]) * cells
        if size <= free:
            parents.append(column)
            free -= size
    return np.array(parents, dtype=np.int64)


def _offset_codes(batch):
    """Return the codes whose values have offsets: fine bins, and few categories."""
    codebook = batch.codebook("frequent_values", _OFFSET_BINS)
    few = codebook.is_cut | (codebook.sizes <= _MAX_OFFSET_CATEGORIES)
    return codebook.part(np.flatnonzero(few & (codebook.sizes > 1)))

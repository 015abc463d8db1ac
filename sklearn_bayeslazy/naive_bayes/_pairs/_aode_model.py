"""What AODEClassifier has learnt: counts of pairs, choices, weights."""

from dataclasses import dataclass, fields, replace
from functools import cached_property
from numbers import Real

import numpy as np

from ...leave_one_out import (
    MIN_TERM,
    candidate_lists,
    center_terms,
    check_same_choices,
    in_rows,
    is_loo,
)
from ...tabular import CellRows, Codebook, add_table_rows, class_log_prior
from .._columns import (
    ALLOWED_BINS,
    DiscreteColumns,
    PenalizedModel,
    PenalizedSettings,
)
from ._choices import ChoiceByLeaveOneOut, Choices, parents_that_fit
from ._left_out_pairs import LeftOutBatch, ToThePrior
from ._pair_counts import PairCounts
from ._pair_model import PairModel, least_weight


@dataclass
class AODEModel(PenalizedModel):
    """Averaged one-dependence estimators, pooled log-linearly with column terms."""

    # `fit`, `update` and `merge` return new models; nothing is changed in place.

    names: list  # d str
    codebook: Codebook
    class_count: np.ndarray  # (n_classes,)
    counts: PairCounts
    choices: Choices
    min_count: float

    def __getstate__(self):
        # What follows from the counts is left out, and made again when needed.
        return {field.name: getattr(self, field.name) for field in fields(self)}

    @cached_property
    def class_log_prior(self):
        """Return log P(class), (n_classes,)."""
        return class_log_prior(self.class_count, True, None)

    @cached_property
    def pairs(self):
        """Return the probabilities of pairs of values."""
        choices = self.choices
        return PairModel(self.counts, choices.predicted, choices.m, self.min_count)

    @property
    def loo_results(self):
        """Return the scores of the candidates, None if nothing was chosen."""
        return self.choices.loo_results

    @property
    def penalty(self):
        """Return the penalty by which the weights were learnt."""
        return self.choices.penalty

    @cached_property
    def _weighted_terms(self):
        """Return the terms of single columns times their weights."""
        terms = center_terms(self.column_log_prob)
        columns = np.repeat(self.choices.weights.weights[:-1], self.counts.sizes)
        return terms * np.append(columns, 0.0)[:, None]

    @cached_property
    def column_log_prob(self):
        """Return log P(value | class) of single columns; the last row is 0."""
        columns = DiscreteColumns(self.codebook, self.names)
        columns = columns.with_statistics([self.counts.values])
        of_columns = zip(self.choices.column_m, columns.codebook.sizes)
        ms = [max(n, 1) if isinstance(m, str) else m for m, n in of_columns]
        columns.estimate(np.array(ms, np.float64), ["uniform"] * len(ms))
        return np.pad(columns.log_prob, ((0, 1), (0, 0)))

    @classmethod
    def fit_each(cls, batch, settings, penalties):
        """Return a model for each of the penalties of the weights."""
        if not settings.tunes:
            settings.candidates(batch)  # raises an error for unusable ones
            codebook, counts, choice = _as_given(batch, settings)
            choices = [choice]
        elif len(batch.classes) < 2:
            raise ValueError(
                "Leave-one-out needs two rows of weight above 0, got "
                f"n_samples = {len(batch.classes)}: set m and n_bins to numbers, "
                'binning="quantile" and weights=None.'
            )
        else:
            choice = ChoiceByLeaveOneOut(batch.merged(), settings)
            codebook, counts, choices = choice.run(penalties)
        min_count = least_weight(settings.min_count, choices[0].row_weight)
        names = batch.table.names
        model = cls(names, codebook, batch.class_count, counts, choices[0], min_count)
        return [replace(model, choices=one) for one in choices]

    @staticmethod
    def of_other_rows(models, batch, settings):
        """Return models with the choices of some, and the counts of a batch."""
        model = models[0].without_rows().update(batch, settings)
        return [replace(model, choices=each.choices) for each in models]

    @staticmethod
    def leave_out_each(models, batch, settings, rows):
        """Yield joint log likelihoods and log priors of rows that are left out."""
        left_out = LeftOutBatch(batch, settings, rows)
        first = models[0]
        counts, choices, codebook = first.counts, first.choices, first.codebook
        read = codebook.reader(left_out.table, as_positions=True)
        positions = left_out.known_positions(counts, read(slice(None)))
        ms = [[m] for m in choices.column_m]
        columns = left_out.tune_columns(codebook, counts, positions, ms)
        pairs = counts, choices.predicted, choices.m
        averaged = left_out.averaged_terms(positions, columns, *pairs)
        for model in models:
            weights, joint = model.choices.weights, averaged
            if weights is not None:
                offset_codes = model.choices.offset_codes
                joint = left_out.pooled(weights, columns, averaged, offset_codes)
            yield joint, left_out.cells.log_prior

    def update(self, batch, settings):
        """Return the model with one more batch; what was chosen stays."""
        codebook = self.codebook.extended(batch.table)
        counts = self._counts_by(codebook)
        more = PairCounts.of(batch, codebook, counts.parents, settings.n_jobs)
        return replace(
            self,
            codebook=codebook,
            class_count=self.class_count + batch.class_count,
            counts=counts.merged(more),
            min_count=least_weight(settings.min_count, self.choices.row_weight),
        )

    def without_rows(self):
        """Return the model with all choices and without counts, to be updated."""
        counts = self.counts
        no_counts = PairCounts(counts.sizes, counts.parents, counts.n_classes)
        no_rows = np.zeros_like(self.class_count)
        return replace(self, class_count=no_rows, counts=no_counts)

    def merge(self, other):
        """Return the sum of two models of the same classes."""
        codebook = self.codebook.union(other.codebook, self.names)
        class_count = self.class_count + other.class_count
        counts = self._counts_by(codebook).merged(other._counts_by(codebook))
        return replace(self, codebook=codebook, class_count=class_count, counts=counts)

    def expand_classes(self, positions, n_classes):
        """Return the model with its classes at `positions` among `n_classes`."""
        class_count = np.zeros(n_classes)
        class_count[positions] = self.class_count
        every = np.arange(len(self.counts.values))
        counts = self.counts.expand(self.counts.sizes, every, positions, n_classes)
        return replace(self, class_count=class_count, counts=counts)

    def check_same_choices(self, other):
        """Raise an error unless what was chosen is equal in both models."""
        if self.names != other.names:
            raise ValueError(
                f"The two models differ in their columns: {self.names} and "
                f"{other.names}."
            )
        first, second = self.choices, other.choices
        parents = (model.counts.parents for model in (self, other))
        check_same_choices(
            [
                ("m", first.m, second.m),
                ("m of the columns", first.column_m, second.column_m),
                ("super-parents", *parents),
                ("predicted columns", first.predicted, second.predicted),
                ("weights", *(_comparable(c.weights) for c in (first, second))),
            ]
        )

    def value_offsets(self):
        """Return the offsets of each column's values, (n_classes, K) or None."""
        offsets = [None] * len(self.names)
        codes = self.choices.offset_codes
        if self._has_offsets():
            for column, first, last in zip(codes.columns, codes.start, codes.start[1:]):
                offsets[column] = self.choices.weights.value_offset[first:last].T
        return offsets

    def _counts_by(self, codebook):
        """Return the counts by the codes of a codebook that has more categories."""
        n_classes, positions = (
            self.counts.n_classes,
            self.codebook.positions_in(codebook),
        )
        classes = np.arange(n_classes)
        return self.counts.expand(codebook.sizes, positions, classes, n_classes)

    def joint_blocks(self, table, refuse_unknown):
        """Yield ``(rows, joint log likelihoods)`` over blocks of rows of a table."""
        readers = self._readers(table, refuse_unknown)
        for rows in table.block_rows():
            yield rows, self._joint(*(read(rows) for read in readers))

    def _readers(self, table, refuse_unknown):
        readers = [self.codebook.reader(table, refuse_unknown, as_positions=True)]
        if self.choices.weights is not None and self._has_offsets():
            readers.append(self.choices.offset_codes.reader(table, as_positions=True))
        return readers

    def _has_offsets(self):
        return len(self.choices.weights.value_offset) > 0

    def _joint(self, positions, offset_positions=None):
        """Return the joint log likelihoods of rows given as positions."""
        cells = CellRows.of(positions)
        naive = np.tile(self.class_log_prior, (len(positions), 1))
        add_table_rows(cells, self.column_log_prob, naive)
        averaged = self.pairs.joint(positions, naive)
        weights = self.choices.weights
        if weights is None:
            return averaged
        joint = weights.class_offset + weights.weights[-1] * center_terms(averaged)
        add_table_rows(cells, self._weighted_terms, joint)
        if offset_positions is not None:
            cells = CellRows.of(offset_positions)
            add_table_rows(cells, weights.value_offset, joint)
        return joint

    def explain(self, table, refuse_unknown):
        """Return the terms of each row and class, of shape (n, d + 1, n_classes)."""
        # Terms 0 … d - 1 are those of the columns, in the averaged estimate and
        # outside; term d is what the average adds to them. With `log_prior` they sum to
        # the joint log likelihood.
        positions, *offset_positions = (
            read(slice(None)) for read in self._readers(table, refuse_unknown)
        )
        joint = self._joint(positions, *offset_positions)
        parts, has_parents = self.pairs.terms(positions)
        columns = self.column_log_prob[positions]
        parts = np.where(has_parents[:, None, None], parts, columns)
        weights = self.choices.weights
        if weights is not None:
            # Terms are cut, as the average is: -inf would hide all other terms.
            parts = weights.weights[-1] * np.maximum(parts, MIN_TERM)
            parts += self._weighted_terms[positions]
            if offset_positions:
                with_offsets = self.choices.offset_codes.columns
                parts[:, with_offsets] += weights.value_offset[offset_positions[0]]
        explained = parts.sum(axis=1) + self.log_prior()
        with np.errstate(invalid="ignore"):
            rest = np.where(np.isneginf(explained), 0.0, joint - explained)
        return np.append(parts, rest[:, None], axis=1)

    def log_prior(self):
        """Return the part of the joint log likelihood that no cell changes."""
        if self.choices.weights is None:  # virtual examples allow classes without rows
            return np.where(np.isneginf(self.class_log_prior), 0, self.class_log_prior)
        return self.choices.weights.class_offset


def _as_given(batch, settings):
    """Return codebook, counts and choices where nothing is to be chosen."""
    m, n_columns = settings.m, batch.table.n_columns
    codebook = batch.codebook(settings.binning, settings.n_bins)
    parents = parents_that_fit(
        np.arange(n_columns), codebook.sizes, batch.n_classes, settings
    )
    counts = PairCounts.of(batch, codebook, parents, settings.n_jobs)
    bins = settings.n_bins, settings.binning
    predicted = np.ones(n_columns, dtype=bool)
    choices = Choices(m, predicted, [m] * n_columns, *bins, 1.0)
    return codebook, counts, choices


def _comparable(weights):
    """Return all numbers of some weights, which can be compared."""
    if weights is None:
        return None
    parts = weights.weights, weights.class_offset, weights.value_offset
    return np.concatenate([part.ravel() for part in parts])


# The parameters of AODEClassifier that its model depends on.


# Few values: a finer series makes no visible difference.
_M_CANDIDATES = [0.1, 0.3, 1.0, 3.0, 10.0, 30.0]
# Cut points that have seen y look better in leave-one-out than they are. So only bins
# of equal weight are compared.
_BIN_CANDIDATES = [4, 6, 10, 16]


class AODESettings(PenalizedSettings):
    """Parameters of :class:`~sklearn_bayeslazy.AODEClassifier`, under their names."""

    # A penalty is λ and λ_u, None for the best of these by folds of left-out rows, or
    # `ToThePrior`.
    usual_penalty = None
    # With fewer rows, penalties that pull to the class prior are compared on folds.
    # With more, those without it are as good, at 5 to 20 times the speed. With 15 or 30
    # rows AODE's log loss would be higher than that of the prior alone; over the shared
    # tables, 60 or 100 rows lower it by .013, and 150 by nothing.
    many_rows_per_column, many_rows = 2, 120
    to_the_prior = ToThePrior
    fit_prior, class_prior = True, None

    def for_folds(self, model):
        """Return settings by which the rows of some folds learn weights alone."""
        # The bins and the penalties of a model of all rows stay: a few numbers cannot
        # fit its rows.
        chosen = model.choices
        return self.replace(
            n_bins=chosen.n_bins,
            binning=chosen.binning,
            penalty=chosen.penalty,
            random_state=0,
        )

    @property
    def tunes_weights(self):
        """Whether leave-one-out chooses the weights."""
        return is_loo(self.weights)

    @property
    def tunes(self):
        """Whether leave-one-out chooses a parameter."""
        return "loo" in (self.m, self.n_bins, self.binning, self.weights)

    def candidates(self, batch):
        """Return the candidates of m, n_bins and binning, one each where given."""
        defaults = {
            "m": in_rows(_M_CANDIDATES, batch.weight),
            "n_bins": batch.numbers_of_bins(_BIN_CANDIDATES),
            "binning": ["frequent_values"],
        }
        return self.given_or(candidate_lists(defaults, self.loo_candidates, _ALLOWED))


def _is_m(value):
    if isinstance(value, str | bool):
        return value == "laplace"
    return isinstance(value, Real) and 0 <= value < np.inf


_ALLOWED = {**ALLOWED_BINS, "m": (_is_m, 'numbers ≥ 0 or "laplace"')}

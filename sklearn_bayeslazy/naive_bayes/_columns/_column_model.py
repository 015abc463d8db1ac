"""All columns of a naive Bayes model: their distributions, statistics and estimates."""

from copy import copy
from dataclasses import dataclass, replace

import numpy as np

from ..._core._parallel import map_chunks
from ...leave_one_out import check_same_choices, cut_terms
from ._build import count_columns, distribution_per_column, virtual_examples
from ._discrete import DiscreteColumns
from ._feature_weights import FeatureWeights, PenalizedModel, choose_weights
from ._gaussian import GaussianColumns
from ._left_out_columns import Tuner
from ._m_estimates import prior_per_column
from ._single_columns import SingleColumns


@dataclass
class ColumnModel(PenalizedModel):
    """The distributions, statistics and estimates of all columns of naive Bayes."""

    # `fit`, `update`, `merge` and `expand_classes` return a new model with statistics,
    # whose `estimate` is still to be called. They never change a model in place, so
    # that a failed call leaves the former one intact.
    # `estimate` also sets m_per_column, (d,), and class_log_prior, (n_classes,).

    names: list  # d str, the columns as messages call them
    distributions: list  # d str, with leave-one-out's choices
    groups: list  # one ColumnDistribution for each kind of distribution
    class_count: np.ndarray  # (n_classes,)
    m: object  # float, array or "laplace", with leave-one-out's choice
    priors: list  # d str or arrays: the source of the virtual examples
    weights: FeatureWeights | None  # None for 1
    # Leave-one-out scores of the candidates of m, or without and with weights; None if
    # nothing was chosen.
    loo_results: dict | None = None
    loo_columns: list | None = None  # d dicts: scores of each column's distributions
    penalty: tuple | None = None  # of the weights, with the weights it pulls to

    @property
    def n_classes(self):
        """The number of classes."""
        return len(self.class_count)

    @classmethod
    def fit(cls, batch, settings):
        """Return the model of a first batch of rows, with all choices made."""
        model = super().fit(batch, settings)
        # Of the rows as given: with copies merged, sums of weights round differently.
        model.class_count = batch.class_count
        return model

    @classmethod
    def fit_each(cls, batch, settings, penalties):
        """Return a model for each penalty of the weights, one if there are none."""
        table = batch.table
        priors = prior_per_column(settings.prior, table)
        distributions = distribution_per_column(settings.distribution, table)
        tuner = None
        if settings.tunes(distributions):
            batch = batch.merged()
            tuner = Tuner(batch, priors, settings)
        choices = _choose_columns(tuner, distributions, settings)
        edges = [None] * len(distributions)
        for column, choice in choices.items():
            distributions[column], edges[column] = choice.distribution, choice.edges
        kinds = dict(enumerate(distributions))
        groups = count_columns(kinds, batch, settings, edges)
        model = cls(
            table.names,
            distributions,
            groups,
            batch.class_count,
            settings.m,
            priors,
            FeatureWeights.given(settings, table.n_columns, batch.n_classes),
        )
        return [model] if tuner is None else model._tuned(tuner, choices, penalties)

    def _tuned(self, tuner, choices, penalties):
        """Choose m, `var_smoothing` and the weights, where they are to be chosen."""
        settings, n_columns = tuner.settings, len(self.names)
        self.loo_columns = [
            choices[j].results if j in choices else None for j in range(n_columns)
        ]
        if not settings.tunes_weights:
            self.m, self.groups, self.loo_results = tuner.choose_m(self.groups)
            return [self]
        if settings.tunes_m:
            self.m = np.array([choices[j].m for j in range(n_columns)])
        m = virtual_examples(self.m, self.groups, n_columns)
        models = []
        chosen = choose_weights(self.groups, m, tuner, penalties)
        for penalty, (weights, groups, results) in zip(penalties, chosen):
            changes = {"weights": weights, "groups": groups, "loo_results": results}
            models.append(replace(self, **changes, penalty=penalty))
        return models

    @staticmethod
    def of_other_rows(models, batch, settings):
        """Return models with the choices of some, and the statistics of a batch."""
        counted, of_rows = {}, []
        for each in models:
            key = id(each.groups)  # columns of one smoothing are counted once
            if key not in counted:
                counted[key] = each.without_rows().update(batch, settings)
            model = copy(counted[key])
            model.weights = each.weights
            of_rows.append(model)
        return of_rows

    @staticmethod
    def leave_out_each(models, batch, settings, rows):
        """Yield joint log likelihoods and log priors of rows that are left out."""
        log_prior = batch.log_prior_without(rows, settings)
        joints = [log_prior.copy() for _ in models]
        with_groups = {}
        for model, joint in zip(models, joints):
            with_groups.setdefault(id(model.groups), []).append((model, joint))
        left_out = batch.leave_out(rows)
        for pairs in with_groups.values():
            _add_left_out(*zip(*pairs), left_out, settings)
        for joint in joints:
            yield joint, log_prior

    def update(self, batch, settings):
        """Return the model with one more batch; given numbers are read anew."""
        # What leave-one-out has chosen stays.
        more = count_columns(
            dict(enumerate(self.distributions)), batch, settings, self.bin_edges
        )
        groups = [group.merged(new) for group, new in zip(self.groups, more)]
        if not settings.tunes_var_smoothing:
            share = settings.var_smoothing
            groups = [group.with_var_smoothing(share) for group in groups]
        given = FeatureWeights.given(settings, len(self.names), self.n_classes)
        return self._with_statistics(
            groups,
            self.class_count + batch.class_count,
            m=self.m if settings.tunes_m else settings.m,
            priors=prior_per_column(settings.prior, batch.table),
            weights=self.weights if settings.tunes_weights else given,
        )

    def without_rows(self):
        """Return the model with all choices and without statistics."""
        groups = [group.without_rows() for group in self.groups]
        return self._with_statistics(groups, np.zeros_like(self.class_count))

    def merge(self, other):
        """Return the model with the statistics of both and this one's m and priors."""
        # Both must have the same columns, distributions and classes.
        groups = [a.merged(b) for a, b in zip(self.groups, other.groups)]
        return self._with_statistics(groups, self.class_count + other.class_count)

    def check_same_choices(self, other, settings):
        """Raise an error unless leave-one-out has chosen the same in both models."""
        chosen = []
        if settings.tunes_var_smoothing:
            shares = (self.var_smoothing, other.var_smoothing)
            chosen.append(("var_smoothing", *shares))
        if settings.tunes_m:
            chosen.append(("m", self.m, other.m))
        if settings.tunes_weights:
            both = self.weights, other.weights
            weights = (None if w is None else w.weights for w in both)
            chosen.append(("feature_weights", *weights))
        check_same_choices(chosen)

    def expand_classes(self, positions, n_classes):
        """Return the model with its classes at `positions` among `n_classes`."""
        groups = [group.expand_classes(positions, n_classes) for group in self.groups]
        class_count = np.zeros(n_classes)
        class_count[positions] = self.class_count
        weights = self.weights
        if weights is not None:
            weights = weights.expand_classes(positions, n_classes)
        return self._with_statistics(groups, class_count, weights=weights)

    def _with_statistics(self, groups, class_count, **changes):
        """Return the model of other rows, which have no scores of leave-one-out."""
        changes |= {"groups": groups, "class_count": class_count}
        return replace(self, **changes, loo_results=None, loo_columns=None)

    def estimate(self, class_log_prior):
        """Turn the statistics of a new model into m-estimates; return the model."""
        self.class_log_prior = class_log_prior
        self.m_per_column = virtual_examples(self.m, self.groups, len(self.names))
        for group in self.groups:
            group.estimate(self.m_per_column, self.priors)
        self._scored_groups = [(group, None) for group in self.groups]
        # Columns whose learnt weight is 0: their cells are only checked. Those that the
        # user gives the weight 0 are not read.
        self._unused_groups = []
        if self.weights is not None:
            self._scored_groups = self._weighted_groups()
            if self.weights.importance is not None:  # of weights that are learnt
                self._unused_groups = self._groups_of_weight_0()
        return self

    def joint_blocks(self, table, refuse_unknown):
        """Yield ``(rows, joint log likelihoods)`` over blocks of rows of a table."""
        class_log_prior = self.class_log_prior
        if self.weights is not None:
            class_log_prior = class_log_prior + self.weights.class_offset
        for group in self._unused_groups:
            group.check(table, refuse_unknown)
        readers = [
            (group, weight, group.reader(table, refuse_unknown))
            for group, weight in self._scored_groups
        ]
        for rows in table.block_rows():
            joint = np.empty((rows.stop - rows.start, len(class_log_prior)))
            joint[:] = class_log_prior
            for group, weight, read in readers:
                self._add_log_probs(group, weight, read(rows), joint)
            yield rows, joint

    def _add_log_probs(self, group, weight, cells, joint):
        """Add log P(x | class) of a group's cells, weighted unless `weight` is None."""
        if weight is None:
            group.add_log_probs(cells, joint)
            return
        term = np.zeros_like(joint)
        group.add_log_probs(cells, term)
        joint += weight * cut_terms(term, self.weights.floor)

    def _weighted_groups(self):
        """Return the columns of weight above 0 as (group, weight) pairs."""
        # Numeric columns are groups of one column. Discrete columns are one group,
        # whose estimates are weighted already: its weight is None.
        pairs = []
        for group in self.groups:
            weights = self.weights.weights[group.columns]
            used = np.flatnonzero(weights)
            if isinstance(group, DiscreteColumns) and len(used):
                part = group.part(used).weighted(weights[used], self.weights.floor)
                pairs.append((part, None))
            else:
                pairs += [(group.part([j]), weights[j]) for j in used]
        return pairs

    def _groups_of_weight_0(self):
        groups = []
        for group in self.groups:
            unused = np.flatnonzero(self.weights.weights[group.columns] == 0)
            if len(unused):
                groups.append(group.part(unused))
        return groups

    def explain(self, table, refuse_unknown):
        """Return w log P(x | class) of each cell, (n_rows, d, n_classes)."""
        table = table.dense()
        terms = np.empty((table.n_rows, len(self.names), self.n_classes))
        for group in self.groups:
            for j, column in enumerate(group.columns):
                part, term = group.part([j]), np.zeros((table.n_rows, self.n_classes))
                read = part.reader(table, refuse_unknown)
                part.add_log_probs(read(slice(0, table.n_rows)), term)
                if self.weights is not None:
                    weight = self.weights.weights[column]
                    term = cut_terms(term, self.weights.floor)
                    # The product 0 · -inf is undefined; the term of a weight of 0 is 0.
                    term = weight * term if weight > 0 else np.zeros_like(term)
                terms[:, column] = term
        return terms

    @property
    def bin_edges(self):
        """Cut points of each quantized or Bernoulli column, None for the others."""
        return self.discrete_values(lambda group: group.codebook.edges)

    @property
    def var_smoothing(self):
        """The share of the largest variance that is added; 0 without Gaussians."""
        return next((group.var_smoothing for group in self._gaussian_groups()), 0.0)

    @property
    def epsilon(self):
        """The constant that is added to every variance; 0 without Gaussians."""
        return next((float(group.added) for group in self._gaussian_groups()), 0.0)

    def _gaussian_groups(self):
        return [group for group in self.groups if isinstance(group, GaussianColumns)]

    def discrete_values(self, read):
        """Return what ``read(group)`` lists of discrete columns, None for others."""
        values = [None] * len(self.names)
        for group in self.groups:
            if isinstance(group, DiscreteColumns):
                for column, value in zip(group.columns, read(group)):
                    values[column] = value
        return values

    def numeric_values(self, name):
        """Return an estimate by (class, column), NaN for columns without it."""
        values = np.full((self.n_classes, len(self.names)), np.nan)
        for group in self.groups:
            if hasattr(group, name):
                values[:, group.columns] = getattr(group, name)
        return values


def _add_left_out(models, joints, all_left_out, settings):
    """Add the terms of left-out rows to the sums of models with the same columns."""
    # joints: of each model, (n_rows, n_classes).
    first = models[0]
    ms = virtual_examples(first.m, first.groups, len(first.names))[None]

    def score(chunk):
        left_out, sums = all_left_out.part(chunk), [joint[chunk] for joint in joints]
        if first.weights is None:  # the only model
            for group in first.groups:
                group.add_left_out(left_out, ms, first.priors, sums[0][None])
            return
        for model, total in zip(models, sums):
            total += model.weights.class_offset
        for group in first.groups:
            for part in group.parts(sums[0].size):
                (terms,) = part.left_out_terms(left_out, ms, first.priors)
                for model, total in zip(models, sums):
                    weights = model.weights.weights[part.columns]
                    used = weights != 0
                    cut = cut_terms(terms[:, used], model.weights.floor)
                    total += np.sum(weights[used, None] * cut, axis=1)

    bytes_per_row = 8 * (20 * first.n_classes + 7 * len(first.names))
    map_chunks(score, len(joints[0]), bytes_per_row, n_jobs=settings.n_jobs)


def _choose_columns(tuner, distributions, settings):
    """Return the :class:`ColumnChoice` of each column for which something is chosen."""
    if tuner is None:
        return {}
    is_scored = settings.tunes_m and settings.tunes_weights
    return SingleColumns(tuner).choose(
        {
            column: name
            for column, name in enumerate(distributions)
            if is_scored
            or name == "loo"
            or (name == "quantized" and settings.tunes_bins)
        }
    )

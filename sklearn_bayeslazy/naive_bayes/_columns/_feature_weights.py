r"""Weights of columns and offsets of classes: naive Bayes as a log-linear model.

.. math::
    P(c \mid x) \propto e^{b_c} P(c) \prod_j P(x_j \mid c)^{w_j}, \qquad w_j \ge 0

w = 1 is naive Bayes, w_j = 0 drops a column, and w_j = 1/2 counts a column that occurs
twice once. Source: Zaidi, Cerquides, Carman & Webb (2013), Alleviating naive Bayes
attribute independence assumption by attribute weighting, JMLR 14 (WANBIA-C).
"""

from abc import ABC, abstractmethod
from dataclasses import dataclass, replace

import numpy as np

from ..._core._arrays import check_feature_weights
from ..._core._parallel import map_tasks
from ...leave_one_out import (
    MAX_TERMS,
    MIN_TERM,
    LogLinearRows,
    center_terms,
    classification_losses,
    cross_fitted,
    fit_log_linear,
    is_loo,
    mean_scores,
    rank_candidates,
    rows_to_leave_out,
)

# A column gets no weight if its term varies less between the rows (root mean square, in
# nats). Names of rows are such a column.
_MIN_SIZE = 0.01
# Penalties that pull all weights to 0, where the class prior is predicted, in rows;
# the weakest first.
PENALTIES_TO_THE_PRIOR = [4.0**power for power in range(1, 6)]
# A table counts at most as this number of rows for each that is not of the most
# frequent class: as all rows if an eighth are not.
_ROWS_FOR_EACH_OTHER = 8


@dataclass(frozen=True)
class FeatureWeights:
    """Weights of columns and offsets of classes."""

    weights: np.ndarray  # (d,)
    class_offset: np.ndarray  # (n_classes,)
    # A class's term is cut at this distance from that of the best class; -inf: no cut.
    floor: float
    # (d,), how much the weighted, centred terms of the left-out rows vary: the root
    # mean square of their deviations from their means.
    importance: np.ndarray | None = None

    @classmethod
    def given(cls, settings, n_columns, n_classes):
        """Return the weights that the user gave, None if there are none."""
        if settings.feature_weights is None or settings.tunes_weights:
            return None
        weights = check_feature_weights(settings.feature_weights, n_columns)
        return cls(weights, np.zeros(n_classes), -np.inf)

    def expand_classes(self, positions, n_classes):
        """Return the weights with the classes at `positions`; new offsets are 0."""
        offset = np.zeros(n_classes)
        offset[positions] = self.class_offset
        return replace(self, class_offset=offset)


def choose_weights(groups, m, tuner, penalties):
    """Return the weights of the greatest leave-one-out likelihood, and the scores."""
    # groups: with the statistics of all rows; m: (d,). Returns for each of the
    # penalties FeatureWeights, the groups with the best smoothing, and scores of the
    # left-out rows without and with weights, as `loo_results_`.
    smoothed = tuner.smoothed(groups)
    by_smoothing = [_fit_weights(each, m, tuner, penalties) for _, each in smoothed]
    return [_best_smoothing(smoothed, fits, tuner) for fits in zip(*by_smoothing)]


def _best_smoothing(smoothed, fits, tuner):
    """Return the weights, groups and scores of the best weighted score."""
    log_loss, correct = np.concatenate([losses for _, losses, _ in fits], axis=1)
    _, results = rank_candidates(
        [
            {"feature_weights": weights, **share}
            for share, _ in smoothed
            for weights in (None, "loo")
        ],
        {"log_loss": log_loss, "accuracy": correct},
        fits[0][2],
        tuner.scoring,
    )
    best = np.argmin(results["rank"][1::2])
    return fits[best][0], smoothed[best][1], results


def _fit_weights(groups, m, tuner, penalties):
    """Return for each penalty weights, their losses, and the left-out rows' weights."""
    # losses: (2, 2, n_rows), log loss and correctness, each without and with the
    # weights.
    batch, settings = tuner.batch, tuner.settings
    n_columns, n_classes = batch.table.n_columns, batch.n_classes
    rows = _rows_that_fit(tuner.rows, n_columns, n_classes)
    left_out = batch.leave_out(rows)
    terms = np.zeros((len(rows), n_classes, n_columns))

    def write(part):
        (found,) = part.left_out_terms(left_out, m[None], tuner.priors)
        # The zero count is divided by the weight of each class, less the row in its
        # own: so it would tell which class that is.
        found[part.held_by_no_other(left_out)] = 0.0
        terms[:, :, part.columns] = np.swapaxes(center_terms(found), 1, 2)

    n_terms = len(rows) * n_classes
    parts = [part for group in groups for part in group.parts(n_terms)]
    map_tasks(write, parts, n_jobs=settings.n_jobs)
    weight = batch.weight[rows]
    # A constant term has the effect of a class offset, so only deviations count.
    deviation = terms - np.average(terms, axis=0, weights=weight)
    size = np.sqrt(np.average(deviation**2, axis=0, weights=weight).mean(axis=0))
    is_used = size >= _MIN_SIZE
    terms[:, :, ~is_used] = 0.0
    left_out_rows = LogLinearRows(
        terms,
        tuner.log_prior(rows),
        left_out.classes,
        weight / batch.likelihood_unit,
        np.empty((len(rows), 0), dtype=np.int32),
    )

    def fit(penalty, weight0):
        start = np.where(is_used, weight0, 0.0)
        model = fit_log_linear(
            left_out_rows, None, start, penalty=penalty, n_jobs=settings.n_jobs
        )
        offset, importance = model.class_offset, model.weights * size
        weights = FeatureWeights(model.weights, offset, MIN_TERM, importance)
        return weights, _losses(left_out_rows, model), weight

    return [fit(*each) for each in penalties]


def _losses(rows, model):
    """Return log loss and correctness of the rows, without and with weights."""
    n_classes = rows.fixed.shape[1]
    plain = replace(
        model, weights=np.ones_like(model.weights), class_offset=np.zeros(n_classes)
    )
    scores = [
        classification_losses(rows.scores(one), rows.classes, rows.fixed)
        for one in (plain, model)
    ]
    return np.array(list(zip(*scores)))


def _rows_that_fit(rows, n_columns, n_classes):
    """Return the rows, or a random subset of at most `MAX_TERMS` terms."""
    # Evenly spaced rows may all be of one class, where classes take turns.
    n_fitting = max(MAX_TERMS // (n_columns * n_classes), 2)
    return rows[rows_to_leave_out(len(rows), n_fitting, random_state=0)]


# The penalty of the weights, by folds whose rows no choice has seen.
#
# Leave-one-out alone cannot judge the weights of many columns. Each left-out row has
# taken part in the choice of the columns' distributions, and its label in the estimates
# that the weights of other rows are learnt from: a column that agrees with the labels
# by chance agrees in the left-out rows too. So the rows of each fold are predicted by
# models of which the other folds have made all choices.


class PenalizedSettings:
    """Parameters of an estimator, under their names, for a `PenalizedModel`."""

    # Learning and leave-one-out receive these values and never the estimator. A
    # subclass has `tunes_weights`, and
    # - usual_penalty: the only candidate of tables that are not wide,
    # - many_rows_per_column: tables with fewer rows for each column are wide,
    # - many_rows: so are tables with fewer rows, whatever the number of columns
    #   (few rows that are not of the most frequent class make a table wide, too),
    # - to_the_prior: turns PENALTIES_TO_THE_PRIOR into the other candidates.

    penalty = None  # of the weights, where it is known

    @property
    def tunes_indicators(self):
        """Whether leave-one-out chooses indicators of missing cells."""
        return self.missing_indicators and self.tunes_weights

    def __init__(self, parameters):
        vars(self).update(parameters)

    @classmethod
    def of(cls, estimator):
        """Return the present parameters of an estimator, or of a subclass of it."""
        # A subclass need not list them in its constructor, as `get_params` does.
        values = vars(estimator).items()
        return cls({k: v for k, v in values if not (k.startswith("_") or k[-1] == "_")})

    def replace(self, **changes):
        """Return other settings that differ in some parameters."""
        return type(self)(vars(self) | changes)

    def given_or(self, candidates):
        """Return the candidates of each parameter, one where it is not "loo"."""
        given = {name: getattr(self, name) for name in candidates}
        return {
            name: values if is_loo(given[name]) else [given[name]]
            for name, values in candidates.items()
        }

    def penalties_to_try(self, batch):
        """Return the candidates for the penalty of the weights, weaker ones first."""
        if self.penalty is not None:
            return [self.penalty]
        n_rows, n_columns = len(batch.classes), batch.table.n_columns
        n_others = n_rows - int(np.bincount(batch.classes).max())
        n_rows = min(batch.n_equal_rows, _ROWS_FOR_EACH_OTHER * n_others)
        is_wide = n_rows < max(self.many_rows_per_column * n_columns, self.many_rows)
        candidates = [self.usual_penalty]
        if self.tunes_weights and is_wide:
            candidates += map(self.to_the_prior, PENALTIES_TO_THE_PRIOR)
        return candidates


class PenalizedModel(ABC):
    """A model of a table, with one of several penalties of the weights of columns."""

    @classmethod
    def fit(cls, batch, settings):
        """Return the model of a first batch of rows, with all choices made."""
        if settings.tunes_weights:
            batch = batch.merged()
        penalties = settings.penalties_to_try(batch)
        models = cls.fit_each(batch, settings, penalties)
        return models[_best_in_folds(models, batch, settings)]

    @classmethod
    @abstractmethod
    def fit_each(cls, batch, settings, penalties):
        """Return a model for each penalty of the weights, one if there are none."""

    @staticmethod
    @abstractmethod
    def of_other_rows(models, batch, settings):
        """Return models with the choices of some, and the statistics of a batch."""

    @staticmethod
    @abstractmethod
    def leave_out_each(models, batch, settings, rows):
        """Yield joint log likelihoods and log priors of rows that are left out."""
        # models: with the statistics of the batch; they differ in their weights only.
        # Both results of each: (n_rows, n_classes).

    @abstractmethod
    def update(self, batch, settings):
        """Return the model with one more batch; what was chosen stays."""

    @abstractmethod
    def without_rows(self):
        """Return the model with all choices and without statistics."""

    @property
    def left_out_loss(self):
        """The mean log loss of left-out rows, where something was chosen by it."""
        return self.loo_results["mean_log_loss"].min()


def _best_in_folds(models, batch, settings):
    """Return the index of the model whose penalty predicts the rows of folds best."""
    # models: of all rows, each with another penalty. batch: without copies. It is
    # the penalty of the least log loss, or the next stronger one if its loss is within
    # one standard error: few rows agree with many columns by chance. Where there is
    # something to learn, the strongest within one standard error would often leave the
    # prior alone.
    if len(models) == 1:
        return 0
    kind, repeatable = type(models[0]), settings.for_folds(models[0])
    penalties = [model.penalty for model in models]
    losses = np.empty((len(models), len(batch.classes)))

    def learn(others):
        of_others = kind.fit_each(batch.take(others), repeatable, penalties)
        return kind.of_other_rows(of_others, batch, settings)

    labelled = batch.table, batch.classes, batch.weight
    for rows, of_others in cross_fitted(None, *labelled, learn):
        if of_others is None:  # there are no two other rows
            return 0
        left_out = kind.leave_out_each(of_others, batch, settings, rows)
        for of_penalty, (joint, log_prior) in zip(losses, left_out):
            found, _ = classification_losses(joint, batch.classes[rows], log_prior)
            of_penalty[rows] = found
    weight = batch.weight / batch.row_weight
    best = np.argmin(losses @ weight)
    stronger = losses[best + 1 : best + 2]  # no row after the strongest penalty
    rise = mean_scores({"loss": stronger - losses[best]}, weight)
    is_near = rise["mean_loss"] <= rise["standard_error_loss"]
    return best + int(is_near.any())

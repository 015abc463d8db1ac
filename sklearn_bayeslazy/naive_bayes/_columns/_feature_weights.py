r"""Weights of columns and offsets of classes: naive Bayes as a log-linear model.

.. math::
    P(c \mid x) \propto e^{b_c} P(c) \prod_j P(x_j \mid c)^{w_j}, \qquad w_j \ge 0

w = 1 is naive Bayes, w_j = 0 drops a column, and w_j = 1/2 counts a column that occurs
twice once. Source: Zaidi, Cerquides, Carman & Webb (2013), Alleviating naive Bayes
attribute independence assumption by attribute weighting, JMLR 14 (WANBIA-C).
"""

from dataclasses import dataclass, replace

import numpy as np

from ..._core._arrays import check_feature_weights
from ..._core._parallel import map_tasks
from ...leave_one_out import (
    MAX_TERMS,
    MIN_TERM,
    LogLinearRows,
    ValueOffsets,
    center_terms,
    classification_losses,
    fit_log_linear,
    rank_candidates,
)

# A column gets no weight if its term varies less between the rows (root mean square, in
# nats). Names of rows are such a column.
_MIN_SIZE = 0.01


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

    def write(task):
        group, j = task
        term = np.zeros((len(rows), n_classes))
        group.part([j]).add_left_out(left_out, m[None], tuner.priors, term[None])
        terms[:, :, group.columns[j]] = center_terms(term)

    tasks = [(group, j) for group in groups for j in range(len(group.columns))]
    map_tasks(write, tasks, n_jobs=settings.n_jobs)
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
        weight / batch.row_weight,
        np.empty((len(rows), 0), dtype=np.int32),
    )

    def fit(penalty, weight0):
        start, none = np.where(is_used, weight0, 0.0), ValueOffsets.none()
        model = fit_log_linear(
            left_out_rows, none, start, penalty=penalty, n_jobs=settings.n_jobs
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
    """Return the rows, or evenly spaced ones of at most `MAX_TERMS` terms."""
    n_fitting = max(MAX_TERMS // (n_columns * n_classes), 2)
    return rows[:: -(-len(rows) // n_fitting)]

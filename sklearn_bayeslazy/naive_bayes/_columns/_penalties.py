"""The penalty of the weights of columns, by folds whose rows no choice has seen.

Leave-one-out alone cannot judge the weights of many columns. Each left-out row has
taken part in the choice of the columns' distributions, and its label in the estimates
that the weights of other rows are learnt from: a column that agrees with the labels by
chance agrees in the left-out rows too. So the rows of each fold are predicted by models
of which the other folds have made all choices.
"""

from abc import ABC, abstractmethod

import numpy as np

from ...leave_one_out import classification_losses, cross_fitted, mean_scores

# Penalties that pull all weights to 0, where the class prior is predicted, in rows;
# the weakest first.
PENALTIES_TO_THE_PRIOR = [4.0**power for power in range(1, 6)]


class PenalizedModel(ABC):
    """A model of a table, with one of several penalties of the weights of columns."""

    @classmethod
    def fit(cls, batch, settings):
        """Return the model of a first batch of rows, with all choices made."""
        if settings.tunes_weights:
            batch = batch.merged()
        penalties = settings.penalties_to_try(batch)
        models = cls.fit_each(batch, settings, penalties)
        return models[_best_in_folds(models, batch, settings, penalties)]

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
        """Yield what `leave_out` returns for models that differ in their weights."""

    def leave_out(self, batch, settings, rows):
        """Return joint log likelihoods and log priors of rows that are left out."""
        # batch: all rows that the statistics are of. Both results: (n_rows, n_classes).
        return next(self.leave_out_each([self], batch, settings, rows))


def _best_in_folds(models, batch, settings, penalties):
    """Return the index of the penalty by which the rows of folds are predicted."""
    # models: of all rows, one for each of the penalties. batch: without copies. It is
    # the penalty of the least log loss, or the next stronger one if its loss is within
    # one standard error: few rows agree with many columns by chance. Where there is
    # something to learn, the strongest within one standard error would often leave the
    # prior alone.
    if len(models) == 1:
        return 0
    kind, repeatable = type(models[0]), settings.for_folds(models[0])
    losses = np.empty((len(models), len(batch.classes)))

    def learn(others):
        of_others = kind.fit_each(batch.take(others), repeatable, penalties)
        return kind.of_other_rows(of_others, batch, settings)

    for rows, of_others in cross_fitted(None, batch.table, batch.classes, learn):
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

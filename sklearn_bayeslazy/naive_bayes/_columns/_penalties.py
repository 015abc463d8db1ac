"""The penalty of the weights of columns, by folds whose rows no choice has seen.

Leave-one-out alone cannot judge the weights of many columns. Each left-out row has
taken part in the choice of the columns' distributions, and its label in the estimates
that the weights of other rows are learnt from: a column that agrees with the labels by
chance agrees in the left-out rows too. So the rows of each fold are predicted by models
of which the other folds have made all choices.
"""

import numpy as np

from ...leave_one_out import classification_losses, cross_fitted

# Penalties that pull all weights to 0, where the class prior is predicted, in rows.
PENALTIES_TO_THE_PRIOR = [4.0**power for power in range(1, 6)]


def best_in_folds(models, batch, settings, penalties):
    """Return the model whose penalty predicts the rows of folds best."""
    # models: of all rows, one for each of the penalties. batch: without copies.
    if len(models) == 1:
        return models[0]
    repeatable = settings.for_folds(models[0])

    def learn(others):
        of_others = type(models[0]).fit_each(batch.take(others), repeatable, penalties)
        return [each.without_rows().update(batch, settings) for each in of_others]

    total = np.zeros(len(models))
    for rows, of_others in cross_fitted(None, batch.table, batch.classes, learn):
        if of_others is None:  # there are no two other rows
            return models[0]
        for i, model in enumerate(of_others):
            joint, log_prior = model.leave_out(batch, settings, rows)
            losses, _ = classification_losses(joint, batch.classes[rows], log_prior)
            total[i] += losses @ batch.weight[rows]
    return models[np.argmin(total)]

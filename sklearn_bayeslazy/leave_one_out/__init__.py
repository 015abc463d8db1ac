"""Engine 3, candidates to a choice: by rows that are left out, without refitting.

Beside the choice it has what left-out predictions serve for: pools of models, intervals
and sets of classes.

A family leaves rows out one by one, and scores how each candidate predicts each row
from the others. It hands over the scores by name, {name: (n_candidates, n_rows)}, the
weights of the rows, and which score decides. It gets back the index of the best
candidate, and the ``loo_results_`` of all. Here three candidates of a regression have
losses on four rows, of which the third counts twice:

>>> import numpy as np
>>> from sklearn_bayeslazy.leave_one_out import rank_candidates
>>> candidates = [{"k": 1}, {"k": 3}, {"k": 5}]
>>> scores = {"loss": np.array([[2, 2, 2, 2], [0, 0, 0, 5], [0, 0, 0, 10]])}
>>> weight, smaller_is_better = np.array([1, 1, 2, 1]), [("loss", -1)]
>>> best, results = rank_candidates(candidates, scores, weight, smaller_is_better)
>>> candidates[best]
{'k': 3}
>>> results["mean_loss"]  # 5 · 2 / 5, 5 / 5, 10 / 5
array([2., 1., 2.])
>>> results["standard_error_loss"]  # k = 3: √((4 · 1² + 4²) / (5 - 1) / 5)
array([0., 1., 2.])
>>> results["rank"]  # of equal means the first candidate comes first
array([2, 1, 3])

Where the scores of all candidates do not fit into memory, `mean_scores` takes those of
some candidates, and `rank_means` the means of all. The test
``tests/leave_one_out/test_left_out_scores_contract.py`` runs over all families.
"""

from ._choice import (
    CLASSIFICATION_SCORING,
    MAX_LOG_LOSS,
    candidate_grid,
    candidate_lists,
    candidate_order,
    check_others_remain,
    check_rows_remain,
    check_same_choices,
    choice_inflation,
    classification_losses,
    first_of_largest,
    gaps_by_class,
    group_sums,
    in_rows,
    is_loo,
    log_losses,
    loss_groups,
    mean_scores,
    most_rows,
    rank_candidates,
    rank_means,
    rows_to_leave_out,
    tuned_names,
    whole_in_rows,
)
from ._conformal import (
    LeftOutNumbers,
    PredictionIntervalMixin,
    PredictionSetMixin,
    check_coverage,
    numbers_by_prediction,
    point_search,
    within_bounds,
)
from ._folds import (
    LEFT_OUT_FOLDS,
    cell_keys,
    class_keys,
    cross_fitted,
    fold_keys,
    folds,
    numbers_within,
    sparse_fold_keys,
    spread_folds,
    table_fold_keys,
    table_folds,
)
from ._log_linear import (
    MAX_TERMS,
    MIN_TERM,
    LogLinearModel,
    LogLinearRows,
    ValueOffsets,
    center_terms,
    choose_penalties,
    cut_terms,
    fit_log_linear,
    share_of_other_classes,
)
from ._missing_cells import informatively_missing
from ._pool import (
    geometric_terms,
    geometric_weights,
    log_score_weights,
    squared_error_weights,
)
from ._temperature import best_temperature, best_temperatures

"""Engine 3, candidates to a choice: by rows that are left out, without refitting."""

from ._choice import (
    CLASSIFICATION_SCORING,
    MAX_LOG_LOSS,
    candidate_grid,
    candidate_lists,
    candidate_order,
    check_rows_remain,
    classification_losses,
    first_of_largest,
    gaps_by_class,
    log_losses,
    mean_scores,
    rank_candidates,
    rank_means,
    rows_to_leave_out,
)
from ._log_linear import (
    MAX_TERMS,
    MIN_TERM,
    LogLinearModel,
    LogLinearRows,
    center_terms,
    cut_terms,
    fit_log_linear,
)
from ._penalties import choose_penalties
from ._row_hashes import row_hashes
from ._value_offsets import ValueOffsets

__all__ = [
    "CLASSIFICATION_SCORING",
    "MAX_LOG_LOSS",
    "MAX_TERMS",
    "MIN_TERM",
    "LogLinearModel",
    "LogLinearRows",
    "ValueOffsets",
    "candidate_grid",
    "candidate_lists",
    "candidate_order",
    "center_terms",
    "check_rows_remain",
    "choose_penalties",
    "classification_losses",
    "cut_terms",
    "first_of_largest",
    "fit_log_linear",
    "gaps_by_class",
    "log_losses",
    "mean_scores",
    "rank_candidates",
    "rank_means",
    "row_hashes",
    "rows_to_leave_out",
]

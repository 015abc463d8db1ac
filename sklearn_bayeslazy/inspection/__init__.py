"""Inspection: displays of fitted estimators, drawn by matplotlib."""

from .._explanation import Explanation
from ._belief_network_display import BeliefNetworkDisplay
from ._importance_display import ImportanceDisplay
from ._leave_one_out_display import LeaveOneOutDisplay
from ._margin_display import MarginDisplay
from ._probability_table_display import ProbabilityTableDisplay
from ._recall_display import RecallDisplay
from ._regression_band_display import RegressionBandDisplay
from ._staged_error_display import StagedErrorDisplay

__all__ = [
    "BeliefNetworkDisplay",
    "Explanation",
    "ImportanceDisplay",
    "LeaveOneOutDisplay",
    "MarginDisplay",
    "ProbabilityTableDisplay",
    "RecallDisplay",
    "RegressionBandDisplay",
    "StagedErrorDisplay",
]

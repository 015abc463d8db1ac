"""Inspection: pictures of what an estimator has learnt; matplotlib only draws them."""

from ._belief_network_display import BeliefNetworkDisplay
from ._leave_one_out_display import LeaveOneOutDisplay
from ._probability_table_display import ProbabilityTableDisplay
from ._recall_display import RecallDisplay
from ._regression_band_display import RegressionBandDisplay

__all__ = [
    "BeliefNetworkDisplay",
    "LeaveOneOutDisplay",
    "ProbabilityTableDisplay",
    "RecallDisplay",
    "RegressionBandDisplay",
]

"""Explanations, which learners return, and displays of fitted estimators."""

from ._belief_network_display import BeliefNetworkDisplay
from ._candidates import label_of, label_of_number
from ._curve_artists import draw_legend
from ._explanation import Explanation
from ._importance_display import ImportanceDisplay
from ._leave_one_out_display import LeaveOneOutDisplay
from ._margin_display import MarginDisplay
from ._probability_table_display import ProbabilityTableDisplay
from ._recall_display import RecallDisplay
from ._regression_band_display import RegressionBandDisplay
from ._reliability_display import ReliabilityDisplay
from ._staged_error_display import StagedErrorDisplay
from ._text import Cells, format_value

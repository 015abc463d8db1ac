"""Inspection: pictures of what an estimator has learnt; matplotlib only draws them."""

from ._leave_one_out_display import LeaveOneOutDisplay
from ._recall_display import RecallDisplay
from ._regression_band_display import RegressionBandDisplay

__all__ = ["LeaveOneOutDisplay", "RecallDisplay", "RegressionBandDisplay"]

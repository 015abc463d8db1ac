"""Leave-one-out without refitting: virtual examples, their prior, and calibration."""

from ._calibration import Calibration
from ._choice import Choice, choose_by_leave_one_out, is_loo, tuned_parameters

__all__ = [
    "Calibration",
    "Choice",
    "choose_by_leave_one_out",
    "is_loo",
    "tuned_parameters",
]

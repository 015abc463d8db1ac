"""Local fits: windows, weighted least squares, standard errors, leave-one-out."""

from ._leave_one_out import choose_by_leave_one_out, make_candidates
from ._local_fits import LocalFitSettings, LocalFitter
from ._local_regression import LocalRegression
from ._windows import WindowFinder, WindowSize, windows_from_lists

__all__ = [
    "LocalFitSettings",
    "LocalFitter",
    "LocalRegression",
    "WindowFinder",
    "WindowSize",
    "choose_by_leave_one_out",
    "make_candidates",
    "windows_from_lists",
]

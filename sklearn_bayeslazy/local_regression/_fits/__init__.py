"""Local fits: windows, weighted least squares, standard errors, leave-one-out."""

from ._candidates import CandidateSearch, make_candidates
from ._design_kernels import count_terms
from ._gradient_weights import gradient_weights
from ._leave_one_out import LeaveOneOut
from ._local_fits import LocalFitSettings, LocalFitter
from ._local_regression import LocalRegression
from ._windows import WindowFinder, WindowSize, windows_from_lists

__all__ = [
    "CandidateSearch",
    "LeaveOneOut",
    "LocalFitSettings",
    "LocalFitter",
    "LocalRegression",
    "WindowFinder",
    "WindowSize",
    "count_terms",
    "gradient_weights",
    "make_candidates",
    "windows_from_lists",
]

"""Local fits: windows, weighted least squares, their errors, leave-one-out."""

from ._leave_one_out import candidates_of, choose
from ._local_fits import LocalFitter, Recipe
from ._local_regression import LocalRegression
from ._windows import Size, WindowFinder, prefixes

__all__ = [
    "LocalFitter",
    "LocalRegression",
    "Recipe",
    "Size",
    "WindowFinder",
    "candidates_of",
    "choose",
    "prefixes",
]

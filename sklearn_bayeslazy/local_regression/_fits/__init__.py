"""Local fits: windows, weighted least squares, standard errors, leave-one-out."""

from ._fit_kernels import count_terms
from ._left_out_fits import LeftOutFits
from ._local_fits import LocalFitSettings, LocalSolver, scaled_solver
from ._local_regression import LocalRegression
from ._parameter_choice import (
    LOO_PARAMETERS,
    ParameterChoice,
    refuse_combinations,
)
from ._windows import WindowSize, windows_from_lists

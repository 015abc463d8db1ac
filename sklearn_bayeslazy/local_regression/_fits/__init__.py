"""Local fits: windows, weighted least squares, standard errors, leave-one-out."""

from ._candidates import LOO_PARAMETERS
from ._fit_kernels import count_terms
from ._left_out_fits import LeftOutFits
from ._local_fits import LocalFitSettings, LocalSolver, scaled_solver
from ._local_regression import LocalRegression
from ._parameter_choice import ParameterChoice, refuse_combinations
from ._windows import WindowSize, windows_from_lists

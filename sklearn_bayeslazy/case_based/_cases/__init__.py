"""Cases: how they are read, stored and compared."""

from ._case_space import EXPONENTS, CaseSpace
from ._read_cases import CaseReader
from ._stored_cases import append_cases, column_cells

__all__ = ["EXPONENTS", "CaseReader", "CaseSpace", "append_cases", "column_cells"]

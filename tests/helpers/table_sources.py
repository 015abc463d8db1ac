"""Tables of one column, and test cases by name."""

import numpy as np
import pandas as pd
import pytest

from sklearn_bayeslazy.tabular._read import read_table


def named(cases):
    return [pytest.param(case, id=name) for name, case in cases.items()]


def arrow(arrow_type):
    return pd.ArrowDtype(arrow_type)


def read_cells(cells, dtype=object):
    """Read one column of a NumPy array."""
    column = np.empty((len(cells), 1), dtype=dtype)
    column[:, 0] = cells
    return read_table(column)

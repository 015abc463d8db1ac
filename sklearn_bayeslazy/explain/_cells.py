"""The cells of explained rows, copied from any kind of input, and their text."""

from numbers import Integral, Real

import numpy as np
from scipy import sparse

from ..tabular import is_frame, is_pandas, object_array, take_rows

MAX_LETTERS = 28


class Cells:
    """A copy of the rows of X, whose cells can be read row by row.

    >>> Cells([["red", 1.5], [None, 2.0]], ["colour", "size"])[1].tolist()
    [None, 2.0]
    """

    def __init__(self, X, names):
        # X: array-like, sparse matrix, pandas or polars frame, or list of dicts.
        # names: the names of the columns, which are the keys of dicts.
        self.names = names
        self.is_dicts = isinstance(X, list | tuple) and isinstance(X[0], dict)
        if self.is_dicts:
            X = [{str(key): cell for key, cell in case.items()} for case in X]
        elif sparse.issparse(X):
            X = X.tocsr(copy=True)
        elif is_frame(X):
            X = X.copy() if is_pandas(X) else X.clone()
        else:
            X = np.array(X, dtype=object if isinstance(X, list | tuple) else None)
        self.X = X

    def __getitem__(self, row):
        """Return the cells of one row, an object array (n_columns,)."""
        if self.is_dicts:
            return object_array([self.X[row].get(name) for name in self.names])
        if sparse.issparse(self.X):
            return object_array(self.X[[row]].toarray()[0].tolist())
        if is_frame(self.X):
            one = take_rows(self.X, slice(row, row + 1))
            columns = (one.iloc[:, j] for j in range(one.shape[1]))
            columns = columns if is_pandas(one) else iter(one)
            return object_array([column.to_list()[0] for column in columns])
        return object_array(self.X[row].tolist())


def is_missing(value):
    """Return whether a cell is None, NaN, NaT or pandas.NA."""
    if value is None or type(value).__name__ in ("NAType", "NaTType"):
        return True
    return isinstance(value, Real) and value != value


def format_value(value):
    """Return a cell as a short text.

    >>> format_value(0.123456), format_value(3.0), format_value(None)
    ('0.1235', '3', 'missing')
    """
    if is_missing(value):
        return "missing"
    if isinstance(value, bool | np.bool_ | Integral):
        text = str(value)
    elif isinstance(value, Real):
        text = f"{value:.4g}"
    else:
        text = str(value)
    text = " ".join(text.split())
    return text if len(text) <= MAX_LETTERS else text[: MAX_LETTERS - 1] + "…"

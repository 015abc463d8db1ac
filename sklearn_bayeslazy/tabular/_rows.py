"""Check of rows of numbers; the error names the column that holds anything else."""

from contextlib import contextmanager

import numpy as np
from scipy import sparse
from sklearn.utils.validation import validate_data

from .._core._arrays import as_numpy, canonical_csr, refuse_unreadable_targets
from ._frames import is_frame
from ._read import check_columns, keep_kinds, read_table


def check_rows(estimator, X, y="no_validation", *, canonical=True, **options):
    """Check rows of numbers for an estimator, as scikit-learn's validate_data does."""
    # Returns X, an ndarray or CSR, and y if it was given. canonical: whether sparse
    # rows must be sorted and without duplicates; sorting takes longer than counting
    # words. options: those of `validate_data`. A ValueError or TypeError names the
    # column that does not hold numbers, and the remedy.
    check_columns(estimator, X)
    refuse_unreadable_targets(y)
    try:
        # Infinity is refused.
        with as_numpy(), np.errstate(over="ignore", invalid="ignore"):
            checked = validate_data(estimator, X, y, **options)
            if not _are_numbers(checked[0] if isinstance(checked, tuple) else checked):
                options["dtype"] = np.float64
                checked = validate_data(estimator, X, y, **options)
    except Exception:  # of any package that holds cells
        _refuse_cells(X)
        raise
    if not canonical:
        return checked
    if isinstance(checked, tuple):
        return canonical_csr(checked[0]), *checked[1:]
    return canonical_csr(checked)


@contextmanager
def naming_unreadable_cells(X):
    """Name the column if cells make another estimator fail in an unusual way."""
    # The estimator may accept labels. Cells that are no labels, and that numpy cannot
    # convert to float64, raise a ValueError: integers beyond float64 or of 128 bits.
    try:
        yield
    except (ValueError, TypeError, LookupError):  # of something else
        raise
    except Exception:  # of any package that holds cells
        _refuse_cells(X, accept_labels=True)
        raise


def _are_numbers(X):
    """Return whether X has a type of real numbers of at most 64 bits."""
    return X.dtype.kind in "biuf" and X.dtype.itemsize <= 8


def _refuse_cells(X, accept_labels=False):
    """Raise an error if a column cannot be converted to numbers."""
    if sparse.issparse(X):
        return
    if not is_frame(X):
        X = keep_kinds(X)
        if X.ndim != 2 or X.dtype.kind in "biufc":
            return
    table = read_table(X)  # raises an error of cells that no estimator takes
    for j, name in enumerate(table.names):
        if accept_labels and table.labels(j) is not None:
            continue
        cells = X.iloc[:, j] if hasattr(X, "iloc") else X[:, j]
        if _can_be_numbers(cells):
            continue
        raise ValueError(
            f"Column {name!r} holds {_example(cells)} where numbers are needed: "
            "convert it to numbers of at most 64 bits, for example labels by "
            "ValueDifferenceEncoder, or drop it."
        )


def _can_be_numbers(cells):
    """Return whether numpy converts cells to numbers that are no dates."""
    try:
        array = np.asarray(cells)
        array.astype(np.float64)
    except Exception:  # of any package that holds cells
        return False
    return array.dtype.kind not in "mM"


def _example(cells):
    """Return the first cell that is no number, or the type of the column."""
    for cell in cells:
        try:
            float(cell)
        except Exception:
            return repr(cell)
    return f"cells of type {cells.dtype}"

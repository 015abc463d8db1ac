"""Check of rows of numbers; the error names the column that holds anything else."""

import numpy as np
from scipy import sparse
from sklearn.utils.validation import validate_data

from .._arrays import canonical_csr
from ._dates import kind_of_date
from ._frames import is_frame
from ._read import check_columns, keep_kinds, read_table


def check_rows(estimator, X, y="no_validation", **options):
    """Check rows of numbers for an estimator, as scikit-learn's validate_data does.

    Parameters
    ----------
    estimator : estimator
    X : array-like, sparse matrix or frame of shape (n_samples, n_features)
    y : array-like of shape (n_samples,), optional
    **options
        Those of `sklearn.utils.validation.validate_data`.

    Returns
    -------
    X : ndarray or CSR
        The sparse one has sorted columns, and no cell is stored twice.
    y : ndarray
        Only if it was given.

    Raises
    ------
    ValueError, TypeError
        Names the column that does not hold numbers, and the remedy.
    """
    check_columns(estimator, X)
    try:
        with np.errstate(over="ignore"):  # an extended float may become infinite
            checked = validate_data(estimator, X, y, **options)
            if not _are_numbers(checked[0] if isinstance(checked, tuple) else checked):
                options["dtype"] = np.float64
                checked = validate_data(estimator, X, y, **options)
    except Exception:  # of any package that holds cells
        _refuse_cells(X)
        raise
    if isinstance(checked, tuple):
        return canonical_csr(checked[0]), *checked[1:]
    return canonical_csr(checked)


def _are_numbers(X):
    """Return whether X has a type of real numbers of at most 64 bits."""
    return X.dtype.kind in "biuf" and X.dtype.itemsize <= 8


def _refuse_cells(X):
    """Raise an error if a column holds labels or dates, or cannot be read."""
    if sparse.issparse(X):
        return
    if not is_frame(X):
        X = keep_kinds(X)
        if X.ndim != 2 or X.dtype.kind in "biuf":
            return
    table = read_table(X)
    for j, name in enumerate(table.names):
        labels = table.labels(j)
        if labels is not None and labels.kind in ("str", "bytes"):
            raise ValueError(
                f"Column {name!r} holds labels (such as {labels.categories[0]!r}) "
                "where numbers are needed: encode them, for example by "
                "ValueDifferenceEncoder, or drop the column."
            )
        cells = X.iloc[:, j] if hasattr(X, "iloc") else X[:, j]
        if any(map(kind_of_date, cells)):
            raise TypeError(
                f"Column {name!r} holds dates or durations where numbers are needed: "
                "convert them, for example to days."
            )

"""Loads the data sets of the package, in the style of scikit-learn."""

import csv
from pathlib import Path

import numpy as np
from sklearn.utils import Bunch

from ..tabular import as_matrix

DATA = Path(__file__).parent / "data"


def load_play_tennis(*, return_X_y=False, as_frame=False):
    """Load PlayTennis, the 14 Saturdays of Mitchell (1997), all categorical.

    Parameters
    ----------
    return_X_y : bool, default=False
        Return ``(data, target)`` instead of a bunch.
    as_frame : bool, default=False
        Return `data` and `target` as a pandas DataFrame and Series.

    Returns
    -------
    bunch : :class:`~sklearn.utils.Bunch`
        With the fields

        data : object ndarray of shape (14, 4)
            Strings.
        target : ndarray of shape (14,)
            "yes" or "no".
        feature_names : list of str
            The names of the columns.
        target_names : ndarray of shape (2,)
            The classes.
        frame : DataFrame of shape (14, 5) or None
            Data and target together, only with ``as_frame=True``.
        DESCR : str
            The contents of the table and its source.
        filename : str
            Path of the CSV file.
    (data, target) : tuple
        Only with ``return_X_y=True``.

    Raises
    ------
    ImportError
        With ``as_frame=True`` where pandas is not installed.

    Examples
    --------
    >>> from sklearn_bayeslazy.datasets import load_play_tennis
    >>> X, y = load_play_tennis(return_X_y=True)
    >>> X[0], y[0]
    (array(['sunny', 'hot', 'high', 'weak'], dtype=object), np.str_('no'))
    >>> (y == "yes").mean() == 9/14
    np.True_
    """
    return _load("play_tennis", return_X_y, as_frame)


def load_buys_computer(*, return_X_y=False, as_frame=False):
    """Load buys_computer, 14 customers of a shop, all categorical.

    Parameters
    ----------
    return_X_y : bool, default=False
        Return ``(data, target)`` instead of a bunch.
    as_frame : bool, default=False
        Return `data` and `target` as a pandas DataFrame and Series.

    Returns
    -------
    bunch : :class:`~sklearn.utils.Bunch`
        With the fields

        data : object ndarray of shape (14, 4)
            Strings.
        target : ndarray of shape (14,)
            "yes" or "no".
        feature_names : list of str
            The names of the columns.
        target_names : ndarray of shape (2,)
            The classes.
        frame : DataFrame of shape (14, 5) or None
            Data and target together, only with ``as_frame=True``.
        DESCR : str
            The contents of the table and its source.
        filename : str
            Path of the CSV file.
    (data, target) : tuple
        Only with ``return_X_y=True``.

    Raises
    ------
    ImportError
        With ``as_frame=True`` where pandas is not installed.

    Examples
    --------
    >>> from sklearn_bayeslazy.datasets import load_buys_computer
    >>> X, y = load_buys_computer(return_X_y=True)
    >>> bought = X[y == "yes"]
    >>> (bought[:, 0] == "<=30").mean() == 2/9
    np.True_
    """
    return _load("buys_computer", return_X_y, as_frame)


def load_evade(*, return_X_y=False, as_frame=False):
    """Load Evade, ten taxpayers, with categorical and numeric columns.

    Parameters
    ----------
    return_X_y : bool, default=False
        Return ``(data, target)`` instead of a bunch.
    as_frame : bool, default=False
        Return `data` and `target` as a pandas DataFrame and Series.

    Returns
    -------
    bunch : :class:`~sklearn.utils.Bunch`
        With the fields

        data : object ndarray of shape (10, 3)
            Two columns of strings, then the taxable income in thousands, a float.
        target : ndarray of shape (10,)
            "Yes" or "No".
        feature_names : list of str
            The names of the columns.
        target_names : ndarray of shape (2,)
            The classes.
        frame : DataFrame of shape (10, 4) or None
            Data and target together, only with ``as_frame=True``.
        DESCR : str
            The contents of the table and its source.
        filename : str
            Path of the CSV file.
    (data, target) : tuple
        Only with ``return_X_y=True``.

    Raises
    ------
    ImportError
        With ``as_frame=True`` where pandas is not installed.

    Examples
    --------
    >>> from sklearn_bayeslazy.datasets import load_evade
    >>> X, y = load_evade(return_X_y=True)
    >>> income = X[y == "No", 2].astype(float)
    >>> float(income.mean()), float(income.var(ddof=1))
    (110.0, 2975.0)
    """
    return _load("evade", return_X_y, as_frame)


def load_horse_colic(*, return_X_y=False, as_frame=False):
    """Load horse colic, a real table of mixed columns, a quarter of it missing.

    The target states whether the problem was surgical. From the UCI Machine Learning
    Repository, by M. McLeish and M. Cecile (University of Guelph), under the licence
    CC BY 4.0.

    Parameters
    ----------
    return_X_y : bool, default=False
        Return ``(data, target)`` instead of a bunch.
    as_frame : bool, default=False
        Return `data` and `target` as a pandas DataFrame and Series.

    Returns
    -------
    bunch : :class:`~sklearn.utils.Bunch`
        With the fields

        data : object ndarray of shape (368, 22)
            Seven columns of floats and fifteen of strings; a missing cell is NaN.
        target : ndarray of shape (368,)
            "yes" or "no".
        feature_names : list of str
            The names of the columns.
        target_names : ndarray of shape (2,)
            The classes.
        frame : DataFrame of shape (368, 23) or None
            Data and target together, only with ``as_frame=True``.
        DESCR : str
            The contents of the table, its source and its licence.
        filename : str
            Path of the CSV file.
    (data, target) : tuple
        Only with ``return_X_y=True``.

    Raises
    ------
    ImportError
        With ``as_frame=True`` where pandas is not installed.

    Examples
    --------
    >>> from sklearn_bayeslazy.datasets import load_horse_colic
    >>> horses = load_horse_colic()
    >>> horses.data.shape
    (368, 22)
    >>> int((horses.data != horses.data).sum())  # only NaN differs from itself
    1927
    """
    return _load("horse_colic", return_X_y, as_frame)


def _load(name, return_X_y, as_frame):
    path = DATA / f"{name}.csv"
    with path.open(newline="", encoding="utf-8") as stream:
        names, *rows = csv.reader(stream)
    columns = list(map(_column, zip(*rows)))
    classes = np.asarray(columns[-1], dtype=str)
    if as_frame:
        frame = _to_frame(names, columns)
        data, target = frame[names[:-1]], frame[names[-1]]
    else:
        frame, data, target = None, as_matrix(columns[:-1]), classes
    if return_X_y:
        return data, target
    return Bunch(
        data=data,
        target=target,
        frame=frame,
        feature_names=names[:-1],
        target_names=np.unique(classes),
        DESCR=path.with_suffix(".txt").read_text(encoding="utf-8"),
        filename=str(path),
    )


def _column(cells):
    """Return cells as floats if all are numbers, else as strings; missing is NaN."""
    cells = [cell or np.nan for cell in cells]
    try:
        return np.array(cells, dtype=float)
    except ValueError:
        return np.array(cells, dtype=object)


def _to_frame(names, columns):
    try:
        import pandas as pd
    except ImportError as error:
        raise ImportError(
            "as_frame=True needs pandas: install it with `pip install pandas`, or "
            "leave as_frame=False for NumPy arrays"
        ) from error
    return pd.DataFrame(dict(zip(names, columns)))

"""Writes the best learner as a pipeline that reads raw rows, and predicts with it."""

import csv
import io
import warnings

import joblib
import numpy as np
from sklearn.base import is_classifier

from ._evaluate import raw_pipeline
from ._files import read_file
from ._table import TableError


def fit_to_all_rows(comparison):
    """Return the best learner as a pipeline, fitted to all rows of the table.

    It reads a pandas frame with the columns of the file if pandas is installed,
    otherwise an array. Its attribute ``column_names_`` has the names of the columns.
    """
    table, learner = comparison.table, comparison.winner.learner
    names = [column.name for column in table.columns]
    X = _frame(names, list(table.X.T))
    has_names = not isinstance(X, np.ndarray)
    given = names if has_names else None
    pipeline = raw_pipeline(table, learner, comparison.seed, given)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        pipeline.fit(X, table.y)
    pipeline.column_names_ = names
    pipeline.target_name_ = table.target
    return pipeline


def save(comparison):
    """Return the bytes of the file of :func:`fit_to_all_rows`."""
    stream = io.BytesIO()
    joblib.dump(fit_to_all_rows(comparison), stream)
    return stream.getvalue()


def predict_file(model_path, table_path):
    """Return predictions for the rows of a file, as CSV.

    Parameters
    ----------
    model_path : str
        A file that :func:`save` wrote.
    table_path : str
        A table with the columns of the model, in any order; more columns are ignored.

    Returns
    -------
    text : str
        One row a row: the prediction, and the probability of each class.

    Raises
    ------
    OSError, ValueError
        If a file cannot be read or a column is missing; the message is one line.
    """
    model = _load(model_path)
    file = read_file(table_path)
    missing = [name for name in model.column_names_ if name not in file.names]
    if missing:
        raise TableError(
            f"{table_path}: the model needs the columns {', '.join(missing[:8])}"
            + (", ..." if len(missing) > 8 else "")
        )
    by_name = dict(zip(file.names, file.columns))
    X = _frame(model.column_names_, [by_name[name] for name in model.column_names_])
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        header, columns = [model.target_name_], [model.predict(X)]
        if is_classifier(model) and hasattr(model, "predict_proba"):
            header += [f"P({label})" for label in model.classes_]
            columns += [
                [f"{p:.6g}" for p in column] for column in model.predict_proba(X).T
            ]
    stream = io.StringIO()
    csv.writer(stream, lineterminator="\n").writerows([header, *zip(*columns)])
    return stream.getvalue()


def _load(path):
    try:
        model = joblib.load(path)
    except OSError:
        raise
    except Exception as error:
        raise ValueError(
            f"{path}: no model of --save ({type(error).__name__}: {error})"
        ) from error
    if not hasattr(model, "column_names_"):
        raise ValueError(f"{path}: no model of --save")
    return model


def _frame(names, columns):
    """Return columns as a pandas frame, without pandas as an object array."""
    columns = [_narrow(column) for column in columns]
    try:
        import pandas
    except ImportError:
        matrix = np.empty((len(columns[0]), len(columns)), dtype=object)
        for j, column in enumerate(columns):
            matrix[:, j] = column
        return matrix
    return pandas.DataFrame(dict(zip(names, columns)))


def _narrow(column):
    """Return an object array of numbers as floats."""
    if column.dtype == object and not any(isinstance(cell, str) for cell in column):
        return column.astype(float)
    return column

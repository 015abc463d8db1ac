"""Writes the best learner as a pipeline that reads raw rows, and predicts with it."""

import csv
import io
import warnings

import numpy as np
from sklearn.base import is_classifier

from ..tabular.cleaning import DROP, TEXT, parse_numbers
from ._dataset import DOCUMENTS, WHOLE, TableError
from ._evaluate import describe_error, raw_pipeline
from ._model_files import dump_model, load_model
from ._read_file import read_file

MAX_SHOWN_NAMES = 8


def fit_to_all_rows(comparison):
    """Return the best learner as a pipeline, fitted to all rows of the table."""
    # It reads a pandas frame with the columns of the file if pandas is installed
    # (`reads_frame_`), otherwise an array. Its other attributes: `column_names_`, the
    # names of the columns, in order; `needed_columns_`, those that are not ignored;
    # `number_columns_`, those that are read as numbers; and `target_name_`.
    table, learner = comparison.table, comparison.winner.learner
    names = [column.name for column in table.columns]
    X = _frame(names, list(table.X.T))
    given = None if isinstance(X, np.ndarray) else names
    pipeline = raw_pipeline(table, learner, comparison.seed, given)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        pipeline.fit(X, table.y)
    needed = [
        column
        for column in table.columns
        if learner.reads == WHOLE
        or (column.kind == TEXT if learner.reads == DOCUMENTS else column.kind != DROP)
    ]
    pipeline.column_names_ = names
    pipeline.needed_columns_ = [column.name for column in needed]
    pipeline.number_columns_ = [one.name for one in needed if one.kind == "number"]
    pipeline.reads_frame_ = given is not None
    pipeline.target_name_ = table.target
    return pipeline


def save(comparison, path):
    """Return the bytes of the file of `fit_to_all_rows`, and a note or None."""
    # comparison: one that has a winner. A path that ends with ".skops" asks for that
    # format, any other for joblib. The note: what stops the predict command from
    # reading the file.
    return dump_model(fit_to_all_rows(comparison), path)


def predict_file(model_path, table_path, sheet=None):
    """Return predictions for the rows of a file as CSV, and notes."""
    # The table has the columns of the model, in any order. More columns are ignored;
    # those that the model ignores may be absent. sheet: None means the first.
    # A line of the CSV: the prediction, and the probability of each class. notes:
    # sentences on the file, and on cells that were taken as missing. OSError,
    # ValueError: a file cannot be read, or a column is missing.
    model = load_model(model_path)
    file = read_file(table_path, sheet)
    columns, notes = _columns_of_model(model, file, table_path)
    X = _frame(model.column_names_, columns, model.reads_frame_)
    header, answers = [model.target_name_], []
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            answers.append(model.predict(X))
            if is_classifier(model) and hasattr(model, "predict_proba"):
                header += [f"P({label})" for label in model.classes_]
                proba = model.predict_proba(X)
                answers += [[f"{p:.6g}" for p in column] for column in proba.T]
        except Exception as error:
            raise ValueError(
                f"{table_path}: the model cannot predict these rows "
                f"({describe_error(error)})"
            ) from error
    stream = io.StringIO()
    csv.writer(stream, lineterminator="\n").writerows([header, *zip(*answers)])
    return stream.getvalue(), [*file.notes, *notes]


def _columns_of_model(model, file, path):
    """Return the columns that the model reads, and notes on unreadable numbers."""
    missing = [name for name in model.needed_columns_ if name not in file.names]
    if missing:
        more = ", ..." if len(missing) > MAX_SHOWN_NAMES else ""
        raise TableError(
            f"{path}: the model needs the columns "
            f"{', '.join(map(repr, missing[:MAX_SHOWN_NAMES]))}{more}"
        )
    by_name = dict(zip(file.names, file.columns))
    empty = np.full(len(file.columns[0]), np.nan)
    notes = []
    for name in model.number_columns_:
        notes += _notes_on_numbers(by_name[name], name, path)
    needed = set(model.needed_columns_)
    columns = [
        by_name[name] if name in needed else empty for name in model.column_names_
    ]
    return columns, notes


def _notes_on_numbers(column, name, path):
    """Return a note if some cells are no numbers; raise an error if none is one."""
    cells = [cell for cell in column.tolist() if isinstance(cell, str)]
    if not cells:
        return []
    values = sorted(set(cells))
    odd = {value for value, x in zip(values, parse_numbers(values)) if np.isnan(x)}
    if not odd:
        return []
    n_odd = sum(cell in odd for cell in cells)
    example = f"{min(odd)!r:.40}"
    if n_odd == len(cells):
        raise TableError(
            f"{path}: the model has learnt numbers from the column {name!r}, here it "
            f"holds none, for example {example}"
        )
    return [
        f"column {name!r}: {n_odd} of {len(column)} cells are no numbers, for example "
        f"{example}; taken as missing"
    ]


def _frame(names, columns, wants_frame=True):
    """Return columns as a pandas frame, or as an object array without pandas."""
    columns = [_narrow(column) for column in columns]
    if wants_frame:
        try:
            import pandas
        except ImportError:
            pass
        else:
            return pandas.DataFrame(dict(zip(names, columns)))
    matrix = np.empty((len(columns[0]), len(columns)), dtype=object)
    for j, column in enumerate(columns):
        matrix[:, j] = column
    return matrix


def _narrow(column):
    """Return an object array of numbers as floats."""
    if column.dtype == object and not any(isinstance(cell, str) for cell in column):
        return column.astype(float)
    return column

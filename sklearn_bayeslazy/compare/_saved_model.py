"""Writes the best learner as a pipeline that reads raw rows, and predicts with it."""

import warnings

import pandas as pd
from sklearn.base import is_classifier

from ..tabular.cleaning import DROP, TEXT, is_marker
from ._dataset import DOCUMENTS, NUMBER, WHOLE, TableError, known_strings
from ._evaluate import raw_pipeline
from ._files import read_file
from ._formatting import explained
from ._model_files import dump_model, load_model
from ._read_dataset import find_column, read_all_rows


def fit_to_all_rows(comparison):
    """Return the best learner as a pipeline, fitted to all rows of the file."""
    # It reads a pandas frame with the columns of the file. Its other attributes:
    # `column_names_`, the names of the columns, in order; `needed_columns_`, those that
    # are not ignored; and `target_name_`.
    learner, table = comparison.winner.learner, read_all_rows(comparison.table)
    pipeline = raw_pipeline(table, learner, comparison.seed)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        pipeline.fit(table.X, table.y)
    pipeline.column_names_ = [column.name for column in table.columns]
    pipeline.needed_columns_ = [
        column.name
        for column in table.columns
        if learner.reads == WHOLE
        or (column.kind == TEXT if learner.reads == DOCUMENTS else column.kind != DROP)
    ]
    pipeline.target_name_ = table.target
    pipeline.n_rows_ = len(table.y)
    return pipeline


def save(comparison, path):
    """Return the bytes of the fitted model, its number of rows, and a note or None."""
    # comparison: one that has a winner. A path that ends with ".skops" asks for that
    # format, any other for joblib. The note: what stops the predict command from
    # reading the file.
    model = fit_to_all_rows(comparison)
    return *dump_model(model, path), model.n_rows_


def predict_file(model_path, table_path, sheet=None):
    """Return predictions for the rows of a file as CSV, and notes."""
    # The table has the columns of the model, in any order. More columns are ignored;
    # those that the model ignores may be absent. sheet: None means the first.
    # A line of the CSV: the prediction, and the probability of each class. notes:
    # sentences on the file, and on cells that were taken as missing. OSError,
    # ValueError: a file cannot be read, or a column is missing.
    model = load_model(model_path)
    file = read_file(table_path, sheet, keeps_all=True)
    names = list(file.frame)
    found = [
        find_column(names, name, table_path, "the model")
        for name in model.needed_columns_
    ]
    needed = file.frame.iloc[:, found].set_axis(model.needed_columns_, axis=1)
    notes = [*file.notes, *_notes_on_cells(model, needed, table_path)]
    X = needed.reindex(columns=model.column_names_)
    failure = "the model cannot predict these rows"
    with warnings.catch_warnings(), explained(f"{table_path}: {failure}"):
        warnings.simplefilter("ignore")
        answers = pd.DataFrame({model.target_name_: model.predict(X)})
        if is_classifier(model) and hasattr(model, "predict_proba"):
            for label, proba in zip(model.classes_, model.predict_proba(X).T):
                answers[f"P({label})"] = [f"{p:.6g}" for p in proba]
    return answers.to_csv(index=False, lineterminator="\n"), notes


def _notes_on_cells(model, frame, path):
    """Return what the cleaner warns of; raise an error if a column holds no number."""
    kinds = getattr(model[0], "kinds_", {})
    if not kinds:
        return []
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        cleaned = model[0].transform(frame.reindex(columns=model.column_names_))
    unknown = []
    for name in frame:
        known = known_strings(frame[name])
        if kinds.get(name) == NUMBER:
            known = known[~known.map(is_marker).astype(bool)]
        unknown += [name] if known.empty and len(frame) > 1 else []
        if kinds.get(name) == NUMBER and len(known) and cleaned[name].isna().all():
            raise TableError(
                f"{path}: the model has learnt numbers from the column {name!r}, here "
                f"it holds none, for example {known.min()!r:.40}"
            )
    notes = [str(warning.message) for warning in caught]
    if unknown:
        notes.append(f"no cell is known in {', '.join(map(repr, unknown))}")
    return notes

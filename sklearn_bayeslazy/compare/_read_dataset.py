"""Reads a file into a table: columns and their kinds, target and task."""

import difflib
from dataclasses import replace

from ..tabular.cleaning import DROP, decide, read_columns, usual_decimal
from ._dataset import Column, Dataset, TableError, known_strings
from ._files import STANDARD_INPUT, read_file
from ._formatting import listed
from ._target import read_target

# Some learners count pairs of columns.
MAX_COLUMNS = 2000
MAX_SHOWN_NAMES = 8
# The first rows show which decimal sign the columns have.
N_ROWS_TRIED = 1000


def read_dataset(
    path,
    target=None,
    task=None,
    kinds=None,
    keep=(),
    sheet=None,
    *,
    sample=None,
    seed=0,
):
    """Read the table at `path` and separate its target from the other columns."""
    # target: None means the column "target" if there is one, else the last column.
    # task: None infers it from the values of the target. kinds: {name: kind} of some
    # columns, see `TableCleaner`. keep: names of columns that must not be dropped.
    # sheet: None means the first. sample: rows of a longer table that are read, drawn
    # at random; None means all. Rows without a target are dropped.
    # OSError, ValueError: see `read_file`. TableError: there is no such column, or the
    # target does not fit the task.
    file = read_file(path, sheet, sample, seed)
    source = str(path)
    if file.sheet_note:  # for errors: the target may be on another sheet
        path = f"{path} ({file.sheet_note})"
    names = list(file.frame.columns)
    if target is None:
        target = "target" if "target" in names else names[-1]
    else:
        target = names[find_column(names, target, path, "--target")]
    if len(names) == 1:
        raise TableError(
            f"{path}: the target {target!r} is the only column"
            + file.is_text * "; cells are separated by one of , ; | ^ ~ or a tab"
        )
    others = file.frame.drop(columns=target)[:N_ROWS_TRIED]
    decimal = usual_decimal(read_columns(others, list(others)))
    y, known, task, is_inferred, notes = read_target(
        file.frame[target], target, task, path, decimal
    )
    X = file.frame.drop(columns=target)[known]
    return Dataset(
        source=source,
        X=X,
        y=y,
        columns=_describe_columns(X, path, kinds or {}, keep),
        target=target,
        task=task,
        task_inferred=is_inferred,
        n_dropped=int((~known).sum()),
        n_rows_in_file=file.n_rows,
        notes=(*file.notes, *notes),
        sheet=sheet,
        sample=sample,
        seed=seed,
    )


def read_all_rows(table):
    """Return a table with all rows of the file, if `table` is a sample of them."""
    # The kinds of the columns stay as they were decided.
    if not table.is_sample or table.source == STANDARD_INPUT:
        return table
    kinds = {column.name: column.kind for column in table.columns}
    return read_dataset(
        table.source, table.target, table.task, kinds, sheet=table.sheet
    )


def _describe_columns(X, path, kinds, keep):
    """Return the facts about each column; decide what it is."""
    names = list(X.columns)
    given = {
        find_column(names, name, path, f"--{kind}"): kind
        for name, kind in kinds.items()
    }
    kept = [find_column(names, name, path, "--keep") for name in keep]
    columns = []
    for j, cells in enumerate(read_columns(X, names)):
        decision, _ = decide(cells, names[j], given.get(j))
        kind, reason = decision.kind, decision.reason
        if j in kept and kind == DROP:
            kind, reason = decision.overruled_by, f"kept ({reason})"
        columns.append(_describe(X.iloc[:, j], kind, reason, decision.overruled_by))
    if all(column.kind == DROP for column in columns):
        # A counter of rows may be the time.
        columns = [
            replace(column, kind=column.overruled_by, reason="an id, but all there is")
            if column.reason.startswith("an id: whole") and j not in given
            else column
            for j, column in enumerate(columns)
        ]
    used = [column for column in columns if column.kind != DROP]
    if not used:
        reasons = "; ".join(f"{c.name}: {c.reason}" for c in columns[:3])
        raise TableError(
            f"{path}: no column is left to predict from ({reasons}); name those to use "
            f"with --keep"
        )
    if len(used) > MAX_COLUMNS:
        raise TableError(
            f"{path}: {len(used)} columns; at most {MAX_COLUMNS} can be compared: name "
            f"some with --drop"
        )
    return tuple(columns)


def _describe(cells, kind, reason, overruled_by):
    known = known_strings(cells)
    return Column(
        name=cells.name,
        kind=kind,
        missing=(len(cells) - len(known)) / len(cells),
        n_distinct=known.nunique(),
        reason=reason,
        overruled_by=overruled_by,
    )


def find_column(names, name, path, option):
    """Return the index of a column; the error suggests close matches."""
    if name in names:
        return names.index(name)
    in_words, wanted = [" ".join(one.split()) for one in names], " ".join(name.split())
    if in_words.count(wanted) == 1:  # line breaks of a sheet, blanks at the end
        return in_words.index(wanted)
    folded = {one.casefold(): one for one in names}
    if close := difflib.get_close_matches(name.casefold(), folded, cutoff=0.5):
        hint = "close matches: " + ", ".join(repr(folded[one]) for one in close)
    else:
        hint = "columns: " + listed(names, MAX_SHOWN_NAMES)
    raise TableError(f"{path}: there is no column {name!r} for {option}; {hint}")

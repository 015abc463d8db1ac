"""Reads files whose columns have types: parquet, feather and Excel."""

import io
import re
import zipfile
from functools import partial
from itertools import pairwise

import pandas as pd
import pyarrow.parquet as pq

from .._formatting import explained, with_count
from ._source import DAMAGED
from ._text_layout import MAX_LINES, count_titles, find_header


def read_typed(source, sheet, *, read):
    """Return the columns that a function of the content reads, as `read_text` does."""
    with explained(DAMAGED.format(source.path)):
        frame = read(io.BytesIO(source.read()))
    if frame.shape[1] == 0:
        raise ValueError(f"{source.path}: it holds no table")
    return [frame.reset_index(drop=True)], [], ""


def feather(stream):
    """Return the frame of a feather file."""
    return _without_index(pd.read_feather(stream))


def parquet(stream):
    """Return the frame of a parquet file, also of one that repeats names."""
    file = pq.ParquetFile(stream)
    frame = _without_index(file.read().to_pandas())
    # pandas reads categories that are numbers as numbers.
    columns = (file.schema_arrow.pandas_metadata or {}).get("columns", [])
    declared = [one["name"] for one in columns if one["pandas_type"] == "categorical"]
    return frame.astype(dict.fromkeys(declared, "category"))


def _without_index(frame):
    """Return a frame whose named levels of the index are columns."""
    named = [name for name in frame.index.names if name]
    return frame.reset_index(named, allow_duplicates=True) if named else frame


def read_excel(source, sheet):
    """Return the rows of a sheet, as `read_text` does."""
    with explained(DAMAGED.format(source.path)):
        book = pd.ExcelFile(io.BytesIO(source.read()))
    names = book.sheet_names
    if sheet is not None and sheet not in names:
        shown = ", ".join(map(repr, names))
        raise ValueError(
            f"{source.path}: there is no sheet {sheet!r} for --sheet; it has {shown}"
        )
    chosen = _first_visible(book) if sheet is None else sheet
    others = ", ".join(repr(name) for name in names if name != chosen)
    note = f"the sheet {chosen!r} is read, not {others} (--sheet)" if others else ""
    # Otherwise pandas parses texts, such as the zip code "01234", as numbers.
    read = partial(pd.read_excel, book, sheet_name=chosen, header=None, dtype=object)
    # A column may have the name "NA".
    with explained(DAMAGED.format(source.path)):
        top = read(nrows=MAX_LINES, keep_default_na=False)
    top = top.where(top != "")
    margin = int(top.isna().all().cumprod().sum())  # empty columns before the first
    if margin == top.shape[1]:
        shown = f" ({note})" if note else ""
        raise ValueError(f"{source.path}: it holds no table{shown}")
    rows = [
        ["" if cell != cell else str(cell) for cell in row]
        for row in top.iloc[:, margin:].to_numpy()
    ]
    known = [i for i, row in enumerate(rows) if any(map(str.strip, row))]
    rows = [rows[i] for i in known]
    gaps = [j - i > 1 for i, j in pairwise(known)]
    found = find_header(rows, source.path, n_titles=count_titles(rows, gaps))
    first = known[found.row] + (not found.is_data)
    frame = read(skiprows=first).infer_objects()
    names = [*[""] * margin, *found.names]
    names += [""] * (frame.shape[1] - len(names))
    frame = frame.reindex(columns=range(len(names))).set_axis(names, axis=1)
    notes = [note] * bool(note) + list(found.notes)
    if book.engine == "openpyxl":
        _pad_codes(frame, book.book[chosen], first + 1)
        notes += _fill_merged(frame, source, chosen, first + 1)
    return [frame], notes, note


def _pad_codes(frame, sheet, first_row):
    """Write whole numbers that Excel shows with leading zeros as it shows them."""
    # first_row: the number in the sheet of the first row of the frame.
    for row in sheet.iter_rows(min_row=first_row, max_row=first_row):
        for j, cell in enumerate(row[: frame.shape[1]]):
            zeros = str(getattr(cell, "number_format", ""))
            if re.fullmatch("00+", zeros) and frame.dtypes.iloc[j].kind in "if":
                show = f"{{:0{len(zeros)}.0f}}".format
                frame.isetitem(j, frame.iloc[:, j].map(show, na_action="ignore"))


def _fill_merged(frame, source, sheet, first_row):
    """Fill the cells that are merged with one above; return a note in a list."""
    # first_row: the number in the sheet of the first row of the frame.
    stream = io.BytesIO(source.read())
    with zipfile.ZipFile(stream) as archive:
        names = [one for one in archive.namelist() if one.startswith("xl/worksheets/")]
        if not any(b"<mergeCell " in archive.read(name) for name in names):
            return []
    import openpyxl  # most files need none

    n_filled = 0
    for area in openpyxl.load_workbook(stream)[sheet].merged_cells.ranges:
        start, end, j = area.min_row - first_row, area.max_row - first_row, area.min_col
        if 0 <= start < min(end, len(frame)):
            frame.iloc[start : end + 1, j - 1] = frame.iat[start, j - 1]
            n_filled += 1
    shown = with_count(n_filled, "group")
    note = f"{shown} of merged cells: each cell has the value of its group"
    return [note] * (n_filled > 0)


def _first_visible(book):
    """Return the name of the first sheet of cells that is not hidden."""
    if book.engine != "openpyxl":
        return book.sheet_names[0]
    sheets = book.book.worksheets
    visible = [one for one in sheets if one.sheet_state == "visible"]
    return (visible or sheets)[0].title

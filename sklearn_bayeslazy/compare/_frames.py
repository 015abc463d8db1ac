"""Reads parquet, Excel and JSON files by pandas, or by polars where pandas is not."""

import io
from importlib import import_module
from pathlib import Path

import numpy as np

from ..tabular import is_missing_cell, to_column
from ..tabular._cleaning import MISSING_WORDS
from ._decode import decompress

EXTRA = "pip install 'sklearn-bayeslazy[files]'"
# The function of pandas that reads a format, and the package that it needs.
PANDAS_READERS = {
    ".parquet": ("read_parquet", "pyarrow"),
    ".feather": ("read_feather", "pyarrow"),
    ".xlsx": ("read_excel", "openpyxl"),
    ".xls": ("read_excel", "xlrd"),
    ".ods": ("read_excel", "odfpy"),
    ".jsonl": ("read_json", None),
    ".ndjson": ("read_json", None),
    ".json": ("read_json", None),
}
POLARS_READERS = {
    ".parquet": "read_parquet",
    ".feather": "read_ipc",
    ".jsonl": "read_ndjson",
    ".ndjson": "read_ndjson",
}


class SheetError(ValueError):
    """The file has no sheet of the name; the message is one line."""


def read_frame(path, suffix, sheet=None):
    """Return names, columns, options and note of a file other than delimited text."""
    # suffix: a key of `PANDAS_READERS`. sheet: None means the first.
    # columns: float arrays, or object arrays of strings with NaN. options: the function
    # of pandas that reads the file, "reader", and the arguments that it needs, as
    # fields of `CsvFormat`. note: which of several sheets was read, "" for none.
    # OSError: the file cannot be opened. ValueError: it is no table, or a package is
    # missing.
    raw = decompress(Path(path).read_bytes(), path)
    reader, package = PANDAS_READERS[suffix]
    if sheet is not None and reader != "read_excel":
        raise ValueError(f"{path}: --sheet is for Excel and OpenDocument files")
    is_lines = not raw.lstrip().startswith(b"[")
    options, note = {"reader": reader, "json_lines": is_lines}, ""
    read, is_pandas = _find_reader(path, suffix, reader)
    arguments = {}
    if reader == "read_json" and is_pandas:
        # With dtype=True pandas would parse strings as numbers.
        arguments = {"lines": is_lines, "dtype": False}
    try:
        if reader == "read_excel":
            frame, options["sheet"], note = _read_sheet(raw, sheet, path)
        else:
            frame = read(io.BytesIO(raw), **arguments)
    except SheetError:
        raise
    except ImportError as error:
        raise ValueError(
            f"{path}: files of this format need {package}: {EXTRA} ({error})"
        ) from None
    except Exception as error:
        raise ValueError(
            f"{path}: damaged, or not of the format that its name tells ({error})"
        ) from error
    if getattr(frame, "ndim", 2) != 2 or frame.shape[1] == 0:
        raise ValueError(f"{path}: it holds no table{note and f' ({note})'}")
    if len(frame) == 0:
        raise ValueError(f"{path}: a header but no rows{note and f' ({note})'}")
    names = ["" if name is None else str(name).strip() for name in frame.columns]
    columns = [_plain_column(_column(frame, j)) for j in range(len(names))]
    return names, columns, options, note


def _read_sheet(raw, sheet, path):
    """Return the frame of a sheet, its name unless it is the first, and a note."""
    pandas = import_module("pandas")
    book = pandas.ExcelFile(io.BytesIO(raw))
    names = book.sheet_names
    if sheet is not None and sheet not in names:
        shown = ", ".join(map(repr, names))
        raise SheetError(
            f"{path}: there is no sheet {sheet!r} for --sheet; it has {shown}"
        )
    chosen = names[0] if sheet is None else sheet
    others = ", ".join(repr(name) for name in names if name != chosen)
    note = f"the sheet {chosen!r} is read, not {others} (--sheet)" if others else ""
    # Otherwise pandas parses texts, such as the zip code "01234", as numbers.
    frame = pandas.read_excel(book, sheet_name=chosen, dtype=object)
    return frame, None if chosen == names[0] else chosen, note


def _find_reader(path, suffix, reader):
    """Return a function that reads a stream, and whether it is that of pandas."""
    try:
        return getattr(import_module("pandas"), reader), True
    except ImportError:
        pass
    try:
        return getattr(import_module("polars"), POLARS_READERS[suffix]), False
    except (ImportError, KeyError):
        raise ValueError(f"{path}: files of this format need pandas: {EXTRA}") from None


def _column(frame, j):
    return frame.iloc[:, j] if hasattr(frame, "iloc") else frame[:, j]


def _plain_column(series):
    """Return a column of a frame as floats, or as strings with NaN."""
    cells = series.to_list()
    missing = [is_missing_cell(cell) for cell in cells]
    if all(
        gone or (isinstance(cell, int | float) and not isinstance(cell, bool))
        for cell, gone in zip(cells, missing)
    ):
        numbers = np.array([np.nan if m else float(c) for c, m in zip(cells, missing)])
        return np.where(np.isfinite(numbers), numbers, np.nan)
    strings = ["" if gone else _string(cell) for cell, gone in zip(cells, missing)]
    return to_column(strings, MISSING_WORDS)


def _string(cell):
    return cell.isoformat() if hasattr(cell, "isoformat") else str(cell)

"""Reads parquet, Excel and JSON files by pandas, or by polars where pandas is not."""

import io
from importlib import import_module
from pathlib import Path

import numpy as np

from ...cleaning import MISSING_WORDS
from ...datasets._read_csv import to_column
from ...tabular import is_missing_cell
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


def read_frame(path, suffix):
    """Return the names and columns of a file that is not delimited text.

    Parameters
    ----------
    path : str or path-like
    suffix : str
        A key of `PANDAS_READERS`.

    Returns
    -------
    names : list of str
    columns : list of ndarray
        Float arrays, or object arrays of strings with NaN.
    reader : str
        The name of the function of pandas that reads the file.
    is_lines : bool
        Whether a JSON file has one object a line.

    Raises
    ------
    OSError
        If the file cannot be opened.
    ValueError
        If it is no table, or if a package is missing; the message is one line.
    """
    raw = decompress(Path(path).read_bytes(), path)
    reader, package = PANDAS_READERS[suffix]
    is_lines = not raw.lstrip().startswith(b"[")
    options = {"lines": is_lines} if reader == "read_json" else {}
    read, more = _find_reader(path, suffix, reader)
    try:
        frame = read(io.BytesIO(raw), **(options if more else {}))
    except ImportError as error:
        raise ValueError(
            f"{path}: files of this format need {package}: {EXTRA} ({error})"
        ) from None
    except Exception as error:
        raise ValueError(
            f"{path}: damaged, or not of the format that its name tells ({error})"
        ) from error
    if getattr(frame, "ndim", 2) != 2 or frame.shape[1] == 0:
        raise ValueError(f"{path}: it holds no table")
    if len(frame) == 0:
        raise ValueError(f"{path}: the file has a header but no rows")
    names = ["" if name is None else str(name).strip() for name in frame.columns]
    columns = [_plain_column(_column(frame, j)) for j in range(len(names))]
    return names, columns, reader, is_lines


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

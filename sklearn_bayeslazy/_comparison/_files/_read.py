"""Reads a file, or standard input, as named columns; tells what was noticed."""

import sys
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from ...cleaning import MISSING_WORDS
from ...datasets._read_csv import parse_csv, to_column
from ._decode import decode, decompress
from ._names import repair_names

STANDARD_INPUT = "-"
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


@dataclass(frozen=True)
class CsvFormat:
    """What pandas must be told to read the same table.

    Attributes
    ----------
    reader : str
        The name of a function of pandas.
    delimiter, encoding : str
    index_column : bool
        Whether the first column counts the rows.
    """

    reader: str = "read_csv"
    delimiter: str = ","
    encoding: str = "utf-8"
    index_column: bool = False


@dataclass(frozen=True)
class RawFile:
    """Named columns: float arrays, or object arrays of strings with NaN.

    `notes` are sentences on what was noticed and repaired.
    """

    names: tuple
    columns: tuple
    notes: tuple
    format: CsvFormat


def read_file(path):
    """Read a table with a header.

    Parameters
    ----------
    path : str or path-like
        The end of the name tells the format: parquet, feather, xlsx, xls, ods and JSON
        lines need pandas. Anything else is delimited text, also compressed (.gz, .bz2,
        .xz). "-" is standard input.

    Returns
    -------
    file : RawFile

    Raises
    ------
    OSError
        If the file cannot be opened.
    ValueError
        If the content is not a table; the message is one line.
    """
    suffixes = Path(path).name.lower().removesuffix(".gz")
    suffix = Path(suffixes).suffix
    if str(path) != STANDARD_INPUT and suffix in PANDAS_READERS:
        return _read_by_pandas(path, suffix)
    if str(path) == STANDARD_INPUT:
        raw = sys.stdin.buffer.read()
    else:
        raw = Path(path).read_bytes()
    text, encoding, note = decode(decompress(raw, path), path)
    notes = [note] if note else []
    names, columns, delimiter = parse_csv(text, path, check_names=False)
    names, is_index, more = repair_names(names, columns)
    columns = columns[1:] if is_index else columns
    return RawFile(
        tuple(names),
        tuple(columns),
        tuple(notes + more),
        CsvFormat("read_csv", delimiter, encoding, is_index),
    )


def _read_by_pandas(path, suffix):
    function, package = PANDAS_READERS[suffix]
    try:
        import pandas
    except ImportError:
        raise ValueError(
            f"{path}: files of this format need pandas: pip install "
            f"'sklearn-bayeslazy[files]'"
        ) from None
    options = {"lines": True} if function == "read_json" else {}
    Path(path).open("rb").close()  # an OSError here names the file
    try:
        frame = getattr(pandas, function)(path, **options)
    except ImportError as error:
        raise ValueError(
            f"{path}: files of this format need {package}: pip install "
            f"'sklearn-bayeslazy[files]' ({error})"
        ) from None
    except Exception as error:
        raise ValueError(f"{path}: pandas cannot read it ({error})") from error
    if not isinstance(frame, pandas.DataFrame) or frame.shape[1] == 0:
        raise ValueError(f"{path}: it holds no table")
    if len(frame) == 0:
        raise ValueError(f"{path}: the file has a header but no rows")
    columns = [_plain_column(frame.iloc[:, j]) for j in range(frame.shape[1])]
    names = ["" if name is None else str(name).strip() for name in frame.columns]
    names, is_index, notes = repair_names(names, columns)
    columns = columns[1:] if is_index else columns
    return RawFile(
        tuple(names),
        tuple(columns),
        tuple(notes),
        CsvFormat(function, "", "", is_index),
    )


def _plain_column(series):
    """Return a column of pandas as floats, or as strings with NaN."""
    kind = getattr(series.dtype, "kind", "O")
    if kind in "iuf":
        numbers = series.to_numpy(dtype=np.float64, na_value=np.nan)
        return np.where(np.isfinite(numbers), numbers, np.nan)
    missing = series.isna().to_numpy()
    cells = ["" if gone else _string(cell) for cell, gone in zip(series, missing)]
    return to_column(cells, MISSING_WORDS)


def _string(cell):
    return cell.isoformat() if hasattr(cell, "isoformat") else str(cell)

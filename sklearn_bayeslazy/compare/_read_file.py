"""Reads a file of any format, or standard input, as named columns."""

import bz2
import gzip
import io
import lzma
import sys
import zlib
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path

import numpy as np

from ..tabular import is_missing_cell, parse_csv, to_column
from ..tabular.cleaning import MISSING_WORDS

STANDARD_INPUT = "-"


@dataclass(frozen=True)
class CsvFormat:
    """The function and arguments of pandas that read the same table."""

    reader: str = "read_csv"
    delimiter: str = ","
    encoding: str = "utf-8"
    # Whether the first column counts the rows.
    index_column: bool = False
    # Whether a JSON file has one object a line; otherwise it is one array of them.
    json_lines: bool = True
    # Of an Excel file; None for the first.
    sheet: str | None = None


@dataclass(frozen=True)
class RawFile:
    """Named columns: float arrays, or object arrays of strings with NaN."""

    names: tuple
    columns: tuple
    notes: tuple  # sentences on what was noticed and repaired
    format: CsvFormat
    sheet_note: str = ""  # that on the sheets of a file, "" for one sheet or none


def read_file(path, sheet=None):
    """Return a table with a header as a `RawFile`."""
    # The end of the name decides the format: parquet, feather, xlsx, xls, ods and JSON
    # need pandas, or some of them polars. Anything else is delimited text, also
    # compressed (.gz, .bz2, .xz). "-" is standard input. sheet: None means the first.
    # OSError: the file cannot be opened. ValueError: the content is not a table.
    suffixes = Path(path).name.lower().removesuffix(".gz")
    suffix = Path(suffixes).suffix
    if str(path) != STANDARD_INPUT and suffix in PANDAS_READERS:
        names, columns, options, note = read_frame(path, suffix, sheet)
        names, columns, is_index, notes = _repair(names, columns)
        read = CsvFormat(delimiter="", encoding="", index_column=is_index, **options)
        notes = (*filter(None, [note]), *notes)
        return RawFile(names, columns, notes, read, note)
    if sheet is not None:
        raise ValueError(f"{path}: --sheet is for Excel and OpenDocument files")
    if str(path) == STANDARD_INPUT:
        raw = sys.stdin.buffer.read()
    else:
        raw = Path(path).read_bytes()
    text, encoding, note = decode(decompress(raw, path), path)
    notes = [note] if note else []
    names, columns, delimiter = parse_csv(text, path, check_names=False)
    names, columns, is_index, more = _repair(names, columns)
    read = CsvFormat("read_csv", delimiter, encoding, is_index)
    return RawFile(names, columns, (*notes, *more), read)


def _repair(names, columns):
    names, is_index, notes = repair_names(names, columns)
    return tuple(names), tuple(columns[is_index:]), is_index, tuple(notes)


# Reads parquet, Excel and JSON files by pandas, or by polars where pandas is not.


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


# Repairs the names of columns: none, repeated, and a first column that counts rows.


def repair_names(names, columns):
    """Return unique names as pandas gives them, whether column 0 counts rows, notes."""
    # A first column without a name that counts the rows from 0 or 1 is an index. Its
    # name is left out here, and the caller drops the column.
    notes = []
    is_index = len(names) > 1 and _is_index(names[0], columns[0])
    if is_index:
        notes.append("the first column, which has no name, counts the rows: left out")
    # The numbers of unnamed columns count the index too, as those of pandas do.
    named = [name or f"Unnamed: {j}" for j, name in enumerate(names)][is_index:]
    if not all(names[is_index:]):
        missing = [n for n, given in zip(named, names[is_index:]) if not given]
        notes.append(f"columns without a name are now {', '.join(map(repr, missing))}")
    unique, repeated = [], []
    for name in named:
        new, n = name, 0
        while new in unique or (n and new in named):
            n += 1
            new = f"{name}.{n}"
        if n:
            repeated.append(new)
        unique.append(new)
    if repeated:
        notes.append(f"repeated names got numbers: {', '.join(map(repr, repeated))}")
    return unique, is_index, notes


def _is_index(name, column):
    if name and name != "Unnamed: 0":
        return False
    if column.dtype != float or len(column) == 0 or np.isnan(column).any():
        return False
    return bool((np.diff(column) == 1).all() and column[0] in (0, 1))


# Decompresses files and finds out the encoding of their text.


_OPENERS = {
    b"\x1f\x8b": (gzip.decompress, "gzip"),
    b"BZh": (bz2.decompress, "bzip2"),
    b"\xfd7zXZ": (lzma.decompress, "xz"),
}
_MARKS = {
    b"\xff\xfe": "utf-16",
    b"\xfe\xff": "utf-16",
    b"\xef\xbb\xbf": "utf-8-sig",
}
# A share of NUL bytes above this means two bytes a character.
_MIN_SHARE_OF_NULS = 0.2


def decompress(raw, path):
    """Return the content of a gzip, bzip2 or xz file, anything else as it is."""
    # The first bytes decide, not the name.
    for magic, (opener, name) in _OPENERS.items():
        if raw.startswith(magic):
            try:
                return opener(raw)
            except (OSError, EOFError, ValueError, zlib.error, lzma.LZMAError) as error:
                raise ValueError(
                    f"{path}: damaged or truncated {name} file ({error})"
                ) from error
    return raw


def decode(raw, path):
    """Return the text, its encoding, and a note if that is not UTF-8."""
    # Bytes that are no text, such as those of a program or an image, raise a
    # ValueError.
    encoding = _find_encoding(raw)
    try:
        text = raw.decode(encoding)
    except UnicodeDecodeError as error:
        raise ValueError(f"{path}: damaged {encoding} text ({error.reason})") from error
    if "\0" in text:
        line = text.count("\n", 0, text.index("\0")) + 1
        raise ValueError(
            f"{path}, line {line}: a NUL byte; this is no text file, or a damaged one"
        )
    if encoding in ("utf-8", "utf-8-sig"):
        return text, encoding, None
    shown = "Windows-1252 (Latin-1)" if encoding == "cp1252" else encoding.upper()
    return text, encoding, f"the text was read as {shown}"


def _find_encoding(raw):
    for mark, encoding in _MARKS.items():
        if raw.startswith(mark):
            return encoding
    sample = raw[:4096]
    if sample.count(0) > _MIN_SHARE_OF_NULS * max(len(sample), 1):
        return (
            "utf-16-le" if sample[1::2].count(0) > sample[::2].count(0) else "utf-16-be"
        )
    try:
        raw.decode("utf-8")
    except UnicodeDecodeError:
        # Five bytes have no character in Windows-1252; Latin-1 takes all.
        try:
            raw.decode("cp1252")
        except UnicodeDecodeError:
            return "latin-1"
        return "cp1252"
    return "utf-8"

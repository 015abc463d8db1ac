"""Reads a file, or standard input, as named columns; notes what was noticed."""

import sys
from dataclasses import dataclass
from pathlib import Path

from ..tabular import parse_csv
from ._decode import decode, decompress
from ._frames import PANDAS_READERS, read_frame
from ._names import repair_names

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

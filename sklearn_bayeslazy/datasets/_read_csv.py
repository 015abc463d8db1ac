"""Reads a delimited text file into named columns of numbers or strings.

The file decides everything that can be seen from it: the delimiter (comma, semicolon,
tab or bar), whether it is compressed (its name ends in ``.gz``), and which columns are
numeric (every cell that is not missing is a finite number). What cannot be read is
refused with one ``ValueError`` that names the file, the line and the mend.
"""

import csv
import gzip
import io
import zlib
from contextlib import contextmanager
from itertools import islice
from pathlib import Path

import numpy as np

DELIMITERS = ",;\t|"
EMPTY = frozenset({""})
# Exact spellings: "none" in lower case is a common category ("pain: none").
MISSING = EMPTY | {"NA", "N/A", "n/a", "NaN", "nan", "null", "NULL", "None", "?"}
# Records looked at to tell the delimiter: enough to see a comma that is only text.
SNIFFED_RECORDS = 20
# In letters, as much as a C long holds everywhere; the csv module's own is 2¹⁷, which a
# web page surpasses.
LARGEST_CELL = 2**31 - 1


def read_csv(path, *, missing=MISSING):
    """Read a table with a header line.

    Parameters
    ----------
    path : str or path-like
        File in UTF-8, with or without a byte order mark; opened with gzip where the
        name ends in ``.gz``.
    missing : set of str, default=MISSING
        Cells, stripped of surrounding blanks, that stand for a missing value.

    Returns
    -------
    names : list of str
        The header.
    columns : list of ndarray of shape (n_rows,)
        A float array for a numeric column, else an object array of strings; a
        missing cell is NaN in both.

    Raises
    ------
    OSError
        If the file cannot be opened.
    ValueError
        If the content is no table: not UTF-8, damaged gzip, no header, no rows, a
        row of another length than the header, a column without a name of its own.
    """
    path = Path(path)
    # newline="" keeps line ends as they are, as the csv module wants them.
    lines = list(io.StringIO(_read_text(path), newline=""))
    with _long_cells():
        names, rows = _read_records(lines, path)
    return names, [_to_column(cells, missing) for cells in zip(*rows)]


def as_matrix(columns):
    """Set columns side by side: float if all are numeric, else object."""
    if all(column.dtype != object for column in columns):
        return np.column_stack(columns)
    matrix = np.empty((len(columns[0]), len(columns)), dtype=object)
    for j, column in enumerate(columns):
        matrix[:, j] = column
    return matrix


def _read_text(path):
    raw = path.read_bytes()
    if path.suffix == ".gz":
        try:
            raw = gzip.decompress(raw)
        except (OSError, EOFError, zlib.error) as error:
            raise ValueError(f"{path}: not a whole gzip file ({error})") from error
    try:
        return raw.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = raw.count(b"\n", 0, error.start) + 1
        raise ValueError(
            f"{path}, line {line}: byte 0x{raw[error.start]:02x} is not UTF-8; save "
            f"the table as UTF-8"
        ) from error


@contextmanager
def _long_cells():
    """Lift the csv module's limit on the length of a cell for a while."""
    former = csv.field_size_limit(LARGEST_CELL)
    try:
        yield
    finally:
        csv.field_size_limit(former)


def _find_delimiter(lines):
    """Take the delimiter that cuts the first records into the most, equal parts."""

    def quality(delimiter):
        records = filter(None, csv.reader(lines, delimiter=delimiter))
        try:
            widths = [len(record) for record in islice(records, SNIFFED_RECORDS)]
        except csv.Error:
            return (False, False, 0)
        # A delimiter that cuts at all comes before one that leaves lines whole, so
        # that a ragged row is reported as ragged.
        return (widths[0] > 1, len(set(widths)) == 1, widths[0])

    return max(DELIMITERS, key=quality)


def _read_records(lines, path):
    if not any(line.strip() for line in lines):
        raise ValueError(f"{path}: the file is empty; it needs a header and rows")
    delimiter = _find_delimiter(lines)
    reader = csv.reader(lines, delimiter=delimiter, strict=True)
    names, rows, start = None, [], 1
    try:
        for record in reader:
            if record and names is None:
                names = _check_names(record, path, start)
            elif record:
                _check_width(record, names, path, start)
                rows.append(record)
            start = reader.line_num + 1
    except csv.Error as error:
        raise ValueError(f"{path}, line {start}: {error}") from error
    if not rows:
        raise ValueError(f"{path}: the file has a header but no rows")
    return names, rows


def _check_names(record, path, line):
    names = [name.strip() for name in record]
    for position, name in enumerate(names):
        if not name:
            problem = f"column {position + 1} has no name"
        elif name in names[:position]:
            problem = f"two columns are named {name!r}"
        else:
            continue
        raise ValueError(
            f"{path}, line {line}: {problem}; give every column its own name"
        )
    return names


def _check_width(record, names, path, line):
    if len(record) != len(names):
        raise ValueError(
            f"{path}, line {line}: {len(record)} cells where the header has "
            f"{len(names)}; quote cells that hold the delimiter, leave no cell out"
        )


def _to_column(cells, missing):
    cells = [cell.strip() for cell in cells]
    absent = [cell in missing for cell in cells]
    numbers = _to_numbers(cells, absent)
    if numbers is not None:
        return numbers
    # One object per distinct string instead of one per cell.
    known = {}
    return np.array(
        [
            np.nan if gone else known.setdefault(cell, cell)
            for cell, gone in zip(cells, absent)
        ],
        dtype=object,
    )


def _to_numbers(cells, absent):
    """Return the cells as floats, or None where one is not a finite number."""
    try:
        numbers = np.array(
            [np.nan if gone else float(cell) for cell, gone in zip(cells, absent)]
        )
    except ValueError:
        return None
    if not (np.isfinite(numbers) | absent).all():
        return None
    # Python reads 1_000 as a number, which in a table is a code.
    return None if any("_" in cell for cell in cells) else numbers

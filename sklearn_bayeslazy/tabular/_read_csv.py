"""Reads a delimited text file into named columns of numbers or strings.

A file whose name ends in ``.gz`` is decompressed. The reader infers the delimiter
(comma, semicolon, tab or vertical bar), and which columns are numeric: every cell that
is not missing is a finite number, and none is a code of digits that begins with a zero,
such as the zip code 01234. Content that is not a table raises a ``ValueError`` that
names the file, and the line where there is one.
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
# Case matters: "none" in lower case is a category ("pain: none"), not missing.
MISSING_MARKERS = EMPTY | {
    "NA",
    "N/A",
    "n/a",
    "NaN",
    "nan",
    "null",
    "NULL",
    "None",
    "?",
}
# Records that decide on the delimiter, enough to recognise commas within text.
N_DELIMITER_RECORDS = 20
# Characters per cell: what a C long holds on every platform. The csv module's default
# of 2¹⁷ is too small for a web page.
MAX_CELL_LENGTH = 2**31 - 1


def read_csv(path, *, missing=MISSING_MARKERS):
    """Read a table with a header line; return the column names and the columns."""
    # The file is UTF-8, with or without a byte order mark; opened with gzip where the
    # name ends in .gz. missing: cells, stripped of surrounding blanks, that stand for a
    # missing value. A numeric column is a float array (n_rows,), another one an object
    # array of strings; a missing cell is NaN in both.
    #
    # Raises OSError if the file cannot be opened, ValueError if the content is not a
    # table: not UTF-8, damaged gzip, malformed quotes, a cell of more than
    # `MAX_CELL_LENGTH` characters, no header, no rows, a row whose length differs from
    # the header's, a missing or repeated column name.
    path = Path(path)
    names, columns, _ = parse_csv(_read_text(path), path, missing=missing)
    return names, columns


def parse_csv(text, path, *, missing=MISSING_MARKERS, check_names=True):
    """Return the names, the columns and the delimiter of a text."""
    # path: for messages; missing, columns: as for `read_csv`; check_names: whether
    # missing and repeated names are errors.

    # newline="" keeps line ends, which the csv module requires.
    lines = list(io.StringIO(text, newline=""))
    with _long_cells():
        names, rows, delimiter = _read_records(lines, path, check_names)
    return names, [to_column(cells, missing) for cells in zip(*rows)], delimiter


def as_matrix(columns):
    """Stack columns into a matrix: float if all are numeric, else object."""
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
            raise ValueError(
                f"{path}: damaged or truncated gzip file ({error})"
            ) from error
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
    """Increase the csv module's limit on the length of a cell within the context."""
    former = csv.field_size_limit(MAX_CELL_LENGTH)
    try:
        yield
    finally:
        csv.field_size_limit(former)


def _find_delimiter(lines):
    """Return the delimiter that fits the first records best."""
    # It is preferred, in this order, that the header has several cells, that all
    # records have equally many cells, and that the header has the most cells.

    def quality(delimiter):
        records = filter(None, csv.reader(lines, delimiter=delimiter))
        try:
            widths = [len(record) for record in islice(records, N_DELIMITER_RECORDS)]
        except csv.Error:
            return (False, False, 0)
        # A delimiter that splits the header wins even if the records differ in length.
        # Otherwise, if one row had another length, a delimiter that splits nothing
        # could win: the table would have one column, and no error would name the row.
        return (widths[0] > 1, len(set(widths)) == 1, widths[0])

    return max(DELIMITERS, key=quality)


def _read_records(lines, path, check_names):
    """Return the column names, the rows of cells, and the delimiter."""
    if not any(line.strip() for line in lines):
        raise ValueError(
            f"{path}: the file is empty or blank; it needs a header and rows"
        )
    delimiter = _find_delimiter(lines)
    reader = csv.reader(lines, delimiter=delimiter, strict=True)
    names, rows = None, []
    line = 1  # the number of the first line of the record that is read next
    try:
        for record in reader:
            if record and names is None:
                names = [name.strip() for name in record]
                if check_names:
                    _check_names(names, path, line)
            elif record:
                _check_width(record, names, path, line)
                rows.append(record)
            line = reader.line_num + 1
    except csv.Error as error:
        raise ValueError(f"{path}, line {line}: {error}") from error
    if not rows:
        raise ValueError(f"{path}: the file has a header but no rows")
    return names, rows, delimiter


def _check_names(names, path, line):
    for position, name in enumerate(names):
        if not name:
            problem = f"column {position + 1} has no name"
        elif name in names[:position]:
            problem = f"two columns are named {name!r}"
        else:
            continue
        raise ValueError(
            f"{path}, line {line}: {problem}; give every column a unique name"
        )


def _check_width(record, names, path, line):
    if len(record) != len(names):
        raise ValueError(
            f"{path}, line {line}: {len(record)} cells where the header has "
            f"{len(names)}; quote cells that hold the delimiter, leave no cell out"
        )


def to_column(cells, missing):
    """Return strings as a float array, or as an object array; missing is NaN."""
    cells = [cell.strip() for cell in cells]
    is_missing = [cell in missing for cell in cells]
    numbers = _to_numbers(cells, is_missing)
    if numbers is not None:
        return numbers
    # One object per distinct string, not per cell, saves memory.
    distinct = {}
    return np.array(
        [
            np.nan if is_nan else distinct.setdefault(cell, cell)
            for cell, is_nan in zip(cells, is_missing)
        ],
        dtype=object,
    )


def _to_numbers(cells, is_missing):
    """Return the cells as floats, or None where one is not a finite number."""
    try:
        numbers = np.array(
            [np.nan if nan else float(cell) for cell, nan in zip(cells, is_missing)]
        )
    except ValueError:
        return None
    if not (np.isfinite(numbers) | is_missing).all():
        return None
    # Python parses 1_000 and 01234 as numbers; in a table they are identifiers.
    if any("_" in cell or is_zero_padded(cell) for cell in cells):
        return None
    return numbers


def is_zero_padded(cell):
    """Return whether a cell is digits that begin with a zero, such as a zip code.

    >>> [is_zero_padded(cell) for cell in ("01234", "00", "0", "0.5", "-05", "10")]
    [True, True, False, False, False, False]
    """
    return len(cell) > 1 and cell[0] == "0" and cell.isdecimal()

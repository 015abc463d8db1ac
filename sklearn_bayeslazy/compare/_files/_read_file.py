"""Reads a file of any format, or standard input, as a frame of named columns.

Text becomes strings, for TableCleaner to understand; parquet, feather, Excel and JSON
keep their types. A long table can be sampled while it is read.
"""

import codecs
import csv
import io
import re
from dataclasses import dataclass
from decimal import Decimal
from functools import partial
from unicodedata import normalize

import numpy as np
import pandas as pd

from ...tabular.cleaning import string_of_mixed
from ._odd_rows import without_odd_rows
from ._read_json import read_json
from ._read_text import as_text, read_text
from ._read_typed import feather, parquet, read_excel, read_typed
from ._source import HEAD_SIZE, NO_ROWS, Source


@dataclass(frozen=True)
class RawFile:
    """A table: strings of a text, typed columns of other formats."""

    # Its index is the number of each row in the file, from 0.
    frame: pd.DataFrame
    notes: tuple  # sentences on what was noticed and repaired
    n_rows: int  # in the file; the frame may be a sample
    sheet_note: str = ""  # that on the sheets of a file, "" for one sheet or none
    is_text: bool = False  # whose cells are separated by a character


def read_file(path, sheet=None, sample=None, seed=0, *, keeps_all=False):
    """Return a table with a header, or a random sample of its rows."""
    # The content decides the format, and whether it is compressed. "-" is standard
    # input. sheet: None means the first. keeps_all: whether totals, units, and comments
    # with as many cells as the table are rows too. OSError: the file cannot be opened.
    # ValueError: the content is no table; the message is one line that names the file.
    source = Source(path)
    start = source.read(HEAD_SIZE)
    if start.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        start = start.decode("utf-16", "ignore").encode()
    start = start.removeprefix(codecs.BOM_UTF8).lstrip()
    for magic, name in OTHER_FORMATS.items():
        if re.match(magic, start):
            raise ValueError(f"{path} is {name}: export it as CSV or Parquet")
    found = (reader for magic, reader in READERS.items() if re.match(magic, start))
    reader = next(found, read_text)
    if sheet is not None and reader is not read_excel:
        raise ValueError(f"{path}: --sheet is for Excel and OpenDocument files")
    chunks, notes, sheet_note = reader(source, sheet)
    is_text = reader is read_text
    finish = as_text if is_text else lambda chunk: chunk
    frame, n_rows = _collect(chunks, sample, seed, finish)
    if n_rows == 0:
        shown = f" ({sheet_note})" if sheet_note else ""
        raise ValueError(NO_ROWS.format(path) + shown)
    frame, more = _repair(frame)
    frame = _plain(frame)
    # People write lines that are no rows into texts and sheets.
    kind = "text" if is_text else "sheet" if reader is read_excel else ""
    n_read = len(frame)
    frame, left_out = without_odd_rows(frame, n_rows, kind, keeps_all)
    if frame.empty:
        raise ValueError(NO_ROWS.format(path))
    n_rows -= n_read - len(frame)
    more += left_out
    return RawFile(frame, (*notes, *more), n_rows, sheet_note, is_text)


def _collect(chunks, sample, seed, finish):
    """Return the rows of chunks as one frame, or a random sample, and their number."""
    # Each row has a random key; those of the smallest keys are the sample. finish:
    # called with the rows of each chunk that may be in it.
    random = np.random.RandomState(seed)
    kept, keys, n_rows, limit = [], [], 0, 1.0
    for chunk in chunks:
        chunk.index = pd.RangeIndex(n_rows, n_rows + len(chunk))
        n_rows += len(chunk)
        if sample:
            new = random.random_sample(len(chunk))
            keys.append(new[new < limit])
            chunk = chunk[new < limit]
        kept.append(finish(chunk))
        if sample and sum(map(len, kept)) > 2 * sample:
            kept, keys = _smallest(kept, keys, sample)
            limit = keys[0].max()
    if not kept:
        return pd.DataFrame(), 0
    if sample and n_rows > sample:
        kept, _ = _smallest(kept, keys, sample)
    return kept[0] if len(kept) == 1 else pd.concat(kept), n_rows


def _smallest(frames, keys, n):
    """Return the rows of the n smallest keys, in order, as lists of one."""
    keys = np.concatenate(keys)
    rows = np.sort(np.argsort(keys)[:n])
    return [pd.concat(frames).iloc[rows]], [keys[rows]]


# {pattern of the first bytes: reader}
READERS = {
    rb"PAR1": partial(read_typed, read=parquet),
    rb"ARROW1|FEA1": partial(read_typed, read=feather),
    # A list of numbers is one if nothing but lists follows.
    rb'[\[{]\s*["\[\]{}]|\[[-+.,\deE\s]+\]\s*$': read_json,
    rb"\[\s*(-?\d|null|true|false)[^\n]*,[^\n]*\]\s*\n\[": read_json,
    rb"PK\x03\x04|\xd0\xcf\x11\xe0": read_excel,
}


# {pattern of the first bytes: what cannot be read}
OTHER_FORMATS = {
    rb"(?i)<(!|\?xml|(html|head|meta|body|table|div|style)\b)": "HTML or XML",
    rb"<stata_dta>|[\x6c-\x73][\x01\x02]\x01\x00": "a Stata file",
    rb"\$FL[23]": "an SPSS file",
    rb"\x00{12}\xc2\xea\x81\x60": "a SAS file",
    rb"[AX]\n\x00\x00\x00[\x02\x03]|RD[AX][23]\n": "a file of R",
    rb"\x93NUMPY": "a NumPy file",
    rb"\x89HDF": "an HDF5 file",
    rb"\x80[\x02-\x05]": "a pickle file",
    rb"SQLite format 3": "an SQLite database",
    rb"%PDF-": "a PDF file",
    rb"\x28\xb5\x2f\xfd": "compressed by zstd",
    rb"7z\xbc\xaf|Rar!|(?s:.{257})ustar|PK\x05\x06": "an archive",
    rb"\{\\rtf": "a text of Word",
    rb"(?i)insert into |create table |--\s+(--)? ?\w+( SQL| database)? dump": "SQL",
    rb"version https://git-lfs": "a pointer of Git LFS, without the data",
    rb"[-+\d.]+( \d+:[-+\d.eE]+)+\s*\n": "a sparse table of LIBSVM",
}


def _plain(frame):
    """Return a frame of finite numbers and cells of one kind."""
    floats = frame.select_dtypes("floating").columns
    if np.isinf(frame[floats].to_numpy(dtype=float, na_value=np.nan)).any():
        frame = frame.replace([np.inf, -np.inf], np.nan)
    for j, (_, column) in enumerate(frame.items()):
        if _is_mixed(column):
            frame.isetitem(j, column.map(string_of_mixed, na_action="ignore"))
    return frame


def _is_mixed(column):
    """Return whether a column holds cells of several kinds, or lists, or periods."""
    if column.dtype != object:
        return isinstance(column.dtype, pd.PeriodDtype)
    kinds = {type(cell) for cell in column[column.notna()]}
    if all(issubclass(kind, int | float | Decimal) for kind in kinds):
        return bool in kinds and len(kinds) > 1
    return len(kinds) > 1 or not all(
        issubclass(kind, str) or hasattr(kind, "isoformat") for kind in kinds
    )


# Repairs the names of columns: none, repeated, and a first column that counts rows.


def _repair(frame):
    """Return a frame with unique names, as pandas gives them, and notes."""
    # An accent is one sign, also in files of a Mac.
    names = ["" if n is None else normalize("NFC", str(n)) for n in frame.columns]
    names = [re.sub(r'^="(.*)"$', r"\1", name.strip()) for name in names]
    names = ["" if name.startswith("Unnamed: ") else name for name in names]
    used = [j for j, name in enumerate(names) if name or frame.iloc[:, j].notna().any()]
    notes = []
    if len(used) > 1 and used[0] == 0 and not names[0] and _counts(frame.iloc[:, 0]):
        notes.append("the first column, which has no name, counts the rows: left out")
        used = used[1:]
    # pandas gives names that are unique to the header of a text.
    header = io.StringIO()
    csv.writer(header).writerow(names)
    header.seek(0)
    unique = pd.read_csv(header, nrows=0).columns
    if nameless := [repr(unique[j]) for j in used if not names[j]]:
        notes.append(f"columns without a name are now {', '.join(nameless)}")
    if repeated := [repr(unique[j]) for j in used if names[j] not in ("", unique[j])]:
        notes.append(f"repeated names got numbers: {', '.join(repeated)}")
    return frame.iloc[:, used].set_axis(unique[used], axis=1), notes


def _counts(column):
    """Return whether a column counts the rows of the file, from 0 or 1."""
    numbers = pd.to_numeric(column, errors="coerce").to_numpy(float, na_value=np.nan)
    first = numbers[0] - column.index[0]
    return first in (0, 1) and bool((numbers - column.index.to_numpy() == first).all())

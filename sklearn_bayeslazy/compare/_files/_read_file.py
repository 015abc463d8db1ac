"""Reads a file of any format, or standard input, as a frame of named columns.

Text becomes strings, for TableCleaner to understand; parquet, feather, Excel and JSON
keep their types. A long table can be sampled while it is read.
"""

import codecs
import csv
import io
import json
import re
import zipfile
from collections import Counter, deque
from dataclasses import dataclass
from decimal import Decimal
from functools import partial
from itertools import chain, islice, zip_longest
from unicodedata import normalize

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
from pyarrow import csv as arrow_csv

from ...tabular.cleaning import MIN_CODE, MISSING_WORDS, string_of_mixed
from .._formatting import with_count
from ._odd_rows import TEXT, without_odd_rows
from ._source import Source
from ._text_layout import (
    COMMENT,
    MAX_CELL_LENGTH,
    MAX_LINES,
    double_quotes,
    find_header,
    find_layout,
    is_drawn,
    is_number,
)

# Bytes of a text by which its encoding and layout are found; rows of a chunk.
HEAD_SIZE, CHUNK_ROWS = 2**20, 50_000
_NO_ROWS = "{}: the file has a header but no rows"


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
    reader = next(found, _read_text)
    if sheet is not None and reader is not _read_excel:
        raise ValueError(f"{path}: --sheet is for Excel and OpenDocument files")
    chunks, notes, sheet_note = reader(source, sheet)
    frame, n_rows = _collect(chunks, sample, seed)
    if n_rows == 0:
        shown = f" ({sheet_note})" if sheet_note else ""
        raise ValueError(_NO_ROWS.format(path) + shown)
    frame, more = _repair(frame)
    frame = _plain(frame)
    # People write lines that are no rows into texts and sheets.
    is_text = reader is _read_text
    kind = "text" if is_text else "sheet" if reader is _read_excel else ""
    n_read = len(frame)
    frame, left_out = without_odd_rows(frame, n_rows, kind, keeps_all)
    if frame.empty:
        raise ValueError(_NO_ROWS.format(path))
    n_rows -= n_read - len(frame)
    more += left_out
    return RawFile(frame, (*notes, *more), n_rows, sheet_note, is_text)


def _collect(chunks, sample, seed):
    """Return the rows of chunks as one frame, or a random sample, and their number."""
    # Each row has a random key; those of the smallest keys are the sample.
    random = np.random.RandomState(seed)
    kept, keys, n_rows, limit = [], [], 0, 1.0
    for chunk in chunks:
        chunk.index = pd.RangeIndex(n_rows, n_rows + len(chunk))
        n_rows += len(chunk)
        if sample:
            new = random.random_sample(len(chunk))
            keys.append(new[new < limit])
            chunk = chunk[new < limit]
        kept.append(chunk)
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


# Text.


_MARKS = {
    codecs.BOM_UTF16_LE: "utf-16",
    codecs.BOM_UTF16_BE: "utf-16",
    codecs.BOM_UTF8: "utf-8-sig",
}
# {encoding of another script: its letters in lower case}; of equally likely ones, the
# first.
_SCRIPTS = {
    "euc_kr": "[\uac00-\ud7a3]",
    "gb2312": "[\u4e00-\u9fff]",
    "cp932": "[\u3041-\u30ff\u4e00-\u9fff]",
    "cp1251": "[\u0430-\u0451]",
    "koi8-r": "[\u0430-\u0451]",
    "cp1253": "[\u03ac-\u03ce]",
}
_MIN_SHARE_OF_LETTERS = 0.3
_FOREIGN = re.compile("[^\0-\x7f]")
# A share of NUL bytes above this means two bytes a character.
_MIN_SHARE_OF_NULS = 0.2


def _read_text(source, sheet):
    head = source.read(HEAD_SIZE)
    encoding, is_damaged = _find_encoding(source, head)
    lines = _head_lines(head, encoding, source.path)
    layout = find_layout(lines, source.path)
    is_whole = len(head) < HEAD_SIZE and len(lines) < MAX_LINES
    if is_whole and not any(map(str.strip, lines[layout.n_lines :])):
        raise ValueError(_NO_ROWS.format(source.path))  # pyarrow may end the process
    notes = list(layout.notes)
    if is_damaged:
        note = "the text is UTF-8 with bytes that are not, which are now \ufffd"
        notes.insert(0, note)
    elif encoding not in ("utf-8", "utf-8-sig"):
        shown = "Windows-1252 (Latin-1)" if encoding == "cp1252" else encoding.upper()
        shown += ", which is a guess" * (encoding in _SCRIPTS)
        notes.insert(0, f"the text was read as {shown}")
    is_plain = not (layout.skips_blanks or layout.has_backslashes or is_damaged)
    read = _arrow_chunks if is_plain else _csv_chunks
    chunks = read(source, layout, encoding, notes)
    if any('="' in line for line in lines):
        chunks = map(_without_formulas, chunks)
    return _declare(chunks, layout, notes), notes, ""


def _find_encoding(source, head):
    """Return the encoding, and whether a text of UTF-8 has bytes that are not."""
    for mark, encoding in _MARKS.items():
        if head.startswith(mark):
            return encoding, False
    sample = head[:4096]
    if sample.count(0) > _MIN_SHARE_OF_NULS * max(len(sample), 1):
        little = sample[1::2].count(0) > sample[::2].count(0)
        return "utf-16-le" if little else "utf-16-be", False
    if _is_of(source, "utf-8"):
        return "utf-8", False
    text = head.decode("utf-8", "replace")
    if len(_FOREIGN.findall(text)) > 10 * text.count("\ufffd"):
        return "utf-8", True
    # Three accents rarely stand side by side.
    runs = re.findall(rb"[\x80-\xff]{3,}", head)
    has_runs = 2 * sum(map(len, runs)) > len(re.findall(rb"[\x80-\xff]", head))
    latin, other = ["cp1252"], _other_script(head)
    likely = other + latin if has_runs else latin + other
    # Five bytes have no character in Windows-1252; Latin-1 takes all.
    return next((one for one in likely if _is_of(source, one)), "latin-1"), False


def _other_script(head):
    """Return the likeliest encoding of a text that is not Latin, in a list."""

    def share(encoding):
        try:
            text = codecs.getincrementaldecoder(encoding)().decode(head)
        except UnicodeDecodeError:
            return 0.0
        # None are foreign where the only byte above 127 begins a character at the end.
        n_foreign = max(len(_FOREIGN.findall(text)), 1)
        return len(re.findall(_SCRIPTS[encoding], text)) / n_foreign

    shares = {encoding: share(encoding) for encoding in _SCRIPTS}
    best = max(shares, key=shares.get)
    return [best] if shares[best] > _MIN_SHARE_OF_LETTERS else []


def _is_of(source, encoding):
    """Return whether the whole file is a text of an encoding."""
    decoder = codecs.getincrementaldecoder(encoding)()
    with source.open() as stream:
        try:
            while block := stream.read(HEAD_SIZE):
                decoder.decode(block)
            decoder.decode(b"", final=True)
        except UnicodeDecodeError:
            return False
    return True


def _head_lines(head, encoding, path):
    try:
        errors = "replace" if encoding == "utf-8" else "strict"
        decoder = codecs.getincrementaldecoder(encoding)(errors)
        text = decoder.decode(head, final=len(head) < HEAD_SIZE)
    except UnicodeDecodeError as error:
        raise ValueError(f"{path}: damaged {encoding} text ({error.reason})") from error
    if "\0" in text:
        line = text.count("\n", 0, text.index("\0")) + 1
        raise ValueError(
            f"{path}, line {line}: a NUL byte; this is no text file, or a damaged one"
        )
    lines = list(io.StringIO(text.lstrip("\ufeff"), newline=""))
    if len(head) == HEAD_SIZE and len(lines) > 1:
        lines.pop()  # it may be cut
    return lines[: 100 * MAX_LINES] if _is_arff(lines) else lines[:MAX_LINES]


def _is_arff(lines):
    return any(line.lower().startswith("@relation") for line in lines[:MAX_LINES])


def _arrow_chunks(source, layout, encoding, notes):
    """Yield frames of strings, read by pyarrow, which refuses rows of another width."""
    # notes gets those on rows that are left out, when all chunks are read.
    labels, frame = list(map(str, range(len(layout.names)))), None
    n_rows, n_comments, is_short = 0, 0, False

    def skips(row):
        nonlocal n_comments, is_short
        if is_drawn(row.text):
            return "skip"
        is_comment = row.text.startswith(layout.comment)
        n_comments += is_comment
        is_short |= not is_comment and row.actual_columns < row.expected_columns
        return "skip" if is_comment else "error"

    with source.open() as stream:
        try:
            reader = arrow_csv.open_csv(
                stream,
                read_options=arrow_csv.ReadOptions(
                    use_threads=False,
                    skip_rows=layout.n_lines,
                    column_names=labels,
                    encoding="utf8" if encoding.startswith("utf-8") else encoding,
                    block_size=HEAD_SIZE,
                ),
                parse_options=arrow_csv.ParseOptions(
                    delimiter=layout.delimiter,
                    quote_char=layout.quote,
                    newlines_in_values=True,
                    invalid_row_handler=skips,
                ),
                convert_options=arrow_csv.ConvertOptions(
                    column_types=dict.fromkeys(labels, pa.string()),
                    strings_can_be_null=True,
                    null_values=[""],
                ),
            )
            for batch in reader:
                table = pa.Table.from_batches([batch])
                frame = table.to_pandas(types_mapper={pa.string(): TEXT}.get)
                n_rows += len(frame)
                yield frame.set_axis(layout.names, axis=1)
            # pyarrow lets the end of the file close a quote.
            last = [] if frame is None else frame.iloc[-1].dropna()
            if any("\n" in cell for cell in last):
                deque(_csv_rows(source, layout, encoding, []), maxlen=0)
            notes += _notes_on_rows(n_comments)
        except pa.ArrowInvalid as error:
            if "Empty CSV" in str(error):
                return
            if is_short:
                yield from _csv_chunks(source, layout, encoding, notes, n_rows)
                return
            deque(_csv_rows(source, layout, encoding, []), maxlen=0)
            if "straddling" in str(error):
                error = f"a row is longer than {HEAD_SIZE} bytes; is a quote open?"
            raise ValueError(f"{source.path}: {error}") from None


def _notes_on_rows(n_comments, n_short=0, remarks=()):
    """Return sentences on the lines of a text that are no whole rows."""
    notes = []
    if n_comments:
        notes.append(f"{with_count(n_comments, 'comment')} among the rows: left out")
    if n_short:
        shown = with_count(n_short, "row")
        notes.append(f"{shown} with fewer cells than the header: the last are missing")
    if remarks:
        lines = "line" if len(remarks) == 1 else f"{len(remarks)} lines"
        (_, (text,)), *_ = remarks
        notes.append(f"the {lines} below the table left out: {text.strip()!r:.60}")
    return notes


def _csv_rows(source, layout, encoding, notes):
    """Yield the rows as lists, or raise an error that names the line of a bad one."""
    # notes: see `_arrow_chunks`.
    csv.field_size_limit(MAX_CELL_LENGTH)
    with source.open() as stream:
        text = lines = io.TextIOWrapper(stream, encoding, "replace", newline="")
        if layout.delimiter == " ":
            text = (line.replace("\t", " ").strip() + "\n" for line in lines)
        elif layout.comment != COMMENT and layout.delimiter == ",":  # ARFF
            text = (line.replace("\t", " ") for line in lines)
        if layout.has_backslashes:
            text = map(double_quotes, text)
        rows = csv.reader(
            islice(text, layout.n_lines, None),
            delimiter=layout.delimiter,
            quotechar=layout.quote,
            skipinitialspace=layout.skips_blanks,
            strict=True,
        )
        line, width = layout.n_lines, len(layout.names)
        n_comments, short, remarks = 0, [], []
        try:
            for i, row in enumerate(rows):
                place = f"{source.path}, line {line + 1}"
                line = layout.n_lines + rows.line_num
                is_odd = len(row) != width
                if (is_odd or remarks) and not any(map(str.strip, row)):
                    continue
                if is_odd and len(row) == 1 and is_drawn(row[0]):
                    continue
                if is_odd and row[0].startswith(layout.comment):
                    n_comments += 1
                elif is_odd and len(row) == 1 and not is_number(row[0]):
                    remarks.append((place, row))
                else:
                    for where, remark in remarks:  # above a row
                        _check_width(remark, width, where)
                    if 1 < len(row) < width and layout.delimiter != " ":
                        short.append((i, place, row.copy()))
                        row += [""] * (width - len(row))
                    _check_width(row, width, place)
                    yield row
        except csv.Error as error:
            raise ValueError(f"{source.path}, line {line + 1}: {error}") from error
        if short and _are_halves(short, width):
            _check_width(short[0][2], width, short[0][1])
        notes += _notes_on_rows(n_comments, len(short), remarks)


def _are_halves(short, width):
    """Return whether short rows are whole ones that a line break in a cell divides."""
    pairs = list(zip(short[::2], short[1::2]))
    return len(short) == 2 * len(pairs) and all(
        j == i + 1 and len(first) + len(second) == width + 1
        for (i, _, first), (j, _, second) in pairs
    )


def _check_width(row, width, place):
    if len(row) != width:
        raise ValueError(
            f"{place}: {len(row)} cells where the header has {width}; quote cells that "
            "hold the delimiter, leave no cell out"
        )


def _csv_chunks(source, layout, encoding, notes, n_read=0):
    """Yield frames of strings of rows that pyarrow cannot read, from one on."""
    rows = islice(_csv_rows(source, layout, encoding, notes), n_read, None)
    while some := list(islice(rows, CHUNK_ROWS)):
        frame = pd.DataFrame(some, columns=range(len(layout.names)), dtype=TEXT)
        yield frame.where(frame != "").set_axis(layout.names, axis=1)


def _without_formulas(chunk):
    """Return the texts of cells that Excel wrote as formulas, such as ="01"."""
    return chunk.apply(lambda cells: cells.str.replace(r'^="(.*)"$', r"\1", regex=True))


def _declare(chunks, layout, notes):
    n_unknown = Counter()
    for chunk in chunks:
        for name, values in layout.categories:
            cells = chunk[name].str.strip()
            are_unknown = ~cells.isin([*values, *MISSING_WORDS]) & cells.notna()
            n_unknown[name] += int(are_unknown.sum())
            chunk[name] = pd.Categorical(cells.where(cells.isin(values)), values)
        yield chunk
    for name, n in (+n_unknown).items():
        shown = with_count(n, "cell")
        notes.append(f"column {name!r}: {shown} not declared: taken as missing")


# Parquet, feather, JSON and Excel.


def _read_json(source, sheet):
    notes = []  # complete when the chunks have been read
    return _json_chunks(source, notes), notes, ""


def _json_chunks(source, notes):
    records, n_columns = _records(source, notes), 0
    while some := _guarded(source, lambda: list(islice(records, CHUNK_ROWS))):
        frame = pd.DataFrame(some, dtype=object)
        n_columns += frame.shape[1]
        # Beside a missing cell pandas makes floats of integers, which may merge codes.
        codes = [name for name, cells in frame.items() if any(map(_is_code, cells))]
        plain = frame.drop(columns=codes).infer_objects()
        yield plain.join(frame[codes])[list(frame)]
    if n_columns == 0:
        raise ValueError(f"{source.path}: it holds no table")


def _records(source, notes):
    """Yield the rows of JSON: lines of records, a list, or a list in a record."""
    text = source.read()
    values = _values(text.decode(json.detect_encoding(text)))
    first, *second = islice(values, 2)
    rows = chain([first, *second], values) if second else _rows_of_value(first, notes)
    if second and isinstance(first, list):
        rows = _rows_of_value(list(rows), notes)
    for row in rows:
        record = dict(cells := list(_flat(row)))
        if len(record) < len(cells):
            (name, _), *_ = Counter(name for name, _ in cells).most_common(1)
            raise ValueError(f"two cells of a record have the name {name!r}")
        yield record


def _values(text):
    """Yield the values of JSON that stand one after the other."""
    decode, blank = json.JSONDecoder().raw_decode, re.compile(r"\s*")
    end = blank.match(text).end()
    while end < len(text):
        value, end = decode(text, end)
        end = blank.match(text, end).end()
        yield value


def _rows_of_value(value, notes):
    """Return the records in a value of JSON, in one of the forms of pandas."""
    if isinstance(value, list) and {dict, list} == set(map(type, value)):
        value = dict(enumerate(value))  # facts, then the records
    if isinstance(value, dict):
        cells = list(value.values())
        found = list(_lists_of_records(value))
        if len(found) == 1:
            return found[0]
        if all(isinstance(one, dict) for one in cells):
            if _are_records(cells):  # by the names of rows
                return cells
            # Columns by the keys of rows.
            keys = dict.fromkeys(chain.from_iterable(cells))
            if len(keys) < sum(map(len, cells)) or len(cells) == 1:
                columns = value.items()
                return [{name: one.get(key) for name, one in columns} for key in keys]
        lists = [one for one in cells if isinstance(one, list) and one]
        if {"columns", "data"} <= value.keys():
            value = [list(map(str, value["columns"])), *value["data"]]
        elif len(lists) == 1:
            (value,) = lists
        elif all(isinstance(one, list) and len(one) == len(cells[0]) for one in cells):
            return [dict(zip(value, row)) for row in zip(*cells)]  # of columns
        elif len(found) > 1 and all(isinstance(one, list | dict) for one in cells):
            raise ValueError(f"{len(found)} lists of records: keep one")
    if value and all(isinstance(row, list) for row in value):
        names, *rows = value
        if not all(isinstance(name, str) for name in names):
            names, rows = [f"column {j + 1}" for j in range(len(names))], value
            notes.append(f"no row names the columns: they are {names[0]!r} and so on")
        if (longest := max(map(len, rows), default=0)) > len(names):
            raise ValueError(f"a list of {longest} cells for {len(names)} columns")
        return [dict(zip_longest(names, row)) for row in rows]
    return [value] if isinstance(value, dict) else value


def _lists_of_records(value):
    """Yield the lists of records within a record, however deep."""
    for one in value.values():
        if isinstance(one, dict):
            yield from _lists_of_records(one)
        elif isinstance(one, list) and one and all(isinstance(r, dict) for r in one):
            yield one


def _are_records(values):
    """Return whether dicts are rows with names, rather than columns."""
    keys = values[0].keys()
    if any(value.keys() != keys for value in values) or all(map(str.isdigit, keys)):
        return False
    # The cells of a column are of one kind, those of a row need not be.
    are_even = [_is_of_one_kind(value.values()) for value in values]
    by_key = [_is_of_one_kind([value[key] for value in values]) for key in keys]
    if all(are_even) != all(by_key):
        return all(by_key)
    return len(values) > len(keys)


def _is_of_one_kind(cells):
    return len({isinstance(cell, str) for cell in cells if cell is not None}) < 2


def _flat(record, prefix=""):
    """Yield the names and the cells of a record, also of those within it."""
    if not isinstance(record, dict):
        raise ValueError("JSON, but no list of records")
    for key, value in record.items():
        if isinstance(value, dict) and value:
            yield from _flat(value, f"{prefix}{key}.")
        else:
            yield f"{prefix}{key}", value


def _is_code(cell):
    return type(cell) is int and abs(cell) >= MIN_CODE


def _read_typed(source, sheet, *, read):
    """Read columns that have types, by a function of the content."""
    frame = _guarded(source, lambda: read(io.BytesIO(source.read())))
    if frame.shape[1] == 0:
        raise ValueError(f"{source.path}: it holds no table")
    return [frame.reset_index(drop=True)], [], ""


def _feather(stream):
    return _without_index(pd.read_feather(stream))


def _parquet(stream):
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


def _guarded(source, read):
    try:
        return read()
    except MemoryError:
        raise
    except ImportError as error:
        raise ValueError(
            f"{source.path}: files of this format need a package ({error})"
        ) from None
    except Exception as error:
        raise ValueError(
            f"{source.path}: damaged, or not of the format that it begins like "
            f"({error})"
        ) from error


def _read_excel(source, sheet):
    book = _guarded(source, lambda: pd.ExcelFile(io.BytesIO(source.read())))
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
    top = _guarded(source, lambda: read(nrows=MAX_LINES, keep_default_na=False))
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
    found = find_header([rows[i] for i in known], source.path)
    first = known[found.row] + (not found.is_data)
    frame = _guarded(source, lambda: read(skiprows=first)).infer_objects()
    names = [*[""] * margin, *found.names]
    names += [""] * (frame.shape[1] - len(names))
    frame = frame.reindex(columns=range(len(names))).set_axis(names, axis=1)
    notes = [note] * bool(note) + list(found.notes)
    if book.engine == "openpyxl":
        notes += _fill_merged(frame, source, chosen, first + 1)
    return [frame], notes, note


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


# {pattern of the first bytes: reader}
READERS = {
    rb"PAR1": partial(_read_typed, read=_parquet),
    rb"ARROW1|FEA1": partial(_read_typed, read=_feather),
    # A list of numbers is one if nothing but lists follows.
    rb'[\[{]\s*["\[\]{}]|\[[-+.,\deE\s]+\]\s*$': _read_json,
    rb"\[\s*(-?\d|null|true|false)[^\n]*,[^\n]*\]\s*\n\[": _read_json,
    rb"PK\x03\x04|\xd0\xcf\x11\xe0": _read_excel,
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
    rb"SQLite format 3": "an SQLite database",
    rb"\x80[\x02-\x05]": "a pickle file",
    rb"%PDF-": "a PDF file",
    rb"Obj\x01": "an Avro file",
    rb"\x28\xb5\x2f\xfd": "compressed by zstd",
    rb"7z\xbc\xaf|Rar!|(?s:.{257})ustar|PK\x05\x06": "an archive",
    rb"\xff{4}..\0\0\x10\0": "an Arrow stream",
    rb"ORC[\x00-\x1f]": "an ORC file",
    rb"\x00\x01\x00\x00Standard ": "an Access database",
    rb"MATLAB 5.0 MAT-file": "a MATLAB file",
    rb"\{\\rtf": "a text of Word",
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
    # The numbers of unnamed columns count the index too, as those of pandas do.
    named = [names[j] or f"Unnamed: {j}" for j in used]
    if not all(names[j] for j in used):
        nameless = [repr(new) for j, new in zip(used, named) if not names[j]]
        notes.append(f"columns without a name are now {', '.join(nameless)}")
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
    return frame.iloc[:, used].set_axis(unique, axis=1), notes


def _counts(column):
    """Return whether a column counts the rows of the file, from 0 or 1."""
    numbers = pd.to_numeric(column, errors="coerce").to_numpy(float, na_value=np.nan)
    first = numbers[0] - column.index[0]
    return first in (0, 1) and bool((numbers - column.index.to_numpy() == first).all())

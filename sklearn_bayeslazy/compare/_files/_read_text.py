"""Reads text: rows as strings, by pyarrow, or row by row where lines need repairs."""

import codecs
import csv
import io
from collections import Counter, deque
from itertools import islice

import pandas as pd
import pyarrow as pa
from pyarrow import csv as arrow_csv

from ...tabular.cleaning import MISSING_WORDS
from .._formatting import with_count
from ._encoding import find_encoding, note_on_encoding
from ._odd_rows import TEXT
from ._source import CHUNK_ROWS, HEAD_SIZE, NO_ROWS
from ._text_layout import (
    COMMENT,
    MAX_CELL_LENGTH,
    MAX_LINES,
    cut,
    double_quotes,
    find_layout,
    is_drawn,
    is_number,
)


def read_text(source, sheet):
    """Return the rows of a text as frames, notes, and the note on sheets: none."""
    # The notes are complete when the frames have been read.
    head = source.read(HEAD_SIZE)
    encoding, is_damaged = find_encoding(source, head)
    lines = _head_lines(head, encoding, source.path)
    layout = find_layout(lines, source.path)
    is_whole = len(head) < HEAD_SIZE and len(lines) < MAX_LINES
    if is_whole and not any(map(str.strip, lines[layout.n_lines :])):
        raise ValueError(NO_ROWS.format(source.path))  # pyarrow may end the process
    notes = [*note_on_encoding(encoding, is_damaged), *layout.notes]
    is_plain = not (layout.skips_blanks or layout.has_backslashes or is_damaged)
    read = _arrow_chunks if is_plain else _csv_chunks
    chunks = read(source, layout, encoding, notes)
    if any('="' in line for line in lines):
        chunks = map(_without_formulas, chunks)
    return _declare(chunks, layout, notes), notes, ""


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
        if layout.starts:
            text = (cut(line, layout.starts) for line in lines)
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

"""Reads text: rows of strings, by csv."""

import codecs
import csv
import io
from collections import Counter
from itertools import chain, islice

import pandas as pd

from ...tabular.cleaning import MISSING_WORDS
from .._formatting import left_out, with_count
from ._encoding import find_encoding, note_on_encoding
from ._odd_rows import N_ROWS, TEXT
from ._source import CHUNK_ROWS, HEAD_SIZE
from ._text_layout import (
    COMMENT,
    MAX_LINES,
    cut,
    double_quotes,
    find_layout,
    is_arff,
    is_drawn,
    is_number,
)

# Stands behind the last line, in a row of its own unless a quote is open there.
_END = "\0end"


def read_text(source, sheet):
    """Return the rows of a text as frames, notes, and the note on sheets: none."""
    # The notes are complete when the frames have been read.
    head = source.read(HEAD_SIZE)
    encoding, is_damaged = find_encoding(source, head)
    lines = _head_lines(head, encoding, source.path)
    layout = find_layout(lines, source.path)
    notes = [*note_on_encoding(encoding, is_damaged), *layout.notes]
    chunks = _chunks(_rows(source, layout, encoding, notes), layout.names)
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
    return lines[: 100 * MAX_LINES] if is_arff(lines) else lines[:MAX_LINES]


def _rows(source, layout, encoding, notes):
    """Yield the rows as lists, or raise an error that names the line of a bad one."""
    # notes gets those on rows that are left out, when all rows are read.
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
            chain(islice(text, layout.n_lines, None), [_END]),
            delimiter=layout.delimiter,
            quotechar=layout.quote,
            skipinitialspace=layout.skips_blanks,
        )
        next_line, width = layout.n_lines, len(layout.names)
        n_comments, short, remarks, after_blank = 0, [], [], 0
        for i, row in enumerate(rows):
            line, next_line = next_line, layout.n_lines + rows.line_num
            if len(row) == width and not remarks and _END not in row[-1]:
                yield row
            elif row == [_END] or not any(map(str.strip, row)):
                after_blank = next_line
            elif _END in row[-1]:
                raise ValueError(
                    f"{source.path}, line {line + 1}: unexpected end of data; is a "
                    "quote open?"
                )
            elif len(row) == 1 and is_drawn(row[0]):
                continue
            elif len(row) != width and row[0].startswith(layout.comment):
                n_comments, after_blank = n_comments + 1, next_line
            elif N_ROWS.match(" ".join(row)) or (
                len(row) < width
                and (remarks or _begins_remark(row, line == after_blank))
            ):
                remarks.append((i, line, row))
            else:  # what stands above a row is no remark but a row
                for j, where, some in (*remarks, (i, line, row)):
                    if 1 < len(some) < width and layout.delimiter != " ":
                        short.append((j, where, some.copy()))
                        some += [""] * (width - len(some))
                    _check_width(some, width, source.path, where)
                    yield some
                remarks = []
        if short and _are_halves(short, width):
            _check_width(short[0][2], width, source.path, short[0][1])
        if n_comments:
            notes.append(left_out(n_comments, "comment", "among the rows"))
        if short:
            shown = with_count(len(short), "row")
            notes.append(f"{shown} shorter than the header: the last cells are missing")
        if remarks:
            text = ", ".join(filter(None, remarks[0][2]))
            notes.append(left_out(len(remarks), "line", "below the table", text))


def _begins_remark(row, is_after_blank):
    """Return whether a short row is a text, or names the columns of another table."""
    return (len(row) == 1 or is_after_blank) and not any(map(is_number, row))


def _are_halves(short, width):
    """Return whether short rows are whole ones that a line break in a cell divides."""
    pairs = list(zip(short[::2], short[1::2]))
    return len(short) == 2 * len(pairs) and all(
        j == i + 1 and len(first) + len(second) == width + 1
        for (i, _, first), (j, _, second) in pairs
    )


def _check_width(row, width, path, line):
    if len(row) != width:
        raise ValueError(
            f"{path}, line {line + 1}: {len(row)} cells where the header has {width}; "
            "quote cells that hold the delimiter, leave no cell out"
        )


def _chunks(rows, names):
    """Yield frames of the rows."""
    while some := list(islice(rows, CHUNK_ROWS)):
        frame = pd.DataFrame(some, columns=range(len(names)), dtype=object)
        yield frame.set_axis(names, axis=1)


def as_text(chunk):
    """Return a frame of a text with strings of pyarrow, empty cells missing."""
    for j, (_, cells) in enumerate(chunk.items()):
        if cells.dtype == object:
            texts = cells.astype(TEXT)
            chunk.isetitem(j, texts.where(texts != ""))
    return chunk


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

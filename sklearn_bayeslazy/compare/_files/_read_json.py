"""Reads JSON: lines of records, lists of them, and the other forms of pandas."""

import json
import re
from collections import Counter
from itertools import chain, islice, zip_longest

import pandas as pd

from ...tabular.cleaning import MIN_CODE
from .._formatting import explained
from ._source import CHUNK_ROWS, DAMAGED


def read_json(source, sheet):
    """Return the rows of JSON, as `read_text` does."""
    notes = []  # complete when the chunks have been read
    return _json_chunks(source, notes), notes, ""


def _json_chunks(source, notes):
    records, n_columns = _records(source, notes), 0
    with explained(DAMAGED.format(source.path)):
        while some := list(islice(records, CHUNK_ROWS)):
            frame = pd.DataFrame(some, dtype=object)
            # Keys that the first record lacks stand beside those of the same record.
            starts = dict.fromkeys(name.partition(".")[0] for name in frame)
            order = {start: j for j, start in enumerate(starts)}
            frame = frame[sorted(frame, key=lambda name: order[name.partition(".")[0]])]
            n_columns += frame.shape[1]
            # Beside a missing cell pandas makes floats of integers, and merges codes.
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
        if named := _named_rows(value):
            return named
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
        if len(lists) == 1:
            (value,) = lists
        elif all(isinstance(one, list) and len(one) == len(cells[0]) for one in cells):
            return [dict(zip(value, row)) for row in zip(*cells)]  # of columns
        elif len(found) > 1 and all(isinstance(one, list | dict) for one in cells):
            raise ValueError(f"{len(found)} lists of records: keep one")
    if value and all(isinstance(row, list) for row in value):
        if all(isinstance(one, dict) for row in value for one in row):
            return list(chain.from_iterable(value))  # parts of one list
        names, *rows = value
        if not all(isinstance(name, str) for name in names):
            names, rows = [f"column {j + 1}" for j in range(len(names))], value
            notes.append(f"no row names the columns: they are {names[0]!r} and so on")
        if (longest := max(map(len, rows), default=0)) > len(names):
            raise ValueError(f"a list of {longest} cells for {len(names)} columns")
        return [dict(zip_longest(names, row)) for row in rows]
    return [value] if isinstance(value, dict) else value


def _named_rows(value):
    """Return the rows of a record with a list of rows and one of names, else None."""
    lists = {key: one for key, one in value.items() if isinstance(one, list) and one}
    tables = [
        one for one in lists.values() if all(isinstance(row, list) for row in one)
    ]
    if len(tables) != 1:
        return None
    # The names may be those of records elsewhere, such as meta.view.columns.
    for key, heads in [
        *lists.items(),
        *(("", one) for one in _lists_of_records(value)),
    ]:
        names = [head.get("name") if isinstance(head, dict) else head for head in heads]
        are_names = key == "columns" or all(isinstance(name, str) for name in names)
        if are_names and all(len(row) == len(names) for row in tables[0]):
            return [dict(zip(map(str, names), row)) for row in tables[0]]
    return None


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

"""Finds the layout of a text table: delimiter, header, and the lines above it.

It looks at the first lines only; csv reads the cells.
"""

import csv
import re
from collections import Counter
from dataclasses import dataclass
from itertools import groupby, pairwise

from ...tabular.cleaning import MISSING_WORDS
from .._formatting import left_out

DELIMITERS = ",;\t|^~\x01"
MAX_LINES, MAX_TITLES = 200, 5
csv.field_size_limit(2**31 - 1)  # what a C long holds on every platform
# Of the first records; so many have the width of the table, whatever the others are.
MIN_SHARE_OF_RECORDS = 0.8
COMMENT, FIXED = "#", "\x1f"
_IN_APOSTROPHES = re.compile(
    rf"(?:^|(?<=[{DELIMITERS}]))'(?:[^']|'')*'(?=[{DELIMITERS}\s]|$)"
)
# A quote within a cell, as Spark and R write it; of CSV it would end the cell.
_ESCAPED_QUOTE = re.compile(rf'(?<!\\)\\"(?= *[^{DELIMITERS}\s"])')
# A line of signs, as SAP and MySQL draw them around tables.
_DRAWN_LINE = re.compile(r"[-+=| ]*[-=]{3}[-+=| ]*")
_YEAR = re.compile(r"(?:19|20)\d\d")
_FRACTION = re.compile(r"[-+]?\d+[.,]\d+")
_ATTRIBUTE = re.compile(
    r"@attribute\s+('[^']*'|\"[^\"]*\"|[^\s{]+)\s*(.*)", re.IGNORECASE
)


@dataclass(frozen=True)
class Layout:
    """How the cells of a text are separated, and where they begin."""

    delimiter: str
    names: list  # of the columns; "" for none
    n_lines: int  # above the first record, the header among them
    quote: str = '"'
    # Whether blanks may follow a delimiter, before a quote or another blank.
    skips_blanks: bool = False
    starts: tuple = ()  # where the columns begin in each line, if it has no delimiter
    has_backslashes: bool = False  # before quotes within cells
    comment: str = COMMENT  # begins lines that are no rows
    categories: tuple = ()  # (name, [category, ...]) of columns that declare them
    notes: tuple = ()


def find_layout(lines, path):
    """Return the layout of a text, given its first lines with their ends."""
    # ValueError: the lines are no table; the message names the line.
    start = next((i for i, line in enumerate(lines) if line.strip()), None)
    if start is None:
        raise ValueError(
            f"{path}: the file is empty or blank; it needs a header and rows"
        )
    if is_arff(lines):
        return _arff_layout(lines, path)
    declared = re.fullmatch(r'"?sep=(.)"?\s*', lines[start], re.IGNORECASE)
    start += declared is not None
    quote = _quote(lines[start:])
    has_backslashes = quote == '"' and any(map(_ESCAPED_QUOTE.search, lines))
    lines = [line.replace(quote, '"') for line in lines]
    if has_backslashes:
        lines = list(map(double_quotes, lines))
    delimiter = declared[1] if declared else find_delimiter(lines[start:])
    if starts := _find_starts(lines[start:], delimiter):
        delimiter, lines = FIXED, [cut(line, starts) for line in lines]
    records = list(_records(lines, start, delimiter))
    if any(len(cells) > 1 for _, _, cells in records):
        records = [one for one in records if len(one[2]) > 1 or not is_drawn(*one[2])]
    if not records:
        raise ValueError(f"{path}: the file has a header but no rows")
    rows = [cells for _, _, cells in records]
    gaps = [end < begin for (_, end, _), (begin, _, _) in pairwise(records)]
    n_titles = count_titles(rows, gaps)
    if _is_sentence(lines[records[0][0]], delimiter) and _are_names(rows[1:]):
        n_titles = max(n_titles, not any(map(_is_underline, rows[1:2])))
    # In an unquoted 1,234 the comma separates thousands; R writes row names in quotes.
    are_quoted = all(lines[begin].startswith('"') for begin, _, _ in records[1:])
    found = find_header(
        rows,
        path,
        records,
        n_titles=n_titles,
        may_name_rows=delimiter != "," or are_quoted,
    )
    first, end, _ = records[found.row]
    if found.row + 1 < len(records) and _is_underline(records[found.row + 1][2]):
        end = records[found.row + 1][1]
    spaced = re.compile(rf'{re.escape(delimiter)} +"')
    return Layout(
        delimiter,
        found.names,
        first if found.is_data else end,
        quote,
        skips_blanks=delimiter in (" ", FIXED) or any(map(spaced.search, lines)),
        starts=starts,
        has_backslashes=has_backslashes,
        notes=found.notes,
    )


def _find_starts(lines, delimiter):
    """Return where the columns of a fixed width begin, none for other texts."""
    # Blanks divide them in each line, but are in cells too, or cells are missing.
    texts = [line.rstrip() for line in lines if not is_drawn(line)]
    blocks = [list(block) for is_text, block in groupby(texts, bool) if is_text]
    table = max(blocks, key=len)
    header, text, size = table[0], "".join(table), max(map(len, table))
    is_even = delimiter == " " and len({len(row.split()) for row in table}) == 1
    is_divided = delimiter != " " and delimiter in text
    is_padded = "  " in header.strip()
    if is_even or is_divided or not is_padded or set('"\t') & set(text):
        return ()
    divides = [not any(row[j : j + 1].strip() for row in table) for j in range(size)]
    starts = [j for j in range(size) if not divides[j] and (j == 0 or divides[j - 1])]
    # A blank in all cells of a column has no name behind it. A blank in a name may show
    # that the cells do not stand below it.
    named = [a for a, b in pairwise([*starts, size]) if header[a:b].strip()]
    starts = sorted({starts[0], *named})
    names = [header[a:b].strip() for a, b in pairwise([*starts, size])]
    return () if len(names) < 2 or any(" " in name for name in names) else tuple(starts)


def cut(line, starts):
    """Return a line of columns of a fixed width with delimiters between its cells."""
    if any(line[start - 1 : start].strip() for start in starts[1:]):
        return line  # a title or a remark
    ends = [*starts[1:], None]
    return FIXED.join(line[a:b].strip() for a, b in zip(starts, ends)) + "\n"


def _quote(lines):
    """Return an apostrophe if cells stand between two, as nothing else does."""
    quoted = "".join(cell for line in lines for cell in _IN_APOSTROPHES.findall(line))
    text, n = "".join(lines), quoted.count("'")
    are_cells = n == text.count("'") and n >= len(lines)
    return "'" if are_cells and '"' not in text else '"'


def double_quotes(line):
    """Return a line with doubled quotes for those behind a backslash."""
    return re.sub(r'(?<!\\)\\"', '""', line)


def is_drawn(line):
    """Return whether a line is drawn, as above and below a table."""
    return _DRAWN_LINE.fullmatch(line.rstrip()) is not None


def is_arff(lines):
    """Return whether one of the first lines names an ARFF relation."""
    return any(re.match(r"@relation\s", line, re.I) for line in lines[:MAX_LINES])


def find_delimiter(lines):
    """Return the character that divides most of the first lines equally."""
    lines = [line for line in lines if not is_drawn(line)] or lines
    found = {delimiter: _evenness(lines, delimiter) for delimiter in DELIMITERS}
    best = max(DELIMITERS, key=found.get)
    is_even, has_names, _, count, _ = _evenness(lines, " ")
    n_aligned = sum("  " in line.strip() for line in lines)
    # Otherwise blanks that divide the rows, but not the header, are within cells.
    divides_all = count == sum(line.strip() != "" for line in lines)
    is_aligned = (
        best == "\t" and divides_all and n_aligned >= MIN_SHARE_OF_RECORDS * len(lines)
    )
    # The commas in 0,5 1,5 below a b are decimal.
    is_in_cells = best == "," and divides_all and not found[best][1]
    if is_even and has_names and (not found[best][0] or is_aligned or is_in_cells):
        return " "
    if not any(found[best][:2]):  # one column
        text = "".join(lines)
        return next((one for one in DELIMITERS if one not in text), FIXED)
    return best


def _evenness(lines, delimiter):
    """Return how well a delimiter fits; the larger tuple is better."""
    # Whether most records have one width above 1; whether the first has several cells;
    # whether the sign is not one of sentences there, as in "weight, kg;height, cm"; the
    # number of records of that width, or the cells of the first; the width.
    records = [cells for _, _, cells in _records(lines, 0, delimiter)]
    widths = [len(cells) for cells in records if not _is_comment(cells)]
    if not widths:
        return False, False, False, 0, 0
    width, count = Counter(widths).most_common(1)[0]
    is_even = width > 1 and count >= MIN_SHARE_OF_RECORDS * len(widths)
    text = "".join(lines)
    if widths[0] == 1 and 2 * text.count(delimiter + " ") > text.count(delimiter):
        is_even = False  # commas in sentences
    first = next(filter(str.strip, lines))
    in_words = delimiter in ",;" and f"{delimiter} " in first
    return is_even, widths[0] > 1, not in_words, count if is_even else widths[0], width


def _records(lines, start, delimiter):
    """Yield (first line, line after it, cells) of the records that are not blank."""
    kept = lines[start:]
    if delimiter == " ":
        kept = [line.strip().replace("\t", " ") + "\n" for line in kept]
    reader = csv.reader(kept, delimiter=delimiter, skipinitialspace=True)
    line = start
    for cells in reader:
        begin, line = line, start + reader.line_num
        if any(map(str.strip, cells)):
            yield begin, line, cells


@dataclass(frozen=True)
class Header:
    """Where the names of the columns are."""

    row: int  # of the records; the first row of data if there are no names
    names: list
    is_data: bool = False
    notes: tuple = ()


def find_header(rows, path, records=None, *, n_titles=0, may_name_rows=True):
    """Return the header of records: the first that is as wide as most of them."""
    # rows: lists of str. records: their lines, for messages. n_titles: of the first
    # that are known to be titles. may_name_rows: whether the rows may begin with names
    # above which the header has no cell.
    width = _width([row for row in rows if not _is_comment(row)] or rows)
    titles = []
    for i, row in enumerate(rows):
        known = [cell for cell in row if cell.strip()]
        is_title = width > 1 and len(known) == 1 and row[0].strip() != ""
        is_title |= i < n_titles
        is_name_of_comment = _is_comment(row) and not _is_header(rows, i, width)
        if not (is_title or is_name_of_comment):
            break
        titles.append(known[0].strip())
    more = _first_full(rows[i:], width)
    if more:
        titles += [next(filter(str.strip, above), "") for above in rows[i : i + more]]
        i += more
        row = rows[i]
    names = [cell.strip() for cell in row]
    while len(names) > width and not names[-1]:
        names.pop()
    names[0] = names[0].removeprefix(COMMENT).lstrip() if _is_comment(row) else names[0]
    notes = ()
    if titles:
        notes = (left_out(len(titles), "line", "above the header", titles[0]),)
    line = f", line {records[i][0] + 1}" if records else ""
    if _are_groups(names, rows[i + 1 :]):
        names = _names_in_groups(names, rows[i + 1])
        shown = next(name for name in names if name not in rows[i])
        note = f"two lines name the columns, as in {shown!r:.60}"
        first, *others = rows[i + 2]
        if not names[0] and first.strip() and not any(others):  # of pandas
            return Header(i + 2, [first.strip(), *names[1:]], notes=(*notes, note))
        return Header(i + 1, names, notes=(*notes, note))
    if len(names) == width - 1 and _ends_empty(rows[i + 1 :], width):
        return Header(i, [*names, ""], notes=notes)
    first = [row[0] for row in rows[i + 1 :] if len(row) == width]
    are_names = may_name_rows and all(names) and len(set(first)) == len(first)
    if len(names) == width - 1 and are_names:
        note = "the header has a name less than the rows: that of the first column"
        return Header(i, ["", *names], notes=(*notes, note))
    if len(names) != width:
        raise ValueError(
            f"{path}{line}: {len(names)} names, and most rows have {width} cells; "
            "quote cells that hold the delimiter, leave no cell out"
        )
    below = [row for row in rows[i + 1 :] if len(row) == width and not _is_comment(row)]
    if _is_data(names, below):
        names = [f"column {j + 1}" for j in range(len(names))]
        note = f"no line names the columns: they are {names[0]!r} to {names[-1]!r}"
        return Header(i, names, True, (*notes, note))
    return Header(i, names, notes=notes)


def count_titles(rows, gaps):
    """Return the number of titles that are as wide as the table, above its header."""
    # gaps: whether a blank line stands below each record. "Report | 2024" above two
    # columns needs none.
    gaps = [*gaps[:MAX_TITLES]]
    if len(rows[0]) == 2 and is_number(rows[0][1]):
        gaps[:1] = [True]
    for n, has_gap in enumerate(gaps, start=1):
        are_words = not any(is_number(row[0]) for row in rows[:n])
        if has_gap and are_words and _are_names(rows[n:]):
            return n
    return 0


def _first_full(rows, width):
    """Return the number of incomplete records above a header of words, 0 for none."""
    # "Station | Oslo" above the names of five columns, or groups of columns in cells
    # that are merged. Digits below show that the words are names.
    end = width - _ends_empty(rows, width)
    is_full = [
        len(row) in (end, width) and all(map(str.strip, row[:end])) for row in rows
    ]
    first = is_full.index(True) if True in is_full else 0
    header, *below = rows[first:]
    if any(len(row) == width and all(map(str.strip, row[1:])) for row in rows[:first]):
        return 0  # only the first column has no name
    have_digits = [[any(map(str.isdigit, c)) for c in row] for row in below]
    are_above = [
        2 * sum(cells) > len(cells)
        for name, cells in zip(header, zip(*have_digits))
        if _YEAR.fullmatch(name) or not any(map(str.isdigit, name))
    ]
    numbers = list(filter(is_number, header))
    are_years = all(map(_YEAR.fullmatch, numbers)) and len(numbers) < len(header)
    are_names = len(set(header)) == width and are_years
    are_names &= not numbers or (len(numbers) > 1 and sorted(set(numbers)) == numbers)
    return first if are_names and any(are_above) else 0


def _are_groups(names, rows):
    """Return whether a record below the header names the columns of its groups."""
    # A name of several columns stands above the first, "Lab,," above "age,weight,", or
    # above each.
    nameless = [j for j, name in enumerate(names) if j and not name]
    repeated = [j for j, (a, b) in enumerate(pairwise(names), start=1) if a == b != ""]
    rows = [row for row in rows if len(row) == len(names)]
    if not nameless + repeated or len(rows) < 2:
        return False
    first, *below = rows
    columns = [[cell for cell in cells if cell.strip()] for cells in zip(*below)]
    if not nameless and not all(all(map(is_number, columns[j])) for j in repeated):
        return False
    # The options of a question, which name its columns, may be its answers too.
    alone = [j for j, pair in enumerate(pairwise([*names, "."])) if all(pair)]
    repeats = any(first[j] in columns[j] for j in alone)
    has_numbers = any(cells and all(map(is_number, cells)) for cells in columns)
    are_words = not any(map(is_number, first)) and MISSING_WORDS.isdisjoint(
        first[j].strip() for j in nameless + repeated
    )
    return has_numbers and are_words and not repeats


def _names_in_groups(groups, row):
    """Return the names of columns, each behind that of its group."""
    names, last = [], ""
    for group, name in zip(groups, row):
        last = group or last
        names.append(f"{last} {name.strip()}".strip())
    return names


def _is_sentence(line, delimiter):
    """Return whether the delimiters of a line are the commas of a sentence."""
    n_commas = line.count(delimiter + " ")
    return 0 < n_commas == line.count(delimiter) and line.count(" ") > n_commas


def _are_names(rows):
    """Return whether the first record is words, and numbers stand below some."""
    header, *below = [row for row in rows if len(row) == len(rows[0])] or [[]]
    are_words = all(map(str.strip, header)) and MISSING_WORDS.isdisjoint(header)
    if not below or not are_words or any(map(is_number, header)):
        return False
    return any(all(map(is_number, cells)) for cells in zip(*below))


def _width(rows):
    """Return the most common number of cells; of equally common ones the first."""
    return Counter(map(len, rows)).most_common(1)[0][0]


def _is_comment(row):
    return row[0].startswith(COMMENT)


def _is_header(rows, i, width):
    """Return whether a record that begins with # names the columns."""
    others = [row for row in rows[i + 1 :] if not _is_comment(row)]
    is_last = i + 1 < len(rows) and not _is_comment(rows[i + 1])
    has_names = len(rows[i]) == width > 1 and not any(map(is_number, rows[i]))
    return is_last and has_names and any(map(is_number, others[0]))


def _is_underline(row):
    """Return whether a record underlines the header, as in Markdown and SQL Server."""
    known = [cell.strip() for cell in row if cell.strip()]
    return "--" in "".join(known) and all(
        re.fullmatch(r":?-[-+]*:?", cell) for cell in known
    )


def _ends_empty(rows, width):
    full = [row for row in rows if len(row) == width]
    return bool(full) and all(not row[-1].strip() for row in full)


def _is_data(names, rows):
    """Return whether the first line is like those below, or cannot be names."""
    numbers = [name for name in names if is_number(name)]
    if not rows or len(names) < 2 or any(map(_is_name, names, zip(*rows))):
        return False
    if all([cell.strip() for cell in row] == names for row in rows):
        return False  # it repeats, without any data
    if len(set(numbers)) < len(numbers) or any(map(_FRACTION.fullmatch, numbers)):
        return True
    if len(numbers) == len(names):  # counters and years are names
        if _are_counted(numbers):
            return False
        return all(map(_has_shape, names, zip(*rows)))
    return all(map(_is_like, names, zip(*rows)))


def _are_counted(numbers):
    """Return whether numbers count, as those of years do."""
    steps = {float(b) - float(a) for a, b in pairwise(numbers)}
    return len(steps) == 1 and (min(steps) > 0 or all(map(_YEAR.fullmatch, numbers)))


def _is_name(name, cells):
    """Return whether a word stands above numbers, or above words without it."""
    known = {cell.strip() for cell in cells} - MISSING_WORDS
    if not name[:1].isalpha() or name in known | MISSING_WORDS or is_number(name):
        return False
    # Each cell of a column of names is another; classes repeat.
    return all(map(is_number, known)) or 2 * len(known) <= len(cells)


def _is_like(name, cells):
    """Return whether a name is one of the cells of a column, or a number as they."""
    if name.strip() in MISSING_WORDS:
        return True
    if any(map(is_number, cells)):  # a word is a header, though it may be repeated
        return is_number(name)
    return name in map(str.strip, cells) or _has_shape(name, cells)


def _has_shape(name, cells):
    """Return whether a name has digits where a cell has digits."""
    shapes = [re.sub(r"\d", "0", cell.strip()) for cell in (name, *cells)]
    return any(map(str.isdigit, name)) and shapes[0] in shapes[1:]


def is_number(cell):
    """Return whether a cell is a number with a point or a comma."""
    try:
        float(cell.strip().replace(",", "."))
    except ValueError:
        return False
    return True


def _arff_layout(lines, path):
    """Return the layout of an ARFF file: its attributes, then comma-separated rows."""
    names, categories = [], []
    for i, line in enumerate(lines):
        text = line.strip()
        if text.lower() == "@data":
            break
        if text.lower().startswith("@attribute"):
            found = _ATTRIBUTE.fullmatch(text)
            if found is None:
                raise ValueError(f"{path}, line {i + 1}: no ARFF attribute: {text:.60}")
            names.append(found[1].strip("'\""))
            if found[2].startswith("{"):
                domain = found[2].replace("\t", " ").strip("{} ")
                quote = '"' if '"' in domain else "'"
                (cells,) = csv.reader([domain], quotechar=quote, skipinitialspace=True)
                categories.append((names[-1], [cell.strip() for cell in cells]))
    else:
        raise ValueError(f"{path}: an ARFF file without @data within its first lines")
    data = "".join(lines[i + 1 :])
    if data.lstrip().startswith("{"):
        raise ValueError(f"{path}, line {i + 2}: sparse ARFF rows cannot be read")
    return Layout(
        "\t" if "\t" in data and "," not in data else ",",
        names,
        i + 1,
        quote="'" if "'" in data else '"',
        skips_blanks=re.search(r",[ \t]", data) is not None,
        comment="%",
        categories=tuple(categories),
    )

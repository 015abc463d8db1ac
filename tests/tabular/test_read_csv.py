"""read_csv: numbers, strings and missing cells, and errors that name the line."""

import csv
import gzip

import numpy as np
import pytest

from sklearn_bayeslazy.tabular._read_csv import EMPTY, as_matrix, read_csv


@pytest.fixture
def write(tmp_path):
    def write(content, name="table.csv"):
        path = tmp_path / name
        raw = content.encode() if isinstance(content, str) else content
        path.write_bytes(gzip.compress(raw) if name.endswith(".gz") else raw)
        return path

    return write


def cells(column):
    """Return a column as a list in which a missing cell is None."""
    return [None if cell != cell else cell for cell in column.tolist()]


def test_numbers_become_floats_and_the_rest_strings(write):
    names, columns = read_csv(write("a, b ,c\n1,x,1\n-2.5e3, y ,z\n,,\n"))
    assert names == ["a", "b", "c"]
    assert [column.dtype for column in columns] == [float, object, object]
    assert [cells(column) for column in columns] == [
        [1.0, -2500.0, None],
        ["x", "y", None],
        ["1", "z", None],
    ]


@pytest.mark.parametrize("token", ["NA", "NaN", "nan", "N/A", "null", "None", "?", " "])
def test_missing_tokens(write, token):
    path = write(f"a,b\n1,x\n{token},{token}\n")
    numbers, words = read_csv(path)[1]
    assert cells(numbers) == [1.0, None]
    assert cells(words) == ["x", None]


def test_only_empty_cells_are_missing_if_only_they_are_given(write):
    path = write("a,b\n1,\nNA,none\n")
    assert [cells(column) for column in read_csv(path, missing=EMPTY)[1]] == [
        ["1", "NA"],
        [None, "none"],
    ]


@pytest.mark.parametrize("cell", ["inf", "-Infinity", "1_000", "NAN", "1,5", "0x10"])
def test_a_cell_that_is_not_a_plain_finite_number_is_a_string(write, cell):
    column = read_csv(write(f"a;b\n1;1\n{cell};2\n"))[1][0]
    assert cells(column) == ["1", cell]


def test_a_column_without_a_value_is_numeric(write):
    column = read_csv(write("a,b\n,1\nNA,2\n"))[1][0]
    assert column.dtype == float
    assert np.isnan(column).all()


@pytest.mark.parametrize("delimiter", list(",;\t|"))
def test_the_delimiter_is_found(write, delimiter):
    text = "a b,c\nx,1\ny,2\n".replace(",", delimiter)
    names, columns = read_csv(write(text))
    assert names == ["a b", "c"]
    assert cells(columns[1]) == [1, 2]


def test_decimal_commas_are_not_taken_for_the_delimiter(write):
    names, columns = read_csv(write("a;b\n1,5;2,5\n3,5;4,5\n"))
    assert names == ["a", "b"]
    assert cells(columns[0]) == ["1,5", "3,5"]


def test_quoted_cells_hold_delimiters_quotes_and_lines(write):
    names, columns = read_csv(
        write('"a, b",c\n"x\ny","1,2"\n"say ""hi""",é\n', "t.csv")
    )
    assert names == ["a, b", "c"]
    assert cells(columns[0]) == ["x\ny", 'say "hi"']
    assert cells(columns[1]) == ["1,2", "é"]


def test_a_cell_may_be_longer_than_the_csv_modules_limit(write):
    limit = csv.field_size_limit()
    long = "a word, " * (limit // 8 + 1) + "end"
    assert cells(read_csv(write(f'a,b\n"{long}",1\n'))[1][0]) == [long]
    with pytest.raises(ValueError, match="line 3: unexpected end of data"):
        read_csv(write(f'a,b\n1,2\n"{long}'))
    assert csv.field_size_limit() == limit


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
@pytest.mark.parametrize("name", ["table.csv", "table.csv.gz"])
def test_line_ends_byte_order_mark_blank_lines_and_gzip(write, end, name):
    raw = b"\xef\xbb\xbf" + end.join(["", "a,b", "", "1,x", "2,y"]).encode()
    names, columns = read_csv(write(raw, name))
    assert names == ["a", "b"]
    assert cells(columns[0]) == [1, 2]


def test_a_unicode_line_separator_inside_a_cell_starts_no_row(write):
    # str.splitlines would cut here.
    columns = read_csv(write("a,b\nx\u2028y\x0b,1\n"))[1]
    assert cells(columns[0]) == ["x\u2028y"]


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("", "the file is empty or blank"),
        ("\n  \n", "the file is empty or blank"),
        ("a,b\n", "a header but no rows"),
        ("a,b\n1,2\n3\n", r"line 3: 1 cells where the header has 2"),
        ('a,b\n"1\n1",2\n3,4,5\n', r"line 4: 3 cells where the header has 2"),
        ("a,,b\n1,2,3\n", r"line 1: column 2 has no name"),
        ("\na, a\n1,2\n", r"line 2: two columns are named 'a'"),
        ('a,b\n1,2\n"3,4\n', r"line 3: unexpected end of data"),
        (b"a,b\n1,\xff\n", r"line 2: byte 0xff is not UTF-8"),
        ("a,b\n1,2\n".encode("utf-16"), "not UTF-8"),
    ],
)
def test_refusals_name_file_and_line(write, content, message):
    path = write(content)
    with pytest.raises(ValueError, match=message) as caught:
        read_csv(path)
    assert str(path) in str(caught.value)


def test_damaged_gzip_is_refused(write, tmp_path):
    whole = write("a,b\n1,2\n" * 50, "whole.csv.gz").read_bytes()
    for name, raw in [("cut.gz", whole[:-12]), ("plain.gz", b"a,b\n1,2\n")]:
        (tmp_path / name).write_bytes(raw)
        with pytest.raises(ValueError, match=f"{name}: damaged or truncated gzip file"):
            read_csv(tmp_path / name)


def test_a_file_that_is_not_there_is_an_os_error(tmp_path):
    with pytest.raises(FileNotFoundError):
        read_csv(tmp_path / "absent.csv")


def test_matrix_is_float_only_if_every_column_is():
    numbers, words = np.array([1.0, np.nan]), np.array(["x", np.nan], dtype=object)
    assert as_matrix([numbers, numbers]).dtype == float
    mixed = as_matrix([numbers, words])
    assert mixed.dtype == object
    assert mixed[0].tolist() == [1.0, "x"]
    assert isinstance(mixed[0, 0], float)

"""read_file: formats, encodings, compression, names of columns, and damaged files.

Code under test: `compare/_read_file.py`.
"""

import builtins
import bz2
import gzip
import io
import lzma
import sys

import numpy as np
import pandas as pd
import pytest

from sklearn_bayeslazy.compare._read_dataset import read_dataset
from sklearn_bayeslazy.compare._read_file import read_file

TEXT = "n,wörd,t\n1,ä,x\n2.5,,y\n"
FRAME = pd.DataFrame(
    {
        "n": [1, 2.5],
        "wörd": ["ä", None],
        "t": ["x", "y"],
    }
)


def check(file):
    assert file.names == ("n", "wörd", "t")
    assert file.columns[0].tolist() == [1, 2.5]
    assert file.columns[1][0] == "ä"
    assert np.isnan(file.columns[1][1])
    assert file.columns[2].tolist() == ["x", "y"]


@pytest.mark.parametrize("delimiter", [",", ";", "\t", "|"])
def test_delimiters(tmp_path, delimiter):
    path = tmp_path / "t.txt"
    path.write_text(TEXT.replace(",", delimiter), encoding="utf-8")
    file = read_file(path)
    check(file)
    assert file.notes == ()
    assert (file.format.reader, file.format.delimiter) == ("read_csv", delimiter)


@pytest.mark.parametrize("compress", [gzip.compress, bz2.compress, lzma.compress])
@pytest.mark.parametrize("name", ["t.csv.gz", "t.csv"])
def test_compressed_text_is_found_by_its_content(tmp_path, compress, name):
    (tmp_path / name).write_bytes(compress(TEXT.encode()))
    check(read_file(tmp_path / name))


@pytest.mark.parametrize(
    ("encoding", "note"),
    [
        ("utf-8-sig", None),
        ("latin-1", "Windows-1252 (Latin-1)"),
        ("utf-16", "UTF-16"),
        ("utf-16-le", "UTF-16-LE"),
        ("utf-16-be", "UTF-16-BE"),
    ],
)
def test_encodings_are_found_and_told(tmp_path, encoding, note):
    path = tmp_path / "t.csv"
    path.write_bytes(TEXT.encode(encoding))
    file = read_file(path)
    check(file)
    assert file.notes == (() if note is None else (f"the text was read as {note}",))
    # The encoding is told to pandas, which must read the same names.
    again = pd.read_csv(path, encoding=file.format.encoding)
    assert list(again) == ["n", "wörd", "t"]


def test_bytes_that_windows_1252_lacks_are_latin_1(tmp_path):
    path = tmp_path / "t.csv"
    path.write_bytes(b"a,b\n\x81\xe9,1\n")
    file = read_file(path)
    assert file.format.encoding == "latin-1"
    assert file.columns[0][0] == "\x81é"


def test_standard_input(monkeypatch):
    stream = io.TextIOWrapper(io.BytesIO(gzip.compress(TEXT.encode())))
    monkeypatch.setattr(sys, "stdin", stream)
    check(read_file("-"))


def write(frame, path):
    if path.suffix == ".parquet":
        frame.to_parquet(path)
    elif path.suffix == ".feather":
        frame.to_feather(path)
    elif path.suffix == ".xlsx":
        pytest.importorskip("openpyxl")
        frame.to_excel(path, index=False)
    else:
        lines = path.name != "t.json"
        frame.to_json(path, orient="records", lines=lines, compression="infer")


@pytest.mark.parametrize(
    ("name", "reader"),
    [
        ("t.parquet", "read_parquet"),
        ("t.feather", "read_feather"),
        ("t.xlsx", "read_excel"),
        ("t.jsonl", "read_json"),
        ("T.NDJSON", "read_json"),
        ("t.json", "read_json"),
        ("t.jsonl.gz", "read_json"),
    ],
)
def test_formats_that_pandas_reads(tmp_path, name, reader):
    write(FRAME, tmp_path / name)
    file = read_file(tmp_path / name)
    check(file)
    assert file.format.reader == reader
    assert file.format.json_lines == (name != "t.json")


def without(monkeypatch, *packages):
    real = builtins.__import__

    def find(name, *arguments, **options):
        if name.split(".")[0] in packages:
            raise ImportError(name)
        return real(name, *arguments, **options)

    monkeypatch.setattr(builtins, "__import__", find)
    for package in packages:
        monkeypatch.setitem(sys.modules, package, None)


@pytest.mark.parametrize("name", ["t.parquet", "t.feather", "t.jsonl"])
def test_polars_reads_where_pandas_is_missing(tmp_path, monkeypatch, name):
    write(FRAME, tmp_path / name)
    without(monkeypatch, "pandas")
    check(read_file(tmp_path / name))


@pytest.mark.parametrize("name", ["t.parquet", "t.xlsx", "t.json"])
def test_a_missing_package_is_named_with_the_extra(tmp_path, monkeypatch, name):
    (tmp_path / name).write_bytes(b"PK\3\4")
    without(monkeypatch, "pandas", "polars")
    with pytest.raises(ValueError, match=r"need pandas: pip install .*\[files\]'$"):
        read_file(tmp_path / name)


def test_kinds_of_cells_of_a_frame(tmp_path):
    frame = pd.DataFrame(
        {
            "integer": pd.array([1, None, 3], dtype="Int64"),
            "float": [1.5, np.inf, np.nan],
            "flag": [True, False, True],
            "maybe": pd.array([True, None, False], dtype="boolean"),
            "kind": pd.Categorical(["a", None, "b"]),
            "when": pd.to_datetime(["2024-01-02 03:04", None, "2024-01-03 00:00"]),
            "list": [[1], [2], None],
        }
    )
    frame.to_parquet(tmp_path / "t.parquet")
    file = read_file(tmp_path / "t.parquet")
    columns = dict(zip(file.names, file.columns))
    np.testing.assert_array_equal(columns["integer"], [1, np.nan, 3])
    np.testing.assert_array_equal(columns["float"], [1.5, np.nan, np.nan])
    assert columns["flag"].tolist() == ["True", "False", "True"]
    assert columns["maybe"][[0, 2]].tolist() == ["True", "False"]
    assert columns["kind"][[0, 2]].tolist() == ["a", "b"]
    assert columns["when"][0] == "2024-01-02T03:04:00"
    assert columns["list"][0] == "[1]"
    assert all(np.isnan(columns[c][1]) for c in ("maybe", "kind", "when"))


@pytest.mark.parametrize("first", [0, 1])
def test_a_nameless_first_column_that_counts_is_the_index(tmp_path, first):
    frame = FRAME.set_axis([first, first + 1])
    frame.to_csv(tmp_path / "t.csv")
    file = read_file(tmp_path / "t.csv")
    check(file)
    assert file.format.index_column
    assert "counts the rows: left out" in file.notes[0]


def test_a_nameless_column_of_data_is_kept(tmp_path):
    path = tmp_path / "t.csv"
    path.write_text(",b,\n5,x,1\n4,y,2\n")
    file = read_file(path)
    # pandas gives the same names.
    assert (
        list(file.names) == list(pd.read_csv(path)) == ["Unnamed: 0", "b", "Unnamed: 2"]
    )
    assert "columns without a name are now 'Unnamed: 0', 'Unnamed: 2'" in file.notes[0]


def test_repeated_names_get_the_numbers_of_pandas(tmp_path):
    path = tmp_path / "t.csv"
    path.write_text("a,b,a,a,a.1,b\n1,2,3,4,5,6\n")
    file = read_file(path)
    assert list(file.names) == list(pd.read_csv(path))
    assert file.notes == ("repeated names got numbers: 'a.2', 'a.3', 'b.1'",)
    assert [column[0] for column in file.columns] == [1, 2, 3, 4, 5, 6]


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("t.csv", b"", "empty"),
        ("t.csv", b"\n \n", "empty or blank"),
        ("t.csv", b"a,b\n", "header but no rows"),
        ("t.csv", b"a,b\n1,2\n3\n", "line 3: 1 cells where the header has 2"),
        ("t.csv", b"a,b\n1,\0\n", "line 2: a NUL byte"),
        ("t.csv", b"\x7fELF" + bytes(range(256)) * 20, "NUL byte"),
        ("t.csv", b"\xff\xfea", "damaged utf-16 text"),
        # The time in the header would give each worker of pytest another test name.
        (
            "t.csv.gz",
            gzip.compress(TEXT.encode(), mtime=0)[:-9],
            "damaged or truncated gzip",
        ),
        ("t.parquet", b"no parquet", "damaged, or not of the format"),
        ("t.jsonl", b'{"a": 1}\n{"a"', "damaged, or not of the format"),
        ("t.json", b"[]", "it holds no table"),
    ],
)
def test_a_hostile_file_gives_one_line(tmp_path, name, content, message):
    (tmp_path / name).write_bytes(content)
    with pytest.raises(ValueError, match=message) as caught:
        read_file(tmp_path / name)
    assert str(caught.value).startswith(str(tmp_path / name))


@pytest.fixture
def book(tmp_path):
    """Write a book with the table on its second sheet."""
    pytest.importorskip("openpyxl")
    path = tmp_path / "book.xlsx"
    with pd.ExcelWriter(path) as writer:
        pd.DataFrame({"about": ["notes"]}).to_excel(writer, sheet_name="Read me")
        FRAME.to_excel(writer, sheet_name="Data", index=False)
        pd.DataFrame().to_excel(writer, sheet_name="Empty", index=False)
    return path


def test_the_first_sheet_is_read_and_the_others_are_named(book):
    file = read_file(book)
    assert file.notes[0] == (
        "the sheet 'Read me' is read, not 'Data', 'Empty' (--sheet)"
    )
    assert file.format.sheet is None


def test_a_sheet_is_read_by_its_name(book):
    file = read_file(book, "Data")
    check(file)
    assert file.notes == ("the sheet 'Data' is read, not 'Read me', 'Empty' (--sheet)",)
    assert file.format.sheet == "Data"


@pytest.mark.parametrize(
    ("sheet", "message"),
    [
        ("data", "no sheet 'data' for --sheet; it has 'Read me', 'Data', 'Empty'"),
        ("Empty", r"no table \(the sheet 'Empty' is read, not 'Read me', 'Data'"),
    ],
)
def test_a_sheet_that_cannot_be_read_names_the_others(book, sheet, message):
    with pytest.raises(ValueError, match=message):
        read_file(book, sheet)


@pytest.mark.parametrize("name", ["t.csv", "t.jsonl"])
def test_a_file_without_sheets_refuses_the_option(tmp_path, name):
    write(FRAME, tmp_path / name) if name == "t.jsonl" else FRAME.to_csv(
        tmp_path / name
    )
    with pytest.raises(ValueError, match="--sheet is for Excel"):
        read_file(tmp_path / name, "Data")


@pytest.mark.parametrize("name", ["t.xlsx", "t.jsonl", "t.json", "t.parquet"])
def test_strings_of_digits_keep_a_leading_zero(tmp_path, name):
    frame = pd.DataFrame({"zip": ["01234", "90210"], "text": ["1", "2"], "n": [1, 2]})
    write(frame, tmp_path / name)
    zips, texts, numbers = read_file(tmp_path / name).columns
    assert zips.tolist() == ["01234", "90210"]
    assert texts.tolist() == numbers.tolist() == [1.0, 2.0]


def test_an_error_about_the_target_names_the_sheet(book):
    with pytest.raises(ValueError, match=r"'n' for --target; ") as caught:
        read_dataset(book, "n")
    assert "(the sheet 'Read me' is read, not 'Data', 'Empty' (--sheet))" in str(
        caught.value
    )


def test_digits_that_begin_with_a_zero_stay_strings(tmp_path):
    path = tmp_path / "t.csv"
    path.write_text("zip,x\n01234,0.5\n90210,0\n,-0.5\n")
    zips, numbers = read_file(path).columns
    assert zips[:2].tolist() == ["01234", "90210"]
    assert numbers.tolist() == [0.5, 0.0, -0.5]

"""read_file: formats, encodings, compression, layouts, names, damaged files, samples.

Code under test: `compare/_files/_read_file.py`,
`compare/_files/_source.py`, `compare/_files/_encoding.py`,
`compare/_files/_read_text.py`, `compare/_files/_text_layout.py`,
`compare/_files/_read_json.py`, `compare/_files/_read_typed.py`,
`compare/_files/_odd_rows.py`.
"""

import bz2
import codecs
import gzip
import io
import json
import lzma
import sys
import zipfile
from decimal import Decimal

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from sklearn_bayeslazy.compare._files._read_file import read_file
from sklearn_bayeslazy.compare._read_dataset import read_dataset

TEXT = "n,wörd,t\n1,ä,x\n2.5,,y\n"
FRAME = pd.DataFrame({"n": [1, 2.5], "wörd": ["ä", None], "t": ["x", "y"]})


def cells(file):
    """Return the rows of a file as lists, None for a missing cell."""
    frame = file.frame if hasattr(file, "frame") else file
    return frame.astype(object).where(frame.notna(), None).to_numpy().tolist()


def check(file, numbers=("1", "2.5")):
    assert list(file.frame) == ["n", "wörd", "t"]
    assert cells(file) == [[numbers[0], "ä", "x"], [numbers[1], None, "y"]]
    assert file.n_rows == 2


def write_text(path, text, encoding="utf-8"):
    path.write_bytes(text.encode(encoding))
    return path


@pytest.mark.parametrize("delimiter", [",", ";", "\t", "|"])
def test_delimiters(tmp_path, delimiter):
    path = write_text(tmp_path / "t.txt", TEXT.replace(",", delimiter))
    file = read_file(path)
    check(file)
    assert file.notes == ()


@pytest.mark.parametrize("compress", [gzip.compress, bz2.compress, lzma.compress])
@pytest.mark.parametrize("name", ["t.csv.gz", "t.csv"])
def test_compressed_text_is_found_by_its_content(tmp_path, compress, name):
    (tmp_path / name).write_bytes(compress(TEXT.encode()))
    check(read_file(tmp_path / name))


@pytest.mark.parametrize(
    ("path", "name"),
    [
        ("folder/houses.csv", "houses"),
        ("houses.csv.gz", "houses"),
        ("houses.csv.bz2", "houses"),
        ("houses.tsv.xz", "houses"),
        ("houses.csv.zip", "houses"),
        ("houses.zip", "houses"),
        ("houses.2024.csv", "houses.2024"),
        ("houses", "houses"),
    ],
)
def test_a_dataset_is_named_by_its_file_without_suffixes(tmp_path, path, name):
    path = tmp_path / path
    path.parent.mkdir(exist_ok=True)
    rows = [f"{size},{size % 7}" for size in range(20)]
    write_text(path, "\n".join(["size,price", *rows]))
    assert read_dataset(path, target="price").name == name


def zipped(*names):
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w") as archive:
        for name in names:
            archive.writestr(name, TEXT)
    return stream.getvalue()


def test_an_archive_of_one_file(tmp_path):
    content = zipped("folder/", "folder/t.csv", "__MACOSX/t.csv")
    (tmp_path / "t.zip").write_bytes(content)
    check(read_file(tmp_path / "t.zip"))


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
    file = read_file(write_text(tmp_path / "t.csv", TEXT, encoding))
    check(file)
    assert file.notes == (() if note is None else (f"the text was read as {note}",))


@pytest.mark.parametrize(
    ("text", "encoding", "shown"),
    [
        ("Город,Пол\nМосква,муж\n", "cp1251", "CP1251"),
        ("Город,Пол\nМосква,муж\n", "koi8-r", "KOI8-R"),
        ("Πόλη,Φύλο\nΑθήνα,άνδρας\n", "cp1253", "CP1253"),
        ("年齢,都道府県\n20,ほっかいどう\n", "cp932", "CP932"),
        ("氏名,年齢,性別\n山田1,20歳,男\n", "cp932", "CP932"),
        ("年龄,城市\n20,北京\n", "gbk", "GB2312"),
        ("나이,도시\n20,서울특별시\n", "euc-kr", "EUC_KR"),
        ("도시,이름\n똠방,영희\n", "cp949", "CP949"),
        ("都市,名前\n東京,たろう\n", "euc-jp", "EUC_JP"),
        ("城市,姓名\n臺北,王小明\n", "big5", "BIG5"),
        ("ГОРОД,ПОЛ\nМОСКВА,МУЖ\n", "cp1251", "CP1251"),
        ("Місто,Ім'я\nКиїв,Єва\n", "cp1251", "CP1251"),
        ("Город,Имя\nМосква,Пётр\n", "cp866", "CP866"),
        ("עיר,שם\nירושלים,דוד\n", "cp1255", "CP1255"),
        ("مدينة,اسم\nالقاهرة,محمد\n", "cp1256", "CP1256"),
        ("จังหวัด,เพศ\nกรุงเทพ,หญิง\n", "cp874", "CP874"),
        ("město,příjmení\nPlzeň,Dvořák\n", "cp1250", "CP1250"),
        ("miasto,płaca\nŁódź,Wiśniewski\n", "cp1250", "CP1250"),
        ("miasto,płaca\nŁódź,Wiśniewski\n", "iso8859-2", "ISO8859-2"),
        ("Város,Név\nGyőr,Kőszegi\n", "cp1250", "CP1250"),
        ("Oraş,Judeţ\nBucureşti,Timiş\n", "cp1250", "CP1250"),
        ("güneş,Ağrı\nışık,Göreme\n", "cp1254", "CP1254"),
        ("şehir,ad\nİstanbul,Işık\n", "cp1254", "CP1254"),
        ("miestas,vardas\nŠiauliai,Žygimantas\n", "cp1257", "CP1257"),
        ("Stadt,Größe\nKöln,Mürwik\n", "cp850", "CP850"),
        ("ville,âge\nÉvry,Nîmes\n", "mac-roman", "MAC-ROMAN"),
    ],
)
def test_encodings_of_other_scripts_are_guessed(tmp_path, text, encoding, shown):
    header, row = text.split()
    file = read_file(write_text(tmp_path / "t.csv", text + 9 * (row + "\n"), encoding))
    assert list(file.frame) == header.split(",")
    assert cells(file)[9] == row.split(",")
    assert file.notes == (f"the text was read as {shown}, which is a guess",)


@pytest.mark.parametrize(
    ("text", "encoding"),
    [
        ("Île-de-Bréhat,cœur\n", "cp1252"),
        ("n°,m²\nnaïve façade,ÀÉÈ\n", "latin-1"),
        ("Ísafjörður,Alþingi\nÞórshöfn,Reykjavík\n", "cp1252"),
        ("São Paulo,Anões\nIrmãs,Florianópolis\n", "cp1252"),
        ("price,x\n£5,€ 7\nO’Neil,“x”\n", "cp1252"),
        ("nº,m²\n1ª,§ 5\n", "cp1252"),
        ("linn,nimi\nPõltsamaa,Õie Šeik\n", "cp1252"),
        ("José,Müller\nHélène,Bjørn\nÅse,Peña\n", "cp1252"),  # of five languages
        ("„Größe“,5 µm\n12 °C,µg/l\n", "cp1252"),
        ("x,ø", "latin-1"),  # the last byte would begin a character of Korean
    ],
)
def test_accents_are_no_other_script(tmp_path, text, encoding):
    path = write_text(tmp_path / "t.csv", "a,b\n" + text, encoding)
    assert read_file(path).notes == ("the text was read as Windows-1252 (Latin-1)",)


@pytest.mark.parametrize("encoding", ["utf-16-le", "utf-16-be"])
def test_utf_16_of_another_script_without_a_mark(tmp_path, encoding):
    text = "Город,Область\n" + "Санкт-Петербург,Ленинградская\n" * 9
    file = read_file(write_text(tmp_path / "t.csv", text, encoding))
    assert list(file.frame) == ["Город", "Область"]
    assert file.notes == (f"the text was read as {encoding.upper()}",)


def test_few_bytes_of_another_encoding_do_not_change_the_others(tmp_path):
    rows = "é,ž\n".encode() * 20
    (tmp_path / "t.csv").write_bytes(b"a,b\n" + rows + b"\xe9,x\n" + rows)
    file = read_file(tmp_path / "t.csv")
    assert cells(file)[19:22] == [["é", "ž"], ["\ufffd", "x"], ["é", "ž"]]
    assert "UTF-8 with bytes that are not" in file.notes[0]


def test_bytes_that_windows_1252_lacks_are_latin_1(tmp_path):
    path = tmp_path / "t.csv"
    path.write_bytes(b"a,b\n\x81!,1\n" + 40 * "fête,2\n".encode("latin-1"))
    file = read_file(path)
    assert cells(file)[:2] == [["\x81!", "1"], ["fête", "2"]]
    assert file.notes == ("the text was read as LATIN-1",)


def test_a_letter_of_another_encoding_far_down_is_found(tmp_path):
    path = tmp_path / "t.csv"
    path.write_bytes(b"a,b\n" + b"x,1\n" * 500_000 + b"\xe9,2\n")
    file = read_file(path, sample=10)
    assert file.notes == ("the text was read as Windows-1252 (Latin-1)",)
    assert file.n_rows == 500_001


def test_standard_input(monkeypatch):
    stream = io.TextIOWrapper(io.BytesIO(gzip.compress(TEXT.encode())))
    monkeypatch.setattr(sys, "stdin", stream)
    check(read_file("-"))


# Layouts of text that programs and people write.


ROWS = "".join(f"{i / 8};{'yes' if i % 3 else 'no'}\r\n" for i in range(30))
NAMES = ["column 1", "column 2", "column 3"]
LAYOUTS = {
    "sep=": ("sep=;\r\ndose;cured\r\n" + ROWS, ["dose", "cured"], 30),
    "title": ("Trial 12, final;\r\ndose;cured\r\n" + ROWS, ["dose", "cured"], 30),
    "title alone": ("Trial 12\ndose;cured\n" + ROWS, ["dose", "cured"], 30),
    "title, blank line": ("Trial,,\n\na,b,c\n" + "1,2,3\n" * 5, ["a", "b", "c"], 5),
    "comments": ("# by me, x\n# and\na,b\n" + "1,2\n# c\n3,4\n" * 5, ["a", "b"], 10),
    "wide comments": ("a,b\n" + "1,2\n" * 9 + "# c,d\n" + "1,2\n", ["a", "b"], 10),
    "signs in cells": ("a,b\n" + "1,2\n# 3,2\n#,2\n" * 9, ["a", "b"], 27),
    "name after #": ("#chrom\tstart\n" + "c1\t2\n" * 9, ["chrom", "start"], 9),
    "cells with #": ("colour,b\n" + "#ff0000,1\n" * 9, ["colour", "b"], 9),
    "trailing": ("a,b,\n" + "1,2,\n" * 9, ["a", "b"], 9),
    "trailing in rows": ("a,b\n" + "1,2,\n" * 9, ["a", "b"], 9),
    "blanks": ("x  y   z\n 1 2  3\n  4   5 6\n" + "7 8 9\n" * 5, ["x", "y", "z"], 7),
    "row names of R": (
        '"a" "b"\n' + "".join(f'"{i}" {i * 2} {i}\n' for i in range(1, 9)),
        ["a", "b"],
        8,
    ),
    "row names of R, commas": (
        '"a","b"\n' + '"p",1,2\n"q",3,4\n',
        ["Unnamed: 0", "a", "b"],
        2,
    ),
    "quotes after blanks": ("a, b, c\n" + '1, "x, y", 3\n' * 7, ["a", "b", "c"], 7),
    "quoted names": ('"first, name","b"\n' + "1,2\n" * 5, ["first, name", "b"], 5),
    "a name of two lines": ('"first\nname",b\n' + "1,2\n" * 5, ["first\nname", "b"], 5),
    "blanks in cells of a fixed width": (
        "name      age city\n" + "Ann Lee    30 New York\nBo          7 Rome\n" * 5,
        ["name", "age", "city"],
        10,
    ),
    "missing cells of a fixed width": (
        "Listing\n\nname   age  city\n-----  ---  ----\n"
        + "Ann     30  Oslo\nBob         Rome\n" * 5
        + "\n10 rows selected in all.\n",
        ["name", "age", "city"],
        10,
    ),
    "a fixed width behind row names": (
        "      n   y\nr 1   1   x\nr 2  12\n" + "r 3   3   x\n" * 4,
        ["Unnamed: 0", "n", "y"],
        6,
    ),
    "decimal commas between blanks": ("a b\n" + "0,5 x\n1,5 y\n" * 5, ["a", "b"], 10),
    "no names, times and zeros": (
        "".join(f"2024-01-01 10:00:0{i},00{i} x\n" for i in range(9)),
        NAMES[:2],
        9,
    ),
    "decimal commas": ("a;b\n" + "1,5;2,5\n3,5;4,5\n" * 5, ["a", "b"], 10),
    "years": ("country,2019,2020\n" + "x,1,2\n" * 5, ["country", "2019", "2020"], 5),
    "wavelengths": (
        "400.5,402.5,target\n"
        + "".join(f"{i / 8},{i / 4},{'pq'[i % 2]}\n" for i in range(9)),
        ["400.5", "402.5", "target"],
        9,
    ),
    "fractions": ("0.5,0.25,y\n" + "1.5,2.5,3\n" * 5, ["0.5", "0.25", "y"], 5),
    "repeated years": (
        "id,2019,2019,y\n" + "".join(f"{i},1,2,{i}\n" for i in range(9)),
        ["id", "2019", "2019.1", "y"],
        9,
    ),
    "above missing cells": ("0.5,y\n" + "1.5,NA\n2.5,3\n" * 5, ["0.5", "y"], 10),
    "one column of text": ("note\n" + "hello, you\nhi, me\n" * 5, ["note"], 10),
    "old Macintosh": ("a,b\r1,2\r3,4\r", ["a", "b"], 2),
    "blank names": ("a, b\n" + "1,2\n" * 5, ["a", "b"], 5),
    "blank lines": ("\n\na,b\n\n1,2\n\n3,4\n\n", ["a", "b"], 2),
    "semicolons in text": ("a,b\n" + '"x; y; z",2\n' * 5, ["a", "b"], 5),
    "sep= in quotes": ('"sep=;"\na;b\n' + "1;2\n" * 9, ["a", "b"], 9),
    "facts above": (
        "Station;Oslo;\nYear;2023;\n\na;b;c\n" + "1;x;3\n" * 9,
        ["a", "b", "c"],
        9,
    ),
    "facts in fewer cells": (
        "Station;Oslo\nYear;2023\na;b;c\n" + "1;x;3\n" * 9,
        ["a", "b", "c"],
        9,
    ),
    "groups of columns": ("A;;B\na;b;c\n" + "1;x;3\n" * 9, ["a", "b", "c"], 9),
    "trailing in the header": ("a;b;\n" + "1;2\n" * 9, ["a", "b"], 9),
    "two byte order marks": ("\ufeff\ufeffa;b\n" + "1;2\n" * 9, ["a", "b"], 9),
    "Markdown": ("| a | b |\n|---|:--|\n" + "| 1 | x |\n" * 9, ["a", "b"], 9),
    "Markdown without bars at the ends": (
        "a | b\n--- | ---\n" + "1 | x\n" * 9,
        ["a", "b"],
        9,
    ),
    "an account above amounts": (
        '"Konto";"DE12"\n""\n"Tag";"Betrag";"Art"\n' + '"01.02.24";"-1,50 €";"A"\n' * 9,
        ["Tag", "Betrag", "Art"],
        9,
    ),
    "census years": (
        "Source,United Nations\n\nCountry,Code,1990,2000,2015,\n"
        + "Aruba,ABW,,1.5,2,\n" * 9,
        ["Country", "Code", "1990", "2000", "2015"],
        9,
    ),
    "totals, then words": (
        "a;b;c\n" + "x;2;3\n" * 9 + "Total;18;27\n;;\nPrinted by me;;\n",
        ["a", "b", "c"],
        9,
    ),
    "SQL Server": ("a;b\n-----;--\n" + "1;x\n" * 9, ["a", "b"], 9),
    "commas in names; semicolons": (
        "Gewicht, kg;Größe, cm;Gruppe\n" + "70,5;180,2;a\n" * 9,
        ["Gewicht, kg", "Größe, cm", "Gruppe"],
        9,
    ),
    "more commas than semicolons": (
        "Gewicht, kg;Größe, cm;Gruppe, Nr\n" + "70,5;180,2;3,5\n" * 9,
        ["Gewicht, kg", "Größe, cm", "Gruppe, Nr"],
        9,
    ),
    "commas in cells; semicolons": (
        "Name, Vorname;Alter\n" + "Smith, John;30\n" * 9,
        ["Name, Vorname", "Alter"],
        9,
    ),
    "commas in names; bars": (
        "City, State|Pop\n" + "Austin, TX|900\n" * 9,
        ["City, State", "Pop"],
        9,
    ),
    "blanks in cells; tabs": (
        "a\tnote\tb\n" + "1\tx  y\t2\n" * 9,
        ["a", "note", "b"],
        9,
    ),
    "blanks and a tab": (
        "".join(f'{i}.5  2  3.5\t"x y"\n' for i in range(9)),
        [*NAMES, "column 4"],
        9,
    ),
    "title with commas": (
        "Exported by Smith, John, 2024-05-05\na,b,c\n" + "1,x,2\n" * 9,
        ["a", "b", "c"],
        9,
    ),
    "delimiters alone": ("a;b\n" + "1;2\n" * 9 + ";\n; \n" + "3;4\n", ["a", "b"], 10),
    "totals, then delimiters": (
        "a;b;c\n" + "x;2;3\n" * 9 + "Gesamtergebnis;18;27\n;;\n;;\n",
        ["a", "b", "c"],
        9,
    ),
    "totals, then a remark": (
        "a;b;c\n" + "x;2;3\n" * 9 + "Total général;18;27\n;;\nSource: me;;\n(7);;\n",
        ["a", "b", "c"],
        9,
    ),
    "totals of categories": (
        "a;b;c\n"
        + ("x;2;3\n" * 3 + "x Total;6;9\n" + "y;1;4\n" * 3 + "y Total;3;12\n")
        + "Grand Total;9;21\n",
        ["a", "b", "c"],
        6,
    ),
    "totals of categories in German": (
        "a;b\n" + "x;2\n" * 3 + "x Ergebnis;6\n" + "y;1\n" * 3 + "y Ergebnis;3\n",
        ["a", "b"],
        6,
    ),
    "a category with a word for totals": (
        "a;b\n" + "Total War;2\nx Total War;3\n" * 3 + "x;1\n" * 3,
        ["a", "b"],
        9,
    ),
    "totals without a name": (
        "a;b;c\n" + "x;2;3\ny;1;4\nz;5;5\nx;1;1\n" + ";9;13\n",
        ["a", "b", "c"],
        4,
    ),
    "totals with decimal commas": (
        "a;b\n" + "x;1.002,5 €\ny;7,25 €\n" * 2 + "Summe;2.019,50 €\n",
        ["a", "b"],
        4,
    ),
    "totals above": ("a;b\n" + "Total;12\n" + "x;4\ny;2\n" * 2, ["a", "b"], 4),
    "a first category for totals": (
        "a;b\n" + "Total;9\n" + "x;4\ny;2\n" * 2,
        ["a", "b"],
        5,
    ),
    "totals below missing names": (
        "a;b\n" + "x;2\n;1\n" * 2 + "Total;6\n",
        ["a", "b"],
        4,
    ),
    "a last row without a name": (
        "a;b;c\n" + "x;2;3\ny;1;4\nz;5;5\nx;1;1\n" + ";9;4\n",
        ["a", "b", "c"],
        5,
    ),
    "a title of two cells": ("Report,2024\na,b\n" + "1,x\n2,y\n" * 9, ["a", "b"], 18),
    "a title of two words": (
        "Report;May 2024\n\na;b\n" + "1,5;x\n2,5;y\n" * 9,
        ["a", "b"],
        18,
    ),
    "facts as wide as the table": (
        "Station,Oslo\nYear,2023\n\na,b\n" + "1,2\n2,4\n" * 9,
        ["a", "b"],
        18,
    ),
    "two tables": (
        "a,b\n" + "1,2\n" * 3 + "\nc,d\n" + "3,4\n" * 9,
        ["a", "b"],
        13,
    ),
    "a blank line below the names": (
        "a,b\n\nx,NA\ny,2\n" + "x,1\n" * 5,
        ["a", "b"],
        7,
    ),
    "no names, falling numbers": ("5,3,1\n" + "4,3,0\n6,2,1\n5,3,1\n" * 3, NAMES, 10),
    "falling years": ("2021,2020\n" + "4,3\n6,2\n" * 3, ["2021", "2020"], 6),
    "a row of means": (
        "a;b;c\n" + "x;2;3\ny;1;4\nz;5;5\n" + "Average;2.67;4\n",
        ["a", "b", "c"],
        3,
    ),
    "a total above a mean": (
        "a;b;c\n" + "x;2;3\ny;1;4\nz;6;5\n" + "Total;9;12\nAverage;3;4\n",
        ["a", "b", "c"],
        3,
    ),
    "a remark with commas": (
        "a,b,c,d\n" + "x,2,3,y\n" * 9 + "Source: me, 2020\n",
        ["a", "b", "c", "d"],
        9,
    ),
    "a remark as wide as the table": (
        "a,b,c\n" + "x,2,3\n" * 9 + "Note: estimated, see page 5, and others\n",
        ["a", "b", "c"],
        9,
    ),
    "a last name with a colon, missing cells": (
        "a,b,c\n" + "x,2,NA\n" * 9 + "y: z,NA,NA\n",
        ["a", "b", "c"],
        10,
    ),
    "a last name with a colon": (
        "a,b,c\n" + "x,2,3\n" * 9 + "y: z,2,3\n",
        ["a", "b", "c"],
        10,
    ),
    "text below": (
        "a,b,c\n" + "1,2,3\n" * 9 + "\nSource: me\n(9 rows affected)\n,,\n",
        ["a", "b", "c"],
        9,
    ),
    "psql": (" a | b \n---+---\n" + " 1 | x \n" * 9 + "(9 rows)\n\n", ["a", "b"], 9),
    "MySQL": (
        "+----+---+\n| a  | b |\n+----+---+\n"
        + "| 1  | x |\n" * 9
        + "+----+---+\n9 rows in set (0.00 sec)\n",
        ["a", "b"],
        9,
    ),
    "Oracle": (
        "  ID NAME A\n---- ---- -\n"
        + "   1 x    Y\n   2 y    N\n" * 9
        + "\n18 rows selected.\n",
        ["ID", "NAME", "A"],
        18,
    ),
    "Oracle, pages and a prompt": (
        ("  ID NAME\n---- ----\n" + "   1 x\n   2 y\n" * 9 + "\n") * 2
        + "36 rows selected.\n\nSQL> spool off\n",
        ["ID", "NAME"],
        36,
    ),
    "another table below": (
        "a,b,c\n" + "1,2,3\n" * 9 + "\nd,e\n" + "4,5\n" * 9,
        ["a", "b", "c"],
        9,
    ),
    "another table below a comment": (
        "# x\na,b,c\n" + "1,2,3\n" * 9 + "\n# y\nd,e\n" + "4,5\n" * 9,
        ["a", "b", "c"],
        9,
    ),
    "a short row of words behind a blank line": (
        "a,b,c\n" + "x,2,3\n" * 9 + "\nx,NA\n" + "y,5,6\n" * 9,
        ["a", "b", "c"],
        19,
    ),
    "pandas, two levels of names": (
        ",v,v,w\n,mean,std,mean\nplace,,,\n" + "x,1,2,3\n" * 9,
        ["place", "v mean", "v std", "w mean"],
        9,
    ),
    "Tableau, groups that repeat": (
        "\t2021\t2021\t2022\nplace\tcost\tgain\tcost\n" + "x\t1\t2\t3\n" * 9,
        ["place", "2021 cost", "2021 gain", "2022 cost"],
        9,
    ),
    "Jira, names that repeat": (
        "key,sprint,sprint,points\nA-1,S1,S2,\n" + "A-2,S1,S2,3\n" * 9,
        ["key", "sprint", "sprint.1", "points"],
        10,
    ),
    "totals of an account": (
        "state,n,cost\n" + "on,2,3\noff,1,1\n" * 4 + "Total: Account,12,16\n",
        ["state", "n", "cost"],
        8,
    ),
    "totals for categories": (
        "a;b\n" + "x;2\n" * 3 + "Total for x;6\n" + "y;1\n" * 3 + "Total for y;3\n",
        ["a", "b"],
        6,
    ),
    "World Bank": (
        '"Data Source","World Development Indicators",\n\n"Last Updated","2024",\n\n'
        '"Country","Code","2001","2002","2003",\n'
        + '"Aruba","ABW","","1.5","2",\n'
        * 9,
        ["Country", "Code", "2001", "2002", "2003"],
        9,
    ),
    "SAP": (
        "01.03.2024      List      1\n\n---------\n|a  |  b|\n---------\n"
        + "|x  |  1|\n|y  |  2|\n" * 9
        + "---------\n|*  | 27|\n---------\n",
        ["a", "b"],
        18,
    ),
    "quotes behind backslashes": (
        "a,b,c\n" + '1,"he said \\"hi, x\\"",\\N\n' * 9,
        ["a", "b", "c"],
        9,
    ),
    "inches behind backslashes": (
        "a,b,c\n" + '1,"5\\" x, y",2\n' * 9,
        ["a", "b", "c"],
        9,
    ),
    "quoted paths that end with a backslash": (
        "a,b,c\n" + '1,"C:\\x\\",2\n1,"C:\\x\\" ,2\n' * 9,
        ["a", "b", "c"],
        18,
    ),
    "quoted paths before tabs": (
        "a\tb\tc\n" + '1\t"C:\\x\\"\t2\n' * 9,
        ["a", "b", "c"],
        9,
    ),
    "questions above dates and numbers": (
        "start,Q1,Q2\nStart Date,How old?,Sex\n" + "2024-01-01,5,m\n1.2.2024,6,f\n" * 9,
        ["start", "Q1", "Q2"],
        18,
    ),
    "groups of questions": (
        "id,date,Why?,,Age\n,,Price,Other,Response\n"
        + "".join(
            f"{i},1/{i}/2024,Price,,old\n{i},1/3/2024,,x,young\n" for i in range(9)
        ),
        ["id", "date", "Why? Price", "Why? Other", "Age Response"],
        18,
    ),
    "a first row without numbers": (
        "a,b,,c\nx,,u,v\n" + "y,1,u,w\nz,2,u,v\n" * 9,
        ["a", "b", "Unnamed: 2", "c"],
        19,
    ),
    "questions and keys": (
        'date,Duration,Q1,Q2\nStart Date,Seconds,"Satisfied, overall?",Tea?\n'
        + ",".join(f'"{{""ImportId"":""{key}""}}"' for key in "abcd")
        + "\n2024-01-01,5,1,Yes\n2024-01-02,7,3,No\n" * 9,
        ["date", "Duration", "Q1", "Q2"],
        18,
    ),
    "end of a copy": ("a\tb\n" + "1\t2\n" * 9 + "\\.\n\x1a", ["a", "b"], 9),
    "cut rows": ("a,b,c\n" + "1,2,3\n" * 9 + "1,2\n" + "1,2,3\n", ["a", "b", "c"], 11),
    "units": (
        "temp,dose,quality\n°C,mg,class\n" + "20,10,good\n21,NA,bad\n" * 5,
        ["temp", "dose", "quality"],
        10,
    ),
    "units with powers of ten": (
        "wbc,rbc,mcv,y\n10^3/µL,x10^6/µL,1,class\n" + "5.5,4,90,a\n6.5,5,91,b\n" * 5,
        ["wbc", "rbc", "mcv", "y"],
        10,
    ),
    "a word that is no unit": ("a,b\nmissing,x\n" + "1,y\n2,x\n" * 5, ["a", "b"], 11),
    "rows with per cent": ("a,b\n" + "%x,1\n" * 9, ["a", "b"], 9),
    "apostrophes": ("'a b','c'\n" + "'x, y',2\n" * 9, ["a b", "c"], 9),
    "apostrophes to the end": (
        "'a b','c'\n" + "'x, ''y''','z'\n" * 8 + "'x, ''y''','z'",
        ["a b", "c"],
        9,
    ),
    "lone apostrophes": ("a,b\n" + "don't,'tis\n" * 9, ["a", "b"], 9),
    "circumflex": ("a^b\n" + "1^x\n" * 9, ["a", "b"], 9),
    "Hive": ("a\x01b\n" + "1\x01x\n" * 9, ["a", "b"], 9),
    "joined files": ("a;b\n" + ("1;x\n" * 9 + "a;b\n") * 2, ["a", "b"], 18),
    "joined files with marks": (
        "\ufeffa;b\n" + ("1;x\n" * 9 + "\ufeffa;b\n") * 2,
        ["a", "b"],
        18,
    ),
    "totals": ("a;b\n" + "1;2\n" * 9 + "Total:;18\n", ["a", "b"], 9),
    "counted names": ("0,1,2\n" + "4,5,6\n7,8,9\n" * 4, ["0", "1", "2"], 8),
    "ARFF": (
        "% made\n@RELATION t\n@attribute 'a b' {0, 1,'x y'}\n@ATTRIBUTE v numeric\n"
        "@DATA\n" + "0,1.5\n?,2\n'x y',3\n" * 5,
        ["a b", "v"],
        15,
    ),
    "ARFF with tabs": (
        '@relation t\n@attribute a{x,y}\n@attribute b {"no",\t"yes, sir"}\n@data\n'
        + 'x\t"yes, sir"\n'.replace(", ", " ") * 9,
        ["a", "b"],
        9,
    ),
    "ARFF with blanks": (
        '@relation t\n@attribute a{x,y}\n@attribute b {"no","yes, sir"}\n@data\n'
        + 'x, \t"yes, sir"\nz,\tno\n' * 9,
        ["a", "b"],
        18,
    ),
    "no names": (
        "5.1,3.5,Iris\n4.9,3.0,Iris\n" * 4,
        NAMES,
        8,
    ),
    "no names of whole numbers": ("5,3,x\n" + "4,3,x\n" * 7, NAMES[:3], 8),
    "no names of numbers": ("0,x\n" + "1.5,x\n" * 7, NAMES[:2], 8),
    "no names of dates": ("2024-01-01,x\n" + "2024-01-02,x\n" * 7, NAMES[:2], 8),
    "no names, missing cells": ("0.5,NA,x\n" + "1.5,3,x\n" * 7, NAMES, 8),
    "no names, persons": (
        "1.5,Ann,x\n" + "".join(f"{i / 4},P{'abcdefgh'[i]},x\n" for i in range(8)),
        NAMES,
        9,
    ),
    "no names, a comment below": (
        "0\tx\n" + "1\ty\n2\tx\n" * 4 + "#close\t2024\n",
        NAMES[:2],
        10,
    ),
    "no names, the first cell missing": (
        "?,x,3\n" + "1,x,2.5\n2,y,4\n" * 4,
        NAMES,
        9,
    ),
    "no names of words": ("x,y\n" + "y,x\nx,y\n" * 4, NAMES[:2], 9),
}


@pytest.mark.parametrize("layout", LAYOUTS)
def test_layouts_are_understood(layout, tmp_path):
    text, names, n_rows = LAYOUTS[layout]
    file = read_file(write_text(tmp_path / "t.csv", text))
    assert list(file.frame) == names
    assert file.n_rows == len(file.frame) == n_rows


@pytest.mark.parametrize(
    ("layout", "note"),
    [
        ("comments", "5 comments among the rows left out"),
        ("wide comments", "1 row that begin with '#' left out"),
        ("delimiters alone", "2 rows without a cell left out"),
        ("totals, then delimiters", "1 row of totals at the end left out"),
        ("totals of categories", "2 rows of totals of a category left out"),
        ("totals without a name", "1 row of totals at the end left out"),
        (
            "facts as wide as the table",
            "2 lines above the header left out: 'Station'",
        ),
        ("a total above a mean", "2 rows of totals at the end left out"),
        (
            "a remark with commas",
            "1 row below the table left out: 'Source: me, 2020'",
        ),
        ("totals, then a remark", "1 row below the table left out: 'Source: me'"),
        ("text below", "2 lines below the table left out: 'Source: me'"),
        ("psql", "1 line below the table left out: '(9 rows)'"),
        ("another table below", "10 lines below the table left out: 'd, e'"),
        ("ARFF with blanks", "column 'a': 9 cells not declared: taken as missing"),
        ("cut rows", "1 row shorter than the header: the last cells are missing"),
        (
            "units",
            "1 row without numbers below the header left out: '°C, mg, class'",
        ),
        (
            "questions and keys",
            "2 rows without numbers below the header left out: 'Start Date, Seconds, "
            "Satisfied, overall?, Tea?'",
        ),
        ("groups of questions", "two lines name the columns, as in 'Why? Price'"),
        ("SAP", "1 row of totals at the end left out"),
        (
            "title with commas",
            "1 line above the header left out: 'Exported by Smith'",
        ),
    ],
)
def test_what_is_left_out_is_told(layout, note, tmp_path):
    file = read_file(write_text(tmp_path / "t.csv", LAYOUTS[layout][0]))
    assert note in file.notes


def test_cells_of_layouts(tmp_path):
    def first(name):
        return cells(read_file(write_text(tmp_path / "t", LAYOUTS[name][0])))[0]

    assert first("title") == ["0.0", "no"]
    assert first("cells with #") == ["#ff0000", "1"]
    assert first("quotes after blanks") == ["1", "x, y", "3"]
    assert first("blanks") == ["1", "2", "3"]
    assert first("quotes behind backslashes") == ["1", 'he said "hi, x"', r"\N"]
    assert first("row names of R") == ["2", "1"]
    assert first("apostrophes") == ["x, y", "2"]
    assert first("apostrophes to the end") == ["x, 'y'", "z"]
    assert first("lone apostrophes") == ["don't", "'tis"]
    assert first("ARFF with blanks") == ["x", "yes, sir"]
    assert first("blanks in cells of a fixed width") == ["Ann Lee", "30", "New York"]
    file = read_file(
        write_text(tmp_path / "t", LAYOUTS["missing cells of a fixed width"][0])
    )
    assert cells(file)[1] == ["Bob", None, "Rome"]
    assert first("no names") == ["5.1", "3.5", "Iris"]


def test_categories_that_arff_declares_are_kept(tmp_path):
    file = read_file(write_text(tmp_path / "t.arff", LAYOUTS["ARFF"][0]))
    assert file.frame["a b"].cat.categories.tolist() == ["0", "1", "x y"]
    assert cells(file)[:3] == [["0", "1.5"], [None, "2"], ["x y", "3"]]


@pytest.mark.parametrize(
    ("last", "is_total"),
    [
        ("Total,,", True),
        ("Grand total:,,36", True),
        ("ИТОГО,36,9", True),
        ("合計,36,9", True),
        ("Sum,36,9", True),
        ("Sum,36,1", True),  # a mean
        ("Sum,35,8", False),
        ("Total,5,1", False),
        ("Total,36,p", True),
        ("Norway,,", False),
    ],
)
def test_a_last_row_is_a_total_if_it_looks_like_one(tmp_path, last, is_total):
    text = "place,a,b\n" + "".join(
        f"{p},{i},{i % 3}\n" for i, p in enumerate("abcdefghi")
    )
    path = write_text(tmp_path / "t.csv", text + last + "\n")
    file = read_file(path)
    assert file.n_rows == len(file.frame) == 10 - is_total
    assert file.notes == ("1 row of totals at the end left out",) * is_total
    assert read_file(path, keeps_all=True).n_rows == 10


@pytest.mark.parametrize("name", ["t.xlsx", "t.parquet"])
def test_totals_of_typed_columns(tmp_path, name):
    frame = pd.DataFrame(
        {
            "cover": pd.Categorical(["none", "part", "none", "Total"]),
            "day": pd.date_range("2024-01-01", periods=4),
            "n": [1, 2, 3, 6],
        }
    )
    write(frame, tmp_path / name)
    assert read_file(tmp_path / name).n_rows == 3
    for columns in (["cover", "n"], ["n", "cover"]):
        write(frame[columns], tmp_path / name)
        assert read_file(tmp_path / name).n_rows == 3 + (columns[0] == "n")
    write(frame[["cover"]], tmp_path / name)
    assert read_file(tmp_path / name).n_rows == 4


def test_a_category_that_is_a_word_for_totals(tmp_path):
    rows = ["none,1", "Total,2", "part,", "Total,"]
    path = write_text(tmp_path / "t.csv", "\n".join(["cover,n", *rows]))
    assert read_file(path).n_rows == 4


def test_what_is_left_out_above_the_header_is_told(tmp_path):
    file = read_file(write_text(tmp_path / "t", "Made by me;\n;;\na;b\n" + "1;2\n" * 5))
    assert file.notes == ("1 line above the header left out: 'Made by me'",)


def test_an_accent_in_a_name_is_one_sign(tmp_path):
    file = read_file(write_text(tmp_path / "t", "Gro\u0308ße,y\n1,a\n2,b\n"))
    assert list(file.frame) == ["Größe", "y"]


def test_missing_cells_are_empty_cells_only(tmp_path):
    file = read_file(write_text(tmp_path / "t", 'a,b\nNA, x \n,nan\n"",?\n'))
    assert cells(file) == [["NA", " x "], [None, "nan"], [None, "?"]]


def test_texts_that_excel_wrote_as_formulas(tmp_path):
    file = read_file(write_text(tmp_path / "t", '="a",b\n="1.5",x\n"=""01""",y\n'))
    assert cells(file) == [["1.5", "x"], ["01", "y"]]


# Typed formats.


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
    "name",
    [
        "t.parquet",
        "t.feather",
        "t.xlsx",
        "t.jsonl",
        "T.NDJSON",
        "t.json",
        "t.jsonl.gz",
    ],
)
def test_typed_formats(tmp_path, name):
    write(FRAME, tmp_path / name)
    file = read_file(tmp_path / name)
    check(file, (1, 2.5))


def test_kinds_of_cells_of_a_frame(tmp_path):
    frame = pd.DataFrame(
        {
            "integer": pd.array([1, None, 3], dtype="Int64"),
            "float": [1.5, np.inf, np.nan],
            "maybe": pd.array([True, None, False], dtype="boolean"),
            "kind": pd.Categorical(["a", None, "b"], ["b", "a", "never"]),
            "number of a kind": pd.Categorical([7, 8, 7]),
            "when": pd.to_datetime(["2024-01-02 03:04", None, "2024-01-03 00:00"]),
            "stay": pd.to_timedelta([1, None, 3], unit="D"),
            "price": [Decimal("1.25"), None, Decimal(3)],
            "list": [[1], [2], None],
        }
    )
    frame.to_parquet(tmp_path / "t.parquet")
    read = read_file(tmp_path / "t.parquet").frame
    assert read["float"].tolist()[:1] == [1.5]
    assert read["float"].isna().tolist() == [False, True, True]
    assert read["kind"].cat.categories.tolist() == ["b", "a", "never"]
    assert read["number of a kind"].dtype == "category"
    assert read["stay"].dtype.kind == "m"
    assert read["when"].dtype.kind == "M"
    assert read["price"].tolist()[::2] == [Decimal("1.25"), Decimal(3)]
    assert read["list"][0] == "[1]"


def kinds_of(path, **options):
    return {one.name: one.kind for one in read_dataset(path, **options).columns}


@pytest.mark.parametrize("suffix", ["feather", "parquet"])
def test_kinds_of_typed_columns(tmp_path, suffix):
    n = 70
    frame = pd.DataFrame(
        {
            "shop": pd.Categorical([i % 7 for i in range(n)]),
            "stay": pd.to_timedelta([i / 7 for i in range(n)], unit="D"),
            "price": [Decimal(i * i) / 8 for i in range(n)],
            "day": [pd.Timestamp(2024, 1, 1 + i % 28).date() for i in range(n)],
            "flag": [i % 3 == 0 for i in range(n)],
            "y": ["a", "b"] * (n // 2),
        }
    )
    write(frame, tmp_path / f"t.{suffix}")
    assert kinds_of(tmp_path / f"t.{suffix}") == {
        "shop": "category",
        "stay": "number",
        "price": "number",
        "day": "date",
        "flag": "category",
    }
    stays = read_dataset(tmp_path / f"t.{suffix}", "stay").y
    np.testing.assert_allclose(stays, np.arange(n) / 7)


def test_strings_of_parquet_without_a_logical_type(tmp_path):
    table = pa.table({"n": [b"1.5", b"2.5"], "d": [b"G\xc3\xbcte", None]})
    pq.write_table(table, tmp_path / "t.parquet")
    assert cells(read_file(tmp_path / "t.parquet")) == [["1.5", "Güte"], ["2.5", None]]


RECORDS = [{"a": 10**18 + i, "b": f"{i}0"} for i in range(9)]
JSON = {
    "a list": RECORDS,
    "columns": {"a": [one["a"] for one in RECORDS], "b": [one["b"] for one in RECORDS]},
    "pandas": {
        name: {str(i): one[name] for i, one in enumerate(RECORDS)} for name in "ab"
    },
    "split": {"columns": ["a", "b"], "data": [list(one.values()) for one in RECORDS]},
    "split with an index": {
        "columns": ["a", "b"],
        "index": list(range(9)),
        "data": [list(one.values()) for one in RECORDS],
    },
    "in a record": {"count": 9, "results": RECORDS},
    "beside an empty list": {"data": RECORDS, "errors": []},
    "deep in records": {"result": {"data": RECORDS, "pages": [1, 2]}},
    "by names": {f"row {i}": one for i, one in enumerate(RECORDS)},
    "by numbers": {str(i): one for i, one in enumerate(RECORDS)},
    "table": {"schema": {"fields": [{"name": "a"}]}, "data": RECORDS},
    "below facts": [{"page": 1, "pages": 7}, RECORDS],
    "parts of a list": [RECORDS[:4], RECORDS[4:]],
    "names in facts": {
        "meta": {"view": {"id": "x", "columns": [{"name": "a"}, {"name": "b"}]}},
        "data": [list(one.values()) for one in RECORDS],
    },
    "rows": [["a", "b"], *(list(one.values()) for one in RECORDS)],
}


@pytest.mark.parametrize("form", JSON)
@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16"])
def test_forms_of_json(tmp_path, form, encoding):
    path = write_text(tmp_path / "t.txt", json.dumps(JSON[form]), encoding)
    assert cells(read_file(path)) == [list(one.values()) for one in RECORDS]


@pytest.mark.parametrize(
    ("value", "names", "rows"),
    [
        (
            {"a": {"0": 1, "2": 3}, "b": {"2": "z", "1": "y", "0": "x"}},
            ["a", "b"],
            [[1, "x"], [3, "z"], [None, "y"]],
        ),
        ({"a": {"0": 1, "1": 2}}, ["a"], [[1], [2]]),
        ({"a": {"n": 1}, "b": {"m": 2}}, ["a.n", "b.m"], [[1, 2]]),
        ([[0, "p"], [1, "q"]], ["column 1", "column 2"], [[0, "p"], [1, "q"]]),
        ([["x", "y"], [1, "q"]], ["x", "y"], [[1, "q"]]),
        ([["x", "y"], [1]], ["x", "y"], [[1, None]]),
        (
            {"a": {"p": 1, "q": 2}, "b": {"p": "x", "q": "y"}},
            ["a", "b"],
            [[1, "x"], [2, "y"]],
        ),
        (
            {"p": {"a": 1, "b": 2}, "q": {"a": 3, "b": 4}, "r": {"a": 5, "b": 6}},
            ["a", "b"],
            [[1, 2], [3, 4], [5, 6]],
        ),
        ({"columns": [0, 1], "data": [[5, "x"]]}, ["0", "1"], [[5, "x"]]),
        (
            {"meta": [{"name": "a"}, {"name": "b"}], "data": [[1, "x"]], "rows": 1},
            ["a", "b"],
            [[1, "x"]],
        ),
        (
            [{"a": {}, "b": 1}, {"a": {"n": 2}, "b": 3}],
            ["a", "a.n", "b"],
            [["{}", None, 1], [None, 2, 3]],
        ),
    ],
)
def test_cells_of_json(tmp_path, value, names, rows):
    file = read_file(write_text(tmp_path / "t.json", json.dumps(value)))
    assert list(file.frame) == names
    assert cells(file) == rows
    assert len(file.notes) == (names[0] == "column 1")


@pytest.mark.parametrize(
    "lines", ['[1, "x"]\n[2, "y"]\n', '["a", "b"]\n[1, "x"]\n[2, "y"]']
)
def test_lines_of_lists_are_json(tmp_path, lines):
    file = read_file(write_text(tmp_path / "t.jsonl", lines))
    assert cells(file) == [[1, "x"], [2, "y"]]


@pytest.mark.parametrize("index", [["who", "year"], ["who", None]])
def test_names_of_an_index_are_columns(tmp_path, index):
    rows = pd.MultiIndex.from_tuples([("p", 1), ("q", 2)], names=index)
    pd.DataFrame({"y": [3, 4]}, rows).to_parquet(tmp_path / "t.parquet")
    file = read_file(tmp_path / "t.parquet")
    assert list(file.frame) == [*filter(None, index), "y"]
    assert cells(file)[1] == ["q", *[2] * (index[1] == "year"), 4]


def test_records_in_records_and_long_codes_beside_a_missing_one(tmp_path):
    lines = [{"id": 10**18 + i, "who": {"age": i, "tags": [1]}} for i in range(3)]
    lines[1]["id"], lines[2]["who"] = None, {}
    text = "\n".join(json.dumps(line, indent=1) for line in lines)
    frame = read_file(write_text(tmp_path / "t.jsonl", text)).frame
    assert frame["id"].tolist() == [10**18, None, 10**18 + 2]
    assert frame["who.age"].tolist()[:2] == [0, 1]
    assert frame["who.tags"][0] == "[1]"


def test_the_content_decides_the_format(tmp_path):
    write_text(tmp_path / "t.xls", TEXT.replace(",", "\t"))
    check(read_file(tmp_path / "t.xls"))
    FRAME.to_parquet(tmp_path / "t.csv")
    check(read_file(tmp_path / "t.csv"), (1, 2.5))


@pytest.mark.parametrize("name", ["response_time", "created_at", "date", "timestamp"])
def test_json_numbers_that_are_named_like_times_stay_numbers(tmp_path, name):
    frame = pd.DataFrame({"a": range(30), name: np.arange(30) * 10**6 + 4 * 10**7})
    write(frame, tmp_path / "t.jsonl")
    read = read_file(tmp_path / "t.jsonl").frame
    assert read[name].tolist() == frame[name].tolist()


@pytest.mark.parametrize("name", ["t.xlsx", "t.jsonl", "t.json", "t.parquet"])
def test_strings_of_digits_keep_a_leading_zero(tmp_path, name):
    frame = pd.DataFrame({"zip": ["01234", "90210"], "text": ["1", "2"], "n": [1, 2]})
    write(frame, tmp_path / name)
    read = read_file(tmp_path / name).frame
    assert read["zip"].tolist() == ["01234", "90210"]
    assert read["text"].tolist() == ["1", "2"]
    assert read["n"].tolist() == [1, 2]


def test_cells_of_several_kinds_become_strings(tmp_path):
    pytest.importorskip("openpyxl")
    frame = pd.DataFrame({"a": [1, "x", 2.5, None], "b": [1, 2, 3, 4]})
    write(frame, tmp_path / "t.xlsx")
    file = read_file(tmp_path / "t.xlsx")
    assert cells(file) == [["1", 1], ["x", 2], ["2.5e0", 3], [None, 4]]


@pytest.fixture
def book(tmp_path):
    """Write a book with the table on its second sheet."""
    pytest.importorskip("openpyxl")
    path = tmp_path / "book.xlsx"
    with pd.ExcelWriter(path) as writer:
        pd.DataFrame({"about": ["notes"]}).to_excel(writer, sheet_name="Read me")
        FRAME.to_excel(writer, sheet_name="Data", index=False)
        pd.DataFrame().to_excel(writer, sheet_name="Empty", index=False)
        FRAME.to_excel(writer, sheet_name="Titles", index=False, startrow=3)
        writer.sheets["Titles"]["A1"] = "Trial 12"
    return path


OTHERS = "'Data', 'Empty', 'Titles' (--sheet)"


def test_the_first_sheet_is_read_and_the_others_are_named(book):
    assert read_file(book).notes[0] == f"the sheet 'Read me' is read, not {OTHERS}"


@pytest.mark.parametrize("names", [[0.5, 0.25, "y"], ["id", 2019, 2019], [1.5, 2.5]])
def test_names_of_a_sheet_may_be_numbers(tmp_path, names):
    rows = [[1.5, 2.5, "p"][: len(names)], [3.5, 4.5, "q"][: len(names)]] * 5
    rows = [[7, *row[1:]] if names[0] == "id" else row for row in rows]
    frame = pd.DataFrame([names, *rows])
    frame.to_excel(tmp_path / "t.xlsx", index=False, header=False)
    file = read_file(tmp_path / "t.xlsx")
    assert file.n_rows == 10 + (names == [1.5, 2.5])


def test_names_of_a_sheet_are_read_as_those_of_a_text(tmp_path):
    frame = pd.DataFrame([["#a", "NA", "b", "b"], *[["p", 1.5, 2.5, 3.5]] * 4])
    frame.to_excel(tmp_path / "t.xlsx", index=False, header=False)
    file = read_file(tmp_path / "t.xlsx")
    assert list(file.frame) == ["a", "NA", "b", "b.1"]
    assert file.notes == ("repeated names got numbers: 'b.1'",)


def test_a_sheet_is_read_by_its_name(book):
    file = read_file(book, "Data")
    check(file, (1, 2.5))
    assert "the sheet 'Data' is read, not 'Read me'" in file.notes[0]


def test_title_rows_above_the_header_of_a_sheet_are_left_out(book):
    file = read_file(book, "Titles")
    check(file, (1, 2.5))
    assert file.notes[1] == "1 line above the header left out: 'Trial 12'"


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


def test_units_and_remarks_of_a_sheet(tmp_path):
    rows = [["x", "y"], ["cm", "class"], *[[i + 1.5, "ab"[i % 2]] for i in range(6)]]
    frame = pd.DataFrame([*rows, [None, None], ["Source: me", None]])
    frame.to_excel(tmp_path / "t.xlsx", index=False, header=False)
    file = read_file(tmp_path / "t.xlsx")
    assert file.n_rows == 6
    assert cells(file)[0] == ["1.5e0", "a"]
    assert len(file.notes) == 3


@pytest.mark.parametrize(
    "titles",
    [
        [["Report", 2024]],
        [["Report", "May"], [None, None]],
        [["Station", "Oslo"], ["Year", 2023], [None, None]],
    ],
)
def test_titles_of_a_sheet_that_are_as_wide_as_the_table(tmp_path, titles):
    rows = [*titles, ["x", "y"], *[[i + 0.5, "ab"[i % 2]] for i in range(6)]]
    pd.DataFrame(rows).to_excel(tmp_path / "t.xlsx", index=False, header=False)
    file = read_file(tmp_path / "t.xlsx")
    assert (list(file.frame), file.n_rows) == (["x", "y"], 6)
    assert cells(file)[1] == [1.5, "b"]


def test_names_in_groups_behind_a_margin(tmp_path):
    rows = [["Made by me", *[None] * 3], [None] * 4]
    rows += [["Person", "Lab", None, "Class"], [None, "x", "y", None]]
    rows += [[f"P{i}", i + 0.5, i, "ab"[i % 2]] for i in range(9)]
    frame = pd.DataFrame([[None, *row] for row in rows])
    frame.to_excel(tmp_path / "t.xlsx", index=False, header=False)
    file = read_file(tmp_path / "t.xlsx")
    assert list(file.frame) == ["Person", "Lab x", "Lab y", "Class"]
    assert cells(file)[1] == ["P1", 1.5, 1, "b"]
    assert file.notes == (
        "1 line above the header left out: 'Made by me'",
        "two lines name the columns, as in 'Lab x'",
    )


def test_codes_that_a_sheet_shows_with_leading_zeros(tmp_path):
    rows = [["Made by me", None], ["zip", "n"], [1234, 0], [None, 1], [12345, 2]]
    with pd.ExcelWriter(tmp_path / "t.xlsx") as writer:
        pd.DataFrame(rows).to_excel(writer, index=False, header=False)
        for row in (3, 4, 5):
            writer.sheets["Sheet1"].cell(row, 1).number_format = "00000"
    rows = [["01234", 0], [None, 1], ["12345", 2]]
    assert cells(read_file(tmp_path / "t.xlsx")) == rows


def test_cells_of_a_sheet_that_are_merged_with_one_above(tmp_path):
    rows = [["Place", "Shop", "x"], *[["Oslo", f"S{i}", i] for i in range(6)]]
    frame = pd.DataFrame([["Made by me", None, None], *rows])
    frame.iloc[3:5, 0] = None
    with pd.ExcelWriter(tmp_path / "t.xlsx") as writer:
        frame.to_excel(writer, index=False, header=False)
        writer.sheets["Sheet1"].merge_cells("A3:A5")
        writer.sheets["Sheet1"].merge_cells("A1:C1")
    file = read_file(tmp_path / "t.xlsx")
    assert file.frame["Place"].tolist() == ["Oslo"] * 6
    assert file.notes[1:] == (
        "1 group of merged cells: each cell has the value of its group",
    )


def test_hidden_sheets_are_read_by_their_names_only(tmp_path):
    with pd.ExcelWriter(tmp_path / "t.xlsx") as writer:
        pd.DataFrame({"a": [1]}).to_excel(writer, sheet_name="Lists", index=False)
        FRAME.to_excel(writer, sheet_name="Data", index=False)
        writer.sheets["Lists"].sheet_state = "hidden"
    check(read_file(tmp_path / "t.xlsx"), (1, 2.5))
    assert cells(read_file(tmp_path / "t.xlsx", "Lists")) == [[1]]


@pytest.mark.parametrize("name", ["t.csv", "t.jsonl"])
def test_a_file_without_sheets_refuses_the_option(tmp_path, name):
    write(FRAME, tmp_path / name) if name == "t.jsonl" else FRAME.to_csv(
        tmp_path / name
    )
    with pytest.raises(ValueError, match="--sheet is for Excel"):
        read_file(tmp_path / name, "Data")


def test_an_error_about_the_target_names_the_sheet(book):
    with pytest.raises(ValueError, match=r"'n' for --target; ") as caught:
        read_dataset(book, "n")
    assert f"(the sheet 'Read me' is read, not {OTHERS})" in str(caught.value)


# Names of columns.


@pytest.mark.parametrize("first", [0, 1])
@pytest.mark.parametrize("sample", [None, 5])
def test_a_nameless_first_column_that_counts_is_the_index(tmp_path, first, sample):
    frame = pd.DataFrame({"n": range(9), "t": list("xyz") * 3})
    frame.set_axis(range(first, first + 9)).to_csv(tmp_path / "t.csv")
    file = read_file(tmp_path / "t.csv", sample=sample)
    assert list(file.frame) == ["n", "t"]
    assert "counts the rows: left out" in file.notes[0]


def test_a_nameless_column_of_data_is_kept(tmp_path):
    path = write_text(tmp_path / "t.csv", ",b,\n5,x,1\n4,y,2\n")
    file = read_file(path)
    # pandas gives the same names.
    names = ["Unnamed: 0", "b", "Unnamed: 2"]
    assert list(file.frame) == list(pd.read_csv(path)) == names
    assert "columns without a name are now 'Unnamed: 0', 'Unnamed: 2'" in file.notes[0]


def test_repeated_names_get_the_numbers_of_pandas(tmp_path):
    path = write_text(tmp_path / "t.csv", "a,b,a,a,a.1,b\n1,2,3,4,5,6\n")
    file = read_file(path)
    assert list(file.frame) == list(pd.read_csv(path))
    assert file.notes == ("repeated names got numbers: 'a.2', 'a.3', 'b.1'",)
    assert cells(file) == [list("123456")]


def test_repeated_names_of_parquet(tmp_path):
    frame = pd.DataFrame([[1, 2, "x"], [3, 4, "y"]], columns=["a", "b", "c"])
    table = pa.Table.from_pandas(frame).rename_columns(["a", "a", "c"])
    pq.write_table(table.replace_schema_metadata(), tmp_path / "t.parquet")
    file = read_file(tmp_path / "t.parquet")
    assert list(file.frame) == ["a", "a.1", "c"]
    assert cells(file) == [[1, 2, "x"], [3, 4, "y"]]


# What is no table ends in one line.


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("t.csv", b"", "empty"),
        ("t.csv", b"\n \n", "empty or blank"),
        ("t.csv", b"a,b\n", "header but no rows$"),
        ("t.csv", b"a,b", "header but no rows$"),
        ("t.csv", b"a,b\na,b\n", "header but no rows$"),
        ("t.csv", b"a,b\r\n\r\n", "header but no rows$"),
        ("t.csv", gzip.compress(b"a,b", mtime=0), "header but no rows$"),
        ("t.csv", "a,b".encode("utf-16"), "header but no rows$"),
        ("t.arff", b"@relation t\n@attribute a real\n@data", "header but no rows$"),
        ("t.csv", b"a,b\n1,2\n3\n", "line 3: 1 cells where the header has 2"),
        ("t.csv", b'a,b\n1,"2\n2"\n3,4\n5\n' + b"1,2\n" * 9, "line 5: 1 cells"),
        ("t.csv", b"# x\na,b\n" + b"1,2\n" * 9 + b"1,2,3\n", "line 12: 3 cells"),
        ("t.csv", b"a,b,c\n" + b"1,2,3,4,5\n" * 9, "line 1: 3 names, and most rows"),
        ("t.csv", b"a,b\n" + b"x,1,2\n" * 9, "line 1: 2 names, and most rows have 3"),
        ("t.csv", b"a,b\n1,1,234\n2,2,345\n", "line 1: 2 names, and most rows have 3"),
        ("t.csv", b'a,b\n1,2\n1,"2\n3,4\n5,6\n', "line 3: unexpected end of data"),
        ("t.txt", b"a b c\n1 2 3\n4 5\n" + b"1 2 3\n" * 9, "line 3: 2 cells"),
        ("t.txt", b"a b c\n" + b"1 2 3\n" * 9 + b"4 5 6 7\n", "line 11: 4 cells"),
        (
            "t.txt",
            b"a    b\n" + b"x y  1\nz    2\n" * 150 + b"too long 3\nx    4\n",
            "line 302: 1 cells where",
        ),
        ("t.csv", b'a, b\n1, "x, y"\n3\n' + b'1, "x"\n' * 9, "line 3: 1 cells"),
        ("t.csv", b"a,b,c\n" + b"1,2,3\n" * 9 + b"1,x\ny,3\n", "line 11: 2 cells"),
        ("t.csv", b"a,b\n1,2\nnote\n" + b"1,2\n" * 9, "line 3: 1 cells"),
        ("t.csv", b"a,b\n" + b"1,2\n" * 9 + b"%,2,3\n", "line 11: 3 cells"),
        ("t.csv", b"a,b\n1,\0\n", "line 2: a NUL byte"),
        ("t.csv", b"\x7fELF" + bytes(range(256)) * 20, "NUL byte"),
        ("t.csv", codecs.BOM_UTF16_LE + b"a", "damaged utf-16 text"),
        ("t.arff", b"@relation t\n@attribute a numeric\n1\n", "without @data"),
        ("t.arff", b"@relation t\n@attribute a real\n@data\n{0 1}\n", "line 4: sparse"),
        # The time in the header would give each worker of pytest another test name.
        (
            "t.csv.gz",
            gzip.compress(TEXT.encode(), mtime=0)[:-9],
            "damaged or truncated compressed",
        ),
        ("t.parquet", b"PAR1, no parquet", "damaged, or not of the format"),
        ("t.xlsx", b"PK\x03\x04, no book", "damaged, or not of the format"),
        ("t.xls", b"<html><table><tr><td>1</td></tr></table></html>", "HTML or XML"),
        ("t.xls", b"\n<TABLE border=1><tr><td>1</td></tr></table>", "is HTML or XML"),
        ("t.zip", zipped("a.csv", "b.csv"), "an archive of 2 files; unpack one"),
        ("t.dta", b"<stata_dta><header>", "is a Stata file: export it as CSV"),
        ("t.dta", b"\x72\1\1\0", "is a Stata file"),
        ("t.sav", b"$FL2@(#)", "is an SPSS file"),
        ("t.npy", b"\x93NUMPY\1\0", "is a NumPy file"),
        ("t.db", b"SQLite format 3\0", "is an SQLite database"),
        ("t.sql", b"INSERT INTO t VALUES (1, 'a');\n" * 9, "is SQL: export it as CSV"),
        ("t.sql", b"-- MySQL dump 10.13  Distrib 8.0\n--\n", "is SQL"),
        ("t.sql", b"--\n-- PostgreSQL database dump\n--\n", "is SQL"),
        ("t.pkl", b"\x80\4\x95", "is a pickle file"),
        ("t.csv.zst", b"\x28\xb5\x2f\xfd", "is compressed by zstd"),
        ("t.tar", b"t.csv".ljust(257, b"\0") + b"ustar\0", "is an archive"),
        ("t.orc", b"ORC\3\0", "line 1: a NUL byte; this is no text file"),
        ("t.rtf", b"{\\rtf1 x}", "is a text of Word"),
        ("t.csv", b"version https://git-lfs.github.com/spec/v1\n", "Git LFS"),
        ("t.txt", b"1 1:0.5 3:2\n0 2:1e-3\n", "sparse table of LIBSVM"),
        ("t.zip", b"PK\5\6" + bytes(18), "is an archive"),
        ("t.json", b'{"a": 1, "b": "x"} 7', "no list of records"),
        ("t.jsonl", b'{"a": 1}\n{"a"', "damaged, or not of the format"),
        ("t.json", b"[]", "it holds no table"),
        ("t.json", b'[["a", "b"], [1, 2], [3, 4, 5]]', "a list of 3 cells for 2"),
        ("t.json", b'[{"a.b": 1, "a": {"b": 2}}]', "two cells .* the name 'a.b'"),
        ("t.json", b"[1, 2,\n-3.5]\n", "no list of records"),
        ("t.json", b'{"a": {"x": 1}, "b": {"y": 2}} 7', "no list of records"),
        ("t.json", b'{"a": [{"x": 1}], "b": [{"y": 2}, {"y": 3}]}', "2 lists of recor"),
    ],
)
def test_a_hostile_file_gives_one_line(tmp_path, name, content, message):
    (tmp_path / name).write_bytes(content)
    with pytest.raises(ValueError, match=message) as caught:
        read_file(tmp_path / name)
    assert str(caught.value).startswith(str(tmp_path / name))


# Samples.


@pytest.mark.parametrize("name", ["t.csv", "t.parquet", "blanks.txt"])
def test_a_sample_is_drawn_while_reading(tmp_path, name):
    path = tmp_path / name
    frame = pd.DataFrame({"a": np.arange(100, 3100), "b": np.arange(3000) % 7})
    if name == "t.parquet":
        write(frame, path)
    else:
        frame.to_csv(path, sep=" " if "blanks" in name else ",", index=False)
    file = read_file(path, sample=100, seed=3)
    assert (file.n_rows, len(file.frame)) == (3000, 100)
    rows = file.frame.index.to_numpy()
    assert (np.diff(rows) > 0).all()
    assert (file.frame["a"].astype(int) == rows + 100).all()
    other = read_file(path, sample=100, seed=4).frame.index
    assert list(other) != list(rows)


def test_a_sample_does_not_depend_on_the_chunks(tmp_path, monkeypatch):
    path = tmp_path / "t.csv"
    pd.DataFrame({"a": range(30_000), "b": "some text"}).to_csv(path, index=False)
    whole = read_file(path, sample=50).frame
    monkeypatch.setattr("sklearn_bayeslazy.compare._files._read_text.CHUNK_ROWS", 999)
    pd.testing.assert_frame_equal(read_file(path, sample=50).frame, whole)


@pytest.mark.parametrize("seed", range(5))
def test_each_part_of_the_file_is_sampled(tmp_path, seed):
    path = tmp_path / "t.csv"
    pd.DataFrame({"a": range(4000), "b": 1}).to_csv(path, index=False)
    rows = read_file(path, sample=1000, seed=seed).frame.index
    # 250 of each quarter are expected, with a standard deviation of 12.
    counts = np.bincount(rows // 1000, minlength=4)
    assert (np.abs(counts - 250) < 6 * 12).all()

"""read_dataset: the target, the task, the kinds of columns, and the errors.

Code under test: `compare/_dataset.py`, `compare/_read_dataset.py`,
`compare/_target.py`.
"""

import re

import numpy as np
import pandas as pd
import pytest

from sklearn_bayeslazy.compare._dataset import TableError
from sklearn_bayeslazy.compare._read_dataset import read_all_rows, read_dataset
from sklearn_bayeslazy.compare._target import infer_task
from tests.helpers.sentences import sentences
from tests.helpers.shared import shared_path


def test_columns_and_target_of_a_mixed_table(write_table, mixed_rows):
    path = write_table(["word", "number", "class"], mixed_rows)
    table = read_dataset(path)
    assert (table.target, table.task, table.task_inferred) == (
        "class",
        "classification",
        False,
    )
    assert [column.kind for column in table.columns] == ["category", "number"]
    assert table.columns[0].missing == 9 / 60
    assert table.columns[0].n_distinct == 2
    assert list(table.X) == ["word", "number"]
    assert table.y.dtype.kind == "U"
    assert table.names("number") == ["number"]
    assert table.name == "table"


def test_default_target_is_the_column_target_before_the_last(write_table):
    path = write_table(["target", "a"], [["xy"[i % 2], i] for i in range(20)])
    table = read_dataset(path)
    assert table.target == "target"
    assert list(table.X) == ["a"]
    assert read_dataset(path, "a").target == "a"


def test_rows_without_a_target_are_dropped_and_counted(write_table):
    rows = [[i, ["x", "y", ""][i % 3]] for i in range(30)]
    table = read_dataset(write_table(["a", "t"], rows))
    assert (len(table.y), table.n_dropped) == (20, 10)
    assert "2" not in set(table.X["a"])


@pytest.mark.parametrize(
    ("y", "task"),
    [
        (np.arange(100) % 2.0, "classification"),
        (np.arange(100) % 20.0, "classification"),
        (np.arange(100) % 21.0, "regression"),
        (np.arange(50) % 20.0, "regression"),
        (np.arange(100) % 2 + 0.5, "regression"),
        (np.arange(10) % 2.0, "classification"),
    ],
)
def test_task_is_inferred_from_the_values(y, task):
    assert infer_task(y) == task


def test_whole_numbers_become_integer_labels(write_table):
    path = write_table(["a", "t"], [[i, [2, 10][i % 2]] for i in range(20)])
    table = read_dataset(path)
    assert table.task_inferred
    assert table.y.dtype.kind == "i"
    assert read_dataset(path, task="regression").y.dtype.kind == "f"


def test_fractions_become_string_labels(write_table):
    path = write_table(["a", "t"], [[i, [0.5, 1][i % 2]] for i in range(20)])
    assert set(read_dataset(path, task="classification").y) == {"0.5", "1"}


@pytest.mark.parametrize(
    ("target", "hint"),
    [
        ("CLAS", r"no column 'CLAS' for --target; close matches: 'class'$"),
        ("zzz", r"no column 'zzz' for --target; columns: 'word', 'number', 'class'$"),
    ],
)
def test_error_on_an_unknown_target_lists_columns(
    write_table, mixed_rows, target, hint
):
    path = write_table(["word", "number", "class"], mixed_rows)
    with pytest.raises(TableError, match=hint):
        read_dataset(path, target)


def test_blanks_and_line_ends_of_a_name_need_not_be_given(write_table):
    path = write_table(["b", "a\n(years)"], [[i % 7, "xy"[i % 2]] for i in range(20)])
    assert read_dataset(path, "a (years) ").target == "a\n(years)"


def test_the_error_on_one_column_names_the_delimiters(write_table):
    path = write_table(["a:b"], [[f"{i}:x"] for i in range(20)])
    with pytest.raises(
        TableError, match="only column; cells are separated by one of ,"
    ):
        read_dataset(path)


@pytest.mark.parametrize(
    ("rows", "task", "message"),
    [
        ([[i, "xy"[i % 2]] for i in range(9)], None, "in 9 rows; at least 10"),
        ([[i, ""] for i in range(20)], None, "in 0 rows"),
        ([[i, "x"] for i in range(20)], None, "is x in every row"),
        ([[i, 7] for i in range(20)], "regression", r"is 7\.0 in every row"),
        ([[i, f"name {i}"] for i in range(20)], None, "20 classes in 20 rows"),
        ([[i, i + 0.5] for i in range(20)], "classification", "--task regression$"),
        ([[i, "xy"[i % 2]] for i in range(20)], "regression", "holds strings"),
    ],
)
def test_error_on_an_unusable_target(write_table, rows, task, message):
    with pytest.raises(TableError, match=message):
        read_dataset(write_table(["a", "t"], rows), task=task)


class TestText:
    """Columns of free text, and the parts of a table."""

    TEXT = sentences(40)

    @pytest.fixture
    def table(self, write_table):
        rows = [
            ["rg"[i % 2], text if i % 4 else "", i % 9, f'"{text}",\nend', "xy"[i % 2]]
            for i, text in enumerate(self.TEXT)
        ]
        return read_dataset(write_table(["word", "note", "n", "mail", "t"], rows))

    def test_kinds_of_columns(self, table):
        kinds = ["category", "text", "number", "text"]
        assert [column.kind for column in table.columns] == kinds
        assert table.columns[1].missing == 0.25

    def test_documents_are_the_joined_text_columns(self, table):
        documents = table.first_step("documents", 0).fit_transform(table.X)
        mails = [f'"{text}",\nend' for text in self.TEXT]
        assert documents.shape == (40,)
        assert documents[0] == mails[0]
        assert documents[1] == f"{self.TEXT[1]}\n{mails[1]}"

    def test_columns_are_cleaned_and_texts_are_log_odds(self, table):
        cleaner = table.first_step("columns", 0)
        part = cleaner.fit_transform(table.X, table.y)
        assert part.shape == cleaner.transform(table.X).shape == (40, 4)
        assert (part.iloc[3, 0], part.iloc[3, 2]) == ("g", 3.0)
        assert part.iloc[:, [1, 3]].astype(float).any(axis=None)
        assert table.first_step("whole", 0).fit_transform(table.X) is table.X

    def test_columns_beside_text_are_floats_if_all_are_numbers(self, write_table):
        rows = [[text, i % 9, "xy"[i % 2]] for i, text in enumerate(self.TEXT)]
        table = read_dataset(write_table(["note", "n", "t"], rows))
        part = table.first_step("columns", 0).fit_transform(table.X, table.y)
        assert [column.kind for column in part.dtypes] == ["f", "f"]

    def test_table_with_only_text(self, write_table):
        rows = [[text, "xy"[i % 2]] for i, text in enumerate(self.TEXT)]
        table = read_dataset(write_table(["note", "t"], rows))
        assert [table.has_any(r) for r in ("columns", "documents", "whole")] == [
            False,
            True,
            True,
        ]

    def test_columns_of_a_table_without_text(self, write_table, mixed_rows):
        table = read_dataset(write_table(["word", "number", "class"], mixed_rows))
        assert table.has_any("columns")
        assert not table.has_any("documents")

    def test_a_column_without_known_cells_is_not_text(self, write_table):
        rows = [["", i % 9, "xy"[i % 2]] for i in range(40)]
        table = read_dataset(write_table(["note", "n", "t"], rows))
        assert [column.kind for column in table.columns] == ["drop", "number"]

    @pytest.mark.parametrize("task", [None, "classification"])
    def test_error_on_a_text_target(self, write_table, task):
        path = write_table(["n", "t"], list(enumerate(self.TEXT)))
        with pytest.raises(TableError, match="too many for classification; name anoth"):
            read_dataset(path, task=task)

    def test_error_on_a_text_target_for_regression(self, write_table):
        path = write_table(["n", "t"], list(enumerate(self.TEXT)))
        with pytest.raises(TableError, match="regression needs a numeric target"):
            read_dataset(path, task="regression")


@pytest.mark.parametrize(
    ("name", "texts"),
    [
        ("sms_spam.csv", ["text"]),
        ("trec_questions.csv", ["text"]),
        ("auto_mpg.csv", []),
        ("german_credit.csv", []),
        ("cbr_travel.csv", []),
        ("zoo.csv", []),
    ],
)
def test_text_columns_of_real_tables(name, texts):
    columns = read_dataset(shared_path(name)).columns
    assert [column.name for column in columns if column.kind == "text"] == texts


def test_error_on_a_table_with_only_a_target(write_table):
    with pytest.raises(TableError, match="the target 't' is the only column"):
        read_dataset(write_table(["t"], [["x"], ["y"]] * 10))


# Targets of strings: numbers stay numbers, codes stay labels, and nothing is dropped
# without a word.


MISSING = ["NA", "#N/A", "<NA>", ".", "-", "n.d.", "?", "", "n/a", "\N{EN DASH}"]


def target_of(write_table, cells, **options):
    rows = [[i % 13, cell] for i, cell in enumerate(cells)]
    return read_dataset(write_table(["x", "y"], rows), **options)


@pytest.mark.parametrize("marker", MISSING)
@pytest.mark.parametrize("sign", [".", ","])
def test_markers_of_missing_cells_leave_a_target_numeric(write_table, marker, sign):
    numbers = [i % 20 / 4 for i in range(200)]
    cells = [f"{number:.2f}".replace(".", sign) for number in numbers]
    cells[7] = cells[20] = marker
    table = target_of(write_table, cells)
    assert (table.task, table.n_dropped) == ("regression", 2)
    kept = np.delete(numbers, [7, 20])
    np.testing.assert_allclose(table.y, kept)


@pytest.mark.parametrize("marker", MISSING)
def test_markers_of_missing_cells_are_no_class_of_a_flag(write_table, marker):
    cells = [str(i % 2) for i in range(200)]
    cells[7] = marker
    table = target_of(write_table, cells)
    assert (table.task, table.n_dropped) == ("classification", 1)
    assert np.unique(table.y).tolist() == [0, 1]


@pytest.mark.parametrize("cell", ["<0.5", "> 100", "≤ 3,5", "<1 mg/l"])
def test_bounds_in_a_numeric_target_are_named(write_table, cell):
    cells = [f"{i % 20 / 4:.2f}" for i in range(200)]
    cells[7] = cell
    table = target_of(write_table, cells)
    assert (table.task, table.n_dropped) == ("regression", 1)
    assert table.notes == (f"1 cell of the target left out: only bounds ({cell!r})",)


def test_a_few_words_far_down_a_column_of_numbers_are_named(write_table):
    cells = [str(i * i) for i in range(1300)]
    cells[1100] = cells[1200] = "broken"
    rows = [[cell, i % 2] for i, cell in enumerate(cells)]
    (column,) = read_dataset(write_table(["x", "y"], rows)).columns
    assert (column.kind, column.overruled_by) == ("number", "category")
    assert "cells such as 'broken' become missing (2)" in column.reason


def test_a_few_words_in_a_numeric_target_are_named(write_table):
    cells = [str(i * i) for i in range(100)]
    cells[3] = cells[5] = "broken"
    table = target_of(write_table, cells)
    assert (table.task, table.n_dropped) == ("regression", 2)
    assert table.notes[0] == "2 cells of the target left out: no numbers ('broken')"


def test_many_words_make_labels_and_are_named(write_table):
    cells = [["1", "2", "none"][i % 3] for i in range(60)]
    table = target_of(write_table, cells)
    assert (table.task, table.n_dropped) == ("classification", 0)
    assert np.unique(table.y).tolist() == ["1", "2", "none"]
    why = r"numbers, but also words such as 'none' \(20\)"
    assert re.fullmatch(f"the target is read as labels: {why}", table.notes[0])
    with pytest.raises(TableError, match=why):
        target_of(write_table, cells, task="regression")


@pytest.mark.parametrize("marker", ["unknown", "0000-00-00", "n/a"])
def test_markers_among_dates_are_no_label(write_table, marker):
    cells = [f"2022-01-0{1 + i % 3}" for i in range(60)]
    cells[7] = marker
    table = target_of(write_table, cells)
    assert (table.task, table.n_dropped) == ("classification", 1)
    assert len(np.unique(table.y)) == 3


@pytest.mark.parametrize("n_numbers", [3, 50])
def test_numbers_that_may_stand_for_missing_ones_are_named(write_table, n_numbers):
    table = target_of(write_table, ["-99", *(str(i % n_numbers) for i in range(100))])
    assert "-99 may stand for a missing cell (1)" in table.notes[0]


def test_a_number_is_one_label_however_it_is_written(write_table):
    cells = [*(str(1 + i % 3) for i in range(60)), "~3", "1.0"]
    table = target_of(write_table, cells)
    assert np.unique(table.y).tolist() == ["1", "2", "3"]


def test_signs_as_labels_stay_labels(write_table):
    table = target_of(write_table, ["+-"[i % 2] for i in range(40)])
    assert np.unique(table.y).tolist() == ["+", "-"]
    assert table.n_dropped == 0


@pytest.mark.parametrize(("other", "first"), [("1,5", 1234), ("1.5", 1.234)])
def test_the_other_columns_show_the_decimal_sign_of_a_target(write_table, other, first):
    rows = [[f"{i}{other}", f"{1 + i}.{234 + i}"] for i in range(30)]
    table = read_dataset(write_table(["a", "t"], rows))
    assert table.y[0] == first
    assert "which is a guess" in table.notes[0]


@pytest.mark.parametrize("n_codes", [12, 30])
def test_codes_that_begin_with_zero_stay_labels(write_table, n_codes):
    table = target_of(write_table, [f"{1 + i % n_codes:02}" for i in range(600)])
    assert table.task == "classification"
    assert table.y[:3].tolist() == ["01", "02", "03"]
    assert "'01' begin with a zero" in table.notes[0]


# Cells that repeat; the classes or the first numbers; a part of the notes.
TARGETS = {
    "case and blanks": (["Pro", "free", "PRO ", "Pro"], {"Pro", "free"}, "'PRO'"),
    "yes and no": (["Yes", "no", "yes", "no", "Yes"], {"Yes", "no"}, ""),
    "true, false, 0, 1": (
        ["True", "0", "1", "False", "True", "0"],
        {"True", "0"},
        "'1'",
    ),
    "two sides of a limit": (["<=50K", ">50K"], {"<=50K", ">50K"}, ""),
    "nineteen digits": (
        [f"123456789012345678{i}" for i in range(3)],
        {f"123456789012345678{i}" for i in range(3)},
        "sixteen digits",
    ),
    "ICD-9": (["250.0", "250.00", "401.9"], {"250.0", "250.00", "401.9"}, "zeros"),
    "school grades": (["1+", "2-", "3", "2+"], {"1+", "2-", "3", "2+"}, ""),
    "alleles": (["AA", "Aa", "aa"], {"AA", "Aa", "aa"}, "may be one category"),
    "one letter": (["M", "m", "F"], {"M", "m", "F"}, "may be one category"),
    "sizes": (["5 kg", "5kg", "10 kg"], {"5 kg", "10 kg"}, ""),
    "quarters": (["2024Q1", "2024Q2"], {"2024Q1", "2024Q2"}, "its cells are dates"),
    "a guess": ([f"{i}.{i}00" for i in range(1, 10)], [1.1, 2.2], "is a guess"),
    "World Bank": ([*(f"{i}.5" for i in range(9)), "..", ":"], [0.5, 1.5], "'..', ':'"),
    "debit and credit": (
        [f"{i},50 {'SH'[i % 2]}" for i in range(50)],
        [-0.5, 1.5],
        "'10,50 S' is read as -10.5",
    ),
    "per cent": ([f"{i} %" for i in range(50)], [0, 0.01], "'10 %' is read as 0.1"),
    "approximate": ([f"about {i}" for i in range(50)], [0, 1], ""),
    "circa": ([f"circa {i}" for i in range(50)], [0, 1], ""),
    "one percent sign": ([*map(str, range(50)), "12%"], [0, 1], ""),
    "top-coded": ([*map(str, range(50)), "90+"], [0, 1], "only bounds ('90+')"),
    "labels and a dash": (
        ["a", "b", "-"],
        {"a", "b"},
        "left out: words for a missing one ('-')",
    ),
    "a word for missing": (
        ["None", "Low", "High"],
        {"Low", "High"},
        "missing one ('None')",
    ),
}


@pytest.mark.parametrize("name", TARGETS)
def test_targets_of_raw_exports(write_table, name):
    cells, expected, note = TARGETS[name]
    table = target_of(write_table, (cells * 60)[: 60 + 60 % len(cells)])
    assert note in "; ".join(table.notes)
    if isinstance(expected, set):
        assert table.task == "classification"
        assert set(table.y) == expected
    else:
        assert table.task == "regression"
        np.testing.assert_allclose(table.y[: len(expected)], expected)


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda i: f"{1 + i % 28}.1.{2000 + i}", "classes .*its cells are dates"),
        (lambda i: f"{i} {'kg' if i % 2 else '°C'}", "'°C' and 'kg' do not convert"),
        (lambda i: "NA", "known in 0 rows"),
    ],
)
def test_targets_that_cannot_be_used_say_why(write_table, make, message):
    with pytest.raises(TableError, match=message):
        target_of(write_table, [make(i) for i in range(60)])


@pytest.mark.parametrize("suffix", ["parquet", "xlsx", "csv"])
@pytest.mark.parametrize("kind", [pd.Timestamp, lambda day: pd.Timestamp(day).date()])
def test_typed_dates_are_no_numbers(tmp_path, suffix, kind):
    days = [kind(f"2024-01-{1 + i % 5:02}") for i in range(60)]
    frame = pd.DataFrame({"x": np.arange(60) % 7, "y": days})
    path = tmp_path / f"t.{suffix}"
    getattr(frame, {"csv": "to_csv", "xlsx": "to_excel"}.get(suffix, "to_parquet"))(
        path, index=False
    )
    table = read_dataset(path)
    assert table.task == "classification"
    assert set(table.y) == {f"2024-01-0{i}" for i in range(1, 6)}
    assert "dates" in table.notes[0]


def test_labels_of_numbers_beside_words(tmp_path):
    labels = [1.1, 401.9, "E11.9"] * 20
    pd.DataFrame({"x": np.arange(60) % 7, "y": labels}).to_excel(
        tmp_path / "t.xlsx", index=False
    )
    assert set(read_dataset(tmp_path / "t.xlsx").y) == {"1.1", "401.9", "E11.9"}


def test_numbers_with_units_are_targets(write_table):
    table = target_of(write_table, [f"$ {1000 + 7 * i:,}.50" for i in range(60)])
    assert table.task == "regression"
    assert table.y[:2].tolist() == [1000.5, 1007.5]


@pytest.mark.parametrize("dtype", [int, float])
def test_declared_categories_are_labels(tmp_path, dtype):
    values = pd.Categorical(np.arange(60).astype(dtype) % 30)
    pd.DataFrame({"x": range(60), "y": values}).to_feather(tmp_path / "t.feather")
    table = read_dataset(tmp_path / "t.feather", keep=["x"])
    assert table.task == "classification"


def test_all_rows_of_a_sampled_file_are_read_again(tmp_path):
    path = tmp_path / "t.csv"
    frame = pd.DataFrame({"a": np.arange(500) % 9, "t": np.arange(500) % 2})
    frame.to_csv(path, index=False)
    table = read_dataset(path, kinds={"a": "category"}, sample=100)
    assert (len(table.y), table.n_rows_in_file, table.is_sample) == (100, 500, True)
    whole = read_all_rows(table)
    assert (len(whole.y), whole.is_sample) == (500, False)
    assert whole.columns[0].kind == "category"
    assert read_all_rows(whole) is whole

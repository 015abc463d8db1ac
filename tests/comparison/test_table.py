"""Reading the user's table: the target, the task, the kinds, and what is refused."""

import numpy as np
import pytest

from sklearn_bayeslazy._comparison._table import TableError, guess_task, read_table


def test_columns_and_target_of_a_mixed_table(write_table, mixed_rows):
    path = write_table(["word", "number", "class"], mixed_rows)
    table = read_table(path)
    assert (table.target, table.task, table.task_guessed) == (
        "class",
        "classification",
        False,
    )
    assert [column.kind for column in table.columns] == ["categorical", "numeric"]
    assert table.columns[0].missing == 9 / 60
    assert table.columns[0].n_distinct == 2
    assert table.X.dtype == object
    assert table.y.dtype.kind == "U"
    assert table.indices("numeric") == [1]
    assert table.name == "table"


def test_the_column_target_goes_before_the_last(write_table):
    path = write_table(["target", "a"], [["xy"[i % 2], i] for i in range(20)])
    table = read_table(path)
    assert table.target == "target"
    assert table.X.dtype == float
    assert read_table(path, "a").target == "a"


def test_rows_without_a_target_are_left_out_and_counted(write_table):
    rows = [[i, ["x", "y", ""][i % 3]] for i in range(30)]
    table = read_table(write_table(["a", "t"], rows))
    assert (len(table.y), table.n_dropped) == (20, 10)
    assert 2.0 not in table.X


@pytest.mark.parametrize(
    ("y", "task"),
    [
        (np.array(["a", "b"] * 10, dtype=object), "classification"),
        (np.arange(100) % 2.0, "classification"),
        (np.arange(100) % 20.0, "classification"),
        (np.arange(100) % 21.0, "regression"),
        (np.arange(50) % 20.0, "regression"),
        (np.arange(100) % 2 + 0.5, "regression"),
        (np.arange(10) % 2.0, "classification"),
    ],
)
def test_task_is_told_from_the_values(y, task):
    assert guess_task(y) == task


def test_whole_numbers_become_labels_that_sort_as_numbers(write_table):
    path = write_table(["a", "t"], [[i, [2, 10][i % 2]] for i in range(20)])
    table = read_table(path)
    assert table.task_guessed
    assert table.y.dtype.kind == "i"
    assert read_table(path, task="regression").y.dtype.kind == "f"


def test_fractions_can_be_made_labels(write_table):
    path = write_table(["a", "t"], [[i, [0.5, 1][i % 2]] for i in range(20)])
    assert set(read_table(path, task="classification").y) == {"0.5", "1"}


@pytest.mark.parametrize(
    ("target", "hint"),
    [
        ("CLAS", r"no column 'CLAS' for --target; close matches: 'class'$"),
        ("zzz", r"no column 'zzz' for --target; columns: 'word', 'number', 'class'$"),
    ],
)
def test_unknown_target_shows_what_there_is(write_table, mixed_rows, target, hint):
    path = write_table(["word", "number", "class"], mixed_rows)
    with pytest.raises(TableError, match=hint):
        read_table(path, target)


@pytest.mark.parametrize(
    ("rows", "task", "message"),
    [
        ([[i, "xy"[i % 2]] for i in range(9)], None, "9 rows .* at least 10"),
        ([[i, ""] for i in range(20)], None, "0 rows"),
        ([[i, "x"] for i in range(20)], None, "is x in every row"),
        ([[i, 7] for i in range(20)], "regression", r"is 7\.0 in every row"),
        ([[i, f"name {i}"] for i in range(20)], None, "20 classes in 20 rows"),
        ([[i, i + 0.5] for i in range(20)], "classification", "--task regression$"),
        ([[i, "xy"[i % 2]] for i in range(20)], "regression", "holds strings"),
    ],
)
def test_targets_that_cannot_be_learnt(write_table, rows, task, message):
    with pytest.raises(TableError, match=message):
        read_table(write_table(["a", "t"], rows), task=task)


def test_a_table_of_the_target_alone(write_table):
    with pytest.raises(TableError, match="no column is left beside the target 't'"):
        read_table(write_table(["t"], [["x"], ["y"]] * 10))

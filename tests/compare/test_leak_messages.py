"""Columns that give the target away are named, others are not."""

import numpy as np
import pytest

from sklearn_bayeslazy.compare._evaluate import MAX_ROWS, leak_messages
from sklearn_bayeslazy.compare._read_dataset import read_dataset

N = 120
RNG = np.random.default_rng(0)
CLASSES = RNG.choice(["no", "yes"], size=N)
AMOUNTS = RNG.normal(size=N).round(6)
HARMLESS = RNG.integers(5, size=N)


def messages(write_table, target, **columns):
    path = write_table([*columns, "t"], list(zip(*columns.values(), target)))
    table = read_dataset(path)
    return leak_messages(table, np.arange(N), seed=0)


@pytest.mark.parametrize(
    "leak",
    [
        np.where(CLASSES == "yes", "paid", "unpaid"),
        np.where(CLASSES == "yes", 7.5, -1.0) + AMOUNTS.clip(-3, 3),
        # Each class has three codes.
        [f"{i % 3}{label}" for i, label in enumerate(CLASSES)],
    ],
    ids=["words", "numbers", "codes"],
)
def test_a_column_that_gives_a_class_away_is_named(write_table, leak):
    (message,) = messages(write_table, CLASSES, a=HARMLESS, outcome=leak)
    assert message.startswith("'outcome' alone predicts the target almost perfectly.")
    assert message.endswith("drop it: --drop outcome.")


def test_columns_that_give_an_amount_away_are_named(write_table):
    (message,) = messages(
        write_table,
        AMOUNTS,
        a=HARMLESS,
        cents=(100 * AMOUNTS).round(3),
        **{"x, y": AMOUNTS + 1},
    )
    assert message.startswith("'cents', 'x, y' each alone predict the target")
    assert message.endswith("""drop it: --drop 'cents,"x, y"'.""")


def test_harmless_columns_are_not_named(write_table):
    often_right = np.where(RNG.random(N) < 0.9, CLASSES, "no")
    assert messages(write_table, CLASSES, a=HARMLESS, b=often_right) == []
    assert messages(write_table, AMOUNTS, a=HARMLESS, b=AMOUNTS > 0) == []


def test_a_single_column_is_all_there_is(write_table):
    assert messages(write_table, CLASSES, a=CLASSES) == []


def test_dropped_columns_and_missing_cells(write_table):
    leak = np.where(CLASSES == "yes", "seen", "")
    (message,) = messages(
        write_table, CLASSES, a=HARMLESS, same=["x"] * N, known_if_yes=leak
    )
    assert message.startswith("'known_if_yes' alone")


def test_many_rows_are_sampled(write_table):
    n = MAX_ROWS + 500
    rows = [[i % 7, ["p", "q"][i % 2], "xy"[i % 2]] for i in range(n)]
    table = read_dataset(write_table(["a", "b", "t"], rows))
    (message,) = leak_messages(table, np.arange(n), seed=0)
    assert message.startswith("'b' alone")


@pytest.mark.filterwarnings("error")
def test_targets_whose_squares_overflow_give_no_warning(write_table):
    assert messages(write_table, AMOUNTS * 1e300, a=HARMLESS, b=AMOUNTS > 0) == []

"""The terminal: columns aligned, long and dangerous text tamed, numbers readable."""

import numpy as np
import pytest

from sklearn_bayeslazy._comparison import _text, _words
from sklearn_bayeslazy._comparison._evaluate import Outcome, compare
from sklearn_bayeslazy._comparison._learners import LEARNERS, suited
from sklearn_bayeslazy._comparison._table import read_table


@pytest.fixture(autouse=True)
def wide_terminal(monkeypatch):
    monkeypatch.setenv("COLUMNS", "120")


def test_table_names_every_column_with_kind_and_holes(write_table, mixed_rows):
    path = write_table(["word", "number", "class"], mixed_rows)
    lines = _text.describe_table(read_table(path)).splitlines()
    assert lines[0] == f"table   {path}: 60 rows, 2 columns"
    assert lines[1].startswith("target  class: classification, 2 classes (")
    assert [line.split() for line in lines[-2:]] == [
        ["word", "categorical", "2", "15", "%"],
        ["number", "numeric", "48", "20", "%"],
    ]


def test_dropped_rows_a_guessed_task_and_many_columns_are_told(write_table):
    header = [f"c{j}" for j in range(50)] + ["t"]
    rows = [[i] * 50 + [["", 1, 2][i % 3]] for i in range(30)]
    text = _text.describe_table(read_table(write_table(header, rows)))
    assert "10 rows without a target were left out" in text
    assert "--task decides otherwise" in text
    assert text.endswith("... and 10 more columns")


def test_comparison_marks_ours_and_tells_of_failures(write_table, mixed_rows):
    table = read_table(write_table(["word", "number", "class"], mixed_rows))
    comparison = compare(table, suited("classification")[2:], n_folds=3)
    comparison.outcomes.append(Outcome(LEARNERS[0], failure="ValueError: no"))
    comparison.outcomes[0].warnings.append("UserWarning: odd")
    lines = _text.describe_comparison(comparison).splitlines()
    (failed,) = [line for line in lines if "failed: " in line]
    assert failed.startswith("* MEstimateNB")
    assert failed.endswith("failed: ValueError: no")
    assert "* of sklearn_bayeslazy" in lines
    winner = comparison.winner.learner.name
    assert any(
        line.startswith(f"Warnings held back, see --report: {winner}") for line in lines
    )
    answer = f"Winner by accuracy: {winner}. On the 15 rows held out: accuracy "
    assert answer in " ".join(lines)


def test_a_task_without_a_learner_of_ours_is_said(write_table):
    rows = [[i, i + 0.5] for i in range(40)]
    comparison = compare(
        read_table(write_table(["a", "t"], rows)), suited("regression")
    )
    said = "sklearn_bayeslazy has no learner for regression yet."
    ours = any(
        outcome.learner.package == _words.OURS for outcome in comparison.outcomes
    )
    assert (said in _text.describe_comparison(comparison)) is not ours


def test_control_characters_cannot_reach_the_terminal():
    assert _text.plain("a\x1b[2Jb\nc\u202ed") == "a�[2Jb�c�d"
    (_, _, row) = _text.align(["a", "b"], [["x\ny", "z\x07"]], "ll")
    assert row == "x�y  z�"


def test_wide_letters_keep_the_columns():
    lines = _text.align(["a", "b"], [["日本", "1"], ["e\u0301é", "2"]], "ll")
    assert lines[2:] == ["日本  1", "e\u0301é    2"]


def test_the_last_column_is_wrapped_or_goes_below(monkeypatch):
    words = " ".join(["word"] * 12)
    monkeypatch.setenv("COLUMNS", "40")
    lines = _text.align(["a", "b"], [["x", words]], "ll")
    assert len(lines) == 4
    assert lines[3].startswith("   word")
    monkeypatch.setenv("COLUMNS", "20")
    lines = _text.align(["a", "b"], [["x", words], ["y", ""]], "ll")
    assert lines[2:4] == ["x", "    word word word"]
    assert lines[-1] == "y"
    assert max(map(len, lines)) <= 20


def test_long_names_are_cut():
    assert len(_text.shorten("n" * 100)) == _text.MAX_NAME


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (0.8154, "0.815"),
        (-20.21, "-20.2"),
        (123456.7, "123457"),
        (1.5e9, "1.50e+09"),
        (2e-5, "2.00e-05"),
        (0, "0.000"),
        (np.nan, "-"),
        (np.inf, "-"),
    ],
)
def test_numbers(value, text):
    assert _words.number(value) == text


def test_spread_is_as_fine_as_the_mean():
    assert _words.with_spread(np.array([99.0, 101.0])) == "100.0 ± 1.4"
    assert _words.with_spread(np.array([0.4, 0.4 + 1e-16])) == "0.400 ± 0.000"
    assert _words.with_spread(np.array([np.nan, 1.0])) == "-"


@pytest.mark.parametrize(
    ("share", "text"),
    [(0, ""), (0.001, "<1 %"), (0.238, "24 %"), (0.999, "99 %"), (1, "all")],
)
def test_shares(share, text):
    assert _words.percent(share) == text


@pytest.mark.parametrize(
    ("seconds", "text"), [(5e-5, "50 µs"), (0.0123, "12 ms"), (2.5, "2.5 s")]
)
def test_durations(seconds, text):
    assert _words.duration(seconds) == text

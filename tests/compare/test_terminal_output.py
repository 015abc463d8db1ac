"""The terminal's output: aligned columns, wrapped text, escapes, formatted numbers.

Code under test: `compare/_formatting.py`, `compare/_summary.py`,
`compare/_terminal.py`.
"""

import re
from dataclasses import replace

import numpy as np
import pytest
from rich.cells import cell_len

from sklearn_bayeslazy.compare import _formatting, _summary, _terminal
from sklearn_bayeslazy.compare._evaluate import compare
from sklearn_bayeslazy.compare._learners._registry import LEARNERS, learners_for
from sklearn_bayeslazy.compare._outcome import Outcome
from sklearn_bayeslazy.compare._read_dataset import read_dataset
from tests.helpers.sentences import sentences


@pytest.fixture(autouse=True)
def wide_terminal(monkeypatch):
    monkeypatch.setenv("COLUMNS", "120")


def test_table_shows_kind_and_missing_share_of_each_column(write_table, mixed_rows):
    path = write_table(["word", "number", "class"], mixed_rows)
    lines = _terminal.describe_table(read_dataset(path)).splitlines()
    assert lines[0] == f"table   {path}: 60 rows, 2 columns"
    assert lines[1].startswith("target  class: classification, 2 classes (")
    assert [line.split() for line in lines[-2:]] == [
        ["word", "category", "2", "15", "%"],
        ["number", "number", "48", "20", "%"],
    ]


def test_table_shows_dropped_rows_an_inferred_task_and_many_columns(write_table):
    header = [f"c{j}" for j in range(50)] + ["t"]
    rows = [[i] * 50 + [["", 1, 2][i % 3]] for i in range(30)]
    text = _terminal.describe_table(read_dataset(write_table(header, rows)))
    assert "10 rows without a target were left out" in text
    assert "set --task to change it" in text
    assert text.endswith("... and 10 more columns")


def test_table_uses_the_singular_and_names_the_option_of_a_text(write_table):
    texts = sentences(41)
    rows = [[text, ["x", "y"][i % 2] if i else ""] for i, text in enumerate(texts)]
    lines = _terminal.describe_table(
        read_dataset(write_table(["a", "t"], rows))
    ).splitlines()
    assert lines[0].endswith("table.csv: 40 rows, 1 column")
    assert lines[2] == "        1 row without a target was left out"
    assert re.fullmatch(
        r"a +text +40 +free text: .* \(if not: --category a\)",
        lines[-1],
    )


@pytest.mark.parametrize(
    ("header", "text_columns"),
    [
        (["n", "text", "t"], "'text'"),
        (["n", "text", "text2", "t"], "'text', 'text2'"),
    ],
)
def test_remark_on_learners_that_read_text(write_table, header, text_columns):
    rows = [
        [text if name.startswith("text") else i for name in header[:-1]] + ["xy"[i % 2]]
        for i, text in enumerate(sentences(40))
    ]
    table = read_dataset(write_table(header, rows), keep=["n"])
    chosen = [
        x for x in learners_for(table) if x.name in ("MultinomialNB", "GaussianNB")
    ]
    assert _summary.remarks(compare(table, chosen, n_folds=2)) == [
        f"Learners of text read only {text_columns}; the others read all columns, a "
        "text as log likelihoods of the classes given its words, from models without "
        "the row."
    ]


def test_comparison_shows_our_learners_failures_and_warnings(write_table, mixed_rows):
    table = read_dataset(write_table(["word", "number", "class"], mixed_rows))
    learners = learners_for(table, ["MEstimateNB, loo", "CategoricalNB", "Dummy"])
    comparison = compare(table, learners, n_folds=3)
    comparison.outcomes.append(Outcome(LEARNERS[0], failure="ValueError: no"))
    comparison.outcomes[0].warnings.append("UserWarning: odd")
    lines = _terminal.describe_comparison(comparison).splitlines()
    (failed,) = [line for line in lines if "failed: " in line]
    assert failed.startswith("* MEstimateNB")
    assert failed.endswith("failed: ValueError: no")
    assert "* sklearn_bayeslazy" in lines
    winner = comparison.winner.learner.name
    assert any(
        line.startswith(f"Learners with warnings (--report shows them): {winner}")
        for line in lines
    )
    answer = f"by accuracy: {winner}. On the 15 rows held out: accuracy "
    (title,) = re.findall(rf"(\w+) {re.escape(answer)}", " ".join(lines))
    # The word winner is for a best learner without ties.
    has_ties = any("  tie  " in line for line in lines)
    assert title == ("Best" if has_ties else "Winner")


def test_control_characters_are_replaced():
    assert _terminal.printable("a\x1b[2Jb\nc\u202ed") == "a�[2Jb�c�d"
    outcome = Outcome(replace(LEARNERS[0], name="x\ny"), failure="z\x07")
    assert str(_terminal._marked(outcome)) == "* x�y"


def test_columns_with_wide_letters_are_aligned(write_table):
    rows = [["ab"[i % 2], "uvw"[i % 3], "xy"[i % 2]] for i in range(40)]
    path = write_table(["日本", "e\u0301é", "t"], rows)
    lines = _terminal.describe_table(read_dataset(path)).splitlines()
    first, second = (line[: line.index("category")] for line in lines[-2:])
    assert cell_len(first) == cell_len(second) == len("column  ")


def test_a_decision_is_wrapped_within_its_column(write_table, monkeypatch):
    monkeypatch.setenv("COLUMNS", "60")
    rows = [[f"code number {i:03}", i % 7, "xy"[i % 2]] for i in range(40)]
    text = _terminal.describe_table(read_dataset(write_table(["id", "n", "t"], rows)))
    lines = text.splitlines()
    assert max(map(len, lines)) <= 60
    row = next(i for i, line in enumerate(lines) if line.startswith("id "))
    assert lines[row + 1].startswith(" " * 20)


def test_long_names_are_cut():
    assert len(_terminal.shorten("n" * 100)) == _terminal.MAX_NAME_LENGTH


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
def test_format_number(value, text):
    assert _formatting.format_number(value) == text


def test_format_mean_std_uses_the_decimals_of_the_mean():
    assert _formatting.format_mean_std(np.array([99.0, 101.0])) == "100.0 ± 1.4"
    assert _formatting.format_mean_std(np.array([0.4, 0.4 + 1e-16])) == "0.400 ± 0.000"
    assert _formatting.format_mean_std(np.array([np.nan, 1.0])) == "-"


@pytest.mark.parametrize(
    ("share", "text"),
    [(0, ""), (0.001, "<1 %"), (0.238, "24 %"), (0.999, "99 %"), (1, "all")],
)
def test_format_percent(share, text):
    assert _formatting.format_percent(share) == text


@pytest.mark.parametrize(
    ("seconds", "text"), [(5e-5, "50 µs"), (0.0123, "12 ms"), (2.5, "2.5 s")]
)
def test_format_duration(seconds, text):
    assert _formatting.format_duration(seconds) == text

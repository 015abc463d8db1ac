"""The live table: a line for each learner as it is finished, and the bar.

Code under test: `compare/_terminal.py`.
"""

import numpy as np
import pytest

from sklearn_bayeslazy.compare._learners._learner import BAYESLAZY, SKLEARN, Learner
from sklearn_bayeslazy.compare._outcome import Outcome
from sklearn_bayeslazy.compare._read_dataset import read_dataset
from sklearn_bayeslazy.compare._terminal import LiveTable

OURS = Learner("ours", "classification", BAYESLAZY, None)
PEER = Learner("a\x1b longer name", "classification", SKLEARN, None)
SCORES = np.array([[0.5, 1.0], [0.7, np.nan]])


@pytest.fixture
def table(write_table):
    return read_dataset(
        write_table(["a", "t"], [[i % 7, "xy"[i % 2]] for i in range(20)])
    )


def test_a_line_for_each_learner_below_one_header(table, capsys):
    with LiveTable(table, [OURS, PEER], show_bar=False) as live:
        live.started(OURS, 2, None)
        assert capsys.readouterr().out == ""
        live.finished(Outcome(OURS, SCORES, seconds=2.5))
        header, first = capsys.readouterr().out.splitlines()
        live.started(PEER, 1, 3.0)
        live.finished(Outcome(PEER, SCORES[:, ::-1], seconds=0.01))
        (second,) = capsys.readouterr().out.splitlines()
    assert header.split() == ["learner", "accuracy", "log", "loss", "folds", "time"]
    # 0.6 plus or minus the standard deviation, 0.2 / sqrt(2).
    assert first.split() == ["*", "ours", "0.600", "±", "0.141", "-", "2", "2.5", "s"]
    assert second.startswith("  a\N{REPLACEMENT CHARACTER} longer name")
    # The columns are aligned at the right.
    assert len(header) == len(first) == len(second)


def test_a_failure_is_a_line_with_its_reason(table, capsys):
    with LiveTable(table, [OURS], show_bar=False) as live:
        live.finished(Outcome(OURS, failure="ValueError: no\nmore"))
    line = capsys.readouterr().out.splitlines()[-1]
    assert line == "* ours: failed: ValueError: no\N{REPLACEMENT CHARACTER}more"


def test_the_bar_shows_the_running_learner_and_the_time_left(table, capsys):
    with LiveTable(table, [OURS, PEER], show_bar=True) as live:
        live.started(PEER, 1, 12.4)
        live.finished(Outcome(OURS, SCORES))
    captured = capsys.readouterr()
    assert "1/2 a\x1b longer name, at most 12 s left" not in captured.err
    assert (
        "1/2 a\N{REPLACEMENT CHARACTER} longer name, at most 12 s left" in captured.err
    )
    assert "* ours" in captured.out
    assert not captured.err.endswith("left")  # the bar is wiped at the end

"""The live table: a line for each learner as it is finished, and the bar.

Code under test: `compare/_terminal.py`.
"""

import io

import numpy as np
from rich.console import Console

from sklearn_bayeslazy.compare._learners._learner import BAYESLAZY, SKLEARN, Learner
from sklearn_bayeslazy.compare._metrics import METRICS
from sklearn_bayeslazy.compare._outcome import Outcome
from sklearn_bayeslazy.compare._terminal import LiveTable

OURS = Learner("ours", "classification", BAYESLAZY, None)
PEER = Learner("a\x1b longer name", "classification", SKLEARN, None)
SCORES = np.array([[0.5, 1.0], [0.7, np.nan]])


METRICS = tuple(METRICS["classification"].values())


def test_a_line_for_each_learner_below_one_header(capsys):
    with LiveTable(METRICS, [OURS, PEER], show_bar=False) as live:
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


def test_a_failure_is_a_line_with_its_reason(capsys):
    with LiveTable(METRICS, [OURS], show_bar=False) as live:
        live.finished(Outcome(OURS, failure="ValueError: no\nmore"))
    line = capsys.readouterr().out.splitlines()[-1]
    assert line == "* ours: failed: ValueError: no\N{REPLACEMENT CHARACTER}more"


def test_the_bar_shows_the_running_learner_and_the_time_left():
    console = Console(file=io.StringIO(), force_terminal=True, width=100)
    with LiveTable(METRICS, [OURS, PEER], True, console) as live:
        live.started(PEER, 1, 12.4)
        live.finished(Outcome(OURS, SCORES))
    shown = console.file.getvalue()
    assert "a\x1b longer name" not in shown
    assert "1/2 a\N{REPLACEMENT CHARACTER} longer name, at most 12 s left" in shown
    assert "* ours" in shown
    assert not shown.endswith("left")  # the bar is wiped at the end

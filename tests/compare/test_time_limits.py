"""time_limit stops slow work; compare gives slow learners fewer folds, or none."""

import signal
import threading
import time
from contextlib import contextmanager

import numpy as np
import pytest
from sklearn.dummy import DummyClassifier

from sklearn_bayeslazy._core import _warnings
from sklearn_bayeslazy.compare import _evaluate
from sklearn_bayeslazy.compare._cross_validation import TimeIsUpError, time_limit
from sklearn_bayeslazy.compare._evaluate import compare
from sklearn_bayeslazy.compare._learners._learner import SKLEARN, Learner
from sklearn_bayeslazy.compare._read_dataset import read_dataset
from sklearn_bayeslazy.compare._summary import standing


class Slow(DummyClassifier):
    """A learner that sleeps at fit."""

    def __init__(self, seconds=0.0):
        super().__init__()
        self.seconds = seconds

    def fit(self, X, y):
        time.sleep(self.seconds)
        return super().fit(X, y)


def learner(name, seconds=0.0):
    return Learner(name, "classification", SKLEARN, lambda table: Slow(seconds))


@pytest.fixture
def table(write_table):
    rows = [[i % 7, "xy"[i % 2]] for i in range(60)]
    return read_dataset(write_table(["a", "t"], rows))


def work_that_catches_exceptions(seconds):
    end = time.perf_counter() + seconds
    while time.perf_counter() < end:
        try:
            time.sleep(0.01)
        except Exception:
            pytest.fail("caught")


def test_a_time_limit_stops_work_that_catches_every_exception():
    begin = time.perf_counter()
    with pytest.raises(TimeIsUpError), time_limit(0.05):
        work_that_catches_exceptions(10)
    assert time.perf_counter() - begin < 5


@pytest.mark.parametrize("package", ["numba.core", "llvmlite", "numbats"])
def test_a_time_limit_lets_a_compilation_end(package):
    done = []
    names = {"__name__": package, "work": work_that_catches_exceptions, "done": done}
    code = "def call():\n    work(0.3)\n    done.append(1)\n"
    exec(code, names)

    def call_and_go_on():
        names["call"]()
        work_that_catches_exceptions(10)

    with pytest.raises(TimeIsUpError), time_limit(0.05):
        call_and_go_on()
    assert len(done) == (package != "numbats")


@pytest.mark.parametrize("seconds", [(0.2, 0), (0, 0.2)])
def test_a_time_limit_lets_a_context_begin_and_end(seconds):
    begun, ended = [], []

    @contextmanager
    def context():
        work_that_catches_exceptions(seconds[0])
        begun.append(1)
        try:
            yield
        finally:
            work_that_catches_exceptions(seconds[1])
            ended.append(1)

    def call_and_go_on():
        with context():
            pass
        work_that_catches_exceptions(10)

    with pytest.raises(TimeIsUpError), time_limit(0.05):
        call_and_go_on()
    assert begun == ended == [1]


def test_quick_work_is_not_stopped_and_the_former_handler_returns():
    former = signal.getsignal(signal.SIGALRM)
    with time_limit(60):
        assert signal.getsignal(signal.SIGALRM) is not former
    assert signal.getsignal(signal.SIGALRM) is former
    assert signal.getitimer(signal.ITIMER_REAL) == (0.0, 0.0)


@pytest.mark.parametrize("seconds", [0, -1.0])
def test_no_time_left_raises_at_once(seconds):
    with pytest.raises(TimeIsUpError), time_limit(seconds):
        pytest.fail("the block ran")


def test_no_limit_sets_no_alarm():
    with time_limit(None):
        assert signal.getitimer(signal.ITIMER_REAL) == (0.0, 0.0)


def test_outside_the_main_thread_nothing_is_stopped():
    done = []

    def work():
        with time_limit(0.01):
            time.sleep(0.05)
            done.append(True)

    thread = threading.Thread(target=work)
    thread.start()
    thread.join()
    assert done == [True]


def test_a_learner_that_is_too_slow_for_two_folds_fails_and_the_rest_goes_on(table):
    learners = [learner("quick"), learner("slow", 60.0), learner("last")]
    comparison = compare(table, learners, n_folds=3, seconds=4)
    outcomes = {outcome.learner.name: outcome for outcome in comparison.outcomes}
    assert outcomes["slow"].failure.startswith("too slow: 0 folds within ")
    assert [len(outcomes[name].scores) for name in ("quick", "last")] == [3, 3]
    assert comparison.outcomes[-1] is outcomes["slow"]


def test_a_slow_learner_gets_at_least_two_folds_but_not_all(table):
    # A share is 0.9 of 8 s by 8 learners. Two folds take more, but less than three.
    learners = [learner("slow", 0.8), *(learner(str(i)) for i in range(7))]
    comparison = compare(table, learners, seconds=8)
    slow = next(o for o in comparison.outcomes if o.learner.name == "slow")
    assert slow.failure is None
    assert len(slow.scores) == 2
    assert "Fewer folds for want of time (--time-limit): slow (2)." in " ".join(
        comparison.messages
    )
    # Its two equal scores are ranked after those of ten folds, and cannot win.
    assert comparison.outcomes[-1] is slow
    # Two folds in common tell nothing of a difference.
    assert len(comparison.ties()) == 7
    cells = [standing(outcome, comparison) for outcome in comparison.outcomes]
    assert cells == ["best", *["tie"] * 6, "tie, 2 folds"]


class CompiledAtFirst(Slow):
    """A learner whose first fit compiles for 0.4 s, and says so."""

    n_fits = 0

    def fit(self, X, y):
        type(self).n_fits += 1
        if self.n_fits == 1:
            _warnings.COMPILATION.seconds += 0.4
            time.sleep(0.4)
        return super().fit(X, y)


@pytest.fixture
def compiled(monkeypatch):
    monkeypatch.setattr(CompiledAtFirst, "n_fits", 0)
    monkeypatch.setattr(_warnings.COMPILATION, "seconds", 30.0)
    return lambda seconds=0.0: Learner(
        "compiled", "classification", SKLEARN, lambda table: CompiledAtFirst(seconds)
    )


@pytest.mark.parametrize(
    ("folder", "advice"), [("/cache", "They are stored"), (None, "NUMBA_CACHE_DIR")]
)
def test_the_time_to_compile_is_named(table, compiled, monkeypatch, folder, advice):
    monkeypatch.setattr(_evaluate, "cache_folder", lambda: folder)
    monkeypatch.setattr(_evaluate, "MIN_SECONDS", 0.3)
    [message] = compare(table, [compiled()], n_folds=2).messages
    assert "0 s of the time compiled loops" in message
    assert advice in message


def test_the_time_to_compile_is_not_charged_to_the_learner(table, compiled):
    # A share is 0.9 of 1.6 s by 8 learners, and compiling takes twice as much.
    learners = [compiled(), *(learner(str(i)) for i in range(7))]
    comparison = compare(table, learners, seconds=1.6)
    (first,) = [one for one in comparison.outcomes if one.learner.name == "compiled"]
    assert len(first.scores) == 10
    assert first.fit_seconds < 0.3


def test_a_time_limit_does_not_count_compiling(monkeypatch):
    monkeypatch.setattr(_warnings.COMPILATION, "seconds", 5.0)
    with time_limit(0.2):
        time.sleep(0.15)
        _warnings.COMPILATION.seconds += 0.15
        time.sleep(0.15)


def test_of_two_folds_the_quicker_gives_the_time(table, compiled):
    assert compare(table, [compiled()], n_folds=2).winner.fit_seconds < 0.3


def test_learners_that_time_does_not_reach_are_named(table):
    comparison = compare(table, [learner("a"), learner("b")], seconds=1e-9)
    assert comparison.winner is None
    assert comparison.left_out == ["a", "b"]
    assert comparison.messages[-1] == "Left out (--time-limit): a; b."


def test_without_a_limit_all_folds_are_done(table):
    comparison = compare(table, [learner("a", 0.01)], n_folds=5)
    assert len(comparison.winner.scores) == 5
    assert comparison.messages == []


class Observer:
    """Records what is told, and interrupts at a learner."""

    def __init__(self, interrupt_at=None):
        self.calls, self.interrupt_at = [], interrupt_at

    def started(self, learner, n_left, seconds_left):
        self.calls.append((learner.name, n_left, seconds_left))
        if learner.name == self.interrupt_at:
            raise KeyboardInterrupt

    def finished(self, outcome):
        self.calls.append((outcome.learner.name, len(outcome.scores)))


def test_an_observer_hears_of_each_learner_as_it_is_finished(table):
    observer = Observer()
    compare(table, [learner("a"), learner("b")], n_folds=3, observer=observer)
    assert observer.calls == [("a", 2, None), ("a", 3), ("b", 1, None), ("b", 3)]
    observer = Observer()
    compare(table, [learner("a")], n_folds=3, observer=observer, seconds=100)
    (name, n_left, seconds), _ = observer.calls
    assert (name, n_left) == ("a", 1)
    assert 0 < seconds <= 90  # a tenth is for the winner


def test_an_interrupt_while_a_line_is_printed_keeps_the_learner(table):
    class Interrupted(Observer):
        def finished(self, outcome):
            raise KeyboardInterrupt

    learners = [learner("a"), learner("b")]
    comparison = compare(table, learners, n_folds=3, observer=Interrupted())
    assert comparison.interrupted
    assert comparison.winner.learner.name == "a"
    assert comparison.left_out == ["b"]


def test_an_interrupt_of_the_winner_leaves_the_scores(table, monkeypatch):
    from sklearn_bayeslazy.compare import _evaluate

    def interrupt(*arguments):
        raise KeyboardInterrupt

    monkeypatch.setattr(_evaluate, "_fit_winner", interrupt)
    comparison = compare(table, [learner("a")], n_folds=3)
    assert comparison.interrupted
    assert comparison.winner is None
    assert np.isfinite(comparison.outcomes[0].scores).all()
    assert comparison.ties() == []

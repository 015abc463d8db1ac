"""Warnings point at the caller's line; that of compiled loops comes once, if ever."""

import gc
import os
import re
import subprocess
import sys
import warnings
from concurrent.futures import ThreadPoolExecutor
from types import SimpleNamespace

import numpy as np
import pytest
from sklearn.dummy import DummyClassifier
from sklearn.exceptions import ConvergenceWarning
from sklearn.model_selection import cross_val_score

from sklearn_bayeslazy import (
    BeliefNetwork,
    CompilationWarning,
    MEstimateNB,
    MyAdaBoost,
    MyAdaBoostRegressor,
)
from sklearn_bayeslazy._core import _warnings
from sklearn_bayeslazy._core._warnings import MIN_SECONDS, CompileTimer


def fit_in_cross_validation(model, X, y):
    cross_val_score(model, X, y, cv=2)


@pytest.mark.parametrize("fit", [MyAdaBoost.fit, fit_in_cross_validation])
def test_warnings_of_ensembles_point_at_the_call(fit):
    model = MyAdaBoost(DummyClassifier(), n_estimators=3)
    X, y = [[0], [1]] * 6, [0, 0, 1, 1] * 3
    with pytest.warns(ConvergenceWarning) as caught:
        fit(model, X, y)
    assert {warning.filename for warning in caught} == {__file__}


def test_warnings_of_belief_networks_point_at_the_call():
    X = [["a", "b"], ["a", "a"], ["b", "b"]] * 4
    arcs = [("hidden", 0), ("hidden", 1)]
    network = BeliefNetwork(arcs, hidden={"hidden": 2}, max_iter=1, random_state=0)
    with pytest.warns(ConvergenceWarning) as caught:
        network.fit(X)
    assert [warning.filename for warning in caught] == [__file__]


class Clock:
    now = 0.0

    def perf_counter(self):
        return self.now


@pytest.fixture
def clock(monkeypatch):
    clock = Clock()
    monkeypatch.setattr(_warnings, "time", clock)
    return clock


def report_of(module="sklearn_bayeslazy.x", folder="/f"):
    def function():
        pass

    function.__module__ = module
    dispatcher = SimpleNamespace(
        py_func=function, stats=SimpleNamespace(cache_path=folder)
    )
    return SimpleNamespace(data={"dispatcher": dispatcher})


def compile_for(timer, clock, seconds, **kwargs):
    report = report_of(**kwargs)
    timer.on_start(report)
    clock.now += seconds
    timer.on_end(report)


@pytest.fixture
def caught():
    """Yield the list of the warnings that the test causes."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        yield caught


def test_short_compilations_add_up_to_one_warning(clock, caught):
    timer = CompileTimer()
    compile_for(timer, clock, 0.75 * MIN_SECONDS)
    assert not caught
    compile_for(timer, clock, 0.5 * MIN_SECONDS)
    compile_for(timer, clock, 9 * MIN_SECONDS)
    [warning] = caught
    assert warning.category is CompilationWarning
    assert warning.filename == __file__
    text = str(warning.message)
    assert "2.5 s so far" in text  # 0.75 · 2 + 0.5 · 2
    assert "stored in /f" in text
    assert "python -m sklearn_bayeslazy warm-up" in text
    assert timer.seconds == 10.25 * MIN_SECONDS


def test_a_function_inside_another_does_not_count_twice(clock, caught):
    timer = CompileTimer()
    outer = report_of()
    timer.on_start(outer)
    compile_for(timer, clock, 0.75 * MIN_SECONDS)
    assert timer.seconds == 0
    compile_for(timer, clock, 0.5 * MIN_SECONDS)  # also inside
    timer.on_end(outer)
    assert timer.seconds == 1.25 * MIN_SECONDS
    assert len(caught) == 1


def test_a_fit_warns_when_it_ends(clock, caught):
    timer = CompileTimer()

    @timer.during
    def fit():
        """Learn."""
        with ThreadPoolExecutor(1) as pool:  # kernels run in other threads, too
            pool.submit(compile_for, timer, clock, 2 * MIN_SECONDS).result()
        compile_for(timer, clock, 3 * MIN_SECONDS)
        return len(caught)

    assert fit.__doc__ == "Learn."
    assert fit() == 0
    [warning] = caught
    assert "10.0 s so far" in str(warning.message)  # (2 + 3) · 2
    assert warning.filename == __file__
    assert fit() == 1
    assert len(caught) == 1


def test_a_fit_that_fails_does_not_warn(clock, caught):
    timer = CompileTimer()

    @timer.during
    def fit(seconds):
        compile_for(timer, clock, seconds)
        raise ValueError("no rows")

    with pytest.raises(ValueError, match="no rows"):
        fit(2 * MIN_SECONDS)
    assert not caught
    compile_for(timer, clock, 0.1)
    assert len(caught) == 1


def test_functions_of_other_packages_do_not_count(clock, caught):
    timer = CompileTimer()
    compile_for(timer, clock, 9 * MIN_SECONDS, module="other.package")
    compile_for(timer, clock, 9 * MIN_SECONDS, module=None)  # made by exec
    compile_for(timer, clock, 0.5 * MIN_SECONDS)
    assert not caught


def test_without_a_cache_folder_the_warning_names_the_variable(clock, caught):
    compile_for(CompileTimer(), clock, 2 * MIN_SECONDS, folder=None)
    assert "NUMBA_CACHE_DIR" in str(caught[0].message)


def test_there_is_no_warning_after_warn_no_more(clock, caught):
    timer = CompileTimer()
    timer.warn_no_more()
    compile_for(timer, clock, 2 * MIN_SECONDS)
    assert not caught


@pytest.fixture
def collector():
    """Let cyclic garbage be collected, and again after the test."""
    gc.enable()
    yield
    gc.enable()


@pytest.mark.parametrize("is_enabled", [True, False])
def test_garbage_waits_until_the_outermost_function_is_compiled(
    clock, collector, is_enabled
):
    if not is_enabled:
        gc.disable()
    timer, outer = CompileTimer(), report_of()
    timer.on_start(outer)
    compile_for(timer, clock, 0.1)  # inside
    assert not gc.isenabled()
    timer.on_end(outer)
    assert gc.isenabled() == is_enabled


def test_garbage_does_not_wait_for_other_packages(clock, collector):
    timer, other = CompileTimer(), report_of(module="other.package")
    timer.on_start(other)
    assert gc.isenabled()
    timer.on_end(other)


@pytest.mark.skipif(not hasattr(os, "fork"), reason="processes cannot be forked here")
@pytest.mark.filterwarnings("ignore:.*multi-threaded:DeprecationWarning")
def test_a_fork_while_another_thread_compiles_collects_garbage(clock, collector):
    timer, report = CompileTimer(), report_of()
    timer.on_start(report)
    child = os.fork()
    if child == 0:
        os._exit(not gc.isenabled())
    timer.on_end(report)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0


# Every compilation counts, since a real one may take less than two seconds.
PROGRAM = """
import sys
from sklearn_bayeslazy import RandomProjectionHash
from sklearn_bayeslazy._core import _warnings
_warnings.MIN_SECONDS = 0.0
X = [[1.0, 0.0], [0.0, 2.0], [3.0, 1.0], [0.0, 1.0]]
RandomProjectionHash().fit(X).transform(X)
RandomProjectionHash().fit(X).transform(X)
"""


@pytest.mark.parametrize("silence", [False, True])
def test_a_first_fit_warns_once_on_stderr(tmp_path, silence):
    program = PROGRAM
    if silence:
        program = (
            "import warnings\n"
            "from sklearn_bayeslazy import CompilationWarning\n"
            "warnings.simplefilter('ignore', CompilationWarning)\n"
        ) + PROGRAM
    done = subprocess.run(
        [sys.executable, "-c", program],
        check=True,
        capture_output=True,
        text=True,
        env=os.environ | {"NUMBA_CACHE_DIR": str(tmp_path)},
    )
    assert done.stderr.count("CompilationWarning") == (not silence)
    assert (str(tmp_path) in done.stderr) == (not silence)


@pytest.mark.parametrize(
    ("model", "message"),
    [
        (MyAdaBoost(n_estimators=5), "Boosting of 5 rounds may take .* verbose=True"),
        (MyAdaBoostRegressor(5), "Boosting of 5 rounds may take .* .n_estimators"),
        (MEstimateNB(), "choice of the distributions .* distribution='auto'"),
    ],
    ids=lambda value: type(value).__name__,
)
def test_long_fits_are_warned_of_once(model, message, monkeypatch):
    monkeypatch.setattr(_warnings, "LONG_SECONDS", 0.0)
    X = np.random.default_rng(0).normal(size=(60, 3))
    with warnings.catch_warnings(record=True) as given:
        warnings.simplefilter("always")
        model.fit(X, (X[:, 0] > 0).astype(int))
    found = [one for one in given if "may take" in str(one.message)]
    assert len(found) == 1
    assert re.search(message, str(found[0].message))
    assert found[0].filename == __file__

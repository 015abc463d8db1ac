"""The notice that kernels are being compiled: once, and only if it takes a while."""

import io
import logging
import sys
from types import SimpleNamespace

import pytest

from sklearn_bayeslazy._core import _kernel
from sklearn_bayeslazy._core._kernel import MIN_SECONDS, CompileNotice


class Clock:
    now = 0.0

    def perf_counter(self):
        return self.now


@pytest.fixture
def clock(monkeypatch):
    clock = Clock()
    monkeypatch.setattr(_kernel, "time", clock)
    return clock


def compile_for(notice, clock, seconds, module="sklearn_bayeslazy.x", folder="/f"):
    def function():
        pass

    function.__module__ = module
    dispatcher = SimpleNamespace(
        py_func=function, stats=SimpleNamespace(cache_path=folder)
    )
    report = SimpleNamespace(data={"dispatcher": dispatcher})
    notice.on_start(report)
    clock.now += seconds
    notice.on_end(report)


def test_short_compilations_add_up_to_one_notice(clock, caplog):
    caplog.set_level(logging.INFO, "sklearn_bayeslazy")
    notice = CompileNotice()
    compile_for(notice, clock, 0.75 * MIN_SECONDS)
    assert not caplog.records
    compile_for(notice, clock, 0.5 * MIN_SECONDS)
    compile_for(notice, clock, 9 * MIN_SECONDS)
    [record] = caplog.records
    assert (record.name, record.levelname) == ("sklearn_bayeslazy", "INFO")
    assert "warm-up" in record.getMessage()


def test_functions_of_other_packages_do_not_count(clock, caplog):
    caplog.set_level(logging.INFO, "sklearn_bayeslazy")
    notice = CompileNotice()
    compile_for(notice, clock, 9 * MIN_SECONDS, module="other.package")
    compile_for(notice, clock, 9 * MIN_SECONDS, module=None)  # made by exec
    compile_for(notice, clock, 0.5 * MIN_SECONDS)
    assert not caplog.records


def test_without_a_cache_folder_the_notice_names_the_variable(clock, caplog):
    caplog.set_level(logging.INFO, "sklearn_bayeslazy")
    compile_for(CompileNotice(), clock, 2 * MIN_SECONDS, folder=None)
    assert "NUMBA_CACHE_DIR" in caplog.records[0].getMessage()


@pytest.mark.parametrize("is_terminal", [True, False])
def test_without_handlers_only_a_terminal_shows_it(clock, monkeypatch, is_terminal):
    stream = io.StringIO()
    stream.isatty = lambda: is_terminal
    monkeypatch.setattr(sys, "stderr", stream)
    monkeypatch.delitem(sys.modules, "ipykernel", raising=False)
    monkeypatch.setattr(_kernel.logger, "hasHandlers", lambda: False)
    compile_for(CompileNotice(), clock, 2 * MIN_SECONDS)
    assert bool(stream.getvalue()) == is_terminal
    assert stream.getvalue().count("\n") == is_terminal

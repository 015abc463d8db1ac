"""Compile kernels beforehand: the command, and what it does without a cache."""

import os
import subprocess
import sys

import pytest
from sklearn.base import BaseEstimator

import sklearn_bayeslazy
from sklearn_bayeslazy.compare import _warm_up
from sklearn_bayeslazy.compare._command_line import main

# Warms up again, fits and predicts; then fails if anything had to be compiled.
USE = """
import numpy as np
from numba.core import event
compiled = []
class Listener(event.Listener):
    def on_start(self, report):
        compiled.append(report.data["dispatcher"].py_func.__name__)
    def on_end(self, report):
        pass
event.register("numba:compile", Listener())
from sklearn_bayeslazy.compare._command_line import main
main(["warm-up", "RandomProjectionHash"])
from sklearn_bayeslazy import RandomProjectionHash
X = np.array([[1.0, 0], [0, 2], [3, 1], [0, 1]])
RandomProjectionHash().fit(X).transform(X)
assert compiled == [], compiled
"""


def run(arguments, folder):
    return subprocess.run(
        [sys.executable, *arguments],
        check=True,
        capture_output=True,
        text=True,
        env=os.environ | {"NUMBA_CACHE_DIR": str(folder)},
    ).stdout


def test_after_warming_up_a_new_process_compiles_nothing(tmp_path):
    # It has few kernels, which compile quickly.
    command = ["-m", "sklearn_bayeslazy", "warm-up", "RandomProjectionHash"]
    first = run(command, tmp_path)
    assert str(tmp_path) in first
    assert "compiled functions of RandomProjectionHash" in first
    assert "another processor compiles anew" in first
    again = "All loops of RandomProjectionHash were stored already"
    assert run(["-c", USE], tmp_path).startswith(again)


def test_every_estimator_can_be_named():
    values = [getattr(sklearn_bayeslazy, name) for name in sklearn_bayeslazy.__all__]
    estimators = {
        value.__name__
        for value in values
        if isinstance(value, type) and issubclass(value, BaseEstimator)
    }
    assert set(_warm_up.LEARNERS) == estimators
    for name in estimators:
        for parameters in _warm_up.LEARNERS[name]:
            getattr(sklearn_bayeslazy, name)(**parameters)


@pytest.fixture
def warmed_up(monkeypatch):
    """Return the names of which learners kernels would be compiled."""
    names = []
    monkeypatch.setattr(
        _warm_up, "warm_up", lambda chosen, progress: names.extend(chosen)
    )
    return names


def test_the_command_takes_all_learners_or_those_that_are_named(warmed_up, capsys):
    assert main(["warm-up"]) == 0
    assert warmed_up == list(_warm_up.LEARNERS)
    warmed_up.clear()
    assert main(["warm-up", "TextNB", "ShepardKNN"]) == 0
    assert warmed_up == ["TextNB", "ShepardKNN"]
    assert "TextNB, ShepardKNN" in capsys.readouterr().out


def test_an_unknown_name_ends_in_one_line(warmed_up, capsys):
    assert main(["warm-up", "TextNB", "ShepardKNM"]) == _warm_up.BAD_ARGUMENTS
    assert not warmed_up
    [line] = capsys.readouterr().err.splitlines()
    assert "'ShepardKNM'" in line
    assert "they are AODE" in line


def test_without_a_cache_folder_the_command_names_the_variable(monkeypatch, capsys):
    monkeypatch.setattr(_warm_up, "cache_folder", lambda: None)
    assert main(["warm-up"]) == _warm_up.NO_CACHE
    assert "NUMBA_CACHE_DIR" in capsys.readouterr().err

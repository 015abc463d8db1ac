"""Compile all kernels beforehand: the command, and what it does without a cache."""

import os
import subprocess
import sys

from sklearn_bayeslazy import MEstimateNB
from sklearn_bayeslazy.compare import _warm_up
from sklearn_bayeslazy.compare._command_line import main

# Fits and predicts; then fails if anything had to be compiled.
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
from sklearn_bayeslazy import TextNB
X = np.array([[1.0, 0], [0, 2], [3, 1], [0, 1]])
TextNB("laplace", temperature=1).fit(X, [0, 1, 0, 1]).predict(X)
assert compiled == EXPECTED, compiled
"""
WARM_UP = """
from sklearn_bayeslazy import TextNB
from sklearn_bayeslazy.compare import _warm_up
assert _warm_up.warm_up([TextNB("laplace", temperature=1)]) == 1
"""


def run(code, folder):
    environment = os.environ | {"NUMBA_CACHE_DIR": str(folder)}
    subprocess.run([sys.executable, "-c", code], check=True, env=environment)


def test_after_warming_up_a_new_process_compiles_nothing(tmp_path):
    run(WARM_UP, tmp_path)
    run(USE.replace("EXPECTED", "[]"), tmp_path)


def test_an_estimator_that_refuses_every_table_is_not_counted():
    assert _warm_up.warm_up([MEstimateNB(m=-1)]) == 0


def test_without_a_cache_folder_the_command_names_the_variable(monkeypatch, capsys):
    monkeypatch.setattr(_warm_up, "cache_folder", lambda: None)
    assert main(["warm-up"]) == _warm_up.NO_CACHE
    assert "NUMBA_CACHE_DIR" in capsys.readouterr().err


def test_the_command_says_where_the_compiled_loops_are(monkeypatch, capsys):
    monkeypatch.setattr(_warm_up, "cache_folder", lambda: "/the/folder")
    monkeypatch.setattr(_warm_up, "warm_up", lambda progress: 7)
    assert main(["warm-up"]) == 0
    assert "/the/folder" in capsys.readouterr().out

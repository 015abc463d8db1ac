"""Hostile calls of all registered estimators; `tests/helpers/fuzz.py` has the rules."""

import warnings

import numpy as np
import pandas as pd
import pytest
from sklearn.base import BaseEstimator

from tests.helpers import fuzz

N_CALLS = 100  # of each class; `python -m tests.helpers.fuzz` makes more


@pytest.mark.parametrize("name", fuzz.class_names())
def test_hostile_calls_are_answered_or_refused(name):
    found = fuzz.complaints(name, range(N_CALLS))
    assert not found, "\n".join(f"{each.call}: {each.complaint}" for each in found)


def test_a_number_determines_a_call():
    calls = [fuzz.Fuzzer("ShepardKNN").call(17).call for _ in range(2)]
    assert calls[0] == calls[1]
    assert fuzz.Fuzzer("ShepardKNN", seed=1).call(17).call != calls[0]


class Faulty(BaseEstimator):
    """Does one of the things that the fuzzer must find."""

    def __init__(self, fault):
        self.fault = fault

    def fit(self, X, y):
        self.fitted_ = object()
        if self.fault == "loses the model":
            raise ValueError("a good message")
        if self.fault == "message of another package":
            np.asarray(["text"], dtype=float)
        if self.fault == "KeyError":
            raise KeyError("a name")
        if self.fault == "RuntimeWarning":
            warnings.warn("overflow", RuntimeWarning, stacklevel=1)
        return self

    def transform(self, X):
        return np.full(len(X), np.nan if self.fault == "output" else 1.0)

    def kneighbors(self, X):
        return np.array([[2.0, 1.0]]), np.array([[0, 1]])


@pytest.mark.parametrize(
    ("fault", "complaint"),
    [
        ("message of another package", "message of another package: ValueError"),
        ("KeyError", "KeyError: 'a name'"),
        ("RuntimeWarning", "RuntimeWarning at"),
    ],
)
def test_the_fuzzer_finds_faults_of_fit(fault, complaint):
    found, _ = fuzz._fit(Faulty(fault), "fit", np.zeros((2, 1)), [0, 1], None)
    assert complaint in found


def test_the_fuzzer_finds_a_lost_model(monkeypatch):
    monkeypatch.setattr(fuzz, "SOURCES", (__file__,))  # so that the message is good
    model = Faulty("loses the model")
    found, failed = fuzz._fit(model, "fit", np.zeros((2, 1)), [0, 1], None)
    assert failed
    assert found == "fit: an error, and the former model was lost"


def test_the_fuzzer_finds_faults_of_outputs():
    X = np.zeros((2, 1))
    found = fuzz._call_methods(Faulty("output"), X, 2)
    assert found == "transform: output is not finite"
    assert fuzz._call_methods(Faulty(""), X, 2) == "kneighbors: distances do not ascend"


def test_the_fuzzer_finds_changed_input():
    array, frame = np.zeros(3), pd.DataFrame({"a": [1, 2]})
    before = fuzz._snapshot(array), fuzz._snapshot(frame)
    assert fuzz._snapshot(array.copy()) == before[0]
    array[0], frame.loc[0, "a"] = 1, 3
    assert fuzz._snapshot(array) != before[0]
    assert fuzz._snapshot(frame) != before[1]

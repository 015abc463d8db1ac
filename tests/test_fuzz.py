"""Hostile calls of all registered estimators; `tests/helpers/fuzz.py` has the rules."""

import warnings

import numpy as np
import pandas as pd
import pytest
from sklearn.base import BaseEstimator

from sklearn_bayeslazy import (
    AODEClassifier,
    BeliefNetwork,
    LocallyWeightedRegressor,
    MEstimateNB,
    ShepardKNN,
)
from tests.helpers import fuzz

N_CALLS = 30  # of each class; `python -m tests.helpers.fuzz` makes more


@pytest.mark.parametrize("name", fuzz.class_names())
def test_hostile_calls_are_answered_or_refused(name):
    found = fuzz.complaints(name, range(N_CALLS))
    assert not found, "\n".join(f"{each.call}: {each.complaint}" for each in found)


# Later calls that once warned or ended in an unclear error.
FORMER_COMPLAINTS = {
    "MEstimateNB": [837, 1661],
    "AODEClassifier": [388, 1063, 1557, 1580, 1645, 2213],
    "ShepardKNNRegressor": [619],
    "LearnedHash": [622, 635],
    "LocallyWeightedRegressor": [361, 411, 1672, 2332, 3447],
    "LocallyWeightedEstimator": [118, 1053, 1472, 1776],
    "RBFNetworkRegressor": [367, 416, 1104, 1704],
    "RBFNetworkClassifier": [989],
    "BeliefNetwork": [1591, 1860],
    "BeliefNetworkClassifier": [1068, 2334],
    "HypothesisClassifier": [284, 530, 1379, 1727, 2357],
    "BayesianStackingRegressor": [187],
    "MyAdaBoost": [225, 688, 697, 978, 1674, 2021, 2564],
}


@pytest.mark.parametrize("name", FORMER_COMPLAINTS)
def test_former_complaints_are_mended(name):
    found = fuzz.complaints(name, FORMER_COMPLAINTS[name])
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


@pytest.mark.parametrize(
    ("model", "name"),
    [
        (MEstimateNB(m=10**400), "m"),
        (AODEClassifier(m=10**400), "m"),
        (BeliefNetwork(m=10**400), "m"),
        (LocallyWeightedRegressor(ridge=10**400), "ridge"),
    ],
)
def test_integers_beyond_floats_are_refused_where_a_float_is_needed(model, name):
    X = np.arange(12.0).reshape(6, 2)
    with pytest.raises(ValueError, match=f"The '{name}' parameter of"):
        model.fit(X, [0, 1, 0, 1, 0, 1])


@pytest.mark.parametrize("model", [MEstimateNB(), AODEClassifier(), ShepardKNN()])
def test_true_as_a_number_of_rows_is_one(model):
    X, y = np.random.default_rng(0).normal(size=(12, 2)), np.arange(12) % 2
    model = model.set_params(loo_max_samples=True)
    if hasattr(model, "random_state"):
        model.set_params(random_state=0)
    proba = model.fit(X, y).predict_proba(X)
    expected = model.set_params(loo_max_samples=1).fit(X, y).predict_proba(X)
    np.testing.assert_array_equal(proba, expected)


def test_products_that_overflow_in_local_regression_do_not_warn():
    rng = np.random.default_rng(0)
    y = np.arange(30) % 3
    for values in ([1e300, 1e-300, 0.0, 1.0], [1.7e308, -1.7e308, 0.0, 1.0]):
        X = rng.choice(values, size=(30, 3))
        for model in (LocallyWeightedRegressor(), LocallyWeightedRegressor("loo")):
            assert np.isfinite(_answer_or_refuse(model, X, y)).all()


def _answer_or_refuse(model, X, y):
    with warnings.catch_warnings():
        warnings.simplefilter("error", category=RuntimeWarning)
        try:
            return model.fit(X, y).predict(X)
        except ValueError:
            return np.zeros(1)

"""Arrays of other packages give NumPy's answers, also under array API dispatch."""

import os
import subprocess
import sys

import pytest

PROGRAM = """
import array_api_strict as xp
import numpy as np
from sklearn import config_context

from sklearn_bayeslazy import (
    BeliefNetworkClassifier,
    LocallyWeightedRegressor,
    MEstimateNB,
    MyAdaBoost,
    ShepardKNN,
)

X = np.random.default_rng(0).normal(size=(40, 3)).round(1)
y = (X[:, 0] > 0).astype(np.int64)
with config_context(array_api_dispatch=True):
    for model in (MEstimateNB(m=1, distribution="gaussian", feature_weights=None),
                  ShepardKNN(3), LocallyWeightedRegressor(bandwidth=1.0),
                  BeliefNetworkClassifier("naive"), MyAdaBoost(n_estimators=2)):
        expected = model.fit(X, y).predict(X)
        ours = model.fit(xp.asarray(X), xp.asarray(y)).predict(xp.asarray(X))
        assert type(ours) is np.ndarray, model
        np.testing.assert_array_equal(ours, expected)
        print(type(model).__name__)
"""


def test_arrays_of_another_package_are_converted():
    pytest.importorskip("array_api_strict")
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM],
        env=os.environ | {"SCIPY_ARRAY_API": "1"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert len(done.stdout.split()) == 5

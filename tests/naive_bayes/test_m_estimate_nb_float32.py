"""MEstimateNB of Gaussian columns: float32 results where GaussianNB gives them."""

import numpy as np
import pandas as pd
import polars as pl
import pytest
from sklearn.datasets import load_iris
from sklearn.naive_bayes import GaussianNB

from sklearn_bayeslazy import MEstimateNB

ROWS, LABELS = load_iris(return_X_y=True)
METHODS = (
    "predict_proba",
    "predict_log_proba",
    "predict_joint_log_proba",
)

# Older releases of scikit-learn return float64.
NARROW = ROWS.astype(np.float32)
keeps_float32 = GaussianNB().fit(NARROW, LABELS).predict_proba(NARROW).dtype == "f4"
needs_float32 = pytest.mark.skipif(not keeps_float32, reason="needs a newer peer")


def gaussian(**params):
    return MEstimateNB(m=0, distribution="gaussian", feature_weights=None, **params)


@needs_float32
@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("predicted", ["float32", "float64", "int64"])
@pytest.mark.parametrize("fitted", ["float32", "float64", "int64"])
def test_results_have_the_dtype_of_gaussian_nb(fitted, predicted, method):
    peer = GaussianNB().fit(ROWS.astype(fitted), LABELS)
    model = gaussian().fit(ROWS.astype(fitted), LABELS)
    X = ROWS.astype(predicted)
    assert getattr(model, method)(X).dtype == getattr(peer, method)(X).dtype


@pytest.mark.parametrize("method", METHODS)
def test_float32_results_are_the_rounded_float64_results(method):
    X = NARROW
    rounded = getattr(gaussian().fit(X, LABELS), method)(X)
    exact = getattr(gaussian().fit(X.astype(float), LABELS), method)(X.astype(float))
    np.testing.assert_array_equal(rounded, exact.astype(np.float32))


@pytest.mark.parametrize(
    "make", [pd.DataFrame, lambda X: pl.DataFrame(X, list("abcd"))]
)
def test_frames_of_float32_count_as_float32(make):
    rows, wide = make(NARROW), make(ROWS)
    assert gaussian().fit(rows, LABELS).predict_proba(rows).dtype == np.float32
    assert gaussian().fit(rows, LABELS).predict_proba(wide).dtype == np.float64


def test_other_distributions_give_float64():
    X = NARROW
    for distribution in ("quantized", ["gaussian"] * 3 + ["quantized"]):
        model = MEstimateNB(distribution=distribution).fit(X, LABELS)
        assert model.predict_proba(X).dtype == np.float64


def test_the_first_batch_decides_and_both_models_of_a_merge():
    for first, then in ((NARROW, ROWS), (ROWS, NARROW)):
        model = gaussian().partial_fit(first, LABELS, classes=[0, 1, 2])
        model.partial_fit(then, LABELS)
        assert model.predict_proba(NARROW).dtype == first.dtype
    wide, narrow = gaussian().fit(ROWS, LABELS), gaussian().fit(NARROW, LABELS)
    assert narrow.merge(wide).predict_proba(NARROW).dtype == np.float64


def test_logarithms_below_the_range_of_float32_are_infinite_without_a_warning():
    X = np.array([[0], [1e-15], [1], [1 + 1e-7]], dtype=np.float32)
    model = gaussian().fit(X, [0, 0, 1, 1])
    far = np.array([[1e30]], dtype=np.float32)
    assert model.predict_joint_log_proba(far.astype(float)).max() < -1e60
    assert np.isneginf(model.predict_joint_log_proba(far)).all()
    np.testing.assert_allclose(model.predict_proba(far).sum(), 1)

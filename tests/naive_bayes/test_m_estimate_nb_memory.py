"""The memory of MEstimateNB is bounded: temporaries fit, and X is never copied."""

import numpy as np
import pytest
import sklearn

from sklearn_bayeslazy import AODEClassifier, MEstimateNB
from tests.helpers.classical_naive_bayes import classical_nb
from tests.helpers.memory import FIXED, peak


@pytest.mark.parametrize("distribution", ["categorical", "gaussian", "poisson"])
@pytest.mark.parametrize("n_columns", [30, 1000])
def test_fit_and_predict_copy_no_table(distribution, n_columns):
    n_rows = 9_000_000 // n_columns  # 69 MiB
    X = np.random.default_rng(0).integers(0, 9, size=(n_rows, n_columns)).astype(float)
    y = np.arange(n_rows) % 3
    model = classical_nb(distribution=distribution).fit(X, y)
    vectors = 8 * n_rows * 12  # labels, weights, probabilities
    assert peak(lambda: model.fit(X, y)) < FIXED + vectors
    with sklearn.config_context(working_memory=4):
        assert peak(lambda: model.predict_proba(X)) < FIXED + vectors


def test_sums_of_many_classes_are_not_held_for_each_chunk():
    n_rows = 1_200_000  # 19 chunks, whose counts would take 119 MiB together
    X = np.random.default_rng(0).integers(0, 256, size=(n_rows, 8), dtype=np.uint8)
    y = np.arange(n_rows) % 400
    model = classical_nb(distribution="categorical")
    counts, vectors = 8 * 256 * 8 * 400, 8 * n_rows * 4
    assert peak(lambda: model.fit(X, y)) < 6 * counts + vectors


@pytest.mark.parametrize("distribution", ["categorical", "gaussian"])
def test_leave_one_out_keeps_to_the_working_memory(distribution):
    X = np.random.default_rng(0).integers(0, 9, size=(10_000, 30))
    y = np.arange(len(X)) % 50
    model = classical_nb(
        m="loo", distribution=distribution, loo_candidates={"m": [1, 9]}
    )
    with sklearn.config_context(working_memory=4):
        assert peak(lambda: model.fit(X, y)) < FIXED


@pytest.mark.parametrize("make", [MEstimateNB, AODEClassifier])
def test_many_categories_with_different_weights_need_no_table_of_both(make):
    X = np.arange(6000).astype(str)[:, None]  # 6000 categories, 1500 distinct weights
    y, weight = np.arange(6000) % 5, np.random.default_rng(0).random(6000)
    model = make().fit(X, y, weight)
    assert peak(lambda: model.fit(X, y, weight)) < 2 * FIXED

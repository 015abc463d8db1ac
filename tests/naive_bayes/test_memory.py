"""Memory is bounded: temporaries fit the working memory, and X is never copied."""

import tracemalloc

import numpy as np
import pytest
import sklearn
from scipy import sparse

from sklearn_bayeslazy import MEstimateNB, TextNB

MEBIBYTE = 2**20
# What a block of cells takes as numbers, codes and scores, whatever the table.
FIXED = 12 * MEBIBYTE


def peak(call):
    """Return the bytes that a call held at most above what was there before."""
    call()  # compile first
    tracemalloc.start()
    try:
        call()
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


@pytest.mark.parametrize("distribution", ["categorical", "gaussian", "poisson"])
@pytest.mark.parametrize("n_columns", [30, 1000])
def test_fit_and_predict_copy_no_table(distribution, n_columns):
    n_rows = 9_000_000 // n_columns  # 69 MiB
    X = np.random.default_rng(0).integers(0, 9, size=(n_rows, n_columns)).astype(float)
    y = np.arange(n_rows) % 3
    model = MEstimateNB(distribution=distribution).fit(X, y)
    vectors = 8 * n_rows * 12  # labels, weights, probabilities
    assert peak(lambda: model.fit(X, y)) < FIXED + vectors
    with sklearn.config_context(working_memory=4):
        assert peak(lambda: model.predict_proba(X)) < FIXED + vectors


def test_sums_of_many_classes_are_not_held_once_a_piece():
    n_rows = 1_200_000  # 19 pieces, whose counts would take 119 MiB together
    X = np.random.default_rng(0).integers(0, 256, size=(n_rows, 8), dtype=np.uint8)
    y = np.arange(n_rows) % 400
    model = MEstimateNB(distribution="categorical")
    counts, vectors = 8 * 256 * 8 * 400, 8 * n_rows * 4
    assert peak(lambda: model.fit(X, y)) < 6 * counts + vectors


@pytest.mark.parametrize("distribution", ["categorical", "gaussian"])
def test_leave_one_out_keeps_to_the_working_memory(distribution):
    X = np.random.default_rng(0).integers(0, 9, size=(10_000, 30))
    y = np.arange(len(X)) % 50
    model = MEstimateNB(
        m="loo", distribution=distribution, loo_candidates={"m": [1, 9]}
    )
    with sklearn.config_context(working_memory=4):
        assert peak(lambda: model.fit(X, y)) < FIXED


@pytest.mark.parametrize("make", [np.asarray, sparse.csr_array])
@pytest.mark.parametrize("dtype", [np.float64, np.float32, np.int16])
@pytest.mark.parametrize("event_model", ["multinomial", "bernoulli"])
def test_text_nb_copies_no_matrix(make, dtype, event_model):
    rng = np.random.default_rng(0)
    X = (rng.integers(0, 9, size=(30_000, 120)) * (rng.random(120) < 0.5)).astype(dtype)
    X, y = make(X), np.arange(30_000) % 3  # 14 MiB as float32
    vectors = 8 * 30_000 * 12  # labels, weights, probabilities
    model = TextNB(event_model=event_model).fit(X, y)
    assert peak(lambda: model.fit(X, y)) < FIXED + vectors
    with sklearn.config_context(working_memory=4):
        assert peak(lambda: model.predict_proba(X)) < FIXED + vectors


@pytest.mark.parametrize(
    "params",
    [{}, {"prior": "background"}, {"complement": True}, {"event_model": "bernoulli"}],
    ids=str,
)
def test_leave_one_out_of_documents_keeps_to_the_working_memory(params):
    rng = np.random.default_rng(0)
    X = sparse.csr_array(rng.random((6000, 2000)) * (rng.random((6000, 2000)) < 0.05))
    y = np.arange(6000) % 40
    tables = 8 * 2000 * 40 * 8  # counts and estimates by word and class
    model = TextNB(**{**params, "m": "loo", "loo_candidates": {"m": [1, 9]}})
    with sklearn.config_context(working_memory=4):
        assert peak(lambda: model.fit(X, y)) < FIXED + tables

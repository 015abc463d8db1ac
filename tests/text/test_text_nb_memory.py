"""The memory of TextNB is bounded: temporaries fit, and X is never copied."""

import numpy as np
import pytest
import sklearn
from scipy import sparse

from sklearn_bayeslazy import TextNB
from tests.helpers.memory import FIXED, peak


@pytest.mark.parametrize("make", [np.asarray, sparse.csr_array])
@pytest.mark.parametrize("dtype", [np.float64, np.float32, np.int16])
@pytest.mark.parametrize("event_model", ["multinomial", "bernoulli"])
def test_text_nb_copies_no_matrix(make, dtype, event_model):
    rng = np.random.default_rng(0)
    X = (rng.integers(0, 9, size=(30_000, 120)) * (rng.random(120) < 0.5)).astype(dtype)
    X, y = make(X), np.arange(30_000) % 3  # 14 MiB as float32
    vectors = 8 * 30_000 * 12  # labels, weights, probabilities
    # The documents that are left out are copied; here they are few.
    params = {"loo_max_samples": 1000, "feature_weights": None}
    model = TextNB(event_model=event_model, **params).fit(X, y)
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
    params = {**params, "m": "loo", "feature_weights": None}
    model = TextNB(**params, loo_candidates={"m": [1, 9]})
    with sklearn.config_context(working_memory=4):
        assert peak(lambda: model.fit(X, y)) < FIXED + tables

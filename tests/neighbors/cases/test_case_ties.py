"""Rows that tie with the k-th vote by their shares, be they few or hundreds.

Code under test: `search/_lookup_search.py`.
"""

import numpy as np
import pandas as pd
import pytest

from sklearn_bayeslazy import CaseBasedClassifier, EqualitySimilarity, ShepardKNN
from sklearn_bayeslazy.search._ties import ROWS_LISTED_FOR_TIES

K, N_ROWS = 10, 1500


def make_frame(codes):
    return pd.DataFrame(np.array(list("abc"))[codes]).rename(columns=str)


def shares_of_k(apart, weight):
    """Return the weight with which each row votes: tied rows share what is left."""
    order = np.argsort(apart, kind="stable")
    last = apart[order][np.searchsorted(np.cumsum(weight[order]), K)]
    tied = apart == last
    left = K - weight[apart < last].sum()
    return np.where(tied, weight * left / weight[tied].sum(), weight * (apart < last))


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize(("n_columns", "many"), [(2, True), (12, False)])
@pytest.mark.parametrize("method", ["cases", "heom"])
def test_tied_rows_share_what_is_left_of_k(method, n_columns, many, weighted):
    rng = np.random.default_rng(n_columns)
    rows = rng.integers(3, size=(N_ROWS, n_columns))
    queries = rng.integers(3, size=(30, n_columns))
    y = rng.integers(4, size=N_ROWS)
    weight = rng.uniform(0.2, 1.5, N_ROWS) if weighted else np.ones(N_ROWS)
    X = make_frame(rows)
    if method == "cases":
        similarities = {name: EqualitySimilarity() for name in X}
        given = {"similarities": similarities, "weights": None, "power": 1, "m": 0}
        model = CaseBasedClassifier(K, **given)
    else:
        model = ShepardKNN(K, metric="heom", power=1, m=0)
    answer = model.fit(X, y, sample_weight=weight).predict_proba(make_frame(queries))
    n_tied = []
    for query, ours in zip(queries, answer):
        different = (rows != query).sum(axis=1)
        # HEOM is the square root; a case's distance is proportional to the number.
        apart = np.sqrt(different) if method == "heom" else different
        share = shares_of_k(apart, weight)
        hits = apart == 0
        n_tied.append(np.sum(apart == apart[share > 0].max()))
        near = hits if share[hits].any() else 1 / np.where(hits, 1, apart)
        expected = np.bincount(y, share * near, 4)
        np.testing.assert_allclose(ours, expected / expected.sum(), atol=1e-12)
    assert (np.median(n_tied) > ROWS_LISTED_FOR_TIES + K) == many

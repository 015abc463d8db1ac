"""Rows that are encoded when they are read equal rows that are encoded at once.

Code under test: `search/_mixed_rows/_embedding.py`.
"""

import numpy as np
import pytest

from sklearn_bayeslazy import ShepardKNN
from sklearn_bayeslazy.search._mixed_rows import _embedding
from sklearn_bayeslazy.search._mixed_rows._embedding import (
    TableEmbedding,
    TransformedRows,
)
from sklearn_bayeslazy.tabular._read import read_table


@pytest.mark.parametrize("as_frame", [False, True])
def test_parts_of_encoded_rows(as_frame):
    pd = pytest.importorskip("pandas")
    X = np.random.default_rng(0).normal(size=(30, 3))
    table = read_table(pd.DataFrame(X) if as_frame else X)
    embedding = TableEmbedding(table, None, np.ones(30), numbers="normal_scores")
    points = embedding.transform(table)
    rows = TransformedRows(table, embedding.transform)
    assert rows.shape == points.shape
    for some in (slice(3, 9), np.array([7, 2]), np.array([[0, 5], [9, -1]])):
        np.testing.assert_array_equal(rows[some], points[some])
    np.testing.assert_array_equal(np.asarray(rows), points)


@pytest.mark.parametrize("feature_weights", [None, "loo"])
def test_large_tables_have_the_same_answers(monkeypatch, feature_weights):
    X = np.random.default_rng(0).normal(size=(150, 3))
    y = X[:, 0] > X[:, 1]
    model = ShepardKNN(feature_weights=feature_weights, random_state=0)
    expected = model.fit(X, y).predict_proba(X[:20] + 0.1)
    monkeypatch.setattr(_embedding, "MAX_CELLS_TO_KEEP", 0)
    np.testing.assert_array_equal(model.fit(X, y).predict_proba(X[:20] + 0.1), expected)

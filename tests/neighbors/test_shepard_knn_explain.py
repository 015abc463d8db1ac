"""Explanations of ShepardKNN: their shares sum to the answers.

Code under test: `neighbors/_shepard/_explanation.py`.
"""

import numpy as np
import pytest
from scipy.sparse import csc_array, csr_array

from sklearn_bayeslazy.testing import assert_on_simplex
from tests.helpers.shepard_knn_cases import (
    WEIGHTINGS,
    draw_table,
    every_metric,
    sample_weights,
)
from tests.helpers.shepard_knn_classical import classical_knn, classical_knn_regressor

# Explanations


@every_metric
@pytest.mark.parametrize("weighting", WEIGHTINGS)
@pytest.mark.parametrize("weighed", ["none", "fractions"])
def test_explanations_add_up_to_the_answers(metric, weighting, weighed):
    if weighting == "cosine" and metric != "cosine":
        weighting = "inverse"
    X, labels, numbers, Q = draw_table(9, metric)
    weight = sample_weights(weighed)
    params = {"metric": metric, **WEIGHTINGS[weighting]}
    for k in (5, None):
        model = classical_knn(k, class_weight="balanced", **params)
        model.fit(X, labels, weight)
        why = model.explain(Q, n_rows=None)
        assert_explains(why, X, Q)
        listed = np.where(why.rows >= 0, why.shares, 0.0)
        sums = [(listed * (why.targets == c)).sum(axis=1) for c in model.classes_]
        np.testing.assert_allclose(
            np.transpose(sums), model.predict_proba(Q), atol=1e-12
        )
        for y in (numbers[:, 0], numbers):
            regressor = classical_knn_regressor(k, **params).fit(X, y, weight)
            why = regressor.explain(Q, n_rows=None)
            assert_explains(why, X, Q)
            listed = np.where(why.rows >= 0, why.shares, 0.0)
            if y.ndim == 2:
                listed = listed[:, :, None]
            np.testing.assert_allclose(
                (listed * why.targets).sum(axis=1), regressor.predict(Q), atol=1e-12
            )
            at = np.maximum(why.rows, 0)
            np.testing.assert_array_equal(
                why.targets[why.rows >= 0], y[at][why.rows >= 0]
            )


def assert_explains(why, X, Q):
    assert_on_simplex(np.where(why.rows >= 0, why.shares, 0.0))
    assert np.isnan(why.shares[why.rows < 0]).all()
    assert np.isnan(why.distances[why.rows < 0]).all()
    for rows, distances in zip(why.rows, why.distances):
        rows, distances = rows[rows >= 0], distances[rows >= 0]
        assert len(set(rows)) == len(rows)
        pairs = list(zip(distances, rows))
        assert pairs == sorted(pairs)


def test_an_explanation_is_as_wide_as_its_longest_list():
    X, labels, _, Q = draw_table(10)
    for n_rows in (10, None):
        assert classical_knn(3).fit(X, labels).explain(Q, n_rows).rows.shape == (7, 3)


@pytest.mark.parametrize("k", [6, None])
def test_a_short_explanation_is_the_start_of_the_whole(k):
    X, labels, _, Q = draw_table(10)
    model = classical_knn(k).fit(X, labels)
    whole, short = model.explain(Q, n_rows=None), model.explain(Q, n_rows=3)
    assert short.rows.shape == (len(Q), 3)
    for name in ("rows", "distances", "shares", "targets"):
        np.testing.assert_array_equal(
            getattr(short, name), getattr(whole, name)[:, :3], err_msg=name
        )


def test_an_explanation_is_a_frame():
    pytest.importorskip("pandas", reason="frame() returns a pandas frame")
    model = classical_knn(None).fit([[0.0], [1.0], [3.0]], ["a", "b", "b"])
    frame = model.explain([[0.0], [2.0]]).frame(1)
    assert frame.index.tolist() == ["(prior)", 1, 2, 0]
    assert frame["distance"].tolist()[1:] == [1.0, 1.0, 2.0]
    np.testing.assert_allclose(frame["share"][1:], [4 / 9, 4 / 9, 1 / 9])
    assert frame["target"].tolist() == ["", "b", "b", "a"]
    # The prior of b is 2/3; a row of class b adds its share of the way to 1.
    expected = [2 / 3, 4 / 9 * 1 / 3, 4 / 9 * 1 / 3, -1 / 9 * 2 / 3]
    np.testing.assert_allclose(frame["probability"], expected)
    regressor = classical_knn_regressor(1).fit([[0.0], [1.0]], [[1.0, 2.0], [3.0, 4.0]])
    frame = regressor.explain([[0.9]]).frame()
    # The mean of the first target is 2.
    assert frame.loc[1].tolist() == pytest.approx([0.1, 1.0, 3.0, 4.0, 1.0])


def test_columns_named_like_those_of_the_frame_are_told_apart():
    pd = pytest.importorskip("pandas", reason="frame() returns a pandas frame")
    X = pd.DataFrame({"distance": [0.0, 1.0, 3.0], "share": [1.0, 1.0, 2.0]})
    frame = classical_knn(1).fit(X, ["a", "b", "b"]).explain(X[1:2]).frame(0, X)
    assert frame.loc[1, "distance"] == 0.0
    assert frame.loc[1, ["distance (column)", "share (column)"]].tolist() == [1.0, 1.0]


def test_frames_take_sparse_training_rows():
    pd = pytest.importorskip("pandas", reason="frame() returns a pandas frame")
    X = np.array([[1.0, 0.0], [0.0, 2.0], [3.0, 0.0]])
    why = classical_knn(2).fit(X, ["a", "b", "b"]).explain(X[:1])
    dense = why.frame(0, X)
    assert dense.loc[0, ["x0", "x1"]].tolist() == [1.0, 0.0]
    for sparse in (csr_array(X), csc_array(X)):
        pd.testing.assert_frame_equal(why.frame(0, sparse), dense)

"""metric="auto": numbers as normal scores, symbols as value differences, relevance.

Code under test: `search/_mixed_rows/_relevance.py`,
`neighbors/_shepard/_column_weights.py`.
"""

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy import sparse

from sklearn_bayeslazy import ShepardKNN, ShepardKNNRegressor
from sklearn_bayeslazy.neighbors._shepard import _base
from sklearn_bayeslazy.neighbors._shepard._base import RELEVANCE_EXPONENTS
from sklearn_bayeslazy.search._mixed_rows._relevance import relevance_weights


def raw_table(n=120, seed=0):
    """Return a frame with strings, numbers and missing cells, and classes."""
    rng = np.random.default_rng(seed)
    frame = pd.DataFrame(
        {
            "colour": rng.choice(["red", "green", "blue"], n).astype(object),
            "size": rng.lognormal(size=n),
            "noise": rng.normal(size=n),
        }
    )
    score = (
        np.log(frame["size"]) + (frame["colour"] == "red") + 0.3 * rng.normal(size=n)
    )
    y = np.where(score > np.median(score), "yes", "no")
    frame.loc[rng.random(n) < 0.1, "colour"] = None
    frame.loc[rng.random(n) < 0.1, "size"] = np.nan
    return frame, y


def both(seed=0):
    frame, y = raw_table(seed=seed)
    return [
        (ShepardKNN(), frame, y, "predict_proba"),
        (ShepardKNNRegressor(), frame, (y == "yes") * 2.5, "predict"),
    ]


def test_the_exponent_of_relevance_has_the_least_left_out_loss():
    frame, y = raw_table(n=48)  # too few for a stretch
    frame = frame[["size", "noise"]]  # symbols would be compared by folds
    model = ShepardKNN().fit(frame, y)
    relevance = model._space.relevance
    assert relevance[0] > 0.02
    assert abs(relevance[1]) < 0.15
    losses, n_values = [], np.array([0, 0])
    for exponent in RELEVANCE_EXPONENTS:
        weights = relevance_weights(relevance, n_values, exponent)
        given = ShepardKNN(feature_weights=weights).fit(frame, y)
        losses.append(np.min(given.loo_results_["mean_log_loss"]))
        if np.array_equal(weights, model.feature_weights_):
            assert_array_equal(given.predict_proba(frame), model.predict_proba(frame))
    # All rows vote in none of the candidates that decide about the exponent.
    best = RELEVANCE_EXPONENTS[int(np.argmin(losses))]
    expected = relevance_weights(relevance, n_values, best)
    assert_array_equal(model.feature_weights_, expected)


@pytest.mark.parametrize(("model", "frame", "y", "answer"), both())
def test_a_frame_an_array_and_chunks_have_the_same_answers(model, frame, y, answer):
    expected = getattr(model.fit(frame, y), answer)(frame)
    cells = frame.to_numpy(object)
    of_array = getattr(model.set_params(n_jobs=2).fit(cells, y), answer)
    assert_array_equal(of_array(cells), expected)
    assert_array_equal(of_array(cells[:7]), expected[:7])


@pytest.mark.parametrize(("model", "frame", "y", "answer"), both())
def test_the_order_of_the_rows_does_not_matter(model, frame, y, answer):
    expected = getattr(model.fit(frame, y), answer)(frame)
    order = np.random.default_rng(1).permutation(len(y))
    again = getattr(model.fit(frame.iloc[order], y[order]), answer)(frame)
    assert_allclose(again, expected, rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize(("model", "frame", "y", "answer"), both())
def test_integer_weights_equal_repetition(model, frame, y, answer):
    weight = np.random.default_rng(2).integers(0, 3, len(y))
    rows = np.repeat(np.arange(len(y)), weight)
    expected = getattr(model.fit(frame.iloc[rows], y[rows]), answer)(frame)
    again = getattr(model.fit(frame, y, weight), answer)(frame)
    assert_allclose(again, expected, rtol=1e-7, atol=1e-9)


@pytest.mark.parametrize(("model", "frame", "y", "answer"), both())
def test_only_the_order_of_numbers_matters(model, frame, y, answer):
    stretched = frame.assign(size=frame["size"] ** 3, noise=np.exp(frame["noise"]))
    expected = getattr(model.fit(frame, y), answer)(frame)
    again = getattr(model.fit(stretched, y), answer)(stretched)
    assert_allclose(again, expected, rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize(("model", "frame", "y", "answer"), both())
def test_names_of_rows_change_nothing(model, frame, y, answer):
    expected = getattr(model.fit(frame, y), answer)(frame)
    named = frame.assign(name=[f"row {i}" for i in range(len(y))])
    again = getattr(model.fit(named, y), answer)(named)
    assert model.feature_weights_[3] == 0
    assert_allclose(again, expected, rtol=1e-9, atol=1e-12)


def test_sparse_rows_are_compared_as_before():
    rng = np.random.default_rng(0)
    X = sparse.random_array((80, 12), density=0.3, format="csr", rng=rng)
    y = rng.integers(0, 2, 80)
    auto = ShepardKNN(5).fit(X, y)
    assert auto.feature_weights_ is None
    expected = ShepardKNN(5, metric="euclidean").fit(X, y).predict_proba(X)
    assert_array_equal(auto.predict_proba(X), expected)
    dense = ShepardKNN(5).fit(X.toarray(), y)
    assert_array_equal(dense.predict_proba(X), dense.predict_proba(X.toarray()))


def test_many_classes_and_a_column_for_each():
    rng = np.random.default_rng(0)
    y = np.repeat(np.arange(260), 2)
    frame = pd.DataFrame({"code": [f"v{c}" for c in y], "x": rng.normal(size=520)})
    model = ShepardKNN(1).fit(frame, y)
    assert model.predict_proba(frame).shape == (520, 260)


def test_several_outputs_on_a_raw_table():
    frame, y = raw_table()
    outputs = np.column_stack([y, np.where(frame["noise"] > 0, "up", "down")])
    model = ShepardKNN(3).fit(frame, outputs)
    assert model.predict(frame).shape == outputs.shape
    assert [proba.shape for proba in model.predict_proba(frame)] == [(120, 2)] * 2


@pytest.mark.parametrize(
    "column",
    [
        [np.nan] * 30,
        [1e300, -1e300, 1e-300] * 10,
        [5.0] * 30,
        ["only"] * 30,
        [None, "a", "b"] * 10,
        [f"id {i}" for i in range(30)],
        pd.date_range("2020-01-01", periods=30),
    ],
    ids=["missing", "extreme", "constant", "symbol", "missing some", "names", "dates"],
)
@pytest.mark.parametrize("model", [ShepardKNN(), ShepardKNNRegressor()])
def test_single_columns_of_any_kind(model, column):
    frame = pd.DataFrame({"x": column})
    y = np.arange(30) % 3
    model.fit(frame, y)
    answers = model.predict_proba(frame) if hasattr(model, "predict_proba") else y
    assert np.isfinite(answers).all()
    assert np.isfinite(model.predict(frame)).all()


@pytest.mark.parametrize("metric", ["auto", "hvdm"])
def test_learnt_stretch_has_one_factor_for_each_column(metric):
    frame, y = raw_table()
    frame["name"] = [f"row {i}" for i in range(len(y))]
    model = ShepardKNN(5, metric=metric, feature_weights="loo", random_state=0)
    weights = model.fit(frame, y).feature_weights_
    assert weights.shape == (4,)
    assert weights[1] > 0 == weights[3]
    assert model.score(frame, y) > 0.8


def test_infinity_is_one_clear_error():
    frame, y = raw_table()
    model = ShepardKNN(3).fit(frame, y)
    before = model.predict_proba(frame)
    with pytest.raises(ValueError, match="infinity in column 'size'"):
        model.fit(frame.assign(size=np.inf), y)
    assert_array_equal(model.predict_proba(frame), before)


@pytest.mark.parametrize("metric", ["auto", "hvdm", "euclidean", "manhattan", "heom"])
def test_distances_by_column_add_up(metric):
    frame, y = raw_table()
    X = frame if metric in ("auto", "hvdm", "heom") else frame[["noise"]]
    explanation = ShepardKNN(4, metric=metric).fit(X, y).explain(X[:6])
    parts = explanation.column_distances
    p = 1 if metric == "manhattan" else 2
    assert_allclose(
        (parts**p).sum(axis=2) ** (1 / p), explanation.distances, rtol=1e-9, atol=1e-12
    )
    shown = explanation.column_frame(2)
    assert set(shown.columns) == set(X.columns)
    listed = explanation.rows[2] >= 0
    assert_allclose(shown[X.columns].to_numpy(), parts[2][listed])


def test_gower_leaves_out_columns_with_missing_cells():
    frame, y = raw_table()
    explanation = ShepardKNN(4, metric="gower").fit(frame, y).explain(frame[:20])
    parts = explanation.column_distances
    assert np.isnan(parts[explanation.rows >= 0]).any()
    listed = explanation.rows >= 0
    means = np.nanmean(parts[listed], axis=1)
    assert_allclose(means, explanation.distances[listed], rtol=1e-9, atol=1e-12)


def test_a_frame_shows_the_cells_of_the_nearest_rows():
    frame, y = raw_table()
    for X in (frame, frame.to_numpy(object)):
        explanation = ShepardKNN(3).fit(X, y).explain(X[:2], n_rows=3)
        shown = explanation.frame(1, X)
        assert list(shown.columns[:3]) == ["distance", "share", "target"]
        assert shown.columns[3] == "probability"
        cells = shown.iloc[1:, 4:].to_numpy()
        expected = frame.iloc[shown.index[1:]].to_numpy()
        assert pd.DataFrame(cells).equals(pd.DataFrame(expected))


def test_metrics_without_parts_by_column_say_so():
    frame, y = raw_table()
    X = frame[["noise", "noise"]].to_numpy()
    explanation = ShepardKNN(3, metric="cosine").fit(X, y).explain(X[:2])
    with pytest.raises(ValueError, match="no distances by column"):
        explanation.column_frame()


def products(n, seed=0):
    """Return eight columns, and the products of two pairs of them as targets."""
    rng = np.random.default_rng(seed)
    X = rng.uniform(-1, 1, (n, 8))
    return X, X[:, 0] * X[:, 1] + X[:, 2] * X[:, 3] + 0.1 * rng.normal(size=n)


def test_columns_that_matter_together_are_stretched():
    """None of them tells anything alone."""
    X, y = products(1000)
    model = ShepardKNNRegressor().fit(X[:500], y[:500])
    weights = model.feature_weights_
    assert weights[:4].min() > 5 * weights[4:].max()
    equal = ShepardKNNRegressor(feature_weights=np.ones(8)).fit(X[:500], y[:500])
    assert model.score(X[500:], y[500:]) > equal.score(X[500:], y[500:]) + 0.2


def test_the_stretch_of_a_left_out_row_has_not_seen_it():
    """Else noise would be foreseen."""
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(200, 6)), rng.normal(size=200)
    model = ShepardKNNRegressor().fit(X, y)
    assert np.mean((model.predict(None) - y) ** 2) > 0.95 * np.var(y)
    X, y = products(1200)
    model = ShepardKNNRegressor().fit(X[:300], y[:300])
    left_out = np.mean((model.predict(None) - y[:300]) ** 2)
    new = np.mean((model.predict(X[300:]) - y[300:]) ** 2)
    assert left_out > 0.85 * new


def test_tables_that_are_not_cut_are_stretched_by_rows_that_do_not_decide(monkeypatch):
    monkeypatch.setattr(_base, "MAX_ROWS_OF_PARTS", 400)
    monkeypatch.setattr(_base, "MAX_ROWS_FOR_RELEVANCE", 200)
    X, y = products(600)
    model = ShepardKNNRegressor().fit(X, y)
    assert model.feature_weights_[:4].min() > 5 * model.feature_weights_[4:].max()


def test_the_stretch_does_not_depend_on_the_order_of_rows_and_columns():
    X, y = products(300)
    model = ShepardKNNRegressor().fit(X, y)
    rng = np.random.default_rng(1)
    rows, columns = rng.permutation(300), rng.permutation(8)
    again = ShepardKNNRegressor().fit(X[rows][:, columns], y[rows])
    expected = model.feature_weights_[columns]
    assert_allclose(again.feature_weights_, expected, atol=0.002)

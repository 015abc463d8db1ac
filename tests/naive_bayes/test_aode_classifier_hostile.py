"""Odd tables for AODEClassifier: frames, extremes, many columns, one row, bad input."""

import warnings
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pandas as pd
import polars as pl
import pytest

from sklearn_bayeslazy import AODEClassifier
from sklearn_bayeslazy.testing import assert_on_simplex
from tests.helpers.aode_tables import mixed_table

PUBLISHED = {"m": 1.0, "weights": None, "n_bins": 4, "binning": "quantile"}
both_ways = pytest.mark.parametrize("params", [{}, PUBLISHED], ids=["loo", "published"])


@both_ways
def test_frames_of_all_kinds_give_the_same_model(params):
    X, y = mixed_table(0)
    frame = pd.DataFrame(X, columns=list("vwxyz"))
    frame[["v", "w", "y"]] = frame[["v", "w", "y"]].astype(float)
    by_array = AODEClassifier(**params).fit(X, y)
    by_pandas = AODEClassifier(**params).fit(frame, y)
    polars = pl.from_pandas(frame)
    by_polars = AODEClassifier(**params).fit(polars, y)
    expected = by_array.predict_proba(X)
    np.testing.assert_array_equal(by_pandas.predict_proba(frame), expected)
    np.testing.assert_array_equal(by_polars.predict_proba(polars), expected)
    assert by_pandas.feature_names_in_.tolist() == list("vwxyz")
    named = by_pandas.explain(frame).names.tolist()
    assert named == [*"vwxyz", "(average)"]


def test_declared_categories_count():
    # K = 3 with "fog": P(0, s) = (2 + 1) / (4 + 6), one more for each of 2 · 3 cells.
    cells = ["s", "s", "r", "r"]
    declared = pd.DataFrame(
        {"sky": pd.Categorical(cells, categories=["s", "r", "fog"])}
    )
    y = [0, 0, 1, 1]
    params = {**PUBLISHED, "m": "laplace"}
    model = AODEClassifier(**params).fit(declared, y)
    by_list = AODEClassifier(**params, categories=[["s", "r", "fog"]])
    by_list.fit(np.array(cells, dtype=object)[:, None], y)
    for fitted in (model, by_list):
        row = np.array([["s"]], dtype=object)
        if fitted is model:
            row = pd.DataFrame({"sky": ["s"]})
        joint = np.exp(fitted.predict_joint_log_proba(row))
        np.testing.assert_allclose(joint, [[3 / 10, 1 / 10]])
        assert len(fitted.categories_[0]) == 3


@both_ways
def test_booleans_constants_and_missing_columns(params):
    rng = np.random.default_rng(1)
    y = rng.integers(2, size=60)
    X = pd.DataFrame(
        {
            "flag": (y + rng.integers(2, size=60)) > 0,
            "constant": 3.0,
            "same": ["a"] * 60,
            "no_number": np.nan,
            "no_label": [None] * 60,
        }
    )
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        model = AODEClassifier(**params).fit(X, y)
        proba = model.predict_proba(X)
    assert_on_simplex(proba)
    alone = AODEClassifier(**params).fit(X[["flag"]], y)
    np.testing.assert_array_equal(model.predict(X), alone.predict(X[["flag"]]))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        nothing = AODEClassifier(**params).fit(X[["no_number", "no_label"]], y)
    prior = np.bincount(y) / 60
    found = nothing.predict_proba(X[["no_number", "no_label"]])
    np.testing.assert_allclose(found, np.tile(prior, (60, 1)), atol=0.02)


@both_ways
def test_one_class_and_few_rows(params):
    X, _ = mixed_table(2, n_rows=12)
    model = AODEClassifier(**params).fit(X, np.full(12, "only"))
    assert model.predict(X).tolist() == ["only"] * 12
    assert_on_simplex(model.predict_proba(X))
    assert model.explain(X).terms.shape == (12, 6, 1)
    two = AODEClassifier(**params).fit(X[:2], [0, 1])
    assert_on_simplex(two.predict_proba(X))
    if params:
        one = AODEClassifier(**params).fit(X[:1], [1])
        assert one.predict(X[:1]).tolist() == [1]
    else:
        with pytest.raises(ValueError, match=r"n_samples = 1: set m and n_bins"):
            AODEClassifier().fit(X[:1], [1])
        with pytest.raises(ValueError, match=r"n_samples = 1"):
            AODEClassifier().fit(X[:2], [0, 1], [1.0, 0.0])


@both_ways
@pytest.mark.parametrize("magnitude", [5e-324, 1e-300, 1e300, 1.7e308])
def test_numbers_of_any_magnitude(params, magnitude):
    rng = np.random.default_rng(3)
    y = np.arange(40) % 2
    X = rng.uniform(-1, 1, size=(40, 3)) * magnitude
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        model = AODEClassifier(**params).fit(X, y)
        assert_on_simplex(model.predict_proba(np.vstack([X, [[0, 1.7e308, -1.7e308]]])))


@both_ways
@pytest.mark.parametrize("weight", [1e-300, 1e-9, 1e9, 1e300])
def test_weights_of_any_size(params, weight):
    X, y = mixed_table(4, n_rows=60)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        model = AODEClassifier(**params).fit(X, y, np.full(60, weight))
        assert_on_simplex(model.predict_proba(X))


@pytest.mark.parametrize("heavy", [1e100, 1e300])
def test_one_huge_weight(heavy):
    rng = np.random.default_rng(1)
    X = rng.normal(size=(50, 3))
    y = np.where(X[:, 0] + 0.5 * rng.normal(size=50) > 0, "p", "q")
    weight = np.ones(50)
    weight[0] = heavy
    model = AODEClassifier().fit(X, y, weight)
    assert_on_simplex(model.predict_proba(X))


def test_very_few_virtual_examples_underflow_nowhere():
    rng = np.random.default_rng(5)
    X = rng.integers(5, size=(50, 40)).astype(str)
    y = rng.integers(2, size=50)
    model = AODEClassifier(m=1e-60, weights=None).fit(X, y)
    joint = model.predict_joint_log_proba(rng.integers(5, size=(50, 40)).astype(str))
    assert np.all(np.isfinite(joint))
    assert joint.min() < -745  # beyond the smallest float64
    losses = AODEClassifier(m=1e-60).fit(X, y).loo_results_["mean_log_loss"]
    assert np.all(np.isfinite(losses))


def test_a_hundred_columns():
    rng = np.random.default_rng(6)
    y = rng.integers(3, size=150)
    X = rng.normal(size=(150, 100))
    X[:, :5] += y[:, None]
    few = AODEClassifier(n_bins=4).fit(X, y)
    assert len(few.super_parents_) <= 64
    assert few.score(X, y) > 0.8
    # Each super-parent has 4 · 401 · 3 counts, the row of missing cells included.
    bounded = AODEClassifier(**PUBLISHED, max_pair_counts=14_000).fit(X, y)
    assert bounded.super_parents_.tolist() == [0, 1]
    assert bounded._model.counts.pairs.size < 16_000
    none = AODEClassifier(n_bins=4, max_pair_counts=1).fit(X, y)
    assert none.super_parents_.tolist() == []
    assert none.score(X, y) > 0.8
    naive = AODEClassifier(**PUBLISHED, max_pair_counts=1).fit(X, y)
    assert_on_simplex(naive.predict_proba(X))


def test_columns_that_identify_rows_weigh_nothing():
    X, y = mixed_table(7, n_rows=400)
    with_id = np.hstack([X, np.array([f"row {i}" for i in range(400)])[:, None]])
    model = AODEClassifier().fit(with_id, y)
    assert model.feature_weights_[-1] < 0.05
    assert model.value_offset_[-1] is None
    alone = AODEClassifier().fit(X, y)
    np.testing.assert_allclose(
        model.predict_proba(with_id), alone.predict_proba(X), atol=0.1
    )


def test_twenty_thousand_categories():
    rng = np.random.default_rng(8)
    y = rng.integers(2, size=20_000)
    X = pd.DataFrame(
        {
            "id": [f"{i:06}" for i in range(20_000)],
            "a": y + rng.integers(3, size=20_000),
            "b": rng.integers(5, size=20_000),
        }
    )
    model = AODEClassifier(loo_max_samples=2000, random_state=0).fit(X, y)
    assert 0 not in model.super_parents_
    assert model.feature_weights_[0] < 0.05
    assert model.score(X, y) > 0.6
    rows = X.iloc[:10].assign(id="unseen")
    assert_on_simplex(model.predict_proba(rows))


def test_three_hundred_classes():
    rng = np.random.default_rng(9)
    y = np.repeat(np.arange(300), 6)
    X = np.column_stack([y // 15, y % 15, rng.integers(3, size=1800)]).astype(str)
    model = AODEClassifier().fit(X, y)
    assert model.score(X, y) > 0.95
    assert model.value_offset_[0] is None or len(model.value_offset_[0]) == 300


@both_ways
def test_threads_share_a_model_and_memory_maps_are_read(params, tmp_path):
    X, y = mixed_table(10)
    numbers = X[:, [0, 1, 3]].astype(float)
    np.save(tmp_path / "X.npy", numbers)
    mapped = np.load(tmp_path / "X.npy", mmap_mode="r")
    model = AODEClassifier(**params).fit(mapped, y)
    expected = AODEClassifier(**params).fit(numbers, y).predict_proba(numbers)
    with ThreadPoolExecutor(3) as pool:
        for found in pool.map(lambda _: model.predict_proba(mapped), range(9)):
            np.testing.assert_array_equal(found, expected)


BAD_CANDIDATES = [
    ({"m": [-1.0]}, "'m'.* holds -1.0"),
    ({"m": ["loo"]}, "'m'.* holds 'loo'"),
    ({"m": []}, "'m'.* is empty"),
    ({"n_bins": [1]}, "'n_bins'.* holds 1"),
    ({"n_bins": [True]}, "'n_bins'.* holds True"),
    ({"binning": ["octile"]}, "'binning'.* holds 'octile'"),
    ({"min_count": [1]}, "names 'min_count'"),
]


@pytest.mark.parametrize(("candidates", "message"), BAD_CANDIDATES)
def test_unusable_candidates_are_named(candidates, message):
    X, y = mixed_table(11, n_rows=20)
    with pytest.raises(ValueError, match=message):
        AODEClassifier(loo_candidates=candidates).fit(X, y)


@both_ways
def test_unusable_input_is_named(params):
    X, y = mixed_table(12, n_rows=20)
    infinite = X.copy()
    infinite[3, 1] = -np.inf
    with pytest.raises(ValueError, match="infinity in column '1'"):
        AODEClassifier(**params).fit(infinite, y)
    for weight, message in (
        (np.full(20, -1.0), "(?i)negative|≥ 0"),
        (np.full(20, np.nan), "NaN"),
        (np.zeros(20), "(?i)zero|sum|positive"),
        (np.ones(19), "(?i)shape|inconsistent|length"),
    ):
        with pytest.raises(ValueError, match=message):
            AODEClassifier(**params).fit(X, y, weight)
    with pytest.raises(ValueError, match="classes must be passed on the first call"):
        AODEClassifier(**params).partial_fit(X, y)
    for name, value in {
        "m": -1,
        "weights": "uniform",
        "n_bins": 1,
        "binning": "octile",
        "min_count": -1,
        "loo_scoring": "auc",
        "max_pair_counts": 0,
    }.items():
        with pytest.raises(ValueError, match=f"'{name}' parameter of AODEClassifier"):
            AODEClassifier(**{**params, name: value}).fit(X, y)

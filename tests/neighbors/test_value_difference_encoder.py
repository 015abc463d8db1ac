"""ValueDifferenceEncoder: HVDM as a transformer, cross fitting, names, errors."""

import numpy as np
import pandas as pd
import polars as pl
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy.spatial.distance import cdist
from sklearn.model_selection import cross_val_score
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline

from sklearn_bayeslazy import LSHNeighbors, ShepardKNN, ValueDifferenceEncoder
from tests.helpers.mixed_tables import cells_of, classes_of, hvdm, mixed_frame


def test_points_are_at_the_distances_of_hvdm():
    frame, new = mixed_frame(), mixed_frame(7, seed=1)
    y = classes_of(frame)
    encoder = ValueDifferenceEncoder(m=2.0).fit(frame, y)
    expected = [
        [hvdm(frame, y, 2, a, b) for b in cells_of(frame)] for a in cells_of(new)
    ]
    actual = cdist(encoder.transform(new), encoder.transform(frame))
    assert_allclose(actual, expected, rtol=1e-12, atol=1e-12)
    knn = ShepardKNN(5, metric="hvdm", metric_params={"m": 2.0}).fit(frame, y)
    assert_allclose(np.sort(actual)[:, :5], knn.kneighbors(new)[0], rtol=1e-9)


@pytest.mark.parametrize("numeric", [False, True])
@pytest.mark.parametrize("weighted", [False, True])
def test_fit_transform_encodes_each_fold_by_the_others(numeric, weighted):
    frame = mixed_frame(43)[["colour", "fast", "age"]]
    rng = np.random.default_rng(0)
    y = rng.normal(size=43) if numeric else classes_of(frame)
    weight = rng.choice([0.5, 1.0, 3.0], 43) if weighted else None
    encoder = ValueDifferenceEncoder(m=1.5, n_folds=4, random_state=0)
    actual = encoder.fit_transform(frame, y, weight)
    plain = encoder.transform(frame)
    w = np.ones(43) if weight is None else weight
    targets = np.eye(3)[y] if not numeric else y[:, None]
    if numeric:
        mean = w @ targets / w.sum()
        targets = (targets - mean) / np.sqrt(w @ (targets - mean) ** 2 / w.sum())
    prior = w @ targets / w.sum()
    folds = np.random.RandomState(0).permutation(43) % 4
    width = targets.shape[1]
    for i in range(43):
        for j, name in enumerate(["colour", "fast"]):
            cells = frame[name].tolist()
            same = [cell is not None and cell == cells[i] for cell in cells]
            counted = np.where(same & (folds != folds[i]), w, 0)
            expected = (counted @ targets + 1.5 * prior) / (counted.sum() + 1.5)
            assert_allclose(
                actual[i, j * width : (j + 1) * width],
                expected,
                rtol=1e-12,
                atol=1e-12,
            )
    assert_array_equal(actual[:, -1], plain[:, -1])
    assert np.abs(actual - plain).max() > 0.01


def test_identifiers_do_not_flatter_a_pipeline():
    frame = mixed_frame(200)
    y = classes_of(frame)
    named = frame.assign(id=[f"id {i}" for i in range(200)])
    model = make_pipeline(
        ValueDifferenceEncoder(random_state=0), KNeighborsClassifier(10)
    )
    with_names = cross_val_score(model, named, y).mean()
    assert with_names > cross_val_score(model, frame, y).mean() - 0.03
    points = ValueDifferenceEncoder(random_state=0).fit_transform(named, y)
    assert_allclose(points[:, -3:], np.tile(np.bincount(y) / 200, (200, 1)))


@pytest.mark.parametrize("numeric", [False, True])
@pytest.mark.parametrize("seed", range(3))
def test_copies_of_rows_with_numbers_are_left_out_together(numeric, seed):
    """In the choice of m, and in the folds of `fit_transform`."""
    rng = np.random.default_rng(seed)
    letters, x = rng.choice(list("abcdef"), 60), rng.normal(size=60)
    frame = pd.DataFrame({"letter": letters, "x": x})
    y = x + 0.7 * (letters == "a") + rng.normal(size=60)
    y = y if numeric else (y > 0).astype(int)
    encoder = ValueDifferenceEncoder("loo", random_state=0)
    encoded = encoder.fit_transform(frame, y)[:, :-1]  # σ has the divisor n - 1
    for weight in (np.full(60, 5), rng.integers(1, 6, 60)):
        rows = np.repeat(np.arange(60), weight)
        copied = encoder.fit_transform(frame.iloc[rows], y[rows])
        copied_m, new = encoder.m_, encoder.transform(frame)
        if np.ptp(weight) == 0:
            assert_allclose(copied[:, :-1], encoded[rows], atol=1e-12)
        weighted = encoder.fit_transform(frame, y, weight)
        assert_allclose(weighted[rows], copied, atol=1e-12)
        assert encoder.m_ == copied_m
        assert_allclose(encoder.transform(frame), new, atol=1e-12)


def test_rows_of_weight_0_are_encoded_like_new_ones():
    frame = mixed_frame()
    y = classes_of(frame)
    weight = np.ones(40)
    weight[::3] = 0
    encoder = ValueDifferenceEncoder(random_state=1)
    points = encoder.fit_transform(frame, y, weight)
    kept = weight > 0
    other = ValueDifferenceEncoder(random_state=1)
    assert_allclose(points[kept], other.fit_transform(frame[kept], y[kept]), rtol=1e-12)
    assert_allclose(points[~kept], other.transform(frame[~kept]), rtol=1e-12)


def test_frames_and_arrays_have_the_same_points():
    frame = mixed_frame().astype({"size": object, "doors": "int64"})
    y = classes_of(frame)
    expected = ValueDifferenceEncoder().fit(frame, y).transform(frame)
    array = frame.to_numpy(object)
    assert_array_equal(
        ValueDifferenceEncoder().fit(array, y).transform(array), expected
    )
    polars = pl.DataFrame(
        {
            name: [None if x is None or x != x else x for x in frame[name]]
            for name in frame
        }
    )
    points = ValueDifferenceEncoder(n_jobs=2).fit(polars, y).transform(polars)
    assert_array_equal(points, expected)


def test_names_of_the_output():
    frame = mixed_frame()
    y = np.array(["a", "b", "c"])[classes_of(frame)]
    encoder = ValueDifferenceEncoder().set_output(transform="pandas")
    out = encoder.fit(frame, y).transform(frame)
    expected = [f"colour_{c}" for c in "abc"] + ["price"]
    assert list(out.columns[:4]) == expected
    assert list(out.columns[-3:]) == ["doors_a", "doors_b", "doors_c"]
    assert encoder.column_of_[:4].tolist() == [0, 0, 0, 1]
    array = frame.to_numpy(object)
    names = ValueDifferenceEncoder().fit(array, y == "a").get_feature_names_out()
    assert names.tolist() == [f"x{j}" for j in range(6)]
    without = ValueDifferenceEncoder().fit(frame)
    assert without.get_feature_names_out()[:4].tolist() == [
        "colour_blue",
        "colour_green",
        "colour_red",
        "price",
    ]
    assert not np.isnan(without.transform(frame)).any()
    with pytest.raises(ValueError, match="not equal to feature_names_in_"):
        encoder.get_feature_names_out(["a"] * 6)
    with pytest.raises(ValueError, match="should have length equal"):
        ValueDifferenceEncoder().fit(array, y).get_feature_names_out(["a"])


def test_several_targets():
    frame = mixed_frame()[["colour"]]
    y = np.column_stack([np.arange(40.0) / 7, np.arange(40) % 2 + 0.5])
    encoder = ValueDifferenceEncoder().fit(frame, y)
    assert encoder.get_feature_names_out().tolist() == ["colour_0", "colour_1"]
    classes = np.column_stack([classes_of(mixed_frame()), np.arange(40) % 2])
    encoder = ValueDifferenceEncoder().fit(frame, classes)
    assert len(encoder.get_feature_names_out()) == 5
    one = ValueDifferenceEncoder().fit(frame, classes[:, 0]).transform(frame)
    assert_allclose(encoder.transform(frame)[:, :3], one, rtol=1e-12)


def test_feature_weights_multiply_the_columns():
    frame = mixed_frame()
    y = classes_of(frame)
    weights = [1, 0.5, 0, 2, 1, 3]
    encoder = ValueDifferenceEncoder(feature_weights=weights, random_state=0)
    plain = ValueDifferenceEncoder(random_state=0)
    factors = np.array(weights)[plain.fit(frame, y).column_of_]
    assert_allclose(
        encoder.fit(frame, y).transform(frame), plain.transform(frame) * factors
    )
    assert_allclose(
        encoder.fit_transform(frame, y), plain.fit_transform(frame, y) * factors
    )


def test_searches_of_points_take_the_output():
    frame = mixed_frame(300)
    y = classes_of(frame)
    points = ValueDifferenceEncoder().fit(frame, y).transform(frame)
    found = (
        LSHNeighbors(3, random_state=0, recall=1.0).fit(points).kneighbors(points[:5])
    )
    assert_allclose(found[0], np.sort(cdist(points[:5], points))[:, :3], atol=1e-9)


@pytest.mark.parametrize(
    ("params", "message"),
    [
        ({"m": -1}, "'m' parameter"),
        ({"m": np.nan}, "'m' parameter"),
        ({"numbers": "ranks"}, "'numbers' parameter"),
        ({"n_folds": 1}, "'n_folds' parameter"),
        ({"feature_weights": [1, 2]}, r"feature_weights has shape \(2,\); X has 6"),
        ({"feature_weights": [-1] * 6}, "feature_weights must be finite numbers ≥ 0"),
        ({"task": "regression"}, "y must be numbers for task='regression'"),
    ],
)
def test_invalid_parameters_are_refused(params, message):
    frame = mixed_frame()
    encoder = ValueDifferenceEncoder().fit(frame)
    with pytest.raises(ValueError, match=message):
        encoder.set_params(**params).fit(frame, ["a", "b"] * 20)
    assert len(encoder.transform(frame)) == 40  # the former fit remains usable


def test_few_rows():
    frame = pd.DataFrame({"a": ["x"], "b": [1.0]})
    for y in (None, [1], ["p"], [0.5]):
        encoder = ValueDifferenceEncoder()
        assert np.isfinite(encoder.fit_transform(frame, y)).all()
        assert np.isfinite(encoder.transform(frame)).all()

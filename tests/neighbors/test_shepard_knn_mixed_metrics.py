"""Shepard's method on raw tables: HVDM, HEOM and Gower against the definitions.

Code under test: `search/_row_spaces.py`.
"""

import math
import pickle

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose

from sklearn_bayeslazy import ShepardKNN, ShepardKNNRegressor
from sklearn_bayeslazy.leave_one_out import spread_folds
from sklearn_bayeslazy.neighbors._shepard._votes import RowTargets
from sklearn_bayeslazy.search import OverlapRows
from sklearn_bayeslazy.search._mixed_rows._embedding import TableEmbedding
from sklearn_bayeslazy.tabular._read import read_table
from tests.helpers.mixed_tables import (
    SYMBOLS,
    cells_of,
    classes_of,
    hvdm,
    missing,
    mixed_frame,
    numbered_frame,
)
from tests.helpers.neighbors_by_hand import table_of_distances

CLOSE = {"rtol": 1e-12, "atol": 1e-12}
every_table_metric = pytest.mark.parametrize("metric", ["hvdm", "heom", "gower"])

# Every kind of cell: a string, a category, a truth value, two numbers, missing cells.
HAND = pd.DataFrame(
    {
        "colour": ["red", "red", "blue", None],
        "size": pd.Categorical(["S", "M", None, "M"]),
        "fast": [True, False, False, True],
        "price": [10.0, 30.0, 20.0, np.nan],
        "doors": [2, 4, 4, 2],
    }
)
HAND_Y = ["a", "a", "b", "b"]


def distances_of(metric, frame, y, queries=None, **params):
    """Return all distances (m, n) in the order of the training rows."""
    model = ShepardKNN(3, metric=metric, **params).fit(frame, y)
    distances, indices = model.kneighbors(
        frame if queries is None else queries, len(frame)
    )
    return np.take_along_axis(distances, np.argsort(indices, axis=1), axis=1)


def test_heom_by_hand():
    # From the first row: colours equal, sizes differ, truth values differ, 20/20, 2/2;
    # colours differ, size missing, truth values differ, 10/20, 2/2; then colour
    # missing, sizes differ, truth values equal, price missing, doors equal.
    expected = [0, math.sqrt(0 + 1 + 1 + 1 + 1), math.sqrt(1 + 1 + 1 + 1 / 4 + 1)]
    expected.append(math.sqrt(1 + 1 + 0 + 1 + 0))
    assert_allclose(distances_of("heom", HAND, HAND_Y)[0], expected, **CLOSE)
    # Missing cells differ from each other.
    assert distances_of("heom", HAND, HAND_Y)[3, 3] == pytest.approx(math.sqrt(2))


def test_gower_by_hand():
    expected = [0, 4 / 5, (1 + 1 + 1 / 2 + 1) / 4, (1 + 0 + 0) / 3]
    assert_allclose(distances_of("gower", HAND, HAND_Y)[0], expected, **CLOSE)


def test_hvdm_by_hand():
    # m = 1, P(a) = 1/2. Two classes: each symbol counts twice the square of ΔP(a).
    red, blue = (2 + 1 / 2) / (2 + 1), (0 + 1 / 2) / (1 + 1)
    small, medium, unknown = (1 + 1 / 2) / 2, (1 + 1 / 2) / 3, 1 / 2
    yes = no = (1 + 1 / 2) / 3
    squares = [
        2 * ((red - blue) ** 2 + (small - unknown) ** 2 + (yes - no) ** 2),
        2 * ((red - unknown) ** 2 + (small - medium) ** 2),
    ]
    # price: mean 20, σ = 10; doors: σ² = 4/3
    doors = 4 / (16 * 4 / 3)
    squares[0] += (10 / 40) ** 2 + doors
    squares[1] += (10 / 40) ** 2  # missing: the mean price
    actual = distances_of("hvdm", HAND, HAND_Y)[0]
    assert_allclose(actual[2:], np.sqrt(squares), **CLOSE)


def test_rows_without_a_common_column_are_infinitely_far_by_gower():
    frame = pd.DataFrame({"a": ["x", "y", None], "b": [np.nan, np.nan, 1.0]})
    actual = distances_of("gower", frame, [0, 1, 1])
    assert_allclose(actual[0], [0, 1, np.inf])
    proba = ShepardKNN(1, metric="gower").fit(frame, [0, 1, 1])
    nothing = pd.DataFrame({"a": [None], "b": [np.nan]})
    assert np.isfinite(proba.predict_proba(nothing)).all()


def overlap(frame, metric, a, b, weights):
    """Return HEOM or Gower's distance of two lists of cells, by the definition."""
    total = present = 0.0
    for j, name in enumerate(frame):
        w = weights[j] ** 2 if metric == "heom" else weights[j]
        if missing(a[j]) or missing(b[j]):
            if metric == "heom":
                total += w
            continue
        if name in SYMBOLS:
            difference = float(a[j] != b[j])
        else:
            known = [x for x in frame[name].tolist() if not missing(x)]
            difference = abs(a[j] - b[j]) / (max(known) - min(known))
        total += w * (difference**2 if metric == "heom" else difference)
        present += w
    if metric == "heom":
        return math.sqrt(total)
    return total / present if present else math.inf


@pytest.mark.parametrize("metric", ["heom", "gower"])
@pytest.mark.parametrize("weighted", [False, True])
def test_distances_are_those_of_the_definition(metric, weighted):
    frame, new = mixed_frame(), mixed_frame(9, seed=5)
    new.loc[0, "colour"] = "pink"
    weights = np.array([1.0, 2.0, 0.5, 0.0, 3.0, 1.0]) if weighted else np.ones(6)
    given = {"feature_weights": weights} if weighted else {}
    expected = [
        [overlap(frame, metric, a, b, weights) for b in cells_of(frame)]
        for a in cells_of(new)
    ]
    actual = distances_of(metric, frame, classes_of(frame), new, **given)
    assert_allclose(actual, expected, **CLOSE)


@pytest.mark.parametrize("m", [1.0, 4])
def test_hvdm_of_new_rows_is_that_of_the_definition(m):
    frame, new = mixed_frame(), mixed_frame(9, seed=5)
    new.loc[0, "colour"] = "pink"
    y = classes_of(frame)
    expected = [
        [hvdm(frame, y, m, a, b) for b in cells_of(frame)] for a in cells_of(new)
    ]
    actual = distances_of("hvdm", frame, y, new, metric_params={"m": m})
    known = slice(1, None)  # the definition by loops has no rule for a new symbol
    assert_allclose(actual[known], expected[known], **CLOSE)
    missing_colour = new.copy()
    missing_colour.loc[0, "colour"] = None
    other = distances_of("hvdm", frame, y, missing_colour, metric_params={"m": m})
    assert_allclose(actual[0], other[0], **CLOSE)


def test_feature_weights_multiply_all_points_of_a_column():
    frame = mixed_frame()
    y = classes_of(frame)
    weights = [0.5, 2, 0, 1, 3, 0]
    embedding = TableEmbedding(read_table(frame), np.eye(3)[y], np.ones(40))
    rows = embedding.transform(read_table(frame))
    rows *= np.array(weights)[embedding.column_of]
    expected = table_of_distances(lambda a, b: math.dist(a, b), rows, rows)
    actual = distances_of("hvdm", frame, y, feature_weights=weights)
    assert_allclose(actual, expected, rtol=1e-9, atol=1e-9)


def test_leave_one_out_asks_for_rows_whose_folds_taught_nothing():
    frame = mixed_frame(60)
    y = classes_of(frame)
    table, targets, weight = read_table(frame), np.eye(3)[y], np.ones(60)
    ks = [1, 3, 8]
    model = ShepardKNN(
        metric="hvdm", weights="uniform", m=0, loo_candidates={"n_neighbors": ks}
    ).fit(frame, y)
    whole = TableEmbedding(table, targets, weight)
    numbers = ~table.are_categorical()[whole.column_of]
    correct = np.zeros((len(ks), 60), dtype=bool)
    for fold in spread_folds(*model._space.codes(table), y, targets, weight):
        others = np.flatnonzero(~fold)
        taught = TableEmbedding(table.take(others), targets[others], weight[others])
        points = taught.transform(table)
        points[:, numbers] = whole.transform(table)[:, numbers]
        for n, k in enumerate(ks):
            expected = ShepardKNN(k, weights="uniform", m=0, metric="euclidean")
            for i in np.flatnonzero(fold):
                expected.fit(np.delete(points, i, 0), np.delete(y, i))
                correct[n, i] = expected.predict(points[[i]])[0] == y[i]
    assert_allclose(model.loo_results_["mean_accuracy"], correct.mean(axis=1))


@pytest.mark.parametrize("seed", range(4))
def test_identifiers_do_not_flatter_leave_one_out(seed):
    rng = np.random.default_rng(seed)
    n = 150
    frame = pd.DataFrame({"id": [f"id {i}" for i in range(n)], "x": rng.normal(size=n)})
    y = (rng.random(n) < 0.3).astype(int)
    model = ShepardKNN(metric="hvdm").fit(frame, y)
    majority = max(np.mean(y), 1 - np.mean(y))
    accuracy = np.max(model.loo_results_["mean_accuracy"])
    # The best of 51 candidates on noise: within two standard errors of the majority.
    assert accuracy <= majority + 2 * math.sqrt(majority * (1 - majority) / n)
    numbers = ShepardKNNRegressor(metric="hvdm").fit(frame, rng.normal(size=n))
    error = np.min(numbers.loo_results_["mean_squared_error"])
    assert error >= 0.8 * np.var(numbers._targets.numbers)


@every_table_metric
@pytest.mark.parametrize("n_neighbors", ["loo", None, 4])
@pytest.mark.parametrize("regression", [False, True])
def test_weights_equal_repetition(metric, n_neighbors, regression):
    frame = numbered_frame()
    y = classes_of(frame) * (1.5 if regression else 1)
    weight = np.random.default_rng(0).integers(0, 4, 40)
    order = np.random.default_rng(1).permutation(np.repeat(np.arange(40), weight))
    model = ShepardKNNRegressor if regression else ShepardKNN
    params = {"metric": metric, "weights": "uniform" if n_neighbors else "inverse"}
    one = model(n_neighbors, **params).fit(frame, y, weight)
    other = model(n_neighbors, **params).fit(frame.iloc[order], y[order])
    new = mixed_frame(30, seed=9)
    answer = "predict" if regression else "predict_proba"
    expected = getattr(other, answer)(new)
    assert_allclose(getattr(one, answer)(new), expected, rtol=1e-9, atol=1e-9)


@every_table_metric
@pytest.mark.parametrize("n_neighbors", ["loo", None])
def test_a_frame_and_its_array_have_the_same_answers(metric, n_neighbors):
    frame = mixed_frame().astype({"size": object, "doors": "int64"})
    y = classes_of(frame)
    new = mixed_frame(10, seed=3).astype({"size": object, "doors": "int64"})
    of_frame = ShepardKNN(n_neighbors, metric=metric, n_jobs=2).fit(frame, y)
    of_array = ShepardKNN(n_neighbors, metric=metric).fit(frame.to_numpy(object), y)
    expected = of_frame.predict_proba(new)
    np.testing.assert_array_equal(
        of_array.predict_proba(new.to_numpy(object)), expected
    )
    assert len(np.unique(expected.round(6), axis=0)) > 1


@every_table_metric
def test_a_model_is_pickled_and_explains_its_answers(metric):
    frame = mixed_frame()
    model = ShepardKNN(5, m=0, metric=metric).fit(frame, classes_of(frame))
    new = mixed_frame(6, seed=3)
    again = pickle.loads(pickle.dumps(model))
    np.testing.assert_array_equal(again.predict_proba(new), model.predict_proba(new))
    explanation = model.explain(new, n_rows=None)
    for i in range(6):
        shares = explanation.shares[i][explanation.rows[i] >= 0]
        votes = explanation.targets[i][explanation.rows[i] >= 0]
        assert_allclose(
            np.bincount(votes, shares, 3), model.predict_proba(new)[i], atol=1e-9
        )


@every_table_metric
def test_changed_kinds_are_one_clear_error(metric):
    frame = mixed_frame()
    model = ShepardKNN(3, metric=metric).fit(frame, classes_of(frame))
    with pytest.raises(TypeError, match=r"'price' held numbers at fit and now holds"):
        model.predict(frame.assign(price="dear"))
    with pytest.raises(
        TypeError, match=r"'colour' held labels .* and now holds numbers"
    ):
        model.predict(frame.assign(colour=1.5))
    with pytest.raises(ValueError, match=r"infinity in column 'price'"):
        model.fit(frame.assign(price=np.inf), classes_of(frame))
    assert len(model.predict(frame)) == 40  # the earlier fit remains usable


@every_table_metric
def test_huge_and_constant_columns(metric):
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(
        {
            "huge": rng.choice([-1.7e308, 0.0, 1.7e308], 30),
            "tiny": rng.choice([0, 5e-324, 1e-310], 30),
            "constant": 7.0,
            "missing": np.nan,
            "one": "a",
        }
    )
    y = (frame["huge"] > 0).to_numpy()
    model = ShepardKNN(3, metric=metric).fit(frame, y)
    assert model.score(frame, y) == 1
    far = frame.assign(constant=1e300, tiny=1e300, missing=3.0, one="b")
    assert np.isfinite(model.predict_proba(far)).all()


@pytest.mark.parametrize("m", [-1, np.inf, np.nan, "LOO", None, [1]])
def test_hvdm_refuses_what_is_no_weight_of_the_prior(m):
    model = ShepardKNN(3, metric="hvdm", metric_params={"m": m})
    if m is None:
        model.fit(HAND, HAND_Y)  # as if it were not given
        return
    with pytest.raises(ValueError, match=r"metric_params\['m'\] must be a finite"):
        model.fit(HAND, HAND_Y)


def test_treecode_runs_on_the_embedding():
    frame = mixed_frame(200)[["colour", "age"]]
    y = (frame["age"] > 3).to_numpy().astype(int)
    exact = ShepardKNN(None, power=2, m=0, metric="hvdm").fit(frame, y)
    fast = ShepardKNN(None, power=2, m=0, metric="hvdm", tol=1e-3).fit(frame, y)
    new = mixed_frame(40, seed=7)[["colour", "age"]]
    assert_allclose(fast.predict_proba(new), exact.predict_proba(new), atol=1e-3)


@pytest.mark.parametrize("numeric", [False, True])
def test_sums_over_ties_are_those_of_the_rows_at_one_distance(numeric):
    rng = np.random.default_rng(0)
    rows = rng.integers(0, 3, (50, 2)).astype(float)
    stored = OverlapRows(read_table(pd.DataFrame(rows).astype(str)), "heom")
    search = stored.search()
    weight = rng.choice([0.5, 1.0, 2.0], 50)
    codes = rng.integers(0, 3, 0 if numeric else 50)
    targets = rng.normal(size=(50, 3)) if numeric else np.eye(3)[codes]
    exclude = np.array([-1, 0, 1, 2])
    distances = np.array([1.0, 0.0, 0.0, 2.0])  # squared
    totals, sums = search.sum_ties(
        stored.training_queries()[:4],
        distances,
        exclude,
        weight,
        RowTargets(codes, np.array(targets if numeric else np.empty((0, 3)))),
    )
    for q in range(4):
        counted = weight.copy()
        if exclude[q] >= 0:
            counted[exclude[q]] = max(counted[exclude[q]] - 1, 0)
        tied = (rows != rows[q]).sum(axis=1) == distances[q]
        assert totals[q] == pytest.approx(counted[tied].sum())
        assert_allclose(sums[q], counted[tied] @ targets[tied], rtol=1e-12)

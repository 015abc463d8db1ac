"""Radial basis function networks on raw tables: strings, missing cells, relevance.

Code under test: `local_regression/_rbf_centers.py`.
"""

import numpy as np
import pandas as pd
import pytest
from scipy.stats import norm, rankdata

from sklearn_bayeslazy import RBFNetworkClassifier, RBFNetworkRegressor
from sklearn_bayeslazy.leave_one_out import table_folds
from sklearn_bayeslazy.local_regression._rbf_centers import RowEncoder, symbol_folds
from sklearn_bayeslazy.tabular._read import read_table
from tests.helpers.mixed_tables import classes_of, mixed_frame

FIXED = {"n_centers": 12, "overlap": 2.0, "ridge": 0.1, "feature_weights": "relevance"}


def mixed_targets(frame, seed=0):
    noise = np.random.default_rng(seed).normal(scale=0.3, size=len(frame))
    return frame["fast"] * 2.0 + frame["age"] / 3 + (frame["colour"] == "red") + noise


def encode(frame, targets):
    """Return the encoder of a frame, and its training rows."""
    weight = np.ones(len(frame))
    table, targets = read_table(frame), np.asarray(targets, float)[:, None]
    encoder = RowEncoder(table, targets, weight, "std")
    one_class = np.zeros(len(frame), dtype=int)
    folds = symbol_folds(table, one_class, targets, weight)
    return encoder, encoder.training_rows(table, folds, targets, weight)


def test_rows_are_scaled_numbers_and_symbols_two_units_apart():
    frame = pd.DataFrame({"x": [1.0, np.nan, 5.0, 9.0], "s": ["a", "b", "c", None]})
    encoder, rows = encode(frame, np.arange(4.0))
    # Of 1, 5, 9 the mean and the median are 5, and the variance is (16 + 0 + 16) / 2.
    np.testing.assert_allclose(rows[:, 0], (np.array([1, 5, 5, 9]) - 5) / 4)
    np.testing.assert_array_equal(encoder.scale, [4, 1])
    symbols = rows[:, 1:]
    gaps = np.linalg.norm(symbols[:, None] - symbols, axis=2)
    np.testing.assert_allclose(gaps[:3, :3], 2 - 2 * np.eye(3), atol=1e-15)
    np.testing.assert_allclose(gaps[3, :3], gaps[3, 0])  # missing: in the middle
    new = pd.DataFrame({"x": [np.nan], "s": ["new"]})
    np.testing.assert_allclose(
        encoder.transform(read_table(new)), rows[[3]] - [[1, 0, 0, 0]]
    )
    numbers = encoder.in_units_of_the_table(rows)[:, 0]
    np.testing.assert_allclose(numbers, [1, 5, 5, 9])


def test_many_symbols_are_means_of_the_rows_of_other_folds_with_them():
    symbols = np.array([f"s{i:02}" for i in range(11)] * 4)
    targets = np.repeat([1.0, -1.0], 22)
    targets[::11] = 3.0  # all rows of the first symbol
    frame = pd.DataFrame({"s": symbols})
    encoder, rows = encode(frame, targets)
    m = encoder._columns.ms[0]
    assert np.isfinite(m)
    of_rows = np.zeros(44, int), targets[:, None], np.ones(44)
    folds = table_folds(read_table(frame), *of_rows, 3)
    expected = []
    for symbol, fold in zip(symbols, folds):
        others = targets[(symbols == symbol) & (folds != fold)]
        assert len(others) in (2, 3)  # the four rows lie in three folds
        expected.append(2 * (sum(others) + m * targets.mean()) / (len(others) + m))
    np.testing.assert_allclose(rows[:, 0], expected)
    unknown = encoder.transform(read_table(pd.DataFrame({"s": ["?", None]})))
    np.testing.assert_allclose(unknown[:, 0], 2 * targets.mean())


def test_feature_weights_are_the_fourth_root_of_relevance():
    # Bins of x predict y by the other rows of their bin; "s" is the class itself.
    x, y = np.repeat(np.arange(10.0), 4), np.tile([0.0, 1.0], 20)
    frame = pd.DataFrame({"x": x, "s": np.where(y, "p", "q"), "c": 1.0})
    model = RBFNetworkRegressor(**FIXED).fit(frame, y)
    # With m = 1 a row of "p" expects (19 + 1/2) / (19 + 1): errors 1/40; variance 1/4.
    best = 1 - (1 / 40) ** 2 / (1 / 4)
    # x and c are worse than the mean: raised to .001.
    expected = [(0.001 / best) ** 0.25, 1, (0.001 / best) ** 0.25]
    np.testing.assert_allclose(model.feature_weights_, expected)


@pytest.mark.parametrize("network", [RBFNetworkRegressor, RBFNetworkClassifier])
def test_a_frame_and_its_array_of_objects_give_the_same_answers(network):
    frame, new = mixed_frame(80), mixed_frame(30, seed=1)
    # A category of numbers is a symbol in a frame, and a number in an array.
    frame, new = frame.astype({"doors": float}), new.astype({"doors": float})
    y = classes_of(frame)
    by_frame = network().fit(frame, y).predict(new)
    by_array = network().fit(frame.to_numpy(dtype=object), y)
    np.testing.assert_array_equal(
        by_array.predict(new.to_numpy(dtype=object)), by_frame
    )


def test_dates_are_numbers_of_days():
    days = pd.date_range("2024-01-01", periods=60)
    y = np.sin(np.arange(60) / 8)
    dates = RBFNetworkRegressor(**FIXED).fit(pd.DataFrame({"day": days}), y)
    numbers = RBFNetworkRegressor(**FIXED).fit(np.arange(60.0)[:, None], y)
    new = pd.DataFrame({"day": days[5:50:7]})
    expected = numbers.predict(np.arange(5.0, 50, 7)[:, None])
    np.testing.assert_allclose(dates.predict(new), expected, atol=1e-8)


def test_leave_one_out_errors_on_a_table_equal_those_of_refitting():
    frame = mixed_frame(40)
    y = mixed_targets(frame)
    # Encodings that do not depend on which row is left out: given centres and scales,
    # few symbols, no missing numbers.
    frame["price"] = frame["price"].fillna(100.0)
    params = {
        "centers": frame.iloc[:15],
        "width": 1.5,
        "scale": np.ones(6),
        "feature_weights": [1.0, 0.01, 2.0, 1.0, 0.5, 1.0],
    }
    model = RBFNetworkRegressor(**params, loo_candidates={"ridge": [0.01, 1.0]})
    results = model.fit(frame, y).loo_results_
    for ridge, error in zip([0.01, 1.0], results["mean_squared_error"]):
        squares = [
            (
                RBFNetworkRegressor(**params, ridge=ridge)
                .fit(frame.drop(index=i), y.drop(index=i))
                .predict(frame.loc[[i]])[0]
                - y[i]
            )
            ** 2
            for i in range(40)
        ]
        assert error == pytest.approx(np.mean(squares), rel=1e-8)


@pytest.mark.parametrize("network", [RBFNetworkRegressor, RBFNetworkClassifier])
def test_a_column_of_names_does_not_flatter(network):
    rng = np.random.default_rng(0)
    n = 300
    y = rng.choice([-1.0, 1.0], n)
    names = pd.DataFrame({"name": [f"row {i}" for i in range(n)]})
    model = network().fit(names.assign(x=rng.normal(size=n)), y)
    # y is noise: nothing may look better than the mean, whose squared error is 1.
    assert model.loo_results_["mean_squared_error"].min() > 0.97
    # And beside a column that tells y, the names change next to nothing.
    x = y + 0.5 * rng.normal(size=n)
    train, test = slice(0, 200), slice(200, n)
    frame = names.assign(x=x)
    alone = (
        network().fit(frame[["x"]][train], y[train]).score(frame[["x"]][test], y[test])
    )
    both = network().fit(frame[train], y[train]).score(frame[test], y[test])
    assert both > alone - 0.02


@pytest.mark.parametrize("network", [RBFNetworkRegressor, RBFNetworkClassifier])
def test_integer_weights_of_a_table_equal_repetition(network):
    """Where all rows have numbers: copies of rows of symbols are other observations."""
    frame = mixed_frame(60)
    frame["price"] = np.random.default_rng(4).normal(100, 30, 60)
    frame["many"] = np.random.default_rng(1).choice([f"v{i}" for i in range(15)], 60)
    y, times = classes_of(frame), np.random.default_rng(2).integers(0, 4, 60)
    weighted = network(**FIXED).fit(frame, y, sample_weight=times)
    repeated = network(**FIXED).fit(
        frame.loc[frame.index.repeat(times)], y.repeat(times)
    )
    np.testing.assert_allclose(weighted.centers_, repeated.centers_, atol=1e-8)
    method = "predict_proba" if network is RBFNetworkClassifier else "predict"
    np.testing.assert_allclose(
        getattr(weighted, method)(frame), getattr(repeated, method)(frame), atol=1e-8
    )


@pytest.mark.parametrize("network", [RBFNetworkRegressor, RBFNetworkClassifier])
def test_neither_threads_nor_the_order_of_rows_change_answers(network):
    frame = mixed_frame(60)
    frame["many"] = np.random.default_rng(1).choice([f"v{i}" for i in range(15)], 60)
    y, order = classes_of(frame), np.random.default_rng(3).permutation(60)
    new = frame.iloc[::-1].assign(many="never seen", colour=None)
    method = "predict_proba" if network is RBFNetworkClassifier else "predict"
    model = network(**FIXED).fit(frame, y)
    expected = getattr(model, method)(new)
    np.testing.assert_array_equal(
        getattr(model.set_params(n_jobs=2), method)(new), expected
    )
    alone = [getattr(model, method)(new.iloc[[i]])[0] for i in range(10)]
    np.testing.assert_array_equal(alone, expected[:10])
    model.fit(frame.iloc[order], y[order])
    np.testing.assert_allclose(getattr(model, method)(new), expected, atol=1e-8)


def test_leave_one_out_chooses_whether_columns_are_weighted():
    rng = np.random.default_rng(0)
    X = rng.uniform(-1, 1, size=(400, 4))
    signal = np.sin(3 * X[:, 0])  # three irrelevant columns
    product = np.sign(X[:, 0] * X[:, 1]) + 0.3 * X[:, 2]  # x₀, x₁ alone: no effect
    for y, expected in [(signal, "relevance"), (product, None)]:
        results = RBFNetworkRegressor().fit(X, y).loo_results_
        best = results["params"][int(np.argmin(results["mean_squared_error"]))]
        assert best["feature_weights"] == expected


def test_symbols_tell_what_numbers_do_not():
    frame = mixed_frame(300)
    y = mixed_targets(frame)
    whole = RBFNetworkRegressor().fit(frame[:200], y[:200]).score(frame[200:], y[200:])
    numbers = frame[["price", "age"]]
    part = RBFNetworkRegressor().fit(numbers[:200], y[:200])
    assert whole > 0.85 > 0.7 > part.score(numbers[200:], y[200:])


def test_errors_on_tables_leave_the_model_usable():
    frame = mixed_frame(60)
    y = mixed_targets(frame)
    model = RBFNetworkRegressor(**FIXED).fit(frame, y)
    before = model.predict(frame)
    with pytest.raises(TypeError, match="'age' held numbers at fit and now holds"):
        model.predict(frame.assign(age="old"))
    with pytest.raises(ValueError, match="infinit"):
        model.fit(frame.assign(price=np.inf), y)
    with pytest.raises(ValueError, match=r"feature_weights has shape \(2,\); X has 6"):
        model.set_params(feature_weights=[1.0, 0.0]).fit(frame, y)
    with pytest.raises(ValueError, match="feature_weights must be finite numbers > 0"):
        model.set_params(feature_weights=[1.0, 0.0, 1.0, 1.0, 1.0, 1.0]).fit(frame, y)
    model.set_params(feature_weights=None, centers=frame.iloc[:2, :5])
    with pytest.raises(
        ValueError, match=r"centers has shape \(2, 5\); X has 6 columns"
    ):
        model.fit(frame, y)
    np.testing.assert_array_equal(model.predict(frame), before)


def table_in_disorder(kinds, seed):
    """Return few rows of some kinds of columns in disorder, symbols renamed."""
    rng = np.random.default_rng(0)
    counts = rng.integers(0, 4, (80, 3)).astype(float)
    codes = np.stack([rng.integers(0, k, 80) for k in (2, 2, 3, 4)])
    rng_of_names = np.random.default_rng(seed)
    symbols = [rng_of_names.permutation(list("pqrs"))[column] for column in codes]
    columns = {
        "numbers": rng.normal(size=(80, 4)).T,
        "counts": counts.T,
        "symbols": symbols,
    }
    named = {f"{k}{j}": c for k in kinds for j, c in enumerate(columns[k])}
    return pd.DataFrame(
        {name: named[name] for name in rng_of_names.permutation([*named])}
    )


@pytest.mark.parametrize("network", [RBFNetworkRegressor, RBFNetworkClassifier])
@pytest.mark.parametrize(
    "kinds", [["numbers"], ["counts"], ["symbols"], ["numbers", "counts", "symbols"]]
)
def test_no_column_is_split_for_its_position_or_its_names(network, kinds):
    """Scaled columns have equal sums of squares, so which is the largest is open."""
    numbers = table_in_disorder(["numbers"], 0)
    y = numbers["numbers0"] * numbers["numbers1"] > 0
    answers = []
    for seed in range(5):
        X = table_in_disorder(kinds, seed)
        model = network().fit(X, y.to_numpy().astype(int))
        is_regressor = network is RBFNetworkRegressor
        answers.append(model.predict(X) if is_regressor else model.predict_proba(X))
    for other in answers[1:]:
        np.testing.assert_allclose(other, answers[0], atol=1e-7)


def test_numbers_beyond_the_outer_fences_are_taken_as_the_fences():
    x = np.r_[np.arange(9.0), 1e6, -1e6]
    frame = pd.DataFrame({"x": x, "constant but for one": [0.0] * 10 + [7.0]})
    encoder, rows = encode(frame, np.arange(11.0))
    # The quarters are 1 and 7: the fences are 1 - 3 * 6 and 7 + 3 * 6.
    within = np.r_[np.arange(9.0), 25, -17]
    scale = np.std(within, ddof=1)
    np.testing.assert_allclose(encoder.scale[0], scale)
    np.testing.assert_allclose(rows[:][:, 0], (within - 4) / scale)
    np.testing.assert_allclose(np.ptp(rows[:][:, 1]), np.sqrt(11))  # of 7, unbounded
    found = encoder.in_units_of_the_table(rows[:])
    np.testing.assert_allclose(found, frame.assign(x=within))


@pytest.mark.parametrize("largest", [1e-305, 1e290, 1e307])
def test_numbers_at_the_outer_fences_are_finite_at_all_magnitudes(largest):
    x = np.r_[np.linspace(-0.1, 0.1, 18), 1.0, -1.0] * largest
    rows = encode(pd.DataFrame({"x": x}), np.arange(20.0))[1]
    assert 1 < np.abs(rows[:]).max() < 5


def test_few_cells_that_are_a_thousand_times_too_large_do_no_harm():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(900, 4))
    y = X @ [2, 1, 0.5, 0] + rng.normal(size=900) / 2
    scaled = np.where(rng.random(X.shape) < 0.01, 1000 * X, X)
    errors = []
    for rows in (X, scaled):
        model = RBFNetworkRegressor().fit(rows[:300], y[:300])
        errors.append(np.mean((y[300:] - model.predict(rows[300:])) ** 2))
    assert errors[1] < 2 * errors[0]


@pytest.mark.parametrize(("n_rows", "n_values"), [(300, 50), (300, 20)])
@pytest.mark.parametrize("seed", range(4))
def test_one_column_of_chance_values_leaves_the_prior(n_rows, n_values, seed):
    # A row's value is encoded without the row, so what other rows of the value have
    # would tell it from them if what values tell by chance counted.
    rng = np.random.default_rng(seed)
    y = rng.integers(5, size=n_rows + 500)
    X = pd.DataFrame({"value": rng.integers(n_values, size=n_rows + 500).astype(str)})
    new, prior = slice(n_rows, None), np.bincount(y[:n_rows]) / n_rows
    model = RBFNetworkClassifier().fit(X[:n_rows], y[:n_rows])
    probability = model.predict_proba(X[new])[np.arange(500), y[new]]
    assert np.mean(np.log(prior[y[new]]) - np.log(probability)) < 0.04


@pytest.mark.parametrize(("n_values", "n_classes"), [(50, 5), (50, 2), (100, 3)])
def test_one_column_of_many_values_is_used_about_as_well_as_can_be(n_values, n_classes):
    # Rows of a value that are told apart by their classes gave losses of .4 to .9 above
    # those of the true probabilities; naive Bayes has .06 to .19.
    excess = []
    for seed in range(4):
        rng = np.random.default_rng(seed)
        true = rng.dirichlet(np.ones(n_classes), size=n_values)
        value = rng.integers(n_values, size=1300)
        y = (true[value].cumsum(axis=1) < rng.random((1300, 1))).sum(axis=1)
        X = pd.DataFrame({"value": value.astype(str)})
        model = RBFNetworkClassifier().fit(X[:300], y[:300])
        each, new = np.arange(1000), slice(300, None)
        loss = -np.log(model.predict_proba(X[new])[each, y[new]])
        excess.append(np.mean(loss + np.log(true[value[new], y[new]])))
    assert np.mean(excess) < 0.3


def long_tailed(seed=0, n_rows=400):
    """Return rows with numbers over many magnitudes, and what depends on their logs."""
    rng = np.random.default_rng(seed)
    logs = rng.normal(size=(n_rows, 2))
    y = np.sin(2 * logs[:, 0]) + logs[:, 1] + 0.1 * rng.normal(size=n_rows)
    return np.exp(3 * logs), y


def test_normal_scores_are_those_of_rows_encoded_before():
    # Of n distinct numbers the i-th smallest becomes the normal quantile of
    # (i - 1/2) / n, with a standard deviation of 1; the mean score is 0.
    X, y = long_tailed()
    ranks = rankdata(X, axis=0)
    scores = norm.ppf((ranks - 0.5) / len(X))
    scores /= scores.std(axis=0)
    expected = RBFNetworkRegressor(scale=None, feature_weights=None).fit(scores, y)
    model = RBFNetworkRegressor(scale="normal_scores", feature_weights=None).fit(X, y)
    assert model.scale_ == "normal_scores"
    np.testing.assert_allclose(model.predict(X), expected.predict(scores), atol=1e-8)
    np.testing.assert_allclose(model.predict(None), expected.predict(None), atol=1e-8)
    np.testing.assert_allclose(
        model.loo_results_["mean_squared_error"],
        expected.loo_results_["mean_squared_error"],
        rtol=1e-6,
    )


def test_centres_of_normal_scores_are_in_units_of_the_table():
    X = pd.DataFrame({"x": [1.0, 10.0, 100.0, np.nan, 1000.0], "z": 7.0})
    model = RBFNetworkRegressor(
        centers=X[:3], width=1.0, ridge=0.1, scale="normal_scores"
    ).fit(X, np.arange(5.0))
    np.testing.assert_allclose(model.centers_[:, 0], [1, 10, 100])
    np.testing.assert_array_equal(model.centers_[:, -1], 7)


def test_normal_scores_are_chosen_where_tails_are_long():
    X, y = long_tailed(n_rows=900)
    fit, new = slice(300), slice(300, None)
    model = RBFNetworkRegressor().fit(X[fit], y[fit])
    logs = RBFNetworkRegressor(scale="std").fit(np.log(X[fit]), y[fit])
    error = np.mean((model.predict(X[new]) - y[new]) ** 2)
    error_of_logs = np.mean((logs.predict(np.log(X[new])) - y[new]) ** 2)
    assert model.scale_ == "normal_scores"
    assert error < 1.5 * error_of_logs
    divided = RBFNetworkRegressor(scale="std").fit(X[fit], y[fit])
    assert np.mean((divided.predict(X[new]) - y[new]) ** 2) > 3 * error
    for each in model.loo_results_["params"]:
        assert each["scale"] in ("std", "normal_scores")


def test_divisors_are_chosen_where_gaps_between_numbers_tell():
    # By their ranks the two groups of a column are as near as any neighbours.
    rng = np.random.default_rng(0)
    x = np.r_[rng.uniform(0, 1, 200), rng.uniform(20, 21, 200)]
    y = np.sin(x) + np.where(x > 10, 0.5, 0.0) + 0.01 * rng.normal(size=400)
    model = RBFNetworkRegressor().fit(x[:, None], y)
    np.testing.assert_allclose(model.scale_, [np.std(x, ddof=1)])


def test_scales_are_not_compared_where_numbers_have_two_values():
    X = np.random.default_rng(0).integers(2, size=(60, 3)).astype(float)
    model = RBFNetworkClassifier().fit(X, X[:, 0])
    assert "scale" not in model.loo_results_["params"][0]


@pytest.mark.parametrize(
    ("candidates", "message"),
    [
        (["std", "log"], "std, trimmed, range, normal_scores"),
        ([None], "std, trimmed, range, normal_scores"),
    ],
)
def test_candidates_of_scale_are_checked(candidates, message):
    X, y = long_tailed(n_rows=40)
    model = RBFNetworkRegressor(loo_candidates={"scale": candidates})
    with pytest.raises(ValueError, match=message):
        model.fit(X, y)
    model.set_params(loo_candidates={"scale": ["range", "trimmed"]}).fit(X, y)
    assert len(model.scale_) == 2

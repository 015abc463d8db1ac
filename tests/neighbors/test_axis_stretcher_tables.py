"""AxisStretcher on raw tables: symbols, missing cells, one z for each column.

Code under test: `search/_mixed_rows/_table_columns.py`.
"""

import numpy as np
import pytest
from sklearn.pipeline import make_pipeline

from sklearn_bayeslazy import AxisStretcher, ShepardKNN
from sklearn_bayeslazy.neighbors._stretching._left_out_error import LeaveOneOutError
from sklearn_bayeslazy.neighbors._stretching._stretch import stretch
from sklearn_bayeslazy.search._mixed_rows._embedding import TableEmbedding
from sklearn_bayeslazy.tabular._read import read_table
from sklearn_bayeslazy.tabular._targets import standardize

pd = pytest.importorskip("pandas")
NAMES = ["colour", "size", "id", "noise", "flag"]
SEEDS = range(3)


def raw_rows(seed=0, n=400, n_classes=2):
    """Return a frame in which colour and size decide, and the target."""
    rng = np.random.default_rng(seed)
    colour = rng.choice(["red", "green", "blue", "grey"], size=n)
    size = rng.normal(size=n)
    frame = pd.DataFrame(
        {
            "colour": colour,
            "size": 1e3 * size,
            "id": [f"row {i}" for i in rng.permutation(n)],
            "noise": rng.choice(list("abcdefgh"), size=n),
            "flag": rng.random(n) < 0.5,
        }
    )
    step = np.isin(colour, ["red", "green"]).astype(int)
    if n_classes == 3:
        step = step + (colour == "red")
    return frame, np.where(size > 1, 0, step)


def as_number(y, seed=0):
    return y + np.random.default_rng(seed).normal(0, 0.1, len(y))


@pytest.mark.parametrize("n_classes", [2, 3])
@pytest.mark.parametrize("seed", SEEDS)
def test_columns_that_decide_are_kept_and_ids_and_noise_are_not(seed, n_classes):
    X, y = raw_rows(seed, n_classes=n_classes)
    for target in (y, as_number(y)):
        model = AxisStretcher(random_state=0).fit(X, target)
        kept = dict(zip(NAMES, model.scale_ > 0, strict=True))
        assert kept == {
            "colour": True,
            "size": True,
            "id": False,
            "noise": False,
            "flag": False,
        }
        assert model.scale_.shape == (5,)
        assert model.loss_ < 0.2


@pytest.mark.parametrize("n_values", [1, 2, 5, 30, 200, 400])
def test_symbols_that_are_noise_predict_nothing(n_values):
    rng = np.random.default_rng(0)
    X = rng.integers(n_values, size=(400, 2)).astype(str).astype(object)
    y = rng.integers(2, size=400)
    targets, weight = np.column_stack([y == 0, y == 1]).astype(float), np.ones(400)
    table = read_table(X)
    encoding = TableEmbedding(table, targets, weight)
    rows = encoding.transform(table)
    queries = encoding.training_rows(table, targets, weight)
    columns, factor = standardize(rows, weight, encoding.column_of)
    left_out = columns + (queries - rows) * factor
    error = LeaveOneOutError(
        columns, targets, weight, np.arange(400), None, queries=left_out
    )
    for power in (1.0, 8.0, 20.0):
        assert error.value(np.ones(2), power, 0.03) > 0.95
    model = AxisStretcher().fit(X, y)
    assert np.isnan(model.loss_) or model.loss_ > 0.95


def test_rows_of_which_each_is_encoded_without_itself_reveal_their_classes():
    """So only the row that is left out is encoded without itself."""
    rng = np.random.default_rng(0)
    table = read_table(rng.integers(3, size=(400, 1)).astype(str).astype(object))
    y = rng.integers(2, size=400)
    targets, weight = np.column_stack([y == 0, y == 1]).astype(float), np.ones(400)
    encoding = TableEmbedding(table, targets, weight)
    rows = encoding.transform(table)
    queries = encoding.training_rows(table, targets, weight)
    at = np.ones(1), 20.0, 1e-4
    without_itself = standardize(queries, weight)[0]
    error = LeaveOneOutError(without_itself, targets, weight, np.arange(400))
    assert error.value(*at) < 0.1
    columns, factor = standardize(rows, weight)
    left_out = columns + (queries - rows) * factor
    error = LeaveOneOutError(columns, targets, weight, np.arange(400), queries=left_out)
    assert error.value(*at) > 0.95


def test_each_left_out_row_is_encoded_without_itself_by_brute_force():
    X, y = raw_rows(0, n=40, n_classes=3)
    table, weight = read_table(X), np.ones(40)
    targets = (y[:, None] == np.arange(3)).astype(float)
    encoding = TableEmbedding(table, targets, weight, m=1.0)
    rows = encoding.transform(table)
    queries = encoding.training_rows(table, targets, weight)
    z, power, softening = np.array([1.0, 0.3, 0.1, 0.0, 0.5]), 5.0, 0.1
    error = LeaveOneOutError(
        rows,
        targets,
        weight,
        np.arange(40),
        column_of=encoding.column_of,
        queries=queries,
    )
    s = (z**2)[encoding.column_of]
    loss = loss_of_mean = 0.0
    for i in range(40):
        others = np.arange(40) != i
        squared = (rows[others] - queries[i]) ** 2 @ s + softening * (z @ z)
        w = squared ** (-power / 2)
        loss += np.sum((w @ targets[others] / w.sum() - targets[i]) ** 2)
        loss_of_mean += np.sum((targets[others].mean(axis=0) - targets[i]) ** 2)
    assert error.value(z, power, softening) == pytest.approx(loss / loss_of_mean)
    gradient = error.value_and_gradient(z, power, softening)[1]
    for axis in (0, 1, 2, 4):
        step = np.zeros(5)
        step[axis] = 1e-6
        up, down = (error.value(z + t, power, softening) for t in (step, -step))
        assert gradient[axis] == pytest.approx((up - down) / 2e-6, rel=1e-4, abs=1e-8)


def test_a_group_of_equal_columns_is_one_axis():
    """A column, and the same column as two of 3/5 and 4/5 of it, are the same axis."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(150, 3))
    y = np.sin(2 * X[:, 0])[:, None]
    weight = np.ones(150)
    once = stretch(X, y, weight, rng=np.random.RandomState(0))
    split = np.column_stack([0.6 * X[:, 0], 0.8 * X[:, 0], X[:, 1:]])
    groups = np.array([0, 0, 1, 2])
    found = stretch(split, y, weight, column_of=groups, rng=np.random.RandomState(0))
    np.testing.assert_allclose(found.scale, once.scale[groups], rtol=2e-3)
    assert found.loss == pytest.approx(once.loss, rel=1e-3)


def test_a_group_is_standardised_by_one_factor():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(60, 4)) * [1e200, 3e200, 1.0, 1.0]
    X[:, 2] = 5.0
    weight, groups = rng.uniform(0.5, 2, size=60), np.array([0, 0, 0, 1])
    columns, factor = standardize(X, weight, groups)
    share = weight / weight.sum()
    variance = share @ (columns - share @ columns) ** 2
    assert variance[:3].sum() == pytest.approx(1)
    assert variance[1] / variance[0] == pytest.approx(
        (share @ (X[:, 1] / X[:, 0].max() - share @ X[:, 1] / X[:, 0].max()) ** 2)
        / (share @ (X[:, 0] / X[:, 0].max() - share @ X[:, 0] / X[:, 0].max()) ** 2)
    )
    assert factor[0] == factor[1] == factor[2]
    assert np.all(columns[:, 2] == 0)
    alone = standardize(X[:, 3:], weight)
    np.testing.assert_allclose(columns[:, 3:], alone[0], atol=1e-14)
    np.testing.assert_allclose(factor[3:], alone[1])


def test_transform_returns_the_encoded_columns_and_their_names():
    X, y = raw_rows(n_classes=3)
    model = AxisStretcher().set_output(transform="pandas").fit(X, y)
    out = model.transform(X)
    colours = [f"colour_{c}" for c in range(3)]
    assert list(out.columns[:4]) == [*colours, "size"]
    assert list(out.columns) == list(model.get_feature_names_out())
    np.testing.assert_array_equal(out["size"], X["size"] * model.scale_[1])
    unit = out[colours].to_numpy() / model.scale_[0]
    np.testing.assert_allclose(unit.sum(axis=1), 1)  # estimates of P(class | colour)
    shares = np.array([np.mean(y[X["colour"] == "grey"] == c) for c in range(3)])
    np.testing.assert_allclose(unit[X["colour"] == "grey"][0], shares, atol=0.05)


def test_names_of_arrays_and_of_two_classes():
    X, y = raw_rows()
    names = AxisStretcher().fit(X.to_numpy(dtype=object), y).get_feature_names_out()
    assert list(names) == ["x0", "x1", "x2", "x3", "x4"]


def test_a_frame_and_its_array_are_stretched_alike():
    X, y = raw_rows()
    by_name = AxisStretcher().fit(X, y)
    by_position = AxisStretcher().fit(X.to_numpy(dtype=object), y)
    np.testing.assert_array_equal(by_name.scale_, by_position.scale_)
    categories = AxisStretcher().fit(X.astype({"colour": "category"}), y)
    np.testing.assert_array_equal(categories.scale_, by_name.scale_)


def test_numbers_without_missing_cells_are_read_as_they_are():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(120, 3))
    y = X[:, 0] > 0
    targets = np.column_stack([~y, y]).astype(float)
    expected = stretch(X, targets, np.ones(120), rng=np.random.RandomState(0))
    for same in (X, X.astype(object), pd.DataFrame(X, columns=list("abc"))):
        model = AxisStretcher(random_state=0).fit(same, y)
        np.testing.assert_array_equal(model.scale_, expected.scale)
        assert model.loss_ == expected.loss
        np.testing.assert_array_equal(model.transform(same), X * expected.scale)


def test_missing_numbers_are_the_mean_and_missing_symbols_the_mean_target():
    X, y = raw_rows()
    X.loc[::7, "size"] = np.nan
    X.loc[::5, "colour"] = None
    weight = np.random.default_rng(0).uniform(0.5, 2, size=len(X))
    model = AxisStretcher().fit(X, y, sample_weight=weight)
    there = X["size"].notna()
    mean = np.average(X["size"][there], weights=weight[there])
    empty = pd.DataFrame(
        [[None, np.nan, None, None, None], ["unseen", mean, "new", None, None]],
        columns=X.columns,
    )
    out = model.transform(empty)
    np.testing.assert_allclose(out[0], out[1], rtol=1e-12)
    assert out[0, 1] == pytest.approx(mean * model.scale_[1])
    filled = X.assign(size=X["size"].fillna(mean))
    expected = AxisStretcher().fit(filled, y, sample_weight=weight)
    np.testing.assert_allclose(model.scale_, expected.scale_, rtol=1e-6)


def test_dates_are_numbers():
    rng = np.random.default_rng(0)
    days = rng.integers(0, 1000, size=200)
    X = pd.DataFrame(
        {
            "when": pd.Timestamp("2024-01-01") + pd.to_timedelta(days, unit="D"),
            "noise": rng.normal(size=200),
        }
    )
    y = np.sin(days / 100)
    model = AxisStretcher().fit(X, y)
    numbers = AxisStretcher().fit(X.assign(when=days.astype(float)), y)
    np.testing.assert_allclose(model.scale_, numbers.scale_, rtol=1e-9)
    assert model.scale_[1] == 0
    moved = np.diff(model.transform(X)[:, 0])
    np.testing.assert_allclose(moved, np.diff(days) * numbers.scale_[0], rtol=1e-6)


def test_integer_weights_repeat_rows():
    X, y = raw_rows(n=150)
    weight = np.random.default_rng(1).integers(0, 3, size=len(X))
    weighted = AxisStretcher().fit(X, y, sample_weight=weight)
    rows = np.repeat(np.arange(len(X)), weight)
    repeated = AxisStretcher().fit(X.iloc[rows], y[rows])
    np.testing.assert_allclose(weighted.scale_, repeated.scale_, rtol=2e-3)
    assert weighted.loss_ == pytest.approx(repeated.loss_, rel=1e-3)


def test_zero_jobs_are_refused():
    X, y = raw_rows(n=30)
    with pytest.raises(ValueError, match="n_jobs == 0"):
        AxisStretcher(n_jobs=0).fit(X, y)


def test_threads_and_order_of_rows_do_not_matter():
    X, y = raw_rows(n_classes=3)
    one, two = (AxisStretcher(n_jobs=n_jobs).fit(X, y) for n_jobs in (1, 2))
    np.testing.assert_array_equal(one.scale_, two.scale_)
    assert one.loss_ == two.loss_
    order = np.random.default_rng(0).permutation(len(X))
    shuffled = AxisStretcher().fit(X.iloc[order], y[order])
    np.testing.assert_allclose(shuffled.scale_, one.scale_, rtol=2e-3)


def test_several_outputs_and_a_failed_fit():
    X, y = raw_rows()
    Y = np.column_stack([np.where(y, "yes", "no"), X["flag"]]).astype(object)
    model = AxisStretcher().fit(X, Y)
    assert model.scale_[[0, 4]].min() > 0
    assert model.scale_[2] == 0
    expected = model.transform(X)
    with pytest.raises(ValueError, match="y contains NaN"):
        model.fit(X["size"].to_frame(), np.full(len(X), np.nan))
    np.testing.assert_array_equal(model.transform(X), expected)


def test_numbers_that_become_strings_are_refused():
    X, y = raw_rows(n=60)
    model = AxisStretcher().fit(X, y)
    with pytest.raises(TypeError, match="Column 'size' held numbers at fit"):
        model.transform(X.assign(size="large"))


def test_stretched_tables_are_better_for_votes():
    X, y = raw_rows(0, n=600)
    Z, z = raw_rows(1, n=600)
    model = make_pipeline(AxisStretcher(random_state=0), ShepardKNN()).fit(X, y)
    assert model.score(Z, z) > 0.95

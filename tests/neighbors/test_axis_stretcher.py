"""AxisStretcher and feature_weights="loo": what is learnt of the axes, from what.

Code under test: `neighbors/_stretching/_stretch.py`, `tabular/_targets.py`.
"""

from inspect import signature

import numpy as np
import pytest
from sklearn.exceptions import ConvergenceWarning
from sklearn.neighbors import KNeighborsClassifier, KNeighborsRegressor
from sklearn.pipeline import make_pipeline

from sklearn_bayeslazy import AxisStretcher, ShepardKNN, ShepardKNNRegressor
from sklearn_bayeslazy.neighbors._stretching._stretch import stretch

D = 20  # columns, of which the first two are relevant


def boundary(X):
    return X[:, 0] > 0.8 * np.sin(2 * X[:, 1])


def surface(X):
    return np.sin(2 * X[:, 0]) + X[:, 1] ** 2


def checkers(X):
    """No column predicts anything alone."""
    return X[:, 0] * X[:, 1] > 0


def noisy_rows(rule, seed, n=1000, d=D):
    """Return rows in columns of wildly different units, with noisy targets."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, d))
    y = rule(X)
    if y.dtype == bool:
        y = np.where(rng.uniform(size=n) < 0.05, ~y, y).astype(int)
    else:
        y = y + rng.normal(scale=0.2, size=n)
    return X * 10.0 ** np.linspace(3, -3, d), y


def few_rows(seed=0, n=120, d=4):
    X, y = noisy_rows(boundary, seed, n, d)
    return X, y


@pytest.mark.parametrize("rule", [boundary, surface, checkers])
@pytest.mark.parametrize("seed", [0, 1])
def test_the_two_relevant_axes_of_twenty_are_found(rule, seed):
    X, y = noisy_rows(rule, seed)
    Z, z = noisy_rows(rule, seed + 100, 4000)
    model = AxisStretcher(random_state=0).fit(X, y)
    worth = model.scale_ * X.std(axis=0)
    assert worth.max() == pytest.approx(1)
    assert worth[2:].max() <= 0.01 * worth[:2].min()
    assert model.loss_ < model.initial_loss_
    oracle = np.where(np.arange(D) < 2, 1 / X.std(axis=0), 0)
    learner = KNeighborsClassifier if y.dtype == int else KNeighborsRegressor
    scores = [
        learner(15, weights="distance").fit(X * scale, y).score(Z * scale, z)
        for scale in (model.scale_, oracle)
    ]
    assert scores[0] >= scores[1] - 0.01


def test_units_and_order_of_columns_do_not_matter():
    X, y = few_rows()
    scale = AxisStretcher().fit(X, y).scale_
    factor = np.array([8.0, 0.25, 4.0, 1.0])  # powers of two round nothing
    shifted = AxisStretcher().fit(X * factor, y).scale_
    np.testing.assert_array_equal(shifted, scale / factor)
    order = [2, 0, 3, 1]
    reordered = AxisStretcher().fit(X[:, order], y).scale_
    np.testing.assert_allclose(reordered, scale[order], rtol=1e-3)


def test_transform_multiplies_and_keeps_names():
    pd = pytest.importorskip("pandas")
    X, y = few_rows()
    frame = pd.DataFrame(X, columns=list("abcd"))
    model = AxisStretcher().set_output(transform="pandas").fit(frame, y)
    stretched = model.transform(frame)
    assert list(stretched.columns) == list("abcd")
    np.testing.assert_array_equal(stretched.to_numpy(), X * model.scale_)


def test_classes_are_learnt_whatever_their_names():
    X, y = few_rows()
    scale = AxisStretcher().fit(X, y).scale_
    names = np.array(["yes", "no"], dtype=object)[y]
    np.testing.assert_allclose(AxisStretcher().fit(X, names).scale_, scale)


def test_task_sets_whether_integers_are_classes():
    X, _ = few_rows()
    y = np.rint(3 * X[:, 0] / X[:, 0].std()).astype(int)
    as_numbers = AxisStretcher(task="regression").fit(X, y)
    as_floats = AxisStretcher().fit(X, y + 0.5)  # "auto": no integers
    np.testing.assert_array_equal(as_numbers.scale_, as_floats.scale_)
    as_classes = AxisStretcher(task="classification").fit(X, y)
    np.testing.assert_array_equal(as_classes.scale_, AxisStretcher().fit(X, y).scale_)
    assert as_classes.loss_ != as_numbers.loss_


def test_several_outputs_are_predicted_together():
    X, _ = few_rows()
    u = X / X.std(axis=0)
    Y = np.column_stack([np.sin(2 * u[:, 0]), 1e6 * np.sin(2 * u[:, 2])])
    worth = AxisStretcher().fit(X, Y).scale_ * X.std(axis=0)
    assert worth[[0, 2]].min() > 0.3  # the output of large numbers counts no more
    assert worth[[1, 3]].max() < 0.1
    labels = np.column_stack([np.where(Y[:, 0] > 0, "a", "b"), Y[:, 1] > 0])
    worth = AxisStretcher().fit(X, labels.astype(object)).scale_ * X.std(axis=0)
    assert worth[[0, 2]].min() > 0.3


def test_constant_columns_are_removed_and_a_constant_target_is_not_learnt():
    X, y = few_rows()
    X[:, 1] = 7.0
    assert AxisStretcher().fit(X, y).scale_[1] == 0
    plain = AxisStretcher().fit(X, np.ones(len(X)))
    expected = [1 / X[:, 0].std(), 0, 1 / X[:, 2].std(), 1 / X[:, 3].std()]
    np.testing.assert_allclose(plain.scale_, expected)
    assert (plain.power_, plain.n_iter_) == (2.0, 0)
    assert np.isnan([plain.loss_, plain.initial_loss_]).all()
    assert AxisStretcher().fit(np.ones((5, 2)), [0, 1, 0, 1, 1]).scale_.tolist() == [
        0,
        0,
    ]


@pytest.mark.parametrize("factor", [1e-300, 1e300])
def test_huge_and_tiny_columns_are_stretched_alike(factor):
    X, y = few_rows()
    scale = AxisStretcher().fit(X, y).scale_
    extreme = X.copy()
    grown = factor / np.abs(X[:, 0]).max()
    extreme[:, 0] *= grown
    found = AxisStretcher().fit(extreme, y).scale_
    assert found[0] * grown == pytest.approx(scale[0], rel=1e-2)
    np.testing.assert_allclose(found[1:], scale[1:], rtol=1e-2)


def test_huge_targets_are_learnt_like_small_ones():
    X, y = noisy_rows(surface, 0, 120, 4)
    scale = AxisStretcher().fit(X, y).scale_
    np.testing.assert_allclose(AxisStretcher().fit(X, y * 2.0**900).scale_, scale)


def test_weights_of_zero_remove_rows_and_integers_repeat_them():
    X, y = few_rows()
    weight = np.random.default_rng(0).integers(0, 3, size=len(X))
    X[weight == 0] *= 100
    weighted = AxisStretcher().fit(X, y, sample_weight=weight)
    repeated = AxisStretcher().fit(np.repeat(X, weight, axis=0), np.repeat(y, weight))
    np.testing.assert_allclose(weighted.scale_, repeated.scale_, rtol=1e-6)
    assert weighted.loss_ == pytest.approx(repeated.loss_, rel=1e-6)
    assert weighted.power_ == repeated.power_


def test_one_row_is_too_few():
    with pytest.raises(ValueError, match="n_samples=1"):
        AxisStretcher().fit([[1.0]], [0])
    with pytest.raises(ValueError, match="n_samples=1"):
        AxisStretcher().fit([[1.0], [2.0]], [0, 1], sample_weight=[1, 0])
    with pytest.raises(ValueError, match="n_samples=1"):
        AxisStretcher().fit([[1.0]], [0], sample_weight=[2])


def test_rows_are_drawn_at_random_above_the_limits():
    X, y = few_rows(n=400)
    same = [
        AxisStretcher(loo_max_samples=50, random_state=3).fit(X, y).loss_
        for _ in range(2)
    ]
    others = {
        AxisStretcher(loo_max_samples=50, random_state=seed).fit(X, y).loss_
        for seed in range(3)
    }
    assert same[0] == same[1]
    assert len(others) == 3
    small = AxisStretcher(max_samples=60, random_state=0).fit(X, y)
    # What was not drawn is not looked at, but for the units of the columns.
    assert small.loss_ != AxisStretcher().fit(X, y).loss_
    everything = AxisStretcher(loo_max_samples=None, max_samples=None).fit(X, y)
    assert everything.loss_ == AxisStretcher().fit(X, y).loss_


def test_a_search_that_does_not_converge_warns():
    X, y = few_rows()
    with pytest.warns(ConvergenceWarning, match="max_iter=1 "):
        AxisStretcher(max_iter=1, tol=0).fit(X, y)


@pytest.mark.parametrize("y", [np.full(4, np.nan), np.array([1.0, np.inf, 2, 3])])
def test_targets_must_be_finite(y):
    with pytest.raises(ValueError, match="y contains"):
        AxisStretcher().fit(np.eye(4), y)


def test_sparse_targets_and_a_wrong_task_are_refused():
    sparse = pytest.importorskip("scipy.sparse")
    with pytest.raises(ValueError, match="y is sparse"):
        AxisStretcher().fit(np.eye(4), sparse.csr_array(np.eye(4)))
    with pytest.raises(ValueError, match="task='regression' predicts"):
        AxisStretcher(task="regression").fit(np.eye(4), ["a", "b", "a", "b"])


def test_defaults_are_those_of_the_function():
    of_class = signature(AxisStretcher).parameters
    of_function = signature(stretch).parameters
    shared = set(of_class) & set(of_function)
    assert len(shared) == 10
    assert {p: of_class[p].default for p in shared} == {
        p: of_function[p].default for p in shared
    }


@pytest.mark.parametrize("k", ["loo", None, 6])
def test_feature_weights_by_loo_are_those_of_the_stretcher(k):
    X, y = few_rows()
    model = ShepardKNN(k, feature_weights="loo", metric="euclidean").fit(X, y)
    stretcher = AxisStretcher(k if k == 6 else None)
    np.testing.assert_array_equal(model.feature_weights_, stretcher.fit(X, y).scale_)
    pipeline = make_pipeline(stretcher, ShepardKNN(k, metric="euclidean")).fit(X, y)
    np.testing.assert_allclose(model.predict_proba(X), pipeline.predict_proba(X))
    X, y = noisy_rows(surface, 0, 120, 4)
    y = np.column_stack([y, 100 * y**2])
    regressor = ShepardKNNRegressor(k, feature_weights="loo", metric="euclidean").fit(
        X, y
    )
    pipeline = make_pipeline(stretcher, ShepardKNNRegressor(k, metric="euclidean")).fit(
        X, y
    )
    np.testing.assert_array_equal(regressor.feature_weights_, pipeline[0].scale_)
    np.testing.assert_allclose(regressor.predict(X + 1), pipeline.predict(X + 1))


def test_feature_weights_by_loo_take_sample_weights():
    X, y = few_rows()
    weight = np.random.default_rng(0).integers(0, 3, size=len(X))
    model = ShepardKNN(feature_weights="loo", metric="euclidean").fit(
        X, y, sample_weight=weight
    )
    stretcher = AxisStretcher().fit(X, y, sample_weight=weight)
    np.testing.assert_array_equal(model.feature_weights_, stretcher.scale_)


def test_power_auto_counts_the_axes_that_are_left():
    X, y = noisy_rows(boundary, 0, 500, 6)
    model = ShepardKNN(
        None, power="auto", feature_weights="loo", metric="euclidean"
    ).fit(X, y)
    assert model.power_ == np.count_nonzero(model.feature_weights_) == 2


def test_feature_weights_by_loo_need_dense_rows_and_euclidean_distances():
    X, y = few_rows()
    with pytest.raises(ValueError, match="got metric='manh"):
        ShepardKNN(metric="manhattan", feature_weights="loo").fit(X, y)
    sparse = pytest.importorskip("scipy.sparse")
    with pytest.raises(TypeError, match="dense data is required"):
        ShepardKNN(feature_weights="loo", metric="euclidean").fit(
            sparse.csr_array(X), y
        )
    with pytest.raises(ValueError, match="leave metric, metric_params"):
        ShepardKNN(
            5,
            algorithm=KNeighborsClassifier(),
            feature_weights="loo",
            metric="euclidean",
        ).fit(X, y)
    with pytest.raises(ValueError, match="n_samples=1"):
        ShepardKNN(1, feature_weights="loo", metric="euclidean").fit([[1.0]], [0])


def test_a_table_without_variation_is_left_as_it_is():
    model = ShepardKNN(1, feature_weights="loo").fit(np.ones((4, 3)), [0, 1, 1, 0])
    assert model.feature_weights_.tolist() == [1, 1, 1]
    # All rows are at the same distance, and share the one vote.
    assert model.predict_proba([[1, 1, 1]]).tolist() == [[0.5, 0.5]]


@pytest.mark.parametrize("seed", range(12))
def test_weights_are_repetitions_however_sums_are_rounded(seed):
    # Noise has many optima: a descent must not follow the last bits of sums.
    rng = np.random.default_rng(seed)
    X, y = rng.random((15, 30)), rng.integers(0, 3, 15)
    weight = rng.integers(1, 5, 15)
    order = rng.permutation(15)
    model = AxisStretcher(5, random_state=0)
    repeated = model.fit(X.repeat(weight, axis=0), y.repeat(weight)).scale_
    weighted = model.fit(X[order], y[order], sample_weight=weight[order]).scale_
    np.testing.assert_allclose(weighted, repeated, rtol=1e-9)

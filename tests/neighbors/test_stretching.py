"""The search for the stretch of axes: its error, gradient and steps, by brute force.

Code under test: `neighbors/_stretching/_axis_search.py`,
`neighbors/_stretching/_left_out_error.py`.
"""

import numpy as np
import pytest

from sklearn_bayeslazy._core._fit_tasks import Iterations
from sklearn_bayeslazy.neighbors._stretching import _axis_search, _left_out_error
from sklearn_bayeslazy.neighbors._stretching._axis_search import (
    PLAIN_POWERS,
    Point,
    descend,
    drop_axes,
    first_point,
    penalty,
    plain_power,
    starting_stretches,
)
from sklearn_bayeslazy.neighbors._stretching._left_out_error import (
    LeaveOneOutError,
    keep_nearest,
)
from sklearn_bayeslazy.neighbors._stretching._stretch import stretch
from sklearn_bayeslazy.tabular import merge_copies
from sklearn_bayeslazy.tabular._targets import standardize

SEEDS = range(5)
WEIGHTS = {
    "none": lambda rng, n: np.ones(n),
    "integers": lambda rng, n: rng.integers(1, 4, size=n).astype(float),
    "fractions": lambda rng, n: rng.uniform(0.2, 3, size=n),
}
every_weight = pytest.mark.parametrize("weight", WEIGHTS)
every_k = pytest.mark.parametrize("k", [None, 1, 7, 1000])


def some_rows(seed, weight="none", n=70, d=4, duplicates=0):
    """Return standardised rows, two targets that depend on two axes, and weights."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, d))
    X[:duplicates] = X[duplicates : 2 * duplicates]
    Y = np.column_stack([np.sin(X[:, 0]), X[:, 1] > 0]) + rng.normal(0, 0.3, (n, 2))
    weight = WEIGHTS[weight](rng, n)
    return standardize(X, weight)[0], standardize(Y, weight)[0], weight


def nearest_weight(squared, remaining, k):
    """Return the weight of each row among the k nearest, by sorting."""
    kept, room = np.zeros(len(remaining)), np.inf if k is None else k
    for j in np.argsort(squared, kind="stable"):
        kept[j] = min(remaining[j], room)
        room -= kept[j]
    return kept


def brute_force(X, Y, weight, left_out, s, power, softening, k=None):
    """Return the relative leave-one-out error, by the formula."""
    error = error_of_mean = 0.0
    for i in left_out:
        remaining = weight.copy()
        remaining[i] = 0.0
        squared = ((X - X[i]) ** 2 + softening) @ s
        kept = nearest_weight(squared, remaining, k)
        there = kept > 0
        w = kept[there] * (squared[there] / squared[there].min()) ** (-power / 2)
        error += weight[i] * np.sum((w @ Y[there] / w.sum() - Y[i]) ** 2)
        error_of_mean += weight[i] * np.sum(
            (remaining @ Y / remaining.sum() - Y[i]) ** 2
        )
    return error / error_of_mean


@every_weight
@every_k
@pytest.mark.parametrize("seed", SEEDS)
def test_error_is_that_of_leaving_rows_out_one_by_one(seed, k, weight):
    X, Y, weight = some_rows(seed, weight)
    rng = np.random.default_rng(seed)
    left_out = np.sort(rng.choice(len(X), size=30, replace=False))
    error = LeaveOneOutError(X, Y, weight, left_out, k)
    s = np.array([1.0, 0.4, 0.0, 0.01])
    z = np.sqrt(s)
    for power, softening in [(0.5, 0.2), (3.0, 1e-3), (20.0, 0.1), (300.0, 1e-6)]:
        expected = brute_force(X, Y, weight, left_out, s, power, softening, k)
        assert error.value(z, power, softening) == pytest.approx(expected, rel=1e-11)


@every_weight
@every_k
@pytest.mark.parametrize("duplicates", [0, 20])
@pytest.mark.parametrize("softening", [0.3, 1e-3])
def test_gradient_is_the_slope_of_the_error(softening, duplicates, k, weight):
    X, Y, weight = some_rows(0, weight, duplicates=duplicates)
    error = LeaveOneOutError(X, Y, weight, np.arange(len(X)), k)
    at = np.array([1.0, 0.4, 0.1, 0.03, 4.0, softening])
    value, gradient = error.value_and_gradient(at[:4], at[4], at[5])
    assert value == pytest.approx(error.value(at[:4], at[4], at[5]), rel=1e-13)
    for i in range(len(at)):
        step = np.zeros(len(at))
        step[i] = 1e-6 * at[i]  # so small that no row enters or leaves the k nearest
        up, down = (error.value(x[:4], x[4], x[5]) for x in (at + step, at - step))
        slope = (up - down) / (2 * step[i])
        assert gradient[i] == pytest.approx(slope, rel=1e-5, abs=1e-7)


def test_an_axis_at_zero_has_no_slope():
    X, Y, weight = some_rows(0)
    error = LeaveOneOutError(X, Y, weight, np.arange(len(X)))
    z = np.array([0.0, 1.0, 0.5, 1.0])
    gradient = error.value_and_gradient(z, 3.0, 0.1)[1]
    rise = error.value(z + np.array([1e-5, 0, 0, 0]), 3.0, 0.1) - error.value(
        z, 3.0, 0.1
    )
    assert gradient[0] == 0
    assert abs(rise) < 1e-9  # of the order of the square of the step
    assert np.all(gradient[1:4] != 0)


@pytest.mark.parametrize("factor", [1e-3, 7.0])
def test_error_does_not_depend_on_the_scale_of_the_stretch(factor):
    X, Y, weight = some_rows(0)
    error = LeaveOneOutError(X, Y, weight, np.arange(len(X)))
    z = np.array([1.0, 0.6, 0.0, 0.1])
    assert error.value(factor * z, 3.0, 0.1) == pytest.approx(error.value(z, 3.0, 0.1))
    gradient = error.value_and_gradient(z, 3.0, 0.1)[1]
    scaled = error.value_and_gradient(factor * z, 3.0, 0.1)[1]
    np.testing.assert_allclose(scaled[:4] * factor, gradient[:4], rtol=1e-9)


def test_an_exact_hit_answers_alone_if_nothing_is_softened():
    X = np.array([[0.0], [0.0], [0.0], [1e-3], [1.0]])
    Y = np.array([[1.0], [3.0], [5.0], [100.0], [-40.0]])
    error = LeaveOneOutError(X, Y, np.ones(5), np.array([0]))
    expected = (1 - (3 + 5) / 2) ** 2 / (1 - (3 + 5 + 100 - 40) / 4) ** 2
    for power in (1.0, 2.0, 32.0):
        assert error.value(np.ones(1), power) == pytest.approx(expected, rel=1e-6)


@pytest.mark.parametrize("magnitude", [1e-140, 1e140])
@pytest.mark.parametrize("power", [0.01, 1e4])
def test_no_power_overflows(power, magnitude):
    X, Y, weight = some_rows(0)
    error = LeaveOneOutError(X, Y, weight, np.arange(len(X)))
    value, gradient = error.value_and_gradient(np.full(4, magnitude), power, 1e-24)
    assert np.isfinite(value)
    assert np.isfinite(gradient[4])


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("k", [0.5, 1.0, 4.0, 10.7, 1e9])
def test_nearest_rows_are_kept_in_order_until_their_weight_is_k(seed, k):
    rng = np.random.default_rng(seed)
    squared = rng.integers(10, size=60).astype(float)  # many ties
    remaining = rng.choice([0.0, 0.25, 1.0, 2.0], size=60)  # sums are exact
    expected = nearest_weight(squared, remaining, k)
    keep_nearest(squared, k, remaining)
    np.testing.assert_allclose(remaining, expected, atol=1e-15)


@pytest.mark.parametrize("k", [None, 5])
def test_threads_do_not_change_a_bit(k, monkeypatch):
    monkeypatch.setattr(_left_out_error, "_PAIRS_PER_TASK", 200 * 30)
    X, Y, weight = some_rows(0, "fractions", n=200)
    at = np.array([1.0, 0.4, 0.1, 0.03]), 4.0, 0.1
    results = []
    for n_jobs in [1, 2, 3]:
        error = LeaveOneOutError(X, Y, weight, np.arange(200), k, n_jobs)
        value, gradient = error.value_and_gradient(*at)
        results.append((value, *gradient))
    assert len(set(results)) == 1


@pytest.mark.parametrize("k", [None, 5])
def test_the_tasks_add_up(k, monkeypatch):
    X, Y, weight = some_rows(0, "fractions", n=200)
    error = LeaveOneOutError(X, Y, weight, np.arange(0, 200, 2), k)
    at = np.array([1.0, 0.4, 0.1, 0.03]), 4.0, 0.1
    value, gradient = error.value_and_gradient(*at)
    monkeypatch.setattr(_left_out_error, "_PAIRS_PER_TASK", 1)
    by_eight, slopes = error.value_and_gradient(*at)
    assert by_eight == pytest.approx(value, rel=1e-13)
    np.testing.assert_allclose(slopes, gradient, rtol=1e-9)


def test_several_powers_are_tried_in_one_pass():
    X, Y, weight = some_rows(0, "fractions")
    error = LeaveOneOutError(X, Y, weight, np.arange(40), 20)
    z, powers = np.array([1.0, 0.4, 0.0, 0.03]), [0.5, 3.0, 20.0]
    expected = [error.value(z, power, 0.2) for power in powers]
    np.testing.assert_allclose(error.values(z, powers, 0.2), expected, rtol=1e-14)


@every_weight
def test_squares_that_cancel_are_measured_again(weight):
    X, Y, weight = some_rows(0, weight)
    X[:2] *= 1e-9  # near each other, and so near 0
    X += 1e3  # |x|² + |x'|² - 2 x·x' has no correct digit for near rows
    left_out, z = np.arange(len(X)), np.array([1.0, 0.4, 0.0, 0.01])
    error = LeaveOneOutError(X, Y, weight, left_out)
    expected = brute_force(X, Y, weight, left_out, z**2, 6.0, 1e-24)
    assert error.value(z, 6.0) == pytest.approx(expected, rel=1e-9)


def test_fewer_rows_are_left_out_of_the_same_rows(monkeypatch):
    X, Y, weight = some_rows(0, "integers", n=90)
    left_out = np.arange(5, 85)
    error = LeaveOneOutError(X, Y, weight, left_out)
    assert error.thinned(20) is error  # it is cheap
    monkeypatch.setattr(_left_out_error, "_MANY_DIFFERENCES", 0)
    thinned = error.thinned(20)
    z = np.array([1.0, 0.4, 0.0, 0.1])
    expected = brute_force(X, Y, weight, left_out[::4], z**2, 3.0, 0.1)
    assert thinned.value(z, 3.0, 0.1) == pytest.approx(expected, rel=1e-11)
    assert error.thinned(41) is error
    everything = LeaveOneOutError(X, Y, weight, np.arange(90))
    assert everything.thinned(20) is everything


@pytest.mark.parametrize("seed", SEEDS)
def test_integer_weights_equal_repetition(seed):
    X, Y, weight = some_rows(seed, "integers")
    once = LeaveOneOutError(X, Y, weight, np.arange(len(X)))
    rows = np.repeat(np.arange(len(X)), weight.astype(int))
    merged = merge_copies(X[rows], Y[rows], np.ones(len(rows)))
    rows = rows[merged.rows]
    many = LeaveOneOutError(X[rows], Y[rows], merged.weight, np.arange(len(rows)))
    at = np.array([1.0, 0.4, 0.1, 0.0]), 4.0, 0.1
    assert once.value(*at) == pytest.approx(many.value(*at), rel=1e-12)


def test_the_mean_has_an_error_of_one():
    X, Y, weight = some_rows(0, "fractions")
    error = LeaveOneOutError(X, Y, weight, np.arange(len(X)))
    assert error.value(np.ones(4), 1e-9, 1.0) == pytest.approx(1, rel=1e-6)


@pytest.mark.parametrize("seed", SEEDS)
def test_the_penalty_lies_between_one_axis_and_all_equal(seed):
    z = np.random.default_rng(seed).exponential(size=6)
    value, gradient = penalty(z)
    assert 0 < value < 1
    assert penalty(3 * z)[0] == pytest.approx(value)
    assert gradient @ z == pytest.approx(0, abs=1e-12)  # no matter the scale
    for i, step in enumerate(1e-6 * np.eye(6)):
        slope = (penalty(z + step)[0] - penalty(z - step)[0]) / 2e-6
        assert gradient[i] == pytest.approx(slope, abs=1e-8)


def test_the_penalty_takes_a_useless_axis_to_exactly_zero():
    X, Y, weight = some_rows(0, n=200)
    error = LeaveOneOutError(X, Y, weight, np.arange(len(X)))
    start = first_point(error, np.ones(4), [2.0, 4.0])
    found = descend(error, start, 0.5, iterations=Iterations())
    assert found.z[2] == found.z[3] == 0
    assert found.z[:2].min() > 0.1
    assert found.z.max() == 1
    assert found.value < start.value
    assert found.converged


def test_descent_lowers_the_error_and_holds_a_given_power():
    X, Y, weight = some_rows(1)
    error = LeaveOneOutError(X, Y, weight, np.arange(len(X)))
    start = first_point(error, np.ones(4), [2.0])
    arguments = error, start, 0.0
    found = descend(*arguments, power_range=(2.0, 2.0), iterations=Iterations())
    assert found.power == pytest.approx(2.0)
    assert error.value(found.z, 2.0, found.softening) < start.value
    cut = descend(*arguments, max_iter=1, iterations=Iterations())
    assert (cut.n_iter, cut.converged) == (1, False)


@pytest.mark.parametrize("seed", SEEDS)
def test_axes_are_dropped_within_the_rise_allowed(seed):
    X, Y, weight = some_rows(seed)
    error = LeaveOneOutError(X, Y, weight, np.arange(len(X)))
    point = Point(np.array([1.0, 0.6, 0.3, 0.01]), 4.0, 0.1)

    def at(z):
        return error.value(z, point.power, point.softening)

    np.testing.assert_array_equal(drop_axes(error, point, 1e9), [1, 0, 0, 0])
    for parsimony in (0.0, 0.05, 0.3):
        z = drop_axes(error, point, parsimony)
        assert at(z) <= (1 + parsimony) * at(point.z)
        assert set(z) <= {*point.z, 0.0}
        assert z[0] == 1


def test_starts_are_equal_then_by_single_axes_then_random():
    X, Y, weight = some_rows(0, n=300)
    error = LeaveOneOutError(X, Y, weight, np.arange(len(X)))
    starts = list(starting_stretches(error, 4, np.random.RandomState(0)))
    assert len(starts) == 4
    assert np.all(starts[0] == 1)
    assert starts[1].max() == 1
    assert starts[1][:2].min() > starts[1][2:].max()
    assert starts[1].min() >= 0.1
    assert not np.array_equal(starts[2], starts[3])
    assert len(list(starting_stretches(error, 1, None))) == 1


def test_a_random_start_replaces_axes_that_predict_nothing_alone():
    X, _, weight = some_rows(0, n=100)
    Y = np.random.default_rng(0).normal(size=(100, 1))
    error = LeaveOneOutError(X, Y, weight, np.arange(100))
    expected = np.random.RandomState(0).exponential(size=4)
    _, second = starting_stretches(error, 2, np.random.RandomState(0))
    np.testing.assert_array_equal(second, expected)


@pytest.mark.parametrize("n_axes", [1, 4, 100])
def test_power_is_the_best_of_the_grid(n_axes):
    X, Y, weight = some_rows(0, n=150)
    error = LeaveOneOutError(X, Y, weight, np.arange(150))
    power, loss = plain_power(error, np.ones(4), n_axes)
    grid = {error.value(np.ones(4), p): p for p in PLAIN_POWERS}
    assert power == grid[min(grid)]
    assert loss == pytest.approx(min(grid), rel=1e-12)


@every_weight
def test_columns_are_standardised_with_their_weights(weight):
    rng = np.random.default_rng(0)
    weight = WEIGHTS[weight](rng, 50)
    X = rng.normal([0, 1e9, 5, 0], [1e-160, 1.0, 0.0, 1e200], size=(50, 4))
    X[:, 2] = 0.1 + 0.2  # constant, though its mean is rounded
    columns, factor = standardize(X, weight)
    varies = [0, 1, 3]
    mean = weight @ columns / weight.sum()
    np.testing.assert_allclose(mean, 0, atol=1e-6)
    variance = weight @ columns**2 / weight.sum()
    np.testing.assert_allclose(variance[varies], 1, rtol=1e-12)
    assert factor[2] == 0
    assert np.all(columns[:, 2] == 0)
    np.testing.assert_allclose(
        np.ptp(X[:, varies], axis=0) * factor[varies],
        np.ptp(columns[:, varies], axis=0),
        rtol=1e-6,
    )


def test_a_deviation_without_a_finite_inverse_counts_as_constant():
    columns, factor = standardize(np.array([[0.0], [5e-324]]), np.ones(2))
    assert factor.tolist() == [0]
    assert columns.tolist() == [[0], [0]]


def test_nothing_is_learnt_if_the_rows_drawn_have_equal_targets():
    X, _, weight = some_rows(0, n=50)
    Y = np.zeros((50, 1))
    Y[0] = 1.0  # one row differs, and is not among the three drawn with this seed
    found = stretch(
        X, Y, weight, max_samples=3, loo_max_samples=3, rng=np.random.RandomState(0)
    )
    assert np.isnan(found.loss)
    np.testing.assert_allclose(found.scale, 1)


def test_losses_are_those_of_the_plain_estimate():
    X, Y, weight = some_rows(3, "integers", n=120)
    found = stretch(X, Y, weight, rng=np.random.RandomState(0))
    all_rows = np.arange(len(X))
    expected = brute_force(X, Y, weight, all_rows, found.scale**2, found.power, 1e-24)
    assert found.loss == pytest.approx(expected, rel=1e-9)
    assert found.loss < found.initial_loss
    fixed = stretch(
        X, Y, weight, power=2.5, n_neighbors=9, rng=np.random.RandomState(0)
    )
    for scale, loss in [(fixed.scale, fixed.loss), (np.ones(4), fixed.initial_loss)]:
        expected = brute_force(X, Y, weight, all_rows, scale**2, 2.5, 1e-24, k=9)
        assert loss == pytest.approx(expected, rel=1e-9)
    assert fixed.power == 2.5


def test_variables_that_are_rounded_beyond_their_bounds(monkeypatch):
    """L-BFGS-B has been seen to evaluate and to return -3e-18 for a bound of 0."""
    X, Y, weight = some_rows(0)
    minimize = _axis_search.minimize

    def rounding(objective, start, **options):
        start = start.copy()
        start[0] = 0.0
        at_bound = objective(start)
        start[0] = -3e-18
        for value, expected in zip(objective(start), at_bound):
            np.testing.assert_array_equal(value, expected)
        found = minimize(objective, start, **options)
        found.x[0] = -3e-18
        return found

    monkeypatch.setattr(_axis_search, "minimize", rounding)
    found = stretch(X, Y, weight, rng=np.random.RandomState(0))
    assert found.scale.min() >= 0
    assert found.scale.max() > 0

"""The treecode is within its error bound wherever rows lie, and reads few of them.

Code under test: `neighbors/_shepard/_treecode_kernels.py`.
"""

import pickle

import numpy as np
import pytest

from sklearn_bayeslazy.neighbors._shepard._treecode import (
    Treecode,
    build_treecode,
    weighted_means,
)


def by_brute_force(X, Y, weight, queries, power):
    """Return Shepard's means from all distances, relative to the nearest row's."""
    with np.errstate(divide="ignore", invalid="ignore"):
        square = ((queries[:, None] - X) ** 2).sum(axis=-1)
        nearest = square.min(axis=1, keepdims=True)
        w = np.where(square == nearest, 1.0, (nearest / square) ** (power / 2))
    w *= weight
    return w @ Y / w.sum(axis=1, keepdims=True)


def assert_within_tol(X, Y, weight, queries, power, tol, leaf_size=8):
    expected = by_brute_force(X, Y, weight, queries, power)
    got, _ = weighted_means(
        build_treecode(X, Y, weight, leaf_size), queries, power, tol
    )
    low, high = Y.min(axis=0), Y.max(axis=0)
    rounding = 1e-14 * np.abs(Y).max(axis=0) + 1e-11 * (high - low)
    assert (np.abs(got - expected) <= tol * (high - low) + rounding).all()
    # Weights that are not negative cannot leave the range.
    assert (got >= low - rounding).all()
    assert (got <= high + rounding).all()
    return got


def table(seed, d, kind):
    """Return points, targets, weights and queries near, far, and on the points."""
    rng = np.random.default_rng(seed)
    n = 400
    if kind == "uniform":
        X = rng.random((n, d))
    elif kind == "clusters":
        X = rng.integers(4, size=(n, 1)) ** 3 + rng.normal(scale=1e-3, size=(n, d))
    elif kind == "grid":  # many equal rows, many at the same distance
        X = rng.integers(5, size=(n, d)).astype(float)
    elif kind == "heavy tails":
        X = rng.standard_cauchy((n, d)) ** 3
    Y = rng.random((n, rng.integers(1, 5))) < X[:, :1] % 1
    Y = Y + rng.normal(size=Y.shape) * (rng.random(Y.shape[1]) < 0.5)
    weight = np.exp(3 * rng.normal(size=n))
    queries = np.vstack(
        [
            X[rng.choice(n, 10)],
            X[rng.choice(n, 20)] + 1e-4 * rng.normal(size=(20, d)),
            rng.uniform(X.min(axis=0), X.max(axis=0), size=(10, d)),
            X.mean(axis=0) + 1e4 * rng.normal(size=(5, d)),
        ]
    )
    return X, Y, weight, queries


@pytest.mark.parametrize("kind", ["uniform", "clusters", "grid", "heavy tails"])
@pytest.mark.parametrize("d", [1, 2, 3])
@pytest.mark.parametrize("power", [0.5, 1.0, 2.0, 3.0, 6.0, 20.0])
def test_the_error_is_within_tol(kind, d, power):
    X, Y, weight, queries = table(d, d, kind)
    for tol in [0.1, 0.01, 0.001]:
        assert_within_tol(X, Y, weight, queries, power, tol)


@pytest.mark.parametrize("seed", range(10))
def test_the_error_is_within_tol_for_the_worst_targets(seed):
    # All errors point one way when the targets are 1 where rows get too large a weight:
    # beyond a plane, or a sphere around the query.
    rng = np.random.default_rng(seed)
    d, power = rng.integers(1, 4), rng.choice([0.3, 1.0, 2.0, 4.0, 9.0])
    X = rng.random((2000, d))
    query = rng.uniform(-0.5, 1.5, size=(1, d))
    distance = np.sqrt(((X - query) ** 2).sum(axis=1))
    cuts = np.quantile(distance, np.linspace(0.02, 0.98, 25))
    Y = np.column_stack([distance[:, None] < cuts, X < 0.5]).astype(float)
    for tol in [0.2, 0.05, 0.005]:
        assert_within_tol(X, Y, np.ones(2000), query, power, tol, leaf_size=1)


@pytest.mark.parametrize("power", [0.5, 1.0, 2.0, 4.0, 10.0])
def test_the_bound_is_tight(power):
    # A light row of target 1 beside a heavy one, in line with the query: its error is
    # that of the first term left out, and of the same sign as all terms after it.
    tol = 1e-4
    worst = 0.0
    for gap in np.geomspace(1e-3, 3, 300):
        X = np.array([[5.0], [10.0 - gap], [10.0]])
        Y = np.array([[0.0], [1.0], [0.0]])
        weight = np.array([1.0, 1.0, 100.0])
        got = assert_within_tol(X, Y, weight, np.zeros((1, 1)), power, tol, leaf_size=2)
        exact = by_brute_force(X, Y, weight, np.zeros((1, 1)), power)
        worst = max(worst, np.abs(got - exact).max() / tol)
    assert 0.8 < worst <= 1


def test_a_large_offset_does_not_change_the_error():
    X, Y, weight, queries = table(0, 2, "uniform")
    Y = np.column_stack([1e6 + Y, -1e6 - 1e-3 * Y])
    assert_within_tol(X, Y, weight, queries, 2.0, 0.01)


def test_a_constant_target_is_answered_exactly():
    X, _, weight, queries = table(0, 3, "uniform")
    Y = np.tile([0.1, -1e9], (400, 1))
    got, _ = weighted_means(build_treecode(X, Y, weight), queries, 2.0, 0.5)
    assert np.array_equal(got, np.tile(Y[0], (len(queries), 1)))


def test_no_error_allowed_means_all_rows():
    X, Y, weight, queries = table(0, 2, "uniform")
    got, _ = weighted_means(build_treecode(X, Y, weight), queries, 2.0, 0.0)
    expected = by_brute_force(X, Y, weight, queries, 2.0)
    np.testing.assert_allclose(got, expected, rtol=1e-11, atol=1e-13)


@pytest.mark.parametrize("power", [0.5, 2.0, 300.0])
def test_only_exact_hits_answer(power):
    X = np.array([[0.1, 0.2], [5.0, 5.0], [0.1, 0.2], [0.1, 0.2 + 1e-15]])
    Y = np.array([[0.1, 1.0], [0.7, 2.0], [0.4, 5.0], [9.0, 9.0]])
    treecode = build_treecode(X, Y, [1.0, 1.0, 3.0, 1.0], leaf_size=1)
    got, _ = weighted_means(treecode, X[[0, 1, 3]], power, 0.5)
    hits = [(1 * 0.1 + 3 * 0.4) / (1 + 3), (1 * 1.0 + 3 * 5.0) / (1 + 3)]
    np.testing.assert_allclose(got[0], hits, rtol=1e-15)
    assert np.array_equal(got[1:], Y[[1, 3]])


def test_one_row_answers_all_queries():
    treecode = build_treecode([[1.0, 2.0]], [[0.3, -7.0]], [2.0])
    got, work = weighted_means(
        treecode, [[1.0, 2.0], [1e90, 0.0], [1.0, 2.5]], 2.0, 0.01
    )
    assert np.array_equal(got, [[0.3, -7.0]] * 3)
    assert work.max() <= 4


def test_equal_rows_answer_with_their_mean():
    rng = np.random.default_rng(0)
    X, Y, weight = np.full((100, 3), 0.1), rng.random((100, 2)), rng.random(100)
    got, work = weighted_means(
        build_treecode(X, Y, weight), [X[0], [9.0, 0, 0]], 2.0, 1e-9
    )
    mean = weight @ Y / weight.sum()
    np.testing.assert_allclose(got, [mean, mean], rtol=1e-12)
    assert work[1] < 50  # equal rows are one point: few nodes are opened


def test_no_query_and_no_target():
    X, Y, weight, queries = table(0, 2, "uniform")
    treecode = build_treecode(X, Y, weight)
    assert weighted_means(treecode, queries[:0], 2.0, 0.1)[0].shape == (0, Y.shape[1])
    treecode = build_treecode(X, Y[:, :0], weight)
    assert weighted_means(treecode, queries, 2.0, 0.1)[0].shape == (len(queries), 0)


@pytest.mark.parametrize("unit", [1e-100, 1e100])
@pytest.mark.parametrize("power", [2.0, 20.0])
def test_the_unit_of_length_does_not_matter(unit, power):
    X, Y, weight, queries = table(1, 3, "uniform")
    one, _ = weighted_means(build_treecode(X, Y, weight), queries, power, 0.01)
    other, _ = weighted_means(
        build_treecode(X * unit, Y, weight), queries * unit, power, 0.01
    )
    np.testing.assert_allclose(one, other, atol=1e-9)


def test_rows_have_equal_weights_where_distances_overflow():
    X, Y, weight, _ = table(0, 2, "uniform")
    got, _ = weighted_means(
        build_treecode(X, Y, weight), [[1e100, 0], [1e300, 0]], 2.0, 1e-9
    )
    np.testing.assert_allclose(got, [weight @ Y / weight.sum()] * 2, rtol=1e-8)


def test_classes_sum_to_one():
    X, _, weight, queries = table(0, 2, "clusters")
    Y = np.eye(5)[np.random.default_rng(0).integers(5, size=400)]
    got = assert_within_tol(X, Y, weight, queries, 2.0, 0.2)
    np.testing.assert_allclose(got.sum(axis=1), 1, rtol=1e-13)


@pytest.mark.parametrize("power", [0.7, 2.0])
def test_an_answer_does_not_depend_on_the_other_queries(power):
    X, Y, weight, queries = table(3, 2, "uniform")
    treecode = build_treecode(X, Y, weight, leaf_size=4)
    together, work = weighted_means(treecode, queries, power, 0.05)
    backwards, _ = weighted_means(treecode, queries[::-1], power, 0.05)
    assert np.array_equal(together, backwards[::-1])
    for i in range(len(queries)):
        alone, work_alone = weighted_means(treecode, queries[i : i + 1], power, 0.05)
        assert np.array_equal(alone[0], together[i])
        assert work_alone[0] == work[i]


def test_the_arguments_are_left_alone():
    X, Y, weight, queries = table(0, 2, "uniform")
    before = [array.copy() for array in (X, Y, weight, queries)]
    for array in (X, Y, weight, queries):
        array.flags.writeable = False
    weighted_means(build_treecode(X, Y, weight), queries, 2.0, 0.1)
    for array, copy in zip((X, Y, weight, queries), before):
        assert np.array_equal(array, copy)


def test_a_treecode_survives_a_pickle():
    X, Y, weight, queries = table(0, 2, "uniform")
    treecode = build_treecode(X, Y, weight)
    loaded = pickle.loads(pickle.dumps(treecode))
    assert isinstance(loaded, Treecode)
    one, _ = weighted_means(treecode, queries, 3.0, 0.01)
    other, _ = weighted_means(loaded, queries, 3.0, 0.01)
    assert np.array_equal(one, other)


def growth(d, power, tol, sizes):
    """Return the exponent of the work a query in the number of uniform rows."""
    rng = np.random.default_rng(0)
    queries = rng.random((100, d))
    means = []
    for n in sizes:
        X = rng.random((n, d))
        Y = (rng.random((n, 1)) < X[:, :1]).astype(float)
        _, work = weighted_means(build_treecode(X, Y, np.ones(n)), queries, power, tol)
        means.append(work.mean())
    return np.log(means[1] / means[0]) / np.log(sizes[1] / sizes[0])


@pytest.mark.parametrize("power", [0.5, 2.0, 3.0, 4.0])
@pytest.mark.parametrize("tol", [0.05, 0.01])
def test_work_grows_far_slower_than_the_table(power, tol):
    assert growth(2, power, tol, [25_000, 100_000]) < 0.3

"""Log-linear models: objective, optimum, value offsets, penalties.

Code under test: `leave_one_out/_projected_newton.py`.
"""

import dataclasses

import numpy as np
import pytest
from scipy.optimize import minimize
from scipy.special import logsumexp

from sklearn_bayeslazy.leave_one_out import folds
from sklearn_bayeslazy.leave_one_out._folds import dealt_keys, fold_keys
from sklearn_bayeslazy.leave_one_out._log_linear import (
    LogLinearModel,
    LogLinearRows,
    ValueOffsets,
    _Objective,
    center_terms,
    choose_penalties,
    fit_log_linear,
    step_effects,
)

SIZES, IS_ORDERED = np.array([4, 3, 2]), np.array([True, False, True])
PENALTY, VALUE_PENALTY = 0.7, 2.5
WEIGHTS0 = np.array([0.0, 0.3, 0.0, 1.0])


def make_rows(seed=0, n=90, n_classes=3, n_terms=4):
    """Return rows whose classes depend on two terms and on one column's codes."""
    rng = np.random.default_rng(seed)
    terms = center_terms(rng.normal(size=(n, n_terms, n_classes))).transpose(0, 2, 1)
    fixed = rng.normal(size=(n, n_classes)) / 4
    codes = rng.integers(SIZES, size=(n, 3))
    score = fixed + terms[:, :, 0] + 0.5 * terms[:, :, 3] - terms[:, :, 1]
    score[:, 1] += codes[:, 0] - 1.5
    classes = np.argmax(score + rng.gumbel(size=score.shape), axis=1)
    weight = rng.choice([0.0, 0.5, 1.0, 3.0], size=n)
    positions = codes + np.array([0, 4, 7])
    positions[rng.random(codes.shape) < 0.1] = SIZES.sum()
    return LogLinearRows(terms, fixed, classes, weight, positions)


def offsets_of(rows):
    return ValueOffsets(SIZES, IS_ORDERED, rows.positions, rows.weight)


def objective_of(rows):
    share = 1 / (1 + rows.weight.sum())  # one row in all is of any class
    settings = PENALTY, VALUE_PENALTY, share, None
    return _Objective(rows, offsets_of(rows), WEIGHTS0, *settings)


def objective_by_hand(rows, weights, class_offset, value_offset):
    """Return the penalised log loss from its formula, one row at a time."""
    loss, share = 0.0, 1 / (1 + rows.weight.sum())
    for i in range(len(rows.classes)):
        score = rows.fixed[i] + class_offset + rows.terms[i] @ weights
        for position in rows.positions[i]:
            if position < SIZES.sum():
                score = score + value_offset[position]
        of_any = score[np.isfinite(score)].mean()
        true_score = (1 - share) * score[rows.classes[i]] + share * of_any
        loss += rows.weight[i] * (logsumexp(score) - true_score)
    squares = np.sum((weights - WEIGHTS0) ** 2) + np.sum(class_offset**2)
    steps = [np.diff(value_offset[:4], axis=0), value_offset[4:7]]
    steps.append(np.diff(value_offset[7:9], axis=0))
    value_squares = sum(np.sum(step**2) for step in steps)
    return loss + PENALTY / 2 * squares + VALUE_PENALTY / 2 * value_squares


def random_vector(objective, rng):
    """Return parameters whose offsets of bins are sums of steps."""
    vector = np.abs(rng.normal(size=len(objective.center)))
    _, _, free = objective.split(vector)
    for codes, effects in objective.offsets._groups:
        # Each parameter that has no effect on any offset is 0.
        free[codes[np.abs(effects).max(axis=1) < 1e-12]] = 0.0
    free[-1] = 0.0
    return vector


@pytest.mark.parametrize("impossible", [False, True])
def test_objective_and_gradient_are_those_of_the_formula(impossible):
    rows = make_rows()
    if impossible:  # a class that no other row has
        fixed = np.where(rows.classes[:, None] != np.arange(3), -np.inf, rows.fixed)
        fixed[::2] = rows.fixed[::2]
        fixed[:, 0] = rows.fixed[:, 0]
        rows = dataclasses.replace(rows, fixed=fixed)
    offsets = offsets_of(rows)
    objective = objective_of(rows)
    rng = np.random.default_rng(1)
    vector = random_vector(objective, rng)

    def by_hand(vector):
        weights, class_offset, free = objective.split(vector)
        return objective_by_hand(rows, weights, class_offset, offsets.values(free))

    value, gradient = objective.gradient(vector)
    np.testing.assert_allclose(value, by_hand(vector), rtol=1e-12)
    for _ in range(12):
        direction = random_vector(objective, rng) - random_vector(objective, rng)
        h = 1e-3  # Richardson: the errors h² of central differences cancel
        first, second = (
            (by_hand(vector + s * direction) - by_hand(vector - s * direction)) / 2 / s
            for s in (h, h / 2)
        )
        np.testing.assert_allclose(
            gradient @ direction, (4 * second - first) / 3, rtol=1e-9, atol=1e-8
        )


def test_hessian_products_are_differences_of_gradients():
    rows = make_rows(1)
    objective = objective_of(rows)
    rng = np.random.default_rng(1)
    vector = rng.normal(size=len(objective.center))
    direction = rng.normal(size=len(vector))
    h = 1e-5
    _, after = objective.gradient(vector + h * direction)
    _, before = objective.gradient(vector - h * direction)
    objective.gradient(vector)
    np.testing.assert_allclose(
        objective.hessian_product(direction),
        (after - before) / (2 * h),
        rtol=1e-6,
        atol=1e-6,
    )


def fit(rows, **settings):
    settings = {"penalty": PENALTY, "value_penalty": VALUE_PENALTY, **settings}
    return fit_log_linear(rows, offsets_of(rows), WEIGHTS0, **settings)


@pytest.mark.parametrize("seed", range(4))
def test_one_optimum_from_any_start_which_scipy_finds_too(seed):
    rows = make_rows(seed)
    model = fit(rows)
    rng = np.random.default_rng(seed)
    for _ in range(3):
        start = LogLinearModel(
            rng.uniform(0, 3, 4),
            rng.normal(size=3),
            rng.normal(size=model.parameters.shape),
            np.empty(0),
        )
        other = fit(rows, start=start)
        for name in ("weights", "class_offset", "value_offset"):
            np.testing.assert_allclose(
                getattr(other, name), getattr(model, name), rtol=0, atol=1e-7
            )
    objective = objective_of(rows)
    bounds = [(0, None)] * 4 + [(None, None)] * (len(objective.center) - 4)
    peer = minimize(
        objective.gradient,
        objective.center,
        jac=True,
        method="L-BFGS-B",
        bounds=bounds,
        options={"ftol": 1e-15, "gtol": 1e-9, "maxiter": 10_000},
    )
    found = np.concatenate(
        [model.weights, model.class_offset, model.parameters.ravel()]
    )
    value, _ = objective.gradient(found)
    assert value <= peer.fun + 1e-9
    np.testing.assert_allclose(found, peer.x, rtol=0, atol=1e-4)


@pytest.mark.parametrize("seed", range(4))
def test_the_conditions_of_karush_kuhn_and_tucker(seed):
    rows = make_rows(seed)
    model = fit(rows)
    objective = objective_of(rows)
    found = np.concatenate(
        [model.weights, model.class_offset, model.parameters.ravel()]
    )
    _, gradient = objective.gradient(found)
    is_held = np.arange(len(found)) < 4
    is_held &= found == 0
    assert model.weights[1] == 0  # its term is larger for wrong classes
    assert np.all(model.weights >= 0)
    assert np.all(gradient[is_held] > 0)
    np.testing.assert_allclose(gradient[~is_held], 0, atol=1e-6)


def test_near_a_loss_of_zero_the_search_ends(monkeypatch):
    """The log losses of certain rows are below their rounding errors."""
    n_calls, gradient = [], _Objective.gradient

    def counted(objective, vector):
        n_calls.append(1)
        return gradient(objective, vector)

    monkeypatch.setattr(_Objective, "gradient", counted)
    rng = np.random.default_rng(0)
    classes = rng.integers(0, 3, 300)
    truth = 12.0 * (classes[:, None] == np.arange(3))
    terms = center_terms(np.stack([truth, rng.normal(size=truth.shape)], axis=1))
    rows = LogLinearRows(
        terms.transpose(0, 2, 1),
        np.zeros((300, 3)),
        classes,
        np.ones(300),
        np.empty((300, 0), dtype=int),
    )
    model = fit_log_linear(rows, ValueOffsets.none(), np.ones(2))
    assert len(n_calls) < 25
    objective = _Objective(rows, ValueOffsets.none(), np.ones(2), 1, 1, 1 / 301, None)
    found = np.concatenate([model.weights, model.class_offset])
    loss, _ = objective.gradient(found)
    for factor in (0.999, 1.001):  # the optimum, as far as the loss can tell
        changed = np.concatenate([factor * model.weights, model.class_offset])
        assert loss < objective.gradient(changed)[0]


def test_copies_of_a_term_share_its_weight():
    rows = make_rows(2)
    none = ValueOffsets.none()
    single = LogLinearRows(
        rows.terms[:, :, :1], rows.fixed, rows.classes, rows.weight, np.empty((90, 0))
    )

    def weights(terms, penalty):
        start = np.zeros(terms.shape[2])
        some = LogLinearRows(
            terms, single.fixed, single.classes, single.weight, single.positions
        )
        return fit_log_linear(some, none, start, penalty=penalty).weights

    both = np.repeat(single.terms, 2, axis=2)
    # w and w cost λ w² = λ/4 (2w)²: as much as one weight of the term times √2.
    found = weights(both, 0.5)
    np.testing.assert_allclose(found[0], found[1], atol=1e-7)
    scaled = weights(single.terms * np.sqrt(2), 0.5)
    np.testing.assert_allclose(found.sum(), scaled[0] * np.sqrt(2), atol=1e-7)
    # As λ vanishes, the copies sum to the weight of the single term.
    np.testing.assert_allclose(
        weights(both, 1e-6).sum(), weights(single.terms, 1e-6)[0], rtol=1e-6
    )


@pytest.mark.parametrize("n_bins", [2, 3, 7])
def test_parameters_of_value_offsets_have_the_length_of_the_steps(n_bins):
    rng = np.random.default_rng(n_bins)
    positions = rng.integers(n_bins, size=(50, 1))
    classes = (positions[:, 0] + rng.integers(2, size=50)) % 3
    terms = np.zeros((50, 3, 0))
    rows = LogLinearRows(terms, np.zeros((50, 3)), classes, np.ones(50), positions)
    offsets = ValueOffsets([n_bins], [True], rows.positions, rows.weight)
    model = fit_log_linear(rows, offsets, np.empty(0), value_penalty=0.1)
    steps = np.diff(model.value_offset[:n_bins], axis=0)
    assert np.abs(steps).max() > 0.1
    np.testing.assert_allclose(
        np.sum(steps**2, axis=0), np.sum(model.parameters**2, axis=0), rtol=1e-9
    )
    assert np.all(model.value_offset[n_bins] == 0)
    # A step raises the bins above it by as much as it lowers those below it.
    np.testing.assert_allclose(
        model.value_offset[0], -model.value_offset[n_bins - 1], atol=1e-12
    )
    np.testing.assert_array_equal(
        np.diff(step_effects(n_bins), axis=0)[:, 1:], np.eye(n_bins - 1)
    )


def test_the_gradient_of_value_offsets_is_the_adjoint():
    rows = make_rows(3)
    offsets = offsets_of(rows)
    rng = np.random.default_rng(0)
    phi, g = rng.normal(size=(2, offsets.n_positions, 3))
    np.testing.assert_allclose(
        np.sum(offsets.values(phi) * g), np.sum(phi * offsets.gradient(g)), rtol=1e-12
    )


def test_the_curvature_of_value_offsets_is_the_diagonal_of_their_gram_matrix():
    rows = make_rows(4)
    offsets = offsets_of(rows)
    effects = np.column_stack(
        [offsets.values(e[:, None])[:, 0] for e in np.eye(offsets.n_positions)]
    )
    by_row = effects[rows.positions]  # (n, d, parameters)
    gram = np.einsum("i,ijp,ijq->jpq", rows.weight, by_row, by_row)
    for j, (first, last) in enumerate([(0, 4), (4, 7), (7, 9)]):
        block = gram[j][first:last, first:last]
        np.testing.assert_allclose(
            block, np.diag(offsets.curvature[first:last]), atol=1e-10
        )


def test_folds_and_penalties_do_not_depend_on_the_order_of_rows():
    rows = make_rows(5, n=200)
    weight = np.random.default_rng(0).integers(1, 4, 200) * 1.0
    # Rows of equal codes have other terms here, so that they are no copies.
    key = np.random.default_rng(2).permutation(200).astype(np.uint64)
    rows = dataclasses.replace(rows, weight=weight, key=key)
    order = np.random.default_rng(1).permutation(200)
    moved = rows.take(order)
    parts = list(folds(rows.key, 2))
    assert len(parts) == 8  # twice four folds
    for k in (0, 4):
        np.testing.assert_array_equal(np.sum(parts[k : k + 4], axis=0), np.ones(200))
    for part, other in zip(parts, folds(moved.key, 2)):
        np.testing.assert_array_equal(part[order], other)
    results = [
        choose_penalties(r, offsets_of(r), WEIGHTS0, [100.0, 1.0], [64.0, 1.0, 0.01])
        for r in (rows, moved)
    ]
    (*choice, losses), (*of_moved, losses_of_moved) = results
    assert of_moved == choice
    assert losses_of_moved.keys() == losses.keys()
    np.testing.assert_allclose(
        list(losses_of_moved.values()), list(losses.values()), rtol=1e-6
    )


def test_without_offsets_penalties_of_weighted_rows_are_those_of_repeated_ones():
    rows = make_rows(5, n=200)
    weight = np.random.default_rng(0).integers(1, 4, 200)
    repeated = rows.take(np.repeat(np.arange(200), weight))
    repeated = dataclasses.replace(repeated, weight=np.ones(len(repeated.classes)))
    weighted = dataclasses.replace(rows, weight=weight * 1.0)
    (*choice, losses), (*of_repeated, losses_of_repeated) = (
        choose_penalties(r, ValueOffsets.none(), WEIGHTS0, [100.0, 1.0], [64.0, 1.0])
        for r in (weighted, repeated)
    )
    assert of_repeated == choice
    assert losses_of_repeated.keys() == losses.keys()
    np.testing.assert_allclose(
        list(losses_of_repeated.values()), list(losses.values()), rtol=1e-6
    )


@pytest.mark.parametrize("classes", [[0, 0, 0, 0], [0, 1, 2, 3], [0, 0, 1, 1]])
def test_rows_of_equal_cells_lie_in_different_folds(classes):
    # The classes differ in the other rows, so that they do not tie.
    classes = np.append(classes, np.repeat([0, 1, 2, 3], [1, 2, 3, 4]))
    cells = np.append(np.zeros(4), np.arange(1, 11)).astype(np.uint64)
    key = fold_keys(cells[:, None].astype(int), classes)
    dealt = dealt_keys(key, cells, classes, np.ones(14))[:4]
    assert len(np.unique(dealt)) == 4


def test_one_row_leaves_nothing_to_compare():
    row = make_rows(6, n=10).take(np.zeros(1, dtype=int))
    found = choose_penalties(row, offsets_of(row), WEIGHTS0, [10.0, 1.0], [4.0])
    assert found == (10.0, None, {})


def test_threads_give_the_same_bits():
    rows = make_rows(7, n=5000)
    one, two = (fit(rows, n_jobs=n_jobs) for n_jobs in (1, 2))
    np.testing.assert_array_equal(one.weights, two.weights)
    np.testing.assert_array_equal(one.value_offset, two.value_offset)


def test_huge_weights_give_the_optimum_of_the_same_weights_and_penalties_divided():
    rows = make_rows()
    model, heavy = (
        fit(
            dataclasses.replace(rows, weight=rows.weight * factor),
            penalty=PENALTY * factor,
            value_penalty=VALUE_PENALTY * factor,
        )
        for factor in (2.0**100, 2.0**1000)  # beside which one row is nothing
    )
    for name in ("weights", "class_offset", "value_offset"):
        np.testing.assert_allclose(
            getattr(heavy, name), getattr(model, name), rtol=0, atol=1e-7
        )

"""The choice of m and prior, and the calibration, against refits without each row.

Code under test: `belief_network/_calibration.py`, `belief_network/_left_out_tables.py`.
"""

from copy import deepcopy

import numpy as np
import pytest
from scipy.optimize import minimize
from sklearn.base import clone

from sklearn_bayeslazy import BeliefNetworkClassifier
from sklearn_bayeslazy._core import _parallel
from sklearn_bayeslazy.belief_network import _left_out_tables
from sklearn_bayeslazy.belief_network._calibration import (
    MIN_EXPONENT,
    fit_calibration,
    fit_exponent,
)
from sklearn_bayeslazy.belief_network._counts import (
    CodedRows,
    count_families,
    count_marginals,
)
from sklearn_bayeslazy.belief_network._inference._class_scorer import class_scorer
from sklearn_bayeslazy.belief_network._inference._methods import ExactInference
from sklearn_bayeslazy.belief_network._inference._sampling import sample
from sklearn_bayeslazy.belief_network._left_out_tables import LeftOutRows, LeftOutTables
from sklearn_bayeslazy.belief_network._network import Network
from sklearn_bayeslazy.belief_network._tables import (
    PRIORS,
    Smoothing,
    TableCounts,
    class_axes,
    estimate_table,
)
from sklearn_bayeslazy.datasets import load_horse_colic
from sklearn_bayeslazy.leave_one_out._choice import MAX_LOG_LOSS
from tests.helpers.belief_network_by_enumeration import random_network

TARGET = 3
# The class has children without other parents, with another one, and a grandchild.
TREE = ((3,), (0, 3), (0,), (), (3, 5), (3,))
# The class is a leaf of its parent.
TREE_WITH_CLASS_BELOW = ((), (0, 3), (1,), (0,), (3, 5), (3,))


def drawn_rows(seed, missing=0.0, n_rows=30):
    """Return weighted rows of six nodes, and the parents of a random graph."""
    rng = np.random.default_rng(seed)
    codes = sample(random_network(rng, 6), n_rows, np.random.RandomState(seed))
    codes[rng.random(codes.shape) < missing] = -1
    codes[:, TARGET] = rng.permutation(np.arange(n_rows) % 3)
    sizes = tuple(max(int(column.max()) + 1, 1) for column in codes.T)
    weight = rng.choice([0.4, 1.0, 2.0, 3.0], n_rows)
    rows = CodedRows.of(codes, weight, tuple("abcdef"), sizes)
    return rows, random_network(np.random.default_rng(seed + 100), 6).parents


def leave_one_out(rows, parents, n_jobs=None):
    counts = TableCounts(count_families(rows, parents), count_marginals(rows), [])
    left_out = np.arange(len(rows.weight))
    tables = LeftOutTables(rows, counts, parents, TARGET, left_out, n_jobs)
    return LeftOutRows([tables], n_jobs)


def class_probabilities_by_refits(rows, parents, m, prior, some=slice(None)):
    """Return P(class | row) of some rows, with all tables estimated without the row."""
    shares = []
    for i in np.arange(len(rows.weight))[some]:
        codes = rows.codes[:, i]
        weight = rows.weight.copy()
        weight[i] = 0.0
        left = CodedRows.of(rows.codes.T, weight, rows.names, rows.sizes)
        families, marginals = count_families(left, parents), count_marginals(left)
        axes = class_axes(parents, TARGET)
        counts = TableCounts(families, marginals, [])
        tables = counts.tables(Smoothing(m, prior), axes)
        values = [np.arange(size) for size in rows.sizes]
        network = Network(rows.names, values, parents, tables)
        query = codes[None].copy()
        query[0, TARGET] = -1
        joint = class_scorer(network, TARGET).score(query, ExactInference())[0]
        if np.all(joint == -np.inf):
            joint = np.log(marginals[TARGET])
        share = np.exp(joint - joint.max())
        shares.append(share / share.sum())
    return np.array(shares)


def loss_of(shares, rows):
    """Return min(-ln P(class of the row), the largest loss)."""
    classes = rows.codes[TARGET]
    with np.errstate(divide="ignore"):
        losses = -np.log(shares[np.arange(len(shares)), classes])
    return np.minimum(losses, MAX_LOG_LOSS)


@pytest.mark.parametrize("prior", PRIORS)
@pytest.mark.parametrize("m", [0.0, 0.5, 20.0])
@pytest.mark.parametrize("missing", [0.0, 0.3])
@pytest.mark.parametrize("parents", [TREE, TREE_WITH_CLASS_BELOW])
def test_losses_in_trees_are_those_of_refits(prior, m, missing, parents):
    if m == 0 and parents[TARGET]:
        m = 0.1  # rows impossible in every class: the prior of a class with parents
    for seed in range(3):
        rows, _ = drawn_rows(seed, missing)
        shares = class_probabilities_by_refits(rows, parents, m, prior)
        scores, exponents = leave_one_out(rows, parents).scores(
            [Smoothing(m, prior)], calibrate=False
        )
        if parents[TARGET] and prior == "marginal":  # zeros, see above
            possible = np.isfinite(
                leave_one_out(rows, parents).joint([Smoothing(m, prior)])[0]
            ).any(axis=1)
        else:
            possible = np.ones(len(shares), dtype=bool)
        expected = loss_of(shares, rows)
        np.testing.assert_allclose(
            scores["log_loss"][0, possible], expected[possible], rtol=1e-9, atol=1e-9
        )
        assert exponents.tolist() == [1.0]


# With "marginal" a value that only the left-out row has makes every class impossible.
@pytest.mark.parametrize("prior", ["uniform", "bdeu", "backoff"])
@pytest.mark.parametrize("is_chain", [False, True])
def test_probabilities_of_many_nodes_below_missing_ones_do_not_underflow(
    prior, is_chain
):
    n_nodes = 1500  # .5 to that power is no float
    # The parent of each: the one missing node, or every second node misses.
    others = [(0,)] * n_nodes
    if is_chain:
        others = [(max(node - 2 + node % 2, 0),) for node in range(n_nodes)]
    parents = [(*others[node], TARGET) for node in range(n_nodes)]
    parents[0], parents[TARGET] = (TARGET,), ()
    rng = np.random.default_rng(0)
    codes = rng.integers(0, 2, (8, n_nodes))
    codes[:4, [0] if not is_chain else range(0, n_nodes, 2)] = -1
    sizes = (2,) * n_nodes
    rows = CodedRows.of(
        codes, rng.choice([1.0, 2.0], 8), map(str, range(n_nodes)), sizes
    )
    some = slice(2, 6)  # two rows with missing cells, and two without
    shares = class_probabilities_by_refits(rows, parents, 0.5, prior, some)
    (joint,) = leave_one_out(rows, parents).joint([Smoothing(0.5, prior)])
    found = np.exp(joint - np.logaddexp.reduce(joint, axis=1, keepdims=True))
    np.testing.assert_allclose(found[some], shares, rtol=1e-9)


def test_a_long_pass_over_left_out_rows_hears_an_interrupt(monkeypatch):
    rows, _ = drawn_rows(0, missing=0.3)
    n_rows, kernel = [], _left_out_tables.add_missing_in_trees

    def count_rows(codes, *rest):
        kernel(codes, *rest)
        n_rows.append(len(codes))
        if len(n_rows) == 2:
            raise KeyboardInterrupt

    monkeypatch.setattr(_left_out_tables, "add_missing_in_trees", count_rows)
    # Six nodes and three classes are at least 18 steps a row and candidate.
    monkeypatch.setattr(_parallel, "MAX_STEPS_PER_CALL", 18 * 10)
    with pytest.raises(KeyboardInterrupt):
        leave_one_out(rows, TREE).joint([Smoothing(1.0)])
    assert len(n_rows) == 2
    assert max(n_rows) <= 10


@pytest.mark.parametrize("prior", PRIORS)
def test_losses_of_complete_rows_in_any_graph_are_those_of_refits(prior):
    for seed in range(8):
        rows, parents = drawn_rows(seed)
        candidates = [Smoothing(m, prior) for m in (0.2, 7.0)]
        scores, _ = leave_one_out(rows, parents).scores(candidates, calibrate=False)
        for found, candidate in zip(scores["log_loss"], candidates):
            shares = class_probabilities_by_refits(rows, parents, *candidate[:2])
            if prior == "marginal" and parents[TARGET]:
                continue  # see above
            np.testing.assert_allclose(found, loss_of(shares, rows), rtol=1e-9)


def test_back_off_by_hand():
    """P(x | c, u) falls back on P(x | c), that on P(x), and that on 1 / 2."""
    counts = np.array([[[3.0, 1.0], [0.0, 0.0]], [[0.0, 2.0], [2.0, 2.0]]])  # c, u, x
    marginal = np.array([5.0, 5.0])
    table = estimate_table(counts, Smoothing(4.0, "backoff"), marginal, class_axis=0)
    p_x = (5 + 1 / 2) / (10 + 1)
    of_class_0 = (3 + p_x) / (4 + 1)
    of_class_1 = (2 + p_x) / (6 + 1)
    np.testing.assert_allclose(table[0, 0, 0], (3 + 4 * of_class_0) / (4 + 4))
    np.testing.assert_allclose(table[0, 1, 0], of_class_0)
    np.testing.assert_allclose(table[1, 1, 0], (2 + 4 * of_class_1) / (4 + 4))
    np.testing.assert_allclose(table.sum(axis=-1), 1.0)


def test_a_large_m_with_back_off_makes_the_network_naive():
    X, y = load_horse_colic(return_X_y=True)
    X = X[:, [0, 5, 6]].astype(str)  # without missing cells
    options = {"prior": "backoff", "calibration": None}
    tan = BeliefNetworkClassifier("tan", m=1e12, **options).fit(X, y)
    naive = BeliefNetworkClassifier("naive", m=1.0, **options).fit(X, y)
    assert sorted(map(len, tan.network_.parents)) == [0, 1, 2, 2]
    for parents, table, expected in zip(
        tan.network_.parents, tan.network_.tables, naive.network_.tables
    ):
        if len(parents) == 2:  # the other parent no longer matters
            other = 1 - parents.index(3)
            by_class = np.moveaxis(table, other, 0)
            np.testing.assert_allclose(by_class, expected + 0 * by_class, rtol=1e-9)


def log_likelihood(parameters, joint, classes, weight):
    """Return the penalized objective of the calibration at (v, b)."""
    v, b = parameters[0], np.asarray(parameters[1:])
    terms = np.maximum(joint - joint.max(axis=1, keepdims=True), -MAX_LOG_LOSS)
    scores = v * terms + b
    logs = scores - np.logaddexp.reduce(scores, axis=1)[:, None]
    share = 1 / (1 + weight.sum())  # one row in all counts as of any class
    of_class = logs[np.arange(len(logs)), classes]
    fit = weight @ ((1 - share) * of_class + share * logs.mean(axis=1))
    return fit - ((v - 1) ** 2 + np.sum(b**2)) / 2


@pytest.mark.parametrize("seed", range(6))
def test_the_calibration_maximizes_the_penalized_likelihood(seed):
    rng = np.random.default_rng(seed)
    joint = rng.normal(size=(60, 3)) * rng.choice([0.5, 3.0, 40.0])
    classes = np.where(rng.random(60) < 0.5, joint.argmax(axis=1), rng.integers(3))
    weight = rng.choice([0.5, 1.0, 2.0], 60)
    exponent, offset = fit_calibration(joint, classes, weight)
    found = np.array([exponent, *offset])

    def loss(parameters):
        return -log_likelihood(parameters, joint, classes, weight)

    by_scipy = minimize(loss, np.array([0.5, 1.0, -1.0, 0.0]), method="BFGS", tol=1e-8)
    assert loss(found) <= by_scipy.fun + 1e-9
    np.testing.assert_allclose(found, by_scipy.x, atol=1e-4)
    v = fit_exponent(joint, classes, weight)
    at_v = log_likelihood([v, 0, 0, 0], joint, classes, weight)
    for other in (v * (1 - 1e-4), v * (1 + 1e-4), 1.0):
        assert log_likelihood([other, 0, 0, 0], joint, classes, weight) <= at_v


def test_a_misleading_network_gets_the_least_exponent():
    joint = np.log([[0.99, 0.01], [0.01, 0.99]] * 50)
    classes = np.array([1, 0] * 50)  # always the other class
    assert fit_exponent(joint, classes, np.ones(100)) == pytest.approx(MIN_EXPONENT)
    exponent, offset = fit_calibration(joint, classes, np.ones(100))
    assert exponent == MIN_EXPONENT
    np.testing.assert_allclose(offset, 0.0, atol=1e-9)


def test_rows_that_every_class_excludes_do_not_count():
    joint = np.array([[0.0, -1.0], [-np.inf, -np.inf], [-2.0, 0.0]])
    classes = np.array([0, 1, 0])
    kept = [0, 2]
    found = fit_calibration(joint, classes, np.ones(3))
    expected = fit_calibration(joint[kept], classes[kept], np.ones(2))
    np.testing.assert_allclose(np.hstack(found), np.hstack(expected))
    assert fit_exponent(joint, classes, np.ones(3)) == pytest.approx(
        fit_exponent(joint[kept], classes[kept], np.ones(2))
    )


def test_the_best_candidate_is_taken_and_the_curve_kept():
    X, y = load_horse_colic(return_X_y=True)
    model = BeliefNetworkClassifier().fit(X, y)
    results = model.loo_results_
    best = int(np.argmin(results["mean_log_loss"]))
    assert results["params"][best] == {"m": model.m_, "prior": model.prior_}
    assert results["rank"][best] == 1
    assert len(results["params"]) == 15 * 4
    assert len(results["exponent"]) == 15 * 4
    plain = BeliefNetworkClassifier(m=model.m_, prior=model.prior_).fit(X, y)
    assert not hasattr(plain, "loo_results_")
    np.testing.assert_array_equal(plain.predict_proba(X), model.predict_proba(X))
    few = {"m": [3.0, 0.5]}
    model.set_params(loo_candidates=few, prior="bdeu", loo_scoring="accuracy").fit(X, y)
    assert [one["m"] for one in model.loo_results_["params"]] == few["m"]
    assert model.prior_ == "bdeu"
    accuracy = model.loo_results_["mean_accuracy"]
    assert accuracy[few["m"].index(model.m_)] == accuracy.max()


def test_probabilities_follow_from_the_joint_and_the_calibration():
    X, y = load_horse_colic(return_X_y=True)
    model = BeliefNetworkClassifier(m=1.0, prior="uniform").fit(X, y)
    scores = model.exponent_ * model.predict_joint_log_proba(X) + model.class_offset_
    shares = np.exp(scores - np.logaddexp.reduce(scores, axis=1, keepdims=True))
    np.testing.assert_allclose(model.predict_proba(X), shares, rtol=1e-9)
    assert 0 < model.exponent_ < 1  # the columns repeat each other
    model.set_params(calibration=None).fit(X, y)
    assert model.exponent_ == 1.0
    assert model.class_offset_.tolist() == [0.0, 0.0]


def test_weights_are_repetition_and_neither_order_nor_jobs_matter():
    X, y = load_horse_colic(return_X_y=True)
    X = np.hstack([X, np.arange(len(X))[:, None] / 7])  # no copies by chance
    weight = np.random.default_rng(0).integers(0, 3, len(y))
    rows = np.repeat(np.arange(len(y)), weight)
    one = BeliefNetworkClassifier().fit(X, y, weight)
    for other in (
        BeliefNetworkClassifier(n_jobs=2).fit(X, y, weight),
        BeliefNetworkClassifier().fit(X[rows], y[rows]),
        BeliefNetworkClassifier().fit(X[rows[::-1]], y[rows[::-1]]),
    ):
        assert (other.m_, other.prior_) == (one.m_, one.prior_)
        np.testing.assert_allclose(
            other.loo_results_["mean_log_loss"],
            one.loo_results_["mean_log_loss"],
            rtol=1e-9,
        )
        np.testing.assert_allclose(
            other.predict_proba(X), one.predict_proba(X), atol=1e-9
        )


@pytest.mark.parametrize("structure", ["naive", "tan"])
@pytest.mark.parametrize("factor", [2.5, 1 / 100])
def test_a_factor_of_all_weights_changes_nothing(structure, factor):
    """Nor does it with prior="backoff", which has a virtual example of its own."""
    rng = np.random.default_rng(0)
    y = rng.integers(0, 2, 100)
    X = (rng.integers(0, 4, size=(100, 3)) + y[:, None]).astype(str)
    model = BeliefNetworkClassifier(structure, prior="backoff")
    one = clone(model).fit(X, y, np.ones(100))
    other = clone(model).fit(X, y, np.full(100, factor))
    np.testing.assert_allclose(other.m_, one.m_ * factor)
    for rows in (X, None):
        np.testing.assert_allclose(
            other.predict_proba(rows), one.predict_proba(rows), atol=1e-9
        )


@pytest.mark.parametrize("seed", range(5))
def test_rounding_does_not_decide_which_candidate_is_most_accurate(seed):
    """Few distinct rows, whose classes often tie."""
    rng = np.random.default_rng(seed)
    y = rng.integers(0, 3, 33)
    X = (rng.integers(0, 3, size=(33, 2)) + y[:, None]).astype(str)
    model = BeliefNetworkClassifier(loo_scoring="accuracy")
    one = clone(model).fit(X, y)
    for rows, factor in ((np.arange(33), 0.1), (rng.permutation(33), 1.0)):
        other = clone(model).fit(X[rows], y[rows], np.full(33, factor))
        np.testing.assert_allclose(other.m_, one.m_ * factor)
        np.testing.assert_allclose(
            other.predict_proba(X), one.predict_proba(X), atol=1e-9
        )


def test_a_random_subset_of_rows_is_left_out_of_all():
    X, y = load_horse_colic(return_X_y=True)
    options = {"loo_max_samples": 100, "random_state": 0}
    part = BeliefNetworkClassifier(**options).fit(X, y)
    whole = BeliefNetworkClassifier(loo_max_samples=None).fit(X, y)
    assert (
        part.loo_results_["mean_log_loss"][0]
        != (whole.loo_results_["mean_log_loss"][0])
    )
    np.testing.assert_array_equal(part.class_count_, whole.class_count_)


def test_later_batches_keep_what_the_first_has_chosen():
    X, y = load_horse_colic(return_X_y=True)
    first = BeliefNetworkClassifier("naive").fit(X[:200], y[:200])
    model = deepcopy(first).partial_fit(X[200:], y[200:])
    assert (model.m_, model.prior_) == (first.m_, first.prior_)
    assert model.exponent_ == first.exponent_
    given = BeliefNetworkClassifier("naive", m=first.m_, prior=first.prior_)
    given.fit(X, y)
    np.testing.assert_array_equal(model.class_count_, given.class_count_)
    # Two copies that have learned different batches can be merged.
    halves = [deepcopy(first), deepcopy(first)]
    halves[0].partial_fit(X[200:300], y[200:300])
    merged = halves[0].merge(halves[1].partial_fit(X[300:], y[300:]))
    assert merged.exponent_ == first.exponent_
    np.testing.assert_array_equal(
        merged.class_count_, model.class_count_ + first.class_count_
    )


def test_models_that_chose_differently_cannot_be_merged():
    X, y = load_horse_colic(return_X_y=True)
    parts = [slice(0, 200), slice(200, None)]
    one, two = (BeliefNetworkClassifier("naive").fit(X[p], y[p]) for p in parts)
    with pytest.raises(ValueError, match="two models differ in exponent_"):
        one.merge(two)


def test_a_graph_fitted_to_left_out_rows_excludes_leave_one_out():
    X, y = load_horse_colic(return_X_y=True)
    options = {"structure": "k2", "max_parents": 1, "structure_score": "loo"}
    model = BeliefNetworkClassifier(**options).fit(X, y)
    assert (model.m_, model.prior_, model.exponent_) == (1.0, "uniform", 1.0)
    model.set_params(structure="tan").fit(X, y)  # which has no score
    assert model.exponent_ != 1.0


def test_expected_counts_exclude_leave_one_out():
    X, y = load_horse_colic(return_X_y=True)
    arcs = [("class", "h"), ("h", 0), ("h", 1)]
    for options in (
        {"structure": arcs, "hidden": {"h": 2}, "random_state": 0},
        {"structure": [("class", 0)], "missing": "expected"},
    ):
        model = BeliefNetworkClassifier(**options).fit(X[:, :2], y)
        assert (model.m_, model.prior_, model.exponent_) == (1.0, "uniform", 1.0)
        assert not hasattr(model, "loo_results_")


def test_one_row_is_too_few():
    with pytest.raises(ValueError, match="n_samples = 1: set m and prior"):
        BeliefNetworkClassifier().fit([["a"]], ["x"])
    model = BeliefNetworkClassifier(m=1.0, prior="uniform", calibration=None)
    assert model.fit([["a"]], ["x"]).predict([["b"]]) == ["x"]

"""TextNB's temperature: the best one for models refitted without each document.

Code under test: `text/_words/_temperature.py`, `leave_one_out/_temperature.py`.
"""

import numpy as np
import pytest
from scipy import sparse
from scipy.optimize import minimize_scalar
from scipy.special import log_softmax

from sklearn_bayeslazy import TextNB
from sklearn_bayeslazy._core._kernel import frozen
from sklearn_bayeslazy.leave_one_out import best_temperatures
from sklearn_bayeslazy.leave_one_out._choice import gaps_by_class
from sklearn_bayeslazy.leave_one_out._temperature import (
    _increasing_root,
    slope_of_log_loss,
)
from sklearn_bayeslazy.testing import assert_on_simplex, assert_same_predictions
from tests.helpers.copies_by_hand import row_weight, weights_without

MODELS = {
    "multinomial": {},
    "background": {"prior": "background"},
    "complement": {"complement": True},
    "bernoulli": {"event_model": "bernoulli"},
    "poisson": {"event_model": "poisson"},
    "zeros": {"m": 0},
    "zeros of the complement": {"m": 0, "complement": True},
}
every_model = pytest.mark.parametrize("model", MODELS)


def draw(seed, n_rows=40, n_classes=3, n_words=12):
    """Draw documents of different lengths whose words tell something of the class."""
    rng = np.random.default_rng(seed)
    y = rng.permutation(np.arange(n_rows) % n_classes)
    length = rng.gamma(1.0, 2.0, size=(n_rows, 1))
    X = rng.poisson(length * (0.2 + (np.arange(n_words) % n_classes == y[:, None])))
    X[0] = 0
    return X, y, rng.choice([0.4, 1.0, 2.0, 2.7], size=n_rows)


def lengths_of(X, params):
    return ((X > 0) if params.get("event_model") == "bernoulli" else X).sum(axis=1)


def left_out_joint(X, y, weight, model):
    """Return the joint log likelihoods of rows, each from a refit without it."""
    classes = np.unique(y)
    joint = np.empty((len(y), len(classes)))
    for i in range(len(y)):
        left = weights_without(X, y, weight, i, are_counts=True)
        one = TextNB(**model).partial_fit(X, y, classes, sample_weight=left)
        joint[i] = one.predict_joint_log_proba(X[i : i + 1])[0]
    return joint


def target_scores(scores, true_class, weight):
    """Return the scores of the true classes; one row in all is of any possible one."""
    share = 1 / (1 + np.sum(weight))
    mean = np.ma.masked_invalid(scores).mean(axis=1).data
    return (1 - share) * scores[np.arange(len(scores)), true_class] + share * mean


def objective(scores, y, weight):
    """Return the penalised log loss and its slope as a function of v = 1 / T."""
    truth = np.arange(len(y)), np.searchsorted(np.unique(y), y)
    usable = np.isfinite(scores[truth]) & (scores.max(axis=1) < np.inf)
    is_finite = np.isfinite(scores[usable])
    chosen = np.where(is_finite, scores[usable], 0)
    target = target_scores(scores[usable], truth[1][usable], weight[usable])

    def at(v):
        with np.errstate(invalid="ignore"):
            log_proba = log_softmax(v * scores[usable], axis=1)
        mean = np.sum(np.exp(log_proba) * chosen, axis=1)
        log_total = v * chosen - np.where(is_finite, log_proba, -np.inf)
        loss = log_total.min(axis=1) - v * target
        value = np.sum(weight[usable] * loss) + (v - 1) ** 2 / 2
        return value, np.sum(weight[usable] * (mean - target)) + v - 1

    return at


@every_model
@pytest.mark.parametrize("exponent", [0.0, 0.5, 1.0])
@pytest.mark.parametrize("seed", range(3))
def test_the_temperature_is_the_best_of_refitting(model, exponent, seed):
    X, y, weight = draw(seed)
    params = {"m": 0.7, **MODELS[model]}
    fitted = TextNB(**params, length_exponent=exponent).fit(X, y, weight)
    joint = left_out_joint(X, y, weight, {**params, "temperature": 1})
    factor = np.maximum(1.0, lengths_of(X, params)) ** -exponent
    at = objective(joint * factor[:, None], y, weight / row_weight(X, y, weight, True))
    v = 1 / fitted.temperature_
    value, slope = at(v)
    # The slope is a sum of terms up to this size.
    size = np.sum(weight) * np.abs(joint[np.isfinite(joint)]).max()
    assert abs(slope) < 1e-9 * size
    found = minimize_scalar(lambda u: at(np.exp(u))[0], (-3, 1), tol=1e-10)
    assert value <= found.fun + 1e-9 * abs(found.fun)
    np.testing.assert_allclose(v, np.exp(found.x), rtol=1e-4)
    assert fitted.length_exponent_ == exponent
    assert not hasattr(fitted, "loo_results_")


@every_model
def test_scores_of_candidates_are_refits_at_their_temperature(model):
    X, y, weight = draw(4)
    ms = [0.3, 20.0]
    params = {**MODELS[model]}
    params.pop("m", None)
    params["feature_weights"] = None
    fitted = TextNB(**params, loo_candidates={"m": ms}).fit(X, y, weight)
    results = fitted.loo_results_
    assert [p["length_exponent"] for p in results["params"]] == [0, 0.5, 1] * 2
    for k, (m, a) in enumerate((m, a) for m in ms for a in (0.0, 0.5, 1.0)):
        assert results["params"][k] == {"m": m, "length_exponent": a}
        given = {"m": m, "length_exponent": a, "temperature": results["temperature"][k]}
        assert TextNB(**{**params, "m": m}, length_exponent=a).fit(
            X, y, weight
        ).temperature_ == pytest.approx(results["temperature"][k], rel=1e-12)
        loss = np.empty(len(y))
        for i in range(len(y)):
            left = weights_without(X, y, weight, i, are_counts=True)
            one = TextNB(**{**params, **given})
            one.partial_fit(X, y, np.unique(y), sample_weight=left)
            loss[i] = -one.predict_log_proba(X[i : i + 1])[0, y[i]]
        np.testing.assert_allclose(
            results["mean_log_loss"][k], np.average(loss, weights=weight), rtol=1e-9
        )
    best = np.argmin(results["rank"])
    keys = list(zip(-results["mean_accuracy"], results["mean_log_loss"]))
    assert keys[best] == min(keys)
    chosen = results["params"][best]
    assert (fitted.m_, fitted.length_exponent_) == tuple(chosen.values())
    assert fitted.temperature_ == results["temperature"][best]


@every_model
def test_probabilities_by_hand_and_the_prediction_stays(model):
    X, y, weight = draw(6)
    params = {"m": 0.7, **MODELS[model]}
    plain = TextNB(**params, temperature=1).fit(X, y, weight)
    warm = TextNB(**params, temperature=4.0, length_exponent=0.5).fit(X, y, weight)
    joint = plain.predict_joint_log_proba(X)
    np.testing.assert_array_equal(warm.predict_joint_log_proba(X), joint)
    np.testing.assert_array_equal(warm.predict(X), plain.predict(X))
    np.testing.assert_array_equal(warm.coef_, plain.coef_)
    possible = np.isfinite(joint).all(axis=1)
    assert possible.sum() >= 10
    for x, scores, row in zip(
        X[possible], joint[possible], warm.predict_proba(X)[possible]
    ):
        power = 1 / (4 * max(1, lengths_of(x[None], params)[0]) ** 0.5)
        expected = np.exp(power * (scores - scores.max()))
        np.testing.assert_allclose(row, expected / expected.sum(), rtol=1e-10)
    assert_on_simplex(warm.predict_proba(X))
    impossible = np.isneginf(joint)
    np.testing.assert_array_equal(
        warm.predict_proba(X)[~impossible.all(axis=1)] == 0,
        impossible[~impossible.all(axis=1)],
    )


def best_temperature(joint, true_class, weight=None, factor=None):
    """Return the best temperature of joint log likelihoods (n, n_classes)."""
    n = len(joint)
    gaps, impossible = gaps_by_class(joint, np.zeros(joint.shape[1]))
    weight = np.ones(n) if weight is None else weight
    factor = np.ones(n) if factor is None else factor
    weight = np.where(impossible, 0.0, weight)
    return best_temperatures(gaps, true_class, weight, [factor])[0]


def test_two_documents_by_hand():
    """Each document is more like its own class by log 3, in 5 of 6 parts."""
    # One of three rows, two of them real, is of any class: v - 1 = 2 log 3 (p - 1/6).
    joint = np.array([[0.0, -np.log(3)], [-np.log(3), 0.0]])
    v = 1 / best_temperature(joint, np.array([0, 1]))
    wrong = 1 / (1 + 3**v)
    assert v - 1 == pytest.approx(2 * np.log(3) * (wrong - 1 / 6), rel=1e-12)
    # Both are in the wrong class: the least that T leaves is a gap of 10⁻⁶.
    v = 1 / best_temperature(5 * joint, np.array([1, 0]))
    assert v * 5 * np.log(3) == pytest.approx(1e-6)


def test_the_slope_is_the_derivative():
    rng = np.random.default_rng(0)
    n = 600  # more than one block of rows
    gaps = rng.normal(size=(n, 3))
    gaps -= gaps.max(axis=1, keepdims=True)
    y = np.arange(n) % 3
    weight, factor = rng.uniform(0.5, 2, size=(2, n))
    each = np.arange(n)

    def log_proba(v):
        return log_softmax(v * factor[:, None] * gaps, axis=1)

    def loss(v):
        return -np.sum(weight * log_proba(v)[each, y])

    def variance(v):
        tempered = factor[:, None] * gaps
        share = np.exp(log_proba(v))
        mean = np.sum(share * tempered, axis=1, keepdims=True)
        return np.sum(weight * np.sum(share * (tempered - mean) ** 2, axis=1))

    h = 1e-4
    arrays = gaps.T, gaps[each, y], weight, factor
    frozen_arrays = [frozen(array, np.float64) for array in arrays]
    first, second, third = slope_of_log_loss(*frozen_arrays, 0.8)
    assert first == pytest.approx((loss(0.8 + h) - loss(0.8 - h)) / (2 * h), rel=1e-6)
    assert second == pytest.approx(variance(0.8), rel=1e-12)
    slope_of_variance = (variance(0.8 + h) - variance(0.8 - h)) / (2 * h)
    assert third == pytest.approx(slope_of_variance, rel=1e-6)


@pytest.mark.parametrize("seed", range(20))
@pytest.mark.parametrize("n", [7, 60, 3500])
def test_the_slope_is_0_at_the_optimum(n, seed):
    """Of 3 500 documents the search starts from the optimum of every third one."""
    rng = np.random.default_rng(seed)
    size = 10.0 ** rng.integers(-3, 6)
    true_class = rng.integers(0, 3, size=n)
    joint = size * (rng.normal(size=(n, 3)) + np.eye(3)[true_class])
    joint[rng.random((n, 3)) < 0.1] = -np.inf
    weight, factor = rng.uniform(0.1, 3, size=(2, n))
    v = 1 / best_temperature(joint, true_class, weight, factor)

    usable = np.isfinite(joint[np.arange(n), true_class])
    scores = joint[usable] * factor[usable, None]
    finite = np.where(np.isfinite(scores), scores, 0.0)
    target = target_scores(scores, true_class[usable], weight[usable])

    def slope(v):
        mean = np.sum(np.exp(log_softmax(v * scores, axis=1)) * finite, axis=1)
        return np.sum(weight[usable] * (mean - target)) + v - 1

    assert slope(v * (1 - 1e-10)) < 0 < slope(v * (1 + 1e-10))


def test_the_search_ends_where_derivatives_are_0():
    """Bisection halves the logarithm of a bracket of 4: 53 steps reach its last bit."""
    calls = []

    def step_at_3(v):
        calls.append(v)
        return (1.0 if v > 3 else -1.0), 0.0, 0.0

    assert _increasing_root(step_at_3, 1e-6, 1.0) == pytest.approx(3, rel=1e-15)
    assert len(calls) < 70


@every_model
def test_weights_repeat_and_the_order_of_rows_is_irrelevant(model):
    X, y, _ = draw(8)
    longer = np.sum(X > 0, axis=1) > 1  # copies of one word are not one document
    X, y = X[longer], y[longer]
    params = MODELS[model]
    weight = np.random.default_rng(1).integers(0, 4, size=len(y))
    fitted = TextNB(**params).fit(sparse.csr_array(X), y, weight)
    rows = np.random.default_rng(2).permutation(np.repeat(np.arange(len(y)), weight))
    repeated = TextNB(**params).fit(X[rows], y[rows])
    assert fitted.m_ == repeated.m_
    assert fitted.length_exponent_ == repeated.length_exponent_
    assert fitted.temperature_ == pytest.approx(repeated.temperature_, rel=1e-11)
    assert_same_predictions(fitted, repeated, X, tolerance=1e-9)


def test_words_that_occur_twice_double_the_temperature():
    """With all words and virtual words twice, each log likelihood doubles."""
    X, y, _ = draw(9, n_rows=600)
    params = {"fit_prior": False, "length_exponent": 0}
    once = TextNB(m=5.0, **params).fit(X, y)
    twice = TextNB(m=10.0, **params).fit(2 * X, y)
    assert twice.temperature_ == pytest.approx(2 * once.temperature_, rel=0.01)
    np.testing.assert_allclose(
        twice.predict_proba(2 * X), once.predict_proba(X), atol=0.01
    )


def test_the_temperature_corrects_repeated_words():
    """Where each word is followed by 19 copies, probabilities are overconfident."""
    X, y, _ = draw(10, n_rows=1200)
    train, test = np.arange(600), np.arange(600, 1200)
    losses = []
    for params in ({}, {"temperature": 1}):
        model = TextNB(**params).fit(20 * X[train], y[train])
        log_proba = model.predict_log_proba(20 * X[test])
        losses.append(-log_proba[np.arange(600), y[test]].mean())
    assert losses[0] < 0.7 * losses[1]


@pytest.mark.parametrize(
    ("params", "match"),
    [
        ({"temperature": 0}, "'temperature' parameter"),
        ({"temperature": -1.0}, "'temperature' parameter"),
        ({"temperature": np.nan}, "'temperature' parameter"),
        ({"temperature": np.inf}, "'temperature' parameter"),
        ({"temperature": "auto"}, "'temperature' parameter"),
        ({"length_exponent": -0.5}, "'length_exponent' parameter"),
        ({"length_exponent": 2}, "'length_exponent' parameter"),
        (
            {"loo_candidates": {"length_exponent": [0, 2]}},
            r"loo_candidates\['length_exponent'\] holds 2: give numbers from 0 to 1",
        ),
        (
            {"loo_candidates": {"length_exponent": ["half"]}},
            r"loo_candidates\['length_exponent'\] holds 'half': give numbers from 0",
        ),
        ({"loo_candidates": {"length_exponent": []}}, "is empty"),
        ({"loo_candidates": {"temperature": [1]}}, "names 'temperature'"),
    ],
)
def test_invalid_parameters_are_named(params, match):
    X, y, _ = draw(0)
    with pytest.raises(ValueError, match=match):
        TextNB(**params).fit(X, y)


@pytest.mark.parametrize("temperature", [1e-300, 1e-9, 1e9, 1e300])
@pytest.mark.parametrize("exponent", ["loo", 0.3, 1])
def test_any_temperature_gives_probabilities(temperature, exponent):
    X, y, _ = draw(0)
    for m in (0, 1.0, "loo"):
        model = TextNB(m, temperature=temperature, length_exponent=exponent).fit(X, y)
        assert_on_simplex(model.predict_proba(X))
        assert model.temperature_ == temperature
        assert model.length_exponent_ == (0 if exponent == "loo" else exponent)

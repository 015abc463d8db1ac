"""Leave-one-out: losses against scikit-learn's, weighted means by repetition.

Code under test: `leave_one_out/_choice.py`.
"""

import numpy as np
import pytest
from sklearn.metrics import log_loss

from sklearn_bayeslazy import (
    AODEClassifier,
    BeliefNetworkClassifier,
    LanguageModelNB,
    MEstimateNB,
)
from sklearn_bayeslazy.belief_network import _belief_network_classifier
from sklearn_bayeslazy.leave_one_out import _choice
from sklearn_bayeslazy.leave_one_out._choice import (
    MAX_LEFT_OUT_STEPS,
    MIN_LEFT_OUT,
    candidate_lists,
    classification_losses,
    most_rows,
    rank_candidates,
    rows_to_leave_out,
)
from sklearn_bayeslazy.naive_bayes._columns import _left_out_columns
from sklearn_bayeslazy.naive_bayes._pairs import _choices

DEFAULTS = {"k": [1, 3], "power": [1.0, 2.0]}
SEEDS = range(5)


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        (None, DEFAULTS),
        ({}, DEFAULTS),
        ({"k": (7,)}, {"k": [7], "power": [1.0, 2.0]}),
        ({"k": np.array([5, 6]), "power": range(2)}, {"k": [5, 6], "power": [0, 1]}),
    ],
)
def test_given_candidates_replace_the_defaults(given, expected):
    assert candidate_lists(DEFAULTS, given) == expected


def test_lists_may_be_changed_without_changing_the_defaults():
    lists = candidate_lists(DEFAULTS, None)
    lists["k"].append(9)
    lists["new"] = []
    assert DEFAULTS == {"k": [1, 3], "power": [1.0, 2.0]}


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"K": [1]}, r"'K'.*\['k', 'power'\]"),
        ({"k": []}, r"loo_candidates\['k'\] is empty"),
    ],
)
def test_unusable_candidates_are_refused(given, message):
    with pytest.raises(ValueError, match=message):
        candidate_lists(DEFAULTS, given)


@pytest.mark.parametrize("value", [np.arange(2), object(), None, "x", {}, 10**400])
def test_candidates_that_are_not_comparable_are_refused(value):
    allowed = {"k": (lambda k: 0 <= k < np.inf, "numbers ≥ 0")}
    with pytest.raises(ValueError, match=r"loo_candidates\['k'\] holds .*numbers ≥ 0"):
        candidate_lists(DEFAULTS, {"k": [value]}, allowed)


def test_narrow_numbers_are_compared_with_wide_ones():
    allowed = {"k": (lambda k: 0 <= k <= 1e100, "numbers to 1e100")}
    lists = candidate_lists(DEFAULTS, {"k": np.float32([1, 2])}, allowed)
    assert lists["k"] == [1.0, 2.0]


@pytest.mark.parametrize("max_rows", [None, 6, 7])
def test_all_rows_are_left_out_if_there_are_few(max_rows):
    assert rows_to_leave_out(6, max_rows, 0).tolist() == list(range(6))


@pytest.mark.parametrize(
    ("model", "candidates"),
    [
        (MEstimateNB(), {"m": [np.inf]}),
        (BeliefNetworkClassifier("naive"), {"m": [None]}),
        (LanguageModelNB(analyzer=list), {"smoothing_parameter": [10**400]}),
    ],
)
def test_estimators_name_the_candidates_that_they_refuse(model, candidates):
    X, y = [["a", "b"], ["b", "a"], ["a", "a"]], [0, 1, 1]
    ((name, (value,)),) = candidates.items()
    model.set_params(loo_candidates=candidates)
    with pytest.raises(ValueError, match=f"{name}.*{value}"):
        model.fit(X, y)


@pytest.mark.parametrize("seed", SEEDS)
def test_of_many_rows_a_repeatable_random_subset_is_left_out(seed):
    rows = rows_to_leave_out(1000, 50, seed)
    assert rows.shape == (50,)
    assert np.all(np.diff(rows) > 0), "increasing, none twice"
    assert rows[0] >= 0
    assert rows[-1] < 1000
    np.testing.assert_array_equal(rows, rows_to_leave_out(1000, 50, seed))
    assert not np.array_equal(rows, rows_to_leave_out(1000, 50, seed + 1))
    generator = np.random.RandomState(seed)
    np.testing.assert_array_equal(rows, rows_to_leave_out(1000, 50, generator))


@pytest.mark.parametrize("max_rows", [50, 10_000])
def test_steps_of_left_out_rows_are_limited(max_rows):
    for steps_per_row in (0, 1, 1e5, 1e6, 1e7, 1e15):
        most = most_rows(max_rows, steps_per_row, 0)
        assert min(MIN_LEFT_OUT, max_rows) <= most <= max_rows
        assert most * steps_per_row <= MAX_LEFT_OUT_STEPS or most <= MIN_LEFT_OUT
        assert most_rows(None, steps_per_row, 0) is None, "all, whatever they take"


def test_steps_of_a_minute_are_warned_of():
    """All steps that are taken at most are about 40 seconds."""
    most_rows(10_000, MAX_LEFT_OUT_STEPS / 2000, 1000)  # half of them
    with pytest.warns(UserWarning, match="may take 1 min or longer"):
        most_rows(10_000, MAX_LEFT_OUT_STEPS / 2000, 3000)
    with pytest.warns(UserWarning, match="may take 3 min or longer"):
        most_rows(10_000, 5 * MAX_LEFT_OUT_STEPS / 500, 500)
    with pytest.warns(UserWarning, match="may take 67 min or longer"):
        most_rows(None, MAX_LEFT_OUT_STEPS / 1000, 100_000)


@pytest.mark.filterwarnings("ignore:The choice of parameters by leave-one-out may")
@pytest.mark.parametrize(
    ("learner", "caller"),
    [
        (MEstimateNB, _left_out_columns),
        (AODEClassifier, _choices),
        (BeliefNetworkClassifier, _belief_network_classifier),
    ],
)
def test_classifiers_of_many_classes_leave_out_fewer_rows(monkeypatch, learner, caller):
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(200, 3)), rng.integers(0, 5, 200)
    n_left_out = []

    def count_rows(*arguments):
        rows = rows_to_leave_out(*arguments)
        n_left_out.append(len(rows))
        return rows

    monkeypatch.setattr(caller, "rows_to_leave_out", count_rows)
    monkeypatch.setattr(_choice, "MIN_LEFT_OUT", 25)
    learner().fit(X, y)
    assert sum(n_left_out) == 200, "no limit for so small a table"
    monkeypatch.setattr(_choice, "MAX_LEFT_OUT_STEPS", 1)
    n_left_out.clear()
    learner().fit(X, y)
    assert sum(n_left_out) == 25
    n_left_out.clear()
    learner(loo_max_samples=None).fit(X, y)
    assert sum(n_left_out) == 200


def some_joint(seed, n_classes=3, n_rows=40, scale=3.0):
    rng = np.random.default_rng(seed)
    joint = rng.normal(-500, scale, (n_rows, n_classes))  # exp would underflow to 0
    return joint, rng.integers(n_classes, size=n_rows)


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("scale", [1.0, 100.0])  # 100: most losses are clipped
def test_loss_is_scikit_learns_clipped_log_loss(seed, scale):
    joint, classes = some_joint(seed, scale=scale)
    proba = np.exp(joint - joint.max(axis=1, keepdims=True))
    proba /= proba.sum(axis=1, keepdims=True)
    likeliest = proba.argmax(axis=1)
    loss, correct = classification_losses(joint, classes, np.log([1 / 3] * 3))
    expected = [
        log_loss([c], [p], labels=[0, 1, 2], normalize=True)
        for c, p in zip(classes, proba)
    ]
    np.testing.assert_allclose(loss, expected, rtol=1e-9, atol=1e-14)
    np.testing.assert_array_equal(correct, likeliest == classes)


def test_probability_zero_for_the_true_class_costs_the_maximum_loss():
    joint = np.array([[-np.inf, -2.0], [-3.0, -np.inf]])
    loss, correct = classification_losses(joint, np.array([0, 0]), np.log([0.5, 0.5]))
    np.testing.assert_allclose(loss, [-np.log(2.0**-52), 0])
    assert correct.tolist() == [0, 1]


@pytest.mark.parametrize("per_row", [False, True])
def test_rows_impossible_under_every_class_get_the_prior(per_row):
    joint = np.array([[-np.inf, -np.inf], [-1.0, -np.inf], [-np.inf, -np.inf]])
    prior = np.array([1 / 4, 3 / 4])
    if per_row:
        prior = np.array([[1 / 4, 3 / 4], [1 / 2, 1 / 2], [4 / 5, 1 / 5]])
    loss, correct = classification_losses(joint, np.array([1, 0, 1]), np.log(prior))
    last = 1 / 5 if per_row else 3 / 4
    np.testing.assert_allclose(loss, -np.log([3 / 4, 1, last]), atol=1e-15)
    assert correct.tolist() == [1, 1, 0 if per_row else 1]


def test_the_first_of_equal_classes_is_predicted():
    joint = np.zeros((2, 2))
    joint[0] = -3e-15, 0.0  # equal but for rounding
    _, correct = classification_losses(joint, np.array([0, 1]), np.zeros(2))
    assert correct.tolist() == [1, 0]


def some_scores(seed, n_candidates=4, n_rows=30):
    rng = np.random.default_rng(seed)
    scores = {
        "log_loss": rng.exponential(size=(n_candidates, n_rows)),
        "accuracy": rng.integers(2, size=(n_candidates, n_rows)).astype(float),
    }
    return [{"m": i} for i in range(n_candidates)], scores, rng.integers(0, 4, n_rows)


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("name", ["log_loss", "accuracy"])
def test_means_and_errors_are_those_of_the_repeated_rows(seed, name):
    candidates, scores, weight = some_scores(seed)
    _, results = rank_candidates(candidates, scores, weight, [("log_loss", -1)])
    repeated = np.repeat(scores[name], weight, axis=1)
    mean = repeated.mean(axis=1)
    error = repeated.std(axis=1, ddof=1) / np.sqrt(weight.sum())
    np.testing.assert_allclose(results[f"mean_{name}"], mean, rtol=1e-12)
    np.testing.assert_allclose(results[f"standard_error_{name}"], error, rtol=1e-12)


@pytest.mark.parametrize(("name", "sign"), [("log_loss", -1), ("accuracy", 1)])
@pytest.mark.parametrize("seed", SEEDS)
def test_the_best_mean_is_ranked_first(seed, name, sign):
    candidates, scores, weight = some_scores(seed)
    best, results = rank_candidates(candidates, scores, weight, [(name, sign)])
    means = sign * results[f"mean_{name}"]
    assert results["rank"][best] == 1
    assert sorted(results["rank"]) == [1, 2, 3, 4]
    assert np.all(np.diff(means[np.argsort(results["rank"])]) <= 0)
    assert results["params"] == candidates


@pytest.mark.parametrize(
    ("accuracy", "loss", "order"),
    [
        ([0.5, 0.9, 0.9], [1, 3, 2], [2, 1, 0]),  # the second score breaks the tie
        ([0.9, 0.9, 0.9], [2, 2, 1], [2, 0, 1]),  # a tie in both: the first
        ([0.5, 0.5, 0.5], [1, 1, 1], [0, 1, 2]),
    ],
)
def test_ties_go_to_the_next_score_and_then_to_the_first(accuracy, loss, order):
    scores = {
        "accuracy": np.array(accuracy)[:, None],
        "log_loss": np.array(loss, float)[:, None],
    }
    candidates = [{"m": i} for i in range(3)]
    scoring = [("accuracy", 1), ("log_loss", -1)]
    best, results = rank_candidates(candidates, scores, np.ones(1), scoring)
    assert best == order[0]
    assert np.argsort(results["rank"]).tolist() == order


def test_one_copy_of_one_row_has_no_standard_error():
    scores = {"loss": np.array([[1.0]])}
    _, results = rank_candidates([{}], scores, np.ones(1), [("loss", -1)])
    assert np.isnan(results["standard_error_loss"]).all()

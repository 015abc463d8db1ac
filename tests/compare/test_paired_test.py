"""The order of learners, the corrected paired t-test, and ties of the best."""

from types import SimpleNamespace

import numpy as np
import pytest
from scipy import stats

from sklearn_bayeslazy.compare._metrics import (
    METRICS,
    corrected_interval,
    corrected_p_value,
)
from sklearn_bayeslazy.compare._outcome import Comparison, HeldOut, Outcome


def test_by_hand():
    # Mean 2, variance 2; t = 2 / sqrt((1/2 + 1) 2) = 2 / sqrt(3). With one degree of
    # freedom t has the Cauchy distribution: p = 1 - 2 atan(t) / pi.
    expected = 1 - 2 * np.arctan(2 / np.sqrt(3)) / np.pi
    assert corrected_p_value([1, 3], 1) == pytest.approx(expected, rel=1e-12)


@pytest.mark.parametrize("seed", range(5))
def test_without_overlap_it_is_the_paired_t_test(seed):
    differences = np.random.default_rng(seed).normal(0.3, 1, size=10)
    expected = stats.ttest_1samp(differences, 0).pvalue
    assert corrected_p_value(differences, 0) == pytest.approx(expected, rel=1e-10)
    # The overlap of the training parts makes a difference less significant.
    assert corrected_p_value(differences, 1 / 9) > expected


@pytest.mark.parametrize(
    "differences", [[], [1.0], [0.0, 0.0], [1.0, np.nan], [np.inf, 1]]
)
def test_without_evidence_the_p_value_is_1(differences):
    assert corrected_p_value(differences, 0.1) == 1.0


def test_equal_differences_are_certain():
    assert corrected_p_value([0.1, 0.1, 0.1], 0.1) == 0.0
    assert corrected_p_value([-2.0] * 3, 0.1) == 0.0


def test_the_correction_holds_its_level_where_the_plain_test_does_not():
    # Scores of folds whose training parts overlap have a common part: correlation
    # n_2 / (n_1 + n_2) = 1/10 for ten folds, as Nadeau and Bengio assume.
    rng = np.random.default_rng(0)
    common = rng.normal(size=(4000, 1)) * np.sqrt(0.1)
    d = common + rng.normal(size=(4000, 10)) * np.sqrt(0.9)
    corrected = np.mean([corrected_p_value(row, 1 / 9) < 0.05 for row in d])
    plain = np.mean([corrected_p_value(row, 0) < 0.05 for row in d])
    assert abs(corrected - 0.05) < 0.012  # 3.5 standard errors of 4000 draws
    assert plain > 0.1


@pytest.mark.parametrize("seed", range(10))
def test_an_interval_ends_where_the_paired_test_has_p_of_5_per_cent(seed):
    rng = np.random.default_rng(seed)
    scores, ratio = rng.normal(size=rng.integers(2, 12)), rng.random()
    low, high = corrected_interval(scores, ratio)
    assert low + high == pytest.approx(2 * scores.mean())
    for end in (low, high):
        assert corrected_p_value(scores - end, ratio) == pytest.approx(0.05)


def test_an_interval_without_overlap_is_that_of_students_t():
    scores = np.array([0.7, 0.8, 0.9, 0.65])
    expected = stats.t.interval(0.95, 3, scores.mean(), scores.std(ddof=1) / 2)
    assert corrected_interval(scores, 0) == pytest.approx(expected)


def comparison(*scores, scoring=0, task="classification"):
    # The column `scoring` of the scores, accuracy and log loss, ranks.
    step = -1 if scoring else 1
    outcomes = [
        Outcome(
            SimpleNamespace(name=str(i)),
            scores=None if s is None else np.array(s)[:, ::step],
        )
        for i, s in enumerate(scores)
    ]
    for outcome in outcomes:
        outcome.failure = "no" if outcome.scores is None else None
    held_out = HeldOut(None, None, None)
    table = SimpleNamespace(task=task)
    metrics = tuple(METRICS[task].values())[::step]
    rows = np.arange(90), np.arange(90, 120)
    one = Comparison(table, outcomes, 10, 0, [], metrics, *rows, False)
    one.held_out = held_out
    return one


def ties(one):
    return [outcome.learner.name for outcome in one.ties()]


GOOD = [[0.9 + 0.01 * (i % 2), 0.3] for i in range(10)]
BAD = [[0.5 + 0.01 * (i % 3), 0.3] for i in range(10)]
CLOSE = [[0.9 + 0.01 * ((i + 1) % 2), 0.3] for i in range(10)]


def test_learners_within_noise_are_ties_and_failures_are_not():
    assert ties(comparison(GOOD, CLOSE, BAD, None)) == ["1"]


def test_learners_are_compared_over_the_folds_that_both_have():
    # The first two folds of CLOSE differ by +0.01 and -0.01 from those of GOOD.
    assert ties(comparison(GOOD, CLOSE[:2])) == ["1"]
    assert ties(comparison(GOOD, BAD[:1])) == ["1"]


def test_ties_are_found_by_the_score_that_ranks():
    # The log losses are equal, so all are ties by it.
    assert ties(comparison(GOOD, CLOSE, BAD, scoring=1)) == ["1", "2"]


def test_a_learner_without_probabilities_is_no_tie_by_log_loss():
    plain = [[0.9, np.nan]] * 10
    assert ties(comparison(GOOD, plain, scoring=1)) == []
    assert ties(comparison(plain, plain, scoring=1)) == ["1"]


def names(outcomes):
    return [outcome.learner.name for outcome in outcomes]


def test_learners_with_fewer_folds_are_listed_after_those_with_all():
    # The first folds are easy: 0.9, and 0.6 in the others. The mean of all is lower.
    full = [[0.9, 0.3]] * 2 + [[0.6, 0.3]] * 8
    worse = [[a - 0.1, 0.3] for a, _ in full]
    one = comparison(worse, [[0.8, 0.3]] * 2, None, full, [[0.85, 0.3]] * 4)
    one.sort()
    # Learner 4 has 0.85 - 0.75 = +0.1 on four shared folds, learner 1 has -0.1 on two.
    assert names(one.outcomes) == ["3", "0", "4", "1", "2"]
    assert names(one.better_with_fewer_folds()) == ["4"]


def test_the_learners_with_the_most_folds_come_first_if_none_has_all():
    one = comparison([[0.7, 0.3]] * 2, [[0.6, 0.3]] * 3, [[0.5, 0.3]] * 3)
    one.sort()
    assert names(one.outcomes) == ["1", "2", "0"]
    assert names(one.better_with_fewer_folds()) == ["0"]


@pytest.mark.parametrize("first", [0.1, 0.9])
def test_the_loss_of_the_ranking_score_decides_on_fewer_folds(first):
    one = comparison([[0.5, 0.4]] * 10, [[first, 0.3]] * 5, scoring=1)
    one.sort()
    assert names(one.better_with_fewer_folds()) == ["1"]

"""The comparison: ranks, failures as rows, the held-out part, reproducibility."""

import warnings

import numpy as np
import pytest
from sentences import sentences
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.dummy import DummyClassifier
from sklearn.exceptions import ConvergenceWarning
from sklearn.tree import DecisionTreeClassifier

from sklearn_bayeslazy._comparison import _yardsticks
from sklearn_bayeslazy._comparison._evaluate import compare
from sklearn_bayeslazy._comparison._learners import OURS, Learner, suited
from sklearn_bayeslazy._comparison._table import read_table


class Broken(ClassifierMixin, BaseEstimator):
    """A learner that fails, at the step that is named."""

    def __init__(self, step="fit"):
        self.step = step

    def fit(self, X, y):
        self.classes_ = np.unique(y)
        self.n_rows_ = len(y)
        self._fail("fit")
        return self

    def predict(self, X):
        self._fail("predict")
        return np.repeat(self.classes_[:1], len(X))

    def _fail(self, step):
        if step == self.step:
            raise RuntimeError(f"cannot {step} <b>this</b>\nmore on the second line")


def learner(name, build, chosen=lambda estimator: ""):
    return Learner(name, "classification", OURS, build, chosen)


GOOD = learner("good", _yardsticks.categorical_nb)
DUMMY = learner("dummy", _yardsticks.dummy_classifier)


@pytest.fixture
def table(write_table, mixed_rows):
    return read_table(write_table(["word", "number", "class"], mixed_rows))


def test_the_better_is_first_and_is_tried_on_the_held_out_rows(table):
    comparison = compare(table, [DUMMY, GOOD], n_folds=3)
    assert [outcome.learner.name for outcome in comparison.outcomes] == [
        "good",
        "dummy",
    ]
    best = comparison.winner
    assert best.scores.shape == (3, 2)
    assert best.fit_seconds > 0 < best.query_seconds
    assert (comparison.n_train, comparison.n_test) == (45, 15)
    held_out = comparison.held_out
    assert held_out.scores[0] == np.mean(held_out.y == held_out.predicted) > 0.7


def test_the_held_out_rows_are_never_learnt_from(table):
    seen = []

    class Spy(DummyClassifier):
        def fit(self, X, y):
            seen.append(X)
            return super().fit(X, y)

    table.X[:, 1] = np.arange(60)  # a name for each row
    comparison = compare(table, [learner("spy", lambda table: Spy())], n_folds=3)
    assert [len(X) for X in seen] == [30, 30, 30, 45]
    learnt = set(seen[-1][:, 1])
    assert all(set(X[:, 1]) <= learnt for X in seen)
    assert len(learnt) == comparison.n_train


@pytest.mark.parametrize("step", ["build", "fit", "predict", "chosen"])
def test_a_failure_is_the_last_row_with_its_reason(table, step):
    def fail(argument):
        raise RuntimeError(f"cannot {step} <b>this</b>\nmore on the second line")

    broken = learner(
        "broken",
        fail if step == "build" else lambda table: Broken(step),
        fail if step == "chosen" else lambda estimator: "",
    )
    comparison = compare(table, [broken, DUMMY], n_folds=3)
    assert comparison.winner.learner is DUMMY
    assert comparison.outcomes[-1].failure == f"RuntimeError: cannot {step} <b>this</b>"


def test_a_winner_that_fails_on_the_held_out_rows_gives_way(table):
    class Late(DummyClassifier):
        def fit(self, X, y):
            self.n_rows_ = len(y)
            return super().fit(X, y)

        def predict(self, X):
            if self.n_rows_ == 45:
                raise ValueError("too late")
            return np.where(X[:, 0] == "red", "stop", "go")

    comparison = compare(table, [DUMMY, learner("late", lambda t: Late())], n_folds=3)
    assert comparison.winner.learner is DUMMY
    assert (
        comparison.outcomes[-1].failure == "on the held-out part: ValueError: too late"
    )


def test_all_may_fail(table):
    comparison = compare(table, [learner("broken", lambda table: Broken())], n_folds=3)
    assert comparison.winner is None
    assert comparison.held_out is None


def test_an_interrupt_is_no_failure_of_the_learner(table):
    def interrupt(table):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        compare(table, [learner("slow", interrupt)], n_folds=3)


def test_warnings_are_held_back_once_each(table, recwarn):
    class Noisy(DummyClassifier):
        def predict(self, X):
            warnings.warn(
                f"column {len(X)} is odd\nand more", UserWarning, stacklevel=1
            )
            warnings.warn("no convergence", ConvergenceWarning, stacklevel=1)
            warnings.warn("soon otherwise", FutureWarning, stacklevel=1)
            return super().predict(X)

    comparison = compare(table, [learner("noisy", lambda t: Noisy())], n_folds=4)
    said = comparison.winner.warnings
    assert len(said) == 2
    assert said[0].startswith("UserWarning: column ")
    assert said[1] == "ConvergenceWarning: no convergence"
    assert not recwarn.list


def test_a_learner_without_probabilities_has_no_log_loss(table):
    comparison = compare(
        table, [learner("plain", lambda t: Broken("never"))], n_folds=3
    )
    assert np.isnan(comparison.winner.scores[:, 1]).all()
    assert np.isfinite(comparison.winner.scores[:, 0]).all()


def test_learners_are_given_what_they_read(write_table):
    rows = [
        [i, f"{text}, once", "xy"[i % 2]]
        for i, text in enumerate(sentences(60, mood=["great", "boring"]))
    ]
    table = read_table(write_table(["n", "note", "t"], rows))
    kinds = {"columns": float, "documents": str, "whole": object}

    class Reader(DummyClassifier):
        def fit(self, X, y):
            first = X[0] if X.ndim == 1 else X
            self.kind_ = str if isinstance(first, str) else X.dtype
            self.shape_ = X.shape[1:]
            return super().fit(X, y)

    learners = [
        Learner(r, "classification", OURS, lambda t: Reader(), reads=r) for r in kinds
    ]
    for outcome in compare(table, learners, n_folds=3).outcomes:
        assert outcome.failure is None
        assert outcome.estimator.kind_ == kinds[outcome.learner.name]
        shape = {"columns": (1,), "documents": (), "whole": (2,)}
        assert outcome.estimator.shape_ == shape[outcome.learner.name]


def test_words_decide_where_only_they_can(write_table):
    rows = [
        [i % 5, text, "xy"[i % 2]]
        for i, text in enumerate(sentences(60, mood=["great", "boring"]))
    ]
    table = read_table(write_table(["n", "note", "t"], rows))
    names = ("TextNB, loo", "GaussianNB")
    learners = [item for item in suited(table) if item.name in names]
    comparison = compare(table, learners, n_folds=3)
    assert comparison.winner.learner.name == "TextNB, loo"
    assert comparison.held_out.scores[0] == 1


def test_a_fold_without_a_word_is_a_row_with_its_reason(write_table):
    rows = [[text, "xy"[i % 2]] for i, text in enumerate(sentences(40))]
    table = read_table(write_table(["note", "t"], rows))
    assert table.holds("documents")
    table.X[:, 0] = "1 2 3"
    (learner,) = [x for x in suited(table) if x.name == "MultinomialNB"]
    (outcome,) = compare(table, [learner], n_folds=3).outcomes
    assert outcome.failure.startswith("ValueError: empty vocabulary")


def test_regression_on_text_alone(write_table):
    texts = sentences(60, mood=["great", "boring"])
    rows = [[text, 100 * (i % 2) + i / 100] for i, text in enumerate(texts)]
    table = read_table(write_table(["note", "t"], rows))
    comparison = compare(table, suited(table), n_folds=3)
    names = [outcome.learner.name for outcome in comparison.outcomes]
    assert names == ["Ridge, TF-IDF", "DummyRegressor"]
    assert comparison.held_out.scores[0] > 0.5


def test_the_seed_decides_everything(table):
    built = []

    def tree(table):
        built.append(DecisionTreeClassifier(max_features=1))
        return _yardsticks.make_pipeline(_yardsticks._to_numbers(table), built[-1])

    runs = [
        compare(table, [learner("tree", tree)], n_folds=3, seed=s) for s in (1, 1, 2)
    ]
    first, again, other = (run.winner.scores for run in runs)
    assert (first == again).all()
    assert not (first == other).all()
    assert [item.random_state for item in built] == [1, 1, 2]


def test_threads_change_no_score(table):
    alone = compare(table, [GOOD, DUMMY], n_folds=3)
    threaded = compare(table, [GOOD, DUMMY], n_folds=3, n_jobs=2)
    for one, other in zip(alone.outcomes, threaded.outcomes):
        np.testing.assert_array_equal(one.scores, other.scores)


def test_rare_classes_make_fewer_folds_and_a_message(write_table):
    rows = [[i, "rare" if i < 4 else "xy"[i % 2]] for i in range(60)]
    comparison = compare(read_table(write_table(["a", "t"], rows)), [GOOD])
    assert comparison.n_folds == 3
    assert "of class 'rare' the training part has 3" in comparison.messages[0]


def test_regression(write_table):
    rows = [[i, "ab"[i % 2], 3 * i + 0.5] for i in range(60)]
    table = read_table(write_table(["a", "b", "t"], rows))
    comparison = compare(table, suited(table), n_folds=5)
    names = [outcome.learner.name for outcome in comparison.outcomes]
    assert names.index("Ridge") < names.index("KNeighborsRegressor")
    assert names[-1] == "DummyRegressor"
    assert comparison.held_out.scores[0] > 0.99

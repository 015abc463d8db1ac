"""compare: ranking, failures, the held-out part, reproducibility.

Code under test: `compare/_evaluate.py`, `compare/_outcome.py`.
"""

import warnings

import numpy as np
import pytest
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.dummy import DummyClassifier
from sklearn.exceptions import ConvergenceWarning
from sklearn.pipeline import make_pipeline
from sklearn.tree import DecisionTreeClassifier

from sklearn_bayeslazy.compare._evaluate import compare
from sklearn_bayeslazy.compare._learners._baselines import scaled
from sklearn_bayeslazy.compare._learners._learner import BAYESLAZY, Learner
from sklearn_bayeslazy.compare._learners._registry import LEARNERS, learners_for
from sklearn_bayeslazy.compare._read_dataset import read_dataset
from tests.helpers.sentences import sentences


class Broken(ClassifierMixin, BaseEstimator):
    """A learner that raises an error at the given step."""

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


def learner(name, build):
    return Learner(name, "classification", BAYESLAZY, build)


BUILD = {one.name: one.build for one in LEARNERS}
CATEGORICAL_NB = learner("good", BUILD["CategoricalNB"])
DUMMY = learner("dummy", BUILD["DummyClassifier"])


@pytest.fixture
def table(write_table, mixed_rows):
    return read_dataset(write_table(["word", "number", "class"], mixed_rows))


def test_the_best_learner_is_first_and_is_scored_on_the_held_out_rows(table):
    comparison = compare(table, [DUMMY, CATEGORICAL_NB], n_folds=3)
    assert [outcome.learner.name for outcome in comparison.outcomes] == [
        "good",
        "dummy",
    ]
    best = comparison.winner
    assert best.scores.shape == (3, 2)
    assert best.fit_seconds > 0 < best.predict_seconds
    assert (len(comparison.train), len(comparison.test)) == (45, 15)
    held_out = comparison.held_out
    assert held_out.scores[0] == np.mean(held_out.y == held_out.predicted) > 0.7


def test_the_held_out_rows_are_never_in_a_training_part(table):
    fitted = []

    class Recorder(DummyClassifier):
        def fit(self, X, y):
            fitted.append(X["number"])
            return super().fit(X, y)

    table.X["number"] = np.arange(60.0)  # an identifier for each row
    recorder = learner("recorder", lambda table: Recorder())
    comparison = compare(table, [recorder], n_folds=3)
    assert [len(X) for X in fitted] == [30, 30, 30, 45]
    training_rows = set(fitted[-1])
    assert all(set(X) <= training_rows for X in fitted)
    assert len(training_rows) == len(comparison.train)


@pytest.mark.parametrize("step", ["build", "fit", "predict"])
def test_a_failed_learner_is_ranked_last_with_its_error(table, step):
    def fail(argument):
        raise RuntimeError(f"cannot {step} <b>this</b>\nmore on the second line")

    build = fail if step == "build" else lambda table: Broken(step)
    broken = learner("broken", build)
    comparison = compare(table, [broken, DUMMY], n_folds=3)
    assert comparison.winner.learner is DUMMY
    assert comparison.outcomes[-1].failure == f"RuntimeError: cannot {step} <b>this</b>"


def test_a_winner_that_fails_on_the_held_out_rows_is_replaced_by_the_next(table):
    class Late(DummyClassifier):
        def fit(self, X, y):
            self.n_rows_ = len(y)
            return super().fit(X, y)

        def predict(self, X):
            if self.n_rows_ == 45:
                raise ValueError("too late")
            return np.where(X["word"] == "red", "stop", "go")

    comparison = compare(table, [DUMMY, learner("late", lambda t: Late())], n_folds=3)
    assert comparison.winner.learner is DUMMY
    assert (
        comparison.outcomes[-1].failure == "on the held-out part: ValueError: too late"
    )


def test_a_comparison_without_a_winner(table):
    comparison = compare(table, [learner("broken", lambda table: Broken())], n_folds=3)
    assert comparison.winner is None
    assert comparison.held_out is None


def test_an_interrupt_ends_the_cross_validation_and_keeps_the_results(table):
    def interrupt(table):
        raise KeyboardInterrupt

    learners = [DUMMY, learner("slow", interrupt), CATEGORICAL_NB]
    comparison = compare(table, learners, n_folds=3)
    assert comparison.interrupted
    assert [outcome.learner for outcome in comparison.outcomes] == [DUMMY]
    assert comparison.winner.learner is DUMMY
    assert comparison.left_out == ["slow", "good"]
    assert "Left out (interrupted): slow; good." in comparison.messages


def test_warnings_are_recorded_once_each(table, recwarn):
    class Noisy(DummyClassifier):
        def predict(self, X):
            warnings.warn(
                f"column {len(X)} is odd\nand more", UserWarning, stacklevel=1
            )
            warnings.warn("no convergence", ConvergenceWarning, stacklevel=1)
            warnings.warn("soon otherwise", FutureWarning, stacklevel=1)
            return super().predict(X)

    comparison = compare(table, [learner("noisy", lambda t: Noisy())], n_folds=4)
    recorded = comparison.winner.warnings
    assert len(recorded) == 2
    assert recorded[0].startswith("UserWarning: column ")
    assert recorded[1] == "ConvergenceWarning: no convergence"
    assert not recwarn.list


def test_a_learner_without_probabilities_has_no_log_loss(table):
    comparison = compare(
        table, [learner("plain", lambda t: Broken("never"))], n_folds=3
    )
    assert np.isnan(comparison.winner.scores[:, 1]).all()
    assert np.isfinite(comparison.winner.scores[:, 0]).all()


def test_learners_get_the_part_of_the_table_that_they_read(write_table):
    rows = [
        [i, f"{text}, once", "xy"[i % 2]]
        for i, text in enumerate(sentences(60, mood=["great", "boring"]))
    ]
    table = read_dataset(write_table(["n", "note", "t"], rows))
    kinds = {"columns": float, "documents": str, "whole": str}

    class Reader(DummyClassifier):
        def fit(self, X, y):
            self.kind_ = type(X[0] if X.ndim == 1 else X.iloc[0, 0])
            self.shape_ = X.shape[1:]
            return super().fit(X, y)

    learners = [
        Learner(r, "classification", BAYESLAZY, lambda t: Reader(), reads=r)
        for r in kinds
    ]
    for outcome in compare(table, learners, n_folds=3).outcomes:
        assert outcome.failure is None
        assert issubclass(outcome.estimator.kind_, kinds[outcome.learner.name])
        shape = {"columns": (1,), "documents": (), "whole": (2,)}
        assert outcome.estimator.shape_ == shape[outcome.learner.name]


def test_learners_of_columns_and_of_text_use_a_text(
    write_table,
):
    rows = [
        [i % 5, text, "xy"[i % 2]]
        for i, text in enumerate(sentences(60, mood=["great", "boring"]))
    ]
    table = read_dataset(write_table(["n", "note", "t"], rows))
    names = ("TextNB, loo", "GaussianNB")
    learners = [item for item in learners_for(table) if item.name in names]
    comparison = compare(table, learners, n_folds=3)
    # GaussianNB reads the text as log odds.
    assert {outcome.learner.name for outcome in comparison.outcomes} == set(names)
    assert all(o.scores[:, 0].mean() == 1 for o in comparison.outcomes)
    assert comparison.held_out.scores[0] == 1


def test_a_fold_without_words_is_a_failure(write_table):
    rows = [[text, "xy"[i % 2]] for i, text in enumerate(sentences(40))]
    table = read_dataset(write_table(["note", "t"], rows))
    assert table.has_any("documents")
    table.X["note"] = "1 2 3"
    (learner,) = [x for x in learners_for(table) if x.name == "MultinomialNB"]
    (outcome,) = compare(table, [learner], n_folds=3).outcomes
    assert outcome.failure.startswith("ValueError: empty vocabulary")


def test_regression_with_only_a_text_column(write_table):
    texts = sentences(60, mood=["great", "boring"])
    rows = [[text, 100 * (i % 2) + i / 100] for i, text in enumerate(texts)]
    table = read_dataset(write_table(["note", "t"], rows))
    comparison = compare(table, learners_for(table), n_folds=3)
    names = [outcome.learner.name for outcome in comparison.outcomes]
    assert names == ["Ridge, TF-IDF", "DummyRegressor"]
    assert comparison.held_out.scores[0] > 0.5


def test_the_seed_sets_all_random_choices(table):
    built = []

    def tree(table):
        built.append(DecisionTreeClassifier(max_features=1))
        return make_pipeline(scaled(), built[-1])

    runs = [
        compare(table, [learner("tree", tree)], n_folds=3, seed=s) for s in (1, 1, 2)
    ]
    first, again, other = (run.winner.scores for run in runs)
    assert (first == again).all()
    assert not (first == other).all()
    # One for the folds and one for the held-out rows.
    assert [item.random_state for item in built] == [1, 1, 1, 1, 2, 2]


def test_scores_do_not_depend_on_the_number_of_threads(table):
    alone = compare(table, [CATEGORICAL_NB, DUMMY], n_folds=3)
    threaded = compare(table, [CATEGORICAL_NB, DUMMY], n_folds=3, n_jobs=2)
    for single, several in zip(alone.outcomes, threaded.outcomes):
        np.testing.assert_array_equal(single.scores, several.scores)


def test_a_rare_class_does_not_reduce_the_folds(write_table):
    rows = [[i % 7, "rare" if i < 4 else "xy"[i % 2]] for i in range(60)]
    comparison = compare(read_dataset(write_table(["a", "t"], rows)), [CATEGORICAL_NB])
    assert comparison.n_folds == 10
    message = "Some folds lack a class: the training part has 3 rows of class 'rare'"
    assert message in comparison.messages[0]
    assert len(comparison.winner.scores) == 10


def test_regression_with_mixed_columns(write_table):
    rows = [[i / 2, "ab"[i % 2], 3 * i + 0.5] for i in range(60)]
    table = read_dataset(write_table(["a", "b", "t"], rows))
    learners = learners_for(table, ["Dummy", "KNeighbors", "Ridge"])
    comparison = compare(table, learners, n_folds=5)
    names = [outcome.learner.name for outcome in comparison.outcomes]
    assert names.index("Ridge") < names.index("KNeighborsRegressor")
    assert names.index("KNeighborsRegressor") < names.index("DummyRegressor")
    assert comparison.held_out.scores[0] > 0.99

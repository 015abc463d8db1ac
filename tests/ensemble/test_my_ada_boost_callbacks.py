"""MyAdaBoost: callbacks of scikit-learn 1.9 are called for fit and for each round."""

import pickle

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.model_selection import GridSearchCV
from sklearn.tree import DecisionTreeClassifier

from sklearn_bayeslazy import MyAdaBoost
from tests.helpers import callback_recorder
from tests.helpers.ensemble_learners import LABELS, ROWS, PlannedErrors, integer_table

callback = pytest.importorskip("sklearn.callback", reason="needs scikit-learn 1.9")


class Recorder(callback_recorder.Recorder):
    """Records the numbers of the tasks, too."""

    def describe(self, context):
        return f"{context.task_name} {context.task_id}"


@pytest.mark.parametrize(
    "model",
    [
        MyAdaBoost(max_depth=1, n_estimators=3),
        MyAdaBoost(n_estimators=3, algorithm="mh"),
        MyAdaBoost(DecisionTreeClassifier(max_depth=1), n_estimators=3),
    ],
    ids=str,
)
def test_each_round_hands_over_the_model_as_if_it_were_the_last(model):
    X, y = integer_table(100)
    recorder = Recorder()
    model = clone(model).set_callbacks(recorder).fit(X, y)
    rounds = [f"{what} round {t}" for t in range(3) for what in ("begin", "end")]
    whole = ["setup", "begin fit 0", *rounds, "end fit 0", "teardown"]
    assert recorder.events == whole
    for n, partial in enumerate(recorder.models, 1):
        short = clone(model).set_params(n_estimators=n).set_callbacks().fit(X, y)
        assert len(partial.estimators_) == n
        np.testing.assert_array_equal(partial.predict_proba(X), short.predict_proba(X))
    assert recorder.data[0] is X
    assert recorder.data[2] is None


def test_a_callback_can_end_boosting():
    X, y = integer_table(100)
    recorder = Recorder(stop_after=2)
    model = MyAdaBoost(max_depth=1, n_estimators=9).set_callbacks(recorder).fit(X, y)
    assert len(model.estimators_) == 2
    assert recorder.events[-2:] == ["end fit 0", "teardown"]


def test_a_round_that_ends_boosting_ends_its_task_without_a_model():
    recorder = Recorder()
    weak = PlannedErrors([], bad=(1,))
    model = MyAdaBoost(weak, n_estimators=5, on_weak_round="stop")
    model.set_callbacks(recorder).fit(ROWS, LABELS)
    assert len(model.estimators_) == 1
    last = ["begin round 1", "end round 1", "end fit 0", "teardown"]
    assert recorder.events[-4:] == last
    assert recorder.models[1] is None


def test_a_failed_fit_ends_the_callbacks_and_leaves_the_former_model():
    recorder = Recorder()
    model = (
        MyAdaBoost(max_depth=1, n_estimators=2)
        .set_callbacks(recorder)
        .fit(ROWS, LABELS)
    )
    before = vars(model).copy()
    with pytest.raises(ValueError, match="NaN"):
        model.set_params(n_estimators=3).fit(ROWS, [np.nan] * 10)
    assert recorder.events.count("setup") == recorder.events.count("teardown") == 2
    assert vars(model) == {**before, "n_estimators": 3}
    assert not hasattr(pickle.loads(pickle.dumps(model)), "_callback_fit_ctx")


def test_callbacks_see_weights_and_rounds_of_early_stopping():
    X, y = integer_table(100)
    weight = np.arange(100) % 3.0
    recorder = Recorder()
    model = MyAdaBoost(
        max_depth=1, n_estimators=40, n_iter_no_change=2, validation_fraction=0.3
    )
    model.set_callbacks(recorder).fit(X, y, sample_weight=weight)
    assert len(recorder.models) == len(model.validation_errors_)
    assert recorder.data[2]["sample_weight"] is weight


def test_scoring_monitor_gives_the_staged_scores():
    X, y = integer_table(100, 3)
    monitor = callback.ScoringMonitor(scoring="accuracy")
    model = MyAdaBoost(max_depth=1, n_estimators=4).set_callbacks(monitor).fit(X, y)
    log = monitor.get_logs().data_as_pandas
    found = log[log["task_name"] == "round"]["accuracy"]
    np.testing.assert_allclose(found, list(model.staged_score(X, y)))


def test_a_search_hands_its_callbacks_on():
    class Propagated(Recorder):
        max_propagation_depth = None

    X, y = integer_table(100)
    recorder = Propagated()
    model = MyAdaBoost(DecisionTreeClassifier(max_depth=1))
    search = GridSearchCV(model, {"n_estimators": [1, 2]}, cv=2)
    search.set_callbacks(recorder).fit(X, y)
    n_rounds = sum(event.startswith("end round") for event in recorder.events)
    best = search.best_params_["n_estimators"]
    assert n_rounds == 2 * (1 + 2) + best

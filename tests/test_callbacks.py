"""Callbacks of scikit-learn 1.9 in AxisStretcher and both belief networks.

Code under test: `_core/_fit_tasks.py`.
"""

import pickle
import warnings

import numpy as np
import pytest
from sklearn.base import clone

from sklearn_bayeslazy import AxisStretcher, BeliefNetwork, BeliefNetworkClassifier
from tests.helpers.callback_recorder import Recorder

pytest.importorskip("sklearn.callback", reason="needs scikit-learn 1.9")

RNG = np.random.default_rng(0)
X = RNG.integers(0, 3, size=(60, 4)).astype(float)
X[:, 1] = (X[:, 0] + (RNG.random(60) < 0.3)) % 3
X[:, 3] = (X[:, 2] + (RNG.random(60) < 0.3)) % 3
Y = ((X[:, 0] + X[:, 2] + RNG.random(60)) > 2.5).astype(int)
MISSING = X.copy()
MISSING[RNG.random(X.shape) < 0.2] = np.nan
HIDDEN = {"hidden": {"h": 2}, "structure": [("h", str(j)) for j in range(4)]}
HIDDEN |= {"random_state": 0, "n_init": 2, "max_iter": 20, "tol": 1e-3}
STEPS = {"max_iter": 20, "tol": 0.0, "missing": "expected"}
CASES = {
    "stretcher": ("iteration", AxisStretcher(random_state=0), X),
    "stretcher by subsets": (
        "iteration",
        AxisStretcher(random_state=0, loo_max_samples=20),
        X,
    ),
    "moves": ("move", BeliefNetwork(tabu=3, n_restarts=1, random_state=0), X),
    "moves of a classifier": (
        "move",
        BeliefNetworkClassifier("hill_climbing", m=1.0, prior="uniform", tabu=3),
        X,
    ),
    "EM": ("step", BeliefNetwork("chow_liu", **STEPS), MISSING),
    "gradient": (
        "step",
        BeliefNetwork("chow_liu", hidden_learner="gradient", **STEPS),
        MISSING,
    ),
    "EM of a classifier": ("step", BeliefNetworkClassifier("tan", **STEPS), MISSING),
    "hidden nodes": ("step", BeliefNetwork(**HIDDEN), X),
}
cases = pytest.mark.parametrize(("task", "model", "rows"), CASES.values(), ids=CASES)


def answers(model, rows):
    """Return what a model answers for rows."""
    if isinstance(model, AxisStretcher):
        return model.transform(rows)
    if isinstance(model, BeliefNetworkClassifier):
        return model.predict_proba(rows)
    return model.score_samples(rows)


def fitted(model, rows, *callbacks, **options):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", category=UserWarning)  # of few iterations
        return clone(model).set_callbacks(*callbacks).fit(rows, Y, **options)


@cases
def test_each_iteration_is_a_task_and_callbacks_change_nothing(task, model, rows):
    recorder = Recorder()
    found = fitted(model, rows, recorder)
    events = recorder.inner()
    assert len(recorder.models) > 1
    assert events == [f"begin {task}", f"end {task}"] * len(recorder.models)
    assert recorder.data[0] is rows
    assert recorder.data[1] is Y
    plain = fitted(model, rows)
    np.testing.assert_array_equal(answers(found, rows), answers(plain, rows))


@cases
@pytest.mark.parametrize("stop_after", [1, 2])
def test_the_model_of_a_task_is_that_of_a_fit_that_ends_there(
    task, model, rows, stop_after
):
    recorder = Recorder(stop_after)
    found = fitted(model, rows, recorder)
    assert recorder.inner().count(f"end {task}") == stop_after
    assert len(recorder.models) == stop_after
    last = recorder.models[-1]
    np.testing.assert_array_equal(answers(last, rows), answers(found, rows))


@cases
def test_the_last_model_is_at_least_as_good_as_the_first(task, model, rows):
    recorder = Recorder()
    found = fitted(model, rows, recorder)
    models = [one for one in recorder.models if one is not None]
    assert len(models) > 1
    if task == "step":
        objectives = [one.objective_history_[-1] for one in models]
        assert np.all(np.diff(objectives) >= -1e-9)
        assert found.objective_history_[-1] == objectives[-1]
    elif task == "move":
        graphs = [one.structure_ for one in models]
        assert graphs[-1] == found.structure_
        assert graphs[0] != found.structure_
    else:
        np.testing.assert_array_equal(models[-1].scale_, found.scale_)


def test_a_stopped_search_does_not_warn_that_it_has_not_converged():
    _, model, rows = CASES["EM"]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        found = clone(model).set_callbacks(Recorder(1)).fit(rows)
    assert found.n_iter_ == 1
    assert not found.converged_


def test_moves_can_be_stopped_before_em():
    model = BeliefNetwork("hill_climbing", **STEPS)
    recorder = Recorder(1)
    fitted(model, MISSING, recorder)
    assert recorder.events.count("end move") == 1
    assert recorder.events.count("end step") > 1


@cases
def test_a_failed_fit_ends_the_callbacks_and_leaves_the_former_model(task, model, rows):
    recorder = Recorder()
    model = fitted(model, rows, recorder)
    before = vars(model).copy()
    with pytest.raises(ValueError, match="infinity"):
        model.fit(np.full((60, 4), np.inf), Y)
    assert recorder.events.count("setup") == recorder.events.count("teardown") == 2
    assert vars(model) == before
    assert not hasattr(pickle.loads(pickle.dumps(model)), "_callback_fit_ctx")


@cases
def test_callbacks_see_the_weights(task, model, rows):
    recorder, weight = Recorder(), np.ones(60)
    fitted(model, rows, recorder, sample_weight=weight)
    assert recorder.data[2]["sample_weight"] is weight

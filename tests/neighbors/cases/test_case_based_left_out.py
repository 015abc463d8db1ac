"""CaseBased* predict the stored cases from all others, as refits without each do."""

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose

from sklearn_bayeslazy import (
    CaseBasedClassifier,
    CaseBasedRegressor,
    EqualitySimilarity,
    NumberSimilarity,
)
from tests.helpers.copies_by_hand import weights_without

N = 40
SIMILARITIES = {"a": EqualitySimilarity(), "x": NumberSimilarity(scale=3.0)}
GIVEN = {"similarities": SIMILARITIES, "weights": [1, 2], "missing": 0.3, "power": 2}


def draw():
    """Return cases with symbols and numbers; the last eight repeat others."""
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({"a": rng.choice(list("pqr"), N), "x": rng.normal(size=N)})
    y = rng.integers(0, 3, N)
    frame.iloc[-8:], y[-8:] = frame.iloc[:8].to_numpy(), y[:8]
    return frame.astype({"x": float}), y, rng.uniform(0.5, 2.5, N)


def without(frame, y, weight, i):
    return weights_without(
        np.column_stack([frame["a"].map(ord), frame["x"]]), y, weight, i
    )


@pytest.mark.parametrize("k", [4, None])
@pytest.mark.parametrize("weighted", [False, True])
def test_classes_are_those_of_refits(k, weighted):
    frame, y, weight = draw()
    weight = weight if weighted else np.ones(N)
    model = CaseBasedClassifier(k, m=1.5, **GIVEN).fit(frame, y, weight)
    left_out, score = model.predict_proba(None), model.score(None, y)
    assert score == np.mean(model.predict(None) == y) < model.score(frame, y)
    for i in range(N):
        other = CaseBasedClassifier(k, m=1.5, **GIVEN)
        other.fit(frame, y, without(frame, y, weight, i))
        assert_allclose(left_out[i], other.predict_proba(frame.iloc[[i]])[0], rtol=1e-9)


def test_numbers_are_those_of_refits_and_follow_the_memory():
    frame, y, weight = draw()
    y = y + np.tile(np.linspace(0, 1, 32), 2)[:N]  # copies keep equal answers
    model = CaseBasedRegressor(3, **GIVEN).fit(frame[:30], y[:30], weight[:30])
    model.retain(frame[30:], y[30:], weight[30:])
    model.forget([1, 2])
    kept = np.delete(np.arange(N), [1, 2])
    frame, y, weight = frame.iloc[kept].reset_index(drop=True), y[kept], weight[kept]
    left_out = model.predict(None)
    for i in range(len(y)):
        other = CaseBasedRegressor(3, **GIVEN)
        other.fit(frame, y, without(frame, y, weight, i))
        assert_allclose(left_out[i], other.predict(frame.iloc[[i]])[0], rtol=1e-9)
    assert model.score(None, y) < model.score(frame, y)


def test_cases_of_weight_0_have_no_answer_and_one_case_is_too_few():
    frame, y, weight = draw()
    weight[3] = 0
    model = CaseBasedClassifier(4, m=1.5, **GIVEN).fit(frame, y, weight)
    assert len(model.predict(None)) == N - 1
    assert model.score(None, y, weight) > 0
    one = CaseBasedClassifier(4, m=1.5, **GIVEN).fit(frame[:1], y[:1])
    with pytest.raises(ValueError, match="store two cases"):
        one.predict(None)


def test_the_score_of_the_choice_is_that_of_the_left_out_predictions():
    frame, y, _ = draw()
    model = CaseBasedClassifier(similarities=SIMILARITIES, weights=None).fit(frame, y)
    log_loss = -np.mean(model.predict_log_proba(None)[np.arange(N), y])
    best = np.argmin(model.loo_results_["rank"])
    assert_allclose(log_loss, model.loo_results_["mean_log_loss"][best], rtol=1e-9)

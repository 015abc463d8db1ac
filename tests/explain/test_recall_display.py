"""RecallDisplay: the curve, the marker and errors."""

import numpy as np
import pytest
from sklearn.datasets import make_blobs
from sklearn.exceptions import NotFittedError
from sklearn.neighbors import NearestNeighbors

from sklearn_bayeslazy import LSHNeighbors, RecallDisplay


@pytest.fixture
def table():
    X = make_blobs(3200, 20, centers=30, random_state=0)[0]
    return X[:3000], X[3000:]


def test_recall_curve(table):
    X, queries = table
    engine = LSHNeighbors(5, recall=0.9, random_state=0).fit(X)
    before = engine.kneighbors(queries)[1]
    recalls = (0.5, 0.8, 0.99)
    curve = engine.recall_curve(queries, recalls)
    assert len(curve.recall) == len(curve.seconds) == 4
    assert np.all(curve.recall[:3] >= np.array(recalls) - 1e-9)
    assert curve.recall[0] <= curve.recall[1] < curve.recall[2]
    assert np.all(curve.seconds > 0)
    assert (curve.n_read[3], curve.n_candidates[3]) == (
        engine.n_read_,
        engine.n_candidates_,
    )
    assert curve.recall[3] == engine.recall_report(queries).recall
    np.testing.assert_array_equal(engine.kneighbors(queries)[1], before)


def test_the_line_has_the_curve(table, pyplot):
    X, queries = table
    engine = LSHNeighbors(5, recall=0.9, random_state=0).fit(X)
    display = RecallDisplay.from_estimator(engine, queries, name="blobs")
    x, y = display.line_.get_data()
    assert np.all(np.diff(x) >= 0)
    assert sorted(y) == sorted(1e6 * display.seconds[:-1])
    assert display.mark_.get_xdata()[0] == display.recall[-1]
    labels = [text.get_text() for text in display.ax_.get_legend().get_texts()]
    assert labels == ["blobs", "chosen by fit"]
    again = display.plot(ax=display.ax_, line_kw={"color": "red"})
    assert again.line_.get_color() == again.mark_.get_color() == "red"


def test_other_estimators_are_refused(table):
    X, queries = table
    with pytest.raises(TypeError, match="NearestNeighbors has no recall_curve"):
        RecallDisplay.from_estimator(NearestNeighbors().fit(X), queries)
    with pytest.raises(NotFittedError):
        RecallDisplay.from_estimator(LSHNeighbors(), queries)


def test_the_frame_has_the_budgets():
    pytest.importorskip("pandas", reason="frame() returns a pandas frame")
    display = RecallDisplay(recall=np.array([0.5, 0.9]), seconds=[1e-6, 2e-6])
    frame = display.frame()
    assert frame["recall"].tolist() == [0.5, 0.9]
    assert frame["is_chosen"].tolist() == [False, True]

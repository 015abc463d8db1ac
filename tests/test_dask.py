"""Fits over dask collections give the model of fit_blocks, also if a worker is lost."""

import os

import dask.array as da
import dask.bag as db
import dask.dataframe as dd
import joblib
import numpy as np
import pandas as pd
import pytest
import sklearn
from dask.delayed import delayed
from sklearn.ensemble import RandomForestClassifier
from sklearn.model_selection import cross_val_score

from sklearn_bayeslazy import (
    AODEClassifier,
    BeliefNetworkClassifier,
    LanguageModelNB,
    MEstimateNB,
)
from sklearn_bayeslazy.dask import fit, predict
from sklearn_bayeslazy.datasets import load_horse_colic
from tests.helpers.lost_workers import end_process_once

CLASSICAL = {"m": 1, "distribution": "auto", "feature_weights": None}


def horses(n_partitions):
    """Return a table and its classes, and both as dask collections."""
    X, y = load_horse_colic(as_frame=True, return_X_y=True)
    X = X.reset_index(drop=True)
    y = pd.Series(np.asarray(y), name="outcome")
    parts = [dd.from_pandas(data, npartitions=n_partitions) for data in (X, y)]
    return X, y, *parts


def dependent_columns(n_partitions):
    """Return a table of columns that depend on each other, as `horses`."""
    rng = np.random.default_rng(0)
    y = rng.integers(2, size=300)
    cells = np.cumsum(rng.integers(3, size=(300, 6)), axis=1) + y[:, None]
    X, y = pd.DataFrame(cells % 5).astype(str), pd.Series(y, name="outcome")
    X.columns = list("abcdef")
    parts = [dd.from_pandas(data, npartitions=n_partitions) for data in (X, y)]
    return X, y, *parts


def assert_same_answers(ours, expected, X):
    np.testing.assert_allclose(
        ours.predict_joint_log_proba(X),
        expected.predict_joint_log_proba(X),
        rtol=1e-12,
        atol=1e-12,
    )


@pytest.mark.parametrize("max_sample_rows", [60, 1000])
def test_partitions_give_the_model_of_blocks(max_sample_rows):
    X, y, X_parts, y_parts = horses(5)
    model = MEstimateNB()
    one = MEstimateNB().fit_blocks([(X, y)], max_sample_rows=max_sample_rows)
    ours = fit(model, X_parts, y_parts, max_sample_rows=max_sample_rows)
    assert not hasattr(model, "classes_")
    assert_same_answers(ours, one, X)
    assert predict(ours, X_parts).compute().tolist() == one.predict(X).tolist()
    proba = predict(ours, X_parts, method="predict_proba")
    assert proba.ndim == 2
    np.testing.assert_allclose(proba.compute(), one.predict_proba(X), rtol=1e-12)


@pytest.mark.parametrize("n_partitions", [1, 2, 7])
def test_the_tree_of_partitions_is_that_of_all_rows(n_partitions):
    X, y, X_parts, y_parts = dependent_columns(n_partitions)
    given = {"m": 1.0, "prior": "uniform", "calibration": None}
    one = BeliefNetworkClassifier(**given).fit(X, y)
    model = BeliefNetworkClassifier(**given)
    ours = fit(model, X_parts, y_parts, max_sample_rows=10)
    assert ours.structure_ == one.structure_
    assert_same_answers(ours, one, X)
    blocks = [(X[:77], y[:77]), (X[77:], y[77:])]
    of_blocks = BeliefNetworkClassifier().fit_blocks(blocks, max_sample_rows=60)
    ours = fit(BeliefNetworkClassifier(), X_parts, y_parts, max_sample_rows=60)
    assert (ours.m_, ours.prior_) == (of_blocks.m_, of_blocks.prior_)
    assert_same_answers(ours, of_blocks, X)
    np.testing.assert_allclose(
        ours.predict_proba(X), of_blocks.predict_proba(X), rtol=1e-9
    )


class ModelThatNotesItsWorkingMemory(MEstimateNB):
    """Notes the working memory in each batch; dask's threads share the list."""

    noted = []

    def partial_fit(self, X, y, classes=None, sample_weight=None):
        """Learn from a batch."""
        self.noted.append(sklearn.get_config()["working_memory"])
        return super().partial_fit(X, y, classes, sample_weight)


def test_tasks_run_under_the_configuration_of_the_caller():
    _, _, X_parts, y_parts = horses(3)
    with sklearn.config_context(working_memory=7):
        fit(ModelThatNotesItsWorkingMemory(1.0), X_parts, y_parts)
    assert ModelThatNotesItsWorkingMemory.noted == [7] * 4  # the sample and 3 parts


def test_arrays_weights_and_partitions_without_rows():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(90, 4)), rng.integers(3, size=90)
    weight = rng.integers(4, size=90).astype(float)
    one = MEstimateNB(**CLASSICAL).fit(X, y, weight)
    chunks = ((40, 0, 50),)
    ours = fit(
        MEstimateNB(**CLASSICAL),
        da.from_array(X, chunks=(*chunks, 4)),
        da.from_array(y, chunks=chunks),
        da.from_array(weight, chunks=chunks),
    )
    assert_same_answers(ours, one, X)
    parts = [delayed(X[:40]), delayed(X[40:])]
    ours = fit(MEstimateNB(**CLASSICAL), parts, [delayed(y[:40]), delayed(y[40:])])
    assert_same_answers(ours, MEstimateNB(**CLASSICAL).fit(X, y), X)
    found = predict(ours, da.from_array(X, chunks=(30, 4)))
    assert found.chunks == ((30, 30, 30),)
    np.testing.assert_array_equal(found.compute(), ours.predict(X))


def test_bags_of_documents():
    texts = ["buy now", "see you", "buy free", "you see", "soon", "free now"] * 5
    y = np.array([1, 0, 1, 0, 0, 1] * 5)
    one = LanguageModelNB(order=2).fit(texts, y)
    X_parts = db.from_sequence(texts, npartitions=3)
    ours = fit(LanguageModelNB(order=2), X_parts, da.from_array(y, chunks=10))
    assert_same_answers(ours, one, texts)
    assert predict(ours, X_parts).compute().tolist() == one.predict(texts).tolist()


def test_unusable_collections_are_an_error():
    X, y = np.ones((8, 4)), np.arange(8) % 2
    rows, labels = da.from_array(X, chunks=(4, 4)), da.from_array(y, chunks=4)
    with pytest.raises(TypeError, match="it has no fit_blocks"):
        fit(RandomForestClassifier(), rows, labels)
    with pytest.raises(ValueError, match="X has 2 partitions, and y has 4"):
        fit(MEstimateNB(), rows, da.from_array(y, chunks=2))
    with pytest.raises(TypeError, match="y must be a dask collection"):
        fit(MEstimateNB(), rows, y)
    with pytest.raises(TypeError, match="X must be a dask collection"):
        predict(MEstimateNB(), X)
    with pytest.raises(ValueError, match=r"rechunk\(\{1: -1\}\)"):
        fit(MEstimateNB(), da.from_array(X, chunks=(4, 2)), labels)
    with pytest.raises(ValueError, match="max_sample_rows must be an integer"):
        fit(MEstimateNB(), rows, labels, max_sample_rows=0)


class LosesItsWorker:
    """Lets the first call of a method in another process end that process."""

    def __init__(self, m="loo", *, method=None, marker=None, client_pid=None):
        super().__init__(m=m)
        self.method, self.marker, self.client_pid = method, marker, client_pid

    def _may_end_process(self, method):
        if method == self.method and os.getpid() != self.client_pid:
            end_process_once(self.marker)

    def partial_fit(self, X, y, classes=None, sample_weight=None):
        """Learn from a batch."""
        self._may_end_process("partial_fit")
        return super().partial_fit(X, y, classes, sample_weight)

    def predict(self, X):
        """Return the classes of rows."""
        self._may_end_process("predict")
        return super().predict(X)

    def merge(self, other):
        """Add the counts of another model."""
        self._may_end_process("merge")
        return super().merge(other)


class NaiveBayes(LosesItsWorker, MEstimateNB):
    """Counts values by class."""


class Tree(LosesItsWorker, BeliefNetworkClassifier):
    """Counts pairs of values by class."""


@pytest.mark.filterwarnings("ignore")  # warnings of distributed about sockets and sizes
@pytest.mark.parametrize(
    ("model", "method"),
    [
        (NaiveBayes, "predict"),
        (Tree, "partial_fit"),
        (Tree, "merge"),
    ],
)
def test_a_worker_can_be_lost(cluster, tmp_path, model, method):
    from distributed import Client

    X, y, X_parts, y_parts = horses(6)
    marker = tmp_path / "marker"
    loses_worker = model(1.0, method=method, marker=str(marker), client_pid=os.getpid())
    with Client(cluster):
        ours = fit(loses_worker, X_parts, y_parts, max_sample_rows=100)
        classes = predict(ours, X_parts).compute()
    assert marker.exists()
    one = model(1.0).fit_blocks([(X, y)], max_sample_rows=100)
    assert_same_answers(ours, one, X)
    assert classes.tolist() == one.predict(X).tolist()


@pytest.mark.filterwarnings("ignore")
def test_cross_validation_on_the_workers_of_a_cluster(cluster):
    from distributed import Client

    X, y, *_ = horses(1)
    here = cross_val_score(AODEClassifier(), X, y, cv=3)
    with Client(cluster), joblib.parallel_config(backend="dask"):
        there = cross_val_score(AODEClassifier(), X, y, cv=3)
    np.testing.assert_array_equal(there, here)


@pytest.mark.filterwarnings("error")
def test_filtered_rows_leave_partitions_empty():
    X, y, X_parts, y_parts = horses(6)
    rows, labels = (  # of two partitions
        parts.map_partitions(lambda part: part[part.index < 100])
        for parts in (X_parts, y_parts)
    )
    ours = fit(MEstimateNB(**CLASSICAL), rows, labels)
    one = MEstimateNB(**CLASSICAL).fit(X[:100], y[:100])
    assert_same_answers(ours, one, X)
    assert predict(ours, rows).compute().tolist() == one.predict(X[:100]).tolist()
    proba = predict(ours, rows, method="predict_proba").compute()
    np.testing.assert_allclose(proba, one.predict_proba(X[:100]), rtol=1e-12)


def test_methods_without_classes_and_blocks_without_them_are_an_error():
    _, _, X_parts, _ = horses(2)
    with pytest.raises(ValueError, match="needs an estimator with classes"):
        predict(MEstimateNB(), X_parts, method="transform")
    with pytest.raises(ValueError, match=r"learns from blocks \(X, y\)"):
        fit(MEstimateNB(), X_parts)

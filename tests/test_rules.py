"""Rules of all registered estimators: rows, threads, pickles and failed fits.

Code under test: `testing.py`.
"""

import multiprocessing
import pickle
import sys
from concurrent.futures import ThreadPoolExecutor

import joblib
import numpy as np
import pandas as pd
import pytest
import sklearn
from sklearn.base import clone, is_regressor
from sklearn.impute import SimpleImputer
from sklearn.model_selection import cross_val_score
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer
from sklearn.utils import get_tags
from sklearn.utils.validation import has_fit_parameter

from sklearn_bayeslazy import TableCleaner
from sklearn_bayeslazy.testing import (
    ESTIMATORS,
    answers,
    assert_on_simplex,
    assert_row_wise,
    assert_same_predictions,
)
from tests.helpers.ecosystem_tables import first_of_each_class

every_estimator = pytest.mark.parametrize("estimator", ESTIMATORS, ids=str)
one_of_each_class = pytest.mark.parametrize(
    "estimator", first_of_each_class(), ids=lambda one: type(one).__name__
)


@pytest.fixture(scope="module")
def counts():
    """Return a table of counts, a copy with missing values, and classes."""
    rng = np.random.default_rng(0)
    y = rng.integers(3, size=300)
    X = rng.poisson(1.0 + y[:, None], size=(300, 5)).astype(float)
    missing = np.where(rng.random(X.shape) < 0.1, np.nan, X)
    return X, missing, np.array(["low", "mid", "high"])[y]


def table_for(estimator, counts):
    """Return the table, with missing values if they are allowed, and targets."""
    X, missing, y = counts
    if hasattr(estimator, "local_estimator"):  # fitted anew for every query
        X, missing, y = X[:50], missing[:50], y[:50]
    if "estimators" in estimator.get_params():  # each member is fitted several times
        X, missing, y = X[:100], missing[:100], y[:100]
    if is_regressor(estimator):
        y = X.sum(axis=1) + np.array([{"low": 0, "mid": 1, "high": 2}[i] for i in y])
    return (missing if get_tags(estimator).input_tags.allow_nan else X), y


@pytest.fixture(scope="module", params=ESTIMATORS, ids=str)
def fitted(request, counts):
    """Return a fitted model that several tests share, its rows and targets."""
    X, y = table_for(request.param, counts)
    return clone(request.param).fit(X, y), X, y


def test_a_pickle_and_a_memory_map_predict_the_same(fitted, tmp_path):
    # The first of these tests, so that the model has not predicted yet.
    model, X, _ = fitted
    size = len(pickle.dumps(model))
    assert_same_predictions(model, pickle.loads(pickle.dumps(model)), X, tolerance=0)
    assert len(pickle.dumps(model)) == size, "predict changed the model"
    joblib.dump(model, tmp_path / "model.joblib")
    mapped = joblib.load(tmp_path / "model.joblib", mmap_mode="r")
    assert_same_predictions(model, mapped, X, tolerance=0)


def test_probabilities_lie_on_the_simplex_row_by_row(fitted):
    model, X, _ = fitted
    if hasattr(model, "predict_proba"):
        probabilities = model.predict_proba(X)
        assert_on_simplex(probabilities)
        logarithms = model.predict_log_proba(X)
        np.testing.assert_allclose(np.exp(logarithms), probabilities, atol=1e-12)
    assert_row_wise(model, X[:20])


@every_estimator
def test_neither_threads_nor_chunks_change_the_predictions(estimator, counts):
    X, y = table_for(estimator, counts)
    # 4 000 rows; 1 200 if each is compared with many, fewer if several
    # estimators or one for each row are fitted.
    lazy_methods = ("kneighbors", "gradient", "centers")
    parts = estimator, estimator.get_params().get("estimator")
    is_lazy = any(hasattr(part, name) for part in parts for name in lazy_methods)
    n_copies = 3 if is_lazy else 10
    if hasattr(estimator, "parsimony") or estimator.get_params().get("feature_weights"):
        n_copies = 2  # axis stretching by search, still in several tasks
    if hasattr(estimator, "local_estimator") or "estimators" in estimator.get_params():
        n_copies = 1
    X, y = np.repeat(X, n_copies, axis=0), np.repeat(y, n_copies)
    params = {"n_jobs": 1}
    if "random_state" in estimator.get_params():
        params["random_state"] = 0
    # One row weighs less than the rest; its prediction must not depend on its chunk.
    weight = np.full(len(y), 2.0)
    weight[5] = 0.5
    if "loo_max_samples" in estimator.get_params():
        params["loo_max_samples"] = 500
    given = (weight,) if has_fit_parameter(estimator, "sample_weight") else ()
    one = clone(estimator).set_params(**params).fit(X, y, *given)
    with sklearn.config_context(working_memory=1):
        two = clone(estimator).set_params(**{**params, "n_jobs": 2})
        two.fit(X, y, *given)
        np.testing.assert_array_equal(answers(one, X), answers(two, X))


@one_of_each_class
def test_parallel_config_gives_the_number_of_jobs(estimator, counts):
    X, y = table_for(estimator, counts)
    seeded = {"random_state": 0} if "random_state" in estimator.get_params() else {}
    one = clone(estimator).set_params(n_jobs=1, **seeded).fit(X, y)
    with joblib.parallel_config(n_jobs=2):
        by_config = clone(estimator).set_params(n_jobs=None, **seeded).fit(X, y)
        np.testing.assert_array_equal(answers(one, X), answers(by_config, X))


@every_estimator
def test_the_memory_layout_does_not_change_the_predictions(estimator, counts):
    X, y = table_for(estimator, counts)
    X, y = X[:40] * [1, 0.1, 10, 0.3, 7], y[:40]  # sums of these cells are rounded
    if get_tags(estimator).input_tags.positive_only:
        X = np.round(X)
    params = estimator.get_params()
    seeded = {"random_state": 0} if "random_state" in params else {}
    estimator = clone(estimator).set_params(**seeded)
    expected = answers(clone(estimator).fit(X, y), X[:10])
    wide = np.zeros((2 * len(X), 3 * X.shape[1]))
    wide[::2, 1::3] = X
    for same in (np.asfortranarray(X), wide[::2, 1::3], pd.DataFrame(X)):
        found = answers(clone(estimator).fit(same, y), same[:10])
        np.testing.assert_array_equal(found, expected)


def test_threads_share_a_fitted_model(fitted):
    model, X, _ = fitted
    expected = answers(model, X)
    with ThreadPoolExecutor(3) as pool:
        for found in pool.map(lambda _: answers(model, X), range(6)):
            np.testing.assert_array_equal(found, expected)


def test_a_failed_fit_leaves_the_former_model(fitted):
    model, X, y = fitted
    before = vars(model).copy()
    expected = answers(model, X)
    invalid = np.hstack([X, X])
    invalid[-1, -1] = np.inf
    with pytest.raises(ValueError, match=r"infinity in column '9'|X contains infinity"):
        model.fit(invalid, y)
    assert vars(model).keys() == before.keys()
    assert all(vars(model)[name] is value for name, value in before.items())
    np.testing.assert_array_equal(answers(model, X), expected)


@one_of_each_class
def test_pipelines_and_cross_validation_take_it(estimator, counts):
    X, y = table_for(estimator, counts)
    steps = [FunctionTransformer(), estimator]
    if hasattr(estimator, "transform"):
        # TableCleaner keeps missing cells.
        keeps_nan = isinstance(estimator, TableCleaner)
        steps += [SimpleImputer()] if keeps_nan else []
        steps.append(KNeighborsClassifier())
    pipeline = make_pipeline(*steps)
    assert np.isfinite(cross_val_score(pipeline, X, y, cv=3, n_jobs=2)).all()


def _predict_in_child(model, X, queue):
    queue.put(model.set_params(n_jobs=2).predict_proba(X))


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no fork")
@pytest.mark.filterwarnings("ignore:This process:DeprecationWarning")  # 3.12: threads
def test_a_forked_child_predicts_after_the_parent_used_threads(counts):
    X, y = table_for(ESTIMATORS[0], counts)
    X = np.repeat(X, 20, axis=0)
    model = clone(ESTIMATORS[0]).set_params(n_jobs=2).fit(X, np.repeat(y, 20))
    expected = answers(model, X)
    context = multiprocessing.get_context("fork")
    queue = context.Queue()
    child = context.Process(target=_predict_in_child, args=(model, X, queue))
    child.start()
    found = queue.get(timeout=120)
    child.join(timeout=30)
    np.testing.assert_array_equal(found, expected)

"""ShepardKNN inside scikit-learn: searches, pipelines, clones, pickles, threads.

Code under test: `neighbors/_shepard_knn.py`.
"""

import pickle
from concurrent.futures import ThreadPoolExecutor

import joblib
import numpy as np
import pytest
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.neighbors import NearestNeighbors
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from sklearn_bayeslazy.testing import answers
from tests.helpers.shepard_knn_classical import classical_knn
from tests.helpers.shepard_knn_tables import assert_close, both, draw_table

# scikit-learn's machinery


@both
def test_grid_searches_and_pipelines(estimator):
    X, y, _ = draw_table(n=90)
    grid = {"n_neighbors": [1, 5, None], "power": [1, 4]}
    search = GridSearchCV(estimator(), grid, cv=3, error_score="raise").fit(X, y)
    assert search.best_params_["n_neighbors"] in (1, 5, None)
    pipeline = make_pipeline(StandardScaler(), estimator(power="loo"))
    scores = cross_val_score(pipeline, X, y, cv=3)
    with joblib.parallel_config("threading"):  # test_rules.py does it in processes
        again = cross_val_score(pipeline, X, y, cv=3, n_jobs=2)
    np.testing.assert_array_equal(scores, again)
    # Standardised columns are seuclidean ones but for a common factor.
    inside = make_pipeline(StandardScaler(), estimator(5)).fit(X, y)
    assert_close(inside, estimator(5, metric="seuclidean").fit(X, y), X + 0.1, 1e-10)


@both
@pytest.mark.parametrize(
    "params",
    [
        {"n_neighbors": 3, "algorithm": "kd_tree"},
        {"n_neighbors": None},
        {"power": "loo"},
        {"metric": "mahalanobis"},
        {"n_neighbors": 3, "algorithm": NearestNeighbors()},
        {"n_neighbors": 3, "weights": np.reciprocal},
    ],
    ids=["tree", "all", "loo", "mahalanobis", "engine", "callable"],
)
def test_clones_and_pickles(estimator, params):
    X, y, Q = draw_table()
    model = estimator(**params).fit(X, y)
    expected = answers(model, Q)
    for other in (pickle.loads(pickle.dumps(model)), clone(model).fit(X, y)):
        np.testing.assert_array_equal(answers(other, Q), expected)
        for a, b in zip(model.kneighbors(Q), other.kneighbors(Q)):
            np.testing.assert_array_equal(a, b)
    before = vars(model).copy()
    model.predict(Q)
    model.explain(Q)
    assert vars(model).keys() == before.keys()
    with pytest.raises(NotFittedError):
        clone(model).predict(Q)
    for method in ("kneighbors", "kneighbors_graph", "explain"):
        with pytest.raises(NotFittedError):
            getattr(clone(model), method)(Q)


@both
@pytest.mark.parametrize(
    "change",
    [
        {"weights": "cosine"},
        {"metric_params": {"p": 3}},
        {"n_neighbors": "loo", "loo_candidates": {"n_neighbors": [0]}},
        {"metric": "mahalanobis", "metric_params": {"V": np.eye(2)}},
        {"feature_weights": [1.0]},
    ],
    ids=["cosine", "metric_params", "candidates", "V", "feature_weights"],
)
def test_a_failed_fit_keeps_the_former_model(estimator, change):
    X, y, Q = draw_table()
    model = estimator().fit(X, y)
    expected, before = answers(model, Q), set(vars(model))
    given = model.get_params()
    model.set_params(**change)
    with pytest.raises(ValueError):
        model.fit(np.hstack([X, X])[:30], 5 - y[:30])
    model.set_params(**given)
    assert set(vars(model)) == before
    np.testing.assert_array_equal(answers(model, Q), expected)
    assert model.n_features_in_ == 3


def test_a_callable_that_fails_in_a_thread_raises_its_error():
    X, y, Q = draw_table()

    def broken(distances):
        raise RuntimeError("no weights today")

    model = classical_knn(3, weights=broken, n_jobs=2).fit(X, y)
    with pytest.raises(RuntimeError, match="no weights today"):
        model.predict(np.repeat(Q, 20, axis=0))


@both
@pytest.mark.parametrize("k", [5, None])
def test_threads_share_a_model(estimator, k):
    X, y, Q = draw_table(n=300)
    model = estimator(k, n_jobs=2).fit(X, y)
    expected, lists = answers(model, Q), model.kneighbors(Q, 4)
    with ThreadPoolExecutor(4) as pool:
        for answer in pool.map(lambda _: answers(model, Q), range(12)):
            np.testing.assert_array_equal(answer, expected)
        for found in pool.map(lambda _: model.kneighbors(Q, 4), range(12)):
            np.testing.assert_array_equal(found[1], lists[1])
        fits = pool.map(lambda _: estimator(k).fit(X, y), range(6))
        for other in fits:
            np.testing.assert_array_equal(answers(other, Q), expected)


@both
def test_no_queries_are_an_error_of_scikit_learn(estimator):
    X, y, _ = draw_table()
    with pytest.raises(ValueError, match="0 sample"):
        estimator(3).fit(X, y).predict(np.empty((0, 3)))
    with pytest.raises(ValueError, match="0 sample"):
        estimator(3).fit(np.empty((0, 3)), [])

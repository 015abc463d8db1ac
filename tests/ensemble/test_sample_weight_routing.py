"""Sample weights under metadata routing: pipelines as members, requests, refusals."""

import numpy as np
import pytest
import sklearn
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from sklearn_bayeslazy import HypothesisClassifier, LocallyWeightedEstimator, MyAdaBoost

RNG = np.random.default_rng(0)
X = RNG.normal(size=(60, 3))
Y = (X[:, 0] + RNG.normal(size=60) > 0).astype(int)
WEIGHT = RNG.integers(0, 4, 60).astype(float)


@pytest.fixture(autouse=True)
def _routing():
    with sklearn.config_context(enable_metadata_routing=True):
        yield


def weighted_pipeline():
    """Return a pipeline whose classifier requests the weights, and scaler does not."""
    return make_pipeline(
        StandardScaler().set_fit_request(sample_weight=False),
        LogisticRegression().set_fit_request(sample_weight=True),
    )


def test_boosting_reweights_the_rows_of_a_pipeline():
    scaled = StandardScaler().fit_transform(X)
    found = MyAdaBoost(weighted_pipeline(), n_estimators=4).fit(X, Y)
    expected = MyAdaBoost(LogisticRegression(), n_estimators=4).fit(scaled, Y)
    np.testing.assert_allclose(found.estimator_errors_, expected.estimator_errors_)
    np.testing.assert_allclose(
        found.estimators_[-1][-1].coef_, expected.estimators_[-1].coef_
    )


def test_hypotheses_get_the_weights_of_their_rows():
    model = HypothesisClassifier([weighted_pipeline()], cv=3, noise=0.1)
    model.fit(X, Y, sample_weight=WEIGHT)
    kept = WEIGHT > 0
    by_hand = weighted_pipeline().fit(X[kept], Y[kept], sample_weight=WEIGHT[kept])
    np.testing.assert_array_equal(model.hypotheses_[0][-1].coef_, by_hand[-1].coef_)


def test_local_fits_of_a_pipeline_are_weighted():
    requests = LogisticRegression().set_fit_request(sample_weight=True)
    settings = {"n_neighbors": 30, "scale": None}
    found, expected = (
        LocallyWeightedEstimator(base, **settings).fit(X, Y).predict_proba(X[:5])
        for base in (make_pipeline("passthrough", requests), LogisticRegression())
    )
    np.testing.assert_array_equal(found, expected)


@pytest.mark.parametrize("wants", [True, False])
def test_the_request_of_boosting_decides_whether_it_gets_weights(wants):
    """A member requests weights, but those are the weights of its round."""
    base = LogisticRegression().set_fit_request(sample_weight=True)
    model = MyAdaBoost(base, n_estimators=3).set_fit_request(sample_weight=wants)
    outer = make_pipeline("passthrough", model)
    if not wants:  # sklearn raises an error if no estimator requests the weights
        scaler = StandardScaler(with_mean=False, with_std=False)
        outer.steps[0] = ("scaler", scaler.set_fit_request(sample_weight=True))
    found = outer.fit(X, Y, sample_weight=WEIGHT)[-1]
    expected = MyAdaBoost(LogisticRegression(), n_estimators=3)
    expected.fit(X, Y, WEIGHT if wants else None)
    np.testing.assert_allclose(found.estimator_errors_, expected.estimator_errors_)


def test_members_that_refuse_weights():
    """Boosting then draws rows; the others need weights."""
    refuses = LogisticRegression().set_fit_request(sample_weight=False)
    with pytest.warns(UserWarning, match="fitted to rows drawn by their weights"):
        found = MyAdaBoost(refuses, n_estimators=3, random_state=0).fit(X, Y)
    drawn = MyAdaBoost(
        LogisticRegression(), n_estimators=3, weighting="resample", random_state=0
    ).fit(X, Y)
    np.testing.assert_array_equal(found.estimator_errors_, drawn.estimator_errors_)
    model = HypothesisClassifier([refuses], cv=3, noise=0.1)
    with pytest.raises(ValueError, match=r"takes no sample_weight.*A Pipeline"):
        model.fit(X, Y, sample_weight=WEIGHT)
    with pytest.raises(ValueError, match="takes no sample_weight"):
        LocallyWeightedEstimator(refuses).fit(X, Y)
    inner = MyAdaBoost(max_depth=1, n_estimators=2).set_fit_request(sample_weight=False)
    with pytest.warns(UserWarning, match="drawn"):
        MyAdaBoost(inner, n_estimators=2).fit(X, Y)


def test_a_search_as_a_member_gets_weights():
    search = GridSearchCV(
        LogisticRegression().set_fit_request(sample_weight=True),
        {"C": [1.0]},
        cv=[(np.arange(30), np.arange(30, 60))],
    )
    search.estimator.set_score_request(sample_weight=False)
    found = MyAdaBoost(search, n_estimators=3).fit(X, Y)
    expected = MyAdaBoost(LogisticRegression(), n_estimators=3).fit(X, Y)
    np.testing.assert_allclose(found.estimator_errors_, expected.estimator_errors_)

"""MyAdaBoost: warm start, early stopping, metadata routing and searches.

Code under test: `ensemble/_my_ada_boost.py`.
"""

import numpy as np
import pytest
import sklearn
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.datasets import load_iris
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.tree import DecisionTreeClassifier

from sklearn_bayeslazy import MyAdaBoost
from tests.helpers.classical_naive_bayes import classical_nb
from tests.helpers.ensemble_learners import LABELS, ROWS, PlannedErrors, integer_table


@pytest.mark.parametrize(
    "model",
    [
        MyAdaBoost(n_folds=None),
        MyAdaBoost(max_depth=1),
        MyAdaBoost(algorithm="samme"),
        MyAdaBoost(weighting="resample", random_state=0),
        MyAdaBoost(DecisionTreeClassifier(max_depth=2), random_state=0),
        MyAdaBoost(classical_nb(), learning_rate=0.1),
    ],
    ids=str,
)
def test_a_warm_start_equals_one_long_fit(model):
    X, y = integer_table(200, 3)
    long = sklearn.clone(model).set_params(n_estimators=12).fit(X, y)
    warm = sklearn.clone(model).set_params(n_estimators=5, warm_start=True).fit(X, y)
    first = list(warm.estimator_weights_)
    warm.set_params(n_estimators=12).fit(X, y)
    assert list(warm.estimator_weights_[:5]) == first
    np.testing.assert_allclose(warm.estimator_weights_, long.estimator_weights_)
    np.testing.assert_allclose(
        warm.decision_function(X), long.decision_function(X), atol=1e-10
    )


def test_a_warm_start_goes_on_after_a_reset():
    long = MyAdaBoost(PlannedErrors([], bad=(2,)), n_estimators=5).fit(ROWS, LABELS)
    warm = MyAdaBoost(PlannedErrors([], bad=(2,)), n_estimators=3, warm_start=True)
    warm.fit(ROWS, LABELS).set_params(n_estimators=5).fit(ROWS, LABELS)
    np.testing.assert_allclose(warm.estimator_errors_, long.estimator_errors_)
    assert warm.n_resets_ == 1
    np.testing.assert_allclose(warm.error_bounds_, long.error_bounds_)


def test_invalid_warm_starts():
    X, y = integer_table()
    model = MyAdaBoost(max_depth=1, n_estimators=5, warm_start=True).fit(X, y)
    with pytest.raises(ValueError, match="n_estimators=3 must be at least 5"):
        model.set_params(n_estimators=3).fit(X, y)
    with pytest.warns(UserWarning, match="increase n_estimators to add rounds"):
        model.set_params(n_estimators=5).fit(X, y)
    with pytest.raises(ValueError, match="does not match the former fit"):
        model.set_params(n_estimators=6, estimator=GaussianNB()).fit(X, y)
    with pytest.raises(ValueError, match="features"):
        model.set_params(estimator=None).fit(X[:, :2], y)
    assert len(model.estimators_) == 5
    assert model.predict(X).shape == y.shape
    with pytest.raises(ValueError, match="With warm_start=True, y may hold only"):
        model.fit(X, y + 1)
    sure = MyAdaBoost(max_depth=1, warm_start=True).fit([[0.0], [1.0]], [0, 1])
    with pytest.warns(UserWarning, match="outvotes all others, so no round is added"):
        sure.set_params(n_estimators=60).fit([[0.0], [1.0]], [0, 1])


def test_early_stopping_keeps_the_rounds_up_to_the_least_error():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(400, 4))
    y = (X[:, 0] + rng.normal(size=400) > 0).astype(int)
    model = MyAdaBoost(
        max_depth=1, n_estimators=500, n_iter_no_change=10, validation_fraction=0.25
    ).fit(X, y)
    errors = model.validation_errors_
    best = int(np.argmin(errors)) + 1
    assert len(errors) == best + 10
    assert len(model.estimators_) == best < 500
    shuffled = rng.permutation(400)
    again = sklearn.clone(model).fit(X[shuffled], y[shuffled])
    np.testing.assert_allclose(again.validation_errors_, errors)
    plain = MyAdaBoost(max_depth=1, n_estimators=3).fit(X, y)
    assert not hasattr(plain, "validation_errors_")
    model.set_params(n_iter_no_change=None).fit(X, y)
    assert not hasattr(model, "validation_errors_")  # of the former fit


@pytest.mark.parametrize("estimator", [None, LogisticRegression()])
def test_the_only_row_of_a_class_is_not_held_out(estimator):
    X = np.arange(30.0)[:, None]
    y = np.array(["a"] + ["b"] * 29)
    model = MyAdaBoost(estimator, max_depth=1, n_iter_no_change=3).fit(X, y)
    assert set(model.classes_) == {"a", "b"}
    if estimator is None:
        assert model.predict(X[:2]).tolist() == ["a", "b"]


def test_a_constant_column_with_a_class_that_is_held_out_completely():
    """The most frequent class is predicted although class "b" has no training row."""
    X, y = np.ones((9, 1)), np.array(["a"] * 8 + ["b"])
    model = MyAdaBoost(max_depth=1, n_iter_no_change=1, validation_fraction=0.5).fit(
        X, y
    )
    assert model.predict(X[:1]) == ["a"]
    assert model.classes_.tolist() == ["a", "b"]


def test_copies_of_rows_are_held_out_in_part():
    X = np.r_[np.zeros(990), np.ones(10)][:, None]
    model = MyAdaBoost(max_depth=1, n_iter_no_change=5).fit(X, X[:, 0].astype(int))
    assert model.score(X, X[:, 0].astype(int)) == 1
    words = np.where(X == 0, "often", "seldom").astype(object)
    model = MyAdaBoost(max_depth=1, n_iter_no_change=5).fit(words, X[:, 0].astype(int))
    assert model.score(words, X[:, 0].astype(int)) == 1


def test_a_validation_fraction_that_holds_out_no_row():
    X, y = integer_table(20)
    model = MyAdaBoost(max_depth=1, n_iter_no_change=5, validation_fraction=5e-324)
    with pytest.raises(ValueError, match="validation_fraction=5e-324 of 20 rows"):
        model.fit(X, y)


def test_a_warm_start_after_early_stopping():
    """A longer fit continues from the rounds that are kept."""
    X, y = integer_table(200, seed=2)
    settings = {"n_iter_no_change": 4, "random_state": 0, "warm_start": True}
    tree = DecisionTreeClassifier(max_depth=2)
    model = MyAdaBoost(tree, n_estimators=200, **settings).fit(X, y)
    kept = len(model.estimators_)
    assert kept < 200
    before = model.validation_errors_[:kept]
    model.set_params(n_estimators=kept + 1).fit(X, y)
    np.testing.assert_allclose(model.validation_errors_[:kept], before)


def test_metadata_are_routed_to_the_estimator():
    class TakesTone(ClassifierMixin, BaseEstimator):
        def fit(self, X, y, sample_weight=None, tone=None):
            self.classes_, self.tone_ = np.unique(y), tone
            return self

        def predict(self, X):
            return np.where(X[:, 0] < 7, X[:, 1], 1 - X[:, 1]).astype(int)

    tone = np.arange(10)
    with pytest.raises(ValueError, match="enable_metadata_routing"):
        MyAdaBoost(TakesTone(), n_estimators=1).fit(ROWS, LABELS, tone=tone)
    with sklearn.config_context(enable_metadata_routing=True):
        base = TakesTone().set_fit_request(tone=True)
        model = MyAdaBoost(base, n_estimators=1)
        model.fit(ROWS, LABELS, np.r_[np.zeros(2), np.ones(8)], tone=tone)
        np.testing.assert_array_equal(model.estimators_[0].tone_, tone[2:])
        with pytest.raises(TypeError, match="Stumps accept no further arguments"):
            MyAdaBoost(max_depth=1).fit(ROWS, LABELS, tone=tone)


def test_grid_searches():
    X, y = load_iris(return_X_y=True)
    pipeline = make_pipeline(StandardScaler(), MyAdaBoost(max_depth=1))
    grid = {"myadaboost__n_estimators": [1, 10], "myadaboost__max_bins": [4, 255]}
    search = GridSearchCV(pipeline, grid, cv=3, n_jobs=2).fit(X, y)
    assert search.best_score_ > 0.9
    assert search.best_params_["myadaboost__n_estimators"] == 10
    deep = {"estimator__max_depth": [1, 3]}
    trees = MyAdaBoost(DecisionTreeClassifier(random_state=0), n_estimators=5)
    assert GridSearchCV(trees, deep, cv=3).fit(X, y).best_score_ > 0.9

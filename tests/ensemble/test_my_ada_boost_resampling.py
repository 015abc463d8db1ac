"""MyAdaBoost: members that are fitted to rows drawn by their weights."""

import numpy as np
import pytest
from sklearn.datasets import load_breast_cancer, load_iris
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.dummy import DummyClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.neighbors import KNeighborsClassifier
from sklearn.tree import DecisionTreeClassifier

from sklearn_bayeslazy import MyAdaBoost
from tests.helpers.ensemble_learners import WeightRecorder


def test_a_classifier_without_sample_weight_is_resampled_with_a_warning():
    X, y = load_iris(return_X_y=True)
    model = MyAdaBoost(KNeighborsClassifier(15), n_estimators=3, random_state=0)
    with pytest.warns(UserWarning, match="takes no sample_weight"):
        model.fit(X, y)
    explicit = MyAdaBoost(weighting="resample", **non_default(model)).fit(X, y)
    np.testing.assert_array_equal(
        explicit.decision_function(X), model.decision_function(X)
    )


def non_default(model):
    names = ("estimator", "n_estimators", "random_state")
    return {name: getattr(model, name) for name in names}


def test_rows_are_drawn_by_their_weights():
    """The first round draws by sample weight: a share of 2/3, within 6 sigma."""

    class Counter(WeightRecorder):
        def fit(self, X, y, sample_weight=None):
            self.seen.append(X[:, 0])
            self.classes_ = np.unique(y)
            return self

        def __sklearn_clone__(self):
            return Counter(self.seen)

        def predict(self, X):
            return np.where(X[:, 0] < 3, X[:, 1], 1 - X[:, 1]).astype(int)

    n = 3000
    X = np.column_stack([np.arange(n) % 5, np.arange(n) % 2]).astype(float)
    weight = np.where(X[:, 0] < 3, 4.0, 3.0)
    seen = []
    model = MyAdaBoost(
        Counter(seen),
        n_estimators=2,
        weighting="resample",
        on_weak_round="stop",
        random_state=0,
    ).fit(X, X[:, 1].astype(int), weight)
    share = 12 / 18
    assert len(seen[0]) == n
    assert abs(np.mean(seen[0] < 3) - share) < 6 * np.sqrt(share * (1 - share) / n)
    np.testing.assert_allclose(model.estimator_errors_[0], 1 - share)
    # Misclassified rows then have half of the weight.
    assert abs(np.mean(seen[1] < 3) - 0.5) < 6 * np.sqrt(0.25 / n)


def test_resampled_stumps_are_fitted_to_the_drawn_rows():
    X, y = load_breast_cancer(return_X_y=True)
    models = [
        MyAdaBoost(weighting="resample", random_state=seed, n_estimators=20).fit(X, y)
        for seed in (0, 0, 1)
    ]
    votes = [model.estimator_weights_ for model in models]
    np.testing.assert_array_equal(votes[0], votes[1])
    assert not np.array_equal(votes[0], votes[2])
    assert models[0].score(X, y) > 0.95


def test_a_drawn_sample_of_one_class_gives_a_constant_member():
    """A classifier that refuses one class would fail in many late rounds."""
    X = np.r_[np.zeros(40), 1.0][:, None] + np.random.default_rng(0).normal(
        size=(41, 1)
    )
    y = np.r_[np.zeros(40), 1.0]
    model = MyAdaBoost(
        LogisticRegression(), weighting="resample", random_state=3, n_estimators=10
    )
    model.fit(X, y)
    assert model.predict(X).shape == (41,)
    tree = DecisionTreeClassifier(max_depth=1)
    trees = MyAdaBoost(tree, weighting="resample", random_state=0, n_estimators=2)
    trees.fit(np.arange(12.0)[:, None], [1] + [0] * 11)
    assert any(type(one) is DummyClassifier for one in trees.estimators_)
    assert trees.feature_importances_[0] < 1  # a constant member has no importances


def test_a_drawn_sample_that_the_estimator_refuses_gives_a_constant_member():
    """Linear discriminants need rows that differ within a class; a small draw has none.

    scikit-learn raises an IndexError for such rows.
    """
    X = np.random.default_rng(0).normal(size=(12, 3))
    y = np.arange(12) % 3
    refused = 0
    for seed in range(6):
        model = MyAdaBoost(
            LinearDiscriminantAnalysis(), weighting="resample", random_state=seed
        ).fit(X, y)
        assert np.isfinite(model.predict_proba(X)).all()
        refused += any(type(one) is DummyClassifier for one in model.estimators_)
    assert refused


def test_an_estimator_that_refuses_all_rows_raises_a_clear_error():
    X, y = np.ones((40, 2)), np.arange(40) % 2
    model = MyAdaBoost(LinearDiscriminantAnalysis(), weighting="resample")
    with pytest.raises(ValueError, match="cannot be fitted to 40 rows: IndexError"):
        model.fit(X, y)
    model = MyAdaBoost(LogisticRegression(C=-1), weighting="resample")
    with pytest.raises(ValueError, match="'C' parameter"):
        model.fit(X, y)

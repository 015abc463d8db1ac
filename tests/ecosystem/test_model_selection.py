"""scikit-learn's searches, curves, thresholds and selections take every predictor."""

import numpy as np
from sklearn.base import clone
from sklearn.calibration import CalibratedClassifierCV
from sklearn.experimental import enable_halving_search_cv
from sklearn.feature_selection import SequentialFeatureSelector
from sklearn.inspection import partial_dependence, permutation_importance
from sklearn.model_selection import (
    GridSearchCV,
    HalvingGridSearchCV,
    RandomizedSearchCV,
    TunedThresholdClassifierCV,
    cross_val_predict,
    cross_val_score,
    learning_curve,
)

from sklearn_bayeslazy.testing import assert_on_simplex
from tests.helpers.ecosystem_tables import (
    draw_counts,
    every_classifier,
    every_predictor,
    output_of,
)

assert enable_halving_search_cv  # the import itself enables HalvingGridSearchCV

# One division: each test needs few fits.
HALVES = [(np.arange(24), np.arange(24, 48))]
GRID = {"n_jobs": [None, 1]}


@every_predictor
def test_searches_refit_what_they_score(estimator):
    X, y = draw_counts(estimator)
    expected = clone(estimator).fit(X, y)
    for search in (
        GridSearchCV(estimator, GRID, cv=HALVES),
        RandomizedSearchCV(estimator, GRID, n_iter=1, cv=HALVES, random_state=0),
    ):
        search.set_params(error_score="raise").fit(X, y)
        assert search.best_score_ == cross_val_score(estimator, X, y, cv=HALVES)[0]
        np.testing.assert_array_equal(search.predict(X), expected.predict(X))


@every_predictor
def test_halving_searches(estimator):
    X, y = draw_counts(estimator)
    search = HalvingGridSearchCV(
        estimator,
        GRID,
        factor=2,
        cv=2,
        min_resources=24,
        random_state=0,
        error_score="raise",
    )
    search.fit(X, y)
    assert search.n_resources_ == [24, 48]
    expected = clone(estimator).fit(X, y)
    np.testing.assert_array_equal(search.predict(X), expected.predict(X))


@every_predictor
def test_predictions_of_left_out_rows(estimator):
    X, y = draw_counts(estimator)
    found = cross_val_predict(estimator, X, y, cv=[*HALVES, HALVES[0][::-1]])
    for train, test in (HALVES[0], HALVES[0][::-1]):
        expected = clone(estimator).fit(X[train], y[train]).predict(X[test])
        np.testing.assert_array_equal(found[test], expected)


@every_predictor
def test_learning_curves(estimator):
    X, y = draw_counts(estimator)
    sizes, _, scores = learning_curve(
        estimator, X, y, cv=HALVES, train_sizes=[12, 24], error_score="raise"
    )
    assert sizes.tolist() == [12, 24]
    for size, score in zip(sizes, scores[:, 0]):
        model = clone(estimator).fit(X[:size], y[:size])
        assert score == model.score(X[24:], y[24:])


@every_predictor
def test_inspections_find_the_informative_columns(estimator):
    X, y = draw_counts(estimator)
    model = clone(estimator).fit(X, y)
    scoring = "neg_mean_squared_error"
    if hasattr(model, "predict_proba"):
        scoring = "neg_log_loss"
    drop = permutation_importance(
        model, X, y, n_repeats=2, random_state=0, scoring=scoring
    )
    means = drop.importances_mean
    assert means[:2].sum() > means[2:].sum()
    grid = [1.0, 5.0]
    found = partial_dependence(
        model,
        X,
        [0],
        custom_values={0: np.array(grid)},
        response_method="predict_proba" if scoring == "neg_log_loss" else "auto",
        kind="average",
        method="brute",
    )
    by_hand = []
    for value in grid:
        changed = X.copy()
        changed[:, 0] = value
        by_hand.append(output_of(model, changed).mean())
    np.testing.assert_allclose(found.average[0], by_hand, rtol=1e-12)


@every_predictor
def test_sequential_selection_keeps_the_better_column(estimator):
    X, y = draw_counts(estimator)
    selector = SequentialFeatureSelector(estimator, n_features_to_select=1, cv=HALVES)
    support = selector.fit(X[:, [2, 0]], y).get_support()
    scores = [cross_val_score(estimator, X[:, [j]], y, cv=HALVES)[0] for j in (2, 0)]
    assert support.tolist() == [scores[0] >= scores[1], scores[0] < scores[1]]


@every_classifier
def test_calibration_and_thresholds(estimator):
    X, y = draw_counts(estimator)
    calibrated = CalibratedClassifierCV(estimator, cv=2, ensemble=False).fit(X, y)
    assert_on_simplex(calibrated.predict_proba(X))
    tuned = TunedThresholdClassifierCV(
        estimator, cv=0.5, thresholds=5, random_state=0, response_method="predict_proba"
    ).fit(X, y)
    above = output_of(tuned.estimator_, X) >= tuned.best_threshold_
    np.testing.assert_array_equal(tuned.predict(X), above.astype(int))

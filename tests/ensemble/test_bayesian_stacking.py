"""Stacking by leave-one-out: refits row by row, folds, raw tables, errors.

Code under test: `ensemble/_stacking_base.py`,
`ensemble/_bayesian_stacking_classifier.py`, `ensemble/_bayesian_stacking_regressor.py`.
"""

from functools import partial
from html import escape

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy.special import softmax
from sklearn.base import clone
from sklearn.datasets import load_diabetes, load_iris
from sklearn.dummy import DummyClassifier, DummyRegressor
from sklearn.feature_extraction.text import CountVectorizer
from sklearn.linear_model import LinearRegression, RidgeClassifier
from sklearn.model_selection import GridSearchCV, StratifiedKFold, cross_val_predict
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.tree import DecisionTreeClassifier
from sklearn.utils import get_tags

from sklearn_bayeslazy import (
    BayesianStackingClassifier,
    BayesianStackingRegressor,
    HypothesisClassifier,
    LanguageModelNB,
    LocallyWeightedRegressor,
    MEstimateNB,
    MyAdaBoost,
    ShepardKNN,
    ShepardKNNRegressor,
    TableCleaner,
    TextNB,
)
from sklearn_bayeslazy.leave_one_out import log_score_weights, squared_error_weights
from tests.helpers.classical_naive_bayes import classical_nb


def small_classes(n_rows=40):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(n_rows, 2))
    return X, (X[:, 0] + rng.normal(size=n_rows) > 0).astype(int)


def small_numbers(n_rows=40):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(n_rows, 2))
    return X, np.sin(2 * X[:, 0]) + X[:, 1] + 0.3 * rng.normal(size=n_rows)


def mixed_table(n_rows=120):
    rng = np.random.default_rng(1)
    color = rng.choice(["red", "green", "blue"], n_rows)
    size = rng.normal(size=n_rows)
    y = np.where((color == "red") ^ (size > 0), "yes", "no")
    size[rng.random(n_rows) < 0.1] = np.nan
    return pd.DataFrame({"color": color, "size": size}), y


def neighbours(k):
    return ShepardKNN(k, power=1, m=1, metric="euclidean")


def refitted(model, X, y, predict):
    """Return the predictions of each row by a model fitted to all others."""
    rows = np.arange(len(y))
    return np.array(
        [predict(model.fit(X[rows != i], y[rows != i]), X[[i]])[0] for i in rows]
    )


@pytest.mark.parametrize(
    ("stack", "small_table"),
    [
        (BayesianStackingClassifier(), small_classes),
        (BayesianStackingRegressor(), small_numbers),
    ],
)
def test_missing_cells_of_arrays_are_those_of_frames(stack, small_table):
    X, y = small_table(60)
    X[::7, 0] = np.nan
    X = np.column_stack([X, np.full(60, np.nan)])
    stack = clone(stack)
    tags = get_tags(stack).input_tags
    assert (tags.allow_nan, tags.string, tags.categorical) == (True, True, True)
    from_array = stack.fit(X, y).predict(X)
    assert_array_equal(stack.fit(pd.DataFrame(X), y).predict(X), from_array)


@pytest.mark.parametrize("n_rows", [2, 20])
def test_of_equal_rows_the_mean_is_predicted(n_rows):
    X, y = np.zeros((n_rows, 2)), np.arange(n_rows) % 4 + 1.0
    prediction = BayesianStackingRegressor().fit(X, y).predict(X[:1])
    assert_allclose(prediction, [y.mean()])
    stack = BayesianStackingClassifier().fit(X, y > 1)
    assert_allclose(stack.predict_proba(X[:1]).sum(), 1.0)


def test_weights_equal_those_of_refits_without_each_row():
    """Exact left-out predictions, so the weights are those of n refits."""
    X, y = small_classes()
    members = [("near", neighbours(3)), ("far", neighbours(15)), ("nb", classical_nb())]
    model = BayesianStackingClassifier(members).fit(X, y)
    of_truth = np.stack(
        [
            refitted(member, X, y, lambda fitted, x: fitted.predict_proba(x))[
                np.arange(len(y)), y
            ]
            for _, member in members
        ],
        axis=1,
    )
    wanted = log_score_weights(of_truth, np.ones(len(y)))
    np.testing.assert_allclose(model.weights_, wanted, atol=1e-6)
    for (name, _), loss in zip(members, -np.log(of_truth).mean(axis=0)):
        assert model.loo_scores_[name] == pytest.approx(loss, rel=1e-9)
    pooled = -np.log(of_truth @ wanted).mean()
    assert model.loo_scores_["(pool)"] <= pooled + 1e-3 * pooled


def test_weights_of_regressors_equal_those_of_refits_without_each_row():
    X, y = small_numbers()
    members = [
        ("near", ShepardKNNRegressor(3, power=1, metric="euclidean")),
        ("local", LocallyWeightedRegressor(1, n_neighbors=15, scale=None, ridge=0.0)),
    ]
    model = BayesianStackingRegressor(members).fit(X, y)
    unseen = np.stack(
        [
            refitted(member, X, y, lambda fitted, x: fitted.predict(x))
            for _, member in members
        ],
        axis=1,
    )
    wanted = squared_error_weights(unseen, y, np.ones(len(y)))
    np.testing.assert_allclose(model.weights_, wanted, atol=1e-6)
    errors = unseen @ wanted - y
    assert model.residual_scale_ == pytest.approx(np.sqrt(np.mean(errors**2)), rel=1e-6)
    predictions, std = model.predict(X, return_std=True)
    by_hand = sum(
        w * member.fit(X, y).predict(X) for w, (_, member) in zip(wanted, members)
    )
    np.testing.assert_allclose(predictions, by_hand, atol=1e-6)
    np.testing.assert_array_equal(std, model.residual_scale_)


def test_sets_of_classes_follow_from_refits_without_each_row():
    X, y = small_classes()
    members = [("near", neighbours(3)), ("nb", classical_nb())]
    model = BayesianStackingClassifier(members).fit(X, y)
    unseen = [
        refitted(member, X, y, lambda fitted, x: fitted.predict_proba(x))
        for _, member in members
    ]
    pooled = np.tensordot(model.weights_, unseen, axes=1) ** (1 / model.temperature_)
    pooled /= pooled.sum(axis=1, keepdims=True)
    of_truth = np.sort(pooled[np.arange(len(y)), y])[::-1]
    # The new row has each of n + 1 ranks with the same probability.
    threshold = of_truth[int(np.ceil(0.8 * (len(y) + 1))) - 1]
    found = model.prediction_set(X, 0.8, "least_ambiguous")
    expected = model.predict_proba(X) >= threshold * (1 - 1e-9)
    np.testing.assert_array_equal(found, expected)


def test_other_members_are_cross_fitted_in_the_given_folds():
    X, y = load_iris(return_X_y=True)
    X, first = np.unique(X, axis=0, return_index=True)  # copies count as one row
    y = y[first]
    cv = StratifiedKFold(4, shuffle=True, random_state=0)
    members = [("gauss", GaussianNB()), ("knn", KNeighborsClassifier(20))]
    model = BayesianStackingClassifier(members, cv=cv).fit(X, y)
    of_truth = np.stack(
        [
            cross_val_predict(member, X, y, cv=cv, method="predict_proba")[
                np.arange(len(y)), y
            ]
            for _, member in members
        ],
        axis=1,
    )
    wanted = log_score_weights(of_truth, np.ones(len(y)))
    np.testing.assert_allclose(model.weights_, wanted, atol=1e-9)


def test_a_geometric_mean_is_the_product_of_powers():
    X, y = small_classes(60)
    members = [("near", neighbours(3)), ("far", neighbours(15)), ("nb", classical_nb())]
    model = BayesianStackingClassifier(members, pool="log_linear").fit(X, y)
    of_members = [one.predict_proba(X) for one in model.estimators_]
    wanted = np.ones((len(y), 2))
    for weight, found in zip(model.weights_, of_members):
        wanted *= np.maximum(found, 1e-6) ** (weight / model.temperature_)
    wanted /= wanted.sum(axis=1, keepdims=True)
    assert model.weights_.sum() == pytest.approx(1)
    np.testing.assert_allclose(model.predict_proba(X), wanted, atol=1e-12)
    scores = model.explain(X).terms.sum(axis=1)
    np.testing.assert_allclose(softmax(scores, axis=1), wanted, atol=1e-12)
    assert model.prediction_set(X, 0.8).any(axis=1).all()


def test_classes_that_no_member_tells_apart_have_equal_probabilities():
    X, y = np.arange(40.0)[:, None], np.repeat([1, 0], [36, 4])
    members = [("wrong", DummyClassifier(strategy="constant", constant=0))]
    model = BayesianStackingClassifier(members, pool="log_linear", cv=2).fit(X, y)
    assert model.temperature_ == np.inf
    np.testing.assert_array_equal(model.predict_proba(X[:2]), [[0.5, 0.5]] * 2)


def test_copies_of_a_member_have_equal_weights():
    X, y = small_classes(60)
    members = [("a", classical_nb()), ("far", neighbours(15)), ("b", classical_nb())]
    model = BayesianStackingClassifier(members).fit(X, y)
    np.testing.assert_allclose(model.weights_[0], model.weights_[2], atol=1e-9)


def test_on_noise_the_prior_has_most_of_the_weight():
    """Labels that depend on nothing: a full tree is right in half of the rows."""
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(200, 5)), np.arange(200) % 2
    members = [
        ("tree", DecisionTreeClassifier(random_state=0)),
        ("prior", DummyClassifier()),
    ]
    model = BayesianStackingClassifier(members).fit(X, y)
    assert model.weights_[1] > 0.7
    assert model.loo_scores_["(pool)"] < 0.7


def test_threads_and_the_order_of_rows_change_nothing():
    X, y = small_classes(80)
    order = np.random.default_rng(2).permutation(len(y))
    first = BayesianStackingClassifier().fit(X, y)
    second = BayesianStackingClassifier(n_jobs=2).fit(X, y)
    np.testing.assert_array_equal(first.predict_proba(X), second.predict_proba(X))
    shuffled = BayesianStackingClassifier().fit(X[order], y[order])
    np.testing.assert_allclose(shuffled.weights_, first.weights_, atol=1e-6)


def test_raw_tables_searches_and_explanations():
    X, y = mixed_table()
    model = BayesianStackingClassifier().fit(X, y)
    assert model.score(X, y) > 0.9
    explanation = model.explain(X[:3])
    np.testing.assert_allclose(
        explanation.terms.sum(axis=1), model.predict_proba(X[:3])
    )
    members = [("near", ShepardKNN()), ("prior", DummyClassifier())]
    search = GridSearchCV(
        BayesianStackingClassifier(members), {"near__n_neighbors": [1, 5]}, cv=2
    ).fit(X, y)
    assert set(search.best_params_) == {"near__n_neighbors"}


def test_explanations_of_regressors_sum_to_predictions():
    X, y = load_diabetes(return_X_y=True)
    model = BayesianStackingRegressor(
        [("line", LinearRegression()), ("mean", DummyRegressor())]
    ).fit(X[:100], y[:100])
    found = model.explain(X[100:103]).terms.sum(axis=(1, 2))
    np.testing.assert_allclose(found, model.predict(X[100:103]))


def test_large_tables_learn_the_weights_from_one_part():
    X, y = small_classes(100)
    members = [("nb", classical_nb()), ("near", neighbours(3))]
    model = BayesianStackingClassifier(members, loo_max_samples=15, random_state=0).fit(
        X, y
    )
    whole = BayesianStackingClassifier(members, loo_max_samples=None).fit(X, y)
    assert model.loo_scores_ != whole.loo_scores_
    for ours, theirs in zip(model.estimators_, whole.estimators_):
        np.testing.assert_array_equal(ours.predict(X), theirs.predict(X))


def test_boosting_is_weighed_by_the_folds_that_it_left_out():
    # Of 5 folds of 800 rows, boosting leaves out 4: 3000 rows suffice. No other
    # ensemble is grown.
    rng = np.random.default_rng(0)
    X = rng.standard_normal((4000, 2))
    y = (X[:, 0] * X[:, 1] + rng.standard_normal(4000) > 0).astype(int)
    trees = MyAdaBoost(n_estimators=3, max_depth=2)
    model = BayesianStackingClassifier([("trees", trees), ("bayes", MEstimateNB())])
    trees, bayes = model.fit(X, y).estimators_
    proba = trees.predict_proba(None)
    rows = np.flatnonzero(~np.isnan(proba[:, 0]))
    assert 3000 <= len(rows) < 3300
    for name, found in (("trees", proba), ("bayes", bayes.predict_proba(None))):
        expected = -np.log(found[rows, y[rows]]).mean()
        assert_allclose(model.loo_scores_[name], expected)


class LosesARow(GaussianNB):
    def predict_proba(self, X):
        return super().predict_proba(X)[1:]


def test_predictions_of_another_number_of_rows_are_refused():
    members = [("one", LosesARow()), ("two", GaussianNB())]
    message = r"'one' predicts an array of shape .* it must predict"
    with pytest.raises(ValueError, match=message):
        BayesianStackingClassifier(members).fit(*small_classes(50))


@pytest.mark.parametrize("pool", ["linear", "log_linear"])
def test_a_factor_of_all_weights_or_repetition_changes_no_weight(pool):
    members = [("one", ShepardKNN()), ("two", ShepardKNN(weights="uniform"))]
    X, y = small_classes()
    wanted = BayesianStackingClassifier(members, pool=pool).fit(X, y)
    for weight in (7.0, 1e8):
        found = clone(wanted).fit(X, y, np.full(len(y), weight))
        assert_allclose(found.weights_, wanted.weights_, rtol=1e-6)
        assert_allclose(found.temperature_, wanted.temperature_, rtol=1e-6)
    found = clone(wanted).fit(np.repeat(X, 7, axis=0), np.repeat(y, 7))
    assert_allclose(found.weights_, wanted.weights_, rtol=1e-6)


def test_a_factor_of_all_weights_changes_no_weight_of_regressors():
    numbers = small_numbers()
    members = [("a", ShepardKNNRegressor()), ("b", ShepardKNNRegressor(power=1))]
    stack = BayesianStackingRegressor(members)
    wanted = stack.fit(*numbers).weights_
    for weight in (7.0, 1e8):
        found = stack.fit(*numbers, np.full(len(numbers[1]), weight)).weights_
        assert_allclose(found, wanted, rtol=1e-6)


def test_a_row_of_weight_two_equals_two_rows():
    X, y = small_classes(50)
    weight = 1.0 + (np.arange(50) < 20)
    members = [("nb", classical_nb()), ("near", neighbours(3))]
    weighted = BayesianStackingClassifier(members).fit(X, y, weight)
    rows = np.repeat(np.arange(50), weight.astype(int))
    repeated = BayesianStackingClassifier(members).fit(X[rows], y[rows])
    np.testing.assert_allclose(weighted.weights_, repeated.weights_, atol=1e-8)


@pytest.mark.parametrize(
    ("estimators", "message"),
    [
        ([], "estimators is empty"),
        ([GaussianNB()], r"a pair \(name, estimator\)"),
        ([("cv", GaussianNB())], "estimators has the name 'cv'"),
        ([("a", GaussianNB()), ("a", GaussianNB())], "estimators has the name 'a'"),
    ],
)
def test_unusable_members_are_refused(estimators, message):
    X, y = small_classes()
    with pytest.raises((ValueError, TypeError), match=message):
        BayesianStackingClassifier(estimators).fit(X, y)


def test_members_must_be_of_the_task():
    X, y = load_iris(return_X_y=True)
    for stack, member in (
        (BayesianStackingClassifier, LinearRegression()),
        (BayesianStackingRegressor, make_pipeline(GaussianNB())),
        (BayesianStackingClassifier, TableCleaner()),
    ):
        model = stack([("nb", stack._default_members()[-1][1]), ("x", member)])
        with pytest.raises(ValueError, match="The estimator 'x' must be a "):
            model.fit(X, y)


def test_members_and_the_pool_have_losses_of_one_kind():
    """The only member predicts labels: a wrong one has a finite loss in both."""
    X, y = load_iris(return_X_y=True)
    pairs = [("labels", RidgeClassifier())]
    model = BayesianStackingClassifier(pairs).fit(X, y)
    labels, pool = model.loo_scores_.values()
    assert 1 < pool <= labels < 36.1


@pytest.mark.parametrize("n_jobs", [1, 2])
@pytest.mark.parametrize("kind", [BayesianStackingClassifier, HypothesisClassifier])
def test_an_error_in_a_fold_names_the_member(kind, n_jobs):
    X, y = small_classes(12)
    members = [("naive", classical_nb(1.0)), ("near", KNeighborsClassifier(10))]
    with pytest.raises(ValueError, match="n_neighbors = 10") as caught:
        kind(members, cv=4, n_jobs=n_jobs).fit(X, y)
    [note] = caught.value.__notes__
    assert note.startswith("It came from the estimator 'near', fitted to 9 rows")


def test_an_error_on_all_rows_names_the_member():
    X, y = small_classes(12)
    members = [("near", KNeighborsClassifier(0))]
    with pytest.raises(ValueError, match="'n_neighbors' parameter") as caught:
        BayesianStackingClassifier(members).fit(X, y)
    assert caught.value.__notes__[0].endswith("'near', fitted to all rows.")


def test_dropped_members_are_left_out():
    X, y = load_iris(return_X_y=True)
    pairs = [("a", GaussianNB()), ("b", DummyClassifier()), ("c", classical_nb())]
    dropped = BayesianStackingClassifier(pairs).set_params(b="drop").fit(X, y)
    without = BayesianStackingClassifier(pairs[::2]).fit(X, y)
    assert dropped.names_ == ["a", "c"]
    assert_array_equal(dropped.predict_proba(X), without.predict_proba(X))
    with pytest.raises(ValueError, match="estimators is empty"):
        BayesianStackingClassifier([("a", "drop")]).fit(X, y)


@pytest.mark.parametrize("size", [1e-300, 1e300, 1.7e308])
def test_targets_of_any_size(size):
    """Members whose sums overflow, such as the mean, have no weight."""
    X, y = small_numbers(60)
    y = y / np.abs(y).max()
    model = BayesianStackingRegressor(random_state=0).fit(X, size * y)
    assert np.corrcoef(model.predict(X) / size, y)[0, 1] > 0.8
    if size < 1e308:  # beyond, sums of errors overflow
        assert np.isfinite(model.prediction_interval(X)).all()


def test_a_failed_fit_leaves_the_former_model():
    X, y = small_classes()
    members = [("near", KNeighborsClassifier(3)), ("nb", GaussianNB())]
    model = BayesianStackingClassifier(members).fit(X, y)
    before = model.predict_proba(X)
    with pytest.raises(ValueError, match="'near' takes no sample_weight"):
        model.fit(X, y, np.ones(len(y)))
    np.testing.assert_array_equal(model.predict_proba(X), before)


def test_html_view_shows_weights_once_fitted():
    X, y = small_classes()
    members = [("<near>", neighbours(3)), ("same", DummyClassifier())]
    model = BayesianStackingClassifier(members)
    assert "weight</th>" not in model._repr_html_()
    model.fit(X, y)
    for page in (model._repr_html_(), model._repr_mimebundle_()["text/html"]):
        assert page.count("weights</summary>") == 1
        for name, weight in zip(model.names_, model.weights_):
            loss = model.loo_scores_[name]
            cells = f"<td>{escape(name)}</td><td>{weight:.3f}</td><td>{loss:.4g}</td>"
            assert cells in page


# Raw documents


def small_texts(n_texts=120):
    """Return documents of two classes, which differ by a pair of words."""
    rng = np.random.default_rng(0)
    y = rng.choice(["praise", "blame"], n_texts)
    fillers = rng.choice(["film", "plot", "cast", "music", "scene"], (n_texts, 4))
    said = {"praise": "not bad", "blame": "bad, not good"}
    return [" ".join([*row, said[label]]) for row, label in zip(fillers, y)], y


def counted(model, **options):
    return make_pipeline(CountVectorizer(**options), model)


def test_members_of_documents_are_pooled_as_those_of_tables():
    texts, y = small_texts()
    members = [
        ("words", counted(TextNB(m=1.0))),
        ("pairs", counted(TextNB(m=1.0), ngram_range=(2, 2))),
        ("model", LanguageModelNB(order=1)),
    ]
    stack = BayesianStackingClassifier(members, cv=3).fit(texts, y)
    assert not hasattr(stack, "n_features_in_")
    proba = stack.predict_proba(texts[:9])
    for container in (np.array, pd.Series, partial(np.array, dtype=object)):
        assert_array_equal(stack.predict_proba(container(texts[:9])), proba)
    found = [member.predict_proba(texts[:9]) for member in stack.estimators_]
    pooled = np.tensordot(stack.weights_, found, axes=1) ** (1 / stack.temperature_)
    assert_allclose(proba, pooled / pooled.sum(axis=1, keepdims=True), rtol=1e-12)
    assert_allclose(stack.explain(texts[:2]).terms.sum(axis=1), proba[:2], rtol=1e-12)
    assert stack.prediction_set(texts[:9], 0.9).shape == (9, 2)
    grid = {"pairs__countvectorizer__binary": [False, True], "model": ["drop"]}
    search = GridSearchCV(stack, grid, cv=2, error_score="raise").fit(texts, y)
    assert search.best_score_ > 0.9
    order = np.random.default_rng(1).permutation(len(y))
    moved = clone(stack).fit([texts[i] for i in order], y[order])
    assert_allclose(moved.weights_, stack.weights_, atol=1e-9)


@pytest.mark.parametrize("n_texts", [6, 120])
def test_documents_have_default_members(n_texts):
    texts, y = small_texts(n_texts)
    stack = BayesianStackingClassifier().fit(texts, y)
    assert stack.names_[-2:] == ["language_model", "prior"]
    assert (stack.predict(texts) == y).mean() > 0.8
    # The same model reads a table afterwards, with the members for tables.
    assert "aode" in stack.fit(*small_classes()).names_
    assert stack.n_features_in_ == 2
    with pytest.raises(ValueError, match="Expected 2D array"):
        stack.predict(texts)


def test_rows_unlike_those_of_fit_are_refused():
    texts, y = small_texts(30)
    stack = BayesianStackingClassifier([("words", counted(TextNB(m=1.0)))])
    stack.fit(texts, y)
    with pytest.raises(ValueError, match="must be documents, a list of strings"):
        stack.predict(np.zeros((2, 2)))
    with pytest.raises(ValueError, match="give estimators, such as pipelines"):
        BayesianStackingRegressor().fit(texts, np.arange(30.0))
    with pytest.raises(ValueError, match="inconsistent numbers of samples"):
        stack.fit(texts, y[1:])
    with pytest.raises(ValueError, match="document 29 of X is None"):
        stack.fit([*texts[:-1], None], y)
    assert stack.predict(texts[:1]).shape == (1,)
    numbers = counted(ShepardKNNRegressor(n_neighbors=3, metric="cosine"))
    regressor = BayesianStackingRegressor([("near", numbers)], cv=2)
    lengths = np.array([len(text) for text in texts], dtype=float)
    assert regressor.fit(texts, lengths).predict(texts[:3]).shape == (3,)

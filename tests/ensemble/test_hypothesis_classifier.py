"""HypothesisClassifier: posteriors by hand, rules, kinds of hypotheses.

Code under test: `ensemble/_hypotheses.py`, `ensemble/_posterior.py`,
`ensemble/_predicted_labels.py`.
"""

from itertools import product

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import load_iris
from sklearn.exceptions import NotFittedError
from sklearn.frozen import FrozenEstimator
from sklearn.linear_model import RidgeClassifier
from sklearn.model_selection import (
    GridSearchCV,
    KFold,
    ShuffleSplit,
    cross_val_score,
)
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.tree import DecisionTreeClassifier

from sklearn_bayeslazy import HypothesisClassifier, LanguageModelNB, ShepardKNN
from tests.helpers.classical_naive_bayes import classical_nb

X = np.zeros((4, 1))


def lookup(table):
    """Return a function that looks up the label of each row's number."""
    return lambda Z: np.array([table[int(row)] for row in Z[:, 0]])


def test_the_cancer_example_of_mitchell():
    """P(+ | c) P(c) = .0078 and P(+ | not c) P(not c) = .0298: .21 and .79 (6.2)."""
    model = HypothesisClassifier(
        [{"+": 0.98, "-": 0.02}, {"+": 0.03, "-": 0.97}], prior=[0.008, 0.992]
    ).fit([[0]], ["+"])
    products = np.exp(model.log_likelihood_) * [0.008, 0.992]
    np.testing.assert_allclose(products, [0.0078, 0.0298], atol=5e-5)
    np.testing.assert_allclose(model.posterior_, [0.21, 0.79], atol=5e-3)
    assert (model.map_, model.ml_) == (1, 0)


def test_the_optimal_prediction_differs_from_that_of_the_map_hypothesis():
    """Posteriors .4, .3, .3 and predictions +, -, - (Mitchell 1997, section 6.7)."""
    hypotheses = [lookup("++"), lookup("+-"), lookup("+-")]  # of the rows 0 and 1
    predictions = {}
    for rule in ("bayes_optimal", "map"):
        model = HypothesisClassifier(
            hypotheses, rule, prior=[0.4, 0.3, 0.3], classes=["-", "+"]
        )
        model.fit([[0], [0]], ["+", "+"])  # all agree, so the posterior is the prior
        np.testing.assert_allclose(model.posterior_, [0.4, 0.3, 0.3])
        predictions[rule] = model.predict([[1]])[0]
    assert predictions == {"bayes_optimal": "-", "map": "+"}


def test_the_posterior_is_uniform_on_the_version_space():
    """All functions from four points to two labels; three points are observed."""
    tables = list(product([0, 1], repeat=4))
    rows, labels = np.array([[0.0], [1.0], [3.0]]), np.array([1, 0, 1])
    model = HypothesisClassifier([lookup(table) for table in tables])
    model.fit(rows, labels)
    consistent = [t[0] == 1 and t[1] == 0 and t[3] == 1 for t in tables]
    assert model.version_space_.tolist() == np.flatnonzero(consistent).tolist()
    np.testing.assert_allclose(model.posterior_, np.array(consistent) / 2)
    np.testing.assert_allclose(
        model.predict_proba([[2.0], [3.0]]), [[0.5, 0.5], [0.0, 1.0]]
    )


@pytest.mark.parametrize("noise", [0.0, 0.1])
def test_the_posterior_is_the_product_over_rows(noise):
    rng = np.random.default_rng(0)
    tables = rng.dirichlet([1, 1, 1], size=(5, 7))
    hypotheses = [lambda Z, t=t: t[Z[:, 0].astype(int)] for t in tables]
    rows, y = rng.integers(0, 7, (30, 1)), np.arange(30) % 3
    weight = rng.integers(0, 3, 30)
    prior = rng.random(5)
    model = HypothesisClassifier(hypotheses, prior=prior, noise=noise)
    model.fit(rows, y, sample_weight=weight)
    soft = (1 - noise) * tables + noise / 3
    joint = prior.copy()
    for row, label, w in zip(rows[:, 0], y, weight):
        joint *= soft[:, row, label] ** w
    np.testing.assert_allclose(model.posterior_, joint / joint.sum(), rtol=1e-10)
    expected = np.einsum("h,hrc->rc", model.posterior_, soft)
    found = model.predict_proba(np.arange(7)[:, None])
    np.testing.assert_allclose(found, expected, rtol=1e-12)


def test_many_rows_do_not_underflow():
    hypotheses = [{"a": 0.5, "b": 0.5}, {"a": 0.4, "b": 0.6}]
    y = np.array(["a", "b"] * 50_000)
    model = HypothesisClassifier(hypotheses).fit(np.zeros((len(y), 1)), y)
    assert model.log_likelihood_.max() < -69_000
    np.testing.assert_allclose(model.posterior_, [1.0, 0.0], atol=1e-12)


def test_the_gibbs_error_is_at_most_twice_the_optimal_error():
    """All truths by their prior, all points that may be seen, and all draws.

    A label is 1 with probability .8. Of a point that was not seen the optimal rule errs
    with probability .2, and a drawn hypothesis with 2 · .8 · .2 = .32.
    """
    tables = np.array(list(product([0, 1], repeat=3)))
    prior = np.prod(np.where(tables == 1, 0.8, 0.2), axis=1)
    hypotheses, points = [lookup(table) for table in tables], np.arange(3.0)[:, None]
    errors = {"bayes_optimal": 0.0, "gibbs": 0.0}
    for (truth, share), seen in product(zip(tables, prior), range(3)):
        rows = points[[seen]], truth[[seen]]
        for rule in errors:
            model = HypothesisClassifier(
                hypotheses, rule, prior=prior, noise=0.0, random_state=seen
            ).fit(*rows)
            if rule == "gibbs":
                np.testing.assert_array_equal(
                    model.predict(points), tables[model.drawn_]
                )
                miss = model.posterior_ @ (tables != truth)  # over all draws
            else:
                miss = model.predict(points) != truth
            errors[rule] += share * miss.mean() / 3
    assert errors["bayes_optimal"] == pytest.approx(0.2 * 2 / 3)
    assert errors["gibbs"] == pytest.approx(0.32 * 2 / 3)


def test_gibbs_draws_one_hypothesis_from_the_posterior():
    hypotheses = [{"a": 0.2, "b": 0.8}, {"a": 0.8, "b": 0.2}]
    drawn = [
        HypothesisClassifier(hypotheses, "gibbs", random_state=seed)
        .fit(X[:1], ["a"])
        .drawn_
        for seed in range(400)
    ]
    assert abs(np.mean(drawn) - 0.8) < 6 * np.sqrt(0.16 / 400)
    model = HypothesisClassifier(hypotheses, "gibbs", random_state=1).fit(X[:1], ["a"])
    expected = [[0.2, 0.8], [0.8, 0.2]][model.drawn_]
    np.testing.assert_allclose(model.predict_proba(X), [expected] * 4)


def test_a_fit_with_another_rule_removes_drawn():
    model = HypothesisClassifier([{"a": 0.5, "b": 0.5}], "gibbs").fit(X[:1], ["a"])
    assert model.drawn_ == 0
    assert not hasattr(model.set_params(rule="map").fit(X[:1], ["a"]), "drawn_")


@pytest.mark.parametrize("rule", ["map", "ml"])
def test_map_and_ml_use_one_hypothesis(rule):
    hypotheses = [{"a": 0.9, "b": 0.1}, {"a": 0.6, "b": 0.4}]
    model = HypothesisClassifier(hypotheses, rule, prior=[0.1, 0.9]).fit(X[:1], ["a"])
    expected = {"ml": [0.9, 0.1], "map": [0.6, 0.4]}[rule]
    np.testing.assert_allclose(model.predict_proba(X[:1]), [expected])


def test_clones_predict_rows_that_they_have_not_seen():
    """One nearest neighbor memorises every row, which held-out rows reveal."""
    rng = np.random.default_rng(0)
    rows = rng.normal(size=(120, 3))
    y = (rows[:, 0] + rng.normal(size=120) > 0).astype(int)
    hypotheses = [("memory", KNeighborsClassifier(1)), ("bayes", GaussianNB())]
    model = HypothesisClassifier(hypotheses, cv=5, noise=0.01).fit(rows, y)
    assert model.names_ == ["memory", "bayes"]
    assert model.map_ == 1
    fitted = [member.fit(rows, y) for _, member in hypotheses]
    assert HypothesisClassifier(fitted, noise=0.01).fit(rows, y).map_ == 0
    by_hand = GaussianNB().fit(rows, y).predict_proba(rows)
    np.testing.assert_allclose(model.hypotheses_[1].predict_proba(rows), by_hand)


def test_all_kinds_of_hypotheses_work_together():
    iris = load_iris(as_frame=True)
    hypotheses = [
        GaussianNB(),
        RidgeClassifier(),  # labels alone
        {0: 0.2, 1: 0.3, 2: 0.5},
        lambda frame: np.where(frame.iloc[:, 2] < 2.5, 0, 1),
    ]
    model = HypothesisClassifier(hypotheses, cv=3, noise=0.05, n_jobs=2)
    model.fit(iris.data, iris.target)
    assert model.score(iris.data, iris.target) > 0.9
    assert model.names_[0] == "GaussianNB 0"
    assert model.names_[3] == "<lambda> 3"
    assert list(model.feature_names_in_) == list(iris.data.columns)


def test_strings_and_missing_values_reach_the_classifiers():
    frame = pd.DataFrame({"a": ["x", "y", None, "x"] * 10, "b": [1.0, np.nan] * 20})
    y = np.array(["u", "v", "v", "u"] * 10)
    model = HypothesisClassifier([classical_nb(1), classical_nb(10)], cv=2)
    assert model.__sklearn_tags__().input_tags.allow_nan
    assert model.fit(frame, y).score(frame, y) >= 0.75
    mixed = HypothesisClassifier([classical_nb(), GaussianNB()], cv=2)
    assert not mixed.__sklearn_tags__().input_tags.allow_nan


def test_raw_documents_reach_the_classifiers():
    texts, y = ["a b", "a a c", "b b", "c b"], np.array(["x", "x", "z", "z"])
    words = LanguageModelNB(order=1, analyzer=str.split).fit(texts, y)

    def first_word(documents):
        return np.array(["x" if text[0] == "a" else "z" for text in documents])

    hypotheses = [words, first_word, {"x": 0.5, "z": 0.5}]
    model = HypothesisClassifier(hypotheses, cv="prefit").fit(pd.Series(texts), y)
    found = words.predict_proba(texts)[np.arange(4), [0, 0, 1, 1]].prod()
    products = np.array([found, 1.0, 0.5**4])  # the second makes no error
    np.testing.assert_allclose(model.posterior_, products / products.sum(), rtol=1e-9)
    batches = HypothesisClassifier(hypotheses, cv="prefit")
    batches.partial_fit(texts[:3], y[:3]).partial_fit(texts[3:], y[3:])
    np.testing.assert_allclose(batches.posterior_, model.posterior_, rtol=1e-9)
    assert list(model.predict(["a", "c b"])) == ["x", "z"]
    with pytest.raises(ValueError, match="X must be documents, a list of strings"):
        model.predict([[1.0]])


def test_weights_reach_the_classifiers():
    iris = load_iris()
    weight = np.random.default_rng(0).integers(0, 3, 150)
    hypotheses = [classical_nb(0.5), GaussianNB()]
    model = HypothesisClassifier(hypotheses, cv=3).fit(iris.data, iris.target, weight)
    rows = np.repeat(np.arange(150), weight)
    expected = classical_nb(0.5).fit(iris.data[rows], iris.target[rows])
    np.testing.assert_allclose(
        model.hypotheses_[0].predict_proba(iris.data),
        expected.predict_proba(iris.data),
        atol=1e-12,
    )
    with pytest.raises(ValueError, match="'KNeighborsClassifier 0' takes no sample"):
        HypothesisClassifier([KNeighborsClassifier()], cv=3).fit(
            iris.data, iris.target, weight
        )


def test_a_fold_of_rows_of_weight_zero_is_skipped():
    iris = load_iris()
    rows = np.random.default_rng(0).permutation(150)
    X, y, weight = iris.data[rows], iris.target[rows], np.ones(150)
    weight[:50] = 0
    model = HypothesisClassifier([GaussianNB()], cv=KFold(3), noise=0.01)
    found = model.fit(X, y, sample_weight=weight).log_likelihood_
    expected = model.set_params(cv=KFold(2)).fit(X[50:], y[50:]).log_likelihood_
    np.testing.assert_allclose(found, expected, rtol=1e-12)


def test_grid_search_and_cross_validation():
    iris = load_iris()
    search = GridSearchCV(
        HypothesisClassifier(
            [GaussianNB(), ShepardKNN(5, power=2, m=0)], cv=3, noise=0.01
        ),
        {"rule": ["bayes_optimal", "map"], "noise": [0.01, 0.1]},
        n_jobs=2,
    )
    assert search.fit(iris.data, iris.target).best_score_ > 0.9
    frozen = FrozenEstimator(GaussianNB().fit(iris.data, iris.target))
    score = cross_val_score(HypothesisClassifier([frozen]), iris.data, iris.target)
    assert score.mean() > 0.9


def test_an_unknown_label_is_refused():
    model = HypothesisClassifier([lookup("ab"), lookup("aa")]).fit([[0]], ["a"])
    with pytest.raises(
        ValueError, match="predicts 'b', which is not one of the classes"
    ):
        model.predict([[1]])


def test_fitted_classifiers_may_have_other_classes():
    rows, y = np.arange(9.0)[:, None], np.repeat([0, 1, 2], 3)
    knows_all = GaussianNB().fit(rows, y)
    knows_two = GaussianNB().fit(rows[:6], y[:6])
    model = HypothesisClassifier([knows_all, knows_two]).fit(rows[:6], y[:6])
    assert model.classes_.tolist() == [0, 1, 2]
    assert model.predict_proba(rows).shape == (9, 3)
    model = HypothesisClassifier([knows_all, knows_two]).fit(rows, y)
    assert model.version_space_.tolist() == [0]


@pytest.mark.parametrize(
    ("parameters", "error", "message"),
    [
        ({"hypotheses": []}, ValueError, "hypotheses is empty"),
        ({"hypotheses": ["tree"]}, TypeError, r"hypotheses\[0\] is 'tree'"),
        ({"hypotheses": [GaussianNB()]}, NotFittedError, "'GaussianNB 0' is not fit"),
        ({"prior": [1.0]}, ValueError, "prior has shape"),
        ({"prior": [1.0, -1.0]}, ValueError, "must be ≥ 0"),
        ({"prior": [0.0, 0.0]}, ValueError, "not all 0"),
        ({"prior": [np.nan, 1.0]}, ValueError, "must be ≥ 0"),
        ({"noise": 1.5}, ValueError, "'noise' parameter"),
        ({"rule": "vote"}, ValueError, "'rule' parameter"),
        (
            {"hypotheses": [{"a": 1.0}, {"a": 1.0}]},
            ValueError,
            "Every hypothesis has the posterior 0",
        ),
        ({"hypotheses": [{1: 0.5, 2: 0.5}] * 2}, TypeError, "of another kind"),
        (
            {"hypotheses": [lambda Z: np.ones((len(Z), 5))] * 2},
            ValueError,
            "predicts an array of shape",
        ),
        ({"hypotheses": [lambda Z: np.array("a")] * 2}, ValueError, "array of shape"),
        ({"hypotheses": [lambda Z: np.array(["a"])] * 2}, ValueError, "array of shape"),
        (
            {"hypotheses": [{"a": 0.5, "b": 0.6}] * 2},
            ValueError,
            "invalid probabilities",
        ),
        (
            {"hypotheses": [{"a": 1.5, "b": -0.5}] * 2},
            ValueError,
            "invalid probabilities",
        ),
        (
            {"hypotheses": [{"a": np.nan, "b": 1}] * 2},
            ValueError,
            "invalid probabilities",
        ),
        *(
            ({"hypotheses": [table]}, TypeError, r"hypotheses\[0\] is \{.*numbers for")
            for table in ({}, {"a": "x"}, {"a": None}, {None: 0.5, "a": 0.5})
        ),
        ({"hypotheses": [{"a": 0.5, 1: 0.5}]}, TypeError, "all strings or all numbers"),
        ({"hypotheses": [{("a", "b"): 1.0}]}, TypeError, "all strings or all numbers"),
        (
            {"hypotheses": [lambda Z: np.full(len(Z), np.nan)]},
            ValueError,
            "The hypothesis '<lambda> 0' predicts labels that are no classes",
        ),
        ({"cv": "five"}, ValueError, "'cv' parameter"),
        ({"cv": [np.nan]}, ValueError, r"cv holds nan: .* a pair \(train, test\)"),
        ({"cv": [(0, 1)]}, ValueError, r"cv holds \(0, 1\)"),
        ({"cv": [([0.5], [1])]}, ValueError, "arrays of the indices of rows"),
        ({"cv": []}, ValueError, "each row in exactly one test part"),
        ({"cv": ShuffleSplit(2)}, ValueError, "each row in exactly one test part"),
    ],
)
def test_invalid_parameters(parameters, error, message):
    model = HypothesisClassifier([{"a": 0.5, "b": 0.5}, {"a": 1.0, "b": 0.0}])
    model.fit(X, ["a", "a", "a", "a"])
    before = model.predict_proba(X)
    model.set_params(**parameters)
    with pytest.raises(error, match=message):
        model.fit(X, ["a", "a", "a", "b"])
    np.testing.assert_array_equal(model.predict_proba(X), before)


def test_trees_with_an_error_have_the_posterior_zero_without_noise():
    rng = np.random.default_rng(0)
    rows = rng.normal(size=(60, 2))
    y = rng.integers(0, 2, 60)
    tree = DecisionTreeClassifier(random_state=0)
    with pytest.raises(ValueError, match="set noise above"):
        HypothesisClassifier([tree], cv=3).fit(rows, y)
    model = HypothesisClassifier([tree], cv=3, noise=0.1).fit(rows, y)
    assert model.posterior_.tolist() == [1.0]

"""HypothesisClassifier: posteriors by batches, named parameters, sums of one."""

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.datasets import load_iris
from sklearn.model_selection import GridSearchCV
from sklearn.naive_bayes import GaussianNB
from sklearn.tree import DecisionTreeClassifier

from sklearn_bayeslazy import HypothesisClassifier
from sklearn_bayeslazy.ensemble._posterior import hypothesis_log_likelihood
from tests.helpers.classical_naive_bayes import classical_nb

COINS = [{"heads": 1 / 2, "tails": 1 / 2}, {"heads": 3 / 4, "tails": 1 / 4}]


def tosses(n):
    return np.zeros((n, 1))


def test_the_old_posterior_is_the_prior_of_the_next_rows():
    """Heads: 1/2 : 3/4, that is 2/5 and 3/5. Then tails: 2/5 · 1/2 : 3/5 · 1/4."""
    model = HypothesisClassifier(COINS).partial_fit(tosses(1), ["heads"])
    np.testing.assert_allclose(model.posterior_, [2 / 5, 3 / 5])
    model.partial_fit(tosses(1), ["tails"])
    np.testing.assert_allclose(model.posterior_, [4 / 7, 3 / 7])
    as_prior = HypothesisClassifier(COINS, prior=[2, 3]).fit(tosses(1), ["tails"])
    np.testing.assert_allclose(model.posterior_, as_prior.posterior_)


@pytest.mark.parametrize("rule", ["bayes_optimal", "gibbs"])
@pytest.mark.parametrize("noise", [0.0, 0.1])
def test_batches_give_the_posterior_of_one_fit(rule, noise):
    rng = np.random.default_rng(0)
    tables = rng.dirichlet([1, 1, 1], size=(4, 7))
    hypotheses = [lambda Z, t=t: t[Z[:, 0].astype(int)] for t in tables]
    X, y, weight = rng.integers(0, 7, (40, 1)), np.arange(40) % 3, rng.random(40) * 3
    model = HypothesisClassifier(
        hypotheses, rule, prior=[1, 2, 3, 4], noise=noise, random_state=0
    )
    once = clone(model).fit(X, y, weight)
    for a, b in [(0, 1), (1, 2), (2, 25), (25, 40)]:  # the first has one class only
        part = slice(a, b)
        classes = [0, 1, 2] if a == 0 else None
        model.partial_fit(X[part], y[part], classes, sample_weight=weight[part])
    np.testing.assert_allclose(model.log_likelihood_, once.log_likelihood_, rtol=1e-12)
    np.testing.assert_allclose(model.posterior_, once.posterior_, rtol=1e-10)
    assert model.weights_.argmax() == once.weights_.argmax()
    model.fit(X[:5], y[:5])  # forgets all former rows
    np.testing.assert_array_equal(
        model.log_likelihood_, clone(model).fit(X[:5], y[:5]).log_likelihood_
    )


def test_fitted_classifiers_stay_as_they_are():
    """New rows have been seen by no classifier, so they count without folds."""
    iris = load_iris()
    rows = np.random.default_rng(0).permutation(150)
    X, y = iris.data[rows], iris.target[rows]
    model = HypothesisClassifier([classical_nb(1), GaussianNB()], cv=3, noise=0.01)
    model.fit(X[:100], y[:100])
    before, fitted = model.log_likelihood_, list(model.hypotheses_)
    model.partial_fit(X[100:], y[100:])
    assert all(one is other for one, other in zip(model.hypotheses_, fitted))
    for i, classifier in enumerate(fitted):
        p = classifier.predict_proba(X[100:])[np.arange(50), y[100:]]
        gain = np.log(0.99 * p + 0.01 / 3).sum()
        np.testing.assert_allclose(model.log_likelihood_[i] - before[i], gain)


@pytest.mark.parametrize(
    ("X", "y", "arguments", "message"),
    [
        (tosses(1), ["edge"], {}, "labels that are not in the classes"),
        (tosses(1), ["heads"], {"classes": ["edge"]}, "not in the classes"),
        (np.zeros((1, 2)), ["heads"], {}, "features"),
        (tosses(1), ["tails"], {}, "Every hypothesis has the posterior 0"),
        (tosses(1), ["heads"], {"sample_weight": [-1.0]}, "sample_weight"),
        (tosses(1), None, {}, "requires y"),
    ],
)
def test_a_failed_update_leaves_the_former_model(X, y, arguments, message):
    always_heads = {"heads": 1.0, "tails": 0.0}
    model = HypothesisClassifier([always_heads, {"heads": 0.5, "tails": 0.5}])
    model.set_params(prior=[1, 0]).fit(tosses(2), ["heads", "heads"])
    before = vars(model).copy()
    with pytest.raises(ValueError, match=message):
        model.partial_fit(X, y, **arguments)
    assert vars(model).keys() == before.keys()
    assert all(value is before[name] for name, value in vars(model).items())
    model.partial_fit(tosses(1), ["heads"])


def test_a_search_sets_the_parameters_of_named_hypotheses():
    iris = load_iris()
    model = HypothesisClassifier(
        [("tree", DecisionTreeClassifier(random_state=0)), GaussianNB()],
        cv=3,
        noise=0.01,
    )
    assert model.get_params()["tree__max_depth"] is None
    assert "tree" not in model.get_params(deep=False)
    grid = {"tree__max_depth": [1, 4], "tree": [DecisionTreeClassifier()]}
    search = GridSearchCV(model, grid, cv=3).fit(iris.data, iris.target)
    assert {p["tree__max_depth"] for p in search.cv_results_["params"]} == {1, 4}
    fitted = search.best_estimator_.hypotheses_[0]
    assert fitted.max_depth == search.best_params_["tree__max_depth"]


def test_set_params_replaces_named_hypotheses_first():
    pairs = [("a", GaussianNB()), COINS[0], ("b", COINS[1])]
    model = HypothesisClassifier(pairs)
    model.set_params(b=COINS[0], a__max_depth=2, a=DecisionTreeClassifier(), noise=0.1)
    assert model.hypotheses[0][1].max_depth == 2
    assert model.hypotheses[2] == ("b", COINS[0])
    assert model.noise == 0.1
    assert type(pairs[0][1]) is GaussianNB  # the caller's list is unchanged
    model.set_params(c__max_depth=3, hypotheses=[("c", DecisionTreeClassifier())])
    assert model.get_params()["c"].max_depth == 3
    with pytest.raises(ValueError, match="Invalid parameter 'a'"):
        model.set_params(a=GaussianNB())


@pytest.mark.parametrize("names", [["a", "a"], ["a__b", "c"], ["prior", "a"]])
def test_names_that_would_be_ambiguous_parameters(names):
    model = HypothesisClassifier(list(zip(names, COINS)))
    assert model.get_params()["prior"] is None
    with pytest.raises(ValueError, match="names must differ"):
        model.fit(tosses(1), ["heads"])


def test_probabilities_sum_to_one_whatever_the_hypotheses_give():
    """Sums may differ from 1 by 1e-4, as those in single precision do."""
    rng = np.random.default_rng(0)
    off = 1 + rng.uniform(-9e-5, 9e-5, size=(3, 50, 1))
    tables = rng.dirichlet([1, 1, 1], size=(3, 50)) * off
    hypotheses = [lambda Z, t=t: t[Z[:, 0].astype(int)] for t in tables]
    X = np.arange(50)[:, None]
    model = HypothesisClassifier([*hypotheses, {0: 1.00005, 1: 0.0, 2: 0.0}])
    model.fit(X, np.arange(50) % 3)
    found = model.predict_proba(X)
    np.testing.assert_allclose(found.sum(axis=1), 1, rtol=0, atol=4e-16)
    exact = tables / tables.sum(axis=2, keepdims=True)
    expected = np.einsum("h,hrc->rc", model.posterior_[:3], exact)
    np.testing.assert_allclose(found, expected, rtol=1e-12)
    np.testing.assert_array_equal(model.predict_log_proba(X), np.log(found))
    sure = HypothesisClassifier([{0: 1.00005, 1: 0.0}]).fit(X[:1], [0])
    assert sure.predict_proba(X[:1]).tolist() == [[1.0, 0.0]]
    assert sure.log_likelihood_.tolist() == [0.0]
    assert sure.predict_log_proba(X[:1]).tolist() == [[0.0, -np.inf]]


def test_a_log_likelihood_that_overflows_is_not_an_impossible_label():
    rare, codes = np.array([[1e-200, 1.0]] * 2), np.array([0, 0])
    with pytest.raises(ValueError, match="overflows float64: divide sample_weight"):
        hypothesis_log_likelihood(rare, codes, np.full(2, 4e305))  # more than fit takes

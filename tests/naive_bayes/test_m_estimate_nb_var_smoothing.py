"""MEstimateNB: the share of the largest variance that is added to every variance."""

import numpy as np
import pytest
from sklearn.datasets import load_digits
from sklearn.metrics import log_loss
from sklearn.model_selection import cross_val_score
from sklearn.utils import get_tags

from sklearn_bayeslazy import MEstimateNB
from tests.helpers.classical_naive_bayes import classical_nb

SHARES = [0.0, 0.05, 0.5]


@pytest.fixture
def table():
    """Return numbers of two scales with missing cells, and three classes."""
    rng = np.random.default_rng(5)
    y = rng.integers(3, size=40)
    X = rng.normal(y[:, None], [1.0, 3.0], size=(40, 2))
    X[::9, 0] = np.nan
    return X, y


def losses_of_refits(X, y, share, **params):
    """Return the log loss of each row under the model of the others.

    What is added to the variances is that of all rows.
    """
    added = share * np.nanvar(X, axis=0).max()
    losses = []
    for i in range(len(y)):
        others = np.arange(len(y)) != i
        of_others = added / np.nanvar(X[others], axis=0).max()
        model = classical_nb(var_smoothing=of_others, **params)
        proba = model.fit(X[others], y[others]).predict_proba(X[[i]])
        losses.append(log_loss(y[[i]], proba, labels=[0, 1, 2]))
    return losses


def test_leave_one_out_equals_refits_with_the_same_constant(table):
    X, y = table
    candidates = {"m": [0.0, 2.0], "var_smoothing": SHARES}
    model = classical_nb(
        m="loo",
        distribution="gaussian",
        var_smoothing="loo",
        loo_candidates=candidates,
    ).fit(X, y)
    params = model.loo_results_["params"]
    assert params == [
        {"m": m, "var_smoothing": share} for share in SHARES for m in (0.0, 2.0)
    ]
    expected = [
        np.mean(losses_of_refits(X, y, one["var_smoothing"], m=one["m"]))
        for one in params
    ]
    found = model.loo_results_["mean_log_loss"]
    np.testing.assert_allclose(found, expected, rtol=1e-9)
    best = params[np.argmin(expected)]
    assert {"m": model.m_, "var_smoothing": model.var_smoothing_} == best
    refitted = classical_nb(distribution="gaussian", **best).fit(X, y)
    np.testing.assert_array_equal(model.predict_proba(X), refitted.predict_proba(X))


def test_weights_are_those_of_the_best_share(table):
    X, y = table
    params = {"m": 1.0, "distribution": "gaussian"}
    fits = [MEstimateNB(var_smoothing=share, **params).fit(X, y) for share in SHARES]
    losses = [fit.loo_results_["mean_log_loss"][1] for fit in fits]
    best = int(np.argmin(losses))
    chosen = MEstimateNB(
        var_smoothing="loo", loo_candidates={"var_smoothing": SHARES}, **params
    ).fit(X, y)
    assert chosen.var_smoothing_ == SHARES[best]
    np.testing.assert_array_equal(chosen.loo_results_["mean_log_loss"][1::2], losses)
    np.testing.assert_array_equal(chosen.feature_weights_, fits[best].feature_weights_)


def test_batches_keep_the_choice_and_add_the_share_of_all_rows(table):
    X, y = table
    model = classical_nb(distribution="gaussian", var_smoothing="loo")
    model.partial_fit(X[:30], y[:30], classes=[0, 1, 2])
    share = model.var_smoothing_
    model.partial_fit(X[30:], y[30:])
    assert model.var_smoothing_ == share
    whole = classical_nb(distribution="gaussian", var_smoothing=share).fit(X, y)
    np.testing.assert_allclose(model.var_, whole.var_, rtol=1e-12)
    other = classical_nb(distribution="gaussian", var_smoothing=share + 0.1).fit(X, y)
    before = model.var_.copy()
    with pytest.raises(ValueError, match="differ in var_smoothing"):
        model.merge(other)
    np.testing.assert_array_equal(model.var_, before)
    given = model.set_params(var_smoothing=0.2).partial_fit(X, y)
    largest = np.nanvar(X, axis=0).max()  # of the rows, each twice
    assert given.epsilon_ == pytest.approx(0.2 * largest, rel=1e-12)


def test_digits_gain_two_points():
    """With a constant column and many small variances, a floor is not enough."""
    X, y = load_digits(return_X_y=True)
    scores = [
        cross_val_score(
            classical_nb(m=0, distribution="gaussian", var_smoothing=share), X, y, cv=5
        ).mean()
        for share in (0.0, 0.1)
    ]
    assert scores[1] > scores[0] + 0.02


@pytest.mark.parametrize("candidates", [[-0.1], [np.nan], ["much"], [np.inf]])
def test_bad_candidates_are_named(table, candidates):
    model = classical_nb(
        var_smoothing="loo", loo_candidates={"var_smoothing": candidates}
    )
    with pytest.raises(ValueError, match=r"loo_candidates\['var_smoothing'\] holds"):
        model.fit(*table)


@pytest.mark.parametrize("distribution", [None, 3])
def test_tags_of_a_distribution_that_is_no_name(distribution):
    model = MEstimateNB(distribution=distribution)
    assert hasattr(model, "partial_fit")
    with pytest.raises(ValueError, match="'distribution' parameter"):
        model.fit([[0.0], [1.0]], [0, 1])


@pytest.mark.parametrize(
    ("distribution", "expected"),
    [
        ("loo", True),
        ("auto", True),
        ("categorical", True),
        ("gaussian", False),
        ("poisson", False),
        (["gaussian", "quantized"], False),
        (["gaussian", "auto"], True),
        ({"x": "gaussian"}, True),  # other columns may hold categories
    ],
)
def test_the_tag_categorical_follows_the_distribution(distribution, expected):
    tags = get_tags(MEstimateNB(distribution=distribution))
    assert tags.input_tags.categorical == expected

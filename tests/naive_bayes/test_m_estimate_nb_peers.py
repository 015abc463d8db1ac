"""MEstimateNB equals scikit-learn's naive Bayes where the definitions agree."""

import numpy as np
import pytest
from sklearn.naive_bayes import BernoulliNB, CategoricalNB, GaussianNB

from tests.helpers.classical_naive_bayes import classical_nb

weights = pytest.mark.parametrize("weighted", [False, True])
seeds = pytest.mark.parametrize("seed", range(3))


def draw(seed, weighted, high=4):
    rng = np.random.default_rng(seed)
    y = rng.integers(3, size=200)
    X = (rng.random((200, 6)) ** (1 + y[:, None]) * high).astype(int)
    X[:high] = np.arange(high)[:, None]  # every value occurs
    return X, y, rng.uniform(0.1, 3, size=200) if weighted else None


def assert_same(ours, peer, X):
    np.testing.assert_allclose(
        ours.predict_joint_log_proba(X), peer.predict_joint_log_proba(X), rtol=1e-10
    )
    np.testing.assert_allclose(ours.predict_proba(X), peer.predict_proba(X), atol=1e-10)
    np.testing.assert_array_equal(ours.predict(X), peer.predict(X))


@weights
@seeds
@pytest.mark.parametrize("alpha", [0.3, 1.0, 2.5])
def test_categorical_is_categorical_nb_with_m_alpha_times_k(seed, weighted, alpha):
    X, y, weight = draw(seed, weighted)
    ours = classical_nb(m=alpha * 4, distribution="categorical").fit(X, y, weight)
    assert_same(ours, CategoricalNB(alpha=alpha).fit(X, y, weight), X)
    laplace = classical_nb(m="laplace", distribution="categorical").fit(X, y, weight)
    assert_same(laplace, CategoricalNB(alpha=1.0).fit(X, y, weight), X)


@weights
@seeds
def test_bernoulli_is_bernoulli_nb_with_m_2_alpha(seed, weighted):
    X, y, weight = draw(seed, weighted)
    ours = classical_nb(m=2 * 0.7, distribution="bernoulli").fit(X, y, weight)
    assert_same(ours, BernoulliNB(alpha=0.7).fit(X, y, weight), X)


@seeds
@pytest.mark.parametrize("share", [0.0, 0.1])
def test_gaussian_is_gaussian_nb_except_for_n_minus_1(seed, share):
    X, y, _ = draw(seed, weighted=False)
    X = X + np.random.default_rng(seed).normal(size=X.shape)
    ours = classical_nb(m=0, distribution="gaussian", var_smoothing=share).fit(X, y)
    peer = GaussianNB(var_smoothing=share).fit(X, y)
    n = peer.class_count_[:, None]
    added = peer.epsilon_ if share else 0.0
    peer.var_ = (peer.var_ - added) * n / (n - 1) + added
    assert ours.epsilon_ == pytest.approx(added, rel=1e-12)
    assert_same(ours, peer, X)


@seeds
def test_gaussian_weights_are_frequencies(seed):
    X, y, weight = draw(seed, weighted=True)
    X = X + np.random.default_rng(seed).normal(size=X.shape)
    ours = classical_nb(m=0, distribution="gaussian").fit(X, y, weight)
    peer = GaussianNB(var_smoothing=0).fit(X, y, weight)
    n = peer.class_count_[:, None]
    peer.var_ = peer.var_ * n / (n - 1)
    assert_same(ours, peer, X)


def test_class_prior_and_fit_prior_are_scikit_learns():
    X, y, _ = draw(0, weighted=False)
    for params in ({"fit_prior": False}, {"class_prior": [0.5, 0.25, 0.25]}):
        ours = classical_nb(m=4, distribution="categorical", **params).fit(X, y)
        assert_same(ours, CategoricalNB(**params).fit(X, y), X)

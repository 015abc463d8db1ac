"""TextNB equals scikit-learn and MEstimateNB where the definitions are the same."""

import numpy as np
import pytest
from scipy import sparse
from sklearn.naive_bayes import BernoulliNB, ComplementNB, MultinomialNB

from sklearn_bayeslazy import TextNB
from tests.helpers.classical_naive_bayes import classical_nb


def normed_complement_nb(**params):
    return ComplementNB(norm=True, **params)


N_WORDS = 12
PEERS = {
    "multinomial": (MultinomialNB, {}, N_WORDS),
    "bernoulli": (BernoulliNB, {"event_model": "bernoulli"}, 2),
    "complement": (ComplementNB, {"complement": True}, N_WORDS),
    "norm": (normed_complement_nb, {"complement": True, "norm": True}, N_WORDS),
}


def draw(seed, n_classes, weighted, whole=True):
    rng = np.random.default_rng(seed)
    y = rng.permutation(np.arange(60) % n_classes)
    rate = rng.gamma(0.5, size=(n_classes, N_WORDS))
    X = rng.poisson(rate[y])
    X = X if whole else X * rng.uniform(0.1, 1, size=X.shape)
    return X, y, rng.uniform(0.1, 3, size=60) if weighted else None


def assert_same(ours, peer, X):
    np.testing.assert_allclose(
        ours.predict_joint_log_proba(X), peer.predict_joint_log_proba(X), rtol=1e-10
    )
    np.testing.assert_allclose(ours.predict_proba(X), peer.predict_proba(X), atol=1e-10)
    np.testing.assert_array_equal(ours.predict(X), peer.predict(X))
    np.testing.assert_allclose(ours.feature_count_, peer.feature_count_, rtol=1e-12)
    np.testing.assert_allclose(ours.class_count_, peer.class_count_, rtol=1e-12)
    np.testing.assert_allclose(
        ours.feature_log_prob_, peer.feature_log_prob_, rtol=1e-10
    )


@pytest.mark.parametrize("name", PEERS)
@pytest.mark.parametrize("n_classes", [1, 2, 4])
@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("whole", [False, True])
@pytest.mark.parametrize("alpha", [1e-3, 0.4, 1.0, 7.0])
def test_m_is_scikit_learns_alpha_times_what_it_is_added_to(
    name, n_classes, weighted, whole, alpha
):
    peer, params, times = PEERS[name]
    X, y, weight = draw(n_classes, n_classes, weighted, whole)
    new = sparse.csr_array(draw(9, n_classes, False, whole)[0])
    expected = peer(alpha=alpha).fit(X, y, weight)
    ours = TextNB(m=alpha * times, temperature=1, **params).fit(X, y, weight)
    assert_same(ours, expected, new)
    if alpha == 1:
        ours = TextNB("laplace", temperature=1, **params).fit(X, y, weight)
        assert_same(ours, expected, new)


@pytest.mark.parametrize("name", PEERS)
@pytest.mark.parametrize(
    "prior", [{"fit_prior": False}, {"class_prior": [0.1, 0.2, 0.7]}]
)
def test_class_priors_are_scikit_learns(name, prior):
    peer, params, _ = PEERS[name]
    X, y, weight = draw(5, 3, weighted=True)
    ours = TextNB("laplace", temperature=1, **params, **prior).fit(X, y, weight)
    assert_same(ours, peer(**prior).fit(X, y, weight), X)


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("m", [0.01, 1.0, "laplace", 30.0])
@pytest.mark.parametrize("make", [np.asarray, sparse.csr_array])
def test_poisson_from_the_background_is_m_estimate_nbs(make, m, weighted):
    X, y, weight = draw(2, 3, weighted)
    new = draw(3, 3, False)[0]
    ours = TextNB(m=m, event_model="poisson", prior="background", temperature=1)
    ours.fit(make(X), y, weight)
    peer = classical_nb(m=m, distribution="poisson").fit(make(X), y, weight)
    np.testing.assert_allclose(np.exp(ours.feature_log_prob_), peer.rate_, rtol=1e-12)
    np.testing.assert_allclose(
        ours.predict_proba(make(new)), peer.predict_proba(make(new)), atol=1e-10
    )


@pytest.mark.parametrize("m", [0.5, "loo"])
@pytest.mark.parametrize("prior", ["uniform", "background"])
def test_bernoulli_is_m_estimate_nbs(m, prior):
    X, y, weight = draw(4, 3, weighted=True)
    X[0] = 1  # at least two documents hold each word: see MEstimateNB's notes
    X[1] = 1
    params = {"m": m, "loo_scoring": "log_loss", "loo_candidates": {"m": [0.1, 1, 9]}}
    ours = TextNB(event_model="bernoulli", prior=prior, temperature=1, **params)
    ours.fit(X, y, weight)
    peer = classical_nb(
        distribution="bernoulli",
        prior="marginal" if prior == "background" else "uniform",
        **params,
    ).fit(X, y, weight)
    assert ours.m_ == peer.m_
    np.testing.assert_allclose(ours.predict_proba(X), peer.predict_proba(X))
    if m == "loo":
        for name, values in peer.loo_results_.items():
            if name != "params":
                np.testing.assert_allclose(ours.loo_results_[name], values, rtol=1e-9)

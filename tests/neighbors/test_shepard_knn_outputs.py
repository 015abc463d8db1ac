"""ShepardKNN with several outputs: the same rows vote for each.

Code under test: `neighbors/_shepard/_training_targets.py`,
`neighbors/_shepard_knn_regressor.py`.
"""

import numpy as np
import pytest
from scipy import sparse
from sklearn.neighbors import KNeighborsClassifier

from tests.helpers.shepard_knn_classical import euclidean_knn

LISTS = {"n_neighbors": [1, 4, None], "power": [0, 2.0, 3.0], "m": [0.1, 2.0]}
CONTAINERS = pytest.mark.parametrize("container", [np.asarray, sparse.csr_array])


def draw_table(seed=0, n=50):
    rng = np.random.default_rng(seed)
    X, Q = rng.normal(size=(n, 3)), rng.normal(size=(9, 3))
    first = np.where(X[:, 0] + rng.normal(size=n) > 0, "yes", "no")
    second = np.array(["red", "green", "blue"])[rng.integers(3, size=n)]
    return X, np.column_stack([first, second]), Q


@pytest.mark.parametrize("k", [1, 5])
def test_plain_shares_are_scikit_learns(k):
    X, Y, Q = draw_table()
    ours = euclidean_knn(k, weights="uniform", m=0).fit(X, Y)
    peer = KNeighborsClassifier(k).fit(X, Y)
    for one, other in zip(ours.classes_, peer.classes_):
        np.testing.assert_array_equal(one, other)
    for one, other in zip(ours.predict_proba(Q), peer.predict_proba(Q)):
        np.testing.assert_allclose(one, other, atol=1e-12)
    np.testing.assert_array_equal(ours.predict(Q), peer.predict(Q))


@CONTAINERS
@pytest.mark.parametrize("prior", ["marginal", "uniform"])
@pytest.mark.parametrize("params", [{"n_neighbors": 4}, {"n_neighbors": None}])
def test_each_output_is_answered_as_alone(container, prior, params):
    X, Y, Q = draw_table(1)
    weight = np.random.default_rng(1).uniform(0.1, 2, size=len(X))
    model = euclidean_knn(**params, power=3, m=1.5, prior=prior)
    together = model.fit(container(X), Y, weight)
    shares, labels = together.predict_proba(container(Q)), together.predict(Q)
    explained = together.explain(Q).targets
    for v in range(2):
        alone = euclidean_knn(**params, power=3, m=1.5, prior=prior)
        alone.fit(container(X), Y[:, v], weight)
        np.testing.assert_allclose(
            shares[v], alone.predict_proba(container(Q)), atol=1e-12
        )
        np.testing.assert_array_equal(labels[:, v], alone.predict(Q))
        np.testing.assert_array_equal(explained[..., v], alone.explain(Q).targets)


@CONTAINERS
def test_leave_one_out_takes_the_mean_loss_of_the_outputs(container):
    X, Y, _ = draw_table(2)
    together = euclidean_knn(loo_candidates=LISTS).fit(container(X), Y).loo_results_
    alone = [
        euclidean_knn(loo_candidates=LISTS).fit(container(X), column).loo_results_
        for column in Y.T
    ]
    for name in ("mean_log_loss", "mean_accuracy"):
        np.testing.assert_allclose(
            together[name], np.mean([one[name] for one in alone], axis=0), rtol=1e-11
        )
    best = np.argmin(together["rank"])
    assert together["mean_log_loss"][best] == together["mean_log_loss"].min()


def test_tied_rows_share_for_all_outputs():
    rng = np.random.default_rng(3)
    X = rng.integers(0, 2, size=(200, 6)).astype(float)
    Y = rng.integers(0, 3, size=(200, 2))
    order = np.argsort(Y[:, 0], kind="stable")
    one, other = euclidean_knn().fit(X, Y), euclidean_knn().fit(X[order], Y[order])
    for p, q in zip(one.predict_proba(X), other.predict_proba(X)):
        np.testing.assert_allclose(p, q, atol=1e-12)


def test_labels_of_different_kinds():
    X, Y, Q = draw_table(4)
    mixed = np.empty(Y.shape, dtype=object)
    mixed[:, 0], mixed[:, 1] = Y[:, 0], np.arange(len(X)) % 2
    labels = euclidean_knn(3).fit(X, mixed).predict(Q)
    assert set(labels[:, 0]) <= {"yes", "no"}
    assert set(labels[:, 1]) <= {0, 1}


def test_tol_bounds_the_error_of_each_output():
    X, Y, Q = draw_table(5, n=400)
    exact = euclidean_knn(None, power=3, m=0).fit(X, Y).predict_proba(Q)
    near = euclidean_knn(None, power=3, tol=0.01).fit(X, Y).predict_proba(Q)
    for one, other in zip(exact, near):
        np.testing.assert_allclose(one, other, atol=0.01)


@pytest.mark.parametrize(
    "params", [{"class_weight": "balanced"}, {"prior": [0.5, 0.5]}], ids=str
)
def test_parameters_of_one_output_are_refused(params):
    X, Y, _ = draw_table(6)
    with pytest.raises(ValueError, match=r"is for one output, and y has 2: drop it"):
        euclidean_knn(**params).fit(X, Y)

"""Offsets of words in TextNB: the optimum, what may see what, states, limits.

Code under test: `text/_words/_offsets.py`, `text/_words/_offset_search.py`,
and their use in `text/_text_nb.py`.
"""

import pickle

import numpy as np
import pytest
from scipy import sparse
from scipy.optimize import minimize
from scipy.special import logsumexp
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import log_loss
from sklearn.model_selection import cross_val_score

from sklearn_bayeslazy import TextNB
from sklearn_bayeslazy.text._words import _offset_search, _offsets
from tests.helpers.memory import FIXED, peak


def collection(n=240, seed=0, rate=0.3):
    """Return counts of 12 words, of which some repeat each other, and classes."""
    rng = np.random.default_rng(seed)
    y = rng.integers(0, 3, n)
    rates = rate + rng.random((3, 8))
    words = rng.poisson(rates[y])
    return np.column_stack([words, words[:, :4]]), np.array(list("abc"))[y]


def logarithms(X):
    """Return log(1 + count) of rows brought to unit length."""
    logs = np.log1p(X)
    lengths = np.linalg.norm(logs, axis=1, keepdims=True)
    return logs / np.where(lengths > 0, lengths, 1)


def left_out_scores(X, y, m):
    """Return log P(c, x) of each document by the counts of the others, by loops."""
    classes = np.unique(y)
    scores = np.empty((len(y), len(classes)))
    for i in range(len(y)):
        others = np.arange(len(y)) != i
        for k, c in enumerate(classes):
            rows = others & (y == c)
            count = X[rows].sum(axis=0)
            estimate = (count + m / X.shape[1]) / (count.sum() + m)
            scores[i, k] = np.log(rows.sum() / others.sum()) + X[i] @ np.log(estimate)
    return scores


def losses_of(scores, codes):
    """Return the log losses of documents; one in all counts as of any class."""
    every = np.arange(len(codes))
    share = 1 / (1 + len(codes))
    targets = (1 - share) * scores[every, codes] + share * scores.mean(axis=1)
    return logsumexp(scores, axis=1) - targets


def test_offsets_maximise_the_penalised_likelihood_of_left_out_documents():
    X, y = collection(90, rate=1.0)
    model = TextNB(loo_candidates={"m": [3.0]}).fit(X, y)
    choice, found = model._offset_choice, model._offsets
    held = (X > 0).sum(axis=0)
    scale = np.log(91 / (1 + held)) + 1
    scale /= np.sqrt(np.mean(logarithms(X) ** 2 @ scale**2))
    scale = scale if choice.uses_frequency else np.ones(12)
    rows, codes = logarithms(X), np.unique(y, return_inverse=True)[1]
    joint = left_out_scores(rows, y, 3.0)
    without = TextNB(loo_candidates={"m": [3.0]}, feature_weights=None)
    without.set_params(term_weighting="log", length_exponent=0.0).fit(X, y)
    weight0 = 1 / without.temperature_

    def objective(vector):
        v, b, u = vector[0], vector[1:4], vector[4:].reshape(12, 3)
        scores = v * joint + b + rows @ u
        losses = losses_of(scores, codes)
        penalty = (
            (v - weight0) ** 2 + b @ b + choice.penalty * np.sum((u.T / scale) ** 2)
        )
        return losses.sum() + penalty / 2

    wanted = minimize(objective, np.r_[weight0, np.zeros(39)], method="L-BFGS-B")
    ours = np.concatenate([[found.weight], found.bias, found.offsets.ravel()])
    assert objective(ours) <= wanted.fun + 1e-9
    np.testing.assert_allclose(ours, wanted.x, atol=0.02)
    assert model.temperature_ == 1 / found.weight


def test_the_weight_of_misleading_scores_is_at_its_bound():
    """Each word of a pair of documents speaks, without one, for the other's class."""
    rng, y = np.random.default_rng(0), np.arange(60) % 2
    X = np.repeat(np.eye(30), 2, axis=0)
    X = np.hstack(
        [X, rng.poisson(0.6, (60, 4)) + (rng.random((60, 4)) < 0.5 * y[:, None])]
    )
    texts = _offsets.TextsToLearnFrom(
        TextNB(loo_candidates={"m": [0.1]}).fit(X, y), X, y, np.ones(60)
    )
    texts.weight0 = 2.0
    joint = texts.left_out().joint
    found = _offsets.fit_word_offsets(texts, _offsets.OffsetChoice(False, 0.1))
    assert found.weight == 0.01 * 2.0

    def objective(vector):
        v, b, u = vector[0], vector[1:3], vector[3:].reshape(34, 2)
        scores = v * joint + b + X @ u
        losses = losses_of(scores, y)
        return losses.sum() + ((v - 2) ** 2 + b @ b + 0.1 * np.sum(u**2)) / 2

    bounds = [(0.02, None)] + [(None, None)] * 70
    wanted = minimize(objective, np.r_[2, np.zeros(70)], bounds=bounds)
    ours = np.concatenate([[found.weight], found.bias, found.offsets.ravel()])
    assert objective(ours) <= wanted.fun + 1e-9


def test_probabilities_are_those_of_the_formula():
    X, y = collection()
    model = TextNB().fit(X, y)
    new = collection(seed=1)[0]
    rows, offsets = logarithms(new), model._offsets
    classical = TextNB(model.m_, term_weighting="log", temperature=1).fit(X, y)
    scores = classical.predict_joint_log_proba(new) / model.temperature_
    scores += offsets.bias + rows @ offsets.offsets
    proba = np.exp(scores) / np.exp(scores).sum(axis=1, keepdims=True)
    np.testing.assert_allclose(model.predict_proba(new), proba, rtol=1e-9)
    joint = model.predict_joint_log_proba(new)
    np.testing.assert_allclose(rows @ model.coef_.T + model.intercept_, joint)
    np.testing.assert_allclose(model.feature_log_prob_, classical.feature_log_prob_)
    why = model.explain(new[:5])
    gaps = joint[:5] / model.temperature_
    for row in range(5):
        total = why.base[row] + why.terms[row].sum(axis=0)
        np.testing.assert_allclose(total - total[0], gaps[row] - gaps[row, 0])


def test_noise_gets_no_offsets_that_mislead():
    rng = np.random.default_rng(3)
    X, y = rng.poisson(0.5, (200, 400)), np.arange(200) % 2
    for seed in range(3):
        order = np.random.default_rng(seed).permutation(200)
        train, test = order[:150], order[150:]
        model = TextNB().fit(X[train], y[train])
        assert log_loss(y[test], model.predict_proba(X[test])) < 0.75


def test_words_that_repeat_each_other_are_not_counted_twice():
    X, y = collection(600)
    scores = {
        name: cross_val_score(model, X, y, scoring="neg_log_loss").mean()
        for name, model in {
            "offsets": TextNB(),
            "classical": TextNB(feature_weights=None),
            "logistic": LogisticRegression(max_iter=1000),
        }.items()
    }
    assert scores["offsets"] > scores["classical"]
    assert scores["offsets"] > scores["logistic"] - 0.02


def test_left_out_predictions_are_not_those_of_new_documents_made_easy():
    X, y = collection(2000)
    model = TextNB().fit(X[:1000], y[:1000])
    left_out = log_loss(y[:1000], model.predict_proba(None))
    of_new = log_loss(y[1000:], model.predict_proba(X[1000:]))
    assert log_loss(y[:1000], model.predict_proba(X[:1000])) < left_out
    assert abs(left_out - of_new) < 0.05


def test_neither_order_nor_threads_matter():
    X, y = collection()
    rng = np.random.default_rng(0)
    rows, words = rng.permutation(len(y)), rng.permutation(12)
    proba = TextNB().fit(X, y).predict_proba(X)
    other = TextNB(n_jobs=2).fit(X[rows][:, words], y[rows])
    np.testing.assert_allclose(other.predict_proba(X[:, words]), proba, atol=1e-9)
    sparse_rows = sparse.csr_array(X.astype(np.float32))
    np.testing.assert_array_equal(
        TextNB().fit(sparse_rows, y).predict_proba(sparse_rows), proba
    )


def test_integer_weights_are_repetition_and_a_factor_changes_nothing():
    X, y = collection(150)
    X[:, :2] += 1  # copies of one word are not one document
    weight = np.random.default_rng(0).integers(1, 4, 150)
    repeated = np.repeat(np.arange(150), weight)
    weighted = TextNB(m="loo").fit(X, y, weight)
    of_repeated = TextNB(m="loo").fit(X[repeated], y[repeated])
    np.testing.assert_allclose(
        weighted.predict_proba(X), of_repeated.predict_proba(X), atol=1e-6
    )
    plain = TextNB(loo_candidates={"m": [2.0]}).fit(X, y)
    twice = TextNB(loo_candidates={"m": [4.0]}).fit(X, y, np.full(150, 2.0))
    np.testing.assert_allclose(
        plain.predict_proba(X), twice.predict_proba(X), atol=1e-9
    )


def test_batches_and_merging_keep_the_offsets():
    X, y = collection(300)
    model = TextNB().partial_fit(X[:200], y[:200], classes=["a", "b", "c"])
    first = TextNB().fit(X[:200], y[:200])
    offsets, m = first._offsets, first.m_
    model.partial_fit(X[200:], y[200:])
    np.testing.assert_array_equal(model._offsets.offsets, offsets.offsets)
    assert model.temperature_ == first.temperature_
    counts = TextNB(m, term_weighting="log").fit(X, y).feature_count_
    np.testing.assert_allclose(model.feature_count_, counts)
    # Merging adds counts; a class that the first does not have gets no offsets.
    one = TextNB(loo_candidates={"m": [m]}).fit(X[y != "b"], y[y != "b"])
    other = TextNB(loo_candidates={"m": [m]}).fit(X[y != "a"], y[y != "a"])
    before = one._offsets
    merged = pickle.loads(pickle.dumps(one)).merge(other)
    assert merged.classes_.tolist() == ["a", "b", "c"]
    np.testing.assert_array_equal(merged._offsets.offsets[:, [0, 2]], before.offsets)
    assert not merged._offsets.offsets[:, 1].any()
    assert merged.predict_proba(X).shape == (300, 3)
    with pytest.raises(ValueError, match="term_weighting differs"):
        one.merge(TextNB(m).fit(X, y))


def test_many_classes_and_words_have_no_offsets(monkeypatch):
    X, y = collection()
    monkeypatch.setattr("sklearn_bayeslazy.text._text_nb.MAX_OFFSETS", 35)
    model = TextNB().fit(X, y)
    assert model._offsets is None
    assert model.temperature_ > 0
    assert model.predict_proba(None).shape == (240, 3)


def test_large_collections_learn_from_a_sample_in_less_digits(monkeypatch):
    X, y = collection(2000)

    def fitted():
        return TextNB(random_state=0).fit(X[:1000], y[:1000])

    def loss(model):
        return log_loss(y[1000:], model.predict_proba(X[1000:]))

    exact = fitted()
    monkeypatch.setattr(_offset_search, "_MAX_CELLS_OF_EXACT", 100)
    rough = fitted()
    assert 0 < abs(loss(rough) - loss(exact)) < 0.01
    monkeypatch.setattr(_offsets, "_MAX_CELLS", 10_000)
    sample = fitted()
    np.testing.assert_array_equal(sample.coef_, fitted().coef_)
    assert 0 < abs(loss(sample) - loss(exact)) < 0.05


def test_classes_without_a_word_in_common(monkeypatch):
    rng = np.random.default_rng(0)
    y = np.arange(80) % 2
    X = rng.integers(1, 50, (80, 12)) * (np.arange(12) % 2 == y[:, None])
    for limit in (_offset_search._MAX_CELLS_OF_EXACT, 0):
        monkeypatch.setattr(_offset_search, "_MAX_CELLS_OF_EXACT", limit)
        model = TextNB().fit(X, y)
        assert model.score(X, y) == 1
        proba = model.predict_proba(None)
        assert log_loss(y, proba) < 0.1
        assert np.isfinite(model.coef_).all()


@pytest.mark.parametrize(
    ("params", "match"),
    [
        ({"event_model": "bernoulli"}, "event_model='bernoulli'"),
        ({"complement": True}, "complement=True"),
        ({"length_exponent": 0.5}, "length_exponent=0.5"),
    ],
)
def test_offsets_where_they_have_no_meaning(params, match):
    X, y = collection(60)
    with pytest.raises(ValueError, match=f"feature_weights=.*{match}"):
        TextNB(feature_weights="loo", **params).fit(X, y)
    assert TextNB(**params).fit(X, y)._offsets is None


def test_given_parameters_are_the_classical_method():
    X, y = collection(60)
    for params in ({"m": "laplace"}, {"temperature": 1}, {"prior": "background"}):
        model = TextNB(**params).fit(X, y)
        assert model._offsets is None
        classical = TextNB(**params, feature_weights=None, term_weighting="count")
        np.testing.assert_array_equal(model.coef_, classical.fit(X, y).coef_)
    given = TextNB("laplace", temperature=2.0, feature_weights="loo").fit(X, y)
    assert given._offsets is not None
    assert given.temperature_ == pytest.approx(2.0, rel=1e-15)


def test_memory_is_a_few_times_that_of_the_cells(monkeypatch):
    # Later steps of a search need what the first ones need.
    monkeypatch.setattr(_offset_search, "_MAX_STEPS", 3)
    rng = np.random.default_rng(0)
    X = sparse.random_array((20_000, 2000), density=0.02, format="csr", rng=rng)
    X.data = np.ceil(9 * X.data)
    y = np.arange(20_000) % 3
    model, few = TextNB(), slice(300)
    used = peak(lambda: model.fit(X, y), lambda: model.fit(X[few], y[few]))
    size = X.data.nbytes + X.indices.nbytes
    vectors = 8 * 20_000 * 12 + 20 * 8 * 2000 * 3
    assert used < FIXED + vectors + 3 * size

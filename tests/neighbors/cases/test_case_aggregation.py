"""Global similarities against the mixed metrics, and factors of classes.

Code under test: `neighbors/_cases/_case_space.py`.
"""

import tracemalloc
from dataclasses import dataclass

import numpy as np
import pandas as pd
import pytest

from sklearn_bayeslazy import (
    CaseBasedClassifier,
    CaseBasedRegressor,
    EqualitySimilarity,
    NumberSimilarity,
    ShepardKNN,
    ShepardKNNRegressor,
    ValueDifferenceSimilarity,
)
from sklearn_bayeslazy.neighbors._cases._attribute_weights import soft_votes

EQUALITY = {"a": EqualitySimilarity(), "b": EqualitySimilarity()}
OVERLAP = {**EQUALITY, "c": NumberSimilarity()}


def mixed_table(n=60, has_missing=False):
    rng = np.random.default_rng(0)
    X = pd.DataFrame(
        {
            "a": rng.choice(list("pqr"), n),
            "b": rng.choice(list("uv"), n),
            "c": rng.normal(size=n),
        }
    )
    if has_missing:
        X.loc[::7, "a"] = None
        X.loc[3::9, "c"] = np.nan
    return X, rng.choice(3, n, p=[0.6, 0.3, 0.1])


@pytest.mark.parametrize("k", [1, 4, None])
def test_the_euclidean_aggregation_of_equality_and_ranges_is_heom(k):
    X, y = mixed_table(has_missing=True)
    queries = X[:25].assign(c=X["c"] * 0.9)  # within the range of the cases
    params = {"n_neighbors": k, "power": 2}
    given = {"similarities": OVERLAP, "weights": None, "missing": 0.0}
    given |= {"aggregation": "euclidean", **params}
    found = CaseBasedClassifier(m=1, **given).fit(X, y)
    expected = ShepardKNN(m=1, metric="heom", **params).fit(X, y)
    np.testing.assert_allclose(
        found.predict_proba(queries), expected.predict_proba(queries), atol=1e-12
    )
    found = CaseBasedRegressor(**given).fit(X, y)
    expected = ShepardKNNRegressor(metric="heom", **params).fit(X, y)
    np.testing.assert_allclose(
        found.predict(queries), expected.predict(queries), atol=1e-12
    )


@pytest.mark.parametrize("k", [1, 4, None])
def test_the_euclidean_aggregation_of_value_differences_is_hvdm(k):
    X, y = mixed_table()
    similarity = ValueDifferenceSimilarity(q=2, root=2)
    # No two numbers differ by more than four standard deviations (of n - 1).
    X["c"] = np.clip(X["c"], -1.5, 1.5)
    scale = NumberSimilarity(4 * X["c"].std())
    found = CaseBasedClassifier(
        k,
        similarities={"a": similarity, "b": similarity, "c": scale},
        weights=[2, 2, 1],  # 1 - s is the distance of the distributions over √2
        aggregation="euclidean",
        power=2,
        m=1,
    ).fit(X, y)
    expected = ShepardKNN(k, metric="hvdm", power=2, m=1).fit(X, y)
    np.testing.assert_allclose(
        found.predict_proba(X[:25]), expected.predict_proba(X[:25]), atol=1e-12
    )


def test_the_account_by_attribute_gives_the_euclidean_similarity():
    X, y = mixed_table(has_missing=True)
    weights = np.array([1.0, 3.0, 2.0])
    model = CaseBasedClassifier(5, weights=weights, aggregation="euclidean", m=1)
    model.set_params(power=1).fit(X, y)
    found = model.retrieve(X[:9], 5)
    apart = np.sqrt((1 - found.by_attribute) ** 2 @ (weights / 6))
    np.testing.assert_allclose(found.similarities, 1 - apart, atol=1e-12)
    parts = model.explain(X[:9])
    np.testing.assert_allclose(
        np.sum(parts.column_distances**2, axis=2), parts.distances**2, atol=1e-12
    )


def test_votes_by_euclidean_similarity():
    X, y = mixed_table(has_missing=True)
    given = {"weights": [1, 3, 2], "aggregation": "euclidean", "vote": "similarity"}
    model = CaseBasedClassifier(None, m=0, **given).fit(X, y)
    found = model.retrieve(X[:9], len(X))
    votes = found.similarities[:, :, None] * (found.answers[:, :, None] == range(3))
    expected = votes.sum(axis=1) / found.similarities.sum(axis=1, keepdims=True)
    np.testing.assert_allclose(model.predict_proba(X[:9]), expected, atol=1e-12)


def test_leave_one_out_scores_euclidean_votes_of_fits_without_each_case():
    X, y = mixed_table(30)
    X.loc[:3, "c"] = [-3.0, 3.0, -3.0, 3.0]  # the range stays without any one case
    given = {"similarities": OVERLAP, "weights": [1, 2, 1], "aggregation": "euclidean"}
    given |= {"power": 2, "missing": 0.3}
    candidates = {"n_neighbors": [4], "m": [0.5]}
    model = CaseBasedClassifier(loo_candidates=candidates, **given).fit(X, y)
    losses = []
    for i in range(30):
        rest = np.delete(np.arange(30), i)
        other = CaseBasedClassifier(4, m=0.5, **given).fit(X.iloc[rest], y[rest])
        losses.append(-np.log(other.predict_proba(X.iloc[[i]])[0, y[i]]))
    found = model.loo_results_["mean_log_loss"][0]
    np.testing.assert_allclose(found, np.mean(losses), rtol=1e-9)


@pytest.mark.parametrize("class_weight", ["balanced", {0: 0.2, 2: 5.0}])
def test_class_weight_is_that_of_shepards_method(class_weight):
    rng = np.random.default_rng(1)
    X, y = rng.normal(size=(60, 3)), rng.choice(3, 60, p=[0.7, 0.2, 0.1])
    given = {"power": 1, "class_weight": class_weight}
    by_range = [NumberSimilarity()] * 3
    found = CaseBasedClassifier(similarities=by_range, weights=None, **given).fit(X, y)
    expected = ShepardKNN(metric="gower", **given).fit(X, y)
    assert found.n_neighbors_ == expected.n_neighbors_
    assert found.m_ == expected.m_
    np.testing.assert_allclose(
        found.predict_proba(X), expected.predict_proba(X), atol=1e-12
    )


def test_the_loss_of_weights_counts_classes_by_their_factors():
    X, y = mixed_table(20)[0], np.arange(20) % 3
    factors = np.array([0.5, 2.0, 3.0])
    model = CaseBasedClassifier(
        3, similarities=OVERLAP, weights=None, power=1, m=1, aggregation="euclidean"
    )
    model.set_params(class_weight=dict(enumerate(factors))).fit(X, y)
    weights = np.array([0.7, 2.0, 1.3])
    c = X["c"].to_numpy()
    expected = 0.0
    for q in range(20):
        others = [i for i in range(20) if i != q]
        squares = [(X[name] != X[name][q]).to_numpy()[others] for name in "ab"]
        squares.append((np.abs(c - c[q])[others] / np.ptp(c)) ** 2)
        vote = np.exp(-np.transpose(squares) @ weights)
        vote = vote / vote.max() * factors[y[others]]
        same, prior = y[others] == y[q], factors[y[others]]
        p = vote @ same + 1e-3 * (prior @ same) / prior.sum()
        expected -= factors[y[q]] * np.log(p / (vote.sum() + 1e-3))
    loss, _ = soft_votes(model._model, 0).loss(weights)
    np.testing.assert_allclose(loss, expected, rtol=1e-5)


def test_factors_of_classes_do_not_change_what_complete_fills():
    X, y = mixed_table(has_missing=True)
    given = {"n_neighbors": 4, "power": 1, "m": 1, "weights": None}
    given["similarities"] = EQUALITY
    found = CaseBasedClassifier(class_weight={0: 9.0}, **given).fit(X, y).complete(X)
    expected = CaseBasedClassifier(**given).fit(X, y).complete(X)
    pd.testing.assert_frame_equal(found[0], expected[0])
    np.testing.assert_array_equal(found[1], expected[1])


def test_a_class_without_cases_has_a_factor():
    X, y = mixed_table()
    model = CaseBasedClassifier(4, power=1, m=1, weights=None, class_weight="balanced")
    model.partial_fit(X[y < 2], y[y < 2], classes=[0, 1, 2])
    shares = model.predict_proba(X)
    np.testing.assert_allclose(shares.sum(axis=1), 1)
    assert not shares[:, 2].any()


@pytest.mark.parametrize(
    ("params", "message"),
    [
        ({"aggregation": "max"}, "The 'aggregation' parameter"),
        ({"class_weight": "equal"}, "The 'class_weight' parameter"),
        ({"class_weight": {7: 2.0}}, "class_weight names 7, which is not one"),
        ({"class_weight": {0: -1.0}}, "class_weight must hold numbers from"),
    ],
)
def test_unusable_aggregations_and_factors(params, message):
    X, y = mixed_table()
    with pytest.raises(ValueError, match=message):
        CaseBasedClassifier(**params).fit(X, y)


@dataclass(frozen=True)
class EqualityByPairs(EqualitySimilarity):
    """Equality of symbols as any other similarity is computed: pair by pair."""


@pytest.mark.parametrize("missing", ["mean", 0.0, 0.3, 1.0])
@pytest.mark.parametrize("aggregation", ["mean", "euclidean"])
def test_equal_symbols_need_no_table_of_pairs(missing, aggregation):
    """Missing and unknown symbols count as they do in the table of all pairs."""
    rng = np.random.default_rng(0)
    X = pd.DataFrame(rng.choice(list("abcde"), (300, 4)), columns=list("wxyz"))
    X = X.mask(rng.random(X.shape) < 0.2)
    new = X[:40].replace("a", "unknown")
    answers = []
    for similarity in (EqualitySimilarity(), EqualityByPairs()):
        model = CaseBasedClassifier(
            3,
            similarities=dict.fromkeys(X, similarity),
            weights=[1.0, 2.0, 3.0, 0.5],
            power=1.0,
            m=1,
            missing=missing,
            aggregation=aggregation,
        ).fit(X, np.arange(300) % 3)
        found = model.retrieve(new, 3)
        answers.append((model.predict_proba(new), found.similarities, found.indices))
    for a, b in zip(*answers):
        np.testing.assert_allclose(a, b, atol=1e-12)


def test_a_name_for_each_case_needs_memory_for_the_names_only():
    n = 20_000
    X = pd.DataFrame({"name": [f"case {i}" for i in range(n)]})
    X["kind"] = ["a", "b"] * (n // 2)
    similarities = dict.fromkeys(X, EqualitySimilarity())
    model = CaseBasedClassifier(
        1, similarities=similarities, weights=None, power=1.0, m=0, missing=0.0
    )
    tracemalloc.start()
    model.fit(X, X["kind"])
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 2e8  # a table of all pairs takes 3.2e9 bytes
    new = pd.DataFrame({"name": ["case 7", "new"], "kind": ["b", "a"]})
    np.testing.assert_array_equal(model.predict(new), ["b", "a"])

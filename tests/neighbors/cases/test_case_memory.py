"""Cases are retrieved, added, removed, given other answers, and completed.

Code under test: `neighbors/_cases/_memory.py`.
"""

import tracemalloc

import numpy as np
import pandas as pd
import pytest

from sklearn_bayeslazy import (
    CaseBasedClassifier,
    CaseBasedRegressor,
    EqualitySimilarity,
    NumberSimilarity,
    SetSimilarity,
)

CASES = [
    {"cpu": "PowerPC", "os": "MacOS", "memory": 48.0, "apps": {"Excel", "Word"}},
    {"cpu": "Pentium", "os": "Windows", "memory": 16.0, "apps": {"Excel"}},
    {"cpu": "Pentium", "os": "Windows", "memory": 32.0, "apps": {"Netscape"}},
    {"cpu": "PowerPC", "os": "MacOS", "memory": 16.0, "apps": {"Word", "Netscape"}},
]
CAUSES = ["virus", "memory", "driver", "memory"]
EQUAL = {"cpu": EqualitySimilarity(), "os": EqualitySimilarity()}
EQUAL["memory"] = NumberSimilarity()


def help_desk(**params):
    params = {"weights": None, "similarities": EQUAL, "power": 1, "m": 0, **params}
    return CaseBasedClassifier(2, **params).fit(CASES, CAUSES)


def test_retrieve_accounts_for_the_similarity_by_attribute():
    model = help_desk(weights=[2, 1, 1, 0])
    query = {"cpu": "PowerPC", "os": "Windows", "memory": 40.0, "apps": {"Excel"}}
    found = model.retrieve([query], 2)
    # Range of memory 32. Case 0: (2·1 + 0 + 1 - 8/32) / 4; case 3: (2 + 1 - 24/32) / 4
    # less the operating system; case 2: (0 + 1 + 1 - 8/32) / 4.
    np.testing.assert_allclose(found.similarities, [[2.75 / 4, 2.25 / 4]])
    np.testing.assert_array_equal(found.indices, [[0, 3]])
    np.testing.assert_allclose(found.by_attribute[0, 0], [1, 0, 0.75, 1 / 2])
    np.testing.assert_allclose(found.by_attribute @ found.weights, found.similarities)
    frame = found.frame()
    assert list(frame["answer"]) == ["virus", "memory"]
    assert list(frame.index) == [0, 3]
    assert list(frame.columns[:3]) == ["similarity", "answer", "cpu"]


def test_an_explanation_adds_up_to_the_distance():
    model = help_desk()
    explanation = model.explain(CASES[:2])
    np.testing.assert_allclose(
        np.nansum(explanation.column_distances, axis=2),
        np.nan_to_num(explanation.distances),
        atol=1e-12,
    )
    np.testing.assert_allclose(np.nansum(explanation.shares, axis=1), 1)
    assert explanation.column_frame(0).shape[1] == 4


def random_cases(rng, n):
    X = pd.DataFrame(
        {
            "a": rng.choice(["p", "q", "r"], n),
            "b": rng.choice(["u", "v"], n),
            "c": rng.normal(size=n).round(2),
        }
    )
    X.loc[rng.random(n) < 0.1, "a"] = None
    return X, (X["c"].to_numpy() + (X["b"] == "u").to_numpy() > 0.5).astype(int)


def models():
    fixed = {"n_neighbors": 3, "power": 1, "weights": [1, 2, 1]}
    return [CaseBasedClassifier(m=1, **fixed), CaseBasedRegressor(**fixed)]


@pytest.mark.parametrize("model", models(), ids=lambda one: type(one).__name__)
def test_added_and_removed_cases_are_as_if_fitted_so(model):
    rng = np.random.default_rng(0)
    X, y = random_cases(rng, 60)
    weight = rng.integers(0, 3, 60).astype(float)
    whole = model.fit(X, y, weight)
    expected = answers(whole, X)
    grown = type(model)(**model.get_params()).fit(X[:25], y[:25], weight[:25])
    grown.retain(X[25:40], y[25:40], weight[25:40]).retain(X[40:], y[40:], weight[40:])
    np.testing.assert_allclose(answers(grown, X), expected, atol=1e-12)
    np.testing.assert_array_equal(
        grown.retrieve(X[:5], 4).indices, whole.retrieve(X[:5], 4).indices
    )
    forgotten = [3, 17, 58]
    rest = np.delete(np.arange(60), forgotten)
    grown.forget(forgotten)
    other = type(model)(**model.get_params())
    other.fit(X.iloc[rest].reset_index(drop=True), y[rest], weight[rest])
    np.testing.assert_allclose(answers(grown, X), answers(other, X), atol=1e-12)
    np.testing.assert_array_equal(
        grown.retrieve(X[:5], 4).indices, other.retrieve(X[:5], 4).indices
    )


def answers(model, X):
    return getattr(model, "predict_proba", model.predict)(X)


def test_a_revised_case_has_another_answer():
    revised = help_desk().revise(0, "disk")
    assert "disk" in revised.classes_
    assert revised.predict(CASES[:1])[0] == "disk"
    again = help_desk().fit(CASES, ["disk", *CAUSES[1:]])
    np.testing.assert_array_equal(
        revised.predict_proba(CASES), again.predict_proba(CASES)
    )


def test_partial_fit_in_batches_is_one_fit():
    rng = np.random.default_rng(1)
    X, y = random_cases(rng, 50)
    params = {"n_neighbors": 3, "power": 1, "m": 1, "weights": None}
    whole = CaseBasedClassifier(**params).fit(X, y)
    part = CaseBasedClassifier(**params).partial_fit(X[:20], y[:20], classes=[0, 1])
    part.partial_fit(X[20:], y[20:])
    np.testing.assert_allclose(
        part.predict_proba(X), whole.predict_proba(X), atol=1e-12
    )


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda m: m.forget(4), "indices must be from 0 to 3"),
        (lambda m: m.forget([0, 1, 2, 3]), "keep one at least"),
        (lambda m: m.forget(0.5), "indices must be integers"),
        (lambda m: m.revise([0, 1], ["a"]), "inconsistent numbers of samples"),
        (lambda m: m.retain(CASES[:1], [1]), "stored answers are .* convert one of"),
        (lambda m: m.revise(0, 1), "stored answers are .* convert one of"),
        (lambda m: m.retain(CASES, ["a"]), "inconsistent numbers of samples"),
        (lambda m: m.retain([{"cpu": 1}], ["a"]), "lacks the attribute"),
        (lambda m: m.retrieve(CASES, 5), "only 4 training"),
    ],
)
def test_a_refused_change_leaves_the_cases(change, message):
    model = help_desk()
    before = vars(model).copy()
    with pytest.raises(ValueError, match=message):
        change(model)
    assert all(vars(model)[name] is value for name, value in before.items())


def test_complete_fills_what_the_others_tell():
    rng = np.random.default_rng(0)
    n = 80
    a = rng.choice(["x", "y", "z"], n)
    X = pd.DataFrame({"a": a, "copy": a, "number": (a == "x") * 4.0})
    X["apps"] = [{"E"} if one == "x" else {"N", "W"} for one in a]
    model = CaseBasedClassifier(similarities={"apps": SetSimilarity()})
    model.fit(X, rng.integers(2, size=n))
    queries = X[:6].astype(object)
    for i in range(4):
        queries.iat[i, i] = None
    filled, confidences = model.complete(queries)
    for i in range(4):
        assert filled.iat[i, i] == X.iat[i, i]
        assert confidences[i, i] > 0.9
    np.testing.assert_array_equal(np.isnan(confidences), queries.notna().to_numpy())
    assert queries.isna().sum().sum() == 4  # the queries stay


def test_complete_a_list_of_dicts_and_an_attribute_that_no_case_knows():
    cases = [{**case, "bios": None} for case in CASES]
    model = CaseBasedClassifier(1, power=1, m=0).fit(cases, CAUSES)
    query = {**cases[0], "os": None}
    filled, confidences = model.complete([query])
    assert filled[0]["os"] == "MacOS"
    assert filled[0]["bios"] is None
    assert np.isnan(confidences[0, 4])
    assert query["os"] is None


@pytest.mark.parametrize("order", [[0, 1, 2, 3], [3, 2, 1, 0]])
def test_equally_likely_symbols_are_completed_by_the_first_one(order):
    X = np.array([["p", "u"], ["q", "u"], ["p", "v"], ["q", "v"]], dtype=object)[order]
    model = CaseBasedClassifier(None, weights=None, power=1, m=1).fit(X, list("xyxy"))
    filled, confidences = model.complete([[None, "u"]])
    assert filled.tolist() == [["p", "u"]]
    assert confidences[0, 0] == 0.5


@pytest.mark.parametrize("estimator", [CaseBasedClassifier, CaseBasedRegressor])
def test_names_of_rows_are_not_compared_each_with_each(estimator):
    n = 5000
    X = pd.DataFrame({"name": [f"row {i}" for i in range(n)], "x": np.arange(n) % 7.0})
    model = estimator(1, weights=None, power=1)
    tracemalloc.start()
    model.fit(X, X["x"].astype(int))
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 4 * n * n  # bytes, half the similarities of all pairs
    np.testing.assert_array_equal(model.predict(X[:3]), [0, 1, 2])

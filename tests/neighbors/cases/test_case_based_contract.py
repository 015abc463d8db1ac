"""Cases as dicts with sets, texts and graphs: the contract that arrays have, by hand.

scikit-learn's checks pass arrays of numbers only.

Code under test: `neighbors/_case_based_classifier.py`,
`neighbors/_case_based_regressor.py`, `neighbors/_cases/_base.py`,
`neighbors/_cases/_read_cases.py`.
"""

import copy
import pickle

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.exceptions import NotFittedError

from sklearn_bayeslazy import (
    CaseBasedClassifier,
    CaseBasedRegressor,
    EqualitySimilarity,
    GraphSimilarity,
    NumberSimilarity,
    OrderedSimilarity,
    TableSimilarity,
    TaxonomySimilarity,
    WordSimilarity,
)

SIMILARITIES = {
    "complaint": WordSimilarity(),
    "os": TableSimilarity({("Windows", "DOS"): 0.6}),
    "network": TaxonomySimilarity({"wifi": "net", "lan": "net"}),
    "memory": NumberSimilarity(scale=64),
    "size": OrderedSimilarity(["small", "medium", "large"]),
    "function": GraphSimilarity(budget=1000),
    "disk": lambda a, b: 1 - abs(a - b) / 10,
}
GRAPHS = [{("p", "q"): "+"}, {("p", "q"): "+", ("q", "r"): "-"}, {("p", "q"): "-"}]


def help_desk(n=40, seed=0):
    rng = np.random.default_rng(seed)
    words = ["error", "on", "startup", "printer", "slow"]
    cases = [
        {
            "complaint": " ".join(rng.choice(words, 3)),
            "os": str(rng.choice(["Windows", "DOS", "MacOS"])),
            "network": str(rng.choice(["wifi", "lan"])),
            "memory": float(rng.integers(1, 9) * 8),
            "size": str(rng.choice(["small", "medium", "large"])),
            "apps": set(rng.choice(["Excel", "Word", "Netscape"], 2).tolist()),
            "function": GRAPHS[rng.integers(3)],
            "disk": int(rng.integers(1, 5)),
        }
        for _ in range(n)
    ]
    for case in cases[::7]:
        for name in rng.choice(list(case), 2):
            case[name] = None
    causes = np.array(["virus", "memory"])[
        [int((case["memory"] or 0) < 33) for case in cases]
    ]
    return cases, causes


def models():
    given = {"similarities": SIMILARITIES}
    return [
        CaseBasedClassifier(**given),
        CaseBasedClassifier(3, weights=None, vote="similarity", m=1, **given),
        CaseBasedRegressor(4, power=1, n_jobs=2, **given),
    ]


every_model = pytest.mark.parametrize("model", models(), ids=lambda m: m.vote)


def answers(model, X):
    return getattr(model, "predict_proba", model.predict)(X)


def fitted(model, n=40):
    cases, causes = help_desk(n)
    y = causes if hasattr(model, "m") else np.arange(n) % 7
    return clone(model).fit(cases, y), cases, y


@every_model
def test_each_case_is_answered_alone(model):
    model, cases, _ = fitted(model)
    together = answers(model, cases)
    alone = np.concatenate([answers(model, [case]) for case in cases])
    np.testing.assert_allclose(alone, together, atol=1e-12)
    if together.ndim == 2:
        np.testing.assert_allclose(together.sum(axis=1), 1)


@every_model
def test_frames_arrays_and_dicts_are_the_same_cases(model):
    model, cases, y = fitted(model)
    frame = pd.DataFrame(cases)
    for name in ("apps", "function"):
        frame[name] = [case[name] for case in cases]
    expected = answers(model, cases)
    assert model.n_features_in_ == 8
    assert list(model.feature_names_in_) == list(frame)
    by_frame = clone(model).fit(frame, y)
    np.testing.assert_allclose(answers(by_frame, frame), expected, atol=1e-12)
    array = frame.to_numpy(dtype=object)
    by_index = {list(frame).index(name): one for name, one in SIMILARITIES.items()}
    by_array = clone(model).set_params(similarities=by_index).fit(array, y)
    np.testing.assert_allclose(answers(by_array, array), expected, atol=1e-12)


@every_model
def test_weights_repeat_cases_and_their_order_does_not_matter(model):
    model.set_params(weights=None, n_neighbors=5, power=1, missing=0.5)
    _, cases, y = fitted(model)
    cases = [{**case, "serial": i / 7} for i, case in enumerate(cases)]  # no copies
    weight = np.random.default_rng(0).integers(0, 3, len(y))
    weighted = clone(model).fit(cases, y, sample_weight=weight)
    rows = np.random.default_rng(1).permutation(np.repeat(np.arange(len(y)), weight))
    repeated = clone(model).fit([cases[i] for i in rows], y[rows])
    np.testing.assert_allclose(
        answers(weighted, cases), answers(repeated, cases), atol=1e-9
    )


@every_model
def test_clones_pickles_and_a_second_fit(model):
    model, cases, y = fitted(model)
    expected = answers(model, cases)
    other = clone(model).fit(cases, y)
    np.testing.assert_array_equal(answers(other, cases), expected)
    state = vars(model).copy()
    model.predict(cases)
    assert vars(model) == state
    plain = clone(model).set_params(similarities={"function": GraphSimilarity()})
    cases = [{**case, "complaint": case["os"]} for case in cases]
    plain.fit(cases, y)
    loaded = pickle.loads(pickle.dumps(plain))
    np.testing.assert_array_equal(answers(loaded, cases), answers(plain, cases))
    with pytest.raises(NotFittedError):
        clone(model).predict(cases)


def test_cases_are_copied_and_not_changed():
    cases, causes = help_desk()
    before = copy.deepcopy(cases)
    model = CaseBasedClassifier(3, similarities=SIMILARITIES).fit(cases, causes)
    assert cases == before
    expected = model.predict_proba(before)
    for case in cases:
        case["apps"] = {"changed"}
    np.testing.assert_array_equal(model.predict_proba(before), expected)


def test_the_similarity_with_a_missing_cell_is_neutral():
    cases = [{"a": "p", "s": {"x"}}, {"a": None, "s": {"y"}}, {"a": "q", "s": None}]
    model = CaseBasedClassifier(
        3, similarities={"a": EqualitySimilarity()}, missing=0.25, weights=None
    ).fit(cases, [0, 1, 1])
    found = model.retrieve([{"a": "p", "s": {"y"}}], 3)
    by_case = found.by_attribute[0][np.argsort(found.indices[0])]
    np.testing.assert_array_equal(by_case, [[1, 0], [0.25, 1], [0, 0.25]])
    # "mean": over the four ordered pairs of p and q, 1/2; of {x} and {y}, 1/2.
    model.set_params(missing="mean").fit(cases, [0, 1, 1])
    found = model.retrieve([{"a": None, "s": None}], 3)
    np.testing.assert_array_equal(found.by_attribute, np.full((1, 3, 2), 0.5))


@pytest.mark.parametrize("kind", [CaseBasedClassifier, CaseBasedRegressor])
@pytest.mark.parametrize("scale", ["ranks", None])
@pytest.mark.parametrize("n_cases", [9, 80, 173])
def test_a_missing_number_is_as_near_as_the_one_that_all_others_have(
    kind, scale, n_cases
):
    """All cases are at the distance 0, whatever the rounding of weights."""
    rng = np.random.default_rng(n_cases)
    y, weight = np.arange(n_cases) % 2, rng.uniform(0.1, 3.0, n_cases)
    X = np.where(y == 1, np.nan, 1.0)[:, None]
    model = kind(None, power=16, similarities=[NumberSimilarity(scale)])
    model.fit(X, y, weight)
    np.testing.assert_array_equal(model.retrieve(X[:2], 5).similarities, 1.0)
    if kind is CaseBasedRegressor:
        mean = np.average(y, weights=weight)
        np.testing.assert_allclose(model.predict(X), mean, rtol=1e-12)
    else:
        assert np.isfinite(model.predict_proba(X)).all()


@pytest.mark.parametrize(
    ("change", "error", "message"),
    [
        ({"colour": "red"}, ValueError, "Case 1 has the attribute 'colour'"),
        ({"os": ...}, ValueError, "Case 1 lacks the attribute 'os'.*give None"),
        ({"memory": "much"}, TypeError, "'memory' held numbers at fit|'memory'"),
        ({"apps": 3}, TypeError, "'apps', case 1: it must hold a set"),
        ({"apps": [["x"]]}, TypeError, "'apps', case 1: unhashable"),
        ({"complaint": 5}, TypeError, "'complaint', case 1: it must hold texts"),
        ({"function": "p->q"}, TypeError, "'function', case 1: it must hold signed"),
        ({"function": {("p", "q"): 7}}, ValueError, "sign of the edge 'p' -> 'q'"),
        ({"network": "radio"}, ValueError, "'network' has the value 'radio'"),
        ({"size": "huge"}, ValueError, "'size' has the value 'huge'.*order"),
        ({"os": {"Windows"}}, TypeError, "'os'"),
    ],
)
def test_hostile_cases(change, error, message):
    model, cases, _ = fitted(models()[1])
    case = {**cases[1], **change}
    case = {name: value for name, value in case.items() if value is not ...}
    before = vars(model).copy()
    for method in (model.predict, model.complete, lambda X: model.retain(X, ["a"] * 2)):
        with pytest.raises(error, match=message):
            method([cases[0], case])
    assert all(vars(model)[name] is value for name, value in before.items())


@pytest.mark.parametrize(
    ("similarities", "message"),
    [
        ({"color": EqualitySimilarity()}, "similarities names the column 'color'"),
        ({"os": "equality"}, "similarities for 'os' must be a similarity object"),
        ({"os": EqualitySimilarity}, "similarities for 'os' must be"),
        (EqualitySimilarity(), "The 'similarities' parameter|must be a dict"),
        ({"disk": lambda a, b: 2.0}, "from 0 to 1"),
        ({"disk": lambda a, b: None}, "numbers from 0 to 1"),
    ],
)
def test_unusable_similarities(similarities, message):
    cases, causes = help_desk()
    with pytest.raises(ValueError, match=message):
        CaseBasedClassifier(similarities=similarities).fit(cases, causes)


def test_other_kinds_of_cases_are_refused():
    cases, causes = help_desk()
    model = models()[1]
    with pytest.raises(TypeError, match="Case 1 is a list, the first one a dict"):
        model.fit([cases[0], [1, 2]], causes[:2])
    for refuse in (lambda one: model.fit(one, causes[:1]), model.predict):
        with pytest.raises(ValueError, match=r"list of dicts, got one dict: give \[c"):
            refuse(cases[0])
        model.fit(cases, causes)
    for weights in (np.zeros(8), np.ones(7), [-1.0, *np.ones(7)]):
        with pytest.raises(ValueError, match=r"weights (must be|has shape)"):
            model.set_params(weights=weights).fit(cases, causes)


def test_symbols_do_not_become_numbers():
    X = pd.DataFrame({"a": ["p", "q", "p"], "b": [1.0, 2.0, 3.0]})
    model = CaseBasedClassifier(1, m=0, power=1, weights=None).fit(X, [0, 1, 0])
    with pytest.raises(TypeError, match=r"'a' held cells of the kind str .* number"):
        model.predict(pd.DataFrame({"a": [1.0], "b": [1.0]}))
    with pytest.raises(TypeError, match="'b' held numbers at fit"):
        model.predict(pd.DataFrame({"a": ["p"], "b": ["x"]}))


def test_polars_frames():
    polars = pytest.importorskip("polars")
    cases = {"a": ["p", "q", "p", None], "b": [1.0, 2.0, 3.0, None]}
    y = [0, 1, 0, 1]
    one = CaseBasedClassifier(2, m=1, power=1).fit(pd.DataFrame(cases), y)
    other = CaseBasedClassifier(2, m=1, power=1).fit(polars.DataFrame(cases), y)
    np.testing.assert_array_equal(
        one.predict_proba(pd.DataFrame(cases)),
        other.predict_proba(polars.DataFrame(cases)),
    )
    filled, confidences = other.complete(polars.DataFrame(cases))
    expected, also = one.complete(pd.DataFrame(cases))
    assert filled.to_dict(as_series=False) == expected.to_dict(orient="list")
    np.testing.assert_array_equal(confidences, also)


def test_a_graph_that_is_missing_everywhere_is_neutral():
    cases = [{"f": None, "a": "p"}, {"f": None, "a": "q"}]
    model = CaseBasedClassifier(1, similarities={"f": GraphSimilarity()}, m=0)
    assert model.fit(cases, [0, 1]).predict([{"f": None, "a": "q"}])[0] == 1
    # No stored case has a graph to compare with.
    assert model.predict([{"f": {(1, 2): "+"}, "a": "p"}])[0] == 0


@pytest.mark.parametrize("kind", [pd.DataFrame, list])
def test_cells_of_dicts_are_found_by_their_keys(kind):
    """Also where the stored cases were a frame: (0, 10) is the first case."""
    frame = pd.DataFrame({"x": [0.0, 1.0, 2.0], "z": [10.0, 0.0, 5.0]})
    cases = frame if kind is pd.DataFrame else frame.to_dict("records")
    model = CaseBasedRegressor(1, weights=None).fit(cases, [0.0, 1.0, 2.0])
    assert model.predict([{"z": 10.0, "x": 0.0}]) == 0.0
    assert model.complete([{"z": None, "x": 0.0}])[0] == [{"z": 10.0, "x": 0.0}]
    model.retain([{"z": 99.0, "x": 0.0}], [7.0])
    assert model.predict([{"x": 0.0, "z": 99.0}]) == 7.0
    with pytest.raises(ValueError, match="Case 0 lacks the attribute 'z'"):
        model.predict([{"x": 0.0}])
    with pytest.raises(ValueError, match="Case 0 has the attribute 'q'"):
        model.predict([{"x": 0.0, "z": 10.0, "q": 1.0}])

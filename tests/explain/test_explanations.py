"""The contributions of every explanation sum to the prediction of its estimator.

Code under test: `ensemble/_explanations.py`, `text/_explanation.py`.
"""

import numpy as np
import pytest
from scipy.sparse import csr_array
from sklearn.tree import DecisionTreeClassifier

from sklearn_bayeslazy import (
    AODEClassifier,
    BeliefNetworkClassifier,
    CaseBasedClassifier,
    CaseBasedRegressor,
    Explanation,
    HypothesisClassifier,
    LanguageModelNB,
    LocallyWeightedEstimator,
    LocallyWeightedRegressor,
    MEstimateNB,
    MyAdaBoost,
    MyAdaBoostRegressor,
    RBFNetworkClassifier,
    RBFNetworkRegressor,
    ShepardKNN,
    ShepardKNNRegressor,
    TextNB,
)

pd = pytest.importorskip("pandas", reason="the tables are frames of mixed columns")

TEXTS = ["a ball in the goal", "a vote for the party", "ball, ball, goal", "party vote"]
TOPICS = ["sport", "politics", "sport", "politics"]


def mixed_rows():
    """Return a frame with missing cells, classes and targets."""
    rng = np.random.default_rng(0)
    X = pd.DataFrame(
        {
            "size": rng.normal(size=70),
            "colour": rng.choice(["red", "blue", "green"], 70),
            "age": rng.normal(size=70),
        }
    )
    target = 2 * X["size"] + (X["colour"] == "red") + X["age"] ** 2
    classes = np.where(target > 2, "high", np.where(target > 0.5, "mid", "low"))
    X.loc[3, "size"], X.loc[5, "colour"] = np.nan, None
    return X, classes, target.to_numpy() + 3.0


def counts_of_words():
    rng = np.random.default_rng(1)
    y = np.arange(40) % 3
    return rng.poisson(0.5 + (y[:, None] == np.arange(6) // 2)), y


LOG_ODDS = [
    MEstimateNB(),
    MEstimateNB(m=2, feature_weights=None, binning="quantile"),
    AODEClassifier(),
    AODEClassifier(m=1, weights=None, n_bins=3, binning="quantile"),
    BeliefNetworkClassifier(),
    BeliefNetworkClassifier(structure="hill_climbing", m=2),
    MyAdaBoost(n_estimators=12),
    MyAdaBoost(n_estimators=12, algorithm="samme"),
]
WORDS = [
    TextNB(),
    TextNB(m=0.5, temperature=2.0, length_exponent=0.5),
    TextNB(event_model="bernoulli"),
    TextNB(event_model="bernoulli", m=0),
    TextNB(event_model="poisson"),
    TextNB(complement=True, norm=True),
]
PROBABILITIES = [
    ShepardKNN(),
    ShepardKNN(4, m=0, class_weight="balanced"),
    ShepardKNN(None, m=3, metric="heom"),
    CaseBasedClassifier(),
]
TARGETS = [
    ShepardKNNRegressor(),
    ShepardKNNRegressor(None),
    CaseBasedRegressor(),
    RBFNetworkRegressor(n_centers=8),
    MyAdaBoostRegressor(12),
    LocallyWeightedRegressor(degree=0),
    LocallyWeightedRegressor(degree=1, ridge=0.0),
    LocallyWeightedRegressor(degree=2, ridge=0.1),
    LocallyWeightedRegressor(
        degree=1, robust_iterations=2, n_neighbors=30, scale="std", ridge=0.0
    ),
]


def named(models):
    return pytest.mark.parametrize("model", models, ids=repr)


def assert_sums_to_log_odds(why, log_proba, classes):
    """Check each row: base plus effects is log P(a) - log P(b) for two classes."""
    for row in range(len(why)):
        for a in range(len(classes)):
            b = (a + 1) % len(classes)
            base, effects = why.effects(row, classes[a], classes[b])
            expected = log_proba[row, a] - log_proba[row, b]
            assert base + effects.sum() == pytest.approx(expected, abs=1e-9), row


@named(LOG_ODDS)
def test_cells_sum_to_the_log_odds(model):
    X, y, _ = mixed_rows()
    model.fit(X, y)
    why = model.explain(X[:12])
    assert isinstance(why, Explanation)
    assert why.unit == "log odds"
    assert_sums_to_log_odds(why, model.predict_log_proba(X[:12]), model.classes_)
    frame = why.frame(5)
    assert pd.isna(frame.loc["colour", "value"])
    assert frame.loc["age", "value"] == X.loc[5, "age"]
    if not isinstance(model, MyAdaBoost):  # whose stumps send missing cells to a side
        assert frame.loc["colour", "log odds"] == 0
    best, other = np.argsort(-model.predict_proba(X[5:6])[0])[:2]
    log_proba = model.predict_log_proba(X[5:6])[0]
    expected = log_proba[best] - log_proba[other]
    assert frame["log odds"].sum() == pytest.approx(expected, abs=1e-9)


@named(WORDS)
def test_words_sum_to_the_log_odds(model):
    X, y = counts_of_words()
    model.fit(X, y)
    log_proba = model.predict_log_proba(X)
    possible = np.isfinite(log_proba).all(axis=1)
    assert possible.sum() > 5
    for rows in (X[possible], csr_array(X[possible])):
        why = model.explain(rows, feature_names=list("abcdef"))
        assert_sums_to_log_odds(why, log_proba[possible], model.classes_)
    row = np.flatnonzero(possible)[0]
    frame = why.frame(0)
    assert sorted(frame.index[1:]) == list(np.array(list("abcdef"))[X[row] > 0])
    assert frame["value"][1:].tolist() == [
        X[row]["abcdef".index(w)] for w in frame.index[1:]
    ]


@pytest.mark.parametrize("order", [1, 2, 3])
@pytest.mark.parametrize("boundaries", [None, "document"])
@pytest.mark.parametrize("smoothing", ["witten_bell", "lidstone"])
def test_tokens_sum_to_the_log_odds(order, boundaries, smoothing):
    model = LanguageModelNB(order, boundaries=boundaries, smoothing=smoothing)
    model.fit(TEXTS, TOPICS)
    new = [*TEXTS, "the unseen ball", ""]
    why = model.explain(new)
    assert_sums_to_log_odds(why, model.predict_log_proba(new), model.classes_)
    ends = ["(end)"] if boundaries else []
    assert why.part_names(4).tolist() == ["the", "unseen", "ball", *ends]
    remarks = ["", "unknown word", "", *("" for _ in ends)]
    assert why.values[4].tolist() == remarks


def test_a_token_has_its_probability_given_the_words_before_it():
    model = LanguageModelNB(2, boundaries=None, length_normalization=None)
    model.fit(TEXTS, TOPICS)
    terms = model.explain(["a ball a"]).terms[0]
    prefixes = ["a", "a ball", "a ball a"]
    joint = model.predict_joint_log_proba(prefixes) - model.class_log_prior_
    np.testing.assert_allclose(np.cumsum(terms, axis=0), joint, atol=1e-12)


def test_unknown_characters_and_ignored_words():
    model = LanguageModelNB(2, analyzer="char").fit(TEXTS, TOPICS)
    why = model.explain(["bé"])
    assert why.part_names().tolist() == ["b", "é", "(end)"]
    assert why.values[0].tolist() == ["", "unknown word", ""]
    expected = model.predict_joint_log_proba(["bé"])
    np.testing.assert_allclose(why.scores(), expected, atol=1e-12)
    model = LanguageModelNB(unknown="ignore").fit(TEXTS, TOPICS)
    assert "unseen" not in model.explain(["unseen ball"]).part_names()


@named(PROBABILITIES)
def test_rows_sum_to_the_probabilities(model):
    X, y, _ = mixed_rows()
    model.fit(X, y, sample_weight=np.arange(70) % 3 + 0.5)
    expected = model.predict_proba(X[:9])
    for n_rows in (2, None):
        why = model.explain(X[:9], n_rows)
        assert why.unit == "probability"
        np.testing.assert_allclose(why.scores(), expected, atol=1e-9)
        a, b = model.classes_[:2]
        sums = [sum(map(np.sum, why.effects(row, a, b))) for row in range(9)]
        np.testing.assert_allclose(sums, expected[:, 0] - expected[:, 1], atol=1e-9)


def test_two_outputs_of_classes_sum_to_the_probabilities():
    X, y, _ = mixed_rows()
    X = X[["size", "age"]].fillna(0)
    model = ShepardKNN(5, m=1).fit(X, np.column_stack([y, y == "low"]))
    why = model.explain(X[:6], n_rows=3)
    expected = np.hstack(model.predict_proba(X[:6]))
    np.testing.assert_allclose(why.scores(), expected, atol=1e-9)
    base, effects = why.effects(2, target=(0, "mid"))
    assert base + effects.sum() == pytest.approx(expected[2, 2], abs=1e-9)
    assert "row" in repr(why)


@named(TARGETS)
def test_parts_sum_to_the_target(model):
    X, _, y = mixed_rows()
    for targets in (y, 1e6 * y):
        model.fit(X, targets)
        why = model.explain(X[:9])
        assert why.unit == "target units"
        np.testing.assert_allclose(why.scores()[:, 0], model.predict(X[:9]), rtol=1e-9)
        total = why.frame(2)["target units"].sum()
        assert total == pytest.approx(model.predict(X[2:3])[0], rel=1e-9)


def test_two_targets_are_explained_one_by_one():
    X, _, y = mixed_rows()
    targets = np.column_stack([y, -(y**2)])
    for model in (ShepardKNNRegressor(5), LocallyWeightedRegressor(degree=1)):
        why = model.fit(X, targets).explain(X[:5])
        np.testing.assert_allclose(why.scores(), model.predict(X[:5]), rtol=1e-9)
        base, effects = why.effects(1, target=1)
        assert base + effects.sum() == pytest.approx(model.predict(X[:5])[1, 1])


def test_rows_that_no_class_allows_are_undefined():
    """The prior decides, which is 2/3 for "y"; b excludes "x", and u excludes "y"."""
    X = [["a", "u"], ["b", "v"], ["b", "v"]]
    new = [["b", "u"], ["b", "v"]]
    for model in (
        MEstimateNB(m=0, feature_weights=None),
        AODEClassifier(m=0, weights=None),
        BeliefNetworkClassifier(structure="naive", calibration=None, m=0),
    ):
        model.fit(X, ["x", "y", "y"])
        assert model.predict(new).tolist() == ["y", "y"]
        why = model.explain(new)
        text = repr(why)
        what = "log odds of 'y' against 'x'"
        assert f"row 0: {what} undefined: both have probability 0\n" in text, model
        assert f"row 1: {what} = ∞\n" in text, model
        assert np.isneginf(why.scores()[0]).all()
        assert why.frame(0).index[0] == "(prior)"


def test_many_impossible_words_are_summed_up():
    """Each of two classes lacks 20 words of the document; 10 have a line."""
    counts = np.repeat(np.eye(2, dtype=int), 20, axis=1)
    why = TextNB(m=0, temperature=1).fit(counts, ["x", "y"]).explain(np.ones((1, 40)))
    assert why.effects(0, "x", "y")[1].tolist() == [np.inf] * 20 + [-np.inf] * 20
    assert "undefined: both have probability 0" in repr(why)
    assert "(30 others)" in repr(why)
    assert "(30 others)" in why._repr_html_()


def test_one_class_has_a_score():
    X = [[0.0], [1.0]]
    for model in (MEstimateNB(m=1), AODEClassifier(m=1), MyAdaBoost(n_estimators=2)):
        text = repr(model.fit(X, ["k", "k"]).explain(X))
        assert "log score of 'k', the only class" in text
        assert "x0 = 1" in text


def test_local_classifiers_are_explained_by_their_cells():
    X, y, _ = mixed_rows()
    y[:25], X.loc[:24, ["size", "age"]] = "low", 50.0  # their neighbours are "low"
    for model in (
        LocallyWeightedEstimator(n_neighbors=15, scale="range"),
        LocallyWeightedEstimator(
            AODEClassifier(m=1, weights=None, n_bins=2, binning="quantile"),
            n_neighbors=20,
            scale="range",
        ),
    ):
        model.fit(X, y)
        new = X[20:40]
        why, log_proba = model.explain(new), np.log(model.predict_proba(new))
        np.testing.assert_allclose(why.scores(), log_proba, atol=1e-9)
        assert_sums_to_log_odds(why, log_proba, model.classes_)
        assert why.part_names(7)[:3].tolist() == list(X.columns)
        assert why.part_names(7)[-1] == "(all rows)"
        assert not why.terms[0][:3].any()
        assert why.terms[12][:3].any()


def test_mixing_makes_impossible_cells_possible():
    """Locally "p" excludes "l" and "v" excludes "k"; with all rows each has 1/2."""
    X = [["p", "u"], ["p", "u"], ["q", "v"], ["q", "v"]] * 5
    y, new = ["k", "k", "l", "l"] * 5, [["p", "v"], ["p", "u"]]
    for base in (
        MEstimateNB(m=0, feature_weights=None),
        AODEClassifier(m=0, weights=None),
    ):
        model = LocallyWeightedEstimator(base, n_neighbors=20, m=1.0).fit(X, y)
        why, log_proba = model.explain(new), np.log(model.predict_proba(new))
        assert_sums_to_log_odds(why, log_proba, ["k", "l"])
        effects = why.effects(0, "k", "l")[1]
        assert np.isfinite(effects).all()
        if isinstance(base, MEstimateNB):
            assert effects[0] == -effects[1] > 50


def test_local_estimators_without_explanations_say_so():
    X, y, _ = mixed_rows()
    X = X[["size", "age"]].fillna(0)
    for base, m in ((DecisionTreeClassifier(), 1.0), (MEstimateNB(), 0.0)):
        model = LocallyWeightedEstimator(base, m=m).fit(X, y)
        assert not hasattr(model, "explain")
        with pytest.raises(AttributeError, match="explain needs m above 0"):
            model.explain(X)
    model = LocallyWeightedEstimator(ShepardKNN(3)).fit(X, y)
    with pytest.raises(ValueError, match="ShepardKNN explains probability by rows"):
        model.explain(X[:1])


def test_tables_of_a_network_are_its_evidence():
    """With the class as the root and all cells known, parts are the nodes' tables."""
    X, y, _ = mixed_rows()
    X = X[["colour"]].assign(warm=np.where(X["colour"] == "red", "yes", "no")).dropna()
    y = y[X.index]
    model = BeliefNetworkClassifier(structure="naive", calibration=None, m=1)
    model.fit(X, y)
    nb = MEstimateNB(m=1, feature_weights=None).fit(X, y)
    for row in range(5):
        _, effects = model.explain(X[:5]).effects(row, "high", "low")
        _, expected = nb.explain(X[:5]).effects(row, "high", "low")
        np.testing.assert_allclose(effects, expected, atol=1e-9)


def test_decision_values_of_rbf_networks_sum():
    X, y, _ = mixed_rows()
    model = RBFNetworkClassifier(n_centers=6).fit(X, y)
    why = model.explain(X[:7])
    np.testing.assert_allclose(why.scores(), model.decision_function(X[:7]), atol=1e-9)
    model.fit(X, y == "low")
    decision = model.decision_function(X[:7])
    why = model.explain(X[:7])
    np.testing.assert_allclose(why.scores()[:, 1], decision, atol=1e-9)
    np.testing.assert_allclose(why.scores()[:, 0], -decision, atol=1e-9)


def test_rounds_of_classifiers_and_hypotheses_sum():
    X, y, _ = mixed_rows()
    X = X[["size", "age"]].fillna(0)
    tree = DecisionTreeClassifier(max_depth=2, random_state=0)
    model = MyAdaBoost(tree, n_estimators=4).fit(X, y)
    why = model.explain(X[:7])
    assert_sums_to_log_odds(why, model.predict_log_proba(X[:7]), model.classes_)
    votes = model.estimators_[0].predict(X[:7])
    assert [why.values[row][0] for row in range(7)] == votes.tolist()
    mixture = HypothesisClassifier([("tree", tree), ("nb", MEstimateNB())], cv=3)
    why = mixture.fit(X, y).explain(X[:7])
    np.testing.assert_allclose(why.scores(), mixture.predict_proba(X[:7]), atol=1e-9)
    assert set(why.part_names(0)) <= {"tree", "nb"}

"""BeliefNetworkClassifier: predictions, missing cells, weights, batches, columns.

Code under test: `belief_network/_learning.py`.
"""

import pickle

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.datasets import load_iris
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer

from sklearn_bayeslazy import BeliefNetworkClassifier
from sklearn_bayeslazy.belief_network._inference._elimination import log_marginals
from sklearn_bayeslazy.belief_network._inference._sampling import sample
from sklearn_bayeslazy.datasets import load_play_tennis
from tests.helpers.belief_network_by_enumeration import (
    marginal_by_enumeration,
    random_network,
)
from tests.helpers.classical_naive_bayes import classical_nb

STRUCTURES = ["naive", "tan", "fan", "chow_liu", "k2", "hill_climbing"]


def table(seed=0, n_rows=400, missing=0.0, n_nodes=6):
    """Return strings drawn from a random network, the last node the class."""
    network = random_network(np.random.default_rng(seed), n_nodes)
    codes = sample(network, n_rows, np.random.RandomState(seed))
    cells = np.array(list("rstuv"), dtype=object)[codes]
    X, y = cells[:, :-1].copy(), cells[:, -1].astype(str)
    X[np.random.default_rng(seed).random(X.shape) < missing] = None
    return X, y


def posterior_by_enumeration(model, X):
    """Return P(c | x) as sums over the joint of the fitted network."""
    network = model.network_
    answers = []
    for row in X:
        codes = [
            -1 if cell is None or cell not in values else list(values).index(cell)
            for cell, values in zip(row, network.values)
        ]
        joint = marginal_by_enumeration(
            network, np.array([*codes, -1]), [network.n_nodes - 1]
        )
        answers.append(joint / joint.sum())
    return np.array(answers)


@pytest.mark.parametrize("structure", STRUCTURES)
@pytest.mark.parametrize("missing", [0.0, 0.3])
def test_probabilities_agree_with_the_joint(structure, missing):
    X, y = table(missing=missing)
    model = BeliefNetworkClassifier(structure, calibration=None).fit(X, y)
    Z, _ = table(n_rows=40, missing=0.3)
    Z[0, 0] = "never seen"
    found = model.predict_proba(Z)
    np.testing.assert_allclose(found, posterior_by_enumeration(model, Z), rtol=1e-10)


@pytest.mark.parametrize("structure", STRUCTURES)
def test_normalized_joint_probabilities_are_the_probabilities(structure):
    X, y = table(missing=0.2)
    model = BeliefNetworkClassifier(structure, calibration=None).fit(X, y)
    joint = model.predict_joint_log_proba(X)
    share = joint - np.logaddexp.reduce(joint, axis=1, keepdims=True)
    np.testing.assert_allclose(share, model.predict_log_proba(X), rtol=0, atol=1e-11)


def test_the_naive_structure_is_naive_bayes():
    X, y = load_play_tennis(return_X_y=True)
    naive = BeliefNetworkClassifier("naive", m=2.0, prior="uniform").fit(X, y)
    prior = (np.array([5.0, 9.0]) + 1.0) / 16.0
    expected = classical_nb(2.0, class_prior=prior).fit(X, y)
    np.testing.assert_allclose(
        naive.predict_joint_log_proba(X),
        expected.predict_joint_log_proba(X),
        rtol=1e-12,
    )


def test_tables_and_posteriors_of_lung_cancer_by_hand():
    """P(lung cancer | family history, smoker) and what follows from it, by hand."""
    cancer = {(1, 1): 8, (1, 0): 5, (0, 1): 7, (0, 0): 1}
    rows = []
    for (history, smoker), ill in cancer.items():
        rows += [[history, smoker, int(k < ill)] for k in range(10)]
    rows = np.repeat(rows, 10, axis=0)
    xray = np.tile([1] * 9 + [0], len(rows) // 10)  # 9 of 10 if ill, 2 of 10 if not
    healthy = rows[:, 2] == 0
    xray[healthy] = np.tile([1] * 2 + [0] * 8, healthy.sum() // 10)
    frame = pd.DataFrame(rows, columns=["FamilyHistory", "Smoker", "LungCancer"])
    frame = frame.astype(bool).assign(PositiveXRay=xray.astype(bool))
    y = frame.pop("LungCancer")
    arcs = [
        ("FamilyHistory", "LungCancer"),
        ("Smoker", "LungCancer"),
        ("LungCancer", "PositiveXRay"),
    ]
    model = BeliefNetworkClassifier(arcs, m=0, prior="uniform").fit(frame, y)
    assert set(model.structure_) == set(arcs)
    network = model.network_
    cpt = network.tables[network.names.index("LungCancer")]
    np.testing.assert_allclose(cpt[..., 1], [[0.1, 0.7], [0.5, 0.8]])
    smoker = pd.DataFrame(
        {"FamilyHistory": [True], "Smoker": [True], "PositiveXRay": [True]}
    )
    joint = np.exp(model.predict_joint_log_proba(smoker))[0]
    # P(FH) P(S) P(LC | FH, S) P(X | LC)
    np.testing.assert_allclose(joint, [0.5 * 0.5 * 0.2 * 0.2, 0.5 * 0.5 * 0.8 * 0.9])


@pytest.mark.parametrize("structure", STRUCTURES)
@pytest.mark.parametrize("prior", ["uniform", "marginal", "bdeu"])
def test_integer_weights_equal_repetition_and_zero_equals_removal(structure, prior):
    """Of symbols where nothing is left out; of tables with numbers always."""
    X, y = table(n_rows=120, missing=0.1)
    numbers = np.random.default_rng(1).normal(size=(120, 1)).astype(object)
    weight = np.random.default_rng(0).integers(0, 4, len(y))
    rows = np.repeat(np.arange(len(y)), weight)
    for cells, params in (
        (X, {"m": 2.0, "calibration": None}),
        (np.hstack([numbers, X]), {}),
    ):
        model = BeliefNetworkClassifier(structure, prior=prior, **params)
        weighted = clone(model).fit(cells, y, weight)
        repeated = clone(model).fit(cells[rows], y[rows])
        assert weighted.structure_ == repeated.structure_
        np.testing.assert_allclose(
            weighted.predict_proba(cells), repeated.predict_proba(cells), rtol=1e-12
        )


@pytest.mark.parametrize("structure", ["naive", [("0", "class"), ("class", "1")]])
@pytest.mark.parametrize("missing", [0.0, 0.2])
def test_batches_and_merging_equal_one_fit(structure, missing):
    X, y = table(n_rows=90, missing=missing)
    X[80:, 0] = "late"  # a category of the last batch
    options = {"structure": structure, "m": 1.0, "prior": "marginal"}
    options["calibration"] = None
    whole = BeliefNetworkClassifier(**options).fit(X, y)
    parts = BeliefNetworkClassifier(**options)
    for rows in (slice(0, 30), slice(30, 31), slice(31, 90)):
        parts.partial_fit(X[rows], y[rows], classes=np.unique(y))
    first = BeliefNetworkClassifier(**options)
    first.partial_fit(X[:50], y[:50], classes=np.unique(y))
    second = BeliefNetworkClassifier(**options)
    second.partial_fit(X[50:], y[50:], classes=np.unique(y))
    for other in (parts, first.merge(second)):
        for family, other_family in zip(whole._counts.families, other._counts.families):
            np.testing.assert_array_equal(family, other_family)
        np.testing.assert_array_equal(whole.predict_proba(X), other.predict_proba(X))


def test_models_that_differ_cannot_be_merged():
    X, y = table()
    model = BeliefNetworkClassifier("naive").fit(X, y)
    with pytest.raises(ValueError, match="only one of them has the arcs"):
        model.merge(BeliefNetworkClassifier("tan").fit(X, y))
    with pytest.raises(TypeError, match="another BeliefNetworkClassifier"):
        model.merge(classical_nb().fit(X, y))
    with pytest.raises(ValueError, match="classes differ"):
        model.merge(BeliefNetworkClassifier("naive").fit(X, y.astype("U2") + "!"))


def test_a_failed_batch_leaves_the_model_unchanged():
    X, y = table()
    model = BeliefNetworkClassifier().fit(X, y)
    before = pickle.dumps(model)
    with pytest.raises(ValueError, match="not in the classes"):
        model.partial_fit(X[:2], ["new", "new"])
    with pytest.raises(TypeError, match="held categories of kind str"):
        model.partial_fit(np.zeros((2, 5)), y[:2])
    assert pickle.dumps(model) == before


def test_a_table_of_all_kinds_of_columns_with_missing_cells():
    rng = np.random.default_rng(0)
    n = 300
    frame = pd.DataFrame(
        {
            "number": rng.normal(size=n),
            "word": rng.choice(["a", "b", None], n),
            "category": pd.Categorical(rng.choice(["x", "y"], n)),
            "flag": rng.random(n) < 0.5,
            "count": pd.array(rng.poisson(3, n), dtype="Int64"),
            "nothing": np.full(n, np.nan),
            "constant": "same",
        }
    )
    frame.loc[::7, "number"] = np.nan
    frame.loc[::5, "count"] = pd.NA
    y = pd.Series(np.where(frame["number"].fillna(0) > 0.3, "high", "low"), name="kind")
    for structure in STRUCTURES:
        model = BeliefNetworkClassifier(structure).fit(frame, y)
        assert model.score(frame, y) > 0.85
        assert model.network_.names[-1] == "kind"
    assert model.bin_edges_[1] is None
    assert len(model.bin_edges_[0]) >= 1


def test_auto_binning_takes_the_finer_of_mdlp_and_quantile_bins():
    rng = np.random.default_rng(0)
    y = rng.integers(0, 8, 800)
    X = np.column_stack([y + 0.2 * rng.normal(size=800), rng.normal(size=800)])
    edges = {
        binning: BeliefNetworkClassifier(binning=binning, n_bins=4).fit(X, y).bin_edges_
        for binning in ("auto", "mdlp", "quantile")
    }
    assert len(edges["mdlp"][0]) >= 7  # one bin for each class, at least
    assert len(edges["mdlp"][1]) == 0  # noise
    np.testing.assert_array_equal(edges["auto"][0], edges["mdlp"][0])
    np.testing.assert_array_equal(edges["auto"][1], edges["quantile"][1])


def test_columns_with_a_value_for_each_row_are_accepted():
    X, y = table(n_rows=1500)
    names = np.array([f"id {i}" for i in range(1500)], dtype=object)
    both = np.column_stack([X, names, names[::-1]])
    for structure in ("tan", "fan", "chow_liu", "k2", "hill_climbing"):
        model = BeliefNetworkClassifier(structure).fit(both[:1000], y[:1000])
        assert model.predict(both[1000:]).shape == (500,)


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"structure": [("0", "kind")]}, "'kind', which is not a node"),
        ({"structure": [("0", "class"), ("class", "0")]}, "form a cycle"),
        ({"structure": "k2", "order": ["0", "1"]}, "each node once"),
        ({"structure": "k2", "order": ["0", "x"]}, "Order names 'x'"),
        (
            {"structure": "hill_climbing", "required_arcs": [("0", "0")]},
            "leads to itself",
        ),
        ({"structure": "hill_climbing", "forbidden_arcs": [("9", "0")]}, "not a node"),
        ({"structure": "star"}, "structure"),
        ({"structure_score": "mdl"}, "structure_score"),
        ({"loo_max_samples": 0}, "loo_max_samples"),
        ({"m": -1.0}, "'m'"),
        ({"m": np.nan}, "m"),
        ({"m": "all"}, "'m'"),
        ({"prior": "flat"}, "'prior'"),
        ({"calibration": "sigmoid"}, "'calibration'"),
        ({"loo_scoring": "f1"}, "'loo_scoring'"),
        ({"loo_candidates": {"n_bins": [3]}}, "loo_candidates names 'n_bins'"),
        ({"loo_candidates": {"m": []}}, r"loo_candidates\['m'\] is empty"),
        ({"loo_candidates": {"m": [-1.0]}}, "holds -1.0: give numbers ≥ 0"),
        ({"loo_candidates": {"m": ["1"]}}, "holds '1': give numbers ≥ 0"),
        ({"loo_candidates": {"prior": ["flat"]}}, "holds 'flat': give names among"),
        ({"m": 1.0, "loo_candidates": {"m": [1.0]}}, "loo_candidates names 'm'"),
    ],
)
def test_invalid_parameters_are_named(parameters, message):
    X, y = table()
    with pytest.raises(ValueError, match=message):
        BeliefNetworkClassifier(**parameters).fit(X, y)


def test_a_column_named_class_needs_another_name_for_y():
    frame = pd.DataFrame({"class": ["a", "b"] * 10})
    y = np.array([0, 1] * 10)
    with pytest.raises(ValueError, match="named 'class'"):
        BeliefNetworkClassifier().fit(frame, y)
    model = BeliefNetworkClassifier().fit(frame, pd.Series(y, name="target"))
    assert model.structure_ == [("target", "class")]


def test_required_and_forbidden_arcs_are_respected():
    X, y = table(n_rows=1000)
    model = BeliefNetworkClassifier(
        "hill_climbing",
        required_arcs=[("class", 0)],
        forbidden_arcs=[("1", "2"), ("2", "1")],
    ).fit(X, y)
    assert ("class", "0") in model.structure_
    assert not {("1", "2"), ("2", "1")} & set(model.structure_)


def test_verbose_prints_the_scores(capsys):
    BeliefNetworkClassifier("hill_climbing", verbose=True).fit(*table())
    lines = capsys.readouterr().out.splitlines()
    assert lines
    assert all(line.startswith("hill climbing: bdeu -") for line in lines)


def test_rows_impossible_in_every_class_get_the_prior():
    X = [["a"], ["b"], ["b"]]
    options = {"m": 0, "prior": "uniform"}
    model = BeliefNetworkClassifier("naive", **options).fit(X, [0, 1, 1])
    np.testing.assert_array_equal(model.predict([["a"], ["b"]]), [0, 1])
    both = BeliefNetworkClassifier("naive", **options).fit(
        [["a", "x"], ["b", "y"], ["b", "y"]], [0, 1, 1]
    )
    np.testing.assert_allclose(both.predict_proba([["a", "y"]]), [[1 / 3, 2 / 3]])


def test_unknown_categories_raise_an_error_if_wished():
    X, y = table()
    model = BeliefNetworkClassifier(unknown="error").fit(X, y)
    X[3, 1] = "new"
    with pytest.raises(ValueError, match="unknown category 'new' in column '1'"):
        model.predict(X)


def test_predictions_do_not_depend_on_jobs_and_batches():
    X, y = table(n_rows=3000, missing=0.2)
    for structure in ("tan", "hill_climbing"):
        one = BeliefNetworkClassifier(structure).fit(X, y)
        two = BeliefNetworkClassifier(structure, n_jobs=2).fit(X, y)
        assert one.structure_ == two.structure_
        expected = one.predict_proba(X)
        np.testing.assert_array_equal(expected, two.predict_proba(X))
        np.testing.assert_array_equal(expected[5:9], one.predict_proba(X[5:9]))


def test_it_works_in_pipelines_and_searches():
    X, y = load_iris(return_X_y=True)
    assert cross_val_score(BeliefNetworkClassifier(), X, y, cv=5).mean() > 0.9
    search = GridSearchCV(
        make_pipeline(FunctionTransformer(), BeliefNetworkClassifier()),
        {
            "beliefnetworkclassifier__structure": ["naive", "tan"],
            "beliefnetworkclassifier__m": [0.5, 2.0],
        },
        n_jobs=2,
    )
    assert search.fit(X, y).best_score_ > 0.9


def test_the_class_prior_is_the_marginal_of_the_class():
    X, y = table()
    model = BeliefNetworkClassifier("hill_climbing").fit(X, y)
    nothing = np.full((1, 6), -1)
    expected = log_marginals(model.network_, nothing, [5])[0]
    np.testing.assert_array_equal(model.class_log_prior_, expected)
    np.testing.assert_allclose(np.exp(expected).sum(), 1.0)


def test_pickles_do_not_grow_by_predicting():
    X, y = table()
    model = BeliefNetworkClassifier().fit(X, y)
    before = len(pickle.dumps(model))
    model.predict(X)
    assert len(pickle.dumps(model)) == before

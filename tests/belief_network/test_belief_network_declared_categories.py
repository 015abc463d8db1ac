"""The nodes of a belief network have the declared values of their columns.

Code under test: `belief_network/_nodes.py`.
"""

from math import lgamma

import numpy as np
import pandas as pd
import polars as pl
import pytest
from sklearn.base import clone

from sklearn_bayeslazy import BeliefNetwork, BeliefNetworkClassifier
from tests.helpers.classical_naive_bayes import classical_nb

SKY, WIND = ["s", "s", "r", "r"], ["calm", "calm", "gale", "calm"]
DECLARED = {"sky": ["s", "r", "fog"], "wind": ["calm", "gale"]}
Y = np.array([0, 0, 1, 1])


def declared_frame(sky=SKY, wind=WIND, declared=DECLARED):
    cells = {"sky": sky, "wind": wind}
    return pd.DataFrame(
        {c: pd.Categorical(cells[c], categories=declared[c]) for c in cells}
    )


SOURCES = {
    "pandas": (declared_frame(), "auto"),
    "polars": (
        pl.DataFrame(
            {"sky": SKY, "wind": WIND},
            schema={c: pl.Enum(values) for c, values in DECLARED.items()},
        ),
        "auto",
    ),
    "by name": (pd.DataFrame({"sky": SKY, "wind": WIND}), DECLARED),
    "list": (
        pd.DataFrame({"sky": SKY, "wind": WIND}),
        [np.array(DECLARED["sky"]), None],
    ),
}


@pytest.mark.parametrize(("X", "categories"), SOURCES.values(), ids=SOURCES)
def test_tables_have_a_row_and_a_share_for_an_unseen_value(X, categories):
    model = BeliefNetwork([("sky", "wind")], m=2.0, categories=categories).fit(X)
    assert [v.tolist() for v in model.network_.values] == [
        ["fog", "r", "s"],
        ["calm", "gale"],
    ]
    sky, wind = model.network_.tables
    # (n + 2/3) / (4 + 2) of fog, r and s
    np.testing.assert_allclose(sky, [2 / 18, 8 / 18, 8 / 18])
    # (n + 1) / (n_sky + 2) of calm and gale, given fog, r and s
    np.testing.assert_allclose(wind, [[1 / 2, 1 / 2], [2 / 4, 2 / 4], [3 / 4, 1 / 4]])
    assert model.query({"sky": "fog"}, "wind")["gale"] == pytest.approx(0.5)


def random_columns(rng, n_rows, sizes):
    """Return strings of which some values never occur, and their declared values."""
    declared = [[f"v{k}" for k in range(size)] for size in sizes]
    cells = [rng.choice(values[: len(values) // 2 + 1], n_rows) for values in declared]
    return np.array(cells, dtype=object).T, declared


@pytest.mark.parametrize("seed", range(4))
def test_the_naive_network_is_naive_bayes_with_the_same_declared_values(seed):
    rng = np.random.default_rng(seed)
    X, declared = random_columns(rng, 30, [3, 6, 9])
    y = rng.integers(0, 2, 30)
    params = {"m": 2.0, "prior": "uniform", "calibration": None}
    network = BeliefNetworkClassifier("naive", categories=declared, **params)
    network.fit(X, y)
    # The network also smooths the class: (n_c + 2 · 1/2) / (n + 2).
    prior = (np.bincount(y) + 1) / 32
    nb = classical_nb(
        2.0, distribution="auto", class_prior=prior, categories=declared
    ).fit(X, y)
    np.testing.assert_allclose(
        network.predict_joint_log_proba(X), nb.predict_joint_log_proba(X), rtol=1e-12
    )


def bdeu(counts, sample_size=1.0):
    """Return the BDeu score of a family, with counts of shape (parents' values, K)."""
    q, size = counts.shape
    alpha = sample_size / (q * size)
    score = 0.0
    for row in counts:
        score += lgamma(size * alpha) - lgamma(row.sum() + size * alpha)
        score += sum(lgamma(c + alpha) - lgamma(alpha) for c in row)
    return score


def test_structure_scores_count_declared_values():
    # One arc or none: which has the better BDeu depends on the declared values.
    found = []
    for seed in range(12):
        rng = np.random.default_rng(seed)
        a = rng.integers(0, 2, 30)
        b = np.where(rng.random(30) < 0.7, a, 1 - a)
        for size in (2, 12):
            counts = np.zeros((size, size))
            np.add.at(counts, (a, b), 1)
            gain = bdeu(counts) - bdeu(counts.sum(axis=0)[None])
            model = BeliefNetwork(categories=[range(size)] * 2)
            model.fit(np.stack([a, b], axis=1))
            assert len(model.structure_) == int(gain > 0)
            found.append(gain > 0)
    by_size = np.array(found).reshape(-1, 2)
    assert (by_size[:, 0] != by_size[:, 1]).any(), "the sizes never mattered"


def test_numbers_with_given_values_are_not_cut_into_bins():
    X = np.array([[0, 0.5], [2, 1.5], [0, 2.5], [2, 3.5]])
    model = BeliefNetwork([(0, 1)], m=1.0, n_bins=2, categories={0: [0, 1, 2]}).fit(X)
    assert model.bin_edges_[0] is None
    assert model.bin_edges_[1].tolist() == [2]
    assert model.network_.values[0].tolist() == [0, 1, 2]
    np.testing.assert_allclose(model.network_.tables[0], [7 / 15, 1 / 15, 7 / 15])
    np.testing.assert_allclose(model.query({0: 1}, [1]).probabilities, [0.5, 0.5])
    filled = model.impute(np.array([[np.nan, 0.5], [1.0, np.nan]]))
    assert filled.tolist() == [[0, 0.5], [1, 2]]
    with pytest.raises(ValueError, match="not a value"):
        model.query({0: 7}, [1])
    read = BeliefNetwork(categories={0: [0, 1]})
    with pytest.raises(ValueError, match=r"holds \[2.0\], not among"):
        read.fit(X)


def test_batches_and_merged_models_have_the_union_of_declared_values():
    first = declared_frame()
    more = {"sky": ["hail", "r"], "wind": ["calm", "gale", "storm"]}
    second = declared_frame(["r", None, "r", "r"], WIND, more)
    model = BeliefNetwork([("sky", "wind")], m=2.0)
    online = clone(model).partial_fit(first).partial_fit(second)
    merged = clone(model).fit(first).merge(clone(model).fit(second))
    every = {c: sorted({*DECLARED[c], *more[c]}) for c in more}
    both = [declared_frame(f["sky"], f["wind"], every) for f in (first, second)]
    whole = clone(model).fit(pd.concat(both))
    assert [len(values) for values in whole.network_.values] == [4, 3]
    for other in (online, merged):
        for a, b in zip(other.network_.values, whole.network_.values, strict=True):
            assert a.tolist() == b.tolist()
        for a, b in zip(other.network_.tables, whole.network_.tables, strict=True):
            np.testing.assert_allclose(a, b)


def test_rows_without_weight_do_not_declare_values():
    X = pd.DataFrame({"sky": [*SKY, "snow"], "wind": [*WIND, "calm"]})
    weight = [1, 1, 1, 1, 0]
    model = BeliefNetwork([("sky", "wind")], m=2.0, categories=DECLARED)
    tables = clone(model).fit(X, sample_weight=weight).network_.tables
    for a, b in zip(tables, clone(model).fit(X[:4]).network_.tables, strict=True):
        np.testing.assert_array_equal(a, b)
    with pytest.raises(ValueError, match=r"holds \['snow'\], not among"):
        model.fit(X)


def test_a_column_without_an_observed_cell_keeps_its_cells_missing():
    X = declared_frame(sky=[None] * 4)
    model = BeliefNetwork([("sky", "wind")], m=2.0).fit(X)
    np.testing.assert_allclose(model.network_.tables[0], [1 / 3] * 3)
    assert model.network_.values[0].tolist() == ["fog", "r", "s"]
    filled = model.impute(X)
    assert pd.isna(filled[:, 0]).all()
    assert filled[:, 1].tolist() == WIND


def test_prediction_reads_the_cells_and_not_what_their_dtype_declares():
    arcs = [("class", "sky"), ("class", "wind"), ("sky", "wind")]
    for structure in ("tan", arcs):
        model = BeliefNetworkClassifier(structure, unknown="error")
        model.fit(declared_frame(), Y)
        expected = model.predict_proba(declared_frame())
        for sky in (["s", "r"], ["hail", "r", "s"], ["r", "s", 7]):
            later = declared_frame(declared={**DECLARED, "sky": sky})
            np.testing.assert_array_equal(model.predict_proba(later), expected)
        model.predict_proba(pd.DataFrame({"sky": ["fog"], "wind": ["calm"]}))
        with pytest.raises(ValueError, match="unknown category 'hail'"):
            model.predict_proba(pd.DataFrame({"sky": ["hail"], "wind": ["calm"]}))


def test_unused_categories_of_the_target_are_no_classes():
    y = pd.Series(pd.Categorical(["n", "n", "y", "y"], categories=["n", "y", "maybe"]))
    model = BeliefNetworkClassifier().fit(declared_frame(), y)
    assert model.classes_.tolist() == ["n", "y"]


def test_declared_values_survive_a_file(tmp_path):
    model = BeliefNetwork([("sky", "wind")]).fit(declared_frame())
    model.to_bif(tmp_path / "weather.bif")
    read = BeliefNetwork.from_bif(tmp_path / "weather.bif")
    assert list(read.network_.values[0]) == ["fog", "r", "s"]
    X = pd.DataFrame({"sky": ["fog", None], "wind": [None, "gale"]})
    np.testing.assert_allclose(read.score_samples(X), model.score_samples(X))
    assert read.impute(X).tolist() == model.impute(X).tolist()


@pytest.mark.parametrize("learner", ["em", "gradient"])
def test_expected_counts_cover_declared_values(learner):
    # The rows are complete, so expected counts are counts and the optimum is known.
    model = BeliefNetwork(
        [("sky", "wind")], m=2.0, missing="expected", hidden_learner=learner, tol=1e-12
    ).fit(declared_frame())
    counted = BeliefNetwork([("sky", "wind")], m=2.0).fit(declared_frame())
    for a, b in zip(model.network_.tables, counted.network_.tables, strict=True):
        np.testing.assert_allclose(a, b, atol=1e-4)


def test_other_kinds_of_categories_are_refused():
    for value in ("some", 3, None):
        with pytest.raises(ValueError, match="'categories' parameter of BeliefNetwork"):
            BeliefNetwork(categories=value).fit(declared_frame())

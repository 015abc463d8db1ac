"""Trees of blocks of rows are those of all rows, though bins come from a sample.

Code under test: `belief_network/_structure/_tree_counts.py`.
"""

import numpy as np
import pandas as pd
import pytest
import sklearn

from sklearn_bayeslazy import BeliefNetwork, BeliefNetworkClassifier
from sklearn_bayeslazy.tabular._row_sample import RowSample

GIVEN = {"m": 1.0, "prior": "uniform", "calibration": None}


def dependent_columns(n=700, seed=0, share_missing=0.0):
    """Return strings of which some depend on each other, and classes."""
    rng = np.random.default_rng(seed)
    y = rng.integers(3, size=n)
    columns = [(y + rng.integers(2, size=n)) % 4]
    for j in range(5):
        copied = rng.random(n) < 0.2 + 0.12 * j
        noise = rng.integers(3 + j % 2, size=n)
        columns.append(np.where(copied, columns[rng.integers(j + 1)], noise))
    X = np.array([[f"v{cell}" for cell in column] for column in columns]).T
    X = X.astype(object)
    X[rng.random(X.shape) < share_missing] = None
    return pd.DataFrame(X, columns=list("abcdef")), y


def cut(X, y, n_blocks, seed=1):
    order = np.random.default_rng(seed).permutation(len(y))
    return [(X.iloc[rows], y[rows]) for rows in np.array_split(order, n_blocks)]


@pytest.mark.parametrize("structure", ["tan", "fan", "chow_liu", "naive"])
@pytest.mark.parametrize("share_missing", [0.0, 0.2])
@pytest.mark.parametrize("n_blocks", [1, 9])
def test_the_tree_of_blocks_is_that_of_all_rows(structure, share_missing, n_blocks):
    X, y = dependent_columns(share_missing=share_missing)
    weight = np.arange(len(y)) % 4.0
    one = BeliefNetworkClassifier(structure, **GIVEN).fit(X, y, weight)
    order = np.random.default_rng(1).permutation(len(y))
    blocks = [
        (X.iloc[rows], y[rows], weight[rows])
        for rows in np.array_split(order, n_blocks)
    ]
    ours = BeliefNetworkClassifier(structure, **GIVEN, n_jobs=2)
    ours.fit_blocks(blocks, max_sample_rows=15)
    assert ours.structure_ == one.structure_
    for our_table, table in zip(ours.network_.tables, one.network_.tables):
        np.testing.assert_allclose(our_table, table, rtol=1e-12)
    total = 0.0 if structure == "naive" else weight.sum()
    assert ours.structure_weight_ == one.structure_weight_ == total


@pytest.mark.parametrize("structure", ["tan", "chow_liu"])
def test_the_sample_alone_has_another_tree_and_fewer_categories(structure):
    X, y = dependent_columns()
    one = BeliefNetworkClassifier(structure, **GIVEN).fit(X, y)
    drawn = RowSample(15).add(X, y).rows()
    of_sample = BeliefNetworkClassifier(structure, **GIVEN).fit(*drawn)
    assert of_sample.structure_ != one.structure_
    assert sum(of_sample.network_.sizes) < sum(one.network_.sizes)


def test_a_search_is_made_in_the_sample():
    X, y = dependent_columns()
    k2 = BeliefNetworkClassifier("k2", **GIVEN)
    searched = k2.fit_blocks(cut(X, y, 3), max_sample_rows=15)
    assert searched.structure_weight_ < len(y) / 2
    assert searched.structure_ != k2.fit(X, y).structure_
    assert k2.structure_weight_ == len(y)


def test_numbers_have_the_bins_of_the_sample_and_the_tree_of_all_rows():
    X, y = dependent_columns()
    X = X.apply(lambda column: column.str[1:].astype(float))
    X += np.random.default_rng(0).normal(size=X.shape)
    ours = BeliefNetworkClassifier(binning="quantile", **GIVEN)
    ours.fit_blocks(cut(X, y, 4), max_sample_rows=50)
    bins = {
        name: np.searchsorted(edges, X[name], side="right").astype(str)
        for name, edges in zip(X.columns, ours.bin_edges_)
    }
    one = BeliefNetworkClassifier(**GIVEN).fit(pd.DataFrame(bins), y)
    assert ours.structure_ == one.structure_
    np.testing.assert_allclose(
        ours.predict_proba(X), one.predict_proba(pd.DataFrame(bins)), rtol=1e-12
    )


def test_a_tree_without_a_class():
    X, y = dependent_columns(share_missing=0.1)
    one = BeliefNetwork("chow_liu").fit(X)
    ours = BeliefNetwork("chow_liu")
    ours.fit_blocks([part for part, _ in cut(X, y, 5)], max_sample_rows=10)
    assert ours.structure_ == one.structure_
    np.testing.assert_allclose(ours.score_samples(X), one.score_samples(X), rtol=1e-12)


def test_arcs_name_the_class_by_the_name_of_y():
    X, y = dependent_columns()
    y = pd.Series(y, name="kind")
    model = BeliefNetworkClassifier([("kind", "a"), ("a", "b")], **GIVEN)
    tables = model.fit(X, y).network_.tables
    model.fit_blocks(cut(X, y, 3), max_sample_rows=50)
    assert model.network_.names[-1] == "kind"
    assert model.structure_weight_ == 0
    for table, expected in zip(model.network_.tables, tables):
        np.testing.assert_allclose(table, expected, rtol=1e-12)


def test_an_iterator_that_is_read_once():
    X, y = dependent_columns()
    one = BeliefNetworkClassifier(**GIVEN).fit(X, y)
    ours = BeliefNetworkClassifier(**GIVEN)
    ours.fit_blocks(iter(cut(X, y, 10)), max_sample_rows=100)
    assert ours.structure_ == one.structure_
    np.testing.assert_allclose(ours.predict_proba(X), one.predict_proba(X), rtol=1e-12)


def test_smoothing_is_chosen_by_leaving_the_sample_out_of_all_rows():
    X, y = dependent_columns(200)
    grid = [0.2, 2.0, 20.0, 200.0]
    arcs = [("class", name) for name in X] + [("a", "b"), ("b", "d")]
    model = BeliefNetworkClassifier(
        arcs, prior="marginal", calibration=None, loo_candidates={"m": grid}
    )
    model.fit_blocks(cut(X, y, 4), max_sample_rows=12)
    drawn, labels, weight = RowSample(12).add(X, y).rows()
    assert 12 < len(drawn) <= 24  # copies of symbols share the weight of their row
    keys = [tuple(row) for row in X.to_numpy()]
    losses = np.zeros(len(grid))
    for row, label, w in zip(drawn.to_numpy(), labels, weight):
        same = [key == tuple(row) and c == label for key, c in zip(keys, y)]
        rest = np.where(same, 1 - w / np.sum(same), 1.0)
        for a, m in enumerate(grid):
            fixed = BeliefNetworkClassifier(
                arcs, m=m, prior="marginal", calibration=None
            ).fit(X, y, rest)
            proba = fixed.predict_proba(pd.DataFrame([row], columns=X.columns))
            losses[a] -= w * np.log(proba[0, list(fixed.classes_).index(label)])
    np.testing.assert_allclose(
        model.loo_results_["mean_log_loss"], losses / weight.sum(), rtol=1e-9
    )
    assert model.m_ == grid[np.argmin(losses)]


@pytest.mark.parametrize("structure", ["tan", "fan", "chow_liu"])
def test_trees_of_the_folds_are_those_of_a_fit(structure):
    # The sample is all rows, so the blocks know what one fit knows.
    X, y = dependent_columns(200, share_missing=0.1)
    one = BeliefNetworkClassifier(structure).fit(X, y)
    ours = BeliefNetworkClassifier(structure)
    ours.fit_blocks(cut(X, y, 4), max_sample_rows=1000)
    assert (ours.m_, ours.prior_) == (one.m_, one.prior_)
    for key in ("mean_log_loss", "exponent"):
        np.testing.assert_allclose(
            ours.loo_results_[key], one.loo_results_[key], rtol=1e-6
        )
    np.testing.assert_allclose(ours.predict_proba(X), one.predict_proba(X), rtol=1e-6)


@pytest.mark.parametrize("weight", [0.1, 1.0, 4.0])
def test_the_weight_of_all_rows_does_not_make_names_of_rows_parents(weight):
    X, y = dependent_columns(200)
    X["name"] = [f"row {i}" for i in range(200)]
    one = BeliefNetworkClassifier().fit(X, y)
    blocks = [(*rows, np.full(len(rows[1]), weight)) for rows in cut(X, y, 4)]
    ours = BeliefNetworkClassifier().fit_blocks(blocks, max_sample_rows=1000)
    assert ours.structure_ == one.structure_
    assert "name" not in {parent for parent, _ in ours.structure_}


def test_counts_above_the_working_memory_are_an_error():
    X, y = dependent_columns()
    X = pd.concat([X.add_suffix(str(k)) for k in range(12)], axis=1)
    model = BeliefNetworkClassifier(**GIVEN).fit(X, y)
    before = model.predict_proba(X)
    with sklearn.config_context(working_memory=0.5):
        model.fit_blocks([(X, y)])  # the sample holds all rows
        with pytest.raises(ValueError, match=r"working_memory of 0\.5 MiB: set it by"):
            model.fit_blocks([(X, y)], max_sample_rows=50)
    np.testing.assert_allclose(model.predict_proba(X), before, rtol=1e-12)

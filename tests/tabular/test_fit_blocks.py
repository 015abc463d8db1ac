"""fit_blocks gives the model of one fit, for any blocks.

Code under test: `tabular/_blocks.py`.
"""

import re

import numpy as np
import pandas as pd
import pytest
from scipy import sparse
from sklearn.base import clone

from sklearn_bayeslazy import (
    AODEClassifier,
    BeliefNetwork,
    BeliefNetworkClassifier,
    LanguageModelNB,
    MEstimateNB,
    NGramLanguageModel,
    TextNB,
)
from sklearn_bayeslazy.datasets import load_horse_colic
from tests.helpers.memory import peak

TABLE_MODELS = [
    MEstimateNB(loo_max_samples=None),
    MEstimateNB(m=1, distribution="auto", feature_weights=None),
    AODEClassifier(loo_max_samples=None),
    BeliefNetworkClassifier(loo_max_samples=None),
    BeliefNetworkClassifier("naive", structure_score="bic", m=1),
]


def horses():
    """Return a table with strings, numbers and missing cells."""
    X, y = load_horse_colic(as_frame=True, return_X_y=True)
    return X.reset_index(drop=True), np.asarray(y)


def cut(X, y, n_blocks, seed=0):
    """Return the rows in random order, in blocks."""
    order = np.random.default_rng(seed).permutation(len(y))
    return [
        (X.iloc[rows] if hasattr(X, "iloc") else X[rows], y[rows])
        for rows in np.array_split(order, n_blocks)
    ]


def documents():
    """Return texts of two classes, with repetitions."""
    rng = np.random.default_rng(0)
    words = np.array(["buy", "now", "free", "see", "you", "soon", "here"])
    y = rng.integers(2, size=60)
    texts = [
        " ".join(rng.choice(words[3:] if k else words[:4], size=rng.integers(1, 6)))
        for k in y
    ]
    return texts, y


@pytest.mark.parametrize("model", TABLE_MODELS, ids=str)
@pytest.mark.parametrize("n_blocks", [1, 5])
def test_blocks_of_a_table_give_the_model_of_one_fit(model, n_blocks):
    X, y = horses()
    expected = clone(model).fit(X, y).predict_joint_log_proba(X)
    ours = clone(model).fit_blocks(cut(X, y, n_blocks)).predict_joint_log_proba(X)
    np.testing.assert_allclose(ours, expected, rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize(
    "model", [MEstimateNB(), AODEClassifier(), BeliefNetworkClassifier()], ids=str
)
def test_the_results_of_leave_one_out_are_kept(model):
    X, y = horses()
    expected = clone(model).fit(X, y).loo_results_
    ours = model.fit_blocks(cut(X, y, 3)).loo_results_
    assert ours["params"] == expected["params"]
    score = next(name for name in expected if name.startswith("mean_"))
    np.testing.assert_allclose(ours[score], expected[score], rtol=1e-9)


@pytest.mark.parametrize("model", TABLE_MODELS, ids=str)
def test_choices_from_a_small_sample_do_not_depend_on_the_blocks(model):
    X, y = horses()
    one, other = (
        clone(model).fit_blocks(cut(X, y, *how), max_sample_rows=60)
        for how in ((1, 0), (6, 1))
    )
    np.testing.assert_array_equal(one.class_count_, np.bincount(y == one.classes_[1]))
    np.testing.assert_allclose(
        one.predict_joint_log_proba(X),
        other.predict_joint_log_proba(X),
        rtol=1e-12,
        atol=1e-12,
    )


@pytest.mark.parametrize("m", [1.0, "loo"])
def test_blocks_of_sparse_counts_give_the_model_of_one_fit(m):
    rng = np.random.default_rng(0)
    X = sparse.csr_array(rng.poisson(0.4, (90, 12)).astype(float))
    y = rng.integers(3, size=90)
    model = TextNB(m, loo_max_samples=None)
    expected = clone(model).fit(X, y).predict_joint_log_proba(X)
    ours = model.fit_blocks(cut(X, y, 4)).predict_joint_log_proba(X)
    np.testing.assert_allclose(ours, expected, rtol=1e-12)


def test_blocks_of_documents_give_the_model_of_one_fit():
    texts, y = documents()
    one = LanguageModelNB(order=2).fit(texts, y)
    blocks = [(texts[:25], y[:25]), (texts[25:], y[25:])]
    ours = LanguageModelNB(order=2).fit_blocks(blocks)
    np.testing.assert_allclose(
        ours.predict_joint_log_proba(texts),
        one.predict_joint_log_proba(texts),
        rtol=1e-12,
    )
    alone = NGramLanguageModel(order=2).fit(texts)
    ours = NGramLanguageModel(order=2).fit_blocks([texts[:25], texts[25:]])
    np.testing.assert_allclose(
        ours.score_samples(texts), alone.score_samples(texts), rtol=1e-12
    )


def test_a_network_without_a_class_learns_from_blocks():
    X, _ = horses()
    X = X.iloc[:, :8]
    one = BeliefNetwork(m=1).fit(X)
    ours = BeliefNetwork(m=1).fit_blocks([X.iloc[200:], X.iloc[:200]])
    assert ours.structure_ == one.structure_
    np.testing.assert_allclose(ours.score_samples(X), one.score_samples(X), rtol=1e-12)


def test_a_file_is_read_by_a_function(tmp_path):
    X, y = horses()
    X.assign(outcome_class=y).to_csv(tmp_path / "horses.csv", index=False)

    def blocks():
        for part in pd.read_csv(tmp_path / "horses.csv", chunksize=50):
            labels = part.pop("outcome_class")
            yield part, labels

    X = pd.concat([part for part, _ in blocks()], ignore_index=True)
    model = MEstimateNB(m=1, distribution="auto", feature_weights=None)
    expected = clone(model).fit(X, y).predict_joint_log_proba(X)
    np.testing.assert_allclose(
        model.fit_blocks(blocks).predict_joint_log_proba(X), expected, rtol=1e-12
    )


def test_an_iterator_is_read_once():
    X, y = horses()
    model = MEstimateNB(m=1, distribution="auto", feature_weights=None)
    expected = clone(model).fit(X, y)
    blocks = (block for block in cut(X, y, 8))  # a list_iterator has no close()
    first = clone(model).fit_blocks(blocks, max_sample_rows=100)
    for ours in (first, clone(model).fit_blocks(iter([(X, y)]))):
        np.testing.assert_allclose(
            ours.predict_joint_log_proba(X),
            expected.predict_joint_log_proba(X),
            rtol=1e-12,
        )
    blocks = [(X[y == label], y[y == label]) for label in np.unique(y)]
    with pytest.raises(ValueError, match="not in the classes"):
        clone(model).fit_blocks(iter(blocks), max_sample_rows=10)
    clone(model).fit_blocks(iter(blocks), max_sample_rows=10, classes=np.unique(y))


def test_weights_and_empty_blocks():
    X, y = horses()
    weight = np.arange(len(y)) % 3
    model = MEstimateNB(m=1, distribution="auto", feature_weights=None)
    expected = clone(model).fit(X, y, weight).predict_joint_log_proba(X)
    blocks = [
        (X[:0], y[:0], weight[:0]),
        (X[:150], y[:150], weight[:150]),
        (X[150:], y[150:], weight[150:]),
    ]
    ours = model.fit_blocks(blocks).predict_joint_log_proba(X)
    np.testing.assert_allclose(ours, expected, rtol=1e-12)


def test_a_failed_fit_leaves_the_former_model():
    X, y = horses()
    model = MEstimateNB(m=1).fit(X, y)
    before = model.predict_proba(X)
    for blocks, message in (
        ([], "The blocks hold no rows"),
        ([(X, y), (X.iloc[:, :3], y)], "The blocks differ in their columns"),
        ([(X, y[:-1])], "inconsistent numbers of samples"),
    ):
        with pytest.raises(ValueError, match=re.escape(message)):
            model.fit_blocks(blocks)
        np.testing.assert_array_equal(model.predict_proba(X), before)
    with pytest.raises(ValueError, match="max_sample_rows must be an integer"):
        model.fit_blocks([(X, y)], max_sample_rows=1.5)


def test_models_that_need_all_rows_say_so():
    X, y = horses()
    with pytest.raises(AttributeError, match="need all rows at once"):
        BeliefNetworkClassifier(missing="expected").fit_blocks([(X, y)])


def test_progress_is_shown(capsys):
    X, y = horses()
    MEstimateNB(m=1).fit_blocks([(X, y)], verbose=True)
    assert "count" in capsys.readouterr().err


def test_memory_holds_a_block_and_the_sample():
    def blocks():
        for seed in range(30):
            rng = np.random.default_rng(seed)
            yield rng.normal(size=(10_000, 10)), rng.integers(2, size=10_000)

    model = MEstimateNB(m=1, distribution="gaussian", feature_weights=None)
    used = peak(lambda: model.fit_blocks(blocks, max_sample_rows=1000))
    of_a_block = 10_000 * 11 * 8
    assert used < 8 * of_a_block  # all rows are 30 blocks

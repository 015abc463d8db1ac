"""Blocks that cannot be used, and blocks of odd kinds."""

from concurrent.futures import ThreadPoolExecutor
from threading import Barrier

import numpy as np
import pandas as pd
import polars as pl
import pytest
from scipy import sparse
from sklearn.base import clone

from sklearn_bayeslazy import (
    BeliefNetworkClassifier,
    MEstimateNB,
    NGramLanguageModel,
    TextNB,
)

X = pd.DataFrame({"c": pd.Categorical(list("abca") * 5), "x": np.arange(20.0) % 6})
Y = np.array(["u", "v"] * 10)


def model():
    return MEstimateNB(m=1, distribution="auto", feature_weights=None)


class ReadOnce:
    """Blocks that are there only once, though the object is no iterator."""

    def __init__(self):
        self.iterator = iter([(X, Y)])

    def __iter__(self):
        return self.iterator


@pytest.mark.parametrize(
    "blocks", [ReadOnce(), ReadOnce().__iter__], ids=["iterable", "function"]
)
def test_blocks_that_are_gone_at_the_second_reading_are_an_error(blocks):
    with pytest.raises(ValueError, match="a function that returns a new iterator"):
        model().fit_blocks(blocks)


@pytest.mark.parametrize("blocks", [X, X.to_numpy(), sparse.eye_array(3), "path"])
def test_one_table_is_no_list_of_blocks(blocks):
    with pytest.raises(ValueError, match=r"pass \[\(X, y\)\] for one block"):
        model().fit_blocks(blocks)


@pytest.mark.parametrize("blocks", [[X], [[X, Y]], (X, Y), [(X, Y), (X, None)]])
def test_blocks_of_a_classifier_need_classes(blocks):
    with pytest.raises(ValueError, match=r"learns from blocks \(X, y\)"):
        model().fit_blocks(blocks)


TREE = BeliefNetworkClassifier(m=1.0, prior="uniform", calibration=None)
MODELS = pytest.mark.parametrize("ours", [model(), TREE], ids=["counts", "tree"])


@MODELS
@pytest.mark.parametrize("n_read", [1, 4])
def test_an_error_in_the_middle_leaves_the_former_model(ours, n_read):
    """There are 3 blocks, so the fifth is read in the second reading."""
    ours = clone(ours).fit(X, Y)
    before, attributes = ours.predict_proba(X), dict(vars(ours))
    n_left = n_read

    def blocks():
        nonlocal n_left
        for _ in range(3):
            if not n_left:
                raise OSError("the disk is gone")
            n_left -= 1
            yield X, Y

    with pytest.raises(OSError, match="the disk is gone"):
        ours.fit_blocks(blocks, max_sample_rows=3)
    assert n_left == 0
    np.testing.assert_array_equal(ours.predict_proba(X), before)
    assert vars(ours).keys() == attributes.keys()
    assert all(vars(ours)[name] is x for name, x in attributes.items())


@MODELS
def test_an_error_of_an_iterator_leaves_the_former_model(ours):
    ours = clone(ours).fit(X, Y)
    attributes = dict(vars(ours))

    def blocks():
        yield X, Y
        yield X, Y  # the sample is full: from here on, rows are counted
        raise OSError("the disk is gone")

    with pytest.raises(OSError, match="the disk is gone"):
        ours.fit_blocks(blocks(), max_sample_rows=3)
    assert vars(ours) == attributes


def test_a_block_without_classes_may_be_a_tuple_of_one():
    texts = ["the cat sat", "the dog sat", "a cat ran"]
    expected = NGramLanguageModel(2).fit(texts).score_samples(texts)
    for blocks in ([texts], [(texts,)], [(texts[:1],), texts[1:]]):
        found = NGramLanguageModel(2).fit_blocks(blocks).score_samples(texts)
        np.testing.assert_allclose(found, expected)


@pytest.mark.parametrize(
    "blocks", [["a b", "c d"], [()], [(["a b"], None, None, None)]], ids=repr
)
def test_what_is_no_block_of_texts_says_what_is_wanted(blocks):
    with pytest.raises(ValueError, match=r"A block is X, or a tuple \(X,\)"):
        NGramLanguageModel(2).fit_blocks(blocks)


@MODELS
def test_a_fit_in_blocks_leaves_the_attributes_of_a_fit(ours):
    ours = clone(ours).fit(X, Y)
    attributes = set(vars(ours))
    ours.fit_blocks([(X, pd.Series(Y, name="kind"))] * 2, max_sample_rows=3)
    assert set(vars(ours)) == attributes
    assert type(ours.classes_) is np.ndarray


@MODELS
def test_two_threads_that_fit_one_estimator(ours):
    """The model is that of the thread that ends last, whatever they do meanwhile."""
    halves = [(X[:12], Y[:12]), (X[6:], Y[6:])]
    expected = [
        clone(ours).fit_blocks([half] * 3, max_sample_rows=3).predict_proba(X)
        for half in halves
    ]
    ours = clone(ours)
    both_read = Barrier(2, timeout=60)

    def fit(half):
        def blocks():
            for _ in range(3):
                both_read.wait()
                yield half

        ours.fit_blocks(blocks, max_sample_rows=3)

    with ThreadPoolExecutor(2) as pool:
        list(pool.map(fit, halves))
    found = ours.predict_proba(X)
    assert any(np.array_equal(found, one) for one in expected)
    assert not np.allclose(*expected)


def test_blocks_of_different_packages_are_an_error():
    dense, rows = np.eye(20), sparse.eye_array(20, format="csr")
    for blocks in ([(X, Y), (pl.from_pandas(X), Y)], [(dense, Y), (rows, Y)]):
        with pytest.raises(ValueError, match="or in their package"):
            TextNB(m=1).fit_blocks(blocks)


@pytest.mark.parametrize("dtype", [pl.Enum, None], ids=["enum", "strings"])
def test_categories_of_polars_blocks_may_differ(dtype):
    words = [list("abca") * 5, list("zyxw") * 5]
    blocks = [
        (pl.DataFrame({"c": pl.Series(w, dtype=dtype and dtype(sorted(set(w))))}), Y)
        for w in words
    ]
    both = pl.DataFrame({"c": words[0] + words[1]})
    expected = model().fit(both, np.tile(Y, 2)).predict_proba(both)
    ours = model().fit_blocks(blocks).predict_proba(both)
    np.testing.assert_allclose(ours, expected, rtol=1e-12)


def test_sparse_rows_of_any_format():
    counts = np.random.default_rng(0).poisson(0.7, (40, 6)).astype(float)
    y = np.arange(40) % 2
    expected = TextNB(m=1).fit(counts, y).predict_proba(counts)
    blocks = [
        (sparse.coo_array(counts[:25]), y[:25]),
        (sparse.csc_array(counts[25:]), y[25:]),
    ]
    ours = TextNB(m=1).fit_blocks(blocks).predict_proba(counts)
    np.testing.assert_allclose(ours, expected, rtol=1e-12)


def test_a_block_whose_weights_are_all_0_is_left_out():
    zero, one = np.zeros(20), np.ones(20)
    ours = model().fit_blocks([(X, Y[::-1], zero), (X, Y, one), (X, Y, zero)])
    assert ours.class_count_.tolist() == [10, 10]
    expected = model().fit(X, Y).predict_proba(X)
    np.testing.assert_allclose(ours.predict_proba(X), expected, rtol=1e-12)
    with pytest.raises(ValueError, match="The blocks hold no rows"):
        model().fit_blocks([(X, Y, zero)])

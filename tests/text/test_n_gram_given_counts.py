"""Models of given n-gram counts equal models of texts with these counts.

Code under test: `text/_n_grams/_given_counts.py`.
"""

from collections import Counter
from fractions import Fraction

import numpy as np
import pandas as pd
import pytest

from sklearn_bayeslazy import NGramLanguageModel
from sklearn_bayeslazy.text._n_grams._smoothing import SMOOTHINGS

TEXTS = ["the cat sat", "the dog sat", "a cat ran", "the cat", "ran ran the dog"]


def count(texts, lengths, boundaries=True):
    """Return the number of occurrences of the n-grams of some lengths."""
    found = Counter()
    for text in texts:
        words = ["<s>", *text.split(), "</s>"] if boundaries else text.split()
        for length in lengths:
            starts = range(len(words) - length + 1)
            found.update(tuple(words[i : i + length]) for i in starts)
    return found


def assert_same_model(model, expected):
    assert model.vocabulary_ == expected.vocabulary_
    assert model.outcomes_.tolist() == expected.outcomes_.tolist()
    assert model.n_ngrams_.tolist() == expected.n_ngrams_.tolist()
    texts = [*TEXTS, "cat the a", "a bird ran"]
    np.testing.assert_array_equal(
        model.score_samples(texts), expected.score_samples(texts)
    )
    for context in ("", "the", "ran the", "<s>"):
        np.testing.assert_array_equal(
            model.next_probabilities(context), expected.next_probabilities(context)
        )


@pytest.mark.parametrize("smoothing", SMOOTHINGS)
def test_counts_of_all_lengths_give_the_model_of_the_texts(smoothing):
    for order in (1, 2, 4):
        counts = count(TEXTS, range(1, order + 1))
        model = NGramLanguageModel.from_counts(counts, smoothing=smoothing)
        assert model.order == order
        expected = NGramLanguageModel(order, smoothing=smoothing).fit(TEXTS)
        assert_same_model(model, expected)


@pytest.mark.parametrize("order", [2, 3])
def test_shorter_ngrams_follow_from_the_longest(order):
    expected = NGramLanguageModel(order).fit(TEXTS)
    assert_same_model(NGramLanguageModel.from_counts(count(TEXTS, [order])), expected)


def test_a_table_a_series_and_arrays_of_bigrams_give_one_model():
    expected = NGramLanguageModel(2).fit(TEXTS)
    bigrams = count(TEXTS, [2])
    series = pd.Series(bigrams)
    array, numbers = np.array(list(bigrams)), list(bigrams.values())
    for given in ([series], [series.unstack(fill_value=0)], [array, numbers]):
        assert_same_model(NGramLanguageModel.from_counts(*given), expected)


def test_counts_without_boundaries_and_with_a_vocabulary():
    texts = ["a b a c", "b a"]
    counts = count(texts, [1, 2], boundaries=False)
    for vocabulary in (None, ["a", "b"]):
        options = {"boundaries": None, "vocabulary": vocabulary, "token_pattern": r"\w"}
        expected = NGramLanguageModel(2, **options).fit(texts)
        model = NGramLanguageModel.from_counts(counts, **options)
        assert_same_model(model, expected)


def test_probabilities_of_a_bigram_table_by_hand():
    """Of "x y", "x y" and "x z"; V = 5 outcomes: x, y, z, </s> and <unk>."""
    bigrams = {("<s>", "x"): 3, ("x", "y"): 2, ("x", "z"): 1}
    bigrams |= {("y", "</s>"): 2, ("z", "</s>"): 1}
    model = NGramLanguageModel.from_counts(
        bigrams, smoothing="dirichlet", smoothing_parameter=1
    )
    # 9 words and ends, 2 of them y: P'(y) = (2 + 1/5) / (9 + 1)
    unigram = (2 + Fraction(1, 5)) / (9 + 1)
    assert model.prob("y") == pytest.approx(float(unigram), rel=1e-14)
    expected = float((2 + unigram) / (3 + 1))
    assert model.prob("y", "x") == pytest.approx(expected, rel=1e-14)


def test_a_model_of_counts_learns_from_more_texts():
    counts = count(TEXTS[:3], range(1, 4))
    model = NGramLanguageModel.from_counts(counts).partial_fit(TEXTS[3:])
    assert_same_model(model, NGramLanguageModel().fit(TEXTS))
    other = NGramLanguageModel.from_counts(count(TEXTS[3:], range(1, 4)))
    merged = NGramLanguageModel.from_counts(counts).merge(other)
    assert_same_model(merged, NGramLanguageModel().fit(TEXTS))


BIGRAMS = {("<s>", "a"): 1, ("a", "</s>"): 1}


@pytest.mark.parametrize(
    ("ngrams", "parameters", "error", "message"),
    [
        (["a"], {}, TypeError, "ngrams must be a dictionary"),
        ({}, {}, ValueError, "no n-gram with a count above 0"),
        ({"a": 0}, {}, ValueError, "no n-gram with a count above 0"),
        ({("a", 1): 1}, {}, TypeError, r"got \('a', 1\)"),
        ({3: 1}, {}, TypeError, "got 3"),
        ({**BIGRAMS, ("a", "b"): -1}, {}, ValueError, r"\('a', 'b'\) must be ≥ 0"),
        ({**BIGRAMS, ("a", "b"): np.nan}, {}, ValueError, "must be ≥ 0, got nan"),
        ({**BIGRAMS, ("a", "b"): "x"}, {}, ValueError, "must be ≥ 0, got 'x'"),
        ({**BIGRAMS, ("a", "<s>"): 1}, {}, ValueError, "can only be its first word"),
        (BIGRAMS, {"boundaries": None}, ValueError, "with boundaries=None there are"),
        ({("a", "b"): 1}, {}, ValueError, "No n-gram ends with '</s>'"),
        ({**BIGRAMS, "b": 1}, {}, ValueError, r"its part \('a',\) has none"),
        (BIGRAMS, {"order": 3}, ValueError, "longest n-grams, 2"),
        (BIGRAMS, {"min_df": 2}, ValueError, "min_df=2 needs documents"),
        (BIGRAMS, {"vocabulary": []}, ValueError, "vocabulary is empty"),
        (BIGRAMS, {"smoothing": "x"}, ValueError, "'smoothing' parameter"),
        ({"</s>": 1}, {}, ValueError, "no word besides"),
        ({"a": 1e308, "</s>": 1e308}, {}, ValueError, "overflow float64: divide them"),
        (
            *(BIGRAMS, {"smoothing": "lidstone", "smoothing_parameter": "loo"}),
            *(ValueError, "smoothing_parameter='loo' needs documents"),
        ),
    ],
)
def test_invalid_counts_raise_clear_errors(ngrams, parameters, error, message):
    with pytest.raises(error, match=message):
        NGramLanguageModel.from_counts(ngrams, **parameters)


def test_arrays_of_ngrams_and_counts_must_fit():
    with pytest.raises(ValueError, match="do not fit"):
        NGramLanguageModel.from_counts(list(BIGRAMS), [1, 2, 3])


def test_counts_that_overflow_when_added_leave_the_model():
    model, other = (
        NGramLanguageModel.from_counts({"a": 1.5e308, "</s>": 1.0}) for _ in range(2)
    )
    before = model.next_probabilities()
    with pytest.raises(ValueError, match="overflow float64"):
        model.merge(other)
    np.testing.assert_array_equal(model.next_probabilities(), before)

"""Extreme and invalid input of NGramLanguageModel and LanguageModelNB."""

import numpy as np
import pytest

from sklearn_bayeslazy import LanguageModelNB, NGramLanguageModel
from sklearn_bayeslazy.text._n_grams._smoothing import SMOOTHINGS

TEXTS = ["The café: a cat. A dog!", "a dog\nran", "", "Ran? ran ran"]


@pytest.mark.parametrize(
    ("params", "error", "message"),
    [
        ({"order": 0}, ValueError, "'order' parameter"),
        ({"order": 10**9}, ValueError, "'order' parameter"),
        ({"smoothing": "kn"}, ValueError, "'smoothing' parameter"),
        ({"min_df": 9}, ValueError, "min_df=9 documents. Lower min_df"),
        ({"min_df": 1.5}, ValueError, "'min_df' parameter"),
        ({"vocabulary": []}, ValueError, "vocabulary is empty: give at least one"),
        ({"vocabulary": "abc"}, ValueError, "'vocabulary' parameter"),
        ({"vocabulary": ["a", 1]}, TypeError, "vocabulary holds 1, of type int"),
        ({"vocabulary": [["a"]]}, TypeError, r"vocabulary holds \['a'\]"),
        (
            {"vocabulary": ["a", "ab"], "analyzer": "char"},
            *(ValueError, "vocabulary holds 'ab'.* single characters"),
        ),
        ({"token_pattern": None}, ValueError, "token_pattern=None needs a tokenizer"),
        ({"token_pattern": "(a)(b)"}, ValueError, "capturing group"),
        ({"analyzer": lambda text: [1]}, TypeError, "analyzer .* gave 1, of type int"),
        ({"tokenizer": lambda text: [None]}, TypeError, "gave None, of type NoneType"),
        ({"analyzer": "chars"}, ValueError, "'analyzer' parameter"),
        ({"boundaries": "page"}, ValueError, "'boundaries' parameter"),
        ({"boundaries": lambda text: ["", " "]}, ValueError, "vocabulary is empty"),
        ({"loo_max_samples": 0}, ValueError, "'loo_max_samples' parameter"),
    ],
)
def test_invalid_parameters_are_named(params, error, message):
    for model in (NGramLanguageModel(**params), LanguageModelNB(**params)):
        with pytest.raises(error, match=message):
            model.fit(TEXTS, [0, 1, 0, 1])


@pytest.mark.parametrize("smoothing", SMOOTHINGS)
@pytest.mark.parametrize("parameter", [-1, np.nan, np.inf, "x", ["x"], [[1, 2], [3]]])
def test_invalid_parameters_of_a_smoothing_are_named(smoothing, parameter):
    model = NGramLanguageModel(smoothing=smoothing, smoothing_parameter=parameter)
    with pytest.raises(ValueError, match="smoothing_parameter"):
        model.fit(TEXTS)
    tuned = LanguageModelNB(
        smoothing=smoothing,
        smoothing_parameter="loo",
        loo_candidates={"smoothing_parameter": [parameter]},
    )
    with pytest.raises(ValueError, match="smoothing"):
        tuned.fit(TEXTS, [0, 1, 0, 1])


@pytest.mark.parametrize(
    ("smoothing", "parameter", "message"),
    [
        ("jelinek_mercer", 1.5, r"jelinek_mercer must be a number between 0 and 1\.0"),
        ("absolute_discount", 1.5, r"between 0 and 1\.0; got 1\.5"),
        ("dirichlet", [1.0, 2.0], "dirichlet must be a number between"),
        ("kneser_ney", [0.5, 0.5], r"shape \(order,\) or \(order, 3\)"),
        ("lidstone", 1e308, "lidstone must be a number"),
        ("laplace", 1.0, "smoothing='laplace' has no parameter; leave"),
        ("witten_bell", "loo", "'loo' does not go with smoothing='witten_bell'"),
        ("kneser_ney", "loo", "'loo' does not go with smoothing='kneser_ney'"),
    ],
)
def test_parameters_outside_their_range_are_named(smoothing, parameter, message):
    for kind in (NGramLanguageModel, LanguageModelNB):
        model = kind(3, smoothing=smoothing, smoothing_parameter=parameter)
        with pytest.raises(ValueError, match=message):
            model.fit(TEXTS, [0, 1, 0, 1])


@pytest.mark.parametrize(
    ("smoothing", "parameter"),
    [
        ("jelinek_mercer", 0),
        ("dirichlet", 0),
        ("absolute_discount", 0),
        ("kneser_ney", 0),
        ("lidstone", 0),
        ("m_estimate", 0),
        ("dirichlet", 5e-324),
    ],
)
def test_a_parameter_of_zero_is_no_smoothing(smoothing, parameter):
    """For Kneser–Ney this holds only of the longest n-grams; shorter counts differ."""
    none = NGramLanguageModel(2, smoothing="none").fit(TEXTS)
    model = NGramLanguageModel(2, smoothing=smoothing, smoothing_parameter=parameter)
    model.fit(TEXTS)
    for context in (["a"], ["<s>"], ["ran"]):
        np.testing.assert_allclose(
            model.next_probabilities(context), none.next_probabilities(context)
        )


@pytest.mark.parametrize(
    ("smoothing", "parameter"),
    [
        ("jelinek_mercer", 1),
        ("kneser_ney", 1e300),
        ("m_estimate", 1e300),
        ("lidstone", 1e300),
        ("dirichlet", 1e308),
    ],
)
def test_the_largest_parameter_makes_all_words_equally_likely(smoothing, parameter):
    model = NGramLanguageModel(3, smoothing=smoothing, smoothing_parameter=parameter)
    model.fit(TEXTS)
    for context in ([], ["a"], ["<s>", "a"]):
        p = model.next_probabilities(context)
        np.testing.assert_allclose(p, 1 / len(p))


@pytest.mark.parametrize("smoothing", SMOOTHINGS)
@pytest.mark.parametrize("weight", [5e-324, 1e-310, 1e-300, 1e300])
def test_weights_of_any_size(smoothing, weight):
    model = NGramLanguageModel(3, smoothing=smoothing).fit(
        TEXTS, sample_weight=[weight] * 4
    )
    for context in ([], ["a"], ["<s>", "ran"]):
        assert model.next_probabilities(context).sum() == pytest.approx(1)
    assert np.isfinite(model.score(TEXTS))
    with pytest.raises(ValueError, match="overflow"):
        model.fit(["a " * 100], sample_weight=[1e307])


def test_one_huge_text_and_many_tiny_ones():
    """Both take a second or two: the cost is proportional to the number of words."""
    huge = "lorem ipsum dolor sit amet " * 37_000  # a million characters
    for params in ({}, {"analyzer": "char", "order": 5}):
        model = NGramLanguageModel(**params).fit([huge])
        assert model.perplexity([huge]) < 1.01
    tiny = ["a b", "b c d", ""] * 30_000
    model = NGramLanguageModel().fit(tiny)
    assert model.prob("b", ["<s>", "a"]) > 0.9
    assert NGramLanguageModel(200).fit(TEXTS).n_ngrams_[-1] == 0

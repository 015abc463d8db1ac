"""NGramLanguageModel by hand: visible fractions, then loops over dictionaries.

Code under test: `text/_n_grams/_scoring.py`.
"""

import numpy as np
import pytest

from sklearn_bayeslazy import NGramLanguageModel
from sklearn_bayeslazy.text._n_grams._smoothing import SMOOTHINGS, estimate_discounts
from tests.helpers.language_model_by_hand import ByHand, count, cut

DEFAULTS = {
    "lidstone": 0.1,
    "m_estimate": 1.0,
    "jelinek_mercer": 0.5,
    "dirichlet": 100.0,
    "absolute_discount": 0.75,
}
every_smoothing = pytest.mark.parametrize("smoothing", SMOOTHINGS)
WORDS = r"\S+"


def draw(seed, n_documents=20, line=" "):
    """Return texts of the words a to d, some of them empty."""
    rng = np.random.default_rng(seed)
    sizes = rng.integers(0, 9, size=n_documents)
    words = [rng.choice(list("abcd"), p=[0.5, 0.3, 0.15, 0.05], size=n) for n in sizes]
    return ["".join(w + rng.choice([" ", line]) for w in some) for some in words]


def some_contexts(seed, known="abcdz", n=10):
    """Return contexts of 0 to 5 words: seen, unseen and partly seen."""
    rng = np.random.default_rng(seed)
    words = [*known, "<s>", "</s>"]
    drawn = [rng.choice(words, size=size).tolist() for size in rng.integers(0, 6, n)]
    return [[], ["<s>"], ["<s>", "a"], ["</s>"], *drawn]


def assert_by_hand(model, reference, contexts):
    for context in contexts:
        expected = [reference.prob(word, context) for word in model.outcomes_]
        found = model.next_probabilities(context)
        np.testing.assert_allclose(found, expected, rtol=0, atol=1e-12)
        assert found.sum() == pytest.approx(1, abs=1e-12)


def test_a_bigram_table_of_english():
    """P(the | of) = 179/281, from two-word texts with the table's counts.

    The unigram counts of the table are those of the first words. Texts with a filler
    word make them up.
    """
    columns = ["of", "is", "on", "to", "that", "line", "vision"]
    unigrams = [281, 175, 69, 212, 124, 17, 13]
    rows = {
        "the": [179, 44, 44, 65, 30, 0, 0],
        "of": [0, 2, 0, 1, 3, 4, 0],
        "to": [0, 19, 0, 0, 0, 0, 1],
        "is": [0, 0, 0, 0, 13, 1, 3],
        "a": [36, 33, 23, 21, 3, 0, 0],
        "that": [0, 18, 0, 1, 0, 0, 0],
    }
    texts = []
    for column, (first, unigram) in enumerate(zip(columns, unigrams)):
        counts = {word: row[column] for word, row in rows.items()}
        counts["filler"] = unigram - sum(counts.values())
        for second, n in counts.items():
            texts += [f"{first} {second}"] * n
    model = NGramLanguageModel(2, smoothing="none", boundaries=None).fit(texts)
    for word, row in rows.items():
        for first, c, unigram in zip(columns, row, unigrams):
            assert model.prob(word, first) == pytest.approx(c / unigram, abs=1e-15)
    assert model.prob("the", "of") == pytest.approx(179 / 281)
    assert model.prob("of") == (281 + 2 + 1 + 3 + 4) / (2 * sum(unigrams))


def test_kneser_ney_with_visible_fractions():
    """Counts of the counts 1 to 4 are partly 0, so discounts are ½, 1 and 1½."""
    model = NGramLanguageModel(2, token_pattern=WORDS).fit(["a b", "a b", "c b"])
    assert model.discounts_.tolist() == [[0.5, 1, 1.5]] * 2
    # Words before a: <s>; before c: <s>; before b: a, c; before </s>: b. 5 in all.
    uniform = 1 / 5  # a, b, c, </s>, <unk>
    freed = (0.5 + 0.5 + 1 + 0.5) / 5
    b = (2 - 1) / 5 + freed * uniform
    assert model.prob("b") == pytest.approx(b)
    assert model.prob("a") == pytest.approx((1 - 0.5) / 5 + freed * uniform)
    assert model.prob("<unk>") == pytest.approx(freed * uniform)
    assert model.prob("b", "a") == pytest.approx((2 - 1) / 2 + 1 / 2 * b)
    assert model.prob("b", "c") == pytest.approx((1 - 0.5) / 1 + 0.5 / 1 * b)
    # After <s>: a twice, c once.
    assert model.prob("b", ["<s>"]) == pytest.approx((1 + 0.5) / 3 * b)
    # After b: </s> three times.
    assert model.prob("b", "b") == pytest.approx(1.5 / 3 * b)
    assert model.prob("b", "z") == pytest.approx(b)  # z was never seen


def test_n_grams_that_begin_a_sentence_keep_their_counts():
    """Nothing can come before <s>: with counts of words before, <s> a would have 0."""
    model = NGramLanguageModel(3, token_pattern=WORDS).fit(["a b", "a b", "b"])
    # Words before a: <s>; before b: a, <s>; before </s>: b.
    a = (1 - 0.5) / 4 + (0.5 + 1 + 0.5) / 4 * 1 / 4
    assert model.prob("a", ["<s>"]) == pytest.approx((2 - 1) / 3 + (1 + 0.5) / 3 * a)
    # b came after <s> a and, as a pair, after a with one word before: <s>.
    b = (2 - 1) / 4 + (0.5 + 1 + 0.5) / 4 * 1 / 4
    after_a = (1 - 0.5) / 1 + 0.5 / 1 * b
    assert model.prob("b", ["<s>", "a"]) == pytest.approx((2 - 1) / 2 + 1 / 2 * after_a)


def test_discounts_are_estimated_from_counts_of_counts():
    """4 words came once, 2 twice, 1 three and 1 four times: Y = 4 / (4 + 2 · 2)."""
    model = NGramLanguageModel(1, boundaries=None, token_pattern=WORDS)
    model.fit(["a b c d e e f f g g g h h h h"])
    one, two, more = 1 - 2 * 1 / 2 * 2 / 4, 2 - 3 * 1 / 2 * 1 / 2, 3 - 4 * 1 / 2 * 1 / 1
    assert model.discounts_[0].tolist() == [one, two, more]
    freed = (4 * one + 2 * two + 2 * more) / 15 / 9
    assert model.prob("a") == pytest.approx((1 - one) / 15 + freed)
    assert model.prob("e") == pytest.approx((2 - two) / 15 + freed)
    assert model.prob("h") == pytest.approx((4 - more) / 15 + freed)
    assert model.prob("z") == pytest.approx(freed)


@pytest.mark.parametrize("n", [[0, 3, 2, 1], [3, 2, 1, 0], [9, 1, 9, 1]])
def test_discounts_that_cannot_be_estimated_have_defaults(n):
    """A count of counts is 0, or a discount is negative: 2 - 3 · 9/11 · 9/1."""
    assert estimate_discounts(n).tolist() == [0.5, 1, 1.5]


@every_smoothing
@pytest.mark.parametrize("order", [1, 2, 3, 5])
@pytest.mark.parametrize("boundaries", ["document", "line", None])
def test_every_probability_is_that_by_hand(smoothing, order, boundaries):
    for seed in range(3):
        texts = draw(seed, line="\n")
        model = NGramLanguageModel(
            order, smoothing=smoothing, boundaries=boundaries, token_pattern=WORDS
        ).fit(texts)
        documents = [cut(text, boundaries) for text in texts]
        reference = ByHand(
            count(documents, order),
            *(order, smoothing, DEFAULTS.get(smoothing), len(model.outcomes_)),
        )
        assert_by_hand(model, reference, some_contexts(seed))
        np.testing.assert_allclose(
            model.score_samples(texts),
            [reference.log_likelihood(document) for document in documents],
            rtol=1e-12,
        )


@every_smoothing
@pytest.mark.parametrize("order", [1, 2, 3])
def test_weighted_texts_with_unknown_words_by_hand(smoothing, order):
    """Weights that are no integers; c and d are no words of the vocabulary."""
    texts = draw(0)
    weight = np.random.default_rng(0).uniform(0.1, 3, size=len(texts)).tolist()
    model = NGramLanguageModel(
        order, smoothing=smoothing, vocabulary=["a", "b"], token_pattern=WORDS
    ).fit(texts, sample_weight=weight)
    assert model.outcomes_.tolist() == ["<unk>", "</s>", "a", "b"]
    known = str.maketrans({"c": "<unk>", "d": "<unk>"})
    documents = [cut(text.translate(known)) for text in texts]
    table = count(documents, order, weight)
    reference = ByHand(table, order, smoothing, DEFAULTS.get(smoothing), 4)
    assert_by_hand(model, reference, some_contexts(0, ["a", "b", "<unk>"]))


@pytest.mark.parametrize("smoothing", ["kneser_ney", "absolute_discount"])
@pytest.mark.parametrize(
    "discounts",
    [0.3, [0.0, 0.5, 1.0], [[0.1, 0.2, 0.3], [0.4, 0.5, 0.6], [0.7, 0.8, 0.9]]],
)
def test_discounts_by_length_and_count_by_hand(smoothing, discounts):
    texts = draw(1)
    model = NGramLanguageModel(
        3, smoothing=smoothing, smoothing_parameter=discounts, token_pattern=WORDS
    ).fit(texts)
    table = count([cut(text) for text in texts], 3)
    reference = ByHand(table, 3, smoothing, discounts, len(model.outcomes_))
    assert_by_hand(model, reference, some_contexts(1))


@every_smoothing
@pytest.mark.parametrize("analyzer", ["word", "char", "char_wb", str.split])
def test_probabilities_sum_to_one_after_every_context(smoothing, analyzer):
    texts = ["aa ab. a\nb aa", "", "b", "ab ab c! aa", "a aa b ab"]
    contexts = [*some_contexts(0, n=4), [" "], ["a", " "], ["aa"], ["<s>", "aa"]]
    for boundaries in ("document", "line", "sentence", str.splitlines, None):
        if analyzer == "char_wb" and boundaries is None:
            continue
        for order in range(1, 7):
            model = NGramLanguageModel(
                order, smoothing=smoothing, analyzer=analyzer, boundaries=boundaries
            ).fit(texts)
            for context in contexts:
                p = model.next_probabilities(context)
                assert np.all(p >= 0)
                assert p.sum() == pytest.approx(1, abs=1e-12)
                assert model.prob("<s>", context) == 0

"""Raw documents: how they are cut into words, and the containers they come in."""

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from scipy import sparse
from sklearn.feature_extraction.text import CountVectorizer

from sklearn_bayeslazy import LanguageModelNB, NGramLanguageModel
from sklearn_bayeslazy.text._n_grams._document_reader import DocumentReader

TEXTS = ["The café: a cat. A dog!", "a dog\nran", "", "Ran? ran ran"]
SYMBOLS = ["<unk>", "</s>", "<s>"]


def read(texts, **params):
    """Return the words and symbols of each text, and the vocabulary."""
    model = NGramLanguageModel(**params)
    vocabulary, corpus = DocumentReader(model).learn_vocabulary(
        texts, model.min_df, model.vocabulary, np.ones(len(texts))
    )
    words = np.array([*SYMBOLS, *vocabulary], dtype=object)[corpus.tokens].tolist()
    return [words[a:b] for a, b in zip(corpus.start, corpus.start[1:])], [*vocabulary]


@pytest.mark.parametrize(
    "params",
    [
        {},
        {"lowercase": False},
        {"strip_accents": "unicode"},
        {"token_pattern": r"\w\w+"},
        {"tokenizer": str.split, "token_pattern": None},
        {"preprocessor": str.upper},
        {"analyzer": lambda text: text.split(".")},
        {"analyzer": "char"},
        {"analyzer": "char", "lowercase": False},
    ],
)
@pytest.mark.parametrize("min_df", [1, 2, 0.5, 1.0])
@pytest.mark.filterwarnings("ignore:The parameter 'token_pattern':UserWarning")
def test_words_are_those_of_scikit_learns_vectorizer(params, min_df):
    """Characters too, where white space is single spaces."""
    texts = [text.replace("\n", " ") for text in TEXTS] + ["the a cat ran."]
    peer = CountVectorizer(
        **{"token_pattern": r"(?u)\b\w+\b", "min_df": min_df, **params}
    )
    try:
        counts = peer.fit_transform(texts)
    except ValueError:  # nothing is in all texts
        with pytest.raises(ValueError, match="vocabulary is empty"):
            NGramLanguageModel(**params, min_df=min_df).fit(texts)
        return
    found, words = read(texts, **params, min_df=min_df)
    assert words == sorted(peer.vocabulary_)
    table = [[text.count(word) for word in words] for text in found]
    np.testing.assert_array_equal(table, counts.toarray())


@pytest.mark.parametrize(
    ("boundaries", "expected"),
    [
        ("document", "<s> a b c d </s>"),
        ("line", "<s> a b </s> <s> c d </s>"),
        ("sentence", "<s> a </s> <s> b c </s> <s> d </s>"),
        (lambda text: text.split("b"), "<s> a </s> <s> c d </s>"),
        (lambda text: [], "<s> </s>"),
        (None, "a b c d"),
    ],
)
def test_where_sentences_begin_and_end(boundaries, expected):
    """Empty sentences are dropped; a document without any has a start and an end."""
    found, _ = read(["A! b\n\nc. D"], boundaries=boundaries)
    assert found == [expected.split()]
    assert read(["", " \n"], boundaries=boundaries)[0] == (
        [[], []] if boundaries is None else [["<s>", "</s>"]] * 2
    )


def test_characters_have_single_spaces_and_may_end_with_words():
    assert read([" A  b\n"], analyzer="char")[0] == [["<s>", *"a b", "</s>"]]
    assert read(["ab c"], analyzer="char_wb")[0] == [
        ["<s>", "a", "b", "</s>", "<s>", "c", "</s>"]
    ]
    lines = read(["a b\n\nc "], analyzer="char", boundaries="line")[0]
    assert lines == [["<s>", *"a b", "</s>", "<s>", "c", "</s>"]]
    assert read(["a b"], analyzer="char", boundaries=None)[0] == [[*"a b"]]
    with pytest.raises(ValueError, match="use analyzer='char'"):
        read(["a"], analyzer="char_wb", boundaries=None)


def test_rare_words_and_words_outside_the_vocabulary_are_unknown():
    found, words = read(["a b", "a c c"], min_df=2)
    assert words == ["a"]
    assert found[1] == ["<s>", "a", "<unk>", "<unk>", "</s>"]
    for vocabulary in (
        ["c", "a", "a"],
        {"a": 7, "c": 7},
        {"c", "a"},
        np.array(["a", "c"]),
    ):
        found, words = read(["a b", "a c c"], vocabulary=vocabulary, min_df=2)
        assert words == ["a", "c"]
        assert found[0] == ["<s>", "a", "<unk>", "</s>"]


def test_a_text_may_contain_unk_but_no_boundary_symbols():
    """The word "<unk>" of a text is the unknown word."""
    params = {"tokenizer": str.split, "token_pattern": None}
    model = NGramLanguageModel(2, smoothing="none", **params)
    model.fit(["a <unk> a", "a b"])
    assert model.outcomes_.tolist() == ["<unk>", "</s>", "a", "b"]
    assert model.prob("<unk>", "a") == 1 / 3
    for word in ("<s>", "</s>"):
        with pytest.raises(ValueError, match=f"'{word}', which is not a word"):
            model.fit([f"a {word} a"])
        with pytest.raises(ValueError, match=f"vocabulary holds '{word}'"):
            NGramLanguageModel(vocabulary=["a", word]).fit(["a"])


@pytest.mark.parametrize("make", [tuple, iter, np.array])
def test_words_come_in_any_iterable(make):
    """Also if a text has no words: an empty array or iterator has no truth value."""
    expected = read(TEXTS, analyzer=str.split)
    assert read(TEXTS, analyzer=lambda text: make(text.split())) == expected
    by_tokenizer = {"tokenizer": lambda text: make(text.split()), "lowercase": False}
    assert read(TEXTS, **by_tokenizer) == expected


CHARACTERS = [
    "\U0001f600 \ud800 e\u0301 \x00",
    "\ufdd0 \ufdd1 a\ufdd0b",  # the marks that the reader uses
    "\u202e x \ufeff \u2028 y\x85z",
    "\x1c\x1d \t",
]


@pytest.mark.parametrize("analyzer", ["word", "char", "char_wb"])
@pytest.mark.parametrize("boundaries", ["document", "line", "sentence"])
def test_unusual_characters(analyzer, boundaries):
    model = NGramLanguageModel(
        2, analyzer=analyzer, boundaries=boundaries, token_pattern=r"\S+"
    ).fit(CHARACTERS)
    assert np.isfinite(model.score_samples(CHARACTERS)).all()
    for context in ("\ud800", "\ufdd0", "\x00", "x"):
        assert model.next_probabilities(context).sum() == pytest.approx(1)
    if analyzer != "word":
        # A mark in the text is a space: it neither begins nor ends a sentence.
        spaces = NGramLanguageModel(2, analyzer=analyzer).fit(["a b"])
        marks = NGramLanguageModel(2, analyzer=analyzer).fit(["\ufdd1a\ufdd0\ufdd0b"])
        assert marks.vocabulary_ == spaces.vocabulary_
        np.testing.assert_array_equal(marks._counts.count, spaces._counts.count)


@pytest.mark.parametrize(
    "make",
    [
        tuple,
        iter,
        np.array,
        lambda texts: np.array(texts, dtype=object),
        lambda texts: pd.Series(texts, index=[5, 3, 3, 1]),
        lambda texts: pd.Series(texts, dtype="string"),
        pl.Series,
        pa.array,
        lambda texts: pa.chunked_array([texts[:1], texts[1:]]),
    ],
)
def test_documents_come_in_any_iterable(make):
    expected = NGramLanguageModel(2).fit(TEXTS)
    model = NGramLanguageModel(2).fit(make(TEXTS))
    assert model.vocabulary_ == expected.vocabulary_
    np.testing.assert_array_equal(model._counts.count, expected._counts.count)
    np.testing.assert_array_equal(
        model.score_samples(make(TEXTS)), expected.score_samples(TEXTS)
    )


@pytest.mark.parametrize(
    ("documents", "error", "message"),
    [
        ("one text", ValueError, r"got one string. Put it into a list: \['one text'\]"),
        (b"bytes", ValueError, "got one string"),
        (np.eye(3), TypeError, r"got a matrix of shape \(3, 3\).*there is TextNB"),
        (sparse.csr_array(np.eye(3)), TypeError, r"matrix of shape \(3, 3\)"),
        (pd.DataFrame({"text": ["a"]}), TypeError, r"df\['text'\]"),
        (pl.DataFrame({"text": ["a"]}), TypeError, "got a matrix"),
        (None, TypeError, "got NoneType"),
        (3, TypeError, "got int"),
        ([1, 2], TypeError, "document 0 is 1, of type int"),
        (np.arange(3), TypeError, r"document 0 is np.int64\(0\)"),
        (["a", b"b"], TypeError, "document 1 is bytes: decode it first"),
        (["a", ["b"]], TypeError, r"document 1 is \['b'\], of type list"),
        (["a", np.array(["b", "c"])], TypeError, "document 1 is array"),
        (["a", None], ValueError, r"document 1 is missing \(None\): drop it"),
        (["a", float("nan")], ValueError, r"document 1 is missing \(nan\)"),
        (["a", pd.NA], ValueError, "document 1 is missing"),
        (np.array([0.5, np.nan]), TypeError, "document 0 is np.float64"),
    ],
    ids=repr,
)
def test_input_that_is_not_raw_documents_is_named(documents, error, message):
    model = NGramLanguageModel(2).fit(TEXTS)
    classifier = LanguageModelNB().fit(TEXTS, [0, 1, 0, 1])
    for call, name in [
        (model.fit, "NGramLanguageModel"),
        (model.score_samples, "NGramLanguageModel"),
        # The predictions for None are those of the training documents.
        (
            classifier.explain if documents is None else classifier.predict,
            "LanguageModelNB",
        ),
        (lambda documents: classifier.fit(documents, [0, 1]), "LanguageModelNB"),
    ]:
        with pytest.raises(error, match=f"{name} expects raw documents.*{message}"):
            call(documents)

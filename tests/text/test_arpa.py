"""Language models in the ARPA format, and scores of single words.

Code under test: `text/_n_grams/_arpa.py`, `score_tokens` of `NGramLanguageModel`.
"""

import gzip
import pickle
from io import BytesIO, StringIO

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose

from sklearn_bayeslazy import NGramLanguageModel

# Like the example in the documentation of CMU Sphinx: unlike SRILM it spells <UNK>,
# separates by blanks and tabs, and has a number near -99 for log10 of 0.
SPHINX = r"""
\data\
ngram 1=7
ngram 2=7

\1-grams:
-1.0000 <UNK>	-0.2553
-98.9366 <s>	 -0.3064
-1.0000 </s>	 0.0000
-0.6990 wood	 -0.2553
-0.6990 cindy	-0.2553
-0.6990 pittsburgh		-0.2553
-0.6990 jean	 -0.1973

\2-grams:
-0.2553 <UNK> wood
-0.2553 <s> <UNK>
-0.2553 wood pittsburgh
-0.2553 cindy jean
-0.2553 pittsburgh cindy
-0.5563 jean </s>
-0.5563 jean wood

\end\
"""
# As KenLM prunes: "b c" is not listed, though "a b c" is.
PRUNED = """\
Written by hand.

\\data\\
ngram 1=5
ngram 2=2
ngram 3=1

\\1-grams:
-1\t<unk>\t0
0\t<s>\t-0.3
-0.8\ta\t-0.1
-0.5\tb\t-0.2
-0.4\tc

\\2-grams:
-0.25\t<s> a\t-0.15
-0.35\ta b\t-0.05

\\3-grams:
-0.05\ta b c

\\end\\
"""
INTERPOLATED = (
    "none",
    "jelinek_mercer",
    "dirichlet",
    "absolute_discount",
    "witten_bell",
    "kneser_ney",
)


def log10_scores(model, text):
    scores = model.score_tokens([text])[0]
    return scores.log_probabilities / np.log(10), scores


def test_the_example_of_sphinx():
    model = NGramLanguageModel.from_arpa(StringIO(SPHINX))
    assert model.order == 2
    found, scores = log10_scores(model, "wood pittsburgh jean")
    # <s> wood: backoff; wood pittsburgh: listed; pittsburgh jean: backoff; jean </s>.
    expected = [-0.3064 - 0.6990, -0.2553, -0.2553 - 0.6990, -0.5563]
    assert_allclose(found, expected, atol=1e-12)
    assert scores.tokens.tolist() == ["wood", "pittsburgh", "jean", "</s>"]
    assert scores.orders.tolist() == [1, 2, 1, 2]
    found, scores = log10_scores(model, "maple wood")
    # <s> <unk> and <unk> wood are listed; wood </s>: backoff.
    assert_allclose(found, [-0.2553, -0.2553, -0.2553 - 1.0])
    assert scores.is_unknown.tolist() == [True, False, False]
    assert_allclose(model.score_samples(["maple wood"]) / np.log(10), found.sum())


def test_a_pruned_file_without_ends_of_sentences():
    model = NGramLanguageModel.from_arpa(StringIO(PRUNED))
    assert model.boundaries is None
    for context, word, expected in (
        ("a b", "c", -0.05),
        ("b", "c", -0.2 - 0.4),  # not listed
        ("a b c", "a", -0.8),  # c has no backoff weight
        ("<s> a", "b", -0.15 - 0.35),
        ("a", "z", -0.1 - 1.0),
    ):
        probability = model.prob(word, context)
        assert_allclose(np.log10(probability), expected, atol=1e-12)


@pytest.mark.parametrize("smoothing", INTERPOLATED)
@settings(max_examples=15, deadline=None)
@given(
    texts=st.lists(
        st.lists(st.sampled_from("abcde"), max_size=8).map(" ".join), min_size=1
    ).filter(lambda texts: any(texts)),
    order=st.integers(1, 4),
    min_df=st.integers(1, 2),
    boundaries=st.sampled_from(["document", None]),
)
def test_scores_are_equal_after_a_round_trip(
    smoothing, texts, order, min_df, boundaries
):
    model = NGramLanguageModel(
        order, smoothing=smoothing, min_df=min_df, boundaries=boundaries
    )
    try:
        model.fit(texts)
    except ValueError:  # no word is in enough documents
        return
    file = StringIO()
    model.to_arpa(file)
    again = NGramLanguageModel.from_arpa(StringIO(file.getvalue()))
    if boundaries is None:
        again = NGramLanguageModel.from_arpa(
            StringIO(file.getvalue()), boundaries=boundaries
        )
    queries = [*texts, "a b c d e", "z a z", "e e e d d c"]
    expected, found = model.score_samples(queries), again.score_samples(queries)
    assert_allclose(np.exp(found), np.exp(expected), atol=1e-9)
    finite = np.isfinite(expected)
    assert_allclose(found[finite], expected[finite], atol=1e-6)
    for context in ("", "a", "a b", "z"):
        assert_allclose(
            again.next_probabilities(context),
            model.next_probabilities(context),
            atol=1e-8,
        )
    second = StringIO()
    again.to_arpa(second)
    third = NGramLanguageModel.from_arpa(
        StringIO(second.getvalue()), boundaries=boundaries
    )
    assert_allclose(third.score_samples(queries)[finite], expected[finite], atol=1e-5)


def test_files_pickles_and_drawn_texts(tmp_path):
    texts = ["the cat sat", "the dog sat", "a cat ran on", "Über Grün"]
    model = NGramLanguageModel(3).fit(texts)
    path = tmp_path / "model.arpa"
    model.to_arpa(path)
    loaded = pickle.loads(pickle.dumps(NGramLanguageModel.from_arpa(str(path))))
    assert_allclose(loaded.score_samples(texts[:3]), model.score_samples(texts[:3]))
    drawn = loaded.sample(400, random_state=0)
    known = {"the", "cat", "sat", "dog", "a", "ran", "on", "über", "grün"}
    assert {word for text in drawn for word in text.split()} == known
    first = np.mean([text.split()[:1] == ["the"] for text in drawn])
    assert abs(first - model.prob("the", "<s>")) < 0.08
    decoded, expected = (
        each.decode([["cat", "dog"]], [[0, 0]]) for each in (loaded, model)
    )
    assert decoded[0] == expected[0]
    assert_allclose(decoded[1], expected[1])


def test_words_of_a_given_vocabulary_are_written():
    model = NGramLanguageModel(2, vocabulary=["a", "b", "never"]).fit(["a b", "a c"])
    file = StringIO()
    model.to_arpa(file)
    again = NGramLanguageModel.from_arpa(StringIO(file.getvalue()))
    assert again.outcomes_.tolist() == model.outcomes_.tolist()
    assert_allclose(again.next_probabilities("a"), model.next_probabilities("a"))


@pytest.mark.parametrize("smoothing", ["laplace", "lidstone", "m_estimate"])
def test_additive_smoothings_are_refused(smoothing):
    model = NGramLanguageModel(2, smoothing=smoothing).fit(["a b"])
    with pytest.raises(ValueError, match="which the ARPA format cannot express"):
        model.to_arpa(StringIO())


@pytest.mark.parametrize("word", ["<UNK>", "<S>", "</S>"])
def test_words_that_stand_for_a_symbol_are_refused(word):
    """`from_arpa` reads them as <unk>, <s> and </s>, whatever their case is."""
    model = NGramLanguageModel(2, analyzer=list).fit([["a", word]])
    with pytest.raises(ValueError, match=f"{word}' cannot be written.* stands for"):
        model.to_arpa(StringIO())


def test_words_with_blanks_are_refused():
    model = NGramLanguageModel(2, analyzer="char").fit(["a b"])
    with pytest.raises(ValueError, match="' ' cannot be written"):
        model.to_arpa(StringIO())


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "holds no n-grams"),
        ("hello\nworld", "holds no n-grams"),
        (SPHINX.replace("ngram 2=7", "ngram 2=8"), "has 7: it is cut off"),
        ("\\data\\\nngram 1=1\n\\1-grams:\n-1 a\n-2 a\n", "gives other numbers"),
        (SPHINX[: SPHINX.index("-0.5563")], "says that it has 7 n-grams of length 2"),
        (SPHINX.replace("\\2-grams:", "\\3-grams:"), r"where .2-grams: is expected"),
        (SPHINX.replace("-0.2553 cindy jean", "x cindy jean"), "holds no number"),
        (SPHINX.replace("cindy jean", "cindy jean is here"), "no n-gram of 2 words"),
        (SPHINX.replace("cindy jean", "cindy joan"), "'joan', which is no unigram"),
        (SPHINX.replace("ngram 2=7", "ngram 2=7\nngram 3=9"), "9 n-grams of length 3"),
        (SPHINX.replace("ngram 1=7", "ngram 1=seven"), "Line 3 is 'ngram 1=seven'"),
        (SPHINX.replace("ngram 1=7", "ngram 1=7=7"), "such as ngram 1=20"),
        (SPHINX.replace("-0.6990 jean", "nan jean"), "must be a number ≤ 0"),
        (SPHINX.replace("-0.6990 jean", "inf jean"), "must be a number ≤ 0"),
        (SPHINX.replace("-0.6990 jean", "0.6990 jean"), "must be a number ≤ 0"),
        (SPHINX.replace("-0.1973", "nan"), "log10 of a backoff at most 99"),
        (SPHINX.replace("-0.1973", "400"), "log10 of a backoff at most 99"),
    ],
)
def test_files_that_cannot_be_read(text, message):
    with pytest.raises(ValueError, match=message):
        NGramLanguageModel.from_arpa(StringIO(text))


def test_files_of_every_kind(tmp_path):
    expected = NGramLanguageModel.from_arpa(StringIO(SPHINX)).score_samples(["wood"])
    dos = SPHINX.replace("\n", "\r\n").encode()
    contents = {
        "dos.arpa": dos,
        "mark.arpa": b"\xef\xbb\xbf" + SPHINX.strip().encode(),
        "comments.arpa": b"ngram 1=100\n\\ by hand\n1-grams:\n" + dos,
        "packed.arpa.gz": gzip.compress(dos),
    }
    files = [BytesIO(dos)]
    for name, content in contents.items():
        files.append(tmp_path / name)
        files[-1].write_bytes(content)
    for file in files:
        model = NGramLanguageModel.from_arpa(file)
        assert_allclose(model.score_samples(["wood"]), expected)
    model.to_arpa(tmp_path / "again.arpa.gz")
    assert (tmp_path / "again.arpa.gz").read_bytes()[:2] == b"\x1f\x8b"
    again = NGramLanguageModel.from_arpa(tmp_path / "again.arpa.gz")
    assert_allclose(again.score_samples(["wood"]), expected, rtol=1e-7)


@pytest.mark.parametrize("file", [None, 3, b"model.arpa", ["\\data\\"]], ids=str)
def test_what_is_no_file_is_named(file):
    model = NGramLanguageModel().fit(["a b"])
    for call in (NGramLanguageModel.from_arpa, model.to_arpa):
        with pytest.raises(TypeError, match="file must be a path"):
            call(file)


def test_files_in_another_encoding_are_named(tmp_path):
    path = tmp_path / "latin.arpa"
    path.write_bytes(SPHINX.replace("jean", "jeän").encode("latin-1"))
    with pytest.raises(ValueError, match=r"not in UTF-8.*encoding='latin-1'"):
        NGramLanguageModel.from_arpa(path)
    with path.open(encoding="latin-1") as file:
        assert NGramLanguageModel.from_arpa(file).prob("jeän", "cindy") > 0.5


@pytest.mark.parametrize("space", ["\xa0", "\u3000", "\u2028", "\x85", "\x0c"])
def test_words_may_hold_other_spaces_than_blanks(tmp_path, space):
    word = f"10{space}000"
    model = NGramLanguageModel(2, token_pattern="[^ ]+").fit([f"a {word} b", "a b"])
    model.to_arpa(tmp_path / "model.arpa")
    again = NGramLanguageModel.from_arpa(tmp_path / "model.arpa")
    texts = [f"a {word}", "a b"]
    assert_allclose(again.score_samples(texts), model.score_samples(texts), atol=1e-7)


@pytest.mark.parametrize("word", ["\ud800", "\n"])
def test_a_failed_write_leaves_the_former_file(tmp_path, word):
    path = tmp_path / "model.arpa"
    NGramLanguageModel(2).fit(["a b"]).to_arpa(path)
    before = path.read_bytes()
    with pytest.raises(ValueError, match=r"The word .*(UTF-8|blanks)"):
        NGramLanguageModel(2, token_pattern="[^ ]+").fit([f"a {word} b"]).to_arpa(path)
    assert path.read_bytes() == before


def test_a_model_without_counts_cannot_learn_more():
    model = NGramLanguageModel.from_arpa(StringIO(SPHINX), lowercase=True)
    before = model.score_samples(["wood"])
    for call in (
        lambda: model.partial_fit(["wood"]),
        lambda: model.merge(NGramLanguageModel.from_arpa(StringIO(SPHINX))),
    ):
        with pytest.raises(ValueError, match=r"no counts|read documents differently"):
            call()
    assert_allclose(model.score_samples(["wood"]), before)
    assert model.fit(["wood cindy"]).prob("cindy", "wood") > 0.3


@pytest.mark.parametrize("analyzer", ["word", "char", "char_wb"])
@pytest.mark.parametrize("boundaries", ["document", "sentence"])
@pytest.mark.parametrize("smoothing", ["kneser_ney", "lidstone"])
def test_scores_of_words_are_those_of_prob(smoothing, boundaries, analyzer):
    texts = ["the cat sat. the dog sat", "a cat ran", "on a mat. the cat sat"]
    model = NGramLanguageModel(
        3, smoothing=smoothing, boundaries=boundaries, analyzer=analyzer
    ).fit(texts)
    queries = ["the cat ran. a zebra sat on the mat", "", "x"]
    scores = model.score_tokens(queries)
    totals = [one.log_probabilities.sum() for one in scores]
    assert_allclose(totals, model.score_samples(queries))
    tokens = ["<s>", *scores[0].tokens]
    if boundaries == "document" and analyzer == "word":
        for i in range(1, len(tokens)):
            probability = model.prob(tokens[i], tokens[:i])
            assert_allclose(np.exp(scores[0].log_probabilities[i - 1]), probability)
    assert scores[0].orders.max() == 3
    unknown = {token for one in scores for token in one.tokens[one.is_unknown]}
    assert unknown == ({"zebra", "x"} if analyzer == "word" else {"z", "b", "x"})

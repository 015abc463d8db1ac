"""Raw documents to integer codes: sentences, words or characters, vocabulary.

scikit-learn's `CountVectorizer` cuts a document into words. Here the words become
codes, with a START before and an END after each sentence.
"""

import re
from array import array
from collections import defaultdict
from dataclasses import dataclass
from itertools import count
from numbers import Integral, Real

import numpy as np
from scipy.sparse import issparse
from sklearn.feature_extraction.text import CountVectorizer

from ..._core._compat import Interval, StrOptions
from ...tabular import is_missing_cell
from ._counts import END, N_SYMBOLS, START, UNKNOWN_WORD

# The parameters of scikit-learn's vectorizers, under the same names, and `boundaries`.
READER_CONSTRAINTS = {
    "analyzer": [StrOptions({"word", "char", "char_wb"}), callable],
    "tokenizer": [callable, None],
    "token_pattern": [str, None],
    "preprocessor": [callable, None],
    "strip_accents": [StrOptions({"ascii", "unicode"}), callable, None],
    "lowercase": ["boolean"],
    "min_df": [
        Interval(Integral, 1, None, closed="left"),
        Interval(Real, 0, 1, closed="both"),
    ],
    "vocabulary": ["array-like", dict, set, None],
    "boundaries": [StrOptions({"document", "line", "sentence"}), callable, None],
}
# Noncharacters of Unicode. They mark symbols while the characters are one long string.
_START_MARK, _END_MARK = "\ufdd0", "\ufdd1"
_MARKS = re.compile(f"[{_START_MARK}{_END_MARK}]")
_SENTENCE_END = re.compile(r"(?<=[.!?])\s+")


@dataclass(frozen=True)
class Corpus:
    """Documents as codes."""

    tokens: np.ndarray  # int32 (n_tokens,)
    # int64 (n_documents + 1,): document d is tokens[start[d]:start[d + 1]].
    start: np.ndarray

    def __len__(self):
        return len(self.start) - 1

    def take(self, documents):
        """Return some of the documents, by number."""
        first, length = self.start[documents], np.diff(self.start)[documents]
        start = np.concatenate([[0], np.cumsum(length)])
        shift = np.repeat(first - start[:-1], length)
        return Corpus(self.tokens[np.arange(start[-1]) + shift], start)

    def without(self, code):
        """Return the documents without the tokens of a code."""
        kept = self.tokens != code
        start = np.concatenate([[0], np.cumsum(kept)])[self.start]
        return Corpus(self.tokens[kept], start)

    @property
    def n_predicted(self):
        """The number of words (and ends) that are predicted in each document."""
        before = np.concatenate([[0], np.cumsum(self.tokens != START)])
        return np.diff(before[self.start])


class DocumentReader:
    """Turns documents into words or characters, and these into codes."""

    # estimator: an object with the parameters of `READER_CONSTRAINTS`.
    def __init__(self, estimator):
        self.uses_characters = estimator.analyzer in ("char", "char_wb")
        self.within_words = estimator.analyzer == "char_wb"
        self.boundaries = estimator.boundaries
        if self.within_words and self.boundaries is None:
            raise ValueError(
                "boundaries=None does not go with analyzer='char_wb', whose character "
                "n-grams end where a word does; use analyzer='char'."
            )
        uses_pattern = estimator.analyzer == "word" and estimator.tokenizer is None
        if uses_pattern and estimator.token_pattern is None:
            raise ValueError(
                "token_pattern=None needs a tokenizer, which cuts a text into words."
            )
        vectorizer = CountVectorizer(
            analyzer="word" if self.uses_characters else estimator.analyzer,
            tokenizer=estimator.tokenizer,
            token_pattern=estimator.token_pattern,
            preprocessor=estimator.preprocessor,
            strip_accents=estimator.strip_accents,
            lowercase=estimator.lowercase,
        )
        if self.uses_characters:
            self.preprocess = vectorizer.build_preprocessor()
        else:
            self.analyze = vectorizer.build_analyzer()

    def split_sentences(self, document):
        """Return the sentences of a document."""
        if self.boundaries is None or self.boundaries == "document":
            return [document]
        if self.boundaries == "line":
            return document.splitlines()
        if self.boundaries == "sentence":
            return _SENTENCE_END.split(document)
        return self.boundaries(document)

    def tokenize(self, text):
        """Return the words or characters of the beginning of a text."""
        # If characters are modelled, a last blank counts: the text continues after it.
        if not self.uses_characters:
            return list(self.analyze(text))
        text = self.preprocess(text)
        blank = " " if text[-1:].isspace() else ""
        text = " ".join(text.split()) + blank
        if self.within_words:
            ends = ("</s>", "<s>")
            return [part for c in text for part in (ends if c == " " else c)]
        return list(text)

    def learn_vocabulary(self, documents, min_df, vocabulary, weight):
        """Return the vocabulary of documents and their corpus."""
        # min_df: words in fewer documents (or, if a float, in a smaller share of them)
        # become UNKNOWN; weight: (n_documents,), of each document in `min_df`;
        # vocabulary: iterable of words, None to learn it. Returns {word: code}, in
        # sorted order, from N_SYMBOLS on, and the Corpus.
        if vocabulary is not None:
            vocabulary = assign_codes(self.checked_vocabulary(vocabulary))
            return vocabulary, self.encode(documents, vocabulary)
        if self.uses_characters:
            found = set()
            for document in documents:
                found.update(self._mark_boundaries(document))
            found -= {_START_MARK, _END_MARK}
            first_code = assign_codes(found)
            corpus = self.encode(documents, first_code)
        else:
            first_code = defaultdict(lambda: len(first_code) + N_SYMBOLS)
            corpus = self._encode_words(documents, first_code.__getitem__)
        words = np.array(list(first_code), dtype=object)
        # A corpus that writes <unk> for rare words means the unknown word.
        frequent = _is_frequent(corpus, len(first_code), min_df, weight)
        words = words[frequent & (words != "<unk>")]
        _check_words(words, "The analyzer (or tokenizer) gave")
        vocabulary = assign_codes(words)
        code = np.zeros(len(first_code) + N_SYMBOLS, dtype=np.int32)
        code[:N_SYMBOLS] = range(N_SYMBOLS)
        for word, final_code in vocabulary.items():
            code[first_code[word]] = final_code
        return vocabulary, Corpus(code[corpus.tokens], corpus.start)

    def encode(self, documents, vocabulary):
        """Return the corpus of documents in the codes of a vocabulary."""
        if self.uses_characters:
            return self._encode_characters(documents, vocabulary)
        return self._encode_words(documents, lambda w: vocabulary.get(w, UNKNOWN_WORD))

    def encode_with_words(self, documents, vocabulary):
        """Return the corpus of documents, and the word of each token."""
        # Unknown words are given as they are. Tokens of START and END have None.
        code = dict(vocabulary)
        if self.uses_characters:
            texts = map(self._mark_boundaries, documents)
            found = sorted(set().union(*texts) - {_START_MARK, _END_MARK, *code})
            code.update(zip(found, count(len(code) + N_SYMBOLS)))
            corpus = self._encode_characters(documents, code)
        else:

            def code_of(word):
                return code.setdefault(word, len(code) + N_SYMBOLS)

            corpus = self._encode_words(documents, code_of)
        words = np.empty(len(code) + N_SYMBOLS, dtype=object)
        words[list(code.values())] = list(code)
        is_known = corpus.tokens < len(vocabulary) + N_SYMBOLS
        tokens = np.where(is_known, corpus.tokens, UNKNOWN_WORD).astype(np.int32)
        return Corpus(tokens, corpus.start), words[corpus.tokens]

    def checked_vocabulary(self, vocabulary):
        """Return the words of a vocabulary that the user gives."""
        words = list(vocabulary)
        if not words:
            raise ValueError(
                "vocabulary is empty: give at least one word, or None to learn the "
                "words from the documents."
            )
        _check_words(words, "vocabulary holds")
        long = [word for word in words if len(word) != 1]
        if self.uses_characters and long:
            raise ValueError(
                f"vocabulary holds {long[0]!r:.60}, but with a character analyzer it "
                "must hold single characters."
            )
        return set(words) - {"<unk>"}

    def _encode_words(self, documents, code):
        tokens, start = array("i"), [0]
        for document in documents:
            for sentence in self._encode_sentences(document, code):
                tokens.extend(sentence)
            start.append(len(tokens))
        return Corpus(np.frombuffer(tokens, dtype=np.intc), np.array(start))

    def _encode_sentences(self, document, code):
        if self.boundaries is None:
            yield map(code, self.analyze(document))
            return
        no_words = True
        for sentence in self.split_sentences(document):
            if words := list(self.analyze(sentence)):
                no_words = False
                yield (START, *map(code, words), END)
        if no_words:  # an empty document still has a START and an END
            yield (START, END)

    def _encode_characters(self, documents, vocabulary):
        codes = {**vocabulary, _START_MARK: START, _END_MARK: END}
        points = {ord(c): code for c, code in codes.items() if len(c) == 1}
        # The last position stands for all larger code points.
        code = np.full(max(points) + 2, UNKNOWN_WORD, dtype=np.int32)
        code[list(points)] = list(points.values())
        tokens = []
        for document in documents:
            marked = self._mark_boundaries(document)
            encoded = marked.encode("utf-32-le", errors="surrogatepass")
            code_points = np.frombuffer(encoded, dtype=np.uint32)
            tokens.append(code.take(code_points, mode="clip"))
        start = np.concatenate([[0], np.cumsum([len(part) for part in tokens])])
        tokens = np.concatenate(tokens) if tokens else np.zeros(0, np.int32)
        return Corpus(tokens, start.astype(np.int64))

    def _mark_boundaries(self, document):
        """Return a text with single spaces and a mark at each end of a sentence."""
        text = _MARKS.sub(" ", self.preprocess(document))
        sentences = [" ".join(part.split()) for part in self.split_sentences(text)]
        if self.boundaries is None:
            return sentences[0]
        between = _END_MARK + _START_MARK
        text = between.join(filter(None, sentences))
        if self.within_words:
            text = text.replace(" ", between)
        return _START_MARK + text + _END_MARK


def assign_codes(words):
    """Return the code of each word, in sorted order from N_SYMBOLS on."""
    return dict(zip(sorted(words), range(N_SYMBOLS, len(words) + N_SYMBOLS)))


def keeps_all_words(min_df):
    """Return whether `min_df` is the integer 1: one document is enough."""
    return isinstance(min_df, Integral) and min_df == 1


def _is_frequent(corpus, n_words, min_df, weight):
    """Return, for each word, whether it occurs in enough documents."""
    if keeps_all_words(min_df):
        return np.ones(n_words, dtype=bool)
    frequency = np.zeros(n_words + N_SYMBOLS)
    for first, last, w in zip(corpus.start[:-1], corpus.start[1:], weight):
        frequency[np.unique(corpus.tokens[first:last])] += w
    required = min_df if isinstance(min_df, Integral) else min_df * weight.sum()
    # The sum of fractional weights depends on their order by a rounding error.
    return frequency[N_SYMBOLS:] >= required * (1 - 1e-12)


def _check_words(words, source):
    for word in words:
        if word in ("<s>", "</s>"):
            raise ValueError(
                f"{source} {word!r}, which is not a word: `boundaries` sets where <s> "
                "and </s> stand. Remove it."
            )
        if not isinstance(word, str):
            raise TypeError(
                f"{source} {word!r:.60}, of type {type(word).__name__}; words must be "
                "strings."
            )


# Checks of raw documents: an iterable over strings, and nothing else.


def check_documents(documents, estimator):
    """Return the documents as a list, or raise an error that names the mistake."""
    name = type(estimator).__name__
    expected = f"{name} expects raw documents, an iterable over strings"
    if isinstance(documents, (str, bytes)):
        raise ValueError(
            f"{expected}; got one string. Put it into a list: [{documents[:20]!r}]."
        )
    shape = getattr(documents, "shape", None)
    if issparse(documents) or (shape is not None and len(shape) != 1):
        raise TypeError(
            f"{expected}; got a matrix of shape {shape}. Give the texts themselves, "
            "such as one column (df['text']); for counts of words there is TextNB."
        )
    if hasattr(documents, "to_pylist"):  # arrays of pyarrow hold scalars of their own
        documents = documents.to_pylist()
    try:
        documents = list(documents)
    except TypeError:
        raise TypeError(f"{expected}; got {type(documents).__name__}.") from None
    if not callable(estimator.analyzer):
        for row, document in enumerate(documents):
            if not isinstance(document, str):
                _raise_not_a_string(document, row, expected)
    return documents


def _raise_not_a_string(document, row, expected):
    if isinstance(document, bytes):
        raise TypeError(f"{expected}; document {row} is bytes: decode it first.")
    if is_missing_cell(document):
        raise ValueError(
            f"{expected}; document {row} is missing ({document!r}): drop it, or give "
            "an empty string."
        )
    raise TypeError(
        f"{expected}; document {row} is {document!r:.60}, of type "
        f"{type(document).__name__}. Lists of words need analyzer=lambda words: words."
    )

"""Raw documents to integer codes: checks, sentences, words or characters, vocabulary.

How a document is cut into words is scikit-learn's business: its `CountVectorizer` is
asked. Here the words become codes, with a START before and an END after each sentence.
"""

import re
from array import array
from collections import defaultdict
from dataclasses import dataclass
from numbers import Integral, Real

import numpy as np
from scipy.sparse import issparse
from sklearn.feature_extraction.text import CountVectorizer

from .._compat import Interval, StrOptions
from ._counts import END, N_SYMBOLS, START, UNKNOWN

# What the vectorizers of scikit-learn spell alike, and where sentences end.
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
# Noncharacters of Unicode, which stand for symbols while characters are one long text.
_START_MARK, _END_MARK = "\ufdd0", "\ufdd1"
_MARKS = re.compile(f"[{_START_MARK}{_END_MARK}]")
_SENTENCE_END = re.compile(r"(?<=[.!?])\s+")


@dataclass(frozen=True)
class Corpus:
    """Documents as codes.

    Attributes
    ----------
    tokens : int32 array of shape (n_tokens,)
    start : int64 array of shape (n_documents + 1,)
        Document d is tokens[start[d]:start[d + 1]].
    """

    tokens: np.ndarray
    start: np.ndarray

    def __len__(self):
        return len(self.start) - 1

    def take(self, documents):
        """Return some of the documents, by number."""
        length = np.diff(self.start)[documents]
        start = np.concatenate([[0], np.cumsum(length)])
        shift = np.repeat(self.start[documents] - start[:-1], length)
        return Corpus(self.tokens[np.arange(start[-1]) + shift], start)

    @property
    def n_outcomes(self):
        """How many words (and ends) each document has to be predicted."""
        before = np.concatenate([[0], np.cumsum(self.tokens != START)])
        return np.diff(before[self.start])


def check_documents(documents, estimator):
    """Return the documents as a list, or raise an error that names what is wrong."""
    name = type(estimator).__name__
    wanted = f"{name} expects raw documents, an iterable over strings"
    if isinstance(documents, (str, bytes)):
        raise ValueError(
            f"{wanted}; got one string. Put it into a list: [{documents[:20]!r}]."
        )
    shape = getattr(documents, "shape", None)
    if issparse(documents) or (shape is not None and len(shape) != 1):
        raise TypeError(
            f"{wanted}; got a matrix of shape {shape}. Give the texts themselves, one "
            "column of them (df['text']); for counts of words there is TextNB."
        )
    try:
        documents = list(documents)
    except TypeError:
        raise TypeError(f"{wanted}; got {type(documents).__name__}.") from None
    if not callable(estimator.analyzer):
        for row, document in enumerate(documents):
            if not isinstance(document, str):
                _refuse(document, row, wanted)
    return documents


def _refuse(document, row, wanted):
    if isinstance(document, bytes):
        raise TypeError(f"{wanted}; document {row} is bytes: decode it first.")
    if _is_missing(document):
        raise ValueError(
            f"{wanted}; document {row} is missing ({document!r}): drop it, or give an "
            "empty string."
        )
    raise TypeError(
        f"{wanted}; document {row} is {document!r:.60}, of type "
        f"{type(document).__name__}. Lists of words need analyzer=lambda words: words."
    )


def _is_missing(document):
    try:
        return document is None or bool(document != document)
    except TypeError:  # pandas.NA is neither equal to itself nor unequal
        return True
    except ValueError:  # an array
        return False


class DocumentReader:
    """Cuts documents into words or characters, and these into codes.

    Parameters
    ----------
    estimator : object
        With the parameters of `READER_CONSTRAINTS`.
    """

    def __init__(self, estimator):
        self.by_character = estimator.analyzer in ("char", "char_wb")
        self.by_word_characters = estimator.analyzer == "char_wb"
        self.boundaries = estimator.boundaries
        if self.by_word_characters and self.boundaries is None:
            raise ValueError(
                "boundaries=None does not go with analyzer='char_wb', whose character "
                "n-grams end where a word does; use analyzer='char'."
            )
        by_pattern = estimator.analyzer == "word" and estimator.tokenizer is None
        if by_pattern and estimator.token_pattern is None:
            raise ValueError(
                "token_pattern=None needs a tokenizer, which cuts a text into words."
            )
        vectorizer = CountVectorizer(
            analyzer="word" if self.by_character else estimator.analyzer,
            tokenizer=estimator.tokenizer,
            token_pattern=estimator.token_pattern,
            preprocessor=estimator.preprocessor,
            strip_accents=estimator.strip_accents,
            lowercase=estimator.lowercase,
        )
        if self.by_character:
            self.preprocess = vectorizer.build_preprocessor()
        else:
            self.analyze = vectorizer.build_analyzer()

    def sentences(self, document):
        """Return the sentences of a document."""
        if self.boundaries is None or self.boundaries == "document":
            return [document]
        if self.boundaries == "line":
            return document.splitlines()
        if self.boundaries == "sentence":
            return _SENTENCE_END.split(document)
        return self.boundaries(document)

    def words(self, text):
        """Return the words or characters of the beginning of a text.

        A last blank counts where characters do: it is there to be gone on from.
        """
        if not self.by_character:
            return list(self.analyze(text))
        text = self.preprocess(text)
        blank = " " if text[-1:].isspace() else ""
        text = " ".join(text.split()) + blank
        if self.by_word_characters:
            ends = ("</s>", "<s>")
            return [part for c in text for part in (ends if c == " " else c)]
        return list(text)

    def learn(self, documents, min_df, given, weight):
        """Return the vocabulary of documents and their corpus.

        Parameters
        ----------
        documents : list
        min_df : int or float
            Words in fewer documents (or a smaller share of them) become UNKNOWN.
        given : iterable over str or None
            The vocabulary, where it is not to be learnt.
        weight : array of shape (n_documents,)
            How many documents each one counts for.

        Returns
        -------
        vocabulary : dict of {str: int}
            In sorted order, from N_SYMBOLS on.
        corpus : Corpus
        """
        if given is not None:
            vocabulary = number_words(self._checked_vocabulary(given))
            return vocabulary, self.read(documents, vocabulary)
        if self.by_character:
            found = set()
            for document in documents:
                found.update(self._marked(document))
            found -= {_START_MARK, _END_MARK}
            met = number_words(found)
            corpus = self.read(documents, met)
        else:
            met = defaultdict(lambda: len(met) + N_SYMBOLS)
            corpus = self._read_words(documents, met.__getitem__)
        words = np.array(list(met), dtype=object)
        # A corpus that writes <unk> for rare words means what we mean.
        kept = _frequent(corpus, len(met), min_df, weight) & (words != "<unk>")
        words = words[kept]
        _check_words(words, "The analyzer (or tokenizer) gave")
        vocabulary = number_words(words)
        code = np.zeros(len(met) + N_SYMBOLS, dtype=np.int32)
        code[:N_SYMBOLS] = range(N_SYMBOLS)
        for word, number in vocabulary.items():
            code[met[word]] = number
        return vocabulary, Corpus(code[corpus.tokens], corpus.start)

    def read(self, documents, vocabulary):
        """Return the corpus of documents in the codes of a vocabulary."""
        if self.by_character:
            return self._read_characters(documents, vocabulary)
        return self._read_words(documents, lambda w: vocabulary.get(w, UNKNOWN))

    def _checked_vocabulary(self, given):
        words = list(given)
        if not words:
            raise ValueError(
                "vocabulary is empty: give at least one word, or None to learn the "
                "words from the documents."
            )
        _check_words(words, "vocabulary holds")
        long = [word for word in words if len(word) != 1]
        if self.by_character and long:
            raise ValueError(
                f"vocabulary holds {long[0]!r:.60}, but where characters are analyzed "
                "it must hold single characters."
            )
        return set(words) - {"<unk>"}

    def _read_words(self, documents, code):
        tokens, start = array("i"), [0]
        for document in documents:
            for sentence in self._coded_sentences(document, code):
                tokens.extend(sentence)
            start.append(len(tokens))
        return Corpus(np.frombuffer(tokens, dtype=np.intc), np.array(start))

    def _coded_sentences(self, document, code):
        if self.boundaries is None:
            yield map(code, self.analyze(document))
            return
        no_words = True
        for sentence in self.sentences(document):
            if words := list(self.analyze(sentence)):
                no_words = False
                yield (START, *map(code, words), END)
        if no_words:  # an empty document begins and ends
            yield (START, END)

    def _read_characters(self, documents, vocabulary):
        codes = {**vocabulary, _START_MARK: START, _END_MARK: END}
        points = {ord(c): code for c, code in codes.items() if len(c) == 1}
        code = np.full(max(points) + 2, UNKNOWN, dtype=np.int32)  # the last: beyond
        code[list(points)] = list(points.values())
        tokens = []
        for document in documents:
            text = self._marked(document).encode("utf-32-le", errors="surrogatepass")
            found = np.frombuffer(text, dtype=np.uint32)
            tokens.append(code.take(found, mode="clip"))
        start = np.concatenate([[0], np.cumsum([len(part) for part in tokens])])
        tokens = np.concatenate(tokens) if tokens else np.zeros(0, np.int32)
        return Corpus(tokens, start.astype(np.int64))

    def _marked(self, document):
        """Return a text with single spaces, marked where sentences start and end."""
        text = _MARKS.sub(" ", self.preprocess(document))
        sentences = [" ".join(part.split()) for part in self.sentences(text)]
        if self.boundaries is None:
            return sentences[0]
        between = _END_MARK + _START_MARK
        text = between.join(filter(None, sentences))
        if self.by_word_characters:
            text = text.replace(" ", between)
        return _START_MARK + text + _END_MARK


def number_words(words):
    """Return the code of each word, in sorted order from N_SYMBOLS on."""
    return dict(zip(sorted(words), range(N_SYMBOLS, len(words) + N_SYMBOLS)))


def keeps_all_words(min_df):
    """Tell whether `min_df` is the integer 1: one document is enough."""
    return isinstance(min_df, Integral) and min_df == 1


def _frequent(corpus, n_words, min_df, weight):
    """Tell which words occur in enough documents."""
    if keeps_all_words(min_df):
        return np.ones(n_words, dtype=bool)
    frequency = np.zeros(n_words + N_SYMBOLS)
    for first, last, mass in zip(corpus.start[:-1], corpus.start[1:], weight):
        frequency[np.unique(corpus.tokens[first:last])] += mass
    least = min_df if isinstance(min_df, Integral) else min_df * weight.sum()
    # Weights that are no integers sum to a little less in another order.
    return frequency[N_SYMBOLS:] >= least * (1 - 1e-12)


def _check_words(words, source):
    for word in words:
        if word in ("<s>", "</s>"):
            raise ValueError(
                f"{source} {word!r}, which is no word: boundaries say where <s> and "
                "</s> stand. Leave it out."
            )
        if not isinstance(word, str):
            raise TypeError(
                f"{source} {word!r:.60}, of type {type(word).__name__}; words must be "
                "strings."
            )

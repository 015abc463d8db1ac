"""NGramLanguageModel: probabilities of words given the words before them."""

from collections.abc import Callable, Iterable
from itertools import pairwise
from typing import NamedTuple

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted

from .._core._arrays import check_count
from .._core._compat import fit_context
from .._core._estimator import (
    DocLinkMixin,
    all_or_nothing,
    check_both_fitted,
    unavailable_because,
)
from ..tabular import BlockFitMixin
from ._n_grams import (
    END,
    N_GRAM_CONSTRAINTS,
    N_SYMBOLS,
    START,
    SYMBOLS,
    UNKNOWN_WORD,
    NextWords,
    NGramEstimatorMixin,
    batches_excluded,
    best_path,
    check_addable,
    check_documents,
    check_sequence,
    choose_parameters,
    draw_text,
    given_counts,
    is_tuned,
    keeps_all_words,
    log_likelihoods,
    model_of,
    read_arpa,
    read_ngrams,
    score_tokens,
    suffixes_of,
    vocabulary_of,
    write_arpa,
)


class TokenScores(NamedTuple):
    """The scores of the words of a document, as `score_tokens` returns them.

    Attributes
    ----------
    tokens : object ndarray of shape (n_tokens,)
        The words, unknown ones as they are, and the ends "</s>".
    log_probabilities : ndarray of shape (n_tokens,)
        In nats.
    orders : int ndarray of shape (n_tokens,)
        The length of the longest n-gram found, the word included.
    is_unknown : bool ndarray of shape (n_tokens,)
    """

    tokens: np.ndarray
    log_probabilities: np.ndarray
    orders: np.ndarray
    is_unknown: np.ndarray


# The new classes of two models that are added up, and their number.
_ONE_CLASS = [np.zeros(1, np.int64)] * 2, 1


class NGramLanguageModel(
    BlockFitMixin, NGramEstimatorMixin, DocLinkMixin, BaseEstimator
):
    r"""The probability of a word given the words before it, from n-gram counts.

    Learns from raw documents. The probability of a text is the product of those of its
    words, each given the `order` - 1 words before it,

    .. math:: P(w_1 \dots w_T) = \prod_i P(w_i \mid w_{i-N+1} \dots w_{i-1}),

    and smoothing reserves probability for n-grams that were never seen. After every
    history the probabilities of all words, the unknown word included, sum to 1.

    Parameters
    ----------
    order : int, default=3
        The length N of the longest n-grams: 1 unigrams, 2 bigrams, ... up to 10 000.

    smoothing : str, default="kneser_ney"
        With c the count of a history and a word, T that of the history, V the number
        of words that can occur, and P' the probability after the history without its
        first word (for the empty history 1/V):

        - "none": c / T, 0 for unseen n-grams; P' after an unseen history.
        - "laplace": (c + 1) / (T + V).
        - "lidstone": (c + α) / (T + α V).
        - "m_estimate": (c + m / V) / (T + m).
        - "jelinek_mercer": (1 - λ) c / T + λ P'.
        - "dirichlet": (c + μ P') / (T + μ).
        - "absolute_discount": max(c - D, 0) / T + F P', with F the sum of all min(c, D)
          after the history, over T.
        - "witten_bell": (c + t P') / (T + t), t the number of distinct words seen after
          the history.
        - "kneser_ney": modified and interpolated. As absolute discount, but with
          discounts for counts of 1, 2 and more, and with shorter n-grams counted by the
          distinct words before them.

        "laplace", "lidstone" and "m_estimate" use the longest history after which a
        word was seen.

    smoothing_parameter : float, array-like, "loo" or None, default=None
        α (default 0.1), m (1), λ (0.5), μ (100) or D (0.75). The discounts of
        "kneser_ney" are estimated by default. D can also be an array of shape (order,),
        by length of the n-gram, or (order, 3), by length and by count: 1, 2 and more.
        "loo": chosen by exact leave-one-out of documents, each with its copies (not for
        "kneser_ney").

    analyzer : {"word", "char", "char_wb"} or callable, default="word"
        Whether words or characters are modelled. "char_wb": characters, but no n-gram
        crosses the end of a word. A callable turns a document into a list of strings;
        for documents that are such lists use ``analyzer=lambda words: words``.

    tokenizer : callable, default=None
        Cuts a text into words in place of `token_pattern`.

    token_pattern : str or None, default=r"(?u)\\b\\w+\\b"
        The regular expression of a word. Unlike the default of scikit-learn's
        vectorizers it includes words of one letter.

    preprocessor : callable, default=None
        Replaces the steps of `strip_accents` and `lowercase`.

    strip_accents : {"ascii", "unicode"} or callable, default=None
        Whether accents are removed.

    lowercase : bool, default=True
        Whether all letters are converted to lower case.

    min_df : int or float, default=1
        Words that occur in fewer documents (or, if a float, in a smaller share of them)
        are counted as the unknown word. A document counts by its weight.

    vocabulary : array-like, set or dict of str, default=None
        The words, spelt as the analyzer gives them; all others are the unknown word. By
        default the words are learnt from the documents.

    boundaries : {"document", "line", "sentence"}, callable or None, default="document"
        The text that begins with <s> and ends with </s>: a document, each of its lines,
        each of its sentences (which end with a ., ! or ? before white space), or each
        text that a callable returns for a document. None: there are no such symbols.

    loo_candidates : dict, default=None
        {"smoothing_parameter": list}, the candidates for "loo".

    loo_max_samples : int or None, default=10000
        If there are more documents, a random subset of this size is left out one by
        one. None: every document is left out.

    random_state : int, RandomState instance or None, default=None
        Draws the documents of `loo_max_samples`.

    n_jobs : int, default=None
        Number of threads. Results do not depend on it.

    Attributes
    ----------
    vocabulary_ : dict of {str: int}
        The code of each word, for internal use, from 3 on; probabilities come in the
        order of `outcomes_`.
    outcomes_ : ndarray of shape (n_outcomes,)
        The words that can occur: <unk>, </s> if there are boundaries, then the words of
        the vocabulary, sorted.
    n_ngrams_ : ndarray of shape (order,)
        The number of distinct n-grams of each length.
    smoothing_parameter_ : float, ndarray or None
        The parameter, chosen or given.
    discounts_ : ndarray of shape (order, 3) or None
        The discounts of "kneser_ney" and "absolute_discount" by length and count.
    loo_results_ : dict
        Only if `smoothing_parameter` is "loo": "params", "mean_log_loss" (in nats per
        document), "standard_error_log_loss" and "rank" of the candidates.

    See Also
    --------
    LanguageModelNB : A classifier with such a model for each class.

    Notes
    -----
    n-grams are stored as a trie in sorted integer arrays, about 56 bytes for each, so
    the model pickles fast and can be memory-mapped. An integer sample weight has the
    effect of repeating the document. With "kneser_ney" this changes the discounts: a
    count of 1 that is doubled is a count of 2.

    References
    ----------
    S. Chen and J. Goodman (1999), An empirical study of smoothing techniques for
    language modeling, Computer Speech and Language 13.

    Examples
    --------
    Three sentences. "the" occurs twice, once before "cat":

    >>> import numpy as np
    >>> from sklearn_bayeslazy import NGramLanguageModel
    >>> sentences = ["the cat sat", "the dog sat", "a cat ran"]
    >>> model = NGramLanguageModel(order=2, smoothing="none").fit(sentences)
    >>> model.prob("cat", "the")
    0.5

    V = 8 words can occur: a, cat, dog, ran, sat, the, </s> and <unk>. With Dirichlet
    smoothing, μ = 1, the word "cat" (2 of 12 outcomes) after "the" has probability
    (1 + P') / (2 + 1) with P' = (2 + 1/8) / (12 + 1):

    >>> model = NGramLanguageModel(order=2, smoothing="dirichlet",
    ...                            smoothing_parameter=1).fit(sentences)
    >>> bool(np.isclose(model.prob("cat", "the"), (1 + (2 + 1/8) / 13) / 3))
    True
    """

    _parameter_constraints = N_GRAM_CONSTRAINTS

    def __init__(
        self,
        order=3,
        *,
        smoothing="kneser_ney",
        smoothing_parameter=None,
        analyzer: str | Callable = "word",
        tokenizer=None,
        token_pattern: str | None = r"(?u)\b\w+\b",
        preprocessor=None,
        strip_accents=None,
        lowercase=True,
        min_df=1,
        vocabulary=None,
        boundaries: str | Callable | None = "document",
        loo_candidates=None,
        loo_max_samples=10_000,
        random_state=None,
        n_jobs=None,
    ):
        self.order = order
        self.smoothing = smoothing
        self.smoothing_parameter = smoothing_parameter
        self.analyzer = analyzer
        self.tokenizer = tokenizer
        self.token_pattern = token_pattern
        self.preprocessor = preprocessor
        self.strip_accents = strip_accents
        self.lowercase = lowercase
        self.min_df = min_df
        self.vocabulary = vocabulary
        self.boundaries = boundaries
        self.loo_candidates = loo_candidates
        self.loo_max_samples = loo_max_samples
        self.random_state = random_state
        self.n_jobs = n_jobs

    @fit_context(prefer_skip_nested_validation=True)
    def fit(self, documents, y=None, sample_weight=None):
        """Count the n-grams of documents and smooth their probabilities.

        Parameters
        ----------
        documents : iterable over str
            Raw documents.
        y : None
            Not used.
        sample_weight : array-like of shape (n_documents,), default=None
            The weight of each occurrence in a document, ≥ 0; usually about 1, because
            discounts and virtual words are measured in occurrences.

        Returns
        -------
        self : NGramLanguageModel

        Raises
        ------
        ValueError, TypeError
            If a parameter or a document cannot be used; a former fit stays usable.
        """
        with all_or_nothing(self):
            parameter = self._checked_parameter()
            documents, _, weight = self._weighted_documents(documents, sample_weight)
            self.vocabulary_, corpus, self._counts = self._count_documents(
                documents, weight
            )
            self._drop_loo_results()
            if is_tuned(self):
                parameter = self._chosen_parameter(corpus, weight)
            self._estimate(parameter)
        return self

    @classmethod
    def from_counts(cls, ngrams, counts=None, **parameters):
        """Return a model that is fitted to counts of n-grams, without the texts.

        It equals the model fitted to texts with these counts, and can learn from more
        texts by :meth:`partial_fit`.

        Parameters
        ----------
        ngrams : dict, pandas.Series, pandas.DataFrame or array-like
            The counts ≥ 0 of n-grams: a dictionary {n-gram: count} or a Series of this
            kind, in which an n-gram is a tuple of words (or one word); a DataFrame of
            bigrams, with the first word in the index and the second in the columns; or
            an array of shape (n_ngrams,) or (n_ngrams, length) of words, with `counts`.
            Words are spelt as in the vocabulary; "<s>" and "</s>" are counted too,
            unless ``boundaries=None``. `order` is the length of the longest n-grams.
            For a shorter length, give all n-grams or none. If none, they are counted
            in the longer ones: n-grams of one length suffice unless whole texts, with
            <s> and </s>, are shorter (or there are no boundaries).
        counts : array-like of shape (n_ngrams,), default=None
            The counts of an array of n-grams.
        **parameters : dict
            Parameters of the model, such as `smoothing`. Nothing can be "loo", and
            `min_df` must be 1: both need documents.

        Returns
        -------
        NGramLanguageModel

        Raises
        ------
        ValueError, TypeError
            If n-grams, counts or parameters cannot be used.

        Examples
        --------
        "the cat", "the cat", "the dog". After "the" comes "cat" in 2 of 3 cases:

        >>> from sklearn_bayeslazy import NGramLanguageModel
        >>> bigrams = {("<s>", "the"): 3, ("the", "cat"): 2, ("the", "dog"): 1,
        ...            ("cat", "</s>"): 2, ("dog", "</s>"): 1}
        >>> model = NGramLanguageModel.from_counts(bigrams, smoothing="none")
        >>> round(model.prob("cat", "the"), 9)
        0.666666667
        """
        ngrams = read_ngrams(ngrams, counts)
        longest = max(map(len, ngrams))
        if parameters.setdefault("order", longest) != longest:
            raise ValueError(
                f"order={parameters['order']!r} must be the length of the longest "
                f"n-grams, {longest}: leave it out."
            )
        return cls(**parameters)._fit_counts(ngrams)

    @fit_context(prefer_skip_nested_validation=True)
    def _fit_counts(self, ngrams):
        """Learn from the counts of n-grams; see `from_counts`."""
        if is_tuned(self) or not keeps_all_words(self.min_df):
            name = "smoothing_parameter" if is_tuned(self) else "min_df"
            raise ValueError(
                f"{name}={getattr(self, name)!r} needs documents, and there are only "
                "counts: leave it out."
            )
        parameter = self._checked_parameter()
        self._reader_params = self._current_reader_params()
        check = self._reader().checked_vocabulary
        self.vocabulary_ = vocabulary_of(ngrams, self.vocabulary, check)
        self._counts = given_counts(ngrams, self.vocabulary_, self._has_ends)
        self._estimate(parameter)
        return self

    @classmethod
    def from_arpa(cls, file, **parameters):
        r"""Return the model in a file of the ARPA format, as KenLM and SRILM write it.

        The model has the probabilities of the file, whatever its smoothing was. It
        cannot learn from more texts, since the file has no counts.

        Parameters
        ----------
        file : str, path or open file
            Text in UTF-8, packed by gzip if the name ends with ".gz".
            "<unk>" (or "<UNK>") is the unknown word; without it, unknown words have
            probability 0. Numbers of -98 and below stand for log10 of 0.
        **parameters : dict
            How documents are cut into words: `tokenizer`, `boundaries`, ... By default
            words stand between blanks and keep their case, as for other programs. Each
            document begins with <s> and ends with </s> if the file has these words.

        Returns
        -------
        NGramLanguageModel

        Raises
        ------
        ValueError
            If the file is not of this format, or is cut off.

        Examples
        --------
        "b" is listed after "a": .5. "c" is not: the backoff of "a", .4, times .2.

        >>> from io import StringIO
        >>> from math import log10
        >>> from sklearn_bayeslazy import NGramLanguageModel
        >>> listed = ["\\data\\", "ngram 1=3", "ngram 2=1", "\\1-grams:",
        ...           f"{log10(.4)} a {log10(.4)}", f"{log10(.4)} b", f"{log10(.2)} c",
        ...           "\\2-grams:", f"{log10(.5)} a b", "\\end\\"]
        >>> model = NGramLanguageModel.from_arpa(StringIO("\n".join(listed)))
        >>> round(model.prob("b", "a"), 9), round(model.prob("c", "a"), 9)
        (0.5, 0.08)
        """
        tables = read_arpa(file)
        has_ends = ("</s>",) in tables[0]
        given = {
            "order": len(tables),
            "lowercase": False,
            "token_pattern": r"[^ \t\r\n]+",
            "boundaries": "document" if has_ends else None,
            **parameters,
        }
        return cls(**given)._set_arpa(tables)

    @fit_context(prefer_skip_nested_validation=True)
    def _set_arpa(self, tables):
        """Take the probabilities of n-grams; see `from_arpa`."""
        self._reader_params = self._current_reader_params()
        self._reader()  # raises errors of parameters
        self.vocabulary_, self._model = model_of(tables)
        self._counts = self._model.counts
        self._suffix = suffixes_of(self._counts)
        self.smoothing_parameter_ = None
        return self

    def to_arpa(self, file):
        """Write the model in the ARPA format, which KenLM and SRILM read.

        Each n-gram gets log10 of its probability, and each history log10 of its
        backoff. So the other program gives the same scores, but for additive
        smoothings, which the format cannot express.

        Parameters
        ----------
        file : str, path or open text file
            Packed by gzip if the name ends with ".gz".

        Raises
        ------
        ValueError
            If the smoothing is additive, or a word holds a blank or is "<UNK>", "<S>"
            or "</S>"; the file stays as it was.
        """
        check_is_fitted(self)
        if self._model.smoothed.additive:
            raise ValueError(
                f"smoothing={self.smoothing!r} ignores shorter histories, which the "
                "ARPA format cannot express: choose another smoothing, such as "
                "'kneser_ney'."
            )
        words = np.empty(len(self.vocabulary_) + N_SYMBOLS, dtype=object)
        for word, code in {**SYMBOLS, **self.vocabulary_}.items():
            words[code] = word
        outcomes = self._outcome_codes()
        write_arpa(file, self._model, self._suffix, words, outcomes)

    @unavailable_because(batches_excluded)
    @fit_context(prefer_skip_nested_validation=True)
    def partial_fit(self, documents, y=None, sample_weight=None):
        """Learn from more documents; any split gives the result of one `fit`.

        Each call smooths the whole model anew, so batches should be large. What is
        "loo" is chosen on the first batch and stays. (From one document nothing can be
        learnt: then it is the default of the smoothing.)

        Parameters
        ----------
        documents : iterable over str
            Raw documents.
        y : None
            Not used.
        sample_weight : array-like of shape (n_documents,), default=None
            The weight of each occurrence in a document, ≥ 0.

        Returns
        -------
        self : NGramLanguageModel
        """
        with all_or_nothing(self):
            parameter = self._checked_parameter()
            documents, _, weight = self._weighted_documents(documents, sample_weight)
            vocabulary, corpus, counts = self._count_documents(
                documents, weight, batch=True
            )
            if hasattr(self, "vocabulary_"):
                self._add_counts(vocabulary, counts, *_ONE_CLASS)
                parameter = self._settled_parameter()
            else:
                self.vocabulary_, self._counts = vocabulary, counts
                if is_tuned(self) and len(corpus) > 1 and vocabulary:
                    parameter = self._chosen_parameter(corpus, weight)
                elif is_tuned(self):
                    parameter = self._default_parameter()
            if not is_tuned(self):
                self._drop_loo_results()
            self._estimate(parameter)
        return self

    def _forget_rows(self):
        """Drop the counts of all documents, and keep what was chosen."""
        self._forget_counts(1)

    @unavailable_because(batches_excluded)
    def merge(self, other):
        """Add the counts of another model, as if this one had read its documents too.

        Parameters
        ----------
        other : NGramLanguageModel
            A fitted model of the same order. Where "loo" chose a parameter, both models
            must have the same. It is not changed.

        Returns
        -------
        self : NGramLanguageModel
        """
        check_both_fitted(self, other, NGramLanguageModel)
        check_addable(self, other)
        with all_or_nothing(self):
            self._add_counts(other.vocabulary_, other._counts, *_ONE_CLASS)
            self._drop_loo_results()
            self._estimate(self._settled_parameter())
        return self

    def score_samples(self, documents):
        """Return the log probability of each document.

        Parameters
        ----------
        documents : iterable over str

        Returns
        -------
        ndarray of shape (n_documents,)
            In nats; -inf where an n-gram has probability 0.
        """
        check_is_fitted(self)
        return log_likelihoods(self._model, self._encode(documents), self.n_jobs)[:, 0]

    def score(self, documents, y=None):
        """Return the mean log probability of a word: minus the log of the perplexity.

        Parameters
        ----------
        documents : iterable over str
        y : None
            Not used.

        Returns
        -------
        float
            In nats; larger is better. It does not depend on the length of documents.
        """
        check_is_fitted(self)
        corpus = self._encode(documents)
        n_predicted = np.count_nonzero(corpus.tokens != START)
        if not n_predicted:
            raise ValueError(
                "The documents hold no word, so there is no mean: give at least one "
                "document with words."
            )
        total = log_likelihoods(self._model, corpus, self.n_jobs).sum()
        return float(total / n_predicted)

    def score_tokens(self, documents):
        """Return the log probability of each word, and what it is based on.

        Parameters
        ----------
        documents : iterable over str

        Returns
        -------
        list of TokenScores
            One for each document, with arrays of shape (n_tokens,): its words (and ends
            "</s>"), their log probabilities in nats, which sum to
            :meth:`score_samples`, the length of the n-gram whose count was used, 0 if
            the word was never seen, and whether the word is unknown.

        Examples
        --------
        "cat" was seen after "the", "ran" was not:

        >>> from sklearn_bayeslazy import NGramLanguageModel
        >>> model = NGramLanguageModel(2).fit(["the cat sat", "a dog ran"])
        >>> scores = model.score_tokens(["the cat ran off"])[0]
        >>> scores.tokens.tolist()
        ['the', 'cat', 'ran', 'off', '</s>']
        >>> scores.orders
        array([2, 2, 1, 0, 1])
        >>> scores.is_unknown
        array([False, False, False,  True, False])
        """
        check_is_fitted(self)
        documents = check_documents(documents, self)
        corpus, words = self._reader().encode_with_words(documents, self.vocabulary_)
        log_probability, orders = score_tokens(self._model, corpus)
        words[corpus.tokens == END] = "</s>"
        found = []
        for first, last in pairwise(corpus.start.tolist()):
            kept = first + np.flatnonzero(corpus.tokens[first:last] != START)
            is_unknown = corpus.tokens[kept] == UNKNOWN_WORD
            found.append(
                TokenScores(
                    words[kept], log_probability[kept, 0], orders[kept], is_unknown
                )
            )
        return found

    def perplexity(self, documents):
        """Return exp of the mean of -log P over all words (and ends) of documents.

        A perplexity of k means that the words are as hard to predict as k equally
        likely words.

        Parameters
        ----------
        documents : iterable over str

        Returns
        -------
        float
        """
        return float(np.exp(-self.score(documents)))

    def prob(self, word, context=()):
        """Return P(word | context).

        Parameters
        ----------
        word : str
            As it is spelt in the vocabulary (lower case, with `lowercase`), or "</s>"
            or "<unk>"; all others are the unknown word.
        context : str or sequence of str, default=()
            The words before, in reading order. A string is cut into words as documents
            are; a sequence holds the words. Either may start with "<s>", which marks
            the beginning of a sentence.

        Returns
        -------
        float
        """
        check_is_fitted(self)
        next_words = self._next_words()
        code = self._code(word)
        state = next_words.state_after(self._context_codes(context))
        return float(next_words.step(state, [code])[0][0])

    def next_probabilities(self, context=()):
        """Return P(w | context) of every word that can occur.

        Parameters
        ----------
        context : str or sequence of str, default=()
            As for :meth:`prob`.

        Returns
        -------
        ndarray of shape (n_outcomes,)
            In the order of `outcomes_`; sums to 1.
        """
        check_is_fitted(self)
        next_words = self._next_words()
        state = next_words.state_after(self._context_codes(context))
        return next_words.step(state, self._outcome_codes())[0]

    def sample(self, n_samples=1, *, max_length=100, random_state=None):
        """Draw texts from the model.

        Parameters
        ----------
        n_samples : int, default=1
        max_length : int, default=100
            A text ends at </s>, or after this number of words.
        random_state : int, RandomState instance or None, default=None

        Returns
        -------
        list of str
            The unknown word is never drawn.

        Raises
        ------
        ValueError
            If a context is reached after which only the unknown word can come.
        """
        check_is_fitted(self)
        check_count(n_samples, "n_samples")
        check_count(max_length, "max_length")
        rng = check_random_state(random_state)
        words = {code: word for word, code in self.vocabulary_.items()}
        separator = "" if self._reader().uses_characters else " "
        next_words, outcomes = self._next_words(), self._outcome_codes()
        begin = next_words.state_after([START])
        texts = [
            draw_text(next_words, begin, outcomes, max_length, rng)
            for _ in range(n_samples)
        ]
        return [separator.join(words[code] for code in text) for text in texts]

    def decode(self, candidates, log_channel):
        r"""Return the most probable words of a noisy channel, by Viterbi's algorithm.

        .. math:: \arg\max_{w_1 \dots w_T} P(w_1 \dots w_T)
                  \prod_i P(\text{signal}_i \mid w_i)

        Parameters
        ----------
        candidates : sequence of T sequences of str
            The possible words at each position, spelt as in the vocabulary. All others
            are the unknown word: omit them unless there is no other candidate.
        log_channel : sequence of T sequences of float
            log P(signal at the position | word) for each candidate.

        Returns
        -------
        words : list of str
        log_probability : float
            Of the words and the signals together.

        Examples
        --------
        The channel gives "fat" and "hat" the same probability. The language model
        prefers "fat cat":

        >>> from sklearn_bayeslazy import NGramLanguageModel
        >>> model = NGramLanguageModel(2).fit(["a fat cat", "a red hat", "the fat cat"])
        >>> model.decode([["fat", "hat"], ["cat"]], [[-1, -1], [0]])[0]
        ['fat', 'cat']
        """
        check_is_fitted(self)
        check_sequence(candidates, "candidates")
        check_sequence(log_channel, "log_channel")
        for position, words in enumerate(candidates):
            check_sequence(words, f"candidates[{position}]")
        codes = [[self._code(word) for word in words] for words in candidates]
        end = END if self._has_ends else None
        next_words = self._next_words()
        begin = next_words.state_after([START])
        path, log_probability = best_path(next_words, begin, codes, log_channel, end)
        return [words[i] for words, i in zip(candidates, path)], log_probability

    @property
    def outcomes_(self):
        """The words that can occur, in the order of :meth:`next_probabilities`."""
        check_is_fitted(self)
        symbols = ["<unk>", "</s>"] if self._has_ends else ["<unk>"]
        return np.array([*symbols, *self.vocabulary_], dtype=object)

    @property
    def n_ngrams_(self):
        """The number of distinct n-grams of each length."""
        check_is_fitted(self)
        n_ngrams = np.diff(self._counts.level_start)[1:]
        n_ngrams[0] -= self._has_ends  # <s> is not a unigram
        return n_ngrams

    @property
    def discounts_(self):
        """The discounts by length and count."""
        check_is_fitted(self)
        discounts = self._model.smoothed.discounts
        return None if discounts is None else discounts[0]

    def _chosen_parameter(self, corpus, weight):
        """Return the parameter of the smoothing that leave-one-out chooses."""
        classes = np.zeros(len(corpus), np.int64)
        chosen, self.loo_results_ = choose_parameters(self, corpus, classes, weight)
        return chosen[0]

    def _estimate(self, parameter):
        """Turn the counts into estimates."""
        self.smoothing_parameter_ = parameter
        self._suffix = suffixes_of(self._counts)
        self._model = self._smoothed_model(parameter, suffix=self._suffix)

    def _encode(self, documents):
        """Return documents in the codes of the vocabulary."""
        documents = check_documents(documents, self)
        return self._reader().encode(documents, self.vocabulary_)

    def _next_words(self):
        return NextWords(self._model, self._suffix)

    def _code(self, word):
        if not isinstance(word, str):
            raise TypeError(
                f"A word must be a string, got {word!r:.60} of type "
                f"{type(word).__name__}."
            )
        if word == "</s>" and not self._has_ends:
            return START  # like <s> it has probability 0
        return SYMBOLS.get(word, self.vocabulary_.get(word, UNKNOWN_WORD))

    def _context_codes(self, context):
        if isinstance(context, str):
            begins = context.startswith("<s>")
            words = self._reader().tokenize(context.removeprefix("<s>"))
            context = ["<s>", *words] if begins else words
        if not isinstance(context, Iterable):
            raise TypeError(
                "context must be a string or a sequence of words, got "
                f"{type(context).__name__}; leave it out for no words."
            )
        return [self._code(word) for word in context]

    def _outcome_codes(self):
        symbols = [UNKNOWN_WORD, END] if self._has_ends else [UNKNOWN_WORD]
        words = np.arange(N_SYMBOLS, N_SYMBOLS + len(self.vocabulary_))
        return np.concatenate([symbols, words])

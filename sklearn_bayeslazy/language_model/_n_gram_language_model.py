"""NGramLanguageModel: probabilities of words given the words before them."""

from numbers import Integral

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted

from .._compat import fit_context
from .._estimator import DocLinkMixin, all_or_nothing, unavailable_because
from .._kernel import frozen
from .._leave_one_out import rank_candidates, rows_to_leave_out
from .._parallel import map_chunks
from ._counts import END, N_SYMBOLS, START, UNKNOWN
from ._documents import check_documents
from ._language_model_kernels import next_words
from ._learning import (
    N_GRAM_CONSTRAINTS,
    NGramLearner,
    batches_excluded,
    check_read_alike,
    tunes,
)
from ._sampling import draw_word
from ._scoring import log_likelihoods, score_rows_left_out
from ._smoothing import history_pairs, suffixes_of
from ._viterbi import best_path

# How symbols are spelt, in the usual way.
SYMBOLS = {"<unk>": UNKNOWN, "</s>": END, "<s>": START}


class NGramLanguageModel(NGramLearner, DocLinkMixin, BaseEstimator):
    r"""The probability of a word given the words before it, from n-gram counts.

    Learns from raw documents. The probability of a text is the product of those of its
    words, each given the `order` - 1 words before it,

    .. math:: P(w_1 \dots w_T) = \prod_i P(w_i \mid w_{i-N+1} \dots w_{i-1}),

    and smoothing gives its share to what was never seen. For every history the
    probabilities of all words, the unknown one included, sum to 1.

    Parameters
    ----------
    order : int, default=3
        The length N of the longest n-grams: 1 unigrams, 2 bigrams, ...

    smoothing : str, default="kneser_ney"
        With c the count of a history and a word, T that of the history, V the number
        of words that may come, and P' the probability after the history without its
        first word (at last 1/V):

        - "none": c / T. 0 where nothing was seen; P' where the history was not.
        - "laplace": (c + 1) / (T + V).
        - "lidstone": (c + α) / (T + α V).
        - "m_estimate": (c + m / V) / (T + m).
        - "jelinek_mercer": (1 - λ) c / T + λ P'.
        - "dirichlet": (c + μ P') / (T + μ).
        - "absolute_discount": max(c - D, 0) / T + what this sets free times P'.
        - "witten_bell": (c + t P') / (T + t), t the number of words seen after the
          history.
        - "kneser_ney": modified, interpolated: as absolute discount, with discounts
          for counts of 1, 2 and more, and shorter n-grams counted by the distinct
          words before them.

        "laplace", "lidstone" and "m_estimate" use the longest history after which a
        word was seen.

    smoothing_parameter : float, array-like, "loo" or None, default=None
        α (default 0.1), m (1), λ (0.5), μ (100) or D (0.75). The discounts of
        "kneser_ney" are estimated by default. D may also be given as an array of shape
        (order,), by length of the n-gram, or (order, 3), by length and by count: 1, 2
        and more. "loo": chosen by exact leave-one-out of documents (not for
        "kneser_ney").

    analyzer : {"word", "char", "char_wb"} or callable, default="word"
        Whether words or characters are modelled. "char_wb": characters, each word by
        itself. A callable turns a document into a list of strings; documents that are
        such lists already need ``analyzer=lambda words: words``.

    tokenizer : callable, default=None
        Cuts a text into words in place of `token_pattern`.

    token_pattern : str or None, default=r"(?u)\\b\\w+\\b"
        What a word is. Unlike in scikit-learn's vectorizers words of one letter count.

    preprocessor : callable, default=None
        Replaces the steps of `strip_accents` and `lowercase`.

    strip_accents : {"ascii", "unicode"} or callable, default=None
        Whether accents are removed.

    lowercase : bool, default=True
        Whether all letters are made small.

    min_df : int or float, default=1
        Words that occur in fewer documents (or, if a float, in a smaller share of them)
        are counted as the unknown word. A document counts by its weight.

    vocabulary : array-like, set or dict of str, default=None
        The words, as documents are cut into them, where they are not to be learnt; all
        others are the unknown word.

    boundaries : {"document", "line", "sentence"}, callable or None, default="document"
        What begins with <s> and ends with </s>: a document, each of its lines, each of
        its sentences (which end with a ., ! or ? before white space), or the texts that
        a callable makes of a document. None: there are no such symbols.

    loo_candidates : dict, default=None
        {"smoothing_parameter": list}, the candidates for "loo".

    loo_max_samples : int or None, default=10000
        Above so many documents, a random subset of this size is left out one by one.

    random_state : int, RandomState instance or None, default=None
        Draws the documents of `loo_max_samples`.

    n_jobs : int, default=None
        Number of threads. The answer does not depend on it.

    Attributes
    ----------
    vocabulary_ : dict of {str: int}
        The code of each word, for internal use, from 3 on; probabilities come in the
        order of `outcomes_`.
    outcomes_ : ndarray of shape (n_outcomes,)
        The words that may come: <unk>, </s> where there are boundaries, then the words
        of the vocabulary, sorted.
    n_ngrams_ : ndarray of shape (order,)
        The number of distinct n-grams of each length.
    smoothing_parameter_ : float, ndarray or None
        The parameter, chosen or given.
    discounts_ : ndarray of shape (order, 3) or None
        The discounts of "kneser_ney" and "absolute_discount" by length and count.
    loo_results_ : dict
        Only where `smoothing_parameter` is "loo": "params", "mean_log_loss" (nats a
        document), "standard_error_log_loss" and "rank" of the candidates.

    See Also
    --------
    LanguageModelNB : A classifier with a model of this kind for each class.

    Notes
    -----
    n-grams are kept as a trie in sorted integer arrays, about 56 bytes for each, so the
    model pickles fast and can be memory-mapped. Integer sample weights are as good as
    repeated documents: with "kneser_ney" a doubled count is no longer 1, as if the
    text had been seen twice.

    References
    ----------
    S. Chen and J. Goodman (1999), An empirical study of smoothing techniques for
    language modeling, Computer Speech and Language 13.

    Examples
    --------
    Three sentences. Of the 2 words after "the" 1 is "cat":

    >>> from sklearn_bayeslazy import NGramLanguageModel
    >>> sentences = ["the cat sat", "the dog sat", "a cat ran"]
    >>> model = NGramLanguageModel(order=2, smoothing="none").fit(sentences)
    >>> model.prob("cat", "the")
    0.5

    V = 8 words may come: a, cat, dog, ran, sat, the, </s> and <unk>. With Dirichlet
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
        analyzer="word",
        tokenizer=None,
        token_pattern=r"(?u)\b\w+\b",
        preprocessor=None,
        strip_accents=None,
        lowercase=True,
        min_df=1,
        vocabulary=None,
        boundaries="document",
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
            What each occurrence in a document counts, ≥ 0; usually about 1, because
            discounts and virtual examples are measured in occurrences.

        Returns
        -------
        self : NGramLanguageModel

        Raises
        ------
        ValueError, TypeError
            Where a parameter or a document cannot be used; a former fit stays usable.
        """
        with all_or_nothing(self):
            parameter = self._given_parameter()
            documents, _, weight = self._weighted_documents(documents, sample_weight)
            self.vocabulary_, corpus, self._counts = self._count(documents, weight)
            self._forget_choices()
            if tunes(self):
                parameter = self._choose(corpus, weight)
            self._finish(parameter)
        return self

    @unavailable_because(batches_excluded)
    @fit_context(prefer_skip_nested_validation=True)
    def partial_fit(self, documents, y=None, sample_weight=None):
        """Learn from more documents; any split gives what one `fit` gives.

        Each call smooths the whole model anew, so batches should be large.

        Parameters
        ----------
        documents : iterable over str
            Raw documents.
        y : None
            Not used.
        sample_weight : array-like of shape (n_documents,), default=None
            What each occurrence in a document counts, ≥ 0.

        Returns
        -------
        self : NGramLanguageModel
        """
        with all_or_nothing(self):
            parameter = self._given_parameter()
            documents, _, weight = self._weighted_documents(documents, sample_weight)
            vocabulary, _, counts = self._count(documents, weight, batch=True)
            if hasattr(self, "vocabulary_"):
                self._add(vocabulary, counts, [np.zeros(1, np.int64)] * 2, 1)
            else:
                self.vocabulary_, self._counts = vocabulary, counts
            self._forget_choices()
            self._finish(parameter)
        return self

    @unavailable_because(batches_excluded)
    def merge(self, other):
        """Add what another model has counted, as if this one had read its documents.

        Parameters
        ----------
        other : NGramLanguageModel
            A fitted model of the same order. It stays as it is.

        Returns
        -------
        self : NGramLanguageModel
        """
        check_is_fitted(self)
        if not isinstance(other, NGramLanguageModel):
            raise TypeError(
                f"other must be another NGramLanguageModel, got {type(other).__name__}."
            )
        check_is_fitted(other)
        check_read_alike(self, other)
        with all_or_nothing(self):
            one_class = [np.zeros(1, np.int64)] * 2
            self._add(other.vocabulary_, other._counts, one_class, 1)
            self._forget_choices()
            self._finish(self._given_parameter())
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
        return log_likelihoods(self._model, self._read(documents), self.n_jobs)[:, 0]

    def score(self, documents, y=None):
        """Return the mean log probability of a word, minus the log of the perplexity.

        Parameters
        ----------
        documents : iterable over str
        y : None
            Not used.

        Returns
        -------
        float
            In nats; the more the better, the same for short and for long documents.
        """
        check_is_fitted(self)
        corpus = self._read(documents)
        n_outcomes = np.count_nonzero(corpus.tokens != START)
        if not n_outcomes:
            raise ValueError("The documents hold no word, so there is no mean.")
        total = log_likelihoods(self._model, corpus, self.n_jobs).sum()
        return float(total / n_outcomes)

    def perplexity(self, documents):
        """Return exp of the mean of -log P over all words (and ends) of documents.

        As many equally likely words would be as hard to guess.

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
            As it stands in the vocabulary (small letters, with `lowercase`), or "</s>"
            or "<unk>"; all others are the unknown word.
        context : str or sequence of str, default=()
            The words before, the last last. A string is cut into words as documents
            are; a sequence is taken as it is. "<s>", at the front of either, stands
            for a beginning.

        Returns
        -------
        float
        """
        check_is_fitted(self)
        code = np.array([self._code(word)])
        return float(self._next(self._state(context), code)[0][0])

    def next_probabilities(self, context=()):
        """Return P(w | context) of every word that may come.

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
        return self._next(self._state(context), self._outcome_codes())[0]

    def sample(self, n_samples=1, *, max_length=100, random_state=None):
        """Draw texts from the model.

        Parameters
        ----------
        n_samples : int, default=1
        max_length : int, default=100
            A text ends at </s>, or after so many words.
        random_state : int, RandomState instance or None, default=None

        Returns
        -------
        list of str
            The unknown word is never drawn.

        Raises
        ------
        ValueError
            Where nothing but the unknown word may come.
        """
        check_is_fitted(self)
        for name, value in (("n_samples", n_samples), ("max_length", max_length)):
            if not isinstance(value, Integral) or value < 0:
                raise ValueError(f"{name} must be an integer ≥ 0, got {value!r}.")
        rng = check_random_state(random_state)
        words = {code: word for word, code in self.vocabulary_.items()}
        between = "" if self._reader().by_character else " "
        codes, texts = self._outcome_codes(), []
        for _ in range(n_samples):
            state, text = self._state(("<s>",)), []
            while len(text) < max_length:
                code = draw_word(
                    self._model, self._suffix, self._next, state, codes, rng
                )
                if code == END:
                    break
                text.append(words[code])
                state = self._next(state, np.array([code]))[1][0]
            texts.append(between.join(text))
        return texts

    def decode(self, candidates, log_channel):
        r"""Return the most probable words behind signals: a noisy channel, by Viterbi.

        .. math:: \arg\max_{w_1 \dots w_T} P(w_1 \dots w_T)
                  \prod_i P(\text{signal}_i \mid w_i)

        Parameters
        ----------
        candidates : sequence of T sequences of str
            The words that may stand at each position, as they stand in the vocabulary.
            All others are the unknown word: leave them out, unless nothing else fits.
        log_channel : sequence of T sequences of float
            log P(signal at the position | word) for each candidate.

        Returns
        -------
        words : list of str
        log_probability : float
            Of the words and the signals together.

        Examples
        --------
        Of "fat cat" and "hat cat" the first is likelier, whatever was heard:

        >>> from sklearn_bayeslazy import NGramLanguageModel
        >>> model = NGramLanguageModel(2).fit(["a fat cat", "a red hat", "the fat cat"])
        >>> model.decode([["fat", "hat"], ["cat"]], [[-1, -1], [0]])[0]
        ['fat', 'cat']
        """
        check_is_fitted(self)
        codes = [[self._code(word) for word in words] for words in candidates]
        end = None if self._reader().boundaries is None else END
        path, log_probability = best_path(
            self._next, self._state(("<s>",)), codes, log_channel, end
        )
        return [words[i] for words, i in zip(candidates, path)], log_probability

    @property
    def outcomes_(self):
        """The words that may come, in the order of :meth:`next_probabilities`."""
        check_is_fitted(self)
        symbols = ["<unk>"] if self._reader().boundaries is None else ["<unk>", "</s>"]
        return np.array([*symbols, *self.vocabulary_], dtype=object)

    @property
    def n_ngrams_(self):
        """The number of distinct n-grams of each length."""
        check_is_fitted(self)
        n_ngrams = np.diff(self._counts.level)[1:]
        n_ngrams[0] -= self._reader().boundaries is not None  # <s> is none
        return n_ngrams

    @property
    def discounts_(self):
        """The discounts by length and count."""
        check_is_fitted(self)
        discounts = self._model.smoothed.discounts
        return None if discounts is None else discounts[0]

    def _finish(self, parameter):
        self.smoothing_parameter_ = parameter
        self._suffix = suffixes_of(self._counts)
        self._model = self._smoothed_model(parameter, suffix=self._suffix)

    def _choose(self, corpus, weight):
        """Return the best parameter by the documents left out one by one."""
        rows = rows_to_leave_out(len(corpus), self.loo_max_samples, self.random_state)
        candidates = self._candidates()["smoothing_parameter"]
        removed = np.minimum(1.0, weight[rows])
        own = np.zeros(len(rows), np.int64)
        losses = np.empty((len(candidates), len(rows)))
        history = history_pairs(self._counts)
        for loss, parameter in zip(losses, candidates):
            model = self._smoothed_model(parameter, history=history, sums=True)
            discount = parameter if self.smoothing == "absolute_discount" else 0.0

            def score(part, loss=loss, model=model, discount=discount):
                scores = score_rows_left_out(
                    model, corpus, rows[part], own[part], removed[part], discount
                )
                loss[part] = -scores[:, 0]

            map_chunks(score, len(rows), 8, n_jobs=self.n_jobs)
        names = [{"smoothing_parameter": parameter} for parameter in candidates]
        best, self.loo_results_ = rank_candidates(
            names, {"log_loss": losses}, weight[rows], [("log_loss", -1)]
        )
        return candidates[best]

    def _read(self, documents):
        """Return documents in the codes of the vocabulary."""
        documents = check_documents(documents, self)
        return self._reader().read(documents, self.vocabulary_)

    def _code(self, word):
        if not isinstance(word, str):
            raise TypeError(
                f"A word must be a string, got {word!r:.60} of type "
                f"{type(word).__name__}."
            )
        if word == "</s>" and self._reader().boundaries is None:
            return START  # it never comes, as <s> does not
        return SYMBOLS.get(word, self.vocabulary_.get(word, UNKNOWN))

    def _outcome_codes(self):
        symbols = [UNKNOWN] if self._reader().boundaries is None else [UNKNOWN, END]
        words = np.arange(N_SYMBOLS, N_SYMBOLS + len(self.vocabulary_))
        return np.concatenate([symbols, words])

    def _state(self, context):
        """Return the state after some words: the entry of the longest known history."""
        if isinstance(context, str):
            begins = context.startswith("<s>")
            words = self._reader().words(context.removeprefix("<s>"))
            context = ["<s>", *words] if begins else words
        state = 0
        for word in context:
            state = self._next(state, np.array([self._code(word)]))[1][0]
        return state

    def _next(self, state, codes):
        """Return P(w | state) of words, and the states after them."""
        order, word, first_child, _, _ = self._model.trie
        return next_words(
            state,
            frozen(codes, np.int64),
            order,
            frozen(self._counts.level, np.int64),
            word,
            first_child,
            frozen(self._suffix, np.int64),
            *self._model.estimates,
        )

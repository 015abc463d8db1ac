"""LanguageModelNB: naive Bayes on raw text, with an n-gram model for each class."""

from itertools import product
from numbers import Real

import numpy as np
from sklearn.utils import column_or_1d
from sklearn.utils.validation import check_consistent_length, check_is_fitted

from .._compat import Interval, StrOptions, fit_context
from .._estimator import all_or_nothing, require_targets, unavailable_because
from .._labelled_rows import (
    check_mergeable,
    class_log_prior,
    known_classes,
    log_prior_without,
)
from .._leave_one_out import (
    CLASSIFICATION_SCORING,
    classification_losses,
    rank_candidates,
    rows_to_leave_out,
)
from .._parallel import map_chunks
from ..language_model import NGramLanguageModel
from ..language_model._counts import counts_of_class
from ..language_model._documents import check_documents
from ..language_model._learning import (
    N_GRAM_CONSTRAINTS,
    NGramLearner,
    batches_excluded,
    check_read_alike,
    parameter_candidates,
    tunes,
)
from ..language_model._scoring import score_rows, score_rows_left_out
from ..language_model._smoothing import history_pairs
from ..tabular import encode_classes
from ._base import JointLogLikelihoodClassifier

# In words; a series in thirds of a decade would show no more.
LENGTH_NORMALIZATIONS = [None, 1000.0, 300.0, 100.0, 30.0, 10.0, 3.0]


class LanguageModelNB(NGramLearner, JointLogLikelihoodClassifier):
    r"""Naive Bayes on raw text, with an n-gram language model for each class.

    The words of a document are not independent given the class: each is predicted from
    the `order` - 1 words before it,

    .. math:: \hat c = \arg\max_c P(c) \prod_i P(w_i \mid w_{i-N+1} \dots w_{i-1}, c).

    With `order` 1 this is the multinomial model of text. Documents are taken as
    strings; the models of all classes share one vocabulary and one table of n-grams.

    Parameters
    ----------
    order : int, default=2
        The length N of the longest n-grams. Two words, or four to six characters, are
        usually enough.

    smoothing : str, default="kneser_ney"
        How a share of the probability is given to what a class has not shown:
        "none", "laplace", "lidstone", "m_estimate", "jelinek_mercer", "dirichlet",
        "absolute_discount", "witten_bell" or "kneser_ney"; see
        :class:`NGramLanguageModel` for their formulas.

    smoothing_parameter : float, array-like, "loo" or None, default=None
        The smoothing's parameter; "loo": chosen by exact leave-one-out of documents,
        for "lidstone", "m_estimate", "jelinek_mercer", "dirichlet" and
        "absolute_discount".

    background : bool, default=True
        Whether the models of the classes rest on a model of all classes together
        (Witten–Bell, of the same order), in place of equally likely words. A word that
        a class has not shown then costs it as much as the word is common; a word that
        no class has shown costs all of them the same, so that it decides nothing.

    binary : bool, default=True
        Whether an n-gram counts once in each training document that holds it, however
        often that is: a word that came once is likely to come again, so that
        repetitions say less. With False every occurrence counts.

    length_normalization : float, "loo" or None, default=None
        The log likelihood of a document of n words (and ends) is multiplied with
        min(1, length_normalization / n): what is longer speaks no louder. Naive Bayes
        takes neighbouring words for independent evidence, and is too sure of long
        documents. The decision depends on it only through the class prior, the
        probabilities gain much. "loo": chosen by exact leave-one-out (with any
        smoothing but "kneser_ney"; best with ``loo_scoring="log_loss"``).

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
        What begins with <s> and ends with </s>; None: there are no such symbols.

    fit_prior : bool, default=True
        Whether class priors are the class frequencies; otherwise they are equal.

    class_prior : array-like of shape (n_classes,), default=None
        Class priors to be used instead.

    loo_candidates : dict, default=None
        {"smoothing_parameter": list, "length_normalization": list}, the candidates of
        what is set to "loo".

    loo_scoring : {"accuracy", "log_loss"}, default="accuracy"
        What leave-one-out maximises or minimises; ties in accuracy are broken by log
        loss.

    loo_max_samples : int or None, default=10000
        Above so many documents, a random subset of this size is left out one by one.

    random_state : int, RandomState instance or None, default=None
        Draws the documents of `loo_max_samples`.

    n_jobs : int, default=None
        Number of threads. The answer does not depend on it.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        The classes, sorted.
    class_count_ : ndarray of shape (n_classes,)
        The mass (sum of weights) of each class.
    class_log_prior_ : ndarray of shape (n_classes,)
        log P(c).
    vocabulary_ : dict of {str: int}
        The code of each word, for internal use, from 3 on.
    smoothing_parameter_ : float, ndarray or None
        The parameter, chosen or given.
    length_normalization_ : float or None
        The length, chosen or given.
    loo_results_ : dict
        Only where something was set to "loo": "params", "mean_log_loss",
        "standard_error_log_loss", "mean_accuracy", "standard_error_accuracy" and
        "rank" of the candidates.

    See Also
    --------
    NGramLanguageModel : The model of one class.
    TextNB : Naive Bayes on counts of words, whatever their order.

    Notes
    -----
    Leave-one-out takes a document out of the counts of its class and of the background;
    only the vocabulary stays. The discounts of "kneser_ney" are estimated from the
    counts and are no parameter to choose.

    References
    ----------
    F. Peng and D. Schuurmans (2003), Combining naive Bayes and n-gram language models
    for text classification, ECIR.

    Examples
    --------
    The same words, in another order:

    >>> from sklearn_bayeslazy import LanguageModelNB
    >>> X = ["man bites dog", "dog bites man", "a man bites a dog", "a dog bites a man"]
    >>> y = ["news", "life", "news", "life"]
    >>> LanguageModelNB(order=2).fit(X, y).predict(["one man bites one dog"])
    array(['news'], dtype='<U4')

    One word a document, no smoothing: both class models are plain frequencies, 2/3 and
    1/3 in class x, and Bayes' rule gives ½ · 2/3 / (½ · 2/3 + ½ · 1/3) = 2/3.

    >>> nb = LanguageModelNB(1, smoothing="none", background=False, boundaries=None)
    >>> nb.fit(["a", "a", "b", "a", "b", "b"], list("xxxyyy")).predict_proba(["a"])
    array([[0.66666667, 0.33333333]])
    """

    _parameter_constraints = {
        **N_GRAM_CONSTRAINTS,
        "background": ["boolean"],
        "binary": ["boolean"],
        "length_normalization": [
            Interval(Real, 0, None, closed="neither"),
            StrOptions({"loo"}),
            None,
        ],
        "fit_prior": ["boolean"],
        "class_prior": ["array-like", None],
        "loo_scoring": [StrOptions({"log_loss", "accuracy"})],
    }

    _chosen_by_loo = ("smoothing_parameter", "length_normalization")

    def __init__(
        self,
        order=2,
        *,
        smoothing="kneser_ney",
        smoothing_parameter=None,
        background=True,
        binary=True,
        length_normalization=None,
        analyzer="word",
        tokenizer=None,
        token_pattern=r"(?u)\b\w+\b",
        preprocessor=None,
        strip_accents=None,
        lowercase=True,
        min_df=1,
        vocabulary=None,
        boundaries="document",
        fit_prior=True,
        class_prior=None,
        loo_candidates=None,
        loo_scoring="accuracy",
        loo_max_samples=10_000,
        random_state=None,
        n_jobs=None,
    ):
        self.order = order
        self.smoothing = smoothing
        self.smoothing_parameter = smoothing_parameter
        self.background = background
        self.binary = binary
        self.length_normalization = length_normalization
        self.analyzer = analyzer
        self.tokenizer = tokenizer
        self.token_pattern = token_pattern
        self.preprocessor = preprocessor
        self.strip_accents = strip_accents
        self.lowercase = lowercase
        self.min_df = min_df
        self.vocabulary = vocabulary
        self.boundaries = boundaries
        self.fit_prior = fit_prior
        self.class_prior = class_prior
        self.loo_candidates = loo_candidates
        self.loo_scoring = loo_scoring
        self.loo_max_samples = loo_max_samples
        self.random_state = random_state
        self.n_jobs = n_jobs

    @fit_context(prefer_skip_nested_validation=True)
    def fit(self, X, y, sample_weight=None):
        """Learn an n-gram model for each class.

        Parameters
        ----------
        X : iterable over str
            Raw documents.
        y : array-like of shape (n_documents,)
            Class labels.
        sample_weight : array-like of shape (n_documents,), default=None
            Weights ≥ 0; an integer weight is as good as repetition. Usually about 1,
            because discounts and virtual examples are measured in occurrences.

        Returns
        -------
        self : LanguageModelNB

        Raises
        ------
        ValueError, TypeError
            Where a parameter or a document cannot be used; a former fit stays usable.
        """
        with all_or_nothing(self):
            parameter = self._given_parameter()
            documents, self.classes_, codes, weight = self._labelled(
                X, y, sample_weight
            )
            n_classes = len(self.classes_)
            self.class_count_ = np.bincount(codes, weight, n_classes)
            self.vocabulary_, corpus, self._counts = self._count(
                documents, weight, codes, n_classes
            )
            self._forget_choices()
            chosen = parameter, self.length_normalization
            if any(tunes(self, name) for name in self._chosen_by_loo):
                chosen = self._choose(corpus, codes, weight)
            self._finish(*chosen)
        return self

    @unavailable_because(batches_excluded)
    @fit_context(prefer_skip_nested_validation=True)
    def partial_fit(self, X, y, classes=None, sample_weight=None):
        """Learn from more documents; any split gives what one `fit` gives.

        Each call smooths all models anew, so batches should be large.

        Parameters
        ----------
        X : iterable over str
            Raw documents.
        y : array-like of shape (n_documents,)
            Class labels.
        classes : array-like of shape (n_classes,), default=None
            All classes that will ever come; needed at the first call.
        sample_weight : array-like of shape (n_documents,), default=None
            Weights ≥ 0.

        Returns
        -------
        self : LanguageModelNB
        """
        first = not hasattr(self, "classes_")
        with all_or_nothing(self):
            parameter = self._given_parameter()
            classes = known_classes(self, classes)
            documents, classes, codes, weight = self._labelled(
                X, y, sample_weight, classes
            )
            n_classes = len(classes)
            mass = np.bincount(codes, weight, n_classes)
            vocabulary, _, counts = self._count(
                documents, weight, codes, n_classes, batch=True
            )
            if first:
                self.classes_, self.class_count_ = classes, mass
                self.vocabulary_, self._counts = vocabulary, counts
            else:
                self.class_count_ = self.class_count_ + mass
                same = np.arange(n_classes)
                self._add(vocabulary, counts, [same, same], n_classes)
            self._forget_choices()
            self._finish(parameter, self.length_normalization)
        return self

    @unavailable_because(batches_excluded)
    def merge(self, other):
        """Add what another model has learnt, as if this one had read its documents.

        Parameters
        ----------
        other : LanguageModelNB
            A fitted model of the same order; its classes may differ. It stays as it is.

        Returns
        -------
        self : LanguageModelNB
        """
        check_mergeable(self, other, LanguageModelNB)
        check_read_alike(self, other)
        if self.binary != other.binary:
            raise ValueError(
                f"The models count differently: binary={self.binary} and "
                f"binary={other.binary}."
            )
        with all_or_nothing(self):
            classes = np.union1d(self.classes_, other.classes_)
            places = [np.searchsorted(classes, m.classes_) for m in (self, other)]
            count = np.zeros(len(classes))
            for model, place in zip((self, other), places):
                count[place] += model.class_count_
            self._add(other.vocabulary_, other._counts, places, len(classes))
            self.classes_, self.class_count_ = classes, count
            self._forget_choices()
            self._finish(self._given_parameter(), self.length_normalization)
        return self

    def class_model(self, label):
        """Return the language model of one class, to be read, asked and sampled.

        It knows the vocabulary of all classes, but not their background.

        Parameters
        ----------
        label : object
            One of `classes_`.

        Returns
        -------
        NGramLanguageModel
            Fitted.
        """
        check_is_fitted(self)
        place = np.flatnonzero(self.classes_ == label)
        if not len(place):
            raise ValueError(
                f"{label!r} is not one of the classes {self.classes_.tolist()}."
            )
        names = NGramLanguageModel().get_params()
        model = NGramLanguageModel(**{name: getattr(self, name) for name in names})
        model.vocabulary_, model._reading = self.vocabulary_, self._reading
        model._counts = counts_of_class(self._counts, int(place[0]))
        model._finish(self.smoothing_parameter_)
        return model

    def _labelled(self, X, y, sample_weight, classes=None):
        """Return documents, classes, codes and weights, those of weight 0 dropped."""
        require_targets(self, y)
        documents, rows, weight = self._weighted_documents(X, sample_weight)
        y = column_or_1d(y, warn=True)
        if rows is None:
            check_consistent_length(documents, y)
        else:
            check_consistent_length(sample_weight, y)
            y = y[rows]
        classes, codes = encode_classes(y, classes)
        return documents, classes, codes, weight

    def _finish(self, smoothing_parameter, length_normalization):
        self.class_log_prior_ = class_log_prior(
            self.class_count_, self.fit_prior, self.class_prior
        )
        self.smoothing_parameter_ = smoothing_parameter
        self.length_normalization_ = length_normalization
        background = self._background() if self.background else None
        self._model = self._smoothed_model(smoothing_parameter, background=background)

    def _choose(self, corpus, codes, weight):
        """Return the best candidates by the documents left out one by one."""
        rows = rows_to_leave_out(len(corpus), self.loo_max_samples, self.random_state)
        lists = self._candidates()
        candidates = list(product(*lists.values()))
        lengths = lists["length_normalization"]
        losses = np.empty((2, len(candidates), len(rows)))
        history = history_pairs(self._counts)
        background = self._background(sums=True) if self.background else None
        for i, parameter in enumerate(lists["smoothing_parameter"]):
            model = self._smoothed_model(
                parameter, history=history, sums=True, background=background
            )
            out = losses[:, i * len(lengths) : (i + 1) * len(lengths)]
            self._score_left_out(
                model, parameter, lengths, corpus, rows, codes[rows], weight[rows], out
            )
        best, self.loo_results_ = rank_candidates(
            [dict(zip(lists, values)) for values in candidates],
            {"log_loss": losses[0], "accuracy": losses[1]},
            weight[rows],
            CLASSIFICATION_SCORING[self.loo_scoring],
        )
        return candidates[best]

    def _candidates(self):
        """Return what leave-one-out tries, of both parameters."""
        default = {"length_normalization": LENGTH_NORMALIZATIONS}
        lists = parameter_candidates(self, default)
        if not tunes(self, "length_normalization"):
            lists["length_normalization"] = [self.length_normalization]
        _check_lengths(lists["length_normalization"])
        return lists

    def _score_left_out(
        self, model, parameter, lengths, corpus, rows, own, weight, out
    ):
        """Set `out` to log loss and correctness by (score, length, document)."""
        removed = np.minimum(1.0, weight)
        discount = parameter if self.smoothing == "absolute_discount" else 0.0
        n_words = corpus.n_outcomes[rows]

        def score(part):
            likelihood = score_rows_left_out(
                model,
                corpus,
                rows[part],
                own[part],
                removed[part],
                discount,
                self.binary,
            )
            log_prior = log_prior_without(
                self.class_count_,
                own[part],
                removed[part],
                self.fit_prior,
                self.class_prior,
            )
            for i, length in enumerate(lengths):
                joint = likelihood * _loudness(n_words[part], length) + log_prior
                out[:, i, part] = classification_losses(joint, own[part], log_prior)

        map_chunks(score, len(rows), 48 * len(self.classes_), n_jobs=self.n_jobs)

    def _check(self, X):
        documents = check_documents(X, self)
        return np.fromiter(documents, dtype=object, count=len(documents))

    def _bytes_per_row(self, X):
        # Codes of all characters at worst, and tables of the classes.
        sizes = [len(x) for x in X if isinstance(x, str)]
        return 16 * sum(sizes) / max(len(sizes), 1) + 24 * len(self.classes_)

    def _joint_blocks(self, X, rows):
        corpus = self._reader().read(X[rows], self.vocabulary_)
        joint = score_rows(self._model, corpus, slice(0, len(corpus)))
        joint *= _loudness(corpus.n_outcomes, self.length_normalization_)
        joint += self.class_log_prior_
        yield rows, joint


def _check_lengths(lengths):
    for length in lengths:
        number = isinstance(length, Real) and 0 < length < np.inf
        if length is not None and not number:
            raise ValueError(
                "loo_candidates['length_normalization'] must be numbers above 0, or "
                f"None; got {length!r}."
            )


def _loudness(n_words, length):
    """Return what the log likelihood of each document is multiplied with."""
    if length is None:
        return np.ones((len(n_words), 1))
    return np.minimum(1.0, length / np.maximum(n_words, 1))[:, None]

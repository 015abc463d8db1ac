"""LanguageModelNB: naive Bayes on raw text, with an n-gram model for each class."""

from itertools import product
from numbers import Real

import numpy as np
from sklearn.utils import column_or_1d
from sklearn.utils.validation import check_consistent_length, check_is_fitted

from .._compat import Interval, StrOptions, fit_context
from .._estimator import all_or_nothing, unavailable_because
from .._leave_one_out import (
    CLASSIFICATION_SCORING,
    classification_losses,
    rows_to_leave_out,
    summarise,
)
from ..language_model import NGramLanguageModel
from ..language_model._counts import START, counts_of_class
from ..language_model._learning import (
    NGramLearner,
    batches_excluded,
    check_read_alike,
    parameter_candidates,
    tunes,
)
from ..language_model._n_gram_language_model import N_GRAM_CONSTRAINTS
from ..language_model._scoring import log_likelihoods_left_out, score_rows
from ..language_model._smoothing import check_parameter
from ..tabular import encode_classes
from ._base import JointLogLikelihoodClassifier
from ._labelled import (
    check_mergeable,
    class_log_prior,
    known_classes,
    log_prior_without,
)

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
        a class has not shown then costs it as much as the word is common, and what no
        class has shown costs all the same.

    binary : bool, default=True
        Whether an n-gram counts once in each training document that holds it, however
        often that is: a word that came once is likely to come again, so that
        repetitions say less. With False every occurrence counts.

    length_normalization : float, "loo" or None, default=None
        Documents longer than so many words (and ends) speak no louder than one of that
        length: their log likelihood is divided by what they have more. Naive Bayes
        takes neighbouring words for independent evidence, and is too sure of long
        documents. The decision depends on it only through the class prior, the
        probabilities gain much. "loo": chosen by exact leave-one-out (with any
        smoothing but "kneser_ney"; best with ``loo_scoring="log_loss"``).

    analyzer : {"word", "char", "char_wb"} or callable, default="word"
        Whether words or characters are modelled. "char_wb": characters, each word by
        itself. A callable turns a document into a list of strings.

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

    vocabulary : iterable over str or dict, default=None
        The words, where they are not to be learnt; all others are the unknown word.

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
        The code of each word.
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
            Weights ≥ 0; an integer weight is as good as repetition.

        Returns
        -------
        self : LanguageModelNB

        Raises
        ------
        ValueError, TypeError
            Where a parameter or a document cannot be used; a former fit stays usable.
        """
        with all_or_nothing(self):
            documents, self.classes_, codes, weight = self._labelled(
                X, y, sample_weight
            )
            n_classes = len(self.classes_)
            self.class_count_ = np.bincount(codes, weight, n_classes)
            self.vocabulary_, corpus, self._counts = self._count(
                documents, weight, codes, n_classes
            )
            self._learn(corpus, codes, weight)
        return self

    @unavailable_because(batches_excluded)
    @fit_context(prefer_skip_nested_validation=True)
    def partial_fit(self, X, y, classes=None, sample_weight=None):
        """Learn from more documents; any split gives what one `fit` gives.

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
            vars(self).pop("loo_results_", None)
            self._finish(self._given_parameter(), self.length_normalization)
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
            vars(self).pop("loo_results_", None)
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
        model.vocabulary_ = self.vocabulary_
        model._counts = counts_of_class(self._counts, int(place[0]))
        model._finish(self.smoothing_parameter_)
        return model

    def _labelled(self, X, y, sample_weight, classes=None):
        """Return documents, classes, codes and weights, those of weight 0 dropped."""
        if y is None:
            raise ValueError(
                "LanguageModelNB requires y to be passed, but the target y is None."
            )
        documents, rows, weight = self._weighted_documents(X, sample_weight)
        y = column_or_1d(y, warn=True)
        if rows is None:
            check_consistent_length(documents, y)
        else:
            check_consistent_length(sample_weight, y)
            y = y[rows]
        classes, codes = encode_classes(y, classes)
        return documents, classes, codes, weight

    def _given_parameter(self):
        return check_parameter(self.smoothing, self.smoothing_parameter, self.order)

    def _learn(self, corpus, codes, weight):
        """Choose what is to be chosen, and smooth."""
        vars(self).pop("loo_results_", None)
        if tunes(self) or tunes(self, "length_normalization"):
            self._finish(**self._choose(corpus, codes, weight))
        else:
            self._finish(self._given_parameter(), self.length_normalization)

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
        own, removed = codes[rows], np.minimum(1.0, weight[rows])
        log_prior = log_prior_without(
            self.class_count_, own, removed, self.fit_prior, self.class_prior
        )
        lists = parameter_candidates(
            self, {"length_normalization": LENGTH_NORMALIZATIONS}
        )
        if not tunes(self, "length_normalization"):
            lists["length_normalization"] = [self.length_normalization]
        _check_lengths(lists["length_normalization"])
        candidates = [dict(zip(lists, values)) for values in product(*lists.values())]
        left_out = corpus.take(rows)
        background = self._background(sums=True) if self.background else None
        log_loss, correct = [], []
        for parameter in lists["smoothing_parameter"]:
            model = self._smoothed_model(parameter, sums=True, background=background)
            discount = parameter if self.smoothing == "absolute_discount" else 0.0
            likelihood = log_likelihoods_left_out(
                model, corpus, rows, own, removed, discount, self.binary, self.n_jobs
            )
            for length in lists["length_normalization"]:
                joint = likelihood * _loudness(left_out, length) + log_prior
                losses = classification_losses(joint, own, log_prior)
                log_loss.append(losses[0])
                correct.append(losses[1])
        scores = {"log_loss": np.array(log_loss), "accuracy": np.array(correct)}
        best, self.loo_results_ = summarise(
            candidates, scores, weight[rows], CLASSIFICATION_SCORING[self.loo_scoring]
        )
        return candidates[best]

    def _check(self, X):
        return self._read(X)

    def _bytes_per_row(self, X):
        return 16 * len(self.classes_)

    def _joint_blocks(self, corpus, rows):
        joint = score_rows(self._model, corpus, rows)
        if self.length_normalization_ is not None:
            documents = corpus.take(np.arange(rows.start, rows.stop))
            joint *= _loudness(documents, self.length_normalization_)
        yield rows, joint + self.class_log_prior_

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.two_d_array = False
        tags.input_tags.string = True
        return tags


def _check_lengths(lengths):
    for length in lengths:
        number = isinstance(length, Real) and 0 < length < np.inf
        if length is not None and not number:
            raise ValueError(
                "loo_candidates['length_normalization'] must be numbers above 0, or "
                f"None; got {length!r}."
            )


def _loudness(corpus, length):
    """Return what the log likelihood of each document is multiplied with."""
    if length is None:
        return np.ones((len(corpus), 1))
    words = np.bincount(corpus.document, corpus.tokens != START, len(corpus))
    return np.minimum(1.0, length / np.maximum(words, 1))[:, None]

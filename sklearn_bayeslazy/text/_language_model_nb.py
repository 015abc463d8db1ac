"""LanguageModelNB: naive Bayes on raw text, with an n-gram model for each class."""

from collections.abc import Callable
from numbers import Real

import numpy as np
from numpy.typing import ArrayLike
from sklearn.utils.validation import check_consistent_length, check_is_fitted

from .._core._arrays import label_column
from .._core._compat import Interval, StrOptions, fit_context
from .._core._estimator import all_or_nothing, require_targets, unavailable_because
from .._core._joint_log_likelihood import JointLogLikelihoodClassifier
from ..leave_one_out import PredictionSetMixin, classification_losses
from ..tabular import (
    CLASS_WEIGHTS,
    BlockFitMixin,
    check_mergeable,
    class_log_prior,
    encode_classes,
    known_classes,
    log_prior_without,
    times_class_weight,
)
from ._explanation import explain_tokens
from ._n_gram_language_model import NGramLanguageModel
from ._n_grams import (
    N_GRAM_CONSTRAINTS,
    SMOOTHINGS,
    UNKNOWN_WORD,
    NGramEstimatorMixin,
    batches_excluded,
    check_addable,
    check_documents,
    check_smoothing_parameter,
    choose_parameters,
    counts_of_class,
    is_tuned,
    left_out_log_likelihoods,
    log_likelihoods,
    parameter_candidates,
    token_length_factor,
    without_copied_documents,
)

# What "auto" stands for: with smoothing="auto", and with a given smoothing.
_TUNED = {
    "smoothing": "absolute_discount",
    "smoothing_parameter": "loo",
    "length_normalization": "loo",
}
_CLASSICAL = {"smoothing_parameter": None, "length_normalization": None}
# Default candidates, in words. Two for each decade: a finer series changes little.
_LENGTH_NORMALIZATIONS = [None, 1000.0, 300.0, 100.0, 30.0, 10.0, 3.0]


class LanguageModelNB(
    PredictionSetMixin,
    BlockFitMixin,
    NGramEstimatorMixin,
    JointLogLikelihoodClassifier,
):
    r"""Naive Bayes on raw text, with an n-gram language model for each class.

    The words of a document are not independent given the class: each is predicted from
    the `order` - 1 words before it,

    .. math:: \hat c = \arg\max_c P(c) \prod_i P(w_i \mid w_{i-N+1} \dots w_{i-1}, c).

    With `order` 1 this is the multinomial model of text, if unknown words are ignored
    (see `unknown`). Documents are strings. The models of all classes share one
    vocabulary and one trie of n-grams.

    Parameters
    ----------
    order : int, default=2
        The length N of the longest n-grams, up to 10 000. Two words, or four to six
        characters, are usually enough.

    smoothing : str, default="auto"
        The method that reserves probability for n-grams that a class has not shown:
        "none", "laplace", "lidstone", "m_estimate", "jelinek_mercer", "dirichlet",
        "absolute_discount", "witten_bell" or "kneser_ney"; see
        :class:`NGramLanguageModel` for their formulas. "auto": "absolute_discount",
        with what is "auto" of the other parameters chosen by leave-one-out.

    smoothing_parameter : float, array-like, "loo", "auto" or None, default="auto"
        The smoothing's parameter; None: its default. "loo": chosen by exact
        leave-one-out of documents, for "lidstone", "m_estimate", "jelinek_mercer",
        "dirichlet" and "absolute_discount". "auto": "loo" with smoothing="auto", else
        None.

    background : bool, default=True
        Whether the models of the classes back off to a model of all classes together
        (Witten–Bell, of the same order), in place of equally likely words. A word that
        a class has not shown then counts against it less if the word is rare. A word
        that no class has shown has the same probability in all of them, so that it
        decides nothing.

    binary : bool, default=True
        Whether an n-gram counts once in each training document that holds it. A word
        that occurred once in a document is likely to occur again, so repetitions are
        weaker evidence. With False every occurrence counts.

    length_normalization : float, "loo", "auto" or None, default="auto"
        log P(c, d) of a document of n words (and ends) is multiplied by min(1,
        length_normalization / n), so that longer documents carry no more evidence.
        Naive Bayes treats neighbouring words as independent evidence, and so is
        overconfident on long documents. The decision does not depend on this parameter;
        the probabilities improve much. "loo": chosen by exact leave-one-out (with any
        smoothing but "kneser_ney"). "auto": "loo" with smoothing="auto", else None.

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
        The text that begins with <s> and ends with </s>; None: there are no such
        symbols. See :class:`NGramLanguageModel`.

    unknown : {"token", "ignore"}, default="token"
        Words outside the vocabulary. "token": all are one more word, <unk>, with a
        separate probability. "ignore": they are removed from training documents and
        from queries, so that their neighbours become adjacent. With ``order=1,
        background=False, binary=False, boundaries=None`` and Laplace or Lidstone
        smoothing, "ignore" gives the multinomial model of the textbooks.

    fit_prior : bool, default=True
        Whether class priors are the class frequencies; otherwise they are equal.

    class_prior : array-like of shape (n_classes,), default=None
        Class priors to be used instead.

    class_weight : dict or "balanced", default=None
        Factors of the weights of the rows of each class, {class: factor}, as if they
        were part of `sample_weight`; 1 for a class that is not named. "balanced":
        n / (n_classes n_c), so that all classes weigh the same; not for
        `partial_fit`.

    loo_candidates : dict, default=None
        {"smoothing_parameter": list, "length_normalization": list}, the candidates of
        the parameters that are "loo".

    loo_scoring : {"log_loss", "accuracy"}, default="log_loss"
        The criterion of leave-one-out; ties in accuracy are broken by log loss.

    loo_max_samples : int or None, default=2000
        If there are more documents, a random subset of this size is left out one by
        one. None: every document is left out.

    random_state : int, RandomState instance or None, default=None
        Draws the documents of `loo_max_samples`.

    n_jobs : int, default=None
        Number of threads. Results do not depend on it.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        The classes, sorted.
    class_count_ : ndarray of shape (n_classes,)
        The total weight of each class's documents.
    class_log_prior_ : ndarray of shape (n_classes,)
        log P(c).
    vocabulary_ : dict of {str: int}
        The code of each word, for internal use, from 3 on.
    smoothing_ : str
        The smoothing, given or what "auto" stands for.
    smoothing_parameter_ : float, ndarray or None
        The parameter, chosen or given.
    length_normalization_ : float or None
        The length, chosen or given.
    loo_results_ : dict
        Only if a parameter is "loo" and there are two classes: "params",
        "mean_log_loss", "standard_error_log_loss", "mean_accuracy",
        "standard_error_accuracy" and "rank" of the candidates.

    See Also
    --------
    NGramLanguageModel : The model of one class.
    TextNB : Naive Bayes on counts of words, without their order.

    Notes
    -----
    Leave-one-out removes a document, with its copies (:ref:`weights-and-copies`), from
    the counts of its class and of the background; only the vocabulary stays. The
    discounts of "kneser_ney" are estimated from the counts, so leave-one-out does not
    choose them.

    References
    ----------
    F. Peng and D. Schuurmans (2003), Combining naive Bayes and n-gram language models
    for text classification, ECIR.

    Examples
    --------
    The classes use the same words in different order:

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
        "smoothing": [StrOptions({*SMOOTHINGS, "auto"})],
        "smoothing_parameter": [
            *N_GRAM_CONSTRAINTS["smoothing_parameter"],
            StrOptions({"auto"}),
        ],
        "background": ["boolean"],
        "binary": ["boolean"],
        "unknown": [StrOptions({"token", "ignore"})],
        "length_normalization": [
            Interval(Real, 0, None, closed="neither"),
            StrOptions({"loo", "auto"}),
            None,
        ],
        "fit_prior": ["boolean"],
        "class_prior": ["array-like", None],
        "class_weight": CLASS_WEIGHTS,
        "loo_scoring": [StrOptions({"log_loss", "accuracy"})],
    }

    _loo_parameters = ("smoothing_parameter", "length_normalization")

    def __init__(
        self,
        order=2,
        *,
        smoothing="auto",
        smoothing_parameter: str | float | ArrayLike | None = "auto",
        background=True,
        binary=True,
        length_normalization: str | float | None = "auto",
        analyzer: str | Callable = "word",
        tokenizer=None,
        token_pattern: str | None = r"(?u)\b\w+\b",
        preprocessor=None,
        strip_accents=None,
        lowercase=True,
        min_df=1,
        vocabulary=None,
        boundaries: str | Callable | None = "document",
        unknown="token",
        fit_prior=True,
        class_prior=None,
        class_weight=None,
        loo_candidates=None,
        loo_scoring="log_loss",
        loo_max_samples=2000,
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
        self.unknown = unknown
        self.fit_prior = fit_prior
        self.class_prior = class_prior
        self.class_weight = class_weight
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
            Weights ≥ 0; an integer weight has the effect of repeating the document.
            Usually about 1, because discounts and virtual words are measured in
            occurrences.

        Returns
        -------
        self : LanguageModelNB

        Raises
        ------
        ValueError, TypeError
            If a parameter or a document cannot be used; a former fit stays usable.
        """
        with all_or_nothing(self):
            parameter = self._checked_parameter()
            documents, self.classes_, codes, weight = self._labelled_documents(
                X, y, sample_weight
            )
            n_classes = len(self.classes_)
            self.class_count_ = np.bincount(codes, weight, n_classes)
            self.vocabulary_, corpus, self._counts = self._count_documents(
                documents, weight, codes, n_classes
            )
            self._drop_loo_results()
            self._choose_and_estimate(parameter, corpus, codes, weight)
            self._keep_training_rows(
                (corpus, codes, weight), sample_weight, codes, weight
            )
        return self

    @unavailable_because(batches_excluded)
    @fit_context(prefer_skip_nested_validation=True)
    def partial_fit(self, X, y, classes=None, sample_weight=None):
        """Learn from more documents; any split gives the result of one `fit`.

        Each call smooths all models anew, so batches should be large. What is "loo" is
        chosen on the first batch and stays, so that batch should be a random sample.
        (From documents of one class nothing can be learnt: then the parameter is the
        default of the smoothing, and the length is None.)

        Parameters
        ----------
        X : iterable over str
            Raw documents.
        y : array-like of shape (n_documents,)
            Class labels.
        classes : array-like of shape (n_classes,), default=None
            All classes that can occur; needed at the first call.
        sample_weight : array-like of shape (n_documents,), default=None
            Weights ≥ 0.

        Returns
        -------
        self : LanguageModelNB
        """
        first = not hasattr(self, "classes_")
        with all_or_nothing(self):
            parameter = self._checked_parameter()
            classes = known_classes(self, classes)
            documents, classes, codes, weight = self._labelled_documents(
                X, y, sample_weight, classes
            )
            n_classes = len(classes)
            class_count = np.bincount(codes, weight, n_classes)
            vocabulary, corpus, counts = self._count_documents(
                documents, weight, codes, n_classes, batch=True
            )
            if first:
                self.classes_, self.class_count_ = classes, class_count
                self.vocabulary_, self._counts = vocabulary, counts
                self._choose_and_estimate(parameter, corpus, codes, weight)
            else:
                self.class_count_ = self.class_count_ + class_count
                same = np.arange(n_classes)
                self._add_counts(vocabulary, counts, [same, same], n_classes)
                if not self._tunes_anything():
                    self._drop_loo_results()
                self._estimate(*self._settled_parameters())
        return self

    def _forget_rows(self):
        """Drop the counts of all documents, and keep what was chosen."""
        self.class_count_ = np.zeros_like(self.class_count_)
        self._forget_counts(len(self.classes_))

    @unavailable_because(batches_excluded)
    def merge(self, other):
        """Add the counts of another model, as if this one had read its documents too.

        Parameters
        ----------
        other : LanguageModelNB
            A fitted model of the same order; its classes may differ. Where "loo" chose
            a parameter, both models must have the same. It is not changed.

        Returns
        -------
        self : LanguageModelNB
        """
        check_mergeable(self, other, LanguageModelNB)
        check_addable(self, other)
        for name in ("binary", "unknown"):
            first, its = getattr(self, name), getattr(other, name)
            if first != its:
                raise ValueError(
                    f"The models count differently: {name}={first!r} and "
                    f"{name}={its!r}. Fit both with the same value."
                )
        with all_or_nothing(self):
            classes = np.union1d(self.classes_, other.classes_)
            positions = [np.searchsorted(classes, m.classes_) for m in (self, other)]
            class_count = np.zeros(len(classes))
            for model, position in zip((self, other), positions):
                class_count[position] += model.class_count_
            self._add_counts(other.vocabulary_, other._counts, positions, len(classes))
            self.classes_, self.class_count_ = classes, class_count
            self._drop_loo_results()
            self._estimate(*self._settled_parameters())
        return self

    def class_model(self, label):
        """Return the language model of one class, to score, predict and sample texts.

        It has the vocabulary of all classes, but no background. Unavailable with
        ``unknown="ignore"``, since a language model predicts the unknown word too.

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
        if self._reader_params["unknown"] == "ignore":
            raise ValueError(
                "class_model needs unknown='token', got unknown='ignore': a language "
                "model predicts the unknown word too. Fit again with unknown='token'."
            )
        classes = self.classes_.tolist()
        try:
            position = classes.index(label)
        except ValueError:
            raise ValueError(
                f"{label!r} is not one of the classes {classes}."
            ) from None
        names = NGramLanguageModel().get_params()
        model = NGramLanguageModel(**{name: self._value(name) for name in names})
        model.vocabulary_ = self.vocabulary_
        model._reader_params = self._reader_params
        model._counts = counts_of_class(self._counts, position)
        model._estimate(self.smoothing_parameter_)
        return model

    def explain(self, X):
        """Return what each word of a document adds to the log odds of the classes.

        The contribution of a word is log P(w_i | h, a) / P(w_i | h, b), given the
        words h before it, times the factor of `length_normalization_`, as is the log
        prior.

        Parameters
        ----------
        X : iterable over str
            Raw documents.

        Returns
        -------
        Explanation
            With `terms[row]` of shape (n_words, n_classes) for the words (and ends) of
            a document in their order; with the `base`, the log prior, they sum to
            :meth:`predict_joint_log_proba`. Words out of the vocabulary have the value
            "unknown word".
        """
        check_is_fitted(self)
        documents = self._check(X)
        corpus, words = self._reader().encode_with_words(documents, self.vocabulary_)
        modelled = self._modelled_words(corpus)
        if len(modelled.tokens) < len(words):
            words = words[corpus.tokens != UNKNOWN_WORD]
        return explain_tokens(self, modelled, words)

    def _labelled_documents(self, X, y, sample_weight, classes=None):
        """Return documents, classes, codes and weights, those of weight 0 dropped."""
        require_targets(self, y)
        documents, rows, weight = self._weighted_documents(X, sample_weight)
        y = label_column(y)
        if rows is None:
            check_consistent_length(documents, y)
        else:
            check_consistent_length(sample_weight, y)
            y = y[rows]
        classes, codes = encode_classes(y, classes)
        weight = times_class_weight(weight, self.class_weight, classes, codes)
        return documents, classes, codes, weight

    def _value(self, name):
        """Return the value of a parameter, and what "auto" stands for."""
        value = getattr(self, name)
        if not (isinstance(value, str) and value == "auto"):
            return value
        return (_TUNED if self.smoothing == "auto" else _CLASSICAL)[name]

    def _settled_parameters(self):
        """Return parameter and length, as chosen before or as given."""
        length = self._value("length_normalization")
        if is_tuned(self, "length_normalization"):
            length = self.length_normalization_
        return self._settled_parameter(), length

    def _choose_and_estimate(self, parameter, corpus, classes, weight):
        """Choose what is "loo", if there are words of two classes, and estimate."""
        length = self._value("length_normalization")
        if self._tunes_anything():
            if len(np.unique(classes)) > 1 and self.vocabulary_:
                (parameter, length), self.loo_results_ = choose_parameters(
                    self, corpus, classes, weight
                )
            else:
                parameter = self._default_parameter()
                if is_tuned(self, "length_normalization"):
                    length = None
        self._estimate(parameter, length)

    def _estimate(self, smoothing_parameter, length_normalization):
        """Turn the counts into estimates."""
        self._training_rows = None
        self.class_log_prior_ = class_log_prior(
            self.class_count_, self.fit_prior, self.class_prior
        )
        self.smoothing_ = self._value("smoothing")
        self.smoothing_parameter_ = smoothing_parameter
        self.length_normalization_ = length_normalization
        background = self._smoothed_background() if self.background else None
        self._model = self._smoothed_model(smoothing_parameter, background=background)

    def _loo_candidates(self):
        """Return the candidates of leave-one-out, of both parameters."""
        default = {"length_normalization": _LENGTH_NORMALIZATIONS}
        lists = parameter_candidates(self, default)
        if not is_tuned(self, "length_normalization"):
            lists["length_normalization"] = [self._value("length_normalization")]
        return lists

    def _left_out_losses(self, likelihood, n_words, left_out, lists):
        """Yield the losses of left-out documents for each length."""
        log_prior = self._left_out_log_prior(*left_out)
        for length in lists["length_normalization"]:
            joint = (likelihood + log_prior) * token_length_factor(n_words, length)
            yield classification_losses(joint, left_out[1], log_prior)

    def _left_out_log_prior(self, rows, classes, weight):
        """Return log P(class) without each of some documents, (n, n_classes)."""
        given = self.fit_prior, self.class_prior
        return log_prior_without(self.class_count_, classes, weight, *given)

    def _check(self, X):
        documents = check_documents(X, self)
        return np.fromiter(documents, dtype=object, count=len(documents))

    def _bytes_per_row(self, X):
        # At worst the codes of all characters, and one table of the classes.
        sizes = [len(x) for x in X if isinstance(x, str)]
        return 16 * sum(sizes) / max(len(sizes), 1) + 24 * len(self.classes_)

    def _left_out_joint(self, tempered):
        smoothing = self._value("smoothing")
        if smoothing == "kneser_ney":
            raise ValueError(
                "X=None does not go with smoothing='kneser_ney', from whose counts no "
                "document can be subtracted: give X, or fit with another smoothing, "
                "such as 'absolute_discount'."
            )
        corpus, *labels, of_given = without_copied_documents(*self._rows_to_leave_out())
        left_out = np.arange(len(corpus)), *labels
        parameter = check_smoothing_parameter(
            smoothing, self.smoothing_parameter_, None
        )
        (joint,) = left_out_log_likelihoods(self, [parameter], corpus, left_out)
        log_prior = self._left_out_log_prior(*left_out)
        joint += log_prior
        joint *= token_length_factor(corpus.n_predicted, self.length_normalization_)
        return joint[of_given], log_prior[of_given]

    def _copies_left_out(self):
        return without_copied_documents(*self._rows_to_leave_out())[-1]

    def _joint_blocks(self, X, rows, tempered=False):
        corpus = self._reader().encode(X[rows], self.vocabulary_)
        corpus = self._modelled_words(corpus)
        joint = log_likelihoods(self._model, corpus, n_jobs=1)
        joint += self.class_log_prior_
        joint *= token_length_factor(corpus.n_predicted, self.length_normalization_)
        yield rows, joint

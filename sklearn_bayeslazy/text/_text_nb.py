"""TextNB: naive Bayes for counts of words, with an m-estimate of every word."""

from numbers import Integral, Real

import numpy as np
from numpy.typing import ArrayLike
from sklearn.utils.validation import check_is_fitted

from .._core._arrays import check_count
from .._core._compat import Interval, StrOptions, fit_context
from .._core._estimator import all_or_nothing, names_of_columns, require_targets
from .._core._joint_log_likelihood import JointLogLikelihoodClassifier
from ..leave_one_out import PredictionSetMixin, check_same_choices, is_loo
from ..tabular import (
    BlockFitMixin,
    check_mergeable,
    check_rows,
    class_log_prior,
    encode_classes,
    known_classes,
    number_copies,
    weighted_rows,
    without_copies,
)
from ._explanation import explain_words
from ._words import (
    MAX_OFFSETS,
    TextRows,
    TextsToLearnFrom,
    WordOffsets,
    build_text_model,
    choose_by_leave_one_out,
    choose_word_offsets,
    count_by_class,
    cross_fitted_scores,
    document_lengths,
    expand_classes,
    fit_word_offsets,
    learns_offsets,
    left_out_joint,
    length_factor,
    n_virtual_examples,
    refuse_raw_texts,
    settled_choices,
    temper,
    top_words,
    tunes_anything,
    weigh_terms,
)

# Two gigabytes for each table of numbers by class and word.
_MAX_COUNTS = 2**28


class TextNB(PredictionSetMixin, BlockFitMixin, JointLogLikelihoodClassifier):
    r"""Naive Bayes for counts of words, by m-estimates.

    The textbook's classifier, which adds one to every count, is
    ``TextNB("laplace", temperature=1)``. Each class is a distribution over words,
    estimated from the words of its documents and `m` virtual words drawn from a prior,

    .. math:: \hat P(w \mid c) = \frac{n_{cw} + m\,p_w}{n_c + m},

    with :math:`n_{cw}` the number of times that word w occurs in class c, and
    :math:`n_c` the number of all words of the class.

    By default `m` is chosen by leave-one-out, and

    .. math:: \log P(c \mid x) = \tfrac{1}{T} \log \hat P(c, x) + b_c
              + \sum_w x_w u_{wc} + \text{const},

    with a temperature T, offsets b of the classes and u of their words that maximise
    the likelihood of the classes of documents that are left out (`feature_weights`);
    :math:`x_w` is the logarithm of a count, and documents have unit length
    (`term_weighting`).

    Documents come as a matrix of counts, sparse or dense; weights such as tf-idf are
    accepted too. Words that are not in the matrix are ignored, and so are words that
    have probability 0 in every class.

    Parameters
    ----------
    m : float, "laplace" or "loo", default="loo"
        The number of virtual words (`event_model` "multinomial") or virtual documents
        ("bernoulli", "poisson") of each class, ≥ 0. 0 keeps the plain frequencies,
        zeros included. "laplace": the size V of the vocabulary, which with the uniform
        prior adds one to each count; 2 for "bernoulli", which adds one document with
        and one without each word; 1 for "poisson". "loo": chosen by exact
        leave-one-out; ties go to the candidate nearest to "laplace".

    prior : {"uniform", "background"} or array-like, default="uniform"
        The distribution of the virtual words or documents. "uniform": 1/V for every
        word ("bernoulli": 1/2; "poisson": the mean length of a document over V).
        "background": the frequency in the whole training collection. An array of shape
        (V,), or (n_classes, V) with a row for each class, for instance the counts of a
        related corpus: its sums q(c) need not be 1, as in
        (n_cw + m q_cw) / (n_c + m q_c). For "bernoulli" it holds probabilities, for
        "poisson" rates.

    event_model : {"multinomial", "bernoulli", "poisson"}, default="multinomial"
        How a document is generated: as words drawn one after the other, as a set of
        words that are present or absent (x > 0), or as an independent Poisson count of
        each word (see Notes).

    complement : bool, default=False
        Whether a class is scored by how badly all other classes together explain the
        document (Rennie et al., 2003). This helps where classes differ much in size.
        Only for the multinomial model.

    norm : bool, default=False
        Whether the scores of each class are divided by their sum over the vocabulary,
        as ComplementNB does with ``norm=True`` (Rennie et al., 2003). Only with
        `complement` and m > 0; with "loo" not for ``prior="background"``.

    term_weighting : {"auto", "count", "log"}, default="auto"
        What stands for the count x of a word. "count": x. "log": log(1 + x), divided by
        the Euclidean length of the document. "auto": "log" with offsets of words,
        otherwise "count".

    feature_weights : {"auto", "loo"} or None, default="auto"
        "loo": offsets b and u as above; the likelihood is penalised by λ Σ (u / s)² / 2
        and by Σ b² / 2. λ is chosen among 3, 1, 0.3, …, 0.01 and infinity, and the
        scale s of a word between 1 and its inverse document frequency, by the log loss
        of documents in folds that are left out. Words of one document have no offset,
        and there are none if the classes times the words are more than 2²³. None: no
        offsets. "auto": "loo" if `m`, `temperature` and `length_exponent` are "loo",
        `prior` is "uniform" and the model is multinomial without `complement`;
        otherwise None.

    fit_prior : bool, default=True
        Whether class priors are the class frequencies; otherwise they are equal.

    class_prior : array-like of shape (n_classes,), default=None
        Class priors to be used instead.

    temperature : float or "loo", default="loo"
        The number T > 0 in P(c | x) ∝ P(c, x)^(1 / T(x)), T(x) = T max(1, n)^a, with n
        the number of words of the document and a the `length_exponent`. Words are not
        independent, so the probabilities of naive Bayes are far too close to 0 and 1; a
        temperature above 1 corrects that. It changes no prediction. 1: Bayes' rule.
        "loo": maximises the leave-one-out likelihood of the classes (see Notes),
        together with the offsets where there are some.

    length_exponent : float or "loo", default="loo"
        The exponent a, from 0 to 1. With 1/2, the evidence of a document grows like the
        square root of its length. "loo": chosen among 0, 1/2 and 1 with
        ``temperature="loo"``; 0 with offsets, or where the temperature is given.

    loo_candidates : dict, default=None
        {"m": list, "length_exponent": list}, the candidates of what is "loo". By
        default 0.0001 V to 1000 V virtual words, or 0.000001 to 10 000 virtual
        documents; and 0, 1/2 and 1.

    loo_scoring : {"accuracy", "log_loss"}, default=None
        The criterion of leave-one-out; ties in accuracy are broken by log loss. So the
        exponent, which changes no prediction, is chosen by log loss. None: "log_loss"
        with offsets, otherwise "accuracy".

    loo_max_samples : int or None, default=10000
        If there are more documents, a random subset of this size is left out one by
        one, each from the whole collection. None: every document is left out.

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
    feature_count_ : ndarray of shape (n_classes, n_features)
        The weight of each word in each class, by `term_weighting`; for "bernoulli"
        that of the documents that hold it.
    feature_log_prob_ : ndarray of shape (n_classes, n_features)
        log P(w | c); for "poisson" log λ, with λ the rate of the word in a document;
        with `complement` -log P(w | not c), divided by its sum with `norm`.
    coef_ : ndarray of shape (n_classes, n_features) or (1, n_features)
        The joint log probability is X @ coef_.T + intercept_ (for "bernoulli", X > 0;
        with ``term_weighting="log"`` its logarithms), which is T times the logarithm of
        the class probabilities where these have offsets. Two classes: its difference,
        second minus first, the log odds. Infinite where m = 0 makes a word impossible.
    intercept_ : ndarray of shape (n_classes,) or (1,)
        See `coef_`.
    m_ : float
        The number of virtual words or documents, chosen or given.
    temperature_ : float
        T, chosen or given.
    length_exponent_ : float
        The exponent a, chosen or given.
    loo_results_ : dict
        Only where there were candidates and two classes. "params", "mean_log_loss",
        "standard_error_log_loss", "mean_accuracy", "standard_error_accuracy", "rank"
        and "temperature" (the one that goes with the candidate; its log loss is
        measured with it); ``pandas.DataFrame(loo_results_)`` shows them as a table.
    n_features_in_ : int
        V, the number of words.
    feature_names_in_ : ndarray of shape (`n_features_in_`,)
        Names of the words, where X had names that are all strings.

    See Also
    --------
    MEstimateNB : For tables of mixed columns with missing values.
    sklearn.naive_bayes.MultinomialNB : Adds alpha to each count: m = alpha V here.
    sklearn.naive_bayes.BernoulliNB : Adds alpha documents of each kind: m = 2 alpha.
    sklearn.naive_bayes.ComplementNB : `complement` with m = alpha V.

    Notes
    -----
    Let N_c be the total weight of the documents of class c.

    - "bernoulli": P(w | c) = (n_cw + m p_w) / (N_c + m), and an absent word counts too,
      with 1 - P(w | c).
    - "poisson": word w occurs in a document at the rate λ_cw = (n_cw + m λ₀_w) /
      (N_c + m). Independent Poisson counts are a Poisson length with mean Σ_w λ_cw,
      and given the length a multinomial with P(w | c) ∝ λ_cw: this is the multinomial
      model with the document's length as additional evidence.
    - `complement`: the score of c is -Σ x_w log P(w | ¬c), with the words of all other
      classes as the counts and no class prior (unless there is but one class). A
      `prior` with a row for each class gives P(w | ¬c) the mean of the other rows.
      With `norm` the score is divided by -Σ_w log P(w | ¬c) over the vocabulary.

    The multinomial coefficient and log x! are omitted: they are the same for all
    classes.

    With m = 0 zeros are kept: a class with a zero factor has probability 0. If every
    class has one, the answer is the class prior. But a word that *no* class can hold
    (m = 0 or "background", and no document has it) is ignored, like a word outside the
    vocabulary. For "bernoulli" an absent word that every class requires is ignored too.
    Where nothing was observed at all, the estimate is its limit, the prior.

    Leave-one-out removes the document from the counts, from the class priors and from
    the prior of the words; the vocabulary stays. It costs a few logarithms for each
    word that a document holds; "bernoulli" adds a pass over the vocabulary for each
    distinct weight below 1.

    Without offsets the temperature minimises the leave-one-out log loss of the
    documents plus (1/T - 1)² / 2, which keeps T near 1 if the documents are not
    informative. One document in all counts as of any class, since few documents may be
    told apart without an error by chance. The scores are log P(c, x_i) without document
    i, so that no other documents are needed.

    With offsets the left-out scores of documents take the place of P(c, x), so that
    the offsets learn what naive Bayes gets wrong of documents it has not seen.
    ``predict_proba(None)`` gives each document the offsets that other folds learn.
    More than about 10⁸ products of cells and classes: a random sample of documents
    learns them.

    References
    ----------
    P. Bennett (2000), Assessing the calibration of naive Bayes' posterior estimates,
    CMU-CS-00-155.

    A. Fujino, N. Ueda and K. Saito (2007), A hybrid generative/discriminative approach
    to text classification with additional information, Information Processing &
    Management 43.

    C. Guo, G. Pleiss, Y. Sun and K. Weinberger (2017), On calibration of modern neural
    networks, ICML.

    T. Mitchell (1997), Machine Learning, section 6.10 (LEARN_NAIVE_BAYES_TEXT).

    J. Rennie, L. Shih, J. Teevan and D. Karger (2003), Tackling the poor assumptions of
    naive Bayes text classifiers, ICML.

    Examples
    --------
    Three documents over the words *ball*, *goal* and *vote*. Sport has 5 words in all
    and politics 3; one is added for each of the 3 words of the vocabulary:

    >>> import numpy as np
    >>> from sklearn_bayeslazy import TextNB
    >>> X = np.array([[2, 1, 0], [1, 1, 0], [0, 0, 3]])
    >>> nb = TextNB("laplace", temperature=1).fit(X, ["sport", "sport", "politics"])
    >>> np.exp(nb.feature_log_prob_)
    array([[0.16666667, 0.16666667, 0.66666667],
           [0.5       , 0.375     , 0.125     ]])
    >>> joint = np.exp(nb.predict_joint_log_proba([[1, 0, 1]]))[0]  # "ball vote"
    >>> bool(np.isclose(joint[0], 1/3 * (0+1)/(3+3) * (3+1)/(3+3)))  # politics
    True
    >>> bool(np.isclose(joint[1], 2/3 * (3+1)/(5+3) * (0+1)/(5+3)))  # sport
    True
    >>> nb.predict([[1, 0, 1]])
    array(['sport'], dtype='<U8')
    >>> nb.top_features(1, feature_names=["ball", "goal", "vote"])
    {'politics': ['vote'], 'sport': ['ball']}
    """

    _parameter_constraints = {
        "m": [Interval(Real, 0, None, closed="left"), StrOptions({"laplace", "loo"})],
        "prior": [StrOptions({"uniform", "background"}), "array-like"],
        "event_model": [StrOptions({"multinomial", "bernoulli", "poisson"})],
        "complement": ["boolean"],
        "norm": ["boolean"],
        "term_weighting": [StrOptions({"auto", "count", "log"})],
        "feature_weights": [StrOptions({"auto", "loo"}), None],
        "fit_prior": ["boolean"],
        "class_prior": ["array-like", None],
        "temperature": [Interval(Real, 0, None, closed="neither"), StrOptions({"loo"})],
        "length_exponent": [Interval(Real, 0, 1, closed="both"), StrOptions({"loo"})],
        "loo_candidates": [dict, None],
        "loo_scoring": [StrOptions({"log_loss", "accuracy"}), None],
        "loo_max_samples": [Interval(Integral, 1, None, closed="left"), None],
        "random_state": ["random_state"],
        "n_jobs": [Integral, None],
    }

    def __init__(
        self,
        m: str | float = "loo",
        *,
        prior: ArrayLike = "uniform",
        event_model="multinomial",
        complement=False,
        norm=False,
        term_weighting="auto",
        feature_weights: str | None = "auto",
        fit_prior=True,
        class_prior=None,
        temperature: str | float = "loo",
        length_exponent: str | float = "loo",
        loo_candidates=None,
        loo_scoring=None,
        loo_max_samples=10_000,
        random_state=None,
        n_jobs=None,
    ):
        self.m = m
        self.prior = prior
        self.event_model = event_model
        self.complement = complement
        self.norm = norm
        self.term_weighting = term_weighting
        self.feature_weights = feature_weights
        self.fit_prior = fit_prior
        self.class_prior = class_prior
        self.temperature = temperature
        self.length_exponent = length_exponent
        self.loo_candidates = loo_candidates
        self.loo_scoring = loo_scoring
        self.loo_max_samples = loo_max_samples
        self.random_state = random_state
        self.n_jobs = n_jobs

    @fit_context(prefer_skip_nested_validation=True)
    def fit(self, X, y, sample_weight=None):
        """Count the words of each class and estimate their probabilities.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            Counts or weights ≥ 0 of the words in each document.
        y : array-like of shape (n_samples,)
            Class labels.
        sample_weight : array-like of shape (n_samples,), default=None
            Weights ≥ 0; an integer weight has the effect of repeating the row.

        Returns
        -------
        self : TextNB

        Raises
        ------
        ValueError
            If a parameter or the data cannot be used; a former fit stays usable.
        """
        with all_or_nothing(self):
            read = self._learn(X, y, None, sample_weight, continues=False)
            self._keep_training_rows(read, sample_weight, *read[1:3])
        return self

    @fit_context(prefer_skip_nested_validation=True)
    def partial_fit(self, X, y, classes=None, sample_weight=None):
        """Learn from one more batch of rows; any split gives the result of one `fit`.

        What is "loo", offsets included, is chosen on the first batch and stays, so that
        batch should be a large random sample. (From one document, or one class, nothing
        can be learnt: then m is that of "laplace", and T = 1.) Otherwise each call uses
        the current values of `m` and the prior parameters.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            As in `fit`.
        y : array-like of shape (n_samples,)
            Class labels.
        classes : array-like of shape (n_classes,), default=None
            All classes that can occur; needed at the first call.
        sample_weight : array-like of shape (n_samples,), default=None
            Weights ≥ 0.

        Returns
        -------
        self : TextNB

        Raises
        ------
        ValueError
            If `classes` are missing or differ, or X has other columns; the model stays
            as it was.
        """
        with all_or_nothing(self):
            continues = hasattr(self, "classes_")
            classes = known_classes(self, classes)
            self._learn(X, y, classes, sample_weight, continues)
        return self

    def _forget_rows(self):
        """Drop the counts of all rows, and keep what was chosen."""
        self.class_count_ = np.zeros_like(self.class_count_)
        self.feature_count_ = np.zeros_like(self.feature_count_)

    def merge(self, other):
        """Add the counts of another model, as if this one had seen its rows too.

        `m`, the temperature, the offsets and the prior parameters stay this model's.

        Parameters
        ----------
        other : TextNB
            A fitted model of the same words and of an event model with the same counts
            ("multinomial" and "poisson" have) and of one `term_weighting`. Its classes
            may differ. Where "loo" chose an `m`, both models must have the same `m_`.
            It is not changed.

        Returns
        -------
        self : TextNB

        Raises
        ------
        ValueError, TypeError
            If the two cannot be merged; the model stays as it was.
        """
        check_mergeable(self, other, TextNB)
        names = [getattr(one, "feature_names_in_", None) for one in (self, other)]
        if self.n_features_in_ != other.n_features_in_ or not np.array_equal(*names):
            raise ValueError(
                "The two models differ in their words: they have "
                f"{self.n_features_in_} and {other.n_features_in_} columns, or columns "
                "of other names. Fit both on the same vocabulary."
            )
        self._check_same_counts(other._binary, other._weighting)
        if is_loo(self.m) or is_loo(other.m):
            check_same_choices([("m", self.m_, other.m_)])
        with all_or_nothing(self):
            vars(self).pop("loo_results_", None)
            classes = np.union1d(self.classes_, other.classes_)
            statistics = [
                expand_classes(
                    model.class_count_, model.feature_count_, model.classes_, classes
                )
                for model in (self, other)
            ]
            if self._offsets is not None:
                parts = self._offsets.bias, self._offsets.offsets.T
                bias, offsets = expand_classes(*parts, self.classes_, classes)
                self._offsets = WordOffsets(self._offsets.weight, bias, offsets.T)
            self.classes_ = classes
            self.class_count_, self.feature_count_ = (
                a + b for a, b in zip(*statistics)
            )
            self._keep_choices(settled_choices(self))
            self._estimate(self._model(self.complement))
        return self

    def top_features(self, n=10, *, feature_names=None):
        """Return the words that distinguish each class best from the others.

        Words are ranked by P(w | c) log (P(w | c) / P(w | not c)), the term that they
        add to the divergence of the class from the rest. So top words are both frequent
        and characteristic. The estimates are the smoothed ones, and "not c" is the mean
        of the other classes weighted by their priors. "bernoulli": P is the share of
        documents that hold the word; "poisson": its rate; with `complement`, the
        estimates of the class itself. If there is only one class, words are ranked by
        P(w | c).

        Parameters
        ----------
        n : int, default=10
            The number of words; all, if there are fewer.
        feature_names : array-like of shape (n_features,), default=None
            The names of the words, such as ``vectorizer.get_feature_names_out()``. By
            default the names seen in `fit`, or x0, x1, …

        Returns
        -------
        dict of {class label: list of str}
            Best first.
        """
        check_is_fitted(self)
        check_count(n, "n")
        feature_names = self._words(feature_names)
        log_prob = self._estimates(complement=False).log_prob()
        ranked = top_words(np.exp(log_prob), np.exp(self.class_log_prior_), n)
        return {
            label: [str(feature_names[j]) for j in words]
            for label, words in zip(self.classes_.tolist(), ranked)
        }

    def explain(self, X, *, feature_names=None):
        """Return what each word of a document adds to the log odds of the classes.

        The contribution of a word that occurs x times is x log (P(w | a) / P(w | b)) /
        T(x), with the temperature T(x) of the document. For "bernoulli" the base counts
        all words as absent, and a word's contribution is that of its presence; for
        "poisson" the base holds the rates of all words.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
        feature_names : array-like of shape (n_features,), default=None
            The names of the words, as in :meth:`top_features`.

        Returns
        -------
        Explanation
            With `terms[row]` of shape (n_words, n_classes) for the words of a row; its
            log odds are the differences of :meth:`predict_log_proba`.
        """
        check_is_fitted(self)
        counts, weighted = self._read(X, distinct=True)
        return explain_words(self, counts, weighted, self._words(feature_names))

    @property
    def feature_log_prob_(self):
        """Log P(w | c), of shape (n_classes, n_features)."""
        return self._estimates(self.complement).log_prob()

    @property
    def coef_(self):
        """The term that a word adds to the joint log probability."""
        return self._scores.linear()[0]

    @property
    def intercept_(self):
        """The joint log probability of a document without words."""
        return self._scores.linear()[1]

    def _words(self, feature_names):
        """Return the names of the words, by default those seen in `fit`."""
        if feature_names is None:
            feature_names = names_of_columns(self)
        if len(feature_names) != self.n_features_in_:
            raise ValueError(
                f"feature_names has {len(feature_names)} entries; the model has "
                f"{self.n_features_in_} words."
            )
        return feature_names

    def _learn(self, X, y, classes, sample_weight, continues):
        """Count labelled rows; return them, their classes, weights and the model."""
        # If it `continues`, they are added to the former counts.
        if self.complement and self.event_model != "multinomial":
            raise ValueError(
                "complement=True is defined for event_model='multinomial' only, got "
                f"event_model={self.event_model!r}: change one of the two."
            )
        if self.norm and not self.complement:
            raise ValueError(
                "norm=True is defined for complement=True only: set it, or norm=False."
            )
        self._check_offsets_have_a_meaning()
        binary = self.event_model == "bernoulli"
        weighting = self.term_weighting
        if weighting == "auto" and continues:
            weighting = self._weighting
        elif weighting == "auto":
            weighting = "log" if learns_offsets(self) else "count"
        if continues:
            self._check_same_counts(binary, weighting)
        refuse_raw_texts(X)
        reset = not continues
        X = check_rows(self, X, accept_sparse="csr", reset=reset, canonical=False)
        require_targets(self, y)
        X, y, weight = weighted_rows(X, y, sample_weight)
        X = weigh_terms(X, weighting)
        self.classes_, codes = encode_classes(y, classes, n_jobs=self.n_jobs)
        _refuse_large_counts(len(self.classes_), X.shape[1])
        chooses = tunes_anything(self) and not continues
        read = X, codes, weight
        if chooses:
            X, codes, weight, _ = without_copies(X, codes, weight, _are_alike(X))
        rows = TextRows(X, distinct=binary or chooses)
        counted = count_by_class(
            rows, codes, weight, len(self.classes_), binary, self.n_jobs
        )
        if continues:
            before = self.class_count_, self.feature_count_
            counted = [a + b for a, b in zip(before, counted)]
        self.class_count_, self.feature_count_ = counted
        self._binary, self._weighting = binary, weighting
        model = self._model(self.complement)
        if not continues or self.m != "loo":
            vars(self).pop("loo_results_", None)
        if chooses:
            choices, results = choose_by_leave_one_out(self, model, rows, codes, weight)
            if results:
                self.loo_results_ = results
        else:
            choices = settled_choices(self)
        if not continues:
            self._offsets = self._offset_choice = None
        self._keep_choices(choices)
        if not continues and self._can_learn_offsets(codes):
            self._learn_offsets(X, codes, weight)
        self._estimate(model)
        return *read, model

    def _check_offsets_have_a_meaning(self):
        if self.feature_weights != "loo":
            return
        for name, value in (
            ("event_model", self.event_model != "multinomial"),
            ("complement", self.complement),
            ("length_exponent", self.length_exponent not in ("loo", 0)),
        ):
            if value:
                raise ValueError(
                    f'feature_weights="loo" is defined for event_model="multinomial", '
                    "complement=False and length_exponent=0 only, got "
                    f"{name}={getattr(self, name)!r}: change it, or set "
                    "feature_weights=None."
                )

    def _can_learn_offsets(self, codes):
        n_offsets = len(self.classes_) * self.n_features_in_
        has_classes = len(codes) > 0 and bool(np.any(codes != codes[0]))
        return learns_offsets(self) and has_classes and n_offsets <= MAX_OFFSETS

    def _learn_offsets(self, X, codes, weight):
        """Learn what is added to the scores of words, and the temperature with it."""
        texts = TextsToLearnFrom(self, X, codes, weight)
        self._offset_choice = choose_word_offsets(texts)
        if self._offset_choice is not None:
            self._offsets = fit_word_offsets(texts, self._offset_choice)
            self.temperature_ = 1.0 / self._offsets.weight

    def _keep_choices(self, choices):
        self.m_ = n_virtual_examples(choices.m, self.event_model, self.n_features_in_)
        self.temperature_ = choices.temperature
        self.length_exponent_ = choices.length_exponent

    def _estimate(self, model):
        """Turn the counts into estimates."""
        self._training_rows = None
        self.class_log_prior_ = class_log_prior(
            self.class_count_, self.fit_prior, self.class_prior
        )
        self._scores = model.scores(self.m_, self.class_log_prior_)
        found = self._offsets
        if found is not None:
            self._scores.add(
                self.temperature_ * found.offsets, self.temperature_ * found.bias
            )

    def _estimates(self, complement):
        """Return the scores of words by their estimates alone."""
        model = self._model(complement)
        return model.scores(self.m_, self.class_log_prior_)

    def _model(self, complement):
        return build_text_model(
            self.class_count_,
            self.feature_count_,
            self.prior,
            event_model=self.event_model,
            complement=complement,
            norm=self.norm and complement,
        )

    def _check_same_counts(self, binary, weighting):
        if self._weighting != weighting:
            raise ValueError(
                "term_weighting differs: the counts are of "
                f"{self._weighting!r} and {weighting!r}, and cannot be added up. Fit a "
                "new model."
            )
        if self._binary != binary:
            raise ValueError(
                "event_model='bernoulli' counts documents and the others count words: "
                "the two cannot be added up. Fit a new model."
            )

    def _check(self, X):
        return self._read(X, distinct=self._binary)[1]

    def _read(self, X, distinct):
        """Return the rows of counts, and those by which words enter the scores."""
        refuse_raw_texts(X)
        X = check_rows(self, X, accept_sparse="csr", reset=False, canonical=False)
        weighted = weigh_terms(X, self._weighting)
        return TextRows(X, distinct=distinct), TextRows(weighted, distinct=distinct)

    def _joint_blocks(self, X, rows, tempered=False):
        changes = self.temperature_ != 1 or self.length_exponent_ > 0
        for block, cells in X.blocks(rows):
            joint = np.zeros((len(cells.starts) - 1, len(self.classes_)))
            self._scores.add_to(cells, joint)
            if tempered and changes:
                lengths = document_lengths(cells, self._binary)
                factor = length_factor(lengths, self.length_exponent_)
                temper(joint, factor / self.temperature_)
            yield block, joint

    def _left_out_joint(self, tempered):
        X, classes, weight, model = self._rows_to_leave_out()
        X, classes, weight, of_given = without_copies(X, classes, weight, _are_alike(X))
        rows = TextRows(X, distinct=True)
        has_offsets = self._offsets is not None
        joint, log_prior = left_out_joint(
            self, model, rows, classes, weight, tempered and not has_offsets
        )
        if has_offsets:
            texts = TextsToLearnFrom(self, X, classes, weight)
            joint = cross_fitted_scores(texts, self._offset_choice, joint)
            joint *= 1.0 if tempered else self.temperature_
        return joint[of_given], log_prior[of_given]

    def _copies_left_out(self):
        X, *labels, _ = self._rows_to_leave_out()
        return number_copies(X, *labels, _are_alike(X))

    def _bytes_per_row(self, X):
        return 32 * len(self.classes_)

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.input_tags.positive_only = True
        # The check's data are not counts of words.
        tags.classifier_tags.poor_score = True
        return tags


def _are_alike(X):
    """Return which documents have one word at most: such are equal by chance."""
    is_array = isinstance(X, np.ndarray)
    return (np.count_nonzero(X, axis=1) if is_array else np.diff(X.indptr)) <= 1


def _refuse_large_counts(n_classes, n_words):
    """Raise an error if the counts of words by class take too much memory."""
    if n_classes * n_words > _MAX_COUNTS:
        raise ValueError(
            f"{n_classes} classes times {n_words} words are more than {_MAX_COUNTS} "
            "counts: keep the words in use, or hash them to fewer columns, for example "
            "by HashingVectorizer(n_features=2**20)."
        )

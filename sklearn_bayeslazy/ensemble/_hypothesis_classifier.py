"""HypothesisClassifier: a mixture of hypotheses, weighted by their posteriors."""

from numbers import Integral, Real

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin, MetaEstimatorMixin
from sklearn.utils import check_random_state

from .._core._compat import Interval, StrOptions, fit_context
from .._core._estimator import (
    DocLinkMixin,
    LogProbabilityMixin,
    all_or_nothing,
    require_targets,
)
from .._core._parallel import map_results
from ..tabular import (
    CLASS_WEIGHTS,
    encode_classes,
    refuse_balanced_batches,
    times_class_weight,
    weighted_rows,
)
from ._explanations import explain_mixture
from ._held_out_rows import folds_of_rows
from ._hypotheses import (
    CV,
    NamedPartsMixin,
    as_probabilities,
    check_accepts_weights,
    check_fitted,
    classifiers_of,
    fitted_clone,
    labels_of,
    named_hypotheses,
    raw_prediction,
    splits_of_kept_rows,
    union_of_labels,
)
from ._posterior import (
    hypothesis_log_likelihood,
    hypothesis_log_posterior,
    log_prior,
    mixture,
    soften,
)
from ._predicted_labels import restrict_input_tags


class HypothesisClassifier(
    NamedPartsMixin,
    ClassifierMixin,
    LogProbabilityMixin,
    DocLinkMixin,
    MetaEstimatorMixin,
    BaseEstimator,
):
    r"""Finitely many hypotheses, weighted by their posterior probabilities.

    The posterior of a hypothesis is

    .. math:: P(h \mid D) \propto P(h) \prod_i P(y_i \mid x_i, h).

    `rule` determines how the posteriors become a prediction.

    Parameters
    ----------
    hypotheses : list
        Each is a classifier, or a pair (name, classifier); a function from X to labels,
        or to probabilities of shape (n_samples, n_classes) in the order of the sorted
        classes; or a mapping {class: probability} that holds for every row. The
        probabilities of a row must sum to 1. A search can set the parameters of a
        classifier with a name: those of ("a", GaussianNB()) as "a__var_smoothing".

    rule : {"bayes_optimal", "map", "ml", "gibbs"}, default="bayes_optimal"
        "bayes_optimal": the mixture of all hypotheses, weighted by their posteriors; no
        other rule has a smaller expected error. "map": the hypothesis with the largest
        posterior, the first if several are equal. "ml": the hypothesis with the largest
        likelihood, whatever its prior. "gibbs": one hypothesis, drawn from the
        posterior in `fit`; its expected error is at most twice that of "bayes_optimal".

    prior : array-like of shape (n_hypotheses,), default=None
        P(h), ≥ 0; divided by their sum. By default uniform.

    classes : array-like of shape (n_classes,), default=None
        Further labels. The labels of y, of tables, of fitted classifiers, and those
        that functions predict for the rows given to `fit` are always classes.

    cv : "prefit", int, splitter or list of splits, default="prefit"
        Which rows estimate P(y | x, h). "prefit": classifiers are fitted already, and
        have not seen the rows given to `fit`. Otherwise classifiers are fitted here:
        each row is predicted by a clone that has not seen it, as in cross-validation,
        and finally each classifier is fitted to all rows. An int is a number of folds;
        copies that are one row (:ref:`weights-and-copies`) are in the same fold.

    noise : float, default=0.0
        The probability, in [0, 1], that a prediction is replaced by a draw from the
        uniform distribution over the classes. With 0 a hypothesis that gives
        probability 0 to an observed label has the posterior 0, which suits exact rules
        but is too strict for fitted classifiers.

    class_weight : dict or "balanced", default=None
        Factors of the weights of the rows of each class, {class: factor}, as if they
        were part of `sample_weight`; 1 for a class that is not named. "balanced":
        n / (n_classes n_c), so that all classes weigh the same; not for
        `partial_fit`.

    random_state : int, RandomState instance or None, default=None
        Draws the hypothesis of "gibbs".

    n_jobs : int, default=None
        Number of processes (or workers of :func:`joblib.parallel_config`) that fit
        classifiers, with `cv`.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        All class labels, sorted.
    hypotheses_ : list
        The hypotheses, fitted.
    names_ : list of str
        Their names, as given or by their kind and index.
    log_likelihood_ : ndarray of shape (n_hypotheses,)
        ln P(D | h) of all rows given to `fit` and `partial_fit`; -inf if a hypothesis
        gives probability 0 to a label of y.
    posterior_ : ndarray of shape (n_hypotheses,)
        P(h | D).
    version_space_ : int array
        The hypotheses that are consistent with all rows: P(D | h) and P(h) are above 0.
    map_, ml_ : int
        The index of the hypothesis with the largest posterior, and likelihood.
    drawn_ : int
        The index of the hypothesis that "gibbs" has drawn; with that rule only.
    weights_ : ndarray of shape (n_hypotheses,)
        The weight of each hypothesis in the prediction, by the rule.
    n_features_in_ : int
        Number of columns.
    feature_names_in_ : ndarray of shape (`n_features_in_`,)
        Names of the columns, where X had names that are all strings.

    References
    ----------
    T. Mitchell (1997), Machine Learning, sections 6.2 to 6.8.

    Examples
    --------
    A bag holds red beads only, blue beads only, or both in equal parts. Two red beads
    are drawn:

    >>> import numpy as np
    >>> from sklearn_bayeslazy import HypothesisClassifier
    >>> bags = [{"red": 0.0, "blue": 1.0}, {"red": 0.5, "blue": 0.5}, {"red": 1.0}]
    >>> model = HypothesisClassifier(bags).fit([[0], [0]], ["red", "red"])
    >>> model.posterior_  # 0 : .25 : 1
    array([0. , 0.2, 0.8])
    >>> model.predict_proba([[0]])  # blue: .2 · .5
    array([[0.1, 0.9]])

    Functions are hypotheses, too. Two of these three agree with the rows:

    >>> rules = [lambda X: X[:, 0] > 1, lambda X: X[:, 0] > 3, lambda X: X[:, 0] < 2]
    >>> model = HypothesisClassifier(rules)
    >>> _ = model.fit(np.array([[0.0], [4.0]]), [False, True])
    >>> model.posterior_, model.version_space_
    (array([0.5, 0.5, 0. ]), array([0, 1]))
    """

    _parts_parameter = "hypotheses"
    _parameter_constraints = {
        "hypotheses": [list, tuple],
        "rule": [StrOptions({"bayes_optimal", "map", "ml", "gibbs"})],
        "prior": ["array-like", None],
        "classes": ["array-like", None],
        "cv": [*CV, StrOptions({"prefit"})],
        "noise": [Interval(Real, 0, 1, closed="both")],
        "class_weight": CLASS_WEIGHTS,
        "random_state": ["random_state"],
        "n_jobs": [Integral, None],
    }

    def __init__(
        self,
        hypotheses,
        rule="bayes_optimal",
        *,
        prior=None,
        classes=None,
        cv: object = "prefit",
        noise=0.0,
        class_weight=None,
        random_state=None,
        n_jobs=None,
    ):
        self.hypotheses = hypotheses
        self.rule = rule
        self.prior = prior
        self.classes = classes
        self.cv = cv
        self.noise = noise
        self.class_weight = class_weight
        self.random_state = random_state
        self.n_jobs = n_jobs

    @fit_context(prefer_skip_nested_validation=False)
    def fit(self, X, y, sample_weight=None):
        """Compute the posteriors, after fitting the classifiers if `cv` requires it.

        Parameters
        ----------
        X : {array-like, dataframe, sparse matrix} of shape (n_samples, n_features)
            Whatever the hypotheses take, or raw documents, strings (n_samples,).
        y : array-like of shape (n_samples,)
            Class labels.
        sample_weight : array-like of shape (n_samples,), default=None
            Weights ≥ 0: a row of weight 2 equals two rows. Classifiers fitted here must
            accept them.

        Returns
        -------
        self : HypothesisClassifier

        Raises
        ------
        ValueError
            If a parameter is invalid, or every hypothesis gives probability 0 to a
            label of y.
        NotFittedError
            If classifiers must be fitted already and are not.
        """
        require_targets(self, y)
        with all_or_nothing(self):
            self._fit_first(X, y, sample_weight, self._declared_classes())
        return self

    @fit_context(prefer_skip_nested_validation=False)
    def partial_fit(self, X, y, classes=None, sample_weight=None):
        """Update the posteriors by further rows: the old posterior is the new prior.

        The first call is the same as `fit`. In later calls the hypotheses stay as they
        are: with `cv`, classifiers fitted to the rows of the first call. With
        ``cv="prefit"`` batches give the posteriors of one `fit` to all rows, if all
        classes are known in the first.

        Parameters
        ----------
        X : {array-like, dataframe, sparse matrix} of shape (n_samples, n_features)
            Rows that no classifier has been fitted to.
        y : array-like of shape (n_samples,)
            Class labels.
        classes : array-like of shape (n_classes,), default=None
            On the first call the labels of all batches, beside those that the parameter
            `classes` and the hypotheses name.
        sample_weight : array-like of shape (n_samples,), default=None
            Weights ≥ 0: a row of weight 2 equals two rows.

        Returns
        -------
        self : HypothesisClassifier

        Raises
        ------
        ValueError
            If y has a label that is not in `classes_`, or every hypothesis gives
            probability 0 to a label. The former posteriors remain.
        """
        require_targets(self, y)
        refuse_balanced_batches(self.class_weight)
        with all_or_nothing(self):
            declared = self._declared_classes(classes)
            if not hasattr(self, "posterior_"):
                self._fit_first(X, y, sample_weight, declared)
                return self
            X = self._check_rows(X, y, reset=False)
            X, y, weight = weighted_rows(X, y, sample_weight)
            for labels in declared:
                encode_classes(labels, self.classes_)
            codes = encode_classes(y, self.classes_)[1]
            weight = times_class_weight(weight, self.class_weight, self.classes_, codes)
            predictions = (
                self._predict_member(i, hypothesis, X)
                for i, hypothesis in enumerate(self.hypotheses_)
            )
            self._add_evidence(predictions, codes, weight)
        return self

    def _declared_classes(self, classes=None):
        """Return the labels of the parameter and of the argument, if there are any."""
        given = [one for one in (self.classes, classes) if one is not None]
        return [encode_classes(labels)[0] for labels in given]

    def _fit_first(self, X, y, sample_weight, declared):
        """Fit the classifiers, if `cv` requires it, and compute the posteriors."""
        # X, y, sample_weight: as given to fit. declared: list of label arrays; their
        # labels are classes, whether y has them or not.
        parameter_names = self.get_params(deep=False)
        self.names_, hypotheses = named_hypotheses(self.hypotheses, parameter_names)
        self._noise = float(self.noise)
        self._log_prior = log_prior(self.prior, len(hypotheses))
        X = self._check_rows(X, y, reset=True)
        splits = splits_of_kept_rows(self.cv, X, y, sample_weight)
        X, y, weight = weighted_rows(X, y, sample_weight)
        is_weighted = not (sample_weight is None and self.class_weight is None)
        to_fit = self._classifiers_to_fit(hypotheses, is_weighted)
        raw = {
            i: raw_prediction(hypothesis, X)
            for i, hypothesis in enumerate(hypotheses)
            if i not in to_fit
        }
        self.classes_, codes = _all_classes(self.names_, hypotheses, raw, y, declared)
        weight = times_class_weight(weight, self.class_weight, self.classes_, codes)
        predictions = {
            i: self._probabilities(i, hypotheses[i], raw[i], len(y)) for i in raw
        }
        self.hypotheses_ = list(hypotheses)
        if self.cv != "prefit":
            if splits is None:
                splits = folds_of_rows(X, codes, codes, weight, self.cv)
                if len(splits) == 1:
                    raise ValueError(
                        "cv needs at least two rows, but n_samples = 1: add rows, or "
                        'pass fitted classifiers and cv="prefit".'
                    )
            rows = X, y, weight if is_weighted else None
            predictions |= self._held_out_predictions(to_fit, splits, rows)
            self._fit_to_all_rows(to_fit, rows)
        self.log_likelihood_ = np.zeros(len(hypotheses))
        ordered = (predictions[i] for i in range(len(hypotheses)))
        self._add_evidence(ordered, codes, weight)

    def _classifiers_to_fit(self, hypotheses, is_weighted):
        """Return the classifiers that are fitted here, {index: classifier}."""
        classifiers = {i: h for i, h in enumerate(hypotheses) if hasattr(h, "fit")}
        for i, classifier in classifiers.items():
            if self.cv == "prefit":
                check_fitted(classifier, self.names_[i])
            elif is_weighted:
                subject = f"The hypothesis {self.names_[i]!r}"
                advice = 'fit the hypothesis first and set cv="prefit"'
                check_accepts_weights(classifier, subject, advice)
        return {} if self.cv == "prefit" else classifiers

    def _fit_to_all_rows(self, classifiers, rows):
        """Replace classifiers in `hypotheses_` by clones fitted to all rows."""
        fitted = map_results(
            lambda classifier: fitted_clone(classifier, *rows),
            list(classifiers.values()),
            n_jobs=self.n_jobs,
        )
        for i, classifier in zip(classifiers, fitted):
            self.hypotheses_[i] = classifier

    def _add_evidence(self, predictions, codes, weight):
        """Multiply the likelihoods by those of further rows; set what follows."""
        # predictions: P(class | row, h) of each hypothesis, arrays (n_rows, n_classes);
        # codes (int) and weight: (n_rows,).
        self.log_likelihood_ = self.log_likelihood_ + [
            hypothesis_log_likelihood(predicted, codes, weight)
            for predicted in predictions
        ]
        log_posteriors = hypothesis_log_posterior(self._log_prior, self.log_likelihood_)
        if np.all(log_posteriors == -np.inf):
            raise ValueError(
                "Every hypothesis has the posterior 0: it gives probability 0 to a "
                "label of y, or its prior is 0. Add hypotheses, or set noise above "
                f"{self.noise}."
            )
        self.posterior_ = np.exp(log_posteriors)
        self.version_space_ = np.flatnonzero(log_posteriors > -np.inf)
        self.map_ = int(np.argmax(log_posteriors))
        self.ml_ = int(np.argmax(self.log_likelihood_))
        vars(self).pop("drawn_", None)  # of a former fit
        if self.rule == "gibbs":
            rng = check_random_state(self.random_state)
            self.drawn_ = int(rng.choice(len(log_posteriors), p=self.posterior_))
        if self.rule == "bayes_optimal":
            self.weights_ = self.posterior_
        else:
            name = "drawn_" if self.rule == "gibbs" else f"{self.rule}_"
            self.weights_ = np.eye(len(log_posteriors))[getattr(self, name)]

    def _predict_member(self, index, member, X):
        """Return P(class | row, h) of a hypothesis, noise included."""
        raw = raw_prediction(member, X)
        return self._probabilities(index, member, raw, X.shape[0])

    def _probabilities(self, i, hypothesis, raw, n_rows):
        """Return a raw prediction as probabilities of all classes, noise included."""
        labels = getattr(hypothesis, "classes_", self.classes_)
        subject = f"The hypothesis {self.names_[i]!r}"
        found = as_probabilities(raw, labels, self.classes_, n_rows, subject)
        return soften(found, self._noise)

    def predict_proba(self, X):
        """Return the class probabilities.

        Parameters
        ----------
        X : {array-like, dataframe, sparse matrix} of shape (n_samples, n_features)

        Returns
        -------
        ndarray of shape (n_samples, n_classes)
            By the rule; columns in the order of `classes_`.
        """
        return mixture(self._member_predictions(X))

    def explain(self, X):
        """Return what each hypothesis adds to the class probabilities.

        The contribution of a hypothesis is its weight times P(class | row, h), and its
        value the class that it predicts.

        Parameters
        ----------
        X : {array-like, dataframe, sparse matrix} of shape (n_samples, n_features)

        Returns
        -------
        Explanation
            Of the hypotheses of weight above 0; it sums to :meth:`predict_proba`.
        """
        weights, predictions = map(np.array, zip(*self._member_predictions(X)))
        return explain_mixture(self._used_names(), self.classes_, weights, predictions)

    def predict(self, X):
        """Return the most probable class of each row; ties go to the first class.

        Parameters
        ----------
        X : {array-like, dataframe, sparse matrix} of shape (n_samples, n_features)

        Returns
        -------
        ndarray of shape (n_samples,)
        """
        best = self.predict_proba(X).argmax(axis=1)
        return self.classes_[best]

    def __sklearn_tags__(self):
        """Return the tags: X may be what all hypotheses accept."""
        tags = super().__sklearn_tags__()
        return restrict_input_tags(tags, classifiers_of(self.hypotheses))


def _all_classes(names, hypotheses, raw, y, declared):
    """Return all labels (of y, of hypotheses, and declared ones) and the codes of y."""
    # raw: {index: raw prediction} of the hypotheses that are not fitted here; y:
    # (n_rows,); declared: list of label arrays.
    known = []
    for i, prediction in raw.items():
        try:
            known.append(labels_of(hypotheses[i], prediction))
        except (TypeError, ValueError) as error:
            raise type(error)(
                f"The hypothesis {names[i]!r} predicts labels that are no classes: "
                f"{error}"
            ) from None
    classes = union_of_labels(encode_classes(y)[0], [*known, *declared])
    return classes, encode_classes(y, classes)[1]

"""Parts of all estimators: links, left-out predictions, roll-back of failed fits."""

import functools
from contextlib import contextmanager
from dataclasses import dataclass
from numbers import Real
from types import MethodType

import numpy as np
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import check_is_fitted

from ._arrays import as_numpy, refuse_unreadable_targets, take_kept
from ._familiar_names import FamiliarNamesMixin


class LeftOutScoreMixin:
    """The score of a model whose ``predict(None)`` leaves training rows out."""

    # It comes before scikit-learn's mixin with the score itself. A subclass that keeps
    # all its rows has `_kept`, as `kept_rows` returned it, and `n_samples_fit_`, the
    # number of rows of `fit`.

    def _rows_of_fit(self):
        """Return which rows `fit` kept, None for all, and how many there were."""
        return self._kept, self.n_samples_fit_

    def score(self, X, y, sample_weight=None):
        """Return the accuracy of a classifier, R² of a regressor.

        Parameters
        ----------
        X : object
            Test rows, as `predict` takes them. None: the leave-one-out score of the
            training rows.
        y : array-like of shape (n_samples,) or (n_samples, n_outputs)
            True targets; for X=None those given to `fit`.
        sample_weight : array-like of shape (n_samples,), default=None
            Weights of the rows in the score.

        Returns
        -------
        float
        """
        check_is_fitted(self)
        if X is None:
            y, sample_weight = take_kept(*self._rows_of_fit(), y, sample_weight)
            return self._left_out_score(y, sample_weight)
        return super().score(X, y, sample_weight)

    def _left_out_score(self, y, sample_weight):
        """Return the score of ``predict(None)``; y, sample_weight: of its rows."""
        return super().score(None, y, sample_weight)


LEFT_OUT = "predicts the rows of the last call of fit, each by the model without it,"


@dataclass(frozen=True)
class _TrainingRows:
    rows: object  # what a family leaves out one by one
    kept: np.ndarray | None  # which rows of `fit` they are; None: all
    n_rows: int  # of `fit`, if it did not keep all
    classes: np.ndarray | None  # (n_kept,), codes of the classes of a classifier
    weight: np.ndarray | None  # (n_kept,)
    parameters: dict  # of the estimator in `fit`


class TrainingRowsMixin(LeftOutScoreMixin):
    """The rows of a fit that learns by sums: they are kept for X=None alone."""

    # They are references to what `fit` has read. Pickles do not have them, and what
    # adds further rows drops them. A classifier has `_copies_left_out()`, which returns
    # the index that repeats the answer for a row for its copies.

    _training_rows = None

    def _keep_training_rows(self, rows, sample_weight, classes=None, weight=None):
        """Keep what leaves the rows of `fit` out; sample_weight: as given to `fit`."""
        kept, n_rows = None, 0
        if sample_weight is not None and not isinstance(sample_weight, Real):
            is_kept = np.asarray(sample_weight) != 0  # they have been checked
            n_rows = len(is_kept)
            kept = None if is_kept.all() else np.flatnonzero(is_kept)
        self._training_rows = _TrainingRows(
            rows, kept, n_rows, classes, weight, self.get_params(deep=False)
        )

    def _as_fitted(self):
        """Return the model with the parameters of `fit`, whatever was set since."""
        if self._training_rows is None:
            return self
        model = object.__new__(type(self))  # `copy` would leave the rows out
        vars(model).update(vars(self) | self._training_rows.parameters)
        model.n_jobs = self.n_jobs
        return model

    def _rows_to_leave_out(self, meaning=LEFT_OUT):
        """Return what was kept; raise an error if there is nothing."""
        # meaning: what X=None does, for the error.
        check_is_fitted(self)
        if self._training_rows is None:
            raise ValueError(
                f"X=None {meaning} and this {type(self).__name__} does not have them: "
                "they are not saved with a model, nor kept by partial_fit, fit_blocks "
                "and merge. Give X, or call fit. (What prediction_set and "
                "prediction_interval learn from them is saved once one was called.)"
            )
        return self._training_rows.rows

    def _left_out_classes(self):
        """Return codes, weights and copies of the rows of ``predict_proba(None)``."""
        of_given = self._copies_left_out()
        return self._training_rows.classes, self._training_rows.weight, of_given

    def _rows_of_fit(self):
        """Return which rows `fit` kept, None for all, and how many there were."""
        self._rows_to_leave_out()
        return self._training_rows.kept, self._training_rows.n_rows

    def __getstate__(self):
        state = super().__getstate__()
        return {name: each for name, each in state.items() if name != "_training_rows"}


class DocLinkMixin(FamiliarNamesMixin):
    """Let the HTML view of an estimator link to this package's documentation."""

    # By `FamiliarNamesMixin`, errors name the counterparts of other packages'
    # parameters and values.

    _doc_link_module = "sklearn_bayeslazy"
    _doc_link_template = (
        "https://sklearn-bayeslazy.readthedocs.io/en/latest/api/generated/"
        "sklearn_bayeslazy.{estimator_name}.html"
    )


class FittedHtmlMixin:
    """Let the HTML view of a fitted estimator end with what `fit` found."""

    def _html_of_fit(self):
        """Return HTML about what `fit` found, "" before it."""
        raise NotImplementedError

    # scikit-learn 1.6 asks for `_repr_html_inner`, and notebooks for the bundle.

    def _repr_html_inner(self):
        return super()._repr_html_inner() + self._html_of_fit()

    def _repr_mimebundle_(self, **kwargs):
        bundle = super()._repr_mimebundle_(**kwargs)
        if "text/html" in bundle:
            bundle["text/html"] += self._html_of_fit()
        return bundle


class LogProbabilityMixin:
    """Logarithms of the class probabilities, where there is `predict_proba`."""

    @available_if(lambda estimator: hasattr(estimator, "predict_proba"))
    def predict_log_proba(self, X):
        """Return the logarithms of the class probabilities.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            As in `predict_proba`.

        Returns
        -------
        ndarray of shape (n_samples, n_classes), or list of ndarrays
            As `predict_proba`; -inf for a class of probability 0.
        """
        probabilities = self.predict_proba(X)
        with np.errstate(divide="ignore"):
            if isinstance(probabilities, list):
                return [np.log(one) for one in probabilities]
            return np.log(probabilities)


def require_targets(estimator, y):
    """Raise an error if y is None or cannot be read."""
    if y is None:
        raise ValueError(
            f"{type(estimator).__name__} requires y to be passed, but the target y is "
            "None."
        )
    refuse_unreadable_targets(y)


def accepting_any_table(tags):
    """Return the tags; X may have missing cells, strings and categories."""
    for name in ("allow_nan", "categorical", "string"):
        setattr(tags.input_tags, name, True)
    return tags


def names_of_columns(estimator):
    """Return the names of the columns that `fit` saw; x0, x1, … without names."""
    numbered = [f"x{j}" for j in range(estimator.n_features_in_)]
    return list(getattr(estimator, "feature_names_in_", numbered))


def set_random_states(estimator, draw):
    """Set every ``random_state`` of an estimator and of its parts; return it."""
    # draw(): called once for each; returns the seed.
    return estimator.set_params(
        **{name: draw() for name in random_state_names(estimator)}
    )


def random_state_names(estimator):
    """Return the names of the parameters ``random_state``, of its parts as well."""
    return [
        name
        for name in estimator.get_params()
        if name == "random_state" or name.endswith("__random_state")
    ]


def check_both_fitted(model, other, kind):
    """Raise an error unless both models are fitted and the other is of type `kind`."""
    check_is_fitted(model)
    if not isinstance(other, kind):
        raise TypeError(
            f"other must be another {kind.__name__}, got {type(other).__name__}."
        )
    check_is_fitted(other)


@contextmanager
def all_or_nothing(estimator):
    """Restore `estimator` if the block fails, so that a former fit stays usable."""
    # The block must replace fitted attributes, never change their contents.
    before = vars(estimator).copy()
    vars(estimator).pop("_conformal", None)  # it is about the former rows
    try:
        with as_numpy():
            yield
    except BaseException:
        vars(estimator).update(before)  # first: other threads miss nothing meanwhile
        for name in vars(estimator).keys() - before.keys():
            del vars(estimator)[name]
        raise


class UnavailableMethodError(AttributeError, ValueError):
    """The estimator does not have this method with its present parameters."""


class unavailable_because:
    """Decorate a method that some parameters exclude."""

    def __init__(self, reason):
        # reason(estimator): the message of the error, or None if the method is
        # available. Like `sklearn.utils.metaestimators.available_if` it makes `hasattr`
        # return False; the error also names the reason and the remedy.
        self.reason = reason

    def __call__(self, method):
        """Wrap the method."""
        self.method = method
        return functools.update_wrapper(self, method)

    def __get__(self, estimator, owner=None):
        """Return the method if it is available."""
        if estimator is None:
            return self.method
        if message := self.reason(estimator):
            raise UnavailableMethodError(message)
        return MethodType(self.method, estimator)

"""Weak learners as the loop of boosting uses them: fit to weighted rows, then reweight.

`ClassifierLearner` fits copies of any classifier. `StumpLearner` and `MHStumpLearner`
in :mod:`._stumps` fit decision stumps.
"""

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.special import softmax
from sklearn import get_config
from sklearn.base import clone
from sklearn.dummy import DummyClassifier
from sklearn.utils import check_random_state
from sklearn.utils.metadata_routing import process_routing
from sklearn.utils.validation import check_consistent_length

from .._core._arrays import kept_rows, label_column, takes_weights
from .._core._compat import check_method_params
from .._core._estimator import random_state_names
from .._core._warnings import warn_caller
from ..tabular import (
    check_table,
    encode_classes,
    naming_unreadable_cells,
    take_rows,
    times_class_weight,
)
from ._predicted_labels import predicted_codes
from ._reweighting import (
    log_loss_factor,
    perfect_member_alpha,
    reweighted,
    vote_weight,
    weighted_error,
)

# A classifier gets weights in the scale of sample_weight if its mean is between these;
# otherwise they have the mean 1.
_MIN_MEAN_WEIGHT, _MAX_MEAN_WEIGHT = 1e-6, 1e6
# A vote that changes the exponential loss by no more than this share only rounds it.
_ROUNDING = 1e-10


class WeakLearner(ABC):
    """The weights of the training rows, and how a member is fitted to them."""

    # Whether two fits to the same weights may give different members.
    is_random = True
    _auto_rate = 1.0  # learning_rate="auto"
    # The rows that the last member misclassified, as a mask or as indices. A learner
    # that is never reset has none.
    _wrong = np.empty(0, np.int64)

    # rows: TrainingRows; model: MyAdaBoost, whose classes are set.
    def __init__(self, rows, model):
        self._model, self._classes = model, model.classes_
        rate = model.learning_rate
        self._rate = self._auto_rate if rate == "auto" else rate
        self._sample_weight = rows.weight
        self._log_sample_weight = np.log(rows.weight)
        # Whether members are fitted to rows drawn by their weights.
        self.resamples = model.weighting == "resample"
        # The log factors that the weights would have without resets; None if there was
        # none.
        self.log_ensemble_factor = None
        self.restart()

    def reset(self):
        """Set the weights to the sample weights, and go on tracking all members."""
        if self.log_ensemble_factor is None:
            self.log_ensemble_factor = self._log_weight - self._log_sample_weight
        self.restart()

    def restart(self, log_factor=0.0):
        """Set the weights to the sample weights times factors, given as logarithms."""
        self._log_weight = self._log_sample_weight + log_factor

    def _draw_rows(self, rng):
        """Return sorted indices of n_rows rows, drawn with replacement by weight."""
        share, n_rows = softmax(self._log_weight), len(self._log_weight)
        return np.sort(rng.choice(n_rows, size=n_rows, p=share))

    @abstractmethod
    def fit_member(self, seed):
        """Fit a member to the weights; return it and its weighted error."""

    def misclassified(self):
        """Return which rows the last member misclassified, as bytes to compare."""
        return self._wrong.tobytes()

    def ensemble_error(self, error):
        """Return the last member's error under the weights without resets."""
        # error: its error under the current weights.
        if self.log_ensemble_factor is None:
            return error
        wrong = np.zeros(len(self._sample_weight), dtype=bool)
        wrong[self._wrong] = True
        log_weight = self._log_sample_weight + self.log_ensemble_factor
        return weighted_error(wrong, log_weight)

    def vote_weight(self, error, alphas):
        """Return the weight of the vote of the last member, given those of others."""
        n_classes = len(self._classes)
        if error == 0.0:
            total_weight = self._sample_weight.sum()
            return perfect_member_alpha(sum(alphas), total_weight, n_classes)
        alpha = vote_weight(error, n_classes, self._model.algorithm_)
        return self._rate * alpha

    def reduces_loss(self, alpha, error):
        """Return whether a vote reduces the exponential loss of the whole ensemble."""
        # alpha, error: the vote weight and the error of the last member.
        n_classes = len(self._classes) if self._model.algorithm_ == "samme" else 2
        error = self.ensemble_error(error)
        return log_loss_factor(error, alpha, n_classes) < -_ROUNDING

    def log_bound_factor(self, alpha, error):
        """Return the log of the factor by which a vote changes the error bound."""
        return log_loss_factor(self.ensemble_error(error), alpha)

    def reweight(self, alpha):
        """Increase the weights of the rows that the last member misclassified."""
        if self.log_ensemble_factor is not None:
            self.log_ensemble_factor[self._wrong] += 2 * alpha
        self._reweight(alpha)

    @abstractmethod
    def _reweight(self, alpha):
        """Increase the current weights of the rows that are misclassified."""


class ClassifierLearner(WeakLearner):
    """Fits copies of a classifier."""

    def __init__(self, rows, model):
        super().__init__(rows, model)
        self._rows, self._estimator = rows, model.estimator
        self.resamples = self.resamples or not _accepts_weights(model.estimator)
        usual_scale = _MIN_MEAN_WEIGHT < rows.weight.mean() < _MAX_MEAN_WEIGHT
        self._total_weight = rows.weight.sum() if usual_scale else float(len(rows.y))
        self._seed_names = random_state_names(model.estimator)
        self.is_random = self.resamples or bool(self._seed_names)

    def restart(self, log_factor=0.0):
        """Set the weights to the sample weights times factors, given as logarithms."""
        super().restart(log_factor)
        self._log_factor = np.zeros(len(self._sample_weight)) + log_factor

    def fit_member(self, seed):
        """Fit a copy to the weights; return it and its weighted error."""
        rng = check_random_state(seed)
        member = clone(self._estimator)
        seeds = {name: rng.randint(2**31 - 1) for name in self._seed_names}
        member.set_params(**seeds)
        if self.resamples:
            member = self._fit_to_drawn_rows(member, rng)
        else:
            _fit_to_rows(member, self._rows, sample_weight=self._fit_weight())
        predicted = predicted_codes(member, self._rows.X, self._classes)
        self._wrong = predicted != self._rows.codes
        return member, weighted_error(self._wrong, self._log_weight)

    def _fit_to_drawn_rows(self, member, rng):
        """Return the member fitted to drawn rows, or a constant classifier."""
        # Many classifiers refuse one class, and some refuse a draw of very few distinct
        # rows. But an estimator that cannot be fitted to all rows raises its error.
        indices = self._draw_rows(rng)
        drawn = self._rows.take(indices, np.ones(len(indices)))
        if np.any(drawn.codes != drawn.codes[0]):
            try:
                return _fit_to_rows(member, drawn)
            except (ValueError, TypeError):
                _fit_to_rows(clone(member), self._rows)
        return DummyClassifier().fit(drawn.X, drawn.y)

    def _fit_weight(self):
        """Return the weights in the scale of the sample weights."""
        # So smoothing parameters keep their meaning. In the first round these are the
        # sample weights to the last bit, unless their mean is not in the usual scale.
        weight = self._sample_weight * np.exp(self._log_factor - self._log_factor.max())
        weight *= self._total_weight / weight.sum()
        return weight

    def _reweight(self, alpha):
        self._log_factor = reweighted(self._log_factor, self._wrong, alpha)
        self._log_weight = self._log_sample_weight + self._log_factor


def _fit_to_rows(member, rows, **weights):
    """Return a member, fitted; numerical failures become errors that give advice."""
    try:
        with naming_unreadable_cells(rows.X):
            return member.fit(rows.X, rows.y, **weights, **rows.fit_params)
    except (ArithmeticError, LookupError) as error:
        raise ValueError(
            f"estimator={member!r} cannot be fitted to {len(rows.y)} rows: "
            f"{type(error).__name__}: {error}. Remove constant columns, or use another "
            "estimator."
        ) from error


def _accepts_weights(estimator):
    """Return whether the fit of a classifier takes sample_weight; warn if not."""
    if takes_weights(estimator):
        return True
    warn_caller(
        f"{type(estimator).__name__}.fit takes no sample_weight, so each round is "
        'fitted to rows drawn by their weights. Set weighting="resample" to choose '
        "this explicitly, or use another estimator. A Pipeline takes weights if "
        "metadata routing is enabled and its classifier requests them, by "
        "set_fit_request(sample_weight=True).",
    )
    return False


# The labelled, weighted rows that the members of a boosted ensemble are fitted to.


@dataclass
class TrainingRows:
    """Labelled rows, their weights, and further arguments of fit."""

    X: Any  # array-like, dataframe or sparse matrix of shape (n_rows, n_columns)
    y: np.ndarray  # labels, (n_rows,)
    codes: np.ndarray  # the index of each label in `classes_`, int (n_rows,)
    weight: np.ndarray  # above 0, (n_rows,)
    # Further arguments for the fit of a member. Arrays with an entry for each row are
    # indexed together with the rows.
    fit_params: dict

    def take(self, rows, weight):
        """Return the rows at some indices, with the weights given."""
        return TrainingRows(
            take_rows(self.X, rows),
            self.y[rows],
            self.codes[rows],
            weight,
            check_method_params(self.X, self.fit_params, rows),
        )


def check_training_rows(model, X, y, sample_weight, params, classes):
    """Check the arguments of fit; return the classes and rows of weight above 0."""
    # model: MyAdaBoost; X, y, sample_weight: as given to fit; params: its further
    # arguments; classes: (n_classes,), of the former fit with warm_start, or None.
    # Returns the classes (n_classes,), TrainingRows, and which rows these are (None for
    # all) of how many.
    is_first, accept_sparse = classes is None, model.estimator is not None
    X = check_table(model, X, y, reset=is_first, accept_sparse=accept_sparse)
    y = label_column(y)
    check_consistent_length(X, y)
    params = _route_to_estimator(model, params)
    n_rows = len(y)
    kept, weight = kept_rows(sample_weight, n_rows)
    params = check_method_params(X, params, kept)
    if kept is not None:
        X, y = take_rows(X, kept), y[kept]
    advice = "With warm_start=True, y may hold only classes of the first fit."
    classes, codes = encode_classes(y, classes, advice)
    weight = times_class_weight(weight, model.class_weight, classes, codes)
    return classes, TrainingRows(X, y, codes, weight, params), (kept, n_rows)


def _route_to_estimator(model, params):
    """Return the arguments of fit that are routed to ``model.estimator``."""
    if not params:
        return {}
    if not get_config()["enable_metadata_routing"]:
        raise ValueError(
            f"fit got unexpected arguments {sorted(params)}. To pass them on to "
            "estimator, call sklearn.set_config(enable_metadata_routing=True) and "
            "estimator.set_fit_request."
        )
    if model.estimator is None:
        raise TypeError(
            f"Stumps accept no further arguments of fit, got {sorted(params)}: set "
            "estimator to a classifier that requests them."
        )
    return process_routing(model, "fit", **params).estimator.fit

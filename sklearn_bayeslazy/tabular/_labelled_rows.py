"""Labelled rows, classes and class priors, as all naive Bayes models share them.

The models weight rows, check `classes=` in partial_fit and the other model in merge,
and compute log P(c) from the total weight of each class, all in the same way.
"""

import numpy as np
from sklearn.utils import check_consistent_length, column_or_1d

from .._core._arrays import as_float_array
from .._core._estimator import check_both_fitted
from .._core._weights import kept_rows
from ._classes import encode_classes, kind_of_classes
from ._frames import take_rows


def weighted_rows(X, y, sample_weight):
    """Return rows, labels and weights without the rows of weight 0."""
    y = column_or_1d(y, warn=True)
    check_consistent_length(X, y)
    kept, weight = kept_rows(sample_weight, len(y))
    if kept is not None:
        X, y = take_rows(X, kept), y[kept]
    return X, y, weight


def known_classes(model, classes):
    """Return the `classes` of the first batch, later those of the model."""
    # Classes given for a later batch must equal the model's.
    if not hasattr(model, "classes_"):
        if classes is None:
            raise ValueError("classes must be passed on the first call to partial_fit.")
        return classes
    if classes is not None:
        given, _ = encode_classes(classes)
        if not np.array_equal(given, model.classes_):
            raise ValueError(
                f"classes={given.tolist()} are not those of the first call, "
                f"{model.classes_.tolist()}: pass the same classes, or None."
            )
    return model.classes_


def check_mergeable(model, other, kind):
    """Raise an error unless both are fitted models of one type and kind of classes."""
    check_both_fitted(model, other, kind)
    if kind_of_classes(model.classes_) != kind_of_classes(other.classes_):
        raise TypeError(
            f"The models' classes are of different kinds: {model.classes_.tolist()} "
            f"and {other.classes_.tolist()}."
        )


def class_log_prior(class_count, fit_prior, class_prior):
    """Return log P(c), of the shape of `class_count` (..., n_classes)."""
    n_classes = class_count.shape[-1]
    if class_prior is not None:
        prior = as_float_array(class_prior, "class_prior", "one number per class")
        if prior.shape != (n_classes,):
            raise ValueError(
                f"class_prior has shape {prior.shape}; it needs ({n_classes},), one "
                "number per class."
            )
        if not np.all(prior >= 0) or not np.isclose(prior.sum(), 1.0):
            raise ValueError(
                f"class_prior must be ≥ 0 and sum to 1, got {class_prior!r}."
            )
        prior = np.broadcast_to(prior, class_count.shape)
    elif fit_prior:
        with np.errstate(invalid="ignore"):  # no rows yet
            prior = class_count / class_count.sum(axis=-1, keepdims=True)
    else:
        prior = np.full(class_count.shape, 1 / n_classes)
    with np.errstate(divide="ignore"):  # a class without rows yet
        return np.log(prior)


def log_prior_without(class_count, classes, removed, fit_prior, class_prior):
    """Return log P(c) without each of some rows, of shape (n_rows, n_classes)."""
    # class_count: (n_classes,). classes, removed: (n_rows,), the class of each row and
    # the weight that this class loses.
    n_rows = len(classes)
    count = np.repeat(class_count[None], n_rows, axis=0)
    true_class = np.arange(n_rows), classes
    count[true_class] = np.maximum(count[true_class] - removed, 0.0)
    is_only_row = count.sum(axis=1) == 0
    count[is_only_row] = 1.0  # no other row: equal priors
    return class_log_prior(count, fit_prior, class_prior)

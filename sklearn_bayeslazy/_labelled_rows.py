"""Labelled rows as every naive Bayes model takes them: weights, classes, class priors.

Weights come from data to class masses, and class masses to log P(c); what is asked of
`classes=` in partial_fit and of two models in merge is the same for all.
"""

import numpy as np
from sklearn.utils import check_consistent_length, column_or_1d

from ._arrays import as_float_array
from ._estimator import check_both_fitted
from ._weights import kept_rows
from .tabular import encode_classes, kind_of_classes, take_rows


def weighted_rows(X, y, sample_weight):
    """Return rows, labels and weights; rows of weight 0 are dropped before all else."""
    y = column_or_1d(y, warn=True)
    check_consistent_length(X, y)
    kept, weight = kept_rows(sample_weight, len(y))
    if kept is not None:
        X, y = take_rows(X, kept), y[kept]
    return X, y, weight


def known_classes(model, classes):
    """Return the classes of a model that goes on learning; None at its first batch.

    Those given must be the model's own.
    """
    if not hasattr(model, "classes_"):
        if classes is None:
            raise ValueError("classes must be passed on the first call to partial_fit.")
        return classes
    if classes is not None:
        given, _ = encode_classes(classes)
        if not np.array_equal(given, model.classes_):
            raise ValueError(
                f"classes={given.tolist()} are not those of the first call, "
                f"{model.classes_.tolist()}."
            )
    return model.classes_


def check_mergeable(model, other, kind):
    """Raise an error unless both are fitted models of a kind with classes of a kind."""
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
        prior = as_float_array(class_prior, "class_prior", "one number a class")
        if prior.shape != (n_classes,):
            raise ValueError(
                f"class_prior has shape {prior.shape}; there are {n_classes} classes."
            )
        if not np.all(prior >= 0) or not np.isclose(prior.sum(), 1.0):
            raise ValueError("class_prior must be ≥ 0 and sum to 1.")
        prior = np.broadcast_to(prior, class_count.shape)
    elif fit_prior:
        prior = class_count / class_count.sum(axis=-1, keepdims=True)
    else:
        prior = np.full(class_count.shape, 1 / n_classes)
    with np.errstate(divide="ignore"):  # a class not seen yet
        return np.log(prior)


def log_prior_without(class_count, classes, removed, fit_prior, class_prior):
    """Return log P(c) without each of some rows, of shape (n_rows, n_classes).

    `classes` (n_rows,) are the rows' own, `removed` (n_rows,) the masses that go.
    """
    n_rows = len(classes)
    count = np.repeat(class_count[None], n_rows, axis=0)
    own = np.arange(n_rows), classes
    count[own] = np.maximum(count[own] - removed, 0.0)
    alone = count.sum(axis=1) == 0  # the only row: nothing is known without it
    count[alone] = 1.0
    return class_log_prior(count, fit_prior, class_prior)

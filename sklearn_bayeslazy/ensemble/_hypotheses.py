"""Classifiers, functions of the rows, and tables of probabilities as hypotheses.

A classifier has ``fit`` and ``predict``. A function takes X. A table is a mapping
{class: probability} that holds for every row.
"""

from collections import Counter
from collections.abc import Mapping

import numpy as np
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.utils.validation import check_is_fitted

from .._core._weights import takes_weights
from ..tabular import encode_classes, kind_of_classes, naming_unreadable_cells
from ._predicted_labels import label_codes

# The sum of probabilities may differ from 1 by this; some classifiers compute in single
# precision.
_MAX_DIFFERENCE_FROM_ONE = 1e-4


def has_fit(hypothesis):
    """Return whether a hypothesis is a classifier, which can be fitted."""
    return hasattr(hypothesis, "fit")


def named_pairs(given):
    """Return the items of a list that are pairs (name, hypothesis), unchecked."""
    items = given if isinstance(given, (list, tuple)) else []
    return [item for item in items if _name_and_hypothesis(item)[0] is not None]


def named_hypotheses(given, parameters=()):
    """Return the names and the hypotheses of a list of hypotheses or of pairs."""
    # A pair is (name, hypothesis). parameters: names that a hypothesis must not have.
    if not len(given):
        raise ValueError("hypotheses is empty: pass at least one.")
    for name, n in Counter(name for name, _ in named_pairs(given)).items():
        if n > 1 or "__" in name or name in parameters:
            raise ValueError(
                f"hypotheses has the name {name!r}: names must differ from each other "
                f"and from the parameters {sorted(parameters)}, and not contain '__'."
            )
    names, hypotheses = [], []
    for index, item in enumerate(given):
        name, hypothesis = _name_and_hypothesis(item)
        if name is None:
            kind = hypothesis if hasattr(hypothesis, "__name__") else type(hypothesis)
            name = f"{kind.__name__} {index}"
        is_classifier = has_fit(hypothesis) and hasattr(hypothesis, "predict")
        is_table = isinstance(hypothesis, Mapping)
        if not (is_classifier or is_table or callable(hypothesis)):
            raise TypeError(
                f"hypotheses[{index}] is {hypothesis!r}: pass a classifier, a function "
                "from X to labels, or a mapping {class: probability}."
            )
        names.append(name)
        hypotheses.append(hypothesis)
    return names, hypotheses


def classifiers_of(given):
    """Return the classifiers of a list as `named_hypotheses` takes it, unchecked."""
    hypotheses = [_name_and_hypothesis(item)[1] for item in given]
    return [hypothesis for hypothesis in hypotheses if has_fit(hypothesis)]


def _name_and_hypothesis(item):
    """Return the name, None if there is none, and the hypothesis."""
    if isinstance(item, tuple) and len(item) == 2 and isinstance(item[0], str):
        return item
    return None, item


def check_fitted(classifier, name):
    """Raise an error if a classifier is not fitted."""
    try:
        check_is_fitted(classifier)
    except NotFittedError as error:
        raise NotFittedError(
            f"The hypothesis {name!r} is not fitted: fit it, or set cv, such as cv=5, "
            "to fit it here. Cross-validation and searches clone estimators, and a "
            "clone is not fitted unless the classifier is in a FrozenEstimator."
        ) from error


def check_accepts_weights(classifier, name):
    """Raise an error if the fit of a classifier takes no sample_weight."""
    if not takes_weights(classifier):
        raise ValueError(
            f"The hypothesis {name!r} takes no sample_weight: call fit without it, or "
            'fit the hypothesis first and set cv="prefit". A Pipeline takes weights if '
            "metadata routing is enabled and its classifier requests them, by "
            "set_fit_request(sample_weight=True)."
        )


def fitted_clone(classifier, X, y, weight):
    """Return a fitted clone of a classifier; `weight` may be None."""
    weights = {} if weight is None else {"sample_weight": weight}
    with naming_unreadable_cells(X):
        return clone(classifier).fit(X, y, **weights)


def raw_prediction(hypothesis, X):
    """Return labels or probabilities of rows as the hypothesis gives them."""
    # Returns (n_rows,) or (n_rows, n_labels); a table (Mapping) is returned unchanged.
    if isinstance(hypothesis, Mapping):
        return hypothesis
    for method in ("predict_proba", "predict"):
        if hasattr(hypothesis, method):
            with naming_unreadable_cells(X):
                return getattr(hypothesis, method)(X)
    return np.asarray(hypothesis(X))


def labels_of(hypothesis, prediction):
    """Return the labels that a hypothesis is known to use; None if it names none."""
    # A classifier is fitted. prediction: the `raw_prediction` for some rows.
    if isinstance(prediction, Mapping):
        return encode_classes(np.array(list(prediction)))[0]
    if hasattr(hypothesis, "classes_"):
        return hypothesis.classes_
    return encode_classes(prediction)[0] if prediction.ndim == 1 else None


def union_of_labels(classes, label_arrays):
    """Return all labels, sorted; they must be of one kind.

    >>> union_of_labels(np.array(["b"]), [None, np.array(["c", "a"])])
    array(['a', 'b', 'c'], dtype='<U1')
    """
    for labels in label_arrays:
        if labels is None:
            continue
        if kind_of_classes(labels) != kind_of_classes(classes):
            raise TypeError(
                f"y holds the labels {classes.tolist()}, but a hypothesis has labels "
                f"of another kind, {labels.tolist()}: use one kind."
            )
        classes = np.union1d(classes, labels)
    return classes


def as_probabilities(prediction, labels, classes, n_rows, name):
    """Return a raw prediction as probabilities of all classes, (n_rows, n_classes).

    >>> as_probabilities(np.array(["b", "a"]), None, np.array(["a", "b"]), 2, "rule")
    array([[0., 1.],
           [1., 0.]])
    """
    # labels: those of the columns, if the prediction has probabilities; classes:
    # (n_classes,), sorted; name: the name of the hypothesis, for error messages.
    if isinstance(prediction, Mapping):
        row = [float(prediction.get(label, 0.0)) for label in classes.tolist()]
        prediction, labels = np.tile(row, (n_rows, 1)), classes
    found = np.zeros((n_rows, len(classes)))
    if prediction.shape == (n_rows,):
        codes = label_codes(
            prediction,
            classes,
            n_rows,
            f"The hypothesis {name!r}",
            "list all possible labels in the parameter classes",
        )
        found[np.arange(n_rows), codes] = 1.0
        return found
    if prediction.shape != (n_rows, len(labels)):
        raise ValueError(
            f"The hypothesis {name!r} predicts an array of shape {prediction.shape}: "
            f"it must predict {n_rows} labels, or probabilities of {labels.tolist()}."
        )
    is_valid = np.all(prediction >= 0) and np.all(
        np.abs(prediction.sum(axis=1) - 1) <= _MAX_DIFFERENCE_FROM_ONE
    )
    if not is_valid:
        raise ValueError(
            f"The hypothesis {name!r} predicts invalid probabilities: they must be ≥ 0 "
            "and sum to 1 over the classes."
        )
    found[:, np.searchsorted(classes, labels)] = prediction
    return found / found.sum(axis=1, keepdims=True)

"""Classifiers, functions of the rows, and tables of probabilities as hypotheses.

A classifier has ``fit`` and ``predict``. A function takes X. A table is a mapping
{class: probability} that holds for every row.
"""

from collections import Counter
from collections.abc import Mapping
from contextlib import contextmanager
from inspect import isclass
from itertools import product
from numbers import Integral, Real

import numpy as np
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.model_selection import check_cv
from sklearn.utils.validation import check_consistent_length, check_is_fitted

from .._core._arrays import takes_weights
from .._core._compat import HasMethods, Interval
from .._core._parallel import map_results
from ..tabular import (
    encode_classes,
    kind_of_classes,
    naming_unreadable_cells,
    take_rows,
)
from ._predicted_labels import label_codes

# The sum of probabilities may differ from 1 by this; some classifiers compute in single
# precision.
_MAX_DIFFERENCE_FROM_ONE = 1e-4


# What the parameter `cv` may be.
CV = [
    Interval(Integral, 2, None, closed="left"),
    HasMethods(["split", "get_n_splits"]),
    list,
    tuple,
]


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
    check_names([name for name, _ in named_pairs(given)], parameters, "hypotheses")
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
        if is_table and not is_classifier:
            _check_table(hypothesis, index)
        names.append(name)
        hypotheses.append(hypothesis)
    return names, hypotheses


def _check_table(table, index):
    """Raise an error unless a mapping has labels of one kind, and their numbers."""
    kinds = str, bytes, (Real, np.bool_)
    are_of_one = any(all(isinstance(label, k) for label in table) for k in kinds)
    are_numbers = all(hasattr(share, "__float__") for share in table.values())
    if not table or not are_of_one or not are_numbers:
        raise TypeError(
            f"hypotheses[{index}] is {table!r:.80}: a mapping {{class: probability}} "
            "needs classes that are all strings or all numbers, and numbers for them."
        )


def check_names(names, parameters, of_parameter):
    """Raise an error if names are not those of parts that a search can set."""
    # parameters: names that a part must not have; of_parameter: that lists the parts.
    for name, n in Counter(names).items():
        if n > 1 or "__" in name or name in parameters:
            raise ValueError(
                f"{of_parameter} has the name {name!r}: names must differ from each "
                f"other and from the parameters {sorted(parameters)}, and not contain "
                "'__'."
            )


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


def check_accepts_weights(estimator, subject, advice):
    """Raise an error if the fit of an estimator takes no sample_weight."""
    # subject: which one, in words; advice: what else the user can do.
    if not takes_weights(estimator):
        raise ValueError(
            f"{subject} takes no sample_weight: call fit without it, or {advice}. A "
            "Pipeline takes weights if metadata routing is enabled and its last step "
            "requests them, by set_fit_request(sample_weight=True)."
        )


@contextmanager
def noting_member(name, rows):
    """Add a note to an error: which estimator it comes from, and `rows` in words."""
    try:
        yield
    except Exception as error:
        error.add_note(f"It came from the estimator {name!r}, fitted to {rows}.")
        raise


def fitted_clone(classifier, X, y, weight):
    """Return a fitted clone of a classifier; `weight` may be None."""
    weights = {} if weight is None else {"sample_weight": weight}
    # A member whose numbers overflow is weighted by its predictions.
    with naming_unreadable_cells(X), np.errstate(over="ignore", invalid="ignore"):
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


def as_probabilities(prediction, labels, classes, n_rows, subject):
    """Return a raw prediction as probabilities of all classes, (n_rows, n_classes).

    >>> as_probabilities(np.array(["b", "a"]), None, np.array(["a", "b"]), 2, "It")
    array([[0., 1.],
           [1., 0.]])
    """
    # labels: those of the columns, if the prediction has probabilities; classes:
    # (n_classes,), sorted; subject: what predicts, which begins error messages.
    if isinstance(prediction, Mapping):
        row = [float(prediction.get(label, 0.0)) for label in classes.tolist()]
        prediction, labels = np.tile(row, (n_rows, 1)), classes
    found = np.zeros((n_rows, len(classes)))
    if prediction.shape == (n_rows,):
        codes = label_codes(
            prediction,
            classes,
            n_rows,
            subject,
            "list all possible labels in the parameter classes",
        )
        found[np.arange(n_rows), codes] = 1.0
        return found
    if prediction.shape != (n_rows, len(labels)):
        raise ValueError(
            f"{subject} predicts an array of shape {prediction.shape}: it must "
            f"predict {n_rows} labels, or probabilities of {labels.tolist()}."
        )
    is_valid = np.all(prediction >= 0) and np.all(
        np.abs(prediction.sum(axis=1) - 1) <= _MAX_DIFFERENCE_FROM_ONE
    )
    if not is_valid:
        raise ValueError(
            f"{subject} predicts invalid probabilities: they must be ≥ 0 and sum to 1 "
            "over the classes."
        )
    found[:, np.searchsorted(classes, labels)] = prediction
    return found / found.sum(axis=1, keepdims=True)


# Parameters of named parts, such as "a__m" of the part that is named a.


class NamedPartsMixin:
    """Let searches set the parameters of the parts that are pairs with a name."""

    # The parameter that lists the parts.
    _parts_parameter: str

    def _named_parts(self):
        """Return the pairs (name, part) that are given."""
        return named_pairs(getattr(self, self._parts_parameter))

    def get_params(self, deep=True):
        """Return the parameters, and those of the named parts.

        Parameters
        ----------
        deep : bool, default=True
            Whether to add each part that is a pair (name, part) by its name, and its
            parameters as ``name__parameter``.

        Returns
        -------
        dict of {str: object}
        """
        of_class = super().get_params(deep=deep)
        if not deep:
            return of_class
        params = {}
        for name, part in self._named_parts():
            params[name] = part
            if hasattr(part, "get_params") and not isclass(part):
                inner = part.get_params(deep=True)
                params |= {f"{name}__{key}": value for key, value in inner.items()}
        return params | of_class

    def set_params(self, **params):
        """Set parameters, replace named parts, and set their parameters.

        Parameters
        ----------
        **params : dict
            ``parameter=value``, ``name=part`` or ``name__parameter=value``. The whole
            list is replaced first, then parts, then their parameters.

        Returns
        -------
        self : estimator
        """
        listed = self._parts_parameter
        if listed in params:
            setattr(self, listed, params.pop(listed))
        of_class = super().get_params(deep=False)
        names = {name for name, _ in self._named_parts()} - set(of_class)
        if replaced := {name: params.pop(name) for name in names & set(params)}:
            # A new list, because the caller's list may be shared with other models.
            parts = [
                (item[0], replaced[item[0]])
                if named_pairs([item]) and item[0] in replaced
                else item
                for item in getattr(self, listed)
            ]
            setattr(self, listed, parts)
        return super().set_params(**params)


# Held-out predictions: each row is predicted by a clone that has not seen it.


def splits_of_kept_rows(cv, X, y, sample_weight):
    """Return the splits of a splitter or list, as indices of rows of weight above 0."""
    # cv: a splitter or a list of splits; X, y, sample_weight: as given to fit.
    # Returns pairs (train, test), without those whose test part is empty.
    check_consistent_length(X, y)
    if not hasattr(cv, "split"):
        _check_list_of_splits(cv)
    splits = list(check_cv(cv, y, classifier=True).split(X, y))
    kept = np.arange(X.shape[0])
    if sample_weight is not None:
        kept = np.flatnonzero(np.broadcast_to(sample_weight, X.shape[0]))
        splits = [
            tuple(np.flatnonzero(np.isin(kept, part)) for part in pair)
            for pair in splits
        ]
    tested = np.concatenate([kept[:0], *(test for _, test in splits)])
    if not np.array_equal(np.sort(tested), np.arange(len(kept))):
        raise ValueError(
            f"cv={cv!r} must put each row in exactly one test part: use a splitter "
            "such as StratifiedKFold."
        )
    return [pair for pair in splits if len(pair[1])]


def _check_list_of_splits(cv):
    """Raise an error unless each item of a list is a pair of arrays of indices."""
    for item in cv:
        try:
            train, test = map(np.asarray, item)
        except (TypeError, ValueError):
            are_indices = False
        else:
            are_indices = _are_indices(train) and _are_indices(test)
        if not are_indices:
            raise ValueError(
                f"cv holds {item!r:.80}: each item of a list must be a pair "
                "(train, test) of arrays of the indices of rows."
            )


def _are_indices(part):
    return part.ndim == 1 and (part.dtype.kind in "iu" or not part.size)


def held_out_predictions(predict, names, classifiers, splits, rows, n_jobs):
    """Return the held-out predictions of classifiers for all rows."""
    # names: by index; classifiers: {index: classifier}; splits: pairs (train, test),
    # each row in one test part; rows: X, y, and weights (n_rows,) or None.
    # ``predict(index, fitted, X)`` returns the (n, n_classes) probabilities of a fitted
    # clone of the classifier with that index.
    # Returns {index: array of shape (n_rows, n_classes)}.
    X, y, weight = rows

    def predict_test_part(task):
        index, (train, test) = task
        train_weight = None if weight is None else weight[train]
        some = take_rows(X, train)
        with noting_member(
            names[index], f"{len(train)} rows, the others of cv left out"
        ):
            fitted = fitted_clone(classifiers[index], some, y[train], train_weight)
            return predict(index, fitted, take_rows(X, test))

    tasks = list(product(classifiers, splits))
    parts = map_results(predict_test_part, tasks, n_jobs=n_jobs)
    original_order = np.argsort(np.concatenate([test for _, test in splits]))
    n = len(splits)
    return {
        index: np.concatenate(parts[i * n : (i + 1) * n])[original_order]
        for i, index in enumerate(classifiers)
    }

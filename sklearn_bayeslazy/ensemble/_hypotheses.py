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
from ._predicted_labels import label_codes, rows_for_members

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


def named_pairs(given):
    """Return the items of a list that are pairs (name, hypothesis), unchecked."""
    items = given if isinstance(given, (list, tuple)) else []
    return [item for item in items if _name_and_hypothesis(item)[0] is not None]


def named_hypotheses(given, parameters):
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
        is_classifier = hasattr(hypothesis, "fit") and hasattr(hypothesis, "predict")
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
    return [hypothesis for hypothesis in hypotheses if hasattr(hypothesis, "fit")]


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
    if prediction.shape == (n_rows,):
        advice = "list all possible labels in the parameter classes"
        codes = label_codes(prediction, classes, n_rows, subject, advice)
        return (codes[:, None] == np.arange(len(classes))).astype(np.float64)
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
    found = np.zeros((n_rows, len(classes)))
    found[:, np.searchsorted(classes, labels)] = prediction
    return found / found.sum(axis=1, keepdims=True)


# The parts of a mixture: their parameters, such as "a__m" of the part that is named a,
# and what they predict.


class NamedPartsMixin:
    """Mixes parts, whose parameters searches can set if they are pairs with a name."""

    # The parameter that lists the parts; with "_" it is the attribute of fitted ones. A
    # subclass sets `names_` and `weights_`, too, and has ``_predict_member(index, part,
    # X)``, which returns what a fitted part predicts, (n_rows, ...).
    _parts_parameter: str

    def _check_rows(self, X, y="no_validation", *, reset):
        """Return checked rows: a table, or raw documents as an array of strings."""
        return rows_for_members(self, X, y, reset=reset)

    def _member_predictions(self, X):
        """Yield the weight and the predictions of each part whose weight is not 0."""
        check_is_fitted(self)
        X = self._check_rows(X, reset=False)
        parts = getattr(self, f"{self._parts_parameter}_")
        for index in np.flatnonzero(self.weights_):
            yield self.weights_[index], self._predict_member(index, parts[index], X)

    def _used_names(self):
        return [self.names_[index] for index in np.flatnonzero(self.weights_)]

    def _held_out_predictions(self, parts, splits, rows):
        """Return the held-out predictions of parts, {index: (n_rows, ...)}."""
        # parts: {index: part}, not fitted; splits: pairs (train, test), each row in at
        # most one test part; rows: X, y, and weights (n_rows,) or None. Each row is
        # predicted by a clone that has not seen it. The rows of test parts are sorted.
        X, y, weight = rows

        def predict_test_part(task):
            index, (train, test) = task
            known, label = take_rows(X, train), y[train]
            known_weight = None if weight is None else weight[train]
            which = f"{len(train)} rows, the others of cv left out"
            with noting_member(self.names_[index], which):
                fitted = fitted_clone(parts[index], known, label, known_weight)
                return self._predict_member(index, fitted, take_rows(X, test))

        tasks = list(product(parts, splits))
        found = map_results(predict_test_part, tasks, n_jobs=self.n_jobs)
        original_order = np.argsort(np.concatenate([test for _, test in splits]))
        n = len(splits)
        return {
            index: np.concatenate(found[i * n : (i + 1) * n])[original_order]
            for i, index in enumerate(parts)
        }

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


# The splits of rows for held-out predictions.


def splits_of_kept_rows(cv, X, y, sample_weight):
    """Return the splits of a splitter or list, as indices of rows of weight above 0."""
    # cv, X, y, sample_weight: as given to fit. Returns pairs (train, test), without
    # those whose test part is empty; None for a number of folds or "prefit".
    if isinstance(cv, Integral | str):
        return None
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
        if not _is_split(item):
            raise ValueError(
                f"cv holds {item!r:.80}: each item of a list must be a pair "
                "(train, test) of arrays of the indices of rows."
            )


def _is_split(item):
    """Return whether an item is a pair of arrays of indices."""
    try:
        train, test = map(np.asarray, item)
    except (TypeError, ValueError):
        return False
    return all(
        part.ndim == 1 and (part.dtype.kind in "iu" or not part.size)
        for part in (train, test)
    )

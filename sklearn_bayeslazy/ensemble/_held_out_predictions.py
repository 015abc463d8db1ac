"""Held-out predictions: each row is predicted by a clone that has not seen it."""

from itertools import product

import numpy as np
from sklearn.model_selection import check_cv
from sklearn.utils.validation import check_consistent_length

from .._core._parallel import map_results
from ..tabular import take_rows
from ._hypotheses import fitted_clone


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


def held_out_predictions(predict, classifiers, splits, X, y, weight, n_jobs):
    """Return the held-out predictions of classifiers for all rows."""
    # classifiers: {index: classifier}; splits: pairs (train, test), each row in one
    # test part; weight: (n_rows,) or None. ``predict(index, fitted, X)`` returns the
    # (n, n_classes) probabilities of a fitted clone of the classifier with that index.
    # Returns {index: array of shape (n_rows, n_classes)}.

    def predict_test_part(task):
        index, (train, test) = task
        train_weight = None if weight is None else weight[train]
        fitted = fitted_clone(
            classifiers[index], take_rows(X, train), y[train], train_weight
        )
        return predict(index, fitted, take_rows(X, test))

    tasks = list(product(classifiers, splits))
    parts = map_results(predict_test_part, tasks, n_jobs=n_jobs)
    original_order = np.argsort(np.concatenate([test for _, test in splits]))
    n = len(splits)
    return {
        index: np.concatenate(parts[i * n : (i + 1) * n])[original_order]
        for i, index in enumerate(classifiers)
    }

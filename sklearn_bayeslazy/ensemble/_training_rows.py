"""The labelled, weighted rows that the members of a boosted ensemble are fitted to."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn import get_config
from sklearn.utils.metadata_routing import process_routing
from sklearn.utils.validation import check_consistent_length, column_or_1d

from .._core._compat import check_method_params
from .._core._weights import kept_rows
from ..tabular import check_table, encode_classes, take_rows


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


def check_training_rows(
    model, X, y, sample_weight, params, *, classes=None, accept_sparse=False
):
    """Check the arguments of fit; return the classes and rows of weight above 0."""
    # model: MyAdaBoost; X, y, sample_weight: as given to fit; params: its further
    # arguments; classes: (n_classes,), those of the former fit with warm_start.
    # Returns the classes (n_classes,) and TrainingRows.
    is_first = classes is None
    X = check_table(model, X, y, reset=is_first, accept_sparse=accept_sparse)
    y = column_or_1d(y, warn=True)
    check_consistent_length(X, y)
    params = _route_to_estimator(model, params)
    kept, weight = kept_rows(sample_weight, len(y))
    params = check_method_params(X, params, kept)
    if kept is not None:
        X, y = take_rows(X, kept), y[kept]
    advice = "With warm_start=True, y may hold only classes of the first fit."
    classes, codes = encode_classes(y, classes, advice)
    return classes, TrainingRows(X, y, codes, weight, params)


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

"""Fits and predictions over the partitions of dask collections.

Each partition is counted where it lies, and the counts are merged in a tree. Dask's
scheduler decides where, and repeats the work of a worker that is lost.
"""

import copy
from functools import partial

import dask.array as da
import numpy as np
from dask import delayed
from sklearn import config_context, get_config
from sklearn.base import is_classifier

from .tabular import (
    BlockFitMixin,
    RowSample,
    check_max_sample_rows,
    choose_on_counts,
    choose_on_sample,
    learn_block,
    read_block,
)

__all__ = ["fit", "predict"]


def fit(
    estimator,
    X,
    y=None,
    sample_weight=None,
    *,
    classes=None,
    max_sample_rows=100_000,
):
    """Fit an estimator to dask collections; no process holds all rows.

    What is chosen from the data is chosen by a fit to a sample, which does not depend
    on the partitions; then all rows are counted. The model is that of `fit_blocks` over
    the same rows, whatever the number of partitions and workers. Choices are made here.
    Rows are counted on the current dask client, or on threads without one, under the
    present configuration of scikit-learn. The collections are read twice:
    ``persist()`` them if they fit in the memory of the workers.

    Parameters
    ----------
    estimator : estimator with `fit_blocks`
        Stays as it is.
    X : dask.dataframe.DataFrame, dask.array.Array or dask.bag.Bag
        The rows, or with a bag the documents. A list of `Delayed` objects, one for each
        partition, will do as well.
    y, sample_weight : dask Series, Array, Bag or list of Delayed, default=None
        With the partitions of X.
    classes : array-like of shape (n_classes,), default=None
        All classes; by default those that occur.
    max_sample_rows : int, default=100_000
        The largest number of distinct rows in the sample.

    Returns
    -------
    estimator
        A fitted clone.

    Raises
    ------
    TypeError
        If `estimator` has no `fit_blocks`.
    ValueError
        If the partitions of X, y and sample_weight differ, or rows cannot be used.

    Examples
    --------
    >>> import dask.array as da
    >>> import numpy as np
    >>> from sklearn_bayeslazy import MEstimateNB
    >>> from sklearn_bayeslazy.dask import fit
    >>> X = da.from_array(np.array([[0], [0], [1], [1]]), chunks=(2, 1))
    >>> y = da.from_array(np.array([0, 0, 0, 1]), chunks=2)
    >>> model = fit(MEstimateNB(m=1, distribution="categorical"), X, y)
    >>> model.class_count_.tolist()
    [3.0, 1.0]
    """
    if not isinstance(estimator, BlockFitMixin):
        raise TypeError(
            f"estimator={estimator!r} cannot learn from partitions: it has no "
            "fit_blocks."
        )
    check_max_sample_rows(max_sample_rows)
    blocks = _blocks(X, y, sample_weight)
    has_classes = is_classifier(estimator)
    samples = [_task(_sample, max_sample_rows, has_classes, *block) for block in blocks]
    sample = _merged(samples).compute()
    model = delayed(choose_on_sample(estimator, sample, classes))
    counted = _merged([_task(_count, model, *block) for block in blocks])
    return choose_on_counts(counted.compute(), sample)


def predict(estimator, X, *, method="predict"):
    """Return the predictions for the rows of a dask collection, not yet computed.

    Parameters
    ----------
    estimator : fitted estimator
        Of any package.
    X : dask.dataframe.DataFrame, dask.array.Array, dask.bag.Bag or list of Delayed
    method : str, default="predict"
        "predict" and "score_samples" return one number or label for each row; others,
        such as "predict_proba", one number for each class.

    Returns
    -------
    dask.array.Array
        With the partitions of X as chunks.

    Examples
    --------
    >>> import dask.array as da
    >>> import numpy as np
    >>> from sklearn_bayeslazy import MEstimateNB
    >>> from sklearn_bayeslazy.dask import predict
    >>> model = MEstimateNB(1.0, distribution="categorical", feature_weights=None)
    >>> model = model.fit([[0], [1]], [0, 1])
    >>> X = da.from_array(np.array([[1], [0], [1]]), chunks=(2, 1))
    >>> predict(model, X).compute()
    array([1, 0, 1])
    """
    classes = getattr(estimator, "classes_", None)
    columns = ()
    if method not in ("predict", "score_samples"):
        if classes is None:
            raise ValueError(
                f"method={method!r} needs an estimator with classes; "
                f"{type(estimator).__name__} has none."
            )
        columns = (len(classes),)
    dtype = np.float64
    if method == "predict" and classes is not None:
        dtype = np.asarray(classes).dtype
    parts = _partitions(X)
    sizes = X.chunks[0] if hasattr(X, "chunks") else [np.nan] * len(parts)
    model = delayed(estimator)
    return da.concatenate(
        [
            da.from_delayed(
                _task(_answer, model, method, part, np.empty((0, *columns), dtype)),
                (size, *columns),
                dtype,
            )
            for part, size in zip(parts, sizes)
        ],
        allow_unknown_chunksizes=True,
    )


def _blocks(X, y, sample_weight):
    """Return a tuple of Delayed or None for each partition: X, y, weights."""
    given = {"X": X, "y": y, "sample_weight": sample_weight}
    parts = [_partitions(data, name) for name, data in given.items()]
    n_blocks = len(parts[0])
    for name, of_name in zip(("y", "sample_weight"), parts[1:]):
        if of_name is not None and len(of_name) != n_blocks:
            raise ValueError(
                f"X has {n_blocks} partitions, and {name} has {len(of_name)}: give "
                "both the same partitions."
            )
    return list(
        zip(*([None] * n_blocks if of_name is None else of_name for of_name in parts))
    )


def _partitions(data, name="X"):
    """Return the partitions of a collection as a list of Delayed."""
    if data is None or isinstance(data, list):
        return data
    if not hasattr(data, "to_delayed"):
        raise TypeError(
            f"{name} must be a dask collection or a list of Delayed, got a "
            f"{type(data).__name__}: make it one, for example by dask.array.from_array."
        )
    if hasattr(data, "numblocks") and np.prod(data.numblocks[1:]) > 1:
        raise ValueError(
            f"An array has {data.numblocks[1]} chunks of columns: put all columns in "
            "one, by rechunk({1: -1})."
        )
    return np.ravel(data.to_delayed()).tolist()


def _merged(parts):
    """Return the parts merged in a tree, so that no task waits for more than two."""
    while len(parts) > 1:
        pairs = zip(parts[::2], parts[1::2])
        odd = parts[-1:] if len(parts) % 2 else []
        parts = [_task(_merge, *pair) for pair in pairs] + odd
    return parts[0]


def _task(function, *arguments):
    """Return a call of a function under the configuration of scikit-learn here."""
    return delayed(partial(_configured, get_config(), function))(*arguments)


def _configured(config, function, *arguments):
    with config_context(**config):
        return function(*arguments)


def _sample(max_rows, has_classes, *block):
    return RowSample(max_rows).add(*read_block(block, has_classes))


def _count(model, *block):
    # A copy learns, since dask may use the model again.
    return learn_block(copy.copy(model), read_block(block, is_classifier(model)))


def _merge(one, other):
    return copy.copy(one).merge(other)


def _answer(model, method, X, if_empty):
    n_rows = X.shape[0] if hasattr(X, "shape") else len(X)
    return getattr(model, method)(X) if n_rows else if_empty

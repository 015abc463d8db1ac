"""Targets on one scale: standardised numbers, indicators of classes, powers of two."""

import numpy as np
from sklearn.utils.multiclass import type_of_target

from .._core._arrays import divide_by_largest, refuse_dates
from ._labelled_rows import encode_classes

# Each prediction of one row from another takes one step a class.
MAX_CLASSES = 200


def standardize(columns, weight, column_of=None):
    """Return columns of weighted mean 0 and standard deviation 1, and 1 / deviation.

    >>> standardize(np.array([[1.0, 5.0], [3.0, 5.0]]), np.ones(2))
    (array([[-1.,  0.],
           [ 1.,  0.]]), array([1., 0.]))

    >>> columns = np.array([[3.0, 4.0], [-3.0, -4.0]])
    >>> standardize(columns, np.ones(2), np.array([0, 0]))
    (array([[ 0.6,  0.8],
           [-0.6, -0.8]]), array([0.2, 0.2]))
    """
    # columns: (n, n_columns); weight: (n,); column_of: (n_columns,), the group of each
    # column, from 0; None: each column is one.
    # A constant column, or one whose deviation has no finite inverse, is all 0, and so
    # is its factor. Columns of a group keep their proportions: they get one factor, and
    # the sum of their variances is 1. In the second doctest the variances are 9 and 16.
    column_of = np.arange(columns.shape[1]) if column_of is None else column_of
    _, largest = divide_by_largest(columns)
    largest = _of_group(np.maximum, largest, column_of)
    scaled = columns / np.where(largest == 0, 1.0, largest)
    share = weight / weight.sum()
    centered = scaled - share @ scaled
    constant = columns.max(axis=0) == columns.min(axis=0)
    centered[:, constant] = 0.0
    deviation = np.sqrt(_of_group(np.add, share @ centered**2, column_of))
    with np.errstate(divide="ignore", over="ignore"):
        factor = 1 / (deviation * largest)
        constant = (deviation == 0) | ~np.isfinite(factor)
        deviation[constant] = np.inf
        return centered / deviation, np.where(constant, 0.0, factor)


def _of_group(combine, values, column_of):
    """Return for each column the sum or maximum of values ≥ 0 over its group."""
    of_group = np.zeros(column_of.max(initial=-1) + 1)
    combine.at(of_group, column_of, values)
    return of_group[column_of]


def class_indicators(codes, n_classes):
    """Return a column for each class with 1 for its rows, at most `MAX_CLASSES`.

    >>> class_indicators(np.array([0, 1, 0]), 2)
    array([[1., 0.],
           [0., 1.],
           [1., 0.]])
    """
    if n_classes > MAX_CLASSES:
        raise ValueError(
            f"y has {n_classes} classes; at most {MAX_CLASSES} are supported. For a "
            "numeric y use a regressor, or task='regression'."
        )
    return (codes[:, None] == np.arange(n_classes)).astype(np.float64)


def frequent_class_indicators(codes, class_weight):
    """Return the columns of the classes of most weight, at most `MAX_CLASSES`.

    >>> frequent_class_indicators(np.array([0, 1, 0]), np.array([2.0, 1.0]))
    array([[1., 0.],
           [0., 1.],
           [1., 0.]])
    """
    frequent = np.argsort(-class_weight, kind="stable")[:MAX_CLASSES]
    return (codes[:, None] == np.sort(frequent)).astype(np.float64)


def columns_to_predict(y, task, weight):
    """Return the target columns, and their names."""
    # y: (n,) or (n, n_outputs); weight: (n,). The columns, (n, n_targets), are
    # standardised numbers, named by the index of the output, or indicators of the
    # classes, named by the class, and by the output too if there are several.
    if task == "auto":
        with np.errstate(invalid="ignore"):  # casts huge floats to integers
            continuous = type_of_target(y, input_name="y").startswith("continuous")
        task = "regression" if continuous else "classification"
    columns = y[:, None] if y.ndim == 1 else y
    outputs = [str(v) for v in range(columns.shape[1])]
    if task == "regression":
        return standardize(_as_floats(columns), weight)[0], outputs
    indicators, names = [], []
    for output, column in zip(outputs, columns.T):
        classes, codes = encode_classes(column)
        indicators.append(class_indicators(codes, len(classes)))
        several = f"{output}_" if len(outputs) > 1 else ""
        names += [f"{several}{label}" for label in classes]
    return np.hstack(indicators), names


def _as_floats(y):
    refuse_dates(y)
    try:
        return y.astype(np.float64)
    except (TypeError, ValueError) as error:
        raise ValueError(
            "task='regression' predicts numbers, and y holds other values "
            f"({error}): set task='classification'."
        ) from error


# Rescaling of very large or small targets, so that squares do not overflow.


# Targets are rescaled if the largest is below 2 to minus this, or above 2 to this.
MAX_SAFE_EXPONENT = 200


def rescale_targets(y, total_weight=1.0):
    """Return the targets divided by a power of two, and its exponent.

    >>> rescale_targets(np.array([3.0, -4.0]))
    (array([ 3., -4.]), 0)
    >>> rescale_targets(np.array([3.0, -4.0]) * 2.0**900)  # -4 = -0.5 * 2³
    (array([ 0.375, -0.5  ]), 903)
    """
    # The exponent is 0 unless the largest target or the total weight is unsafe, see
    # `MAX_SAFE_EXPONENT`. Otherwise the largest target becomes 0.5 to 1, so that
    # weighted sums do not overflow.
    exponent = int(np.frexp(np.abs(y).max(initial=0.0))[1])
    is_safe = max(abs(exponent), np.log2(total_weight)) <= MAX_SAFE_EXPONENT
    exponent = 0 if is_safe else exponent
    return np.ldexp(y, -exponent), exponent


def restore_targets(predictions, exponent):
    """Return predictions in the unit of the original targets, as finite numbers.

    >>> restore_targets(np.array([0.5, 3.0]), 1)
    array([1., 6.])
    >>> restore_targets(np.array([-4.0]), 1023)
    array([-1.79769313e+308])
    """
    # Those that float64 cannot hold become its largest number.
    largest = np.finfo(np.float64).max
    with np.errstate(over="ignore", under="ignore"):
        return np.clip(np.ldexp(predictions, exponent), -largest, largest)


def rescale_squares(results, exponent):
    """Convert squared errors in `loo_results_` to the unit of the original targets."""
    for name, values in results.items():
        if name.endswith("squared_error"):
            with np.errstate(over="ignore", under="ignore"):
                results[name] = np.ldexp(values, 2 * exponent)

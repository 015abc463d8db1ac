"""The parameter `class_weight` of all classifiers: factors of the weights of rows."""

import numpy as np

from .._core._arrays import MAX_TOTAL_WEIGHT, as_float_array
from .._core._compat import StrOptions

CLASS_WEIGHTS = [dict, StrOptions({"balanced"}), None]  # what the parameter may be
# Products of these factors with sums of weights neither overflow nor underflow.
MIN_CLASS_FACTOR, MAX_CLASS_FACTOR = 1e-100, 1e100


def class_factors(class_weight, classes, weight_by_class):
    """Return the factor of each class, checked.

    >>> classes, weights = np.array(["no", "yes"]), np.array([6.0, 2.0])
    >>> class_factors("balanced", classes, weights)  # 8 / (2 · 6) and 8 / (2 · 2)
    array([0.66666667, 2.        ])
    >>> class_factors({"yes": 3}, classes, weights)
    array([1., 3.])
    """
    # classes, weight_by_class: (n_classes,), the latter the sums of sample weights.
    if class_weight is None:
        return np.ones(len(classes))
    if isinstance(class_weight, str):
        # A class that is known, but has no row yet, has no weights to multiply.
        factors, has_rows = np.ones(len(classes)), weight_by_class > 0
        total, shares = weight_by_class.sum(), has_rows.sum() * weight_by_class
        with np.errstate(over="ignore"):
            np.divide(total, shares, out=factors, where=has_rows)
        if np.any(factors > MAX_CLASS_FACTOR):
            rare = classes.tolist()[np.argmax(factors)]
            raise ValueError(
                f"class_weight={class_weight!r} divides by the weight of each class: "
                f"that of {rare!r} is too small beside the others. Give its rows a "
                "larger sample_weight, or pass class_weight=None."
            )
        return factors
    labels = classes.tolist()
    # The rows at hand may lack a class, as in folds. But if a class has no factor, an
    # unknown name is likely to be misspelt.
    unknown = [label for label in class_weight if label not in labels]
    if unknown and any(label not in class_weight for label in labels):
        raise ValueError(
            f"class_weight names {unknown[0]!r}, which is not one of the classes "
            f"{labels}: drop it."
        )
    factors = [class_weight.get(label, 1.0) for label in labels]
    factors = as_float_array(factors, "class_weight")
    if not np.all((factors >= MIN_CLASS_FACTOR) & (factors <= MAX_CLASS_FACTOR)):
        raise ValueError(
            f"class_weight must hold numbers from {MIN_CLASS_FACTOR} to "
            f"{MAX_CLASS_FACTOR}, got {class_weight!r}."
        )
    return factors


def times_class_weight(weight, class_weight, classes, codes):
    """Return the weights of rows, times the factors of their classes.

    >>> classes, codes = np.array(["no", "yes"]), np.array([0, 1, 1])
    >>> times_class_weight(np.array([1.0, 1.0, 2.0]), {"yes": 3}, classes, codes)
    array([1., 3., 6.])
    """
    # weight, codes: (n,); the code of a row without a label is negative. Its weight
    # stays.
    if class_weight is None:
        return weight
    has_label = codes >= 0
    sums = np.bincount(codes[has_label], weight[has_label], len(classes))
    factors = class_factors(class_weight, classes, sums)
    with np.errstate(over="ignore"):
        weighted = weight * np.where(has_label, factors[codes], 1.0)
    if not weighted.all() or weighted.sum() > MAX_TOTAL_WEIGHT:
        raise ValueError(
            f"class_weight={class_weight!r} times sample_weight is too large or too "
            "small for float64: rescale one of them."
        )
    return weighted


def refuse_balanced_batches(class_weight):
    """Raise an error if weights depend on all rows, of which a batch is a part."""
    if isinstance(class_weight, str):
        raise ValueError(
            f"class_weight={class_weight!r} is not for partial_fit and fit_blocks: it "
            "needs the frequencies of the classes in all batches. Pass the factors as "
            "a dict, such as those that "
            "sklearn.utils.class_weight.compute_class_weight('balanced', "
            "classes=classes, y=y) computes from a sample of y."
        )

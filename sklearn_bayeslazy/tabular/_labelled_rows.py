"""Class labels, labelled rows and class priors, as all classifiers share them."""

from numbers import Real

import numpy as np
from sklearn.utils import assert_all_finite, check_consistent_length
from sklearn.utils.multiclass import check_classification_targets

from .._core._arrays import MAX_TOTAL_WEIGHT, as_float_array, kept_rows, label_column
from .._core._compat import StrOptions
from .._core._estimator import check_both_fitted
from .._core._parallel import map_tasks
from ._counts import without_each_row
from ._frames import take_rows
from ._labels import Labels, factorize, missing_cells

# Numbers of virtual examples and priors up to this size can be multiplied without
# overflow: the bound of m in every naive Bayes model.
MAX_VIRTUAL_EXAMPLES = 1e150


def weighted_rows(X, y, sample_weight):
    """Return rows, labels and weights without the rows of weight 0."""
    y = label_column(y)
    check_consistent_length(X, y)
    kept, weight = kept_rows(sample_weight, len(y))
    if kept is not None:
        X, y = take_rows(X, kept), y[kept]
    return X, y, weight


def known_classes(model, classes):
    """Return the `classes` of the first batch, later those of the model."""
    # Classes given for a later batch must equal the model's.
    refuse_balanced_batches(getattr(model, "class_weight", None))
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
    count = without_each_row(class_count, classes, removed)
    is_only_row = count.sum(axis=1) == 0
    count[is_only_row] = 1.0  # no other row: equal priors
    return class_log_prior(count, fit_prior, class_prior)


# Encodes class labels, with scikit-learn's checks of y.


# Integer labels within a smaller range are looked up in a table instead of sorted.
_MAX_LOOKUP_RANGE = 2**16
# Counting takes a nanosecond a label: more labels than this are worth another thread.
_LABELS_PER_TASK = 2**18


def encode_classes(
    y, classes=None, advice="Pass all classes on the first call.", n_jobs=None
):
    """Return the sorted classes and the int32 code of each label.

    >>> encode_classes(["no", "yes", "no"])
    (array(['no', 'yes'], dtype='<U3'), array([0, 1, 0], dtype=int32))
    """
    # y: (n_samples,). classes: those known already, or None; any other label is an
    # error, whose last sentence is `advice`. Only integer labels are encoded by
    # `n_jobs` threads.
    y = label_column(y)
    found, codes = _distinct(y, n_jobs)
    if classes is None:
        return found, codes
    known, _ = _distinct(label_column(classes))
    if not len(known):
        raise ValueError("classes is empty: pass all classes of all batches.")
    try:
        position = np.searchsorted(known, found)
    except TypeError:
        raise ValueError(
            f"y holds labels of another kind, such as {found[0]!r}, than the classes "
            f"{known.tolist()}: convert them to one kind."
        ) from None
    position[position == len(known)] = 0
    if np.any(is_unknown := known[position] != found):
        raise ValueError(
            f"y holds labels that are not in the classes {known.tolist()}: "
            f"{found[is_unknown].tolist()}. {advice}"
        )
    return known, position.astype(np.int32)[codes]


def kind_of_classes(classes):
    """Return the kind of the classes: "strings", "booleans" or "numbers"."""
    kind = classes.dtype.kind
    return "numbers" if kind in "iuf" else ("booleans" if kind == "b" else "strings")


def _distinct(y, n_jobs=None):
    if y.dtype.kind in "iu":
        return _distinct_integers(y, n_jobs)
    if y.dtype.kind in "OUS":
        labels = factorize(y.tolist(), "y")
        if missing_cells(labels).any():
            raise _missing_labels()
        if isinstance(labels, Labels) and labels.kind in ("str", "bytes"):
            return labels.categories.astype(y.dtype), labels.codes
        if y.dtype == object and len(y):
            dtype = "int" if isinstance(y[0], Real) else "str"
            raise ValueError(
                f"Unknown label type: y has the dtype object and holds {y[0]!r}, which "
                f"is no string: convert it, for example by y.astype({dtype})."
            )
    if y.dtype.kind in "mM" and np.isnat(y).any():  # which the next check accepts
        raise _missing_labels()
    assert_all_finite(y, input_name="y")
    check_classification_targets(y)
    found, codes = np.unique(y, return_inverse=True)
    return found, codes.astype(np.int32)


def _missing_labels():
    """Return the error of rows without a label."""
    return ValueError("Input y contains NaN or None: drop those rows.")


def _distinct_integers(y, n_jobs):
    low, high = (int(y.min()), int(y.max())) if len(y) else (0, 0)
    if high - low >= _MAX_LOOKUP_RANGE:
        found, codes = np.unique(y, return_inverse=True)
        return found, codes.astype(np.int32)
    codes = np.empty(len(y), dtype=np.int32)

    def shift_and_count(start):
        labels, shifted = (
            y[start : start + _LABELS_PER_TASK],
            codes[start:][:_LABELS_PER_TASK],
        )
        if y.dtype == np.uint64:  # the largest values do not fit int64
            shifted[:] = labels - np.uint64(low)
        else:
            np.subtract(labels, low, out=shifted, dtype=np.int64, casting="same_kind")
        return np.bincount(shifted, minlength=high - low + 1) > 0

    starts = range(0, max(len(y), 1), _LABELS_PER_TASK)
    present = np.any(map_tasks(shift_and_count, starts, n_jobs=n_jobs), axis=0)
    # Python's sums are exact in any integer type.
    found = np.array([low + k for k in np.flatnonzero(present).tolist()], dtype=y.dtype)
    if not present.all():
        code = (np.cumsum(present) - 1).astype(np.int32)
        codes = code[codes]
    return found, codes


# The parameter `class_weight` of all classifiers: factors of the weights of rows.


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

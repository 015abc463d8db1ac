"""Members of a committee: classifiers, functions of the rows and tables, as one kind.

A classifier has ``fit`` and ``predict``, a function takes X, and a table is a mapping
{class: probability} that holds for every row.
"""

from collections.abc import Mapping

import numpy as np
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.utils import get_tags
from sklearn.utils.validation import check_is_fitted, has_fit_parameter

from ..tabular import encode_classes, kind_of_classes

# What sums of probabilities may miss 1 by; some learners count in single precision.
_ROUNDING = 1e-4


def learns(member):
    """Tell whether a member is a classifier, which is fitted to rows."""
    return hasattr(member, "fit")


def named(members):
    """Return names and members of a list of members, or of pairs with names."""
    if not len(members):
        raise ValueError("hypotheses is empty: give one at least.")
    names, found = [], []
    for place, member in enumerate(members):
        name, member = _pair(member)
        if name is None:
            kind = member if hasattr(member, "__name__") else type(member)
            name = f"{kind.__name__} {place}"
        is_classifier = learns(member) and hasattr(member, "predict")
        if not (is_classifier or isinstance(member, Mapping) or callable(member)):
            raise TypeError(
                f"hypotheses[{place}] is {member!r}: give a classifier, a function "
                "from X to labels, or a mapping {class: probability}."
            )
        names.append(name)
        found.append(member)
    return names, found


def classifiers_of(members):
    """Return the classifiers of a list as `named` takes it; the rest is not checked."""
    found = [_pair(member)[1] for member in members]
    return [member for member in found if learns(member)]


def _pair(member):
    """Return name and member; the name of one that has none is None."""
    if isinstance(member, tuple) and len(member) == 2 and isinstance(member[0], str):
        return member
    return None, member


def take_what_all_take(tags, classifiers):
    """Return tags by which rows may be what each of some classifiers takes."""
    inputs = [get_tags(member).input_tags for member in classifiers]
    for name in ("allow_nan", "sparse", "categorical", "string"):
        setattr(tags.input_tags, name, all(getattr(i, name) for i in inputs))
    return tags


def check_fitted(member, name):
    """Raise an error if a classifier is not fitted."""
    try:
        check_is_fitted(member)
    except NotFittedError as error:
        raise NotFittedError(
            f"The hypothesis {name!r} is not fitted: fit it, or give cv=5, say, to "
            "have it fitted here. Cross-validation and searches forget what an "
            "estimator has learnt, unless it is in a FrozenEstimator."
        ) from error


def check_weighable(member, name):
    """Raise an error if a classifier takes no weights."""
    if not has_fit_parameter(member, "sample_weight"):
        raise ValueError(
            f"The hypothesis {name!r} takes no sample_weight: fit without, or give it "
            'fitted with cv="prefit".'
        )


def fitted(member, X, y, weight):
    """Return a copy of a classifier, fitted; weight may be None."""
    more = {} if weight is None else {"sample_weight": weight}
    return clone(member).fit(X, y, **more)


def say(member, X):
    """Return what a member says of rows: labels, or probabilities; a table says itself.

    Returns
    -------
    ndarray of shape (n_rows,) or (n_rows, n_labels), or Mapping
    """
    if isinstance(member, Mapping):
        return member
    for method in ("predict_proba", "predict"):
        if hasattr(member, method):
            return getattr(member, method)(X)
    return np.asarray(member(X))


def labels_of(member, said):
    """Return the labels that a member is known to use, None if y has them all.

    Parameters
    ----------
    member : hypothesis
        Fitted, if it learns.
    said : ndarray or Mapping
        What it says of some rows.
    """
    if isinstance(said, Mapping):
        return encode_classes(np.array(list(said)))[0]
    if hasattr(member, "classes_"):
        return member.classes_
    return encode_classes(said)[0] if said.ndim == 1 else None


def union(classes, more):
    """Return all labels, sorted; they must be of one kind.

    >>> union(np.array(["b"]), [None, np.array(["c", "a"])])
    array(['a', 'b', 'c'], dtype='<U1')
    """
    for labels in more:
        if labels is None:
            continue
        if kind_of_classes(labels) != kind_of_classes(classes):
            raise TypeError(
                f"y holds the labels {classes.tolist()}, and a hypothesis "
                f"{labels.tolist()}, of another kind."
            )
        classes = np.union1d(classes, labels)
    return classes


def label_codes(said, classes, n_rows, who, mend="it must answer labels of y"):
    """Return the places of labels, as a member says them, among the sorted classes.

    Labels that are no classes raise an error, and other shapes than (n_rows,); a single
    column will do.
    """
    said = np.asarray(said)
    if said.shape == (n_rows, 1):
        said = said[:, 0]
    if said.shape != (n_rows,):
        raise ValueError(
            f"{who} answers in shape {said.shape} of {n_rows} rows: it must answer a "
            "label of each."
        )
    if said.dtype.kind != "O" and kind_of_classes(said) == kind_of_classes(classes):
        codes = np.searchsorted(classes, said) % len(classes)
        strange = classes[codes] != said
    else:
        place = {label: k for k, label in enumerate(classes.tolist())}
        codes = np.array([place.get(label, -1) for label in said.tolist()], dtype=int)
        strange = codes < 0
    if np.any(strange):
        raise ValueError(
            f"{who} answers {said[strange].tolist()[0]!r}, which is none of the "
            f"classes {classes.tolist()}: {mend}."
        )
    return codes


def probabilities(said, labels, classes, n_rows, name):
    """Return what a member says as probabilities of all classes.

    Parameters
    ----------
    said : ndarray or Mapping
    labels : ndarray
        Those of the columns, if probabilities were said.
    classes : ndarray of shape (n_classes,)
    n_rows : int
    name : str
        Of the member, for messages.

    Returns
    -------
    ndarray of shape (n_rows, n_classes)

    >>> probabilities(np.array(["b", "a"]), None, np.array(["a", "b"]), 2, "rule")
    array([[0., 1.],
           [1., 0.]])
    """
    if isinstance(said, Mapping):
        row = [float(said.get(label, 0.0)) for label in classes.tolist()]
        said, labels = np.tile(row, (n_rows, 1)), classes
    answer = np.zeros((n_rows, len(classes)))
    if said.shape == (n_rows,):
        codes = label_codes(
            said,
            classes,
            n_rows,
            f"The hypothesis {name!r}",
            "name all that may come in classes",
        )
        answer[np.arange(n_rows), codes] = 1.0
        return answer
    if said.shape != (n_rows, len(labels)):
        raise ValueError(
            f"The hypothesis {name!r} answers in shape {said.shape}: give {n_rows} "
            f"labels, or probabilities of {labels.tolist()}."
        )
    if not np.all(said >= 0) or np.any(np.abs(said.sum(axis=1) - 1) > _ROUNDING):
        raise ValueError(
            f"What the hypothesis {name!r} answers are no probabilities: they must be "
            "≥ 0, and sum to 1 over the classes."
        )
    answer[:, np.searchsorted(classes, labels)] = said
    return answer

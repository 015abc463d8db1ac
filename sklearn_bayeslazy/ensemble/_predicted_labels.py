"""What members of any kind have in common: the rows they read, labels and tags."""

import numpy as np
from scipy import sparse
from sklearn.utils import get_tags

from ..tabular import check_table, kind_of_classes, naming_unreadable_cells


def rows_for_members(estimator, X, y="no_validation", *, reset):
    """Return checked rows: a table, or raw documents as an array of strings."""
    documents = _as_documents(X)
    if documents is not None and (reset or not hasattr(estimator, "n_features_in_")):
        if reset:
            vars(estimator).pop("n_features_in_", None)
            vars(estimator).pop("feature_names_in_", None)
        return documents
    if not reset and not hasattr(estimator, "n_features_in_"):
        raise ValueError("X must be documents, a list of strings, as in fit.")
    return check_table(estimator, X, y, reset=reset, accept_sparse=True)


def _as_documents(X):
    """Return raw documents as an array of strings; None for other rows."""
    is_column = isinstance(X, list | tuple) or len(getattr(X, "shape", ())) == 1
    is_column = is_column and not sparse.issparse(X)
    if not (is_column and len(X) and isinstance(next(iter(X)), str)):
        return None
    for i, text in enumerate(X):
        if not isinstance(text, str):
            raise ValueError(
                f"The document {i} of X is {text!r:.80}: each must be a string."
            )
    return np.array(X, dtype=object)


def label_codes(
    predicted, classes, n_rows, who, advice="its predictions must be labels of y"
):
    """Return the index of each predicted label among the sorted classes."""
    # predicted: array-like (n_rows,) or (n_rows, 1); classes: (n_classes,). Error
    # messages name the member as `who`, and give `advice` for a label that is not a
    # class.
    predicted = np.asarray(predicted)
    if predicted.shape == (n_rows, 1):
        predicted = predicted[:, 0]
    if predicted.shape != (n_rows,):
        raise ValueError(
            f"{who} predicts an array of shape {predicted.shape} for {n_rows} rows: it "
            "must predict one label for each row."
        )
    same_kind = kind_of_classes(predicted) == kind_of_classes(classes)
    if predicted.dtype.kind != "O" and same_kind:
        codes = np.searchsorted(classes, predicted) % len(classes)
        unknown = classes[codes] != predicted
    else:
        code_of = {label: k for k, label in enumerate(classes.tolist())}
        codes = np.array([code_of.get(one, -1) for one in predicted.tolist()], int)
        unknown = codes < 0
    if np.any(unknown):
        raise ValueError(
            f"{who} predicts {predicted[unknown].tolist()[0]!r}, which is not one of "
            f"the classes {classes.tolist()}: {advice}."
        )
    return codes


def predicted_codes(member, X, classes):
    """Return the index of the class that a classifier predicts for each row."""
    with naming_unreadable_cells(X):
        predicted = member.predict(X)
    return label_codes(predicted, classes, X.shape[0], type(member).__name__)


def restrict_input_tags(tags, classifiers):
    """Return the tags, allowing only the input that every classifier accepts."""
    # DummyClassifier has the tag no_validation, for it reads no cell.
    tags_of_members = [get_tags(member) for member in classifiers]
    inputs = [t.input_tags for t in tags_of_members if not t.no_validation]
    for name in ("allow_nan", "sparse", "categorical", "string"):
        setattr(tags.input_tags, name, all(getattr(i, name) for i in inputs))
    return tags

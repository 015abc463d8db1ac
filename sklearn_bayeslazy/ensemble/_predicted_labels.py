"""What members of any kind have in common: their predicted labels and input tags."""

import numpy as np
from sklearn.utils import get_tags

from ..tabular import kind_of_classes, naming_unreadable_cells


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
        codes = [code_of.get(label, -1) for label in predicted.tolist()]
        codes = np.array(codes, dtype=int)
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

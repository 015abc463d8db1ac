"""Explanations of naive Bayes on tables: the log-likelihood terms of cells."""

import numpy as np

from .._core._estimator import names_of_columns
from ..explain import Cells, Explanation


def explain_cells(model, X, terms, log_prior, others=(), note=""):
    """Return the explanation of rows of a table from the terms of their cells."""
    # terms: (n_samples, n_parts, n_classes), the columns first and then the parts that
    # `others` names; log_prior: (n_classes,). `note` explains these other parts.
    base, names = np.tile(log_prior, (len(terms), 1)), names_of_columns(model)
    return Explanation(
        terms,
        base,
        model.classes_,
        names=[*names, *others],
        values=Cells(X, names),
        base_name="(prior)",
        note=note,
    )

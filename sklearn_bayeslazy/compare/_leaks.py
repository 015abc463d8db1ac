"""Finds single columns that give the target away."""

import warnings

import numpy as np
from sklearn.model_selection import KFold, cross_val_predict
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

from ._formatting import option_with_names
from ._table import CLASSIFICATION, DROP

# Of the rows, or of the variance, a single column rarely explains as much.
MIN_SHARE_OF_A_LEAK = 0.995
MAX_ROWS, MAX_TESTED_COLUMNS = 2000, 300
N_FOLDS = 3


def leak_messages(table, rows, seed):
    """Return a message on single columns that predict the target almost perfectly."""
    # The list is empty if there are none. Each column is tested by cross-validation of
    # a decision tree on its codes. rows: the training rows.
    rows = rows[:MAX_ROWS]
    used = [j for j, column in enumerate(table.columns) if column.kind != DROP]
    y = table.y[rows]
    if len(used) < 2 or len(np.unique(y)) < 2:
        return []
    names = [
        table.columns[j].name
        for j in used[:MAX_TESTED_COLUMNS]
        if _share_explained(table.X[rows, j], y, table.task, seed) > MIN_SHARE_OF_A_LEAK
    ]
    if not names:
        return []
    listed = ", ".join(map(repr, names))
    drop = option_with_names("drop", names)
    alone = "alone predicts" if len(names) == 1 else "each alone predict"
    return [
        f"{listed} {alone} the target almost perfectly. If that is not known before "
        f"the target, drop it: {drop}."
    ]


def _share_explained(cells, y, task, seed):
    """Return the share of errors of the baseline that one column avoids."""
    if cells.dtype == object:
        _, codes = np.unique(cells.astype(str), return_inverse=True)
        x = codes[:, np.newaxis].astype(float)
    else:
        x = cells[:, np.newaxis]
    is_class = task == CLASSIFICATION
    tree = DecisionTreeClassifier if is_class else DecisionTreeRegressor
    folds = KFold(N_FOLDS, shuffle=True, random_state=seed)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model = tree(min_samples_leaf=2, random_state=seed)
        predicted = cross_val_predict(model, x, y, cv=folds)
        if is_class:
            _, counts = np.unique(y, return_counts=True)
            return 1 - np.mean(predicted != y) / (1 - counts.max() / len(y))
        return 1 - np.mean((predicted - y) ** 2) / y.var()

"""Cuts the rows: a held-out part, then the folds of the rest."""

from collections import Counter

import numpy as np
from sklearn.model_selection import KFold, StratifiedKFold, train_test_split

from ._table import CLASSIFICATION

TEST_SHARE = 0.25
# A rare class lessens the folds no further than to this: it would spoil them for all.
MIN_FOLDS = 3


def hold_out(table, seed):
    """Return the row numbers of the training part and of the held-out part.

    Each class keeps its share in both where every class has two rows or more and
    both parts have room for every class.
    """
    rows = np.arange(len(table.y))
    strata = None
    if table.task == CLASSIFICATION:
        counts = Counter(table.y.tolist())
        if min(counts.values()) > 1 and TEST_SHARE * len(rows) >= len(counts):
            strata = table.y
    return train_test_split(
        rows, test_size=TEST_SHARE, random_state=seed, stratify=strata
    )


def make_folds(y, task, n_folds, seed):
    """Return shuffled folds, and a message where they are fewer than asked or lack.

    Parameters
    ----------
    y : ndarray of shape (n_rows,)
        Target of the training part.
    task : {"classification", "regression"}
    n_folds : int
        At least 2.
    seed : int

    Returns
    -------
    folds : KFold or StratifiedKFold
    message : str or None
    """
    if task == CLASSIFICATION:
        counts = Counter(y.tolist())
        rarest, fewest = min(counts.items(), key=lambda item: item[1])
        most = min(max(fewest, MIN_FOLDS), max(counts.values()))
        why = f"of class {str(rarest)!r} the training part has {fewest}"
        kind = StratifiedKFold
    else:
        # R² needs two rows to vary.
        fewest = most = len(y) // 2
        why = f"the training part has {len(y)} rows"
        kind = KFold
    used = min(n_folds, most)
    folds = kind(used, shuffle=True, random_state=seed)
    if used < n_folds:
        return folds, f"{used} folds instead of {n_folds}: {why}."
    if fewest < used:
        return folds, f"Not every fold sees every class: {why}."
    return folds, None

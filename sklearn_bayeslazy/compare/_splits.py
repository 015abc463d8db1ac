"""Splits the rows: a held-out part, and the folds of the training part."""

from collections import Counter

import numpy as np
from sklearn.model_selection import KFold, StratifiedKFold, train_test_split

from ._formatting import with_count
from ._table import CLASSIFICATION

TEST_SHARE = 0.25


def hold_out(table, seed, sample=None):
    """Return the training rows, the held-out rows, and whether they are stratified."""
    # If there are more than `sample` rows, both are parts of a random sample. The split
    # is stratified if every class has at least two rows and the held-out part has at
    # least as many rows as there are classes.
    rows = np.arange(len(table.y))
    if sample is not None and sample < len(rows):
        rows = np.random.RandomState(seed).choice(len(rows), sample, replace=False)
    strata = None
    if table.task == CLASSIFICATION:
        counts = Counter(table.y[rows].tolist())
        if min(counts.values()) > 1 and TEST_SHARE * len(rows) >= len(counts):
            strata = table.y[rows]
    train, test = train_test_split(
        rows, test_size=TEST_SHARE, random_state=seed, stratify=strata
    )
    return train, test, strata is not None


def make_folds(y, task, n_folds, seed):
    """Return shuffled folds, and a message if they differ from what was requested."""
    # y: (n,), the target of the training part. n_folds: at least 2. The message: why
    # there are fewer folds, or why some folds lack a class; otherwise None.
    if task == CLASSIFICATION:
        counts = Counter(y.tolist())
        rarest, n_rarest = min(counts.items(), key=lambda item: item[1])
        # A rare class does not reduce the folds of all: some lack it.
        max_folds = max(counts.values())
        rows = with_count(n_rarest, "row")
        reason = f"the training part has {rows} of class {str(rarest)!r}"
        lacks_a_class = n_rarest < min(n_folds, max_folds)
        # Each class may have one row in a small sample of many classes.
        splitter = StratifiedKFold if max_folds > 1 else KFold
        max_folds = max(max_folds, 2)
    else:
        # R² of a fold needs two rows.
        max_folds = len(y) // 2
        reason = f"the training part has {len(y)} rows"
        lacks_a_class = False
        splitter = KFold
    n_used = min(n_folds, max_folds)
    folds = splitter(n_used, shuffle=True, random_state=seed)
    if n_used < n_folds:
        return folds, f"{n_used} folds instead of {n_folds}: {reason}."
    if lacks_a_class:
        return folds, f"Some folds lack a class: {reason}."
    return folds, None

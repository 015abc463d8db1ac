"""Which rows leave-one-out leaves out with a row of numbers or words, by tuples."""

import numpy as np
from scipy import sparse


def merged_rows(X, y, are_counts=False):
    """Return an object for each row that only its copies have too.

    X is a table of numbers, or a list of documents, whose cells are their words, or
    their counts. Documents of one word at most are no copies of each other. Rows
    of equal cells are no copies of each other if most distinct rows have the cells of a
    row of another target; or if more than four targets have them, or two more
    than twice as often as rows usually occur.
    """
    if isinstance(X, list):
        cells = [tuple(document.split()) for document in X]
        short = {words for words in cells if len(words) <= 1}
    else:
        X = X.toarray() if sparse.issparse(X) else np.asarray(X, dtype=float)
        cells = [tuple(map(repr, x)) for x in (X + 0.0).tolist()]
        is_short = are_counts & ((X != 0).sum(axis=1) <= 1)
        short = {words for words, alike in zip(cells, is_short) if alike}
    rows = list(zip(cells, map(repr, np.asarray(y).tolist())))
    distinct = set(rows)
    targets = {cells: {t for c, t in distinct if c == cells} for cells, _ in distinct}
    n_shared = sum(len(targets[cells]) > 1 for cells, _ in distinct)
    if 2 * n_shared > len(distinct) or len(distinct) == 1:
        return list(range(len(rows)))
    usual = np.median([rows.count(row) for row in distinct])
    frequent = {
        cells
        for cells, those in targets.items()
        if len(those) > 4 or sum(rows.count((cells, t)) > 2 * usual for t in those) > 1
    }
    alone = frequent | short
    return [(row, i if row[0] in alone else None) for i, row in enumerate(rows)]


def weights_without(X, y, weight, i, are_counts=False):
    """Return the weights with those of row i and of its copies 0."""
    rows = merged_rows(X, y, are_counts)
    return np.where([row == rows[i] for row in rows], 0.0, weight)


def row_weight(X, y, weight, are_counts=False):
    """Return the median of the weights of rows, those of copies summed up."""
    kept = np.flatnonzero(weight)
    totals = {}
    for row, i in zip(merged_rows(X[kept], np.asarray(y)[kept], are_counts), kept):
        totals[row] = totals.get(row, 0.0) + weight[i]
    return np.median(list(totals.values()))

"""Imputation of missing cells: the likeliest category, or the expected number."""

import numpy as np

from .._core._parallel import map_tasks


def bin_means(table, codes, weight, is_cut, sizes, n_jobs=None):
    """Return the mean number in each bin of each column, None for other columns."""
    # codes: (n_nodes, n_rows), the columns first, below 0 where a cell is missing;
    # weight: (n_rows,); is_cut: whether each column holds numbers, which are cut into
    # bins; sizes: the number of bins of each column.
    # Returns a list of (n_bins,) or None; NaN where a bin has no number.

    def means_of(column):
        cells, size = table.column(column), sizes[column]
        bins = codes[column].astype(np.intp)  # otherwise bincount converts them twice
        bin_weight, seen = weight, bins >= 0
        if not seen.all():
            cells, bins, bin_weight = cells[seen], bins[seen], weight[seen]
        total = np.bincount(bins, bin_weight, minlength=size)
        # Divide before summing: a sum of numbers near the largest float overflows.
        share = bin_weight / total[bins]
        mean = np.bincount(bins, cells * share, size)
        return np.where(total > 0, mean, np.nan)

    means, numbers = [None] * len(is_cut), np.flatnonzero(is_cut).tolist()
    for column, found in zip(numbers, map_tasks(means_of, numbers, n_jobs=n_jobs)):
        means[column] = found
    return means


def merge_bin_means(first, first_weights, second, second_weights):
    """Return the means of two tables together, from the means and weights of each.

    >>> one = [np.array([1.0, np.nan])], [np.array([3.0, 0.0])]
    >>> two = [np.array([5.0, 7.0])], [np.array([1.0, 2.0])]
    >>> merge_bin_means(*one, *two)
    [array([2., 7.])]
    """
    merged = []
    for a, n_a, b, n_b in zip(first, first_weights, second, second_weights):
        if a is None:
            merged.append(None)
            continue
        total = np.maximum(n_a + n_b, np.finfo(np.float64).tiny)
        parts = np.where(n_a > 0, a, 0.0) * (n_a / total)
        parts = parts + np.where(n_b > 0, b, 0.0) * (n_b / total)
        merged.append(np.where(n_a + n_b > 0, parts, np.nan))
    return merged


def cells_of_dtype(rows, is_missing, dtype):
    """Return the cells of rows as floats or objects."""
    # rows, is_missing: (n_rows, n_columns); dtype: float64 or object.
    cells = np.array(rows)
    if cells.dtype.kind not in "fiu":
        cells = cells.astype(object)
        if dtype.kind == "f":  # missing cells may be None or pandas.NA
            cells[is_missing] = np.nan
    return cells.astype(dtype)


def fill_missing(cells, is_missing, has_values, codes, network, inference, means):
    """Fill the missing cells of rows, each by its distribution given the row."""
    # cells: (n_rows, n_columns), changed in place; is_missing: of the same shape.
    # codes: (n_rows, n_nodes); means: as `bin_means` returns them.
    # has_values: (n_columns,), whether `fit` saw a value; other columns stay missing.
    incomplete = np.flatnonzero(is_missing.any(axis=1))
    columns = np.flatnonzero(is_missing.any(axis=0) & has_values)
    weights = inference.node_weights(network, codes[incomplete], columns)
    for column in columns:
        here = is_missing[incomplete, column]
        filled = impute(weights[column][here], network.values[column], means[column])
        cells[incomplete[here], column] = filled


def impute(weights, values, means):
    """Return the likeliest categories, or the expected numbers, of a column's cells.

    >>> impute(np.array([[0.2, 0.6, 0.2]]), ["a", "b", "c"], None)
    array(['b'], dtype=object)
    >>> impute(np.array([[0.25, 0.75, 0.5]]), [], np.array([1.0, 5.0, np.nan]))
    array([4.])
    """
    # weights: (n_cells, K), in proportion to the probabilities of the column's values;
    # all 0 where the row is impossible, whose cell stays missing. Returns (n_cells,).
    # means: (K,), the mean number of each bin, or None for a column of categories. Bins
    # without a number (NaN) are ignored.
    if means is None:
        likeliest = np.asarray(values, dtype=object)[weights.argmax(axis=1)]
        return np.where(weights.any(axis=1), likeliest, None)
    known = np.isfinite(means)
    weights = weights[:, known]
    with np.errstate(invalid="ignore"):
        p = weights / weights.sum(axis=1, keepdims=True)
        return (p * means[known]).sum(axis=1)

"""Numba kernel of the distance between rows of numbers, labels and missing values."""

from ..._kernel import kernel


@kernel
def measure_mixed(columns, labelled, queries, squared):
    """Write the squared HEOM distances of all rows from each query.

    Parameters
    ----------
    columns : (d, n) the rows, column by column: numbers, or codes of labels; NaN for a
        missing value.
    labelled : (d,) bool, whether a column holds codes; -1 is the code of new labels.
    queries : (m, d)
    squared : (m, n) output.
    """
    d, n = columns.shape
    for q in range(len(queries)):
        for r in range(n):
            squared[q, r] = 0.0
        for j in range(d):
            x = queries[q, j]
            if labelled[j]:
                for r in range(n):  # NaN differs from every code and from NaN
                    squared[q, r] += 0.0 if columns[j, r] == x else 1.0
            else:
                for r in range(n):
                    t = columns[j, r] - x
                    squared[q, r] += t * t if t == t else 1.0

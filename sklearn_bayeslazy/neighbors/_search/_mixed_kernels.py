"""Kernel of the distance between rows of numbers, labels and missing cells."""

from ..._kernel import kernel


@kernel
def measure_mixed(columns, labelled, queries, squared):
    """Write the squared HEOM distances of all rows from each query.

    Parameters
    ----------
    columns : (d, n) the rows, column by column: numbers, or codes; NaN for missing.
    labelled : (d,) bool, whether a column holds codes; -1 is a label like no other.
    queries : (m, d)
    squared : (m, n) out.
    """
    d, n = columns.shape
    for q in range(len(queries)):
        for r in range(n):
            squared[q, r] = 0.0
        for j in range(d):
            x = queries[q, j]
            if labelled[j]:
                for r in range(n):  # NaN is like nothing, not even NaN
                    squared[q, r] += 0.0 if columns[j, r] == x else 1.0
            else:
                for r in range(n):
                    t = columns[j, r] - x
                    squared[q, r] += t * t if t == t else 1.0

"""AODE by plain loops over rows, directly from the published formula.

The reference for the kernels, the leave-one-out and the pool. Cells are None where
missing; `values` lists the values of each column.
"""

import math


def joint_log_proba(
    query,
    rows,
    y,
    weight,
    classes,
    values,
    *,
    m,
    parents=None,
    predicted=None,
    min_count=1,
):
    """Return log Σ_i P(c, x_i) Π_j P(x_j | c, x_i) of one row for each class.

    Without a frequent value of a super-parent, return the scores of naive Bayes.
    """
    cells = range(len(values))
    parents = cells if parents is None else parents
    predicted = cells if predicted is None else predicted
    known = [j for j in cells if query[j] in values[j]]
    used = [
        i
        for i in parents
        if i in known
        and sum(w for r, w in zip(rows, weight) if r[i] == query[i]) >= min_count
    ]
    if not used:
        return [naive_log_proba(query, rows, y, weight, c, values, m) for c in classes]
    scores = []
    for c in classes:
        total = 0.0
        for i in used:
            observed = sum(w for r, w in zip(rows, weight) if r[i] is not None)
            of_class = [
                (r, w)
                for r, k, w in zip(rows, y, weight)
                if k == c and r[i] == query[i]
            ]
            n_cells = len(classes) * len(values[i])
            product = estimate(sum(w for _, w in of_class), observed, m, n_cells)
            for j in known:
                if j != i and j in predicted:
                    product *= conditional(query[j], j, of_class, values, m)
            total += product
        scores.append(math.log(total) if total > 0 else -math.inf)
    return scores


def naive_log_proba(query, rows, y, weight, c, values, m):
    """Return log P(c) Π_j P(x_j | c)."""
    of_class = [(r, w) for r, k, w in zip(rows, y, weight) if k == c]
    prior = sum(w for _, w in of_class) / sum(weight)
    score = _log(prior)
    for j in range(len(values)):
        if query[j] in values[j]:
            score += _log(conditional(query[j], j, of_class, values, m))
    return score


def conditional(value, j, of_class, values, m):
    """Return the estimate of P(x_j = value) among weighted rows."""
    count = sum(w for r, w in of_class if r[j] == value)
    observed = sum(w for r, w in of_class if r[j] is not None)
    return estimate(count, observed, m, len(values[j]))


def estimate(count, total, m, n_values):
    """Return the m-estimate with a uniform prior; "laplace" adds one to each count."""
    m = n_values if m == "laplace" else m
    if total + m == 0:
        return 1 / n_values
    return (count + m / n_values) / (total + m)


def without_row(i, rows, y, weight):
    """Return the table without one copy of row i."""
    weight = [0 if k == i else w for k, w in enumerate(weight)]
    kept = [k for k, w in enumerate(weight) if w > 0]
    return [rows[k] for k in kept], [y[k] for k in kept], [weight[k] for k in kept]


def _log(x):
    return math.log(x) if x > 0 else -math.inf

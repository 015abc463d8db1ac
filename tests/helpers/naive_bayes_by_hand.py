"""Naive Bayes by plain loops over rows, directly from the definition.

The reference for the package's kernels and leave-one-out. A column is a list of cells
(None where missing) and a description {"kind", "values", "prior"}: "values" are the
categories of a categorical column, the cut points of a quantized one.
"""

import math


def joint_log_proba(query, columns, kinds, y, weight, classes, m, added, one_row=1.0):
    """Return log P(c) + Σ log P(x_i | c) of one row for each class.

    `added` is added to each Gaussian variance; `one_row` is the weight of a row.
    """
    class_weights = [sum(w for w, c in zip(weight, y) if c == k) for k in classes]
    joint = []
    for c, n_class in zip(classes, class_weights):
        n = sum(class_weights)
        total = _log(n_class / n) if n else -math.inf
        for x, column, kind, m_column in zip(query, columns, kinds, m):
            if x is not None:
                total += log_term(
                    x, column, kind, y, weight, classes, c, m_column, added, one_row
                )
        joint.append(total)
    return joint


def log_term(x, column, kind, y, weight, classes, c, m, added, one_row=1.0):
    """Return log P(x | c) of one column."""
    cells = [(v, k, w) for v, k, w in zip(column, y, weight) if v is not None and w > 0]
    in_class = [(v, w) for v, k, w in cells if k == c]
    all_cells = [(v, w) for v, _, w in cells]
    if kind["kind"] == "gaussian":
        return _gaussian(x, in_class, all_cells, m, added, one_row)
    if kind["kind"] == "poisson":
        return _poisson(x, in_class, all_cells, m)
    return _discrete(x, in_class, all_cells, kind, m, classes.index(c))


def _discrete(x, in_class, all_cells, kind, m, class_index):
    def code(v):
        if kind["kind"] == "categorical":
            return kind["values"].index(v) if v in kind["values"] else None
        if kind["kind"] == "bernoulli":
            return int(v > 0)
        return sum(1 for edge in kind["values"] if edge <= v)

    n_values = {
        "categorical": len(kind["values"]),
        "bernoulli": 2,
        "quantized": len(kind["values"]) + 1,
    }[kind["kind"]]
    value = code(x)
    if value is None:
        return 0.0
    joint = sum(w for v, w in in_class if code(v) == value)
    total = sum(w for _, w in in_class)
    n = sum(w for _, w in all_cells)
    prior = kind.get("prior", "uniform")
    if prior == "marginal" and n > 0:
        p, q = sum(w for v, w in all_cells if code(v) == value) / n, 1.0
    elif isinstance(prior, str):
        p, q = 1 / n_values, 1.0
    else:
        row = prior[class_index] if isinstance(prior[0], list) else prior
        p, q = row[value], sum(row)
    if total + m * q == 0:
        return _log(p / q)
    return _log((joint + m * p) / (total + m * q))


def _poisson(x, in_class, all_cells, m):
    n_all = sum(w for _, w in all_cells)
    if n_all == 0:
        return 0.0
    base = sum(w * v for v, w in all_cells) / n_all
    n = sum(w for _, w in in_class)
    rate = (sum(w * v for v, w in in_class) + m * base) / (n + m) if n + m > 0 else base
    if rate == 0:
        return 0.0 if x == 0 else -math.inf
    return x * math.log(rate) - rate - math.lgamma(x + 1)


def _gaussian(x, in_class, all_cells, m, added, one_row):
    n_all = sum(w for _, w in all_cells)
    if n_all == 0:
        return 0.0
    mean_0, ss_all = moments(all_cells)
    variance_0 = ss_all / n_all
    n = sum(w for _, w in in_class)
    if n + m == 0:
        mean, variance = mean_0, variance_0
    else:
        class_mean, ss = moments(in_class) if in_class else (mean_0, 0.0)
        # In this form equal means stay equal.
        mean = class_mean - m / (n + m) * (class_mean - mean_0)
        ss = ss + m * variance_0 + n * m / (n + m) * (class_mean - mean_0) ** 2
        variance = ss / (n + m - one_row if n + m > one_row else n + m)
    variance += added
    if variance == 0:  # the whole column is constant
        variance = 1e-9
    return -0.5 * math.log(2 * math.pi * variance) - (x - mean) ** 2 / (2 * variance)


def moments(cells):
    """Return mean and Σ w (x - mean)²; deviations from the first value keep 0 exact."""
    n = sum(w for _, w in cells)
    origin = cells[0][0]
    shift = sum(w * (v - origin) for v, w in cells) / n
    return origin + shift, sum(w * (v - origin - shift) ** 2 for v, w in cells)


def _log(p):
    return math.log(p) if p > 0 else -math.inf


def without_row(weight, row):
    """Return the weights with that of one row 0."""
    left = list(weight)
    left[row] = 0.0
    return left


def log_loss(joint, true_class, log_prior):
    """Return the log loss of one row, -log(eps) where P(true class) is 0."""
    if max(joint) == -math.inf:
        joint = log_prior
    top = max(joint)
    total = sum(math.exp(j - top) for j in joint)
    p = math.exp(joint[true_class] - top) / total
    return (
        -math.log(p) if p > 2.220446049250313e-16 else -math.log(2.220446049250313e-16)
    )

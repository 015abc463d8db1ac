"""Explanations of local polynomials by columns, and of RBF networks by centres.

A polynomial f of degree 2 or less and the weighted mean x̄ of the rows around a query x
satisfy

    f(x) = f(x̄) + Σ_j ∂_j f((x + x̄) / 2) (x_j - x̄_j).

The parts of the sum are the Shapley values of the columns with x̄ as the baseline. For
degree 1 f(x̄) is the weighted mean of the targets.
"""

from itertools import combinations_with_replacement

import numpy as np
from scipy.special import logsumexp

from ..explain import Cells, Explanation
from ..leave_one_out import MIN_TERM
from ..tabular import object_array
from ._fits import LocalFitSettings, LocalRegression, LocalSolver, count_terms

BOUND, ALL_ROWS = "(bound)", "(all rows)"


def local_means(model, queries, output, map_rows):
    """Return the weighted means of the rows around each query, (m, n_encoded)."""
    # model: LocalRegression; queries: (m, n_encoded); output: the target whose
    # robustness weights count.
    rows = model.solver.finder.rows
    settings = LocalFitSettings(model.settings.kernel, ((0, 0.0),))
    solver = LocalSolver(model.solver.finder, rows)
    means = LocalRegression(solver, model.size, settings)
    if len(model.robustness_weights):
        weights = model.robustness_weights[:, [output]]
        means.robustness_weights = np.tile(weights, rows.shape[1])
    return means.predict(queries, map_rows).predictions


def midpoint_terms(model, queries, column_of, n_columns, map_rows):
    """Return the polynomials' values at local means, and the parts of predictions."""
    # model: LocalRegression; queries: (m, n_encoded); column_of: (n_encoded,), the
    # column of the table of each encoded column. Returned: base (m, n_outputs), and
    # terms (m, n_columns, n_outputs); with a ridge they have one part more, what
    # bounding the predictions adds.
    ((degree, ridge),) = model.settings.polynomials
    n_encoded = queries.shape[1]
    n_coef = count_terms(n_encoded, degree)
    fits = model.predict(queries, map_rows, n_coef=n_coef)
    constant, coef = fits.coef[:, 0], fits.coef[:, 1:]
    n_outputs = constant.shape[1]
    terms = np.zeros((len(queries), n_columns, n_outputs))
    is_robust = len(model.robustness_weights) > 0
    for v in range(n_outputs if degree > 0 else 0):
        if v == 0 or is_robust:
            steps = queries - local_means(model, queries, v, map_rows)
        parts = coef[:, :n_encoded, v] * steps
        products = combinations_with_replacement(range(n_encoded), 2)
        for k, (i, j) in zip(range(n_encoded, n_coef - 1), products):
            # Half of the product's share for either column: the slopes of z_i z_j at
            # z = -step / 2, the middle between the mean and the query.
            share = coef[:, k, v] * steps[:, i] * steps[:, j] / 2
            parts[:, i] -= share
            parts[:, j] -= share
        for k, j in enumerate(column_of):
            terms[:, j, v] += parts[:, k]
    base = constant - terms.sum(axis=1)
    if ridge > 0 and degree > 0:
        bound = fits.predictions - constant
        terms = np.concatenate([terms, bound[:, None]], axis=1)
    return base, terms


def explain_columns(X, names, base, terms):
    """Return the explanation of local polynomials."""
    # base, terms: as `midpoint_terms` returns them, in units of the targets.
    return Explanation(
        terms,
        base,
        np.arange(base.shape[1]),
        names=[*names, BOUND][: terms.shape[1]],
        values=Cells(X, names),
        unit="target units",
        base_name="(at local mean)",
    )


def explain_local(local, query, log_proba):
    """Return the base and the terms of one query by a local classifier."""
    # local: its classes are positions among all classes; query: (1, n_features);
    # log_proba: (n_classes,), logarithms of the mixed probabilities. Returned: base
    # (n_classes,); terms (n_parts + 1, n_classes), the last part being what mixing
    # adds, up to the constant of the local model; names of the parts after the columns,
    # the last one included. A class without local rows has only the last part.
    n_features = query.shape[1]
    base, terms = np.zeros(len(log_proba)), np.zeros((n_features, len(log_proba)))
    names = [ALL_ROWS]
    if hasattr(local, "explain"):  # unless all neighbours are of one class
        why = local.explain(query)
        if why.unit != "log odds" or why.part != "column":
            raise ValueError(
                f"explain needs a local classifier that explains log odds by columns, "
                f"and {type(local).__name__} explains {why.unit} by {why.part}s."
            )
        names = [*why.part_names(0)[n_features:], ALL_ROWS]
        terms = np.zeros((len(why.terms[0]), len(log_proba)))
        # Not -inf: the m-estimate makes such classes possible again.
        base[local.classes_] = np.maximum(why.base[0], MIN_TERM)
        terms[:, local.classes_] = np.maximum(why.terms[0], MIN_TERM)
        scores = (base + terms.sum(axis=0))[local.classes_]
        base[local.classes_] -= logsumexp(scores)
    rest = log_proba - base - terms.sum(axis=0)
    return base, np.vstack([terms, rest]), names


def join_local(parts, X, names, classes):
    """Return the explanation of the results of `explain_local` of all queries."""
    bases, terms, others = zip(*parts)
    return Explanation(
        list(terms),
        np.array(bases),
        classes,
        names=[object_array([*names, *more]) for more in others],
        values=Cells(X, names),
        base_name="(local prior)",
    )


def explain_centers(values, coef, intercept, predictions, outputs, unit):
    """Return the explanation of an RBF network."""
    # values: (m, K), of the basis functions; coef: (n_outputs, K); intercept, outputs:
    # (n_outputs,); predictions: (m, n_outputs), or None if they are the sums.
    terms = values[:, :, None] * coef.T
    names = [f"φ of center {k}" for k in range(values.shape[1])]
    base = np.tile(intercept, (len(values), 1))
    if predictions is not None:
        bound = predictions - terms.sum(axis=1) - base
        terms = np.concatenate([terms, bound[:, None]], axis=1)
        names, values = [*names, BOUND], np.pad(values, ((0, 0), (0, 1)))
    return Explanation(
        terms,
        base,
        outputs,
        names=names,
        values=values,
        unit=unit,
        part="center",
        base_name="(constant)",
    )

"""Explanations of local polynomials by columns, and of RBF networks by centres.

A local polynomial of degree 1 passes through the weighted means of the neighbours. So

    f(x) = ȳ + Σ_j b_j (x_j - x̄_j),

with the weighted means ȳ and x̄ of the rows around x, and the slopes b. With a degree of
2 or a ridge this is its tangent plane at x; the rest is one more part.
"""

import numpy as np
from scipy.special import logsumexp

from .._explanation import Cells, Explanation
from ..tabular import object_array
from ._fits import LocalFitSettings, LocalFitter, LocalRegression

CURVATURE, ALL_ROWS = "(curvature)", "(all rows)"


def local_means(model, queries, values, output, map_rows):
    """Return the weighted means of values of the rows around each query.

    Parameters
    ----------
    model : LocalRegression
    queries : ndarray of shape (m, n_encoded)
    values : ndarray of shape (n, n_values)
    output : int
        The target whose robustness weights count.
    map_rows : callable

    Returns
    -------
    ndarray of shape (m, n_values)
    """
    settings = LocalFitSettings(model.settings.kernel, ((0, 0.0),))
    fitter = LocalFitter(model.fitter.finder, values)
    means = LocalRegression(fitter, model.size, settings)
    if len(model.robustness_weights):
        weights = model.robustness_weights[:, [output]]
        means.robustness_weights = np.tile(weights, values.shape[1])
    return means.predict(queries, map_rows).predictions


def tangent_terms(model, queries, column_of, n_columns, map_rows):
    """Return the local means of the targets, and the parts of the predictions.

    Parameters
    ----------
    model : LocalRegression
    queries : ndarray of shape (m, n_encoded)
    column_of : int array of shape (n_encoded,)
        The column of the table of each encoded column.
    n_columns : int
    map_rows : callable

    Returns
    -------
    base : ndarray of shape (m, n_outputs)
    terms : ndarray of shape (m, n_columns + 1, n_outputs)
        The last part is what the tangent planes do not explain.
    """
    fits = model.predict(queries, map_rows, slopes=True)
    finder, targets = model.fitter.finder, model.fitter.targets
    n_outputs = targets.shape[1]
    base = np.empty((len(queries), n_outputs))
    terms = np.zeros((len(queries), n_columns + 1, n_outputs))
    is_robust = len(model.robustness_weights) > 0
    for v in range(n_outputs):
        if v == 0 or is_robust:
            centers = local_means(model, queries, finder.rows, v, map_rows)
        target = local_means(model, queries, targets[:, [v]], v, map_rows)
        base[:, v] = target[:, 0]
        parts = fits.slopes[:, :, v] * (queries - centers)
        for k, j in enumerate(column_of):
            terms[:, j, v] += parts[:, k]
        terms[:, -1, v] = fits.predictions[:, v] - base[:, v] - terms[:, :-1, v].sum(1)
    return base, terms


def explain_columns(X, names, base, terms):
    """Return the explanation of local polynomials.

    Parameters
    ----------
    X : {array-like, dataframe} of shape (n_samples, n_features)
    names : list of str
    base, terms : ndarrays
        As `tangent_terms` returns them, in units of the targets.
    """
    return Explanation(
        terms,
        base,
        np.arange(base.shape[1]),
        names=[*names, CURVATURE],
        values=Cells(X, names),
        unit="target units",
        base_name="(local mean)",
    )


def explain_local(local, query, log_proba):
    """Return the base and the terms of one query by a local classifier.

    Parameters
    ----------
    local : classifier
        Its classes are positions among all classes.
    query : {array-like, dataframe} of shape (1, n_features)
    log_proba : ndarray of shape (n_classes,)
        The logarithms of the mixed probabilities.

    Returns
    -------
    base : ndarray of shape (n_classes,)
    terms : ndarray of shape (n_parts + 1, n_classes)
        The last part is what mixing adds, up to the constant of the local model. A
        class without local rows has no other part.
    names : list of str
        Of the parts after the columns, the last one included.

    Raises
    ------
    ValueError
        If the local explanation is not in log odds.
    """
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
        base[local.classes_], terms[:, local.classes_] = why.base[0], why.terms[0]
        base[local.classes_] -= logsumexp(why.scores()[0])
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


def explain_centers(values, coef, intercept, outputs, unit):
    """Return the explanation of an RBF network.

    Parameters
    ----------
    values : ndarray of shape (m, K)
        The values of the basis functions.
    coef, intercept : ndarrays of shapes (n_outputs, K), (n_outputs,)
    outputs : array-like of shape (n_outputs,)
    unit : str
    """
    return Explanation(
        values[:, :, None] * coef.T,
        np.tile(intercept, (len(values), 1)),
        outputs,
        names=[f"φ of center {k}" for k in range(values.shape[1])],
        values=values,
        unit=unit,
        part="center",
        base_name="(constant)",
    )

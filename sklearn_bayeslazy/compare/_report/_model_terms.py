"""What the best model holds for each column: weights, likelihoods, arcs, stretches.

Each view is a table with the sentence that names its method. A learner without any of
the known attributes has no view; the permutation importances serve for all.
"""

from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from .._formatting import format_number

MAX_ROWS = 500
# Columns whose likelihoods are listed, and their values.
MAX_COLUMNS, MAX_VALUES = 4, 10
MAX_CLASSES = 8
MAX_WORDS = 10


@dataclass
class View:
    """A table: its title, its method, its header, rows of strings, and shares."""

    title: str
    method: str
    header: list
    rows: list
    # From 0 to 1, the lengths of bars in a last column; None for none.
    shares: list | None = None


def views_of_winner(comparison):
    """Return the views of the best model, an empty list if none is known."""
    # comparison: one that has a winner.
    pipeline = comparison.pipeline
    estimator = pipeline[-1]
    X = pipeline[:-1].transform(comparison.table.X[comparison.test[:MAX_ROWS]])
    names = _names_of_inputs(comparison)
    views = []
    if hasattr(estimator, "posterior_") and hasattr(estimator, "hypotheses_"):
        views = [_posterior(estimator)]
        estimator = estimator.hypotheses_[estimator.map_]
    if names is not None:
        views += _views(estimator, X, names, comparison.table.target)
    return views


def _views(estimator, X, names, target):
    if hasattr(estimator, "distributions_"):
        return [_terms(estimator, X, names), *_likelihoods(estimator, X, names)]
    if hasattr(estimator, "structure_") and hasattr(estimator, "network_"):
        return [_arcs(estimator, [*names, target])]
    if _is_list(getattr(estimator, "feature_weights_", None), names):
        return [_stretches(estimator.feature_weights_, names)]
    if hasattr(estimator, "coef_"):
        return [_coefficients(estimator, names)]
    if _is_list(getattr(estimator, "feature_importances_", None), names):
        return [_importances(estimator.feature_importances_, names)]
    if type(estimator).__name__ in ("TextNB", "MultinomialNB"):
        return [_words(estimator, names)]
    return []


def _names_of_inputs(comparison):
    """Return the names of the columns that the last step reads, or None."""
    steps = comparison.pipeline[:-1]
    names = [column.name for column in comparison.table.columns]
    try:
        if hasattr(steps[-1], "vocabulary_"):
            return steps[-1].get_feature_names_out().tolist()
        found = steps.get_feature_names_out(names).tolist()
    except (AttributeError, ValueError):  # a step without names
        return None
    # ColumnTransformer puts the name of the transformer in front.
    has_prefix = hasattr(steps[-1], "transformers_")
    return [name.split("__", 1)[1] for name in found] if has_prefix else found


def _is_list(values, names):
    return values is not None and np.shape(values) == (len(names),)


def _centered(terms):
    return terms - terms.mean(axis=-1, keepdims=True)


def _strength(estimator, X):
    """Return the root mean square of each column's centred log-likelihood terms."""
    terms = _centered(estimator.explain(X).terms)
    return np.sqrt(np.square(terms).mean(axis=(0, 2)))


def _terms(estimator, X, names):
    strength = _strength(estimator, X)
    order = np.argsort(-strength, kind="stable")
    return View(
        "Likelihood terms of naive Bayes",
        "The term of a column is its weight times log P(cell | class), less the mean "
        "over the classes: its root mean square over held-out rows. A column of weight "
        "0 is ignored.",
        ["column", "distribution", "weight", "term"],
        [
            [
                names[j],
                str(estimator.distributions_[j]),
                format_number(estimator.feature_weights_[j]),
                format_number(strength[j]),
            ]
            for j in order
        ],
        _shares(strength[order]),
    )


def _likelihoods(estimator, X, names):
    """Return a view for each of the columns with the strongest terms."""
    if len(estimator.classes_) > MAX_CLASSES:
        return []
    strongest = np.argsort(-_strength(estimator, X), kind="stable")[:MAX_COLUMNS]
    views = [_likelihood(estimator, j, names[j]) for j in strongest]
    return [view for view in views if view is not None]


def _likelihood(estimator, j, name):
    classes = [str(label) for label in estimator.classes_]
    if estimator.feature_log_prob_[j] is not None:
        return _probabilities(estimator, j, name, classes)
    if np.isfinite(estimator.theta_[:, j]).all():
        deviation = np.sqrt(estimator.var_[:, j])
        rows = [
            [label, f"{format_number(mean)} ± {format_number(one)}"]
            for label, mean, one in zip(classes, estimator.theta_[:, j], deviation)
        ]
        method = "The normal distribution of each class."
        return View(name, method, ["class", "mean ± standard deviation"], rows)
    if np.isfinite(estimator.rate_[:, j]).all():
        rates = map(format_number, estimator.rate_[:, j])
        rows = [list(pair) for pair in zip(classes, rates)]
        return View(
            name, "The Poisson distribution of each class.", ["class", "mean"], rows
        )
    return None


def _probabilities(estimator, j, name, classes):
    """Return P(value | class), of many values those that differ most."""
    log_prob = estimator.feature_log_prob_[j].T
    labels = _labels_of_values(estimator, j, len(log_prob))
    if labels is None:
        return None
    differing = np.argsort(-np.exp(log_prob).max(axis=1) * np.ptp(log_prob, axis=1))
    shown = np.sort(differing[:MAX_VALUES])
    method = "P(value | class) in per cent."
    if len(shown) < len(labels):
        method += f" The {len(shown)} of {len(labels)} values that tell most."
    rows = [
        [labels[k], *(f"{100 * np.exp(p):.1f}" for p in log_prob[k])] for k in shown
    ]
    return View(name, method, ["value", *classes], rows)


def _labels_of_values(estimator, j, n_values):
    categories, edges = estimator.categories_[j], estimator.bin_edges_[j]
    if categories is not None and len(categories) == n_values:
        return [str(value) for value in categories]
    if edges is None or len(edges) + 1 != n_values:
        return None
    ends = [f"{edge:.4g}" for edge in edges]
    if not ends:
        return ["all"]
    between = [f"{low} to {high}" for low, high in pairwise(ends)]
    return [f"below {ends[0]}", *between, f"{ends[-1]} and more"]


def _arcs(estimator, names):
    information = estimator._arc_information()
    n_named = len(names)
    arcs = sorted(information, key=lambda arc: -information[arc])
    arcs = [arc for arc in arcs if max(arc) < n_named]
    return View(
        "Arcs of the belief network",
        "Each arc with the mutual information of its two columns, given the other "
        "parents of the second. A column that no path joins to the target is ignored.",
        ["from", "to", "mutual information (nats)"],
        [
            [names[parent], names[child], format_number(information[parent, child])]
            for parent, child in arcs
        ],
        _shares([information[arc] for arc in arcs]),
    )


def _stretches(weights, names):
    weights = np.asarray(weights, dtype=float)
    if np.ptp(weights) == 0:
        method = "All scaled columns have the same factor in the distance between rows."
        return View("Stretch of the axes", method, [], [])
    order = np.argsort(-weights, kind="stable")
    return View(
        "Stretch of the axes",
        "The factor of each scaled column in the distance between rows. A column of "
        "factor 0 is ignored.",
        ["column", "factor"],
        [[names[j], format_number(weights[j])] for j in order],
        _shares(weights[order]),
    )


def _coefficients(estimator, names):
    coefficients = np.atleast_2d(estimator.coef_)
    size = np.abs(coefficients).max(axis=0)
    order = np.argsort(-size, kind="stable")
    which = np.abs(coefficients).argmax(axis=0)
    header = ["column", "coefficient"]
    rows = [[names[j], f"{coefficients[which[j], j]:+.3g}"] for j in order]
    method = (
        "Coefficients of the linear model, of scaled numbers and of categories as 0 "
        "and 1"
    )
    if len(coefficients) > 1:
        header.append("class")
        rows = [
            [*row, str(estimator.classes_[which[j]])] for row, j in zip(rows, order)
        ]
        method += ": of each column the largest, and its class"
    elif hasattr(estimator, "classes_"):
        method += f"; a positive one speaks for {str(estimator.classes_[1])!r}"
    return View("Coefficients", f"{method}.", header, rows, _shares(size[order]))


def _importances(importances, names):
    order = np.argsort(-np.asarray(importances), kind="stable")
    return View(
        "Importances in the trees",
        "How much the splits on each column lower the impurity of the training rows, "
        "as shares of their sum. Columns with many values look better than they are.",
        ["column", "importance"],
        [[names[j], format_number(importances[j])] for j in order],
        _shares(np.asarray(importances)[order]),
    )


def _words(estimator, names):
    """Return the words that favour each class most."""
    prob = np.exp(estimator.feature_log_prob_)
    gain = prob * _centered(estimator.feature_log_prob_.T).T
    rows = [
        [str(label), ", ".join(names[j] for j in np.argsort(-one)[:MAX_WORDS])]
        for label, one in zip(estimator.classes_, gain)
    ]
    return View(
        "Words of each class",
        "Those with the largest P(word | class) times the logarithm of its ratio to "
        "the geometric mean over the classes.",
        ["class", "words"],
        rows,
    )


def _posterior(estimator):
    order = np.argsort(-estimator.posterior_, kind="stable")
    return View(
        "Posterior of the hypotheses",
        "P(hypothesis | data), from left-out predictions; the prediction is their "
        "weighted vote.",
        ["hypothesis", "P(h | D)"],
        [[estimator.names_[j], format_number(estimator.posterior_[j])] for j in order],
        _shares(estimator.posterior_[order]),
    )


def _shares(values):
    values = np.maximum(np.asarray(values, dtype=float), 0)
    return (values / max(values.max(initial=0), 1e-300)).tolist()

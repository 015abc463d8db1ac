"""Builds this package's estimators for a table.

A builder is a function of a table that returns an unfitted estimator. The estimators
are imported inside the builders: a comparison imports only the families that it needs.
"""

from importlib import import_module

from sklearn.tree import DecisionTreeClassifier

from ._baselines import on_scaled_numbers, on_word_counts

# The parameters of MEstimateNB as in the textbooks: nothing is chosen from the data.
CLASSICAL = {"m": 1.0, "distribution": "auto", "feature_weights": None}


def on_raw_columns(name, **parameters):
    """Return the builder of an estimator that reads mixed columns or raw text."""

    def build(table):
        return _estimator_class(name)(**parameters)

    return build


def text_nb(**parameters):
    """Return the builder of TextNB on counts of words."""

    def build(table):
        from sklearn_bayeslazy import TextNB

        return on_word_counts(TextNB(**parameters))

    return build


def local_m_estimate_nb(table):
    """Return naive Bayes that is fitted to the neighbours of each query."""
    from sklearn_bayeslazy import LocallyWeightedEstimator, MEstimateNB

    # One fit a query: leave-one-out in each would be slow.
    return LocallyWeightedEstimator(MEstimateNB(**CLASSICAL))


def boosted_trees(table):
    """Return boosting of trees of depth 3 on numbers."""
    from sklearn_bayeslazy import MyAdaBoost

    trees = DecisionTreeClassifier(max_depth=3)
    return on_scaled_numbers(table, MyAdaBoost(trees, random_state=0))


def hypothesis_classifier(table):
    """Return the Bayes optimal vote of three of this package's classifiers."""
    from sklearn_bayeslazy import (
        BeliefNetworkClassifier,
        HypothesisClassifier,
        MEstimateNB,
        MyAdaBoost,
    )

    members = [
        ("MEstimateNB", MEstimateNB()),
        ("tan", BeliefNetworkClassifier("tan")),
        ("stumps", MyAdaBoost()),
    ]
    return HypothesisClassifier(members, cv=5, noise=1e-6)


def _estimator_class(name):
    return getattr(import_module("sklearn_bayeslazy"), name)

"""Ensembles: classifiers that combine the predictions of several members."""

from ._hypothesis_classifier import HypothesisClassifier
from ._my_ada_boost import MyAdaBoost

__all__ = [
    "HypothesisClassifier",
    "MyAdaBoost",
]

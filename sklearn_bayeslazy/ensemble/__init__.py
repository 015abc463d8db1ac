"""Committees: many hypotheses that answer together."""

from ._hypothesis_classifier import HypothesisClassifier

__all__ = ["HypothesisClassifier"]

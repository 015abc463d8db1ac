"""Naive Bayes: one hook, the joint log likelihood, and several ways to fill it."""

from ._m_estimate_nb import MEstimateNB

__all__ = ["MEstimateNB"]

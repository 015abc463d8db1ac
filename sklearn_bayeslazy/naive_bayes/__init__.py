"""Bayesian classifiers for mixed tables."""

from ._aode_classifier import AODEClassifier
from ._m_estimate_nb import MEstimateNB

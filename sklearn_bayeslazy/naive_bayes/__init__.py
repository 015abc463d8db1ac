"""Bayesian classifiers for mixed tables, for word counts and for raw documents."""

from ._aode_classifier import AODEClassifier
from ._language_model_nb import LanguageModelNB
from ._m_estimate_nb import MEstimateNB
from ._text_nb import TextNB

__all__ = ["AODEClassifier", "LanguageModelNB", "MEstimateNB", "TextNB"]

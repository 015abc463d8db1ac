"""Naive Bayes classifiers for mixed tables, for word counts and for raw documents."""

from ._language_model_nb import LanguageModelNB
from ._m_estimate_nb import MEstimateNB
from ._text_nb import TextNB

__all__ = ["LanguageModelNB", "MEstimateNB", "TextNB"]

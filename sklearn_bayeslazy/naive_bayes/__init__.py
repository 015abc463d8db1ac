"""Naive Bayes: one hook, the joint log likelihood, and several ways to fill it."""

from ._language_model_nb import LanguageModelNB
from ._m_estimate_nb import MEstimateNB
from ._text_nb import TextNB

__all__ = ["LanguageModelNB", "MEstimateNB", "TextNB"]

"""Bayesian classifiers and language models for word counts and raw documents."""

from ._language_model_nb import LanguageModelNB
from ._n_gram_language_model import NGramLanguageModel
from ._text_nb import TextNB

"""Language models: n-gram counts, smoothing, scoring, sampling and decoding."""

from ._n_gram_language_model import NGramLanguageModel

__all__ = ["NGramLanguageModel"]

"""Language models: n-gram counts, their smoothings, and what follows from them."""

from ._n_gram_language_model import NGramLanguageModel

__all__ = ["NGramLanguageModel"]

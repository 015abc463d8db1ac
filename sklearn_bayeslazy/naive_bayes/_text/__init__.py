"""Event models of text: multinomial, complement, Bernoulli and Poisson words."""

from ._learning import (
    count_documents,
    loo_needs_all_documents,
    spread,
    text_model,
    top_words,
)
from ._leave_one_out import choose_m
from ._priors import virtual_mass
from ._rows import TextRows, check_counts, refuse_texts

__all__ = [
    "TextRows",
    "check_counts",
    "choose_m",
    "count_documents",
    "loo_needs_all_documents",
    "refuse_texts",
    "spread",
    "text_model",
    "top_words",
    "virtual_mass",
]

"""Event models of text: multinomial, complement, Bernoulli and Poisson."""

from ._learning import (
    build_text_model,
    count_documents,
    expand_classes,
    loo_needs_all_documents,
    top_words,
)
from ._leave_one_out import choose_m
from ._priors import n_virtual_examples
from ._rows import TextRows, check_counts, refuse_raw_texts

__all__ = [
    "TextRows",
    "build_text_model",
    "check_counts",
    "choose_m",
    "count_documents",
    "expand_classes",
    "loo_needs_all_documents",
    "n_virtual_examples",
    "refuse_raw_texts",
    "top_words",
]

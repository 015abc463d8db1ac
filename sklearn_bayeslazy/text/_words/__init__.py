"""Event models of word counts: multinomial, complement, Bernoulli and Poisson."""

from ._learning import (
    build_text_model,
    count_by_class,
    expand_classes,
    n_virtual_examples,
    top_words,
)
from ._left_out_documents import (
    check_same_choice_of_m,
    choose_by_leave_one_out,
    left_out_joint,
    settled_choices,
    tunes_anything,
)
from ._rows import TextRows, check_word_counts, refuse_raw_texts
from ._temperature import document_lengths, length_factor, temper

__all__ = [
    "TextRows",
    "build_text_model",
    "check_same_choice_of_m",
    "check_word_counts",
    "choose_by_leave_one_out",
    "count_by_class",
    "document_lengths",
    "expand_classes",
    "left_out_joint",
    "length_factor",
    "n_virtual_examples",
    "refuse_raw_texts",
    "settled_choices",
    "temper",
    "top_words",
    "tunes_anything",
]

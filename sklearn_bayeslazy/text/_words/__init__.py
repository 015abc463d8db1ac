"""Event models of word counts: multinomial, complement, Bernoulli and Poisson."""

from ._learning import (
    build_text_model,
    count_by_class,
    expand_classes,
    n_virtual_examples,
    top_words,
)
from ._left_out_documents import (
    choose_by_leave_one_out,
    learns_offsets,
    left_out_joint,
    settled_choices,
    tunes_anything,
)
from ._offset_search import WordOffsets
from ._offsets import (
    MAX_OFFSETS,
    TextsToLearnFrom,
    choose_word_offsets,
    cross_fitted_scores,
    fit_word_offsets,
)
from ._rows import TextRows, check_word_counts, refuse_raw_texts, weigh_terms
from ._temperature import document_lengths, length_factor, temper

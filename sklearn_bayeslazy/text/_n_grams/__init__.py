"""n-gram models: counts, smoothing, scoring, sampling and decoding."""

from ._arpa import model_of, read_arpa, write_arpa
from ._counts import END, N_SYMBOLS, START, UNKNOWN_WORD, counts_of_class
from ._document_reader import check_documents, keeps_all_words
from ._estimator import (
    N_GRAM_CONSTRAINTS,
    NGramEstimatorMixin,
    batches_excluded,
    check_addable,
)
from ._given_counts import SYMBOLS, given_counts, read_ngrams, vocabulary_of
from ._left_out_documents import (
    choose_parameters,
    is_tuned,
    left_out_log_likelihoods,
    parameter_candidates,
    without_copied_documents,
)
from ._sampling import NextWords, best_path, check_sequence, draw_text
from ._scoring import log_likelihoods, score_tokens, token_length_factor
from ._smoothing import SMOOTHINGS, check_smoothing_parameter, suffixes_of

"""n-gram models: counts, smoothing, scoring, sampling and decoding."""

from ._arpa import model_of, opened, read_arpa, write_arpa
from ._counts import END, N_SYMBOLS, START, UNKNOWN_WORD, counts_of_class
from ._document_reader import check_documents, keeps_all_words
from ._estimator import (
    N_GRAM_CONSTRAINTS,
    NGramEstimatorMixin,
    batches_excluded,
    check_same_parameters,
    check_same_reading,
)
from ._given_counts import SYMBOLS, given_counts, read_ngrams, vocabulary_of
from ._left_out_classes import (
    LENGTH_NORMALIZATIONS,
    choose_parameters,
    left_out_joint,
    token_length_factor,
)
from ._left_out_documents import choose_parameter, is_tuned, parameter_candidates
from ._sampling import NextWords, best_path, draw_text
from ._scoring import log_likelihoods, score_rows, score_tokens
from ._smoothing import SMOOTHINGS, suffixes_of

__all__ = [
    "END",
    "LENGTH_NORMALIZATIONS",
    "N_GRAM_CONSTRAINTS",
    "N_SYMBOLS",
    "SMOOTHINGS",
    "START",
    "SYMBOLS",
    "UNKNOWN_WORD",
    "NGramEstimatorMixin",
    "NextWords",
    "batches_excluded",
    "best_path",
    "check_documents",
    "check_same_parameters",
    "check_same_reading",
    "choose_parameter",
    "choose_parameters",
    "counts_of_class",
    "draw_text",
    "given_counts",
    "is_tuned",
    "keeps_all_words",
    "left_out_joint",
    "log_likelihoods",
    "model_of",
    "opened",
    "parameter_candidates",
    "read_arpa",
    "read_ngrams",
    "score_rows",
    "score_tokens",
    "suffixes_of",
    "token_length_factor",
    "vocabulary_of",
    "write_arpa",
]

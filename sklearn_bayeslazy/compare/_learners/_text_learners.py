"""The learners that read only free text."""

from .._table import CLASSIFICATION, DOCUMENTS, REGRESSION
from . import _baselines, _builders, _chosen_parameters
from ._learner import BAYESLAZY, SKLEARN, Learner

TEXT_LEARNERS = [
    Learner(
        "TextNB, loo",
        CLASSIFICATION,
        BAYESLAZY,
        _builders.text_nb(m="loo"),
        _chosen_parameters.m_and_n_words,
        DOCUMENTS,
    ),
    Learner(
        "TextNB, complement, loo",
        CLASSIFICATION,
        BAYESLAZY,
        _builders.text_nb(m="loo", complement=True),
        _chosen_parameters.m_and_n_words,
        DOCUMENTS,
    ),
    Learner(
        "LanguageModelNB",
        CLASSIFICATION,
        BAYESLAZY,
        _builders.on_raw_columns("LanguageModelNB"),
        _chosen_parameters.smoothing_and_n_words,
        DOCUMENTS,
    ),
    Learner(
        "LanguageModelNB, loo",
        CLASSIFICATION,
        BAYESLAZY,
        _builders.on_raw_columns(
            "LanguageModelNB",
            smoothing="absolute_discount",
            smoothing_parameter="loo",
            length_normalization="loo",
            loo_scoring="log_loss",
        ),
        _chosen_parameters.smoothing_and_n_words,
        DOCUMENTS,
    ),
    Learner(
        "MultinomialNB",
        CLASSIFICATION,
        SKLEARN,
        _baselines.multinomial_nb,
        _chosen_parameters.of_last_step("alpha"),
        DOCUMENTS,
        cost=0,
    ),
    Learner(
        "ComplementNB",
        CLASSIFICATION,
        SKLEARN,
        _baselines.complement_nb,
        _chosen_parameters.of_last_step("alpha"),
        DOCUMENTS,
        cost=0,
    ),
    Learner(
        "LogisticRegression, TF-IDF",
        CLASSIFICATION,
        SKLEARN,
        _baselines.logistic_regression_on_text,
        _chosen_parameters.of_last_step("C"),
        DOCUMENTS,
    ),
    Learner(
        "Ridge, TF-IDF",
        REGRESSION,
        SKLEARN,
        _baselines.ridge_on_text,
        _chosen_parameters.of_last_step("alpha"),
        DOCUMENTS,
    ),
]

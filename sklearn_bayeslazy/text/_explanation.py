"""Explanations of naive Bayes on texts: log-likelihood terms of words and tokens."""

import numpy as np

from ..explain import Explanation
from ..tabular import object_array
from ._n_grams import END, START, UNKNOWN_WORD, score_tokens, token_length_factor
from ._words import check_word_counts, document_lengths, length_factor


def explain_words(model, counted, weighted, feature_names):
    """Return the explanation of word counts by TextNB."""
    # counted, weighted: TextRows of the counts, and as words enter the scores. All
    # terms are divided by the temperature of the document. A word that every document
    # of a class must hold has no term; a class of which one is lacking has the base
    # -inf.
    scores = model._scores
    terms, base, names, values = [], [], [], []
    for row in range(counted.shape[0]):
        counts = counted.cells_of(np.array([row])).values
        check_word_counts(counts.min(initial=0.0), counts.max(initial=0.0))
        cells = weighted.cells_of(np.array([row]))
        words = cells.positions
        lengths = document_lengths(cells, model._binary)
        factor = length_factor(lengths, model.length_exponent_) / model.temperature_
        of_words, lacks = scores.terms(words, cells.values)
        terms.append(of_words * factor)
        base.append(np.where(lacks, -np.inf, scores.bias * factor))
        names.append(object_array([str(feature_names[j]) for j in words]))
        values.append(counts)
    empty = "(prior)" if model.event_model == "multinomial" else "(no words)"
    return Explanation(
        terms,
        np.array(base),
        model.classes_,
        names=names,
        values=values,
        part="word",
        base_name=empty,
    )


def explain_tokens(model, corpus, words):
    """Return the explanation of documents by LanguageModelNB."""
    # corpus: the documents as codes; words: (n_tokens,), the word of each token as str.
    terms, _ = score_tokens(model._model, corpus)
    factor = token_length_factor(corpus.n_predicted, model.length_normalization_)
    terms *= np.repeat(factor, np.diff(corpus.start), axis=0)
    words = np.where(corpus.tokens == END, "(end)", words)
    remarks = np.where(corpus.tokens == UNKNOWN_WORD, "unknown word", "").astype(object)
    documents = [
        np.flatnonzero(corpus.tokens[first:last] != START) + first
        for first, last in zip(corpus.start, corpus.start[1:])
    ]
    return Explanation(
        [terms[at] for at in documents],
        model.class_log_prior_ * factor,
        model.classes_,
        names=[words[at] for at in documents],
        values=[remarks[at] for at in documents],
        part="word",
        base_name="(prior)",
    )

"""The cases on text: TextNB beside MultinomialNB, Kneser-Ney beside nltk.lm.

The documents are those of 20 newsgroups, again from the first where more are asked for,
so that cost per document can be told from cost per word of the vocabulary.
"""

import re
from functools import cache
from itertools import pairwise

import numpy as np
from sklearn.feature_extraction.text import CountVectorizer
from sklearn.naive_bayes import MultinomialNB

from benchmarks._harness import Agreement, Case, Data, peak_memory
from benchmarks._newsgroups import by_date
from sklearn_bayeslazy import NGramLanguageModel, TextNB

N_DOCUMENTS = 18_846
N_LANGUAGE_DOCUMENTS = 2_000
# nltk needs seconds for each document. What it does not do counts in its favour.
N_SCORED_BY_NLTK = 3
DISCOUNT = 0.1  # nltk's default, for pairs of words; single words have none


@cache
def newsgroups():
    """Return texts and labels of all documents."""
    return by_date()


@cache
def counts(n_documents):
    """Return counts of words and labels of the first documents."""
    texts, labels = newsgroups()
    vectorizer = CountVectorizer(dtype=np.float64)
    return vectorizer.fit_transform(texts[:n_documents]), labels[:n_documents]


def counts_data(rows):
    """Return counts of words of so many documents."""
    X, y = counts(min(rows, N_DOCUMENTS))
    places = np.arange(rows) % len(y)
    return Data(X[places], y[places], X[:0], y[:0])


def text_data(rows):
    """Return so many raw documents."""
    texts, labels = newsgroups()
    places = np.arange(rows) % len(labels)
    return Data(texts[places], labels[places], texts[:0], labels[:0])


def fit_predict_job(make_model):
    """Return a side whose timed work is fitting and predicting the same rows."""
    return lambda data: lambda: make_model().fit(data.X, data.y).predict(data.X)


def compare_labels(data, ours, peer):
    """Compare two vectors of predicted labels."""
    same = np.mean(ours == peer)
    return Agreement(bool(same >= 0.9999), f"{same:.4%} of labels equal")


def our_kneser_ney(data):
    """Return the job of counting pairs of words and scoring all documents."""

    def job():
        model = NGramLanguageModel(2, smoothing_parameter=[0.0, DISCOUNT])
        model.fit(data.X)
        return model, model.score_samples(data.X)

    return job


def peer_kneser_ney(data):
    """Return nltk's job: the same counts, and the scores of the first documents."""
    from nltk.lm import KneserNeyInterpolated
    from nltk.lm.preprocessing import pad_both_ends, padded_everygram_pipeline

    words = re.compile(r"(?u)\b\w+\b")

    def job():
        documents = [words.findall(text.lower()) for text in data.X]
        model = KneserNeyInterpolated(2, discount=DISCOUNT)
        model.fit(*padded_everygram_pipeline(2, documents))
        scores = []
        for document in documents[:N_SCORED_BY_NLTK]:
            padded = list(pad_both_ends(document, 2))
            logs = [model.logscore(b, [a]) for a, b in pairwise(padded)]
            scores.append(sum(logs) * np.log(2))
        return np.array(scores)

    return job


def compare_scores(data, ours, peer):
    """Compare log probabilities of documents, and tell the size of our model."""
    model, scores = ours
    gap = np.max(np.abs(scores[: len(peer)] / peer - 1))
    arrays = [*vars(model._counts).values(), *vars(model._model.smoothed).values()]
    size = sum(a.nbytes for a in [*arrays, model._suffix] if isinstance(a, np.ndarray))
    _, peak = peak_memory(our_kneser_ney(data))
    n_ngrams = model.n_ngrams_.sum()
    return Agreement(
        bool(gap < 1e-9),
        f"log probabilities equal to {gap:.0e}; {n_ngrams:,} n-grams, "
        f"{size / n_ngrams:.0f} bytes for each in the model and {peak / n_ngrams:.0f} "
        "at the peak",
    )


CASES = (
    Case(
        name="text-nb",
        work="TextNB: fit and predict, 20 newsgroups, whole vocabulary",
        peer_name="MultinomialNB",
        target=1.5,
        size=N_DOCUMENTS,
        quick_size=500,
        repeats=7,
        data=counts_data,
        ours=fit_predict_job(TextNB),
        peer=fit_predict_job(MultinomialNB),
        agreement=compare_labels,
    ),
    Case(
        name="kneser-ney",
        work="Kneser-Ney pairs of words: fit and score 20 newsgroups (the peer scores "
        f"{N_SCORED_BY_NLTK} documents, we score all)",
        peer_name="nltk.lm",
        target=50,
        size=N_LANGUAGE_DOCUMENTS,
        quick_size=10,
        repeats=1,
        data=text_data,
        ours=our_kneser_ney,
        peer=peer_kneser_ney,
        agreement=compare_scores,
    ),
)

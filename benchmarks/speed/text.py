"""Speed on text: TextNB beside MultinomialNB, Kneser-Ney smoothing beside nltk.lm.

The documents are those of 20 newsgroups. They are repeated if more are needed: then the
number of documents grows, and the vocabulary does not.
"""

import re
from functools import cache
from itertools import pairwise

import numpy as np
from sklearn.feature_extraction.text import CountVectorizer
from sklearn.naive_bayes import MultinomialNB

from benchmarks._newsgroups import by_date
from benchmarks.speed._harness import Agreement, Case, Data, peak_memory
from sklearn_bayeslazy import NGramLanguageModel, TextNB

N_DOCUMENTS = 18_846
N_LANGUAGE_DOCUMENTS = 2_000
# nltk needs seconds for each document, so it scores only these.
N_SCORED_BY_NLTK = 3
DISCOUNT = 0.1  # nltk's default for bigrams; it does not discount unigrams


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
    """Return counts of words of documents."""
    X, y = counts(min(rows, N_DOCUMENTS))
    indices = np.arange(rows) % len(y)
    return Data(X[indices], y[indices], X[:0], y[:0])


def text_data(rows):
    """Return raw documents."""
    texts, labels = newsgroups()
    indices = np.arange(rows) % len(labels)
    return Data(texts[indices], labels[indices], texts[:0], labels[:0])


def fit_predict_task(make_model):
    """Return a side that times fitting and predicting the same rows."""
    return lambda data: lambda: make_model().fit(data.X, data.y).predict(data.X)


def compare_labels(data, ours, peer):
    """Compare two vectors of predicted labels."""
    same = np.mean(ours == peer)
    return Agreement(bool(same >= 0.9999), f"{same:.4%} of labels equal")


def compare_accuracies(data, ours, peer):
    """Check that ours is right on the training documents as often as the peer."""
    accuracy, peer_accuracy = np.mean(ours == data.y), np.mean(peer == data.y)
    return Agreement(
        bool(accuracy >= peer_accuracy),
        f"training accuracy {accuracy:.3f} against {peer_accuracy:.3f}",
    )


def our_kneser_ney(data):
    """Return our task: count bigrams and score all documents."""

    def task():
        model = NGramLanguageModel(2, smoothing_parameter=[0.0, DISCOUNT])
        model.fit(data.X)
        return model, model.score_samples(data.X)

    return task


def peer_kneser_ney(data):
    """Return nltk's task: count bigrams and score the first documents."""
    from nltk.lm import KneserNeyInterpolated
    from nltk.lm.preprocessing import pad_both_ends, padded_everygram_pipeline

    words = re.compile(r"(?u)\b\w+\b")

    def task():
        documents = [words.findall(text.lower()) for text in data.X]
        model = KneserNeyInterpolated(2, discount=DISCOUNT)
        model.fit(*padded_everygram_pipeline(2, documents))
        scores = []
        for document in documents[:N_SCORED_BY_NLTK]:
            padded = list(pad_both_ends(document, 2))
            logs = [model.logscore(b, [a]) for a, b in pairwise(padded)]
            scores.append(sum(logs) * np.log(2))
        return np.array(scores)

    return task


def compare_scores(data, ours, peer):
    """Compare log probabilities of documents, and compute the size of our model."""
    model, scores = ours
    difference = np.max(np.abs(scores[: len(peer)] / peer - 1))
    _, peak = peak_memory(our_kneser_ney(data))
    n_ngrams = model.n_ngrams_.sum()
    bytes_per_ngram = array_bytes(model) / n_ngrams
    return Agreement(
        bool(difference < 1e-9),
        f"log probabilities equal to {difference:.0e}; {n_ngrams:,} n-grams, "
        f"{bytes_per_ngram:.0f} bytes for each in the model and "
        f"{peak / n_ngrams:.0f} at the peak",
    )


def array_bytes(value, counted=None):
    """Return the bytes of all arrays within an object; each array counts once."""
    counted = set() if counted is None else counted
    if id(value) in counted:
        return 0
    counted.add(id(value))
    if isinstance(value, np.ndarray):
        return value.nbytes
    if isinstance(value, dict):
        parts = value.values()
    elif isinstance(value, (list, tuple)):
        parts = value
    else:
        parts = getattr(value, "__dict__", {}).values()
    return sum(array_bytes(part, counted) for part in parts)


CASES = (
    Case(
        name="text-nb",
        work='TextNB, m="laplace": fit and predict, 20 newsgroups, whole vocabulary',
        peer_name="MultinomialNB",
        target=1.5,
        size=N_DOCUMENTS,
        quick_size=500,
        repeats=7,
        data=counts_data,
        ours=fit_predict_task(lambda: TextNB("laplace", temperature=1)),
        peer=fit_predict_task(MultinomialNB),
        agreement=compare_labels,
    ),
    Case(
        name="text-nb-loo",
        work="TextNB, m and temperature by leave-one-out: fit and predict, the same "
        "documents (the peer chooses nothing)",
        peer_name="MultinomialNB",
        target=0.25,
        size=N_DOCUMENTS,
        quick_size=500,
        repeats=5,
        data=counts_data,
        ours=fit_predict_task(lambda: TextNB(feature_weights=None, random_state=0)),
        peer=fit_predict_task(MultinomialNB),
        agreement=compare_accuracies,
    ),
    Case(
        name="kneser-ney",
        work="Kneser-Ney bigrams of words: fit and score 20 newsgroups (the peer "
        f"scores {N_SCORED_BY_NLTK} documents, ours scores all)",
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

"""Measure the text learners on 20 newsgroups and other collections, beside peers.

``python -m benchmarks.accuracy_text`` reads the folder named by the environment
variable BAYESLAZY_DATA and writes ``doc/accuracy_text.json`` and
``doc/accuracy_text.md``. With names of sections it measures these alone.
"""

import sys
from functools import partial
from pathlib import Path
from time import perf_counter

import numpy as np
import pandas as pd
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.feature_extraction.text import CountVectorizer, TfidfVectorizer
from sklearn.metrics import log_loss
from sklearn.model_selection import StratifiedShuffleSplit
from sklearn.naive_bayes import ComplementNB, MultinomialNB
from sklearn.pipeline import make_pipeline

from benchmarks import _newsgroups, _render_text
from benchmarks._harness import read_results, write_results
from benchmarks._machine import machine_facts
from benchmarks.accuracy_naive_bayes import data_folder
from sklearn_bayeslazy import LanguageModelNB, TextNB

DOC = Path(__file__).resolve().parent.parent / "doc"
PAGE = DOC / "accuracy_text.md"
CURVE_SIZES = (100, 200, 500, 1000, 2000, 5000, 10_000)

TABLES = {
    "sms_spam": "sms_spam.csv",
    "sentence_polarity": "sentence_polarity.csv",
    "trec_questions": "trec_questions.csv",
    "webkb": "webkb.csv.gz",
}
# What a LanguageModelNB may be, if the training part has to choose.
CHOICES = [
    {"analyzer": "word", "order": 1, "smoothing": "jelinek_mercer"},
    {"analyzer": "word", "order": 1, "smoothing": "absolute_discount"},
    {"analyzer": "word", "order": 2, "smoothing": "jelinek_mercer"},
    {"analyzer": "word", "order": 2, "smoothing": "absolute_discount"},
    {"analyzer": "char", "order": 5, "smoothing": "absolute_discount"},
]
PARAMETERS = [0.5, 0.7, 0.8, 0.9, 0.95]


class ChosenLanguageModelNB(ClassifierMixin, BaseEstimator):
    """LanguageModelNB, its order, analyzer and smoothing chosen by leave-one-out."""

    def fit(self, X, y):
        """Fit each choice and keep the one with the best leave-one-out accuracy."""
        models = []
        for choice in CHOICES:
            model = LanguageModelNB(
                **choice,
                smoothing_parameter="loo",
                length_normalization="loo",
                loo_candidates={"smoothing_parameter": PARAMETERS},
                loo_max_samples=2000,
                random_state=0,
                n_jobs=2,
            ).fit(X, y)
            models.append((max(model.loo_results_["mean_accuracy"]), model))
        self.model_ = max(models, key=lambda scored: scored[0])[1]
        self.classes_ = self.model_.classes_
        return self

    def predict_proba(self, X):
        """Return what the chosen model says."""
        return self.model_.predict_proba(X)

    def chosen(self):
        """Return the choice in words."""
        model = self.model_
        return (
            f"{model.analyzer}, order {model.order}, {model.smoothing} "
            f"{model.smoothing_parameter_:g}"
        )


def counted(model):
    """Return a pipeline from texts to a model of word counts."""
    return make_pipeline(CountVectorizer(), model)


PEERS = {
    "MultinomialNB()": lambda: counted(MultinomialNB()),
    "ComplementNB()": lambda: counted(ComplementNB()),
    "TF-IDF + ComplementNB()": lambda: make_pipeline(TfidfVectorizer(), ComplementNB()),
}
OURS = {
    'TextNB("loo")': lambda: counted(TextNB("loo", random_state=0)),
    'TextNB("loo", "background")': lambda: counted(
        TextNB("loo", prior="background", random_state=0)
    ),
    'TextNB("loo", complement)': lambda: counted(
        TextNB("loo", complement=True, random_state=0)
    ),
    "LanguageModelNB()": lambda: LanguageModelNB(n_jobs=2),
    "LanguageModelNB, chosen": ChosenLanguageModelNB,
}

# What the two defaults that depart from plain class models are worth.
VARIANTS = {
    f"background={background}, binary={binary}": partial(
        LanguageModelNB, background=background, binary=binary, n_jobs=2
    )
    for background in (True, False)
    for binary in (True, False)
}


def score(make_model, train, test):
    """Return what a model scores on a split, and how long that took."""
    start = perf_counter()
    model = make_model().fit(*train)
    proba = model.predict_proba(test[0])
    seconds = perf_counter() - start
    right = model.classes_[proba.argmax(axis=1)] == test[1]
    row = {
        "accuracy": float(right.mean()),
        "log_loss": float(log_loss(test[1], proba, labels=model.classes_)),
        "seconds": seconds,
    }
    if isinstance(model, ChosenLanguageModelNB):
        row["chosen"] = model.chosen()
    return row


def score_splits(splits, models):
    """Return the scores of models on splits: {model: [row of each split]}."""
    scores = {name: [] for name in models}
    for train, test in splits:
        for name, make_model in models.items():
            row = score(make_model, train, test)
            scores[name].append(row)
            print(f"  {name:28}{row}", flush=True)
    return scores


def mitchell():
    """Score TextNB("laplace") as in Mitchell's experiment, on both collections."""
    texts, labels = _newsgroups.by_date()
    results = {"18 846 documents": _mitchell(texts, labels)[0]}
    texts, labels, groups, first = _newsgroups.original()
    alone = np.array([len(g) == 1 for g in groups])
    own, any_group = _mitchell(texts, labels, groups)
    results["19 997 documents"] = own
    results["the same, right with any group that the article was posted to"] = any_group
    results[f"the {alone.sum():,} documents that were posted to one group"] = _mitchell(
        texts[alone], labels[alone]
    )[0]
    results[f"each article once, under its first group ({first.sum():,} documents)"] = (
        _mitchell(texts[first], labels[first])[0]
    )
    for name, accuracies in results.items():
        print(f"  {name}: {np.mean(accuracies):.4f}", flush=True)
    return results


def _mitchell(texts, labels, groups=None):
    own, any_group = [], []
    for train, test in _newsgroups.random_splits(labels):
        X, X_new = _newsgroups.mitchell_counts(texts[train], texts[test])
        said = TextNB("laplace").fit(X, labels[train]).predict(X_new)
        own.append(float(np.mean(said == labels[test])))
        if groups is not None:
            right = [label in groups[i] for label, i in zip(said, test)]
            any_group.append(float(np.mean(right)))
    return own, any_group


def newsgroups_random():
    """Score all models on random splits of 20 newsgroups, whole vocabulary."""
    return score_splits(splits_of(*_newsgroups.by_date()), {**PEERS, **OURS})


def newsgroups_by_date():
    """Score all models on the split of 20 newsgroups by date."""
    split = _newsgroups.by_date("train"), _newsgroups.by_date("test")
    return score_splits([split], {**PEERS, **OURS})


def other_collections():
    """Score all models on the other collections, five random splits each."""
    return {
        name: score_splits(splits_of(*read_texts(name)), {**PEERS, **OURS})
        for name in TABLES
    }


def variants():
    """Score what LanguageModelNB's defaults are worth, on all collections."""
    newsgroups = [(_newsgroups.by_date("train"), _newsgroups.by_date("test"))]
    collections = {"20 newsgroups by date": newsgroups}
    collections |= {name: splits_of(*read_texts(name)) for name in TABLES}
    return {
        name: score_splits(splits, VARIANTS) for name, splits in collections.items()
    }


def read_texts(name):
    """Return the texts and the labels of a table."""
    table = pd.read_csv(data_folder() / TABLES[name], keep_default_na=False)
    texts = table.drop(columns=["target", "split", "fine"], errors="ignore")
    print(name, flush=True)
    return texts.iloc[:, 0].to_numpy(), table["target"].to_numpy()


def splits_of(texts, labels):
    """Return (training part, test part) of the five random splits."""
    return [
        ((texts[a], labels[a]), (texts[b], labels[b]))
        for a, b in _newsgroups.random_splits(labels)
    ]


def learning_curve():
    """Score TextNB("laplace") and two others on growing parts of the training rows."""
    texts, labels = _newsgroups.by_date()
    train, test = _newsgroups.random_splits(labels)[0]
    models = {
        'TextNB("laplace")': lambda: counted(TextNB("laplace")),
        'TextNB("loo")': lambda: counted(TextNB("loo", random_state=0)),
        "LanguageModelNB()": lambda: LanguageModelNB(n_jobs=2),
    }
    results = {name: [] for name in models}
    for size in CURVE_SIZES:
        part, _ = next(
            StratifiedShuffleSplit(1, train_size=size, random_state=0).split(
                train, labels[train]
            )
        )
        part = train[part]
        for name, make_model in models.items():
            model = make_model().fit(texts[part], labels[part])
            accuracy = float(model.score(texts[test], labels[test]))
            results[name].append(accuracy)
            print(f"  {size:6} {name:24}{accuracy:.4f}", flush=True)
    return {"sizes": list(CURVE_SIZES), "accuracy": results}


SECTIONS = {
    "mitchell": mitchell,
    "random": newsgroups_random,
    "by_date": newsgroups_by_date,
    "others": other_collections,
    "variants": variants,
    "curve": learning_curve,
}


def main(names=None):
    """Measure the sections asked for, store them and write the page."""
    results = read_results(PAGE)
    for name in names or SECTIONS:
        print(name, flush=True)
        results[name] = SECTIONS[name]()
        results["machine"] = machine_facts()
        write_results(results, PAGE, _render_text.page)


if __name__ == "__main__":
    main(sys.argv[1:])

"""Measure the text learners on 20 newsgroups and other collections, beside peers."""

from functools import partial
from time import perf_counter

import numpy as np
import pandas as pd
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.calibration import CalibratedClassifierCV
from sklearn.feature_extraction.text import CountVectorizer, TfidfVectorizer
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import log_loss
from sklearn.model_selection import StratifiedShuffleSplit
from sklearn.naive_bayes import ComplementNB, MultinomialNB
from sklearn.pipeline import make_pipeline
from sklearn.svm import LinearSVC

from benchmarks import _newsgroups
from benchmarks._data import table_path
from benchmarks._markdown import mean_and_error
from benchmarks.accuracy._experiment import Experiment
from benchmarks.accuracy._text_page import render
from sklearn_bayeslazy import BayesianStackingClassifier, LanguageModelNB, TextNB

CURVE_SIZES = (100, 200, 500, 1000, 2000, 5000, 10_000)
TABLES = ("sms_spam", "sentence_polarity", "trec_questions", "webkb")
# The size of a quick run.
QUICK_DOCUMENTS = 600
QUICK_SPLITS = 2

# Candidates for ChosenLanguageModelNB.
CANDIDATES = [
    {"analyzer": "word", "order": 1, "smoothing": "jelinek_mercer"},
    {"analyzer": "word", "order": 1, "smoothing": "absolute_discount"},
    {"analyzer": "word", "order": 2, "smoothing": "jelinek_mercer"},
    {"analyzer": "word", "order": 2, "smoothing": "absolute_discount"},
    {"analyzer": "char", "order": 5, "smoothing": "absolute_discount"},
]
SMOOTHING_PARAMETERS = [0.5, 0.7, 0.8, 0.9, 0.95]


class ChosenLanguageModelNB(ClassifierMixin, BaseEstimator):
    """LanguageModelNB with order, analyzer and smoothing chosen by leave-one-out."""

    def fit(self, X, y):
        """Fit each candidate and keep the one with the best leave-one-out accuracy."""
        models = []
        for candidate in CANDIDATES:
            model = LanguageModelNB(
                **candidate,
                smoothing_parameter="loo",
                length_normalization="loo",
                loo_scoring="accuracy",
                loo_candidates={"smoothing_parameter": SMOOTHING_PARAMETERS},
                loo_max_samples=2000,
                random_state=0,
                n_jobs=2,
            ).fit(X, y)
            models.append((max(model.loo_results_["mean_accuracy"]), model))
        self.model_ = max(models, key=lambda scored: scored[0])[1]
        self.classes_ = self.model_.classes_
        return self

    def predict_proba(self, X):
        """Return the probabilities of the chosen model."""
        return self.model_.predict_proba(X)

    def chosen(self):
        """Return the chosen parameters as text."""
        model = self.model_
        return (
            f"{model.analyzer}, order {model.order}, {model.smoothing} "
            f"{model.smoothing_parameter_:g}"
        )


# Words, single letters too, and pairs of words; but none that only one document holds.
PAIRS = {"ngram_range": (1, 2), "token_pattern": r"(?u)\b\w+\b", "min_df": 2}


def counted(model, **options):
    """Return a pipeline from texts to a model of word counts."""
    return make_pipeline(CountVectorizer(**options), model)


def of_tf_idf(model, **options):
    """Return a pipeline from texts to a model of tf-idf weights."""
    return make_pipeline(TfidfVectorizer(**options), model)


PEERS = {
    "MultinomialNB()": lambda: counted(MultinomialNB()),
    "ComplementNB()": lambda: counted(ComplementNB()),
    "TF-IDF + ComplementNB()": lambda: of_tf_idf(ComplementNB()),
    "TF-IDF + LogisticRegression()": lambda: of_tf_idf(
        LogisticRegression(max_iter=1000)
    ),
    "TF-IDF + LinearSVC(), calibrated": lambda: of_tf_idf(
        CalibratedClassifierCV(LinearSVC())
    ),
    "TF-IDF + LinearSVC(), calibrated, pairs": lambda: of_tf_idf(
        CalibratedClassifierCV(LinearSVC()), **PAIRS
    ),
}
OURS = {
    "BayesianStackingClassifier()": lambda: BayesianStackingClassifier(
        random_state=0, n_jobs=2
    ),
    "TextNB()": lambda: counted(TextNB(random_state=0)),
    "TextNB(), pairs": lambda: counted(TextNB(random_state=0), **PAIRS),
    "TextNB(feature_weights=None)": lambda: counted(
        TextNB(feature_weights=None, random_state=0)
    ),
    "TextNB(temperature=1)": lambda: counted(TextNB(temperature=1, random_state=0)),
    "TextNB(background)": lambda: counted(TextNB(prior="background", random_state=0)),
    "TextNB(complement)": lambda: counted(TextNB(complement=True, random_state=0)),
    "TF-IDF + TextNB(complement)": lambda: of_tf_idf(
        TextNB(complement=True, random_state=0)
    ),
    "LanguageModelNB()": lambda: LanguageModelNB(n_jobs=2),
    "LanguageModelNB, chosen": ChosenLanguageModelNB,
}

# The combinations of two defaults that differ from separate models of the classes.
VARIANTS = {
    f"background={background}, binary={binary}": partial(
        LanguageModelNB,
        smoothing="kneser_ney",
        background=background,
        binary=binary,
        n_jobs=2,
    )
    for background in (True, False)
    for binary in (True, False)
}


def score(make_model, train, test):
    """Return the scores of a model on a split, and the seconds."""
    start = perf_counter()
    model = make_model().fit(*train)
    proba = model.predict_proba(test[0])
    seconds = perf_counter() - start
    is_right = model.classes_[proba.argmax(axis=1)] == test[1]
    row = {
        "accuracy": float(is_right.mean()),
        "log_loss": float(log_loss(test[1], proba, labels=model.classes_)),
        "seconds": seconds,
    }
    if isinstance(model, ChosenLanguageModelNB):
        row["chosen"] = model.chosen()
    return row


def score_splits(splits, models):
    """Return the scores of models on splits: {model: [scores of each split]}."""
    scores = {name: [] for name in models}
    for train, test in splits:
        for name, make_model in models.items():
            scores[name].append(score(make_model, train, test))
    return scores


def mitchell(quick):
    """Score TextNB("laplace") in Mitchell's experiment, on both collections."""
    texts, labels = sample(quick, *_newsgroups.by_date())
    results = {"18 846 documents": mitchell_accuracies(quick, texts, labels)[0]}
    texts, labels, groups, first = sample(quick, *_newsgroups.original())
    one_group = np.array([len(labels_of) == 1 for labels_of in groups])
    same_label, any_group = mitchell_accuracies(quick, texts, labels, groups)
    results["19 997 documents"] = same_label
    results["the same, any group of the article counts as right"] = any_group
    name = f"the {one_group.sum():,} documents that were posted to one group"
    results[name] = mitchell_accuracies(quick, texts[one_group], labels[one_group])[0]
    name = f"each article once, with its first group ({first.sum():,} documents)"
    results[name] = mitchell_accuracies(quick, texts[first], labels[first])[0]
    return results


def mitchell_accuracies(quick, texts, labels, groups=None):
    """Return two accuracies of each random split.

    The first counts only the document's label as right, the second any of its `groups`.
    """
    same_label, any_group = [], []
    for train, test in random_splits(quick, labels):
        X, X_new = _newsgroups.mitchell_counts(texts[train], texts[test])
        predicted = TextNB("laplace").fit(X, labels[train]).predict(X_new)
        same_label.append(float(np.mean(predicted == labels[test])))
        if groups is not None:
            is_right = [label in groups[i] for label, i in zip(predicted, test)]
            any_group.append(float(np.mean(is_right)))
    return same_label, any_group


def newsgroups_random(quick):
    """Score all models on random splits of 20 newsgroups, whole vocabulary."""
    splits = split_parts(quick, *sample(quick, *_newsgroups.by_date()))
    return score_splits(splits, {**PEERS, **OURS})


def newsgroups_by_date(quick):
    """Score all models on the split of 20 newsgroups by date."""
    return score_splits([date_split(quick)], {**PEERS, **OURS})


def other_collections(quick):
    """Score all models on the other collections, five random splits each."""
    return {
        name: score_splits(
            split_parts(quick, *read_texts(quick, name)), {**PEERS, **OURS}
        )
        for name in TABLES
    }


def variants(quick):
    """Score the variants of LanguageModelNB on all collections."""
    collections = {"20 newsgroups by date": [date_split(quick)]}
    collections |= {
        name: split_parts(quick, *read_texts(quick, name)) for name in TABLES
    }
    return {
        name: score_splits(splits, VARIANTS) for name, splits in collections.items()
    }


def learning_curve(quick):
    """Score three models on growing parts of the training rows."""
    texts, labels = sample(quick, *_newsgroups.by_date())
    train, test = random_splits(quick, labels)[0]
    models = {
        'TextNB("laplace")': lambda: counted(TextNB("laplace")),
        "TextNB()": lambda: counted(TextNB(random_state=0)),
        "LanguageModelNB()": lambda: LanguageModelNB(n_jobs=2),
    }
    sizes = [size for size in CURVE_SIZES if size < len(train) - len(np.unique(labels))]
    accuracies = {name: [] for name in models}
    for size in sizes:
        splitter = StratifiedShuffleSplit(1, train_size=size, random_state=0)
        part = train[next(splitter.split(train, labels[train]))[0]]
        for name, make_model in models.items():
            model = make_model().fit(texts[part], labels[part])
            accuracies[name].append(float(model.score(texts[test], labels[test])))
    return {"sizes": sizes, "accuracy": accuracies}


def sample(quick, texts, labels, *others):
    """Return the arguments, for a quick run a random sample of their rows."""
    if not quick:
        return texts, labels, *others
    rng = np.random.default_rng(0)
    rows = rng.choice(len(labels), QUICK_DOCUMENTS, replace=False)
    sampled = (
        column[rows] if isinstance(column, np.ndarray) else [column[i] for i in rows]
        for column in others
    )
    return texts[rows], labels[rows], *sampled


def read_texts(quick, name):
    """Return the texts and the labels of a table."""
    table = pd.read_csv(table_path(name), keep_default_na=False)
    texts = table.drop(columns=["target", "split", "fine"], errors="ignore")
    return sample(quick, texts.iloc[:, 0].to_numpy(), table["target"].to_numpy())


def random_splits(quick, labels):
    """Return (training rows, test rows) of the random splits."""
    return _newsgroups.random_splits(labels)[: QUICK_SPLITS if quick else None]


def split_parts(quick, texts, labels):
    """Return (training part, test part) of the random splits."""
    return [
        ((texts[a], labels[a]), (texts[b], labels[b]))
        for a, b in random_splits(quick, labels)
    ]


def date_split(quick):
    """Return (training part, test part) of 20 newsgroups by date."""
    return tuple(
        sample(quick, *_newsgroups.by_date(part)) for part in ("train", "test")
    )


SECTIONS = {
    "mitchell": mitchell,
    "random": newsgroups_random,
    "by_date": newsgroups_by_date,
    "others": other_collections,
    "variants": variants,
    "curve": learning_curve,
}


def measure(section, quick=False):
    """Return the results of a section."""
    return SECTIONS[section](quick)


def summarize(results):
    """Return a line for each model: its accuracies, or those of each collection."""
    return list(_lines(results))


def _lines(results, prefix=""):
    for name, values in results.items():
        if isinstance(values, dict):
            yield from _lines(values, f"{prefix}{name}, ")
        elif isinstance(values[0], dict):
            accuracies = [row["accuracy"] for row in values]
            yield f"{prefix}{name}: accuracy {mean_and_error(accuracies, '.4f')}"
        else:
            yield f"{prefix}{name}: {', '.join(f'{value:.4g}' for value in values)}"


EXPERIMENT = Experiment("accuracy_text", tuple(SECTIONS), measure, summarize, render)

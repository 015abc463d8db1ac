"""The two collections of 20 newsgroups, and the vocabulary of Mitchell's experiment.

Mitchell (1997), Machine Learning, section 6.10, classifies articles by newsgroup.
"""

import gzip
import json
import re
from collections import defaultdict

import numpy as np
from sklearn.datasets import fetch_20newsgroups
from sklearn.feature_extraction.text import CountVectorizer
from sklearn.model_selection import StratifiedShuffleSplit

from benchmarks._data import data_folder

# Lines of the header that name the group or a list of groups.
LEAKING = (
    "newsgroups",
    "xref",
    "path",
    "followup-to",
    "followups-to",
    "distribution",
    "approved",
    "moderator",
    "x-to",
    "x-apparently-to",
    "x-received",
)
_LEAK = re.compile(rf"^({'|'.join(LEAKING)}):.*(\n[ \t].*)*\n?", re.I | re.M)
N_SPLITS = 5


def by_date(subset="all"):
    """Return texts and labels of scikit-learn's 18 846 documents."""
    bunch = fetch_20newsgroups(
        data_home=data_folder() / "scikit_learn_data",
        subset=subset,
        download_if_missing=False,
    )
    return np.array(bunch.data, dtype=object), bunch.target


def original():
    """Return texts, labels, groups and a mask of the 19 997 original documents.

    The `LEAKING` lines of their headers are removed. An article that was posted to
    several groups occurs once for each group, with that group's label. `groups` are the
    labels of all documents with the same body, and the mask is true for the first of
    these documents.
    """
    with gzip.open(data_folder() / "20_newsgroups_19997.jsonl.gz", "rt") as file:
        rows = [json.loads(line) for line in file]
    labels = np.unique([row["target"] for row in rows], return_inverse=True)[1]
    bodies = [row["text"].partition("\n\n")[2] for row in rows]
    groups = defaultdict(set)
    for body, label in zip(bodies, labels):
        groups[body].add(label)
    texts = np.array([without_leaks(row["text"]) for row in rows], dtype=object)
    first = np.zeros(len(rows), dtype=bool)
    first[np.unique(np.array(bodies, dtype=object), return_index=True)[1]] = True
    return texts, labels, [groups[body] for body in bodies], first


def without_leaks(text):
    """Return a text without the header lines that name its group."""
    header, blank, body = text.partition("\n\n")
    return _LEAK.sub("", header + "\n") + blank + body


def random_splits(labels):
    """Return stratified splits into two thirds and one third, one for each seed."""
    return [
        next(
            StratifiedShuffleSplit(1, test_size=1 / 3, random_state=seed).split(
                labels, labels
            )
        )
        for seed in range(N_SPLITS)
    ]


def mitchell_counts(train, test):
    """Return the counts of words of both parts, with Mitchell's vocabulary.

    It has the words of the training part, without the 100 most frequent ones and
    without those that occur fewer than three times.
    """
    vectorizer = CountVectorizer()
    counts = vectorizer.fit_transform(train)
    total = np.asarray(counts.sum(axis=0)).ravel()
    kept = total >= 3
    kept[np.argsort(-total, kind="stable")[:100]] = False
    return counts[:, kept], vectorizer.transform(test)[:, kept]

"""The accuracy of the text learners on 20 newsgroups, beside naive Bayes.

`text/test_text_nb.py` tests the accuracy that Mitchell (1997) reports.
"""

import numpy as np
import pytest
from sklearn.feature_extraction.text import CountVectorizer
from sklearn.naive_bayes import ComplementNB, MultinomialNB

from benchmarks import _newsgroups
from sklearn_bayeslazy import LanguageModelNB, TextNB
from sklearn_bayeslazy.testing import shared_data

pytestmark = pytest.mark.skipif(
    not (shared_data() / "scikit_learn_data").exists(),
    reason="20 newsgroups is not in the folder that BAYESLAZY_DATA names",
)


@pytest.fixture(scope="module")
def split():
    """Return the texts and labels of a random split, two thirds and one third."""
    texts, labels = _newsgroups.by_date()
    train, test = _newsgroups.random_splits(labels)[0]
    return texts[train], labels[train], texts[test], labels[test]


@pytest.fixture(scope="module")
def counts(split):
    """Return the counts of all words of the split."""
    vectorizer = CountVectorizer()
    return vectorizer.fit_transform(split[0]), vectorizer.transform(split[2])


def test_leave_one_out_gains_fifteen_points_where_documents_are_few(split, counts):
    (X, X_new), y = counts, split[1][:4000]
    ours = TextNB("loo", loo_max_samples=1000, random_state=0).fit(X[:4000], y)
    peer = MultinomialNB().fit(X[:4000], y)
    gain = ours.score(X_new, split[3]) - peer.score(X_new, split[3])
    assert gain > 0.16  # .185; without offsets of words .149


def test_a_language_model_beats_the_complement(split, counts):
    X, X_new = counts
    texts, labels, new_texts, new_labels = split
    few = np.unique(labels)[:10]  # of the groups, for time
    rows, new = np.flatnonzero(np.isin(labels, few))[::2], np.isin(new_labels, few)
    ours = LanguageModelNB(random_state=0).fit(texts[rows], labels[rows])
    peer = ComplementNB().fit(X[rows], labels[rows])
    right = ours.predict(new_texts[new]) == new_labels[new]
    peer_right = peer.predict(X_new[new]) == new_labels[new]
    # A paired comparison: the documents that only one of the two gets right.
    only_ours = np.sum(right & ~peer_right)
    only_peer = np.sum(~right & peer_right)
    assert only_ours - only_peer > 2 * np.sqrt(only_ours + only_peer)

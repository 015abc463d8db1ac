"""The cases of look-up: InvertedIndexNeighbors beside the exact searches of others.

The documents are those of 20 newsgroups, again from the first where more are asked for.
Each side builds its index and finds the ten nearest of the first documents, themselves
included. Both may use both cores.

Hashing is compared with the exact index where there are more documents than the groups
have. Each is mixed of two of a group: six tenths of the words of one, drawn one by one,
and four tenths of another's. Here the index is built beforehand.
"""

from functools import cache, partial

import numpy as np
from sklearn.feature_extraction.text import (
    CountVectorizer,
    TfidfTransformer,
    TfidfVectorizer,
)
from sklearn.neighbors import NearestNeighbors

from benchmarks._harness import Agreement, Case, Data
from benchmarks._newsgroups import by_date
from sklearn_bayeslazy import InvertedIndexNeighbors, LSHNeighbors

N_JOBS = 2
N_DOCUMENTS = 18_846
K = 10


@cache
def tf_idf():
    """Return all documents; no word is left out, the commonest ones included."""
    return TfidfVectorizer().fit_transform(by_date()[0])


def documents(rows, *, queries):
    """Return so many documents, and the first as queries."""
    X = tf_idf()[np.arange(rows) % N_DOCUMENTS]
    return Data(X, None, X[:queries], None)


def ours(data):
    """Return our job."""
    index = InvertedIndexNeighbors(K, n_jobs=N_JOBS)
    return lambda: index.fit(data.X).kneighbors(data.X_new)[0]


def peer_products(data):
    """Return the job of sparse_dot_topn: products of rows of length one."""
    from sparse_dot_topn import sp_matmul_topn

    def job():
        columns = data.X.T.tocsr()
        return 1 - sp_matmul_topn(
            data.X_new, columns, top_n=K, sort=True, n_threads=N_JOBS
        ).data.reshape(-1, K)

    return job


def peer_brute(data):
    """Return scikit-learn's job, which knows one algorithm for sparse rows."""
    model = NearestNeighbors(
        n_neighbors=K, metric="cosine", algorithm="brute", n_jobs=N_JOBS
    )
    return lambda: model.fit(data.X).kneighbors(data.X_new)[0]


def compare(data, ours, peer):
    """Compare distances, which ties leave alone."""
    gap = np.abs(ours - peer).max()
    return Agreement(bool(gap < 1e-9), f"distances equal to {gap:.0e}")


def index_case(name, peer_name, target, peer):
    """Return a case of exact search among documents."""
    return Case(
        name=name,
        work="ten nearest documents by cosine, tf-idf, 173,762 words: index and 4,000 "
        "queries",
        peer_name=peer_name,
        target=target,
        size=N_DOCUMENTS,
        quick_size=300,
        repeats=3,
        data=partial(documents, queries=4_000),
        ours=ours,
        peer=peer,
        agreement=compare,
    )


N_QUESTIONS = 2_000
RECALL = 0.9
# A measured recall of 2,000 queries may lie so far below.
SLACK = 0.01


@cache
def word_counts():
    """Return the words of all documents, and their groups."""
    texts, groups = by_date()[:2]
    return CountVectorizer().fit_transform(texts).tocsr(), np.asarray(groups)


def mixed_documents(rows):
    """Return so many mixed documents, and others as queries."""
    counts, groups = word_counts()
    rng = np.random.default_rng(0)
    first = rng.integers(len(groups), size=rows + N_QUESTIONS)
    second = np.empty_like(first)
    for group in np.unique(groups):
        here = np.flatnonzero(groups[first] == group)
        second[here] = rng.choice(np.flatnonzero(groups == group), len(here))
    parts = []
    for chosen, share in ((first, 0.6), (second, 0.4)):
        part = counts[chosen]
        part.data = rng.binomial(part.data, share)
        parts.append(part)
    mixed = (parts[0] + parts[1]).tocsr()
    mixed.eliminate_zeros()
    X = TfidfTransformer().fit_transform(mixed)
    return Data(X[:rows], None, X[rows:], None)


def hashed(data):
    """Return the job of hashing, its rows already hashed."""
    engine = LSHNeighbors(
        K, metric="cosine", recall=RECALL, random_state=0, n_jobs=N_JOBS
    ).fit(data.X)
    return lambda: engine.kneighbors(data.X_new)[0]


def exact(data):
    """Return the job of the exact index, already built."""
    index = InvertedIndexNeighbors(K, n_jobs=N_JOBS).fit(data.X)
    return lambda: index.kneighbors(data.X_new)[0]


def compare_recall(data, ours, exact):
    """Count the neighbours that are as near as the true ones."""
    recall = (ours <= exact[:, -1:] + 1e-12).mean()
    return Agreement(bool(recall >= RECALL - SLACK), f"recall {recall:.3f}, exact 1")


CASES = (
    index_case("index-products", "sparse_dot_topn", 1.5, peer_products),
    index_case("index-brute", "NearestNeighbors, brute", 5, peer_brute),
    Case(
        name="hashing-index",
        work="ten nearest mixed documents by cosine, recall .9: 2,000 queries",
        peer_name="InvertedIndexNeighbors",
        target=3,
        size=100_000,
        quick_size=1000,
        repeats=3,
        data=mixed_documents,
        ours=hashed,
        peer=exact,
        agreement=compare_recall,
    ),
)

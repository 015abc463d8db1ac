"""Speed of cases: symbols of CaseBasedClassifier beside numbers of ShepardKNN.

Both have the same number of rows and columns, fitted before. Each answers the same
number of queries, by all stored rows.
"""

import numpy as np
import pandas as pd

from benchmarks.speed._harness import Agreement, Case, Data
from sklearn_bayeslazy import CaseBasedClassifier, EqualitySimilarity, ShepardKNN

N_ATTRIBUTES, N_QUERIES, N_CLASSES, K = 30, 1_000, 4, 10
SYMBOLS = np.array(list("abcdef"))
# Queries that are answered by brute force, too.
N_CHECKED = 20


def symbolic_data(rows):
    """Return frames of symbols; each attribute depends on the class a little."""
    rng = np.random.default_rng(0)
    n = rows + N_QUERIES
    y = rng.integers(N_CLASSES, size=n)
    noise = rng.integers(len(SYMBOLS), size=(n, N_ATTRIBUTES))
    codes = np.where(rng.random(noise.shape) < 0.3, y[:, None], noise)
    names = [f"attribute {j}" for j in range(N_ATTRIBUTES)]
    X = pd.DataFrame(SYMBOLS[codes], columns=names).astype("category")
    return Data(X[:rows], y[:rows], X[rows:], y[rows:])


def ours(data):
    """Return our task: answer the queries by equality of symbols."""
    similarities = {name: EqualitySimilarity() for name in data.X}
    model = CaseBasedClassifier(
        K, similarities=similarities, weights=None, power=1, m=0
    ).fit(data.X, data.y)
    return lambda: model.predict_proba(data.X_new)


def peer(data):
    """Return the task of ShepardKNN on as many normal numbers."""
    rng = np.random.default_rng(0)
    targets = np.concatenate([data.y, data.y_new])
    numbers = rng.standard_normal((len(targets), N_ATTRIBUTES))
    numbers += 0.2 * targets[:, None]
    n = len(data.y)
    model = ShepardKNN(K, metric="euclidean", power=1, m=0).fit(numbers[:n], data.y)
    return lambda: model.predict_proba(numbers[n:])


def compare_with_brute_force(data, answer, peer_answer):
    """Compare the first answers with votes that are counted row by row."""
    stored = data.X.apply(lambda column: column.cat.codes).to_numpy()
    queries = data.X_new.apply(lambda column: column.cat.codes).to_numpy()
    largest = 0.0
    for query, ours in zip(queries[:N_CHECKED], answer):
        apart = (stored != query).sum(axis=1)
        last = np.sort(apart)[K - 1]
        # All rows at the last distance share what is left of k.
        tied = apart == last
        share = np.where(tied, (K - np.sum(apart < last)) / tied.sum(), apart < last)
        votes = share * (apart == 0 if apart.min() == 0 else 1 / np.maximum(apart, 1))
        expected = np.bincount(data.y, votes, N_CLASSES) / votes.sum()
        largest = max(largest, np.abs(ours - expected).max())
    text = f"{N_CHECKED} answers equal to brute force to {largest:.0e}"
    return Agreement(bool(largest < 1e-9), text)


CASES = (
    Case(
        name="cases-symbols",
        work=f"k = {K} most similar cases by {N_ATTRIBUTES} symbols: {N_QUERIES:,} "
        "answers",
        peer_name=f"ShepardKNN on {N_ATTRIBUTES} numbers",
        target=0.33,  # at most three times the seconds
        size=100_000,
        quick_size=500,
        repeats=5,
        data=symbolic_data,
        ours=ours,
        peer=peer,
        agreement=compare_with_brute_force,
    ),
)

"""
Neighbours of documents
=======================

**Each word is a bucket.** A document fills two hundred of a hundred thousand columns. A
query reads only the documents of its words with the largest tf-idf weights, and finds
most of its neighbours.
"""

# %%
# Newsgroups
# ----------
# The rows are 5,000 documents of the training part of 20 newsgroups, tf-idf weights of
# all words.
# scikit-learn downloads the collection, unless ``BAYESLAZY_DATA`` names a folder that
# has it. The queries are 500 documents of the test part, with ten neighbours each by
# cosine distance.

import os
from pathlib import Path
from time import perf_counter

import matplotlib.pyplot as plt
from sklearn.datasets import fetch_20newsgroups
from sklearn.feature_extraction.text import TfidfVectorizer

from sklearn_bayeslazy import InvertedIndexNeighbors, LSHNeighbors

folder = os.environ.get("BAYESLAZY_DATA")
home = Path(folder) / "scikit_learn_data" if folder else None
train, test = (
    fetch_20newsgroups(data_home=home, subset=subset, download_if_missing=not folder)
    for subset in ("train", "test")
)
words = TfidfVectorizer()
X, queries = words.fit_transform(train.data[:5000]), words.transform(test.data[:500])

# %%
# What a query reads
# ------------------
# Each search budget is the cheapest that reaches the recall on a sample of training
# documents. The true recall is measured on the queries.

exact = InvertedIndexNeighbors(10).fit(X)
exact.kneighbors(queries)  # kernels are compiled in the first call
start = perf_counter()
truth = exact.kneighbors(queries)[0]
print(f"exact: {1e6 * (perf_counter() - start) / 500:.0f} µs per query")

reads, recalls = [], []
for recall in (0.5, 0.7, 0.8):
    engine = LSHNeighbors(10, metric="cosine", recall=recall, random_state=0).fit(X)
    start = perf_counter()
    distances = engine.kneighbors(queries)[0]
    seconds = (perf_counter() - start) / 500
    found = (distances <= truth[:, -1:] + 1e-12).mean()
    reads.append(engine.n_read_)
    recalls.append(found)
    print(
        f"recall={recall}: found {found:.3f}, {1e6 * seconds:.0f} µs per query, "
        f"{engine.n_candidates_} documents measured"
    )

figure, axes = plt.subplots(figsize=(6, 4), layout="constrained")
axes.semilogx(reads, recalls, "o-")
axes.set_xticks(reads, [f"{read:,}" for read in reads])
axes.minorticks_off()
axes.set(
    xlabel=f"entries that a query reads, of {X.nnz:,}",
    ylabel="share of the true neighbours found",
)
plt.show()

# %%
# Most neighbours share a rare word. The neighbours that are missed share many common
# words, as short documents do. To find the last of them, the exact index is cheaper:
# with a recall of .99 `LSHNeighbors` uses it.
#
# A caveat
# --------
# The recall of the queries is lower than the parameter. The test documents are later
# ones, and the search is tuned on a sample of training documents, many of which are
# quoted by others. For documents held out at random, the recall reaches the parameter.
# ``recall_report`` measures it for any rows:

training = LSHNeighbors(10, metric="cosine", recall=0.7, random_state=0).fit(X[:-500])
for name, rows in (("held out at random", X[-500:]), ("later", queries)):
    print(f"{name}: {training.recall_report(rows).recall:.3f}")

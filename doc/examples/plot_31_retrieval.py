"""
A service of embeddings
=======================

**Documents come and go; queries arrive one at a time.** An index of embeddings takes
new documents, forgets old ones, and finds the nearest within one group. The recall
holds, and a query takes a fraction of a millisecond.
"""

# %%
# Embeddings
# ----------
# Any vectors will do. Here they are made from 20 newsgroups by latent semantic
# analysis: 100 numbers for each document. scikit-learn downloads the collection, unless
# ``BAYESLAZY_DATA`` names a folder that has it.

import os
import tempfile
from pathlib import Path
from time import perf_counter

import joblib
import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import fetch_20newsgroups
from sklearn.decomposition import TruncatedSVD
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.pipeline import make_pipeline

from sklearn_bayeslazy import LSHNeighbors

folder = os.environ.get("BAYESLAZY_DATA")
home = Path(folder) / "scikit_learn_data" if folder else None
news = fetch_20newsgroups(
    data_home=home,
    subset="all",
    remove=("headers", "quotes"),
    shuffle=True,
    random_state=0,
    download_if_missing=not folder,
)
analysis = make_pipeline(
    TfidfVectorizer(stop_words="english", min_df=5, sublinear_tf=True),
    TruncatedSVD(100, random_state=0),
)
X = analysis.fit_transform(news.data[:8_000]).astype(np.float32)
groups = np.array(news.target_names)[news.target[:8_000]]
ids = np.array([f"{group}/{i}" for i, group in enumerate(groups)])

# %%
# Find by id, and within a group
# ------------------------------
# The index starts with 5,000 documents. The last 500 documents are the queries.

index = LSHNeighbors(10, metric="cosine", random_state=0).fit(X[:5000], ids=ids[:5000])
queries = X[7500:]

nearest = index.kneighbors(queries[1:2], 5, return_ids=True)[1]
print(f"a document of {groups[7501]}: near", *nearest[0])

medicine = ids[:5000][groups[:5000] == "sci.med"]
nearest = index.kneighbors(queries[1:2], 3, filter=medicine, return_ids=True)[1]
print("the nearest in sci.med:", *nearest[0])

# %%
# A day of the service
# --------------------
# In each of ten hours 250 documents arrive, one by one, and the 150 oldest are removed.
# After each hour the recall is measured by an exact search for the queries, and queries
# are asked one at a time.

recalls, latencies, adds = [], [], []
for hour in range(10):
    for i in range(5000 + 250 * hour, 5250 + 250 * hour):
        start = perf_counter()
        index.partial_fit(X[i : i + 1], ids=ids[i : i + 1])
        adds.append(perf_counter() - start)
    index.remove(ids[150 * hour : 150 * (hour + 1)])
    seconds = []
    for query in queries[:300]:
        start = perf_counter()
        index.kneighbors(query[None])
        seconds.append(perf_counter() - start)
    recalls.append(index.recall_report(queries).recall)
    latencies.append(1000 * np.median(seconds))

print(f"one query: {np.median(latencies):.2f} ms, one document added: ", end="")
print(f"{1000 * np.median(adds):.2f} ms, the slowest {1000 * max(adds):.0f} ms")

figure, axes = plt.subplots(1, 2, figsize=(9, 3.5), layout="constrained")
hours = np.arange(1, 11)
axes[0].plot(hours, recalls, "o-")
axes[0].axhline(index.recall, color="gray", linestyle=":", label="parameter `recall`")
axes[0].set(xlabel="hour", ylabel="recall of the queries", ylim=(0.85, 1.0))
axes[0].legend(loc="lower left")
axes[1].plot(hours, latencies, "o-")
axes[1].set(xlabel="hour", ylabel="one query, milliseconds")
axes[1].set_ylim(bottom=0)
plt.show()

# %%
# The slowest additions are those in which the index takes in the rows that were added,
# or is built anew because many rows were removed.
#
# Several workers, one file
# -------------------------
# A stored index can be mapped into memory: processes that load it share its pages.

with tempfile.TemporaryDirectory() as directory:
    path = Path(directory) / "index.joblib"
    joblib.dump(index, path)
    worker = joblib.load(path, mmap_mode="r")
    same = worker.kneighbors(queries, return_ids=True)[1]
    assert np.array_equal(same, index.kneighbors(queries, return_ids=True)[1])
    worker.remove(same[0, 0])  # the worker's own change
    print(f"{path.stat().st_size / 2**20:.0f} MiB; the worker forgot {same[0, 0]}")
    del worker

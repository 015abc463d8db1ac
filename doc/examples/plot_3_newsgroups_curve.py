"""
Learning curves on twenty newsgroups
====================================

Mitchell (1997) ends his section on naive Bayes with this experiment: twenty newsgroups,
a thousand articles from each. **Every doubling of the number of documents raises the
accuracy, and a better model raises it as much as one or two doublings.**
"""

# %%
# The documents
# -------------
# A third of the articles is the test set. This page uses 1,000 of them, which measures
# accuracy to within one or two points. scikit-learn's loader downloads the collection;
# if ``BAYESLAZY_DATA`` names a folder, it is read from there.

import os
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import fetch_20newsgroups
from sklearn.feature_extraction.text import CountVectorizer
from sklearn.model_selection import train_test_split
from sklearn.naive_bayes import MultinomialNB

from sklearn_bayeslazy import LanguageModelNB, TextNB

folder = os.environ.get("BAYESLAZY_DATA")
news = fetch_20newsgroups(
    data_home=folder and Path(folder) / "scikit_learn_data", subset="all"
)
train, test, y_train, y_test = train_test_split(
    np.array(news.data, dtype=object),
    news.target,
    test_size=1 / 3,
    stratify=news.target,
    random_state=0,
)
test, y_test = test[:1000], y_test[:1000]
print(f"{len(train)} training articles, {len(test)} test articles")

# %%
# Four models
# -----------
# The textbook adds one to every count ("laplace"). With a vocabulary of a hundred
# thousand words this adds a hundred thousand virtual words to every class. That is too
# many: leave-one-out, the default, chooses far fewer. ``LanguageModelNB`` uses pairs of
# words.

of_counts = {
    "MultinomialNB()": MultinomialNB(),
    'TextNB("laplace")': TextNB("laplace"),
    "TextNB()": TextNB(random_state=0),
}
of_texts = {"LanguageModelNB()": LanguageModelNB(n_jobs=2)}
sizes = [125, 250, 500, 1000]
order = np.random.default_rng(0).permutation(len(train))
curves = {name: [] for name in (*of_counts, *of_texts)}
for size in sizes:
    texts, y = train[order[:size]], y_train[order[:size]]
    words = CountVectorizer()
    counts, test_counts = words.fit_transform(texts), words.transform(test)
    for name, model in of_counts.items():
        curves[name].append(model.fit(counts, y).score(test_counts, y_test))
    for name, model in of_texts.items():
        curves[name].append(model.fit(texts, y).score(test, y_test))

# %%
# The curves
# ----------

figure, axes = plt.subplots(figsize=(8, 5), layout="constrained")
for name, style in zip(curves, ("C7--", "C1-", "C0-", "C2-")):
    axes.plot(sizes, curves[name], style, marker="o", label=name)
axes.set_xscale("log")
axes.set_xticks(sizes, [f"{size:,}" for size in sizes])
axes.minorticks_off()
axes.set_xlabel("number of training articles")
axes.set_ylabel("test accuracy")
axes.grid(alpha=0.3)
axes.legend()
plt.show()

# %%
# ``TextNB("laplace")`` and MultinomialNB are the same model, so their curves coincide.
# ``TextNB()`` adds offsets of words, which documents that are left out choose.
#
# A caveat
# --------
# These articles still contain parts of their headers, and a random split puts articles
# of the same discussion into both the training and the test set. A split by date lowers
# the accuracy by seven to ten points; :doc:`/accuracy_text` reports both.

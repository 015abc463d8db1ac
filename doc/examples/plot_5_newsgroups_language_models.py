"""
Language models of newsgroups
=============================

A classifier with a language model of each class can also generate texts of the class.
**Longer n-grams predict unseen text better only if their smoothing is good.**
"""

# %%
# Perplexity
# ----------
# A perplexity of k means that the words are as hard to predict as k equally likely
# words. Here it is measured on 300 test articles, for four smoothings and n-grams of up
# to four words, learnt from 600 articles.

import os
from pathlib import Path

import matplotlib.pyplot as plt
from sklearn.datasets import fetch_20newsgroups

from sklearn_bayeslazy import LanguageModelNB, NGramLanguageModel

folder = os.environ.get("BAYESLAZY_DATA")


def fetch(subset):
    """Return articles on space and on hockey, without headers and quotations."""
    return fetch_20newsgroups(
        data_home=folder and Path(folder) / "scikit_learn_data",
        subset=subset,
        categories=["sci.space", "rec.sport.hockey"],
        remove=("headers", "footers", "quotes"),
    )


train, test = fetch("train"), fetch("test")
orders = [1, 2, 3, 4]
smoothings = ["jelinek_mercer", "absolute_discount", "witten_bell", "kneser_ney"]
figure, axes = plt.subplots(figsize=(8, 5), layout="constrained")
for smoothing in smoothings:
    perplexity = [
        NGramLanguageModel(order, smoothing=smoothing, min_df=2)
        .fit(train.data[:600])
        .perplexity(test.data[:300])
        for order in orders
    ]
    axes.plot(orders, perplexity, marker="o", label=smoothing)
axes.set_xticks(orders)
axes.set_xlabel("order (longest n-gram, in words)")
axes.set_ylabel("perplexity of unseen articles")
axes.set_ylim(bottom=0)
axes.grid(alpha=0.3)
axes.legend()
plt.show()

# %%
# Kneser–Ney is the best at every order above one. With longer n-grams it still improves
# a little where the other smoothings get worse.
#
# Sampling
# --------
# ``LanguageModelNB`` has a model of each class; ``class_model`` returns it.

classifier = LanguageModelNB(order=3, smoothing="kneser_ney", binary=False)
classifier.fit(train.data, train.target)
for label, name in enumerate(train.target_names):
    model = classifier.class_model(label)
    print(f"{name}:")
    for text in model.sample(3, max_length=25, random_state=1):
        print(f"    {text} ...")

# %%
# A caveat
# --------
# A model that predicts text well need not classify it well. For a classifier only the
# words that differ between the classes matter, and for these two groups single words
# are enough.

for order in (1, 2):
    model = LanguageModelNB(order=order).fit(train.data, train.target)
    print(f"order {order}: accuracy {model.score(test.data, test.target):.3f}")

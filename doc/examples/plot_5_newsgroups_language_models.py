"""
What does a class sound like?
=============================

A classifier that models the language of each class can also speak it. **Longer n-grams
predict unseen text better only as far as their smoothing is good.**
"""

# %%
# Perplexity
# ----------
# The perplexity of a text is the number of equally likely words that would be as hard
# to guess. Here it is measured on articles that the model has not read, for four
# smoothings and n-grams of up to five words.

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
orders = [1, 2, 3, 4, 5]
smoothings = ["jelinek_mercer", "absolute_discount", "witten_bell", "kneser_ney"]
figure, axes = plt.subplots(figsize=(8, 5), layout="constrained")
for smoothing in smoothings:
    perplexity = [
        NGramLanguageModel(order, smoothing=smoothing, min_df=2)
        .fit(train.data)
        .perplexity(test.data)
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
# Kneser–Ney is the best at every order above one, and still gains a little where the
# others lose.
#
# Sampling
# --------
# ``LanguageModelNB`` has a model of each class; ``class_model`` hands it out.

classifier = LanguageModelNB(order=3, binary=False).fit(train.data, train.target)
for label, name in enumerate(train.target_names):
    model = classifier.class_model(label)
    print(f"{name}:")
    for text in model.sample(3, max_length=25, random_state=1):
        print(f"    {text} ...")

# %%
# A caveat
# --------
# What is well predicted need not be well told apart: for the classifier the words count
# that differ between the classes, and on these two groups single words are enough.

for order in (1, 2, 3):
    model = LanguageModelNB(order=order).fit(train.data, train.target)
    print(f"order {order}: accuracy {model.score(test.data, test.target):.3f}")

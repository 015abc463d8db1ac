"""
A noisy channel
===============

Someone meant words and letters arrived. **The most probable words are those that are
likely to be written and likely to have been garbled so:** argmax P(words) P(letters |
words), a language model times a channel, found by Viterbi's algorithm.
"""

# %%
# The language model
# ------------------

import os
import string
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import fetch_20newsgroups

from sklearn_bayeslazy import NGramLanguageModel

folder = os.environ.get("BAYESLAZY_DATA")


def fetch(subset):
    """Return the sentences of articles on science, a list of words each."""
    news = fetch_20newsgroups(
        data_home=folder and Path(folder) / "scikit_learn_data",
        subset=subset,
        categories=["sci.crypt", "sci.electronics", "sci.med", "sci.space"],
        remove=("headers", "footers", "quotes"),
    )
    sentences = " ".join(news.data).lower().replace("!", ".").replace("?", ".")
    split = [sentence.split() for sentence in sentences.split(".")]
    return [s for s in split if 5 <= len(s) <= 12 and all(map(str.isalpha, s))]


train, test = fetch("train"), fetch("test")
models = {
    order: NGramLanguageModel(order).fit([" ".join(words) for words in train])
    for order in (1, 2, 3)
}
vocabulary = models[1].vocabulary_
print(f"{len(train)} sentences to learn from, {len(vocabulary)} words")

# %%
# The channel
# -----------
# Every fifth word arrives with one letter lost, added, exchanged or swapped with its
# neighbour. What arrives may then stand for itself, if it is a word, and for every word
# of the vocabulary that is one such step away; all steps are equally likely.

GARBLED = 0.2


def one_step(word):
    """Return all strings one step away from a word."""
    cuts = [(word[:i], word[i:]) for i in range(len(word) + 1)]
    letters = string.ascii_lowercase
    return {
        *(a + b[1:] for a, b in cuts if b),
        *(a + b[1] + b[0] + b[2:] for a, b in cuts if len(b) > 1),
        *(a + c + b[1:] for a, b in cuts if b for c in letters),
        *(a + c + b for a, b in cuts for c in letters),
    } - {word, ""}


def candidates(seen):
    """Return the words that may stand behind a string, and log P(string | word)."""
    near = sorted(one_step(seen) & vocabulary.keys())
    log_channel = [np.log(GARBLED / len(one_step(word))) for word in near]
    if seen in vocabulary or not near:
        near.append(seen)
        log_channel.append(np.log(1 - GARBLED))
    return near, log_channel


def correct(model, sentence):
    """Return the most probable words behind a sentence."""
    return model.decode(*zip(*map(candidates, sentence)))[0]


arrived = "the spce shutle wil be launched frm a new sate"
print(" ".join(correct(models[2], arrived.split())))

# %%
# How many are put right?
# -----------------------

rng = np.random.default_rng(0)
meant = [s for s in test if all(word in vocabulary for word in s)][:150]
seen = [
    [
        str(rng.choice(sorted(one_step(word)))) if rng.random() < GARBLED else word
        for word in sentence
    ]
    for sentence in meant
]
read = {"as it arrived": seen} | {
    f"order {order}": [correct(model, sentence) for sentence in seen]
    for order, model in models.items()
}
right = {
    name: np.mean([a == b for x, y in zip(meant, guess) for a, b in zip(x, y)])
    for name, guess in read.items()
}

figure, axes = plt.subplots(figsize=(7, 3), layout="constrained")
bars = axes.barh(list(right), list(right.values()), color=["C7", "C0", "C0", "C0"])
axes.bar_label(bars, fmt="%.3f", padding=3)
axes.set_xlim(0, 1.1)
axes.invert_yaxis()
axes.set_xlabel("share of words that are right")
plt.show()

# %%
# A caveat
# --------
# All words of these sentences are in the vocabulary. A rare name would be taken for the
# commonest word one step away: a real corrector needs a better channel, and the courage
# to leave alone what it does not know.

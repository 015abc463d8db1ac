"""
Spelling correction with a noisy channel
========================================

A noisy channel turns the intended words into letters with errors. **The most probable
words are likely as a text, and likely to produce these errors:** argmax P(words)
P(letters | words), a language model times a channel model. Viterbi's algorithm finds
them.
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
print(f"{len(train)} training sentences, {len(vocabulary)} words")

# %%
# The channel
# -----------
# Every fifth word has one error: a letter is deleted, inserted, replaced, or swapped
# with the next one. The candidates for an observed string are the string itself, if it
# is a word, and every word of the vocabulary that is one such edit away. All edits are
# equally likely.

ERROR_RATE = 0.2


def one_edit(word):
    """Return all strings one edit away from a word."""
    cuts = [(word[:i], word[i:]) for i in range(len(word) + 1)]
    letters = string.ascii_lowercase
    return {
        *(a + b[1:] for a, b in cuts if b),
        *(a + b[1] + b[0] + b[2:] for a, b in cuts if len(b) > 1),
        *(a + c + b[1:] for a, b in cuts if b for c in letters),
        *(a + c + b for a, b in cuts for c in letters),
    } - {word, ""}


def candidates(observed):
    """Return the possible words for a string, and log P(string | word) of each."""
    near = sorted(one_edit(observed) & vocabulary.keys())
    log_channel = [np.log(ERROR_RATE / len(one_edit(word))) for word in near]
    if observed in vocabulary or not near:
        near.append(observed)
        log_channel.append(np.log(1 - ERROR_RATE))
    return near, log_channel


def correct(model, sentence):
    """Return the most probable words for an observed sentence."""
    return model.decode(*zip(*map(candidates, sentence)))[0]


observed = "the spce shutle wil be launched frm a new sate"
print(" ".join(correct(models[2], observed.split())))

# %%
# Accuracy of the correction
# --------------------------

rng = np.random.default_rng(0)
intended = [s for s in test if all(word in vocabulary for word in s)][:150]
received = [
    [
        str(rng.choice(sorted(one_edit(word)))) if rng.random() < ERROR_RATE else word
        for word in sentence
    ]
    for sentence in intended
]
decoded = {"uncorrected": received} | {
    f"order {order}": [correct(model, sentence) for sentence in received]
    for order, model in models.items()
}
accuracy = {
    name: np.mean([a == b for x, y in zip(intended, guess) for a, b in zip(x, y)])
    for name, guess in decoded.items()
}

figure, axes = plt.subplots(figsize=(7, 3), layout="constrained")
bars = axes.barh(
    list(accuracy), list(accuracy.values()), color=["C7", "C0", "C0", "C0"]
)
axes.bar_label(bars, fmt="%.3f", padding=3)
axes.set_xlim(0, 1.1)
axes.invert_yaxis()
axes.set_xlabel("share of correct words")
plt.show()

# %%
# A caveat
# --------
# All words of these sentences are in the vocabulary. A rare name would be replaced by
# the most common word one edit away. A real spelling corrector needs a better channel
# model, and should leave unknown words unchanged if the evidence is weak.

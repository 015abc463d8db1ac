"""Make nltk_reference.json: the probabilities of nltk.lm, for definitions like ours.

Run it with nltk installed: ``python nltk_reference.py``. The two agree in these cases:

- nltk counts "<s>" as a word that can occur. With "<s>" before and "</s>" after each
  sentence, unigrams and |V| therefore differ. Maximum likelihood after any context
  and Kneser–Ney (whose unigrams count distinct words before, and no word comes before
  "<s>") do not differ. Without these symbols all counts agree.
- nltk's unigrams are not smoothed: its discount d is ours by length, (0, d, d …). Its
  Witten–Bell has no such counterpart.
- nltk's Lidstone has no shorter contexts, so contexts must have been seen.
- Shorter than the order, nltk's Kneser–Ney counts nothing before a word that only
  begins sentences (and divides by 0 after "<s>"). So sentences have their symbols, and
  of the contexts that begin with "<s>" only the longest are used.
"""

import json
import platform
from itertools import chain
from pathlib import Path

SENTENCES = [
    "the cat sat on the mat",
    "the cat sat on the dog",
    "a dog sat on the mat",
    "the dog ran to the cat",
    "a cat ran",
    "the cat ran to a mat on the mat",
    "the the cat",
    "on the mat the cat sat",
    "to a dog the cat is a cat",
    "is the dog on the mat",
]
# name in nltk.lm, its parameters, order, whether with <s> and </s>, our parameters
CASES = [
    ("MLE", {}, 2, True, {"smoothing": "none"}),
    ("MLE", {}, 3, True, {"smoothing": "none"}),
    ("MLE", {}, 3, False, {"smoothing": "none"}),
    ("Laplace", {}, 1, False, {"smoothing": "laplace"}),
    ("Laplace", {}, 2, False, {"smoothing": "laplace"}),
    (
        *("Lidstone", {"gamma": 0.3}, 3, False),
        {"smoothing": "lidstone", "smoothing_parameter": 0.3},
    ),
    (
        *("AbsoluteDiscountingInterpolated", {"discount": 0.6}, 2, False),
        {"smoothing": "absolute_discount", "smoothing_parameter": [0, 0.6]},
    ),
    (
        *("AbsoluteDiscountingInterpolated", {"discount": 0.75}, 3, False),
        {"smoothing": "absolute_discount", "smoothing_parameter": [0, 0.75, 0.75]},
    ),
    (
        *("KneserNeyInterpolated", {"discount": 0.1}, 2, True),
        {"smoothing": "kneser_ney", "smoothing_parameter": [0, 0.1]},
    ),
    (
        *("KneserNeyInterpolated", {"discount": 0.8}, 3, True),
        {"smoothing": "kneser_ney", "smoothing_parameter": [0, 0.8, 0.8]},
    ),
    (
        *("KneserNeyInterpolated", {"discount": 0.7}, 4, True),
        {"smoothing": "kneser_ney", "smoothing_parameter": [0, 0.7, 0.7, 0.7]},
    ),
]


def contexts(sentences, order, name, padded):
    """Return contexts after which a word was seen, up to 8 of each length."""
    chosen = []
    for length in range(order):
        found = {
            sentence[i : i + length]
            for sentence in sentences
            for i in range(len(sentence) - length)
        }
        if padded and length < order - 1:
            found = {context for context in found if "<s>" not in context}
        if padded and name == "MLE" and length == 0:
            found = set()
        chosen += sorted(found)[:8]
    return chosen


def reference_case(name, parameters, order, padded, ours):
    import nltk.lm
    from nltk.util import everygrams

    sentences = [tuple(text.split()) for text in SENTENCES]
    words = sorted({word for sentence in sentences for word in sentence})
    if padded:
        sentences = [("<s>", *sentence, "</s>") for sentence in sentences]
        words.append("</s>")
    model = getattr(nltk.lm, name)(order=order, **parameters)
    grams = [list(everygrams(sentence, max_len=order)) for sentence in sentences]
    model.fit(grams, list(chain.from_iterable(sentences)))
    words.append("never seen")
    rows = [
        [list(context), [model.score(word, context) for word in words]]
        for context in contexts(sentences, order, name, padded)
    ]
    boundaries = "document" if padded else None
    return {
        "nltk": f"{name}({order}, {parameters})",
        "ours": {"order": order, "boundaries": boundaries, **ours},
        "words": words,
        "rows": rows,
    }


def main():
    import nltk

    made = {
        "made by": "tests/text/nltk_reference.py",
        "versions": {"nltk": nltk.__version__, "python": platform.python_version()},
        "sentences": SENTENCES,
    }
    cases = ",\n".join(json.dumps(reference_case(*case)) for case in CASES)
    text = json.dumps(made, indent=1)[:-2] + f',\n "cases": [\n{cases}\n]}}\n'
    Path(__file__).with_suffix(".json").write_text(text)


if __name__ == "__main__":
    main()

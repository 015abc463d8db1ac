"""n-gram models by hand: the formulas, with dictionaries of tuples.

The reference for the tries and kernels. A document is a list of
sentences, a sentence a tuple of words with its "<s>" and "</s>" where it has them.
"""

import math
from collections import defaultdict


def cut(document, boundaries="document"):
    """Return the sentences of a document whose words have spaces between them."""
    if boundaries is None:
        return [tuple(document.split())]
    texts = document.splitlines() if boundaries == "line" else [document]
    sentences = [("<s>", *text.split(), "</s>") for text in texts if text.split()]
    return sentences or [("<s>", "</s>")]


def count(documents, order, weight=None, binary=False):
    """Return {n-gram: weight} of all lengths; none ends with <s>."""
    table = defaultdict(float)
    for d, sentences in enumerate(documents):
        ngrams = [
            sentence[i : i + k]
            for sentence in sentences
            for k in range(1, order + 1)
            for i in range(len(sentence) - k + 1)
            if sentence[i + k - 1] != "<s>"
        ]
        for ngram in set(ngrams) if binary else ngrams:
            table[ngram] += 1 if weight is None else weight[d]
    return {ngram: total for ngram, total in table.items() if total > 0}


class ByHand:
    """P(w | h) from a table of counts.

    `base` is P(w | no history): 1 / `n_outcomes`, or P(w | h) of a background model.
    """

    known = None  # with a background: the words that the classes do not leave to it

    def __init__(self, table, order, smoothing, parameter, n_outcomes, base=None):
        self.order, self.smoothing, self.parameter = order, smoothing, parameter
        self.n_outcomes = n_outcomes
        self.base = base or (lambda word, history: 1 / n_outcomes)
        self.table = adjusted(table, order) if smoothing == "kneser_ney" else table
        self.after = defaultdict(dict)
        for ngram, c in self.table.items():
            if c > 0:
                self.after[ngram[:-1]][ngram[-1]] = c

    def prob(self, word, history):
        history = tuple(history)[-(self.order - 1) :] if self.order > 1 else ()
        q = self.base(word, history)
        p = q
        if self.known is not None and word not in self.known:
            return q
        for start in range(len(history), -1, -1):  # the longest history comes last
            p = self.step(word, history[start:], p, q)
        return p

    def step(self, word, history, shorter, q):
        """Return P(word | history) from that after the history without its first."""
        counts = self.after.get(history, {})
        total = sum(counts.values())
        if total == 0:  # nothing was seen after it
            return shorter
        c, x, n = counts.get(word, 0), self.parameter, self.n_outcomes
        match self.smoothing:
            case "none":
                return c / total
            case "laplace":
                return (c + n * q) / (total + n)
            case "lidstone":
                return (c + x * n * q) / (total + x * n)
            case "m_estimate":
                return (c + x * q) / (total + x)
            case "jelinek_mercer":
                return (1 - x) * c / total + x * shorter
            case "dirichlet":
                return (c + x * shorter) / (total + x)
            case "witten_bell":
                return (c + len(counts) * shorter) / (total + len(counts))
        discount = self.discounts(len(history) + 1)
        kept = max(c - discount(c), 0) / total
        freed = sum(min(k, discount(k)) for k in counts.values()) / total
        return kept + freed * shorter

    def discounts(self, length):
        """Return the discount of n-grams of a length as a function of their count."""
        given = self.parameter
        if given is None:
            counts = [c for ngram, c in self.table.items() if len(ngram) == length]
            sizes = [math.ceil(c) for c in counts]
            three = estimated(*[sizes.count(k) for k in (1, 2, 3, 4)])
        elif isinstance(given, list):
            three = given[length - 1]
            three = three if isinstance(three, list) else [three] * 3
        else:
            three = [given] * 3
        return lambda c: three[min(max(math.ceil(c), 1), 3) - 1]

    def log_likelihood(self, sentences):
        """Return Σ log P(word | words before) over all words but <s>."""
        total = 0.0
        for sentence in sentences:
            for i, word in enumerate(sentence):
                if word != "<s>":
                    p = self.prob(word, sentence[:i])
                    total += math.log(p) if p > 0 else -math.inf
        return total


def adjusted(table, order):
    """Return the counts of Kneser–Ney: distinct words before, as in KenLM.

    The longest n-grams, those that begin with <s>, and those before which no word ever
    comes keep their counts.
    """
    left = defaultdict(set)
    for ngram in table:
        left[ngram[1:]].add(ngram[0])
    return {
        ngram: c
        if len(ngram) == order or ngram[0] == "<s>" or not left[ngram]
        else len(left[ngram])
        for ngram, c in table.items()
    }


def estimated(n1, n2, n3, n4):
    """Return three discounts from how many n-grams have the counts 1 to 4."""
    if min(n1, n2, n3, n4) == 0:
        return [0.5, 1.0, 1.5]
    y = n1 / (n1 + 2 * n2)
    three = [1 - 2 * y * n2 / n1, 2 - 3 * y * n3 / n2, 3 - 4 * y * n4 / n3]
    inside = all(0 <= d <= k for k, d in zip((1, 2, 3), three))
    return three if inside else [0.5, 1.0, 1.5]


def class_log_likelihoods(sentences, documents, y, classes, params):
    """Return log P(sentences | c) of each class, with or without a background.

    `params` has order, smoothing, parameter, n_outcomes, background, weight and binary.
    """
    order, n = params["order"], params["n_outcomes"]
    weight, binary = params["weight"], params["binary"]
    base = None
    if params["background"]:
        together = count(documents, order, weight, binary)
        base = ByHand(together, order, "witten_bell", None, n).prob
    answer = []
    for c in classes:
        class_weight = [w if k == c else 0 for w, k in zip(weight, y)]
        table = count(documents, order, class_weight, binary)
        model = ByHand(table, order, params["smoothing"], params["parameter"], n, base)
        if params["background"]:
            model.known = {ngram[0] for ngram in together if len(ngram) == 1}
        answer.append(model.log_likelihood(sentences))
    return answer

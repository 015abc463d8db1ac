"""TextNB by plain loops over words, classes and documents: slow, and easy to read."""

import math


def divide(numerator, denominator):
    return numerator / denominator if denominator > 0 else None


def log(x):
    return math.log(x) if x > 0 else -math.inf


def estimates(X, y, weight, classes, m, prior, event_model, complement=False):
    """Return P(w | c), rates or P(w | not c), by class and word."""
    n_words = len(X[0])
    presence = event_model == "bernoulli"
    cells = [[float(x > 0) if presence else float(x) for x in row] for row in X]

    def total_weight(chosen, word=None):
        values = [
            w * (1 if word is None else row[word])
            for row, label, w in zip(cells, y, weight)
            if label in chosen
        ]
        return math.fsum(values)

    n_documents = total_weight(classes)
    tokens = math.fsum(total_weight(classes, j) for j in range(n_words))

    def prior_of(c, j):
        if prior == "uniform":
            if event_model == "poisson":
                return tokens / n_documents / n_words
            return 0.5 if presence else 1 / n_words
        if prior == "background":
            collection = tokens if event_model == "multinomial" else n_documents
            no_data = 0.5 if presence else 1 / n_words
            return total_weight(classes, j) / collection if collection else no_data
        if len(prior) and not hasattr(prior[0], "__len__"):
            return prior[j]
        rows = [k for k in range(len(classes)) if (k != c) == complement]
        rows = rows or [c]
        return sum(prior[k][j] for k in rows) / len(rows)

    table = []
    for c, label in enumerate(classes):
        chosen = [k for k in classes if (k != label) == complement]
        p = [prior_of(c, j) for j in range(n_words)]
        if event_model == "multinomial":
            n = math.fsum(total_weight(chosen, j) for j in range(n_words))
            q = math.fsum(p)
        else:
            n, q = total_weight(chosen), 1.0
        row = []
        for j in range(n_words):
            estimate = divide(total_weight(chosen, j) + m * p[j], n + m * q)
            row.append(p[j] / q if estimate is None else estimate)
        table.append(row)
    return table


def joint_log_likelihoods(
    document, table, event_model, complement=False, log_prior=None
):
    """Return the score of each class.

    Words that are impossible, or certain, in all classes are skipped.
    """
    scores = []
    for c, row in enumerate(table):
        score = 0.0 if log_prior is None else log_prior[c]
        for j, x in enumerate(document):
            column = [other[j] for other in table]
            if event_model == "bernoulli":
                if all(p == 0 for p in column) or all(p == 1 for p in column):
                    continue
                score += log(row[j]) if x > 0 else log(1 - row[j])
                continue
            if event_model == "poisson":
                score -= row[j]
            if x > 0 and any(p > 0 for p in column):
                score += (-x if complement else x) * log(row[j])
        scores.append(score)
    return scores

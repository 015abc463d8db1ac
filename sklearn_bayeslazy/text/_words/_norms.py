"""The sums of the complement's scores, by which ComplementNB's `norm` divides them.

The score of class c is Σ x log θ_w / Σ_w log θ_w, where the second sum is over the
vocabulary: so the classes' weights have the same sum. Without a document, only the
numerators of its words and the denominator of θ change.

Source: Rennie et al. (2003), Tackling the poor assumptions of naive Bayes text
classifiers, table 4, step 7, without the absolute value: no log θ is positive.
"""

import numpy as np


def divisors(sums):
    """Return sums of scores -log θ, 1 where there is only one word.

    >>> divisors(np.array([2.0, 0.0]))
    array([2., 1.])
    """
    if not np.isfinite(sums).all():
        raise ValueError(
            "norm=True divides by the sum of all words' scores, which is infinite: a "
            "word has probability 0 in all other classes. Choose m > 0 and a prior "
            "above 0."
        )
    return np.where(sums > 0, sums, 1.0)


class LeftOutNorms:
    """The divisors of documents that are left out one by one."""

    # counts: (V, n_classes), the weight of each word outside of each class; virtual:
    # (1 or n_classes, V), the virtual words, m p.

    def __init__(self, counts, virtual, prior_kind):
        if prior_kind == "background":
            raise ValueError(
                "norm=True has no leave-one-out with prior='background', which changes "
                "for every word: give m and temperature as numbers, or another prior."
            )
        self.counts, self.virtual = counts, virtual.T
        with np.errstate(divide="ignore"):
            self.log_numerators = np.log(counts + self.virtual).sum(axis=0)

    def of_documents(self, cells, true_class, removed, total):
        """Return the divisors (n, n_classes)."""
        # `cells` are indptr, words and counts of the documents, without duplicates.
        # true_class, removed: (n,); total: (n, n_classes), the denominators of θ.
        indptr, word, count = cells
        row = np.repeat(np.arange(len(true_class)), np.diff(indptr))
        virtual = self.virtual[word]
        before = self.counts[word]
        taken = (removed[row] * count)[:, None]
        is_other = np.arange(before.shape[1]) != true_class[row, None]
        after = np.where(is_other, np.maximum(before - taken, 0.0), before)
        with np.errstate(divide="ignore", invalid="ignore"):
            change = np.log(after + virtual) - np.log(before + virtual)
            sums = np.stack(
                [np.bincount(row, each, len(true_class)) for each in change.T], axis=1
            )
            log_total = np.log(total)
        scores = len(self.counts) * log_total - self.log_numerators - sums
        return divisors(scores)

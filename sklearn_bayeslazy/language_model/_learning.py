"""What models of n-grams share: documents to counts, counts to smoothed estimates."""

from functools import partial
from numbers import Integral, Real
from types import SimpleNamespace

import numpy as np

from .._compat import Interval, StrOptions
from .._leave_one_out import candidate_lists
from .._parallel import map_tasks
from .._weights import kept_rows
from ._counts import N_SYMBOLS, count_ngrams, merge_counts, pooled_counts
from ._documents import (
    READER_CONSTRAINTS,
    DocumentReader,
    check_documents,
    keeps_all_words,
    number_words,
)
from ._scoring import Model
from ._smoothing import CANDIDATES, SMOOTHINGS, check_parameter, smooth

N_GRAM_CONSTRAINTS = {
    "order": [Interval(Integral, 1, None, closed="left")],
    "smoothing": [StrOptions(set(SMOOTHINGS))],
    "smoothing_parameter": [
        Interval(Real, 0, None, closed="left"),
        "array-like",
        StrOptions({"loo"}),
        None,
    ],
    **READER_CONSTRAINTS,
    "loo_candidates": [dict, None],
    "loo_max_samples": [Interval(Integral, 1, None, closed="left"), None],
    "random_state": ["random_state"],
    "n_jobs": [Integral, None],
}
# The parameters that say how a sentence is cut into words.
_CUTTING = (
    "analyzer",
    "tokenizer",
    "token_pattern",
    "preprocessor",
    "strip_accents",
    "lowercase",
)


def batches_excluded(estimator):
    """Return why the estimator cannot learn in batches, None if it can."""
    for parameter in estimator._chosen_by_loo:
        if tunes(estimator, parameter):
            return (
                f"{parameter}='loo' needs all documents at once and excludes "
                "partial_fit and merge: call fit on a sample of documents, read "
                f"{parameter}_, and give that to the model that learns in batches."
            )
    if estimator.vocabulary is None and not keeps_all_words(estimator.min_df):
        return (
            f"min_df={estimator.min_df} needs all documents at once and excludes "
            "partial_fit and merge: leave it at 1, or give the vocabulary."
        )
    return None


def check_read_alike(model, other):
    """Raise an error unless two models cut and know words in the same way."""
    for name in (*_CUTTING, "boundaries"):
        mine, its = getattr(model, name), getattr(other, name)
        # A function that was sent to another process is no longer the same object.
        if mine != its and not (callable(mine) and callable(its)):
            raise ValueError(
                f"The models read documents differently: {name}={mine!r} and {its!r}."
            )
    if reason := batches_excluded(other):
        raise ValueError(f"The other model cannot be merged: {reason}")
    given = model.vocabulary is not None or other.vocabulary is not None
    if given and model.vocabulary_ != other.vocabulary_:
        raise ValueError(
            "The models' vocabularies differ, and what is no word of one may be one of "
            "the other: fit both with the same vocabulary, or both with None."
        )


def tunes(estimator, parameter="smoothing_parameter"):
    """Tell whether a parameter is to be chosen by leave-one-out."""
    value = getattr(estimator, parameter)
    return isinstance(value, str) and value == "loo"


def parameter_candidates(estimator, others=None):
    """Return what leave-one-out tries, each checked.

    Parameters
    ----------
    estimator : NGramLanguageModel or LanguageModelNB
    others : dict of {str: list}, default=None
        Default candidates of parameters beside the smoothing's.

    Returns
    -------
    dict of {str: list}
    """
    smoothing = estimator.smoothing
    given = estimator.smoothing_parameter
    if tunes(estimator) and smoothing not in CANDIDATES:
        raise ValueError(
            f"smoothing_parameter='loo' does not go with smoothing={smoothing!r}: "
            f"leave-one-out chooses the parameter of {sorted(CANDIDATES)}."
        )
    if smoothing == "kneser_ney":
        raise ValueError(
            "length_normalization='loo' does not go with smoothing='kneser_ney', from "
            "whose counts no document can be taken away: take another smoothing, say "
            "'absolute_discount', or a number for length_normalization."
        )
    defaults = {"smoothing_parameter": CANDIDATES.get(smoothing, [None])}
    lists = candidate_lists(defaults | (others or {}), estimator.loo_candidates)
    if not tunes(estimator):
        lists["smoothing_parameter"] = [given]
    lists["smoothing_parameter"] = [
        check_parameter(smoothing, value, None)
        for value in lists["smoothing_parameter"]
    ]
    return lists


class NGramLearner:
    """The steps that `fit`, `partial_fit` and `merge` of n-gram models share.

    State: ``vocabulary_``, and the counts from which all else follows.
    """

    # What may be "loo", and whether n-grams count once a document.
    _chosen_by_loo = ("smoothing_parameter",)
    binary = False

    def _given_parameter(self):
        """Return the smoothing's parameter, checked; None if it is to be chosen."""
        if any(tunes(self, parameter) for parameter in self._chosen_by_loo):
            self._candidates()  # raises what is to be raised, before all work
            return None
        return check_parameter(self.smoothing, self.smoothing_parameter, self.order)

    def _candidates(self):
        """Return what leave-one-out tries."""
        return parameter_candidates(self)

    def _weighted_documents(self, documents, sample_weight):
        """Return the documents that count, their numbers (None: all) and weights."""
        documents = check_documents(documents, self)
        if not documents:
            raise ValueError(
                f"{type(self).__name__} got no documents; at least one is needed."
            )
        rows, weight = kept_rows(sample_weight, len(documents))
        if rows is not None:
            documents = [documents[row] for row in rows]
        return documents, rows, weight

    def _count(self, documents, weight, classes=None, n_classes=1, batch=False):
        """Return the vocabulary, the corpus and its counts.

        One batch of several need not hold a word.
        """
        if not batch or not hasattr(self, "_reading"):
            self._reading = self._reading_asked()
        elif self._reading != self._reading_asked():
            changed = [
                name
                for name, value in self._reading_asked().items()
                if value != self._reading[name]
            ]
            raise ValueError(
                f"{changed[0]} has changed since the first batch: put it back to "
                f"{self._reading[changed[0]]!r}, or fit anew."
            )
        vocabulary, corpus = self._reader().learn(
            documents, self.min_df, self.vocabulary, weight
        )
        if not vocabulary and not batch:
            raise ValueError(
                "The vocabulary is empty: no document holds a word that occurs in "
                f"min_df={self.min_df} documents. Lower min_df, or look at how "
                "documents are cut into words (token_pattern, tokenizer, analyzer)."
            )
        counts = count_ngrams(
            corpus,
            self.order,
            len(vocabulary) + N_SYMBOLS,
            classes,
            n_classes,
            weight,
            once=self.binary,
            map_tasks=partial(map_tasks, n_jobs=self.n_jobs),
        )
        if not np.isfinite(counts.count.sum()):
            raise ValueError(
                "The weights of all words together overflow float64: divide "
                "sample_weight."
            )
        return vocabulary, corpus, counts

    def _add(self, vocabulary, counts, classes, n_classes):
        """Add counts in another vocabulary; `classes` are the new ones of both."""
        if self._counts.order != counts.order:
            raise ValueError(
                f"order differs: {self._counts.order} was counted, and {counts.order} "
                "comes. Put it back, or fit anew."
            )
        mine = self.vocabulary_
        union = number_words(mine.keys() | vocabulary.keys())
        codes = [_new_codes(old, union) for old in (mine, vocabulary)]
        self._counts = merge_counts(
            [self._counts, counts], codes, len(union) + N_SYMBOLS, classes, n_classes
        )
        self.vocabulary_ = union

    def _reading_asked(self):
        return {name: getattr(self, name) for name in (*READER_CONSTRAINTS, "binary")}

    def _reader(self):
        """Return the reader of documents, as it was when the model learnt to read."""
        return DocumentReader(SimpleNamespace(**self._reading))

    def _n_outcomes(self):
        # The words, UNKNOWN, and END where sentences end.
        return len(self.vocabulary_) + 1 + (self._reading["boundaries"] is not None)

    def _smoothed_model(self, parameter, **options):
        background = options.pop("background", None)
        smoothed = smooth(
            self._counts, self.smoothing, parameter, self._n_outcomes(), **options
        )
        return Model(self._counts, smoothed, background)

    def _background(self, **options):
        """Return the Witten–Bell model of all classes together."""
        together = pooled_counts(self._counts)
        return smooth(together, "witten_bell", None, self._n_outcomes(), **options)

    def _forget_choices(self):
        """Drop the scores of leave-one-out, which were those of other documents."""
        vars(self).pop("loo_results_", None)

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.two_d_array = False
        tags.input_tags.string = True
        return tags


def _new_codes(old, union):
    codes = np.arange(len(old) + N_SYMBOLS)
    for word, code in old.items():
        codes[code] = union[word]
    return codes

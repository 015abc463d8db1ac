"""The steps that both estimators of n-grams share: documents to counts to estimates."""

from numbers import Integral, Real
from types import SimpleNamespace

import numpy as np

from ..._core._arrays import kept_rows
from ..._core._compat import Interval, StrOptions
from ...leave_one_out import check_same_choices
from ._counts import (
    N_SYMBOLS,
    UNKNOWN_WORD,
    count_ngrams,
    merge_counts,
    no_counts,
    pooled_counts,
)
from ._document_reader import (
    READER_CONSTRAINTS,
    DocumentReader,
    assign_codes,
    check_documents,
    keeps_all_words,
)
from ._left_out_documents import is_tuned, parameter_candidates
from ._scoring import NGramModel
from ._smoothing import SMOOTHINGS, check_smoothing_parameter, smooth

N_GRAM_CONSTRAINTS = {
    # Each length costs some microseconds, even if no text is as long.
    "order": [Interval(Integral, 1, 10_000, closed="both")],
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
# The parameters with which a document is cut into words and sentences.
_TOKENIZER_PARAMETERS = (
    "analyzer",
    "tokenizer",
    "token_pattern",
    "preprocessor",
    "strip_accents",
    "lowercase",
    "boundaries",
)


def batches_excluded(estimator):
    """Return why the estimator cannot learn in batches, None if it can."""
    if estimator.vocabulary is None and not keeps_all_words(estimator.min_df):
        return (
            f"min_df={estimator.min_df} needs all documents at once and excludes "
            "partial_fit and merge: leave it at 1, or give the vocabulary."
        )
    return None


def check_addable(model, other):
    """Raise an error unless two models read documents alike and chose the same."""
    for name in _TOKENIZER_PARAMETERS:
        first, its = getattr(model, name), getattr(other, name)
        # A function that was sent to another process is no longer the same object.
        if first != its and not (callable(first) and callable(its)):
            raise ValueError(
                f"The models read documents differently: {name}={first!r} and {its!r}. "
                "Fit both with the same parameters."
            )
    if reason := batches_excluded(other):
        raise ValueError(f"The other model cannot be merged: {reason}")
    given = model.vocabulary is not None or other.vocabulary is not None
    if given and model.vocabulary_ != other.vocabulary_:
        raise ValueError(
            "The models' vocabularies differ, and a word that is unknown to one may be "
            "known to the other: fit both with the same vocabulary, or both with None."
        )
    check_same_choices(
        [
            (name, getattr(model, f"{name}_"), getattr(other, f"{name}_"))
            for name in model._loo_parameters
            if is_tuned(model, name) or is_tuned(other, name)
        ]
    )


class NGramEstimatorMixin:
    """The steps that `fit`, `partial_fit` and `merge` of n-gram models share."""

    # A subclass has the parameters of ``N_GRAM_CONSTRAINTS``. It overrides
    # ``_loo_parameters``, ``_loo_candidates`` and ``_left_out_losses`` if "loo" can
    # choose more than the parameter of the smoothing.
    # State: ``vocabulary_``, ``_counts``, from which all estimates follow, and
    # ``_reader_params``, the parameters with which the documents were read.

    # The parameters that take "loo".
    _loo_parameters = ("smoothing_parameter",)
    # Whether an n-gram counts once in each document.
    binary = False
    # Whether an unseen n-gram backs off to the probability in all classes together.
    background = False
    # "token": words outside the vocabulary are one more outcome; "ignore": left out.
    unknown = "token"
    loo_scoring = "log_loss"

    def _value(self, name):
        """Return the value of a parameter."""
        return getattr(self, name)

    def _loo_candidates(self):
        """Return the candidates of leave-one-out, by parameter."""
        return parameter_candidates(self)

    def _left_out_losses(self, likelihood, n_words, left_out, lists):
        """Yield the scores of left-out documents, as `choose_parameters` takes them."""
        yield (-likelihood[:, 0],)

    def _tunes_anything(self):
        return any(is_tuned(self, name) for name in self._loo_parameters)

    def _checked_parameter(self):
        """Return the parameter of the smoothing; None if leave-one-out chooses it."""
        if self._tunes_anything():
            self._loo_candidates()  # raises errors before the documents are read
            return None
        return check_smoothing_parameter(
            self._value("smoothing"), self._value("smoothing_parameter"), self.order
        )

    def _settled_parameter(self):
        """Return the parameter of the smoothing: as chosen before, or as given."""
        return (
            self.smoothing_parameter_ if is_tuned(self) else self._default_parameter()
        )

    def _default_parameter(self):
        """Return the parameter, the smoothing's default where it is "loo"."""
        given = None if is_tuned(self) else self._value("smoothing_parameter")
        return check_smoothing_parameter(self._value("smoothing"), given, self.order)

    def _weighted_documents(self, documents, sample_weight):
        """Return the documents of weight > 0, their rows (None: all) and weights."""
        documents = check_documents(documents, self)
        if not documents:
            raise ValueError(
                f"{type(self).__name__} got no documents; at least one is needed."
            )
        rows, weight = kept_rows(sample_weight, len(documents))
        if rows is not None:
            documents = [documents[row] for row in rows]
        return documents, rows, weight

    def _count_documents(
        self, documents, weight, classes=None, n_classes=1, batch=False
    ):
        """Return the vocabulary, the corpus and its counts."""
        # With `batch`, documents may hold no word, and must be read as the first batch.
        # weight and classes: (n_documents,).
        if not batch or not hasattr(self, "_reader_params"):
            self._reader_params = self._current_reader_params()
        else:
            self._check_reader_params_unchanged()
        vocabulary, corpus = self._reader().learn_vocabulary(
            documents, self.min_df, self.vocabulary, weight
        )
        corpus = self._modelled_words(corpus)
        if classes is None:
            classes = np.zeros(len(corpus), np.int64)
        if not vocabulary and not batch:
            raise ValueError(
                "The vocabulary is empty: no document holds a word that occurs in "
                f"min_df={self.min_df} documents. Lower min_df, or check how documents "
                "are cut into words (token_pattern, tokenizer, analyzer)."
            )
        counts = count_ngrams(
            corpus,
            self.order,
            len(vocabulary) + N_SYMBOLS,
            classes,
            n_classes,
            weight,
            self.binary,
            self.n_jobs,
        )
        return vocabulary, corpus, counts

    def _add_counts(self, vocabulary, counts, classes, n_classes):
        """Add counts in another vocabulary; `classes` are the new ones of both."""
        for each in (self._counts, counts):
            if each.has_no_counts:
                raise ValueError(
                    "A model of an ARPA file has no counts to add up: fit a model to "
                    "texts."
                )
        if self._counts.order != counts.order:
            raise ValueError(
                f"order differs: n-grams up to {self._counts.order} words were counted "
                f"before, up to {counts.order} now. Set the former order, or fit anew."
            )
        union = assign_codes(self.vocabulary_.keys() | vocabulary.keys())
        codes = [_new_codes(old, union) for old in (self.vocabulary_, vocabulary)]
        self._counts = merge_counts(
            [self._counts, counts], codes, len(union) + N_SYMBOLS, classes, n_classes
        )
        self.vocabulary_ = union

    def _forget_counts(self, n_classes):
        """Replace the counts and the vocabulary by those of no documents."""
        self._counts = no_counts(self._counts.order, n_classes)
        self.vocabulary_ = {}

    def _current_reader_params(self):
        names = (*READER_CONSTRAINTS, "binary", "unknown")
        return {name: getattr(self, name) for name in names}

    def _check_reader_params_unchanged(self):
        for name, value in self._current_reader_params().items():
            # A vocabulary may be an array.
            if not np.array_equal(value, self._reader_params[name]):
                raise ValueError(
                    f"{name} has changed since the first batch: set it to "
                    f"{self._reader_params[name]!r} again, or fit anew."
                )

    def _reader(self):
        """Return the reader of documents, with the parameters of the fit."""
        return DocumentReader(SimpleNamespace(**self._reader_params))

    @property
    def _has_ends(self):
        """Whether texts begin with START and end with END."""
        return self._reader_params["boundaries"] is not None

    def _n_outcomes(self):
        # The words, UNKNOWN, and END where sentences end.
        has_unknown = self._reader_params["unknown"] == "token"
        return max(len(self.vocabulary_) + has_unknown + self._has_ends, 1)

    def _modelled_words(self, corpus):
        """Return a corpus, without the unknown words if they are ignored."""
        if self._reader_params["unknown"] == "ignore":
            return corpus.without(UNKNOWN_WORD)
        return corpus

    def _smoothed_model(self, parameter, *, background=None, **options):
        smoothing, n_outcomes = self._value("smoothing"), self._n_outcomes()
        smoothed = smooth(self._counts, smoothing, parameter, n_outcomes, **options)
        return NGramModel(self._counts, smoothed, background)

    def _smoothed_background(self, **options):
        """Return the Witten–Bell probabilities of all classes together."""
        pooled = pooled_counts(self._counts)
        return smooth(pooled, "witten_bell", None, self._n_outcomes(), **options)

    def _drop_loo_results(self):
        """Forget the results of leave-one-out on former documents."""
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

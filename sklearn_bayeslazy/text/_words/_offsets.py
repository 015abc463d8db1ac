r"""Offsets of words by class, fitted to documents that are left out.

.. math::
    \log P(c \mid x) = v \log P(c, x) + b_c + \sum_w x_w u_{wc} + const

For a training document, P(c, x) is the estimate without it. The parameters maximise the
likelihood of the classes, less (v - v⁰)² / 2, Σ b² / 2 and λ Σ (u / s)² / 2; the
scale s of a word is 1, or its inverse document frequency. One document in all counts as
of any class (`share_of_other_classes`). Scales and λ are chosen by cross-validation.
The objective is concave, and the penalties make its maximum unique.
"""

from typing import NamedTuple

import numpy as np
from scipy import sparse

from ..._core._parallel import map_tasks
from ...leave_one_out import (
    center_terms,
    folds,
    is_loo,
    rows_to_leave_out,
    sparse_fold_keys,
)
from ...tabular import class_log_prior, row_weight
from ._learning import build_text_model, count_by_class
from ._left_out_documents import left_out_joint
from ._offset_search import OffsetSearch
from ._rows import TextRows

# The candidates of λ, strongest first, and the one at which scales are compared.
PENALTIES = (3.0, 1.0, 0.3, 0.1, 0.03, 0.01)
_PENALTY_OF_SCALES = 0.1
# Above this many offsets (words times classes) there are none: the search holds about
# ten arrays of this size.
MAX_OFFSETS = 2**23
# The largest product of stored cells and classes; of more, a random sample of documents
# is used.
_MAX_CELLS = 2**27
# The folds that are left out have at most this product in all, or there is but one.
_MAX_CELLS_OF_FOLDS = 2**25


class OffsetChoice(NamedTuple):
    """What cross-validation chooses."""

    uses_frequency: bool  # whether s is the inverse document frequency
    penalty: float  # λ


class ScoredTexts(NamedTuple):
    """Documents, and their scores by a model that has not seen them."""

    X: sparse.csr_matrix  # (n, n_words), what the offsets are multiplied by
    joint: np.ndarray  # log P(c, x), centred, (n, n_classes)
    classes: np.ndarray  # (n,)
    weight: np.ndarray  # (n,), in the likelihood


class TextsToLearnFrom:
    """Documents that leave each other out, all of them or those of some folds."""

    # The scores that offsets are fitted to must not have seen the documents that judge
    # them: where these have a word, the scores of others would point to their class,
    # and offsets would have turned away from it.

    def __init__(self, estimator, X, classes, weight):
        # estimator: has chosen m and a temperature. X: as in `TextRows`; classes and
        # weight: (n,).
        self._estimator = estimator
        self.X = sparse.csr_matrix(X, dtype=np.float64)
        self.classes, self.weight = classes, weight
        self.n_classes = len(estimator.classes_)
        self.weight0 = 1.0 / estimator.temperature_
        self.is_weight_free = is_loo(estimator.temperature)
        self.n_jobs = estimator.n_jobs

    def take(self, rows):
        """Return some documents."""
        parts = self.X[rows], self.classes[rows], self.weight[rows]
        return TextsToLearnFrom(self._estimator, *parts)

    def sample(self):
        """Return the documents, or a random sample that is not too large."""
        size, n_rows = self.size(), len(self.classes)
        if size <= _MAX_CELLS:
            return self
        n_chosen = max(int(n_rows * _MAX_CELLS / size), 2)
        rows = rows_to_leave_out(n_rows, n_chosen, self._estimator.random_state)
        return self.take(rows)

    def size(self):
        """Return the number of products of a pass over the documents."""
        return self.X.nnz * self.n_classes

    def folds(self):
        """Return masks of the documents of each fold; equal ones share one."""
        # The last digits depend on the order of the words.
        key = sparse_fold_keys(self.X.astype(np.float32), self.classes)
        return [part for part in folds(key) if self.weight[~part].any()]

    def left_out(self):
        """Return the documents, each scored by the others."""
        joint, _ = left_out_joint(
            self._estimator, self._model(), self._rows(), self.classes, self.weight
        )
        return self._scored(joint)

    def scored(self, others):
        """Return the documents, scored by others."""
        model, estimator = others._model(), self._estimator
        log_prior = class_log_prior(
            model.class_count, estimator.fit_prior, estimator.class_prior
        )
        joint = np.zeros((len(self.classes), self.n_classes))
        scores = model.scores(estimator.m_, log_prior)
        for block, cells in self._rows().blocks(slice(0, len(joint))):
            scores.add_to(cells, joint[block])
        return self._scored(joint)

    def _scored(self, joint):
        share = self.weight / row_weight(self.weight)
        return ScoredTexts(self.X, center_terms(joint), self.classes, share)

    def _rows(self):
        return TextRows(self.X, distinct=True)

    def _model(self):
        rows, estimator = self._rows(), self._estimator
        counted = count_by_class(
            rows, self.classes, self.weight, self.n_classes, False, self.n_jobs
        )
        return build_text_model(
            *counted, estimator.prior, event_model="multinomial", complement=False
        )


def choose_word_offsets(texts):
    """Return the :class:`OffsetChoice`, None for no offsets."""
    texts = texts.sample()
    folds = texts.folds()[: max(_MAX_CELLS_OF_FOLDS // max(texts.size(), 1), 1)]
    if not folds:  # all documents have the same words
        return None
    scales = [OffsetChoice(uses, _PENALTY_OF_SCALES) for uses in (False, True)]
    uses_frequency = _best_choice(texts, folds, scales).uses_frequency
    choices = [OffsetChoice(uses_frequency, penalty) for penalty in PENALTIES]
    return _best_choice(texts, folds, [None, *choices])


def _best_choice(texts, folds, choices):
    """Return the choice of the least log loss of documents that are left out."""

    def losses(part):
        others, test = texts.take(~part), texts.take(part)
        training, test = others.left_out(), test.scored(others)
        search, found = None, []
        for choice in choices:
            scores = texts.weight0 * test.joint
            if choice is not None:
                if search is None or search.uses_frequency != choice.uses_frequency:
                    search = None  # its memory goes first
                    search = OffsetSearch(training, choice.uses_frequency, texts)
                scores = search.solve(choice.penalty).scores(test)
            found.append(test.weight @ _log_losses(scores, test.classes))
        return found

    total = np.sum(map_tasks(losses, folds, n_jobs=texts.n_jobs), axis=0)
    return choices[int(np.argmin(total))]


def fit_word_offsets(texts, choice):
    """Return the :class:`WordOffsets` of the highest penalised likelihood."""
    search = OffsetSearch(texts.sample().left_out(), choice.uses_frequency, texts)
    return search.solve(choice.penalty, is_last=True).word_offsets()


def cross_fitted_scores(texts, choice, joint):
    """Return left-out joint scores with offsets that other folds have learned."""
    scores = np.empty_like(joint)

    def fill(part):
        found = fit_word_offsets(texts.take(~part), choice)
        scores[part] = found.weight * joint[part] + found.bias
        scores[part] += texts.X[part] @ found.offsets

    map_tasks(fill, texts.folds(), n_jobs=texts.n_jobs)
    return scores


def _log_losses(scores, classes):
    gaps = scores - scores.max(axis=1, keepdims=True)
    return np.log(np.exp(gaps).sum(axis=1)) - gaps[np.arange(len(gaps)), classes]

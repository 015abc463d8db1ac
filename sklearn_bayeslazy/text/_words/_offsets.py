r"""Offsets of words by class, fitted to documents that are left out.

.. math::
    \log P(c \mid x) = v \log P(c, x) + b_c + \sum_w x_w u_{wc} + const

For a training document, P(c, x) is the estimate without it. The parameters maximise the
likelihood of the classes, less (v - v⁰)² / 2, Σ b² / 2 and λ Σ (u / s)² / 2; the
scale s of a word is 1, or its inverse document frequency. Scales and λ are chosen by
cross-validation. The objective is concave, and the penalties make its maximum unique.
"""

from typing import NamedTuple

import numpy as np
from scipy import sparse

from ..._core._parallel import map_tasks
from ...leave_one_out import (
    center_terms,
    folds,
    is_loo,
    minimize,
    rows_to_leave_out,
    sparse_fold_keys,
)
from ...tabular import class_log_prior, row_weight
from ._learning import build_text_model, count_by_class
from ._left_out_documents import left_out_joint
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
# Up to this product the maximum is found to the last digits, above it in float32, until
# the squared gradient is a share of what it was without offsets. So are the candidates
# compared.
_MAX_CELLS_OF_EXACT = 2**21
_EXACT, _ROUGH = 1e-17, 1e-2
# v is at least this share of v⁰.
_MIN_SHARE = 0.01


class WordOffsets(NamedTuple):
    """What is added to the weighted score of naive Bayes."""

    weight: float  # v
    bias: np.ndarray  # b, (n_classes,)
    offsets: np.ndarray  # u, (n_words, n_classes)


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

    def scores(self, found):
        """Return the scores of the classes with offsets."""
        return found.weight * self.joint + found.bias + self.X @ found.offsets


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
        problem, found = None, []
        for choice in choices:
            scores = texts.weight0 * test.joint
            if choice is not None:
                if problem is None or problem.uses_frequency != choice.uses_frequency:
                    problem = None  # its memory goes first
                    problem = _Problem(training, choice.uses_frequency, texts)
                scores = test.scores(problem.solve(choice.penalty))
            found.append(test.weight @ _log_losses(scores, test.classes))
        return found

    total = np.sum(map_tasks(losses, folds, n_jobs=texts.n_jobs), axis=0)
    return choices[int(np.argmin(total))]


def fit_word_offsets(texts, choice):
    """Return the :class:`WordOffsets` of the highest penalised likelihood."""
    problem = _Problem(texts.sample().left_out(), choice.uses_frequency, texts)
    # The weaker the penalty, the longer the search; so it goes over stronger ones.
    for penalty in PENALTIES[: PENALTIES.index(choice.penalty)]:
        problem.solve(penalty)
    return problem.solve(choice.penalty, is_last=True)


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


class _Problem:
    """The penalised log loss of some documents, as `minimize` asks for it."""

    # The vector is (v - least v, b, u / s), row by row; v - least v only if v is free.

    def __init__(self, documents, uses_frequency, options):
        # documents: ScoredTexts; options: has weight0 and is_weight_free.
        size = documents.X.nnz * documents.joint.shape[1]
        self.is_large = size > _MAX_CELLS_OF_EXACT
        self.dtype = np.float32 if self.is_large else np.float64
        self.uses_frequency = uses_frequency
        self.scale = _scales(documents, uses_frequency)
        self.X = _scaled(documents.X, self.scale.astype(self.dtype))
        self.X_transposed = self.X.T.tocsr()
        # Of the same cells, so that the indices are shared.
        cells = self.X_transposed
        self.squares = sparse.csr_matrix(
            (cells.data**2, cells.indices, cells.indptr), shape=cells.shape
        )
        self.joint = documents.joint.astype(self.dtype)
        self.classes = documents.classes
        self.weight = documents.weight.astype(self.dtype)
        self.n_classes = self.joint.shape[1]
        self.n_terms = int(options.is_weight_free)
        least_share = _MIN_SHARE if options.is_weight_free else 1.0
        self.least_weight = least_share * options.weight0
        n_others, n_offsets = self.n_terms + self.n_classes, self.X.shape[1]
        n_offsets *= self.n_classes
        self.start = np.zeros(n_others + n_offsets, self.dtype)
        self.start[: self.n_terms] = options.weight0 - self.least_weight
        self.vector = self.start
        self.penalty = np.ones(len(self.start), self.dtype)
        value, gradient = self.gradient(self.start)
        length = np.sum(gradient**2 / self.curvature(), dtype=np.float64)
        # Where classes have no words in common, float32 leaves no loss.
        self.rough_tolerance = _ROUGH * length / value if value > 0 else 0.0

    def solve(self, penalty, is_last=False):
        """Return the best parameters; the search begins where the last one ended."""
        tolerance = _EXACT if is_last and not self.is_large else self.rough_tolerance
        self.penalty[self.n_terms + self.n_classes :] = penalty
        self.vector = minimize(self, self.vector, tolerance)
        weight, bias, scaled = self._split(self.vector.astype(np.float64))
        offsets = np.zeros((len(self.scale), self.n_classes))
        offsets[self.scale > 0] = scaled * self.scale[self.scale > 0][:, None]
        return WordOffsets(float(self.least_weight + weight), bias, offsets)

    def gradient(self, vector):
        """Return the value and the gradient; keep P(class | document)."""
        scores = self._effects(vector)
        scores += self.dtype(self.least_weight) * self.joint
        scores -= scores.max(axis=1, keepdims=True)
        every = np.arange(len(scores))
        true_score = scores[every, self.classes]
        self.proba = np.exp(scores, out=scores)
        total = self.proba.sum(axis=1)
        losses = self.weight * (np.log(total) - true_score)
        self.proba /= total[:, None]
        errors = self.proba.copy()
        errors[every, self.classes] -= 1.0
        deviation = vector - self.start
        pull = self.penalty * deviation
        value = losses.sum(dtype=np.float64) + 0.5 * float(deviation @ pull)
        return value, self._by_parameter(errors) + pull

    def hessian_product(self, direction):
        """Return the Hessian at the last vector of `gradient` times a direction."""
        effects = self._effects(direction)
        effects -= np.einsum("ic,ic->i", self.proba, effects)[:, None]
        effects *= self.proba
        return self._by_parameter(effects) + self.penalty * direction

    def curvature(self):
        """Return an estimate of the Hessian's diagonal."""
        variance = self.weight[:, None] * self.proba * (1.0 - self.proba)
        of_weight = np.sum(variance * self.joint**2)[None][: self.n_terms]
        of_offsets = (self.squares @ variance).ravel()
        parts = of_weight, variance.sum(axis=0), of_offsets
        return np.concatenate(parts) + self.penalty

    def _split(self, vector):
        weight = vector[0] if self.n_terms else 0.0
        bias = vector[self.n_terms : self.n_terms + self.n_classes]
        scaled = vector[self.n_terms + self.n_classes :]
        return weight, bias, scaled.reshape(-1, self.n_classes)

    def _effects(self, vector):
        """Return what a change of the parameters adds to the scores."""
        weight, bias, scaled = self._split(vector)
        effects = self.X @ scaled
        effects += bias
        if self.n_terms:
            effects += weight * self.joint
        return effects

    def _by_parameter(self, by_score):
        """Return the derivatives by the parameters from those by the scores."""
        by_score *= self.weight[:, None]
        of_weight = np.sum(by_score * self.joint)[None][: self.n_terms]
        of_scaled = (self.X_transposed @ by_score).ravel()
        return np.concatenate([of_weight, by_score.sum(axis=0), of_scaled])


def _scaled(X, scale):
    """Return a matrix of scaled columns, without those of scale 0."""
    # By its cells, for a product and a selection would each copy X in float64.
    is_kept = scale > 0
    kept = is_kept[X.indices]
    starts = np.append(0, np.cumsum(kept))[X.indptr]
    columns = X.indices[kept]
    data = X.data[kept].astype(scale.dtype)
    data *= scale[columns]
    position = np.cumsum(is_kept, dtype=columns.dtype) - 1
    parts = data, position[columns], starts.astype(X.indptr.dtype)
    return sparse.csr_matrix(parts, shape=(X.shape[0], int(is_kept.sum())))


def _scales(documents, uses_frequency):
    """Return s of each word, 0 for a word that fewer than two documents hold."""
    # The offset of a word of one document would be learned from that document alone.
    # A document with equal shares of all words has a squared length of 1.
    X, n_words = documents.X, documents.X.shape[1]
    is_learned = np.bincount(X.indices[X.data != 0], minlength=n_words) >= 2
    if not uses_frequency:
        return is_learned.astype(np.float64)
    is_held = X.astype(bool)
    n_documents, n_holding = documents.weight.sum(), documents.weight @ is_held
    scale = np.log((1.0 + n_documents) / (1.0 + n_holding)) + 1.0
    squared_length = np.sum((X.data * scale[X.indices]) ** 2) / X.shape[0]
    return is_learned * scale / np.sqrt(squared_length or 1.0)

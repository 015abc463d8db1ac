"""The search for the offsets of words: the least penalised log loss of documents.

The parameters are those of `_offsets`: v, b and u / s. Scores are linear in them. So
the search along a direction takes one product of matrices, whatever steps it tries.
"""

from typing import NamedTuple

import numpy as np
from scipy import sparse

from ...leave_one_out import share_of_other_classes

# Up to this product of stored cells and classes the minimum is found to the last
# digits, and candidates are compared where the squared gradient is a small share of
# what it was without offsets. Above it, both are in float32 and stop at a larger share.
_MAX_CELLS_OF_EXACT = 2**21
_EXACT, _COMPARED, _ROUGH = 1e-17, 1e-3, 1e-2
_MAX_STEPS, _STEPS_PER_CURVATURE = 1000, 10
# v is at least this share of v⁰.
_MIN_SHARE = 0.01
# Offsets can undo most of what a change of v does to the scores: about this share of
# the curvature along v is left.
_SHARE_OF_WEIGHT = 0.1
# The search along a direction ends at this share of the first slope.
_MAX_TRIALS, _SLOPE_LEFT = 20, 0.1


class WordOffsets(NamedTuple):
    """What is added to the weighted score of naive Bayes."""

    weight: float  # v
    bias: np.ndarray  # b, (n_classes,)
    offsets: np.ndarray  # u, (n_words, n_classes)


class OffsetSearch:
    """The search for the parameters of some documents, under one penalty or several."""

    # Nonlinear conjugate gradients (Polak and Ribière), preconditioned by estimates of
    # the curvatures. On 20 newsgroups they take a quarter of the products of matrices
    # that Newton's method takes (DESIGN.md, section 5: TextNB within 10 s).

    def __init__(self, documents, uses_frequency, options):
        # documents: ScoredTexts; options: has weight0 and is_weight_free.
        size = documents.X.nnz * documents.joint.shape[1]
        self.is_large = size > _MAX_CELLS_OF_EXACT
        self.dtype = np.float32 if self.is_large else np.float64
        self.uses_frequency = uses_frequency
        self.scale = _scales(documents, uses_frequency)
        self.X = _scaled(documents.X, self.scale.astype(self.dtype))
        self.transposed = self.X.T  # of the same cells, and checked once
        self.joint = documents.joint.astype(self.dtype)
        self.classes = documents.classes
        self.weight = documents.weight.astype(self.dtype)
        self.n_classes = self.joint.shape[1]
        self.share = self.dtype(share_of_other_classes(documents.weight))
        self.is_weight_free = options.is_weight_free
        # The vector is (v, b, u / s), row by row, and at first that without offsets.
        self.n_others = 1 + self.n_classes
        n_offsets = self.X.shape[1] * self.n_classes
        self.vector = np.zeros(self.n_others + n_offsets, self.dtype)
        self.vector[0] = options.weight0
        self.first = self.vector[: self.n_others].copy()
        self.penalty = self.dtype(1.0)
        proba, loss = self._predict(self._effects(self.vector))
        gradient = self._gradient(proba)
        length = np.sum(gradient**2 / self._curvatures(proba), dtype=np.float64)
        # Where classes have no words in common, float32 leaves no loss.
        share = _ROUGH if self.is_large else _COMPARED
        self.rough_tolerance = share * length / loss if loss > 0 else 0.0

    def solve(self, penalty, is_last=False):
        """Find the best parameters; the search begins where the last one ended."""
        self.penalty = self.dtype(penalty)
        is_exact = is_last and not self.is_large
        tolerance = _EXACT if is_exact else self.rough_tolerance
        self._search(tolerance)
        least_weight = self.dtype(_MIN_SHARE) * self.first[0]
        if self.vector[0] < least_weight:
            # The loss is convex: it is least at the bound.
            self.vector[0], self.is_weight_free = least_weight, False
            self._search(tolerance)
            self.is_weight_free = True
        return self

    def scores(self, documents):
        """Return the scores of the classes for other documents, (n, n_classes)."""
        X = _scaled(documents.X, self.scale.astype(self.dtype))
        return self._effects(self.vector, X, documents.joint)

    def word_offsets(self):
        """Return the parameters as :class:`WordOffsets`."""
        weight, bias, scaled = self._split(self.vector.astype(np.float64))
        offsets = np.zeros((len(self.scale), self.n_classes))
        offsets[self.scale > 0] = scaled * self.scale[self.scale > 0][:, None]
        return WordOffsets(float(weight[0]), bias, offsets)

    def _search(self, tolerance):
        """Move the vector near the least loss."""
        # It ends when the squared length of the gradient, in the norm of the estimated
        # curvatures, is at most this share of the loss.
        scores = self._effects(self.vector)
        proba, loss = self._predict(scores)
        direction, before, length_before = None, None, 1.0
        for n_steps in range(_MAX_STEPS):
            gradient = self._gradient(proba)
            if n_steps % _STEPS_PER_CURVATURE == 0:
                curvature = self._curvatures(proba)
            scaled = gradient / curvature
            length = float(gradient @ scaled)
            if length <= tolerance * (loss + self._penalties()):
                return
            if direction is None:
                direction = -scaled
            else:
                before -= gradient
                direction *= max(-float(before @ scaled) / length_before, 0.0)
                direction -= scaled
                if float(direction @ gradient) >= 0:
                    direction = -scaled
            before, length_before = gradient, length
            found = self._search_along(direction, scores, proba)
            if found is None:  # rounding hides what is left
                return
            step, scores, proba, loss = found
            self.vector += self.dtype(step) * direction

    def _search_along(self, direction, scores, proba):
        """Return (step, scores, proba, loss) where a direction is about level."""
        # Newton's method from 0, between bounds, since the loss is convex.
        effects = self._effects(direction)
        of_truth = self._of_truth(effects)
        pull = self._penalized(direction)
        pull_growth = float(direction @ pull)
        pull_slope = float(self.vector @ pull - self.first @ pull[: self.n_others])

        def derivatives(step, proba):
            mean = np.einsum("ic,ic->i", proba, effects)
            square = np.einsum("ic,ic,ic->i", proba, effects, effects)
            slope = np.sum(self.weight * (mean - of_truth), dtype=np.float64)
            growth = np.sum(self.weight * (square - mean**2), dtype=np.float64)
            return slope + pull_slope + step * pull_growth, growth + pull_growth

        low, high, step = 0.0, np.inf, 0.0
        slope, growth = derivatives(step, proba)
        enough = _SLOPE_LEFT * abs(slope)
        if slope >= 0:
            return None
        for _ in range(_MAX_TRIALS):
            low, high = (step, high) if slope < 0 else (low, step)
            step -= slope / growth
            if not low < step < high:
                step = (low + high) / 2
            moved = scores + self.dtype(step) * effects
            proba, loss = self._predict(moved)
            slope, growth = derivatives(step, proba)
            if abs(slope) <= enough:
                return step, moved, proba, loss
        return None

    def _predict(self, scores):
        """Return P(class | document) and the log loss of all documents."""
        proba = scores - scores.max(axis=1, keepdims=True)
        true_score = self._of_truth(proba)
        np.exp(proba, out=proba)
        total = np.einsum("ic->i", proba)
        losses = self.weight * (np.log(total) - true_score)
        proba /= total[:, None]
        return proba, losses.sum(dtype=np.float64)

    def _of_truth(self, values):
        """Return the values of the true classes, a share of them those of any class."""
        found = values[np.arange(len(values)), self.classes]
        return found + self.share * (values.mean(axis=1) - found)

    def _gradient(self, proba):
        """Return the gradient of the penalised loss at the vector."""
        errors = proba - self.share / self.dtype(self.n_classes)
        errors[np.arange(len(errors)), self.classes] -= 1 - self.share
        errors *= self.weight[:, None]
        gradient = self._penalized(self.vector)
        gradient[: self.n_others] -= self.first
        weight, bias, offsets = self._split(gradient)
        weight += np.sum(errors * self.joint)
        bias += errors.sum(axis=0)
        offsets += self.transposed @ errors
        if not self.is_weight_free:
            weight[...] = 0.0
        return gradient

    def _curvatures(self, proba):
        """Return an estimate of the diagonal of the Hessian."""
        variance = self.weight[:, None] * proba * (1.0 - proba)
        curvature = self._penalized(np.ones_like(self.vector))
        weight, bias, offsets = self._split(curvature)
        weight += _SHARE_OF_WEIGHT * np.sum(variance * self.joint**2)
        bias += variance.sum(axis=0)
        cells = self.X
        squares = cells.data**2, cells.indices, cells.indptr
        offsets += sparse.csr_matrix(squares, shape=cells.shape).T @ variance
        return curvature

    def _effects(self, vector, X=None, joint=None):
        """Return what parameters add to the scores of the classes, (n, n_classes)."""
        weight, bias, scaled = self._split(vector)
        effects = (self.X if X is None else X) @ scaled
        effects += bias
        effects += weight * (self.joint if joint is None else joint)
        return effects

    def _split(self, vector):
        """Return views of v, b and u / s."""
        scaled = vector[self.n_others :].reshape(-1, self.n_classes)
        return vector[:1], vector[1 : self.n_others], scaled

    def _penalized(self, vector):
        """Return a copy of a vector, its offsets times the penalty."""
        product = vector.copy()
        product[self.n_others :] *= self.penalty
        return product

    def _penalties(self):
        """Return what is added to the loss at the vector."""
        others = self.vector[: self.n_others] - self.first
        offsets = self.vector[self.n_others :]
        return 0.5 * float(others @ others + self.penalty * (offsets @ offsets))


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

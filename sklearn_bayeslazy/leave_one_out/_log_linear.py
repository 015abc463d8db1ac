r"""Weights and offsets that maximise the conditional likelihood of left-out rows.

.. math::
    \log P(c \mid x) = a_c(x) + b_c + \sum_f w_f\, t_f(x, c)
        + \sum_j u_{jc}(x_j) + const

The terms t and the fixed scores a of a training row come from statistics without that
row. So the likelihood is that of leave-one-out. It is concave in (w, b, u). Penalties
λ/2 Σ (w - w⁰)², λ/2 Σ b² and λ_u/2 Σ φ² (φ: see :class:`ValueOffsets`)
make the maximum unique. Source: Zaidi, Cerquides, Carman & Webb (2013), Alleviating
naive Bayes attribute independence assumption by attribute weighting, JMLR 14.

Rows whose classes all follow from one column would make its weight as large as the
penalty allows. So a small share of each row, :func:`share_of_other_classes`, counts as
of any class. Source: Platt (1999), Probabilistic outputs for support vector machines.
"""

from copy import copy
from dataclasses import dataclass, replace
from functools import partial

import numpy as np

from .._core._kernel import frozen, kernel
from .._core._parallel import jobs_for, map_tasks, slices_of
from ..tabular import row_keys
from ._folds import dealt_keys, fold_keys, folds
from ._projected_newton import minimize

# A class's term is cut at this distance from that of the best class: smaller ratios
# than e^-60 change no prediction.
MIN_TERM = -60.0
# The maximum number of terms in memory, 8 bytes each. It does not depend on the working
# memory, because the weights must not.
MAX_TERMS = 2**25
# Rows whose gradients are summed together. The sums of the blocks are added in order.
_ROWS_PER_BLOCK = 4096
# The optimum counts as found when the next step promises this share of the objective.
_TOLERANCE = 1e-17
# The rounding error of the log loss of a row.
_ROUNDING = 1e-15
# Two foldings are as good as three; with one the log loss of AODE on the 26 tables of
# the accuracy page is higher by half a percent.
_N_FOLDINGS = 2
# Candidates are compared by losses that are exact to about this share.
_FOLD_TOLERANCE = 1e-3
# A search ends at a loss that exceeds the least one by this share. Weak offsets are
# sometimes slightly worse than none, where strong ones are much better.
_MAX_RISE = 0.05


def center_terms(terms):
    """Return terms (..., n_classes) cut from below and centred over the classes.

    >>> center_terms(np.array([[-1.0, -3.0], [-np.inf, 0.0]]))
    array([[  1.,  -1.],
           [-30.,  30.]])
    """
    terms = cut_terms(terms)
    return terms - terms.mean(axis=-1, keepdims=True)


def cut_terms(terms, floor=MIN_TERM):
    """Return terms (..., n_classes) of at least that of the best class plus `floor`.

    >>> cut_terms(np.array([[-1.0, -3.0], [-np.inf, 7.0], [-np.inf, -np.inf]]))
    array([[ -1.,  -3.],
           [-53.,   7.],
           [  0.,   0.]])
    """
    # Terms that are -inf for all classes become 0, unless the floor is -inf.
    if floor == -np.inf:
        return terms
    largest = terms.max(axis=-1, keepdims=True)
    return np.where(np.isneginf(largest), 0.0, np.maximum(terms, largest + floor))


def share_of_other_classes(weight):
    """Return the share of rows that counts as of any possible class: one row in all.

    >>> share_of_other_classes(np.ones(49))
    0.02
    """
    # The m-estimate of the class of a row: among n rows that are predicted without an
    # error, one virtual row is of any class. weight: (n,).
    return 1.0 / (1.0 + float(weight.sum()))


@dataclass
class LogLinearRows:
    """Left-out rows: what the parameters of a log-linear model are fitted to."""

    terms: np.ndarray  # (n, n_classes, n_terms), centred
    fixed: np.ndarray  # (n, n_classes), scores that no parameter changes
    classes: np.ndarray  # (n,), the true classes
    weight: np.ndarray  # (n,), in the likelihood
    positions: np.ndarray  # (n, d), of the codes whose values have offsets; d may be 0
    # (n,) uint64; equal rows have equal keys, and few others; by default the
    # `fold_keys` of `positions`.
    key: np.ndarray | None = None

    def __post_init__(self):
        self.terms = frozen(self.terms, np.float64)
        self.fixed = frozen(self.fixed, np.float64)
        self.classes = frozen(self.classes, np.int32)
        self.weight = frozen(self.weight, np.float64)
        self.positions = frozen(self.positions, np.int32)
        if self.key is None:
            self.key = fold_keys(self.positions, self.classes)

    def arrays(self):
        """Return the arrays in the form that kernels take."""
        return self.terms, self.fixed, self.positions, self.classes, self.weight

    def take(self, rows):
        """Return some of the rows, given as indices or as a mask."""
        return replace(
            self, **{name: array[rows] for name, array in vars(self).items()}
        )

    def scores(self, model):
        """Return the scores (n, n_classes) under a :class:`LogLinearModel`."""
        return model.scores(self.terms, self.positions, self.fixed)

    def log_losses(self, model):
        """Return -log P(true class) of each row under a :class:`LogLinearModel`."""
        # One row per class: sums over classes then run over long rows.
        score = np.ascontiguousarray(self.scores(model).T)
        score -= score.max(axis=0)
        true_score = score[self.classes, np.arange(score.shape[1])]
        return np.log(np.exp(score).sum(axis=0)) - true_score


@dataclass(frozen=True)
class LogLinearModel:
    """Fitted parameters."""

    weights: np.ndarray  # w ≥ 0, (n_terms,)
    class_offset: np.ndarray  # b, (n_classes,)
    # φ, the parameters of the value offsets, (n_positions, n_classes).
    parameters: np.ndarray
    value_offset: np.ndarray  # u by position, (n_positions, n_classes)

    def scores(self, terms, positions, fixed=0.0):
        """Return the scores (n, n_classes) of rows; all as in `LogLinearRows`."""
        score = fixed + self.class_offset + terms @ self.weights
        if len(self.value_offset):
            for column in positions.T:
                score += self.value_offset[column]
        return score


class _Objective:
    """The penalised log loss of some rows as a function of a parameter vector."""

    # The vector is (w, b, φ), φ row by row; weights0: (n_terms,), w⁰.

    # share: of each row, that counts as of any class.
    def __init__(self, rows, offsets, weights0, penalty, value_penalty, share, n_jobs):
        self.rows, self.share = rows, share
        self.offsets = offsets
        self.n_terms, self.n_classes = len(weights0), rows.fixed.shape[1]
        n_free = offsets.n_positions * self.n_classes
        sizes = [self.n_terms, self.n_classes, n_free]
        self.center = np.concatenate([weights0, np.zeros(self.n_classes + n_free)])
        self.penalty = np.repeat([penalty, penalty, value_penalty], sizes)
        n_rows = len(rows.classes)
        self.blocks = slices_of(range(n_rows), _ROWS_PER_BLOCK)
        self.n_jobs = jobs_for(rows.terms.size, n_jobs)
        self.proba = np.empty((n_rows, self.n_classes))
        self.term_squares = np.einsum(
            "i,icf,icf->cf", rows.weight, rows.terms, rows.terms, optimize=False
        )

    def split(self, vector):
        """Return weights, class offsets and the parameters of the value offsets."""
        n_linear = self.n_terms + self.n_classes
        free = vector[n_linear:].reshape(-1, self.n_classes)
        return vector[: self.n_terms], vector[self.n_terms : n_linear], free

    def _sum_over_rows(self, vector, is_gradient):
        """Return the log losses of the blocks of rows, and the sum of derivatives."""
        weights, class_offset, free = self.split(vector)
        value_offset = self.offsets.values(free)
        parameters = tuple(
            frozen(part, np.float64) for part in (weights, class_offset, value_offset)
        )
        rows = self.rows.arrays()

        def sum_block(block):
            sums = (
                np.zeros(self.n_terms),
                np.zeros(self.n_classes),
                np.zeros(value_offset.shape),
            )
            score = np.empty(self.n_classes)
            work = self.proba, sums, score
            limits = block.start, block.stop
            loss = add_derivatives(
                rows, self.share, parameters, is_gradient, *limits, *work
            )
            return loss, sums

        results = map_tasks(sum_block, self.blocks, n_jobs=self.n_jobs)
        by_term, by_class, by_value = (
            np.sum(parts, axis=0) for parts in zip(*(sums for _, sums in results))
        )
        by_parameter = self.offsets.gradient(by_value)
        summed = np.concatenate([by_term, by_class, by_parameter.ravel()])
        return [value for value, _ in results], summed

    def gradient(self, vector):
        """Return the penalised log loss and its gradient; store P(class | row)."""
        losses, gradient = self._sum_over_rows(vector, is_gradient=True)
        deviation = vector - self.center
        value = np.sum(losses) + 0.5 * np.sum(self.penalty * deviation**2)
        return value, gradient + self.penalty * deviation

    def hessian_product(self, direction):
        """Return the Hessian at the last vector of :meth:`gradient` times a vector."""
        _, product = self._sum_over_rows(direction, is_gradient=False)
        return product + self.penalty * direction

    def curvature(self):
        """Return an estimate of the Hessian's diagonal at the last vector."""
        # Σ weight p (1 - p) (effect on the score)², as if p (1 - p) of a class and the
        # effects were independent.
        weight = self.rows.weight
        variance = weight @ (self.proba * (1 - self.proba)) / weight.sum()
        by_parameter = np.outer(self.offsets.curvature, variance).ravel()
        squares = variance @ self.term_squares, weight.sum() * variance, by_parameter
        return np.concatenate(squares) + self.penalty


def fit_log_linear(
    rows,
    offsets,
    weights0,
    *,
    penalty=1.0,
    value_penalty=1.0,
    start=None,
    tolerance=_TOLERANCE,
    n_jobs=None,
):
    """Return the :class:`LogLinearModel` that minimises the penalised log loss."""
    # weights0: w⁰ ≥ 0, (n_terms,); penalty: λ of weights and class offsets;
    # value_penalty: λ_u of value offsets. If offsets or λ_u are None there are no value
    # offsets. start: a LogLinearModel, which may lack value
    # offsets; by default the search begins at w⁰ without offsets. tolerance: as in
    # `minimize`. The result does not depend on n_jobs.

    if offsets is None or value_penalty is None:
        rows = replace(rows, positions=rows.positions[:, :0])
        offsets, value_penalty = ValueOffsets.none(), 1.0
    # Dividing by a power of two changes no digit of the minimum, and no product of huge
    # weights overflows.
    unit = 2.0 ** max(np.frexp(rows.weight.sum())[1], 0)
    objective = _Objective(
        replace(rows, weight=rows.weight / unit),
        offsets.with_weights_divided_by(unit),
        weights0,
        penalty / unit,
        value_penalty / unit,
        share_of_other_classes(rows.weight),
        n_jobs,
    )
    vector = objective.center.copy()
    if start is not None:
        parts = start.weights, start.class_offset, start.parameters.ravel()
        given = np.concatenate(parts)
        vector[: len(given)] = given
    rounding = _ROUNDING * objective.rows.weight.sum()
    vector = minimize(objective, vector, tolerance, rounding)
    weights, class_offset, free = objective.split(vector)
    return LogLinearModel(weights, class_offset, free, offsets.values(free))


# Offsets of scores by column value and class.
#
# Naive Bayes and AODE estimate the effect of each column separately. An offset u_jc(v)
# corrects log P(c | row) where column j has the value v. The offset of a category is a
# parameter. Offsets of neighbouring bins of numbers differ by a step, and the steps are
# the parameters: their penalty keeps the offsets smooth.


class ValueOffsets:
    """The codes of columns as positions, and the parameters of their offsets."""

    # The parameters φ of a column are its steps in a basis in which they hardly
    # interact: the eigenvectors of their Gram matrix over the rows. A rotation does not
    # change Σ θ², θ being the steps.
    #
    # sizes: (d,), the number of codes of each column; is_ordered: (d,), whether the
    # codes are ordered bins; positions: (n, d), the codes of the rows plus the start of
    # their column. Missing and unknown cells have the position after the last code,
    # whose offset is 0. n_positions: the number of codes of all columns and one; 0 if
    # there are no columns. curvature: (n_positions,), Σ weight (effect of each
    # parameter on a row's score)².

    def __init__(self, sizes, is_ordered, positions, weight):
        start = np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)
        sizes, is_ordered = np.diff(start), np.asarray(is_ordered, dtype=bool)
        self.n_positions = int(start[-1]) + 1 if len(sizes) else 0
        self.curvature = np.zeros(self.n_positions)
        by_row = np.broadcast_to(weight[:, None], positions.shape)
        counts = np.bincount(positions.ravel(), by_row.ravel(), self.n_positions)
        # Columns of one kind and number of codes are computed together.
        self._groups = []
        for size, ordered in sorted(set(zip(sizes, is_ordered))):
            alike = start[:-1][(sizes == size) & (is_ordered == ordered)]
            codes = alike[:, None] + np.arange(size)
            effects = step_effects(size) if ordered else np.eye(size)
            gram = effects.T * counts[codes][:, None] @ effects
            curvature, basis = np.linalg.eigh(gram)
            self._groups.append((codes, effects @ basis))
            self.curvature[codes] = np.maximum(curvature, 0.0)

    @classmethod
    def none(cls):
        """Return offsets of no columns."""
        return cls([], [], np.empty((0, 0), dtype=np.int64), np.empty(0))

    def with_weights_divided_by(self, unit):
        """Return the same offsets for rows whose weights are divided by a number."""
        divided = copy(self)
        divided.curvature = self.curvature / unit
        return divided

    def values(self, parameters):
        """Return the offsets by position; both arrays are (n_positions, n_classes)."""
        values = np.zeros_like(parameters)
        for codes, effects in self._groups:
            values[codes] = effects @ parameters[codes]
        return values

    def gradient(self, by_value):
        """Return the gradient by parameter from that by offset."""
        gradient = np.zeros_like(by_value)
        for codes, effects in self._groups:
            gradient[codes] = effects.swapaxes(1, 2) @ by_value[codes]
        return gradient


def step_effects(n_bins):
    """Return the effect of each step (columns) on the offset of each bin (rows).

    >>> step_effects(3)
    array([[ 0. , -0.5, -0.5],
           [ 0. ,  0.5, -0.5],
           [ 0. ,  0.5,  0.5]])
    """
    # Step k lies between bins k - 1 and k. It raises the offsets above it by 1/2 and
    # lowers those below it. There is no step before the first bin.
    effects = np.where(np.arange(n_bins)[:, None] >= np.arange(n_bins), 0.5, -0.5)
    effects[:, 0] = 0.0
    return effects


# The penalties, by cross-validation over left-out rows.


def choose_penalties(
    rows, offsets, weights0, penalties, value_penalties, *, n_jobs=None
):
    """Return the best λ, the best λ_u (None for no value offsets), and the losses."""
    # λ is chosen first, without value offsets; then λ_u. Candidates are scored in the
    # given order until the log loss rises by 5 %: give the strongest first.
    # rows.positions are those of `offsets`; weights0: (n_terms,). losses: the mean log
    # loss by (λ, λ_u), for each pair that was scored.
    # Each fold's model starts from that of the candidate before.
    # Tiny weights may underflow: a model needs others.
    key = rows.key
    if offsets.n_positions:  # an offset is judged by rows that have the value
        cells = key + row_keys(rows.positions)
        key = dealt_keys(key, cells, rows.classes, rows.weight)
    parts = [part for part in folds(key, _N_FOLDINGS) if rows.weight[~part].any()]
    models, total_weight, losses = [None] * len(parts), rows.weight.sum(), {}
    if not parts:  # there is one row, or all are equal
        return penalties[0], None, losses

    def fold_loss(penalty, value_penalty, k):
        part = parts[k]
        # The folds share the threads.
        models[k] = fit_log_linear(
            replace(rows, weight=np.where(part, 0.0, rows.weight)),
            offsets,
            weights0,
            penalty=penalty,
            value_penalty=value_penalty,
            start=models[k],
            tolerance=_FOLD_TOLERANCE,
            n_jobs=1,
        )
        held_out = rows.take(part)
        share = held_out.weight / total_weight  # so that no product overflows
        return np.sum(share * held_out.log_losses(models[k]))

    def search(pairs):
        for pair in pairs:
            of_fold, every_fold = partial(fold_loss, *pair), range(len(parts))
            losses[pair] = sum(map_tasks(of_fold, every_fold, n_jobs=n_jobs))
            if losses[pair] > (1 + _MAX_RISE) * min(losses.values()):
                break
        return min(losses, key=losses.get)

    penalty, _ = search([(penalty, None) for penalty in penalties])
    if not offsets.n_positions:
        return penalty, None, losses
    losses = {(penalty, None): losses[penalty, None], **losses}
    penalty, value_penalty = search([(penalty, value) for value in value_penalties])
    return penalty, value_penalty, losses


# The loop over rows of a log-linear model: log loss, gradient, Hessian products.
#
# The score of a class is a fixed number, its class offset, Σ_f weight_f term_f, and the
# value offset of each code.


@kernel(reorder_sums=True, fuse_products=True)
def add_derivatives(
    rows, share, parameters, is_gradient, first, last, proba, sums, score
):
    """Add the gradient of the log loss, or a Hessian product; return the loss."""
    # One kernel does both, because two would take twice as long to compile.
    # terms: (n, C, F); fixed: (n, C); positions: (n, d), rows of value_offset; classes,
    # weight: (n,). share: of each row, that counts as of any class. parameters, and
    # sums with the same shapes: (F,), (C,), (S, C); for a product the parameters are
    # the direction. first, last: the rows of the block. proba: (n, C), P(class | row),
    # written with the gradient and read for a product. score: (C,), overwritten.
    terms, fixed, positions, classes, weight = rows
    weights, class_offset, value_offset = parameters
    by_term, by_class, by_value = sums
    n_classes = score.shape[0]
    loss = 0.0
    for i in range(first, last):
        if weight[i] == 0:
            for c in range(n_classes):
                proba[i, c] = 0.0
            continue
        for c in range(n_classes):
            score[c] = fixed[i, c] if is_gradient else 0.0
        for c in range(n_classes):
            total = 0.0
            for f in range(weights.shape[0]):
                total += weights[f] * terms[i, c, f]
            score[c] += class_offset[c] + total
        for j in range(positions.shape[1]):
            position = np.uint64(positions[i, j])
            for c in range(n_classes):
                score[c] += value_offset[position, c]
        # From here on `score` is the derivative of the loss with respect to the scores.
        if is_gradient:
            largest = score[0]
            for c in range(1, n_classes):
                largest = score[c] if score[c] > largest else largest
            total, all_scores, n_possible = 0.0, 0.0, 0
            true_score = score[classes[i]] - largest
            for c in range(n_classes):
                if fixed[i, c] > -np.inf:  # a class of other rows, too
                    all_scores += score[c] - largest
                    n_possible += 1
                score[c] = np.exp(score[c] - largest)
                total += score[c]
            true_score = (1.0 - share) * true_score + share * all_scores / n_possible
            loss += weight[i] * (np.log(total) - true_score)
            for c in range(n_classes):
                proba[i, c] = score[c] / total
                score[c] = weight[i] * proba[i, c]
                if fixed[i, c] > -np.inf:
                    score[c] -= weight[i] * share / n_possible
            score[classes[i]] -= weight[i] * (1.0 - share)
        else:
            mean = 0.0
            for c in range(n_classes):
                mean += proba[i, c] * score[c]
            for c in range(n_classes):
                score[c] = weight[i] * proba[i, c] * (score[c] - mean)
        for c in range(n_classes):
            by_class[c] += score[c]
            for f in range(by_term.shape[0]):
                by_term[f] += score[c] * terms[i, c, f]
        for j in range(positions.shape[1]):
            position = np.uint64(positions[i, j])
            for c in range(n_classes):
                by_value[position, c] += score[c]
    return loss

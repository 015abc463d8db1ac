"""The choice of m and prior, and the calibration, by exact leave-one-out.

The class of each row is predicted by the tables that all other rows give. The graph and
the bins stay. Tables are counts, so nothing is counted again: the weight of the row is
subtracted from the counts that contain it, those of the prior included. All candidates
are scored in one pass over the rows.

A row with a missing value is scored exactly if the network consists of trees given the
class. In other graphs it is scored by the families that it observes.
"""

import math
from numbers import Real
from typing import NamedTuple

import numpy as np

from .._core._kernel import frozen, inlined, kernel
from .._core._parallel import map_chunks, map_tasks, row_chunks
from ..leave_one_out import (
    CLASSIFICATION_SCORING,
    candidate_grid,
    classification_losses,
    in_rows,
    is_loo,
    rank_candidates,
)
from ..tabular import log_prior_without, row_weight
from ._calibration import Calibration, fit_calibration, fit_exponent
from ._graph import topological_order
from ._network import cell_strides, index_arrays, starts_of
from ._tables import PRIORS, Smoothing, class_axes, sum_by_class

# A 1-2-5 series from .1 to 5000.
M_CANDIDATES = [float(f"{c}e{e}") for e in range(-1, 4) for c in (1, 2, 5)]
_ALLOWED = {
    "m": (
        lambda m: isinstance(m, Real) and 0 <= m < np.inf,
        "numbers ≥ 0",
    ),
    "prior": (lambda prior: prior in PRIORS, f"names among {list(PRIORS)}"),
}


class Choice(NamedTuple):
    """The parameters that leave-one-out has chosen."""

    smoothing: Smoothing
    calibration: Calibration
    results: dict | None  # the candidates' scores; None if m and prior were given


def tuned_parameters(options):
    """Return the names of the parameters that are to be chosen by leave-one-out."""
    names = ("m", "prior", "calibration")
    return [name for name in names if is_loo(getattr(options, name))]


def tuned_candidates(all_weight, options):
    """Return the candidates of what is chosen, one without any if nothing is."""
    # all_weight: (n,), of all rows; options: with `m`, `prior` and the parameters of
    # leave-one-out.
    tuned = tuned_parameters(options)
    defaults = {"m": in_rows(M_CANDIDATES, all_weight), "prior": list(PRIORS)}
    return candidate_grid(
        {name: values for name, values in defaults.items() if name in tuned},
        options.loo_candidates,
        _ALLOWED,
    )


def choose_by_leave_one_out(parts, all_weight, options):
    """Return the best m and prior, and the calibration."""
    # Each candidate is scored with its best exponent, unless `options.calibration` is
    # None.
    # parts: LeftOutTables; all_weight, options: as in `tuned_candidates`.
    left_out, tuned = LeftOutRows(parts, options.n_jobs), tuned_parameters(options)
    candidates = tuned_candidates(all_weight, options)
    # An m that is given is a weight, and so are the examples that go with it.
    of_row = row_weight(all_weight) if "m" in tuned else 1.0
    settings = [
        Smoothing(
            float(candidate.get("m", options.m)),
            candidate.get("prior", options.prior),
            of_row,
        )
        for candidate in candidates
    ]
    best, results = 0, None
    if len(candidates[0]):  # otherwise there is one, the given m and prior
        scores, exponents = left_out.scores(settings, "calibration" in tuned)
        scoring = CLASSIFICATION_SCORING[options.loo_scoring]
        best, results = rank_candidates(candidates, scores, left_out.weight, scoring)
        results["exponent"] = exponents
    calibration = Calibration.none(left_out.n_classes)
    if "calibration" in tuned:
        joint = left_out.joint([settings[best]])[0]
        calibration = fit_calibration(joint, left_out.classes, left_out.share)
    return Choice(settings[best], calibration, results)


class LeftOutRows:
    """The left-out rows of one or several graphs, each with rows of its own."""

    # parts: LeftOutTables; n_jobs: threads.

    def __init__(self, parts, n_jobs=None):
        self.parts, self.n_jobs = parts, n_jobs
        self.n_classes = len(parts[0].class_count)
        self.classes, self.weight, self.share = (
            np.concatenate([getattr(part, name) for part in parts])
            for name in ("classes", "weight", "share")
        )

    def scores(self, candidates, calibrate):
        """Return the scores of candidates of m and prior, and their exponents."""
        # candidates: a list of Smoothing; calibrate: whether each gets its best
        # exponent; otherwise it is 1.
        # Returns {"log_loss", "accuracy": (n_candidates, n_rows)}, and (n_candidates,).
        shape = len(candidates), len(self.weight)
        log_loss, correct = np.empty(shape), np.empty(shape)
        exponents = np.ones(len(candidates))
        log_prior = self.log_prior()

        def score(task):
            a, joint = task
            if calibrate:
                exponents[a] = fit_exponent(joint, self.classes, self.share)
            log_loss[a], correct[a] = classification_losses(
                exponents[a] * joint, self.classes, log_prior
            )

        bytes_per_candidate = 24 * len(self.weight) * self.n_classes
        for part in row_chunks(len(candidates), bytes_per_candidate, min_rows=1):
            joint = self.joint(candidates[part])
            tasks = list(enumerate(joint, start=part.start))
            map_tasks(score, tasks, n_jobs=self.n_jobs)
        return {"log_loss": log_loss, "accuracy": correct}, exponents

    def joint(self, candidates):
        """Return joint log probabilities, (n_candidates, n_rows, n_classes)."""
        # Up to a constant for each row.
        return np.concatenate([part.joint(candidates) for part in self.parts], axis=1)

    def log_prior(self):
        """Return log P(class) without each row, (n_rows, n_classes)."""
        return np.concatenate([part.log_prior() for part in self.parts])


class LeftOutTables:
    """Scores the classes of rows that are left out one by one."""

    # rows: without missing classes; counts: of these rows; target: the node of the
    # class; left_out: the indices of the rows that are left out.

    def __init__(self, rows, counts, parents, target, left_out, n_jobs=None):
        self.codes, self.weight = rows.codes[:, left_out], rows.weight[left_out]
        self.share = self.weight / row_weight(rows.weight)  # in the likelihood
        self.has_missing, self.n_jobs = rows.has_missing, n_jobs
        self.classes = self.codes[target]
        self.class_count = counts.marginals[target]
        self.shapes = [table.shape for table in counts.families]
        self.class_axes = class_axes(parents, target)
        self.families = _families(counts, parents, rows.sizes, target)
        n_others = [len(set(node_parents) - {target}) for node_parents in parents]
        self.is_tree = max(n_others) <= 1
        self.order = frozen(topological_order(parents)[::-1], np.int64)
        is_parent = np.isin(range(len(parents)), self.families.others)
        self.sizes_of_parents = np.where(is_parent, rows.sizes, 0)

    def log_prior(self):
        """Return log P(class) without each row, (n_rows, n_classes)."""
        of_rows = self.classes, self.weight
        return log_prior_without(self.class_count, *of_rows, True, None)

    def joint(self, candidates):
        """Return joint log probabilities, up to a constant for each row."""
        # candidates: a list of Smoothing. Returns (n_candidates, n_rows, n_classes).
        virtual = [
            list(map(smoothing.level_weights, self.shapes, self.class_axes))
            for smoothing in candidates
        ]
        virtual = frozen(np.moveaxis(np.array(virtual), 0, -1), np.float64)
        out = np.empty((len(candidates), len(self.weight), len(self.class_count)))

        def score(rows):
            part = np.empty((len(out), rows.stop - rows.start, out.shape[2]))
            codes = frozen(self.codes[:, rows].T, np.int32)
            removed = frozen(self.weight[rows], np.float64)
            score_observed_families(codes, removed, self.families, virtual, part)
            if self.is_tree and self.has_missing:
                n_messages = 1 + int(((codes < 0) @ self.sizes_of_parents).max())
                messages = np.ones((n_messages, len(candidates)))
                add_missing_in_trees(
                    codes, removed, self.families, self.order, virtual, messages, part
                )
            out[:, rows] = part

        bytes_per_row = 8 * len(out) * out.shape[2] + 4 * len(self.codes)
        # A family with a missing value takes at most a step for each cell of its table.
        n_steps = len(self.codes) * out.shape[2]
        n_steps += np.mean(self.codes < 0) * sum(map(math.prod, self.shapes))
        map_chunks(
            score,
            len(self.weight),
            bytes_per_row,
            n_jobs=self.n_jobs,
            steps_per_row=len(out) * n_steps,
        )
        return out


def _families(counts, parents, sizes, target):
    """Return the counts of all families as arrays of the kernels."""
    others, strides, tables = [], [], []
    class_strides = np.zeros((len(sizes), 3), dtype=np.int64)
    other_strides = np.zeros((len(sizes), 3), dtype=np.int64)
    other_strides[:, 2] = 1
    for node, axis in enumerate(class_axes(parents, target)):
        table, by_class = counts.families[node], np.empty((0, sizes[node]))
        if axis is not None:
            by_class = sum_by_class(table, axis).reshape(-1, sizes[node])
            table = np.moveaxis(table, axis, 0)
            class_strides[node, 1:] = 1, table[0].size // sizes[node]
        others.append([other for other in parents[node] if other != target])
        strides.append(cell_strides(table.shape[-len(others[-1]) - 1 : -1]))
        table = table.reshape(-1, sizes[node])
        tables += [counts.marginals[node][None], by_class, table]
    totals = [table.sum(axis=1) for table in tables]
    tables = [table.ravel() for table in tables]
    with_class = [v for v in range(len(sizes)) if target in (v, *parents[v])]
    starts = [starts_of(some)[:-1].reshape(-1, 3) for some in (tables, totals)]
    parents_of_nodes = (
        np.concatenate(others),
        np.concatenate(strides),
        starts_of(others),
    )
    numbers = [frozen(np.concatenate(some), np.float64) for some in (tables, totals)]
    return Families(
        target,
        *index_arrays(sizes, *parents_of_nodes, with_class),
        *index_arrays(*starts, class_strides, other_strides),
        *numbers,
    )


# Numba kernels that score the classes of a row by tables estimated without the row.


# A smaller share of a sum of weights is rounding error of a subtraction.
ROUNDING = 1e-12
# Products are rescaled after this number of probabilities, so that they stay above 0.
FAMILIES_PER_SCALING = 4


class Families(NamedTuple):
    """The counts of the families of all nodes, at up to three levels."""

    # The levels are those of `Smoothing`: the counts of the node, of the node and the
    # class, and of the whole family. At level l, the distribution of node v given
    # class c and combination o of the values of the other parents has the number
    # d = class_strides[v, l] c + other_strides[v, l] o.
    # Its counts are ``counts[starts[v, l] + d sizes[v] + k]`` for the values k of the
    # node, and their sum is ``totals[total_starts[v, l] + d]``.

    target: int  # the node of the class
    sizes: np.ndarray  # (n_nodes,), the number of values of each node
    # The parents of node v without the class are ``others[ends[v] : ends[v + 1]]``, and
    # o = Σ codes strides.
    others: np.ndarray
    strides: np.ndarray
    ends: np.ndarray
    with_class: np.ndarray  # the nodes whose family contains the class
    # (n_nodes, 3) each.
    starts: np.ndarray
    total_starts: np.ndarray
    class_strides: np.ndarray
    other_strides: np.ndarray
    counts: np.ndarray
    totals: np.ndarray


@inlined
def _without_row(count, total, in_cell, in_total):
    """Return a count and its total without a row; rounding errors become 0."""
    left = total - in_total
    if left <= ROUNDING * total:
        return 0.0, 0.0
    seen = count - in_cell
    return (seen if seen > ROUNDING * count else 0.0), left


@inlined
def _m_estimate(seen, left, m, p):
    """Return the m-estimate; m < 0 means a level that is not used."""
    return (seen + m * p) / (left + m) if m >= 0 and left + m > 0 else p


@inlined
def _combination(codes, families, v):
    """Return the combination of the other parents' values, -1 if one is missing."""
    o = 0
    for j in range(families.ends[v], families.ends[v + 1]):
        code = codes[families.others[j]]
        if code < 0:
            return -1
        o += code * families.strides[j]
    return o


@kernel
def score_observed_families(codes, removed, families, virtual, out):
    """Score the classes of rows by the families with the class, without the row."""
    # A family with a missing value, apart from the class, is skipped for that row.
    # codes: (n_rows, n_nodes), with the classes of the rows; removed: (n_rows,), the
    # weight that is removed for each row; virtual: (n_nodes, 3, n_candidates), the
    # virtual examples of each candidate at each level.
    # out: (n_candidates, n_rows, n_classes), receives the joint log probabilities, up
    # to a constant for each row and candidate.
    n_candidates, n_classes = out.shape[0], out.shape[2]
    product = np.empty((n_classes, n_candidates))
    seen, left = np.empty(3), np.empty(3)
    for i in range(len(codes)):
        y = codes[i, families.target]
        product[:] = 1.0
        for f in range(len(families.with_class)):
            v = families.with_class[f]
            size, x = families.sizes[v], codes[i, v]
            o = _combination(codes[i], families, v)
            if o < 0 or x < 0:
                continue
            for c in range(n_classes):
                k = x if v != families.target else c
                for level in range(3):
                    d = families.class_strides[v, level] * c
                    is_same = d == families.class_strides[v, level] * y
                    d += families.other_strides[v, level] * o
                    seen[level], left[level] = _without_row(
                        families.counts[families.starts[v, level] + d * size + k],
                        families.totals[families.total_starts[v, level] + d],
                        removed[i] if is_same and k == x else 0.0,
                        removed[i] if is_same else 0.0,
                    )
                for a in range(n_candidates):
                    p = 1.0 / size
                    for level in range(3):
                        m = virtual[v, level, a]
                        p = _m_estimate(seen[level], left[level], m, p)
                    product[c, a] *= p
            if f % FAMILIES_PER_SCALING == FAMILIES_PER_SCALING - 1:
                _scale(product)
        for a in range(n_candidates):
            for c in range(n_classes):
                out[a, i, c] = np.log(product[c, a])


@inlined
def _scale(product):
    """Divide each column by its largest entry, unless that is 0."""
    for a in range(product.shape[1]):
        largest = 0.0
        for c in range(product.shape[0]):
            largest = max(largest, product[c, a])
        if largest > 0:
            for c in range(product.shape[0]):
                product[c, a] /= largest


@kernel
def add_missing_in_trees(codes, removed, families, order, virtual, messages, out):
    """Add the terms with missing values, if the nodes are trees given the class."""
    # `score_observed_families` leaves these terms out. Missing values are summed over
    # by messages from children to parents, as in `score_trees`: the probabilities of
    # what is observed below, for each value of the parent.
    # codes, removed, families, virtual, out: as in `score_observed_families`. order:
    # nodes, children before parents. messages: (1 + n_values, n_candidates), all 1,
    # with room for those to all missing nodes of a row.
    n_candidates, sizes = out.shape[0], families.sizes
    first = np.empty(len(sizes), np.int64)  # of the messages to each node, 0 for none
    n_factors = np.empty(len(sizes), np.int64)  # in them, since they were scaled
    estimate, prior = np.empty(n_candidates), np.empty(n_candidates)
    for i in range(len(codes)):
        for c in range(out.shape[2]):
            first[:], n_factors[:], n_messages = 0, 0, 1
            for v in order:
                x = codes[i, v] if v != families.target else c
                if x < 0 and first[v] == 0:
                    continue  # nothing is observed here or below: the sum is 1
                row_o = _combination(codes[i], families, v)
                if x >= 0 and row_o >= 0:
                    continue  # nothing is missing
                # An observed value is the only one, and nothing more is known below it.
                low, high, below = x, x + 1, -x
                if x < 0:
                    low, high, below = 0, sizes[v], first[v]
                prior[:] = 0.0
                for k in range(low, high):
                    _estimate_prior(
                        families, codes[i], removed[i], virtual, v, c, k, estimate
                    )
                    for a in range(n_candidates):
                        prior[a] += messages[below + k, a] * estimate[a]
                u, low_o, high_o = v, row_o, row_o + 1
                if row_o < 0:
                    u = families.others[families.ends[v]]
                    low_o, high_o = 0, sizes[u]
                    if first[u] == 0:
                        first[u] = n_messages
                        n_messages += sizes[u]
                        messages[first[u] : n_messages] = 1.0
                for o in range(low_o, high_o):
                    # The row is not in these counts, since it lacks a value. They are
                    # summed over the values of the node: an m-estimate is linear in its
                    # count and its prior.
                    d = families.class_strides[v, 2] * c
                    d += families.other_strides[v, 2] * o
                    estimate[:] = 0.0
                    for k in range(low, high):
                        count = families.counts[
                            families.starts[v, 2] + d * sizes[v] + k
                        ]
                        if count > 0:
                            for a in range(n_candidates):
                                estimate[a] += messages[below + k, a] * count
                    total = families.totals[families.total_starts[v, 2] + d]
                    for a in range(n_candidates):
                        m = virtual[v, 2, a]
                        sent = _m_estimate(estimate[a], total, m, prior[a])
                        if row_o < 0:
                            messages[first[u] + o, a] *= sent
                        else:
                            out[a, i, c] += np.log(sent)
                n_factors[u] += 1 + n_factors[v]
                if row_o < 0 and n_factors[u] >= FAMILIES_PER_SCALING:
                    n_factors[u] = 0
                    for a in range(n_candidates):
                        largest = 0.0
                        for o in range(first[u], first[u] + sizes[u]):
                            largest = max(largest, messages[o, a])
                        if largest > 0:
                            out[a, i, c] += np.log(largest)
                            for o in range(first[u], first[u] + sizes[u]):
                                messages[o, a] /= largest


@inlined
def _estimate_prior(families, codes, removed, virtual, v, c, k, out):
    """Estimate P(node v = k | class c) without a row that lacks another value."""
    # It is the prior of the estimates given all parents. The row is in the counts of v
    # if it has a value of v, and in no others.
    # virtual: (n_nodes, 3, n_candidates). out: (n_candidates,).
    is_counted = codes[v] >= 0
    out[:] = 1.0 / families.sizes[v]
    for level in range(2):
        d = families.class_strides[v, level] * c
        seen, left = _without_row(
            families.counts[families.starts[v, level] + d * families.sizes[v] + k],
            families.totals[families.total_starts[v, level] + d],
            removed if level == 0 and is_counted and k == codes[v] else 0.0,
            removed if level == 0 and is_counted else 0.0,
        )
        for a in range(len(out)):
            out[a] = _m_estimate(seen, left, virtual[v, level, a], out[a])

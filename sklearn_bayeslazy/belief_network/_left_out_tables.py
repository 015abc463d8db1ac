"""The choice of m and prior, and the calibration, by exact leave-one-out.

The class of each row is predicted by the tables that all other rows give. The graph and
the bins stay. Tables are counts, so nothing is counted again: the weight of the row is
subtracted from the counts that contain it, those of the prior included. All candidates
are scored in one pass over the rows.

A row with a missing value is scored exactly if the network consists of trees given the
class. In other graphs it is scored by the families that it observes.
"""

from typing import NamedTuple

import numpy as np

from .._core._kernel import frozen
from .._core._parallel import map_chunks, map_tasks, row_chunks
from ..leave_one_out import (
    CLASSIFICATION_SCORING,
    candidate_grid,
    check_rows_remain,
    classification_losses,
    rank_candidates,
    rows_to_leave_out,
)
from ..tabular import log_prior_without
from ._calibration import Calibration, fit_calibration, fit_exponent
from ._graph import topological_order
from ._network import cell_strides, offsets
from ._table_kernels import Families, add_missing_in_trees, score_observed_families
from ._tables import PRIORS, class_axes, level_weights, sum_by_class

# A 1-2-5 series from .1 to 5000.
M_CANDIDATES = [float(f"{c}e{e}") for e in range(-1, 4) for c in (1, 2, 5)]
_DEFAULTS = {"m": M_CANDIDATES, "prior": list(PRIORS)}
_ALLOWED = {
    "m": (
        lambda m: not isinstance(m, str) and np.ndim(m) == 0 and 0 <= m < np.inf,
        "numbers ≥ 0",
    ),
    "prior": (lambda prior: prior in PRIORS, f"names among {list(PRIORS)}"),
}


class Choice(NamedTuple):
    """The parameters that leave-one-out has chosen."""

    m: float
    prior: str
    calibration: Calibration
    results: dict | None  # the candidates' scores; None if m and prior were given


def is_loo(value):
    """Return whether a parameter is to be chosen by leave-one-out."""
    return isinstance(value, str) and value == "loo"


def tuned_parameters(options):
    """Return the names of the parameters that are to be chosen by leave-one-out."""
    names = ("m", "prior", "calibration")
    return [name for name in names if is_loo(getattr(options, name))]


def choose_by_leave_one_out(rows, counts, parents, target, options, rng):
    """Return the best m and prior, and the calibration."""
    # Each candidate is scored with its best exponent, unless `options.calibration` is
    # None.
    # rows: without missing classes; counts: of these rows; target: the node of the
    # class.
    # options: with `m`, `prior`, `calibration`, `n_jobs` and the parameters of
    # leave-one-out.
    tuned = tuned_parameters(options)
    check_rows_remain(len(rows.weight), tuned)
    given = {"m": options.m, "prior": options.prior}
    candidates = candidate_grid(
        {name: values for name, values in _DEFAULTS.items() if name in tuned},
        options.loo_candidates,
        _ALLOWED,
    )
    left_out = rows_to_leave_out(len(rows.weight), options.loo_max_samples, rng)
    scorer = LeaveOneOut(rows, counts, parents, target, left_out, options.n_jobs)
    settings = [given | candidate for candidate in candidates]
    best, results = 0, None
    if len(candidates[0]):  # otherwise there is one, the given m and prior
        scores, exponents = scorer.scores(settings, "calibration" in tuned)
        scoring = CLASSIFICATION_SCORING[options.loo_scoring]
        best, results = rank_candidates(candidates, scores, scorer.weight, scoring)
        results["exponent"] = exponents
    calibration = Calibration.none(len(scorer.class_count))
    if "calibration" in tuned:
        joint = scorer.joint([settings[best]])[0]
        calibration = fit_calibration(joint, scorer.classes, scorer.weight)
    chosen = settings[best]
    return Choice(float(chosen["m"]), chosen["prior"], calibration, results)


class LeaveOneOut:
    """Scores the classes of rows that are left out one by one."""

    # rows, counts, parents, target: as in `choose_by_leave_one_out`. left_out: the
    # indices of the rows that are left out.

    def __init__(self, rows, counts, parents, target, left_out, n_jobs=None):
        self.codes, self.weight = rows.codes[:, left_out], rows.weight[left_out]
        self.removed = np.minimum(1.0, self.weight)
        self.has_missing, self.n_jobs = rows.has_missing, n_jobs
        self.classes = self.codes[target]
        self.class_count = counts.marginals[target]
        self.shapes = [table.shape for table in counts.families]
        self.class_axes = class_axes(parents, target)
        self.families = _families(counts, parents, rows.sizes, target)
        n_others = [len(set(node_parents) - {target}) for node_parents in parents]
        self.is_tree = max(n_others) <= 1
        self.order = frozen(topological_order(parents)[::-1], np.int64)

    def scores(self, candidates, calibrate):
        """Return the scores of candidates of m and prior, and their exponents."""
        # candidates: a list of {"m": float, "prior": str}; calibrate: whether each gets
        # its best exponent; otherwise it is 1.
        # Returns {"log_loss", "accuracy": (n_candidates, n_rows)}, and (n_candidates,).
        shape = len(candidates), len(self.weight)
        log_loss, correct = np.empty(shape), np.empty(shape)
        exponents = np.ones(len(candidates))
        log_prior = log_prior_without(
            self.class_count, self.classes, self.removed, True, None
        )

        def score(task):
            a, joint = task
            if calibrate:
                exponents[a] = fit_exponent(joint, self.classes, self.weight)
            log_loss[a], correct[a] = classification_losses(
                exponents[a] * joint, self.classes, log_prior
            )

        bytes_per_candidate = 24 * len(self.weight) * len(self.class_count)
        for part in row_chunks(len(candidates), bytes_per_candidate, min_rows=1):
            joint = self.joint(candidates[part])
            tasks = list(enumerate(joint, start=part.start))
            map_tasks(score, tasks, n_jobs=self.n_jobs)
        return {"log_loss": log_loss, "accuracy": correct}, exponents

    def joint(self, candidates):
        """Return joint log probabilities, up to a constant for each row."""
        # Returns (n_candidates, n_rows, n_classes).
        virtual = [
            [
                level_weights(float(candidate["m"]), candidate["prior"], shape, axis)
                for shape, axis in zip(self.shapes, self.class_axes)
            ]
            for candidate in candidates
        ]
        by_candidate = frozen(virtual, np.float64)
        by_level = frozen(np.moveaxis(by_candidate, 0, -1), np.float64)
        out = np.empty((len(candidates), len(self.weight), len(self.class_count)))

        def score(rows):
            part = np.empty((len(out), rows.stop - rows.start, out.shape[2]))
            codes = frozen(self.codes[:, rows].T, np.int32)
            removed = frozen(self.removed[rows], np.float64)
            score_observed_families(codes, removed, self.families, by_level, part)
            if self.is_tree and self.has_missing:
                add_missing_in_trees(
                    codes, removed, self.families, self.order, by_candidate, part
                )
            out[:, rows] = part

        bytes_per_row = 8 * len(out) * out.shape[2] + 4 * len(self.codes)
        map_chunks(score, len(self.weight), bytes_per_row, n_jobs=self.n_jobs)
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
    return Families(
        target,
        frozen(sizes, np.int64),
        frozen(np.concatenate(others), np.int64),
        frozen(np.concatenate(strides), np.int64),
        frozen(offsets(others), np.int64),
        frozen(with_class, np.int64),
        frozen(offsets(tables)[:-1].reshape(-1, 3), np.int64),
        frozen(offsets(totals)[:-1].reshape(-1, 3), np.int64),
        frozen(class_strides, np.int64),
        frozen(other_strides, np.int64),
        frozen(np.concatenate(tables), np.float64),
        frozen(np.concatenate(totals), np.float64),
    )

"""The choice of m and the prior of the tables by exact leave-one-out.

The class of each row is predicted by the tables that all other rows give. The graph and
the bins stay. Tables are counts, so nothing is counted again: the weight of the row is
subtracted from the counts that contain it, those of the prior included. All candidates
are scored in one pass over the rows.

A row with a missing value is scored exactly if the network consists of trees given the
class. In other graphs it is scored by the families that it observes.
"""

import numpy as np

from .._kernel import frozen
from .._labelled_rows import log_prior_without
from .._leave_one_out import (
    CLASSIFICATION_SCORING,
    candidate_grid,
    check_rows_remain,
    classification_losses,
    rank_candidates,
    rows_to_leave_out,
)
from .._parallel import map_chunks
from ._graph import topological_order
from ._leave_one_out_kernels import (
    Families,
    add_missing_in_trees,
    score_observed_families,
)
from ._network import cell_strides, offsets
from ._tables import PRIORS, level_weights, sum_by_class

M_CANDIDATES = [float(f"{c}e{e}") for e in range(-2, 3) for c in (1, 2, 5)]
PRIOR_CANDIDATES = ["uniform", "marginal", "backoff"]
_ALLOWED = {
    "m": (
        lambda m: not isinstance(m, str) and np.ndim(m) == 0 and 0 <= m < np.inf,
        "numbers ≥ 0",
    ),
    "prior": (lambda prior: prior in PRIORS, f"names among {list(PRIORS)}"),
}


def choose_smoothing(rows, counts, parents, target, options, rng, n_jobs=None):
    """Return the best m and prior, and the results of all candidates.

    Parameters
    ----------
    rows : Rows
        Without missing classes.
    counts : TableCounts
        Of these rows.
    parents : sequence of tuples of int
    target : int
        The node of the class.
    options : estimator
        With `m`, `prior` and the parameters of leave-one-out.
    rng : RandomState
    n_jobs : int, default=None

    Returns
    -------
    dict of {"m": float, "prior": str}
    dict
    """
    given = {"m": options.m, "prior": options.prior}
    tuned = [name for name, value in given.items() if is_loo(value)]
    check_rows_remain(len(rows.weight), tuned)
    defaults = {"m": M_CANDIDATES, "prior": PRIOR_CANDIDATES}
    candidates = candidate_grid(
        {name: defaults[name] for name in tuned}, options.loo_candidates, _ALLOWED
    )
    scorer = LeaveOneOut(rows, counts, parents, target, [given | c for c in candidates])
    left_out = rows_to_leave_out(len(rows.weight), options.loo_max_samples, rng)
    scores = scorer.scores(left_out, n_jobs)
    best, results = rank_candidates(
        candidates,
        scores,
        rows.weight[left_out],
        CLASSIFICATION_SCORING[options.loo_scoring],
    )
    return given | candidates[best], results


def is_loo(value):
    """Return whether a parameter is to be chosen by leave-one-out."""
    return isinstance(value, str) and value == "loo"


class LeaveOneOut:
    """Scores candidates of m and prior on rows that are left out one by one.

    Parameters
    ----------
    rows, counts, parents, target : as in `choose_smoothing`
    candidates : list of {"m": float, "prior": str}
    """

    def __init__(self, rows, counts, parents, target, candidates):
        self.rows, self.parents, self.target = rows, parents, target
        self.class_count = counts.marginals[target]
        self.families = _families(counts, parents, rows.sizes, target)
        virtual = [
            [
                level_weights(
                    float(candidate["m"]),
                    candidate["prior"],
                    table.shape,
                    parents[node].index(target) if target in parents[node] else None,
                )
                for node, table in enumerate(counts.families)
            ]
            for candidate in candidates
        ]
        self.virtual = frozen(virtual, np.float64)  # (n_candidates, n_nodes, 3)
        self.virtual_last = frozen(np.moveaxis(self.virtual, 0, -1), np.float64)
        n_others = [len(set(node_parents) - {target}) for node_parents in parents]
        self.is_tree = max(n_others) <= 1
        self.order = frozen(topological_order(parents)[::-1], np.int64)

    def scores(self, left_out, n_jobs=None):
        """Return log loss and correctness, each of shape (n_candidates, n_rows)."""
        n_candidates, n_classes = len(self.virtual), len(self.class_count)
        log_loss = np.empty((n_candidates, len(left_out)))
        correct = np.empty((n_candidates, len(left_out)))

        def score(chunk):
            rows = left_out[chunk]
            codes = frozen(self.rows.codes[:, rows].T, np.int32)
            removed = np.minimum(1.0, self.rows.weight[rows])
            joint = self._joint(codes, frozen(removed, np.float64))
            classes = codes[:, self.target]
            log_prior = log_prior_without(
                self.class_count, classes, removed, True, None
            )
            for a in range(n_candidates):
                log_loss[a, chunk], correct[a, chunk] = classification_losses(
                    joint[a], classes, log_prior
                )

        bytes_per_row = 8 * ((n_candidates + 4) * n_classes + self.rows.n_nodes)
        map_chunks(score, len(left_out), bytes_per_row, n_jobs=n_jobs)
        return {"log_loss": log_loss, "accuracy": correct}

    def _joint(self, codes, removed):
        """Return the joint log scores (n_candidates, n_rows, n_classes)."""
        out = np.empty((len(self.virtual), len(codes), len(self.class_count)))
        score_observed_families(codes, removed, self.families, self.virtual_last, out)
        if self.is_tree and self.rows.has_missing:
            add_missing_in_trees(
                codes, removed, self.families, self.order, self.virtual, out
            )
        return out


def _families(counts, parents, sizes, target):
    """Return the counts of all families as arrays of the kernels."""
    others, strides, tables = [], [], []
    n_nodes = len(sizes)
    class_strides = np.zeros((n_nodes, 3), dtype=np.int64)
    other_strides = np.zeros((n_nodes, 3), dtype=np.int64)
    for node, (node_parents, table) in enumerate(zip(parents, counts.families)):
        axis = node_parents.index(target) if target in node_parents else None
        by_class = np.empty(0)
        if axis is not None:
            by_class = sum_by_class(table, axis).reshape(-1, sizes[node])
            table = np.moveaxis(table, axis, 0)
            class_strides[node, 1:] = 1, table[0].size // sizes[node]
        other_strides[node, 2] = 1
        shape = table.shape[axis is not None : -1]
        others.append([other for other in node_parents if other != target])
        strides.append(cell_strides(shape))
        tables += [counts.marginals[node], by_class, table]
    sums = [
        table.reshape(-1, sizes[i // 3]).sum(axis=1) for i, table in enumerate(tables)
    ]
    flat = [np.ravel(table) for table in tables]
    with_class = [node for node in range(n_nodes) if target in (*parents[node], node)]
    return Families(
        target,
        frozen(sizes, np.int64),
        frozen(np.concatenate(others), np.int64),
        frozen(np.concatenate(strides), np.int64),
        frozen(offsets(others), np.int64),
        frozen(with_class, np.int64),
        frozen(offsets(flat)[:-1].reshape(-1, 3), np.int64),
        frozen(offsets(sums)[:-1].reshape(-1, 3), np.int64),
        frozen(class_strides, np.int64),
        frozen(other_strides, np.int64),
        frozen(np.concatenate(flat), np.float64),
        frozen(np.concatenate(sums), np.float64),
    )

"""The choice of m by exact leave-one-out, and the rows that are left out.

Nothing is refitted. The counts and moments of the whole table are known. Leaving a row
out changes those of its class, and the frequencies, rate or moments of the whole table
that serve as priors. Bin edges, category lists, the variance that is added and the
one that replaces 0 stay those of the whole table.
"""

from numbers import Real

import numpy as np

from ..._core._parallel import map_chunks
from ...leave_one_out import (
    CLASSIFICATION_SCORING,
    candidate_lists,
    classification_losses,
    in_rows,
    most_rows,
    rank_candidates,
    rows_to_leave_out,
)
from ._build import ALLOWED_BINS, DISTRIBUTIONS, virtual_examples
from ._gaussian import GaussianColumns

# A 1-2-5 series: a finer one makes no visible difference. Large values serve tables in
# which many columns repeat each other.
M_CANDIDATES = [float(f"{c}e{e}") for e in range(-2, 4) for c in (1, 2, 5)]
M_CANDIDATES.append(10_000.0)
# Where m is chosen for each column separately. A small m, chosen for a column alone,
# makes terms of rare values extreme, and the weight of the column cannot correct one
# value.
_COLUMN_M_CANDIDATES = [m for m in M_CANDIDATES if 0.5 <= m <= 100]
_COLUMN_M_CANDIDATES += [1000.0, 10_000.0]
# Bins of equal weight. Cut points that have seen y look better than they are.
_BIN_CANDIDATES = [4, 6, 10, 16, 25]
_BINNING_CANDIDATES = ["frequent_values"]
VAR_SMOOTHING_CANDIDATES = [0.0, 0.001, 0.003, 0.01, 0.03, 0.1, 0.3, 1.0]
_ALLOWED = {
    "distribution": (DISTRIBUTIONS.__contains__, f"names among {list(DISTRIBUTIONS)}"),
    **ALLOWED_BINS,
    "var_smoothing": (
        lambda share: isinstance(share, Real) and 0 <= share < np.inf,
        "finite numbers ≥ 0",
    ),
}


class Tuner:
    """Scores candidates on the rows of a batch that are left out one by one."""

    def __init__(self, batch, priors, settings):
        self.batch = batch
        self.priors = priors  # of each column
        self.settings = settings
        self.scoring = CLASSIFICATION_SCORING[settings.loo_scoring]
        defaults = {
            "m": M_CANDIDATES,
            "distribution": DISTRIBUTIONS,
            "n_bins": batch.numbers_of_bins(_BIN_CANDIDATES),
            "binning": _BINNING_CANDIDATES,
            "var_smoothing": VAR_SMOOTHING_CANDIDATES,
        }
        if settings.tunes_weights:
            defaults["m"] = _COLUMN_M_CANDIDATES
        defaults["m"] = in_rows(defaults["m"], batch.weight)
        given = settings.loo_candidates or {}
        lists = candidate_lists(defaults, given, _ALLOWED)
        self.distributions = lists.pop("distribution")
        self.lists = settings.given_or(lists)
        # (n_m, d), the candidates of m for each column; "laplace" is 1.
        self.ms = self.virtual_examples([])
        # The tables of four classes are added at a time.
        steps = self.ms.size * batch.n_classes / 4
        n_rows = len(batch.classes)
        most = most_rows(settings.loo_max_samples, steps, n_rows)
        self.rows = rows_to_leave_out(n_rows, most, settings.random_state)
        # Whether m or its candidates come from the user, and the distributions.
        self.m_is_given = "m" in given or not settings.tunes_m
        self.is_given = "distribution" in given

    def choose_m(self, groups):
        """Return the best m, the columns with the best smoothing, and all results."""
        # `groups` are columns with statistics.
        smoothed = self.smoothed(groups)
        scores = np.concatenate([self._scores(each) for _, each in smoothed], axis=1)
        candidates = [{"m": m, **s} for s, _ in smoothed for m in self.lists["m"]]
        best, results = rank_candidates(
            candidates,
            dict(zip(("log_loss", "accuracy"), scores)),
            self.batch.weight[self.rows],
            self.scoring,
        )
        groups = smoothed[best // len(self.ms)][1]
        return candidates[best]["m"], groups, results

    def smoothed(self, groups):
        """Return each candidate of `var_smoothing`, with the columns smoothed by it."""
        # As a list of ({name: candidate}, groups). If there is nothing to choose, it is
        # one pair with an empty dict.
        gaussian = any(isinstance(group, GaussianColumns) for group in groups)
        if not (gaussian and self.settings.tunes_var_smoothing):
            return [({}, groups)]
        return [
            (
                {"var_smoothing": share},
                [group.with_var_smoothing(share) for group in groups],
            )
            for share in self.lists["var_smoothing"]
        ]

    def virtual_examples(self, groups):
        """Return the candidates of m for each column, (n_m, d)."""
        n_columns = self.batch.table.n_columns
        return np.array(
            [virtual_examples(m, groups, n_columns) for m in self.lists["m"]]
        )

    def m_of_columns(self, columns, n_values):
        """Return the candidates of m for some columns and their numbers of codes."""
        is_laplace = [isinstance(m, str) for m in self.lists["m"]]
        return np.where(np.c_[is_laplace], n_values, self.ms[:, columns])

    def log_prior(self, rows):
        """Return log P(class) without each of some rows, (n_rows, n_classes)."""
        return self.batch.log_prior_without(rows, self.settings)

    def _scores(self, groups):
        """Return log loss and correctness of columns, (2, n_m, n_rows)."""
        ms, priors, batch = self.virtual_examples(groups), self.priors, self.batch
        log_prior = self.log_prior(self.rows)
        all_left_out = batch.leave_out(self.rows)
        scores = np.empty((2, len(ms), len(self.rows)))

        def score(chunk):
            left_out = all_left_out.part(chunk)
            joint = np.repeat(log_prior[None, chunk], len(ms), axis=0)
            for group in groups:
                group.add_left_out(left_out, ms, priors, joint)
            scores[:, :, chunk] = classification_losses(
                joint, left_out.classes, log_prior[chunk]
            )

        n_columns, n_classes = batch.table.n_columns, batch.n_classes
        bytes_per_row = 8 * ((20 + 4 * len(ms)) * n_classes + 7 * n_columns)
        map_chunks(score, len(self.rows), bytes_per_row, n_jobs=self.settings.n_jobs)
        return scores

"""The choice of m and of each column's distribution by exact leave-one-out.

Nothing is refitted. The counts and moments of the whole table are known; a row that is
left out changes those of its own class, and the frequencies, rate or moments of the
whole table that serve as priors. Bin edges, category lists and the variance floor are
those of the whole table.
"""

import numpy as np

from ..._labelled_rows import log_prior_without
from ..._leave_one_out import (
    CLASSIFICATION_SCORING,
    candidate_lists,
    classification_losses,
    rows_to_leave_out,
    summarise,
)
from ..._parallel import map_chunks
from ...tabular import LARGEST_INTEGER
from ._build import DISTRIBUTIONS, count_families, virtual_examples
from ._column_distribution import LeftOutRows

# A 1-2-5 series: what is between two neighbours makes no difference that shows. Large
# ones are wanted where many columns say the same.
M_CANDIDATES = [float(f"{c}e{e}") for e in range(-2, 4) for c in (1, 2, 5)]
M_CANDIDATES.append(10_000.0)
# An integer column with more distinct values is no category, unless the user says so.
_MOST_CATEGORIES = 32


class Tuner:
    """Scores candidates on the rows of a batch that are left out one by one.

    Parameters
    ----------
    estimator : MEstimateNB
    batch : Batch
    options : dict
        As for :func:`~._assemble.count_families`.
    priors : list
        Of each column.
    """

    def __init__(self, estimator, batch, options, priors):
        self.estimator = estimator
        self.batch = batch
        self.options = options
        self.priors = priors
        self.scoring = CLASSIFICATION_SCORING[estimator.loo_scoring]
        self.rows = rows_to_leave_out(
            len(batch.classes), estimator.loo_max_samples, estimator.random_state
        )
        defaults = {"m": M_CANDIDATES, "distribution": DISTRIBUTIONS}
        lists = candidate_lists(defaults, estimator.loo_candidates)
        self.m_candidates = lists["m"] if estimator._tunes_m() else [estimator.m]
        self.distributions = lists["distribution"]
        self.given = "distribution" in (estimator.loo_candidates or {})
        strange = [name for name in self.distributions if name not in DISTRIBUTIONS]
        if strange:
            raise ValueError(
                f"loo_candidates['distribution'] names {strange}; it may name "
                f"{list(DISTRIBUTIONS)}."
            )

    def choose_m(self, families):
        """Return the best m and the results of all, for families with statistics."""
        scores = self._scores(families)
        candidates = [{"m": m} for m in self.m_candidates]
        best, results = self._summarise(candidates, scores)
        return self.m_candidates[best], results

    def choose_distribution(self, column):
        """Return the best distribution of a column, judged alone with the class prior.

        Where m is to be chosen too, each distribution is judged at its best m.
        """
        names = self._candidates_of(column)
        judged = []
        for name in names:
            families = count_families(
                {column: name}, self.batch, self.options, n_jobs=self.estimator.n_jobs
            )
            scores = self._scores(families)
            best, _ = self._summarise([{"m": m} for m in self.m_candidates], scores)
            judged.append({key: values[best] for key, values in scores.items()})
        scores = {key: np.array([one[key] for one in judged]) for key in judged[0]}
        best, results = self._summarise([{"distribution": n} for n in names], scores)
        return names[best], results

    def _candidates_of(self, column):
        """Return the distributions that the column can have, of those to be tried."""
        cells = self.batch.table.column(column)
        cells = cells[~np.isnan(cells)]
        whole = bool(np.all(cells == np.floor(cells)))
        low, high = (cells.min(), cells.max()) if len(cells) else (0.0, 0.0)
        told_apart = max(abs(low), abs(high)) < LARGEST_INTEGER
        few = self.given or len(np.unique(cells)) <= _MOST_CATEGORIES
        possible = {
            "categorical": whole and told_apart and few,
            "bernoulli": low <= 0 < high,
            "poisson": whole and low >= 0,
            "gaussian": not self.batch.table.is_sparse,
            "quantized": not self.batch.table.is_sparse,
        }
        names = [name for name in self.distributions if possible[name]]
        if not names and self.given:
            raise ValueError(
                f"None of loo_candidates['distribution']={self.distributions} fits the "
                f"numbers of column {self.batch.table.names[column]!r}."
            )
        return names or ["bernoulli"]  # sparse rows of fractions, say

    def _scores(self, families):
        """Return log loss and correctness by (candidate of m, row)."""
        n_m, n_classes = len(self.m_candidates), self.batch.n_classes
        log_loss = np.empty((n_m, len(self.rows)))
        correct = np.empty((n_m, len(self.rows)))
        n_columns = self.batch.table.n_columns
        ms = [virtual_examples(m, families, n_columns) for m in self.m_candidates]

        removed = np.minimum(1.0, self.batch.weight[self.rows])
        equal_masses = bool(removed.min() == removed.max())

        def score(chunk):
            left_out = LeftOutRows(self.batch, self.rows[chunk], equal_masses)
            adders = [family.leave_out(left_out) for family in families]
            log_prior = log_prior_without(
                self.batch.class_count,
                left_out.classes,
                left_out.removed,
                self.estimator.fit_prior,
                self.estimator.class_prior,
            )
            for i, m in enumerate(ms):
                joint = log_prior.copy()
                for add in adders:
                    add(m, self.priors, joint)
                log_loss[i, chunk], correct[i, chunk] = classification_losses(
                    joint, left_out.classes, log_prior
                )

        bytes_per_row = 8 * (20 * n_classes + 7 * n_columns)
        map_chunks(score, len(self.rows), bytes_per_row, n_jobs=self.estimator.n_jobs)
        return {"log_loss": log_loss, "accuracy": correct}

    def _summarise(self, candidates, scores):
        return summarise(candidates, scores, self.batch.weight[self.rows], self.scoring)

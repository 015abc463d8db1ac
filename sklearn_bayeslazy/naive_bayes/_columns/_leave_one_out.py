"""The choice of m and of each column's distribution by exact leave-one-out.

Nothing is refitted. The counts and moments of the whole table are known. Leaving a row
out changes those of its class, and the frequencies, rate or moments of the whole table
that serve as priors. Bin edges, category lists and the variance floor stay those of
the whole table.
"""

import numpy as np

from ..._labelled_rows import log_prior_without
from ..._leave_one_out import (
    CLASSIFICATION_SCORING,
    candidate_lists,
    classification_losses,
    rank_candidates,
    rows_to_leave_out,
)
from ..._parallel import map_chunks
from ...tabular import EXACT_INTEGER_LIMIT
from ._batch import LeftOutRows
from ._build import DISTRIBUTIONS, count_columns, virtual_examples

# A 1-2-5 series: a finer one makes no visible difference. Large values serve tables in
# which many columns repeat each other.
M_CANDIDATES = [float(f"{c}e{e}") for e in range(-2, 4) for c in (1, 2, 5)]
M_CANDIDATES.append(10_000.0)
# An integer column with more distinct values is tried as categorical only if the user
# names the candidates.
_MAX_CATEGORIES = 32


class Tuner:
    """Scores candidates on the rows of a batch that are left out one by one.

    Parameters
    ----------
    batch : Batch
    priors : list
        Of each column.
    settings : ColumnSettings
    """

    def __init__(self, batch, priors, settings):
        self.batch = batch
        self.priors = priors
        self.settings = settings
        self.scoring = CLASSIFICATION_SCORING[settings.loo_scoring]
        self.rows = rows_to_leave_out(
            len(batch.classes), settings.loo_max_samples, settings.random_state
        )
        defaults = {"m": M_CANDIDATES, "distribution": DISTRIBUTIONS}
        lists = candidate_lists(defaults, settings.loo_candidates)
        self.m_candidates = lists["m"] if settings.tunes_m else [settings.m]
        self.distributions = lists["distribution"]
        self.is_given = "distribution" in (settings.loo_candidates or {})
        unsupported = [name for name in self.distributions if name not in DISTRIBUTIONS]
        if unsupported:
            raise ValueError(
                f"loo_candidates['distribution'] names {unsupported}; it may name "
                f"{list(DISTRIBUTIONS)}."
            )

    def choose_m(self, groups):
        """Return the best m and the results of all, for columns with statistics."""
        scores = self._scores(groups)
        candidates = [{"m": m} for m in self.m_candidates]
        best, results = self._rank(candidates, scores)
        return self.m_candidates[best], results

    def choose_distribution(self, column):
        """Return the best distribution of a column and the results of all candidates.

        Each is scored as the only column beside the class prior. Where m is chosen
        too, each is scored at its best m.
        """
        names = self._candidates_of(column)
        best_scores = []
        for name in names:
            groups = count_columns({column: name}, self.batch, self.settings)
            scores = self._scores(groups)
            best, _ = self._rank([{"m": m} for m in self.m_candidates], scores)
            best_scores.append({key: values[best] for key, values in scores.items()})
        scores = {
            key: np.array([one[key] for one in best_scores]) for key in best_scores[0]
        }
        best, results = self._rank([{"distribution": n} for n in names], scores)
        return names[best], results

    def _candidates_of(self, column):
        """Return the candidate distributions that the column's numbers allow."""
        cells = self.batch.table.column(column)
        cells = cells[~np.isnan(cells)]
        is_integer = bool(np.all(cells == np.floor(cells)))
        low, high = (cells.min(), cells.max()) if len(cells) else (0.0, 0.0)
        is_exact = max(abs(low), abs(high)) < EXACT_INTEGER_LIMIT
        is_small = self.is_given or len(np.unique(cells)) <= _MAX_CATEGORIES
        possible = {
            "categorical": is_integer and is_exact and is_small,
            "bernoulli": low <= 0 < high,
            "poisson": is_integer and low >= 0,
            "gaussian": not self.batch.table.is_sparse,
            "quantized": not self.batch.table.is_sparse,
        }
        names = [name for name in self.distributions if possible[name]]
        if not names and self.is_given:
            raise ValueError(
                f"None of loo_candidates['distribution']={self.distributions} fits the "
                f"numbers of column {self.batch.table.names[column]!r}."
            )
        return names or ["bernoulli"]  # for instance sparse rows of fractions

    def _scores(self, groups):
        """Return log loss and correctness by (candidate of m, row)."""
        n_m, n_classes = len(self.m_candidates), self.batch.n_classes
        log_loss = np.empty((n_m, len(self.rows)))
        correct = np.empty((n_m, len(self.rows)))
        n_columns = self.batch.table.n_columns
        ms = [virtual_examples(m, groups, n_columns) for m in self.m_candidates]

        removed = np.minimum(1.0, self.batch.weight[self.rows])
        equal_weights = bool(removed.min() == removed.max())

        def score(chunk):
            left_out = LeftOutRows(self.batch, self.rows[chunk], equal_weights)
            adders = [group.leave_out(left_out) for group in groups]
            log_prior = log_prior_without(
                self.batch.class_count,
                left_out.classes,
                left_out.removed,
                self.settings.fit_prior,
                self.settings.class_prior,
            )
            for i, m in enumerate(ms):
                joint = log_prior.copy()
                for add in adders:
                    add(m, self.priors, joint)
                log_loss[i, chunk], correct[i, chunk] = classification_losses(
                    joint, left_out.classes, log_prior
                )

        bytes_per_row = 8 * (20 * n_classes + 7 * n_columns)
        n_jobs = self.settings.n_jobs
        map_chunks(score, len(self.rows), bytes_per_row, n_jobs=n_jobs)
        return {"log_loss": log_loss, "accuracy": correct}

    def _rank(self, candidates, scores):
        return rank_candidates(
            candidates, scores, self.batch.weight[self.rows], self.scoring
        )

"""How MEstimateNB learns: labelled rows to statistics, statistics to estimates."""

import numpy as np

from ..._labelled_rows import class_log_prior, weighted_rows
from ...tabular import check_table, encode_classes, read_table
from ._build import (
    asked_distributions,
    count_families,
    distribution_per_column,
    virtual_examples,
)
from ._column_distribution import Batch
from ._leave_one_out import Tuner
from ._priors import prior_per_column

_COLUMN_OPTIONS = ("n_bins", "binning", "var_smoothing", "unknown")


def loo_needs_all_rows(estimator):
    """Return why the estimator cannot learn in batches, None if it can."""
    asked = asked_distributions(estimator.distribution)
    for parameter, attribute, is_loo in (
        ("m", "m_", estimator._tunes_m()),
        ("distribution", "distributions_", "loo" in asked),
    ):
        if is_loo:
            return (
                f"{parameter}='loo' needs all rows at once and excludes partial_fit: "
                f"call fit on a sample of rows, read {attribute}, and give that to the "
                "model that learns by partial_fit."
            )
    return None


class LearningMixin:
    """The steps that `fit`, `partial_fit` and `merge` share.

    Statistics are additive: ``class_count_`` and the families of columns. Estimates
    follow from them, the prior and m.
    """

    def _read(self, X, y, sample_weight, *, reset, classes=None):
        """Return the classes and the labelled rows, those of weight 0 dropped."""
        X = check_table(self, X, y, reset=reset, accept_sparse=self._accepts_sparse())
        X, y, weight = weighted_rows(X, y, sample_weight)
        table = read_table(X, getattr(self, "feature_names_in_", None))
        classes, codes = encode_classes(y, classes)
        return classes, Batch(table, codes, weight, len(classes))

    def _start(self, batch):
        """Decide what the columns are, and take the statistics of a first batch."""
        table = batch.table
        self._forget_choices()
        self._column_names = table.names
        self._priors = prior_per_column(self.prior, table)
        self._chosen_m = self.m
        self.class_count_ = batch.class_count
        chosen = distribution_per_column(self.distribution, table)
        tuner = None
        if "loo" in chosen or self._tunes_m():
            tuner = Tuner(self, batch, self._column_options(), self._priors)
        per_column = [None] * len(chosen)
        for column in np.flatnonzero(np.array(chosen) == "loo"):
            chosen[column], per_column[column] = tuner.choose_distribution(column)
        self.distributions_ = chosen
        self._families = self._count(batch)
        if tuner is not None:
            self._chosen_m, self.loo_results_ = tuner.choose_m(self._families)
            self.loo_columns_ = per_column

    def _go_on(self, batch):
        """Add the statistics of a later batch; read what is no statistic anew."""
        self._forget_choices()
        self._priors = prior_per_column(self.prior, batch.table)
        self._chosen_m = self.m
        more = self._count(batch, edges=self.bin_edges_)
        self._families = [a.merged(b) for a, b in zip(self._families, more)]
        self.class_count_ = self.class_count_ + batch.class_count

    def _count(self, batch, edges=None):
        distributions = dict(enumerate(self.distributions_))
        options = self._column_options()
        return count_families(distributions, batch, options, edges, self.n_jobs)

    def _column_options(self):
        return {name: getattr(self, name) for name in _COLUMN_OPTIONS}

    def _finish(self):
        """Turn statistics into estimates."""
        self.class_log_prior_ = class_log_prior(
            self.class_count_, self.fit_prior, self.class_prior
        )
        m = virtual_examples(self._chosen_m, self._families, len(self._column_names))
        self.m_ = float(m[0]) if np.all(m == m[0]) else m
        for family in self._families:
            family.refuse_unknown = self.unknown == "error"
            family.estimate(m, self._priors)

    def _forget_choices(self):
        """Drop the scores of leave-one-out, which were those of other rows."""
        vars(self).pop("loo_results_", None)
        vars(self).pop("loo_columns_", None)

    def _spread(self, classes):
        """Return class counts and families over more classes than the model's own."""
        places = np.searchsorted(classes, self.classes_)
        count = np.zeros(len(classes))
        count[places] = self.class_count_
        return count, [f.spread(places, len(classes)) for f in self._families]

    def _tunes_m(self):
        return isinstance(self.m, str) and self.m == "loo"

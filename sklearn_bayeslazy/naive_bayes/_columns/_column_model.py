"""All columns of a naive Bayes model: their distributions, statistics and estimates."""

import numpy as np

from ._build import count_columns, distribution_per_column, virtual_examples
from ._discrete import DiscreteColumns
from ._gaussian import GaussianColumns
from ._leave_one_out import Tuner
from ._poisson import PoissonColumns
from ._priors import prior_per_column


class ColumnModel:
    """What a naive Bayes model has learnt about its columns.

    :meth:`fit`, :meth:`update`, :meth:`merge` and :meth:`expand_classes` return a new
    model with statistics, whose :meth:`estimate` is still to be called. They never
    change a model in place, so that a failed call leaves the former one intact.

    Attributes
    ----------
    names : list of d str
        The columns, as messages call them.
    distributions : list of d str
        The distribution of each column, leave-one-out's choice included.
    groups : list of ColumnDistribution
        The columns with their statistics, one group for each kind of distribution.
    n_classes : int
    m : float, array or "laplace"
        The number of virtual examples, leave-one-out's choice included.
    priors : list of d str or arrays
        What the virtual examples of each column are drawn from.
    loo_results : dict or None
        Leave-one-out scores of the candidates of m, None if nothing was chosen.
    loo_columns : list of d dict or None
        Leave-one-out scores of the candidate distributions of each column.
    m_per_column : ndarray of shape (d,)
        After :meth:`estimate`.
    refuse_unknown : bool
        After :meth:`estimate`.
    """

    def __init__(self, names, distributions, groups, n_classes, m, priors):
        self.names = names
        self.distributions = distributions
        self.groups = groups
        self.n_classes = n_classes
        self.m = m
        self.priors = priors
        self.loo_results = None
        self.loo_columns = None

    @classmethod
    def fit(cls, batch, settings):
        """Return the model of a first batch of rows, with all choices made.

        Parameters
        ----------
        batch : Batch
        settings : ColumnSettings
        """
        table = batch.table
        priors = prior_per_column(settings.prior, table)
        distributions = distribution_per_column(settings.distribution, table)
        chosen = np.flatnonzero(np.array(distributions) == "loo")
        tuner = None
        if len(chosen) or settings.tunes_m:
            tuner = Tuner(batch, priors, settings)
        loo_columns = [None] * len(distributions)
        for column in chosen:
            choice = tuner.choose_distribution(column)
            distributions[column], loo_columns[column] = choice
        groups = count_columns(dict(enumerate(distributions)), batch, settings)
        model = cls(
            table.names, distributions, groups, batch.n_classes, settings.m, priors
        )
        if tuner is not None:
            model.m, model.loo_results = tuner.choose_m(groups)
            model.loo_columns = loo_columns
        return model

    def update(self, batch, settings):
        """Return the model with one more batch; m and the priors are read anew."""
        more = count_columns(
            dict(enumerate(self.distributions)), batch, settings, self.bin_edges
        )
        return ColumnModel(
            self.names,
            self.distributions,
            [mine.merged(new) for mine, new in zip(self.groups, more)],
            self.n_classes,
            settings.m,
            prior_per_column(settings.prior, batch.table),
        )

    def merge(self, other):
        """Return the model with the statistics of both and this one's m and priors.

        Both must have the same columns, distributions and classes.
        """
        groups = [a.merged(b) for a, b in zip(self.groups, other.groups)]
        return self._with_groups(groups, self.n_classes)

    def expand_classes(self, positions, n_classes):
        """Return the model with its classes at `positions` among `n_classes`."""
        groups = [group.expand_classes(positions, n_classes) for group in self.groups]
        return self._with_groups(groups, n_classes)

    def _with_groups(self, groups, n_classes):
        return ColumnModel(
            self.names, self.distributions, groups, n_classes, self.m, self.priors
        )

    def estimate(self, refuse_unknown=False):
        """Turn the statistics of a new model into m-estimates; return the model.

        With `refuse_unknown`, a category that was not in the training data will be an
        error.
        """
        self.m_per_column = virtual_examples(self.m, self.groups, len(self.names))
        self.refuse_unknown = refuse_unknown
        for group in self.groups:
            group.estimate(self.m_per_column, self.priors)
        return self

    def joint_blocks(self, table, class_log_prior):
        """Yield ``(rows, joint log likelihoods)`` over blocks of rows of a table."""
        scorers = [group.scorer(table, self.refuse_unknown) for group in self.groups]
        for rows in table.block_rows():
            joint = np.tile(class_log_prior, (rows.stop - rows.start, 1))
            for prepare in scorers:
                prepare(rows)(joint)
            yield rows, joint

    def write_terms(self, table, terms):
        """Write log P(x | class) of each cell of a dense table.

        `terms` has the shape (n_rows, d, n_classes).
        """
        for group in self.groups:
            add = group.scorer(table, self.refuse_unknown)(slice(0, table.n_rows))
            for j, column in enumerate(group.columns):
                term = np.zeros((table.n_rows, self.n_classes))
                add(term, j, j + 1)
                terms[:, column] = term

    @property
    def categories(self):
        """Sorted categories of each categorical column, None for the others."""
        return self._discrete_values(
            lambda group, j: None if group.codebook.is_cut[j] else _values(group, j)
        )

    @property
    def bin_edges(self):
        """Cut points of each quantized or Bernoulli column, None for the others."""
        return self._discrete_values(
            lambda group, j: _values(group, j) if group.codebook.is_cut[j] else None
        )

    @property
    def category_count(self):
        """Weight by class and value of each discrete column, None for the others."""
        return self._discrete_values(lambda group, j: group.counts[_codes(group, j)].T)

    @property
    def feature_log_prob(self):
        """Log P(value | class) of each discrete column, None for the others."""
        return self._discrete_values(
            lambda group, j: group.log_prob[_codes(group, j)].T
        )

    @property
    def rate(self):
        """Poisson rates of shape (n_classes, d), NaN for other columns."""
        return self._numeric_values(PoissonColumns, lambda group: group.rate.T)

    @property
    def theta(self):
        """Gaussian means of shape (n_classes, d), NaN for other columns."""
        return self._numeric_values(GaussianColumns, lambda group: group.theta)

    @property
    def var(self):
        """Gaussian variances of shape (n_classes, d), NaN for other columns."""
        return self._numeric_values(GaussianColumns, lambda group: group.variance)

    def _discrete_values(self, read):
        values = [None] * len(self.names)
        for group in self.groups:
            if isinstance(group, DiscreteColumns):
                for j, column in enumerate(group.columns):
                    values[column] = read(group, j)
        return values

    def _numeric_values(self, kind, read):
        values = np.full((self.n_classes, len(self.names)), np.nan)
        for group in self.groups:
            if isinstance(group, kind):
                values[:, group.columns] = read(group)
        return values


def _values(group, j):
    return group.codebook.values[j]


def _codes(group, j):
    """Return the slice of the concatenated codes that belongs to column j."""
    start = group.codebook.start
    return slice(start[j], start[j + 1])

"""Columns of a naive Bayes model: distributions, priors, counts, leave-one-out.

The columns that share a distribution are a `ColumnDistribution`. Its statistics add up
over rows: `counted` returns those of a batch, `merged` those of two batches together,
`without_rows` those of no rows, and `expand_classes` the same among more classes.
`estimate` turns them into m-estimates. With these, `add_log_probs` adds up the log
probabilities of the cells that `reader` reads. `add_left_out` does so for training
rows, each under the model that was learnt without it; categories, cut points, and
variances that are added or replace 0 stay those of all rows. Here are the counts 0, 2
and 4 of one class, in two batches:

>>> import numpy as np
>>> from sklearn_bayeslazy.naive_bayes._columns import (
...     Batch,
...     LeftOutRows,
...     PoissonColumns,
... )
>>> from sklearn_bayeslazy.tabular import read_table
>>> def batch_of(*cells):
...     table, classes = read_table(np.array([cells]).T), np.zeros(len(cells), np.int32)
...     return Batch(table, classes, np.ones(len(cells)), n_classes=1)
>>> column, whole = PoissonColumns([0], ["count"]), batch_of(0.0, 2.0, 4.0)
>>> both = column.counted(batch_of(0.0, 2.0)).merged(column.counted(batch_of(4.0)))
>>> m, priors = np.zeros(1), ["uniform"]
>>> both.estimate(m, priors)
>>> both.rate  # (0 + 2 + 4) / 3
array([[2.]])
>>> log_prob, without = np.zeros((1, 1)), np.zeros((1, 1, 1))
>>> both.add_log_probs(both.reader(whole.table)(slice(0, 1)), log_prob)
>>> log_prob  # log P(0) = -2
array([[-2.]])
>>> first_row = LeftOutRows(whole, np.array([0]), equal_weights=True)
>>> both.add_left_out(first_row, m[None], priors, without)
>>> without  # the rate of the other rows is (2 + 4) / 2
array([[[-3.]]])

A distribution goes to a file of its own, and `_build.py` makes columns of it. The test
``tests/naive_bayes/test_column_distribution_contract.py`` runs over all distributions.
"""

from ._batch import Batch, LeftOutRows
from ._build import (
    ALLOWED_BINS,
    BINNINGS,
    DISTRIBUTIONS,
    SPARSE_DISTRIBUTIONS,
    ColumnSettings,
)
from ._column_distribution import ColumnDistribution
from ._column_model import ColumnModel
from ._discrete import DiscreteColumns, has_no_other_row
from ._feature_weights import PenalizedModel, PenalizedSettings
from ._gaussian import GaussianColumns
from ._left_out_cells import DistinctCells, LeftOutCells
from ._missing_cells import fit_with_indicators
from ._poisson import PoissonColumns

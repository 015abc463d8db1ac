"""From parameters and a table to columns with statistics: kinds, bins, m."""

from numbers import Integral

import numpy as np

from ..._core._arrays import as_float_array, weight_of_row
from ..._core._kernel import frozen, kernel
from ..._core._parallel import map_tasks
from ...leave_one_out import is_loo
from ...tabular import (
    MAX_VIRTUAL_EXAMPLES,
    Codebook,
    find_categories,
    per_column_list,
)
from ._batch import label_arrays
from ._discrete import DiscreteColumns
from ._feature_weights import PenalizedSettings
from ._gaussian import GaussianColumns
from ._poisson import PoissonColumns

DISTRIBUTIONS = ("categorical", "bernoulli", "poisson", "gaussian", "quantized")
BINNINGS = ("quantile", "frequent_values", "uniform", "mdlp", "binary")
# What `candidate_lists` allows.
ALLOWED_BINS = {
    "binning": (BINNINGS.__contains__, f"names among {list(BINNINGS)}"),
    "n_bins": (lambda n: isinstance(n, Integral) and n >= 2, "integers ≥ 2"),
}
# These count the cells that sparse rows do not store as zeros.
SPARSE_DISTRIBUTIONS = ("categorical", "bernoulli", "poisson")
_DISCRETE = ("categorical", "bernoulli", "quantized")
# x > 0 as a cut point: x ≥ the smallest number above 0.
ABOVE_ZERO = np.nextafter(np.zeros(1), 1)


def distribution_per_column(distribution, table):
    """Return the distribution of each column: one of DISTRIBUTIONS, or "loo"."""
    given = per_column_list(distribution, table, "distribution", "auto")
    return [_resolve(name, table, j) for j, name in enumerate(given)]


def _resolve(distribution, table, column):
    name = table.names[column]
    allowed = (*DISTRIBUTIONS, "auto", "loo")
    if not isinstance(distribution, str) or distribution not in allowed:
        raise ValueError(
            f"distribution={distribution!r} for column {name!r}: it must be one of "
            f"{list(allowed)}."
        )
    distribution = str(distribution)  # a str also where np.str_ was given
    if table.is_categorical(column) and distribution in ("auto", "loo"):
        return "categorical"
    labels = table.labels(column)
    if labels is not None:
        if distribution != "categorical" and labels.kind not in ("bool", "nothing"):
            raise TypeError(
                f"distribution={distribution!r} for column {name!r}, which holds "
                f"labels (such as {labels.categories[0]!r}) and not numbers: choose "
                "'categorical' or 'auto' for it."
            )
    elif column in table.declared and distribution != "categorical":
        raise ValueError(
            f"categories lists the values of column {name!r}, which has "
            f"distribution={distribution!r}: choose 'categorical' or 'auto' for it, or "
            "leave it out of categories."
        )
    if distribution == "auto":
        distribution = "gaussian"
    if table.is_sparse and distribution not in (*SPARSE_DISTRIBUTIONS, "loo"):
        raise TypeError(
            f"Sparse data was passed, and distribution={distribution!r} needs dense "
            f"data: choose one of {list(SPARSE_DISTRIBUTIONS)}, or convert X with "
            "X.toarray()."
        )
    return distribution


def count_columns(distributions, batch, settings, edges=None):
    """Return groups of columns with the statistics of a batch."""
    # distributions: {column: name}; edges: the cut points of each column of the table,
    # None where they are not known yet. Returns a list of ColumnDistribution, at most
    # one for discrete, one for Poisson and one for Gaussian columns.
    by_name = {name: [] for name in DISTRIBUTIONS}
    for column in sorted(distributions):
        by_name[distributions[column]].append(column)
    names, n_jobs = batch.table.names, settings.n_jobs
    groups = []
    if any(by_name[name] for name in _DISCRETE):
        groups.append(_count_discrete(by_name, batch, settings, edges))
    if by_name["poisson"]:
        given = settings.distribution
        given = given.values() if isinstance(given, dict) else given
        is_chosen = "poisson" not in given
        group = PoissonColumns(by_name["poisson"], names, is_chosen=is_chosen)
        groups.append(group.counted(batch, n_jobs))
    if by_name["gaussian"]:
        share = 0.0 if settings.tunes_var_smoothing else settings.var_smoothing
        # As given, a model of two batches is that of all rows, whatever their weights.
        one_row = weight_of_row(batch.weight) if batch.is_merged else 1.0
        group = GaussianColumns(by_name["gaussian"], names, share, one_row)
        groups.append(group.counted(batch, n_jobs))
    return groups


def _count_discrete(by_name, batch, settings, edges):
    table, n_jobs = batch.table, settings.n_jobs
    numbers = [j for j in by_name["categorical"] if not table.is_categorical(j)]
    small = count_small_integers(batch, np.array(numbers, dtype=np.int64), n_jobs)
    others = [j for j in by_name["categorical"] if j not in small]
    values = dict.fromkeys(by_name["bernoulli"], ABOVE_ZERO)
    values.update((j, categories) for j, (categories, _) in small.items())
    values.update(zip(others, find_categories(table, others)))
    for column in by_name["quantized"]:
        known = None if edges is None else edges[column]
        if known is None:
            known = batch.cut_points(column, settings.binning, settings.n_bins)
        values[column] = known
    columns = sorted(values)
    categorical = set(by_name["categorical"])
    codebook = Codebook(
        columns,
        [values[column] for column in columns],
        [column not in categorical for column in columns],
    )
    group = DiscreteColumns(codebook, table.names)
    return group.counted_with_known(small, batch, n_jobs)


def virtual_examples(m, groups, n_columns):
    """Return m of each column, from a number for all, an array, or "laplace" (K)."""
    if isinstance(m, str) and m == "laplace":  # 1 where there are infinitely many
        per_column = np.ones(n_columns)
        for group in groups:
            if isinstance(group, DiscreteColumns):
                per_column[group.columns] = group.codebook.sizes
        return per_column
    per_column = as_float_array(m, "m", "a number, one number per column, or 'laplace'")
    if per_column.ndim == 0:
        per_column = np.full(n_columns, per_column)
    if per_column.shape != (n_columns,):
        raise ValueError(
            f"m has shape {per_column.shape}; X has {n_columns} columns: give one "
            "number, or one per column."
        )
    if not np.all((per_column >= 0) & (per_column <= MAX_VIRTUAL_EXAMPLES)):  # nor NaN
        raise ValueError(
            f"m={m!r}: the number of virtual examples must be ≥ 0 (and ≤ "
            f"{MAX_VIRTUAL_EXAMPLES:g})."
        )
    return per_column


# The parameters of MEstimateNB that its columns depend on.


class ColumnSettings(PenalizedSettings):
    """Parameters of :class:`~sklearn_bayeslazy.MEstimateNB`, under their names."""

    # A penalty is λ and the weight that it pulls to. The first is between naive Bayes
    # and no columns.
    usual_penalty = 1.0, 0.5
    # With fewer rows, penalties are compared on folds, which takes about six times as
    # long. With more, the usual one is as good.
    many_rows_per_column, many_rows = 20, 0

    @staticmethod
    def to_the_prior(penalty):
        """Return the penalty that pulls all weights to 0."""
        return penalty, 0.0

    def for_folds(self, model):
        """Return settings by which the rows of some folds make all other choices."""
        # The penalty of a model of all rows stays: two numbers cannot fit its rows.
        return self.replace(random_state=0, penalty=model.penalty)

    @property
    def tunes_m(self):
        """Whether leave-one-out chooses m."""
        return is_loo(self.m)

    @property
    def tunes_bins(self):
        """Whether leave-one-out chooses the bins of quantized columns."""
        return "loo" in (self.n_bins, self.binning)

    def tunes(self, distributions):
        """Whether leave-one-out chooses anything, for these distributions."""
        bins = self.tunes_bins and "quantized" in distributions
        var_smoothing = self.tunes_var_smoothing and "gaussian" in distributions
        chosen = self.tunes_m or self.tunes_weights or bins or var_smoothing
        return chosen or "loo" in distributions

    @property
    def tunes_var_smoothing(self):
        """Whether leave-one-out chooses the variance that is added."""
        return isinstance(self.var_smoothing, str)

    @property
    def tunes_weights(self):
        """Whether leave-one-out chooses the weights of the columns."""
        return isinstance(self.feature_weights, str)

    @property
    def tunes_indicators(self):
        """Whether leave-one-out chooses indicators of missing cells."""
        # What is given for each column has no entries for those of indicators.
        takes_labels = ("loo", "auto", "categorical")
        fits_any_column = (
            np.ndim(self.m) == 0
            and isinstance(self.prior, str | dict)
            and (
                isinstance(self.distribution, dict) or self.distribution in takes_labels
            )
        )
        return super().tunes_indicators and fits_any_column


# Columns of small integers, counted in one pass without a search for categories.


# Integers 0 … 255 are counted directly.
N_SMALL_INTEGERS = 256
# Above this number of counts (32 MiB) the categories are searched for first.
_MAX_COUNTS = 2**22


def count_small_integers(batch, columns, n_jobs=None):
    """Count the columns that hold only small integers ≥ 0, in one pass over them."""
    # Returns {column: (categories, counts)} of only those of `columns` that hold small
    # integers; categories: (K,) float64, counts: (K, n_classes).
    shape = N_SMALL_INTEGERS, len(columns), batch.n_classes
    if batch.table.is_sparse or not len(columns) or np.prod(shape) > _MAX_COUNTS:
        return {}

    def count_chunk(chunk):
        counts, has_others = np.zeros(shape), np.zeros(len(columns), dtype=bool)
        classes, weight = label_arrays(chunk)
        for rows in chunk.table.block_rows():
            cells = chunk.table.cells(columns, rows)
            block = frozen(cells, cells.dtype)
            count_integers(block, classes[rows], weight[rows], counts, has_others)
            if has_others.all():
                break
        # Most tables hold few values. Only their counts are merged.
        values = np.flatnonzero(counts.max(axis=(1, 2)))
        return values, counts[values], has_others

    results = map_tasks(count_chunk, batch.chunks(np.prod(shape)), n_jobs=n_jobs)
    counts = np.zeros(shape)
    for values, chunk_counts, _ in results:
        counts[values] += chunk_counts
    has_others = np.any([has_others for _, _, has_others in results], axis=0)
    found = {}
    for j in np.flatnonzero(~has_others):
        values = np.flatnonzero(counts[:, j].any(axis=1))
        found[columns[j]] = values.astype(np.float64), counts[values, j]
    return found


@kernel
def count_integers(block, classes, weight, counts, has_others):
    """Count the numbers 0 … K-1 by value; flag columns that hold any other number."""
    # One pass finds categories and counts: for the row "m-estimate fit, 10⁶ × 30
    # categorical" of DESIGN.md, section 5.
    # block: (n, d); counts: (K, d, C); has_others: (d,) bool. Values come first: the
    # counts of few values then lie together in the fastest cache.
    n_values = counts.shape[0]
    for i in range(block.shape[0]):
        c = np.uint64(classes[i])
        w = weight[i]
        for j in range(block.shape[1]):
            x = block[i, j]
            if 0 <= x < n_values and int(x) == x:
                counts[np.uint64(int(x)), np.uint64(j), c] += w
            elif x == x:
                has_others[j] = True

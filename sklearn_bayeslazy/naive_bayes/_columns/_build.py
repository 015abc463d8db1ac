"""From parameters and a table to families of columns: kinds, bins, virtual examples."""

import numpy as np

from ..._arrays import as_float_array
from ...tabular import Codebook, cut_points, find_categories
from ._discrete import DiscreteColumns
from ._gaussian import GaussianColumns
from ._poisson import PoissonColumns
from ._priors import LARGEST, per_column_list
from ._small_integers import count_small_integers

DISTRIBUTIONS = ("categorical", "bernoulli", "poisson", "gaussian", "quantized")
BINNINGS = ("quantile", "uniform", "mdlp", "binary")
# A sparse cell that is not stored is a 0, and these take it as such.
SPARSE_DISTRIBUTIONS = ("categorical", "bernoulli", "poisson")
_DISCRETE = ("categorical", "bernoulli", "quantized")
# x > 0 in the form of a cut point: x ≥ the smallest number above 0.
_ABOVE_ZERO = np.nextafter(np.zeros(1), 1)


def distribution_per_column(distribution, table):
    """Return the distribution of each column: one of DISTRIBUTIONS, or "loo".

    Raises
    ------
    ValueError, TypeError
        Where a column cannot have the distribution that is asked of it.
    """
    if isinstance(distribution, str):
        given = [distribution] * table.n_columns
    else:
        given = per_column_list(distribution, table, "distribution", "auto")
    return [_resolve(one, table, j) for j, one in enumerate(given)]


def asked_distributions(distribution):
    """Return the set of distributions that the parameter names, "auto" included."""
    if isinstance(distribution, str):
        return {distribution}
    if isinstance(distribution, dict):
        return {"auto", *map(str, distribution.values())}
    return set(map(str, distribution))


def _resolve(distribution, table, column):
    name = table.names[column]
    known = (*DISTRIBUTIONS, "auto", "loo")
    if not isinstance(distribution, str) or distribution not in known:
        raise ValueError(
            f"distribution={distribution!r} for column {name!r}: it must be one of "
            f"{list(known)}."
        )
    distribution = str(distribution)  # no np.str_ in what is shown
    labels = table.labels(column)
    if labels is not None:
        if distribution in ("auto", "loo"):
            return "categorical"
        if distribution != "categorical" and labels.kind not in ("bool", "nothing"):
            raise TypeError(
                f"distribution={distribution!r} for column {name!r}, which holds "
                f"labels (such as {labels.categories[0]!r}) and not numbers: choose "
                "'categorical' or 'auto' for it."
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


def count_families(distributions, batch, options, edges=None, n_jobs=None):
    """Return families of columns with the statistics of a batch.

    Parameters
    ----------
    distributions : dict of {column: str}
    batch : Batch
    options : dict
        "n_bins", "binning", "var_smoothing", "unknown" of the estimator.
    edges : sequence or dict of the cut points by column, default=None
        Where cut points are known already.
    n_jobs : int, default=None
    """
    by_name = {name: [] for name in DISTRIBUTIONS}
    for column in sorted(distributions):
        by_name[distributions[column]].append(column)
    names = batch.table.names
    families = []
    if any(by_name[name] for name in _DISCRETE):
        families.append(_count_discrete(by_name, batch, options, edges, n_jobs))
    if by_name["poisson"]:
        family = PoissonColumns(by_name["poisson"], names)
        families.append(family.counted(batch, n_jobs))
    if by_name["gaussian"]:
        smoothing = options["var_smoothing"]
        family = GaussianColumns(by_name["gaussian"], names, smoothing)
        families.append(family.counted(batch, n_jobs))
    return families


def _count_discrete(by_name, batch, options, edges, n_jobs):
    numbers = [j for j in by_name["categorical"] if batch.table.labels(j) is None]
    small = count_small_integers(batch, np.array(numbers, dtype=np.int64), n_jobs)
    others = [j for j in by_name["categorical"] if j not in small]
    values = dict.fromkeys(by_name["bernoulli"], _ABOVE_ZERO)
    values.update((j, categories) for j, (categories, _) in small.items())
    values.update(zip(others, find_categories(batch.table, others)))
    for column in by_name["quantized"]:
        known = None if edges is None else edges[column]
        values[column] = _cut(batch, column, options) if known is None else known
    columns = sorted(values)
    categorical = set(by_name["categorical"])
    codebook = Codebook(
        columns,
        [values[column] for column in columns],
        [column not in categorical for column in columns],
    )
    refuse = options["unknown"] == "error"
    family = DiscreteColumns(codebook, batch.table.names, refuse_unknown=refuse)
    return family.counted_but_for(small, batch, n_jobs)


def _cut(batch, column, options):
    """Return the cut points of a column that is to be quantized."""
    return cut_points(
        batch.table.column(column),
        options["binning"],
        options["n_bins"],
        batch.classes,
        batch.n_classes,
        batch.weight,
    )


def virtual_examples(m, families, n_columns):
    """Return m of each column: a number for all, an array, or "laplace" (K)."""
    if isinstance(m, str) and m == "laplace":  # K, or 1 where values have no end
        per_column = np.ones(n_columns)
        for family in families:
            if isinstance(family, DiscreteColumns):
                per_column[family.columns] = family.codebook.sizes
        return per_column
    per_column = as_float_array(m, "m", "a number, one number a column, or 'laplace'")
    if per_column.ndim == 0:
        per_column = np.full(n_columns, per_column)
    if per_column.shape != (n_columns,):
        raise ValueError(
            f"m has shape {per_column.shape}; X has {n_columns} columns: give one "
            "number, or one a column."
        )
    if not np.all((per_column >= 0) & (per_column <= LARGEST)):  # nor NaN
        raise ValueError(
            f"m={m!r}: the number of virtual examples must be ≥ 0 (and ≤ {LARGEST:g})."
        )
    return per_column

"""Batches and sparse tables in the form that kernels take."""

import numpy as np

from ..._kernel import frozen


def label_arrays(batch):
    """Return class codes and weights in the form that kernels take."""
    return frozen(batch.classes, np.int32), frozen(batch.weight, np.float64)


def csr_structure(table):
    """Return indptr and indices of a sparse table in the form that kernels take."""
    values = table.values
    return frozen(values.indptr, np.int64), frozen(values.indices, np.int32)


def column_positions(table, columns):
    """Return the position of each column of the table among `columns`, or -1."""
    positions = np.full(table.n_columns, -1, dtype=np.int64)
    positions[columns] = np.arange(len(columns))
    return frozen(positions, np.int64)

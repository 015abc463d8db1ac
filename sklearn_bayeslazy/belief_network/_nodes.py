"""The nodes of a network: columns of a table, the class, and hidden nodes."""

from dataclasses import dataclass, replace
from itertools import pairwise
from numbers import Integral
from typing import NamedTuple

import numpy as np

from .._core._parallel import map_tasks
from ..tabular import (
    MISSING,
    UNKNOWN,
    Codebook,
    cut_points,
    is_missing_cell,
    learn_codebook,
    mdlp_edges,
    merge_equal_rows,
    separate_frequent_values,
)
from ._counts import CodedRows

BINNINGS = ("auto", "quantile", "uniform", "mdlp")
# The binnings of which "auto" takes the one with more bins; ties go to the first. MDLP
# gives many bins to informative columns of many rows. It gives one to a column that is
# informative only together with others.
_TRIED = {"auto": ("mdlp", "quantile")}


class ClassColumn(NamedTuple):
    """The class as a node: its name, its values, and the code of each row."""

    name: str
    values: np.ndarray  # (n_classes,)
    codes: np.ndarray  # (n_rows,), MISSING where a row has no label


@dataclass(frozen=True, eq=False)
class Nodes:
    """The nodes in order: the columns, then the class, then the hidden nodes."""

    column_names: tuple
    codebook: Codebook  # the categories or the cut points of each column
    # Name and values of the nodes that are not columns: the class and hidden nodes.
    others: tuple = ()

    @property
    def n_columns(self):
        """Return the number of columns."""
        return len(self.column_names)

    @property
    def names(self):
        """Return the name of each node."""
        return (*self.column_names, *(name for name, _ in self.others))

    @property
    def values(self):
        """Return the values of each node; a bin is named by its bounds."""
        return (*value_names(self.codebook), *(values for _, values in self.others))

    @property
    def sizes(self):
        """Return the number of values of each node; an empty column has one."""
        columns = (max(int(size), 1) for size in self.codebook.sizes)
        return (*columns, *(len(values) for _, values in self.others))

    def codes(self, table, refuse_unknown=False):
        """Return the codes of a table's rows, below 0 for missing or unknown values."""
        # Returns (n_rows, n_nodes), int32. The class and the hidden nodes are missing.
        codes = self.codebook.reader(table, refuse_unknown)(slice(None))
        others = np.full((len(codes), len(self.others)), MISSING, dtype=np.int32)
        return np.concatenate([codes, others], axis=1)

    def rows(self, table, weight, target=None, n_jobs=None):
        """Return the coded rows of a table."""
        # weight: (n_rows,); target: a ClassColumn, or None if no row has a class.
        columns = np.full((len(self.names), table.n_rows), MISSING, dtype=np.int32)
        read = self.codebook.reader(table)

        def fill(rows):
            columns[: self.n_columns, rows] = read(rows).T

        map_tasks(fill, table.block_rows(), n_jobs=n_jobs)
        if target is not None:
            columns[self.n_columns] = target.codes
        return CodedRows.of(columns.T, weight, self.names, self.sizes)

    def extended(self, table):
        """Return the nodes with the categories of one more table; bins stay."""
        return replace(self, codebook=self.codebook.extended(table))

    def union(self, other):
        """Return the nodes with the categories of both."""
        codebook = self.codebook.union(other.codebook, self.column_names)
        return replace(self, codebook=codebook)

    def positions_in(self, other):
        """Return the position of each node's values among the values in `other`."""
        # `other` has the same nodes and all values of this one. Returns a list of
        # (n_values,).
        ends, found = self.codebook.start, self.codebook.positions_in(other.codebook)
        columns = [
            found[ends[j] : ends[j + 1]] - other.codebook.start[j]
            if ends[j + 1] > ends[j]
            else np.zeros(1, dtype=np.int64)
            for j in range(self.n_columns)
        ]
        return [*columns, *(np.arange(len(values)) for _, values in self.others)]


def learn_node_codebook(table, binning, n_bins, target, weight, n_jobs):
    """Return the codebook of all columns: labels as values, numbers cut into bins."""
    # binning: one of BINNINGS; target: the ClassColumn, which "mdlp" and "auto" need,
    # or None; "mdlp" uses the rows with a label. weight: (n_rows,).

    def cut(j):
        classes = None if target is None else target.codes
        rows = merge_equal_rows(table.column(j), classes, weight)
        by_class = () if target is None else _labelled(*rows, len(target.values))
        found = [
            mdlp_edges(*by_class)
            if name == "mdlp"
            else cut_points(rows[0], name, n_bins, weight=rows[2])
            for name in _TRIED.get(binning, (binning,))
        ]
        edges = max(found, key=len)
        if binning == "auto":
            return separate_frequent_values(edges, *by_class, n_bins)
        return edges

    return learn_codebook(table, cut, n_jobs)


def _labelled(cells, classes, weight, n_classes):
    """Return the rows that have a label, as the arguments of `mdlp_edges`."""
    if np.any(unlabelled := classes < 0):
        labelled = ~unlabelled
        cells, classes, weight = cells[labelled], classes[labelled], weight[labelled]
    return cells, classes, n_classes, weight


def hidden_nodes(hidden, structure, other_names):
    """Return name and values of each hidden node, or raise an error."""
    # hidden: {name: number of values} or None; other_names: of columns and class.
    if hidden and isinstance(structure, str):
        raise ValueError(
            f"hidden={hidden!r} needs the arcs: structure={structure!r} searches for "
            "arcs between observed nodes only. Give structure as a list of "
            "(parent, child) that names the hidden nodes too."
        )
    nodes, used = [], set(other_names)
    for name, size in (hidden or {}).items():
        if str(name) in used:
            raise ValueError(
                f"hidden names {name!r}, which is a column, the class, or listed "
                "twice: give the node another name."
            )
        if not isinstance(size, Integral) or isinstance(size, bool) or size < 2:
            raise ValueError(
                f"hidden[{name!r}] must be the number of its values, ≥ 2, got {size!r}."
            )
        used.add(str(name))
        nodes.append((str(name), np.arange(size)))
    return nodes


def value_names(codebook):
    """Return the values of each column, each bin as a string with its bounds.

    >>> book = Codebook([0, 1], [np.array(["no", "yes"]), np.array([1.5, 4.0])], [0, 1])
    >>> value_names(book)[1]
    array(['< 1.5', '1.5 to 4', '≥ 4'], dtype=object)
    """
    return [
        _bin_names(values) if cut else (values if len(values) else _NEVER_SEEN)
        for values, cut in zip(codebook.values, codebook.is_cut)
    ]


# The one value of a column in which every cell is missing.
_NEVER_SEEN = np.array(["(never seen)"], dtype=object)


def _bin_names(edges):
    if not len(edges):
        return np.array(["any number"], dtype=object)
    bounds = [f"{edge:.6g}" for edge in edges]
    if len(set(bounds)) < len(bounds):
        bounds = [repr(float(edge)) for edge in edges]
    between = [f"{low} to {high}" for low, high in pairwise(bounds)]
    return np.array([f"< {bounds[0]}", *between, f"≥ {bounds[-1]}"], dtype=object)


def code_of_value(value, values):
    """Return the code of a value of a class or a hidden node.

    >>> code_of_value("b", np.array(["a", "b"])), code_of_value(2, np.arange(2))
    (1, -2)
    """
    if is_missing_cell(value):
        return MISSING
    found = [code for code, other in enumerate(values) if other == value]
    return found[0] if found else UNKNOWN

"""Tables over a few nodes: factors of log potentials, and distributions of queries.

The nodes of a factor are sorted. Its array has an axis for the rows, of length 1 if all
rows share the factor, and an axis for each node.
"""

from dataclasses import dataclass

import numpy as np

from ..tabular import import_pandas


@dataclass(frozen=True, eq=False)
class Factor:
    """A table of logarithms over some nodes."""

    nodes: tuple  # ascending
    logs: np.ndarray  # (n_rows or 1, *sizes of the nodes)

    def without(self, node, reduce):
        """Return the factor without a node: its values' `log_sum`, or `np.max`.

        >>> f = Factor((0, 1), np.log([[[0.1, 0.2], [0.3, 0.4]]]))
        >>> np.exp(f.without(0, log_sum).logs).round(9)
        array([[0.4, 0.6]])
        """
        axis = self.nodes.index(node)
        nodes = self.nodes[:axis] + self.nodes[axis + 1 :]
        return Factor(nodes, reduce(self.logs, axis=axis + 1))  # after the row axis


def conditional(node, parents, table):
    """Return the factor of a table P(node | parents), of shape (*parent sizes, K)."""
    family = (*parents, node)
    order = sorted(range(len(family)), key=family.__getitem__)
    with np.errstate(divide="ignore"):
        logs = np.log(np.transpose(table, order))
    return Factor(tuple(sorted(family)), logs[None])


def observe(factor, codes, observed):
    """Return the factor of each row given its observed values."""
    # factor: shared by all rows; codes: (n_rows, n_nodes).
    # observed: the set of observed nodes, the same in all rows.
    fixed = [axis for axis, node in enumerate(factor.nodes) if node in observed]
    if not fixed:
        return factor
    free = [axis for axis in range(len(factor.nodes)) if axis not in fixed]
    logs = np.transpose(factor.logs[0], fixed + free)
    logs = logs[tuple(codes[:, factor.nodes[axis]] for axis in fixed)]
    return Factor(tuple(factor.nodes[axis] for axis in free), logs)


def multiply(factors):
    """Return the product of factors; the empty product is 1."""
    nodes = sorted({node for factor in factors for node in factor.nodes})
    product = np.zeros((1,) * (len(nodes) + 1))
    for factor in factors:
        sizes = dict(zip(factor.nodes, factor.logs.shape[1:]))
        shape = (len(factor.logs), *(sizes.get(node, 1) for node in nodes))
        product = product + factor.logs.reshape(shape)
    return Factor(tuple(nodes), product)


def log_sum(logs, axis):
    """Return ln Σ exp(logs) along an axis; -inf where all are."""
    largest = np.max(logs, axis=axis, keepdims=True)
    largest = np.where(largest == -np.inf, 0.0, largest)
    with np.errstate(divide="ignore"):
        sums = np.log(np.sum(np.exp(logs - largest), axis=axis, keepdims=True))
    return np.squeeze(sums + largest, axis=axis)


# The joint distribution of a few nodes, as `BeliefNetwork.query` returns it.


# The repr shows no more cells.
MAX_SHOWN = 12


@dataclass(frozen=True, eq=False)
class Distribution:
    """The joint distribution of a few nodes.

    Attributes
    ----------
    names : tuple of str
        The names of the nodes.
    values : tuple of arrays
        The values of each node.
    probabilities : ndarray of shape (*sizes of the nodes)
        They sum to 1.

    Examples
    --------
    >>> Distribution(("coin",), (["head", "tail"],), np.array([0.25, 0.75]))
    Distribution(head=0.25, tail=0.75)

    The probability of a value, or of a tuple of the values of several nodes:

    >>> Distribution(("coin",), (["head", "tail"],), np.array([0.25, 0.75]))["tail"]
    0.75
    """

    names: tuple
    values: tuple
    probabilities: np.ndarray

    def __getitem__(self, values):
        """Return the probability of a value, or of a tuple of several nodes' values."""
        given = values if isinstance(values, tuple) else (values,)
        if len(given) != len(self.names):
            raise KeyError(f"{values!r}: give a value of each of {list(self.names)}.")
        cell = []
        for name, known, value in zip(self.names, self.values, given):
            known = np.asarray(known, dtype=object).tolist()
            if value not in known:
                raise KeyError(f"{value!r} is not a value of {name!r}: {known}.")
            cell.append(known.index(value))
        return float(self.probabilities[tuple(cell)])

    # Iteration over values and `in` would be ambiguous for several nodes.
    __iter__ = __contains__ = None

    def frame(self):
        """Return a pandas Series of the probabilities, indexed by the nodes' values."""
        pd = import_pandas()
        index = pd.MultiIndex.from_product(self.values, names=self.names)
        if len(self.names) == 1:
            index = pd.Index(self.values[0], name=self.names[0])
        return pd.Series(self.probabilities.ravel(), index, name="probability")

    def __repr__(self):
        """Return the values and their probabilities, to four digits."""
        cells = [
            " & ".join(str(values[i]) for values, i in zip(self.values, cell))
            + f"={self.probabilities[cell]:.4g}"
            for cell in np.ndindex(self.probabilities.shape)
        ]
        shown = cells if len(cells) <= MAX_SHOWN else [*cells[:MAX_SHOWN], "…"]
        return f"Distribution({', '.join(shown)})"

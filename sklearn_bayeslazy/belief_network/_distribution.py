"""The joint distribution of a few nodes, as `BeliefNetwork.query` returns it."""

from dataclasses import dataclass

import numpy as np

from ..tabular import import_pandas

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

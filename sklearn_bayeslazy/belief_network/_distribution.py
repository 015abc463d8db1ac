"""The distribution of some nodes, as `BeliefNetwork.query` returns it."""

from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True, eq=False)
class Distribution:
    """The joint distribution of some nodes.

    Attributes
    ----------
    names : tuple of str
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
        places = []
        for name, known, value in zip(self.names, self.values, given):
            known = np.asarray(known, dtype=object).tolist()
            if value not in known:
                raise KeyError(f"{value!r} is no value of {name!r}: {known}.")
            places.append(known.index(value))
        return float(self.probabilities[tuple(places)])

    # Values of one node, or of several? Neither is to be expected.
    __iter__ = __contains__ = None

    def frame(self):
        """Return a pandas Series of the probabilities, by the nodes' values."""
        import pandas as pd

        index = pd.MultiIndex.from_product(self.values, names=self.names)
        if len(self.names) == 1:
            index = pd.Index(self.values[0], name=self.names[0])
        return pd.Series(self.probabilities.ravel(), index, name="probability")

    def __repr__(self):
        """Return the values and their probabilities, to four places."""
        cells = [
            " & ".join(str(some[i]) for some, i in zip(self.values, place))
            + f"={self.probabilities[place]:.4g}"
            for place in np.ndindex(self.probabilities.shape)
        ]
        shown = cells if len(cells) <= _MOST_SHOWN else [*cells[:_MOST_SHOWN], "…"]
        return f"Distribution({', '.join(shown)})"


_MOST_SHOWN = 12

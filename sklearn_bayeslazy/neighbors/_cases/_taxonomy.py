"""Similarity of symbols in a taxonomy, a tree: by the lowest common ancestor.

The depth of the root is 1, as Wu and Palmer count it.

Sources: Z. Wu and M. Palmer (1994), Verb semantics and lexical selection, ACL; R. Rada
et al. (1989), Development and application of a metric on semantic nets.
"""

from collections.abc import Mapping
from dataclasses import dataclass

from ._similarities import Similarity, _one_of, _refuse_unlisted


@dataclass(frozen=True)
class TaxonomySimilarity(Similarity):
    r"""Symbols in a tree of kinds, compared by their lowest common ancestor.

    With the depths of the two symbols and of their lowest common ancestor, where a
    root has depth 1:

    - "wu_palmer": 2 depth(ancestor) / (depth(a) + depth(b)).
    - "ancestor": the depth of the ancestor as a share of the greatest depth in the
      tree, (depth(ancestor) - 1) / (greatest depth - 1); 1 for equal symbols.
    - "path": 1 / (1 + number of edges between a and b).

    Symbols without a common ancestor have similarity 0.

    Parameters
    ----------
    parent : dict
        ``{symbol: the kind above it}``. Symbols that are above others only, and have no
        entry, are roots. Cells may hold symbols of any depth.
    kind : {"wu_palmer", "ancestor", "path"}, default="wu_palmer"

    Examples
    --------
    A truck is at depth 3, a car at depth 4, their ancestor "motor" at depth 2:

    >>> from sklearn_bayeslazy import TaxonomySimilarity
    >>> parent = {"motor": "vehicle", "bicycle": "vehicle", "truck": "motor",
    ...           "small": "motor", "car": "small"}
    >>> TaxonomySimilarity(parent).pairwise(["car"], ["truck"])  # 2 · 2 / (4 + 3)
    array([[0.57142857]])
    """

    parent: Mapping
    kind: str = "wu_palmer"

    def __post_init__(self):
        _one_of(self.kind, ("wu_palmer", "ancestor", "path"))
        if not isinstance(self.parent, Mapping) or not self.parent:
            raise ValueError(
                f"parent must be a dict {{symbol: the kind above it}}, got "
                f"{self.parent!r}."
            )
        for symbol in self.parent:
            self._path_to_root(symbol)

    def __hash__(self):
        """Return a hash of the symbols: dictionaries have none."""
        return hash((frozenset(self.parent.items()), self.kind))

    def check(self, values, name):
        """Raise an error for a value that is not in the tree."""
        listed = {*self.parent, *self.parent.values()}
        _refuse_unlisted(values, listed, name, "taxonomy")

    def _path_to_root(self, symbol):
        """Return the symbol and all kinds above it, from the symbol to the root."""
        path = [symbol]
        while path[-1] in self.parent:
            above = self.parent[path[-1]]
            if above in path:
                cycle = " -> ".join(map(repr, [*path[path.index(above) :], above]))
                raise ValueError(
                    f"The taxonomy has a cycle: {cycle}. Each symbol needs a path to a "
                    "root: remove one of these entries of parent."
                )
            path.append(above)
        return path

    def _of_pair(self, x, y):
        above_x, above_y = self._path_to_root(x), self._path_to_root(y)
        common = [symbol for symbol in above_x if symbol in above_y]
        if x == y:
            return 1.0
        if not common:
            return 0.0
        depth = len(self._path_to_root(common[0]))
        if self.kind == "wu_palmer":
            return 2 * depth / (len(above_x) + len(above_y))
        if self.kind == "path":
            return 1 / (1 + len(above_x) + len(above_y) - 2 * depth)
        greatest = max(len(self._path_to_root(symbol)) for symbol in self.parent)
        return (depth - 1) / (greatest - 1)

"""Cases: how they are read, stored, compared, completed and combined.

A `Similarity` compares the values of one attribute. A subclass gives `_of_pair`, the
similarity of two values from 0 to 1, or `pairwise`, that of all pairs. This one
compares codes by the letters that they begin with:

>>> from dataclasses import dataclass
>>> from sklearn_bayeslazy import CaseBasedClassifier
>>> from sklearn_bayeslazy.neighbors._cases import Similarity
>>> @dataclass(frozen=True)
... class PrefixSimilarity(Similarity):
...     def _of_pair(self, x, y):
...         same = [a == b for a, b in zip(x, y)]
...         return [*same, False].index(False) / max(len(x), len(y))
>>> PrefixSimilarity().pairwise(["AB12"], ["AB34", "CB12", "AB12"])
array([[0.5, 0. , 1. ]])
>>> model = CaseBasedClassifier(1, similarities={"code": PrefixSimilarity()}, m=0)
>>> model = model.fit([{"code": "AB12"}, {"code": "CD34"}], ["chair", "table"])
>>> model.predict([{"code": "CD99"}]).tolist()
['table']

A similarity is a frozen dataclass: it has a hash, and its copies are equal. Equal
values have similarity 1, and no pair depends on the others, with three exceptions:

- `TableSimilarity` has for equal symbols what the table lists, if it lists them.
- `NumberSimilarity` without a scale divides by the range of all numbers in both lists;
  with "ranks" it compares their ranks among these.
- `ValueDifferenceSimilarity` is learnt in the fit of an estimator; its `pairwise`
  raises an error.

Cells that are no strings, booleans or numbers need ``reads_objects = True``, and a
`read` that returns hashable values. The test
``tests/neighbors/cases/test_similarity_contract.py`` runs over all similarities.
"""

from ._base import CaseBase
from ._graphs import GraphSimilarity
from ._similarities import (
    EqualitySimilarity,
    NumberSimilarity,
    OrderedSimilarity,
    SetSimilarity,
    Similarity,
    TableSimilarity,
    ValueDifferenceSimilarity,
    WordSimilarity,
)
from ._taxonomy import TaxonomySimilarity

"""Shepard's method: weighted votes, leave-one-out, explanations and a treecode.

A `Vote` predicts queries by the votes of training rows. Its search measures distances,
its `Weighting` turns them into weights, and its `TrainingTargets` turn sums of votes
into predictions. ``exact()`` returns an `ExactVote`, which also lists the rows that
vote. Here rows at 0, 1 and 3 vote for numbers with the weight 1 / d²:

>>> import numpy as np
>>> from sklearn_bayeslazy.neighbors._shepard import ListVote, NumberTargets, Weighting
>>> from sklearn_bayeslazy.search import DenseSearch, learn_metric
>>> X, y, ones = np.array([[0.0], [1.0], [3.0]]), np.array([0.0, 3.0, 6.0]), np.ones(3)
>>> metric = learn_metric("euclidean", None, None, X, ones)
>>> search = DenseSearch(metric, X, [np.arange(3)], tree=False)
>>> weighting = Weighting.from_parameters("inverse", 2.0, metric)
>>> targets = NumberTargets(ones, y[:, None], one_output=True)
>>> vote = ListVote(search, weighting, targets, n_neighbors=None)
>>> def at_once(function, n_rows, bytes_per_row):
...     function(slice(0, n_rows))
>>> vote.predictions(np.array([[2.0]]), at_once)  # (0/4 + 3/1 + 6/1) / (1/4 + 1 + 1)
array([[4.]])
>>> vote.predictions(X, at_once, left_out=np.arange(3))[0]  # (3/1 + 6/9) / (1/1 + 1/9)
array([3.3])

The votes are in `_votes.py`; `ShepardBase` chooses among them. The test
``tests/neighbors/test_vote_contract.py`` runs over all votes.
"""

from ._base import ShepardBase
from ._class_targets import ClassTargets, MultiClassTargets, stack_labels
from ._column_weights import without_last
from ._explanation import explain_votes
from ._left_out_votes import (
    MAX_POWER,
    LeftOutVotes,
    best_weights,
    candidates_of,
    choose_parameters,
    choose_votes,
)
from ._stored_rows import (
    LeftOutVote,
    StoredClassesMixin,
    StoredNumbersMixin,
    StoredRows,
)
from ._training_targets import NumberTargets
from ._treecode import build_treecode
from ._votes import AllRowsVote, ExactVote, ListVote, TreecodeVote, Vote
from ._weighting import Weighting

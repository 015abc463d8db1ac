"""The next word of a text: an n-gram model of one class as a state machine.

A state is the node of the longest known history. To step is to read one more word: the
n-gram model gives the probability of each word and the state after it.
"""

import numpy as np

from .._kernel import frozen
from ._language_model_kernels import step_states

INITIAL_STATE = 0  # the empty history


class NextWords:
    """Probabilities of the next word after a state, and the states that follow.

    Parameters
    ----------
    model : NGramModel
        Of one class.
    suffix : int array of shape (n_nodes,)
        The node of each n-gram without its first word.
    """

    def __init__(self, model, suffix):
        self.model = model
        self.suffix = suffix
        self._arrays = (
            model.trie(),
            frozen(model.counts.level_start, np.int64),
            frozen(suffix, np.int64),
            model.estimates(),
        )

    def step(self, state, codes):
        """Return P(w | state) of words, and the states after them.

        Parameters
        ----------
        state : int
        codes : array-like of int, of shape (n,)

        Returns
        -------
        probability : ndarray of shape (n,)
        next_state : int array of shape (n,)
        """
        return step_states(state, frozen(codes, np.int64), *self._arrays)

    def state_after(self, codes, state=INITIAL_STATE):
        """Return the state after some more words."""
        for code in codes:
            state = self.step(state, [code])[1][0]
        return state

"""The next word of a text: an n-gram model of one class as a finite-state automaton.

A state is a node of the n-gram trie. It stands for the longest suffix of the text, of
at most order - 1 words, that the trie holds. A transition reads one word. The model
gives the word's probability, and the trie gives the next state.
"""

import numpy as np

from ..._core._kernel import frozen
from ._kernels import step_states

INITIAL_STATE = 0  # the empty history


class NextWords:
    """The next word after a state: its probability, and the state that follows."""

    # model: the NGramModel of one class; suffix: int (n_nodes,), where ``suffix[e]`` is
    # the node of node e's n-gram without its first word.
    def __init__(self, model, suffix):
        self.model = model
        self.suffix = suffix
        self._kernel_arguments = (
            model.trie(),
            frozen(model.counts.level_start, np.int64),
            frozen(suffix, np.int64),
            model.estimates(),
        )

    def step(self, state, candidates):
        """Return P(w | state) of alternative next words, and the state after each."""
        # candidates: word codes (n,), alternatives after the same state, not a
        # sequence. Both results: (n,). P(<s> | state) is 0: the start symbol is never
        # predicted.
        return step_states(state, frozen(candidates, np.int64), *self._kernel_arguments)

    def state_after(self, codes, state=INITIAL_STATE):
        """Return the state after reading the words of `codes` in sequence."""
        for code in codes:
            state = self.step(state, [code])[1][0]
        return state

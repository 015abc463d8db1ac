"""Texts that a language model draws, and the likeliest ones."""

import numpy as np

from ..._core._kernel import frozen
from ._counts import END, UNKNOWN_WORD
from ._kernels import step_states


def draw_text(next_words, state, outcomes, max_length, rng):
    """Draw words until END comes, or until there are `max_length`."""
    # next_words: NextWords; state: that before the first word; outcomes: the codes of
    # all words that can occur, UNKNOWN first. Returns the list of codes, never UNKNOWN
    # or END.
    text = []
    while len(text) < max_length:
        code = draw_word(next_words, state, outcomes, rng)
        if code == END:
            break
        text.append(code)
        state = next_words.state_after([code], state)
    return text


def draw_word(next_words, state, outcomes, rng):
    """Draw the word after a state; never UNKNOWN."""
    code = _draw_outcome(next_words, state, outcomes, rng)
    if code != UNKNOWN_WORD:
        return code
    known = outcomes[1:]
    probability = next_words.step(state, known)[0]
    if not np.any(probability):
        raise ValueError(
            "There is a context after which only the unknown word can come, so no text "
            "can be drawn: lower min_df, give a larger vocabulary, or use another "
            "smoothing."
        )
    return int(known[_draw_position(probability, rng)])


def _draw_outcome(next_words, state, outcomes, rng):
    """Draw from the words seen after the state, or after a shorter history."""
    counts, smoothed = next_words.model.counts, next_words.model.smoothed
    if not smoothed.is_mixture:
        probability = next_words.step(state, outcomes)[0]
        return int(outcomes[_draw_position(probability, rng)])
    while True:
        if rng.random() >= smoothed.backoff[state]:
            first, last = counts.first_child[state : state + 2]
            position = _draw_position(smoothed.discounted_prob[first:last], rng)
            return int(counts.word[first + position])
        seen = smoothed.backoff[state] < 1.0
        if not state or (smoothed.additive and seen):
            return int(rng.choice(outcomes))
        state = next_words.suffix[state]


def _draw_position(weights, rng):
    cumulative = np.cumsum(weights)
    position = np.searchsorted(cumulative, rng.random() * cumulative[-1], side="right")
    return min(position, len(weights) - 1)


# The next word of a text: an n-gram model of one class as a finite-state automaton.
#
# A state is a node of the n-gram trie. It stands for the longest suffix of the text, of
# at most order - 1 words, that the trie holds. A transition reads one word. The model
# gives the word's probability, and the trie gives the next state.


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


# Viterbi's algorithm over the states of a language model.


def best_path(next_words, state, codes, log_channel, end=None):
    """Return the most probable choice at each position, and its log probability."""
    # Two partial paths that lead to the same state differ only in their score so far:
    # the better one is kept. state: that before the first word; codes: a list of
    # candidates for each position; log_channel: the log probability of the signal given
    # each candidate; end: a last word that all paths share. Returns a list with the
    # index of the word chosen among the candidates of each position, and a float.
    _check(codes, log_channel)
    reached = {state: (0.0, None)}
    for candidates, channel in zip(codes, log_channel, strict=True):
        reached = _advance(next_words, reached, candidates, channel)
    if end is not None:
        reached = _advance(next_words, reached, [end], [0.0])
    score, path = max(reached.values(), key=lambda kept: kept[0])
    chosen = []
    while path is not None:
        path, index = path
        chosen.append(index)
    chosen.reverse()
    return chosen[: len(codes)], float(score)


def _advance(next_words, reached, candidates, channel):
    """Return the best score and path, a chain of (path, index), into each state."""
    best = {}
    for state, (score, path) in reached.items():
        probability, next_states = next_words.step(state, candidates)
        with np.errstate(divide="ignore"):
            scores = score + np.log(probability) + np.asarray(channel, dtype=float)
        for index, (new_score, next_state) in enumerate(zip(scores, next_states)):
            if next_state not in best or new_score > best[next_state][0]:
                best[next_state] = (new_score, (path, index))
    return best


def check_sequence(values, name):
    """Raise an error unless the values are a sequence, and not one of characters."""
    if isinstance(values, str) or not hasattr(values, "__getitem__"):
        raise TypeError(
            f"{name} must be a sequence such as a list, got {values!r:.60}."
        )


def _check(codes, log_channel):
    if len(codes) != len(log_channel):
        raise ValueError(
            f"log_channel has {len(log_channel)} positions, candidates {len(codes)}: "
            "give one sequence for each position."
        )
    for position, (words, channel) in enumerate(zip(codes, log_channel, strict=True)):
        values = np.asarray(channel, dtype=float)
        if not words:
            raise ValueError(
                f"candidates[{position}] is empty: give at least one word."
            )
        if values.shape != (len(words),) or not np.all(values < np.inf):
            raise ValueError(
                f"log_channel[{position}] must be {len(words)} numbers below infinity, "
                f"one for each candidate; got {channel!r}."
            )

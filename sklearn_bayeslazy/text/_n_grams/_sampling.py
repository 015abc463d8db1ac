"""Texts drawn from a language model, without computing all probabilities."""

import numpy as np

from ._counts import END, UNKNOWN


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
    if code != UNKNOWN:
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

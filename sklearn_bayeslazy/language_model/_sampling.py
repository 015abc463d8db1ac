"""Words drawn from a language model, without working out all probabilities."""

import numpy as np

from ._counts import UNKNOWN


def draw_word(model, suffix, step, state, outcomes, rng):
    """Draw the word after a state; never UNKNOWN.

    Parameters
    ----------
    model : Model
        Of one class.
    suffix : int array of shape (n_entries,)
    step : callable
        ``step(state, codes)`` returns the probabilities of words after a state, and
        the states after them.
    state : int
    outcomes : int array
        The codes of all words that may come, UNKNOWN first.
    rng : RandomState

    Returns
    -------
    int
    """
    code = _draw_outcome(model, suffix, state, outcomes, rng)
    if code != UNKNOWN:
        return code
    known = outcomes[1:]
    mass = step(state, known)[0]
    if not np.any(mass):
        raise ValueError(
            "There is a context after which only the unknown word may come, so no text "
            "can be drawn: lower min_df, give a larger vocabulary, or take another "
            "smoothing."
        )
    return int(known[_draw_place(mass, rng)])


def _draw_outcome(model, suffix, state, outcomes, rng):
    """Draw from the words seen after the state, or after a shorter history."""
    counts, smoothed = model.counts, model.smoothed
    while True:
        if rng.random() >= smoothed.backoff[state]:
            first, last = counts.first_child[state : state + 2]
            place = _draw_place(smoothed.weight[first:last], rng)
            return int(counts.word[first + place])
        seen = smoothed.backoff[state] < 1.0
        if not state or (smoothed.flat and seen):
            return int(rng.choice(outcomes))
        state = suffix[state]


def _draw_place(mass, rng):
    reached = np.cumsum(mass)
    place = np.searchsorted(reached, rng.random() * reached[-1], side="right")
    return min(place, len(mass) - 1)

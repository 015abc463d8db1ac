"""Viterbi's algorithm over the states of a language model."""

import numpy as np


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

"""Viterbi's algorithm over the states of a language model."""

import numpy as np


def best_path(step, state, codes, log_channel, end=None):
    """Return the most probable choice at each position, and its log probability.

    Two beginnings that lead to the same state differ only in what they have cost so
    far: the better one is kept.

    Parameters
    ----------
    step : callable
        ``step(state, codes)`` returns the probabilities of words after a state, and
        the states after them.
    state : int
        Where the path begins.
    codes : list of list of int
        The candidates of each position.
    log_channel : list of sequence of float
        What each candidate adds.
    end : int, default=None
        A last word that all paths share.

    Returns
    -------
    path : list of int
        The place of the word chosen among the candidates of each position.
    log_probability : float
    """
    _check(codes, log_channel)
    alive = {state: (0.0, None)}
    for candidates, channel in zip(codes, log_channel, strict=True):
        alive = _advance(step, alive, candidates, channel)
    if end is not None:
        alive = _advance(step, alive, [end], [0.0])
    score, path = max(alive.values(), key=lambda kept: kept[0])
    places = []
    while path is not None:
        path, place = path
        places.append(place)
    places.reverse()
    return places[: len(codes)], float(score)


def _advance(step, alive, candidates, channel):
    """Return the best score and path, a chain of (path, place), into each state."""
    reached = {}
    for state, (score, path) in alive.items():
        probability, after = step(state, np.array(candidates))
        with np.errstate(divide="ignore"):
            scores = score + np.log(probability) + np.asarray(channel, dtype=float)
        for place, (better, next_state) in enumerate(zip(scores, after)):
            if next_state not in reached or better > reached[next_state][0]:
                reached[next_state] = (better, (path, place))
    return reached


def _check(codes, log_channel):
    if len(codes) != len(log_channel):
        raise ValueError(
            f"log_channel has {len(log_channel)} positions, candidates {len(codes)}."
        )
    for position, (words, channel) in enumerate(zip(codes, log_channel, strict=True)):
        values = np.asarray(channel, dtype=float)
        if not words:
            raise ValueError(f"candidates[{position}] is empty.")
        if values.shape != (len(words),) or not np.all(values < np.inf):
            raise ValueError(
                f"log_channel[{position}] must be {len(words)} numbers below infinity, "
                f"one for each candidate; got {channel!r}."
            )

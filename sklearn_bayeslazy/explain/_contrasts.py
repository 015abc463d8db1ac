"""The score of one output against another one: base, effects, and their sum."""

from typing import NamedTuple

import numpy as np


class Contrast(NamedTuple):
    """What is explained for one row: an output, or the difference of two."""

    target: int  # the position of the explained output
    against: int | None  # that of the output whose score is subtracted
    base: float
    effects: np.ndarray  # (n_parts,)
    total: float  # base plus effects; NaN if both outputs have the score -inf


def contrast(terms, base, target, against):
    """Return the contributions to one output, or to its difference from another one.

    >>> terms, base = np.log([[0.2, 0.8], [0.5, 0.5]]), np.zeros(2)
    >>> contrast(terms, base, 1, 0).effects.round(2).tolist()  # log 0.8 / 0.2, log 1
    [1.39, 0.0]
    """
    if against is None:
        of_base, effects = base[target], terms[:, target]
    else:
        of_base = _difference(base[target], base[against])
        effects = _difference(terms[:, target], terms[:, against])
        scores = (base + terms.sum(axis=0))[[target, against]]
        if np.isneginf(scores).all():
            return Contrast(target, against, float(of_base), effects, np.nan)
    total = float(of_base + effects.sum())
    return Contrast(target, against, float(of_base), effects, total)


def best_output(terms, base, other_than=None):
    """Return the position of the largest score; without finite ones, of the base.

    >>> best_output(np.array([[0.0, -np.inf], [-np.inf, 0.0]]), np.array([-2.0, -1.0]))
    1
    """
    scores = base + terms.sum(axis=0)
    if np.isneginf(scores).all():
        scores = base
    allowed = np.arange(len(scores))
    allowed = allowed[allowed != other_than]
    return int(allowed[np.argmax(scores[allowed])])


def most_important(effects):
    """Return the positions of effects, the largest size first; ties keep the order."""
    return np.argsort(-np.abs(effects), kind="stable")


def _difference(a, b):
    """Return a - b; 0 where both are the same infinity."""
    with np.errstate(invalid="ignore"):
        return np.where(a == b, 0.0, np.subtract(a, b))

"""Random sentences with a word that reveals the class, for tests of the comparison."""

import numpy as np

WORDS = ["the", "movie", "was", "surprisingly", "long", "although", "very", "loud"]


def sentences(n, seed=0, mood=()):
    """Return `n` sentences of 3 to 11 words and, in turn, one of `mood`.

    Almost all are distinct.
    """
    rng = np.random.default_rng(seed)
    texts = [" ".join(rng.choice(WORDS, rng.integers(3, 12))) for _ in range(n)]
    if not mood:
        return texts
    return [f"{text} {mood[i % len(mood)]}" for i, text in enumerate(texts)]

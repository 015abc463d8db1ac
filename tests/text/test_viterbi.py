"""Decoding a noisy channel: Viterbi's path is the best of all paths.

Code under test: `text/_n_grams/_sampling.py`.
"""

from itertools import product

import numpy as np
import pytest

from sklearn_bayeslazy import NGramLanguageModel

WORDS = ["a", "b", "c", "unseen", "</s>"]


def corpus(rng):
    sizes = rng.integers(1, 7, size=15)
    return [" ".join(rng.choice(list("abc"), size=size)) for size in sizes]


def probability_of(model, words, channel):
    """Return the log probability of a path, computed from `prob` alone."""
    history, total = ["<s>"], sum(channel)
    ends = [] if model.boundaries is None else ["</s>"]
    for word in [*words, *ends]:
        p = model.prob(word, history)
        total += np.log(p) if p > 0 else -np.inf
        history.append(word)
    return total


@pytest.mark.parametrize("order", [1, 2, 3])
@pytest.mark.parametrize("smoothing", ["none", "laplace", "kneser_ney"])
@pytest.mark.parametrize("boundaries", ["document", None])
def test_the_path_is_the_best_of_all(order, smoothing, boundaries):
    for seed in range(6):
        rng = np.random.default_rng(seed)
        model = NGramLanguageModel(
            order,
            smoothing=smoothing,
            boundaries=boundaries,
            token_pattern=r"\S+",
        ).fit(corpus(rng))
        sizes = rng.integers(1, 5, size=4)
        candidates = [rng.choice(WORDS, n, replace=False).tolist() for n in sizes]
        channel = [np.log(rng.random(n)) * (rng.random(n) > 0.2) for n in sizes]
        channel = [np.where(c == 0, -np.inf, c) for c in channel]
        every = [
            probability_of(model, words, c)
            for words, c in zip(product(*candidates), product(*channel))
        ]
        path, log_probability = model.decode(candidates, channel)
        assert log_probability == pytest.approx(max(every))
        chosen = [
            channel[i][words.index(w)]
            for i, (words, w) in enumerate(zip(candidates, path))
        ]
        assert probability_of(model, path, chosen) == pytest.approx(max(every))


def test_ties_go_to_the_first_candidate():
    model = NGramLanguageModel(1, smoothing="laplace").fit(["a b c"])
    assert model.decode([["b", "a"], ["c", "b"]], [[0, 0], [0, 0]])[0] == ["b", "c"]


def test_the_start_symbol_has_probability_zero():
    model = NGramLanguageModel(2).fit(["a b", "b"])
    assert model.decode([["<s>", "a"]], [[0, -50]])[0] == ["a"]
    assert model.decode([["<s>"]], [[0]])[1] == -np.inf
    without = NGramLanguageModel(2, boundaries=None).fit(["a b", "b"])
    assert without.decode([["</s>", "a"]], [[0, -50]])[0] == ["a"]


def test_no_positions_to_decode():
    model = NGramLanguageModel(2).fit(["a b", ""])
    words, log_probability = model.decode([], [])
    assert words == []
    assert log_probability == pytest.approx(np.log(model.prob("</s>", ["<s>"])))


@pytest.mark.parametrize(
    ("candidates", "channel", "message"),
    [
        ([["a"], []], [[0], []], r"candidates\[1\] is empty"),
        ([["a"]], [[0], [0]], "log_channel has 2 positions, candidates 1"),
        ([["a", "b"]], [[0]], r"log_channel\[0\] must be 2 numbers"),
        ([["a"]], [[np.nan]], r"log_channel\[0\] must be 1 number"),
        ([["a"]], [[np.inf]], r"log_channel\[0\] must be 1 numbers below infinity"),
    ],
)
def test_invalid_channels_are_named(candidates, channel, message):
    model = NGramLanguageModel(2).fit(["a b"])
    with pytest.raises(ValueError, match=message):
        model.decode(candidates, channel)


@pytest.mark.parametrize(
    ("candidates", "channel", "name"),
    [
        (None, [], "candidates"),
        ("ab", [[0], [0]], "candidates"),
        ([["a"], "ab"], [[0], [0, 0]], r"candidates\[1\]"),
        ([1], [[0]], r"candidates\[0\]"),
        ([["a"]], None, "log_channel"),
    ],
)
def test_candidates_and_channels_that_are_no_sequences_are_named(
    candidates, channel, name
):
    model = NGramLanguageModel(2).fit(["a b"])
    with pytest.raises(TypeError, match=f"^{name} must be a sequence"):
        model.decode(candidates, channel)

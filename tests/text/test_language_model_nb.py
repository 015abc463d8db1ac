"""LanguageModelNB by hand, by loops over dictionaries, and beside its relatives."""

from itertools import product

import numpy as np
import pytest
from sklearn.feature_extraction.text import CountVectorizer
from sklearn.naive_bayes import MultinomialNB

from sklearn_bayeslazy import LanguageModelNB, NGramLanguageModel
from sklearn_bayeslazy.testing import assert_on_simplex, assert_same_predictions
from sklearn_bayeslazy.text._n_grams import _counts
from sklearn_bayeslazy.text._n_grams._smoothing import SMOOTHINGS
from tests.helpers.language_model_by_hand import class_log_likelihoods, cut

every_smoothing = pytest.mark.parametrize("smoothing", SMOOTHINGS)
PARAMETERS = {
    "lidstone": 0.3,
    "m_estimate": 2.0,
    "jelinek_mercer": 0.4,
    "dirichlet": 3.0,
    "absolute_discount": 0.6,
}
WORDS = r"\S+"


def draw(seed=0, n_documents=24, n_classes=3):
    """Return texts, some of them empty, whose words depend on the class, and labels."""
    rng = np.random.default_rng(seed)
    y = np.arange(n_documents) % n_classes
    words = np.array(list("abcde"))
    texts = [
        " ".join(np.roll(words, c)[rng.geometric(0.5, size=size).clip(max=5) - 1])
        for c, size in zip(y, rng.integers(0, 8, size=n_documents))
    ]
    return texts, np.array(["low", "mid", "high"])[y]


TEXTS, Y = draw()
NEW = [*draw(1)[0], "", "z", "a z b", "d d d d d d d d d d d d"]


def assert_same_state(one, other, rtol=0.0):
    assert one.vocabulary_ == other.vocabulary_
    np.testing.assert_array_equal(one.classes_, other.classes_)
    np.testing.assert_allclose(one.class_count_, other.class_count_, rtol=rtol)
    for part in ("_counts", "_model"):
        arrays = [getattr(model, part) for model in (one, other)]
        if part == "_model":
            arrays = [model.smoothed for model in arrays]
        for name, value in vars(arrays[0]).items():
            if value is not None:
                found = vars(arrays[1])[name]
                np.testing.assert_allclose(found, value, rtol=rtol, err_msg=name)


def test_two_classes_with_visible_fractions():
    """Bigrams with Jelinek–Mercer, λ = ½; of x, "a b" twice and "b" once, y: "b a"."""
    model = LanguageModelNB(
        2, smoothing="jelinek_mercer", background=False, binary=False
    ).fit(["aa bb", "aa bb", "bb", "bb aa"], ["x", "x", "x", "y"])
    # |V| = 4: aa, bb, </s>, <unk>. In x 8 words and ends, in y 3.
    x_a, x_b, x_end = ((n / 8 + 1 / 4) / 2 for n in (2, 3, 3))
    y_a, y_b, y_end = ((n / 3 + 1 / 4) / 2 for n in (1, 1, 1))
    joint = np.exp(model.predict_joint_log_proba(["aa bb"]))[0]
    x = (2 / 3 + x_a) / 2 * (2 / 2 + x_b) / 2 * (3 / 3 + x_end) / 2
    y = (0 / 1 + y_a) / 2 * (0 / 1 + y_b) / 2 * (0 / 1 + y_end) / 2
    np.testing.assert_allclose(joint, [3 / 4 * x, 1 / 4 * y])
    np.testing.assert_allclose(
        model.predict_proba(["aa bb"])[0], joint / joint.sum(), rtol=1e-12
    )


def test_background_and_binary_with_visible_fractions():
    """Unigrams: a text counts a word once, and the base is that of all classes."""
    model = LanguageModelNB(
        1, smoothing="dirichlet", smoothing_parameter=2, boundaries=None
    ).fit(["aa aa bb", "aa", "bb cc cc"], [0, 0, 1])
    # aa 2, bb 2, cc 1; three kinds of words; |V| = 4 with <unk>.
    aa, cc, unknown = ((n + 3 * 1 / 4) / (5 + 3) for n in (2, 1, 0))
    joint = np.exp(model.predict_joint_log_proba(["aa", "cc", "zz"]))
    np.testing.assert_allclose(joint[0], [2 / 3 * (2 + 2 * aa) / 5, 1 / 3 * 2 * aa / 4])
    np.testing.assert_allclose(joint[1], [2 / 3 * 2 * cc / 5, 1 / 3 * (1 + 2 * cc) / 4])
    np.testing.assert_allclose(joint[2], [2 / 3 * unknown, 1 / 3 * unknown])


@every_smoothing
@pytest.mark.parametrize("order", [1, 2, 4])
@pytest.mark.parametrize("boundaries", ["document", None])
def test_every_option_by_hand(smoothing, order, boundaries):
    documents = [cut(text, boundaries) for text in TEXTS]
    weights = [
        [1.0] * len(Y),
        np.random.default_rng(0).uniform(0.2, 2, len(Y)).tolist(),
    ]
    for background, binary, weight in product([False, True], [False, True], weights):
        model = LanguageModelNB(
            order,
            smoothing=smoothing,
            smoothing_parameter=PARAMETERS.get(smoothing),
            background=background,
            binary=binary,
            boundaries=boundaries,
            token_pattern=WORDS,
        ).fit(TEXTS, Y, weight)
        params = {
            "order": order,
            "smoothing": smoothing,
            "parameter": PARAMETERS.get(smoothing),
            "n_outcomes": len(model.vocabulary_) + 1 + (boundaries is not None),
            "background": background,
            "binary": binary,
            "weight": weight,
        }
        class_count = np.array([np.array(weight)[c == Y].sum() for c in model.classes_])
        expected = [
            class_log_likelihoods(
                cut(text, boundaries), documents, Y, model.classes_, params
            )
            for text in NEW[::3]
        ]
        np.testing.assert_allclose(
            model.predict_joint_log_proba(NEW[::3]),
            expected + np.log(class_count / class_count.sum()),
            rtol=1e-12,
        )


def test_length_normalization_limits_the_evidence_of_long_documents():
    """P(c, d) of 6 words and an end is taken to the power 3 / 7."""
    params = {"order": 2, "smoothing": "witten_bell"}
    plain = LanguageModelNB(**params).fit(["a a b", "b c", "c c"], [0, 1, 1])
    model = LanguageModelNB(**params, length_normalization=3)
    model.fit(["a a b", "b c", "c c"], [0, 1, 1])
    texts = ["a b c a b c", "a b", "a"]  # 7, 3 and 2 words and ends
    expected = plain.predict_joint_log_proba(texts) * [[3 / 7], [1], [1]]
    np.testing.assert_allclose(model.predict_joint_log_proba(texts), expected)
    for each in (model, plain):
        each.set_params(boundaries="line").fit(["a a b", "b\nc", "c c"], [0, 1, 1])
    expected = plain.predict_joint_log_proba(["a\nb"]) * 3 / 4  # two words, two ends
    np.testing.assert_allclose(model.predict_joint_log_proba(["a\nb"]), expected)


@pytest.mark.parametrize("alpha", [0.3, 1.0])
def test_unigrams_are_multinomial_nb(alpha):
    """With a column for the unknown word, whose count is 0 in training."""
    words = [*"abcde", "z"]
    counter = CountVectorizer(vocabulary=words, token_pattern=WORDS)
    peer = MultinomialNB(alpha=alpha).fit(counter.transform(TEXTS), Y)
    ours = LanguageModelNB(
        1,
        smoothing="lidstone",
        smoothing_parameter=alpha,
        background=False,
        binary=False,
        boundaries=None,
        token_pattern=WORDS,
    ).fit(TEXTS, Y)
    counts = counter.transform(NEW)
    np.testing.assert_allclose(
        ours.predict_joint_log_proba(NEW), peer.predict_joint_log_proba(counts)
    )
    np.testing.assert_array_equal(ours.predict(NEW), peer.predict(counts))


@every_smoothing
def test_the_model_of_a_class_is_that_of_its_documents(smoothing):
    model = LanguageModelNB(
        3, smoothing=smoothing, binary=False, background=False, token_pattern=WORDS
    ).fit(TEXTS, Y)
    for c, label in enumerate(model.classes_):
        class_texts = [text for text, k in zip(TEXTS, Y) if k == label]
        expected = NGramLanguageModel(
            3,
            smoothing=smoothing,
            vocabulary=[*model.vocabulary_],
            token_pattern=WORDS,
        ).fit(class_texts)
        found = model.class_model(label)
        for context in ([], ["<s>"], ["a", "b"], ["z"]):
            np.testing.assert_array_equal(
                found.next_probabilities(context), expected.next_probabilities(context)
            )
        np.testing.assert_allclose(
            model.predict_joint_log_proba(NEW)[:, c] - model.class_log_prior_[c],
            found.score_samples(NEW),
            rtol=1e-12,
        )
        assert found.sample(5, random_state=0) == expected.sample(5, random_state=0)
    for label in ("none", model.classes_, model.classes_.tolist()):
        with pytest.raises(ValueError, match="is not one of the classes"):
            model.class_model(label)


@every_smoothing
@pytest.mark.parametrize("binary", [True, False])
def test_any_split_into_batches_is_one_fit(smoothing, binary):
    """Batches of one class, late words, an empty document; and merged classes."""
    texts, y = ["", *TEXTS, "late words", "z z"], ["low", *Y, "mid", "other"]
    params = {"order": 3, "smoothing": smoothing, "binary": binary}
    whole = LanguageModelNB(**params).fit(texts, y)
    model = LanguageModelNB(**params)
    for text, label in zip(texts, y):
        model.partial_fit([text], [label], classes=np.unique(y))
    assert_same_state(whole, model)
    assert_same_predictions(whole, model, NEW)
    parts = [
        LanguageModelNB(**params).fit(
            [text for text, k in zip(texts, y) if (k == "mid") == is_mid],
            [k for k in y if (k == "mid") == is_mid],
        )
        for is_mid in (True, False)
    ]
    assert_same_state(whole, parts[0].merge(parts[1]))
    assert_same_predictions(whole, parts[0], NEW)


def test_batches_add_fractional_weights():
    weight = np.random.default_rng(0).uniform(0.1, 2, size=len(TEXTS))
    whole = LanguageModelNB(smoothing="kneser_ney").fit(TEXTS, Y, weight)
    model = LanguageModelNB(smoothing="kneser_ney")
    for i in range(0, len(TEXTS), 7):
        batch = slice(i, i + 7)
        model.partial_fit(TEXTS[batch], Y[batch], np.unique(Y), weight[batch])
    assert_same_state(whole, model, rtol=1e-12)
    assert_same_predictions(whole, model, NEW)


@every_smoothing
def test_integer_weights_repeat_and_zero_removes(smoothing):
    rng = np.random.default_rng(0)
    weight = rng.integers(0, 4, size=len(TEXTS))
    texts, y = [*TEXTS, "zz"], np.array([*Y, "other"])
    weight = np.append(weight, 0)  # the only "zz", the only text of its class
    model = LanguageModelNB(3, smoothing=smoothing)
    weighted = LanguageModelNB(3, smoothing=smoothing).fit(texts, y, weight)
    repeated = rng.permutation(np.repeat(np.arange(len(texts)), weight))
    model.fit([texts[i] for i in repeated], y[repeated])
    assert_same_state(model, weighted)
    assert "zz" not in weighted.vocabulary_
    assert "other" not in weighted.classes_


def test_results_depend_on_neither_blocks_threads_nor_other_documents(monkeypatch):
    model = LanguageModelNB(length_normalization=3).fit(TEXTS, Y)
    monkeypatch.setattr(_counts, "TOKENS_PER_BLOCK", 10)
    other = LanguageModelNB(length_normalization=3, n_jobs=2).fit(TEXTS, Y)
    assert_same_state(model, other)
    many = NEW * 100  # more than a chunk
    together = other.predict_joint_log_proba(many)
    alone = [model.predict_joint_log_proba([text])[0] for text in NEW]
    np.testing.assert_array_equal(together, np.tile(alone, (100, 1)))
    rows = np.random.default_rng(0).permutation(len(many))
    shuffled = model.predict_joint_log_proba([many[row] for row in rows])
    np.testing.assert_array_equal(shuffled, together[rows])


@every_smoothing
@pytest.mark.parametrize("background", [True, False])
def test_probabilities_lie_on_the_simplex(smoothing, background):
    """A class without a word, an unseen word, and a text no class can explain."""
    for analyzer in ("word", "char", "char_wb"):
        model = LanguageModelNB(
            3, smoothing=smoothing, background=background, analyzer=analyzer
        ).fit([*TEXTS, "", ""], [*Y, "wordless", "wordless"])
        assert_on_simplex(model.predict_proba(NEW))
        log_proba = model.predict_log_proba(NEW)
        np.testing.assert_allclose(np.exp(log_proba), model.predict_proba(NEW))
        likeliest = model.predict_proba(NEW).argmax(axis=1)
        np.testing.assert_array_equal(model.predict(NEW), model.classes_[likeliest])
    none = LanguageModelNB(smoothing="none", background=False).fit(["aa", "bb"], [0, 1])
    np.testing.assert_allclose(none.predict_proba(["aa bb"]), [[0.5, 0.5]])


def test_priors():
    texts, y = ["aa", "bb", "aa bb"], [0, 1, 1]
    for params, prior in [
        ({}, [1 / 3, 2 / 3]),
        ({"fit_prior": False}, [1 / 2, 1 / 2]),
        ({"class_prior": [0.9, 0.1]}, [0.9, 0.1]),
    ]:
        model = LanguageModelNB(**params).fit(texts, y)
        np.testing.assert_allclose(np.exp(model.class_log_prior_), prior)
    for prior, message in [([1.0], "has shape"), ([0.5, 0.4], "sum to 1")]:
        with pytest.raises(ValueError, match=f"class_prior .*{message}"):
            LanguageModelNB(class_prior=prior).fit(texts, y)


@pytest.mark.parametrize("smoothing", SMOOTHINGS)
@pytest.mark.parametrize("order", [1, 2, 3])
def test_words_that_no_class_has_shown_decide_nothing(smoothing, order):
    """The classes differ in size, and so in what they keep for unknown words."""
    rng = np.random.default_rng(0)
    texts = [" ".join(rng.choice(list("abcdef"), size=6)) for _ in range(20)]
    y = [0] * 15 + [1] * 5
    model = LanguageModelNB(
        order, smoothing=smoothing, boundaries=None, token_pattern=WORDS
    ).fit(texts, y)
    proba = model.predict_proba(["x y z", "x " * 50, "u v x y z"])
    np.testing.assert_allclose(proba, [[0.75, 0.25]] * 3, rtol=1e-12)


def test_a_fitted_model_keeps_the_parameters_of_its_reader():
    model = LanguageModelNB().fit(["A b", "a c"], [0, 1])
    expected = model.predict_proba(["A C"])
    model.set_params(lowercase=False)
    np.testing.assert_array_equal(model.predict_proba(["A C"]), expected)
    with pytest.raises(ValueError, match="lowercase has changed since the first batch"):
        model.partial_fit(["A b"], [0])
    model.set_params(lowercase=True, binary=False)
    with pytest.raises(ValueError, match="binary has changed"):
        model.partial_fit(["A b"], [0])
    model.set_params(binary=True, order=3)
    with pytest.raises(ValueError, match=r"order differs: .* up to 2 .* up to 3 now"):
        model.partial_fit(["A b"], [0])

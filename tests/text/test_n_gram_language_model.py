"""NGramLanguageModel learns in batches, scores, samples, and follows scikit-learn.

Code under test: `text/_n_grams/_smoothing.py`.
"""

import pickle
from concurrent.futures import ThreadPoolExecutor

import joblib
import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer
from sklearn.utils import estimator_html_repr, get_tags

from sklearn_bayeslazy import NGramLanguageModel
from sklearn_bayeslazy.text._n_grams import _counts
from sklearn_bayeslazy.text._n_grams._smoothing import CANDIDATES, SMOOTHINGS

every_smoothing = pytest.mark.parametrize("smoothing", SMOOTHINGS)


def draw(seed=0, n_documents=30):
    """Return texts over six words whose first ones are the most frequent."""
    rng = np.random.default_rng(seed)
    p = np.array([0.4, 0.25, 0.15, 0.1, 0.06, 0.04])
    return [
        " ".join(rng.choice(["aa", "bb", "cc", "dd", "ee", "ff"], p=p, size=size))
        for size in rng.integers(0, 9, size=n_documents)
    ]


TEXTS = draw()


def state(model):
    """Return the fitted state as one dictionary of arrays and numbers."""
    return (
        {"words": model.vocabulary_} | vars(model._counts) | vars(model._model.smoothed)
    )


def assert_same_state(one, other, rtol=0.0):
    one, other = state(one), state(other)
    assert one.pop("words") == other.pop("words")
    for name, value in one.items():
        if value is None:
            assert other[name] is None
        else:
            np.testing.assert_allclose(other[name], value, rtol=rtol, err_msg=name)


@every_smoothing
@pytest.mark.parametrize("analyzer", ["word", "char"])
def test_any_split_into_batches_is_one_fit(smoothing, analyzer):
    """New words in the last batches, batches without a word, and merged parts."""
    texts = ["", *TEXTS, "", "new words come late", "zz aa"]
    model = NGramLanguageModel(3, smoothing=smoothing, analyzer=analyzer)
    whole = clone(model).fit(texts)
    single = clone(model)
    for text in texts:
        single.partial_fit([text])
    assert_same_state(whole, single)
    parts = [clone(model).fit(texts[i::3]) for i in range(3)]
    merged = parts[2].merge(parts[0]).merge(parts[1])
    assert_same_state(whole, merged)
    assert_same_state(clone(model).fit(texts + texts), merged.merge(merged))


@pytest.mark.parametrize("make", [list, set, np.array, pd.Series])
def test_a_vocabulary_of_any_kind_stays_for_later_batches(make):
    model = NGramLanguageModel(2, vocabulary=make(["cat", "dog"]))
    assert_same_state(
        clone(model).fit(["a cat", "a dog"]),
        model.partial_fit(["a cat"]).partial_fit(["a dog"]),
    )


def test_batches_add_fractional_weights():
    weight = np.random.default_rng(0).uniform(0.1, 2, size=len(TEXTS))
    whole = NGramLanguageModel().fit(TEXTS, sample_weight=weight)
    model = NGramLanguageModel()
    for i in range(0, len(TEXTS), 7):
        model.partial_fit(TEXTS[i : i + 7], sample_weight=weight[i : i + 7])
    assert_same_state(whole, model, rtol=1e-12)


@every_smoothing
@pytest.mark.parametrize("min_df", [1, 3, 0.5, 1.0])
def test_integer_weights_repeat_and_zero_removes(smoothing, min_df):
    rng = np.random.default_rng(1)
    texts = ["aa bb cc", "aa bb dd", "aa cc", "aa", "aa gg", "aa hh"]
    weight = np.array([2, 1, 3, 1, 2, 0])
    model = NGramLanguageModel(2, smoothing=smoothing, min_df=min_df)
    weighted = clone(model).fit(texts, sample_weight=weight)
    repeated = np.repeat(texts, weight)
    assert_same_state(clone(model).fit(rng.permutation(repeated)), weighted)
    assert "hh" not in weighted.vocabulary_


def test_the_order_of_documents_the_blocks_and_threads_do_not_matter(monkeypatch):
    whole = NGramLanguageModel(4).fit(TEXTS)
    assert_same_state(whole, NGramLanguageModel(4).fit(TEXTS[::-1]))
    monkeypatch.setattr(_counts, "TOKENS_PER_BLOCK", 10)
    for n_jobs in (1, 2):
        blocks = NGramLanguageModel(4, n_jobs=n_jobs).fit(TEXTS)
        assert_same_state(whole, blocks)
    weight = np.random.default_rng(0).uniform(0.1, 2, size=len(TEXTS))
    one, two = (
        NGramLanguageModel(4, n_jobs=n).fit(TEXTS, sample_weight=weight) for n in (1, 2)
    )
    assert_same_state(one, two)


def test_parameters_that_exclude_batches_are_refused():
    for params in ({"min_df": 2}, {"min_df": 1.0}):
        with pytest.raises(ValueError, match=r"min_df=.* needs all documents"):
            NGramLanguageModel(**params).partial_fit(TEXTS)
        assert not hasattr(NGramLanguageModel(**params), "merge")
    NGramLanguageModel(min_df=2, vocabulary=["aa"]).partial_fit(TEXTS)


def test_what_leave_one_out_chooses_on_the_first_batch_stays():
    params = {"smoothing": "lidstone", "smoothing_parameter": "loo"}
    half = len(TEXTS) // 2
    first = NGramLanguageModel(**params).fit(TEXTS[:half])
    model = NGramLanguageModel(**params).partial_fit(TEXTS[:half])
    model.partial_fit(TEXTS[half:])
    chosen = first.smoothing_parameter_
    assert model.smoothing_parameter_ == chosen
    assert model.loo_results_["params"] == first.loo_results_["params"]
    given = {**params, "smoothing_parameter": chosen}
    assert_same_state(NGramLanguageModel(**given).fit(TEXTS), model)
    other = NGramLanguageModel(**{**params, "smoothing_parameter": chosen * 2})
    with pytest.raises(ValueError, match="models differ in smoothing_parameter"):
        model.merge(other.fit(TEXTS))
    one = NGramLanguageModel(**params).partial_fit(TEXTS[:1])
    default = NGramLanguageModel(smoothing="lidstone").fit(TEXTS[:1])
    assert one.smoothing_parameter_ == default.smoothing_parameter_


@pytest.mark.parametrize(
    ("params", "message"),
    [
        ({"order": 2}, "order differs: n-grams up to 3 words .* up to 2 now"),
        ({"analyzer": "char"}, "analyzer='word' and 'char'"),
        ({"boundaries": None}, "boundaries='document' and None"),
        ({"lowercase": False}, "lowercase=True and False"),
        ({"min_df": 2}, "other model cannot be merged: min_df=2"),
        ({"vocabulary": ["aa"]}, "vocabularies differ"),
    ],
)
def test_models_that_read_differently_are_not_merged(params, message):
    model = NGramLanguageModel().fit(TEXTS)
    before = state(model)
    with pytest.raises(ValueError, match=message):
        model.merge(NGramLanguageModel(**params).fit(TEXTS))
    with pytest.raises(TypeError, match="must be another NGramLanguageModel, got dict"):
        model.merge({})
    assert all(before[name] is value for name, value in state(model).items())


def test_models_with_copies_of_the_same_function_are_merged():
    one, other = (
        NGramLanguageModel(analyzer=lambda text: text.split()).fit(TEXTS)
        for _ in range(2)
    )
    assert_same_state(one.merge(other), NGramLanguageModel().fit(TEXTS + TEXTS))


@every_smoothing
def test_the_score_is_the_sum_over_words_and_the_end(smoothing):
    model = NGramLanguageModel(3, smoothing=smoothing).fit(TEXTS)
    texts = ["aa bb cc aa", "", "ff never seen"]
    expected = []
    for text in texts:
        words = ["<s>", *text.split(), "</s>"]
        p = [model.prob(words[i], words[:i]) for i in range(1, len(words))]
        with np.errstate(divide="ignore"):
            expected.append(np.log(p).sum())
    np.testing.assert_allclose(model.score_samples(texts), expected, rtol=1e-12)
    mean = np.sum(expected) / (5 + 1 + 4)
    assert model.score(texts) == pytest.approx(mean)
    assert model.perplexity(texts) == pytest.approx(np.exp(-mean))


def test_contexts_may_be_strings_or_words():
    model = NGramLanguageModel(2).fit(["The cat", "a dog"])
    assert model.prob("cat", "THE") == model.prob("cat", ["the"])
    assert model.prob("cat", "a the") == model.prob("cat", ("the",))
    assert model.prob("cat", "") == model.prob("cat")
    assert model.prob("cat", "mouse") == model.prob("cat", ["<unk>"])
    chars = NGramLanguageModel(3, analyzer="char").fit(["a b", "abc"])
    assert chars.prob("b", "a") == chars.prob("b", ["a"])


def test_sizes_outcomes_and_discounts():
    model = NGramLanguageModel(3).fit(["a b", "a"])
    assert model.outcomes_.tolist() == ["<unk>", "</s>", "a", "b"]
    # a, b, </s>; <s> a, a b, a </s>, b </s>; <s> a b, <s> a </s>, a b </s>
    assert model.n_ngrams_.tolist() == [3, 4, 3]
    assert model.discounts_.shape == (3, 3)
    model = NGramLanguageModel(2, boundaries=None, smoothing="none").fit(["a b", "a"])
    assert model.outcomes_.tolist() == ["<unk>", "a", "b"]
    assert model.n_ngrams_.tolist() == [2, 1]
    assert model.discounts_ is None
    assert model.prob("</s>") == model.prob("<s>") == 0


@every_smoothing
def test_samples_follow_the_model(smoothing):
    """First words against P(w | <s>, not unknown): 6 standard errors of 1 500 draws.

    "aa" always comes first, the unknown word is likely elsewhere: what replaces it
    must not forget <s>.
    """
    texts = ["aa bb", "aa bb cc", "aa" + " x" * 12 + " cc", "aa" + " x" * 12]
    model = NGramLanguageModel(2, smoothing=smoothing, vocabulary=["aa", "bb", "cc"])
    model.fit(texts)
    p = model.next_probabilities(["<s>"])[1:]
    p /= p.sum()
    drawn = model.sample(1500, max_length=1, random_state=0)
    words = np.array([text or "</s>" for text in drawn])
    share = [np.mean(words == word) for word in model.outcomes_[1:]]
    tolerance = 6 * np.sqrt(p * (1 - p) / 1500) + 1e-12
    assert np.all(np.abs(share - p) <= tolerance)


def test_samples_are_repeatable_and_bounded():
    model = NGramLanguageModel(3).fit(TEXTS)
    texts = model.sample(50, random_state=3)
    assert texts == model.sample(50, random_state=3)
    assert texts != model.sample(50, random_state=4)
    assert all(set(text.split()) <= model.vocabulary_.keys() for text in texts)
    unbounded = NGramLanguageModel(2, boundaries=None).fit(["a b", "b a"])
    assert [len(text.split()) for text in unbounded.sample(3, max_length=7)] == [7] * 3
    assert unbounded.sample(2, max_length=0) == ["", ""]
    assert unbounded.sample(0) == []
    chars = NGramLanguageModel(4, analyzer="char", smoothing="none").fit(["a fox"])
    assert chars.sample(2, random_state=0) == ["a fox", "a fox"]


def test_a_model_without_known_words_draws_no_text():
    for boundaries in ("document", None):
        model = NGramLanguageModel(
            2, smoothing="none", vocabulary=["zz"], boundaries=boundaries
        ).fit(["aa bb"])
        with pytest.raises(ValueError, match="only the unknown word can come"):
            model.sample()


@pytest.mark.parametrize("smoothing", sorted(CANDIDATES))
@pytest.mark.parametrize("boundaries", ["document", None])
def test_leave_one_out_is_refitting_without_each_document(smoothing, boundaries):
    texts = [text for text in draw(2, 14) if text]
    weight = np.random.default_rng(0).choice([0.4, 1.0, 2.0, 2.5], size=len(texts))
    model = NGramLanguageModel(
        2, smoothing=smoothing, smoothing_parameter="loo", boundaries=boundaries
    ).fit(texts, sample_weight=weight)
    expected = []
    for parameter in CANDIDATES[smoothing]:
        losses = []
        for i, text in enumerate(texts):
            left = weight.copy()
            left[i] = 0
            other = clone(model).set_params(
                smoothing_parameter=parameter, vocabulary=list(model.vocabulary_)
            )
            other.fit(texts, sample_weight=left)
            losses.append(-other.score_samples([text])[0])
        expected.append(np.average(losses, weights=weight))
    found = model.loo_results_["mean_log_loss"]
    np.testing.assert_allclose(found, expected, rtol=1e-9)
    best = CANDIDATES[smoothing][int(np.argmin(expected))]
    assert model.smoothing_parameter_ == best
    plain = clone(model).set_params(smoothing_parameter=best)
    assert_same_state(plain.fit(texts, sample_weight=weight), model)


@pytest.mark.parametrize("smoothing", sorted(CANDIDATES))
@pytest.mark.parametrize("method", ["fit", "partial_fit"])
def test_where_leave_one_out_chooses_integer_weights_equal_repetition(
    smoothing, method
):
    # Copies of one word are not one document.
    texts = sorted(text for text in set(TEXTS) if len(text.split()) > 1)
    times = np.random.default_rng(1).integers(1, 5, size=len(texts))
    model = NGramLanguageModel(2, smoothing=smoothing, smoothing_parameter="loo")
    weighted, repeated = clone(model), clone(model)
    getattr(weighted, method)(texts, sample_weight=times)
    getattr(repeated, method)(np.repeat(texts, times))
    assert_same_state(weighted, repeated)
    np.testing.assert_allclose(
        weighted.loo_results_["mean_log_loss"], repeated.loo_results_["mean_log_loss"]
    )


def test_leave_one_out_of_a_subset_and_of_given_candidates():
    model = NGramLanguageModel(
        smoothing="lidstone",
        smoothing_parameter="loo",
        loo_candidates={"smoothing_parameter": [0.3, 0.7]},
        loo_max_samples=5,
        random_state=0,
    ).fit(TEXTS)
    names = [params["smoothing_parameter"] for params in model.loo_results_["params"]]
    assert names == [0.3, 0.7]
    assert not hasattr(
        model.set_params(smoothing_parameter=0.3).fit(TEXTS), "loo_results_"
    )


def test_scikit_learn_chooses_order_and_smoothing():
    texts = TEXTS * 2
    grid = {"order": [1, 2], "smoothing": ["laplace", "kneser_ney", "witten_bell"]}
    search = GridSearchCV(NGramLanguageModel(), grid, cv=2).fit(texts)
    assert np.isfinite(search.cv_results_["mean_test_score"]).all()
    assert search.score(texts) == search.best_estimator_.score(texts)
    pipeline = make_pipeline(FunctionTransformer(list), NGramLanguageModel())
    assert np.isfinite(cross_val_score(pipeline, texts, cv=3)).all()


def test_the_conventions_of_scikit_learn():
    model = NGramLanguageModel(2, smoothing="dirichlet", vocabulary=["aa", "bb"])
    assert clone(model).get_params() == model.get_params()
    assert "NGramLanguageModel" in estimator_html_repr(model)
    tags = get_tags(model).input_tags
    assert (tags.two_d_array, tags.string) == (False, True)
    assert model.fit(TEXTS) is model
    first = state(model)
    params = model.get_params()
    assert_same_state(clone(model).fit(TEXTS), model.fit(TEXTS))
    assert first["words"] == model.vocabulary_
    assert all(params[name] is value for name, value in model.get_params().items())
    before = vars(model).copy()
    model.score_samples(TEXTS)
    model.sample(2)
    assert all(vars(model)[name] is value for name, value in before.items())


def test_pickles_memory_maps_and_threads_give_the_same_results(tmp_path):
    model = NGramLanguageModel().fit(TEXTS)
    joblib.dump(model, tmp_path / "model.joblib")
    mapped = joblib.load(tmp_path / "model.joblib", mmap_mode="r")
    expected = model.score_samples(TEXTS)
    for other in (pickle.loads(pickle.dumps(model)), mapped):
        np.testing.assert_array_equal(other.score_samples(TEXTS), expected)
        assert other.sample(3, random_state=0) == model.sample(3, random_state=0)
        assert_same_state(other.merge(model), NGramLanguageModel().fit(TEXTS + TEXTS))
    with ThreadPoolExecutor(3) as pool:
        for answer in pool.map(lambda _: model.score_samples(TEXTS), range(9)):
            np.testing.assert_array_equal(answer, expected)


def test_a_failed_fit_leaves_the_former_model():
    model = NGramLanguageModel().fit(TEXTS)
    before = vars(model).copy()
    for method in (model.fit, model.partial_fit):
        with pytest.raises(ValueError, match="document 1 is missing"):
            method(["fine", None])
    model.set_params(smoothing="jelinek_mercer", smoothing_parameter=2)
    for method in (model.fit, model.partial_fit):
        with pytest.raises(ValueError, match=r"between 0 and 1\.0; got 2"):
            method(["fine"])
    for name in ("vocabulary_", "_counts", "_model", "_suffix", "smoothing_parameter_"):
        assert vars(model)[name] is before[name]


@pytest.mark.parametrize("weight", [0.1, 0.7, 1 / 3])
@pytest.mark.parametrize("order", [1, 2, 3])
def test_kneser_ney_does_not_depend_on_the_rounding_of_a_count(weight, order):
    """The sum of ten weights of 0.1 differs from 1 by a rounding error."""
    rng = np.random.default_rng(0)
    texts = [" ".join(rng.choice(list("abcdefgh"), size=5)) for _ in range(120)]
    weights = np.full(len(texts), weight)
    whole = NGramLanguageModel(order).fit(texts, sample_weight=weights)
    parts = NGramLanguageModel(order)
    for part in np.array_split(np.arange(len(texts)), 3):
        parts.partial_fit([texts[i] for i in part], sample_weight=weights[part])
    np.testing.assert_allclose(
        parts.score_samples(texts), whole.score_samples(texts), rtol=1e-12
    )


def test_kneser_ney_counts_words_that_only_begin_documents():
    """No word comes before them, so their raw counts are kept: 5 and 1."""
    model = NGramLanguageModel(2, boundaries=None, smoothing_parameter=0.0)
    model.fit(["a"] * 5 + ["b"])
    assert model.prob("a") == pytest.approx(5 / 6)


@pytest.mark.parametrize("analyzer", ["word", "char", "char_wb"])
@pytest.mark.parametrize("order", [1, 2, 4])
def test_the_probability_of_a_text_is_the_product_of_its_words(analyzer, order):
    texts = ["the cat sat", "the dog sat on a mat", "a cat"]
    model = NGramLanguageModel(order, analyzer=analyzer).fit(texts)
    text = "the mat sat"
    units = text.split() if analyzer == "word" else list(text)
    if analyzer == "char_wb":
        units = [u for c in text for u in (("</s>", "<s>") if c == " " else (c,))]
    units = ["<s>", *units, "</s>"]
    total = sum(
        np.log(model.prob(word, units[:i]))
        for i, word in enumerate(units)
        if word != "<s>"
    )
    assert model.score_samples([text])[0] == pytest.approx(total, rel=1e-12)


@pytest.mark.parametrize("analyzer", ["char", "char_wb"])
def test_a_blank_at_the_end_of_a_context_counts(analyzer):
    model = NGramLanguageModel(3, analyzer=analyzer).fit(["the cat", "the cow", "tea"])
    blank = [" "] if analyzer == "char" else ["</s>", "<s>"]
    assert model.prob("c", "the ") == model.prob("c", [*"the", *blank])
    assert model.prob("c", "the ") > 2 * model.prob("c", "the")


def test_a_string_context_may_begin_a_sentence():
    model = NGramLanguageModel(3).fit(["the cat", "a cat", "the dog"])
    assert model.prob("cat", "<s> The") == model.prob("cat", ["<s>", "the"])
    assert model.prob("the", "<s>") == model.prob("the", ["<s>"])


@pytest.mark.parametrize("word", [None, 3, ["the", "cat"]])
def test_a_word_is_a_string(word):
    model = NGramLanguageModel(2).fit(["the cat"])
    with pytest.raises(TypeError, match="A word must be a string"):
        model.prob(word)


@pytest.mark.parametrize("context", [None, 3])
def test_a_context_is_a_string_or_words(context):
    model = NGramLanguageModel(2).fit(["the cat"])
    with pytest.raises(TypeError, match="context must be a string or a sequence"):
        model.next_probabilities(context)


@pytest.mark.parametrize("params", [{"n_samples": -1}, {"max_length": 2.5}])
def test_invalid_sizes_of_samples_are_named(params):
    model = NGramLanguageModel(2).fit(["the cat"])
    with pytest.raises(ValueError, match="must be an integer ≥ 0"):
        model.sample(**params)

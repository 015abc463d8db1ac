"""Leave-one-out of LanguageModelNB equals refitting without each document.

Code under test: `text/_n_grams/_left_out_documents.py`.
"""

from itertools import product

import numpy as np
import pytest
from sklearn.base import clone

from sklearn_bayeslazy import LanguageModelNB
from sklearn_bayeslazy.leave_one_out._choice import MAX_LOG_LOSS
from tests.helpers.copies_by_hand import merged_rows, weights_without

CANDIDATES = {
    "none": [None],
    "laplace": [None],
    "witten_bell": [None],
    "lidstone": [0.01, 1.0],
    "m_estimate": [0.0, 5.0],
    "jelinek_mercer": [0.0, 0.7],
    "dirichlet": [0.5, 20.0],
    "absolute_discount": [0.3, 1.0],
}
WORDS = r"\S+"


def draw(seed, n_documents=8):
    """Return few texts with few words, so that one text alone has many histories."""
    rng = np.random.default_rng(seed)
    sizes = rng.integers(0, 6, size=n_documents)
    p = [0.5, 0.3, 0.15, 0.05]
    texts = [" ".join(rng.choice(list("abcd"), p=p, size=size)) for size in sizes]
    return texts, np.array([0, 1] * (n_documents // 2 - 1) + [1, 2])  # one text of 2


def draw_long_texts(n_documents=60):
    """Return texts of two classes, no two of them equal."""
    rng = np.random.default_rng(4)
    y = rng.integers(0, 2, n_documents)
    p = np.array([[0.4, 0.3, 0.2, 0.1], [0.2, 0.2, 0.3, 0.3]])
    texts = [" ".join(rng.choice(list("abcd"), p=p[c], size=15)) for c in y]
    assert len(set(texts)) == n_documents
    return texts, y


def settled(model):
    """Return the model with what leave-one-out has chosen, not fitted."""
    names = ("smoothing", "smoothing_parameter", "length_normalization")
    return clone(model).set_params(**{n: getattr(model, f"{n}_") for n in names})


def refitted(model, texts, y, weight, i):
    """Return log loss and correctness of a text under a model that never saw it."""
    left = weights_without(texts, y, weight, i)
    other = clone(model).partial_fit(texts, y, np.unique(y), left)
    true_class = np.flatnonzero(other.classes_ == y[i])[0]
    loss = min(-other.predict_log_proba([texts[i]])[0, true_class], MAX_LOG_LOSS)
    return loss, other.predict([texts[i]])[0] == y[i]


def assert_exact(params, texts, y, weight):
    smoothing = params["smoothing"]
    tuned = LanguageModelNB(
        smoothing_parameter="loo" if len(CANDIDATES[smoothing]) > 1 else None,
        length_normalization="loo",
        loo_candidates={
            "smoothing_parameter": CANDIDATES[smoothing],
            "length_normalization": [None, 2.5],
        },
        **params,
    ).fit(texts, y, weight)
    results = tuned.loo_results_
    for k, candidate in enumerate(results["params"]):
        model = clone(tuned).set_params(vocabulary=[*tuned.vocabulary_], **candidate)
        rows = [refitted(model, texts, y, weight, i) for i in range(len(texts))]
        loss, correct = np.average(rows, axis=0, weights=weight)
        assert results["mean_log_loss"][k] == pytest.approx(loss, rel=1e-9)
        assert results["mean_accuracy"][k] == pytest.approx(correct)
    best = results["params"][int(np.argmin(results["rank"]))]
    assert tuned.smoothing_parameter_ == best["smoothing_parameter"]
    assert tuned.length_normalization_ == best["length_normalization"]
    plain = clone(tuned).set_params(**best).fit(texts, y, weight)
    np.testing.assert_array_equal(
        plain.predict_joint_log_proba(texts), tuned.predict_joint_log_proba(texts)
    )


@pytest.mark.parametrize("smoothing", CANDIDATES)
@pytest.mark.parametrize("order", [1, 2, 3])
def test_leave_one_out_is_refitting(smoothing, order):
    """All values of background and binary; boundaries and weights alternate."""
    for seed, (background, binary) in enumerate(product([True, False], repeat=2)):
        texts, y = draw(seed)
        rng = np.random.default_rng(seed)
        weight = rng.choice([[1.0, 2, 3], [0.25, 1, 2.75]][seed % 2], size=len(texts))
        params = {
            "order": order,
            "smoothing": smoothing,
            "boundaries": ["document", None][(seed + order) // 2 % 2],
            "background": background,
            "binary": binary,
            "token_pattern": WORDS,
        }
        assert_exact(params, texts, y, weight)


@pytest.mark.parametrize("analyzer", ["char", "char_wb"])
@pytest.mark.parametrize("binary", [True, False])
def test_leave_one_out_of_characters(analyzer, binary):
    texts, y = draw(5)
    params = {"order": 4, "analyzer": analyzer, "binary": binary}
    for prior in ({}, {"class_prior": [0.2, 0.3, 0.5]}, {"fit_prior": False}):
        assert_exact(
            {**params, **prior, "smoothing": "absolute_discount"},
            *(texts, y, np.ones(len(y))),
        )


def test_the_criterion_chooses():
    texts, y = draw(1, 20)
    params = {"smoothing": "lidstone", "smoothing_parameter": "loo"}
    for scoring, key, sign in [
        ("log_loss", "log_loss", 1),
        ("accuracy", "accuracy", -1),
    ]:
        model = LanguageModelNB(**params, loo_scoring=scoring).fit(texts, y)
        value = sign * model.loo_results_[f"mean_{key}"]
        best = model.loo_results_["params"].index(
            {
                "smoothing_parameter": model.smoothing_parameter_,
                "length_normalization": None,
            }
        )
        assert value[best] == value.min()


def test_threads_and_subsets():
    texts, y = draw(2, 80)
    _, distinct = np.unique(texts, return_index=True)
    texts, y = [texts[i] for i in distinct], y[distinct]
    params = {"smoothing": "dirichlet", "smoothing_parameter": "loo"}
    one, two = (LanguageModelNB(**params, n_jobs=n).fit(texts, y) for n in (1, 2))
    np.testing.assert_array_equal(
        one.loo_results_["mean_log_loss"], two.loo_results_["mean_log_loss"]
    )
    some = LanguageModelNB(**params, loo_max_samples=10, random_state=0).fit(texts, y)
    assert (some.loo_results_["mean_accuracy"] * 10 % 1 < 1e-9).all()
    assert not hasattr(
        one.set_params(smoothing_parameter=1).fit(texts, y), "loo_results_"
    )


@pytest.mark.parametrize(
    ("params", "message"),
    [
        (
            {"smoothing": "kneser_ney", "smoothing_parameter": "loo"},
            "'loo' does not go with smoothing='kneser_ney'",
        ),
        (
            {"smoothing": "kneser_ney", "length_normalization": "loo"},
            "does not go with smoothing='kneser_ney'",
        ),
        (
            {"smoothing": "laplace", "smoothing_parameter": "loo"},
            "does not go with smoothing='laplace'",
        ),
        (
            {
                "smoothing": "absolute_discount",
                "smoothing_parameter": [0.5, 0.6],
                "length_normalization": "loo",
            },
            r"must be a number between 0 and 1\.0 where leave-one-out",
        ),
        ({"length_normalization": -1}, "'length_normalization' parameter"),
        ({"length_normalization": np.nan}, "'length_normalization' parameter"),
        *(
            (
                {
                    "smoothing": "laplace",
                    "length_normalization": "loo",
                    "loo_candidates": {"length_normalization": [value]},
                },
                r"loo_candidates\['length_normalization'\] holds .*: give numbers",
            )
            for value in (-1, 0, np.nan, np.inf, "long")
        ),
        (
            {
                "smoothing": "laplace",
                "length_normalization": "loo",
                "loo_candidates": {"order": [1]},
            },
            "loo_candidates names 'order'",
        ),
    ],
)
def test_parameters_that_leave_one_out_cannot_choose_are_named(params, message):
    with pytest.raises(ValueError, match=message):
        LanguageModelNB(**params).fit(*draw(0))


TUNED = [
    {"smoothing": "lidstone", "smoothing_parameter": "loo"},
    {"smoothing": "laplace", "length_normalization": "loo"},
    {
        "smoothing": "absolute_discount",
        "smoothing_parameter": "loo",
        "length_normalization": "loo",
        "loo_scoring": "log_loss",
    },
]
every_tuned = pytest.mark.parametrize("params", TUNED, ids=str)
CHOSEN = ("smoothing_parameter_", "length_normalization_")


@pytest.mark.parametrize("params", [{}, *TUNED], ids=str)
@pytest.mark.parametrize("method", ["fit", "partial_fit"])
def test_integer_weights_equal_repetition(params, method):
    """As where a class is oversampled by repetition."""
    texts, y = draw_long_texts()
    times = 1 + y + np.arange(len(y)) % 2
    rows = np.random.default_rng(0).permutation(np.repeat(np.arange(len(y)), times))
    given = {"classes": np.unique(y)} if method == "partial_fit" else {}
    weighted, repeated = (LanguageModelNB(**params) for _ in range(2))
    getattr(weighted, method)(texts, y, sample_weight=times, **given)
    getattr(repeated, method)([texts[i] for i in rows], y[rows], **given)
    for name in CHOSEN:
        assert getattr(weighted, name) == getattr(repeated, name)
    for name in ("mean_log_loss", "standard_error_log_loss", "mean_accuracy"):
        np.testing.assert_allclose(
            weighted.loo_results_[name], repeated.loo_results_[name], rtol=1e-9
        )
    np.testing.assert_allclose(
        weighted.predict_proba(texts), repeated.predict_proba(texts), atol=1e-12
    )
    if method == "fit":
        np.testing.assert_allclose(
            weighted.predict_proba(None)[rows], repeated.predict_proba(None), atol=1e-12
        )


@pytest.mark.parametrize("unknown", ["token", "ignore"])
def test_copies_are_left_out_together(unknown):
    """Documents are copies if they are after unknown words have become one, or none."""
    texts, y = draw_long_texts(24)
    texts += [f"{texts[0]} zz", f"{texts[0]} yy", texts[1], texts[2], texts[2]]
    y = np.append(y, [y[0], y[0], 1 - y[1], y[2], y[2]])
    model = LanguageModelNB(unknown=unknown, vocabulary=list("abcd")).fit(texts, y)
    seen = [text.replace("zz", "?").replace("yy", "?") for text in texts]
    if unknown == "ignore":
        seen = [text.replace("?", "") for text in seen]
    left_out = model.predict_proba(None)
    n_copies = {"token": [1, 1, 3], "ignore": [3, 1, 3]}[unknown]
    for i, text in enumerate(texts):
        left = weights_without(seen, y, np.ones(len(y)), i)
        if i < 3:
            assert np.sum(left == 0) == n_copies[i]
        expected = settled(model).fit(texts, y, left).predict_proba([text])[0]
        np.testing.assert_allclose(left_out[i], expected, atol=1e-12)


def test_documents_that_are_equal_by_chance_stay():
    """Most of the distinct ones are documents of both classes."""
    rng = np.random.default_rng(0)
    texts, y = rng.choice(list("abc"), 40).tolist(), rng.integers(0, 2, 40)
    assert merged_rows(texts, y) == list(range(40))
    model = LanguageModelNB(1, vocabulary=list("abc")).fit(texts, y)
    for i in range(8):
        others = settled(model).fit(texts, y, np.arange(40) != i)
        np.testing.assert_allclose(
            model.predict_proba(None)[i], others.predict_proba([texts[i]])[0]
        )


@every_tuned
def test_what_is_chosen_on_the_first_batch_stays(params):
    texts, y = draw(3, 24)
    first = LanguageModelNB(**params).fit([*texts[:12], "a b"], [*y[:12], 2])
    model = LanguageModelNB(**params)
    model.partial_fit([*texts[:12], "a b"], [*y[:12], 2], classes=[0, 1, 2])
    model.partial_fit(texts[12:], y[12:])
    chosen = {name: getattr(first, name) for name in CHOSEN}
    assert {name: getattr(model, name) for name in CHOSEN} == chosen
    assert model.loo_results_["params"] == first.loo_results_["params"]
    given = {**params, **{name.rstrip("_"): value for name, value in chosen.items()}}
    whole = LanguageModelNB(**given)
    whole.fit([*texts[:12], "a b", *texts[12:]], [*y[:12], 2, *y[12:]])
    np.testing.assert_allclose(
        model.predict_joint_log_proba(texts), whole.predict_joint_log_proba(texts)
    )
    model.set_params(**given).partial_fit(["a"], [0])
    assert not hasattr(model, "loo_results_")


@every_tuned
@pytest.mark.parametrize("texts", [["a b a"], ["a b a", "b"], ["", ""]])
def test_a_first_batch_of_one_class_or_no_words_has_the_defaults(params, texts):
    model = LanguageModelNB(**params).partial_fit(texts, [1] * len(texts), [0, 1])
    default = LanguageModelNB(smoothing=params["smoothing"]).fit(["a"], [0])
    assert model.smoothing_parameter_ == default.smoothing_parameter_
    assert model.length_normalization_ is None
    model.partial_fit(*draw(2, 8)[:1], [0, 1] * 4)
    assert model.smoothing_parameter_ == default.smoothing_parameter_
    assert not hasattr(model, "loo_results_")


def test_merge_wants_equal_choices():
    texts, y = draw(4, 16)
    params = {"smoothing": "lidstone", "smoothing_parameter": "loo"}
    candidates = {"smoothing_parameter": [0.2]}
    one, same = (
        LanguageModelNB(**params, loo_candidates=candidates).fit(texts[rows], y[rows])
        for rows in (slice(0, 8), slice(8, 16))
    )
    other = LanguageModelNB(smoothing="lidstone", smoothing_parameter=0.3)
    other.fit(texts, y)
    for a, b in ((one, other), (other, one)):
        with pytest.raises(ValueError, match="models differ in smoothing_parameter"):
            a.merge(b)
    whole = LanguageModelNB(smoothing="lidstone", smoothing_parameter=0.2)
    np.testing.assert_allclose(
        one.merge(same).predict_joint_log_proba(texts),
        whole.fit(texts, y).predict_joint_log_proba(texts),
    )


def test_a_threshold_of_documents_excludes_batches():
    model = LanguageModelNB(min_df=2)
    for method in ("partial_fit", "merge"):
        with pytest.raises(AttributeError, match="needs all documents at once"):
            getattr(model, method)


def test_the_default_is_chosen_by_the_log_loss_of_left_out_documents():
    texts, y = draw(0)
    model = LanguageModelNB().fit(texts, y)
    spelled_out = LanguageModelNB(
        smoothing="absolute_discount",
        smoothing_parameter="loo",
        length_normalization="loo",
        loo_scoring="log_loss",
    ).fit(texts, y)
    np.testing.assert_array_equal(
        model.predict_proba(texts), spelled_out.predict_proba(texts)
    )
    best = np.argmin(model.loo_results_["mean_log_loss"])
    chosen = model.loo_results_["params"][best]
    assert chosen["smoothing_parameter"] == model.smoothing_parameter_
    assert chosen["length_normalization"] == model.length_normalization_
    true_class = np.searchsorted(model.classes_, y)
    with np.errstate(divide="ignore"):  # one text is the only one of its class
        losses = -np.log(model.predict_proba(None)[np.arange(len(y)), true_class])
    np.testing.assert_allclose(
        np.minimum(losses, MAX_LOG_LOSS).mean(),
        model.loo_results_["mean_log_loss"][best],
    )


@pytest.mark.parametrize("smoothing", ["kneser_ney", "laplace", "absolute_discount"])
def test_a_given_smoothing_is_the_classical_method(smoothing):
    texts, y = draw(0)
    model = LanguageModelNB(smoothing=smoothing).fit(texts, y)
    classical = LanguageModelNB(
        smoothing=smoothing,
        smoothing_parameter=None,
        length_normalization=None,
    ).fit(texts, y)
    assert model.length_normalization_ is None
    assert not hasattr(model, "loo_results_")
    np.testing.assert_array_equal(
        model.predict_proba(texts), classical.predict_proba(texts)
    )


def test_the_length_changes_no_decision():
    texts, y = draw(1)
    plain = LanguageModelNB(smoothing="witten_bell", class_prior=None).fit(texts, y)
    short = clone(plain).set_params(length_normalization=0.5).fit(texts, y)
    np.testing.assert_array_equal(plain.predict(texts), short.predict(texts))
    assert short.predict_proba(texts).max() < plain.predict_proba(texts).max()


def test_discounts_by_length_leave_no_document_out():
    texts, y = draw(0)
    params = {"smoothing": "absolute_discount", "smoothing_parameter": [0.5, 0.7]}
    model = LanguageModelNB(2, **params).fit(texts, y)
    with pytest.raises(ValueError, match="where leave-one-out removes documents"):
        model.predict_proba(None)

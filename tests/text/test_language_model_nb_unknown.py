"""LanguageModelNB: unknown words as one more word, or ignored."""

import numpy as np
import pandas as pd
import pytest
from sklearn.feature_extraction.text import CountVectorizer

from sklearn_bayeslazy import LanguageModelNB, TextNB
from tests.helpers.shared import shared_path

TEXTS = ["a b a", "a c", "b b d", "c a", "e d d", "b a"]
LABELS = [0, 0, 1, 0, 1, 1]
NEW = ["a b", "unseen a", "unseen", "", "d unseen d"]
UNIGRAMS = {
    "order": 1,
    "background": False,
    "binary": False,
    "boundaries": None,
    "unknown": "ignore",
}


def bag_of_words(texts, labels, new, m, **params):
    """Return the joint log probabilities of CountVectorizer and TextNB, and V."""
    vectorizer = CountVectorizer(token_pattern=r"(?u)\b\w+\b", **params)
    X = vectorizer.fit_transform(texts)
    model = TextNB(m * X.shape[1], temperature=1).fit(X, labels)
    return model.predict_joint_log_proba(vectorizer.transform(new))


@pytest.mark.parametrize(
    ("smoothing", "alpha"), [("laplace", 1.0), ("lidstone", 0.3)], ids=str
)
@pytest.mark.parametrize("min_df", [1, 3])
def test_unigrams_are_the_multinomial_model(smoothing, alpha, min_df):
    parameter = alpha if smoothing == "lidstone" else None
    model = LanguageModelNB(
        smoothing=smoothing, smoothing_parameter=parameter, min_df=min_df, **UNIGRAMS
    ).fit(TEXTS, LABELS)
    expected = bag_of_words(TEXTS, LABELS, NEW, alpha, min_df=min_df)
    joint = model.predict_joint_log_proba(NEW)
    np.testing.assert_allclose(joint, expected, rtol=1e-12)
    np.testing.assert_allclose(joint[2], model.class_log_prior_)  # no known word


def test_sms_spam_is_that_of_scikit_learns_vectorizer_and_text_nb():
    table = pd.read_csv(shared_path("sms_spam.csv"))
    texts = table.drop(columns="target").iloc[:, 0].astype(str).tolist()
    train, new = texts[:2000], texts[2000:3000]
    labels = table["target"][:2000]
    model = LanguageModelNB(smoothing="laplace", **UNIGRAMS).fit(train, labels)
    expected = bag_of_words(train, labels, new, 1.0)
    joint = model.predict_joint_log_proba(new)
    np.testing.assert_allclose(joint, expected, rtol=1e-12)
    with_token = model.set_params(unknown="token").fit(train, labels)
    assert not np.allclose(with_token.predict_joint_log_proba(new), expected)


def test_leave_one_out_equals_refits_with_the_same_vocabulary():
    alphas = [0.1, 1.0]
    params = {**UNIGRAMS, "smoothing": "lidstone", "vocabulary": list("abcd")}
    model = LanguageModelNB(
        smoothing_parameter="loo",
        loo_candidates={"smoothing_parameter": alphas},
        **params,
    ).fit(TEXTS, LABELS)
    for alpha, found in zip(alphas, model.loo_results_["mean_log_loss"]):
        losses = []
        for i, text in enumerate(TEXTS):
            refit = LanguageModelNB(smoothing_parameter=alpha, **params)
            refit.fit(TEXTS[:i] + TEXTS[i + 1 :], LABELS[:i] + LABELS[i + 1 :])
            losses.append(-refit.predict_log_proba([text])[0, LABELS[i]])
        assert found == pytest.approx(np.mean(losses), rel=1e-10)


def test_neighbours_of_an_ignored_word_become_adjacent():
    params = {"vocabulary": list("abcd"), "unknown": "ignore"}
    model = LanguageModelNB(order=2, **params).fit(TEXTS, LABELS)
    joint = model.predict_joint_log_proba(["a unseen b", "a b"])
    np.testing.assert_array_equal(joint[0], joint[1])


def test_batches_and_merges_equal_one_fit():
    model = LanguageModelNB(smoothing="lidstone", **UNIGRAMS)
    whole = model.fit(TEXTS, LABELS).predict_joint_log_proba(NEW)
    parts = [LanguageModelNB(smoothing="lidstone", **UNIGRAMS) for _ in range(2)]
    parts[0].partial_fit(TEXTS[:2], LABELS[:2], classes=[0, 1])
    parts[1].partial_fit(TEXTS[2:], LABELS[2:], classes=[0, 1])
    merged = parts[0].merge(parts[1]).predict_joint_log_proba(NEW)
    np.testing.assert_allclose(merged, whole, rtol=1e-12)
    batches = LanguageModelNB(smoothing="lidstone", **UNIGRAMS)
    batches.partial_fit([""], [0], classes=[0, 1])
    batches.partial_fit(TEXTS, LABELS)
    with pytest.raises(ValueError, match="unknown has changed"):
        batches.set_params(unknown="token").partial_fit(TEXTS, LABELS)


def test_class_models_need_the_unknown_word():
    model = LanguageModelNB(unknown="ignore").fit(TEXTS, LABELS)
    with pytest.raises(ValueError, match="class_model needs unknown='token'"):
        model.class_model(0)

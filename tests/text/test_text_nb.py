"""TextNB by hand: textbook formulas with visible fractions, and plain loops.

Code under test: `text/_words/_bernoulli.py`, `text/_words/_learning.py`,
`text/_words/_multinomial.py`, `text/_words/_scores.py`.
"""

import gzip
import json

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse
from sklearn.feature_extraction.text import CountVectorizer
from sklearn.model_selection import train_test_split

from sklearn_bayeslazy import TextNB
from sklearn_bayeslazy.testing import assert_on_simplex
from tests.helpers.shared import shared_path
from tests.helpers.text_by_hand import estimates, joint_log_likelihoods

# Words: ball, goal, vote. Sport has two documents and 5 words, politics one and 3.
X = np.array([[2, 1, 0], [1, 1, 0], [0, 0, 3]])
Y = ["sport", "sport", "politics"]
MODELS = {
    "multinomial": {},
    "complement": {"complement": True},
    "bernoulli": {"event_model": "bernoulli"},
    "poisson": {"event_model": "poisson"},
}
every_model = pytest.mark.parametrize("name", MODELS)


def prob(**params):
    model = TextNB(**params).fit(X, Y)
    assert model.classes_.tolist() == ["politics", "sport"]
    return np.exp(model.feature_log_prob_)


def test_learn_naive_bayes_text_of_mitchell():
    """P(c) = docs_c / docs, P(w | c) = (n_w + 1) / (n + |V|) for known words.

    Unknown words are ignored: Mitchell (1997), Machine Learning, table 6.2.
    """
    documents = ["our team won our game", "the team lost", "the vote is lost"]
    vectorizer = CountVectorizer()
    counts = vectorizer.fit_transform(documents)
    assert sorted(vectorizer.vocabulary_) == [
        *("game", "is", "lost", "our", "team", "the", "vote", "won")
    ]
    model = TextNB("laplace").fit(counts, [1, 1, 0])
    new = vectorizer.transform(["our vote moon"])  # "moon" is unknown
    score = np.exp(model.predict_joint_log_proba(new))[0]
    assert score[1] == pytest.approx(2 / 3 * (2 + 1) / (8 + 8) * (0 + 1) / (8 + 8))
    assert score[0] == pytest.approx(1 / 3 * (0 + 1) / (4 + 8) * (1 + 1) / (4 + 8))


def test_m_virtual_words_from_the_uniform_prior():
    expected = [
        [(n + 2 * 1 / 3) / (3 + 2) for n in (0, 0, 3)],
        [(n + 2 * 1 / 3) / (5 + 2) for n in (3, 2, 0)],
    ]
    np.testing.assert_allclose(prob(m=2), expected)
    np.testing.assert_allclose(
        prob(m="laplace"), [[1 / 6, 1 / 6, 4 / 6], [4 / 8, 3 / 8, 1 / 8]]
    )


def test_m_virtual_words_from_the_background():
    whole = [3 / 8, 2 / 8, 3 / 8]  # of 8 words in all
    expected = [
        [(n + 2 * p) / (3 + 2) for n, p in zip((0, 0, 3), whole)],
        [(n + 2 * p) / (5 + 2) for n, p in zip((3, 2, 0), whole)],
    ]
    np.testing.assert_allclose(prob(m=2, prior="background"), expected)


def test_counts_of_a_related_corpus_as_prior():
    """(n + m q(w, c)) / (n_c + m q(c)); the sums q(c) need not be 1."""
    for_all = [4, 4, 2]
    expected = [
        [(n + 0.5 * q) / (3 + 0.5 * 10) for n, q in zip((0, 0, 3), for_all)],
        [(n + 0.5 * q) / (5 + 0.5 * 10) for n, q in zip((3, 2, 0), for_all)],
    ]
    np.testing.assert_allclose(prob(m=0.5, prior=for_all), expected)
    by_class = [[0, 1, 9], [6, 6, 0]]
    expected = [
        [(n + 0.5 * q) / (3 + 0.5 * 10) for n, q in zip((0, 0, 3), by_class[0])],
        [(n + 0.5 * q) / (5 + 0.5 * 12) for n, q in zip((3, 2, 0), by_class[1])],
    ]
    np.testing.assert_allclose(prob(m=0.5, prior=by_class), expected)


def test_bernoulli_by_hand():
    one_more_with_and_without = [
        [(0 + 1) / (1 + 2), (0 + 1) / (1 + 2), (1 + 1) / (1 + 2)],
        [(2 + 1) / (2 + 2), (2 + 1) / (2 + 2), (0 + 1) / (2 + 2)],
    ]
    model = TextNB("laplace", event_model="bernoulli").fit(X, Y)
    table = np.exp(model.feature_log_prob_)
    np.testing.assert_allclose(table, one_more_with_and_without)
    score = np.exp(model.predict_joint_log_proba([[7, 0, 1]]))[0]  # ball, vote
    assert score[0] == pytest.approx(1 / 3 * 1 / 3 * (1 - 1 / 3) * 2 / 3)
    assert score[1] == pytest.approx(2 / 3 * 3 / 4 * (1 - 3 / 4) * 1 / 4)
    shares = prob(event_model="bernoulli", m=3, prior="background")
    np.testing.assert_allclose(
        shares,
        [
            [(n + 3 * p) / (1 + 3) for n, p in zip((0, 0, 1), (2 / 3, 2 / 3, 1 / 3))],
            [(n + 3 * p) / (2 + 3) for n, p in zip((2, 2, 0), (2 / 3, 2 / 3, 1 / 3))],
        ],
    )


def test_bernoulli_of_three_documents_about_text_mining():
    # text, information, identify, mining, mined, is, useful, to, from, apple, delicious
    documents = [
        [1, 1, 1, 1, 0, 1, 1, 1, 0, 0, 0],
        [1, 1, 0, 0, 1, 1, 1, 0, 1, 0, 0],
        [0, 0, 0, 0, 0, 1, 0, 0, 0, 1, 1],
    ]
    model = TextNB("laplace", event_model="bernoulli").fit(documents, [1, 1, 0])
    expected = [(n + 1) / (2 + 2) for n in (2, 2, 1, 1, 1, 2, 2, 1, 1, 0, 0)]
    np.testing.assert_allclose(np.exp(model.feature_log_prob_[1]), expected)


def test_poisson_by_hand():
    # 8 words in 3 documents: 8/9 of each word is the uniform rate.
    rates = prob(event_model="poisson", m=2)
    expected = [
        [(n + 2 * 8 / 9) / (1 + 2) for n in (0, 0, 3)],
        [(n + 2 * 8 / 9) / (2 + 2) for n in (3, 2, 0)],
    ]
    np.testing.assert_allclose(rates, expected)
    model = TextNB(event_model="poisson", m=2).fit(X, Y)
    score = model.predict_joint_log_proba([[2, 0, 1]])[0]
    for c, p in enumerate((1 / 3, 2 / 3)):
        a, b, v = expected[c]
        assert score[c] == pytest.approx(np.log(p * a**2 * v) - (a + b + v))
    given = prob(event_model="poisson", m=2, prior=[0.5, 0.0, 1.0])
    np.testing.assert_allclose(
        given[0], [(0 + 2 * 0.5) / 3, 0, (3 + 2 * 1) / 3], atol=1e-15
    )


def test_poisson_is_multinomial_words_and_a_poisson_length():
    model = TextNB(event_model="poisson", m=2).fit(X, Y)
    rate = np.exp(model.feature_log_prob_)
    length = rate.sum(axis=1)
    document = np.array([2, 0, 1])
    words = document @ np.log(rate / length[:, None]).T
    size = document.sum() * np.log(length) - length  # but for log 3!
    np.testing.assert_allclose(
        model.predict_joint_log_proba([document])[0],
        model.class_log_prior_ + words + size,
    )


def test_complement_by_hand():
    model = TextNB(m=2, complement=True).fit(X, Y)
    others = [
        [(n + 2 * 1 / 3) / (5 + 2) for n in (3, 2, 0)],
        [(n + 2 * 1 / 3) / (3 + 2) for n in (0, 0, 3)],
    ]
    np.testing.assert_allclose(model.feature_log_prob_, -np.log(others))
    score = model.predict_joint_log_proba([[2, 0, 1]])[0]
    for c in range(2):
        a, _, v = others[c]
        assert score[c] == pytest.approx(-np.log(a**2 * v))


def test_complement_takes_the_other_classes_rows_of_a_prior():
    prior = [[1, 2, 3], [4, 5, 6], [7, 8, 10]]
    model = TextNB(m=1, complement=True, prior=prior).fit(np.eye(3), [0, 1, 2])
    expected = [(0 + (4 + 7) / 2), (1 + (5 + 8) / 2), (1 + (6 + 10) / 2)]
    np.testing.assert_allclose(
        model.feature_log_prob_[0], -np.log(np.divide(expected, sum(expected)))
    )


def test_m_0_keeps_zeros_and_empty_classes_have_the_prior():
    model = TextNB(m=0).fit(X, Y)
    np.testing.assert_allclose(
        np.exp(model.feature_log_prob_), [[0, 0, 3 / 3], [3 / 5, 2 / 5, 0]]
    )
    assert model.feature_log_prob_[0, 2] == 0  # exactly
    np.testing.assert_array_equal(
        model.predict_joint_log_proba([[1, 0, 1]]), [[-np.inf, -np.inf]]
    )
    np.testing.assert_allclose(model.predict_proba([[1, 0, 1]]), [[1 / 3, 2 / 3]])
    assert model.predict([[1, 0, 1]]) == "sport"
    # Politics has no words: its estimates are those of the virtual words.
    empty = TextNB(m=0, prior=[2, 1, 1]).fit([[2, 1, 0], [0, 0, 0]], [1, 0])
    np.testing.assert_allclose(np.exp(empty.feature_log_prob_[0]), [0.5, 0.25, 0.25])


@pytest.mark.parametrize(
    ("params", "certain"),
    [
        ({"m": 0}, False),
        ({"m": 1, "prior": "background"}, False),
        ({"m": 0, "event_model": "poisson"}, False),
        ({"m": 0, "event_model": "bernoulli"}, False),
        ({"m": 1, "event_model": "bernoulli", "prior": "background"}, True),
        ({"m": 0, "event_model": "bernoulli"}, True),
        ({"m": 0, "complement": True}, False),
    ],
)
def test_words_that_are_impossible_or_certain_in_all_classes_are_ignored(
    params, certain
):
    """A word of no document, or of all, scores as if it were not in the vocabulary."""
    rng = np.random.default_rng(0)
    X, y = rng.integers(1, 3, size=(20, 4)), np.arange(20) % 3
    X[::2, :3] *= rng.integers(0, 2, size=(10, 3))
    X[:, 3] = certain
    without = TextNB(**params).fit(X[:, :3], y)
    model = TextNB(**params).fit(X, y)
    new = X.copy()
    new[:, 3] = 1 - X[:, 3]
    for rows in (X, new):
        np.testing.assert_allclose(
            model.predict_joint_log_proba(rows),
            without.predict_joint_log_proba(X[:, :3]),
            rtol=1e-12,
        )
    np.testing.assert_array_equal(model.coef_[:, 3], 0)
    impossible = np.inf if model.complement else -np.inf
    np.testing.assert_array_equal(
        model.feature_log_prob_[:, 3], 0 if certain else impossible
    )


def test_a_word_that_one_class_alone_holds_makes_the_complement_certain():
    model = TextNB(m=0, complement=True).fit(X, Y)
    np.testing.assert_array_equal(model.predict_proba([[1, 0, 0]]), [[0, 1]])
    # Two words that contradict each other: both classes are impossible.
    np.testing.assert_array_equal(model.predict_proba([[1, 0, 1]]), [[0.5, 0.5]])
    assert model.predict([[1, 0, 1]]) == "politics"


def test_bernoulli_classes_may_require_words():
    """With m = 0, a class requires the words that all its documents hold."""
    X = [[1, 1, 0], [1, 0, 1], [0, 1, 1], [0, 1, 0]]
    model = TextNB(m=0, event_model="bernoulli").fit(X, [0, 0, 1, 1])
    np.testing.assert_allclose(
        np.exp(model.predict_joint_log_proba([[1, 1, 0], [0, 1, 1], [1, 1, 1]])),
        [[0.5 * 1 * 0.5 * 0.5, 0], [0, 0.5 * 1 * 1 * 0.5], [0.5 * 0.5 * 0.5, 0]],
    )
    np.testing.assert_array_equal(model.predict_proba([[0, 0, 0]]), [[0.5, 0.5]])


@st.composite
def collections(draw):
    """Draw documents, their labels and weights, and a new document."""
    n_words = draw(st.integers(1, 4))
    document = st.lists(st.sampled_from([0, 0, 0, 1, 2, 5]), min_size=n_words)
    document = document.map(lambda row: row[:n_words])
    n = draw(st.integers(1, 6))
    X = [draw(document) for _ in range(n)]
    y = [draw(st.integers(0, 2)) for _ in range(n)]
    weight = [draw(st.sampled_from([0.25, 1.0, 1.5, 3.0])) for _ in range(n)]
    return X, y, weight, [draw(document) for _ in range(3)]


@every_model
@pytest.mark.parametrize("kind", ["uniform", "background", "array", "array by class"])
@given(collection=collections(), m=st.sampled_from([0.0, 0.3, 2.0]), data=st.data())
@settings(max_examples=40, deadline=None)
def test_scores_are_the_definition(name, kind, collection, m, data):
    X, y, weight, new = collection
    classes = sorted(set(y))
    prior = kind
    if kind.startswith("array"):
        numbers = st.sampled_from([0.0, 0.25, 0.5, 1.0])
        rows = len(classes) if kind == "array by class" else 1
        prior = [[data.draw(numbers) for _ in X[0]] for _ in range(rows)]
        for row in prior:
            row[0] = row[0] or 1.0  # no row of zeros
        prior = prior if kind == "array by class" else prior[0]
    params = MODELS[name]
    model = TextNB(m=m, prior=prior, **params).fit(X, y, sample_weight=weight)
    event_model = params.get("event_model", "multinomial")
    complement = name == "complement"
    table = estimates(X, y, weight, classes, m, prior, event_model, complement)
    stated = np.exp(-model.feature_log_prob_ if complement else model.feature_log_prob_)
    np.testing.assert_allclose(stated, table, rtol=1e-12, atol=1e-15)
    log_prior = None if complement and len(classes) > 1 else model.class_log_prior_
    documents = [*X, *new]
    expected = [
        joint_log_likelihoods(document, table, event_model, complement, log_prior)
        for document in documents
    ]
    joint = model.predict_joint_log_proba(documents)
    np.testing.assert_allclose(joint, expected, rtol=1e-10, atol=1e-10)
    assert_on_simplex(model.predict_proba(documents))


@every_model
@pytest.mark.parametrize("n_classes", [1, 2, 3])
@pytest.mark.parametrize("prior", ["uniform", "background"])
def test_coef_and_intercept_reproduce_the_joint(name, n_classes, prior):
    rng = np.random.default_rng(n_classes)
    X, y = rng.poisson(0.7, size=(40, 9)), np.arange(40) % n_classes
    params = MODELS[name]
    model = TextNB(m=0.5, prior=prior, temperature=1, **params).fit(X, y)
    Z = X > 0 if name == "bernoulli" else X
    linear = Z @ model.coef_.T + model.intercept_
    joint = model.predict_joint_log_proba(X)
    if n_classes == 2:
        assert model.coef_.shape == (1, 9)
        assert model.intercept_.shape == (1,)
        np.testing.assert_allclose(linear[:, 0], joint[:, 1] - joint[:, 0], atol=1e-12)
        log_odds = model.predict_log_proba(X)
        np.testing.assert_allclose(
            linear[:, 0], log_odds[:, 1] - log_odds[:, 0], atol=1e-12
        )
    else:
        assert model.coef_.shape == (n_classes, 9)
        np.testing.assert_allclose(linear, joint, rtol=1e-12)


def test_log_odds_of_words_that_one_class_lacks_are_infinite():
    model = TextNB(m=0).fit([[1, 0, 2, 0], [0, 3, 2, 0]], [0, 1])
    expected = [[-np.inf, np.inf, np.log((2 / 5) / (2 / 3)), 0]]
    np.testing.assert_allclose(model.coef_, expected)
    np.testing.assert_array_equal(model.intercept_, [0])


def test_top_features_are_frequent_and_characteristic():
    # "the" is in all texts, "x" is rare, "goal" and "vote" differ by class.
    X = [[9, 4, 0, 1], [9, 0, 4, 0], [9, 1, 3, 0]]
    names = ["the", "goal", "vote", "x"]
    model = TextNB(m=1).fit(X, ["sport", "talk", "talk"])
    top = model.top_features(2, feature_names=names)
    assert top == {"sport": ["goal", "x"], "talk": ["vote", "the"]}
    p, q = np.exp(model.feature_log_prob_[::-1])  # talk, sport
    ranked = np.argsort(-p * np.log(p / q))
    assert model.top_features(99, feature_names=names)["talk"] == [
        names[j] for j in ranked
    ]
    assert model.top_features(1) == {"sport": ["x1"], "talk": ["x2"]}


@every_model
@pytest.mark.parametrize("m", [0, 1])
def test_top_features_of_all_models(name, m):
    X = np.array([[3, 3, 0, 1], [3, 0, 3, 0], [3, 0, 3, 0]])
    model = TextNB(m=m, **MODELS[name]).fit(X, ["a", "b", "b"])
    top = model.top_features(1)
    assert top == {"a": ["x1"], "b": ["x2"]}
    assert sorted(model.top_features()["a"]) == ["x0", "x1", "x2", "x3"]
    only = TextNB(m=m, **MODELS[name]).fit(X, [7, 7, 7])
    assert only.top_features(1) == {7: ["x0"]}


def test_top_features_of_a_frame_have_its_names():
    pd = pytest.importorskip("pandas")
    frame = pd.DataFrame(X, columns=["ball", "goal", "vote"])
    model = TextNB("laplace").fit(frame, Y)
    assert model.top_features(1) == {"politics": ["vote"], "sport": ["ball"]}
    with pytest.raises(ValueError, match=r"feature_names has 2 entries.* 3 words"):
        model.top_features(feature_names=["a", "b"])


def test_twenty_newsgroups_reach_the_accuracy_that_mitchell_reports():
    """1000 documents per group, a third withheld: 89 % (with full headers).

    As in Mitchell (1997), section 6.10.1, without the 100 most frequent words and those
    that occur fewer than three times. The standard error over 6 666 documents is .4 %;
    Mitchell's tokenizer differed.
    """
    path = shared_path("20_newsgroups_19997.jsonl.gz")
    with gzip.open(path, "rt", encoding="utf-8") as lines:
        rows = [json.loads(line) for line in lines]
    y = np.array([row["target"] for row in rows])
    words = CountVectorizer(token_pattern=r"[A-Za-z]+")
    counts = words.fit_transform([row["text"] for row in rows])
    train, test = train_test_split(
        np.arange(len(y)), test_size=1 / 3, stratify=y, random_state=0
    )
    frequency = np.asarray(counts[train].sum(axis=0)).ravel()
    kept = frequency >= 3
    kept[np.argsort(-frequency)[:100]] = False
    counts = sparse.csr_array(counts[:, kept])
    model = TextNB("laplace").fit(counts[train], y[train])
    assert model.score(counts[test], y[test]) == pytest.approx(0.89, abs=0.02)

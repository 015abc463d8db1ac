"""TextNB's choice of m: leave-one-out equals refitting without each document.

Code under test: `text/_words/_left_out_documents.py`,
`text/_words/_left_out_kernels.py`.
"""

import numpy as np
import pytest
import sklearn
from scipy import sparse
from sklearn.base import clone

from sklearn_bayeslazy import TextNB
from sklearn_bayeslazy.leave_one_out._choice import rows_to_leave_out
from tests.helpers.copies_by_hand import weights_without

EPSILON = np.finfo(np.float64).eps
MODELS = {
    "multinomial": {},
    "complement": {"complement": True},
    "bernoulli": {"event_model": "bernoulli"},
    "poisson": {"event_model": "poisson"},
}
every_model = pytest.mark.parametrize("model", MODELS)
CANDIDATES = [0, 1e-3, 0.7, 5.0, "laplace"]


def draw(seed, n_classes=3, n_rows=14, n_words=6, whole=True):
    """Draw few documents of few words, so that many words have one document only."""
    rng = np.random.default_rng(seed)
    y = rng.permutation(np.arange(n_rows) % n_classes)
    X = rng.poisson(rng.choice([0.1, 0.4, 2.0], size=n_words), size=(n_rows, n_words))
    X[0] = 0  # a document without words
    X[:, -1] = np.maximum(X[:, -1], 1)
    X[1, -1] = 0  # the last word is in all documents but one
    return (X if whole else X * rng.uniform(0.1, 1.0, size=X.shape)), y


def weights(kind, n_rows, seed):
    rng = np.random.default_rng(seed)
    if kind == "none":
        return np.ones(n_rows)
    if kind == "integer":
        return rng.integers(1, 4, size=n_rows).astype(float)
    if kind == "equal":
        return np.full(n_rows, 0.3)  # sums and their differences are rounded
    return rng.uniform(0.05, 2.5, size=n_rows)


def prior_of(kind, event_model, n_classes, n_words, seed):
    """Return a prior parameter; arrays have zeros where these are allowed."""
    rng = np.random.default_rng(seed)
    if isinstance(kind, str) and not kind.startswith("array"):
        return kind
    shape = (n_words,) if kind == "array" else (n_classes, n_words)
    prior = rng.uniform(0.05, 0.95, size=shape)
    if kind == "array with zeros":
        prior[..., ::2] = 0
    if kind == "array with ones":
        prior[..., ::2] = 1
    return prior


def refit_scores(X, y, weight, model):
    """Return each row's log loss and correctness under a model refitted without it.

    The third result marks rows whose two best classes tie up to rounding.
    """
    classes = np.unique(y)
    losses, correct, tied = np.empty((3, len(y)))
    for i in range(len(y)):
        left = weights_without(X, y, weight, i, are_counts=True)
        model.__dict__.pop("classes_", None)
        model.partial_fit(X, y, classes, sample_weight=left)
        true_proba = model.predict_proba(X[i : i + 1])[0, classes == y[i]]
        # As scikit-learn's log_loss.
        losses[i] = -np.log(np.maximum(true_proba, EPSILON))[0]
        joint = model.predict_joint_log_proba(X[i : i + 1])[0]
        correct[i] = classes[np.argmax(joint)] == y[i]
        second, first = np.sort(joint)[-2:]
        gap = first - second if np.isfinite(second) else 1.0
        tied[i] = gap < 1e-12 * np.abs(second)
    return losses, correct, tied


def assert_loo_is_refitting(X, y, weight, candidates=CANDIDATES, **params):
    params = {"temperature": 1, **params}
    model = TextNB(m="loo", loo_candidates={"m": candidates}, **params)
    model.fit(X, y, sample_weight=weight)
    results = model.loo_results_
    for position, m in enumerate(candidates):
        one = TextNB(m=m, **params)
        losses, correct, tied = refit_scores(X, y, weight, one)
        np.testing.assert_allclose(
            results["mean_log_loss"][position],
            np.average(losses, weights=weight),
            rtol=1e-9,
            atol=1e-9,
            err_msg=str((params, m)),
        )
        np.testing.assert_allclose(
            results["mean_accuracy"][position],
            np.average(correct, weights=weight),
            rtol=1e-12,
            atol=np.average(tied, weights=weight),
        )
    keys = list(zip(-results["mean_accuracy"], results["mean_log_loss"]))
    best = int(np.argmin(results["rank"]))
    assert keys[best] == min(keys)
    assert results["params"][best] == {"m": candidates[best]}
    assert model.m_ == TextNB(m=candidates[best], **params).fit(X, y, weight).m_
    assert sorted(results["rank"]) == list(range(1, len(candidates) + 1))


@pytest.mark.parametrize("weighting", ["none", "integer", "fractional", "equal"])
@pytest.mark.parametrize(
    "prior",
    [
        *("uniform", "background", "array", "array by class"),
        *("array with zeros", "array with ones"),
    ],
)
@every_model
def test_leave_one_out_is_refitting(model, prior, weighting):
    params = MODELS[model]
    seed = int(weighting in ("integer", "equal"))
    X, y = draw(seed, n_classes=2 + seed)
    kind = prior_of(prior, model, 2 + seed, X.shape[1], seed)
    weight = weights(weighting, len(y), seed)
    assert_loo_is_refitting(sparse.csr_array(X), y, weight, prior=kind, **params)


@pytest.mark.parametrize("weighting", ["none", "fractional"])
@pytest.mark.parametrize("prior", ["uniform", "background", "array by class"])
@every_model
def test_long_documents_and_words_that_occur_often(model, prior, weighting):
    # Products of hundreds of numerators leave the range of a float many times.
    X, y = draw(2, n_rows=9, n_words=400)
    X[:, :40] *= np.arange(40) // 3
    X = X.astype(float)
    X[3, 40:80] *= 0.5  # fractions
    kind = prior_of(prior, model, 3, X.shape[1], 2)
    weight = weights(weighting, len(y), 2)
    candidates = [1e-6, 0.7, "laplace"]
    assert_loo_is_refitting(
        sparse.csr_array(X), y, weight, candidates, prior=kind, **MODELS[model]
    )


@every_model
@pytest.mark.parametrize(
    "params",
    [
        {"fit_prior": False},
        {"class_prior": [0.2, 0.8]},
        {"prior": "background", "class_prior": [1.0, 0.0]},
    ],
    ids=str,
)
def test_leave_one_out_of_weighted_words_and_given_class_priors(model, params):
    X, y = draw(7, n_classes=2, whole=False)
    weight = weights("fractional", len(y), 7)
    assert_loo_is_refitting(X, y, weight, **MODELS[model], **params)


@every_model
@pytest.mark.parametrize("prior", ["uniform", "background"])
@pytest.mark.parametrize("whole", [False, True])
def test_a_class_of_one_document_stays_when_it_is_left_out(model, prior, whole):
    X, y = draw(3, n_classes=3, n_words=40, whole=whole)
    X = X if whole else X * 0.02  # small weights: no class becomes impossible
    y = np.where(np.arange(len(y)) == 5, 9, y)
    weight = weights("fractional", len(y), 3)
    weight[5] = 0.37  # below 1, so the whole document is removed
    candidates = [0, 0.7, 30.0]
    params = {"prior": prior, **MODELS[model]}
    assert_loo_is_refitting(X, y, weight, candidates, **params)
    assert_loo_is_refitting(X, y, weight, candidates, fit_prior=False, **params)


@pytest.mark.parametrize("seed", range(8))
@pytest.mark.parametrize("value", [0.1, 0.3, 0.7])
def test_rounding_does_not_hide_that_all_other_documents_hold_a_word(seed, value):
    X, y = draw(seed, n_classes=2 + seed % 2, n_rows=9 + seed)
    params = {"event_model": "bernoulli", "prior": "background"}
    assert_loo_is_refitting(X, y, np.full(len(y), value), [0.0, 0.7], **params)


def test_documents_of_one_word_are_no_copies():
    """Else each would be predicted without its word, and nothing would be learnt."""
    rng = np.random.default_rng(0)
    word = rng.integers(0, 20, 200)
    y = np.where(rng.random(200) < 0.1, rng.integers(0, 2, 200), word % 2)
    model = TextNB().fit(np.eye(20)[word[:100]], y[:100])
    rows = np.arange(100, 200)
    assert np.mean(model.predict(np.eye(20)[word[rows]]) == y[rows]) > 0.85
    truth = model.predict_proba(np.eye(20)[word[rows]])[np.arange(100), y[rows]]
    assert -np.log(truth).mean() < 0.45
    alone = model.predict_proba(None)[np.arange(100), y[:100]]
    assert -np.log(alone).mean() < 0.45


@pytest.mark.parametrize("model", ["multinomial", "complement", "poisson"])
@pytest.mark.parametrize("prior", ["uniform", "background"])
def test_words_of_left_out_copies_leave_no_rounding_errors(model, prior):
    """A sum of copies is not their product: without them no class holds the word."""
    n, x = 6, 0.3
    assert sum([x] * n) > n * x
    once = np.array([[x, 0, 0.1], [0, 0.3, 0.1], [0, 0.2, 0.7], [0, 0.4, 0.2]])
    y = np.array([0, 1, 1, 0])
    nb = TextNB(
        0.0 if prior == "uniform" else 2.0,
        prior=prior,
        temperature=1,
        class_prior=[0.3, 0.7],
        **MODELS[model],
    )
    expected = nb.fit(once, y, sample_weight=[n, 1, 1, 1]).predict_proba(None)
    rows = np.repeat(np.arange(4), [n, 1, 1, 1])
    nb.fit(once[rows], y[rows])
    np.testing.assert_allclose(nb.predict_proba(None), expected[rows], rtol=1e-9)


def test_a_class_of_one_document_whose_cells_add_up_leaves_no_rounding_errors():
    parts = [0.3] * 6
    weight = [2.7, 1, 1]
    assert sum(weight[0] * x for x in parts) > weight[0] * sum(parts)
    cells = [*parts, 0.3, 0.1, 0.2, 0.7], [0] * 6 + [0, 1, 0, 1], [0, 6, 8, 10]
    X = sparse.csr_array(cells, shape=(3, 2))
    nb = TextNB(0.0, prior=[0.2, 0.8], temperature=1, class_prior=[0.5, 0.5])
    given = nb.fit(X, [0, 1, 1], weight).predict_proba(None)
    added_up = nb.fit(X.toarray(), [0, 1, 1], weight).predict_proba(None)
    np.testing.assert_allclose(given, added_up, rtol=1e-9)


@every_model
@pytest.mark.parametrize("prior", ["uniform", "background"])
def test_leave_one_out_of_two_documents_and_without_words(model, prior):
    params = {"prior": prior, **MODELS[model]}
    X, y = draw(1)
    one = np.ones(len(y))
    assert_loo_is_refitting(X[:2], np.arange(2), one[:2], **params)
    assert_loo_is_refitting(np.zeros_like(X), y, one, **params)
    assert_loo_is_refitting(X[:, :1], y, one, **params)


@every_model
def test_log_loss_can_decide(model):
    X, y = draw(11, n_rows=40)
    chosen = TextNB("loo", loo_scoring="log_loss", temperature=1, **MODELS[model])
    chosen.fit(X, y)
    losses = chosen.loo_results_["mean_log_loss"]
    assert chosen.m_ == chosen.loo_results_["params"][np.argmin(losses)]["m"]
    assert losses.min() < losses.max()


@pytest.mark.parametrize(
    ("event_model", "smallest", "largest", "classical"),
    [
        ("multinomial", 6 * 1e-4, 6 * 1000, 6),
        ("bernoulli", 1e-6, 10_000, 2),
        ("poisson", 1e-6, 10_000, 1),
    ],
)
def test_default_candidates_rise_and_include_laplace(
    event_model, smallest, largest, classical
):
    X, y = draw(0)
    model = TextNB("loo", event_model=event_model, temperature=1).fit(X, y)
    tried = [candidate["m"] for candidate in model.loo_results_["params"]]
    np.testing.assert_allclose([tried[0], tried[-1]], [smallest, largest])
    assert np.all(np.diff(tried) > 0)
    assert classical in tried
    # It is what the classical model has, and the choice where all do equally well.
    assert TextNB("laplace", event_model=event_model).fit(X, y).m_ == classical
    assert TextNB(event_model=event_model).fit(X, y * 0).m_ == classical


def test_ties_go_to_the_candidate_nearest_to_laplace():
    X, y = np.zeros((4, 8)), [0, 0, 1, 1]  # without words m decides nothing
    for candidates, nearest in (
        ([0, 0.1, 30, 200], 30),
        ([100, 0, 0.8], 0.8),
        ([0, 1e9], 1e9),
    ):
        params = {"fit_prior": False, "feature_weights": None}
        model = TextNB(**params, loo_candidates={"m": candidates}).fit(X, y)
        assert model.m_ == nearest
        params = model.loo_results_["params"][np.argmin(model.loo_results_["rank"])]
        assert params == {"m": nearest, "length_exponent": 0.0}
        assert model.temperature_ == 1


@every_model
def test_a_subset_is_left_out_one_by_one_from_the_whole_collection(model):
    """The scores of a subset are those of its documents among all."""
    X, y = draw(2, n_rows=60, whole=False)
    candidates = {"loo_candidates": {"m": [0.1, 2.0]}, **MODELS[model]}
    candidates["temperature"] = 1
    part = TextNB("loo", loo_max_samples=7, random_state=3, **candidates).fit(X, y)
    rows = rows_to_leave_out(60, 7, 3)
    for position, m in enumerate((0.1, 2.0)):
        one = TextNB(m=m, temperature=1, **MODELS[model])
        losses, *_ = refit_scores(X, y, np.ones(60), one)
        np.testing.assert_allclose(
            part.loo_results_["mean_log_loss"][position], losses[rows].mean(), rtol=1e-9
        )
    again = TextNB("loo", loo_max_samples=7, random_state=3, **candidates).fit(X, y)
    np.testing.assert_array_equal(
        part.loo_results_["mean_log_loss"], again.loo_results_["mean_log_loss"]
    )


@every_model
def test_scores_depend_neither_on_threads_nor_on_working_memory(model):
    X, y = draw(4, n_rows=3000, n_words=40)
    weight = np.where(np.arange(3000) % 7, 2.0, 0.5)
    scores = []
    for n_jobs, memory in ((1, 1024), (2, 1)):
        with sklearn.config_context(working_memory=memory):
            model_ = TextNB(n_jobs=n_jobs, random_state=0, **MODELS[model])
            model_.fit(X, y, weight)
            results = model_.loo_results_
            scores.append([results["mean_log_loss"], results["temperature"]])
    np.testing.assert_array_equal(*scores)


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("prior", ["uniform", "array"])
def test_leave_one_out_of_normed_complements_is_refitting(seed, prior):
    params = {"complement": True, "norm": True}
    X, y = draw(seed, n_classes=2 + seed % 2)
    if prior == "array":
        shape = (2 + seed % 2, X.shape[1])
        prior = np.random.default_rng(seed).uniform(0.1, 1, shape)
    weight = weights("fractional" if seed % 2 else "none", len(y), seed)
    assert_loo_is_refitting(X, y, weight, [0.4, 9.0], prior=prior, **params)


def test_norm_is_refused_where_its_sum_is_infinite_or_unknown():
    X, y = draw(1)
    normed = TextNB(complement=True, norm=True)
    with pytest.raises(ValueError, match="Choose m > 0"):
        clone(normed).set_params(m=0, temperature=1).fit(X[:2], [0, 1])
    with pytest.raises(ValueError, match="no leave-one-out with prior='background'"):
        clone(normed).set_params(prior="background").fit(X, y)
    with pytest.raises(ValueError, match="for complement=True only"):
        TextNB(norm=True).fit(X, y)

"""TextNB's partial_fit, merge and weights: any split into batches gives one fit."""

import pickle

import numpy as np
import pytest
import sklearn
from scipy import sparse

from sklearn_bayeslazy import TextNB
from sklearn_bayeslazy.testing import assert_same_predictions

VARIANTS = [
    {"m": 0.5},
    {"m": 0, "prior": "background"},
    {"m": "laplace", "complement": True},
    {"m": "laplace", "event_model": "bernoulli", "prior": "background"},
    {"m": "laplace", "event_model": "poisson"},
]
every_variant = pytest.mark.parametrize("params", VARIANTS, ids=str)


@pytest.fixture
def collection():
    rng = np.random.default_rng(0)
    y = rng.choice(["a", "b", "c"], size=120)
    shift = np.array([ord(label) - 97 for label in y])
    X = rng.poisson(0.3 + (np.arange(15) % 3 == shift[:, None]), size=(120, 15))
    return sparse.csr_array(X), y, rng.uniform(0.1, 2.5, size=120)


def assert_same_state(model, other, exactly=True):
    rtol = 0 if exactly else 1e-12
    for name in ("class_count_", "feature_count_"):
        np.testing.assert_allclose(
            getattr(model, name), getattr(other, name), rtol=rtol
        )
    assert model.classes_.tolist() == other.classes_.tolist()
    assert model.m_ == other.m_
    np.testing.assert_allclose(
        model.feature_log_prob_, other.feature_log_prob_, rtol=0 if exactly else 1e-11
    )


@every_variant
@pytest.mark.parametrize("n_batches", [1, 2, 7, 60])
def test_any_split_into_batches_is_one_fit(collection, params, n_batches):
    X, y, weight = collection
    for exactly in (True, False):
        w = None if exactly else weight
        model = TextNB(**params)
        for rows in np.array_split(np.arange(120), n_batches):
            part = None if exactly else weight[rows]
            model.partial_fit(X[rows], y[rows], ["c", "b", "a"], part)
        assert_same_state(model, TextNB(**params).fit(X, y, w), exactly)


@every_variant
def test_merged_shards_are_one_fit_even_with_different_classes(collection, params):
    X, y, _ = collection
    shards = np.array_split(np.argsort(y, kind="stable"), 5)
    models = [TextNB(**params).fit(X[rows], y[rows]) for rows in shards]
    assert all(len(model.classes_) < 3 for model in models)
    model = models[0]
    for other in models[1:]:
        kept = other.feature_count_.copy()
        assert model.merge(other) is model
        np.testing.assert_array_equal(other.feature_count_, kept)
    assert_same_state(model, TextNB(**params).fit(X, y))


@pytest.mark.parametrize("m", [0, 2.0, "laplace", "loo"])
@every_variant
def test_integer_weights_are_repetition_and_zero_is_removal(collection, params, m):
    X, y, _ = collection
    y = np.where(np.arange(120) < 3, "rare", y)
    weight = np.random.default_rng(1).integers(0, 4, size=120)
    weight[:3] = 0  # the class "rare" is removed with its rows
    params = {**params, "m": m}
    weighted = TextNB(**params).fit(X, y, sample_weight=weight)
    rows = np.repeat(np.arange(120), weight)
    repeated = TextNB(**params).fit(X[rows], y[rows])
    assert "rare" not in weighted.classes_
    assert weighted.m_ == repeated.m_
    assert_same_predictions(weighted, repeated, X, tolerance=1e-9)
    if m == "loo":
        for name, values in repeated.loo_results_.items():
            if name != "params":
                np.testing.assert_allclose(weighted.loo_results_[name], values)


def test_weights_that_are_all_zero_are_refused(collection):
    X, y, _ = collection
    with pytest.raises(ValueError, match=r"zero for all rows|one non-zero"):
        TextNB().fit(X, y, np.zeros(120))
    with pytest.raises(ValueError, match="Negative values in data passed to `sample"):
        TextNB().fit(X, y, np.full(120, -1.0))


def test_batches_after_a_fit_continue_it_with_the_current_parameters(collection):
    X, y, _ = collection
    model = TextNB(m="loo", feature_weights=None).fit(X[:80], y[:80])
    assert hasattr(model, "loo_results_")
    model.set_params(m=7.0, prior="background", event_model="poisson")
    model.partial_fit(X[80:], y[80:])
    whole = TextNB(m=7.0, prior="background", event_model="poisson").fit(X, y)
    assert not hasattr(model, "loo_results_")
    assert_same_state(model, whole)


CHOSEN = ("m_", "temperature_", "length_exponent_")


@every_variant
def test_what_leave_one_out_chooses_on_the_first_batch_stays(collection, params):
    X, y, weight = collection
    params = {**params, "m": "loo", "feature_weights": None}
    first = TextNB(**params).fit(X[:70], y[:70], weight[:70])
    model = TextNB(**params)
    for rows in (slice(0, 70), slice(70, 90), slice(90, 120)):
        model.partial_fit(X[rows], y[rows], ["a", "b", "c"], weight[rows])
    chosen = {name: getattr(first, name) for name in CHOSEN}
    assert {name: getattr(model, name) for name in CHOSEN} == chosen
    np.testing.assert_array_equal(
        model.loo_results_["mean_log_loss"], first.loo_results_["mean_log_loss"]
    )
    given = {name.rstrip("_"): value for name, value in chosen.items()}
    whole = TextNB(**{**params, **given}).fit(X, y, weight)
    assert_same_state(model, whole, exactly=False)
    assert_same_predictions(model, whole, X, tolerance=1e-9)
    # The choice on all rows differs, or this test could not fail.
    again = TextNB(**params).fit(X, y, weight)
    assert any(getattr(again, name) != chosen[name] for name in CHOSEN)


@pytest.mark.parametrize(
    ("params", "classical"),
    [
        ({}, 15),
        ({"complement": True}, 15),
        ({"prior": "background"}, 15),
        ({"event_model": "bernoulli"}, 2),
        ({"event_model": "poisson"}, 1),
    ],
    ids=str,
)
def test_a_first_batch_of_one_row_or_one_class_has_the_classical_m(
    collection, params, classical
):
    X, y, _ = collection
    for rows in (slice(0, 1), np.flatnonzero(y == "b")):
        model = TextNB(**params).partial_fit(X[rows], y[rows], ["a", "b", "c"])
        assert model.m_ == classical
        assert (model.temperature_, model.length_exponent_) == (1, 0)
        model.partial_fit(X, y)
        assert model.m_ == classical


def test_a_failed_first_batch_chooses_nothing(collection):
    X, y, _ = collection
    model = TextNB()
    with pytest.raises(ValueError, match="labels that are not in the classes"):
        model.partial_fit(X, y, ["a", "b"])
    assert not hasattr(model, "m_")
    model.partial_fit(X, y, ["a", "b", "c"])
    assert model.m_ == TextNB().fit(X, y).m_


def test_merge_wants_equal_choices_of_m(collection):
    X, y, _ = collection
    given_m = {"loo_candidates": {"m": [2.0]}, "feature_weights": None}
    one, same = TextNB(**given_m), TextNB(**given_m)
    one.fit(X[:60], y[:60])
    same.fit(X[60:], y[60:])
    given, other = (TextNB(m).fit(X[60:], y[60:]) for m in (2.0, 3.0))
    before = vars(one).copy()
    for model, another, message in (
        (one, other, "2.0 and 3.0"),
        (other, one, "3.0 and 2.0"),
    ):
        with pytest.raises(ValueError, match=f"differ in m: {message}"):
            model.merge(another)
    assert all(vars(one)[name] is value for name, value in before.items())
    temperature, exponent = one.temperature_, one.length_exponent_
    whole = TextNB(m=2.0, temperature=temperature, length_exponent=exponent).fit(X, y)
    for another in (same, given):
        merged = pickle.loads(pickle.dumps(one)).merge(another)
        assert_same_state(merged, whole)
        assert_same_predictions(merged, whole, X, tolerance=0)
    assert_same_state(other.merge(given), TextNB(3.0).fit(X[60:], y[60:], [2] * 60))


def test_classes_are_named_at_first_and_stay(collection):
    X, y, _ = collection
    with pytest.raises(ValueError, match="classes must be passed on the first call"):
        TextNB().partial_fit(X, y)
    model = TextNB().partial_fit(X, y, classes=["a", "b", "c", "unseen"])
    assert model.class_log_prior_[3] == -np.inf
    assert np.isfinite(model.feature_log_prob_).all()
    assert "unseen" not in model.predict(X)
    with pytest.raises(ValueError, match="are not those of the first call"):
        model.partial_fit(X, y, classes=["a", "b"])
    with pytest.raises(ValueError, match="labels that are not in the classes"):
        model.partial_fit(X, np.full(120, "z"))


def test_a_failure_leaves_the_former_model(collection):
    X, y, _ = collection
    model = TextNB(m=1.0).fit(X, y)
    before, expected = vars(model).copy(), model.predict_proba(X)
    negative = X.copy()
    negative.data[-1] = -1
    numbered = TextNB().fit(X, np.arange(120) % 2)
    bernoulli = TextNB(event_model="bernoulli").fit(X, y)
    for call, error, match in (
        (lambda: model.fit(negative, y), ValueError, "Negative values in data"),
        (lambda: model.partial_fit(negative, y), ValueError, "Negative values in data"),
        (lambda: model.partial_fit(X[:, :4], y), ValueError, "X has 4 features"),
        (lambda: model.partial_fit(X, np.full(120, "z")), ValueError, "not in the"),
        (lambda: model.merge(numbered), TypeError, "classes are of different kinds"),
        (lambda: model.merge({}), TypeError, "TextNB, got dict"),
        (lambda: model.merge(TextNB()), ValueError, "not fitted"),
        (lambda: model.merge(bernoulli), ValueError, "cannot be added up"),
        (
            lambda: model.merge(TextNB().fit(X[:, :4], y)),
            ValueError,
            "15 and 4 columns",
        ),
    ):
        with pytest.raises(error, match=match):
            call()
        assert vars(model).keys() == before.keys()
        assert all(vars(model)[name] is value for name, value in before.items())
        np.testing.assert_array_equal(model.predict_proba(X), expected)
    model.set_params(event_model="bernoulli")
    with pytest.raises(ValueError, match="cannot be added up"):
        model.partial_fit(X, y)


def test_merge_requires_the_same_names_of_words(collection):
    pd = pytest.importorskip("pandas")
    X, y, _ = collection
    frame = pd.DataFrame(X.toarray(), columns=[f"w{j}" for j in range(15)])
    model = TextNB().fit(frame, y)
    with pytest.raises(ValueError, match="differ in their words"):
        model.merge(TextNB().fit(frame[frame.columns[::-1]], y))


def test_weights_are_routed(collection):
    X, y, weight = collection
    with sklearn.config_context(enable_metadata_routing=True):
        from sklearn.pipeline import make_pipeline
        from sklearn.preprocessing import FunctionTransformer

        model = TextNB().set_fit_request(sample_weight=True)
        pipeline = make_pipeline(FunctionTransformer(accept_sparse=True), model)
        pipeline.fit(X, y, sample_weight=weight)
    np.testing.assert_allclose(pipeline[-1].class_count_.sum(), weight.sum())

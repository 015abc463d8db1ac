"""partial_fit, merge, weights and sparse rows of MEstimateNB: statistics add up.

Code under test: `naive_bayes/_columns/_column_model.py`.
"""

import numpy as np
import pandas as pd
import pytest
import sklearn
from scipy import sparse
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from sklearn_bayeslazy.testing import assert_same_predictions
from tests.helpers.classical_naive_bayes import classical_nb

KINDS = ["categorical", "categorical", "bernoulli", "poisson", "gaussian", "gaussian"]


@pytest.fixture
def table():
    """Return a mixed frame with missing cells and late categories, and its labels."""
    rng = np.random.default_rng(0)
    n = 300
    y = rng.choice(["a", "b", "c"], size=n)
    shift = np.array([ord(label) - 97 for label in y])
    frame = pd.DataFrame(
        {
            "colour": np.sort(rng.choice(["blue", "green", "red", "white"], n)),
            "code": np.sort(rng.choice([3, 700, 100_000], n)).astype(float),
            "sign": rng.normal(size=n) + shift,
            "count": rng.poisson(1 + shift).astype(float),
            "real": rng.normal(1e6 + shift, 1e-2),
            "wide": rng.normal(shift * 1e3, 1.0),
        }
    )
    return frame.mask(rng.random(frame.shape) < 0.15), y


def fitted(frame, y, batches, weight=None, **params):
    model = classical_nb(distribution=KINDS, **params)
    for rows in batches:
        part = None if weight is None else weight[rows]
        model.partial_fit(frame.iloc[rows], y[rows], ["a", "b", "c"], part)
    return model


def assert_same_state(model, other):
    """Assert that counts are equal exactly, and moments to 1e-12."""
    np.testing.assert_array_equal(model.class_count_, other.class_count_)
    for found, expected in zip(model.category_count_, other.category_count_):
        if found is not None:
            np.testing.assert_array_equal(found, expected)
    for found, expected in zip(model.categories_, other.categories_):
        if found is not None:
            np.testing.assert_array_equal(found, expected)
    np.testing.assert_array_equal(model.rate_, other.rate_)
    np.testing.assert_allclose(model.theta_, other.theta_, rtol=1e-12)
    np.testing.assert_allclose(model.var_, other.var_, rtol=1e-12)


@pytest.mark.parametrize("m", [0, 1.5, "laplace"])
@pytest.mark.parametrize("prior", ["uniform", "marginal"])
@pytest.mark.parametrize("n_batches", [1, 2, 7, 60])
def test_any_split_into_batches_is_one_fit(table, m, prior, n_batches):
    frame, y = table
    batches = np.array_split(np.arange(len(y)), n_batches)
    model = fitted(frame, y, batches, m=m, prior=prior)
    whole = classical_nb(distribution=KINDS, m=m, prior=prior).fit(frame, y)
    assert_same_state(model, whole)


def test_batches_after_a_fit_continue_it(table):
    frame, y = table
    model = classical_nb(distribution=KINDS).fit(frame[:100], y[:100])
    model.partial_fit(frame[100:], y[100:])
    assert_same_state(model, classical_nb(distribution=KINDS).fit(frame, y))


@pytest.mark.parametrize("binning", ["quantile", "uniform", "mdlp", "binary"])
def test_bin_edges_stay_those_of_the_first_batch(table, binning):
    frame, y = table
    model = classical_nb(distribution="quantized", binning=binning)
    numbers = frame[["real", "wide"]]
    model.partial_fit(numbers[:150], y[:150], classes=["a", "b", "c"])
    edges = [edge.copy() for edge in model.bin_edges_]
    model.partial_fit(numbers[150:], y[150:])
    for before, after in zip(edges, model.bin_edges_):
        np.testing.assert_array_equal(before, after)
    known = numbers.notna().to_numpy()
    for j in range(2):
        assert model.category_count_[j].sum() == known[:, j].sum()


def test_merged_shards_are_one_fit_even_with_different_classes(table):
    frame, y = table
    order = np.argsort(y, kind="stable")  # the shards see different classes
    shards = np.array_split(order, 4)
    models = [
        classical_nb(distribution=KINDS).fit(frame.iloc[rows], y[rows])
        for rows in shards
    ]
    assert all(len(model.classes_) < 3 for model in models)
    model = models[0]
    for other in models[1:]:
        kept = other.predict_proba(frame)
        assert model.merge(other) is model
        np.testing.assert_array_equal(other.predict_proba(frame), kept)
    assert_same_state(model, classical_nb(distribution=KINDS).fit(frame, y))


def test_merge_refuses_models_that_do_not_match(table):
    frame, y = table
    model = classical_nb(distribution=KINDS).fit(frame, y)
    expected = model.predict_proba(frame)
    with pytest.raises(ValueError, match="differ in their columns or distributions"):
        model.merge(classical_nb().fit(frame, y))
    with pytest.raises(TypeError, match="MEstimateNB, got dict"):
        model.merge({})
    numbers = frame[["real", "wide"]]
    one, two = (
        classical_nb(distribution="quantized").fit(numbers[s], y[s])
        for s in (slice(0, 150), slice(150, 300))
    )
    with pytest.raises(ValueError, match="'real' is cut into different bins"):
        one.merge(two)
    np.testing.assert_array_equal(model.predict_proba(frame), expected)


@pytest.mark.parametrize("m", [0, 2.0, "laplace", "loo"])
@pytest.mark.parametrize("prior", ["uniform", "marginal"])
def test_integer_weights_are_repetition_and_zero_is_removal(table, m, prior):
    frame, y = table
    weight = np.random.default_rng(1).integers(0, 4, size=len(y))
    params = {"m": m, "prior": prior, "distribution": [*KINDS[:-1], "quantized"]}
    weighted = classical_nb(**params).fit(frame, y, sample_weight=weight)
    rows = np.repeat(np.arange(len(y)), weight)
    repeated = classical_nb(**params).fit(frame.iloc[rows], y[rows])
    assert weighted.m_ == pytest.approx(repeated.m_)
    assert_same_predictions(weighted, repeated, frame, tolerance=1e-9)


@pytest.mark.parametrize("distribution", ["categorical", "bernoulli", "poisson"])
@pytest.mark.parametrize("m", [0, 1.0, "laplace", "loo"])
def test_sparse_rows_give_the_model_of_dense_rows(distribution, m):
    rng = np.random.default_rng(0)
    X = rng.poisson(0.4, size=(200, 7)).astype(float)
    X[:, 6] += 1  # a column without zeros
    X[rng.random(X.shape) < 0.05] = np.nan
    y = rng.integers(3, size=200)
    weight = rng.uniform(0.2, 2, size=200)
    rows = sparse.csr_array(X)
    rows.data[rows.data == 2] = 0  # stored zeros
    X[X == 2] = 0
    model = classical_nb(m=m, distribution=distribution)
    dense = classical_nb(m=m, distribution=distribution).fit(X, y, weight)
    for matrix in (rows, sparse.csr_matrix(rows), rows.tocsc(), rows.tocoo()):
        model.fit(matrix, y, weight)
        np.testing.assert_array_equal(model.m_, dense.m_)
        np.testing.assert_allclose(
            model.predict_joint_log_proba(matrix),
            dense.predict_joint_log_proba(X),
            rtol=1e-10,
        )
    np.testing.assert_allclose(
        model.explain(rows).terms, dense.explain(X).terms, rtol=1e-10
    )
    halves = classical_nb(m=0 if m == "loo" else m, distribution=distribution)
    for half in (slice(0, 90), slice(90, 200)):
        halves.partial_fit(rows[half], y[half], [0, 1, 2], weight[half])
    whole = classical_nb(**halves.get_params()).fit(X, y, weight)
    np.testing.assert_allclose(
        halves.predict_joint_log_proba(rows),
        whole.predict_joint_log_proba(X),
        rtol=1e-10,
    )


def test_a_failed_partial_fit_or_merge_leaves_the_model(table):
    frame, y = table
    model = classical_nb(distribution=KINDS).fit(frame, y)
    before, expected = vars(model).copy(), model.predict_proba(frame)
    invalid = frame.assign(real=np.inf)
    other_classes = classical_nb(distribution=KINDS).fit(frame, np.arange(len(y)) % 2)
    for call, error in (
        (lambda: model.partial_fit(invalid, y), ValueError),
        (lambda: model.partial_fit(frame, np.full(len(y), "z")), ValueError),
        (lambda: model.partial_fit(frame.assign(colour=1.0), y), TypeError),
        (lambda: model.merge(other_classes), TypeError),
    ):
        with pytest.raises(error):
            call()
        assert vars(model).keys() == before.keys()
        assert all(vars(model)[name] is value for name, value in before.items())
        np.testing.assert_array_equal(model.predict_proba(frame), expected)


def test_partial_fit_reads_parameters_anew(table):
    frame, y = table
    model = classical_nb(m="loo", distribution=KINDS).fit(frame[:200], y[:200])
    model.set_params(m=7.0, prior="marginal").partial_fit(frame[200:], y[200:])
    whole = classical_nb(m=7.0, prior="marginal", distribution=KINDS).fit(frame, y)
    assert model.m_ == 7.0
    assert not hasattr(model, "loo_results_")
    assert not hasattr(model, "loo_columns_")
    assert_same_predictions(model, whole, frame)


def test_a_row_of_weight_zero_may_hold_anything():
    X = np.array([[1.0], [2.0], [np.inf], [4.0]])
    model = classical_nb().fit(X, [0, 1, 2, 1], sample_weight=[1, 1, 0, 1])
    assert model.classes_.tolist() == [0, 1]
    cells = np.array([[1.0], [2.0], ["word"], [4.0]], dtype=object)
    model = classical_nb(m=0).fit(cells, [0, 1, 2, 1], sample_weight=[1, 1, 0, 1])
    np.testing.assert_array_equal(model.theta_, [[1], [3]])


def test_weights_are_routed():
    with sklearn.config_context(enable_metadata_routing=True):
        X, y = np.arange(20.0)[:, None], np.arange(20) % 2
        weight = np.arange(20) % 3
        model = classical_nb().set_fit_request(sample_weight=True)
        pipeline = make_pipeline(
            StandardScaler().set_fit_request(sample_weight=True), model
        )
        pipeline.fit(X, y, sample_weight=weight)
        assert pipeline[-1].class_count_.sum() == weight.sum()

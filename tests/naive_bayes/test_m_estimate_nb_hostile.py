"""Hostile input to MEstimateNB: extreme numbers, odd types, odd parameters.

Code under test: `naive_bayes/_table_classifier.py`.
"""

import warnings

import numpy as np
import pandas as pd
import pytest
from scipy import sparse

from sklearn_bayeslazy.testing import assert_on_simplex
from tests.helpers.classical_naive_bayes import classical_nb

DISTRIBUTIONS = ["categorical", "bernoulli", "poisson", "gaussian", "quantized"]
TWO = np.arange(20) % 2


@pytest.mark.parametrize("distance", [1e2, 1e4, 1e6, 1e12])
def test_probabilities_sum_to_one_however_unlikely_the_row(distance):
    X = np.column_stack([np.ones(10), np.arange(10.0)])  # a constant column
    model = classical_nb().fit(X, [0] * 4 + [1] * 6)
    proba = model.predict_proba([[distance, 3.0]])
    assert_on_simplex(proba)
    counts = classical_nb(distribution="poisson").fit(np.full((20, 1), 1e12), TWO)
    assert_on_simplex(counts.predict_proba([[5e12]]))


@pytest.mark.parametrize("distribution", DISTRIBUTIONS)
@pytest.mark.parametrize("magnitude", [5e-324, 1e-300, 1e-100, 1e100, 1e300, 1.7e308])
@pytest.mark.parametrize("m", [0, 1.0, "loo"])
def test_extreme_magnitudes_are_predicted_or_refused(distribution, magnitude, m):
    rng = np.random.default_rng(0)
    X = np.abs(rng.normal(size=(20, 2)).clip(-0.9, 0.9)) * magnitude
    model = classical_nb(m=m, distribution=distribution)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        too_large = {"categorical": 2.0**53, "poisson": 1e300, "gaussian": 1e150}
        if magnitude > too_large.get(distribution, np.inf):
            with pytest.raises(ValueError, match=r"(?i)column '0'|columns among"):
                model.fit(X, TWO)
        else:
            model.fit(X, TWO)
            proba = model.predict_proba(np.vstack([X, X * 0.5, [[0, 0], [1, 1]]]))
            assert_on_simplex(proba)


@pytest.mark.parametrize("distribution", DISTRIBUTIONS)
@pytest.mark.parametrize("weight", [1e-320, 1e-100, 1e100, 1e300])
def test_weights_of_any_size(distribution, weight):
    X = np.abs(np.random.default_rng(0).normal(size=(20, 2)))
    model = classical_nb(distribution=distribution)
    assert_on_simplex(model.fit(X, TWO, np.full(20, weight)).predict_proba(X))
    with pytest.raises(ValueError, match="sum of sample_weight overflows"):
        model.fit(X, TWO, np.full(20, 1e308))


def test_loo_chooses_a_distribution_for_timestamps():
    stamps = np.array([[1_700_000_000_000_000_000], [1_700_000_000_000_000_512]] * 10)
    model = classical_nb(distribution="loo").fit(stamps, TWO)
    assert model.distributions_[0] != "categorical"


@pytest.mark.parametrize("kind", [str, np.str_])
def test_every_kind_of_string_is_a_string(kind):
    X = np.array([[kind("a")], [kind("b")]] * 2, dtype=object)
    model = classical_nb().fit(X, [0, 1, 0, 1])
    assert [type(label) for label in model.categories_[0]] == [str, str]
    for other in (str, np.str_):
        assert model.predict(np.array([[other("a")]], dtype=object)) == 0
    with pytest.raises(TypeError, match="held labels"):
        model.predict([[1.0]])


def test_leaving_rows_out_of_nearly_constant_columns_sums_nothing_anew(monkeypatch):
    """One-hot columns are constant within a class, where the remainder is exactly 0."""
    from sklearn_bayeslazy.naive_bayes._columns._batch import LeftOutRows

    X = np.zeros((300, 4))
    X[:5] = 1
    calls = []
    monkeypatch.setattr(
        LeftOutRows,
        "without_row",
        lambda self, cells, row: calls.append(row) or (cells[:0], cells[:0]),
    )
    classical_nb(m="loo").fit(X, np.arange(300) >= 150)
    assert not calls


def test_categories_that_float64_cannot_represent_are_refused():
    frame = pd.DataFrame({"id": pd.Categorical([2**53, 2**53 + 1] * 2)})
    with pytest.raises(ValueError, match="'id' is categorical"):
        classical_nb().fit(frame, [0, 0, 1, 1])
    with pytest.raises(ValueError, match="Column '0'"):
        classical_nb().fit(np.array([[10**400], [1]], dtype=object), [0, 1])


def test_merge_refuses_classes_of_different_kinds():
    one = classical_nb().fit([[1.0], [2.0]], [0, 1])
    with pytest.raises(TypeError, match="classes are of different kinds"):
        one.merge(classical_nb().fit([[1.0], [2.0]], ["0", "1"]))


def test_the_labels_of_a_frame_name_its_columns():
    X = np.random.default_rng(0).normal(size=(20, 2))
    frame = pd.DataFrame(X, columns=[1, 0])
    model = classical_nb(distribution={1: "quantized"}).fit(frame, TWO)
    assert model.distributions_ == ["quantized", "gaussian"]
    with pytest.raises(ValueError, match=r"names the column 2.*\[1, 0\]"):
        classical_nb(prior={2: "marginal"}).fit(frame, TWO)


@pytest.mark.parametrize(
    ("params", "message"),
    [
        (
            {"m": "loo", "loo_candidates": {"m": ["foo", 1.0]}},
            "m must be a number, .* got 'foo'",
        ),
        ({"m": "loo", "loo_candidates": {"m": "laplace"}}, "must be a list"),
        ({"m": "loo", "loo_candidates": {"m": 5}}, "must be a list"),
        ({"m": [1, "a"]}, "must be a number"),
        ({"m": {"a": 1}}, "must be a number"),
        ({"m": 1e200}, "number of virtual examples"),
        ({"distribution": [["gaussian"], ["gaussian"]]}, "for column '0'"),
        ({"distribution": {0: ["gaussian"]}}, "for column '0'"),
        ({"prior": [["a", "b"], "uniform"]}, "prior for column '0'"),
        ({"prior": {0: [1j, 1]}}, "prior for column '0'"),
        ({"prior": {0: [1e200, 1.0]}}, "prior for column '0'"),
        ({"class_prior": ["a", "b"]}, "class_prior must be one number per class"),
        ({"class_prior": {0: 1}}, "class_prior must be one number per class"),
    ],
)
def test_odd_parameters_are_named(params, message):
    with pytest.raises(ValueError, match=message):
        classical_nb(**params).fit(np.arange(40.0).reshape(20, 2), TWO)


@pytest.mark.parametrize("classes", [[], [0, 1, None], [0, np.nan], [[0, 1], [2, 3]]])
def test_odd_classes_are_refused(classes):
    with pytest.raises(ValueError, match=r"classes|NaN|1d|label type"):
        classical_nb().partial_fit([[1.0], [2.0]], [0, 1], classes=classes)


@pytest.mark.parametrize("make", [np.asarray, sparse.csr_array])
def test_counts_too_large_for_poisson(make):
    model = classical_nb(distribution="poisson")
    with pytest.raises(ValueError, match="too large for a Poisson"):
        model.fit(make(np.array([[1e306], [1.0]])), [0, 1])


def test_constants_at_the_edge_of_float64():
    X = np.array([[1.7e308], [1.7e308], [-1.7e308], [-1.7e308]])
    with pytest.raises(ValueError, match="too large: their variance"):
        classical_nb().fit(X, [0, 0, 1, 1])


def test_thousands_of_columns_are_explained_in_linear_time():
    """Cells are encoded once, not once per column, which 4 000 columns would show."""
    X = np.random.default_rng(0).integers(0, 3, size=(20, 4000))
    model = classical_nb(distribution="categorical").fit(X, TWO)
    why = model.explain(X)
    np.testing.assert_allclose(
        why.base + why.terms.sum(axis=1), model.predict_joint_log_proba(X)
    )


def test_a_process_backend_does_not_change_the_predictions():
    import joblib

    X = np.random.default_rng(0).normal(size=(5000, 3))
    model = classical_nb().fit(X, np.arange(5000) % 3)
    expected = model.predict_proba(X)
    for backend in ("loky", "multiprocessing"):
        with joblib.parallel_config(backend, n_jobs=2):
            np.testing.assert_array_equal(model.predict_proba(X), expected)

"""MEstimateNB: missing cells, zeros, frames of every kind, tags.

Code under test: `naive_bayes/_columns/_build.py`.
"""

import warnings

import numpy as np
import pandas as pd
import polars as pl
import pytest
from sklearn.base import clone
from sklearn.utils import get_tags

from sklearn_bayeslazy.datasets import load_horse_colic
from sklearn_bayeslazy.testing import assert_row_wise, assert_same_predictions
from tests.helpers.classical_naive_bayes import classical_nb


@pytest.fixture(scope="module")
def horses():
    return load_horse_colic(return_X_y=True, as_frame=True)


def test_a_missing_cell_adds_nothing(horses):
    X, y = horses
    model = classical_nb().fit(X, y)
    terms = model.explain(X).terms
    assert np.all(terms[X.isna().to_numpy()] == 0)
    nothing = pd.DataFrame(np.nan, index=[0], columns=X.columns)
    np.testing.assert_allclose(
        model.predict_proba(nothing)[0], model.class_count_ / model.class_count_.sum()
    )


@pytest.mark.parametrize("m", [0, 1.0, "laplace"])
@pytest.mark.parametrize("kind", ["categorical", "poisson", "gaussian", "quantized"])
def test_a_column_all_missing_contributes_nothing(m, kind):
    rng = np.random.default_rng(0)
    X = rng.integers(0, 3, size=(60, 3)).astype(float)
    y = rng.integers(2, size=60)
    with_missing = np.insert(X, 1, np.nan, axis=1)
    filled = np.insert(X, 1, rng.integers(0, 9, size=60), axis=1)
    model = classical_nb(m=m, distribution=kind)
    with_column = clone(model).fit(with_missing, y)
    without = clone(model).fit(X, y)
    for query in (with_missing, filled):
        np.testing.assert_array_equal(
            with_column.predict_joint_log_proba(query),
            without.predict_joint_log_proba(X),
        )


def test_explain_adds_up_to_the_joint_log_probability(horses):
    X, y = horses
    for model in (classical_nb(), classical_nb(m=0), classical_nb(distribution="loo")):
        model.fit(X, y)
        why = model.explain(X)
        assert why.terms.shape == (*X.shape, 2)
        np.testing.assert_allclose(
            why.base + why.terms.sum(axis=1),
            model.predict_joint_log_proba(X),
            rtol=1e-12,
        )
        assert why.names.tolist() == X.columns.tolist()
        frame = why.output_frame(3)
        assert frame.index.tolist() == ["(prior)", *X.columns]
        np.testing.assert_array_equal(frame.to_numpy()[1:], why.terms[3])


def test_m_0_keeps_zeros_and_falls_back_to_the_prior():
    X = [["a", "u"], ["a", "v"], ["b", "u"], ["b", "u"], ["b", "u"]]
    y = [0, 0, 1, 1, 1]
    model = classical_nb(m=0).fit(X, y)
    # (a, u) excludes class 1; (b, v) excludes both.
    np.testing.assert_array_equal(model.predict_proba([["a", "u"]]), [[1, 0]])
    joint = model.predict_joint_log_proba([["b", "v"]])
    np.testing.assert_array_equal(joint, [[-np.inf, -np.inf]])
    np.testing.assert_allclose(model.predict_proba([["b", "v"]]), [[2 / 5, 3 / 5]])
    assert model.predict([["b", "v"]]) == 1


def test_zero_variance_is_replaced_by_a_share_of_the_largest():
    X = [[1.0, 0.0], [1.0, 2.0], [3.0, 4.0], [3.0, 6.0]]
    model = classical_nb(m=0).fit(X, [0, 0, 1, 1])
    # Column variances (÷ n): 1 and 5.
    np.testing.assert_allclose(model.var_, [[5e-9, 2], [5e-9, 2]])
    constant = classical_nb(m=0).fit([[0.1]] * 7, [0, 0, 0, 1, 1, 1, 1])
    np.testing.assert_allclose(constant.predict_proba([[0.1]]), [[3 / 7, 4 / 7]])


def test_a_class_without_observed_cells_has_the_prior_as_its_estimate():
    X = pd.DataFrame(
        {"word": ["p", "p", "q", None, None], "x": [1.0, 2, 4, None, None]}
    )
    model = classical_nb(m=0, prior="marginal").fit(X, [0, 0, 0, 1, 1])
    np.testing.assert_allclose(np.exp(model.feature_log_prob_[0][1]), [2 / 3, 1 / 3])
    assert model.theta_[1, 1] == pytest.approx(7 / 3)
    assert model.var_[1, 1] == pytest.approx(
        ((4 / 3) ** 2 + (1 / 3) ** 2 + (5 / 3) ** 2) / 3
    )


def frames():
    """Return the same mixed table as every kind of input that can hold it."""
    colour = ["red", None, "blue", "red", "blue", "red"]
    flag = [True, False, None, True, True, False]
    real = [1.5, 2.5, None, 0.5, 1.0, 3.0]
    count = [1, 0, 2, None, 5, 1]
    pandas = pd.DataFrame(
        {"colour": colour, "flag": flag, "real": real, "count": count}
    )
    typed = pandas.astype(
        {"colour": "category", "flag": "boolean", "real": "Float64", "count": "Int64"}
    )
    columns = [colour, flag, real, count]
    polars = pl.DataFrame(dict(zip(pandas.columns, columns)))
    return {
        "pandas": pandas,
        "pandas, nullable": typed,
        "pandas, string": typed.astype({"colour": "string"}),
        "polars": polars,
        "polars, categories": polars.cast({"colour": pl.Categorical}),
        "object array": np.array(list(zip(*columns)), dtype=object),
        "list": [list(row) for row in zip(*columns)],
    }


@pytest.mark.parametrize("kind", frames())
@pytest.mark.parametrize("m", [1.0, "loo"])
def test_every_kind_of_table_gives_the_same_model(kind, m):
    y = [0, 1, 0, 1, 0, 1]
    expected = classical_nb(m=m).fit(frames()["pandas"], y)
    X = frames()[kind]
    model = classical_nb(m=m).fit(X, y)
    assert model.distributions_ == [
        "categorical",
        "categorical",
        "gaussian",
        "gaussian",
    ]
    np.testing.assert_array_equal(
        model.predict_joint_log_proba(X),
        expected.predict_joint_log_proba(frames()["pandas"]),
    )


def test_an_odd_index_does_not_matter(horses):
    X, y = horses
    expected = classical_nb().fit(X, y).predict_proba(X)
    odd = X.set_axis(np.linspace(5, -5, len(X)), axis=0)
    model = classical_nb(n_jobs=2).fit(odd, y)
    np.testing.assert_array_equal(model.predict_proba(odd), expected)


def test_frames_are_predicted_row_by_row(horses):
    X, y = horses
    assert_row_wise(classical_nb(distribution="loo").fit(X, y), X[:30])


def test_high_cardinality_stays_within_memory():
    rng = np.random.default_rng(0)
    n_categories, n_classes = 50_000, 200
    X = rng.integers(n_categories, size=(100_000, 1))
    y = X[:, 0] % n_classes
    model = classical_nb(distribution="categorical").fit(X, y)
    assert model.category_count_[0].sum() == len(X)
    assert model.score(X[:2000], y[:2000]) > 0.99
    labels = np.array([f"user {x}" for x in X[:20_000, 0]], dtype=object)[:, None]
    assert classical_nb().fit(labels, y[:20_000]).score(labels[:500], y[:500]) > 0.99


def test_tags_follow_the_distribution():
    assert get_tags(classical_nb()).input_tags.allow_nan
    assert get_tags(classical_nb()).input_tags.categorical
    assert not get_tags(classical_nb()).input_tags.sparse
    assert not get_tags(classical_nb()).input_tags.positive_only
    poisson = get_tags(classical_nb(distribution="poisson")).input_tags
    assert poisson.sparse
    assert poisson.positive_only
    assert get_tags(
        classical_nb(distribution=["poisson", "bernoulli"])
    ).input_tags.sparse


def test_html_view_links_to_the_documentation():
    page = classical_nb()._repr_html_()
    assert "sklearn_bayeslazy.MEstimateNB.html" in page


def test_read_only_and_transposed_arrays_give_the_same_model(horses):
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(50, 4)), rng.integers(2, size=50)
    expected = classical_nb().fit(X, y)
    frozen = X.copy()
    frozen.flags.writeable = False
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for other in (frozen, np.asfortranarray(X), X[:, ::-1][:, ::-1]):
            assert_same_predictions(expected, classical_nb().fit(other, y), other)
        single = classical_nb().fit(X.astype(np.float32), y)
    np.testing.assert_allclose(single.theta_, expected.theta_, atol=1e-6)

"""MEstimateNB counts declared categories among a column's values."""

import numpy as np
import pandas as pd
import polars as pl
import pytest
from scipy import sparse
from sklearn.base import clone
from sklearn.naive_bayes import CategoricalNB

from sklearn_bayeslazy import MyAdaBoost
from tests.helpers.classical_naive_bayes import classical_nb

CELLS = ["s", "s", "r", "r"]
DECLARED = ["s", "r", "fog"]
Y = np.array([0, 0, 1, 1])
UNTUNED = {"m": 3.0, "distribution": "auto"}


def declared_frame(cells=CELLS, values=DECLARED):
    return pd.DataFrame({"sky": pd.Categorical(cells, categories=values)})


def objects(cells=CELLS):
    return np.array(cells, dtype=object)[:, None]


SOURCES = {
    "pandas": (declared_frame(), "auto"),
    "pandas, ordered": (
        declared_frame().astype(pd.CategoricalDtype(DECLARED, ordered=True)),
        "auto",
    ),
    "polars": (pl.DataFrame({"sky": CELLS}, schema={"sky": pl.Enum(DECLARED)}), "auto"),
    "list": (objects().tolist(), [DECLARED]),
    "array": (objects(), [np.array(DECLARED)]),
    "by index": (objects(), {0: DECLARED}),
    "by name": (pd.DataFrame({"sky": CELLS}), {"sky": DECLARED}),
}


@pytest.mark.parametrize(("X", "categories"), SOURCES.values(), ids=SOURCES)
def test_an_unseen_value_has_its_share_of_the_virtual_examples(X, categories):
    nb = classical_nb(**UNTUNED, categories=categories).fit(X, Y)
    assert nb.categories_[0].tolist() == ["fog", "r", "s"]
    assert nb.category_count_[0].tolist() == [[0, 0, 2], [0, 2, 0]]
    # (n + 3 · 1/3) / (2 + 3) of fog, r and s
    expected = [[1 / 5, 1 / 5, 3 / 5], [1 / 5, 3 / 5, 1 / 5]]
    np.testing.assert_allclose(np.exp(nb.feature_log_prob_[0]), expected, rtol=1e-14)


def test_m_and_priors_use_all_declared_values():
    laplace = classical_nb(m="laplace", distribution="auto").fit(declared_frame(), Y)
    assert laplace.m_ == 3
    # By hand (n + 2 p) / (2 + 2)
    given = classical_nb(2.0, prior=[[0.5, 0.25, 0.25]], distribution="auto")
    given.fit(declared_frame(), Y)
    expected = [[1 / 4, 0.5 / 4, 2.5 / 4], [1 / 4, 2.5 / 4, 0.5 / 4]]
    np.testing.assert_allclose(np.exp(given.feature_log_prob_[0]), expected)
    marginal = classical_nb(2.0, prior="marginal", distribution="auto")
    marginal.fit(declared_frame(), Y)
    expected = [[0, 1 / 4, 3 / 4], [0, 3 / 4, 1 / 4]]
    np.testing.assert_allclose(np.exp(marginal.feature_log_prob_[0]), expected)
    with pytest.raises(ValueError, match=r"needs \(3,\)"):
        classical_nb(prior=[[0.5, 0.5]], distribution="auto").fit(declared_frame(), Y)


def assert_same_model(a, b):
    for first, second in zip(a.categories_, b.categories_, strict=True):
        assert first.tolist() == second.tolist()
    for first, second in zip(a.feature_log_prob_, b.feature_log_prob_, strict=True):
        np.testing.assert_allclose(first, second, rtol=1e-13)


def random_columns(rng, n_rows, sizes):
    """Return strings of which some values never occur, and their declared values."""
    declared = [[f"v{k}" for k in range(size)] for size in sizes]
    cells = [rng.choice(values[: len(values) // 2 + 1], n_rows) for values in declared]
    X = np.array(cells, dtype=object).T
    X[rng.random(X.shape) < 0.1] = None
    return X, declared


def as_frame(X, declared):
    columns = {
        f"x{j}": pd.Categorical(X[:, j], categories=values[::-1])
        for j, values in enumerate(declared)
    }
    return pd.DataFrame(columns)


@pytest.mark.parametrize("seed", range(5))
def test_dtype_and_parameter_declare_the_same_model(seed):
    rng = np.random.default_rng(seed)
    X, declared = random_columns(rng, 40, [3, 5, 9])
    y = rng.integers(0, 3, 40)
    by_dtype = classical_nb(**UNTUNED).fit(as_frame(X, declared), y)
    by_parameter = classical_nb(**UNTUNED, categories=declared).fit(X, y)
    assert_same_model(by_dtype, by_parameter)
    assert [len(values) for values in by_dtype.categories_] == [3, 5, 9]
    np.testing.assert_allclose(
        by_dtype.predict_joint_log_proba(as_frame(X[:7], declared)),
        by_parameter.predict_joint_log_proba(X[:7]),
    )


@pytest.mark.parametrize("lay_out", [np.array, np.asfortranarray, sparse.csr_array])
@pytest.mark.parametrize("dtype", ["int64", "int16", "float64"])
def test_numbers_with_given_values_are_those_of_categorical_nb(lay_out, dtype):
    rng = np.random.default_rng(3)
    X = rng.integers(0, 4, (50, 3)).astype(dtype)
    y = rng.integers(0, 2, 50)
    peer = CategoricalNB(alpha=0.5, min_categories=[6, 4, 7]).fit(X, y)
    # m = α K virtual examples
    nb = classical_nb(
        [0.5 * 6, 0.5 * 4, 0.5 * 7],
        distribution="categorical",
        categories=[range(6), None, np.arange(7)],
    ).fit(lay_out(X), y)
    for found, expected in zip(nb.feature_log_prob_, peer.feature_log_prob_):
        np.testing.assert_allclose(found, expected, rtol=1e-12)
    np.testing.assert_allclose(
        nb.predict_proba(lay_out(X)), peer.predict_proba(X), rtol=1e-10
    )


def test_numbers_with_given_values_are_categorical_and_the_others_gaussian():
    X = np.array([[1, 0.5], [1, 0.75], [2, 1.5], [2, 1.0]])
    nb = classical_nb(**UNTUNED, categories={0: [1, 2, 3]}).fit(X, Y)
    assert nb.distributions_ == ["categorical", "gaussian"]
    np.testing.assert_allclose(
        np.exp(nb.feature_log_prob_[0][0]), [3 / 5, 1 / 5, 1 / 5]
    )
    with pytest.raises(ValueError, match="lists the values of column '0', which has"):
        classical_nb(distribution="gaussian", categories={0: [1, 2]}).fit(X, Y)


def test_rows_without_weight_declare_nothing_and_declared_values_stay():
    X = objects(["s", "s", "r", "snow"])
    weight = np.array([1, 1, 1, 0])
    nb = classical_nb(**UNTUNED, categories=[DECLARED]).fit(X, Y, weight)
    assert nb.categories_[0].tolist() == ["fog", "r", "s"]
    frame = declared_frame(["s", "s", "r", "fog"])
    assert_same_model(nb, classical_nb(**UNTUNED).fit(frame, Y, weight))
    assert_same_model(nb, classical_nb(**UNTUNED).fit(frame.iloc[:3], Y[:3]))


def test_batches_and_merged_models_have_the_union_of_declared_values():
    first = declared_frame(CELLS, ["s", "r", "fog"])
    second = declared_frame(["r", None, "r", "r"], ["hail", "r"])
    online = classical_nb(**UNTUNED).partial_fit(first, Y, [0, 1])
    online.partial_fit(second, Y)
    merged = classical_nb(**UNTUNED).fit(first, Y)
    merged.merge(classical_nb(**UNTUNED).fit(second, Y))
    every = ["hail", "s", "r", "fog"]
    both = [declared_frame(list(f["sky"]), every) for f in (first, second)]
    whole = classical_nb(**UNTUNED).fit(pd.concat(both), np.tile(Y, 2))
    assert whole.categories_[0].tolist() == ["fog", "hail", "r", "s"]
    assert_same_model(online, whole)
    assert_same_model(merged, whole)


def test_batches_with_the_parameter_equal_one_fit():
    X = objects()
    nb = classical_nb(**UNTUNED, categories=[DECLARED])
    online = clone(nb)
    for k in range(4):  # each batch sees one value only
        online.partial_fit(X[[k]], Y[[k]], [0, 1])
    assert_same_model(online, clone(nb).fit(X, Y))
    before = online.predict_proba(X)
    with pytest.raises(ValueError, match=r"holds \['snow'\], not among"):
        online.partial_fit(objects(["snow"]), [0])
    np.testing.assert_array_equal(online.predict_proba(X), before)


def test_prediction_reads_the_cells_and_not_what_their_dtype_declares():
    nb = classical_nb(**UNTUNED, unknown="error").fit(declared_frame(), Y)
    expected = nb.predict_proba(declared_frame(["r", "s", None]))
    for values in (["s", "r"], ["hail", "r", "s", "snow"], ["r", "s", 7]):
        later = declared_frame(["r", "s", None], values)
        np.testing.assert_array_equal(nb.predict_proba(later), expected)
    # A value that was declared at fit is known, any other is not.
    strings = pd.DataFrame({"sky": ["fog"]})
    np.testing.assert_allclose(nb.predict_proba(strings), [[0.5, 0.5]])
    with pytest.raises(ValueError, match="unknown category 'hail'"):
        nb.predict(declared_frame(["hail"], ["hail", "r"]))


def test_a_column_without_an_observed_cell_is_uniform_over_its_declared_values():
    X = declared_frame([None] * 4)
    nb = classical_nb(**UNTUNED).fit(X, Y)
    np.testing.assert_allclose(np.exp(nb.feature_log_prob_[0]), np.full((2, 3), 1 / 3))
    np.testing.assert_allclose(nb.predict_proba(declared_frame(["fog"])), [[0.5, 0.5]])


@pytest.mark.parametrize("seed", range(3))
def test_leave_one_out_equals_a_refit_with_the_same_declared_values(seed):
    rng = np.random.default_rng(seed)
    X, declared = random_columns(rng, 25, [3, 6])
    X[0, 0] = "v2"  # a value that only the row left out holds
    y = np.r_[0, 0, 1, 1, rng.integers(0, 2, 21)]
    candidates = [0.1, 1.0, 10.0]
    tuned = classical_nb(
        "loo",
        distribution="auto",
        categories=declared,
        loo_candidates={"m": candidates},
    ).fit(X, y)
    results = dict(
        zip(
            [params["m"] for params in tuned.loo_results_["params"]],
            tuned.loo_results_["mean_log_loss"],
        )
    )
    for m in candidates:
        losses = []
        for row in range(len(y)):
            rest = np.arange(len(y)) != row
            nb = classical_nb(m, distribution="auto").fit(
                as_frame(X[rest], declared), y[rest]
            )
            left_out = as_frame(X[[row]], declared)
            losses.append(-np.log(nb.predict_proba(left_out)[0, y[row]]))
        assert results[m] == pytest.approx(np.mean(losses), rel=1e-10)


def test_a_failed_fit_keeps_the_former_model():
    nb = classical_nb(**UNTUNED, categories=[DECLARED]).fit(objects(), Y)
    before = nb.predict_proba(objects())
    with pytest.raises(ValueError, match="not among its declared categories"):
        nb.fit(objects(["s", "s", "r", "snow"]), Y)
    np.testing.assert_array_equal(nb.predict_proba(objects()), before)
    for value in ("some", 3, None):
        with pytest.raises(ValueError, match="'categories' parameter of MEstimateNB"):
            classical_nb(categories=value).fit(objects(), Y)


def test_unused_categories_of_the_target_are_no_classes():
    y = pd.Series(pd.Categorical(["n", "n", "y", "y"], categories=["n", "y", "maybe"]))
    nb = classical_nb(**UNTUNED).fit(declared_frame(), y)
    assert nb.classes_.tolist() == ["n", "y"]


def test_boosted_stumps_do_not_split_by_a_value_without_rows():
    rng = np.random.default_rng(0)
    X, declared = random_columns(rng, 60, [4, 7])
    y = (X[:, 0] == "v1") ^ (rng.random(60) < 0.2)
    frame = as_frame(X, declared)
    model = MyAdaBoost(n_estimators=10, random_state=0).fit(frame, y)
    used = as_frame(X, [sorted({*X[:, j]} - {None}) for j in range(2)])
    same = MyAdaBoost(n_estimators=10, random_state=0).fit(used, y)
    assert list(map(str, model.estimators_)) == list(map(str, same.estimators_))
    unseen = as_frame(
        np.array([[v, "v6"] for v in declared[0]], dtype=object), declared
    )
    np.testing.assert_array_equal(model.predict(unseen), same.predict(unseen))

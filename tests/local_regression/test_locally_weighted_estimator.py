"""LocallyWeightedEstimator: neighbours and weights by definition, and local fits.

Code under test: `local_regression/_neighborhoods.py`.
"""

import numpy as np
import pandas as pd
import pytest
from sklearn import config_context
from sklearn.base import BaseEstimator, RegressorMixin, clone
from sklearn.compose import make_column_transformer
from sklearn.dummy import DummyClassifier
from sklearn.linear_model import (
    LinearRegression,
    LogisticRegression,
    Ridge,
    RidgeClassifier,
)
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, OrdinalEncoder
from sklearn.tree import DecisionTreeClassifier

from sklearn_bayeslazy import (
    LocallyWeightedEstimator,
    LocallyWeightedRegressor,
    MEstimateNB,
    ValueDifferenceEncoder,
)
from tests.helpers.classical_naive_bayes import classical_nb


class RecordingRegressor(RegressorMixin, BaseEstimator):
    """Stores its training data and predicts the number of training rows."""

    def fit(self, X, y, sample_weight):
        self.X_, self.y_, self.weights_ = X, y, sample_weight
        return self

    def predict(self, X):
        return np.full(len(X), len(self.y_))


def some_rows(n=120, d=2, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.uniform(-1, 1, size=(n, d))
    return X, X[:, 0] * X[:, 1] + 0.1 * rng.standard_normal(n)


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("kernel", ["triangular", "tricube", "gaussian", "uniform"])
@pytest.mark.parametrize("n_neighbors", [15, 0.4])
def test_local_lines_equal_those_of_the_regressor(n_neighbors, kernel, weighted):
    X, y = some_rows()
    weight = np.random.default_rng(1).uniform(0, 3, len(y)) if weighted else None
    params = {"n_neighbors": n_neighbors, "kernel": kernel, "scale": "range"}
    ours = LocallyWeightedEstimator(LinearRegression(), **params)
    lines = LocallyWeightedRegressor(1, **params, ridge=0.0, statistics=None)
    np.testing.assert_allclose(
        ours.fit(X, y, sample_weight=weight).predict(X + 0.01),
        lines.fit(X, y, sample_weight=weight).predict(X + 0.01),
        atol=1e-10,
    )


def test_weights_sum_to_the_number_of_rows_with_weight():
    X = np.array([[0.0], [1.0], [2.0], [4.0], [9.0]])
    model = LocallyWeightedEstimator(RecordingRegressor(), n_neighbors=4, scale=None)
    local = model.fit(X, np.arange(5)).local_estimator([[0.0]])
    # u = 0, 1/4, 2/4, 1: weights 1, 3/4, 2/4 and 0.
    np.testing.assert_array_equal(local.y_, [0, 1, 2])
    np.testing.assert_allclose(local.weights_, np.array([4, 3, 2]) / 9 * 3)
    np.testing.assert_array_equal(model.predict(X[:1]), [3])


def test_k_is_a_total_weight_and_the_last_row_is_cut():
    X = np.array([[0.0], [1.0], [2.0], [4.0]])
    model = LocallyWeightedEstimator(
        RecordingRegressor(), n_neighbors=4, kernel="uniform"
    )
    model.fit(X, np.arange(4), sample_weight=[1, 2, 2, 5])
    local = model.local_estimator([[0.0]])
    # A row of weight 2 is two rows: both of the last one share what is left, 1.
    np.testing.assert_array_equal(local.y_, [0, 1, 1, 2, 2])
    np.testing.assert_allclose(local.weights_, [1, 1, 1, 1 / 2, 1 / 2])


def test_rows_at_the_distance_of_the_last_neighbour_share_what_is_left_of_k():
    X = np.array([[0.0], [1.0], [1.0], [-1.0], [-1.0], [3.0]])
    model = LocallyWeightedEstimator(
        RecordingRegressor(), n_neighbors=3, kernel="uniform", scale=None
    )
    local = model.fit(X, np.arange(6)).local_estimator([[0.0]])
    np.testing.assert_array_equal(np.sort(local.y_), [0, 1, 2, 3, 4])
    weights = local.weights_[np.argsort(local.y_)]
    np.testing.assert_allclose(weights, [1, 2 / 4, 2 / 4, 2 / 4, 2 / 4])
    # A row of weight 2 is two rows: the ties share 3 - 1 by their weights 1, 1, 1, 1.
    weighted = model.fit(X[[0, 1, 2, 3, 5]], np.arange(5), [1, 1, 1, 2, 1])
    np.testing.assert_allclose(
        weighted.local_estimator([[0.0]]).weights_, [1, 2 / 4, 2 / 4, 2 / 4, 2 / 4]
    )
    # The nearest row is the bandwidth's: "triangular" gives the ties no weight.
    local = model.set_params(kernel="triangular").fit(X, np.arange(6))
    np.testing.assert_array_equal(local.local_estimator([[0.0]]).y_, [0])


@pytest.mark.parametrize("kernel", ["triangular", "uniform", "inverse_square"])
@pytest.mark.parametrize("weighted", [False, True])
def test_the_order_of_the_training_rows_does_not_matter(kernel, weighted):
    rng = np.random.default_rng(3)
    X = pd.DataFrame(rng.choice(["p", "q"], (300, 3)), columns=["a", "b", "c"])
    y = np.where(rng.random(300) < 0.3 + 0.4 * (X["a"] == "p"), "yes", "no")
    weight = rng.uniform(0.1, 2, 300) if weighted else np.ones(300)
    order = np.argsort(y, kind="stable")  # sorted by class: the worst order
    model = LocallyWeightedEstimator(classical_nb(), n_neighbors=10, kernel=kernel)
    expected = model.fit(X, y, weight).predict_proba(X[:40])
    by_class = model.fit(X.iloc[order], y[order], weight[order]).predict_proba(X[:40])
    np.testing.assert_allclose(by_class, expected, atol=1e-9)
    # About 37 rows equal each query; all of them answer.
    equal = X.eq(X.iloc[0]).all(axis=1).to_numpy()
    frequency = weight[equal & (y == "yes")].sum() / weight[equal].sum()
    local = model.local_estimator(X[:1])
    assert equal.sum() > 20
    if kernel != "inverse_square":
        np.testing.assert_allclose(
            local.class_count_ / local.class_count_.sum(), [1 - frequency, frequency]
        )


def heom(X, query, ranges):
    """Return HEOM distances by their definition, value by value."""
    squared = np.zeros(len(X))
    for j, (name, x) in enumerate(query.items()):
        for i, value in enumerate(X[name]):
            if pd.isna(value) or pd.isna(x):
                squared[i] += 1
            elif isinstance(value, str):
                squared[i] += value != x
            else:
                squared[i] += ((value - x) / ranges[j]) ** 2
    return np.sqrt(squared)


def mixed_table(n=80):
    rng = np.random.default_rng(0)
    colours = rng.choice(["red", "blue", "green", None], n)
    X = pd.DataFrame(
        {
            "colour": pd.Series(colours, dtype=object),
            "size": np.where(rng.random(n) < 0.2, np.nan, rng.uniform(3, 9, n)),
            "weight": rng.standard_normal(n),
        }
    )
    return X, np.where((X["colour"] == "red") ^ (X["weight"] > 0), "yes", "no")


@pytest.mark.parametrize("scale", ["range", "ranks"])
def test_neighbours_in_a_mixed_table_are_nearest_by_heom(scale):
    X, _ = mixed_table()
    settings = {"n_neighbors": 9, "kernel": "uniform", "scale": scale}
    model = LocallyWeightedEstimator(classical_nb(), **settings)
    model.fit(X, np.arange(len(X)))  # each row its own class: classes are rows
    queries = X.copy()
    queries.loc[0, "colour"] = "purple"  # never seen
    given = queries
    if scale == "ranks":
        ranked = X[["size", "weight"]].rank()
        assert model.scale_ == "ranks"
        X = X.assign(**ranked)
        queries = queries.assign(**ranked)
    ranges = [1.0, np.ptp(X["size"].dropna()), np.ptp(X["weight"])]
    if scale == "range":
        np.testing.assert_allclose(model.scale_, ranges)
    for i in range(20):
        local = model.local_estimator(given[i : i + 1])
        distances = heom(X, queries.iloc[i], ranges)
        nearest = distances <= np.sort(distances)[8] + 1e-12  # ranks may tie
        assert set(local.classes_) == set(np.flatnonzero(nearest))


def test_ranks_do_not_depend_on_long_tails():
    X, y = some_rows(200, 3)
    targets = np.where(y > 0, "yes", "no")
    expected = LocallyWeightedEstimator(DummyClassifier()).fit(X, targets)
    skewed = LocallyWeightedEstimator(DummyClassifier()).fit(np.exp(9 * X), targets)
    np.testing.assert_allclose(
        skewed.predict_proba(np.exp(9 * X)), expected.predict_proba(X), atol=1e-12
    )
    # Between two training numbers a new one has a rank between theirs.
    model = LocallyWeightedEstimator(RecordingRegressor(), n_neighbors=2)
    local = model.fit([[0.0], [1.0], [1e9]], [0, 1, 2]).local_estimator([[0.8e9]])
    np.testing.assert_array_equal(local.y_, [2])


def test_locally_weighted_naive_bayes_learns_an_interaction():
    X, y = mixed_table(400)
    plain = cross_val_score(classical_nb(), X, y, cv=5).mean()
    local = LocallyWeightedEstimator(classical_nb(), n_neighbors=30)
    assert plain < 0.8
    assert cross_val_score(local, X, y, cv=5).mean() > plain + 0.1


def test_neighbours_of_one_class_predict_that_class():
    X = np.array([[0.0], [1.0], [2.0], [10.0], [11.0], [12.0]])
    y = np.array(["low", "low", "low", "high", "high", "mid"])
    model = LocallyWeightedEstimator(LogisticRegression(), n_neighbors=3, m=0)
    model.fit(X, y)
    assert list(model.classes_) == ["high", "low", "mid"]
    assert model.predict([[0.5]]) == ["low"]
    np.testing.assert_array_equal(model.predict_proba([[0.5]]), [[0, 1, 0]])
    probabilities = model.predict_proba([[11.4]])
    assert probabilities[0, 1] == 0
    np.testing.assert_allclose(probabilities.sum(), 1)


def test_probabilities_are_m_estimates_with_the_class_frequencies_as_prior():
    X, y = np.array([[0.0], [1.0], [2.0], [50.0]]), np.array(["a", "a", "b", "c"])
    model = LocallyWeightedEstimator(DummyClassifier(), n_neighbors=3, scale=None, m=2)
    # The weights around 0.5 are 1 - .5/1.5 = 2/3 twice, and 0: two rows, both "a".
    expected = (2 * np.array([1, 0, 0]) + 2 * np.array([2, 1, 1]) / 4) / (2 + 2)
    np.testing.assert_allclose(model.fit(X, y).predict_proba([[0.5]])[0], expected)
    # Weights 3/4 and 1/4 of the rows at 1.5 and 2.5: (Σw)² / Σw² = 16/10.
    model.fit([[1.5], [2.5], [3.0]], ["a", "b", "b"])
    local, n = np.array([3 / 4, 1 / 4]), 16 / 10
    expected = (n * local + 2 * np.array([1, 2]) / 3) / (n + 2)
    np.testing.assert_allclose(model.predict_proba([[1.0]])[0], expected)


def test_integer_weights_repeat_rows_in_probabilities():
    X, y = mixed_table(60)
    times = np.random.default_rng(0).integers(1, 4, len(y))
    model = LocallyWeightedEstimator(n_neighbors=15)
    repeated = model.fit(X.loc[X.index.repeat(times)], y.repeat(times))
    expected = repeated.predict_proba(X)
    weighted = model.fit(X, y, sample_weight=times).predict_proba(X)
    np.testing.assert_allclose(weighted, expected, atol=1e-9)


def test_a_class_without_weight_is_no_class():
    X, y = [["u"], ["v"], ["u"], ["v"]], ["a", "b", "a", "c"]
    model = LocallyWeightedEstimator().fit(X, y, sample_weight=[1, 1, 1, 0])
    assert model.classes_.tolist() == ["a", "b"]
    expected = LocallyWeightedEstimator().fit(X[:3], y[:3]).predict_proba(X)
    np.testing.assert_allclose(model.predict_proba(X), expected)


def test_the_default_is_naive_bayes_with_m_by_leave_one_out():
    X, y = mixed_table()
    given = MEstimateNB("loo", distribution="auto", feature_weights=None)
    np.testing.assert_array_equal(
        LocallyWeightedEstimator().fit(X, y).predict_proba(X),
        LocallyWeightedEstimator(given, n_neighbors=100, m=1)
        .fit(X, y)
        .predict_proba(X),
    )


def test_a_classifier_without_probabilities_predicts_its_classes():
    X, y = some_rows()
    model = LocallyWeightedEstimator(RidgeClassifier(), n_neighbors=20)
    model.fit(X, y > 0)
    local = [model.local_estimator(X[[q]]).predict(X[[q]])[0] for q in range(20)]
    np.testing.assert_array_equal(model.predict(X[:20]), np.array(local, dtype=bool))


def test_equally_far_rows_have_equal_weights():
    X, y = np.ones((4, 2)), [1.0, 2.0, 3.0, 6.0]
    model = LocallyWeightedEstimator(Ridge(), n_neighbors=4).fit(X, y)
    np.testing.assert_allclose(model.predict([[1.0, 1.0], [5.0, 1.0]]), [3.0, 3.0])


def test_processes_give_the_same_predictions():
    X, y = mixed_table()
    model = LocallyWeightedEstimator(classical_nb(), n_neighbors=20).fit(X, y)
    alone = model.predict_proba(X)
    np.testing.assert_array_equal(model.set_params(n_jobs=2).predict_proba(X), alone)


def test_several_targets_are_predicted_together():
    X, y = some_rows()
    model = LocallyWeightedEstimator(LinearRegression(), n_neighbors=20)
    both = model.fit(X, np.column_stack([y, -2 * y])).predict(X)
    one = model.fit(X, y).predict(X)
    np.testing.assert_allclose(both, np.column_stack([one, -2 * one]), atol=1e-12)


def test_n_neighbors_and_the_estimator_are_chosen_by_grid_search():
    X, y = mixed_table()
    grid = {"n_neighbors": [5, 30], "estimator__m": [0.1, 1.0]}
    search = GridSearchCV(LocallyWeightedEstimator(classical_nb()), grid, cv=3)
    assert set(search.fit(X, y).best_params_) == set(grid)


def test_a_polars_frame_gives_the_same_predictions():
    polars = pytest.importorskip("polars")
    X, y = mixed_table()
    model = LocallyWeightedEstimator(classical_nb(), n_neighbors=20)
    expected = model.fit(X, y).predict_proba(X)
    frame = polars.from_pandas(X)
    np.testing.assert_allclose(model.fit(frame, y).predict_proba(frame), expected)


@pytest.mark.parametrize("n_neighbors", [None, 1.0, 120, 10_000])
def test_all_rows_may_be_neighbours(n_neighbors):
    X, y = some_rows()
    model = LocallyWeightedEstimator(RecordingRegressor(), n_neighbors=n_neighbors)
    model.set_params(kernel="gaussian").fit(X, y)
    np.testing.assert_array_equal(model.predict(X), 120)


def test_verbose_shows_a_progress_bar(capsys):
    X, y = some_rows()
    model = LocallyWeightedEstimator(Ridge(), verbose=True).fit(X, y)
    model.predict(X)
    assert "predict: 100%" in capsys.readouterr().err
    model.set_params(verbose=False).predict(X)
    assert capsys.readouterr().err == ""


@pytest.mark.parametrize(
    "first",
    [
        ValueDifferenceEncoder(),
        OneHotEncoder(handle_unknown="ignore", sparse_output=False),
        make_column_transformer((OrdinalEncoder(), ["colour"])),
    ],
    ids=lambda first: type(first).__name__,
)
def test_a_pipeline_reads_the_labels_that_its_first_step_reads(first):
    frame, classes = mixed_table()
    with config_context(enable_metadata_routing=True):
        last = classical_nb().set_fit_request(sample_weight=True)
        if isinstance(first, ValueDifferenceEncoder):
            first = clone(first).set_fit_request(sample_weight=False)
        model = LocallyWeightedEstimator(make_pipeline(first, last)).fit(frame, classes)
        local = model.local_estimator(frame[:1])
        assert local[0].feature_names_in_.tolist() == frame.columns.tolist()
        assert model.score(frame, classes) > 0.7


def test_a_pipeline_that_selects_all_columns_predicts_as_its_last_step():
    frame, classes = mixed_table()
    expected = LocallyWeightedEstimator(classical_nb()).fit(frame, classes)
    with config_context(enable_metadata_routing=True):
        last = classical_nb().set_fit_request(sample_weight=True)
        first = make_column_transformer(
            ("passthrough", frame.columns.tolist()), verbose_feature_names_out=False
        ).set_output(transform="pandas")
        model = LocallyWeightedEstimator(make_pipeline(first, last)).fit(frame, classes)
        np.testing.assert_array_equal(
            model.predict_proba(frame[:20]), expected.predict_proba(frame[:20])
        )


def test_errors_name_what_cannot_be_done():
    X, y = some_rows()
    labels = (y > 0).astype(int)
    with pytest.raises(ValueError, match="takes no sample_weight"):
        LocallyWeightedEstimator(KNeighborsClassifier()).fit(X, labels)
    model = LocallyWeightedEstimator(DecisionTreeClassifier(random_state=0))
    with pytest.raises(ValueError, match="must be one row, got 2"):
        model.fit(X, labels).local_estimator(X[:2])
    assert not hasattr(LocallyWeightedEstimator(LinearRegression()), "predict_proba")
    assert hasattr(LocallyWeightedEstimator(GaussianNB()), "predict_proba")
    frame, classes = mixed_table()
    model = LocallyWeightedEstimator(classical_nb()).fit(frame, classes)
    with pytest.raises(TypeError, match=r"'colour' held labels .* and now holds"):
        model.predict(frame.assign(colour=1.5))
    with pytest.raises(ValueError, match=r"infinit"):
        model.fit(frame.assign(weight=np.inf), classes)
    assert len(model.predict(frame)) == len(frame)  # the earlier fit remains usable
    with pytest.raises(ValueError, match="one for each column"):
        LocallyWeightedEstimator(Ridge(), scale=[1.0]).fit(X, y)


@pytest.mark.parametrize("size", [1e-300, 1e-100, 1e100, 1e300])
def test_distances_do_not_depend_on_the_size_of_columns(size):
    X, y = some_rows()
    labels = np.where(y > 0, "yes", "no")
    model = LocallyWeightedEstimator(classical_nb(distribution="quantized"))
    expected = model.fit(X, labels).predict_proba(X)
    np.testing.assert_allclose(
        model.fit(X * size, labels).predict_proba(X * size), expected, atol=1e-9
    )

"""What MEstimateNB promises: missing cells, zeros, priors, choices, frames, errors."""

import warnings

import numpy as np
import pandas as pd
import polars as pl
import pytest
from by_hand import joint_log_proba, log_loss, without_one
from scipy import sparse
from sklearn.base import clone
from sklearn.metrics import log_loss as sklearn_log_loss
from sklearn.model_selection import GridSearchCV, LeaveOneOut, cross_val_predict
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils import get_tags

from sklearn_bayeslazy import MEstimateNB
from sklearn_bayeslazy.datasets import load_horse_colic
from sklearn_bayeslazy.testing import assert_row_wise, assert_same_predictions


@pytest.fixture(scope="module")
def horses():
    return load_horse_colic(return_X_y=True, as_frame=True)


def test_a_missing_cell_adds_nothing(horses):
    X, y = horses
    model = MEstimateNB().fit(X, y)
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
    hollow = np.insert(X, 1, np.nan, axis=1)
    filled = np.insert(X, 1, rng.integers(0, 9, size=60), axis=1)
    model = MEstimateNB(m=m, distribution=kind)
    with_hollow = clone(model).fit(hollow, y)
    without = clone(model).fit(X, y)
    for query in (hollow, filled):
        np.testing.assert_array_equal(
            with_hollow.predict_joint_log_proba(query),
            without.predict_joint_log_proba(X),
        )


def test_explain_adds_up_to_the_joint_log_probability(horses):
    X, y = horses
    for model in (MEstimateNB(), MEstimateNB(m=0), MEstimateNB(distribution="loo")):
        model.fit(X, y)
        why = model.explain(X)
        assert why.terms.shape == (*X.shape, 2)
        np.testing.assert_allclose(
            why.log_prior + why.terms.sum(axis=1),
            model.predict_joint_log_proba(X),
            rtol=1e-12,
        )
        assert why.feature_names.tolist() == X.columns.tolist()
        frame = why.frame(3)
        assert frame.index.tolist() == ["(prior)", *X.columns]
        np.testing.assert_array_equal(frame.to_numpy()[1:], why.terms[3])


def test_m_0_keeps_zeros_and_falls_back_to_the_prior():
    X = [["a", "u"], ["a", "v"], ["b", "u"], ["b", "u"], ["b", "u"]]
    y = [0, 0, 1, 1, 1]
    model = MEstimateNB(m=0).fit(X, y)
    # (a, u) excludes class 1; (b, v) excludes both.
    np.testing.assert_array_equal(model.predict_proba([["a", "u"]]), [[1, 0]])
    joint = model.predict_joint_log_proba([["b", "v"]])
    np.testing.assert_array_equal(joint, [[-np.inf, -np.inf]])
    np.testing.assert_allclose(model.predict_proba([["b", "v"]]), [[2 / 5, 3 / 5]])
    assert model.predict([["b", "v"]]) == 1


def test_zero_variance_takes_a_share_of_the_largest():
    X = [[1.0, 0.0], [1.0, 2.0], [3.0, 4.0], [3.0, 6.0]]
    model = MEstimateNB(m=0, var_smoothing=1e-3).fit(X, [0, 0, 1, 1])
    # Column variances (÷ n): 1 and 5.
    np.testing.assert_allclose(model.var_, [[5e-3, 2], [5e-3, 2]])
    constant = MEstimateNB(m=0).fit([[0.1]] * 7, [0, 0, 0, 1, 1, 1, 1])
    np.testing.assert_allclose(constant.predict_proba([[0.1]]), [[3 / 7, 4 / 7]])


def test_a_class_without_observed_cells_has_the_prior_as_its_estimate():
    X = pd.DataFrame(
        {"word": ["p", "p", "q", None, None], "x": [1.0, 2, 4, None, None]}
    )
    model = MEstimateNB(m=0, prior="marginal").fit(X, [0, 0, 0, 1, 1])
    np.testing.assert_allclose(np.exp(model.feature_log_prob_[0][1]), [2 / 3, 1 / 3])
    assert model.theta_[1, 1] == pytest.approx(7 / 3)
    assert model.var_[1, 1] == pytest.approx(
        ((4 / 3) ** 2 + (1 / 3) ** 2 + (5 / 3) ** 2) / 3
    )


class TestUnknownCategories:
    X, y = [["a", 1.0], ["b", 2.0], ["a", 3.0]], [0, 1, 1]

    def test_ignored_like_missing_cells(self):
        model = MEstimateNB().fit(self.X, self.y)
        np.testing.assert_array_equal(
            model.predict_proba([["z", 2.5]]), model.predict_proba([[None, 2.5]])
        )

    def test_refused_by_name(self):
        model = MEstimateNB(unknown="error").fit(self.X, self.y)
        assert model.predict([[None, 2.5]]).shape == (1,)
        with pytest.raises(ValueError, match="unknown category 'z' in column '0'"):
            model.predict([["a", 1.0], ["z", 2.5]])

    @pytest.mark.parametrize("make", [np.array, sparse.csr_array])
    def test_refused_among_numbers(self, make):
        X = np.array([[1.0, 2], [3, 4], [1, 4]])
        model = MEstimateNB(unknown="error", distribution="categorical")
        model.fit(make(X), [0, 1, 1])
        assert model.predict(make(X)).shape == (3,)
        for strange, column in (([[1.0, 5]], 1), ([[0.0, 2]], 0), ([[1.5, 2]], 0)):
            with pytest.raises(ValueError, match=f"column '{column}'"):
                model.predict(make(strange))


class TestPriors:
    X = [["r"], ["r"], ["g"], ["b"], ["b"], ["b"]]
    y = [0, 0, 0, 1, 1, 1]

    def theta(self, **params):
        model = MEstimateNB(**params).fit(self.X, self.y)
        return np.exp(model.feature_log_prob_[0])  # columns b, g, r

    def test_uniform_marginal_and_laplace(self):
        np.testing.assert_allclose(
            self.theta(m=3), [[1 / 6, 2 / 6, 3 / 6], [4 / 6, 1 / 6, 1 / 6]]
        )
        np.testing.assert_allclose(self.theta(m="laplace"), self.theta(m=3))
        np.testing.assert_allclose(
            self.theta(m=6, prior="marginal"),
            [[3 / 9, 2 / 9, 4 / 9], [6 / 9, 1 / 9, 2 / 9]],
        )

    def test_arrays_are_class_masses(self):
        # (count + m q(x, y)) / (n + m q(y)) with q(y) = 1 + 2 + 3 = 6
        np.testing.assert_allclose(
            self.theta(m=2, prior=[[1, 2, 3]]),
            [[2 / 15, 5 / 15, 8 / 15], [5 / 15, 4 / 15, 6 / 15]],
        )
        by_class = {0: [[1, 1, 2], [0, 0, 1]]}
        np.testing.assert_allclose(
            self.theta(m=2, prior=by_class),
            [[2 / 11, 3 / 11, 6 / 11], [3 / 5, 0, 2 / 5]],
        )

    def test_numbers_take_rates_and_moments(self):
        X = pd.DataFrame({"n": [2.0, 4, 9, 11], "x": [2.0, 4, 9, 11]})
        y = [0, 0, 1, 1]
        model = MEstimateNB(
            m=2,
            distribution=["poisson", "gaussian"],
            prior={"n": [1.0], "x": [[3.0, 1.0], [0.0, 4.0]]},
        ).fit(X, y)
        np.testing.assert_allclose(model.rate_[:, 0], [(6 + 2) / 4, (20 + 2) / 4])
        np.testing.assert_allclose(model.theta_[:, 1], [(6 + 6) / 4, (20 + 0) / 4])
        first = (2 + 2 * 1 + 2 * 2 / 4 * (3 - 3) ** 2) / (2 + 2 - 1)
        second = (2 + 2 * 4 + 2 * 2 / 4 * (10 - 0) ** 2) / (2 + 2 - 1)
        np.testing.assert_allclose(model.var_[:, 1], [first, second])

    @pytest.mark.parametrize(
        ("prior", "message"),
        [
            ([[1, 2]], r"column '0' has shape \(1, 2\)"),
            ([[1, 2, -1]], "must be ≥ 0"),
            ([[0, 0, 0]], "sum above 0"),
            ([[1, 2, np.nan]], "finite array"),
            (["uniform", "uniform"], "2 entries for 1 columns"),
            ({"colour": "uniform"}, "names the column 'colour'"),
            (["median"], "prior='median' for column '0'"),
        ],
    )
    def test_errors_name_the_column(self, prior, message):
        with pytest.raises(ValueError, match=message):
            MEstimateNB(prior=prior).fit(self.X, self.y)


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
    expected = MEstimateNB(m=m).fit(frames()["pandas"], y)
    X = frames()[kind]
    model = MEstimateNB(m=m).fit(X, y)
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
    expected = MEstimateNB().fit(X, y).predict_proba(X)
    odd = X.set_axis(np.linspace(5, -5, len(X)), axis=0)
    model = MEstimateNB(n_jobs=2).fit(odd, y)
    np.testing.assert_array_equal(model.predict_proba(odd), expected)


def test_frames_are_answered_row_by_row(horses):
    X, y = horses
    assert_row_wise(MEstimateNB(distribution="loo").fit(X, y), X[:30])


class TestLeaveOneOut:
    def test_distribution_is_the_best_of_refits(self):
        """Each distribution alone with the class prior, refitted without each row."""
        rng = np.random.default_rng(3)
        y = np.repeat([0, 1], 20)
        cells = rng.poisson(1 + 2 * y)
        X = cells[:, None].astype(float)
        tried = ["gaussian", "poisson", "bernoulli", "categorical", "quantized"]
        model = MEstimateNB(
            m=0.7,
            distribution="loo",
            n_bins=4,
            var_smoothing=0.01,
            loo_candidates={"distribution": tried},
        ).fit(X, y)
        results = model.loo_columns_[0]
        assert [point["distribution"] for point in results["params"]] == tried
        for name, found in zip(tried, results["mean_log_loss"]):
            alone = MEstimateNB(m=0.7, distribution=name, n_bins=4).fit(X, y)
            values = {"categorical": alone.categories_, "quantized": alone.bin_edges_}
            kind = {"kind": name, "values": list(values.get(name, [[]])[0])}
            floor = 0.01 * np.var(cells)
            losses = []
            for i in range(len(y)):
                left = without_one(np.ones(len(y)), i)
                joint = joint_log_proba(
                    X[i],
                    [cells.tolist()],
                    [kind],
                    y.tolist(),
                    left,
                    [0, 1],
                    [0.7],
                    floor,
                )
                prior = np.log([np.sum(left, where=y == c) / sum(left) for c in (0, 1)])
                losses.append(log_loss(joint, y[i], prior))
            assert found == pytest.approx(np.mean(losses), rel=1e-10)
        assert model.distributions_ == [tried[np.argmin(results["mean_log_loss"])]]

    def test_m_scores_are_those_of_scikit_learns_leave_one_out(self, horses):
        """Where preprocessing does not depend on the row: categories that all recur."""
        X, y = horses
        X = X[["pain", "abdomen", "peristalsis"]]
        model = MEstimateNB(m="loo", loo_candidates={"m": [0.1, 3.0]}).fit(X, y)
        for m, loss, accuracy in zip(
            [0.1, 3.0],
            model.loo_results_["mean_log_loss"],
            model.loo_results_["mean_accuracy"],
        ):
            proba = cross_val_predict(
                MEstimateNB(m=m), X, y, cv=LeaveOneOut(), method="predict_proba"
            )
            assert loss == pytest.approx(sklearn_log_loss(y, proba), rel=1e-10)
            right = model.classes_[proba.argmax(axis=1)] == y
            assert accuracy == pytest.approx(np.mean(right))

    def test_a_subset_of_rows_is_scored_against_the_whole_table(self, horses):
        X, y = horses
        params = {"m": "loo", "random_state": 0}
        part = MEstimateNB(loo_max_samples=150, **params).fit(X, y)
        whole = MEstimateNB(loo_max_samples=None, **params).fit(X, y)
        se = whole.loo_results_["standard_error_log_loss"]
        gap = part.loo_results_["mean_log_loss"] - whole.loo_results_["mean_log_loss"]
        assert np.any(gap != 0)
        assert np.all(np.abs(gap) < 5 * se * np.sqrt(len(y) / 150))
        again = MEstimateNB(loo_max_samples=150, **params).fit(X, y)
        np.testing.assert_array_equal(
            part.loo_results_["mean_log_loss"], again.loo_results_["mean_log_loss"]
        )

    def test_accuracy_breaks_ties_by_log_loss(self):
        X, y = [["a"], ["a"], ["a"], ["b"], ["b"], ["b"]], [0, 0, 0, 1, 1, 1]
        candidates = {"m": [1.0, 0.5, 100.0]}  # without a row, 2 of 5 are its class's
        model = MEstimateNB(m="loo", loo_scoring="accuracy", loo_candidates=candidates)
        model.fit(X, y)
        np.testing.assert_array_equal(model.loo_results_["mean_accuracy"], [1, 1, 0])
        assert model.m_ == 0.5
        np.testing.assert_array_equal(model.loo_results_["rank"], [2, 1, 3])

    def test_partial_fit_is_refused_with_the_way_out(self):
        for params in ({"m": "loo"}, {"distribution": {"x": "loo"}}):
            model = MEstimateNB(**params)
            assert not hasattr(model, "partial_fit")
            with pytest.raises(ValueError, match="call fit on a sample"):
                model.partial_fit([[1.0]], [0], classes=[0, 1])

    @pytest.mark.parametrize(
        ("candidates", "message"),
        [
            ({"k": [1]}, "names 'k'"),
            ({"m": []}, r"loo_candidates\['m'\] is empty"),
            ({"m": [-1.0]}, "m=-1.0: the number of virtual examples"),
            ({"distribution": ["normal"]}, r"names \['normal'\]"),
        ],
    )
    def test_bad_candidates(self, candidates, message):
        with pytest.raises(ValueError, match=message):
            MEstimateNB(m="loo", loo_candidates=candidates).fit([[1.0], [2.0]], [0, 1])


def test_grid_search_over_m_agrees_with_the_pipeline_it_stands_in(horses):
    X, y = horses
    search = GridSearchCV(MEstimateNB(), {"m": [0.5, 5.0, "loo"]}, cv=3, n_jobs=2)
    assert search.fit(X, y).best_estimator_.m_ > 0
    numbers = X[["pulse", "rectal_temperature"]]
    pipeline = make_pipeline(StandardScaler(), MEstimateNB(m=2)).fit(numbers, y)
    plain = MEstimateNB(m=2).fit(numbers, y)
    np.testing.assert_allclose(
        pipeline.predict_proba(numbers), plain.predict_proba(numbers), rtol=1e-9
    )


def test_high_cardinality_stays_within_memory():
    rng = np.random.default_rng(0)
    n_categories, n_classes = 50_000, 200
    X = rng.integers(n_categories, size=(100_000, 1))
    y = X[:, 0] % n_classes
    model = MEstimateNB(distribution="categorical").fit(X, y)
    assert model.category_count_[0].sum() == len(X)
    assert model.score(X[:2000], y[:2000]) > 0.99
    labels = np.array([f"user {x}" for x in X[:20_000, 0]], dtype=object)[:, None]
    assert MEstimateNB().fit(labels, y[:20_000]).score(labels[:500], y[:500]) > 0.99


class TestErrors:
    X, y = [[1.0, 2.0], [3.0, 4.0]], [0, 1]

    @pytest.mark.parametrize(
        ("params", "message"),
        [
            ({"m": -1}, "'m' parameter"),
            ({"m": "many"}, "'m' parameter"),
            ({"m": [1.0]}, r"m has shape \(1,\); X has 2 columns"),
            ({"m": [1.0, np.nan]}, "must be ≥ 0"),
            ({"distribution": "normal"}, "'distribution' parameter"),
            ({"distribution": ["gaussian"]}, "1 entries for 2 columns"),
            ({"distribution": ["gaussian", "normal"]}, "'normal' for column '1'"),
            ({"distribution": {"z": "gaussian"}}, "names the column 'z'"),
            ({"class_prior": [1.0]}, "class_prior has shape"),
            ({"class_prior": [0.5, 0.4]}, "sum to 1"),
            ({"binning": "equal"}, "'binning' parameter"),
            ({"n_bins": 1}, "'n_bins' parameter"),
            ({"var_smoothing": 0}, "'var_smoothing' parameter"),
        ],
    )
    def test_bad_parameters_are_named(self, params, message):
        with pytest.raises(ValueError, match=message):
            MEstimateNB(**params).fit(self.X, self.y)

    def test_labels_where_numbers_are_needed(self):
        with pytest.raises(TypeError, match="column '0', which holds labels"):
            MEstimateNB(distribution="gaussian").fit([["a"], ["b"]], [0, 1])

    def test_counts_below_zero(self):
        model = MEstimateNB(distribution="poisson").fit(self.X, self.y)
        for call in (
            lambda: model.fit([[-1.0], [2.0]], [0, 1]),
            lambda: model.predict([[-1.0, 1.0]]),
        ):
            with pytest.raises(ValueError, match="Negative values in data"):
                call()

    def test_numbers_whose_variance_overflows(self):
        with pytest.raises(ValueError, match="column '1' are too large"):
            MEstimateNB().fit([[1.0, 1e300], [2.0, -1e300]], self.y)
        quantized = MEstimateNB(distribution="quantized")
        assert np.isfinite(
            quantized.fit([[1.0, 1e300], [2.0, -1e300]], self.y).predict_proba(self.X)
        ).all()

    def test_columns_that_change_their_kind(self):
        words = MEstimateNB().fit([["a", 1.0], ["b", 2.0]], self.y)
        with pytest.raises(TypeError, match="Column '0' held labels"):
            words.predict([[1.0, 1.0]])
        with pytest.raises(TypeError, match="Column '1' holds labels"):
            words.predict([["a", "b"]])
        numbers = MEstimateNB(distribution="categorical").fit(self.X, self.y)
        with pytest.raises(TypeError, match="Column '0' held numbers at fit"):
            numbers.predict([["a", 1.0]])

    def test_sparse_rows_for_what_needs_dense_data(self):
        with pytest.raises(TypeError, match=r"[Ss]parse"):
            MEstimateNB().fit(sparse.csr_array(self.X), self.y)
        # Numbers are Gaussian where a dictionary names only some columns.
        named = MEstimateNB(distribution={0: "poisson", 1: "poisson"})
        assert named.fit(self.X, self.y).distributions_ == ["poisson", "poisson"]

    def test_weights(self):
        for weight, message in (
            ([0, 0], "zero"),
            ([1, -1], "Negative values"),
        ):
            with pytest.raises(ValueError, match=message):
                MEstimateNB().fit(self.X, self.y, sample_weight=weight)


def test_tags_tell_the_truth():
    assert get_tags(MEstimateNB()).input_tags.allow_nan
    assert get_tags(MEstimateNB()).input_tags.categorical
    assert not get_tags(MEstimateNB()).input_tags.sparse
    assert not get_tags(MEstimateNB()).input_tags.positive_only
    poisson = get_tags(MEstimateNB(distribution="poisson")).input_tags
    assert poisson.sparse
    assert poisson.positive_only
    assert get_tags(
        MEstimateNB(distribution=["poisson", "bernoulli"])
    ).input_tags.sparse


def test_html_view_links_to_the_documentation():
    page = MEstimateNB()._repr_html_()
    assert "sklearn_bayeslazy.MEstimateNB.html" in page


def test_a_read_only_or_transposed_array_is_no_other_array(horses):
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(50, 4)), rng.integers(2, size=50)
    expected = MEstimateNB().fit(X, y)
    frozen = X.copy()
    frozen.flags.writeable = False
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for other in (frozen, np.asfortranarray(X), X[:, ::-1][:, ::-1]):
            assert_same_predictions(expected, MEstimateNB().fit(other, y), other)
        single = MEstimateNB().fit(X.astype(np.float32), y)
    np.testing.assert_allclose(single.theta_, expected.theta_, atol=1e-6)

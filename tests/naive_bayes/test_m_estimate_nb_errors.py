"""What MEstimateNB refuses, and unknown categories."""

import numpy as np
import pandas as pd
import pytest
from scipy import sparse

from sklearn_bayeslazy import MEstimateNB
from tests.helpers.classical_naive_bayes import classical_nb


class TestUnknownCategories:
    X, y = [["a", 1.0], ["b", 2.0], ["a", 3.0]], [0, 1, 1]

    def test_ignored_like_missing_cells(self):
        model = classical_nb().fit(self.X, self.y)
        np.testing.assert_array_equal(
            model.predict_proba([["z", 2.5]]), model.predict_proba([[None, 2.5]])
        )

    def test_refused_by_name(self):
        model = classical_nb(unknown="error").fit(self.X, self.y)
        assert model.predict([[None, 2.5]]).shape == (1,)
        with pytest.raises(ValueError, match="unknown category 'z' in column '0'"):
            model.predict([["a", 1.0], ["z", 2.5]])

    @pytest.mark.parametrize("make", [np.array, sparse.csr_array])
    def test_refused_among_numbers(self, make):
        X = np.array([[1.0, 2], [3, 4], [1, 4]])
        model = classical_nb(unknown="error", distribution="categorical")
        model.fit(make(X), [0, 1, 1])
        assert model.predict(make(X)).shape == (3,)
        for unknown, column in (([[1.0, 5]], 1), ([[0.0, 2]], 0), ([[1.5, 2]], 0)):
            with pytest.raises(ValueError, match=f"column '{column}'"):
                model.predict(make(unknown))


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
            ({"distribution": np.array(2)}, "1 entries for 2 columns"),
            ({"distribution": ["gaussian", "normal"]}, "'normal' for column '1'"),
            ({"distribution": {"z": "gaussian"}}, "names the column 'z'"),
            ({"class_prior": [1.0]}, "class_prior has shape"),
            ({"class_prior": [0.5, 0.4]}, "sum to 1"),
            ({"binning": "equal"}, "'binning' parameter"),
            ({"n_bins": 1}, "'n_bins' parameter"),
            ({"var_smoothing": -1}, "'var_smoothing' parameter"),
        ],
    )
    def test_bad_parameters_are_named(self, params, message):
        with pytest.raises(ValueError, match=message):
            classical_nb(**params).fit(self.X, self.y)

    def test_labels_where_numbers_are_needed(self):
        with pytest.raises(TypeError, match="column '0', which holds labels"):
            classical_nb(distribution="gaussian").fit([["a"], ["b"]], [0, 1])

    def test_counts_below_zero(self):
        model = classical_nb(distribution="poisson").fit(self.X, self.y)
        for call in (
            lambda: model.fit([[-1.0], [2.0]], [0, 1]),
            lambda: model.predict([[-1.0, 1.0]]),
        ):
            with pytest.raises(ValueError, match="Negative values in data"):
                call()

    def test_numbers_whose_variance_overflows(self):
        with pytest.raises(ValueError, match="column '1' are too large"):
            classical_nb().fit([[1.0, 1e300], [2.0, -1e300]], self.y)
        quantized = classical_nb(distribution="quantized")
        assert np.isfinite(
            quantized.fit([[1.0, 1e300], [2.0, -1e300]], self.y).predict_proba(self.X)
        ).all()

    def test_columns_that_change_their_kind(self):
        labels = classical_nb().fit([["a", 1.0], ["b", 2.0]], self.y)
        with pytest.raises(TypeError, match="Column '0' held labels"):
            labels.predict([[1.0, 1.0]])
        with pytest.raises(TypeError, match="Column '1' holds labels"):
            labels.predict([["a", "b"]])
        numbers = classical_nb(distribution="categorical").fit(self.X, self.y)
        with pytest.raises(TypeError, match="Column '0' held numbers at fit"):
            numbers.predict([["a", 1.0]])

    def test_sparse_rows_are_refused_where_dense_data_is_needed(self):
        with pytest.raises(TypeError, match=r"[Ss]parse"):
            classical_nb().fit(sparse.csr_array(self.X), self.y)
        # Numbers are Gaussian where a dictionary names only some columns.
        named = classical_nb(distribution={0: "poisson", 1: "poisson"})
        assert named.fit(self.X, self.y).distributions_ == ["poisson", "poisson"]

    def test_weights(self):
        for weight, message in (
            ([0, 0], "zero"),
            ([1, -1], "Negative values"),
        ):
            with pytest.raises(ValueError, match=message):
                classical_nb().fit(self.X, self.y, sample_weight=weight)


@pytest.mark.parametrize("make", [pd.DataFrame, sparse.csr_array])
def test_numbers_below_0_where_leave_one_out_has_chosen_counts(make):
    # The user has not said that they are counts: they are read as missing cells.
    rng = np.random.default_rng(0)
    y = np.arange(200) % 2
    X = np.stack([rng.poisson(1 + 3 * y), rng.poisson(2 + y)], axis=1).astype(float)
    model = MEstimateNB(distribution="loo").fit(make(X), y)
    assert model.distributions_ == ["poisson", "poisson"]
    missing, below, large = np.tile([[2.0, 1.0], [0.0, 4.0]], (3, 1, 1))
    missing[:, 0], below[:, 0], large[:, 0] = np.nan, -1.0, 1e305
    expected = model.predict_proba(make(missing))
    for new in (below, large):
        np.testing.assert_allclose(model.predict_proba(make(new)), expected, rtol=1e-12)
    with pytest.raises(ValueError, match="Negative values in data"):
        model.partial_fit(make(below), [0, 1])
    given = MEstimateNB(distribution=["poisson", "loo"]).fit(make(X), y)
    with pytest.raises(ValueError, match="Negative values in data"):
        given.predict(make(below))


def test_a_column_of_weight_0_is_checked_too():
    rng = np.random.default_rng(0)
    words, numbers = rng.choice(["x", "y"], 60), rng.normal(size=60)
    X = pd.DataFrame({"words": words, "numbers": numbers})
    model = MEstimateNB(unknown="error").fit(X, np.arange(60) % 2)
    assert not model.feature_weights_.any()  # no column tells anything
    with pytest.raises(ValueError, match="unknown category 'z' in column 'words'"):
        model.predict(X.assign(words="z"))
    with pytest.raises(TypeError, match="'words' held labels"):
        model.predict(X.assign(words=1.0))
    with pytest.raises(TypeError, match="'numbers' held numbers at fit"):
        model.predict(X.assign(numbers="x"))

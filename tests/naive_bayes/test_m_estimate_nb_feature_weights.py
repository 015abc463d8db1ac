"""Weights of columns in MEstimateNB: the likelihood of refits, limits, invariances.

Code under test: `naive_bayes/_columns/_feature_weights.py`.
"""

import numpy as np
import pandas as pd
import pytest
from scipy.special import log_softmax
from sklearn.base import clone
from sklearn.feature_selection import SelectFromModel

from sklearn_bayeslazy import MEstimateNB
from sklearn_bayeslazy.datasets import load_horse_colic
from sklearn_bayeslazy.naive_bayes._columns import _feature_weights
from tests.helpers.classical_naive_bayes import classical_nb
from tests.helpers.copies_by_hand import weights_without


def mixed_table(n=60, seed=0):
    """Return strings, counts and numbers with missing cells, and three classes."""
    rng = np.random.default_rng(seed)
    y = np.arange(n) % 3
    X = pd.DataFrame(
        {
            "colour": np.array(["red", "blue", "green"])[
                (y + (rng.random(n) < 0.4)) % 3
            ],
            "noise": np.array(["a", "b"])[rng.integers(0, 2, n)],
            "count": rng.poisson(1 + 2 * y).astype(float),
            "size": rng.normal(y, 1.5),
        }
    )
    X.loc[::7, "colour"] = None
    X.loc[3::8, "size"] = np.nan
    return X, y


KINDS = {"count": "poisson", "size": "gaussian"}


def loss_and_gradient(weights, offset, X, y, m, sample_weight, n_virtual=1):
    """Return the penalised log loss and its gradient from refits without each row."""
    # n_virtual: how many rows in all count as of any class.
    params = {
        "m": m,
        "distribution": KINDS,
        "categories": {"colour": ["blue", "green", "red"], "noise": ["a", "b"]},
    }
    loss = 0.5 * np.sum((weights - 0.5) ** 2) + 0.5 * np.sum(offset**2)
    by_weight, by_offset = weights - 0.5, offset.copy()
    # The penalty counts in rows, of which one has the weight Σw² / Σw.
    share = sample_weight * sample_weight.sum() / (sample_weight @ sample_weight)
    smoothing, n_classes = n_virtual / (1 + share.sum()), len(offset)
    targets = (1 - smoothing) * np.eye(n_classes)[y] + smoothing / n_classes
    for i in range(len(y)):
        left = sample_weight.copy()
        left[i] = 0.0
        model = classical_nb(**params).fit(X, y, left)
        explanation = model.explain(X.iloc[[i]])
        terms = explanation.terms[0]
        score = explanation.base[0] + offset + weights @ terms
        log_proba = log_softmax(score)
        loss -= share[i] * (log_proba @ targets[i])
        residual = share[i] * (np.exp(log_proba) - targets[i])
        by_weight = by_weight + terms @ residual
        by_offset += residual
    return loss, by_weight, by_offset


@pytest.mark.parametrize("weighted", [False, True])
def test_weights_maximise_the_likelihood_of_refits_without_each_row(
    weighted, monkeypatch
):
    """At the maximum the gradient is 0, or positive where a weight is held at 0."""
    first = "_best_in_folds", lambda *_: 0  # the penalty of the formula above
    monkeypatch.setattr(_feature_weights, *first)
    X, y = mixed_table()
    rng = np.random.default_rng(1)
    sample_weight = rng.choice([0.5, 1.0, 2.5], len(y)) if weighted else np.ones(len(y))
    m = 1.5
    model = MEstimateNB(m=m, distribution=KINDS).fit(X, y, sample_weight)
    w, b = model.feature_weights_, model.class_offset_
    loss, by_weight, by_offset = loss_and_gradient(w, b, X, y, m, sample_weight)
    np.testing.assert_allclose(by_weight[w > 0], 0, atol=1e-6)
    assert np.all(by_weight[w == 0] > -1e-6)
    np.testing.assert_allclose(by_offset, 0, atol=1e-6)
    for step in (0.05, -0.05):
        moved = np.maximum(w + step, 0)
        assert loss_and_gradient(moved, b, X, y, m, sample_weight)[0] > loss


def test_scores_with_weights_are_those_of_refits():
    X, y = mixed_table()
    model = MEstimateNB(m=1.5, distribution=KINDS).fit(X, y)
    one = np.ones(len(y))
    for weights, offset, found in (
        (np.ones(4), np.zeros(3), model.loo_results_["mean_log_loss"][0]),
        (
            model.feature_weights_,
            model.class_offset_,
            model.loo_results_["mean_log_loss"][1],
        ),
    ):
        penalised, _, _ = loss_and_gradient(weights, offset, X, y, 1.5, one, 0)
        penalty = 0.5 * np.sum((weights - 0.5) ** 2) + 0.5 * np.sum(offset**2)
        assert found == pytest.approx((penalised - penalty) / len(y), rel=1e-9)


class TestGivenWeights:
    def test_are_exponents(self):
        X, y = mixed_table()
        plain = classical_nb().fit(X, y)
        weights = [2.0, 0.0, 0.5, 1.0]
        model = classical_nb(feature_weights=weights).fit(X, y)
        explanation = plain.explain(X)
        expected = explanation.base + np.einsum("ijc,j->ic", explanation.terms, weights)
        np.testing.assert_allclose(
            model.predict_joint_log_proba(X), expected, rtol=1e-12
        )
        np.testing.assert_array_equal(model.feature_weights_, weights)
        assert not hasattr(model, "feature_importances_")

    def test_of_one_change_nothing_and_keep_zeros(self):
        X, y = [["a", 1.0], ["b", 2.0], ["b", 2.5], ["a", 1.5]], [0, 1, 1, 0]
        plain = classical_nb(m=0).fit(X, y)
        model = classical_nb(m=0, feature_weights=[1, 1]).fit(X, y)
        joint = plain.predict_joint_log_proba(X)
        assert np.isneginf(joint).any()
        np.testing.assert_allclose(model.predict_joint_log_proba(X), joint, rtol=1e-13)

    def test_of_zero_are_not_read(self):
        X, y = mixed_table()
        model = classical_nb(feature_weights=[1, 0, 1, 0], unknown="error").fit(X, y)
        expected = model.predict_proba(X)
        X["size"] = np.inf
        X["noise"] = "never seen"
        np.testing.assert_array_equal(model.predict_proba(X), expected)

    def test_on_sparse_rows(self):
        from scipy.sparse import csr_array

        rng = np.random.default_rng(0)
        X, y = rng.poisson(0.7, (40, 5)).astype(float), np.arange(40) % 2
        for name in ("poisson", "bernoulli", "categorical"):
            params = {"distribution": name, "feature_weights": [0.5, 0, 2, 1, 1]}
            dense = classical_nb(**params).fit(X, y).predict_proba(X)
            sparse = classical_nb(**params).fit(csr_array(X), y)
            np.testing.assert_allclose(
                sparse.predict_proba(csr_array(X)), dense, rtol=1e-11
            )

    @pytest.mark.parametrize(
        ("weights", "message"),
        [
            ([1.0], r"feature_weights has shape \(1,\); X has 4 columns"),
            ([1, 1, 1, -1], "must be finite numbers ≥ 0"),
            ([1, 1, 1, np.nan], "must be finite numbers ≥ 0"),
            (["a", "b", "c", "d"], "feature_weights"),
        ],
    )
    def test_of_the_wrong_kind_are_refused(self, weights, message):
        X, y = mixed_table()
        with pytest.raises(ValueError, match=message):
            classical_nb(feature_weights=weights).fit(X, y)


class TestColumns:
    @staticmethod
    def table(n=4000, seed=0):
        rng = np.random.default_rng(seed)
        y = rng.integers(0, 2, n)
        informative = (y + (rng.random(n) < 0.3)) % 2
        other = (y + (rng.random(n) < 0.35)) % 2
        return np.column_stack([informative, other]).astype(float), y

    def test_copies_share_the_weight_of_a_single_column(self):
        X, y = self.table()
        params = {"m": 1.0, "distribution": "categorical"}
        single = MEstimateNB(**params).fit(X, y)
        double = MEstimateNB(**params).fit(X[:, [0, 0, 1]], y)
        w = double.feature_weights_
        assert w[0] == pytest.approx(w[1], abs=1e-9)
        assert w[0] + w[1] == pytest.approx(single.feature_weights_[0], rel=0.01)
        np.testing.assert_allclose(
            double.predict_proba(X[:, [0, 0, 1]]), single.predict_proba(X), atol=0.01
        )

    def test_that_name_rows_have_no_weight(self):
        X, y = self.table(n=400)
        names = np.array([f"row {i}" for i in range(len(y))], dtype=object)
        frame = pd.DataFrame({"id": names, "x": X[:, 0]})
        for m in ("loo", 1.0):
            model = MEstimateNB(m=m).fit(frame, y)
            assert model.feature_weights_[0] < 0.02
            assert model.feature_weights_[1] > 0.5

    def test_independent_columns_have_weights_near_one(self):
        X, y = self.table(n=20_000)
        model = MEstimateNB(m=1.0, distribution="categorical").fit(X, y)
        np.testing.assert_allclose(model.feature_weights_, 1.0, atol=0.1)

    def test_importances_select_columns(self):
        X, y = self.table(n=1000)
        X = np.column_stack([X, np.random.default_rng(5).integers(0, 3, len(y))])
        selector = SelectFromModel(MEstimateNB(), threshold=0.1).fit(X, y)
        np.testing.assert_array_equal(selector.get_support(), [True, True, False])
        importance = selector.estimator_.feature_importances_
        assert importance.sum() == pytest.approx(1.0)


class TestInvariance:
    def test_explanations_sum_to_the_joint(self):
        X, y = load_horse_colic(return_X_y=True, as_frame=True)
        model = MEstimateNB().fit(X, y)
        explanation = model.explain(X)
        np.testing.assert_allclose(
            explanation.terms.sum(axis=1) + explanation.base,
            model.predict_joint_log_proba(X),
            rtol=1e-10,
        )

    def test_integer_weights_are_repetition_and_zero_is_removal(self):
        X, y = mixed_table(n=90)
        X["size"] = X["size"].fillna(pd.Series(np.arange(90) / 7))  # no copies
        count = np.random.default_rng(2).integers(0, 4, len(y))
        rows = np.repeat(np.arange(len(y)), count)
        weighted = MEstimateNB().fit(X, y, count)
        repeated = MEstimateNB().fit(X.iloc[rows], y[rows])
        assert weighted.distributions_ == repeated.distributions_
        np.testing.assert_allclose(
            weighted.predict_proba(X), repeated.predict_proba(X), rtol=1e-7
        )

    def test_rows_in_another_order_and_threads_change_nothing(self):
        X, y = load_horse_colic(return_X_y=True, as_frame=True)
        model = MEstimateNB().fit(X, y)
        order = np.random.default_rng(0).permutation(len(y))
        shuffled = MEstimateNB().fit(X.iloc[order], y[order])
        assert shuffled.distributions_ == model.distributions_
        np.testing.assert_allclose(
            shuffled.predict_proba(X), model.predict_proba(X), rtol=1e-7
        )
        threads = MEstimateNB(n_jobs=2).fit(X, y)
        np.testing.assert_array_equal(threads.predict_proba(X), model.predict_proba(X))

    def test_fewer_rows_are_left_out_where_columns_are_many(self, monkeypatch):
        X, y = TestColumns.table(n=8000)
        whole = MEstimateNB().fit(X, y)
        monkeypatch.setattr(_feature_weights, "MAX_TERMS", 8000)
        part = MEstimateNB().fit(X, y)
        assert np.any(part.feature_weights_ != whole.feature_weights_)
        np.testing.assert_allclose(
            part.feature_weights_, whole.feature_weights_, atol=0.3
        )

    def test_classes_that_take_turns_are_all_left_out(self, monkeypatch):
        # Every second row would be of one class.
        rng = np.random.default_rng(0)
        y = np.arange(2000) % 2
        X = rng.normal(size=(2000, 4)) + 0.5 * y[:, None]
        monkeypatch.setattr(_feature_weights, "MAX_TERMS", 1000 * 2 * 4)
        model = MEstimateNB(distribution="gaussian").fit(X, y)
        assert abs(model.predict(X).mean() - 0.5) < 0.05


class TestBatches:
    def test_keep_what_the_first_one_chose(self):
        X, y = load_horse_colic(return_X_y=True, as_frame=True)
        model = MEstimateNB().partial_fit(X[:200], y[:200], classes=np.unique(y))
        first = MEstimateNB().fit(X[:200], y[:200])
        chosen = first.feature_weights_.copy()
        model.partial_fit(X[200:], y[200:])
        np.testing.assert_allclose(model.feature_weights_, chosen, rtol=1e-9)
        np.testing.assert_array_equal(model.m_, first.m_)
        assert model.distributions_ == first.distributions_
        assert model.class_count_.sum() == len(y)
        # The same choices, given: the model of one fit with these bin edges.
        later = clone(first).fit(X[:200], y[:200]).partial_fit(X[200:], y[200:])
        np.testing.assert_allclose(
            model.predict_proba(X), later.predict_proba(X), rtol=1e-9
        )

    def test_merge_if_they_started_alike(self):
        X, y = load_horse_colic(return_X_y=True, as_frame=True)
        start = [
            MEstimateNB().partial_fit(X[:150], y[:150], classes=np.unique(y))
            for _ in range(2)
        ]
        start[0].partial_fit(X[150:], y[150:])
        before = start[0].class_count_.copy()
        start[0].merge(start[1])
        np.testing.assert_allclose(start[0].class_count_.sum(), before.sum() + 150)
        other = MEstimateNB(distribution="auto").fit(X[150:], y[150:])
        model = MEstimateNB(distribution="auto").fit(X[:150], y[:150])
        with pytest.raises(ValueError, match="The two models differ in m"):
            model.merge(other)

    def test_of_one_row_are_enough_to_start(self):
        X, y = mixed_table()
        model = MEstimateNB().partial_fit(X[:1], y[:1], classes=[0, 1, 2])
        model.partial_fit(X, y)
        assert np.isfinite(model.predict_proba(X)).all()


class TestBins:
    def test_are_chosen_by_the_refits_of_each_candidate(self):
        """Quantized alone with the class prior; the edges stay those of all rows."""
        rng = np.random.default_rng(3)
        y = rng.integers(0, 2, 60)
        x = np.round(rng.normal(y, 1.0), 1)
        candidates = {"n_bins": [2, 5], "binning": ["quantile", "uniform"]}
        model = MEstimateNB(
            m=2.0,
            distribution="quantized",
            feature_weights=None,
            loo_candidates=candidates,
        ).fit(x[:, None], y)
        results = model.loo_columns_[0]
        for params, found in zip(results["params"], results["mean_log_loss"]):
            given = {key: params[key] for key in candidates}
            whole = classical_nb(m=2.0, distribution="quantized", **given)
            (edges,) = whole.fit(x[:, None], y).bin_edges_
            code = np.searchsorted(edges, x, side="right")
            losses = []
            for i in range(len(y)):
                rest = weights_without(x[:, None], y, np.ones(len(y)), i) > 0
                joint = []
                for c in (0, 1):
                    of_class = rest & (y == c)
                    count = np.sum(of_class & (code == code[i]))
                    n_class = of_class.sum()
                    k = len(edges) + 1
                    joint.append(n_class * (count + 2.0 / k) / (n_class + 2.0))
                losses.append(-np.log(joint[y[i]] / sum(joint)))
            assert found == pytest.approx(np.mean(losses), rel=1e-10)
        best = int(np.argmin(results["mean_log_loss"]))
        chosen = results["params"][best]
        again = classical_nb(
            m=2.0,
            distribution="quantized",
            n_bins=chosen["n_bins"],
            binning=chosen["binning"],
        ).fit(x[:, None], y)
        np.testing.assert_array_equal(model.bin_edges_[0], again.bin_edges_[0])

    def test_frequent_values_stand_alone(self):
        x = np.array([0.0] * 90 + list(range(1, 11)))
        y = np.arange(100) % 2
        params = {"distribution": "quantized", "n_bins": 3}
        quantile = classical_nb(**params).fit(x[:, None], y)
        alone = classical_nb(**params, binning="frequent_values").fit(x[:, None], y)
        assert quantile.bin_edges_[0].tolist() == [0.5]
        assert alone.bin_edges_[0].tolist() == [0.5, 5.5]

    @pytest.mark.parametrize(
        ("candidates", "message"),
        [
            ({"n_bins": [1]}, r"loo_candidates\['n_bins'\] holds 1: give integers"),
            (
                {"binning": ["equal"]},
                r"loo_candidates\['binning'\] holds 'equal': give names",
            ),
        ],
    )
    def test_bad_candidates(self, candidates, message):
        with pytest.raises(ValueError, match=message):
            MEstimateNB(loo_candidates=candidates).fit([[1.0], [2.0]], [0, 1])


@pytest.mark.parametrize("n_classes", [5, 15])
def test_names_of_rows_tell_nothing_where_classes_are_small(n_classes):
    """A name that no other row has would tell the class that has one row less."""
    rng = np.random.default_rng(0)
    n, m = 150, 450
    y = np.append(np.arange(n_classes), rng.integers(0, n_classes, m - n_classes))
    X = np.array([[f"row {i}"] for i in range(m)], dtype=object)
    model = MEstimateNB().fit(X[:n], y[:n])
    assert model.feature_weights_[0] == 0
    truth = model.predict_proba(X[n:])[np.arange(m - n), y[n:]]
    prior = np.bincount(y[:n]) / n
    assert -np.log(truth).mean() < -np.log(prior[y[n:]]).mean() + 0.01

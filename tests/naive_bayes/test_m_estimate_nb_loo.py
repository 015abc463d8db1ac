"""Leave-one-out of MEstimateNB against refits, scikit-learn and plain loops.

Code under test: `naive_bayes/_columns/_batch.py`,
`naive_bayes/_columns/_left_out_columns.py`, `naive_bayes/_columns/_single_columns.py`.
"""

import numpy as np
import pytest
from sklearn.metrics import log_loss as sklearn_log_loss
from sklearn.model_selection import GridSearchCV, LeaveOneOut, cross_val_predict
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from sklearn_bayeslazy import MEstimateNB
from sklearn_bayeslazy.datasets import load_horse_colic
from tests.helpers.classical_naive_bayes import classical_nb
from tests.helpers.copies_by_hand import weights_without
from tests.helpers.naive_bayes_by_hand import joint_log_proba, log_loss


@pytest.fixture(scope="module")
def horses():
    return load_horse_colic(return_X_y=True, as_frame=True)


class TestLeaveOneOut:
    def test_distribution_is_the_best_of_refits(self):
        """Each distribution alone with the class prior, refitted without each row."""
        rng = np.random.default_rng(3)
        y = np.repeat([0, 1], 20)
        cells = rng.poisson(1 + 2 * y)
        X = cells[:, None].astype(float)
        tried = ["gaussian", "poisson", "bernoulli", "categorical", "quantized"]
        model = classical_nb(
            m=0.7,
            distribution="loo",
            n_bins=4,
            var_smoothing=0.01,
            loo_candidates={"distribution": tried},
        ).fit(X, y)
        results = model.loo_columns_[0]
        assert [point["distribution"] for point in results["params"]] == tried
        for name, found in zip(tried, results["mean_log_loss"]):
            alone = classical_nb(m=0.7, distribution=name, n_bins=4).fit(X, y)
            values = {"categorical": alone.categories_, "quantized": alone.bin_edges_}
            kind = {"kind": name, "values": list(values.get(name, [[]])[0])}
            added = 0.01 * np.var(cells)
            losses = []
            for i in range(len(y)):
                left = weights_without(X, y, np.ones(len(y)), i).tolist()
                joint = joint_log_proba(
                    X[i],
                    [cells.tolist()],
                    [kind],
                    y.tolist(),
                    left,
                    [0, 1],
                    [0.7],
                    added,
                )
                prior = np.log([np.sum(left, where=y == c) / sum(left) for c in (0, 1)])
                losses.append(log_loss(joint, y[i], prior))
            assert found == pytest.approx(np.mean(losses), rel=1e-10)
        assert model.distributions_ == [tried[np.argmin(results["mean_log_loss"])]]

    def test_m_scores_are_those_of_scikit_learns_leave_one_out(self, horses):
        """Where preprocessing does not depend on the row: categories that all recur."""
        X, y = horses
        X = X[["pain", "abdomen", "peristalsis"]]
        model = classical_nb(m="loo", loo_candidates={"m": [0.1, 3.0]}).fit(X, y)
        for m, loss, accuracy in zip(
            [0.1, 3.0],
            model.loo_results_["mean_log_loss"],
            model.loo_results_["mean_accuracy"],
        ):
            proba = cross_val_predict(
                classical_nb(m=m), X, y, cv=LeaveOneOut(), method="predict_proba"
            )
            assert loss == pytest.approx(sklearn_log_loss(y, proba), rel=1e-10)
            right = model.classes_[proba.argmax(axis=1)] == y
            assert accuracy == pytest.approx(np.mean(right))

    def test_a_subset_of_rows_is_scored_against_the_whole_table(self, horses):
        X, y = horses
        params = {"m": "loo", "random_state": 0}
        part = classical_nb(loo_max_samples=150, **params).fit(X, y)
        whole = classical_nb(loo_max_samples=None, **params).fit(X, y)
        se = whole.loo_results_["standard_error_log_loss"]
        gap = part.loo_results_["mean_log_loss"] - whole.loo_results_["mean_log_loss"]
        assert np.any(gap != 0)
        assert np.all(np.abs(gap) < 5 * se * np.sqrt(len(y) / 150))
        again = classical_nb(loo_max_samples=150, **params).fit(X, y)
        np.testing.assert_array_equal(
            part.loo_results_["mean_log_loss"], again.loo_results_["mean_log_loss"]
        )

    def test_accuracy_breaks_ties_by_log_loss(self):
        X, y = [["a"], ["a"], ["a"], ["b"], ["b"], ["b"]], [0, 0, 0, 1, 1, 1]
        # Without a row, 2 of the 5 other rows are of its class.
        candidates = {"m": [1.0, 0.5, 100.0]}
        model = classical_nb(m="loo", loo_scoring="accuracy", loo_candidates=candidates)
        model.fit(X, y)
        np.testing.assert_array_equal(model.loo_results_["mean_accuracy"], [1, 1, 0])
        assert model.m_ == 0.5
        np.testing.assert_array_equal(model.loo_results_["rank"], [2, 1, 3])

    def test_partial_fit_keeps_the_choice_of_the_first_batch(self, horses):
        X, y = horses
        for params in ({"m": "loo"}, {"distribution": "loo"}):
            first = classical_nb(**params).fit(X[:100], y[:100])
            model = classical_nb(**params)
            model.partial_fit(X[:100], y[:100], classes=np.unique(y))
            model.partial_fit(X[100:], y[100:])
            assert model.m_ == first.m_
            assert model.distributions_ == first.distributions_
            assert not hasattr(model, "loo_results_")
            given = classical_nb(m=first.m_, distribution=first.distributions_)
            whole = given.fit(X, y)
            if "quantized" not in first.distributions_:
                np.testing.assert_allclose(
                    model.predict_proba(X), whole.predict_proba(X), rtol=1e-9
                )

    @pytest.mark.parametrize(
        ("candidates", "message"),
        [
            ({"k": [1]}, "names 'k'"),
            ({"m": []}, r"loo_candidates\['m'\] is empty"),
            ({"m": [-1.0]}, "m=-1.0: the number of virtual examples"),
            ({"distribution": ["normal"]}, "holds 'normal': give names"),
        ],
    )
    def test_bad_candidates(self, candidates, message):
        with pytest.raises(ValueError, match=message):
            classical_nb(m="loo", loo_candidates=candidates).fit([[1.0], [2.0]], [0, 1])


def test_grid_search_and_pipelines_take_m(horses):
    X, y = horses
    search = GridSearchCV(classical_nb(), {"m": [0.5, 5.0, "loo"]}, cv=3, n_jobs=2)
    assert search.fit(X, y).best_estimator_.m_ > 0
    numbers = X[["pulse", "rectal_temperature"]]
    pipeline = make_pipeline(StandardScaler(), classical_nb(m=2)).fit(numbers, y)
    plain = classical_nb(m=2).fit(numbers, y)
    np.testing.assert_allclose(
        pipeline.predict_proba(numbers), plain.predict_proba(numbers), rtol=1e-9
    )


def test_columns_are_compared_on_rows_of_all_classes_that_take_turns():
    # Every second row would be of the class without outliers: to it a normal density
    # that the outliers of the other class made wide looks as good as the right bins.
    rng = np.random.default_rng(0)
    y = np.arange(3000) % 2
    x = rng.normal(size=3000)
    is_outlier = rng.random(3000) < 0.01
    X = np.where(y == 0, x, 0.3 * x + 40.0 * is_outlier)[:, None]
    assert MEstimateNB().fit(X, y).distributions_ == ["quantized"]

"""Candidates, subsets and errors of leave-one-out for ShepardKNN."""

import numpy as np
import pytest
from sklearn.neighbors import NearestNeighbors

from sklearn_bayeslazy.leave_one_out._choice import rows_to_leave_out
from tests.helpers.neighbors_by_hand import (
    average,
    classification_loo,
    covariance_of,
    metric_of,
    regression_loo,
    table_of_distances,
)
from tests.helpers.shepard_knn_classical import classical_knn, classical_knn_regressor
from tests.helpers.shepard_knn_loo_by_hand import (
    N_ROWS,
    SCORES,
    bell,
    cases,
    draw_table,
    sample_weights,
    tuning_params,
)

# Subsets, defaults and errors


@pytest.mark.parametrize("estimator", SCORES)
@pytest.mark.parametrize("weighed", ["none", "fractions"])
def test_of_many_rows_some_are_left_out_and_the_rest_stays(estimator, weighed):
    X, labels, numbers = draw_table(9, duplicates=False)
    y = labels if estimator is classical_knn else numbers
    weight = sample_weights(weighed)
    D = table_of_distances(metric_of("euclidean", X), X, X)
    params, candidates = tuning_params("n_neighbors")
    model = estimator(**params, loo_max_samples=7, random_state=3).fit(X, y, weight)
    rows = rows_to_leave_out(N_ROWS, 7, 3)
    for position, one in enumerate(candidates):
        rule = {"k": one["n_neighbors"], "power": 1.5}
        loo = classification_loo if estimator is classical_knn else regression_loo
        scores, score_weight = loo(D, y, weight, **rule)
        for name, values in scores.items():
            mean, error = average(values[rows], score_weight[rows])
            results = model.loo_results_
            np.testing.assert_allclose(
                results[f"mean_{name}"][position], mean, rtol=1e-12, atol=1e-12
            )
            np.testing.assert_allclose(
                results[f"standard_error_{name}"][position],
                error,
                rtol=1e-9,
                atol=1e-12,
            )
    again = estimator(**params, loo_max_samples=7, random_state=3).fit(X, y, weight)
    whole = estimator(**params, loo_max_samples=N_ROWS).fit(X, y, weight)
    every = estimator(**params, loo_max_samples=None).fit(X, y, weight)
    for name in (f"mean_{score}" for score in SCORES[estimator]):
        np.testing.assert_array_equal(
            again.loo_results_[name], model.loo_results_[name]
        )
        np.testing.assert_array_equal(
            whole.loo_results_[name], every.loo_results_[name]
        )


@pytest.mark.parametrize("estimator", SCORES)
def test_results_make_a_frame(estimator):
    pandas = pytest.importorskip("pandas", reason="a frame is pandas's")
    X, labels, numbers = draw_table(10)
    model = estimator(power="loo")
    model.fit(X, labels if estimator is classical_knn else numbers)
    frame = pandas.DataFrame(model.loo_results_)
    assert len(frame) == (len([1, 2, 3, 4, 5, 7, 10, 14]) + 1) * 6
    names = {"params", "rank"}
    for score in SCORES[estimator]:
        names |= {f"mean_{score}", f"standard_error_{score}"}
    assert set(frame.columns) == names
    best = frame.loc[frame["rank"] == 1, "params"].item()
    assert best == {"n_neighbors": model.n_neighbors_, "power": model.power_}


def test_default_candidates():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(80, 2)), rng.normal(size=80)
    model = classical_knn_regressor(power="loo").fit(X, y)
    tried = model.loo_results_["params"]
    assert {one["power"] for one in tried} == {0, 1, 2, 4, 8, 16}
    ks = {1, 2, 3, 4, 5, 7, 10, 14, 20, 28, 40, 56}
    assert {one["n_neighbors"] for one in tried} == {*ks, None}
    few = classical_knn_regressor().fit(X[:5], y[:5])
    assert [one["n_neighbors"] for one in few.loo_results_["params"]] == [
        *(1, 2, 3, 4),
        None,
    ]


@pytest.mark.parametrize("weights", ["uniform", bell])
@pytest.mark.parametrize("estimator", SCORES)
def test_weights_that_do_not_read_the_power_do_not_choose_one(estimator, weights):
    X, labels, numbers = draw_table(14)
    y = labels if estimator is classical_knn else numbers
    model = estimator(power="loo", weights=weights).fit(X, y)
    assert model.power_ is None
    assert all(set(one) == {"n_neighbors"} for one in model.loo_results_["params"])


@pytest.mark.parametrize("estimator", SCORES)
def test_equal_candidates_have_equal_scores(estimator):
    X, labels, numbers = draw_table(14)
    y = labels if estimator is classical_knn else numbers
    candidates = {"n_neighbors": [3, 3, None, N_ROWS, None], "power": [1, 1.0, 2]}
    model = estimator(power="loo", loo_candidates=candidates)
    model.fit(X, y)
    for score in SCORES[estimator]:
        curve = model.loo_results_[f"mean_{score}"].reshape(5, 3)
        np.testing.assert_array_equal(curve[0], curve[1])
        np.testing.assert_array_equal(curve[2], curve[4])
        np.testing.assert_allclose(curve[2], curve[3], rtol=1e-12)
        np.testing.assert_array_equal(curve[:, 0], curve[:, 1])


@pytest.mark.parametrize("estimator", SCORES)
def test_power_0_is_uniform(estimator):
    X, labels, numbers = draw_table(15)
    y = labels if estimator is classical_knn else numbers
    curves = []
    for params in ({"power": 0}, {"weights": "uniform"}):
        for ks in ([1, 3, 8], [None]):
            model = estimator(loo_candidates={"n_neighbors": ks}, **params)
            curves.append(model.fit(X, y).loo_results_[f"mean_{SCORES[estimator][-1]}"])
    np.testing.assert_array_equal(curves[0], curves[2])
    np.testing.assert_array_equal(curves[1], curves[3])


def test_a_later_fit_forgets_the_curve():
    X, labels, _ = draw_table(11)
    model = classical_knn().fit(X, labels)
    assert hasattr(model, "loo_results_")
    model.set_params(n_neighbors=3).fit(X, labels)
    assert not hasattr(model, "loo_results_")


def test_the_chosen_model_is_the_one_with_the_choice_given():
    X, labels, numbers = draw_table(12)
    Q = np.random.default_rng(0).normal(size=(9, 3))
    for estimator, y in cases(labels, numbers):
        loo = estimator(power="loo").fit(X, y)
        given = estimator(loo.n_neighbors_, power=loo.power_).fit(X, y)
        np.testing.assert_array_equal(loo.predict(Q), given.predict(Q))


@pytest.mark.parametrize(
    ("candidates", "message"),
    [
        ({"n_neighbors": []}, r"loo_candidates\['n_neighbors'\] is empty"),
        ({"n_neighbors": [0]}, r"loo_candidates\['n_neighbors'\] holds 0"),
        ({"n_neighbors": [2.0]}, r"loo_candidates\['n_neighbors'\] holds 2\.0"),
        ({"n_neighbors": ["loo"]}, r"loo_candidates\['n_neighbors'\] holds 'loo'"),
        ({"n_neighbors": 3}, r"loo_candidates\['n_neighbors'\] must be a list"),
        ({"n_neighbors": "loo"}, r"loo_candidates\['n_neighbors'\] must be a list"),
        ({"power": [-1]}, r"loo_candidates\['power'\] holds -1"),
        ({"power": [np.inf]}, r"loo_candidates\['power'\] holds inf"),
        ({"power": [np.nan]}, r"loo_candidates\['power'\] holds nan"),
        ({"power": ["auto"]}, r"loo_candidates\['power'\] holds 'auto'"),
        ({"power": [None]}, r"loo_candidates\['power'\] holds None"),
        ({"m": [1]}, r"loo_candidates names 'm'; .* \['n_neighbors', 'power'\]"),
    ],
    ids=str,
)
@pytest.mark.parametrize("estimator", SCORES)
def test_wrong_candidates(estimator, candidates, message):
    X, _, _ = draw_table(0)
    model = estimator(power="loo", loo_candidates=candidates)
    with pytest.raises(ValueError, match=message):
        model.fit(X, np.arange(N_ROWS) % 2)


def test_candidates_for_given_parameters_are_refused():
    X, labels, _ = draw_table(0)
    model = classical_knn(loo_candidates={"power": [1, 2]})
    with pytest.raises(ValueError, match=r"names 'power'; .* \['n_neighbors'\]"):
        model.fit(X, labels)


def test_an_engine_does_not_try_all_rows():
    X, labels, _ = draw_table(0)
    model = classical_knn(
        algorithm=NearestNeighbors(), loo_candidates={"n_neighbors": [1, None]}
    )
    with pytest.raises(ValueError, match=r"holds None, all rows, for which an engine"):
        model.fit(X, labels)


@pytest.mark.parametrize("estimator", SCORES)
@pytest.mark.parametrize("params", [{}, {"n_neighbors": 1, "power": "loo"}], ids=str)
def test_a_single_row_cannot_be_left_out(estimator, params):
    with pytest.raises(ValueError, match="two rows of weight above 0"):
        estimator(**params).fit([[1.0]], [0])
    with pytest.raises(ValueError, match="two rows of weight above 0"):
        estimator(**params).fit([[1.0], [2.0]], [0, 1], sample_weight=[3, 0])


@pytest.mark.parametrize("estimator", SCORES)
def test_two_rows_are_enough(estimator):
    model = estimator().fit([[0.0], [1.0]], [0, 1])
    assert model.n_neighbors_ == 1
    name = "mean_log_loss" if estimator is classical_knn else "mean_squared_error"
    expected = -np.log(np.finfo(float).eps) if estimator is classical_knn else 1.0
    np.testing.assert_allclose(model.loo_results_[name], expected)


def test_the_covariance_is_learnt_from_all_rows():
    """The row that is left out stays in the covariance, as the docstring states."""
    X, _, numbers = draw_table(13, duplicates=False)
    weight = sample_weights("fractions")
    given = {"V": covariance_of(X, weight)}
    models = [
        classical_knn_regressor(metric="mahalanobis", metric_params=params)
        for params in (None, given)
    ]
    curves = [m.fit(X, numbers, weight).loo_results_ for m in models]
    np.testing.assert_allclose(
        *(curve["mean_squared_error"] for curve in curves), rtol=1e-11
    )

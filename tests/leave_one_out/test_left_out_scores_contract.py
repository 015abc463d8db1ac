"""The contract of left-out scores: what each family makes of them in ``loo_results_``.

It runs over all registered estimators that have something to choose, at each variant,
and over the language models.
"""

import numpy as np
import pytest
from sklearn.base import clone, is_classifier, is_regressor

from sklearn_bayeslazy import (
    BeliefNetworkClassifier,
    CaseBasedClassifier,
    CaseBasedRegressor,
    LanguageModelNB,
    MEstimateNB,
    NGramLanguageModel,
    RBFNetworkClassifier,
    ShepardKNN,
    TextNB,
)
from sklearn_bayeslazy.testing import ESTIMATORS
from sklearn_bayeslazy.text._words import learns_offsets
from tests.helpers.leave_one_out_results import HIGHER_IS_BETTER

N_ROWS = 40
TEXTS = ["a b a", "b a", "c b b", "a", "c c a b", "b c"]
LANGUAGE_MODELS = [
    LanguageModelNB(
        smoothing="lidstone", smoothing_parameter="loo", length_normalization="loo"
    ),
    LanguageModelNB(
        smoothing="witten_bell", length_normalization="loo", loo_scoring="log_loss"
    ),
    NGramLanguageModel(smoothing="dirichlet", smoothing_parameter="loo"),
]
# Where parameters are "loo", and these values leave nothing to list.
SETTLED = {
    TextNB: {"temperature": 1},  # then documents of all lengths have it
    RBFNetworkClassifier: {"width": 1.5},  # `overlap` is not read
    CaseBasedRegressor: {"vote": "uniform"},  # `power` is not read
    BeliefNetworkClassifier: {"structure_score": "loo", "hidden": {"h": 2}},
}
# What some list beside the scores.
MORE = {TextNB: {"temperature"}, BeliefNetworkClassifier: {"exponent"}}


def has_a_choice(estimator):
    """Return whether `loo_results_` has something to list."""
    params, settled = estimator.get_params(deep=False), SETTLED.get(type(estimator), {})
    if any(params[name] == value for name, value in settled.items()):
        return False
    params.pop("scale", None)  # it is chosen before the candidates are scored
    return any(isinstance(value, str) and value == "loo" for value in params.values())


LISTING = [one for one in ESTIMATORS if "loo_results_ :" in type(one).__doc__]
CHOOSING = [one for one in LISTING if has_a_choice(one)] + LANGUAGE_MODELS
SETTLED_ESTIMATORS = [one for one in LISTING if not has_a_choice(one)]


def fit(estimator):
    """Return the estimator, fitted to counts or to texts."""
    if isinstance(estimator, LanguageModelNB | NGramLanguageModel):
        return clone(estimator).fit(TEXTS, [0, 1] * 3)
    rng = np.random.default_rng(0)
    y = np.arange(N_ROWS) % 3
    X = rng.poisson(1.0 + y[:, None], size=(N_ROWS, 3)).astype(float)
    if is_regressor(estimator):
        y = X.sum(axis=1) + y
    return clone(estimator).fit(X, y)


@pytest.fixture(scope="module", params=CHOOSING, ids=str)
def model(request):
    return fit(request.param)


def all_results(model):
    """Return `loo_results_`, and those of the single columns where there are any."""
    columns = getattr(model, "loo_columns_", [])
    return [model.loo_results_, *(one for one in columns if one is not None)]


def deciding_score(model):
    """Return the name of the score that decides."""
    if is_regressor(model) or isinstance(model, RBFNetworkClassifier):
        return "squared_error"
    if isinstance(model, TextNB) and model.loo_scoring is None:
        return "log_loss" if learns_offsets(model) else "accuracy"
    return getattr(model, "loo_scoring", None) or "log_loss"


def scores_of(model):
    """Return the names of all scores."""
    if isinstance(model, RBFNetworkClassifier):
        return {"squared_error", "accuracy"}
    if is_classifier(model):
        return {"log_loss", "accuracy"}
    return {deciding_score(model)}


@pytest.mark.parametrize("estimator", SETTLED_ESTIMATORS, ids=str)
def test_without_a_choice_there_are_no_results(estimator):
    assert not hasattr(fit(estimator), "loo_results_")


def test_each_candidate_has_its_scores_over_all_rows(model):
    scores, more = scores_of(model), MORE.get(type(model), set())
    names = {f"{kind}_{one}" for kind in ("mean", "standard_error") for one in scores}
    for results in all_results(model):
        assert set(results) == {"params", "rank"} | names | more
        assert len({len(values) for values in results.values()}) == 1
        for name in names | more:
            assert np.all(np.isfinite(results[name])), name
            assert np.all(results[name] >= 0), name
        if "accuracy" in scores:  # of n values 0 or 1, the mean gives the error
            n = len(TEXTS) if isinstance(model, LanguageModelNB) else N_ROWS
            p, error = results["mean_accuracy"], results["standard_error_accuracy"]
            expected = np.sqrt(p * (1 - p) / (n - 1))
            np.testing.assert_allclose(error, expected, rtol=1e-9, atol=1e-9)


def test_ranks_order_the_deciding_score(model):
    name = deciding_score(model)
    for results in all_results(model):
        rank, means = results["rank"], HIGHER_IS_BETTER[name] * results[f"mean_{name}"]
        assert sorted(rank) == list(range(1, len(rank) + 1))
        # Means that differ by a rounding are equal, and other scores decide.
        rounding = 1e-11 * np.max(np.abs(means))
        in_order = means[np.argsort(rank)]
        if chooses_m_last(model):  # among the candidates that differ in m alone
            best = results["params"][np.argmin(rank)]
            alike = [
                mean
                for one, mean in zip(results["params"], means)
                if {**one, "m": None} == {**best, "m": None}
            ]
            assert max(alike) >= np.max(means) - rounding
            in_order = in_order[1:]
        assert np.all(np.diff(in_order) <= rounding)


def chooses_m_last(model):
    """Return whether m is chosen with rows for whose class no row votes."""
    return is_classifier(model) and isinstance(model, ShepardKNN | CaseBasedClassifier)


def chosen_candidate(model):
    """Return the best of the candidates that can be chosen."""
    results = model.loo_results_
    candidates = [results["params"][i] for i in np.argsort(results["rank"])]
    if isinstance(model, MEstimateNB):
        # With feature_weights="loo" the model has weights, whatever their rank.
        candidates = [c for c in candidates if c.get("feature_weights", "") is not None]
    return candidates[0]


def test_the_best_candidate_is_the_fitted_one(model):
    chosen = chosen_candidate(model)
    assert all(chosen.keys() == one.keys() for one in model.loo_results_["params"])
    for name, value in chosen.items():
        if name == "n_super_parents":
            assert len(model.super_parents_) == value
        elif name == "feature_weights":  # the name of a way to weigh, None for equal
            assert (np.ptp(model.feature_weights_) > 0) == (value is not None)
        elif name == "scale":  # normal scores, or the divisors that a name gives
            assert isinstance(model.scale_, str) == (value == "normal_scores")
        else:
            assert getattr(model, f"{name}_") == value, name
    for j, results in enumerate(getattr(model, "loo_columns_", [])):
        if results is not None:
            best = results["params"][np.argmin(results["rank"])]
            assert model.distributions_[j] == best["distribution"]
    if "temperature" in model.loo_results_:
        best = np.argmin(model.loo_results_["rank"])
        assert model.temperature_ == model.loo_results_["temperature"][best]

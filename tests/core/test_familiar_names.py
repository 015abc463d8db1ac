"""Errors about parameters and values of other packages name the counterpart."""

import inspect

import numpy as np
import pytest
from sklearn.base import clone

from sklearn_bayeslazy import (
    LocallyWeightedRegressor,
    LSHNeighbors,
    MEstimateNB,
    MyAdaBoost,
    MyAdaBoostRegressor,
    ShepardKNN,
)
from sklearn_bayeslazy._core._familiar_names import ADVICE, COUNTERPARTS, PARAMETERS
from tests.helpers.ecosystem_tables import INSTANCES, draw_counts, every_predictor

X, Y = draw_counts(ShepardKNN())


@pytest.mark.parametrize(("name", "value"), COUNTERPARTS)
def test_each_counterpart_is_valid_where_it_is_named(name, value):
    is_named = []
    for estimator in INSTANCES:
        if name not in estimator.get_params():
            continue
        with pytest.raises((ValueError, TypeError)) as caught:
            clone(estimator).set_params(**{name: value}).fit(*draw_counts(estimator))
        counterpart = COUNTERPARTS[name, value]
        if f"Use {name}={counterpart!r}" in str(caught.value):
            is_named.append(estimator)
            clone(estimator).set_params(**{name: counterpart})._validate_params()
    assert is_named, "no estimator names it"


@pytest.mark.parametrize(("name", "here"), PARAMETERS)
def test_constructors_name_the_parameter(name, here):
    classes = [
        type(one)
        for one in INSTANCES
        if here in (known := one._get_param_names()) and name not in known
    ]
    assert classes
    for cls in classes:
        with pytest.raises(TypeError, match=f"'{name}' is '{here}'"):
            cls(**{name: 1})


@pytest.mark.parametrize(("name", "advice"), ADVICE["__init__"].items())
def test_constructors_without_a_counterpart_give_advice(name, advice):
    lacks = [one for one in INSTANCES if name not in one._get_param_names()]
    assert lacks
    for estimator in lacks:
        with pytest.raises(TypeError, match=rf"'{name}'") as caught:
            type(estimator)(**{name: 1})
        given = {here for there, here in PARAMETERS if there == name}
        has_counterpart = given & set(estimator._get_param_names())
        assert (advice in str(caught.value)) != bool(has_counterpart)


@every_predictor
@pytest.mark.parametrize(("name", "advice"), ADVICE["fit"].items())
def test_fit_gives_advice(estimator, name, advice):
    X, y = draw_counts(estimator)
    with pytest.raises((TypeError, ValueError), match=advice):
        clone(estimator).fit(X, y, **{name: [(X, y)]})


@every_predictor
def test_importances_are_those_of_the_display(estimator):
    X, y = draw_counts(estimator)
    model = clone(estimator).fit(X, y)
    if hasattr(model, "feature_importances_"):
        assert isinstance(model, MEstimateNB | MyAdaBoost | MyAdaBoostRegressor)
        return
    with pytest.raises(AttributeError, match=r"ImportanceDisplay\.from_estimator"):
        model.feature_importances_  # noqa: B018


def test_importances_of_what_does_not_predict():
    with pytest.raises(AttributeError, match="no attribute 'feature_importances_'"):
        LSHNeighbors().feature_importances_  # noqa: B018


@pytest.mark.parametrize("name", ["alpha", "confidence_level", "level"])
def test_methods_name_the_parameter(name):
    model = LocallyWeightedRegressor(n_neighbors=None, bandwidth=1.0, degree=1)
    model.fit([[0.0], [1.0], [2.0], [3.0]], [0, 1, 2, 4])
    with pytest.raises(TypeError, match=f"'{name}' is 'coverage' here"):
        model.prediction_interval([[1.0]], **{name: 0.05})
    lower, upper = model.prediction_interval([[1.0]], coverage=0.9)
    assert lower < upper


def test_the_words_of_the_errors():
    with pytest.raises(ValueError, match=r"Use weights='inverse' for 'distance'\.$"):
        ShepardKNN(weights="distance").fit(X, Y)
    with pytest.raises(ValueError, match=r"Use n_neighbors=None for 'all'\.$"):
        ShepardKNN("all").fit(X, Y)
    with pytest.raises(TypeError, match=r"'alpha' is 'm' here \(m is alpha times"):
        MEstimateNB(alpha=1.0)
    with pytest.raises(TypeError, match="'base_estimator' is 'estimator' here"):
        MyAdaBoost(base_estimator=MEstimateNB())


def test_no_counterpart_that_the_estimator_refuses():
    with pytest.raises(ValueError, match="must be an int") as caught:
        LSHNeighbors("all").fit(X)
    assert "Use" not in str(caught.value)
    with pytest.raises(TypeError, match=r"'colour'$"):
        MEstimateNB(colour="red")


def test_constructors_keep_their_signatures():
    for estimator in INSTANCES:
        parameters = inspect.signature(type(estimator)).parameters
        assert set(parameters) == set(estimator.get_params(deep=False))


def test_synonyms_of_metrics_are_accepted():
    for synonym, metric in {"l1": "manhattan", "l2": "euclidean"}.items():
        found, expected = (
            ShepardKNN(3, metric=one).fit(X, Y).kneighbors(X)[0]
            for one in (synonym, metric)
        )
        np.testing.assert_array_equal(found, expected)

"""imbalanced-learn, skrub, skops and LIME, where they are installed."""

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone

from sklearn_bayeslazy import (
    AODEClassifier,
    BeliefNetworkClassifier,
    CaseBasedClassifier,
    CaseBasedRegressor,
    MEstimateNB,
    MyAdaBoost,
    RBFNetworkClassifier,
    ShepardKNN,
)
from sklearn_bayeslazy.testing import assert_same_predictions
from tests.helpers.ecosystem_tables import (
    STACKS,
    draw_counts,
    every_classifier,
    every_estimator,
    output_of,
)

# Warnings of these packages about their own dependencies are theirs.
pytestmark = pytest.mark.filterwarnings("default")


@every_classifier
def test_the_pipeline_of_imbalanced_learn_resamples_in_fit_only(estimator):
    pytest.importorskip("imblearn")
    from imblearn.pipeline import make_pipeline
    from imblearn.under_sampling import RandomUnderSampler

    X, y = draw_counts(estimator)
    y[:12] = 0
    sampler = RandomUnderSampler(random_state=0)
    model = make_pipeline(sampler, estimator).fit(X, y)
    expected = clone(estimator).fit(*clone(sampler).fit_resample(X, y))
    np.testing.assert_array_equal(output_of(model, X), output_of(expected, X))


@pytest.mark.parametrize("estimator", [MEstimateNB(), ShepardKNN()], ids=str)
def test_the_table_vectorizer_of_skrub(estimator):
    skrub = pytest.importorskip("skrub")
    from sklearn.pipeline import make_pipeline

    rng = np.random.default_rng(0)
    frame = pd.DataFrame(
        {
            "colour": rng.choice(["red", "blue"], 40),
            "day": pd.to_datetime(rng.integers(0, 900, 40), unit="D"),
            "size": rng.random(40),
        }
    )
    y = (frame["colour"] == "red").to_numpy()
    model = make_pipeline(skrub.TableVectorizer(), estimator).fit(frame, y)
    assert model.score(frame, y) > 0.9


@every_estimator
def test_a_model_saved_by_skops_predicts_the_same(estimator):
    io = pytest.importorskip("skops.io")
    X, y = draw_counts(estimator)
    if isinstance(estimator, STACKS):  # skops does not know trees of scikit-learn
        estimator = type(estimator)()
    model = clone(estimator).fit(X, y)
    data = io.dumps(model)
    # skops lists the types that it does not know; the caller decides about them.
    unknown = io.get_untrusted_types(data=data)
    known = ("sklearn_bayeslazy.", "scipy.sparse.", "functools.partial")
    assert [name for name in unknown if not name.startswith(known)] == []
    assert_same_predictions(model, io.loads(data, trusted=unknown), X, tolerance=0)


@pytest.mark.parametrize(
    "estimator",
    [
        MEstimateNB(),
        AODEClassifier(),
        BeliefNetworkClassifier(),
        CaseBasedClassifier(),
        CaseBasedRegressor(),
        ShepardKNN(),
        RBFNetworkClassifier(),
        MyAdaBoost(n_estimators=5),
    ],
    ids=str,
)
def test_a_model_of_a_raw_frame_saved_by_skops_predicts_the_same(estimator):
    io = pytest.importorskip("skops.io")
    rng = np.random.default_rng(0)
    X = pd.DataFrame(
        {
            "colour": pd.Categorical(rng.choice(["red", "blue"], 60)),
            "size": rng.random(60),
            "used": rng.random(60) > 0.5,
        }
    )
    y = (X["used"] ^ (X["colour"] == "red")).astype(int)
    model = clone(estimator).fit(X, y)
    data = io.dumps(model)
    loaded = io.loads(data, trusted=io.get_untrusted_types(data=data))
    assert_same_predictions(model, loaded, X, tolerance=0)


def test_lime_explains_the_informative_column():
    lime_tabular = pytest.importorskip("lime.lime_tabular")
    model = ShepardKNN()
    X, y = draw_counts(model)
    explainer = lime_tabular.LimeTabularExplainer(
        X, mode="classification", random_state=0, discretize_continuous=False
    )
    found = explainer.explain_instance(
        X[0], model.fit(X, y).predict_proba, num_features=4, num_samples=200
    )
    effects = dict(found.as_map()[1])
    assert abs(effects[0]) > max(abs(effects[2]), abs(effects[3]))

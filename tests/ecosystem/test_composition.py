"""Pipelines, ensembles, output containers, HTML and copies of every estimator."""

import cloudpickle
import numpy as np
import pandas as pd
import polars as pl
import pytest
import sklearn
from sklearn.base import clone, is_classifier
from sklearn.compose import ColumnTransformer, make_column_transformer
from sklearn.ensemble import (
    BaggingClassifier,
    BaggingRegressor,
    StackingClassifier,
    StackingRegressor,
    VotingClassifier,
    VotingRegressor,
)
from sklearn.linear_model import LinearRegression, LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.utils.validation import has_fit_parameter

from sklearn_bayeslazy.testing import answers, assert_same_predictions
from tests.helpers.ecosystem_tables import (
    draw_counts,
    every_estimator,
    every_predictor,
    every_transformer,
    output_of,
)


@every_predictor
def test_a_column_transformer_before_a_predictor(estimator):
    """It hands over a frame, of which the columns are in another order."""
    X, y = draw_counts(estimator)
    frame = pd.DataFrame(X, columns=list("abcd"))
    columns = ColumnTransformer(
        [("some", "passthrough", ["c", "a"]), ("more", "passthrough", ["b"])],
        verbose_feature_names_out=False,
    ).set_output(transform="pandas")
    model = make_pipeline(columns, estimator).fit(frame, y)
    assert model[-1].feature_names_in_.tolist() == ["c", "a", "b"]
    expected = clone(estimator).fit(X[:, [2, 0, 1]], y)
    found = output_of(model, frame[list("dcba")])
    np.testing.assert_array_equal(found, output_of(expected, X[:, [2, 0, 1]]))


@every_predictor
def test_ensembles_of_the_same_member_predict_as_it_does(estimator):
    X, y = draw_counts(estimator)
    expected = output_of(clone(estimator).fit(X, y), X)
    members = [("one", estimator), ("two", clone(estimator))]
    whole = {"n_estimators": 2, "bootstrap": False, "random_state": 0}
    if is_classifier(estimator):
        vote = VotingClassifier(members, voting="soft")
        bag = BaggingClassifier(estimator, **whole)
        stack = StackingClassifier(members[:1], LogisticRegression(), cv=2)
    else:
        vote, bag = VotingRegressor(members), BaggingRegressor(estimator, **whole)
        stack = StackingRegressor(members[:1], LinearRegression(), cv=2)
    np.testing.assert_allclose(output_of(vote.fit(X, y), X), expected, rtol=1e-12)
    # Bagging chooses random states for its members.
    if "random_state" not in estimator.get_params():
        np.testing.assert_allclose(output_of(bag.fit(X, y), X), expected, rtol=1e-12)
    assert output_of(bag.fit(X, y), X).shape == expected.shape
    # The final estimator sees the members' outputs alone.
    stack.fit(X, y)
    of_members = stack.transform(X)
    np.testing.assert_allclose(of_members[:, 0], expected, rtol=1e-12)
    np.testing.assert_array_equal(
        output_of(stack, X), output_of(stack.final_estimator_, of_members)
    )


@every_transformer
@pytest.mark.parametrize("container", ["pandas", "polars"])
def test_transformed_rows_in_frames(estimator, container):
    X, y = draw_counts(estimator)
    plain = clone(estimator).fit(X, y)
    expected = plain.transform(X)
    model = clone(estimator).set_output(transform=container).fit(X, y)
    if hasattr(expected, "toarray"):  # graphs of neighbours
        with pytest.raises(ValueError, match="outputs a scipy sparse matrix"):
            model.transform(X)
        return
    found = model.transform(X)
    assert isinstance(
        found, {"pandas": pd.DataFrame, "polars": pl.DataFrame}[container]
    )
    assert list(found.columns) == plain.get_feature_names_out().tolist()
    np.testing.assert_array_equal(found.to_numpy(), expected)


@every_transformer
def test_a_transformer_as_a_part_of_a_column_transformer(estimator):
    X, y = draw_counts(estimator)
    parts = make_column_transformer(
        (estimator, [0, 1]), remainder="passthrough", sparse_threshold=0
    )
    alone = clone(estimator).fit_transform(X[:, :2], y)
    if hasattr(alone, "toarray"):
        alone = alone.toarray()
    found = parts.fit_transform(X, y)
    np.testing.assert_array_equal(found, np.hstack([alone, X[:, 2:]]))


@every_estimator
def test_a_copy_by_cloudpickle_predicts_the_same(estimator):
    X, y = draw_counts(estimator)
    model = clone(estimator).fit(X, y)
    copy = cloudpickle.loads(cloudpickle.dumps(model))
    assert_same_predictions(model, copy, X, tolerance=0)


@every_estimator
def test_the_html_view_names_the_estimator_and_links_to_its_page(estimator):
    name = type(estimator).__name__
    html = make_pipeline("passthrough", estimator)._repr_html_()
    assert name in html
    assert f"sklearn_bayeslazy.{name}.html" in estimator._repr_html_()


@every_predictor
def test_sample_weights_are_routed_through_a_pipeline(estimator):
    if not has_fit_parameter(estimator, "sample_weight"):
        pytest.skip("its fit takes no sample_weight")
    X, y = draw_counts(estimator)
    y[::5] = 1 - y[::5]  # else no weight would change the predicted labels
    weight = np.resize([1.0, 2.0, 0.0], len(y))
    expected = answers(clone(estimator).fit(X, y, sample_weight=weight), X)
    with sklearn.config_context(enable_metadata_routing=True):
        wants = clone(estimator).set_fit_request(sample_weight=True)
        model = make_pipeline("passthrough", wants).fit(X, y, sample_weight=weight)
    np.testing.assert_array_equal(answers(model, X), expected)
    ignoring = answers(clone(estimator).fit(X, y), X)
    assert not np.array_equal(expected, ignoring)

"""check_table: shapes and feature names, as scikit-learn checks them.

Code under test: `tabular/_frames.py`.
"""

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from scipy import sparse
from sklearn.base import BaseEstimator, ClassifierMixin, clone, is_regressor

from sklearn_bayeslazy import (
    BeliefNetworkClassifier,
    CaseBasedClassifier,
    HypothesisClassifier,
    LocallyWeightedRegressor,
    MEstimateNB,
    MyAdaBoost,
    ShepardKNN,
    TextNB,
)
from sklearn_bayeslazy.tabular._read import check_rows, check_table, read_table
from sklearn_bayeslazy.testing import answers


class Reader(ClassifierMixin, BaseEstimator):
    """A minimal estimator that checks tables."""

    def fit(self, X, y="no_validation", **options):
        self.read_ = check_table(self, X, y, reset=True, **options)
        return self

    def read(self, X, **options):
        return check_table(self, X, reset=False, **options)


FRAMES = [pd.DataFrame, pl.DataFrame]
CELLS = {"a": [1.0, 2.0], "b": ["x", None]}


@pytest.mark.parametrize("frame", FRAMES)
def test_a_frame_is_kept_and_its_names_are_learnt(frame):
    X = frame(CELLS)
    reader = Reader().fit(X)
    assert reader.read_ is X
    assert reader.read(X) is X
    assert reader.feature_names_in_.tolist() == ["a", "b"]
    assert reader.n_features_in_ == 2


def test_without_names_only_the_number_of_features_is_learnt():
    reader = Reader().fit([["x", 1], [None, 2]])
    assert reader.n_features_in_ == 2
    assert not hasattr(reader, "feature_names_in_")
    assert read_table(reader.read_).labels(0).categories.tolist() == ["x"]


@pytest.mark.parametrize("frame", FRAMES)
@pytest.mark.parametrize("names", [["b", "a"], ["a", "c"], ["a"], ["a", "b", "c"]])
def test_other_names_are_refused(frame, names):
    reader = Reader().fit(frame(CELLS))
    with pytest.raises(ValueError, match="feature names should match"):
        reader.read(frame({name: [1.0] for name in names}))


@pytest.mark.parametrize("n_features", [1, 3])
@pytest.mark.parametrize("build", [np.zeros, lambda shape: [["x"] * shape[1]]])
def test_another_number_of_features_is_refused(build, n_features):
    reader = Reader().fit(np.zeros((2, 2)))
    with pytest.raises(ValueError, match=f"X has {n_features} features, but Reader"):
        reader.read(build((1, n_features)))


def test_an_array_after_a_frame_gets_scikit_learns_warning():
    reader = Reader().fit(pd.DataFrame(CELLS))
    with pytest.warns(UserWarning, match="X does not have valid feature names"):
        reader.read(np.zeros((1, 2)))


@pytest.mark.parametrize("shape", [(0, 2), (2, 0)])
@pytest.mark.parametrize("build", [np.asarray, *FRAMES])
def test_empty_tables_are_refused(build, shape):
    what = "sample" if shape[0] == 0 else "feature"
    X = np.empty(shape)
    if build is pl.DataFrame:
        X = {f"x{j}": X[:, j] for j in range(shape[1])}
        # Frames of polars without columns have no rows.
        what = "sample" if not shape[1] else what
    with pytest.raises(ValueError, match=rf"Found array with 0 {what}\(s\)"):
        Reader().fit(build(X))


@pytest.mark.parametrize("X", [[1, 2], ["a", "b"], np.zeros((1, 1, 1))])
def test_what_is_not_two_dimensional_is_refused(X):
    with pytest.raises(ValueError, match=r"Expected 2D array|dim 3"):
        Reader().fit(X)


def check_numbers(X):
    return check_rows(Reader(), X, accept_sparse="csr")


both_checks = pytest.mark.parametrize("check", [Reader().fit, check_numbers])


@both_checks
@pytest.mark.parametrize(
    ("X", "kind"),
    [
        (3, "int"),
        ("text", "str"),
        ({"a": [1.0, 2.0]}, "dict"),
        ({1.0, 2.0}, "set"),
        (iter([[1.0]]), "list_iterator"),
        (pl.LazyFrame({"a": [1.0]}), r"LazyFrame.* for example X\.collect\(\)"),
    ],
    ids=lambda one: one if isinstance(one, str) else type(one).__name__,
)
def test_what_has_no_rows_is_named(check, X, kind):
    with pytest.raises(ValueError, match=f"Expected 2D array, got a {kind}"):
        check(X)


@pytest.mark.parametrize(
    "estimator",
    [TextNB(), ShepardKNN(), HypothesisClassifier([ShepardKNN()])],
    ids=lambda one: type(one).__name__,
)
def test_sparse_arrays_of_one_dimension_are_refused(estimator):
    X = sparse.coo_array(np.arange(1.0, 5.0))
    with pytest.raises(ValueError, match=r"a sparse array of shape \(4,\): reshape it"):
        estimator.fit(X, [0, 1, 0, 1])


def test_sparse_rows_are_refused_unless_accepted():
    X = sparse.coo_array(np.eye(2))
    with pytest.raises(TypeError, match=r"[Ss]parse"):
        Reader().fit(X)
    rows = Reader().fit(X, accept_sparse=True).read_
    assert rows.format == "csr"
    np.testing.assert_array_equal(rows.toarray(), np.eye(2))


def test_a_missing_target_is_refused():
    with pytest.raises(ValueError, match="requires y to be passed"):
        Reader().fit(np.zeros((2, 2)), None)


@pytest.mark.parametrize(
    "X", [np.array([[1.0, np.inf]]), np.array([["a", np.nan]], object)]
)
def test_the_cells_are_not_checked(X):
    assert Reader().fit(X).read_ is X


def frame_of_each_kind(n_rows=24):
    y = np.arange(n_rows) % 2
    frame = pd.DataFrame(
        {
            "number": np.sin(np.arange(n_rows)) + y,
            "boolean": np.resize([False, True, True], n_rows),
            "string": np.resize(np.array(["u", "v", None, "u"], object), n_rows),
            "category": pd.Categorical(np.array(["p", "q"])[y], categories=list("qrp")),
        }
    )
    return frame, y


@pytest.mark.parametrize(
    "estimator",
    [
        MEstimateNB(),
        ShepardKNN(),
        BeliefNetworkClassifier(),
        CaseBasedClassifier(),
        MyAdaBoost(n_estimators=3),
        HypothesisClassifier([MEstimateNB()], cv=2),
        LocallyWeightedRegressor(),
    ],
    ids=lambda one: type(one).__name__,
)
@pytest.mark.parametrize("kind", [pa.Table, pa.RecordBatch])
def test_tables_of_pyarrow_are_read_as_frames_of_pandas(estimator, kind):
    frame, y = frame_of_each_kind()
    y = y.astype(float) if is_regressor(estimator) else y
    table = kind.from_pandas(frame)
    expected = clone(estimator).fit(frame, y)
    found = clone(estimator).fit(table, y)
    assert found.feature_names_in_.tolist() == list(frame.columns)
    np.testing.assert_array_equal(answers(found, table), answers(expected, frame))
    np.testing.assert_array_equal(answers(expected, table), answers(expected, frame))
    with pytest.raises(ValueError, match="feature names should match"):
        found.predict(table.select(list(frame.columns)[::-1]))


def test_blocks_may_be_batches_of_pyarrow():
    frame, y = frame_of_each_kind()
    model, parts = MEstimateNB(), (slice(0, 10), slice(10, None))
    expected = clone(model).fit_blocks([(frame[rows], y[rows]) for rows in parts])
    found = clone(model).fit_blocks(
        [(pa.RecordBatch.from_pandas(frame[rows]), y[rows]) for rows in parts]
    )
    assert found.feature_names_in_.tolist() == list(frame.columns)
    np.testing.assert_array_equal(answers(found, frame), answers(expected, frame))

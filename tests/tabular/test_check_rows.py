"""What no estimator reads: the error names the column and the mend."""

from decimal import Decimal

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from scipy import sparse
from sklearn.base import clone
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.naive_bayes import GaussianNB
from sklearn.utils import get_tags
from sklearn.utils.validation import has_fit_parameter

from sklearn_bayeslazy import (
    AxisStretcher,
    HypothesisClassifier,
    InvertedIndexNeighbors,
    LocallyWeightedEstimator,
    LSHNeighbors,
    MEstimateNB,
    MyAdaBoost,
    RandomProjectionHash,
    ShardedNeighbors,
    ShepardKNN,
    ShepardKNNRegressor,
    TableCleaner,
    TextNB,
)
from sklearn_bayeslazy._core._estimator import set_random_states
from sklearn_bayeslazy.tabular._read import check_rows, naming_unreadable_cells
from sklearn_bayeslazy.testing import ESTIMATORS, answers

N = 30
Y = np.arange(N) % 2
# One instance of each class.
EACH_CLASS = list({type(each): each for each in reversed(ESTIMATORS)}.values())


def parametrized_by(estimators):
    return pytest.mark.parametrize(
        "estimator", estimators, ids=lambda each: type(each).__name__
    )


every_class = parametrized_by(EACH_CLASS)
supervised = parametrized_by(
    [each for each in EACH_CLASS if get_tags(each).target_tags.required]
)
takes_sparse = parametrized_by(
    [each for each in EACH_CLASS if get_tags(each).input_tags.sparse]
)
# They take numbers only, and convert X in one place.
OF_NUMBERS = [
    TextNB(),
    ShepardKNN(metric="euclidean"),
    LSHNeighbors(),
    InvertedIndexNeighbors(),
    ShardedNeighbors(LSHNeighbors()),
    RandomProjectionHash(),
]
estimators_of_numbers = parametrized_by(OF_NUMBERS)


def seeded(estimator):
    """Return a clone with fixed random states."""
    return set_random_states(clone(estimator), lambda: 0)


@every_class
def test_repeated_names_of_columns_are_refused(estimator):
    X = pd.DataFrame(np.ones((N, 3)), columns=["a", "b", "a"])
    with pytest.raises(ValueError, match="X has 2 columns named 'a': give each column"):
        clone(estimator).fit(X, Y)


@supervised
def test_targets_of_128_bits_are_refused(estimator):
    y = pl.Series(Y.tolist(), dtype=pl.Int128)
    with pytest.raises(ValueError, match="y cannot be read as an array: pass labels"):
        clone(estimator).fit(np.ones((N, 2)), y)


@takes_sparse
def test_sparse_rows_of_too_many_columns_are_refused(estimator):
    entries = np.ones(N), (np.arange(N), np.arange(N) * 10**7)
    X = sparse.csr_array(entries, shape=(N, 10**9))
    with pytest.raises(ValueError, match=r"X has 1000000000 columns, and .*67108864"):
        clone(estimator).fit(X, Y)


@estimators_of_numbers
@pytest.mark.parametrize(
    ("fill_value", "names"),
    [(np.nan, "abc"), (1.0, "abc"), (0.0, "ac")],
    ids=["missing", "ones", "some columns"],
)
def test_sparse_columns_that_are_no_sparse_rows(estimator, fill_value, names):
    # Of the first two scikit-learn fails to make sparse rows, and it warns of the last.
    cells = np.random.default_rng(0).integers(3, size=(N, 3)) * 1.0
    dense = pd.DataFrame(cells, columns=list("abc"))
    columns = dense.astype(dict.fromkeys(names, pd.SparseDtype(float, fill_value)))
    estimator = seeded(estimator)
    found = answers(clone(estimator).fit(columns, Y), columns)
    expected = answers(clone(estimator).fit(dense, Y), dense)
    np.testing.assert_array_equal(found, expected)


def test_text_nb_refuses_counts_that_take_too_much_memory():
    X = sparse.csr_array((np.ones(N), (np.arange(N), np.arange(N))), shape=(N, 2**25))
    with pytest.raises(ValueError, match="30 classes times 33554432 words"):
        TextNB().fit(X, np.arange(N))


DECIMAL = pd.ArrowDtype(pa.decimal128(5, 2))
FRAMES = {
    "labels": (pd.DataFrame({"a": ["u", "v"] * 15, "b": 1.0}), "'a' holds 'u'"),
    "categories": (
        pd.DataFrame({"b": 1.0, "a": pd.Categorical(["u", "v"] * 15)}),
        "'a' holds 'u'",
    ),
    "mixed kinds": (
        pd.DataFrame({"a": [1, "x"] * 15}),
        "'a' mixes cells of the kinds",
    ),
    "dates": (
        pd.DataFrame({"a": pd.date_range("2020-01-01", periods=N), "b": 1.0}),
        r"'a' holds Timestamp\(",
    ),
    "zones": (
        pd.DataFrame({"a": pd.date_range("2020", periods=N, tz="UTC"), "b": 1.0}),
        r"'a' holds Timestamp\(",
    ),
    "huge integers": (
        pd.DataFrame({"b": 1.0, "a": pd.Series([10**400] * N, dtype=object)}),
        "'a' holds an integer too large for float64",
    ),
    "sets": (pl.DataFrame({"a": [[1]] * N, "b": [1.0] * N}), "'a' holds a Series"),
}


@estimators_of_numbers
@pytest.mark.parametrize("kind", FRAMES)
def test_cells_that_are_no_numbers_are_named_by_column(estimator, kind):
    X, message = FRAMES[kind]
    with pytest.raises((ValueError, TypeError), match=f"Column {message}"):
        clone(estimator).fit(X, Y)


@estimators_of_numbers
@pytest.mark.parametrize("dtype", [DECIMAL, "category"], ids=["decimals", "categories"])
def test_missing_cells_that_numpy_does_not_convert_are_named(estimator, dtype):
    cells = pd.Series([Decimal(1)] * 29 + [None], dtype=DECIMAL)
    if dtype == "category":
        cells = cells.astype("Int64").astype(dtype)
    X = pd.DataFrame({"b": pd.Series([1, None] * 15, dtype="Int64"), "a": cells})
    with pytest.raises(ValueError, match=r"Column 'a' holds <NA>|contains NaN"):
        clone(estimator).fit(X, Y)


@estimators_of_numbers
def test_integers_above_64_bits_are_numbers(estimator):
    X = np.random.default_rng(0).integers(1, 9, size=(N, 2)).tolist()
    X[0][0] = 2**70
    model = clone(estimator).fit(np.array(X, dtype=object), Y)
    assert model.n_features_in_ == 2


@pytest.mark.parametrize("make", [list, np.array])
def test_a_column_of_an_array_is_called_by_its_number(make):
    cells = np.full((N, 2), 1.0, dtype=object)
    cells[4, 1] = 10**400
    with pytest.raises(ValueError, match="Column '1' holds an integer too large"):
        check_rows(LSHNeighbors(), make(cells.tolist()), dtype=np.float64)


@estimators_of_numbers
def test_lists_that_differ_in_length_are_refused(estimator):
    with pytest.raises(ValueError, match="rows of X differ in length"):
        clone(estimator).fit([[1.0, 2.0], [1.0]], [0, 1])


def test_extended_floats_that_overflow_are_infinite():
    X = np.full((N, 2), np.longdouble(10) ** 400)
    if np.isinf(X).any():
        pytest.skip("long double is float64 here")
    for estimator in [*OF_NUMBERS, MEstimateNB()]:
        with pytest.raises(ValueError, match="infinity"):
            clone(estimator).fit(X, Y)


@pytest.mark.parametrize(
    "weight", [["heavy"] * N, [10**400] * N, [[1.0], [2.0, 3.0]], [None] * N]
)
def test_weights_that_are_no_numbers_are_refused(weight):
    with pytest.raises(ValueError, match="sample_weight must be an array of real num"):
        MEstimateNB().fit(np.ones((N, 2)), Y, sample_weight=weight)


MASK = np.arange(2 * N).reshape(N, 2) == 3


@every_class
def test_masked_cells_are_refused(estimator):
    X = np.ma.array(np.ones((N, 2)), mask=MASK)
    with pytest.raises(
        ValueError, match=r"X has masked cells: pass X\.filled\(np\.nan"
    ):
        clone(estimator).fit(X, Y)


@supervised
def test_masked_targets_are_refused(estimator):
    y = np.ma.array(Y, mask=MASK[:, 1])
    with pytest.raises(ValueError, match="y has masked cells"):
        clone(estimator).fit(np.ones((N, 2)), y)


takes_weights = parametrized_by(
    [each for each in EACH_CLASS if has_fit_parameter(each, "sample_weight")]
)


@takes_weights
@pytest.mark.parametrize(
    ("weight", "message"),
    [
        (np.nan, "Input sample_weight contains NaN"),
        (np.inf, "Input sample_weight contains infinity"),
        (-1.0, "Negative values in data passed to `sample_weight`"),
        (0, "at least one|non-zero"),
        (np.ma.array(np.ones(N), mask=MASK[:, 1]), "sample_weight has masked cells"),
        (1e308, "The sum of sample_weight overflows float64"),
    ],
)
def test_useless_weights_are_refused_also_as_one_number(estimator, weight, message):
    with pytest.raises(ValueError, match=message):
        clone(estimator).fit(np.ones((N, 2)), Y, sample_weight=weight)


@pytest.mark.parametrize("y", [["low"] * N, [10**400] * N])
def test_targets_of_regression_that_are_no_numbers_are_refused(y):
    with pytest.raises(ValueError, match=r"y must be numbers, got \["):
        ShepardKNNRegressor().fit(np.ones((N, 2)), y)


@pytest.mark.parametrize(
    "y",
    [
        pd.Series([*pd.date_range("2020-01-01", periods=N - 1), pd.NaT]),
        pd.Series(pd.date_range("2020-01-01", periods=N, tz="UTC")),
        pd.Series(pd.date_range("2020-01-01", periods=N)).astype("category"),
        pl.Series(np.arange(N).astype("M8[D]")),
        np.arange(N).astype("m8[s]"),
    ],
    ids=["dates", "dates of a time zone", "categories", "polars", "durations"],
)
@pytest.mark.parametrize(
    "estimator",
    [
        ShepardKNNRegressor(),
        AxisStretcher(task="regression"),
        TableCleaner(target_type="continuous"),
    ],
    ids=str,
)
def test_targets_of_regression_that_are_dates_are_refused(estimator, y):
    # NumPy turns them into counts of a unit that depends on the dtype, and NaT into
    # the smallest integer.
    with pytest.raises(ValueError, match="numbers"):
        clone(estimator).fit(np.arange(2 * N).reshape(N, 2), y)


def test_labels_of_another_kind_than_the_classes_are_refused():
    model = MEstimateNB().fit(np.ones((4, 1)), [0, 1, 0, 1])
    with pytest.raises(ValueError, match="another kind, such as 'no', than the class"):
        model.partial_fit(np.ones((2, 1)), np.array(["no", "yes"], dtype=object))


@pytest.mark.parametrize(
    "engine", [LSHNeighbors(2), InvertedIndexNeighbors(2, metric="euclidean")]
)
def test_distances_that_overflow_are_refused(engine):
    X = np.random.default_rng(0).normal(size=(N, 2))
    for model in (clone(engine), ShardedNeighbors(engine)):
        model.fit(X)
        with pytest.raises(ValueError, match="smaller scale"):
            model.kneighbors(X * 1e300)


def test_targets_of_shards_have_a_row_each():
    X = np.ones((4, 1))
    with pytest.raises(ValueError, match="inconsistent numbers of samples"):
        ShardedNeighbors(LSHNeighbors()).fit(X, [0, 1])
    with pytest.raises(ValueError, match="y is sparse, and must be dense"):
        ShardedNeighbors(LSHNeighbors()).fit(X, sparse.csr_array(X))


UNREADABLE = [
    np.array([[1, 10**400]] * N, dtype=object),
    pl.DataFrame({"0": [1] * N, "1": pl.Series([2**100] * N, dtype=pl.UInt128)}),
]


@pytest.mark.parametrize("X", UNREADABLE)
@pytest.mark.parametrize(
    "model",
    [
        MyAdaBoost(LinearDiscriminantAnalysis(), weighting="resample"),
        MyAdaBoost(GaussianNB(), n_estimators=1),
        HypothesisClassifier([GaussianNB()], cv=2),
        LocallyWeightedEstimator(GaussianNB()),
    ],
)
def test_the_column_that_a_member_cannot_read_is_named(model, X):
    rows = np.random.default_rng(0).normal(size=(N, 2)) + Y[:, None]
    with pytest.raises(ValueError, match="Column '1' holds"):
        clone(model).fit(X, Y).predict(X)
    if isinstance(X, pl.DataFrame):
        rows = pl.DataFrame(rows, schema=X.columns)
    fitted = clone(model).fit(rows, Y)
    with pytest.raises(ValueError, match="Column '1' holds"):
        fitted.predict(X)


@pytest.mark.parametrize("error", [OverflowError, KeyError, ValueError])
def test_labels_that_a_member_may_take_are_not_refused(error):
    X = np.array([["a", 1.5]] * N, dtype=object)
    with pytest.raises(error, match="of the member"), naming_unreadable_cells(X):
        raise error("of the member")

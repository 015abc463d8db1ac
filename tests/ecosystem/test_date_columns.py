"""Columns of dates are numbers of days, for every estimator that reads tables."""

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone

from sklearn_bayeslazy import (
    HypothesisClassifier,
    InvertedIndexNeighbors,
    LearnedHash,
    LocallyWeightedEstimator,
    LSHNeighbors,
    MEstimateNB,
    RandomProjectionHash,
    ShardedNeighbors,
    TableCleaner,
    TextNB,
)
from sklearn_bayeslazy.testing import answers
from tests.helpers.ecosystem_tables import (
    INSTANCES,
    STACKS,
    draw_counts,
    every_estimator,
)

# These read numbers only: sparse rows, counts of words, points, rows for any estimator.
ON_NUMBERS = (
    InvertedIndexNeighbors,
    LearnedHash,
    LocallyWeightedEstimator,
    LSHNeighbors,
    RandomProjectionHash,
    ShardedNeighbors,
    TextNB,
)


def frames(estimator):
    """Return a frame with a column of dates, the same with days, and targets."""
    X, y = draw_counts(estimator)
    days = pd.DataFrame(X, columns=list("abcd"))
    dates = days.assign(a=pd.to_datetime(days["a"], unit="D"))
    return dates, days, y


@every_estimator
def test_dates_are_days(estimator):
    dates, days, y = frames(estimator)
    if isinstance(estimator, HypothesisClassifier):  # its hypotheses read the table
        estimator = HypothesisClassifier([MEstimateNB()], cv=2, noise=0.1)
    if isinstance(estimator, STACKS):  # their default members do so as well
        estimator = type(estimator)()
    if isinstance(estimator, TableCleaner):  # otherwise it returns parts of the dates
        estimator = TableCleaner({"a": "number"})
    if isinstance(estimator, ON_NUMBERS):
        with pytest.raises((TypeError, ValueError), match=r"'a'.*(date|number)"):
            clone(estimator).fit(dates, y)
        return
    expected = answers(clone(estimator).fit(days, y), days)
    found = answers(clone(estimator).fit(dates, y), dates)
    np.testing.assert_array_equal(found, expected)


def test_the_list_of_those_that_read_numbers_is_of_registered_classes():
    assert set(ON_NUMBERS) <= {type(one) for one in INSTANCES}

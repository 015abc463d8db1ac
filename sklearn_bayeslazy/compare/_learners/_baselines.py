"""Preprocessing for learners of other packages, which refuse mixed, incomplete columns.

It is the least that each learner needs. A missing category is a separate category. A
missing number becomes the median. Numbers are scaled if the learner uses distances or
penalties; trees read missing numbers as they are. All read what TableCleaner returns.
"""

from functools import partial

import numpy as np
from sklearn.base import (
    BaseEstimator,
    ClassifierMixin,
    MetaEstimatorMixin,
    clone,
)
from sklearn.compose import ColumnTransformer, make_column_selector
from sklearn.impute import SimpleImputer
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import (
    FunctionTransformer,
    KBinsDiscretizer,
    OneHotEncoder,
    OrdinalEncoder,
    StandardScaler,
)

# Rarer categories share one column: a column of names would otherwise need much memory.
MAX_CATEGORIES = 50
# Histogram gradient boosting refuses more categories.
MAX_CODES = 250


def numeric():
    """Return numbers without missing ones, and one-hot categories."""
    return _columns(_impute(), _one_hot())


def scaled():
    """Return scaled numbers, and one-hot categories."""
    return _columns(make_pipeline(_impute(), StandardScaler()), _one_hot())


def for_trees():
    """Return numbers as they are, and one-hot categories."""
    return _columns("passthrough", _one_hot())


def codes():
    """Return codes of categories, and then numbers as they are."""
    encoder = OrdinalEncoder(
        handle_unknown="use_encoded_value",
        unknown_value=np.nan,
        max_categories=MAX_CODES,
    )
    return _columns("passthrough", encoder, is_reversed=True)


def categories_and_bins():
    """Return codes of categories, and quantile bins of numbers."""
    encoder = OrdinalEncoder(
        handle_unknown="use_encoded_value", unknown_value=-1, encoded_missing_value=-1
    )
    # Unknown and missing become 0, because CategoricalNB refuses -1. It raises an error
    # at a code above those of training. None occurs: a category's code was seen in
    # training or is 0, and the highest bin holds the maximum of the training part.
    from_zero = make_pipeline(encoder, FunctionTransformer(partial(np.add, 1)))
    bins = make_pipeline(_impute(), KBinsDiscretizer(encode="ordinal"))
    return _columns(bins, from_zero, is_reversed=True)


def _columns(numbers, categories, is_reversed=False):
    parts = [
        ("numbers", numbers, make_column_selector(dtype_include="number")),
        ("categories", categories, make_column_selector(dtype_exclude="number")),
    ]
    return ColumnTransformer(parts[::-1] if is_reversed else parts)


def _one_hot():
    return OneHotEncoder(
        handle_unknown="infrequent_if_exist",
        max_categories=MAX_CATEGORIES,
        sparse_output=False,
    )


def _impute():
    # keep_empty_features: all cells of a column may be missing in one fold.
    return SimpleImputer(strategy="median", keep_empty_features=True)


class NumberedClasses(ClassifierMixin, MetaEstimatorMixin, BaseEstimator):
    """A classifier of numbered classes that predicts the labels."""

    # XGBoost refuses other classes, and CatBoost returns a column of them.

    def __init__(self, estimator):
        self.estimator = estimator

    def fit(self, X, y):
        """Fit a clone of the estimator to the numbers of the classes."""
        self.classes_, numbers = np.unique(y, return_inverse=True)
        self.estimator_ = clone(self.estimator).fit(X, numbers)
        return self

    def predict(self, X):
        """Return the labels of the predicted classes."""
        return self.classes_[np.ravel(self.estimator_.predict(X)).astype(int)]

    def predict_proba(self, X):
        """Return the probabilities of the classes."""
        return self.estimator_.predict_proba(X)

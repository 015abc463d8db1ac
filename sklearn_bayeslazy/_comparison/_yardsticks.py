"""Learners of scikit-learn, made fit for mixed columns with missing cells, or for text.

Each is given what it needs and no more: a missing category is a category of its own, a
missing number becomes the median, numbers are scaled where distances or penalties
compare them. All work on plain arrays, without pandas. Text is given as one document a
row and turned into counts of words, those of the vectorizers' defaults.
"""

import numpy as np
from sklearn.compose import ColumnTransformer
from sklearn.dummy import DummyClassifier, DummyRegressor
from sklearn.ensemble import AdaBoostClassifier
from sklearn.feature_extraction.text import CountVectorizer, TfidfVectorizer
from sklearn.impute import SimpleImputer
from sklearn.linear_model import LogisticRegression, Ridge
from sklearn.naive_bayes import CategoricalNB, ComplementNB, GaussianNB, MultinomialNB
from sklearn.neighbors import KNeighborsClassifier, KNeighborsRegressor
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import (
    FunctionTransformer,
    KBinsDiscretizer,
    OneHotEncoder,
    OrdinalEncoder,
    StandardScaler,
)

from ._table import CATEGORICAL, NUMERIC

# Rarer categories share one column, so that a column of names cannot fill the memory.
MAX_CATEGORIES = 50


def dummy_classifier(table):
    """Return the class frequencies' learner, blind to the row."""
    return DummyClassifier()


def gaussian_nb(table):
    """Return Gaussian naive Bayes on numbers and on one 0-1 column a category."""
    return make_pipeline(_to_numbers(table), GaussianNB())


def categorical_nb(table):
    """Return categorical naive Bayes on categories and on quantile bins."""
    codes = make_pipeline(
        OrdinalEncoder(
            handle_unknown="use_encoded_value",
            unknown_value=-1,
            encoded_missing_value=-1,
        ),
        FunctionTransformer(_shift),
    )
    bins = make_pipeline(_impute(), KBinsDiscretizer(encode="ordinal"))
    # A category's code was seen in training, or is 0; the highest bin was seen because
    # it holds the maximum: so CategoricalNB never meets a code beyond those it counted.
    columns = ColumnTransformer(
        [
            ("codes", codes, table.indices(CATEGORICAL)),
            ("bins", bins, table.indices(NUMERIC)),
        ]
    )
    return make_pipeline(columns, CategoricalNB())


def ada_boost(table):
    """Return AdaBoost of trees of one split, on numbers and 0-1 columns."""
    return on_numbers(table, AdaBoostClassifier())


def logistic_regression(table):
    """Return logistic regression on scaled numbers and one-hot categories."""
    return on_numbers(table, LogisticRegression(max_iter=1000))


def k_neighbors_classifier(table):
    """Return nearest neighbours on scaled numbers and one-hot categories."""
    return on_numbers(table, KNeighborsClassifier())


def dummy_regressor(table):
    """Return the mean's learner, blind to the row."""
    return DummyRegressor()


def ridge(table):
    """Return ridge regression on scaled numbers and one-hot categories."""
    return on_numbers(table, Ridge())


def k_neighbors_regressor(table):
    """Return nearest neighbours on scaled numbers and one-hot categories."""
    return on_numbers(table, KNeighborsRegressor())


def on_numbers(table, estimator):
    """Return an estimator of numbers as one of scaled numbers and 0-1 columns."""
    return make_pipeline(_to_numbers(table, scale=True), estimator)


def on_counts(estimator):
    """Return an estimator of counts of words as one of documents."""
    return make_pipeline(CountVectorizer(), estimator)


def multinomial_nb(table):
    """Return multinomial naive Bayes on counts of words."""
    return on_counts(MultinomialNB())


def complement_nb(table):
    """Return complement naive Bayes on counts of words."""
    return on_counts(ComplementNB())


def logistic_regression_on_text(table):
    """Return logistic regression on words weighted by how rare they are."""
    return make_pipeline(TfidfVectorizer(), LogisticRegression(max_iter=1000))


def ridge_on_text(table):
    """Return ridge regression on words weighted by how rare they are."""
    return make_pipeline(TfidfVectorizer(), Ridge())


def _to_numbers(table, scale=False):
    numbers = make_pipeline(_impute(), StandardScaler()) if scale else _impute()
    one_hot = OneHotEncoder(
        handle_unknown="infrequent_if_exist",
        max_categories=MAX_CATEGORIES,
        sparse_output=False,
    )
    return ColumnTransformer(
        [
            ("numbers", numbers, table.indices(NUMERIC)),
            ("one_hot", one_hot, table.indices(CATEGORICAL)),
        ]
    )


def _impute():
    # keep_empty_features: a column may be missing throughout one fold.
    return SimpleImputer(strategy="median", keep_empty_features=True)


def _shift(codes):
    """Make room at 0 for "unknown or missing", since CategoricalNB takes no -1."""
    return np.asarray(codes) + 1

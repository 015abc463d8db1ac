"""scikit-learn's learners in pipelines that read mixed, incomplete columns or text.

The preprocessing is the least that each learner needs. A missing category is a category
of its own. A missing number becomes the median. Numbers are scaled if the learner uses
distances or penalties. All pipelines read plain arrays, without pandas. Text is one
document a row; a vectorizer with its defaults counts the words.
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

from .._table import CATEGORICAL, NUMERIC

# Rarer categories share one column: a column of names would otherwise need much memory.
MAX_CATEGORIES = 50


def dummy_classifier(table):
    """Return the learner that predicts the class frequencies for every row."""
    return DummyClassifier()


def gaussian_nb(table):
    """Return Gaussian naive Bayes on numbers and one-hot categories."""
    return make_pipeline(_numeric_columns(table), GaussianNB())


def categorical_nb(table):
    """Return categorical naive Bayes on categories and quantile bins of numbers."""
    codes = make_pipeline(
        OrdinalEncoder(
            handle_unknown="use_encoded_value",
            unknown_value=-1,
            encoded_missing_value=-1,
        ),
        FunctionTransformer(_add_one),
    )
    bins = make_pipeline(_impute(), KBinsDiscretizer(encode="ordinal"))
    # CategoricalNB raises an error at a code above those of training. None occurs: a
    # category's code was seen in training or is 0, and the highest bin holds the
    # maximum of the training part.
    columns = ColumnTransformer(
        [
            ("codes", codes, table.indices(CATEGORICAL)),
            ("bins", bins, table.indices(NUMERIC)),
        ]
    )
    return make_pipeline(columns, CategoricalNB())


def ada_boost(table):
    """Return AdaBoost of trees with one split on numbers and one-hot categories."""
    return on_scaled_numbers(table, AdaBoostClassifier())


def logistic_regression(table):
    """Return logistic regression on scaled numbers and one-hot categories."""
    return on_scaled_numbers(table, LogisticRegression(max_iter=1000))


def k_neighbors_classifier(table):
    """Return nearest neighbours on scaled numbers and one-hot categories."""
    return on_scaled_numbers(table, KNeighborsClassifier())


def dummy_regressor(table):
    """Return the learner that predicts the mean for every row."""
    return DummyRegressor()


def ridge(table):
    """Return ridge regression on scaled numbers and one-hot categories."""
    return on_scaled_numbers(table, Ridge())


def k_neighbors_regressor(table):
    """Return nearest neighbours on scaled numbers and one-hot categories."""
    return on_scaled_numbers(table, KNeighborsRegressor())


def on_scaled_numbers(table, estimator):
    """Return a pipeline: scaled numbers and one-hot categories, then `estimator`."""
    return make_pipeline(_numeric_columns(table, scale=True), estimator)


def on_word_counts(estimator):
    """Return a pipeline: counts of words, then `estimator`."""
    return make_pipeline(CountVectorizer(), estimator)


def multinomial_nb(table):
    """Return multinomial naive Bayes on counts of words."""
    return on_word_counts(MultinomialNB())


def complement_nb(table):
    """Return complement naive Bayes on counts of words."""
    return on_word_counts(ComplementNB())


def logistic_regression_on_text(table):
    """Return logistic regression on TF-IDF weights of words."""
    return make_pipeline(TfidfVectorizer(), LogisticRegression(max_iter=1000))


def ridge_on_text(table):
    """Return ridge regression on TF-IDF weights of words."""
    return make_pipeline(TfidfVectorizer(), Ridge())


def _numeric_columns(table, scale=False):
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
    # keep_empty_features: all cells of a column may be missing in one fold.
    return SimpleImputer(strategy="median", keep_empty_features=True)


def _add_one(codes):
    """Move the code of unknown and missing from -1 to 0: CategoricalNB refuses -1."""
    return np.asarray(codes) + 1

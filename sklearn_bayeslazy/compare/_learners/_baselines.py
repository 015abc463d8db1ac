"""scikit-learn's learners in pipelines that read mixed, incomplete columns or text.

The preprocessing is the least that each learner needs. A missing category is a separate
category. A missing number becomes the median. Numbers are scaled if the learner uses
distances or penalties; trees read missing numbers as they are. All pipelines read what
TableCleaner returns. Text is one document a row; a vectorizer with its defaults counts
the words.
"""

from functools import partial
from importlib import import_module

import numpy as np
from sklearn.compose import ColumnTransformer
from sklearn.dummy import DummyClassifier, DummyRegressor
from sklearn.ensemble import (
    AdaBoostClassifier,
    ExtraTreesClassifier,
    ExtraTreesRegressor,
    HistGradientBoostingClassifier,
    HistGradientBoostingRegressor,
    RandomForestClassifier,
    RandomForestRegressor,
)
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

from ...tabular.cleaning import category_columns, number_columns

# Rarer categories share one column: a column of names would otherwise need much memory.
MAX_CATEGORIES = 50
# Histogram gradient boosting refuses more categories.
MAX_CODES = 250


def dummy_classifier(table):
    """Return the learner that predicts the class frequencies for every row."""
    return DummyClassifier()


def gaussian_nb(table):
    """Return Gaussian naive Bayes on numbers and one-hot categories."""
    return make_pipeline(_numeric_columns(), GaussianNB())


def categorical_nb(table):
    """Return categorical naive Bayes on categories and quantile bins of numbers."""
    codes = make_pipeline(
        OrdinalEncoder(
            handle_unknown="use_encoded_value",
            unknown_value=-1,
            encoded_missing_value=-1,
        ),
        # Unknown and missing become 0, because CategoricalNB refuses -1.
        FunctionTransformer(partial(np.add, 1)),
    )
    bins = make_pipeline(_impute(), KBinsDiscretizer(encode="ordinal"))
    # CategoricalNB raises an error at a code above those of training. None occurs: a
    # category's code was seen in training or is 0, and the highest bin holds the
    # maximum of the training part.
    columns = ColumnTransformer(
        [
            ("codes", codes, category_columns),
            ("bins", bins, number_columns),
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


def random_forest(table):
    """Return a random forest on numbers and one-hot categories."""
    return make_pipeline(_columns_of_trees(), RandomForestClassifier())


def extra_trees(table):
    """Return extremely randomised trees on numbers and one-hot categories."""
    return make_pipeline(_columns_of_trees(), ExtraTreesClassifier())


def hist_gradient_boosting(table):
    """Return gradient boosting on binned numbers and on categories."""
    return _on_codes(table, HistGradientBoostingClassifier)


def random_forest_regressor(table):
    """Return a random forest on numbers and one-hot categories."""
    return make_pipeline(_columns_of_trees(), RandomForestRegressor())


def extra_trees_regressor(table):
    """Return extremely randomised trees on numbers and one-hot categories."""
    return make_pipeline(_columns_of_trees(), ExtraTreesRegressor())


def hist_gradient_boosting_regressor(table):
    """Return gradient boosting on binned numbers and on categories."""
    return _on_codes(table, HistGradientBoostingRegressor)


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
    return make_pipeline(_numeric_columns(scale=True), estimator)


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


def _numeric_columns(scale=False):
    numbers = make_pipeline(_impute(), StandardScaler()) if scale else _impute()
    return ColumnTransformer(
        [
            ("numbers", numbers, number_columns),
            ("one_hot", _one_hot(), category_columns),
        ]
    )


def _columns_of_trees():
    return ColumnTransformer(
        [
            ("numbers", "passthrough", number_columns),
            ("one_hot", _one_hot(), category_columns),
        ]
    )


def _on_codes(table, boosting):
    """Return gradient boosting, told which columns are categories: the first ones."""
    codes = OrdinalEncoder(
        handle_unknown="use_encoded_value",
        unknown_value=np.nan,
        max_categories=MAX_CODES,
    )
    columns = ColumnTransformer(
        [
            ("codes", codes, category_columns),
            ("numbers", "passthrough", number_columns),
        ]
    )
    n_categories = len(table.indices("category"))
    return make_pipeline(
        columns, boosting(categorical_features=list(range(n_categories)) or None)
    )


def _one_hot():
    return OneHotEncoder(
        handle_unknown="infrequent_if_exist",
        max_categories=MAX_CATEGORIES,
        sparse_output=False,
    )


def _impute():
    # keep_empty_features: all cells of a column may be missing in one fold.
    return SimpleImputer(strategy="median", keep_empty_features=True)


# Builds this package's estimators for a table.
#
# A builder is a function of a table that returns an unfitted estimator. The estimators
# are imported inside the builders: a comparison imports only the families that it
# needs.


# The parameters of MEstimateNB as in the textbooks: nothing is chosen from the data.
CLASSICAL = {"m": 1.0, "distribution": "auto", "feature_weights": None}


def on_raw_columns(name, **parameters):
    """Return the builder of an estimator that reads mixed columns or raw text."""

    def build(table):
        return _estimator_class(name)(**parameters)

    return build


def text_nb(**parameters):
    """Return the builder of TextNB on counts of words."""

    def build(table):
        from sklearn_bayeslazy import TextNB

        return on_word_counts(TextNB(**parameters))

    return build


def local_m_estimate_nb(table):
    """Return naive Bayes that is fitted to the neighbours of each query."""
    from sklearn_bayeslazy import LocallyWeightedEstimator, MEstimateNB

    # One fit a query: leave-one-out in each would be slow.
    return LocallyWeightedEstimator(MEstimateNB(**CLASSICAL))


def hypothesis_classifier(table):
    """Return the Bayes optimal vote of three of this package's classifiers."""
    from sklearn_bayeslazy import (
        BeliefNetworkClassifier,
        HypothesisClassifier,
        MEstimateNB,
        MyAdaBoost,
    )

    members = [
        ("MEstimateNB", MEstimateNB()),
        ("tan", BeliefNetworkClassifier("tan")),
        ("stumps", MyAdaBoost(max_depth=1)),
    ]
    return HypothesisClassifier(members, cv=5, noise=1e-6)


def _estimator_class(name):
    return getattr(import_module("sklearn_bayeslazy"), name)

"""The learners that are compared without arguments: ours, and those of scikit-learn."""

import numpy as np
from sklearn.compose import make_column_selector, make_column_transformer
from sklearn.dummy import DummyRegressor
from sklearn.ensemble import (
    HistGradientBoostingClassifier,
    HistGradientBoostingRegressor,
    RandomForestClassifier,
    RandomForestRegressor,
)
from sklearn.impute import SimpleImputer
from sklearn.linear_model import LogisticRegression, Ridge
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier, KNeighborsRegressor
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import (
    FunctionTransformer,
    OneHotEncoder,
    OrdinalEncoder,
    StandardScaler,
)

import sklearn_bayeslazy

CLASSIFICATION, REGRESSION = "classification", "regression"
# Ours: all of them read raw tables.
READ_RAW_TABLES = {
    CLASSIFICATION: (
        "AODEClassifier",
        "MEstimateNB",
        "BeliefNetworkClassifier",
        "MyAdaBoost",
        "ShepardKNN",
        "RBFNetworkClassifier",
    ),
    REGRESSION: (
        "LocallyWeightedRegressor",
        "ShepardKNNRegressor",
        "RBFNetworkRegressor",
    ),
}

# Truth values count as numbers.
NUMBERS = ["number", "bool"]
# Gradient boosting refuses categorical columns with more values.
MAX_CATEGORIES = 255


def plain_pipeline(model):
    """Return scaled numbers and one-hot strings, both imputed, then `model`."""
    numbers = make_pipeline(SimpleImputer(), StandardScaler())
    strings = make_pipeline(
        SimpleImputer(strategy="most_frequent"),
        OneHotEncoder(handle_unknown="ignore", sparse_output=False),
    )
    columns = make_column_transformer(
        (numbers, make_column_selector(dtype_include=NUMBERS)),
        (strings, make_column_selector(dtype_exclude=NUMBERS)),
    )
    return make_pipeline(columns, model)


def strings_as_categories(X):
    """Return a frame whose strings are categories, as gradient boosting reads them."""
    names = X.select_dtypes(exclude=NUMBERS).columns
    return X.astype(dict.fromkeys(names, "category"))


def strings_of_many_values(X):
    """Return the names of the columns that are no categories for gradient boosting."""
    strings = X.select_dtypes(exclude=NUMBERS)
    return list(strings.columns[strings.nunique() > MAX_CATEGORIES])


def gradient_boosting(model):
    """Return gradient boosting, which reads categories and missing cells itself.

    A string of a column with too many values becomes its position among the sorted
    values, so dates keep their order; one that was not seen in fit is missing.
    """
    positions = OrdinalEncoder(handle_unknown="use_encoded_value", unknown_value=np.nan)
    columns = make_column_transformer(
        (positions, strings_of_many_values),
        remainder=FunctionTransformer(strings_as_categories),
        verbose_feature_names_out=False,
    )
    return make_pipeline(columns.set_output(transform="pandas"), model)


# random_state=0 makes a run repeatable. With its default of 100 iterations,
# LogisticRegression warns on soybean that it has not converged.
PEERS = {
    CLASSIFICATION: {
        "LogisticRegression": lambda: plain_pipeline(LogisticRegression(max_iter=1000)),
        "RandomForestClassifier": lambda: plain_pipeline(
            RandomForestClassifier(random_state=0)
        ),
        "HistGradientBoostingClassifier": lambda: gradient_boosting(
            HistGradientBoostingClassifier(random_state=0)
        ),
        "KNeighborsClassifier": lambda: plain_pipeline(KNeighborsClassifier()),
        "GaussianNB": lambda: plain_pipeline(GaussianNB()),
    },
    REGRESSION: {
        "RandomForestRegressor": lambda: plain_pipeline(
            RandomForestRegressor(random_state=0)
        ),
        "HistGradientBoostingRegressor": lambda: gradient_boosting(
            HistGradientBoostingRegressor(random_state=0)
        ),
        "KNeighborsRegressor": lambda: plain_pipeline(KNeighborsRegressor()),
        "Ridge": lambda: plain_pipeline(Ridge()),
        "DummyRegressor": DummyRegressor,
    },
}
LEARNERS = {half: (*READ_RAW_TABLES[half], *PEERS[half]) for half in PEERS}


def make_learner(name):
    """Return a new, unfitted learner: one of ours by the name of its class, or a peer.

    A class of ours that does not exist raises AttributeError.
    """
    for peers in PEERS.values():
        if name in peers:
            return peers[name]()
    return getattr(sklearn_bayeslazy, name)()

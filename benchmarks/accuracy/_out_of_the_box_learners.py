"""The learners that are compared without arguments: ours, and those of others."""

from functools import partial
from importlib import import_module

import numpy as np
import pandas as pd
from sklearn.base import (
    BaseEstimator,
    OneToOneFeatureMixin,
    TransformerMixin,
    clone,
)
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
from sklearn_bayeslazy.compare._learners._baselines import NumberedClasses

CLASSIFICATION, REGRESSION = "classification", "regression"
# Ours: all of them read raw tables.
READ_RAW_TABLES = {
    CLASSIFICATION: (
        "BayesianStackingClassifier",
        "AODEClassifier",
        "MEstimateNB",
        "BeliefNetworkClassifier",
        "MyAdaBoost",
        "ShepardKNN",
        "RBFNetworkClassifier",
    ),
    REGRESSION: (
        "BayesianStackingRegressor",
        "LocallyWeightedRegressor",
        "ShepardKNNRegressor",
        "RBFNetworkRegressor",
        "MyAdaBoostRegressor",
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


class StringsAsCategories(OneToOneFeatureMixin, TransformerMixin, BaseEstimator):
    """Strings become the categories seen in fit; others, and missing cells, missing."""

    # XGBoost refuses categories that fit has not seen.

    def fit(self, X, y=None):
        """Keep the values of the columns that are no numbers."""
        strings = X.select_dtypes(exclude=NUMBERS)
        self.feature_names_in_ = np.array(X.columns, dtype=object)
        self.n_features_in_ = X.shape[1]
        self.categories_ = {
            name: np.sort(strings[name].dropna().astype(str).unique())
            for name in strings
        }
        return self

    def transform(self, X):
        """Return a frame with categorical columns."""
        return X.assign(
            **{
                name: self._as_category(X[name], categories)
                for name, categories in self.categories_.items()
            }
        )

    @staticmethod
    def _as_category(cells, categories):
        # The string of a missing cell may be a category: a value "nan" was seen.
        strings = cells.astype(str)
        known = cells.notna() & strings.isin(categories)
        return pd.Categorical(strings.where(known), categories)


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
        remainder=StringsAsCategories(),
        verbose_feature_names_out=False,
    )
    return make_pipeline(columns.set_output(transform="pandas"), model)


class CatBoostOnFrames(BaseEstimator):
    """CatBoost, told which columns hold strings; a missing cell is a string of them."""

    def __init__(self, model):
        self.model = model

    def fit(self, X, y):
        """Fit a clone of the model."""
        self.strings_ = list(X.select_dtypes(exclude=NUMBERS))
        self.model_ = clone(self.model)
        self.model_.fit(self._as_strings(X), y, cat_features=self.strings_)
        return self

    def predict(self, X):
        """Return the predictions of the model."""
        return self.model_.predict(self._as_strings(X))

    def predict_proba(self, X):
        """Return the probabilities of the model."""
        return self.model_.predict_proba(self._as_strings(X))

    def _as_strings(self, X):
        cells = X[self.strings_]
        return X.assign(**cells.astype(str).where(cells.notna(), "missing"))


# The boosting of other packages, which reads categories and missing cells itself. The
# arguments only make it quiet, and let it take one thread as all others do.


def light_gbm(kind):
    """Return LightGBM; kind: "Classifier" or "Regressor"."""
    model = _imported("lightgbm", f"LGBM{kind}", n_jobs=1, verbose=-1)
    return gradient_boosting(make_pipeline(FunctionTransformer(numbered), model))


def numbered(X):
    """Return a frame with new names: brackets and others are refused."""
    return X.set_axis([f"x{j}" for j in range(X.shape[1])], axis=1)


def xgboost(kind):
    """Return XGBoost, which refuses strings as classes."""
    model = _imported("xgboost", f"XGB{kind}", n_jobs=1, enable_categorical=True)
    model = NumberedClasses(model) if kind == "Classifier" else model
    return gradient_boosting(make_pipeline(FunctionTransformer(numbered), model))


def cat_boost(kind):
    """Return CatBoost, which predicts a column of classes."""
    model = CatBoostOnFrames(
        _imported(
            "catboost",
            f"CatBoost{kind}",
            thread_count=1,
            verbose=0,
            allow_writing_files=False,
        )
    )
    return NumberedClasses(model) if kind == "Classifier" else model


def _imported(module, name, **given):
    return getattr(import_module(module), name)(**given)


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
        "LGBMClassifier": partial(light_gbm, "Classifier"),
        "XGBClassifier": partial(xgboost, "Classifier"),
        "CatBoostClassifier": partial(cat_boost, "Classifier"),
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
        "LGBMRegressor": partial(light_gbm, "Regressor"),
        "XGBRegressor": partial(xgboost, "Regressor"),
        "CatBoostRegressor": partial(cat_boost, "Regressor"),
        "KNeighborsRegressor": lambda: plain_pipeline(KNeighborsRegressor()),
        "Ridge": lambda: plain_pipeline(Ridge()),
        "DummyRegressor": DummyRegressor,
    },
}
# Those that are also measured on whole tables.
ON_WHOLE_TABLES = {
    CLASSIFICATION: (
        "BayesianStackingClassifier",
        "MyAdaBoost",
        "HistGradientBoostingClassifier",
        "LGBMClassifier",
        "XGBClassifier",
        "CatBoostClassifier",
    ),
    REGRESSION: (
        "BayesianStackingRegressor",
        "MyAdaBoostRegressor",
        "HistGradientBoostingRegressor",
        "LGBMRegressor",
        "XGBRegressor",
        "CatBoostRegressor",
    ),
}
# A fit to soybean, 19 classes and 35 columns of strings, takes it more than 25 minutes.
ONLY_ON_WHOLE_TABLES = ("CatBoostClassifier",)
LEARNERS = {
    half: tuple(
        name
        for name in (*READ_RAW_TABLES[half], *PEERS[half])
        if name not in ONLY_ON_WHOLE_TABLES
    )
    for half in PEERS
}


def make_learner(name):
    """Return a new, unfitted learner: one of ours by the name of its class, or a peer.

    A class of ours that does not exist raises AttributeError.
    """
    for peers in PEERS.values():
        if name in peers:
            return peers[name]()
    return getattr(sklearn_bayeslazy, name)()

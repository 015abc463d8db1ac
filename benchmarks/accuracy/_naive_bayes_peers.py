"""scikit-learn's naive Bayes in pipelines that read mixed, incomplete tables.

Each function returns one pipeline. Together they are the ways in which a user can fit
these classifiers to strings, numbers and missing values without writing a model.
"""

import numpy as np
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.compose import make_column_selector, make_column_transformer
from sklearn.impute import SimpleImputer
from sklearn.metrics import log_loss
from sklearn.model_selection import GridSearchCV
from sklearn.naive_bayes import BernoulliNB, CategoricalNB, GaussianNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import KBinsDiscretizer, OneHotEncoder, OrdinalEncoder

N_BINS = 10
ALPHAS = (0.1, 1.0, 10.0, 100.0, 1000.0)


class QuantileBinsWithMissing(TransformerMixin, BaseEstimator):
    """Quantile bins 1, 2, … with 0 for a missing value.

    KBinsDiscretizer refuses missing values, and imputation would hide them.
    """

    def fit(self, X, y=None):
        """Learn the bin edges of each column from its known values."""
        levels = np.arange(1, N_BINS) / N_BINS
        columns = np.asarray(X, dtype=float).T
        self.edges_ = [np.unique(np.nanquantile(column, levels)) for column in columns]
        return self

    def transform(self, X):
        """Return the codes of `X`."""
        columns = np.asarray(X, dtype=float).T
        codes = [
            np.where(np.isnan(column), 0, 1 + np.searchsorted(edges, column, "right"))
            for column, edges in zip(columns, self.edges_)
        ]
        return np.column_stack(codes)


def by_column_type(numeric, categorical):
    """Return a transformer with one step for numeric columns and one for the others."""
    return make_column_transformer(
        (numeric, make_column_selector(dtype_include="number")),
        (categorical, make_column_selector(dtype_exclude="number")),
    )


def bins(encode):
    """Return the discretizer of columns without missing values."""
    return KBinsDiscretizer(
        N_BINS, encode=encode, quantile_method="averaged_inverted_cdf"
    )


def median():
    """Return the imputer of numbers."""
    return SimpleImputer(strategy="median")


def most_frequent():
    """Return the imputer of categories."""
    return SimpleImputer(strategy="most_frequent")


def one_hot():
    """Return the one-hot encoder; a category unseen in training has only zeros."""
    return OneHotEncoder(handle_unknown="ignore", sparse_output=False)


def codes():
    """Return the ordinal encoder; an unseen category gets the most frequent code.

    CategoricalNB raises an error at a code unseen in training.
    """
    unseen = OrdinalEncoder(handle_unknown="use_encoded_value", unknown_value=np.nan)
    return make_pipeline(unseen, most_frequent())


def gaussian_one_hot():
    """Return GaussianNB on numbers and one-hot categories."""
    categorical = make_pipeline(most_frequent(), one_hot())
    return make_pipeline(by_column_type(median(), categorical), GaussianNB())


def gaussian_ordinal():
    """Return GaussianNB on numbers and the codes of categories."""
    categorical = make_pipeline(most_frequent(), codes())
    return make_pipeline(by_column_type(median(), categorical), GaussianNB())


def categorical_missing_category():
    """Return CategoricalNB on bins and codes; a missing value is a category."""
    missing = SimpleImputer(strategy="constant", fill_value="(missing)")
    categorical = make_pipeline(missing, codes())
    return make_pipeline(
        by_column_type(QuantileBinsWithMissing(), categorical), CategoricalNB()
    )


def negative_log_loss(model, X, y):
    """Return -log_loss of a model on a fold that may lack some of its classes."""
    return -log_loss(y, model.predict_proba(X), labels=model.classes_)


def categorical_tuned():
    """Return categorical_missing_category, alpha chosen by cross-validation."""
    return GridSearchCV(
        categorical_missing_category(),
        {"categoricalnb__alpha": ALPHAS},
        scoring=negative_log_loss,
    )


def categorical_imputed():
    """Return CategoricalNB on bins and codes after imputation."""
    numeric = make_pipeline(median(), bins("ordinal"))
    categorical = make_pipeline(most_frequent(), codes())
    return make_pipeline(by_column_type(numeric, categorical), CategoricalNB())


def bernoulli_one_hot():
    """Return BernoulliNB on one-hot bins and categories."""
    numeric = make_pipeline(median(), bins("onehot-dense"))
    categorical = make_pipeline(most_frequent(), one_hot())
    return make_pipeline(by_column_type(numeric, categorical), BernoulliNB())


PEERS = {
    "GaussianNB, one-hot": gaussian_one_hot,
    "GaussianNB, ordinal": gaussian_ordinal,
    "CategoricalNB, missing as a category": categorical_missing_category,
    "CategoricalNB, alpha by search": categorical_tuned,
    "CategoricalNB, imputed": categorical_imputed,
    "BernoulliNB, one-hot": bernoulli_one_hot,
}

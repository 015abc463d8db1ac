"""scikit-learn's naive Bayes classifiers made to take a mixed table with holes.

Each function returns one pipeline. Together they are the ways in which a user can bring
strings, numbers and missing cells to these classifiers without writing a model.
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
    """Quantile bins 1, 2, … with 0 for a missing cell.

    KBinsDiscretizer refuses missing cells, and to impute first would hide them.
    """

    def fit(self, X, y=None):
        """Learn the cuts of each column from its observed cells."""
        levels = np.arange(1, N_BINS) / N_BINS
        columns = np.asarray(X, dtype=float).T
        self.cuts_ = [np.unique(np.nanquantile(column, levels)) for column in columns]
        return self

    def transform(self, X):
        """Return the codes of `X`."""
        columns = np.asarray(X, dtype=float).T
        codes = [
            np.where(np.isnan(column), 0, 1 + np.searchsorted(cuts, column, "right"))
            for column, cuts in zip(columns, self.cuts_)
        ]
        return np.column_stack(codes)


def by_kind(numeric, categorical):
    """Return a transformer with one treatment for numbers and one for the rest."""
    return make_column_transformer(
        (numeric, make_column_selector(dtype_include="number")),
        (categorical, make_column_selector(dtype_exclude="number")),
    )


def bins(encode):
    """Return the discretiser of a column without holes."""
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
    """Return the 0/1 encoder; a category not seen in training is all zeros."""
    return OneHotEncoder(handle_unknown="ignore", sparse_output=False)


def codes():
    """Return the encoder by numbers; an unseen category counts as the commonest one.

    CategoricalNB stops at a code it has not seen, so the code has to be replaced.
    """
    unseen = OrdinalEncoder(handle_unknown="use_encoded_value", unknown_value=np.nan)
    return make_pipeline(unseen, most_frequent())


def gaussian_one_hot():
    """Return GaussianNB on numbers and 0/1 columns alike."""
    categorical = make_pipeline(most_frequent(), one_hot())
    return make_pipeline(by_kind(median(), categorical), GaussianNB())


def gaussian_ordinal():
    """Return GaussianNB on numbers and on the codes of categories."""
    categorical = make_pipeline(most_frequent(), codes())
    return make_pipeline(by_kind(median(), categorical), GaussianNB())


def categorical_missing_category():
    """Return CategoricalNB on bins and codes; a missing cell is a category."""
    missing = SimpleImputer(strategy="constant", fill_value="(missing)")
    categorical = make_pipeline(missing, codes())
    return make_pipeline(
        by_kind(QuantileBinsWithMissing(), categorical), CategoricalNB()
    )


def negative_log_loss(model, X, y):
    """Score a model on a fold, which may lack one of the model's classes."""
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
    return make_pipeline(by_kind(numeric, categorical), CategoricalNB())


def bernoulli_one_hot():
    """Return BernoulliNB on the 0/1 columns of bins and categories."""
    numeric = make_pipeline(median(), bins("onehot-dense"))
    categorical = make_pipeline(most_frequent(), one_hot())
    return make_pipeline(by_kind(numeric, categorical), BernoulliNB())


PEERS = {
    "GaussianNB, one-hot": gaussian_one_hot,
    "GaussianNB, ordinal": gaussian_ordinal,
    "CategoricalNB, missing as a category": categorical_missing_category,
    "CategoricalNB, alpha by search": categorical_tuned,
    "CategoricalNB, imputed": categorical_imputed,
    "BernoulliNB, one-hot": bernoulli_one_hot,
}

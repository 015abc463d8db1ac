"""The learners that are compared without arguments: ours, and those of scikit-learn."""

from sklearn.compose import make_column_selector, make_column_transformer
from sklearn.ensemble import HistGradientBoostingClassifier, RandomForestClassifier
from sklearn.impute import SimpleImputer
from sklearn.linear_model import LogisticRegression
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer, OneHotEncoder, StandardScaler

import sklearn_bayeslazy

# The classifiers of ours that read raw tables, and those that need encoded numbers.
READ_RAW_TABLES = (
    "AODEClassifier",
    "MEstimateNB",
    "BeliefNetworkClassifier",
    "MyAdaBoost",
)
NEED_NUMBERS = ("ShepardKNN", "RBFNetworkClassifier")

# Truth values count as numbers.
NUMBERS = ["number", "bool"]


def plain_pipeline(classifier):
    """Return scaled numbers and one-hot strings, both imputed, then `classifier`."""
    numbers = make_pipeline(SimpleImputer(), StandardScaler())
    strings = make_pipeline(
        SimpleImputer(strategy="most_frequent"),
        OneHotEncoder(handle_unknown="ignore", sparse_output=False),
    )
    columns = make_column_transformer(
        (numbers, make_column_selector(dtype_include=NUMBERS)),
        (strings, make_column_selector(dtype_exclude=NUMBERS)),
    )
    return make_pipeline(columns, classifier)


def strings_as_categories(X):
    """Return a frame whose strings are categories, as gradient boosting reads them."""
    names = X.select_dtypes(exclude=NUMBERS).columns
    return X.astype(dict.fromkeys(names, "category"))


def gradient_boosting():
    """Return gradient boosting, which reads categories and missing cells itself."""
    return make_pipeline(
        FunctionTransformer(strings_as_categories),
        HistGradientBoostingClassifier(random_state=0),
    )


# random_state=0 makes a run repeatable. With its default of 100 iterations,
# LogisticRegression warns on soybean that it has not converged.
PEERS = {
    "LogisticRegression": lambda: plain_pipeline(LogisticRegression(max_iter=1000)),
    "RandomForestClassifier": lambda: plain_pipeline(
        RandomForestClassifier(random_state=0)
    ),
    "HistGradientBoostingClassifier": gradient_boosting,
    "KNeighborsClassifier": lambda: plain_pipeline(KNeighborsClassifier()),
    "GaussianNB": lambda: plain_pipeline(GaussianNB()),
}


def make_learner(name):
    """Return a new, unfitted learner: one of ours by the name of its class, or a peer.

    A class of ours that does not exist raises AttributeError.
    """
    if name in PEERS:
        return PEERS[name]()
    classifier = getattr(sklearn_bayeslazy, name)()
    return plain_pipeline(classifier) if name in NEED_NUMBERS else classifier

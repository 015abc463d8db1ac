"""Speed of what tunes itself: AODEClassifier and MEstimateNB with their defaults.

The table has ten columns of categories and twenty of numbers; pairs of columns depend
on each other given the class. pyAgrum learns its tree-augmented network from the same
table, with numbers in ten quantile bins.
"""

import numpy as np
import pandas as pd
from sklearn.ensemble import HistGradientBoostingClassifier
from sklearn.metrics import log_loss

from benchmarks.speed._harness import Agreement, Case, Data
from benchmarks.speed.naive_bayes import (
    compare_labels,
    compare_models,
    fit_task,
)
from sklearn_bayeslazy import AODEClassifier, MEstimateNB

N_CLASSES = 5
N_CATEGORIES = 8
N_NEW_ROWS = 20_000
# Of the table of many labels.
N_ROWS_OF_A_LABEL = 100


def mixed_data(rows):
    """Return codes 0 … 7 and normal numbers; each depends on the class and another."""
    rng = np.random.default_rng(0)
    y = rng.integers(N_CLASSES, size=rows + N_NEW_ROWS)
    hidden = rng.standard_normal((len(y), 15))
    hidden += 0.6 * rng.normal(size=(N_CLASSES, 15))[y]
    X = np.repeat(hidden, 2, axis=1) + 0.7 * rng.standard_normal((len(y), 30))
    edges = np.linspace(-2, 2, N_CATEGORIES - 1)
    X[:, :10] = np.searchsorted(edges, X[:, :10])
    return Data(X[:rows], y[:rows], X[rows:], y[rows:])


def labels_data(rows):
    """Return twenty numbers, two centres for each label; labels grow with the rows."""
    rng = np.random.default_rng(0)
    n_labels = rows // N_ROWS_OF_A_LABEL
    y = np.arange(2 * rows) % n_labels
    centers = rng.normal(size=(n_labels, 2, 20))
    X = centers[y, rng.integers(2, size=len(y))] + rng.standard_normal((len(y), 20))
    return Data(X[:rows], y[:rows], X[rows:], y[rows:])


def classical():
    """Return MEstimateNB of which nothing is chosen."""
    return MEstimateNB(m=1.0, distribution="auto", feature_weights=None)


def peer_boosting():
    """Return scikit-learn's gradient boosting with its defaults."""
    return HistGradientBoostingClassifier(random_state=0)


class PeerTree:
    """PyAgrum's tree-augmented network on ten quantile bins of each number."""

    def fit(self, X, y):
        """Bin the numbers and fit pyAgrum's classifier."""
        from pyagrum.lib.discreteTypeProcessor import DiscreteTypeProcessor
        from pyagrum.skbn import BNClassifier

        shares = np.arange(1, 10) / 10
        self.edges = [np.unique(np.quantile(x, shares)) for x in X.T]
        types = DiscreteTypeProcessor()
        for name, edges in zip(self.names(X), self.edges):
            labels = "{" + "|".join(map(str, range(len(edges) + 1))) + "}"
            types.setDiscretizationParameters(name, "NoDiscretization", labels)
        self.model = BNClassifier(type_processor=types, learningMethod="TAN")
        self.model.fit(self.codes(X), y)
        return self

    def codes(self, X):
        """Return the bin of each number, as a frame of strings."""
        columns = [np.searchsorted(e, x) for e, x in zip(self.edges, X.T)]
        codes = np.column_stack(columns).astype(str)
        return pd.DataFrame(codes, columns=self.names(X))

    @staticmethod
    def names(X):
        """Return names for the columns of a table."""
        return [f"x{j}" for j in range(X.shape[1])]

    def predict(self, X):
        """Return the labels of rows."""
        return self.model.predict(self.codes(X))

    def predict_proba(self, X):
        """Return the class probabilities of rows."""
        return self.model.predict_proba(self.codes(X))


def compare_losses(data, ours, peer):
    """Compare two fitted models on new rows by log loss, which ours are tuned for."""
    agreement = compare_models(data, ours, peer)
    losses = [
        log_loss(data.y_new, model.predict_proba(data.X_new)) for model in (ours, peer)
    ]
    return Agreement(bool(losses[0] <= losses[1]), agreement.text)


def unseen_rows_task(make_model):
    """Return a side that fits to the few new rows and times the prediction of the rest.

    So the labels are those of rows that the model has not seen.
    """

    def prepare(data):
        model = make_model().fit(data.X_new, data.y_new)
        return lambda: model.predict(data.X)

    return prepare


SHARED = {"data": mixed_data, "agreement": compare_losses, "quick_size": 2_000}

CASES = [
    Case(
        name="tuned-fit",
        work="MEstimateNB() with all choices by leave-one-out, fit, 30 mixed columns",
        peer_name="MEstimateNB, classical",
        target=None,
        size=20_000,
        repeats=5,
        ours=fit_task(MEstimateNB),
        peer=fit_task(classical),
        **SHARED,
    ),
    Case(
        name="tuned-fit-labels",
        work="the same, 20 columns of numbers, one label for every 100 rows",
        peer_name="MEstimateNB, classical",
        target=None,
        size=10_000,
        quick_size=1_000,
        repeats=3,
        data=labels_data,
        ours=fit_task(MEstimateNB),
        peer=fit_task(classical),
        agreement=compare_losses,
    ),
    Case(
        name="aode-fit",
        work="AODEClassifier() with all choices by leave-one-out, fit, 30 columns",
        peer_name="HistGradientBoostingClassifier",
        target=None,
        size=100_000,
        repeats=3,
        ours=fit_task(AODEClassifier),
        peer=fit_task(peer_boosting),
        **SHARED,
    ),
    Case(
        name="aode-fit-tan",
        work="the same",
        peer_name="pyAgrum BNClassifier, TAN",
        target=None,
        size=100_000,
        repeats=1,
        ours=fit_task(AODEClassifier),
        peer=fit_task(PeerTree),
        **SHARED,
    ),
    Case(
        name="aode-predict",
        work="AODEClassifier() predict, 30 mixed columns",
        peer_name="HistGradientBoostingClassifier",
        target=None,
        size=100_000,
        repeats=3,
        data=mixed_data,
        quick_size=2_000,
        ours=unseen_rows_task(AODEClassifier),
        peer=unseen_rows_task(peer_boosting),
        agreement=compare_labels,
    ),
]

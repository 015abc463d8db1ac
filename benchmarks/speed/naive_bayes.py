"""Speed of naive Bayes: MEstimateNB beside scikit-learn.

Both sides fit the same model. A categorical column of K values with m virtual examples
is CategoricalNB with alpha = m / K. With m = 0 a Gaussian column is that of GaussianNB,
except that its variance divides by n and ours by n - 1.
"""

import numpy as np
from sklearn.metrics import accuracy_score, log_loss
from sklearn.model_selection import GridSearchCV
from sklearn.naive_bayes import CategoricalNB, GaussianNB

from benchmarks.speed._harness import Agreement, Case, Data
from sklearn_bayeslazy import MEstimateNB

N_COLUMNS = 30
N_VALUES = 10
N_CLASSES = 5
N_NEW_ROWS = 20_000

ALPHAS = np.logspace(-3, 3, 30)

# Both sides estimate the same few hundred probabilities. Smaller differences of the
# scores on new rows come from rounding or the choice of a neighbouring candidate.
TOLERANCE = 1e-3


def categorical_data(rows):
    """Return codes 0..9 whose distribution depends on the class and the column."""
    rng = np.random.default_rng(0)
    power = rng.uniform(0.8, 1.25, size=(N_CLASSES, N_COLUMNS))
    y = rng.integers(N_CLASSES, size=rows + N_NEW_ROWS)
    X = np.empty((len(y), N_COLUMNS), dtype=np.int64)
    for column in range(N_COLUMNS):
        X[:, column] = N_VALUES * rng.random(len(y)) ** power[y, column]
    return Data(X[:rows], y[:rows], X[rows:], y[rows:])


def gaussian_data(rows):
    """Return normal columns whose means depend on the class."""
    rng = np.random.default_rng(0)
    means = rng.normal(scale=0.2, size=(N_CLASSES, N_COLUMNS))
    y = rng.integers(N_CLASSES, size=rows + N_NEW_ROWS)
    X = rng.standard_normal((len(y), N_COLUMNS))
    for column in range(N_COLUMNS):
        X[:, column] += means[y, column]
    return Data(X[:rows], y[:rows], X[rows:], y[rows:])


def compare_models(data, ours, peer):
    """Compare two fitted models on new rows."""
    models = (ours, peer)
    accuracies = [accuracy_score(data.y_new, m.predict(data.X_new)) for m in models]
    losses = [log_loss(data.y_new, m.predict_proba(data.X_new)) for m in models]
    holds = (
        accuracies[0] >= accuracies[1] - TOLERANCE
        and losses[0] <= losses[1] + TOLERANCE
    )
    text = "accuracy {:.4f} / {:.4f}, log loss {:.4f} / {:.4f}"
    return Agreement(bool(holds), text.format(*accuracies, *losses))


def compare_labels(data, ours, peer):
    """Compare two vectors of predicted labels."""
    accuracies = [accuracy_score(data.y, labels) for labels in (ours, peer)]
    same = np.mean(ours == peer)
    text = f"{same:.4%} of labels equal, accuracy {{:.4f}} / {{:.4f}}"
    holds = accuracies[0] >= accuracies[1] - TOLERANCE
    return Agreement(bool(holds), text.format(*accuracies))


def fit_task(make_model):
    """Return a side that times the fit."""
    return lambda data: lambda: make_model().fit(data.X, data.y)


def predict_task(make_model):
    """Return a side that times the prediction by a fitted model."""

    def prepare(data):
        model = make_model().fit(data.X, data.y)
        return lambda: model.predict(data.X)

    return prepare


def our_categorical(n_jobs=None):
    return MEstimateNB(
        m=float(N_VALUES),
        distribution="categorical",
        feature_weights=None,
        n_jobs=n_jobs,
    )


def peer_categorical():
    return CategoricalNB(alpha=1.0, min_categories=N_VALUES)


def our_gaussian():
    return MEstimateNB(m=0, distribution="gaussian", feature_weights=None)


def our_leave_one_out(**params):
    candidates = {"m": [float(m) for m in N_VALUES * ALPHAS]}
    return MEstimateNB(
        m="loo",
        loo_candidates=candidates,
        distribution="categorical",
        feature_weights=None,
        random_state=0,
        **params,
    )


def our_leave_one_out_all_rows():
    return our_leave_one_out(loo_max_samples=None)


def peer_grid_search():
    return GridSearchCV(
        CategoricalNB(min_categories=N_VALUES),
        {"alpha": ALPHAS},
        scoring="neg_log_loss",
        cv=10,
    )


CASES = [
    Case(
        name="categorical-fit",
        work="m-estimate fit, 30 categorical columns, 5 classes",
        peer_name="CategoricalNB",
        target=20,
        size=1_000_000,
        quick_size=5_000,
        repeats=5,
        data=categorical_data,
        ours=fit_task(our_categorical),
        peer=fit_task(peer_categorical),
        agreement=compare_models,
    ),
    Case(
        name="categorical-predict",
        work="m-estimate predict, 30 categorical columns, 5 classes, two threads",
        peer_name="CategoricalNB",
        target=10,
        size=1_000_000,
        quick_size=5_000,
        repeats=5,
        data=categorical_data,
        ours=predict_task(lambda: our_categorical(n_jobs=2)),
        peer=predict_task(peer_categorical),
        agreement=compare_labels,
    ),
    Case(
        name="gaussian-fit",
        work="Gaussian fit, 30 columns, 5 classes",
        peer_name="GaussianNB",
        target=10,
        size=1_000_000,
        quick_size=5_000,
        repeats=5,
        data=gaussian_data,
        ours=fit_task(our_gaussian),
        peer=fit_task(GaussianNB),
        agreement=compare_models,
    ),
    Case(
        name="gaussian-predict",
        work="Gaussian predict, 30 columns, 5 classes",
        peer_name="GaussianNB",
        target=8,
        size=1_000_000,
        quick_size=5_000,
        repeats=5,
        data=gaussian_data,
        ours=predict_task(our_gaussian),
        peer=predict_task(GaussianNB),
        agreement=compare_labels,
    ),
    Case(
        name="loo-m",
        work="leave-one-out choice of m, 30 candidates, 30 categorical columns, 10 000 "
        "rows scored (the default)",
        peer_name="GridSearchCV, 10 folds, 30 alphas of CategoricalNB",
        target=100,
        size=20_000,
        quick_size=1_000,
        repeats=3,
        data=categorical_data,
        ours=fit_task(our_leave_one_out),
        peer=fit_task(peer_grid_search),
        agreement=compare_models,
    ),
    Case(
        name="loo-m-all-rows",
        work="the same, all rows scored (loo_max_samples=None)",
        peer_name="GridSearchCV, 10 folds, 30 alphas of CategoricalNB",
        target=None,
        size=20_000,
        quick_size=1_000,
        repeats=3,
        data=categorical_data,
        ours=fit_task(our_leave_one_out_all_rows),
        peer=fit_task(peer_grid_search),
        agreement=compare_models,
    ),
]

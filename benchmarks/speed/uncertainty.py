"""Speed of intervals and of stacking, beside what refits the same learners.

Both sides fit learners of this package as they are constructed without arguments, so
that only the way to left-out predictions differs.
"""

from functools import partial

import numpy as np
from sklearn.ensemble import StackingClassifier
from sklearn.metrics import log_loss

from benchmarks.speed._harness import Agreement, Case, Data
from sklearn_bayeslazy import (
    BayesianStackingClassifier,
    LocallyWeightedRegressor,
    ShepardKNNRegressor,
)

COVERAGE, N_JOBS = 0.9, 2


def noisy_data(rows, *, columns, queries):
    """Return rows whose noise grows along the first column, and other rows."""
    rng = np.random.default_rng(0)
    X = rng.uniform(size=(rows + queries, columns))
    noise = (0.1 + X[:, 0]) * rng.standard_normal(len(X))
    y = np.sin(4 * X[:, 0]) + X[:, 1] ** 2 + 0.3 * noise
    return Data(X[:rows], y[:rows], X[rows:], y[rows:])


def our_bounds(data, kind, method):
    """Return our task: fit, and the bounds of new rows."""

    def task():
        model = kind().fit(data.X, data.y)
        return model.prediction_interval(data.X_new, COVERAGE, method)

    return task


def peer_bounds(data, kind, cv):
    """Return the task of MAPIE, jackknife+ if cv is -1, else CV+."""
    from mapie.regression import CrossConformalRegressor

    def task():
        folds = len(data.X) if cv == -1 else cv
        model = CrossConformalRegressor(kind(), COVERAGE, method="plus", cv=folds)
        model.fit_conformalize(data.X, data.y)
        return model.predict_interval(data.X_new)[1][:, :, 0].T

    return task


def compare_bounds(data, ours, peer):
    """Compare the share of new rows within the bounds, and the widths."""
    shares, widths = zip(
        *(
            (np.mean((low <= data.y_new) & (data.y_new <= high)), np.mean(high - low))
            for low, high in (ours, peer)
        )
    )
    text = "covered {:.3f} / {:.3f}, ".format(*shares)
    text += "width {:.3f} / {:.3f}".format(*widths)
    return Agreement(bool(abs(shares[0] - COVERAGE) <= 0.05), text)


def classes_data(rows, *, columns):
    """Return rows of three classes, of which some columns tell them apart."""
    rng = np.random.default_rng(0)
    X = rng.standard_normal((2 * rows, columns))
    scores = X[:, :3] + X[:, 3:6] * X[:, 6:9] + rng.gumbel(size=(len(X), 3))
    y = scores.argmax(axis=1)
    return Data(X[:rows], y[:rows], X[rows:], y[rows:])


def our_stacking(data):
    """Return our task: fit the default members and their weights."""
    return lambda: BayesianStackingClassifier(n_jobs=N_JOBS).fit(data.X, data.y)


def peer_stacking(data):
    """Return scikit-learn's task over the same members."""
    members = BayesianStackingClassifier._default_members()
    return lambda: StackingClassifier(members, n_jobs=N_JOBS).fit(data.X, data.y)


def compare_losses(data, ours, peer):
    """Compare the log losses of new rows."""
    losses = [
        log_loss(data.y_new, model.predict_proba(data.X_new)) for model in (ours, peer)
    ]
    text = "log loss {:.4f} / {:.4f}".format(*losses)
    return Agreement(bool(losses[0] <= losses[1] + 0.01), text)


def interval_case(name, kind, size, method, cv, target):
    """Return a case of intervals around one of our regressors."""
    way = "jackknife+" if cv == -1 else f"CV+, {cv} folds"
    return Case(
        name=name,
        work=f"{kind.__name__}(), 8 columns: fit, and bounds of 500 rows, "
        f"method={method!r}",
        peer_name=f"MAPIE, {way}, of the same learner",
        target=target,
        size=size,
        quick_size=60,
        repeats=1 if cv == -1 else 3,
        data=partial(noisy_data, columns=8, queries=500),
        ours=partial(our_bounds, kind=kind, method=method),
        peer=partial(peer_bounds, kind=kind, cv=cv),
        agreement=compare_bounds,
    )


CASES = (
    interval_case(
        "jackknife-local", LocallyWeightedRegressor, 300, "jackknife+", -1, 100
    ),
    interval_case("jackknife-shepard", ShepardKNNRegressor, 300, "jackknife+", -1, 100),
    interval_case("cv-local", LocallyWeightedRegressor, 2_000, "jackknife", 10, 5),
    interval_case("cv-shepard", ShepardKNNRegressor, 2_000, "jackknife", 10, 5),
    Case(
        name="stacking",
        work="BayesianStackingClassifier(), 20 columns: fit, two threads",
        peer_name="StackingClassifier of the same members",
        target=20,
        size=3_000,
        quick_size=150,
        repeats=3,
        data=partial(classes_data, columns=20),
        ours=our_stacking,
        peer=peer_stacking,
        agreement=compare_losses,
    ),
)

"""Speed of boosting: stumps beside scikit-learn's and LightGBM's, two threads each.

The tables have 30 numeric columns, each with a weak relation to one of two classes, or
of ten. All sides fit 50 rounds of trees with one split. Of LightGBM's learning rates
.1, .3, .6 and 1 the last is the most accurate here by far, so it is used; it does not
change the time.
"""

from functools import cache, partial

import numpy as np
import pandas as pd
from sklearn.compose import make_column_selector, make_column_transformer
from sklearn.ensemble import AdaBoostClassifier
from sklearn.impute import SimpleImputer
from sklearn.metrics import accuracy_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder
from sklearn.tree import DecisionTreeClassifier

from benchmarks.speed._harness import Agreement, Case, Data
from sklearn_bayeslazy import MyAdaBoost

N_ROUNDS = 50
N_THREADS = 2
# Accuracies of two implementations of boosted stumps differ by less than this.
TOLERANCE = 5e-3


def numeric_rows(rows, seed):
    """Return rows of numbers and their classes."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(rows, 30))
    score = np.tanh(2 * X) @ np.linspace(1, 0.1, 30)
    return X, (score + 2 * rng.normal(size=rows) > 0).astype(int)


def numeric_data(rows, new_rows=50_000):
    """Return a table of numbers, and new rows to measure the accuracy on."""
    return Data(*numeric_rows(rows, 0), *numeric_rows(new_rows or rows, 1))


def ten_class_rows(rows, seed):
    """Return rows of numbers and the class of largest score, of ten."""
    rng = np.random.default_rng(seed)
    X, slopes = (
        rng.normal(size=(rows, 30)),
        np.random.default_rng(2).normal(size=(30, 10)),
    )
    return X, (np.tanh(2 * X) @ slopes + 2 * rng.normal(size=(rows, 10))).argmax(axis=1)


def ten_class_data(rows, new_rows=20_000):
    """Return a table of numbers with ten classes, and new rows."""
    return Data(*ten_class_rows(rows, 0), *ten_class_rows(new_rows, 1))


def with_strings(table):
    """Return a frame: every third column becomes strings, a tenth of the values NaN."""
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(table, columns=[f"c{j}" for j in range(table.shape[1])])
    for j in range(0, frame.shape[1], 3):
        strings = np.array([f"word {k}" for k in range(8)], dtype=object)
        frame[f"c{j}"] = strings[np.clip(2 * frame[f"c{j}"] + 4, 0, 7).astype(int)]
    return frame.mask(rng.random(frame.shape) < 0.1)


def mixed_data(rows):
    """Return a table of numbers and strings with missing values."""
    X, y, X_new, y_new = numeric_data(rows)
    return Data(with_strings(X), y, with_strings(X_new), y_new)


def our_fit(data):
    """Return our task: fit, binning included."""
    model = MyAdaBoost(max_depth=1, n_estimators=N_ROUNDS, n_jobs=N_THREADS)
    return lambda: model.fit(data.X, data.y)


def scikit_learn():
    """Return scikit-learn's AdaBoost, which uses one thread."""
    stump = DecisionTreeClassifier(max_depth=1)
    return AdaBoostClassifier(stump, n_estimators=N_ROUNDS, random_state=0)


def lightgbm():
    """Return LightGBM with trees of one split."""
    from lightgbm import LGBMClassifier

    return LGBMClassifier(
        n_estimators=N_ROUNDS,
        num_leaves=2,
        learning_rate=1.0,
        n_jobs=N_THREADS,
        verbose=-1,
    )


def peer_fit(data, make_model):
    """Return a peer's task: fit."""
    model = make_model()
    return lambda: model.fit(data.X, data.y)


def scikit_learn_mixed():
    """Return scikit-learn's AdaBoost on imputed numbers and one-hot strings."""
    columns = make_column_transformer(
        (OneHotEncoder(), make_column_selector(dtype_exclude="number")),
        (
            SimpleImputer(strategy="median"),
            make_column_selector(dtype_include="number"),
        ),
    )
    return make_pipeline(columns, scikit_learn())


def compare_models(data, ours, peer):
    """Compare the accuracies of two models on new rows."""
    return compare_labels(data, ours.predict(data.X_new), peer.predict(data.X_new))


def compare_labels(data, ours, peer):
    """Compare the accuracies of predicted labels of the new rows."""
    accuracies = [accuracy_score(data.y_new, labels) for labels in (ours, peer)]
    return Agreement(
        bool(accuracies[0] >= accuracies[1] - TOLERANCE),
        "accuracy on new rows {:.4f} / {:.4f}".format(*accuracies),
    )


@cache
def fitted(make_model):
    """Return a model that is fitted to 20 000 rows."""
    X, y = numeric_rows(20_000, 2)
    return make_model().fit(X, y)


def our_model():
    """Return our model."""
    return MyAdaBoost(max_depth=1, n_estimators=N_ROUNDS, n_jobs=N_THREADS)


def predict(data, make_model):
    """Return the task of a prediction; the fit is not timed."""
    model = fitted(make_model)
    return lambda: model.predict(data.X_new)


def case(name, work, peer_name, target, repeats, **parts):
    """Return a case, by default of a fit to numbers."""
    parts = {
        "data": numeric_data,
        "ours": our_fit,
        "agreement": compare_models,
        **parts,
    }
    return Case(
        name=name,
        work=f"{work}, 30 columns, 50 rounds of stumps",
        peer_name=peer_name,
        target=target,
        size=100_000,
        quick_size=1_000,
        repeats=repeats,
        **parts,
    )


CASES = (
    case(
        "boosting-fit",
        "boosting by weights, binning included, numbers",
        "AdaBoostClassifier, trees of depth 1",
        40,
        3,
        peer=partial(peer_fit, make_model=scikit_learn),
    ),
    case(
        "boosting-fit-lightgbm",
        "the same, two threads each",
        "LightGBM, num_leaves=2, learning_rate=1",
        5,
        15,
        peer=partial(peer_fit, make_model=lightgbm),
    ),
    case(
        "boosting-fit-mixed",
        "boosting by weights, every third column strings, a tenth of the values "
        "missing",
        "AdaBoostClassifier after OneHotEncoder and SimpleImputer",
        None,
        1,
        data=mixed_data,
        peer=partial(peer_fit, make_model=scikit_learn_mixed),
    ),
    case(
        "boosting-fit-classes",
        "AdaBoost.MH on ten classes, binning included, numbers",
        "AdaBoostClassifier, trees of depth 1",
        5,
        1,
        data=ten_class_data,
        peer=partial(peer_fit, make_model=scikit_learn),
    ),
    case(
        "boosting-predict",
        "prediction, numbers",
        "AdaBoostClassifier, trees of depth 1",
        10,
        7,
        data=partial(numeric_data, new_rows=None),
        ours=partial(predict, make_model=our_model),
        peer=partial(predict, make_model=scikit_learn),
        agreement=compare_labels,
    ),
)

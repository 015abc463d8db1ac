"""Scores of several models on the same folds, and their statistics."""

import warnings
from collections import defaultdict
from time import process_time

import numpy as np
from sklearn.metrics import accuracy_score, log_loss, r2_score, root_mean_squared_error
from sklearn.model_selection import StratifiedKFold

# The function that finds the best of several values of a measure.
BEST = {"log loss": min, "accuracy": max}


def stratified_folds(y, n_folds=10):
    """Return the training and test rows of shuffled stratified folds."""
    splitter = StratifiedKFold(n_folds, shuffle=True, random_state=0)
    with warnings.catch_warnings():
        # Some classes have fewer rows than folds: some test parts lack them.
        warnings.filterwarnings("ignore", "The least populated class in y")
        return list(splitter.split(np.zeros(len(y)), y))


def score_folds(models, X, y, folds, score, record_errors=False):
    """Fit each model to the training part of each fold and score it on the test part.

    Parameters
    ----------
    models : dict of {str: callable}
        Each value returns a new model.
    X : DataFrame
    y : ndarray
    folds : iterable of (train, test)
    score : callable
        ``score(model, X, y)`` returns a dict of measures and values.
    record_errors : bool, default=False
        Record an error of a model as a string under "errors", and leave the fold out.
        By default the error is raised, and an ImportError always is.

    Returns
    -------
    dict of {str: dict of {str: list}}
        For each model and measure one value a fold. "seconds" is the processor time
        to fit and to score.
    """
    results = {name: defaultdict(list) for name in models}
    if record_errors:
        for scores in results.values():
            scores["errors"] = []
    for train, test in folds:
        for name, make_model in models.items():
            start = process_time()
            try:
                model = make_model().fit(X.iloc[train], y[train])
                scores = score(model, X.iloc[test], y[test])
            except Exception as error:
                if isinstance(error, ImportError) or not record_errors:
                    raise
                results[name]["errors"].append(f"{type(error).__name__}: {error}")
                continue
            scores["seconds"] = process_time() - start
            for measure, value in scores.items():
                results[name][measure].append(value)
    return {name: dict(scores) for name, scores in results.items()}


def classification_scores(classes):
    """Return the function that computes the scores of a fitted classifier.

    They are accuracy, log loss and the Brier score, which is the mean over the rows of
    the squared distance between the probabilities and the true class. `classes` are
    the sorted classes of the whole table. A class that is absent from the training
    part has probability 0, which log_loss clips to the machine epsilon.
    """

    def score(model, X, y):
        probabilities = np.zeros((len(X), len(classes)))
        columns = np.searchsorted(classes, model.classes_)
        probabilities[:, columns] = model.predict_proba(X)
        # Some packages compute in float32.
        probabilities /= probabilities.sum(axis=1, keepdims=True)
        errors = probabilities - (y[:, None] == classes)
        return {
            "accuracy": accuracy_score(y, classes[probabilities.argmax(axis=1)]),
            "log loss": log_loss(y, probabilities, labels=classes),
            "Brier score": float(np.mean(np.sum(errors**2, axis=1))),
        }

    return score


def regression_scores(targets):
    """Return the function that computes the scores of a fitted regressor.

    They are R² and the relative RMSE: the root mean squared error over that of the
    mean of the training part. `targets` are those of the whole table; its rows that
    are not scored are the training part.
    """

    def score(model, X, y):
        predictions = model.predict(X)
        mean = (targets.sum() - y.sum()) / (len(targets) - len(y))
        of_mean = root_mean_squared_error(y, np.full(len(y), mean))
        return {
            "R²": r2_score(y, predictions),
            "relative RMSE": root_mean_squared_error(y, predictions) / of_mean,
        }

    return score


def standard_error(values):
    """Return the standard error of the mean."""
    return np.std(values, ddof=1) / np.sqrt(len(values))


def best_model(scores, measure):
    """Return the model with the best mean; models with errors do not take part.

    If several are equal, the first is returned.
    """
    means = {
        model: np.mean(folds[measure])
        for model, folds in scores.items()
        if not folds["errors"]
    }
    return BEST[measure](means, key=means.get)


def significant_sign(first, second, measure):
    """Return 1 if the first model is clearly better, -1 if clearly worse, else 0.

    A mean of the paired differences of the folds is clear if it exceeds twice its
    standard error. Without all folds there are no pairs, and the sign is 0.
    """
    if first["errors"] or second["errors"]:
        return 0
    differences = np.subtract(first[measure], second[measure])
    if abs(np.mean(differences)) <= 2 * standard_error(differences):
        return 0
    sign = int(np.sign(np.mean(differences)))
    return -sign if BEST[measure] is min else sign

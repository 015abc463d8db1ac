"""The figures that pages cite, computed from the stored results of the benchmarks.

A page writes ``{{ aode_log_loss }}``; so its claims change when the benchmarks do.
"""

import json
from pathlib import Path

import numpy as np

DOC = Path(__file__).resolve().parent.parent


def read_results(name):
    """Return the stored results of one benchmark."""
    return json.loads((DOC / f"{name}.json").read_text(encoding="utf-8"))


def table_means(results, score):
    """Return the score over the folds of each learner that has it, for each table.

    It is the mean, of seconds the median.
    """
    over_folds = np.median if score == "seconds" else np.mean
    return {
        learner: {table: over_folds(folds[score]) for table, folds in tables.items()}
        for learner, tables in results.items()
        if learner != "machine"
        and not learner.endswith(", whole")
        and score in next(iter(tables.values()))
    }


def means(results, score):
    """Return the mean over the tables for each learner."""
    return {
        learner: float(np.mean(list(tables.values())))
        for learner, tables in table_means(results, score).items()
    }


def decimals(value):
    """Return a number with three decimals, as .891."""
    return f"{value:.3f}".removeprefix("0")


def ratio(value):
    """Return how many times as fast: two digits, whole from ten on."""
    return f"{value:.0f}" if value >= 10 else f"{value:.1f}"


def figures():
    """Return all figures as strings, by the names that pages use."""
    learners = read_results("accuracy_out_of_the_box")
    accuracy, loss = means(learners, "accuracy"), means(learners, "log loss")
    r2, seconds = means(learners, "R²"), means(learners, "seconds")
    by_date = read_results("accuracy_text")["by_date"]
    speed = read_results("benchmarks")
    forest, boosting = "RandomForest", "HistGradientBoosting"
    result = {
        "n_classifier_tables": str(len(learners["AODEClassifier"])),
        "n_regressor_tables": str(len(learners["LocallyWeightedRegressor"])),
        "stacking_accuracy": decimals(accuracy["BayesianStackingClassifier"]),
        "stacking_log_loss": decimals(loss["BayesianStackingClassifier"]),
        "stacking_seconds": f"{seconds['BayesianStackingClassifier']:.1f}",
        "stacking_r2": decimals(r2["BayesianStackingRegressor"]),
        "stacking_number_seconds": f"{seconds['BayesianStackingRegressor']:.1f}",
        "lightgbm_log_loss": decimals(loss["LGBMClassifier"]),
        "boosting_class_seconds": f"{seconds[f'{boosting}Classifier']:.1f}",
        "aode_accuracy": decimals(accuracy["AODEClassifier"]),
        "aode_log_loss": decimals(loss["AODEClassifier"]),
        "shepard_log_loss": decimals(loss["ShepardKNN"]),
        "network_accuracy": decimals(accuracy["BeliefNetworkClassifier"]),
        "network_log_loss": decimals(loss["BeliefNetworkClassifier"]),
        "adaboost_accuracy": decimals(accuracy["MyAdaBoost"]),
        "boosting_accuracy": decimals(accuracy[f"{boosting}Classifier"]),
        "boosting_log_loss": decimals(loss[f"{boosting}Classifier"]),
        "forest_log_loss": decimals(loss[f"{forest}Classifier"]),
        "logistic_log_loss": decimals(loss["LogisticRegression"]),
        "kneighbors_log_loss": decimals(loss["KNeighborsClassifier"]),
        "local_r2": decimals(r2["LocallyWeightedRegressor"]),
        "local_seconds": decimals(seconds["LocallyWeightedRegressor"]),
        "forest_r2": decimals(r2[f"{forest}Regressor"]),
        "boosting_r2": decimals(r2[f"{boosting}Regressor"]),
        "boosting_seconds": decimals(seconds[f"{boosting}Regressor"]),
        "shepard_r2": decimals(r2["ShepardKNNRegressor"]),
        "kneighbors_r2": decimals(r2["KNeighborsRegressor"]),
    }
    for name, model in {
        "language_model": "LanguageModelNB, chosen",
        "complement": "ComplementNB()",
        "tfidf_complement": "TF-IDF + ComplementNB()",
        "multinomial": "MultinomialNB()",
        "text_nb": "TextNB()",
        "tfidf_svm": "TF-IDF + LinearSVC(), calibrated",
    }.items():
        (split,) = by_date[model]
        result[f"{name}_percent"] = f"{100 * split['accuracy']:.1f}"
        result[f"{name}_text_log_loss"] = f"{split['log_loss']:.2f}"
        result[f"{name}_seconds"] = f"{split['seconds']:.0f}"
    for name in (
        "aode-fit",
        "boosting-fit",
        "boosting-fit-lightgbm",
        "index-brute",
        "local-many-rows",
        "loess-errors-interpolated",
        "nearest-64",
        "nearest-784",
        "network-tan",
        "patches-brute",
        "patches-ivf",
        "shepard-all",
    ):
        result[f"{name.replace('-', '_')}_ratio"] = ratio(speed[name]["ratio"])
    for name in ("nearest-64", "nearest-784"):  # where the peer is faster
        result[f"{name.replace('-', '_')}_inverse"] = ratio(1 / speed[name]["ratio"])
    one_row = read_results("one_row")["estimators"]
    for ours, peer, name in (
        ("naive_bayes", "gaussian", "MEstimateNB"),
        ("shepard", "k_neighbors", "ShepardKNN"),
    ):
        for key, microseconds in zip((ours, peer), one_row[name]["microseconds"]):
            result[f"one_row_{key}"] = f"{microseconds:.0f}"
    return result


def setup(app):
    """Let pages cite the figures as substitutions."""
    app.config.myst_substitutions = figures()
    return {"parallel_read_safe": True}

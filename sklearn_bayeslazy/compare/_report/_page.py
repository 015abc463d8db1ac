"""Fills the template of the report: one HTML page that loads no other file."""

import platform
import time
from pathlib import Path

import jinja2
import numpy as np
import sklearn
from markupsafe import Markup
from sklearn.inspection import permutation_importance
from sklearn.metrics import confusion_matrix

from ... import __version__
from ...tabular.cleaning import DROP
from .. import _formatting, _summary
from .._dataset import CLASSIFICATION
from .._formatting import describe_error, format_number
from .._metrics import log_loss
from . import _figures
from ._code import code_of_winner

MAX_CONFUSION_CLASSES = 30
MAX_IMPORTANCE_ROWS, N_REPEATS = 500, 5
# The seconds that all predictions for the importances may take, if one repeat may.
MAX_SECONDS = 20
THRESHOLDS = np.arange(1, 10) / 10


def render(comparison):
    """Return the page of a comparison as a string."""
    environment = jinja2.Environment(
        loader=jinja2.FileSystemLoader(Path(__file__).parent),
        autoescape=True,
        trim_blocks=True,
        lstrip_blocks=True,
        undefined=jinja2.StrictUndefined,
    )
    environment.globals |= {"formatting": _formatting, "summary": _summary}
    done = [one for one in comparison.outcomes if not one.failure]
    ratio = 1 / (comparison.n_folds - 1)
    makers = {
        "predictions": _predictions,
        "calibration": _calibration,
        "importances": _importances,
        "model": _model,
        "explained_rows": _explained_rows,
        "code": _code,
    }
    return environment.get_template("report.html.jinja").render(
        comparison=comparison,
        table=comparison.table,
        score_figures=[
            Markup(_figures.score_figure(done, k, metric, ratio))
            for k, metric in enumerate(comparison.metrics)
        ],
        sections={
            name: _values(make, comparison)
            for name, make in makers.items()
            if comparison.winner
        },
        loo_figures=[
            _loo_figure(one)
            for one in comparison.outcomes
            if _figures.has_loo_choice(one.estimator)
        ],
        versions=f"sklearn_bayeslazy {__version__}, scikit-learn "
        f"{sklearn.__version__}, NumPy {np.__version__}, Python "
        f"{platform.python_version()}",
    )


def _loo_figure(outcome):
    """Return an error, "" without one, and the figure of a learner's choice."""
    name = outcome.learner.name
    try:
        return "", Markup(_figures.loo_figure(outcome.estimator, name))
    except Exception as error:  # a learner of another package may have odd results
        return f"{name} cannot be drawn: {describe_error(error)}", ""


# The values of the sections on the best model, all from held-out rows.


def _values(make, comparison):
    """Return the values of a section, or the error; the other sections stay."""
    try:
        return make(comparison)
    except Exception as error:  # a learner of another package may be odd
        return {"error": describe_error(error)}


def _predictions(comparison):
    held_out = comparison.held_out
    if comparison.table.task != CLASSIFICATION:
        svg, n_outside = _figures.residual_figures(held_out, comparison.seed)
        residuals = held_out.y - held_out.predicted
        return {
            "quantiles": np.quantile(residuals, [0.5, 0.25, 0.75, 0.05, 0.95]),
            "n_outside": n_outside,
            "n_rows": len(residuals),
            "figure": Markup(svg),
        }
    labels = np.union1d(held_out.y, held_out.predicted)
    if len(labels) > MAX_CONFUSION_CLASSES:
        return {"n_classes": len(labels)}
    counts = confusion_matrix(held_out.y, held_out.predicted, labels=labels)
    # The shade is the share of the row's total, so that rare classes are visible.
    shares = (70 * counts / counts.sum(axis=1, keepdims=True).clip(min=1)).round()
    found = {
        "labels": labels,
        "confusion": [
            (label, list(zip(row, share)))
            for label, row, share in zip(labels, counts, shares)
        ],
    }
    classes = comparison.pipeline.classes_
    if held_out.proba is None or len(classes) != 2 or len(np.unique(held_out.y)) != 2:
        return found
    return found | {
        "figure": Markup(_figures.class_figures(held_out, classes)),
        "curves_of": str(classes[1]),
        "thresholds": [_threshold(held_out, classes[1], one) for one in THRESHOLDS],
    }


def _threshold(held_out, label, threshold):
    true, predicted = held_out.y == label, held_out.proba[:, 1] >= threshold
    hits = (true & predicted).sum()
    precision = hits / predicted.sum() if predicted.any() else np.nan
    values = precision, hits / true.sum(), np.mean(true == predicted)
    return [f"{threshold:.1f}", *map(format_number, values)]


def _calibration(comparison):
    if comparison.held_out.proba is None:
        return None
    return {"figure": Markup(_figures.calibration_figure(comparison.held_out))}


def _importances(comparison):
    unit = "absolute error"
    if comparison.table.task == CLASSIFICATION:
        unit = "log loss" if comparison.held_out.proba is not None else "accuracy"
    svg = _figures.importance_figure(*importances(comparison), f"loss of {unit}")
    return {"unit": unit, "figure": Markup(svg)}


def importances(comparison):
    """Return names, permutation importances and their deviations."""
    # The loss is the log loss of classes with probabilities, the error rate of other
    # classes, and the mean absolute error of numbers, whose differences an outlier of
    # the target does not hide.
    table, pipeline = comparison.table, comparison.pipeline
    used = [j for j, column in enumerate(table.columns) if column.kind != DROP]
    rows = comparison.test[:MAX_IMPORTANCE_ROWS]
    X = table.X.iloc[rows]
    start = time.perf_counter()
    pipeline.predict(X)
    seconds = time.perf_counter() - start
    n_repeats = int(MAX_SECONDS / max(seconds * len(used), 1e-9))
    result = permutation_importance(
        pipeline,
        X,
        table.y[rows],
        scoring=_score,
        n_repeats=max(1, min(N_REPEATS, n_repeats)),
        random_state=comparison.seed,
    )
    names = [table.columns[j].name for j in used]
    return names, result.importances_mean[used], result.importances_std[used]


def _score(pipeline, X, y):
    predicted = pipeline.predict(X)
    if hasattr(pipeline, "predict_proba"):
        return -log_loss(y, predicted, pipeline.predict_proba(X), pipeline.classes_)
    if y.dtype.kind == "f":
        return -np.mean(np.abs(y - predicted))
    return np.mean(predicted == y)


def _model(comparison):
    """Return the display of the winner, drawn from held-out rows as it reads them."""
    pipeline, rows = comparison.pipeline, comparison.test[:MAX_IMPORTANCE_ROWS]
    X = pipeline[:-1].transform(comparison.table.X.iloc[rows])
    svg = _figures.model_figure(pipeline[-1], X)
    return {"figure": Markup(svg)} if svg else None


def _explained_rows(comparison):
    """Return the explanations by the winner of three rows, as it shows them itself."""
    pipeline, held_out = comparison.pipeline, comparison.held_out
    if not hasattr(pipeline[-1], "explain"):
        return None
    if held_out.proba is not None:
        certainty = held_out.proba.max(axis=1)
        is_wrong = held_out.predicted != held_out.y
        wrong = np.argmax(np.where(is_wrong, certainty, -1))
        chosen = [np.argmax(certainty), np.argmin(certainty), wrong]
        chosen = chosen if is_wrong.any() else chosen[:2]
    else:
        predicted, error = held_out.predicted, np.abs(held_out.y - held_out.predicted)
        chosen = [np.argmax(predicted), np.argmin(predicted), np.argmax(error)]
    X = pipeline[:-1].transform(comparison.table.X.iloc[comparison.test[chosen]])
    html = pipeline[-1].explain(X)._repr_html_()
    return {"html": Markup(html), "n_rows": len(chosen)}


def _code(comparison):
    return {"code": code_of_winner(comparison)}

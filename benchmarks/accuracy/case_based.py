"""Cross-validate reasoning from cases on symbolic tables; complete deleted cells."""

import numpy as np
from sklearn.compose import make_column_selector, make_column_transformer
from sklearn.impute import SimpleImputer
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler

from benchmarks._data import read_table
from benchmarks._machine import describe
from benchmarks._markdown import (
    bold_best,
    markdown_table,
    mean_and_error,
    score_cell,
)
from benchmarks._scores import (
    best_model,
    classification_scores,
    score_folds,
    stratified_folds,
)
from benchmarks.accuracy._case_completion import (
    CASES,
    MODE,
    NAMES,
    NETWORK,
    recovered_shares,
    split_and_delete,
    symbolic_table,
)
from benchmarks.accuracy._experiment import QUICK_FOLDS, QUICK_ROWS, Experiment
from sklearn_bayeslazy import CaseBasedClassifier

TABLES = (
    "house_votes_84",
    "soybean",
    "zoo",
    "car",
    "tic_tac_toe",
    "german_credit",
    "horse_colic",
    "autos",
)
COMPLETED = ("zoo", "mushroom", "soybean")
COMPLETION = "completion of {}"
MAX_ROWS, MAX_ROWS_TO_COMPLETE, N_SPLITS = 2000, 600, 3
PEER, EQUAL, LEARNT = "KNeighborsClassifier", "equal weights", "learnt weights"


def peer():
    """Return the nearest neighbours behind scaled numbers and one-hot symbols."""
    numbers = make_pipeline(SimpleImputer(), StandardScaler())
    columns = make_column_transformer(
        (numbers, make_column_selector(dtype_include="number")),
        (
            OneHotEncoder(handle_unknown="ignore"),
            make_column_selector(dtype_exclude="number"),
        ),
    )
    return make_pipeline(columns, KNeighborsClassifier())


MODELS = {
    PEER: peer,
    EQUAL: lambda: CaseBasedClassifier(weights=None),
    LEARNT: CaseBasedClassifier,
}

INTRODUCTION = """\
# Accuracy of reasoning from cases

<!-- Written by `python -m benchmarks.accuracy case_based`; do not edit. -->

Ten-fold stratified cross-validation (shuffled, seed 0; the same folds for every model)
of tables that are mostly symbols, of at most {max_rows} rows: mean ± standard error
over the folds, the best of a table in bold.

*Learnt weights* is `CaseBasedClassifier()`, *equal weights* the same with
`weights=None`. Both choose the number of cases, the power and m by leave-one-out.
*KNeighborsClassifier* has scikit-learn's defaults behind one-hot symbols and scaled
numbers, whose missing values become the mean. In zoo the names of the animals are left
out.

**The rule for the weights was chosen on these folds:** the strength of the penalty, and
that the learnt weights are averaged with equal ones. The column of learnt weights is
therefore a little too good.

Every probability is clipped at the machine epsilon, as in `sklearn.metrics.log_loss`.
Seconds are the median over the folds of fitting and predicting.

Measured on {machine}.

"""

COMPLETION_TEXT = """
## Deleted cells

Of each table at most {max_rows} rows are used. Four fifths of them are stored; of the
others a fifth of the cells is deleted. The table shows the share of them that is filled
as it was, over {n_splits} random splits: by the most frequent value of the column, by
`BeliefNetwork().impute`, and by `CaseBasedClassifier().complete`.
"""


def measure(part, quick=False):
    """Return what each model scores in each fold, or split, of one part."""
    if part.startswith(COMPLETION.format("")):
        return _measure_completion(part.removeprefix(COMPLETION.format("")), quick)
    X, y = read_table(part, QUICK_ROWS if quick else MAX_ROWS)
    X = X.drop(columns=NAMES.get(part, []))
    folds = stratified_folds(y, QUICK_FOLDS if quick else 10)
    score = classification_scores(np.unique(y))
    return score_folds(MODELS, X, y, folds, score, record_errors=True)


def _measure_completion(table, quick):
    X, y = symbolic_table(table, QUICK_ROWS if quick else MAX_ROWS_TO_COMPLETE)
    shares = [
        recovered_shares(X, y, *split_and_delete(X, seed))
        for seed in range(1 if quick else N_SPLITS)
    ]
    return {name: [float(one[name]) for one in shares] for name in shares[0]}


def summarize(results):
    """Return the mean scores of each model."""
    lines = []
    for name, folds in results.items():
        if isinstance(folds, list):
            lines.append(f"{name:22}{mean_and_error(folds)}")
        else:
            scores = (score_cell(folds, one) for one in ("accuracy", "log loss"))
            lines.append(f"{name:22}{'   '.join(scores)}")
    return lines


def page(results):
    """Return the page of the documentation."""
    tables = {name: results[name] for name in TABLES if name in results}
    machine = describe(results["machine"])
    sections = [INTRODUCTION.format(machine=machine, max_rows=MAX_ROWS)]
    if tables:
        sections += [
            _section("accuracy", tables),
            _section("log loss", tables),
            _seconds_section(tables),
        ]
    return "".join([*sections, _completion_section(results)])


def _section(measure, tables):
    """Return the table of a measure, its means, and where learnt weights lose."""
    rows, means = [], {}
    for name, scores in tables.items():
        means[name] = {model: np.mean(scores[model][measure]) for model in MODELS}
        texts = {model: score_cell(scores[model], measure) for model in MODELS}
        rows.append([name, *bold_best(texts, best_model(scores, measure))])
    overall = [np.mean([one[model] for one in means.values()]) for model in MODELS]
    rows.append(["**mean**", *(f"{value:.4f}" for value in overall)])
    table = markdown_table(["table", *MODELS], rows)
    return f"\n## {measure.capitalize()}\n{table}\n" + _misses(measure, means)


def _misses(measure, means):
    """Return sentences that name the tables where learnt weights are worse."""
    sign = 1 if measure == "accuracy" else -1
    sentences = []
    for other in (EQUAL, PEER):
        lost = [
            f"{table} ({one[LEARNT]:.3f} against {one[other]:.3f})"
            for table, one in means.items()
            if sign * (one[LEARNT] - one[other]) < -1e-9
        ]
        where = f"on {', '.join(lost)}" if lost else "on no table"
        name = other if other == EQUAL else f"`{other}`"
        sentences.append(f"Learnt weights are worse than {name} {where}.\n")
    return "".join(sentences)


def _seconds_section(tables):
    rows = [
        [name, *(f"{np.median(scores[model]['seconds']):.2f}" for model in MODELS)]
        for name, scores in tables.items()
    ]
    return "\n## Seconds a fold\n" + markdown_table(["table", *MODELS], rows)


def _completion_section(results):
    methods = (MODE, NETWORK, CASES)
    found = {
        table: results[part]
        for table in COMPLETED
        if (part := COMPLETION.format(table)) in results
    }
    if not found:
        return ""
    rows = []
    for table, shares in found.items():
        texts = {name: mean_and_error(shares[name]) for name in methods}
        best = max(methods, key=lambda name: np.mean(shares[name]))
        rows.append([table, *bold_best(texts, best)])
    overall = [np.mean([shares[name] for shares in found.values()]) for name in methods]
    rows.append(["**mean**", *(f"{value:.3f}" for value in overall)])
    text = COMPLETION_TEXT.format(max_rows=MAX_ROWS_TO_COMPLETE, n_splits=N_SPLITS)
    return text + markdown_table(["table", *methods], rows)


EXPERIMENT = Experiment(
    "accuracy_cases",
    (*TABLES, *(COMPLETION.format(table) for table in COMPLETED)),
    measure,
    summarize,
    page,
)

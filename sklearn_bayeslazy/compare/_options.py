"""The options of the command line."""

import argparse
import csv

from .. import __version__

# A sample is divided into the held-out part and the folds.
MIN_SAMPLE = 20
COLUMN_OPTIONS = {
    "drop": "leave out these columns",
    "text": "these columns are free text",
    "category": "these columns are categories",
    "number": "these columns are numbers",
    "date": "these columns are dates",
}
KEEP = "use these columns though they look useless"


def make_parser(default_table):
    """Return the parser of a comparison."""
    parser = argparse.ArgumentParser(
        prog="python -m sklearn_bayeslazy",
        description="Compare the learners of sklearn_bayeslazy and of scikit-learn on "
        "a table by cross-validation, then score the best on held-out rows.",
        epilog="python -m sklearn_bayeslazy predict MODEL.joblib NEW.csv predicts rows "
        "with a model that --save wrote. python -m sklearn_bayeslazy warm-up compiles "
        "the loops of all learners beforehand; otherwise each is compiled at its first "
        "use, within --time-limit. Both have a --help.",
    )
    parser.add_argument(
        "table",
        nargs="?",
        default=default_table,
        metavar="TABLE",
        help="a file with a header: CSV with any delimiter, parquet, Excel or JSON "
        'lines, may be compressed; "-" is standard input; default: the horse colic '
        "table of this package",
    )
    _add_sheet_option(parser)
    _add_task_options(parser)
    _add_time_options(parser)
    _add_column_options(parser)
    parser.add_argument("--report", metavar="FILE.html", help="write an HTML page")
    parser.add_argument(
        "--save",
        metavar="MODEL.joblib",
        help="fit the best learner to all rows and write it; loading a joblib file "
        "runs the code in it, loading a file that ends with .skops does not",
    )
    parser.add_argument(
        "--no-progress", action="store_true", help="show no progress bar"
    )
    parser.add_argument("--version", action="version", version=__version__)
    return parser


def _add_sheet_option(parser):
    parser.add_argument(
        "--sheet",
        metavar="NAME",
        help="the sheet of an Excel or OpenDocument file; default: the first",
    )


def _add_task_options(parser):
    add = parser.add_argument_group(
        "what to predict, and by which learners"
    ).add_argument
    add(
        "--target",
        metavar="NAME",
        help='the column to predict; default: "target" if there is one, else the last',
    )
    add(
        "--task",
        choices=("classification", "regression"),
        help="default: inferred from the target",
    )
    add(
        "--scoring",
        type=_scoring,
        metavar="NAME",
        help="the score that ranks the learners: accuracy, log_loss, r2, rmse, or any "
        "scorer of scikit-learn, such as roc_auc or f1; default: accuracy or r2",
    )
    add(
        "--learners",
        type=_names,
        metavar="NAME,...",
        help="only the learners with one of these in their names",
    )
    add("--list", action="store_true", help="print the learners for the table, and end")
    add("--seed", type=at_least(0), default=0, metavar="N", help="default: 0")


def _add_time_options(parser):
    add = parser.add_argument_group("time").add_argument
    add(
        "--time-limit",
        type=_seconds,
        default=300.0,
        metavar="SECONDS",
        help="slow learners get fewer folds or are left out; 0: no limit; default: 300",
    )
    add(
        "--sample",
        type=at_least(MIN_SAMPLE, "all rows"),
        default=20_000,
        metavar="N",
        help="compare a random part of a longer table; 0: all rows; default: 20000",
    )
    add("--folds", type=at_least(2), default=10, metavar="N", help="default: 10")
    add(
        "--n-jobs",
        type=at_least(1),
        metavar="N",
        help="threads for the learners that can use several; default: 1",
    )


def _add_column_options(parser):
    group = parser.add_argument_group("columns", "Names, separated by commas.")
    for kind, text in {**COLUMN_OPTIONS, "keep": KEEP}.items():
        group.add_argument(
            f"--{kind}",
            type=_names,
            action="extend",
            default=[],
            metavar="NAME,...",
            help=text,
        )


def make_predict_parser():
    """Return the parser of predictions."""
    parser = argparse.ArgumentParser(
        prog="python -m sklearn_bayeslazy predict",
        description="Predict the rows of a table with a model that --save wrote; "
        "print them as CSV, with the probability of each class.",
        epilog="A joblib file runs the code in it when it is loaded: use only those of "
        "a source that you trust. A skops file runs none; only types of this package "
        "are read from it, so the forests and nearest neighbours of scikit-learn need "
        "joblib.",
    )
    parser.add_argument(
        "model", metavar="MODEL", help="a file of --save, MODEL.joblib or MODEL.skops"
    )
    parser.add_argument("table", metavar="NEW.csv", help='"-" is standard input')
    _add_sheet_option(parser)
    parser.add_argument(
        "--output", metavar="FILE.csv", help="write there; default: standard output"
    )
    return parser


def kinds_of_columns(options):
    """Return {name: kind} of the options that give kinds of columns."""
    # A column that two options name raises a ValueError.
    kinds = {}
    for kind in COLUMN_OPTIONS:
        for name in getattr(options, kind):
            if kinds.get(name, kind) != kind:
                raise ValueError(
                    f"--{kinds[name]} and --{kind} both name {name!r}; give one"
                )
            kinds[name] = kind
    return kinds


def at_least(minimum, meaning_of_0=""):
    """Return the type of an option: a whole number, not less than `minimum`, or 0."""
    # meaning_of_0: "" where 0 is too small too.

    def integer(text):
        value = int(text)
        if value < minimum and not (meaning_of_0 and value == 0):
            more = f"; 0 means {meaning_of_0}" if meaning_of_0 else ""
            raise argparse.ArgumentTypeError(f"{value} is less than {minimum}{more}")
        return value

    return integer


def _seconds(text):
    try:
        value = float(text)
    except ValueError:
        value = -1.0
    if not 0 <= value < float("inf"):
        raise argparse.ArgumentTypeError(
            f"{text} is not a time: give seconds, such as 60, or 0"
        )
    return value


def _scoring(text):
    if text in ("accuracy", "log_loss", "r2", "rmse"):
        return text
    from sklearn.metrics import get_scorer_names

    if text not in get_scorer_names():
        raise argparse.ArgumentTypeError(f"{text} is no scorer of scikit-learn")
    return text


def _names(text):
    names = [name.strip() for name in next(csv.reader([text], skipinitialspace=True))]
    return [name for name in names if name]

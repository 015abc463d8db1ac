"""The main job: ``python -m sklearn_bayeslazy`` compares the learners on a table."""

import argparse
import os
import sys
from contextlib import nullcontext

from . import __version__
from .datasets._loaders import DATA

DEFAULT_TABLE = DATA / "horse_colic.csv"
NO_LEARNER, BAD_REQUEST, INTERRUPTED = 1, 2, 130


def main(arguments=None):
    """Run the comparison; return the exit status.

    Parameters
    ----------
    arguments : list of str, default=None
        The command line without the program's name; None takes the process's own.

    Returns
    -------
    status : int
        0, or 1 if no learner could be fitted, 2 if the table, the target or the
        report's path is no good (one line on stderr says why), 130 if interrupted.
    """
    options = _make_parser().parse_args(arguments)
    try:
        return _run(options)
    except KeyboardInterrupt:
        print("interrupted", file=sys.stderr)
        return INTERRUPTED


def _run(options):
    # Imported late, so that --help and a wrong option answer at once.
    from ._comparison._evaluate import compare
    from ._comparison._learners import suited
    from ._comparison._output import OutputFile
    from ._comparison._report import render
    from ._comparison._table import read_table
    from ._comparison._text import describe_comparison, describe_table

    try:
        table = read_table(options.table, options.target, options.task)
        report = options.report and OutputFile(options.report, options.table)
    except (OSError, ValueError) as error:
        return _refuse(error)
    with report or nullcontext():
        print(describe_table(table), end="\n\n", flush=True)
        comparison = compare(
            table,
            suited(table),
            n_folds=options.folds,
            seed=options.seed,
            n_jobs=options.n_jobs,
            progress=_wants_progress(options),
        )
        print(describe_comparison(comparison))
        if report:
            try:
                report.write(render(comparison))
            except OSError as error:
                return _refuse(error)
            print(f"Report: {options.report}")
    return NO_LEARNER if comparison.winner is None else 0


def _make_parser():
    parser = argparse.ArgumentParser(
        prog="python -m sklearn_bayeslazy",
        description="Compare the learners of sklearn_bayeslazy and of scikit-learn on "
        "a table: cross-validation, then the winner on rows held out.",
    )
    add = parser.add_argument
    add(
        "table",
        nargs="?",
        default=DEFAULT_TABLE,
        metavar="TABLE.csv",
        help="a text table with a header, .gz or not; default: horse colic, shipped",
    )
    add("--target", metavar="NAME", help='default: the column "target", else the last')
    add(
        "--task",
        choices=("classification", "regression"),
        help="default: inferred from the target",
    )
    add("--report", metavar="FILE.html", help="also write one self-contained page")
    add("--folds", type=_at_least(2), default=10, metavar="N", help="default: 10")
    add("--seed", type=_at_least(0), default=0, metavar="N", help="default: 0")
    add(
        "--n-jobs",
        type=_at_least(1),
        metavar="N",
        help="threads for those that use them",
    )
    add("--no-progress", action="store_true", help="show no progress bar")
    add("--version", action="version", version=__version__)
    return parser


def _at_least(low):
    def integer(text):
        value = int(text)
        if value < low:
            raise argparse.ArgumentTypeError(f"{value} is less than {low}")
        return value

    return integer


def _wants_progress(options):
    watched = sys.stdout.isatty() and sys.stderr.isatty()
    return watched and not options.no_progress


def _refuse(error):
    """Say in one line why the request is no good."""
    message = str(error)
    if isinstance(error, OSError) and error.strerror:
        message = f"{error.filename}: {error.strerror}"
    print(f"sklearn_bayeslazy: {' '.join(message.split())}", file=sys.stderr)
    return BAD_REQUEST


if __name__ == "__main__":
    # Names from the table may lie outside the terminal's alphabet.
    sys.stdout.reconfigure(errors="replace")
    sys.stderr.reconfigure(errors="replace")
    try:
        status = main()
        sys.stdout.flush()
    except BrokenPipeError:
        # The reader of the pipe left; keep the interpreter's own flush from failing.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        status = 1
    sys.exit(status)

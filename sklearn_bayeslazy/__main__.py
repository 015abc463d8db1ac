"""The command line: ``python -m sklearn_bayeslazy`` compares learners on a table."""

import argparse
import os
import sys
from contextlib import nullcontext

from . import __version__
from .datasets._loaders import DATA

DEFAULT_TABLE = DATA / "horse_colic.csv"
ALL_LEARNERS_FAILED, BAD_ARGUMENTS, INTERRUPTED = 1, 2, 130


def main(arguments=None):
    """Run the comparison; return the exit status.

    Parameters
    ----------
    arguments : list of str, default=None
        The command line without the program's name; None means ``sys.argv[1:]``.

    Returns
    -------
    status : int
        0 on success; 1 if no learner could be fitted; 2 if the table, the target or
        the path of the report cannot be used (one line on stderr gives the reason);
        130 if interrupted.
    """
    given = sys.argv[1:] if arguments is None else arguments
    if given[:1] == ["warm-up"]:
        from ._warm_up import main as warm_up

        return warm_up(given[1:])
    options = _make_parser().parse_args(arguments)
    try:
        return _run(options)
    except KeyboardInterrupt:
        print("interrupted", file=sys.stderr)
        return INTERRUPTED


def _run(options):
    # Imported here, so that --help and a wrong option need no slow imports.
    from ._comparison._evaluate import compare
    from ._comparison._learners import learners_for
    from ._comparison._output import OutputFile
    from ._comparison._report import render
    from ._comparison._table import read_table
    from ._comparison._terminal import describe_comparison, describe_table

    try:
        table = read_table(options.table, options.target, options.task)
        report = options.report and OutputFile(options.report, options.table)
    except (OSError, ValueError) as error:
        return _print_error(error)
    with report or nullcontext():
        print(describe_table(table), end="\n\n", flush=True)
        comparison = compare(
            table,
            learners_for(table),
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
                return _print_error(error)
            print(f"Report: {options.report}")
    return ALL_LEARNERS_FAILED if comparison.winner is None else 0


def _make_parser():
    parser = argparse.ArgumentParser(
        prog="python -m sklearn_bayeslazy",
        description="Compare the learners of sklearn_bayeslazy and of scikit-learn on "
        "a table by cross-validation, then score the winner on held-out rows.",
    )
    add = parser.add_argument
    add(
        "table",
        nargs="?",
        default=DEFAULT_TABLE,
        metavar="TABLE.csv",
        help="a CSV file with a header, may be gzipped; default: the horse colic table "
        "of this package",
    )
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
    add("--report", metavar="FILE.html", help="also write a self-contained HTML page")
    add("--folds", type=_at_least(2), default=10, metavar="N", help="default: 10")
    add("--seed", type=_at_least(0), default=0, metavar="N", help="default: 0")
    add(
        "--n-jobs",
        type=_at_least(1),
        metavar="N",
        help="threads for the learners that can use several; default: 1",
    )
    add("--no-progress", action="store_true", help="show no progress bar")
    add("--version", action="version", version=__version__)
    return parser


def _at_least(minimum):
    def integer(text):
        value = int(text)
        if value < minimum:
            raise argparse.ArgumentTypeError(f"{value} is less than {minimum}")
        return value

    return integer


def _wants_progress(options):
    is_interactive = sys.stdout.isatty() and sys.stderr.isatty()
    return is_interactive and not options.no_progress


def _print_error(error):
    """Print one line on stderr and return the exit status."""
    message = str(error)
    if isinstance(error, OSError) and error.strerror:
        message = f"{error.filename}: {error.strerror}"
    print(f"sklearn_bayeslazy: {' '.join(message.split())}", file=sys.stderr)
    return BAD_ARGUMENTS


if __name__ == "__main__":
    # The encoding of the output may lack characters of the table's names.
    sys.stdout.reconfigure(errors="replace")
    sys.stderr.reconfigure(errors="replace")
    try:
        status = main()
        sys.stdout.flush()
    except BrokenPipeError:
        # The reader of the pipe has closed it. The interpreter flushes stdout at exit,
        # which must not fail.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        status = 1
    sys.exit(status)

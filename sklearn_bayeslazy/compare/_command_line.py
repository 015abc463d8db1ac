"""The command line: reads its options, compares learners on a table, or predicts."""

import sys
from pathlib import Path

from .. import datasets
from ._options import (
    kinds_of_columns,
    make_parser,
    make_predict_parser,
)

DEFAULT_TABLE = Path(datasets.__file__).parent / "data" / "horse_colic.csv"
# Of the extra `compare`.
PACKAGES = "pandas", "pyarrow", "jinja2", "rich", "matplotlib", "networkx", "skops"
ALL_LEARNERS_FAILED, BAD_ARGUMENTS, INTERRUPTED = 1, 2, 130


def main(arguments=None):
    """Run the comparison, or predict; return the exit status."""
    # arguments: the command line without the program's name; None means sys.argv[1:].
    # Status: 0 on success; 1 if no learner could be fitted; 2 if the table, the target,
    # an option or an output path cannot be used (one line on stderr gives the reason);
    # 130 if interrupted, after the results so far.
    arguments = sys.argv[1:] if arguments is None else list(map(str, arguments))
    run = _compare
    if arguments[:1] == ["warm-up"]:
        from ._warm_up import main as warm_up

        return warm_up(arguments[1:])
    if arguments[:1] == ["predict"]:
        run, options = _predict, make_predict_parser().parse_args(arguments[1:])
    else:
        options = make_parser(DEFAULT_TABLE).parse_args(arguments)
    try:
        return run(options)
    except KeyboardInterrupt:
        print("interrupted", file=sys.stderr)
        return INTERRUPTED
    except MemoryError:
        return _print_error("out of memory: use a part of the rows (--sample)")
    except ModuleNotFoundError as error:
        name = error.name.partition(".")[0]
        if name not in PACKAGES:
            raise
        return _print_error(
            f"the command line needs {name}: pip install 'sklearn-bayeslazy[compare]'"
        )


def _compare(options):
    # Imported here, so that --help and a wrong option need no slow imports.
    from ._evaluate import compare
    from ._learners._registry import learners_for
    from ._metrics import metrics_for
    from ._model_files import check_output, is_skops
    from ._read_dataset import read_dataset
    from ._terminal import LiveTable, describe_comparison, describe_table

    try:
        kinds = kinds_of_columns(options)
        table = read_dataset(
            options.table,
            options.target,
            options.task,
            kinds,
            options.keep,
            options.sheet,
            sample=options.sample or None,
            seed=options.seed,
        )
        learners = learners_for(table, options.learners)
        metrics = metrics_for(table, options.scoring)
        if is_skops(options.save):
            import skops  # noqa: F401, missing it is told before the long work
        outputs = {
            name: check_output(path, options.table, f"--{name}")
            for name in ("report", "save")
            if (path := getattr(options, name))
        }
        if len(outputs) > len(set(outputs.values())):
            raise ValueError(f"--report and --save both name {options.save}")
    except (OSError, ValueError) as error:
        return _print_error(error)
    if options.list:
        print("\n".join(learner.name for learner in learners))
        return 0
    print(describe_table(table), end="\n\n", flush=True)
    is_interactive = sys.stdout.isatty() and sys.stderr.isatty()
    show_bar = is_interactive and not options.no_progress
    with LiveTable(metrics, learners, show_bar) as live:
        comparison = compare(
            table,
            learners,
            n_folds=options.folds,
            seed=options.seed,
            n_jobs=options.n_jobs,
            seconds=options.time_limit or None,
            scoring=options.scoring,
            observer=live,
        )
    if comparison.interrupted and not comparison.outcomes:
        raise KeyboardInterrupt
    print("\n" + describe_comparison(comparison), flush=True)
    try:
        _write(comparison, outputs, options)
    except (OSError, ValueError) as error:
        return _print_error(error)
    if comparison.interrupted:
        print("interrupted", file=sys.stderr)
        return INTERRUPTED
    return ALL_LEARNERS_FAILED if comparison.winner is None else 0


def _write(comparison, outputs, options):
    from ._model_files import write_output
    from ._report._page import render
    from ._saved_model import save

    if "report" in outputs:
        write_output(outputs["report"], render(comparison))
        print(f"Report: {options.report}")
    if "save" in outputs and comparison.winner is not None:
        content, note, n_rows = save(comparison, options.save)
        write_output(outputs["save"], content)
        print(f"Model, fitted to all {n_rows} rows: {options.save}")
        if note:
            print(f"Note: {note}")


def _predict(options):
    from ._model_files import check_output, write_output
    from ._saved_model import predict_file

    try:
        are_models = [
            path.endswith((".joblib", ".skops"))
            for path in (options.model, options.table)
        ]
        if are_models == [False, True]:
            raise ValueError(
                f"the model comes first: predict {options.table} {options.model}"
            )
        output = None
        if options.output:
            output = check_output(options.output, options.table, "--output")
            if output == Path(options.model).resolve():
                raise ValueError(f"--output {options.output}: this is the model")
        text, notes = predict_file(options.model, options.table, options.sheet)
        if output:
            write_output(output, text)
        else:
            sys.stdout.write(text)
        for note in notes:
            print(f"sklearn_bayeslazy: {note}", file=sys.stderr)
    except (OSError, ValueError) as error:
        return _print_error(error)
    return 0


def _print_error(error):
    """Print one line on stderr and return the exit status."""
    message = str(error)
    if isinstance(error, OSError) and error.strerror:
        message = f"{error.filename or 'standard output'}: {error.strerror}"
    print(f"sklearn_bayeslazy: {' '.join(message.split())}", file=sys.stderr)
    return BAD_ARGUMENTS

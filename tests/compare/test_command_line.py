"""The command line: its output, its messages and its exit status.

Code under test: `__main__.py`, `compare/_command_line.py`, `compare/_options.py`.
"""

import errno
import os
import signal
import subprocess
import sys

import pytest

from sklearn_bayeslazy.compare import _read_dataset
from sklearn_bayeslazy.compare._command_line import main
from sklearn_bayeslazy.compare._files import _source
from tests.helpers.sentences import sentences

COMMAND = [sys.executable, "-m", "sklearn_bayeslazy"]


@pytest.fixture(autouse=True)
def few_learners(monkeypatch):
    """Run only a few fast learners; test_learner_registry runs all."""
    from sklearn_bayeslazy.compare._learners import _registry

    quick = [x for x in _registry.LEARNERS if x.name in ("CategoricalNB", "Ridge")]
    dummies = [x for x in _registry.LEARNERS if x.name.startswith("Dummy")]
    monkeypatch.setattr(_registry, "LEARNERS", [*quick, *dummies])


@pytest.fixture
def path(write_table, mixed_rows):
    return str(write_table(["word", "number", "class"], mixed_rows))


def test_the_default_table(capsys):
    assert main(["--folds", "2"]) == 0
    captured = capsys.readouterr()
    assert "horse_colic.csv: 368 rows, 22 columns" in captured.out
    assert "2-fold cross-validation on 276 rows" in captured.out
    assert "On the 92 rows held out: accuracy 0." in captured.out
    assert captured.err == ""


def test_a_table_and_its_report(path, tmp_path, capsys):
    report = tmp_path / "report.html"
    assert main([path, "--report", str(report), "--folds", "3"]) == 0
    assert capsys.readouterr().out.endswith(f"Report: {report}\n")
    assert report.read_text(encoding="utf-8").startswith("<!DOCTYPE html>")


def test_a_table_with_only_text(write_table, monkeypatch, capsys):
    rows = [
        [f'"{text}",\nhe said' if i % 9 else "", "xy"[i % 2]]
        for i, text in enumerate(sentences(60, mood=["great", "boring"]))
    ]
    path = str(write_table(["note", "t"], rows))
    assert main([path, "--folds", "2"]) == 0
    out = capsys.readouterr().out
    assert "60 rows, 1 column\n" in out
    assert "DummyClassifier" in out
    assert "CategoricalNB" not in out


def test_free_text_as_target_is_an_error(write_table, capsys):
    path = str(write_table(["t", "note"], [["x", text] for text in sentences(40)]))
    assert main([path]) == 2
    captured = capsys.readouterr()
    assert captured.err.count("\n") == 1
    assert "too many for classification" in captured.err


def test_options_reach_the_comparison(path, capsys):
    assert main([path, "--target", "number", "--folds", "2", "--n-jobs", "2"]) == 0
    first = capsys.readouterr().out
    assert "number: regression" in first
    assert "2-fold" in first
    assert "12 rows without a target were left out" in first
    assert main([path, "--target", "number", "--folds", "2", "--seed", "9"]) == 0
    verdicts = [text.splitlines()[-1] for text in (first, capsys.readouterr().out)]
    assert verdicts[0] != verdicts[1]


@pytest.mark.parametrize(
    ("content", "arguments", "message"),
    [
        (None, [], "No such file or directory"),
        (b"", [], "the file is empty"),
        (b"a,b\n", [], "a header but no rows"),
        (b"a,b\n1,2\n3\n", [], "line 3: 1 cells where the header has 2"),
        (b"a,b\n1,x\0\n", [], "line 2: a NUL byte"),
        (b"a,b\n" + b"1,x\n2,y\n" * 9, ["--drop", "a"], "no column is left"),
        (b"a,b\n" + b"1,x\n2,y\n" * 9, ["--drop", "c"], "no column 'c' for --drop"),
        (b"a,b\n" + b"1,x\n2,y\n" * 9, ["--scoring", "r2"], "is for regression"),
        (b"a,b\n" + b"1,x\n2,y\n" * 9, ["--learners", "svm"], "--list shows them"),
        (b"a,b\n" + b"1,x\n2,y\n" * 9, ["--learners", ""], "--list shows them"),
        (b"a,b\n" + b"1,x\n2,y\n" * 9, ["--drop", "a", "--text", "a"], "both name"),
        (b"a,b\n" + b"u,x\nv,y\n" * 9, ["--number", "a"], "none of its cells can be"),
        (b"a,b\n" + b"1.2.24,x\nv,y\n" * 9, ["--date", "a"], "dates as YYYY-MM-DD"),
        (b"a,b\n" + b"1,x\n2,y\n" * 9, ["--save", "s", "--report", "s"], "both name s"),
        (b"a,b\n1,x\n2,y\n", [], "at least 10 are needed"),
        (b"a,b\n" + b"1,x\n" * 20, [], "is x in every row"),
        (b"aa,b\n" + b"1,x\n2,y\n" * 9, ["--target", "a"], "close matches: 'aa'"),
        (b"a,b\n" + b"1,x\n2,y\n" * 9, ["--task", "regression"], "holds strings"),
        (b"a,b\n" + b"1,x\n2,y\n" * 9, ["--report", "/absent/r.html"], "no folder"),
        (b"a,b\n" + b"1,x\n2,y\n" * 9, ["--report", "/dev/null"], "not a plain file"),
        (b'"a\nb",c\n1\n', [], "line 3: 1 cells"),
    ],
)
def test_bad_arguments_give_one_line_and_status_2(
    content, arguments, message, tmp_path, capsys
):
    path = tmp_path / "table.csv"
    if content is not None:
        path.write_bytes(content)
    assert main([str(path), *arguments]) == 2
    captured = capsys.readouterr()
    assert captured.out == ""
    assert captured.err.count("\n") == 1
    assert captured.err.startswith("sklearn_bayeslazy: ")
    assert message in captured.err
    assert len(os.listdir(tmp_path)) == (content is not None)


def test_a_directory_as_table_is_an_error(tmp_path, capsys):
    assert main([str(tmp_path)]) == 2
    assert capsys.readouterr().err.count("\n") == 1


def test_a_file_that_may_not_be_read_is_an_error(path, monkeypatch, capsys):
    def refuse(path, *mode):  # the tests may run as root, who may read every file
        raise PermissionError(errno.EACCES, os.strerror(errno.EACCES), str(path))

    monkeypatch.setattr(_source, "open", refuse, raising=False)
    assert main([path]) == 2
    message = f"sklearn_bayeslazy: {path}: Permission denied\n"
    assert capsys.readouterr().err == message


def test_too_many_columns_are_an_error(write_table, monkeypatch, capsys):
    monkeypatch.setattr(_read_dataset, "MAX_COLUMNS", 20)
    names = [f"c{j}" for j in range(21)]
    rows = [[i % 3] * 21 + ["xy"[i % 2]] for i in range(12)]
    path = str(write_table([*names, "t"], rows))
    assert main([path]) == 2
    captured = capsys.readouterr()
    assert captured.out == ""
    assert captured.err.count("\n") == 1
    assert "21 columns; at most 20 can be compared" in captured.err
    assert main([path, "--drop", "c0", "--list"]) == 0


def test_one_column_is_an_error(write_table, capsys):
    assert main([str(write_table(["a"], [["x"], ["y"]] * 10))]) == 2
    assert "'a' is the only column" in capsys.readouterr().err


@pytest.mark.parametrize(
    "arguments",
    [
        ["--folds", "1"],
        ["--seed", "-1"],
        ["--n-jobs", "0"],
        ["--task", "x"],
        ["--sample", "-1"],
        ["--sample", "1"],
        ["--time-limit", "-1"],
        ["--time-limit", "nan"],
        ["--time-limit", "1m"],
        ["--scoring", "auc"],
    ],
)
def test_the_message_on_a_bad_option_names_it(arguments, capsys):
    with pytest.raises(SystemExit) as stopped:
        main(arguments)
    assert stopped.value.code == 2
    message = capsys.readouterr().err
    assert f"argument {arguments[0]}" in message
    assert "invalid _" not in message  # the name of a function


def test_status_is_1_if_all_learners_fail(path, monkeypatch, capsys):
    from sklearn_bayeslazy.compare._learners import _registry
    from sklearn_bayeslazy.compare._learners._learner import Learner

    broken = Learner("broken", "classification", "x", lambda table: 1 / 0)
    monkeypatch.setattr(_registry, "LEARNERS", [broken])
    assert main([path]) == 1
    out = capsys.readouterr().out
    assert "failed: ZeroDivisionError: division by zero" in out
    assert out.endswith("No learner could be fitted.\n")


@pytest.fixture
def interruptible():
    """Let SIGINT interrupt, which shells ignore in jobs of the background."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


@pytest.mark.usefixtures("interruptible")
def test_an_interrupt_leaves_no_report_and_no_traceback(
    path, tmp_path, monkeypatch, capsys
):
    from sklearn_bayeslazy.compare._learners import _registry
    from sklearn_bayeslazy.compare._learners._learner import Learner

    def interrupt(table):
        signal.raise_signal(signal.SIGINT)

    slow = Learner("slow", "classification", "x", interrupt)
    monkeypatch.setattr(_registry, "LEARNERS", [slow])
    before = os.listdir(tmp_path)
    assert main([path, "--report", str(tmp_path / "report.html")]) == 130
    assert capsys.readouterr().err == "interrupted\n"
    assert os.listdir(tmp_path) == before


@pytest.mark.usefixtures("interruptible")
def test_an_interrupt_prints_and_reports_what_is_finished(
    path, tmp_path, monkeypatch, capsys
):
    from sklearn_bayeslazy.compare._learners import _registry
    from sklearn_bayeslazy.compare._learners._learner import Learner

    def interrupt(table):
        signal.raise_signal(signal.SIGINT)

    slow = Learner("slow", "classification", "x", interrupt, cost=9)
    monkeypatch.setattr(_registry, "LEARNERS", [*_registry.LEARNERS, slow])
    report = tmp_path / "report.html"
    assert main([path, "--report", str(report), "--folds", "2"]) == 130
    captured = capsys.readouterr()
    assert captured.err == "interrupted\n"
    assert "Left out (interrupted): slow." in captured.out
    assert "by accuracy: CategoricalNB. On the 15 rows held out" in captured.out
    assert "CategoricalNB" in report.read_text(encoding="utf-8")


def test_list_prints_the_learners_of_the_table(path, capsys):
    assert main([path, "--list"]) == 0
    assert capsys.readouterr().out == "CategoricalNB\nDummyClassifier\n"
    assert main([path, "--list", "--learners", "dummy"]) == 0
    assert capsys.readouterr().out == "DummyClassifier\n"


def test_options_of_columns_overrule_what_is_recognised(write_table, capsys):
    rows = [
        [f"c{i}", 2000 + i % 3, i % 7, "const", f"{i % 9},5", "xy"[i % 2]]
        for i in range(40)
    ]
    header = ["code", "year", "n", "last, first", "amount", "t"]
    path = str(write_table(header, rows))
    options = [
        "--keep",
        'code,"last, first"',
        "--category",
        "year,amount",
        "--drop",
        "n",
    ]
    assert main([path, *options, "--folds", "2"]) == 0
    lines = capsys.readouterr().out.splitlines()
    kinds = {name: next(x for x in lines if x.startswith(name)) for name in header[:-1]}
    assert "category" in kinds["code"]
    assert "category" in kinds["year"]
    assert "category" in kinds["amount"]
    assert "dropped" in kinds["n"]
    assert "category" in kinds["last, first"]
    assert main([path, "--folds", "2"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert any(x.startswith("last, first") and "dropped" in x for x in lines)
    # The decision names the option that overrules it, as a shell reads it.
    assert any("(if not: --keep '\"last, first\"')" in x for x in lines)


def test_scoring_ranks_by_the_log_loss(path, capsys):
    assert main([path, "--scoring", "log_loss", "--folds", "2"]) == 0
    assert " by log loss: " in capsys.readouterr().out


def test_a_sample_is_compared_and_told(path, capsys):
    assert main([path, "--sample", "40", "--folds", "2"]) == 0
    out = capsys.readouterr().out
    assert "A random 40 of the 60 rows are compared (--sample)." in out
    assert "on 30 rows" in out
    assert main([path, "--sample", "0", "--folds", "2"]) == 0
    assert "on 45 rows" in capsys.readouterr().out


def test_a_table_on_standard_input(path, monkeypatch, capsys):
    with open(path, encoding="utf-8") as stream:
        monkeypatch.setattr("sys.stdin", stream)
        assert main(["-", "--list"]) == 0
    captured = capsys.readouterr()
    assert (captured.out, captured.err) == ("CategoricalNB\nDummyClassifier\n", "")


def test_output_in_an_encoding_that_lacks_characters(write_table):
    rows = [["日本"[i % 2], "xy"[i % 2]] for i in range(30)]
    path = write_table(["größe", "t"], rows, "naïve.csv")
    environment = {**os.environ, "PYTHONIOENCODING": "ascii:strict"}
    done = subprocess.run(
        [*COMMAND, path, "--folds", "2", "--learners", "dummy"],
        env=environment,
        capture_output=True,
        check=False,
    )
    assert done.returncode == 0
    assert done.stderr == b""
    assert b"gr??e" in done.stdout


def test_a_closed_pipe_prints_no_traceback(path):
    program = subprocess.Popen(
        [*COMMAND, path, "--folds", "2"], stdout=subprocess.PIPE, stderr=subprocess.PIPE
    )
    program.stdout.close()
    with program.stderr:
        assert program.stderr.read() == b""
    assert program.wait() == 1


def test_version_does_not_import_the_learners():
    program = (
        "import sys; sys.argv = ['x', '--version']\n"
        "from sklearn_bayeslazy.compare._command_line import main\n"
        "try:\n    main()\nexcept SystemExit:\n    pass\n"
        "sys.exit('sklearn_bayeslazy.compare._evaluate' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", program], check=False)
    assert done.returncode == 0

"""The program as its user runs it: what it prints, and how it ends."""

import os
import signal
import subprocess
import sys

import pytest
from sentences import sentences

from sklearn_bayeslazy.__main__ import main

COMMAND = [sys.executable, "-m", "sklearn_bayeslazy"]


@pytest.fixture(autouse=True)
def few_learners(monkeypatch):
    """Leave the slow ones out; test_learners tries them all."""
    from sklearn_bayeslazy._comparison import _learners

    quick = [x for x in _learners.LEARNERS if x.name in ("CategoricalNB", "Ridge")]
    dummies = [x for x in _learners.LEARNERS if x.name.startswith("Dummy")]
    monkeypatch.setattr(_learners, "LEARNERS", [*quick, *dummies])


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


def test_a_table_of_text(write_table, monkeypatch, capsys):
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


def test_text_is_no_target(write_table, capsys):
    path = str(write_table(["t", "note"], [["x", text] for text in sentences(40)]))
    assert main([path]) == 2
    captured = capsys.readouterr()
    assert captured.err.count("\n") == 1
    assert "as a name or free text has" in captured.err


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
        (b"a,b\n1,\xfe\n", [], "is not UTF-8"),
        (b"a,b\n1,x\n2,y\n", [], "at least 10 are needed"),
        (b"a,b\n" + b"1,x\n" * 20, [], "is x in every row"),
        (b"aa,b\n" + b"1,x\n2,y\n" * 9, ["--target", "a"], "close matches: 'aa'"),
        (b"a,b\n" + b"1,x\n2,y\n" * 9, ["--task", "regression"], "holds strings"),
        (b"a,b\n" + b"1,x\n2,y\n" * 9, ["--report", "/absent/r.html"], "No such file"),
        (b"a,b\n" + b"1,x\n2,y\n" * 9, ["--report", "/dev/null"], "not a plain file"),
        (b'"a\nb",c\n1\n', [], "line 3: 1 cells"),
    ],
)
def test_a_bad_request_is_one_line_and_status_2(
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


def test_a_directory_is_no_table(tmp_path, capsys):
    assert main([str(tmp_path)]) == 2
    assert capsys.readouterr().err.count("\n") == 1


@pytest.mark.parametrize(
    "arguments",
    [["--folds", "1"], ["--seed", "-1"], ["--n-jobs", "0"], ["--task", "x"]],
)
def test_bad_options_are_refused_by_name(arguments, capsys):
    with pytest.raises(SystemExit) as stopped:
        main(arguments)
    assert stopped.value.code == 2
    assert f"argument {arguments[0]}" in capsys.readouterr().err


def test_no_learner_is_status_1(path, monkeypatch, capsys):
    from sklearn_bayeslazy._comparison import _learners

    broken = _learners.Learner("broken", "classification", "x", lambda table: 1 / 0)
    monkeypatch.setattr(_learners, "LEARNERS", [broken])
    assert main([path]) == 1
    out = capsys.readouterr().out
    assert "failed: ZeroDivisionError: division by zero" in out
    assert out.endswith("No learner could be fitted.\n")


def test_an_interrupt_leaves_no_report_and_no_traceback(
    path, tmp_path, monkeypatch, capsys
):
    from sklearn_bayeslazy._comparison import _learners

    def interrupt(table):
        signal.raise_signal(signal.SIGINT)

    slow = _learners.Learner("slow", "classification", "x", interrupt)
    monkeypatch.setattr(_learners, "LEARNERS", [slow])
    before = os.listdir(tmp_path)
    assert main([path, "--report", str(tmp_path / "report.html")]) == 130
    assert capsys.readouterr().err == "interrupted\n"
    assert os.listdir(tmp_path) == before


def test_piped_through_an_alphabet_that_lacks_letters(write_table):
    rows = [["日本"[i % 2], "xy"[i % 2]] for i in range(30)]
    path = write_table(["größe", "t"], rows, "naïve.csv")
    environment = {**os.environ, "PYTHONIOENCODING": "ascii:strict"}
    done = subprocess.run(
        [*COMMAND, path, "--folds", "2"],
        env=environment,
        capture_output=True,
        check=False,
    )
    assert done.returncode == 0
    assert done.stderr == b""
    assert b"gr??e" in done.stdout


def test_a_reader_that_leaves_makes_no_noise(path):
    program = subprocess.Popen(
        [*COMMAND, path, "--folds", "2"], stdout=subprocess.PIPE, stderr=subprocess.PIPE
    )
    program.stdout.close()
    with program.stderr:
        assert program.stderr.read() == b""
    assert program.wait() == 1


def test_help_and_version_are_quick_to_give():
    program = (
        "import sys; sys.argv = ['x', '--version']\n"
        "from sklearn_bayeslazy.__main__ import main\n"
        "try:\n    main()\nexcept SystemExit:\n    pass\n"
        "sys.exit('sklearn_bayeslazy._comparison._evaluate' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", program], check=False)
    assert done.returncode == 0

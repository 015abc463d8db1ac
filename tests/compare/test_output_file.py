"""Output files: checked before the work, then replaced in one step.

Code under test: `compare/_model_files.py`.
"""

import errno
import os
from pathlib import Path

import pytest

from sklearn_bayeslazy.compare._command_line import main
from sklearn_bayeslazy.compare._model_files import check_output, write_output


def write(path, table, content):
    write_output(check_output(path, table, "--report"), content)


def test_the_new_file_replaces_the_former_one(tmp_path):
    path = tmp_path / "report.html"
    path.write_text("former")
    write(path, tmp_path / "table.csv", "new é")
    assert path.read_text(encoding="utf-8") == "new é"
    assert os.listdir(tmp_path) == ["report.html"]


def test_a_link_is_followed(tmp_path):
    (tmp_path / "pages").mkdir()
    link = tmp_path / "report.html"
    link.symlink_to(tmp_path / "pages" / "real.html")
    write(link, tmp_path / "table.csv", "new")
    assert link.is_symlink()
    assert (tmp_path / "pages" / "real.html").read_text() == "new"


def test_permissions_are_the_default_ones(tmp_path):
    write(tmp_path / "report.html", tmp_path / "table.csv", b"new")
    (tmp_path / "other").write_text("")
    modes = {path.stat().st_mode for path in tmp_path.iterdir()}
    assert len(modes) == 1


def test_paths_that_cannot_be_written_raise_an_error_at_once(tmp_path, monkeypatch):
    def refused(path, message):
        with pytest.raises(ValueError, match=message):
            check_output(path, table, "--report")

    table = tmp_path / "table.csv"
    table.write_text("a,b\n")
    table.with_name("file").write_text("")
    refused(tmp_path / "absent" / "report.html", r"there is no folder .*absent'; make")
    refused(tmp_path, "not a plain file")
    refused(os.devnull, "not a plain file")
    refused(tmp_path / "." / "table.csv", "this is the table")
    refused(tmp_path / "file" / "report.html", "there is no folder")
    # The tests may run as root, who may write everywhere.
    monkeypatch.setattr(os, "access", lambda path, mode: False)
    refused(tmp_path / "report.html", "its folder cannot be written")
    assert sorted(os.listdir(tmp_path)) == ["file", "table.csv"]


@pytest.mark.parametrize("error", [OSError(errno.ENOSPC, "No space left"), None])
def test_a_full_disk_names_the_path_and_the_former_file_stays(
    tmp_path, monkeypatch, error
):
    def fail(path, content):
        path.touch()
        raise error or KeyboardInterrupt

    path = tmp_path / "report.html"
    path.write_text("former")
    monkeypatch.setattr(Path, "write_bytes", fail)
    with pytest.raises(BaseException) as caught:
        write(path, tmp_path / "table.csv", "new")
    assert error is None or caught.value.filename == str(path)
    assert path.read_text() == "former"
    assert os.listdir(tmp_path) == ["report.html"]


@pytest.mark.parametrize("error", [MemoryError(), ModuleNotFoundError(name="pyarrow")])
def test_want_of_memory_or_of_a_package_is_one_line(error, monkeypatch, capsys):
    def fail(*arguments, **options):
        raise error

    monkeypatch.setattr("sklearn_bayeslazy.compare._read_dataset.read_dataset", fail)
    assert main([]) == 2
    message = capsys.readouterr().err
    assert message.count("\n") == 1
    assert (
        "--sample" in message or "pip install 'sklearn-bayeslazy[compare]'" in message
    )

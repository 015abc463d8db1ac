"""OutputFile: checked before the work, then replaced in one step."""

import errno
import os

import pytest

from sklearn_bayeslazy.compare._command_line import main
from sklearn_bayeslazy.compare._model_files import OutputFile


def test_the_former_file_stays_until_the_new_one_is_complete(tmp_path):
    path = tmp_path / "report.html"
    path.write_text("former")
    with OutputFile(path, tmp_path / "table.csv") as output:
        assert path.read_text() == "former"
        output.write("new é")
    assert path.read_text(encoding="utf-8") == "new é"
    assert os.listdir(tmp_path) == ["report.html"]


def test_a_failure_leaves_no_temporary_file(tmp_path):
    path = tmp_path / "report.html"
    with pytest.raises(KeyboardInterrupt), OutputFile(path, tmp_path / "table.csv"):
        raise KeyboardInterrupt
    assert os.listdir(tmp_path) == []


def test_a_link_is_followed(tmp_path):
    (tmp_path / "pages").mkdir()
    link = tmp_path / "report.html"
    link.symlink_to(tmp_path / "pages" / "real.html")
    with OutputFile(link, tmp_path / "table.csv") as output:
        output.write("new")
    assert link.is_symlink()
    assert (tmp_path / "pages" / "real.html").read_text() == "new"


def test_permissions_are_the_default_ones(tmp_path):
    with OutputFile(tmp_path / "report.html", tmp_path / "table.csv") as output:
        output.write("new")
    (tmp_path / "other").write_text("")
    modes = {path.stat().st_mode for path in tmp_path.iterdir()}
    assert len(modes) == 1


def test_paths_that_cannot_be_written_raise_an_error_at_once(tmp_path):
    table = tmp_path / "table.csv"
    table.write_text("a,b\n")
    with pytest.raises(ValueError, match=r"there is no folder .*absent'; make it"):
        OutputFile(tmp_path / "absent" / "report.html", table)
    for path in (tmp_path, os.devnull):
        with pytest.raises(ValueError, match="not a plain file"):
            OutputFile(path, table)
    with pytest.raises(ValueError, match="this is the table"):
        OutputFile(tmp_path / "." / "table.csv", table)
    table.with_name("file").write_text("")
    with pytest.raises(ValueError, match="there is no folder"):
        OutputFile(tmp_path / "file" / "report.html", table)
    assert sorted(os.listdir(tmp_path)) == ["file", "table.csv"]


def test_a_full_disk_names_the_path(tmp_path, monkeypatch):
    output = OutputFile(tmp_path / "report.html", tmp_path / "table.csv")

    class Full:
        def write(self, text):
            raise OSError(errno.ENOSPC, "No space left on device")

        def close(self):
            raise OSError(errno.ENOSPC, "No space left on device")

    output._stream.close()
    output._stream = Full()
    with output, pytest.raises(OSError, match="No space left") as caught:
        output.write("new")
    assert caught.value.filename == str(tmp_path / "report.html")
    assert os.listdir(tmp_path) == []


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

"""Kernels: the form of their arrays, how they are compiled, and stored.

Code under test: `_core/_kernel.py`, `_core/_kernel_cache.py`.
"""

import os
import tempfile
import threading
from pathlib import Path

import numba
import numpy as np
import pytest
from numba.core.caching import IndexDataCacheFile

from sklearn_bayeslazy._core import _kernel_cache
from sklearn_bayeslazy._core._kernel import frozen, inlined, kernel


def total(x):
    sum_ = 0.0
    for i in range(x.shape[0]):
        for j in range(x.shape[1]):
            sum_ += x[i, j]
    return sum_


@pytest.fixture
def table():
    return np.arange(6.0).reshape(2, 3)


def test_an_array_in_the_right_form_is_viewed_not_copied(table):
    view = frozen(table, np.float64)
    assert np.shares_memory(view, table)
    assert not view.flags.writeable
    assert table.flags.writeable, "the caller's array stays as it is"


@pytest.mark.parametrize(
    "distort",
    [
        np.asfortranarray,
        lambda x: np.repeat(x, 2, axis=1)[:, ::2],
        lambda x: x[::-1].copy()[::-1],
        lambda x: x.astype(np.int8),
        lambda x: x.astype(">f8"),
        lambda x: x.tolist(),
    ],
    ids=["F order", "strided", "negative stride", "int8", "big-endian", "list"],
)
def test_any_other_form_becomes_a_contiguous_read_only_copy(table, distort):
    array = frozen(distort(table), np.float64)
    assert array.dtype == np.float64
    assert array.flags.c_contiguous
    assert not array.flags.writeable
    np.testing.assert_array_equal(array, table)


def test_a_kernel_is_compiled_once_for_all_forms(table, tmp_path):
    np.save(tmp_path / "table.npy", table)
    mapped = np.load(tmp_path / "table.npy", mmap_mode="r")
    read_only = table.copy()
    read_only.flags.writeable = False
    compiled = kernel(total)
    for form in [table, np.asfortranarray(table), table.astype(int), mapped, read_only]:
        assert compiled(frozen(form, np.float64)) == 15
    assert len(compiled.signatures) == 1


@pytest.fixture
def double(monkeypatch, tmp_path):
    """Return a function that compiles one anew, whose kernels are in a new folder."""
    monkeypatch.setattr(numba.config, "CACHE_DIR", str(tmp_path))
    monkeypatch.setattr(_kernel_cache, "_was_warned", threading.Event())

    def double(x):
        return 2 * x

    return lambda: kernel(double)


@pytest.fixture
def unwritable(monkeypatch):
    """Return a function, after whose call no file can be made in any folder."""

    def refuse(*arguments, **options):
        raise OSError(30, "Read-only file system")

    def forbid(folder=""):
        monkeypatch.setattr(tempfile, "TemporaryFile", refuse)
        monkeypatch.setattr(IndexDataCacheFile, "_open_for_write", refuse)
        monkeypatch.setattr(os, "access", lambda path, mode: folder not in str(path))

    return forbid


def test_without_a_folder_the_kernel_is_compiled_in_each_process(
    unwritable, double, tmp_path, caplog
):
    unwritable(str(tmp_path))
    compiled = double()
    assert compiled(3) == 6
    assert compiled.stats.cache_path is None
    assert not any(tmp_path.rglob("*.nb?"))
    assert not caplog.records


def test_a_folder_that_can_only_be_read_is_read(unwritable, double, tmp_path, caplog):
    assert double()(3) == 6
    unwritable(str(tmp_path))
    again = double()
    assert again(3) == 6
    assert sum(again.stats.cache_hits.values()) == 1
    assert again.stats.cache_path is None
    assert again(3.0) == 6  # another signature, which is not stored
    assert sum(again.stats.cache_hits.values()) == 1
    assert not caplog.records


def test_kernels_missing_in_a_read_only_folder_are_stored_in_the_next(
    double, tmp_path, monkeypatch
):
    for file in (Path(__file__).parent / "__pycache__").glob(
        "test_kernel.double.*.nb?"
    ):
        file.unlink()
    assert double()(3) == 6
    [folder] = tmp_path.iterdir()
    make_file = tempfile.TemporaryFile

    def refuse_there(dir):
        if Path(dir) == folder:
            raise OSError(30, "Read-only file system")
        return make_file(dir=dir)

    monkeypatch.setattr(tempfile, "TemporaryFile", refuse_there)
    monkeypatch.setattr(os, "access", lambda path, mode: Path(path) != folder)
    for first in (3, 3.0):  # stored in the first folder, and in neither
        again = double()
        assert again(first) == 6
        assert sum(again.stats.cache_hits.values()) == isinstance(first, int)
        assert again.stats.cache_path != str(folder)
    again = double()
    assert again(3.0) == 6
    assert sum(again.stats.cache_hits.values()) == 1


def test_sums_are_reordered_only_with_reorder_sums_and_nan_stays():
    reordered = kernel(reorder_sums=True)(total)
    assert reordered.targetoptions["fastmath"] == {"reassoc"}
    assert np.isnan(reordered(frozen([[1.0, np.nan]], np.float64)))
    assert reordered(frozen([[1.0, np.inf]], np.float64)) == np.inf


@pytest.mark.parametrize("compile_", [kernel, inlined])
def test_kernels_release_the_gil_and_start_no_threads(compile_):
    options = compile_(total).targetoptions
    assert options["nogil"]
    assert not options.get("parallel")
    assert not options.get("fastmath")


@pytest.mark.parametrize("ending", ["nbi", "nbc"])
@pytest.mark.parametrize("content", [b"", None, b"no pickle"])
def test_damaged_files_cost_time_only(double, ending, content, tmp_path, caplog):
    assert double()(3) == 6
    files = list(tmp_path.rglob(f"*.{ending}"))
    assert files
    for file in files:  # None: cut off, as by a full disk
        file.write_bytes(file.read_bytes()[:30] if content is None else content)
    assert double()(3) == 6
    (record,) = caplog.records
    assert str(tmp_path) in record.getMessage()
    caplog.clear()
    again = double()  # the files were written anew
    assert again(3) == 6
    assert not caplog.records
    assert sum(again.stats.cache_hits.values()) == 1


def test_a_file_of_another_kernel_costs_time_only(double, tmp_path, caplog):
    @kernel
    def triple(x):
        return 3 * x

    first = double()
    assert first(3) == 6
    (file,) = tmp_path.rglob("*.nbc")
    assert triple(3) == 9
    (other,) = {*tmp_path.rglob("*.nbc")} - {file}
    file.write_bytes(other.read_bytes())
    assert double()(3) == 6
    (record,) = caplog.records
    assert "triple" in record.getMessage()


def test_a_full_disk_costs_time_only(double, monkeypatch, tmp_path, caplog):
    def no_space(self, path):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(IndexDataCacheFile, "_open_for_write", no_space)
    for _ in range(2):
        assert double()(3) == 6
    (record,) = caplog.records
    assert "No space left" in record.getMessage()
    assert str(tmp_path) in record.getMessage()

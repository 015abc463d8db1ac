"""Kernels: the form of their arrays, and how they are compiled."""

import threading

import numba
import numpy as np
import pytest
from numba.core.caching import IndexDataCacheFile

from sklearn_bayeslazy._core import _kernel
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


def test_without_a_writable_cache_the_kernel_is_compiled_uncached(monkeypatch, table):
    calls = []
    njit = numba.njit

    def njit_without_a_cache(**options):
        calls.append(options)

        def decorate(function):
            if options.get("cache"):
                raise RuntimeError("cannot cache function: no locator available")
            return njit(**options)(function)

        return decorate

    monkeypatch.setattr(numba, "njit", njit_without_a_cache)
    assert kernel(total)(frozen(table, np.float64)) == 15
    options = {
        "nogil": True,
        "error_model": "numpy",
        "forceinline": False,
        "no_cfunc_wrapper": True,
    }
    assert calls == [{"cache": True, **options}, options]


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


@pytest.fixture
def double(monkeypatch, tmp_path):
    """Return a function that compiles one anew, whose kernels are in a new folder."""
    monkeypatch.setattr(numba.config, "CACHE_DIR", str(tmp_path))
    monkeypatch.setattr(_kernel, "_was_warned", threading.Event())

    def double(x):
        return 2 * x

    return lambda: kernel(double)


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


def test_a_full_disk_costs_time_only(double, monkeypatch, tmp_path, caplog):
    def no_space(self, path):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(IndexDataCacheFile, "_open_for_write", no_space)
    for _ in range(2):
        assert double()(3) == 6
    (record,) = caplog.records
    assert "No space left" in record.getMessage()
    assert str(tmp_path) in record.getMessage()

"""How numba kernels are compiled, and the form of the arrays that they read."""

from contextlib import suppress
from functools import partial

import numba
import numpy as np

from ._kernel_cache import LenientCache, ReadOnlyCache

_INLINED_LATE = {
    "nogil": True,
    "error_model": "numpy",
    "fastmath": False,
    "forceinline": True,
    "no_cfunc_wrapper": True,
    "no_cpython_wrapper": True,
}


def kernel(
    function=None, *, reorder_sums=None, fuse_products=False, only_in_kernels=False
):
    """Compile a loop without the GIL, cached on disk if a cache can be written."""
    # With `reorder_sums` a sum over rows may be split into SIMD lanes, so that its loop
    # vectorises; the order depends on the loop only. With `fuse_products` a product and
    # a sum may be rounded once instead of twice, on machines with that instruction.
    # Both keep NaN and infinities. By default a kernel without either flag takes the
    # flags of the kernel that calls it first; `reorder_sums=False` forbids that.
    # A kernel that is `only_in_kernels` cannot be called from Python, so that the
    # conversion of its arguments need not be compiled. Each caller optimises a copy of
    # such a kernel: it should be large, and called from several kernels.
    flags = {"reassoc": reorder_sums, "contract": fuse_products}
    if function is None:
        return partial(
            kernel,
            reorder_sums=reorder_sums,
            fuse_products=fuse_products,
            only_in_kernels=only_in_kernels,
        )
    # Nothing calls a kernel from C: without that entry compiling takes a tenth less.
    # A kernel must not inherit the inlining of an `inlined_late` caller.
    options = {
        "nogil": True,
        "error_model": "numpy",
        "forceinline": False,
        "no_cfunc_wrapper": True,
    }
    if only_in_kernels:
        options["no_cpython_wrapper"] = True
    if reorder_sums is False:
        options["fastmath"] = False
    if any(flags.values()):
        options["fastmath"] = {flag for flag, is_set in flags.items() if is_set}
    return _stored(function, options)


def inlined_late(function):
    """Compile a long function once; LLVM then copies it into each calling kernel."""
    # Unlike with `inlined`, the types of its body are inferred once for all callers,
    # and sums are never reordered. No call remains, so it is as fast.
    return _stored(function, _INLINED_LATE)


def _stored(function, options):
    """Return a function to compile, stored on disk if there is a folder for it."""
    dispatcher = numba.njit(**options)(function)
    if numba.config.DISABLE_JIT:
        return dispatcher
    with suppress(RuntimeError):  # no folder can be read, the usual case
        dispatcher._cache = ReadOnlyCache(function)
    with suppress(RuntimeError):  # neither the package nor the home folder is writable
        dispatcher._cache = LenientCache(function, dispatcher._cache)
    return dispatcher


def inlined(function):
    """Compile a function into each kernel that calls it."""
    # A call with array arguments counts references, which costs more than most bodies.
    return numba.njit(nogil=True, inline="always")(function)


@inlined
def copy_numbers(source, target):
    """Copy a vector of numbers; ``target[:] = source`` takes seconds to compile."""
    # The assignment is slow to compile because of numba's error text for unequal
    # shapes.
    for i in range(len(source)):
        target[i] = source[i]


@kernel
def _sample_kernel(x):
    return x


def cache_folder():
    """Return the folder that stores compiled kernels, None if none can be written."""
    return _sample_kernel.stats.cache_path


def frozen(array, dtype):
    """Return `array` as `dtype`, C-contiguous and read-only; not copied if it is so."""
    # numba compiles a kernel anew for each dtype, layout and mutability. Every array
    # that a kernel reads is converted here, read-only memory maps and fitted state
    # included. So each kernel is compiled once (twice, if it reads cells both as
    # float64 and as int64).
    if type(array) is np.ndarray and array.dtype == dtype:
        flags = array.flags
        if flags.c_contiguous and not flags.writeable:
            return array
    array = np.ascontiguousarray(array, dtype=dtype).view()
    array.flags.writeable = False
    return array

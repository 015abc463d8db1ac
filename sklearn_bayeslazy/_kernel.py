"""The one way in which a numba kernel is compiled, and the one form of its arrays."""

from functools import partial

import numba
import numpy as np


def kernel(function=None, *, reorder_sums=False, fuse_products=False):
    """Compile a loop without the GIL, cached on disk where a cache can be kept.

    With `reorder_sums` a sum over rows may run in lanes, so that its loop vectorises;
    the order depends on nothing but the loop. With `fuse_products` a sum of a product
    may be rounded once instead of twice, where the machine can. NaN and infinities stay
    what they are.
    """
    flags = {"reassoc": reorder_sums, "contract": fuse_products}
    if function is None:
        return partial(kernel, reorder_sums=reorder_sums, fuse_products=fuse_products)
    options = {"nogil": True, "error_model": "numpy"}
    if any(flags.values()):
        options["fastmath"] = {flag for flag, wanted in flags.items() if wanted}
    try:
        return numba.njit(cache=True, **options)(function)
    except RuntimeError:  # neither the package nor the home folder can be written
        return numba.njit(**options)(function)


def inlined(function):
    """Compile a part of kernels into each kernel that calls it.

    A call that hands over arrays counts references, which costs more than most bodies.
    """
    return numba.njit(nogil=True, inline="always")(function)


def frozen(array, dtype):
    """Return a C-contiguous read-only view (or copy) of `array` as `dtype`.

    numba compiles a kernel anew for each dtype, layout and mutability. What a kernel
    reads passes here, so that each is compiled once (those that read cells as int64
    too, twice), memory maps and fitted state loaded read-only included.
    """
    array = np.ascontiguousarray(array, dtype=dtype).view()
    array.flags.writeable = False
    return array

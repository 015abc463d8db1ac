"""Measures the memory that a call takes."""

import tracemalloc

MEBIBYTE = 2**20
# Numbers, codes and scores of a block of cells, whatever the size of the table.
FIXED = 12 * MEBIBYTE


def peak(call, compile_by=None):
    """Return the peak of the bytes that a call allocates, after it was compiled.

    `compile_by` is a faster call that compiles the same kernels.
    """
    (compile_by or call)()
    tracemalloc.start()
    try:
        call()
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()

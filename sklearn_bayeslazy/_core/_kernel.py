"""How numba kernels are compiled, and the form of the arrays that they read.

Compiling that takes a while is announced once per process, by `logging`.
"""

import logging
import sys
import threading
import time
from functools import partial

import numba
import numpy as np
from numba.core import event
from numba.core.caching import FunctionCache


class CompileNotice(event.Listener):
    """Adds up the time of compiling this package's kernels; gives one notice."""

    # Above `MIN_SECONDS`, one record of level INFO goes to the logger
    # "sklearn_bayeslazy". Without any handler of logging, it is written to stderr if
    # the session is interactive.
    # numba reports the start and the end of each function that it compiles, inner ones
    # within outer ones. Kernels that are read from the cache are not reported.

    def __init__(self):
        self.was_given = False
        self.seconds = 0.0  # of all outermost compilations that have ended
        self._running = threading.local()  # start times of nested compilations

    def on_start(self, report):
        if not hasattr(self._running, "starts"):
            self._running.starts = []
        self._running.starts.append(time.perf_counter())

    def on_end(self, report):
        starts = getattr(self._running, "starts", [])
        if not starts:  # it began before this listener was registered
            return
        outermost = starts[0]
        starts.pop()
        dispatcher = report.data["dispatcher"]
        # A function that another package makes by exec may have no module.
        if not str(dispatcher.py_func.__module__).startswith(_PACKAGE):
            return
        seconds = time.perf_counter() - outermost
        if not self.was_given and self.seconds + seconds > MIN_SECONDS:
            self.was_given = True
            _write(_message(dispatcher.stats.cache_path))
        if not starts:
            self.seconds += seconds


# Its `seconds` are those of all kernels so far.
COMPILATION = CompileNotice()


event.register("numba:compile", COMPILATION)


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
    """Return a function to compile, stored on disk if a folder can be written."""
    try:
        dispatcher = numba.njit(cache=True, **options)(function)
    except RuntimeError:  # neither the package nor the home folder is writable
        return numba.njit(**options)(function)
    if isinstance(getattr(dispatcher, "_cache", None), FunctionCache):
        dispatcher._cache = LenientCache(function)
    return dispatcher


class LenientCache(FunctionCache):
    """The stored kernels of a function; files that cannot be used cost time only."""

    # Files can be cut off by a full disk, unreadable, or damaged: numba would raise an
    # error of any kind out of the call of the kernel.

    def load_overload(self, sig, target_context):
        """Return what was compiled for a signature, None if it cannot be read."""
        try:
            return super().load_overload(sig, target_context)
        except Exception as error:
            _warn_of_folder(self.cache_path, error)
            return None

    def save_overload(self, sig, data):
        """Store what was compiled; a list of files that is damaged begins anew."""
        try:
            try:
                super().save_overload(sig, data)
            except Exception:
                self.flush()
                super().save_overload(sig, data)
        except Exception as error:
            _warn_of_folder(self.cache_path, error)


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
    """Return a C-contiguous read-only view (or copy) of `array` as `dtype`."""
    # numba compiles a kernel anew for each dtype, layout and mutability. Every array
    # that a kernel reads is converted here, read-only memory maps and fitted state
    # included. So each kernel is compiled once (twice, if it reads cells both as
    # float64 and as int64).
    array = np.ascontiguousarray(array, dtype=dtype).view()
    array.flags.writeable = False
    return array


# One notice per process that kernels are being compiled, when that takes a while.


logger = logging.getLogger("sklearn_bayeslazy")
# Seconds of compilation after which the notice is given.
MIN_SECONDS = 1.0
_PACKAGE = __name__.partition(".")[0]


def _warn_of_folder(folder, error):
    """Say once that stored kernels cannot be used, and in which folder they are."""
    if not _was_warned.is_set():
        _was_warned.set()
        logger.warning(
            "Stored kernels in %s cannot be used (%s: %s), and are compiled anew: "
            "remove that folder, or free space for it.",
            folder,
            type(error).__name__,
            error,
        )


_was_warned = threading.Event()


def _message(cache_folder):
    text = (
        f"{_PACKAGE} compiles its loops for this machine, which can take half a minute."
    )
    if cache_folder is None:
        return (
            f"{text} Each new process does so again, because no cache folder can be "
            "written: set NUMBA_CACHE_DIR to a folder that can."
        )
    return (
        f"{text} They are stored for later processes; python -m {_PACKAGE} warm-up "
        "compiles all of them beforehand."
    )


def _write(message):
    if logger.hasHandlers():
        logger.info(message)
    elif _is_interactive():
        record = logger.makeRecord(
            logger.name, logging.INFO, __file__, 0, message, (), None
        )
        logging.StreamHandler(sys.stderr).handle(record)


def _is_interactive():
    """Return whether a person reads stderr: a terminal or a notebook."""
    is_notebook = "ipykernel" in sys.modules
    return is_notebook or (sys.stderr is not None and sys.stderr.isatty())

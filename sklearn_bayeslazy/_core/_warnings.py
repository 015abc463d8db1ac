"""Warnings at the line of the caller, and that of a first call, which compiles."""

import functools
import gc
import os
import sys
import threading
import time
import warnings

from numba.core import event

_PACKAGE = __name__.partition(".")[0]
# Lines in these packages mean nothing to the user who called an estimator.
_INNER_PACKAGES = (
    _PACKAGE,
    "sklearn",
    "joblib",
    "numba",
    "tqdm",
    "contextlib",
    "concurrent",
    "threading",
)
# Seconds of compilation after which there is a warning.
MIN_SECONDS = 2.0


def warn_caller(message, category=UserWarning):
    """Warn at the line that called an estimator, outside of `_INNER_PACKAGES`."""
    # From Python 3.12 on, the parameter skip_file_prefixes of warn does this.
    frame, level = sys._getframe(1), 2
    while frame is not None:
        package = frame.f_globals.get("__name__", "").partition(".")[0]
        if package not in _INNER_PACKAGES:
            break
        frame, level = frame.f_back, level + 1
    warnings.warn(message, category, stacklevel=2 if frame is None else level)


# A loop that will take more seconds is warned of, once it has taken the first share.
LONG_SECONDS, _SHARE_TO_JUDGE = 60.0, 0.1


def warned_of_length(items, total, subject, advice):
    """Yield items; warn once if the loop over all of them will take over a minute."""
    # total: their number; subject: what takes long; advice: sentences, how it takes
    # less. Time to compile the loops does not count, as it is not taken again.
    start, has_warned = time.perf_counter() - COMPILATION.seconds, False
    for n_done, item in enumerate(items, start=1):
        yield item
        seconds = time.perf_counter() - COMPILATION.seconds - start
        expected = seconds * total / n_done
        is_known = seconds > _SHARE_TO_JUDGE * LONG_SECONDS
        if not has_warned and is_known and expected > LONG_SECONDS:
            has_warned = True
            warn_caller(f"{subject} may take {expected / 60:.1f} minutes. {advice}")


class CompilationWarning(UserWarning):
    """Warning of a first call, which compiled loops for more than two seconds.

    numba compiles the loops of an estimator when they are first called, and stores them
    in a folder for later processes. A process warns at most once: at the end of the fit
    that compiled, or while another method does. To compile beforehand, run ``python -m
    sklearn_bayeslazy warm-up``. To silence the warning:

    >>> import warnings
    >>> from sklearn_bayeslazy import CompilationWarning
    >>> warnings.simplefilter("ignore", CompilationWarning)
    """


class CompileTimer(event.Listener):
    """Adds up the time of compiling this package's kernels, and warns of it once."""

    # numba reports the start and the end of each function that it compiles, inner ones
    # within outer ones. Kernels that are read from the cache are not reported.
    # A fit gives the warning when it ends, so that it can say how long all of it took,
    # and because the kernel may run in another thread than the caller's. What else
    # compiles, such as predict of a stored model, warns after a kernel.
    # Python's garbage collection is off while a kernel is compiled: it would scan the
    # many objects that numba makes, which is a tenth of the time.

    def __init__(self):
        self.seconds = 0.0  # of all outermost compilations that have ended
        self._is_stored_in = None  # the folder of the last kernel
        self._running = threading.local()  # start times of nested compilations
        self._is_collector_paused = False  # numba compiles in one thread at a time
        self._fits = set()  # that are running, in all threads
        self._warned = threading.Lock()  # held once there was a warning
        if hasattr(os, "register_at_fork"):
            os.register_at_fork(after_in_child=self._forget_other_threads)

    def on_start(self, report):
        if not hasattr(self._running, "starts"):
            self._running.starts = []
        if not self._running.starts and _is_ours(report) and gc.isenabled():
            gc.disable()
            self._is_collector_paused = True
        self._running.starts.append(time.perf_counter())

    def on_end(self, report):
        starts = getattr(self._running, "starts", [])
        if not starts:  # it began before this listener was registered
            return
        start = starts.pop()
        if starts or not _is_ours(report):
            return
        self._resume_collector()
        self.seconds += time.perf_counter() - start
        self._is_stored_in = report.data["dispatcher"].stats.cache_path
        if not self._fits:
            self._warn()

    def _resume_collector(self):
        if self._is_collector_paused:
            self._is_collector_paused = False
            gc.enable()

    def _forget_other_threads(self):
        """Undo in a new process what threads that it does not have would undo."""
        self._fits.clear()
        self._resume_collector()

    def during(self, fit):
        """Decorate a fit: what it compiles is reported when it ends."""

        @functools.wraps(fit)
        def timed_fit(*args, **kwargs):
            key = object()
            self._fits.add(key)
            try:
                result = fit(*args, **kwargs)
            finally:
                self._fits.discard(key)
            self._warn()
            return result

        return timed_fit

    def warn_no_more(self):
        """Give no warning from now on."""
        self._warned.acquire(blocking=False)

    def _warn(self):
        if self.seconds > MIN_SECONDS and self._warned.acquire(blocking=False):
            warn_caller(_message(self.seconds, self._is_stored_in), CompilationWarning)


def _is_ours(report):
    """Return whether a function that numba compiles is of this package."""
    # A function that another package makes by exec may have no module.
    return str(report.data["dispatcher"].py_func.__module__).startswith(_PACKAGE)


COMPILATION = CompileTimer()
event.register("numba:compile", COMPILATION)


def _message(seconds, folder):
    text = f"{_PACKAGE} compiled its loops for this processor, {seconds:.1f} s so far."
    if folder is None:
        return (
            f"{text} Each new process does so again, because no folder for them can be "
            "written: set NUMBA_CACHE_DIR to one that can."
        )
    return (
        f"{text} They are stored in {folder} for later processes. To compile all of "
        f"them beforehand, run python -m {_PACKAGE} warm-up."
    )

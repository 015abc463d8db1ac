"""One notice per process that kernels are being compiled, when that takes a while."""

import logging
import sys
import threading
import time

from numba.core import event

logger = logging.getLogger("sklearn_bayeslazy")
# Seconds of compilation after which the notice is given.
MIN_SECONDS = 1.0
_PACKAGE = __name__.partition(".")[0]


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

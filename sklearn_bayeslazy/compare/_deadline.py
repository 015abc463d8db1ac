"""Stops work that takes too long, by an alarm in the main thread."""

import signal
import threading
from contextlib import contextmanager

# An exception within these leaves a kernel half compiled, which then fails for good.
_COMPILERS = ("numba", "llvmlite")
# Within these it leaves what should be undone: scikit-learn's configuration, or the
# number of threads of BLAS.
_CONTEXTS = ("__enter__", "__exit__")
_SECONDS_TO_ASK_AGAIN = 0.05


class TimeIsUpError(BaseException):
    """The time for one learner is used up; no ``except Exception`` catches it."""


@contextmanager
def time_limit(seconds):
    """Raise TimeIsUpError within the block after a time; None means no limit."""
    # A time that is not positive raises at once. Python raises it when the kernel that
    # is running returns, or when a kernel that is being compiled is complete, and not
    # while a `with` statement begins or ends. Outside the main thread, and on Windows,
    # nothing is stopped.
    if seconds is not None and seconds <= 0:
        raise TimeIsUpError
    in_main = threading.current_thread() is threading.main_thread()
    if seconds is None or not in_main or not hasattr(signal, "setitimer"):
        yield
        return

    def stop(number, frame):
        if _must_not_stop(frame):
            signal.setitimer(signal.ITIMER_REAL, _SECONDS_TO_ASK_AGAIN)
        else:
            raise TimeIsUpError

    former = signal.signal(signal.SIGALRM, stop)
    signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, former)


def _must_not_stop(frame):
    """Return whether a frame, or one that called it, has to come to its end."""
    while frame is not None:
        package = frame.f_globals.get("__name__", "").partition(".")[0]
        if package in _COMPILERS or frame.f_code.co_name in _CONTEXTS:
            return True
        frame = frame.f_back
    return False

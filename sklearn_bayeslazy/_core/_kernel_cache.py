"""How compiled kernels are stored: damaged and read-only folders cost time only."""

import logging
import os
import threading
from contextlib import suppress
from pathlib import Path

from numba.core.caching import FunctionCache

logger = logging.getLogger("sklearn_bayeslazy")
_was_warned = threading.Event()


class LenientCache(FunctionCache):
    """The stored kernels of a function; files that cannot be used cost time only."""

    # Files can be cut off by a full disk, unreadable, or damaged: numba would raise an
    # error of any kind out of the call of the kernel.

    def __init__(self, function, read_only):
        # read_only: the cache that is read if this one lacks a kernel.
        super().__init__(function)
        self._read_only = read_only

    def load_overload(self, sig, target_context):
        """Return what was compiled for a signature, None if it cannot be read."""
        try:
            found = super().load_overload(sig, target_context)
            self._refuse_others(found, sig)
        except Exception as error:
            _warn_of_folder(self.cache_path, error)
            return None
        return found or self._read_only.load_overload(sig, target_context)

    def _refuse_others(self, found, sig):
        """Raise an error if the file holds another kernel, as after a bad copy."""
        name = self._py_func.__qualname__
        if found and (found.fndesc.qualname, found.signature.args) != (name, sig):
            raise ValueError(f"no {name}, but {found.fndesc.qualname}")

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


def _unwritable(locator):
    """Return a locator of numba's for a folder that can only be read."""

    class Locator(locator):
        def ensure_cache_path(self):
            folder = Path(self.get_cache_path())
            if os.access(folder, os.W_OK) or not any(folder.glob("*.nbi")):
                raise OSError(f"{folder} can be written, or has no kernels")

    return Locator


class _ReadOnlyImpl(FunctionCache._impl_class):
    _locator_classes = [*map(_unwritable, FunctionCache._impl_class._locator_classes)]


class ReadOnlyCache(FunctionCache):
    """The kernels of a function in a folder that cannot be written."""

    # They are stored in an image, say, that runs as another user than built it. numba
    # passes such folders over.

    _impl_class = _ReadOnlyImpl
    cache_path = None  # where it can store

    def load_overload(self, sig, target_context):
        """Return what was compiled for a signature, None if it cannot be read."""
        with suppress(Exception):
            return super().load_overload(sig, target_context)

    def save_overload(self, sig, data):
        """Store nothing."""


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

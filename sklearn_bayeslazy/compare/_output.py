"""Writes the report in one step; an interrupted run leaves the former file as is."""

import os
from pathlib import Path


class OutputFile:
    """An output file that replaces `path` only when it is complete."""

    def __init__(self, path, source, option="--report", *, binary=False):
        # path: a link is followed. source: the table, which must not be overwritten.
        # option: the one that named the path, for messages. binary: whether bytes are
        # written.
        # A temporary file beside `path` is created at once, so that a path that cannot
        # be written is reported before the long work. OSError: it cannot be created.
        self.path = Path(path).resolve()
        if self.path.exists() and not self.path.is_file():
            raise ValueError(f"{option} {path}: not a plain file; give another")
        if self.path == Path(source).resolve():
            raise ValueError(f"{option} {path}: this is the table; give another file")
        if not self.path.parent.is_dir():
            folder = str(self.path.parent)
            raise ValueError(f"{option} {path}: there is no folder {folder!r}; make it")
        self._partial = self.path.with_name(f".{self.path.name}.{os.getpid()}.part")
        if binary:
            self._stream = self._partial.open("xb")
        else:
            self._stream = self._partial.open("x", encoding="utf-8")

    def __enter__(self):
        return self

    def __exit__(self, *error):
        self._stream.close()
        self._partial.unlink(missing_ok=True)

    def write(self, text):
        """Write the whole text, or bytes, then rename the temporary file to `path`."""
        self._stream.write(text)
        self._stream.close()
        os.replace(self._partial, self.path)

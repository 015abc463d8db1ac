"""Writes the report in one step: the whole page is there, or the former file is."""

import os
from pathlib import Path


class OutputFile:
    """A file that is opened at once and appears under its name only when complete.

    Opening at once shows before the long work whether the path can be written.

    Parameters
    ----------
    path : str or path-like
        Where the text is to go; a link is followed.
    source : str or path-like
        The table, which must not be overwritten.

    Raises
    ------
    OSError
        If nothing can be created beside `path`.
    ValueError
        If `path` is something else than a plain file, or is `source`.
    """

    def __init__(self, path, source):
        self.path = Path(path).resolve()
        if self.path.exists() and not self.path.is_file():
            raise ValueError(f"--report {path}: not a plain file; name an .html file")
        if self.path == Path(source).resolve():
            raise ValueError(f"--report {path}: that is the table; name another file")
        self._draft = self.path.with_name(f".{self.path.name}.{os.getpid()}.part")
        self._stream = open(self._draft, "x", encoding="utf-8")  # noqa: SIM115

    def __enter__(self):
        return self

    def __exit__(self, *error):
        self._stream.close()
        self._draft.unlink(missing_ok=True)

    def write(self, text):
        """Write the whole text and put the file in its place."""
        self._stream.write(text)
        self._stream.close()
        os.replace(self._draft, self.path)

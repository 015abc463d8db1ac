"""Opens files: compressed ones by their first bytes, standard input as a copy."""

import bz2
import gzip
import lzma
import shutil
import sys
import tempfile
import zipfile
import zlib
from contextlib import contextmanager

STANDARD_INPUT = "-"
# Bytes by which the format of a file, and the encoding and layout of a text, are
# found; rows of a chunk.
HEAD_SIZE, CHUNK_ROWS = 2**20, 20_000
NO_ROWS = "{}: the file has a header but no rows"
DAMAGED = "{}: damaged, or not of the format that it begins like"


def _open_zip(path, mode):
    """Open the only file of a zip archive; workbooks are archives that others read."""
    if not zipfile.is_zipfile(path):
        return open(path, mode)  # for its reader to tell
    archive = zipfile.ZipFile(path)
    names = [name for name in archive.namelist() if not name.endswith("/")]
    if {"[Content_Types].xml", "mimetype"} & set(names):
        return open(path, mode)
    names = [name for name in names if not name.startswith("__MACOSX")]
    if len(names) != 1:
        raise ValueError(f"{path}: an archive of {len(names)} files; unpack one")
    try:
        return archive.open(names[0])
    except (RuntimeError, NotImplementedError) as error:  # a password, for example
        raise ValueError(f"{path}: the archive cannot be opened ({error})") from None


_OPENERS = {
    b"\x1f\x8b": gzip.open,
    b"BZh": bz2.open,
    b"\xfd7zXZ": lzma.open,
    b"PK\x03\x04": _open_zip,
}
_DECOMPRESSION_ERRORS = EOFError, zlib.error, lzma.LZMAError, zipfile.BadZipFile


class Source:
    """A file that is opened several times, decompressed."""

    def __init__(self, path):
        self.path, self._file = path, str(path)
        if self._file == STANDARD_INPUT:
            self._copy = tempfile.NamedTemporaryFile()  # noqa: SIM115, closed at exit
            shutil.copyfileobj(sys.stdin.buffer, self._copy)
            self._copy.flush()
            self._file = self._copy.name

    @contextmanager
    def open(self):
        """Open the content from its start; what cannot be decompressed is told."""
        with open(self._file, "rb") as stream:
            start = stream.read(6)
        found = (one for magic, one in _OPENERS.items() if start.startswith(magic))
        with next(found, open)(self._file, "rb") as stream:
            try:
                yield stream
            except (*_DECOMPRESSION_ERRORS, OSError) as error:
                raise ValueError(
                    f"{self.path}: damaged or truncated compressed file ({error})"
                ) from error

    def read(self, size=-1):
        """Return the first bytes of the content, or all."""
        with self.open() as stream:
            return stream.read(size)

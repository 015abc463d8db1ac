"""Decompresses files and finds out the encoding of their text."""

import bz2
import gzip
import lzma
import zlib

_OPENERS = {
    b"\x1f\x8b": (gzip.decompress, "gzip"),
    b"BZh": (bz2.decompress, "bzip2"),
    b"\xfd7zXZ": (lzma.decompress, "xz"),
}
_MARKS = {
    b"\xff\xfe": "utf-16",
    b"\xfe\xff": "utf-16",
    b"\xef\xbb\xbf": "utf-8-sig",
}
# A share of NUL bytes above this means two bytes a character.
_MIN_SHARE_OF_NULS = 0.2


def decompress(raw, path):
    """Return the content of a gzip, bzip2 or xz file, anything else as it is."""
    # The first bytes decide, not the name.
    for magic, (opener, name) in _OPENERS.items():
        if raw.startswith(magic):
            try:
                return opener(raw)
            except (OSError, EOFError, ValueError, zlib.error, lzma.LZMAError) as error:
                raise ValueError(
                    f"{path}: damaged or truncated {name} file ({error})"
                ) from error
    return raw


def decode(raw, path):
    """Return the text, its encoding, and a note if that is not UTF-8."""
    # Bytes that are no text, such as those of a program or an image, raise a
    # ValueError.
    encoding = _find_encoding(raw)
    try:
        text = raw.decode(encoding)
    except UnicodeDecodeError as error:
        raise ValueError(f"{path}: damaged {encoding} text ({error.reason})") from error
    if "\0" in text:
        line = text.count("\n", 0, text.index("\0")) + 1
        raise ValueError(
            f"{path}, line {line}: a NUL byte; this is no text file, or a damaged one"
        )
    if encoding in ("utf-8", "utf-8-sig"):
        return text, encoding, None
    shown = "Windows-1252 (Latin-1)" if encoding == "cp1252" else encoding.upper()
    return text, encoding, f"the text was read as {shown}"


def _find_encoding(raw):
    for mark, encoding in _MARKS.items():
        if raw.startswith(mark):
            return encoding
    sample = raw[:4096]
    if sample.count(0) > _MIN_SHARE_OF_NULS * max(len(sample), 1):
        return (
            "utf-16-le" if sample[1::2].count(0) > sample[::2].count(0) else "utf-16-be"
        )
    try:
        raw.decode("utf-8")
    except UnicodeDecodeError:
        # Five bytes have no character in Windows-1252; Latin-1 takes all.
        try:
            raw.decode("cp1252")
        except UnicodeDecodeError:
            return "latin-1"
        return "cp1252"
    return "utf-8"

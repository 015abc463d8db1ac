"""Finds the encoding of a text: by its mark, as UTF-8, or by letters of scripts."""

import codecs
import re

from ._source import HEAD_SIZE

_MARKS = {
    codecs.BOM_UTF16_LE: "utf-16",
    codecs.BOM_UTF16_BE: "utf-16",
    codecs.BOM_UTF8: "utf-8-sig",
}
# {encoding of another script: its letters in lower case}; of equally likely ones, the
# first.
_SCRIPTS = {
    "euc_kr": "[\uac00-\ud7a3]",
    "gb2312": "[\u4e00-\u9fff]",
    "cp932": "[\u3041-\u30ff\u4e00-\u9fff]",
    "cp1251": "[\u0430-\u0451]",
    "koi8-r": "[\u0430-\u0451]",
    "cp1253": "[\u03ac-\u03ce]",
}
_MIN_SHARE_OF_LETTERS = 0.3
_FOREIGN = re.compile("[^\0-\x7f]")
# A share of NUL bytes above this means two bytes a character.
_MIN_SHARE_OF_NULS = 0.2


def find_encoding(source, head):
    """Return the encoding, and whether a text of UTF-8 has bytes that are not."""
    for mark, encoding in _MARKS.items():
        if head.startswith(mark):
            return encoding, False
    sample = head[:4096]
    if sample.count(0) > _MIN_SHARE_OF_NULS * max(len(sample), 1):
        little = sample[1::2].count(0) > sample[::2].count(0)
        return "utf-16-le" if little else "utf-16-be", False
    if _is_of(source, "utf-8"):
        return "utf-8", False
    text = head.decode("utf-8", "replace")
    if len(_FOREIGN.findall(text)) > 10 * text.count("\ufffd"):
        return "utf-8", True
    # Three accents rarely stand side by side.
    runs = re.findall(rb"[\x80-\xff]{3,}", head)
    has_runs = 2 * sum(map(len, runs)) > len(re.findall(rb"[\x80-\xff]", head))
    latin, other = ["cp1252"], _other_script(head)
    likely = other + latin if has_runs else latin + other
    # Five bytes have no character in Windows-1252; Latin-1 takes all.
    return next((one for one in likely if _is_of(source, one)), "latin-1"), False


def _other_script(head):
    """Return the likeliest encoding of a text that is not Latin, in a list."""

    def share(encoding):
        try:
            text = codecs.getincrementaldecoder(encoding)().decode(head)
        except UnicodeDecodeError:
            return 0.0
        # None are foreign where the only byte above 127 begins a character at the end.
        n_foreign = max(len(_FOREIGN.findall(text)), 1)
        return len(re.findall(_SCRIPTS[encoding], text)) / n_foreign

    shares = {encoding: share(encoding) for encoding in _SCRIPTS}
    best = max(shares, key=shares.get)
    return [best] if shares[best] > _MIN_SHARE_OF_LETTERS else []


def _is_of(source, encoding):
    """Return whether the whole file is a text of an encoding."""
    decoder = codecs.getincrementaldecoder(encoding)()
    with source.open() as stream:
        try:
            while block := stream.read(HEAD_SIZE):
                decoder.decode(block)
            decoder.decode(b"", final=True)
        except UnicodeDecodeError:
            return False
    return True


def note_on_encoding(encoding, is_damaged):
    """Return a sentence on an encoding that is not plainly UTF-8, in a list."""
    if is_damaged:
        return ["the text is UTF-8 with bytes that are not, which are now \ufffd"]
    if encoding in ("utf-8", "utf-8-sig"):
        return []
    shown = "Windows-1252 (Latin-1)" if encoding == "cp1252" else encoding.upper()
    shown += ", which is a guess" * (encoding in _SCRIPTS)
    return [f"the text was read as {shown}"]

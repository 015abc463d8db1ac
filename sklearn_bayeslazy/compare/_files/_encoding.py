"""Finds the encoding of a text: by its mark, as UTF-8, or by letters of scripts."""

import codecs
import re

from ._source import HEAD_SIZE

_MARKS = {
    codecs.BOM_UTF16_LE: "utf-16",
    codecs.BOM_UTF16_BE: "utf-16",
    codecs.BOM_UTF8: "utf-8-sig",
}
_FRENCH = "[àâæçéèêëîïôœùûüÿ]"
_GERMANIC, _FINNIC = "[äöüßåæøéëï]", "[äöüõåšž]"  # the first also Nordic and Dutch
_IBERIAN = r"[áàâçéêíóôúüñ¿¡]|ã(?=[oe]|s?\b)|õ(?=e)"
_ITALIAN = "[àèéìíîòóùú]"
_ICELANDIC = r"[áéíóúýæö]|\bþ|\Bð"
_POLISH, _CZECH, _HUNGARIAN = "[ąćęłńóśźż]", "[áčďéěíňóřšťúůýžľôä]", "[áéíóöőúüű]"
_CROATIAN, _ROMANIAN = "[čćđšž]", "[ăâîşţ]"
# Python writes a dot of its own for the lower case of the Turkish I.
_TURKISH, _BALTIC = r"[çı\u0307öşüâîû]|\Bğ", "[ąčęėįšųūžāēģīķļņõäöü]"
# Pairs of an encoding and the letters of a language in it; of equally likely ones, the
# first. Five bytes have no character in Windows-1252; Latin-1 takes all.
_WESTERN = [
    (encoding, language)
    for encoding in ("cp1252", "latin-1")
    for language in (_FRENCH, _GERMANIC, _FINNIC, _IBERIAN, _ITALIAN, _ICELANDIC)
]
_LATIN = [
    *(("cp1250", it) for it in (_POLISH, _CZECH, _HUNGARIAN, _CROATIAN, _ROMANIAN)),
    ("cp1254", _TURKISH),
    ("cp1257", _BALTIC),
    *(("iso8859-2", it) for it in (_POLISH, _CZECH, _HUNGARIAN)),
    *(("cp850", it) for it in (_FRENCH, _GERMANIC, _IBERIAN, _ITALIAN)),
    *(("mac-roman", it) for it in (_FRENCH, _GERMANIC, _IBERIAN, _ITALIAN)),
]
# The case of letters tells encodings apart.
_CYRILLIC = "[\u0430-\u045f\u0491]|\\b[\u0401-\u042f]+\\b|\\b[\u0401-\u042f]"
_OTHER_SCRIPTS = [
    ("euc_kr", "[\uac00-\ud7a3]"),
    ("gb2312", "[\u4e00-\u9fff]"),
    ("cp932", "[\u3041-\u30ff\u4e00-\u9fff]"),
    ("euc_jp", "[\u3041-\u30ff\u4e00-\u9fff]"),
    ("cp949", "[\uac00-\ud7a3]"),
    ("cp1255", "[\u05d0-\u05ea]"),
    ("cp1251", _CYRILLIC),
    ("koi8-r", _CYRILLIC),
    ("cp866", _CYRILLIC),
    ("cp1253", "[\u03ac-\u03ce]|\\b[\u0386-\u03ab]+\\b|\\b[\u0386-\u03ab]"),
    ("cp1256", "[\u0621-\u064a]"),
    ("cp874", "[\u0e01-\u0e4e]"),
    ("gb18030", "[\u4e00-\u9fff]"),
]
# The second is for Latin encodings that are rarer than Windows-1252, and Big5.
_MIN_SHARE_OF_LETTERS, _MIN_SHARE_IN_LATIN = 0.3, 0.97
_FOREIGN = re.compile("[^\0-\x7f]")
# Signs count if a letter follows, as in "p³aca", which is "płaca".
_FOREIGN_LETTER = re.compile(
    r"(?![\0-\x7f°µ\u2018\u2019\u201c\u201e«])(?:[^\W\d_ªº¹²³¼½¾]|.(?=[^\W\d_]))",
)
# In Big5 the frequent characters come first; accents of others would be rare ones.
_FREQUENT_IN_BIG5 = re.compile(rb"(?:[\xa4-\xc6][\x40-\x7e\xa1-\xfe])+")
_HIGH = re.compile(rb"[\x80-\xff]")
_MAX_LINES_TRIED = 1000
# More NUL bytes, all in the same half of pairs, mean two bytes a character.
_MIN_NULS = 10


def find_encoding(source, head):
    """Return the encoding, and whether a text of UTF-8 has bytes that are not."""
    for mark, encoding in _MARKS.items():
        if head.startswith(mark):
            return encoding, False
    sample = head[:4096]
    first, second = sample[::2].count(0), sample[1::2].count(0)
    if 0 in (first, second) and first + second > max(_MIN_NULS, len(sample) // 50):
        return "utf-16-le" if second > first else "utf-16-be", False
    if _is_of(source, "utf-8"):
        return "utf-8", False
    text = head.decode("utf-8", "replace")
    if len(_FOREIGN.findall(text)) > 10 * text.count("\ufffd"):
        return "utf-8", True
    likely = [*_likely_encodings(head), "cp1252"]
    return next((one for one in likely if _is_of(source, one)), "latin-1"), False


def _likely_encodings(head):
    """Return encodings of one or two bytes a character, the likeliest first."""
    lines = re.findall(rb"[^\n]*[\x80-\xff][^\n]*", head)[:_MAX_LINES_TRIED]
    text = b"\n".join(lines)
    n_high = max(len(_HIGH.findall(text)), 1)
    in_big5 = b"".join(_FREQUENT_IN_BIG5.findall(text))
    has_low = len(_HIGH.findall(in_big5)) < len(in_big5)  # pairs of EUC have none
    # Three accents rarely stand side by side.
    runs = re.findall(rb"[\x80-\xff]{3,}", text)
    has_runs = 2 * sum(map(len, runs)) > n_high
    foreign = _FOREIGN if has_runs else _FOREIGN_LETTER
    western = _shares(text, _WESTERN, foreign, str.lower)
    sure = [
        (has_low * len(_HIGH.findall(in_big5)) / n_high, "big5"),
        *western,
        *_shares(text, _LATIN, foreign, str.lower),
    ]
    sure = [one for one in sure if one[0] >= _MIN_SHARE_IN_LATIN]
    others = _shares(text, _OTHER_SCRIPTS, _FOREIGN, str)
    return [
        encoding
        for found in (sure, *((others, western) if has_runs else (western, others)))
        for share, encoding in sorted(found, key=lambda one: -one[0])
        if share > _MIN_SHARE_OF_LETTERS
    ]


def _shares(text, pairs, foreign, fold):
    """Return (share of the foreign characters that are letters, encoding) of pairs."""
    found = []
    for encoding, letters in pairs:
        try:
            decoded = fold(codecs.getincrementaldecoder(encoding)().decode(text))
        except UnicodeDecodeError:
            continue
        n_foreign = len(foreign.findall(decoded))
        n_letters = sum(map(len, re.findall(letters, decoded)))
        # Signs such as € are of Windows-1252. A last byte may begin a character.
        share = min(n_letters / n_foreign, 1.0) if n_foreign else fold is str.lower
        found.append((share, encoding))
    return found


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
    is_guess = not encoding.startswith(("utf-", "latin", "cp1252"))
    shown += ", which is a guess" * is_guess
    return [f"the text was read as {shown}"]

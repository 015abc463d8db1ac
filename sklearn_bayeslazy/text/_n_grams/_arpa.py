"""Language models in the ARPA format, which KenLM, SRILM and others read and write.

A file lists, by length, log10 P(w | h) of each n-gram h w and log10 of the backoff of
each n-gram as a history. After a history h, a word that is not listed has the backoff
of h times P(w | h'), h' being h without its first word. -99 stands for log10 of 0.

Source: the manual page ngram-format(5) of SRILM.
"""

import gzip
from contextlib import nullcontext
from os import PathLike
from pathlib import Path

import numpy as np

from ._counts import START, UNKNOWN_WORD
from ._document_reader import assign_codes
from ._given_counts import SYMBOLS, trie_of
from ._scoring import NGramModel
from ._smoothing import SmoothedNGrams, suffixes_of

_LOG10_OF_0 = -99.0
# SRILM and others write numbers about -99 for 0.
_LARGEST_LOG10_OF_0 = -98.0
# log10 of 1, rounded.
_LARGEST_LOG10 = 1e-4
_LARGEST_BACKOFF = 99.0
_BLANKS = " \t\r\n"  # other spaces of Unicode belong to words, as for KenLM
_SPELLINGS = {"<UNK>": "<unk>", "<S>": "<s>", "</S>": "</s>"}


def full_probabilities(model, suffix):
    """Return P(w | h) of the n-gram of each node, of a model of one class."""
    counts, smoothed = model.counts, model.smoothed
    history, found = counts.history, np.zeros(len(counts.word))
    for length in range(1, counts.order + 1):
        nodes = slice(*counts.level_start[length : length + 2])
        shorter = smoothed.base_prob if length == 1 else found[suffix[nodes]]
        found[nodes] = (
            smoothed.discounted_prob[nodes] + smoothed.backoff[history[nodes]] * shorter
        )
    found[counts.word == START] = 0.0
    return found


def write_arpa(file, model, suffix, words, outcomes):
    """Write a model of one class; words: of each code; outcomes: codes that occur."""
    for word in words:
        if not word or any(blank in word for blank in _BLANKS):
            raise ValueError(
                f"The word {word!r} cannot be written in the ARPA format, in which "
                "blanks separate words: model words without blanks."
            )
        if word in _SPELLINGS:
            raise ValueError(
                f"The word {word!r} cannot be written in the ARPA format, in which it "
                f"stands for {_SPELLINGS[word]!r}: spell it otherwise in the texts."
            )
        if not word.isascii() and any("\ud800" <= c <= "\udfff" for c in word):
            raise ValueError(
                f"The word {word!r} holds half a character, which UTF-8 cannot encode: "
                "repair the texts, for example by errors='replace' where they are read."
            )
    counts, smoothed = model.counts, model.smoothed
    probability, history = full_probabilities(model, suffix), counts.history
    first_unseen = smoothed.backoff[0] * smoothed.base_prob
    sections = []
    texts = np.array([""], dtype=object)
    for length in range(1, counts.order + 1):
        nodes = np.arange(*counts.level_start[length : length + 2])
        names = words[counts.word[nodes]]
        if length > 1:
            before = texts[history[nodes] - counts.level_start[length - 1]]
            names = before + " " + names
        texts = names
        lines = _lines(probability[nodes], names)
        if length < counts.order:
            lines = _with_backoff(lines, smoothed.backoff[nodes])
        if length == 1:  # words of the vocabulary that no document holds
            missing = np.setdiff1d(outcomes, counts.word[nodes])
            unseen = np.full(len(missing), first_unseen)
            lines += _lines(unseen, words[missing])
        sections.append(lines)
    with _opened(file, "wt") as target:  # only now, so that an error leaves the file
        target.write("\\data\\\n")
        for length, lines in enumerate(sections, 1):
            target.write(f"ngram {length}={len(lines)}\n")
        for length, lines in enumerate(sections, 1):
            target.write(f"\n\\{length}-grams:\n")
            target.writelines(f"{line}\n" for line in lines)
        target.write("\n\\end\\\n")


def _lines(probability, names):
    return [f"{p:.9g}\t{name}" for p, name in zip(_log10(probability), names)]


def _with_backoff(lines, backoff):
    return [
        line if b == 0.0 else f"{line}\t{b:.9g}"
        for line, b in zip(lines, _log10(backoff))
    ]


def _log10(numbers):
    with np.errstate(divide="ignore"):
        return np.maximum(np.log10(numbers), _LOG10_OF_0)


def read_arpa(file):
    """Return the n-grams of a file: [{words: (log10 P, log10 backoff)}] by length."""
    tables, sizes = [], {}
    with _opened(file, "rt") as source:
        _read_sections(_lines_of(source), tables, sizes)
    if not tables:
        raise ValueError(
            "The file holds no n-grams in the ARPA format: no line \\data\\ and, after "
            "it, \\1-grams:."
        )
    for length, size in sizes.items():
        n_found = len(tables[length - 1]) if 1 <= length <= len(tables) else 0
        if n_found != size:
            raise ValueError(
                f"The file says that it has {size} n-grams of length {length}, and has "
                f"{n_found}: it is cut off, or lists some twice."
            )
    return tables


def _lines_of(source):
    """Yield the numbers and the lines of a file that are not blank."""
    try:
        for number, line in enumerate(source, 1):
            text = line.decode("utf-8") if isinstance(line, bytes) else line
            text = text.strip(_BLANKS)
            if text:
                yield number, text
    except UnicodeDecodeError as error:
        raise ValueError(
            f"The file is not in UTF-8 ({error.reason}, {error.object[:20]!r} …). Open "
            "it in its own encoding: from_arpa(open(path, encoding='latin-1'))."
        ) from None


def _read_sections(lines, tables, sizes):
    # What is before \\data\\ is a comment.
    length = None
    for number, line in lines:
        if length is None:
            length = 0 if line.lstrip("\ufeff") == "\\data\\" else None
        elif line == "\\end\\":
            break
        elif line.startswith("\\"):
            length = _next_section(line, number, tables)
        elif length > 0:
            _read_line(tables[length - 1], line, length, number)
        elif line.startswith("ngram "):
            try:
                name, size = map(int, line.removeprefix("ngram ").split("="))
            except ValueError:
                raise ValueError(
                    f"Line {number} is {line!r:.40}; a line such as ngram 1=20, with "
                    "the number of n-grams, is expected."
                ) from None
            sizes[name] = size


def _next_section(line, number, tables):
    """Return the length of the n-grams of a section that begins."""
    expected = f"\\{len(tables) + 1}-grams:"
    if line != expected:
        raise ValueError(f"Line {number} is {line!r:.40} where {expected} is expected.")
    tables.append({})
    return len(tables)


def _read_line(table, line, length, number):
    fields = line.replace("\t", " ").split(" ")
    if "" in fields:
        fields = list(filter(None, fields))
    if len(fields) not in (length + 1, length + 2):
        raise ValueError(
            f"Line {number}, {line!r:.60}, is no n-gram of {length} words between "
            "log10 P and, perhaps, log10 of a backoff."
        )
    try:
        numbers = float(fields[0]), float((*fields, "0")[length + 1])
    except ValueError:
        raise ValueError(f"Line {number}, {line!r:.60}, holds no number.") from None
    if not (numbers[0] <= _LARGEST_LOG10 and numbers[1] <= _LARGEST_BACKOFF):  # nor NaN
        raise ValueError(
            f"Line {number}, {line!r:.60}: log10 of a probability must be a number ≤ 0 "
            f"and log10 of a backoff at most {_LARGEST_BACKOFF:g}. The file is damaged."
        )
    words = tuple(_SPELLINGS.get(word, word) for word in fields[1 : length + 1])
    if table.setdefault(words, numbers) != numbers:
        raise ValueError(
            f"Line {number}, {line!r:.60}: an earlier line gives other numbers for the "
            "same words."
        )


def model_of(tables):
    """Return the vocabulary and the model of n-grams that `read_arpa` returns."""
    words = {word for (word,) in tables[0]}
    vocabulary = assign_codes(words - SYMBOLS.keys())
    codes = {**SYMBOLS, **vocabulary}
    _close(tables)
    try:
        coded = [
            {tuple(codes[word] for word in words): found for words, found in t.items()}
            for t in tables
        ]
    except KeyError as error:
        raise ValueError(f"The n-grams hold {error}, which is no unigram.") from None
    counts = trie_of([dict.fromkeys(table, 0.0) for table in coded], len(codes))
    given = [(0.0, 0.0)]  # in the order of the nodes
    for table in coded:
        given += [table[ngram] for ngram in sorted(table)]
    smoothed = _smoothed(counts, np.array(given, dtype=np.float64))
    return vocabulary, NGramModel(counts, smoothed)


def _close(tables):
    """Add the n-grams without the first or the last word, where a file lacks them."""
    # They are not listed, so P is that of the shorter history: see `_smoothed`.
    for longer, shorter in zip(tables[:0:-1], tables[-2::-1]):
        for words in longer:
            for part in (words[:-1], words[1:]):
                shorter.setdefault(part, (np.nan, 0.0))


def _smoothed(counts, given):
    """Return the terms that give the probabilities and backoffs of a file."""
    # given: (n_nodes, 2), log10; NaN for P of n-grams that the file does not list.
    numbers = np.where(given > _LARGEST_LOG10_OF_0, 10.0**given, 0.0)
    is_listed = ~np.isnan(given[:, 0])
    probability, backoff = numbers.T.copy()
    backoff[0] = 1.0
    unigrams = slice(*counts.level_start[1:3])
    is_unknown = counts.word[unigrams] == UNKNOWN_WORD
    base = float(probability[unigrams][is_unknown].sum())
    history, suffix = counts.history, suffixes_of(counts)
    discounted = np.zeros(len(probability))
    for length in range(1, counts.order + 1):
        nodes = slice(*counts.level_start[length : length + 2])
        shorter = base if length == 1 else probability[suffix[nodes]]
        unlisted = backoff[history[nodes]] * shorter
        probability[nodes] = np.where(is_listed[nodes], probability[nodes], unlisted)
        discounted[nodes] = probability[nodes] - unlisted
    return SmoothedNGrams(
        discounted, backoff, base, False, None, None, is_mixture=False
    )


def _opened(file, mode):
    """Return a context with an open file, given as a path or already open."""
    if isinstance(file, str | PathLike):
        is_packed = Path(file).suffix == ".gz"
        return (gzip.open if is_packed else open)(file, mode, encoding="utf-8")
    if not hasattr(file, "read" if mode == "rt" else "write"):
        raise TypeError(
            f"file must be a path (str or PathLike) or an open file, got {file!r:.60}, "
            f"of type {type(file).__name__}."
        )
    return nullcontext(file)

"""Categories as strings: the spellings of one category are brought to one.

Spellings differ in case and blanks, in accents that are signs of their own, in the
shapes of dashes and apostrophes, in the words for true and false, in zeros that a
spreadsheet has removed, or in the type of the cell.
"""

import re
import unicodedata

import numpy as np

from .._labels import object_array
from ._cells import as_strings, label_of, missing_words
from ._numbers import SAME_SIGNS
from ._words import FALSE_WORDS, TRUE_WORDS

RARE, MAX_CATEGORIES, MIN_CATEGORY_COUNT = "(rare)", 100, 5
# Codes such as the alleles "Aa" and the elements "Co", which are no words.
_CODE = re.compile(r"(?i)\w{1,2}|[aeiou]{3}|[^\Waeiou]{3}")
# A spelling of fewer of the cells of a code is a slip.
MIN_SHARE = 0.1


class CategoryColumn:
    """Categories as strings; in a column of very many, the rare ones share one."""

    # If there are more than `max_categories`, those of fewer than `min_count` cells
    # become `RARE`, and so do those that `fit` has not seen.

    suffixes = ("",)

    def __init__(self, max_categories, min_count):
        self.max_categories, self.min_count = max_categories, min_count

    def fit(self, cells, y, folds):
        """Learn the spellings, and which categories are frequent; return the cells."""
        values, counts = cells.distinct_strings()
        values = list(map(label_of, values))
        self.missing = missing_words(values)
        self.spelling = usual_spellings(values, counts)
        self.truth = truth_words(values, counts)
        if cells.is_bool:
            self.truth = ("False", "True")
        categories = set(self.spelling.values())
        self.of_number = _unique_numbers(categories)
        self.width = _width_of_codes(categories)
        self.frequent = None
        self.n_rare = 0
        if len(categories) > self.max_categories:
            total = dict.fromkeys(categories, 0)
            for value, n in zip(values, counts):
                total[usual_of(value, self.spelling)] += n
            self.frequent = {one for one, n in total.items() if n >= self.min_count}
            self.n_rare = len(total) - len(self.frequent)
        return self.transform(cells)[0]

    def transform(self, cells):
        """Return the cells as strings, a missing one NaN; and a note if all are new."""
        labels = cells.as_labels()
        values = [self._category(value) for value in as_strings(labels.categories)]
        known = {value for value in values if value == value}
        # One row may well be of a new category.
        n_known = (labels.codes >= 0).sum()
        note = ""
        if self.frequent is not None:
            values = [
                value if value != value or value in self.frequent else RARE
                for value in values
            ]
        elif known and n_known > 1 and known.isdisjoint(self.spelling.values()):
            note = f"no cell is a category of fit, for example {min(known)!r:.40}"
        return [object_array([*values, np.nan])[labels.codes]], note

    def _category(self, string):
        """Return the category of a string, NaN where it stands for a missing cell."""
        string = label_of(string.strip())
        if string in self.missing:
            return np.nan
        usual = usual_of(string, self.spelling)
        if usual is not None:
            return usual
        number = _to_number(string)
        word = f"{number:g}" if number in (0, 1) else string.lower()  # also "1.0"
        if self.truth and word in TRUE_WORDS | FALSE_WORDS:
            return self.truth[word in TRUE_WORDS]
        if number in self.of_number:
            return self.of_number[number]
        return string.zfill(self.width) if string.isdecimal() else string


def fold(string):
    """Return what the spellings of one category share.

    Case may matter in one letter, and where it is not that of words.

    >>> fold(" New  York"), fold("NEW YORK"), fold("M"), fold("m"), fold("hAd")
    ('new york', 'new york', 'M', 'm', 'hAd')
    """
    string = unicodedata.normalize("NFC", string).translate(SAME_SIGNS)
    words = " ".join(string.split())
    usual = (words.lower(), words.upper(), words.capitalize(), words.title())
    return words.casefold() if len(words) > 1 and words in usual else words


def nearly(string):
    """Return what two categories share that may be meant as one.

    >>> nearly("Málaga") == nearly("MALAGA."), nearly("<5") == nearly("5")
    (True, False)
    """
    signs = unicodedata.normalize("NFKD", string.casefold())
    letters = "".join(sign for sign in signs if not unicodedata.combining(sign))
    return letters.replace("_", " ").replace(" - ", "-").strip("\"'.:; ")


def usual_spellings(values, counts):
    """Return {folded: the most frequent spelling} of the strings of a column.

    Spellings are not folded where their case seems to have a meaning.

    >>> usual_spellings(["PRO", "Pro", "free"], [1, 2, 9])
    {'free': 'free', 'pro': 'Pro'}
    >>> usual_spellings(["CO", "Co", "none"], [1, 2, 9])
    {'none': 'none', 'Co': 'Co', 'CO': 'CO'}
    """
    # values: strings without blanks around them; counts: the cells of each.
    values = list(values)
    usual = _most_frequent_first(values, counts)
    spelling, exact = {}, {}
    for value in usual:
        spelling.setdefault(fold(value), value)
        exact.setdefault(" ".join(value.split()), value)
    truth = truth_words(values, counts)
    if truth:
        return {word: truth[word.lower() in TRUE_WORDS] for word in spelling}
    if len(spelling) == 1:  # one category would say nothing
        return exact
    if _is_case_a_meaning(values, counts):
        codes = {word: value for word, value in exact.items() if _CODE.fullmatch(word)}
        return {k: v for k, v in spelling.items() if v not in codes} | codes
    return spelling


def usual_of(string, spelling):
    """Return the usual spelling of a string, None if it is none of the column."""
    return spelling.get(" ".join(string.split())) or spelling.get(fold(string))


def _is_case_a_meaning(values, counts):
    """Return whether codes of one to three letters are often in several cases."""
    n_cells = {}
    for value, n in zip(values, counts):
        if _CODE.fullmatch(value) and value.lower() not in TRUE_WORDS | FALSE_WORDS:
            n_cells.setdefault(fold(value), []).append(n)
    return any(
        len(of_one) > 2 or (len(of_one) == 2 and min(of_one) >= MIN_SHARE * sum(of_one))
        for of_one in n_cells.values()
    )


def truth_words(values, counts):
    """Return the usual (false, true) words of a column of such words, None for others.

    >>> truth_words(["no", "Yes", "y"], [5, 3, 2]), truth_words(["no", "maybe"], [5, 3])
    (('no', 'Yes'), None)
    """
    words = {value.lower() for value in values}
    if not words <= TRUE_WORDS | FALSE_WORDS or words <= {"0", "1"}:
        return None
    if len(words) > 2 and max(map(len, words)) == 1:
        return None  # the codes "y", "t" and "n" may be three categories
    usual = _most_frequent_first(values, counts)
    no = [value for value in usual if value.lower() in FALSE_WORDS]
    yes = [value for value in usual if value.lower() in TRUE_WORDS]
    return (no[0], yes[0]) if no and yes else None


def _most_frequent_first(values, counts):
    pairs = sorted(zip(values, counts), key=lambda pair: (-pair[1], pair[0]))
    return [value for value, _ in pairs]


def _to_number(string):
    """Return a plain number, 1 for "True" and 0 for "False", None for others."""
    try:
        return float({"True": "1", "False": "0"}.get(string, string))
    except ValueError:
        return None


def _unique_numbers(categories):
    """Return {number: category} of the categories that are the only one of a number.

    >>> _unique_numbers(["007", "1.1", "1.10", "beta"])
    {7.0: '007'}
    """
    found = {}
    for category in categories:
        found.setdefault(_to_number(category), []).append(category)
    found.pop(None, None)
    return {number: names[0] for number, names in found.items() if len(names) == 1}


def _width_of_codes(categories):
    """Return the number of digits of codes that begin with zeros, 0 for others."""
    widths = {len(one) if one.isdecimal() else 0 for one in categories}
    is_padded = len(widths) == 1 and any(one.startswith("0") for one in categories)
    return widths.pop() if is_padded else 0

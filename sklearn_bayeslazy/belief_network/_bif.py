"""Reads and writes networks in the Bayesian Interchange Format (BIF).

Programs write it differently. This module reads the files of

- this package, bnlearn and its repository: values, numbers and parents with commas;
- pyAgrum: numbers separated by spaces;
- JavaBayes, and the specification: everything in quotes and separated by spaces, the
  parents after the node without a bar, ``table`` for all rows, ``default``, properties;
- GeNIe and bnlearn in the related format DSC: ``node`` blocks, and rows of tables by
  the numbers of the parents' values.

Names and values are written as identifiers, since pyAgrum and GeNIe require them. The
originals are in a property, from which they are restored.
"""

import json
import re
from dataclasses import replace
from os import PathLike
from urllib.parse import quote, unquote

import numpy as np

from ..tabular import object_array
from ._given_tables import build_network, scaled_to_one

# Cuts a text in the Bayesian Interchange Format into words and punctuation marks.


_TOKENS = re.compile(
    r"""\s+|//[^\n]*|/\*.*?\*/|(?P<quoted>"[^"]*")|(?P<punctuation>[{}()\[\]|,;])"""
    r"""|(?P<word>[^\s{}()\[\]|,;"]+)""",
    re.DOTALL,
)


class Tokens:
    """The tokens of a text, and the position of the next one."""

    # Names and values may contain any characters except the punctuation of the format;
    # /, +, < and spaces are common. In double quotes they may contain punctuation too.

    def __init__(self, text):
        self.tokens, self.position = [], 0
        start, line = 0, 1
        while start < len(text):
            match = _TOKENS.match(text, start)
            if match is None:
                raise ValueError(f"Line {line} of the BIF has an unclosed quote.")
            if match.lastgroup:
                self.tokens.append((match.lastgroup, match.group(), line))
            line += text.count("\n", start, match.end())
            start = match.end()

    def next_token(self):
        """Return the next token without quotes, and move past it."""
        if self.position == len(self.tokens):
            raise ValueError("The BIF ends in the middle of a block.")
        kind, token, _ = self.tokens[self.position]
        self.position += 1
        return token[1:-1] if kind == "quoted" else token

    def is_next_any(self, punctuation):
        """Return whether the next token is one of some punctuation marks."""
        if self.position == len(self.tokens):
            return False
        kind, token, _ = self.tokens[self.position]
        return kind == "punctuation" and token in punctuation

    def expect(self, expected):
        """Move past a token, or raise an error if it is another one."""
        if (token := self.next_token()) != expected:
            raise self.error(f"expected {expected!r}, got {token!r}")

    def read_until(self, end):
        """Return the words before a punctuation mark, and move past the mark."""
        words, _ = self.read_until_any(end)
        return " ".join(words)

    def read_until_any(self, *ends):
        """Return the words before one of some punctuation marks, and that mark."""
        words = []
        while not self.is_next_any(ends):
            words.append(self.next_token())
        return words, self.next_token()

    def read_groups(self, end):
        """Return the words between commas or bars before a mark, as lists of words."""
        groups, mark = [], None
        while mark != end:
            words, mark = self.read_until_any(",", "|", end)
            if words:
                groups.append(words)
        return groups

    def read_list(self, end, count):
        """Return the items before a punctuation mark."""
        # They are separated by commas, and then may contain spaces; or by spaces, if
        # this gives the right number of items, `count`.
        groups = self.read_groups(end)
        words = [word for group in groups for word in group]
        if len(groups) != count and len(words) == count:
            return words
        return [" ".join(group) for group in groups]

    def skip_block(self):
        """Move past the end of a block in braces."""
        depth = 1
        while depth:
            depth += self.is_next_any("{") - self.is_next_any("}")
            self.next_token()

    def error(self, problem):
        """Return an error with the line of the next token."""
        line = self.tokens[min(self.position, len(self.tokens) - 1)][2]
        return ValueError(f"Line {line} of the BIF: {problem}.")


def read_bif(text):
    """Return the network that a BIF text describes.

    >>> network = read_bif('''network unknown {}
    ... variable rain { type discrete [ 2 ] { yes, no }; }
    ... variable wet { type discrete [ 2 ] { yes, no }; }
    ... probability ( rain ) { table 0.2, 0.8; }
    ... probability ( wet | rain ) { (yes) 0.9, 0.1; (no) 0.3, 0.7; }
    ... ''')
    >>> network.arcs()
    [('rain', 'wet')]
    >>> network.tables[1][0]
    array([0.9, 0.1])
    """
    # The rows of tables are scaled so that they sum to 1. Raises a ValueError if the
    # text is not valid BIF; errors of syntax name the line.
    if text.lstrip().startswith("<"):
        raise ValueError(
            "The file is XML (XMLBIF, or .xdsl of GeNIe), not BIF: save the network as "
            ".bif or .dsc."
        )
    return _Parser(text).network()


def read_bif_source(source):
    """Return the network of a path, of a file that is open, or of a text."""
    # A file is in UTF-8 or, as old programs write, in Latin-1. A string with a brace is
    # a text; such a path must be a Path.
    if isinstance(source, str) and "{" in source:
        return read_bif(source)
    if hasattr(source, "read"):
        content = source.read()
    elif not isinstance(source, str | bytes | PathLike):
        raise TypeError(
            f"source must be a path, an open file or a text, got {source!r:.60}."
        )
    else:
        with open(source, "rb") as file:
            content = file.read()
    if isinstance(content, str):
        return read_bif(content)
    try:
        return read_bif(content.decode("utf-8-sig"))
    except UnicodeDecodeError:
        return read_bif(content.decode("latin-1"))


# The words that the grammar of a program reserves.
RESERVED = {"network", "variable", "property", "type", "discrete"}
RESERVED |= {"probability", "table", "default", "node", "belief"}
# The property of a variable with its original name and values: a JSON list, in which
# all but letters and digits is percent-encoded, so that every program reads one word.
ORIGINALS = "originals"


def write_bif(network):
    """Return a network as a BIF text; `read_bif` reads the same network back."""
    names = identifiers(network.names, "node")
    values = [identifiers(some, "state") for some in network.values]
    lines = ["network unknown {", "}"]
    for node, listed in enumerate(values):
        lines += [
            f"variable {names[node]} {{",
            f"  type discrete [ {len(listed)} ] {{ {', '.join(listed)} }};",
        ]
        originals = [network.names[node], *map(_as_json, network.values[node])]
        if originals != [names[node], *listed]:
            encoded = quote(json.dumps(originals, ensure_ascii=False), safe="")
            lines.append(f"  property {ORIGINALS} = {encoded} ;")
        lines.append("}")
    for node in range(network.n_nodes):
        lines += _table_lines(network, node, names, values)
    return "\n".join(lines) + "\n"


def identifiers(originals, prefix):
    """Return distinct identifiers for some names; those that are ones are kept.

    >>> identifiers(["age", "blood pressure", "< 5", 5, "table"], "state")
    ['age', 'blood_pressure', 'state_5', 'state_5_2', 'state_table']
    """
    texts = [str(original) for original in originals]
    kept = {text for text in texts if _is_identifier(text)}
    found = []
    for text in texts:
        if text not in kept:
            words = [prefix, *re.findall("[A-Za-z0-9]+", text)]
            plain = "_".join(words[1:])
            base = plain if _is_identifier(plain) else "_".join(words)
            text, count = base, 1
            while text in kept:
                count += 1
                text = f"{base}_{count}"
            kept.add(text)
        found.append(text)
    return found


def _is_identifier(text):
    return bool(re.fullmatch("[A-Za-z][A-Za-z0-9_]*", text)) and text not in RESERVED


def _as_json(value):
    """Return a value as JSON can hold it: numbers and booleans, or a string."""
    value = value.item() if isinstance(value, np.generic) else value
    return value if isinstance(value, bool | int | float) else str(value)


def _table_lines(network, node, names, values):
    """Return the lines of the probability block of a node."""
    parents, table = network.parents[node], network.tables[node]
    head = names[node]
    if parents:
        head += " | " + ", ".join(names[parent] for parent in parents)
    lines = [f"probability ( {head} ) {{"]
    for combination in np.ndindex(table.shape[:-1]):
        numbers = ", ".join(repr(float(p)) for p in table[combination])
        row = ", ".join(values[parent][i] for parent, i in zip(parents, combination))
        lines.append(f"  {f'({row})' if parents else 'table'} {numbers};")
    return [*lines, "}"]


class _Parser(Tokens):
    """A recursive-descent parser of BIF and DSC."""

    # Whether the text is DSC: "node" blocks, and rows of tables by numbers of values.
    is_dsc = False

    def __init__(self, text):
        super().__init__(text)
        self.originals = {}  # of variables that have this property

    def network(self):
        """Parse the whole text."""
        values, parents, tables = {}, {}, {}
        while self.position < len(self.tokens):
            block = self.next_token()
            if block == "network":
                self.read_until("{")
                self.skip_block()
            elif block == "belief":  # DSC: belief network "name"
                self.is_dsc = True
                self.expect("network")
                self.next_token()
            elif block in ("variable", "node"):
                name, states = self.variable()
                if name in values:
                    raise self.error(f"the variable {name!r} is declared twice")
                values[name] = states
            elif block == "probability":
                name, given, table = self.probability(values)
                if name in parents:
                    raise self.error(f"{name!r} has two tables")
                parents[name], tables[name] = given, table
            else:
                raise self.error(f"expected variable or probability, got {block!r}")
        if missing := [name for name in values if name not in parents]:
            raise ValueError(f"The BIF has no table of {missing[0]!r}.")
        if not values:
            raise ValueError("The BIF declares no variable.")
        return self.with_originals(build_network(values, parents, tables))

    def with_originals(self, network):
        """Return the network with the original names and values of its variables."""
        names, values = list(network.names), list(network.values)
        for node, name in enumerate(network.names):
            if name in self.originals:
                names[node], *originals = self.originals[name]
                values[node] = object_array(originals)
        if len(set(names)) < len(names):
            raise ValueError(f"The property {ORIGINALS} names a variable twice.")
        return replace(network, names=tuple(names), values=tuple(values))

    def variable(self):
        """Parse a variable block; return its name and values."""
        name, states = self.read_until("{"), None
        while (word := self.next_token()) != "}":
            if word.rstrip(":") == "type":
                states = self.states(name)
            rest = self.read_until(";")
            if word == "property" and rest.startswith(f"{ORIGINALS} ="):
                self.originals[name] = self.decoded(rest.partition("=")[2].strip())
        if (
            name in self.originals
            and len(self.originals[name]) != len(states or ()) + 1
        ):
            raise self.error(
                f"the property {ORIGINALS} of {name!r} needs a name and "
                "as many values as there are"
            )
        if not states or len(set(states)) < len(states):
            raise self.error(f"the variable {name!r} needs a list of distinct values")
        return name, states

    def decoded(self, encoded):
        """Return the original name and values that a property holds."""
        try:
            found = json.loads(unquote(encoded))
        except (ValueError, RecursionError):
            found = None
        is_list = isinstance(found, list) and found and isinstance(found[0], str)
        if not (
            is_list
            and all(isinstance(value, str | bool | int | float) for value in found)
            and len(set(found[1:])) == len(found) - 1
        ):
            raise self.error(
                f"the property {ORIGINALS} must hold a name and distinct values"
            )
        return found

    def states(self, name):
        """Parse ``discrete [ K ] { values }``; return the values."""
        kind = self.next_token().strip(":") or self.next_token()
        if kind != "discrete":
            raise self.error(f"only discrete variables are supported, not {kind!r}")
        self.expect("[")
        count = self.read_until("]")
        self.read_until("{")
        states = self.read_list("}", int(count) if count.isdecimal() else -1)
        if str(len(states)) != count:
            raise self.error(
                f"the variable {name!r} should have [ {count} ] values, and lists "
                f"{states}"
            )
        return states

    def probability(self, values):
        """Parse a probability block; return the node, its parents, and its table."""
        name, *parents = self.head(values)
        for variable in (name, *parents):
            if variable not in values:
                raise self.error(f"no variable {variable!r} was declared")
        sizes = [len(values[parent]) for parent in parents]
        table = np.full((*sizes, len(values[name])), np.nan)
        default = np.full(table.shape[-1], np.nan)
        self.expect("{")
        while (word := self.next_token()) != "}":
            if word == "(":
                combination = self.combination(name, parents, values)
                table[combination] = self.new_numbers(name, table[combination])
            elif word.rstrip(":=") == "default":
                default = self.new_numbers(name, default)
            elif word == "table" or (not parents and _is_number(word)):
                self.position -= word != "table"
                # The last parent varies fastest, and the node itself slowest.
                by_value = self.new_numbers(name, np.moveaxis(table, -1, 0))
                table = np.moveaxis(by_value, 0, -1)
            else:
                self.read_until(";")
        table[np.isnan(table).all(axis=-1)] = default
        scaled = scaled_to_one(table)
        if scaled is None:
            raise self.error(
                f"the table of {name!r} lacks a row, or a row does not sum to 1"
            )
        return name, parents, scaled

    def new_numbers(self, name, before):
        """Parse the numbers of a part of a table, which had none or the same before."""
        numbers = self.numbers(before.size).reshape(before.shape)
        if not (np.isnan(before).all() or np.array_equal(before, numbers)):
            raise self.error(f"a part of the table of {name!r} is given twice")
        return numbers

    def head(self, values):
        """Parse ``( node | parents )``; return the names."""
        # JavaBayes separates all names by spaces alone.
        self.expect("(")
        names = []
        for group in self.read_groups(")"):
            is_one_name = " ".join(group) in values or not set(group) <= set(values)
            names += [" ".join(group)] if is_one_name else group
        if not names:
            raise self.error("a probability block names no variable")
        return names

    def combination(self, name, parents, values):
        """Parse the parents' values of a table's row; return its index."""
        given = self.read_list(")", len(parents))
        if len(given) != len(parents):
            raise self.error(f"{name!r} has {len(parents)} parents")
        if self.is_dsc:  # values by number
            numbers = [int(i) if i.isdecimal() else -1 for i in given]
            if all(0 <= i < len(values[p]) for p, i in zip(parents, numbers)):
                return tuple(numbers)
        for parent, value in zip(parents, given):
            if value not in values[parent]:
                raise self.error(f"{given} are not values of {parents}")
        return tuple(values[p].index(value) for p, value in zip(parents, given))

    def numbers(self, count):
        """Parse numbers, separated by commas or spaces, up to a semicolon."""
        groups = self.read_groups(";")
        words = [word.lstrip(":=") for group in groups for word in group]
        words = [word for word in words if word]
        if not all(map(_is_number, words)):
            raise self.error(f"expected numbers, got {words}")
        if len(words) != count:
            raise self.error(f"expected {count} numbers, got {len(words)}")
        return np.array([float(word) for word in words])


def _is_number(word):
    try:
        float(word)
    except ValueError:
        return False
    return True

"""Reads and writes networks in the Bayesian Interchange Format (BIF).

Names and values may hold any characters but those of the format itself: /, +, < and
spaces are common. In quotes they may hold these as well.
"""

import re

import numpy as np

from ._network import Network, parents_of_arcs

_TOKENS = re.compile(
    r"""\s+|//[^\n]*|/\*.*?\*/|(?P<quoted>"[^"]*")|(?P<mark>[{}()\[\]|,;])"""
    r"""|(?P<word>[^\s{}()\[\]|,;"]+)""",
    re.DOTALL,
)
_PLAIN = re.compile(r"[^\s{}()\[\]|,;\"]+")
# Rows of tables may miss one by so much, where their numbers were rounded.
_ROUNDED = 0.01
# Rows that miss one by less are left as they are, so that they are read as written.
_EXACT = 1e-12


def read_bif(text):
    """Return the network that a text in BIF describes.

    Rows of tables are scaled to sum to one.

    Raises
    ------
    ValueError
        Where the text is no BIF, naming the line.

    Examples
    --------
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
    return _Reader(text).network()


def write_bif(network, name="unknown"):
    """Return a network as a text in BIF; numbers are read back as they were."""
    lines = [f"network {_quoted(name)} {{", "}"]
    for node, values in zip(network.names, network.values):
        listed = ", ".join(_quoted(str(value)) for value in values)
        lines += [
            f"variable {_quoted(node)} {{",
            f"  type discrete [ {len(values)} ] {{ {listed} }};",
            "}",
        ]
    for node, parents, table in zip(network.names, network.parents, network.tables):
        given = [network.names[parent] for parent in parents]
        head = _quoted(node)
        if given:
            head += " | " + ", ".join(map(_quoted, given))
        lines.append(f"probability ( {head} ) {{")
        for place in np.ndindex(table.shape[:-1]):
            numbers = ", ".join(repr(float(p)) for p in table[place])
            values = (network.values[p][i] for p, i in zip(parents, place))
            row = "(" + ", ".join(_quoted(str(value)) for value in values) + ")"
            lines.append(f"  {row if given else 'table'} {numbers};")
        lines.append("}")
    return "\n".join(lines) + "\n"


def _quoted(name):
    if _PLAIN.fullmatch(name) and "//" not in name and "/*" not in name:
        return name
    if '"' in name:
        raise ValueError(f"BIF cannot write the name {name!r}: it holds a quote.")
    return f'"{name}"'


class _Reader:
    """Tokens of a text, read one by one."""

    def __init__(self, text):
        self.tokens, self.at = [], 0
        place, line = 0, 1
        while place < len(text):
            match = _TOKENS.match(text, place)
            if match is None:
                raise ValueError(f"Line {line} of the BIF has a quote without an end.")
            if match.lastgroup:
                self.tokens.append((match.lastgroup, match.group(), line))
            line += text.count("\n", place, match.end())
            place = match.end()

    def network(self):
        values, families, tables = {}, {}, {}
        while self.at < len(self.tokens):
            kind = self.take()
            if kind == "network":
                self.words("{")
                self.skip_block()
            elif kind == "variable":
                name, states = self.variable()
                if name in values:
                    raise self.error(f"the variable {name!r} stands there twice")
                values[name] = states
            elif kind == "probability":
                name, parents, table = self.probability(values)
                if name in families:
                    raise self.error(f"{name!r} has two tables")
                families[name], tables[name] = parents, table
            else:
                raise self.error(f"expected variable or probability, got {kind!r}")
        if missing := [name for name in values if name not in families]:
            raise ValueError(f"The BIF has no table of {missing[0]!r}.")
        if not values:
            raise ValueError("The BIF holds no variable.")
        names = tuple(values)
        arcs = [(parent, name) for name in names for parent in families[name]]
        parents = parents_of_arcs(arcs, names)
        ordered = []
        for name, numbers in zip(names, parents):  # axes as the numbers ascend
            given = families[name]
            axes = [given.index(names[number]) for number in numbers]
            ordered.append(np.transpose(tables[name], [*axes, len(axes)]))
        arrays = tuple(np.array(values[name], dtype=object) for name in names)
        return Network(names, arrays, parents, tuple(ordered))

    def variable(self):
        name, states = self.words("{"), None
        while (word := self.take()) != "}":
            if word == "type":
                kind = self.take()
                if kind != "discrete":
                    raise self.error(f"only discrete variables are known, not {kind!r}")
                self.words("{")
                states = self.listed("}")
            self.words(";")
        if not states or len(set(states)) < len(states):
            raise self.error(f"the variable {name!r} needs a list of distinct values")
        return name, states

    def probability(self, values):
        self.expect("(")
        name, mark = self.words("|", ")", tell=True)
        parents = self.listed(")") if mark == "|" else []
        for some in (name, *parents):
            if some not in values:
                raise self.error(f"no variable {some!r} was declared")
        sizes = [len(values[parent]) for parent in parents]
        table = np.full((*sizes, len(values[name])), np.nan)
        self.expect("{")
        while (word := self.take()) != "}":
            if word == "(":
                given = self.listed(")")
                if len(given) != len(parents):
                    raise self.error(f"{name!r} has {len(parents)} parents")
                places = [
                    values[p].index(v) if v in values[p] else None
                    for p, v in zip(parents, given)
                ]
                if None in places:
                    raise self.error(f"{given} are not values of {parents}")
                table[tuple(places)] = self.numbers(table.shape[-1])
            elif word == "default":
                row = self.numbers(table.shape[-1])
                table[np.isnan(table).all(axis=-1)] = row
            elif word == "table":  # the last parent changes fastest
                numbers = self.numbers(table.size)
                numbers = numbers.reshape(table.shape[-1], *sizes)
                table = np.moveaxis(numbers, 0, -1)
            else:
                self.words(";")
        sums = table.sum(axis=-1, keepdims=True)
        if not (np.all(table >= 0) and np.all(np.abs(sums - 1) <= _ROUNDED)):
            raise self.error(
                f"the table of {name!r} lacks a row, or one does not sum to 1"
            )
        exact = np.abs(sums - 1) <= _EXACT
        return name, parents, np.where(exact, table, table / sums)

    def numbers(self, count):
        words = self.listed(";")
        try:
            found = np.array([float(word) for word in words])
        except ValueError:
            raise self.error(f"expected numbers, got {words}") from None
        if len(found) != count:
            raise self.error(f"expected {count} numbers, got {len(found)}")
        return found

    def take(self):
        if self.at == len(self.tokens):
            raise ValueError("The BIF ends in the middle of a block.")
        kind, token, _ = self.tokens[self.at]
        self.at += 1
        return token[1:-1] if kind == "quoted" else token

    def mark(self):
        return self.at < len(self.tokens) and self.tokens[self.at][0] == "mark"

    def expect(self, mark):
        if (token := self.take()) != mark:
            raise self.error(f"expected {mark!r}, got {token!r}")

    def words(self, *marks, tell=False):
        """Return the words before one of some marks, which is passed over."""
        found = []
        while not (self.mark() and self.tokens[self.at][1] in marks):
            found.append(self.take())
        mark = self.take()
        return (" ".join(found), mark) if tell else " ".join(found)

    def listed(self, end):
        """Return what stands between commas before a mark."""
        found = []
        while True:
            words, mark = self.words(",", end, tell=True)
            if words or mark != end or found:
                found.append(words)
            if mark == end:
                return found

    def skip_block(self):
        depth = 1
        while depth:
            depth += {"{": 1, "}": -1}.get(self.take(), 0)

    def error(self, words):
        line = self.tokens[min(self.at, len(self.tokens) - 1)][2]
        return ValueError(f"Line {line} of the BIF: {words}.")

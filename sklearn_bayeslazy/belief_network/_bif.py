"""Reads and writes networks in the Bayesian Interchange Format (BIF).

Names and values may contain any characters except the punctuation of the format; /, +,
< and spaces are common. In double quotes they may contain punctuation too.
"""

import re

import numpy as np

from ._network import Network, parents_of_arcs

_TOKENS = re.compile(
    r"""\s+|//[^\n]*|/\*.*?\*/|(?P<quoted>"[^"]*")|(?P<punctuation>[{}()\[\]|,;])"""
    r"""|(?P<word>[^\s{}()\[\]|,;"]+)""",
    re.DOTALL,
)
_NEEDS_NO_QUOTES = re.compile(r"[^\s{}()\[\]|,;\"]+")
# Written numbers are often rounded: the sum of a table's row may differ from 1 by this.
MAX_SUM_ERROR = 0.01
# A row whose sum differs from 1 by less is not scaled: it is read as it was written.
MAX_SUM_ERROR_UNSCALED = 1e-12


def read_bif(text):
    """Return the network that a BIF text describes.

    The rows of tables are scaled so that they sum to 1.

    Raises
    ------
    ValueError
        If the text is not valid BIF. The message names the line.

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
    return _Parser(text).network()


def write_bif(network, name="unknown"):
    """Return a network as a BIF text; `read_bif` reads the same numbers back."""
    lines = [f"network {_quoted(name)} {{", "}"]
    for node, values in zip(network.names, network.values):
        listed = ", ".join(_quoted(str(value)) for value in values)
        lines += [
            f"variable {_quoted(node)} {{",
            f"  type discrete [ {len(values)} ] {{ {listed} }};",
            "}",
        ]
    for node in range(network.n_nodes):
        lines += _table_lines(network, node)
    return "\n".join(lines) + "\n"


def _table_lines(network, node):
    """Return the lines of the probability block of a node."""
    parents, table = network.parents[node], network.tables[node]
    head = _quoted(network.names[node])
    if parents:
        head += " | " + ", ".join(_quoted(network.names[parent]) for parent in parents)
    lines = [f"probability ( {head} ) {{"]
    for combination in np.ndindex(table.shape[:-1]):
        numbers = ", ".join(repr(float(p)) for p in table[combination])
        values = (network.values[p][i] for p, i in zip(parents, combination))
        row = "(" + ", ".join(_quoted(str(value)) for value in values) + ")"
        lines.append(f"  {row if parents else 'table'} {numbers};")
    return [*lines, "}"]


def _quoted(name):
    if _NEEDS_NO_QUOTES.fullmatch(name) and "//" not in name and "/*" not in name:
        return name
    if '"' in name:
        raise ValueError(
            f"BIF cannot write the name {name!r}, which contains a double quote: "
            "rename it."
        )
    return f'"{name}"'


class _Parser:
    """A recursive-descent parser of BIF: tokens, and the position of the next one."""

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

    def network(self):
        """Parse the whole text."""
        values, parents, tables = {}, {}, {}
        while self.position < len(self.tokens):
            block = self.next_token()
            if block == "network":
                self.read_until("{")
                self.skip_block()
            elif block == "variable":
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
        return _build_network(values, parents, tables)

    def variable(self):
        """Parse a variable block; return its name and values."""
        name, states = self.read_until("{"), None
        while (word := self.next_token()) != "}":
            if word == "type":
                kind = self.next_token()
                if kind != "discrete":
                    raise self.error(
                        f"only discrete variables are supported, not {kind!r}"
                    )
                self.read_until("{")
                states = self.read_list("}")
            self.read_until(";")
        if not states or len(set(states)) < len(states):
            raise self.error(f"the variable {name!r} needs a list of distinct values")
        return name, states

    def probability(self, values):
        """Parse a probability block; return the node, its parents, and its table."""
        name, parents = self.head()
        for variable in (name, *parents):
            if variable not in values:
                raise self.error(f"no variable {variable!r} was declared")
        sizes = [len(values[parent]) for parent in parents]
        table = np.full((*sizes, len(values[name])), np.nan)
        self.expect("{")
        while (word := self.next_token()) != "}":
            if word == "(":
                combination = self.combination(name, parents, values)
                table[combination] = self.numbers(table.shape[-1])
            elif word == "default":
                row = self.numbers(table.shape[-1])
                table[np.isnan(table).all(axis=-1)] = row
            elif word == "table":  # the last parent varies fastest
                numbers = self.numbers(table.size)
                numbers = numbers.reshape(table.shape[-1], *sizes)
                table = np.moveaxis(numbers, 0, -1)
            else:
                self.read_until(";")
        sums = table.sum(axis=-1, keepdims=True)
        if not (np.all(table >= 0) and np.all(np.abs(sums - 1) <= MAX_SUM_ERROR)):
            raise self.error(
                f"the table of {name!r} lacks a row, or a row does not sum to 1"
            )
        unscaled = np.abs(sums - 1) <= MAX_SUM_ERROR_UNSCALED
        return name, parents, np.where(unscaled, table, table / sums)

    def head(self):
        """Parse ``( node | parents )``."""
        self.expect("(")
        name, end = self.read_until_any("|", ")")
        return name, self.read_list(")") if end == "|" else []

    def combination(self, name, parents, values):
        """Parse the parents' values of a table's row; return its index."""
        given = self.read_list(")")
        if len(given) != len(parents):
            raise self.error(f"{name!r} has {len(parents)} parents")
        for parent, value in zip(parents, given):
            if value not in values[parent]:
                raise self.error(f"{given} are not values of {parents}")
        return tuple(values[p].index(value) for p, value in zip(parents, given))

    def numbers(self, count):
        """Parse a list of numbers that ends with a semicolon."""
        words = self.read_list(";")
        try:
            found = np.array([float(word) for word in words])
        except ValueError:
            raise self.error(f"expected numbers, got {words}") from None
        if len(found) != count:
            raise self.error(f"expected {count} numbers, got {len(found)}")
        return found

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
        return words

    def read_until_any(self, *ends):
        """Return the words before one of some punctuation marks, and that mark."""
        words = []
        while not self.is_next_any(ends):
            words.append(self.next_token())
        return " ".join(words), self.next_token()

    def read_list(self, end):
        """Return the items between commas before a punctuation mark."""
        items = []
        while True:
            item, mark = self.read_until_any(",", end)
            if item or mark != end or items:
                items.append(item)
            if mark == end:
                return items

    def skip_block(self):
        """Move past the end of a block in braces."""
        depth = 1
        while depth:
            depth += {"{": 1, "}": -1}.get(self.next_token(), 0)

    def error(self, problem):
        """Return an error with the line of the next token."""
        line = self.tokens[min(self.position, len(self.tokens) - 1)][2]
        return ValueError(f"Line {line} of the BIF: {problem}.")


def _build_network(values, parents, tables):
    """Return the network, with each table's axes in the order of the nodes."""
    names = tuple(values)
    arcs = [(parent, name) for name in names for parent in parents[name]]
    node_parents = parents_of_arcs(arcs, names)
    ordered = []
    for name, nodes in zip(names, node_parents):
        axes = [parents[name].index(names[node]) for node in nodes]
        ordered.append(np.transpose(tables[name], [*axes, len(axes)]))
    arrays = tuple(np.array(values[name], dtype=object) for name in names)
    return Network(names, arrays, node_parents, tuple(ordered))

"""Cuts a text in the Bayesian Interchange Format into words and punctuation marks."""

import re

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

"""Parses the pages and figures of the report, and checks that they are well-formed."""

import re
from html.parser import HTMLParser

VOID = {"meta", "br", "link", "img", "input", "wbr"}
EVIL = '<script>alert("1")</script> & $x_1$ \'"'


class Checker(HTMLParser):
    """Collects elements, text and addresses, and checks that elements are closed."""

    def __init__(self, page):
        super().__init__()
        self.open, self.tags, self.text, self.addresses = [], set(), [], []
        self.names, self.is_one_word = [], False
        self.feed(page)
        self.close()

    def handle_starttag(self, tag, attributes):
        self.tags.add(tag)
        self.is_one_word = tag == "wbr"
        if tag not in VOID:
            self.open.append(tag)
        for name, value in attributes:
            if name in ("src", "href", "xlink:href"):
                self.addresses.append(value)
            if name == "id":
                self.names.append(value)
            assert not name.startswith("on")

    def handle_startendtag(self, tag, attributes):
        self.handle_starttag(tag, attributes)
        if tag not in VOID:
            self.open.pop()

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        if self.is_one_word:
            self.text[-1] += data
        else:
            self.text.append(data)
        self.is_one_word = False


def check(page):
    """Assert that the page is well-formed and self-contained; return it parsed."""
    checker = Checker(page)
    assert checker.open == []
    assert "script" not in checker.tags
    assert all(address.startswith("#") for address in checker.addresses)
    assert len(set(checker.names)) == len(checker.names)
    assert not re.search(r"@import|url\((?!#)", page)
    return checker

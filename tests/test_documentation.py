"""The documentation: complete reference, working links, and correct examples."""

import ast
import builtins
import doctest
import importlib
import re
from pathlib import Path

import pytest

import sklearn_bayeslazy
from sklearn_bayeslazy import dask, datasets

ROOT = Path(__file__).resolve().parent.parent
DOC = ROOT / "doc"
README = ROOT / "README.md"

# The build writes these folders; they may be absent.
GENERATED = [DOC / folder for folder in ("_build", "api", "auto_examples")]


def is_generated(path):
    return any(path.is_relative_to(folder) for folder in GENERATED)


MARKDOWN = [README, *(page for page in DOC.rglob("*.md") if not is_generated(page))]
FENCE = re.compile(r"^```.*?^```", flags=re.MULTILINE | re.DOTALL)
LINK = re.compile(r"\[[^\]]*\]\(([^)\s]+)\)")
HEADING = re.compile(r"^#+ +(.+)$", flags=re.MULTILINE)
TARGET = re.compile(r"^\((.+)\)=$", flags=re.MULTILINE)


@pytest.fixture
def listed_names(monkeypatch):
    """Return the names in the API reference."""
    monkeypatch.syspath_prepend(str(DOC))
    sections = importlib.import_module("api_reference").SECTIONS
    return [name for section in sections for name in section.names]


def public_names():
    top = {name for name in sklearn_bayeslazy.__all__ if not name.startswith("__")}
    return {f"sklearn_bayeslazy.{name}" for name in top} | {
        f"sklearn_bayeslazy.{module}.{name}"
        for module, names in (("datasets", datasets.__all__), ("dask", dask.__all__))
        for name in names
    }


def anchors(text):
    """Return the anchors of a page: explicit targets and headings."""
    slugs = {
        re.sub(r"[^\w\- ]", "", heading.lower()).strip().replace(" ", "-")
        for heading in HEADING.findall(FENCE.sub("", text))
    }
    return slugs | set(TARGET.findall(text))


def broken_links(path):
    """Return the links of a page to a file or an anchor that does not exist."""
    broken = []
    for link in LINK.findall(FENCE.sub("", path.read_text(encoding="utf-8"))):
        file, _, anchor = link.partition("#")
        target = (path.parent / file).resolve() if file else path
        if "://" in link or is_generated(target):
            continue
        if not target.exists() or (
            anchor and anchor not in anchors(target.read_text(encoding="utf-8"))
        ):
            broken.append(link)
    return broken


def test_reference_lists_every_public_name_once(listed_names):
    assert len(listed_names) == len(set(listed_names))
    assert set(listed_names) == public_names()


def test_every_listed_name_exists(listed_names):
    for name in listed_names:
        module, _, attribute = name.rpartition(".")
        assert getattr(importlib.import_module(module), attribute).__doc__


def test_reference_page_shows_every_name(listed_names):
    page = importlib.import_module("api_reference").render()
    assert [line for line in page.splitlines() if line.startswith("   ~")] == [
        f"   ~{name}" for name in listed_names
    ]


def missing_names(source):
    """Return the names that a program reads and neither defines nor imports."""
    tree = ast.parse(source)
    known = set(vars(builtins))
    for node in ast.walk(tree):
        if isinstance(node, ast.alias):
            known.add((node.asname or node.name).partition(".")[0])
        elif isinstance(node, ast.FunctionDef | ast.ClassDef):
            known.add(node.name)
        elif isinstance(node, ast.arg):
            known.add(node.arg)
        elif isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Load):
            known.add(node.id)
    read = {node.id for node in ast.walk(tree) if isinstance(node, ast.Name)}
    return sorted(read - known)


def test_names_that_an_example_lacks():
    source = "import numpy as np\ndef f(x):\n    return np.exp(x + z)\ny = f(w)\n"
    assert missing_names(source) == ["w", "z"]


def test_every_public_name_has_an_example_that_can_be_copied(listed_names):
    """Doctests also see the names of the module, such as np."""
    for name in listed_names:
        module, _, attribute = name.rpartition(".")
        text = getattr(importlib.import_module(module), attribute).__doc__
        examples = doctest.DocTestParser().get_examples(text)
        assert examples, f"{name} has no example"
        assert missing_names("".join(one.source for one in examples)) == [], name


def test_readme_table_names_every_estimator():
    rows = [line for line in README.read_text("utf-8").splitlines() if line[:1] == "|"]
    for name in sklearn_bayeslazy.__all__:
        value = getattr(sklearn_bayeslazy, name)
        if isinstance(value, type) and not issubclass(value, Warning):
            assert any(f"`{name}`" in row for row in rows), name


@pytest.mark.parametrize("path", MARKDOWN, ids=lambda path: str(path.relative_to(ROOT)))
def test_links_point_to_existing_targets(path):
    assert broken_links(path) == []


@pytest.mark.parametrize(
    "name",
    [
        "contributing",
        "user_guide/belief_networks",
        "user_guide/cases",
        "user_guide/command_line",
        "user_guide/ensembles",
        "user_guide/large_data",
        "user_guide/explanations",
        "user_guide/in_production",
        "user_guide/local_regression",
        "user_guide/naive_bayes",
        "user_guide/neighbors",
        "user_guide/text",
        "user_guide/uncertainty",
    ],
)
def test_examples_of_the_pages(name, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)  # some write files
    page = DOC / f"{name}.md"
    result = doctest.testfile(
        str(page),
        module_relative=False,
        encoding="utf-8",
        optionflags=doctest.NORMALIZE_WHITESPACE,
    )
    assert result.attempted > 0
    assert result.failed == 0  # the report is in the captured output

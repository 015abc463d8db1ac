"""Layers, imports between families and folders, circles of files, short files."""

import ast
import functools
import subprocess
import sys
from pathlib import Path

import pytest

import sklearn_bayeslazy

PACKAGE = Path(sklearn_bayeslazy.__file__).parent
MODULES = sorted(PACKAGE.rglob("*.py"))
FAMILIES = (
    "naive_bayes",
    "text",
    "neighbors",
    "local_regression",
    "belief_network",
    "ensemble",
)
# The layers from below. A file imports from its part and from lower layers; families
# also take public names of one another.
LAYERS = (
    ("_core",),
    ("tabular",),
    ("search",),
    ("leave_one_out",),
    ("explain", "datasets"),
    # TableCleaner belongs to tables, but it gives free text to TextNB.
    (*FAMILIES, "tabular/cleaning"),
    ("testing", "dask"),
    ("compare",),
    ("__main__",),
)
LAYER_OF = {part: i for i, parts in enumerate(LAYERS) for part in parts}
# The only part whose files any other file may import.
OPEN = "_core"
# The command line imports a file when it is needed, so that --help is quick.
LAZY = "compare"
# Not strict limits: what exceeds them is reviewed, and a comment states why it stays.
MAX_FILES_IN_A_FOLDER = 17
MIN_LINES_BESIDE_THE_ONLY_IMPORTER = 80
MAX_LINES, MAX_ARGUMENTS = 80, 12


def relative(path):
    return path.relative_to(PACKAGE)


def part_of(path):
    """Return the part of the package that a file or folder belongs to."""
    parts = relative(path).parts
    if parts[:2] == ("tabular", "cleaning"):
        return "tabular/cleaning"
    return parts[0].removesuffix(".py")


@functools.cache
def tree_of(path):
    """Return the syntax tree of a module."""
    return ast.parse(path.read_text(encoding="utf-8"))


def file_of(target):
    """Return the file of a module or package path without suffix, None for neither."""
    candidates = (target.with_suffix(".py"), target / "__init__.py")
    return next((path for path in candidates if path.is_file()), None)


@functools.cache
def imports_of(path):
    """Return the (file, name) pairs that a module imports here, at any depth of code.

    The name is None if the file itself is imported.
    """
    found = []
    for node in ast.walk(tree_of(path)):
        if isinstance(node, ast.Import):
            found += [
                (file_of(PACKAGE.parent.joinpath(*alias.name.split("."))), None)
                for alias in node.names
                if alias.name.split(".")[0] == PACKAGE.name
            ]
        if not isinstance(node, ast.ImportFrom):
            continue
        module = (node.module or "").split(".")
        if not node.level and module[0] != PACKAGE.name:
            continue
        start = path.parents[node.level - 1] if node.level else PACKAGE.parent
        base = start.joinpath(*filter(None, module))
        for alias in node.names:
            file = file_of(base / alias.name)
            found.append((file, None) if file else (file_of(base), alias.name))
    return found


def names_of_package(folder):
    """Return the names that the __init__.py of a folder imports from its files."""
    return {
        alias.asname or alias.name
        for node in tree_of(folder / "__init__.py").body
        if isinstance(node, ast.ImportFrom) and node.level == 1
        for alias in node.names
    }


def is_allowed(part, other):
    """Return whether the layers let a part import another."""
    both_families = {part, other} <= set(LAYERS[LAYER_OF["naive_bayes"]])
    return LAYER_OF[other] < LAYER_OF[part] or both_families


def test_imports_run_one_way():
    upward = [
        f"{relative(path)} imports {other}, which is not in a lower layer"
        for path in MODULES
        for file, _ in imports_of(path)
        if file.parent != PACKAGE or file.name != "__init__.py"
        for other in [part_of(file)]
        if part_of(path) not in ("__init__", other)
        if not is_allowed(part_of(path), other)
    ]
    assert not upward, "\n".join(upward)


def test_families_take_only_public_names_of_one_another():
    public = set(sklearn_bayeslazy.__all__)
    private = [
        f"{relative(path)} takes {name} of {relative(file)}"
        for path in MODULES
        for file, name in imports_of(path)
        if {part_of(path), part_of(file)} <= set(FAMILIES)
        if part_of(path) != part_of(file) and name not in public
    ]
    assert not private, "\n".join(private)


def package_between(path, file):
    """Return the folder whose __init__.py a module must import for a file, or None."""
    folders = [
        folder
        for folder in reversed(file.parents)
        if folder.is_relative_to(PACKAGE) and folder != PACKAGE
        if not path.is_relative_to(folder) and part_of(folder) == part_of(file)
    ]
    return folders[0] if folders and part_of(file) not in (OPEN, LAZY) else None


def test_folders_are_imported_by_their_init_file():
    around = [
        f"{relative(path)} takes {name} of {relative(file)}, not of its __init__.py"
        for path in MODULES
        for file, name in imports_of(path)
        for package in [package_between(path, file)]
        if package is not None
        if file != package / "__init__.py"
        or name not in {None, *names_of_package(package)}
    ]
    assert not around, "\n".join(around)


def test_init_files_have_only_names_that_others_take():
    taken = {
        (file, name)
        for path in [*MODULES, *Path(__file__).parent.rglob("*.py")]
        for file, name in imports_of(path)
        if file is not None and not path.is_relative_to(file.parent)
    }
    init_files = [path for path in MODULES if path.name == "__init__.py"]
    idle = [
        f"{relative(path)}: {name}"
        for path in init_files
        if path.parent not in (PACKAGE, PACKAGE / "datasets")
        for name in sorted(names_of_package(path.parent))
        if (path, name) not in taken and name not in sklearn_bayeslazy.__all__
    ]
    assert not idle, "\n".join(idle)


def test_no_circle_of_files():
    open_files, done = [], set()

    def visit(path):
        if path in open_files:
            circle = open_files[open_files.index(path) :]
            pytest.fail("circle: " + " -> ".join(str(relative(one)) for one in circle))
        if path in done or path == PACKAGE / "__init__.py":
            return
        open_files.append(path)
        for file, _ in imports_of(path):
            visit(file)
        done.add(open_files.pop())

    for path in MODULES:
        visit(path)


def test_short_files_join_their_only_importer():
    importers = {path: set() for path in MODULES}
    for path in MODULES:
        for file, _ in imports_of(path):
            importers[file].add(path)
    short = [
        f"{relative(path)} could join {relative(*importers[path])}"
        for path in MODULES
        if path.parent != PACKAGE and path.name != "__init__.py"
        if len(path.read_text().splitlines()) < MIN_LINES_BESIDE_THE_ONLY_IMPORTER
        if len(importers[path]) == 1
        if next(iter(importers[path])).name != "__init__.py"
    ]
    assert not short, "\n".join(short)


@pytest.mark.parametrize(
    "folder", sorted({p.parent for p in MODULES}), ids=lambda p: str(relative(p))
)
def test_a_folder_has_few_files(folder):
    files = [path for path in folder.glob("*.py") if path.name != "__init__.py"]
    assert len(files) <= MAX_FILES_IN_A_FOLDER


def test_folders_are_at_most_two_deep():
    assert max(len(relative(path).parts) for path in MODULES) <= 3


def sizes_of_functions(path):
    """Yield (function, lines without the docstring, arguments, the comment above)."""
    lines = path.read_text(encoding="utf-8").splitlines()
    for node in ast.walk(tree_of(path)):
        if isinstance(node, ast.FunctionDef) and node.name != "__init__":
            first = min([node.lineno, *(one.lineno for one in node.decorator_list)])
            n_lines = node.end_lineno - node.lineno + 1
            if ast.get_docstring(node):
                n_lines -= node.body[0].end_lineno - node.body[0].lineno + 1
            given = node.args
            n_arguments = len(given.posonlyargs + given.args + given.kwonlyargs)
            yield node.name, n_lines, n_arguments, lines[first - 2].strip()


def test_functions_are_short_or_say_why_not():
    for path in MODULES:
        for name, n_lines, n_arguments, comment in sizes_of_functions(path):
            where = f"{relative(path)}: {name}"
            if n_lines > MAX_LINES:
                assert comment.startswith("# Over eighty lines: "), where
            if n_arguments > MAX_ARGUMENTS:
                assert comment.startswith("# Over twelve arguments: "), where


def test_every_file_says_first_what_it_is_for():
    first_lines = {
        str(relative(path)): (ast.get_docstring(tree_of(path)) or "").partition("\n")[0]
        for path in MODULES
    }
    assert [path for path, line in first_lines.items() if len(line) <= 20] == []


def test_every_file_has_a_test_that_bears_its_name_or_names_it():
    tests = sorted(Path(__file__).parent.rglob("test_*.py"))
    docstrings = " ".join(ast.get_docstring(tree_of(path)) or "" for path in tests)
    names = {path.stem for path in tests}
    untested = [
        str(relative(path))
        for path in MODULES
        if path.name != "__init__.py" and f"`{relative(path)}`" not in docstrings
        if f"test_{path.stem.strip('_')}" not in names
    ]
    assert not untested, "\n".join(untested)


def private_sklearn_names(path):
    for node in ast.walk(tree_of(path)):
        module = getattr(node, "module", None) or ""
        if isinstance(node, ast.ImportFrom) and module.split(".")[0] == "sklearn":
            names = [*module.split("."), *(alias.name for alias in node.names)]
            yield from (name for name in names if name.startswith("_"))
        elif isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
            yield from (n for n in names if n.startswith("sklearn.") and "._" in n)


def test_only_one_file_imports_private_names_of_scikit_learn():
    found = [path for path in MODULES if any(private_sklearn_names(path))]
    assert found == [PACKAGE / "_core" / "_compat.py"]


def test_importing_the_package_imports_nothing_heavy():
    code = (
        "import sys, sklearn_bayeslazy; "
        "print([m for m in ('numpy', 'numba', 'sklearn') if m in sys.modules])"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    )
    assert done.stdout.strip() == "[]"

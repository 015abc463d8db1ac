"""Imports run one way, private names stay in one file, functions are short."""

import ast
import functools
from pathlib import Path

import pytest

import sklearn_bayeslazy

PACKAGE = Path(sklearn_bayeslazy.__file__).parent
MODULES = sorted(PACKAGE.rglob("*.py"))
# A part may import parts of a lower layer, and layer 0 also itself.
LAYERS = {
    "_arrays": 0,
    "_compat": 0,
    "_compile_notice": 0,
    "_estimator": 0,
    "_familiar_names": 0,
    "_fit_tasks": 0,
    "_kernel": 0,
    "_leave_one_out": 0,
    "_parallel": 0,
    "_target_scale": 0,
    "_vectorized_math": 0,
    "_weights": 0,
    "tabular": 1,
    "datasets": 1,
    "_log_linear": 1,
    "_explanation": 2,
    "_labelled_rows": 2,
    "_blocks": 2,
    "language_model": 3,
    "naive_bayes": 4,
    "neighbors": 4,
    "case_based": 5,
    "cleaning": 5,
    "local_regression": 5,
    "belief_network": 5,
    "ensemble": 5,
    "inspection": 6,
    "testing": 6,
    "dask": 6,
    "_comparison": 7,
    "_warm_up": 7,
    "__main__": 8,
}
# Folders inside the families: files outside import from their __init__.py only.
INNER_FOLDERS = sorted(path.parent for path in PACKAGE.glob("*/_*/__init__.py"))
MAX_FILES_IN_A_FOLDER = 17
MAX_LINES, MAX_ARGUMENTS = 80, 12


def relative(path):
    return path.relative_to(PACKAGE)


def part_of(path):
    return relative(path).parts[0].removesuffix(".py")


@functools.cache
def tree_of(path):
    """Return the syntax tree of a module."""
    return ast.parse(path.read_text(encoding="utf-8"))


def relative_imports(path):
    """Yield the path that each relative import of a module reads, and its names."""
    for node in ast.walk(tree_of(path)):
        if isinstance(node, ast.ImportFrom) and node.level:
            base = path.parents[node.level - 1]
            yield base / (node.module or "").replace(".", "/"), node.names


def imported_parts(path):
    """Yield the parts of this package that a module imports, at any depth."""
    for node in ast.walk(tree_of(path)):
        if isinstance(node, ast.ImportFrom) and node.level:
            base = path.parents[node.level - 1]
            parts = (base / (node.module or "").replace(".", "/")).relative_to(PACKAGE)
            names = [parts.parts[0]] if parts.parts else [a.name for a in node.names]
        elif isinstance(node, ast.ImportFrom):
            module = (node.module or "").split(".")
            if module[0] != "sklearn_bayeslazy":
                continue
            names = module[1:2] or [alias.name for alias in node.names]
        elif isinstance(node, ast.Import):
            names = [
                alias.name.split(".")[1]
                for alias in node.names
                if alias.name.startswith("sklearn_bayeslazy.")
            ]
        else:
            continue
        yield from (name for name in names if name in LAYERS)


def is_allowed(part, other):
    """Return whether a part may import another."""
    return LAYERS[other] < LAYERS[part] or LAYERS[other] == LAYERS[part] == 0


def test_imports_run_one_way():
    upward = [
        f"{relative(path)} imports {other}, which is not in a lower layer"
        for path in MODULES
        for other in imported_parts(path)
        if part_of(path) not in ("__init__", other)
        and not is_allowed(part_of(path), other)
    ]
    assert not upward, "\n".join(upward)


def test_inner_folders_are_imported_through_their_init():
    files = {
        folder: {path.stem for path in folder.iterdir()} for folder in INNER_FOLDERS
    }
    around = [
        f"{relative(path)} reaches into {relative(folder)}"
        for path in MODULES
        for target, names in relative_imports(path)
        for folder in INNER_FOLDERS
        if target.is_relative_to(folder) and not path.is_relative_to(folder)
        if target != folder or files[folder] & {alias.name for alias in names}
    ]
    assert not around, "\n".join(around)


@pytest.mark.parametrize(
    "folder", sorted({p.parent for p in MODULES}), ids=lambda p: str(relative(p))
)
def test_a_folder_has_few_files(folder):
    files = [path for path in folder.glob("*.py") if path.name != "__init__.py"]
    assert len(files) <= MAX_FILES_IN_A_FOLDER


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
    assert found == [PACKAGE / "_core/_compat.py"]


def test_importing_the_package_imports_nothing_heavy():
    import subprocess
    import sys

    code = (
        "import sys, sklearn_bayeslazy; "
        "print([m for m in ('numpy', 'numba', 'sklearn') if m in sys.modules])"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    )
    assert done.stdout.strip() == "[]"

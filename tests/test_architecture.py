"""The house keeps its order: imports run one way, private names stay in one file."""

import ast
from pathlib import Path

import pytest

import sklearn_bayeslazy

PACKAGE = Path(sklearn_bayeslazy.__file__).parent
MODULES = sorted(PACKAGE.rglob("*.py"))
# A room may import rooms of its own floor's number or below, never above.
FLOORS = {
    "_arrays": 0,
    "_compat": 0,
    "_estimator": 0,
    "_kernel": 0,
    "_leave_one_out": 0,
    "_parallel": 0,
    "_target_scale": 0,
    "_weights": 0,
    "tabular": 1,
    "language_model": 1,
    "datasets": 1,
    "_labelled_rows": 2,
    "naive_bayes": 3,
    "neighbors": 3,
    "local_regression": 4,
    "belief_network": 4,
    "ensemble": 4,
    "case_based": 4,
    "inspection": 5,
    "testing": 5,
    "_comparison": 6,
    "__main__": 7,
}
# Folders inside the families; what others may use is named in their __init__.py.
INNER_ROOMS = sorted(path.parent for path in PACKAGE.glob("*/_*/__init__.py"))
MAX_FILES_IN_A_ROOM = 17
MAX_LINES, MAX_ARGUMENTS = 80, 12


def relative(path):
    return path.relative_to(PACKAGE)


def room_of(path):
    return relative(path).parts[0].removesuffix(".py")


def relative_imports(path):
    """Yield the path that each relative import of a module reads, and its names."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.ImportFrom) and node.level:
            base = path.parents[node.level - 1]
            yield base / (node.module or "").replace(".", "/"), node.names


def imported_rooms(path):
    """Yield the rooms of this package that a module imports, at any depth."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
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
        yield from (name for name in names if name in FLOORS)


@pytest.mark.parametrize("path", MODULES, ids=lambda p: str(relative(p)))
def test_imports_run_one_way(path):
    room = room_of(path)
    if room == "__init__":
        return
    for other in imported_rooms(path):
        if other != room:
            assert FLOORS[other] < FLOORS[room] or FLOORS[other] == FLOORS[room] == 0, (
                f"{relative(path)} imports {other}, which does not lie below it"
            )


@pytest.mark.parametrize("path", MODULES, ids=lambda p: str(relative(p)))
def test_rooms_inside_a_family_are_entered_by_their_door(path):
    for target, names in relative_imports(path):
        for room in INNER_ROOMS:
            if target.is_relative_to(room) and not path.is_relative_to(room):
                files = {p.stem for p in room.glob("*.py")}
                assert target == room, f"{relative(path)} reaches into {relative(room)}"
                assert not files & {alias.name for alias in names}


@pytest.mark.parametrize(
    "room", sorted({p.parent for p in MODULES}), ids=lambda p: str(relative(p))
)
def test_a_room_is_small_enough_to_be_known(room):
    files = [path for path in room.glob("*.py") if path.name != "__init__.py"]
    assert len(files) <= MAX_FILES_IN_A_ROOM


def sizes_of_functions(path):
    """Yield (function, lines without the docstring, arguments, the comment above)."""
    text = path.read_text(encoding="utf-8")
    lines = text.splitlines()
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.FunctionDef) and node.name != "__init__":
            first = min([node.lineno, *(one.lineno for one in node.decorator_list)])
            n_lines = node.end_lineno - node.lineno + 1
            if ast.get_docstring(node):
                n_lines -= node.body[0].end_lineno - node.body[0].lineno + 1
            given = node.args
            n_arguments = len(given.posonlyargs + given.args + given.kwonlyargs)
            yield node.name, n_lines, n_arguments, lines[first - 2].strip()


@pytest.mark.parametrize("path", MODULES, ids=lambda p: str(relative(p)))
def test_functions_are_short_or_say_why_not(path):
    for name, n_lines, n_arguments, comment in sizes_of_functions(path):
        if n_lines > MAX_LINES:
            assert comment.startswith("# Over eighty lines: "), name
        if n_arguments > MAX_ARGUMENTS:
            assert comment.startswith("# Over twelve arguments: "), name


@pytest.mark.parametrize("path", MODULES, ids=lambda p: str(relative(p)))
def test_every_file_says_first_what_it_is_for(path):
    docstring = ast.get_docstring(ast.parse(path.read_text(encoding="utf-8")))
    assert docstring
    assert len(docstring.splitlines()[0]) > 20


def private_sklearn_names(path):
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        module = getattr(node, "module", None) or ""
        if isinstance(node, ast.ImportFrom) and module.split(".")[0] == "sklearn":
            names = [*module.split("."), *(alias.name for alias in node.names)]
            yield from (name for name in names if name.startswith("_"))
        elif isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
            yield from (n for n in names if n.startswith("sklearn.") and "._" in n)


@pytest.mark.parametrize("path", MODULES, ids=lambda p: str(relative(p)))
def test_only_one_file_imports_private_names_of_scikit_learn(path):
    found = list(private_sklearn_names(path))
    assert path == PACKAGE / "_compat.py" or not found


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

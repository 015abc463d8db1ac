"""Files that are written: models by joblib or skops, and reports, each in one step.

Loading a model of joblib can run code. A skops file names the types of its objects,
and only types that are trusted are built: those that skops itself trusts, and the
classes of this package.
"""

import importlib
import inspect
import io
import os
import zipfile
from functools import partial
from pathlib import Path

import joblib

from .. import __name__ as PACKAGE
from ._formatting import explained

# Functions that a pipeline of the comparison may hold. Other functions of the package
# read files, so they are not trusted.
TRUSTED_FUNCTIONS = ("join_documents",)
# Encoders of scikit-learn hold these; none holds data itself.
TRUSTED_OTHERS = (
    "numpy.dtype",
    "functools.partial",
    "sklearn.compose._column_transformer.make_column_selector",
)


def dump_model(model, path):
    """Return the bytes of a model file, and a note if `load_model` will refuse it."""
    # The end of the path decides the format. ValueError: it cannot hold the model.
    if not is_skops(path):
        stream = io.BytesIO()
        joblib.dump(model, stream)
        return stream.getvalue(), None
    import skops.io

    advice = "; save it with a name that ends with .joblib"
    with explained(f"{path}: skops cannot write this model", advice):
        content = skops.io.dumps(model)
    others = _untrusted(skops.io.get_untrusted_types(data=content))
    if not others:
        return content, None
    return content, (
        f"the predict command will refuse {path}, because it holds types that are not "
        f"of {PACKAGE} ({', '.join(others)}): load it by skops.io.load(..., "
        "trusted=[...]), or save it with a name that ends with .joblib"
    )


def load_model(path):
    """Return the model of a file."""
    # A file whose name ends with ".skops", or that is a zip file, is read by skops,
    # with the trusted types only; any other by joblib, which runs the code in the file.
    # OSError: the file cannot be opened. ValueError: it holds no model of the command
    # line, or types that are not trusted.
    with Path(path).open("rb"):  # an OSError here names the file
        pass
    is_safe = is_skops(path) or zipfile.is_zipfile(path)
    load = _skops_loader(path) if is_safe else joblib.load
    failure = f"{path}: not a model that --save wrote"
    with explained(failure):
        model = load(path)
    if not hasattr(model, "needed_columns_"):
        raise ValueError(failure)
    return model


def _skops_loader(path):
    """Return the function that loads a skops file, if it holds trusted types only."""
    import skops.io

    with explained(f"{path}: no skops file"):
        untrusted = skops.io.get_untrusted_types(file=path)
    if others := _untrusted(untrusted):
        raise ValueError(
            f"{path}: it holds types that are not trusted: {', '.join(others)}; if you "
            "trust its source, load it by skops.io.load(..., trusted=[...])"
        )
    return partial(skops.io.load, trusted=untrusted)


def _untrusted(names):
    return [name for name in names if not is_trusted(name)]


def is_trusted(name):
    """Return whether a type of a skops file, "package.module.Class", may be built."""
    # True for a class that a module of this package defines, other than those of the
    # command line, for the functions of `TRUSTED_FUNCTIONS`, and for `TRUSTED_OTHERS`.
    if name in TRUSTED_OTHERS:
        return True
    module, _, attribute = name.rpartition(".")
    parts = module.split(".")
    if parts[0] != PACKAGE or {"compare", "__main__"} & set(parts):
        return False
    try:
        found = getattr(importlib.import_module(module), attribute)
    except (ImportError, AttributeError):
        return False
    # A module also holds what it has imported from elsewhere.
    if getattr(found, "__module__", None) != module:
        return False
    is_function = inspect.isfunction(found) and attribute in TRUSTED_FUNCTIONS
    return inspect.isclass(found) or is_function


def is_skops(path):
    """Return whether a path asks for the format of skops."""
    return str(path).lower().endswith(".skops")


# Writes the report in one step; an interrupted run leaves the former file as is.


def check_output(path, source, option):
    """Return a path with links followed; an error if no file can be written there."""
    # source: the table, which must not be overwritten. option: the one that named the
    # path, for messages.
    found = Path(path).resolve()
    if found.exists() and not found.is_file():
        raise ValueError(f"{option} {path}: not a plain file; give another")
    if found == Path(source).resolve():
        raise ValueError(f"{option} {path}: this is the table; give another file")
    if not found.parent.is_dir():
        raise ValueError(
            f"{option} {path}: there is no folder {str(found.parent)!r}; make it"
        )
    if not os.access(found.parent, os.W_OK):
        raise ValueError(f"{option} {path}: its folder cannot be written")
    return found


def write_output(path, content):
    """Write a text or bytes beside a path, then rename the file to it."""
    partial = path.with_name(f".{path.name}.{os.getpid()}.part")
    try:
        is_text = isinstance(content, str)
        partial.write_bytes(content.encode() if is_text else content)
        os.replace(partial, path)
    except OSError as error:
        error.filename = str(path)
        raise
    finally:
        partial.unlink(missing_ok=True)

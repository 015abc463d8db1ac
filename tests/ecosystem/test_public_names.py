"""What static tools and editors see of the package is what it holds at run time."""

import ast
from pathlib import Path

import pytest
from sklearn.base import BaseEstimator

import sklearn_bayeslazy
from tests.helpers import typed_use

FOLDER = Path(sklearn_bayeslazy.__file__).parent


def names_in_stub():
    """Return the module of each name that `__init__.pyi` exports."""
    tree = ast.parse((FOLDER / "__init__.pyi").read_text(encoding="utf-8"))
    modules = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom):
            # Only "import A as A" exports a name from a stub.
            modules |= {
                one.name: node.module for one in node.names if one.name == one.asname
            }
    return modules


def test_the_stub_has_the_names_of_the_package():
    assert names_in_stub() == sklearn_bayeslazy._MODULE_OF
    assert {*names_in_stub(), "__version__"} == set(sklearn_bayeslazy.__all__)


def test_dir_lists_the_public_names():
    assert set(sklearn_bayeslazy.__all__) <= set(dir(sklearn_bayeslazy))


def test_the_package_says_that_it_is_typed():
    assert (FOLDER / "py.typed").is_file()


def test_an_unknown_name_is_an_attribute_error():
    with pytest.raises(AttributeError, match="has no attribute 'ShepardKNM'"):
        _ = sklearn_bayeslazy.ShepardKNM


def test_what_pyright_checks_runs_and_names_every_estimator():
    assert typed_use.predict_classes() == [(12, 2)] * 12
    assert typed_use.predict_numbers() == [(12,)] * 6
    assert typed_use.transform_rows() == [12] * 11
    source = Path(typed_use.__file__).read_text(encoding="utf-8")
    for name in sklearn_bayeslazy.__all__:
        value = getattr(sklearn_bayeslazy, name)
        if isinstance(value, type) and issubclass(value, BaseEstimator):
            assert f"sb.{name}(" in source, name

"""Test modules of the installed scikit-learn, run on the classes of this package.

A test module names the classes that stand in for scikit-learn's, and the deviations::

    globals().update(
        adapted_tests(
            "sklearn.tests.test_naive_bayes",
            {"sklearn.naive_bayes": {"GaussianNB": GaussianNB}},
        )
    )
    DEVIATIONS = {"test_gnb": "the reason", "test_alpha[csr_array]": "the reason"}

`conftest.py` beside the test modules skips the deviations with their reasons.
"""

import importlib
import importlib.util
import types
import warnings
from contextlib import ExitStack
from unittest import mock

import pytest


def adapted_tests(module_name, replacements):
    """Return the tests of a module that use a replaced class, by name.

    Parameters
    ----------
    module_name : str
        A test module, which is executed anew while the classes are replaced.
    replacements : dict of {str: dict of {str: callable}}
        ``replacements[module][name]`` stands in for ``module.name``.

    Returns
    -------
    dict of {str: callable}
        Parameters of tests that name only classes of scikit-learn are left out where
        other parameters of the same test name ours.
    """
    with ExitStack() as stack:
        for source, names in replacements.items():
            stack.enter_context(mock.patch.multiple(source, **names))
        stack.enter_context(warnings.catch_warnings())
        warnings.simplefilter("ignore")  # marks that only scikit-learn registers
        spec = importlib.util.find_spec(module_name)
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
    for name, value in list(vars(module).items()):
        if isinstance(value, types.ModuleType) and value.__name__ in replacements:
            copy = types.ModuleType(value.__name__)  # read while a test runs
            vars(copy).update(vars(value), **replacements[value.__name__])
            setattr(module, name, copy)
    names = {name for group in replacements.values() for name in group}
    ours = [one for group in replacements.values() for one in group.values()]
    tests = {}
    for name, function in vars(module).items():
        if not name.startswith("test") or not callable(function):
            continue
        marks = getattr(function, "pytestmark", [])
        marks = [mark for mark in marks if mark.name != "thread_unsafe"]
        named = [mark for mark in marks if _names_one(mark, ours)]
        if named or _reads(function, names, module):
            function.pytestmark = [_with_our_parameters(mark, ours) for mark in marks]
            tests[name] = function
    return tests


def _with_our_parameters(mark, ours):
    """Return a mark with the sets of parameters that name a class of ours, if any."""
    if mark.name != "parametrize":
        return mark
    argnames, values, *_ = mark.args
    values = list(values)
    kept = [value for value in values if _names_one(value, ours)]
    ids = mark.kwargs.get("ids")
    options = {"ids": ids} if callable(ids) or not kept else {}
    return pytest.mark.parametrize(argnames, kept or values, **options).mark


def _names_one(value, ours):
    """Return whether parameters hold a class of ours or an instance of one."""
    if isinstance(value, pytest.Mark):
        return value.name == "parametrize" and _names_one(value.args[1], ours)
    if isinstance(value, (tuple, list)):
        return any(_names_one(one, ours) for one in value)
    return any(value is kind or type(value) is kind for kind in ours)


def _reads(function, names, module, seen=()):
    """Return whether a function, or one that it calls in its module, uses a name."""
    code = getattr(function, "__code__", None)
    used = _names_in(code) if code else set()
    if used & names:
        return True
    called = [vars(module).get(name) for name in used - set(seen)]
    return any(
        _reads(one, names, module, (*seen, *used))
        for one in called
        if isinstance(one, types.FunctionType) and one.__module__ == module.__name__
    )


def _names_in(code):
    found = set(code.co_names)
    for constant in code.co_consts:
        if isinstance(constant, types.CodeType):
            found |= _names_in(constant)
    return found

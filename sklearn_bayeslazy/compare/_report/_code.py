"""Writes Python code that reads the same file, fits the best learner and scores it."""

import functools
import inspect
import math
import sys
from pathlib import Path
from textwrap import indent

import jinja2
import numpy as np
from sklearn.base import BaseEstimator
from sklearn.compose import make_column_selector
from sklearn.pipeline import Pipeline

from .._cross_validation import TEST_SHARE
from .._evaluate import raw_pipeline
from .._read_dataset import read_dataset

LINE_WIDTH = 80


def code_of_winner(comparison):
    """Return a program that repeats the held-out scores."""
    # comparison: one that has a winner.
    table = comparison.table
    pipeline = raw_pipeline(table, comparison.winner.learner, comparison.seed)
    writer = _Writer()
    # The kinds of many columns are easier to read before the pipeline.
    kinds = getattr(pipeline[0], "kinds", None) or table.cleaner(comparison.seed).kinds
    shown_kinds = writer.expression(kinds)
    writer.named[id(kinds)] = "kinds"
    model, read = writer.expression(pipeline), _read_table(table, writer)
    writer.use("sklearn.model_selection", "train_test_split")
    text = Path(__file__).with_name("program.py.jinja").read_text(encoding="utf-8")
    template = jinja2.Template(text, trim_blocks=True, keep_trailing_newline=True)
    return template.render(
        comparison=comparison,
        imports=[(module, sorted(names)) for module, names in writer.imports.items()],
        kinds=shown_kinds,
        read=read,
        model=model,
        test_share=TEST_SHARE,
    )


def _read_table(table, writer):
    """Return the expression that reads the table again."""
    options = {"target": table.target, "task": table.task, "sheet": table.sheet}
    if table.is_sample:
        options |= {"sample": table.sample, "seed": table.seed}
    given = [f"{name}={value!r}" for name, value in options.items() if value]
    arguments = [repr(table.source), *given, "kinds=kinds"]
    return _enclose(f"{writer.expression(read_dataset)}(", arguments, ")")


class _Writer:
    """Writes estimators as expressions, and remembers what must be imported."""

    def __init__(self):
        self.imports, self.named = {}, {}

    def use(self, module, name):
        """Import a name; return it."""
        self.imports.setdefault(module, set()).add(name)
        return name

    def expression(self, value):
        """Return an expression of a parameter or of an estimator."""
        if id(value) in self.named:
            return self.named[id(value)]
        if isinstance(value, Pipeline):
            self.use("sklearn.pipeline", "make_pipeline")
            steps = [self.expression(step) for _, step in value.steps]
            return _enclose("make_pipeline(", steps, ")")
        if isinstance(value, BaseEstimator):
            return self._estimator(value)
        if isinstance(value, functools.partial):
            given = [self.expression(one) for one in (value.func, *value.args)]
            return f"{self.use('functools', 'partial')}({', '.join(given)})"
        if isinstance(value, np.ufunc):
            return f"np.{value.__name__}"
        if isinstance(value, make_column_selector):
            given = {key: one for key, one in vars(value).items() if one is not None}
            given = ", ".join(f"{key}={one!r}" for key, one in given.items())
            return f"{self.use('sklearn.compose', 'make_column_selector')}({given})"
        if callable(value):
            return self.use(_public_module(value), value.__name__)
        if isinstance(value, list | tuple):
            cells = list(map(self.expression, value))
            if isinstance(value, list):
                return _enclose("[", cells, "]")
            return f"({cells[0]},)" if len(cells) == 1 else _enclose("(", cells, ")")
        if isinstance(value, dict):
            cells = [f"{key!r}: {self.expression(v)}" for key, v in value.items()]
            return _enclose("{", cells, "}")
        if isinstance(value, float) and math.isnan(value):
            return "np.nan"
        return repr(value.item() if isinstance(value, np.generic) else value)

    def _estimator(self, estimator):
        kind = type(estimator)
        default = _defaults(kind)
        given = [
            f"{name}={self.expression(value)}"
            for name, value in estimator.get_params(deep=False).items()
            if name not in default or repr(value) != repr(default[name])
        ]
        name = self.use(_public_module(kind), kind.__name__)
        return _enclose(f"{name}(", given, ")")


def _enclose(start, parts, end):
    """Join parts in one line, or in one line each if that is too long."""
    line = start + ", ".join(parts) + end
    if "\n" not in line and len(line) <= LINE_WIDTH - 8:
        return line
    return "\n".join([start, *(indent(f"{part},", "    ") for part in parts), end])


def _defaults(kind):
    parameters = inspect.signature(kind.__init__).parameters.values()
    return {one.name: one.default for one in parameters if one.default is not one.empty}


def _public_module(thing):
    """Return the module without its private parts."""
    parts = thing.__module__.split(".")
    if hasattr(sys.modules[parts[0]], thing.__name__):
        return parts[0]
    if "compare" in parts:
        return thing.__module__
    public = []
    for part in parts:
        if part.startswith("_"):
            break
        public.append(part)
    return ".".join(public)

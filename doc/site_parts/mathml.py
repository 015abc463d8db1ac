r"""Formulas as MathML, which browsers draw without scripts: no network, no fonts.

docutils contains the converter. It lacks two spellings of LaTeX, which are replaced
here: ``\dots``, and ``\frac12`` for ``\frac{1}{2}``. Two spaces of its output
are mended.
"""

import re

from docutils import nodes
from docutils.utils.math import MathError
from docutils.utils.math.latex2mathml import tex2mathml
from sphinx.util import logging

LOGGER = logging.getLogger(__name__)
# A number such as .5, and a function before an argument without parentheses.
_LEADING_POINT = re.compile(r"<mo>\.</mo>\s*<mn>")
_APPLIED = re.compile(r"<mo>&ApplyFunction;</mo>(?!\s*<mo[^>]*>[(\[])")
_SHORT_FRACTION = re.compile(r"\\([dt]?frac)\s*(\d)\s*(\d)")


def to_mathml(tex, as_block=False):
    """Return a formula in LaTeX as MathML, or raise a MathError."""
    if r"\operatorname*" in tex:  # the converter would print the star
        raise MathError(r"\operatorname* is not supported: write \arg\max instead")
    tex = _SHORT_FRACTION.sub(r"\\\1{\2}{\3}", tex)
    tex = re.sub(r"\\dots(?![a-z])", r"\\ldots", tex)
    mathml = tex2mathml(tex, as_block=as_block)
    mathml = _LEADING_POINT.sub("<mn>.", mathml)
    return _APPLIED.sub('<mspace width="0.1667em"></mspace>', mathml)


def _convert(node, as_block):
    try:
        return to_mathml(node.astext(), as_block)
    except MathError as error:
        LOGGER.warning("formula %r: %s", node.astext(), error, location=node)
        return ""


def visit_math(self, node):
    self.body.append(_convert(node, False))
    raise nodes.SkipNode


def visit_math_block(self, node):
    self.body.append(f'<div class="math-block">{_convert(node, True)}</div>')
    raise nodes.SkipNode


def setup(app):
    """Register the renderer under the name "mathml"."""
    app.add_html_math_renderer("mathml", (visit_math, None), (visit_math_block, None))
    return {"parallel_read_safe": True}

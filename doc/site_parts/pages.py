"""Parts of pages: pictures of the gallery, links of names, the plain summary.

``{gallery-figure} plot_1_mixed_table`` shows the first figure of an example. In a build
without figures (``-D plot_gallery=0``) it shows the example's thumbnail instead.
Names of this package in the code font become links to the reference. The examples of
a page of the reference can be linked to, as "#example".
"""

import re
from pathlib import Path

from docutils import nodes
from docutils.parsers.rst import directives
from sphinx import addnodes
from sphinx.util import logging
from sphinx.util.docutils import SphinxDirective

import sklearn_bayeslazy

LOGGER = logging.getLogger(__name__)
FOREIGN = re.compile(r"<(?:script|link|img|iframe)\b[^>]*(?:src|href)=.https?://[^>]*>")
IMAGES = "auto_examples/images"
EXAMPLE = "example"  # the target of the examples of a page of the reference
NOT_LINKED = (nodes.reference, addnodes.pending_xref, nodes.title)


class GalleryFigure(SphinxDirective):
    """A figure of an example: the example's name, and a caption as content."""

    required_arguments = 1
    has_content = True
    option_spec = {
        "number": directives.positive_int,
        "alt": directives.unchanged_required,
    }

    def run(self):
        """Return the figure."""
        name, number = self.arguments[0], self.options.get("number", 1)
        image = f"{IMAGES}/sphx_glr_{name}_{number:03d}.png"
        if not (Path(self.env.srcdir) / image).exists():
            image = f"{IMAGES}/thumb/sphx_glr_{name}_thumb.png"
        figure = nodes.figure(classes=["gallery-figure"])
        figure += nodes.image(uri=f"/{image}", alt=self.options.get("alt", name))
        caption = nodes.caption()
        for node in self.parse_content_to_nodes():
            caption += node.children if isinstance(node, nodes.paragraph) else [node]
        figure += caption
        return [figure]


def link_names(app, doctree, docname):
    """Make a name in the code font a link to its page of the reference."""
    if app.builder.format != "html" or docname.startswith("api/generated/"):
        return
    for literal in list(doctree.findall(nodes.literal)):
        name = literal.astext().removesuffix("()")
        page = f"api/generated/sklearn_bayeslazy.{name}"
        if name not in sklearn_bayeslazy.__all__ or page not in app.env.all_docs:
            continue
        parent = literal.parent
        while parent is not None and not isinstance(parent, NOT_LINKED):
            parent = parent.parent
        if parent is None:
            uri = app.builder.get_relative_uri(docname, page)
            reference = nodes.reference("", "", refuri=uri, internal=True)
            literal.parent.replace(literal, reference)
            reference += literal


def mark_examples(app, doctree):
    """Make the examples of a class or function a target, with links there and back."""
    if not app.env.docname.startswith("api/generated/"):
        return
    page, described = doctree[0], next(doctree.findall(addnodes.desc))
    rubrics = (node for node in described[-1] if isinstance(node, nodes.rubric))
    title = next((node for node in rubrics if node.astext() == "Examples"), None)
    if title is None:
        return
    title["ids"].append(EXAMPLE)
    # The template puts a paragraph with a link to the guide before the signature.
    above = page.children[: page.index(described)]
    top = next((node for node in above if isinstance(node, nodes.paragraph)), None)
    if top is None:
        top = nodes.paragraph()
        page.insert(1, top)
    near_title = top.deepcopy()
    top += _link(f"#{EXAMPLE}", "A short example", " is below.")
    near_title += _link("#", "The parameters", " are above.")
    title.parent.insert(title.parent.index(title) + 1, near_title)


def _link(uri, text, rest):
    linked = nodes.reference("", text, refuri=uri, internal=True)
    return [nodes.Text(" "), linked, nodes.Text(rest)]


def write_plain_summary(app, exception):
    """Write llms.txt: what the package is, and all pages with their titles."""
    if exception is not None or app.builder.name != "html":
        return
    pages = [
        f"- [{app.env.titles[name].astext()}]({app.builder.get_target_uri(name)})"
        for name in sorted(app.env.all_docs)
        if not name.startswith("sg_")
    ]
    head = (
        f"# {app.config.project}\n\n"
        "> Bayesian and lazy (instance-based) learners as scikit-learn estimators: "
        "naive Bayes, nearest neighbours, local regression, belief networks, boosting, "
        "cases. They read raw tables with strings and missing values, and choose their "
        "parameters by leave-one-out.\n\n## Pages\n\n"
    )
    path = Path(app.outdir) / "llms.txt"
    path.write_text(head + "\n".join(pages) + "\n", encoding="utf-8")


def warn_of_foreign_files(app, pagename, templatename, context, doctree):
    """Warn if the body of a page loads a file from another site."""
    for tag in FOREIGN.findall(context.get("body", "")):
        LOGGER.warning("page %s loads a file from another site: %s", pagename, tag)


def setup(app):
    """Register the directive and the events."""
    app.add_directive("gallery-figure", GalleryFigure)
    app.connect("doctree-read", mark_examples)
    app.connect("doctree-resolved", link_names)
    app.connect("html-page-context", warn_of_foreign_files)
    app.connect("build-finished", write_plain_summary)
    return {"parallel_read_safe": True}

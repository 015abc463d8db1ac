"""The chart "Choose a learner": the table of learners.py as SVG, and as a text table.

The SVG is drawn twice, in one column for phones and in two for wide screens; the style
sheet shows one of them. Its colours are those of the theme, light or dark.
"""

import textwrap
from html import escape

from docutils import nodes
from sphinx.util.docutils import SphinxDirective

from .learners import TASKS, table_rows
from .measured import figures
from .pages import EXAMPLE

SCIKIT_LEARN = "https://scikit-learn.org/stable/modules/generated/sklearn.{}.html"
PANEL, GAP = 352, 24  # width of a panel, and the space between two
LINE = 18  # height of a line of text
INDENT = 22  # of a choice, right of the line that leads to it
# Characters of a line that fit into a panel: bold ones, and smaller ones.
BOLD, SMALL = 36, 44


def link(uri, content):
    return f'<a href="{escape(uri)}">{content}</a>'


def text_lines(lines, x, y, style):
    """Return text, one element a line; y is the top of the first line."""
    return "".join(
        f'<text class="{style}" x="{x}" y="{y + i * LINE + 13}">{escape(line)}</text>'
        for i, line in enumerate(lines)
    )


def button(name, uri, x, y, style):
    """Return a box with a name, linked."""
    width = PANEL - INDENT
    return link(
        uri,
        f'<rect class="{style}" x="{x}" y="{y}" width="{width}" height="26" rx="6"/>'
        f'<text class="{style}-text" x="{x + 10}" y="{y + 18}">{escape(name)}</text>',
    )


def draw_choice(choice, x, y, uri_of, values):
    """Return the drawing of a choice, and the y below it."""
    parts = []
    lines = textwrap.wrap(choice.situation, BOLD)
    parts.append(text_lines(lines, x, y, "situation"))
    y += len(lines) * LINE + 4
    for name in choice.ours:
        parts.append(button(name, uri_of(name), x, y, "ours"))
        y += 31
    for path in choice.peers:
        uri = SCIKIT_LEARN.format(path)
        parts.append(button(path.rpartition(".")[2], uri, x, y, "peer"))
        y += 31
    lines = textwrap.wrap(choice.when_peers.format(**values), SMALL)
    parts.append(text_lines(lines, x, y - 1, "when"))
    return "".join(parts), y + len(lines) * LINE + 10


def draw_task(task, x, y, uri_of, values):
    """Return the panel of a task, and the y below it."""
    parts = [
        link(
            uri_of(task.page),
            f'<rect class="task" x="{x}" y="{y}" width="{PANEL}" height="34" rx="8"/>'
            f'<text class="task-text" x="{x + 12}" y="{y + 23}">'
            f"{escape(task.name)}</text>",
        )
    ]
    start, y = y + 34, y + 46
    for choice in task.choices:
        branch = y + 8
        parts.append(f'<path class="line" d="M{x + 8} {start}V{branch}h8"/>')
        drawn, y = draw_choice(choice, x + INDENT, y, uri_of, values)
        parts.append(drawn)
    return "".join(parts), y + 14


def draw(n_columns, uri_of, values):
    """Return the chart as SVG.

    Parameters
    ----------
    n_columns : int
        The number of columns of panels; each panel goes to the shortest column.
    uri_of : callable
        The address of a name of this package, or of a page.
    values : dict
        The measured figures by name.
    """
    bottoms, parts = [0] * n_columns, []
    for task in TASKS:
        column = bottoms.index(min(bottoms))
        x = column * (PANEL + GAP)
        drawn, bottoms[column] = draw_task(task, x, bottoms[column], uri_of, values)
        parts.append(drawn)
    width = n_columns * (PANEL + GAP) - GAP
    return (
        f'<svg class="learner-chart columns-{n_columns}" role="img" '
        f'aria-label="Choose a learner: the table below has the same content" '
        f'viewBox="-1 -1 {width + 2} {max(bottoms) + 2}" xmlns="http://www.w3.org/2000/svg">'
        f"{''.join(parts)}</svg>"
    )


def markdown_table(values):
    """Return the same choices as a table in Markdown, which the search reads."""
    head = "| if you want to | and | take | or scikit-learn's | which is better |"
    lines = [head, "| --- | --- | --- | --- | --- |"]
    for task, page, situation, ours, peers, when in table_rows(values):
        names = ", ".join(f"`{name}`" for name in ours)
        links = ", ".join(
            f"[{path.rpartition('.')[2]}]({SCIKIT_LEARN.format(path)})"
            for path in peers
        )
        link_to_page = f"[{task}](/{page}.md#use)"
        lines.append(f"| {link_to_page} | {situation} | {names} | {links} | {when} |")
    return "\n".join(lines)


class LearnerChart(SphinxDirective):
    """The chart, drawn."""

    def run(self):
        """Return the two drawings."""
        builder, here = self.env.app.builder, self.env.docname

        def uri_of(name):
            target = name if "/" in name else f"api/generated/sklearn_bayeslazy.{name}"
            if builder.format != "html":
                return target
            anchor = "use" if name is target else EXAMPLE
            return f"{builder.get_relative_uri(here, target)}#{anchor}"

        self.env.note_dependency(__file__)
        svg = "".join(draw(n, uri_of, figures()) for n in (1, 2))
        return [nodes.raw("", f'<div class="chart">{svg}</div>', format="html")]


class LearnerTable(SphinxDirective):
    """The same choices, as a table."""

    def run(self):
        """Return the table."""
        table = self.parse_text_to_nodes(markdown_table(figures()))
        return [nodes.container("", *table, classes=["learner-table"])]


def setup(app):
    """Register the two directives."""
    app.add_directive("learner-chart", LearnerChart)
    app.add_directive("learner-table", LearnerTable)
    return {"parallel_read_safe": True}

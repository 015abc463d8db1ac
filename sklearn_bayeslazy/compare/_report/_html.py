"""Pieces of HTML, in which all text is escaped, and the style sheet of the report."""

import re
from html import escape


def escape_text(text):
    """Return a text, or anything as text, with HTML's characters escaped."""
    return escape(str(text))


def section(title, *parts):
    """Return a section with a heading."""
    return f"<section><h2>{escape_text(title)}</h2>\n" + "\n".join(parts) + "</section>"


def paragraph(text, kind="muted"):
    """Return a paragraph of a CSS class."""
    return f'<p class="{kind}">{escape_text(text)}</p>'


def scrollable(content):
    """Return content that scrolls if it is wider than the window."""
    return f'<div class="wide">{content}</div>'


def details(summary, *parts):
    """Return parts that are shown when the reader opens them."""
    body = "\n".join(parts)
    return f"<details><summary>{escape_text(summary)}</summary>{body}</details>"


def bar(share):
    """Return a bar of a share from 0 to 1 of the full width."""
    percent = 100 * min(max(share, 0), 1)
    return f'<span class="meter" style="--share: {percent:.1f}%"></span>'


def html_table(header, rows, cell_classes, row_classes=None, raw=()):
    """Return a table; all cells are escaped, except in the columns `raw`."""
    # rows: lists of str. cell_classes: the CSS class of each column; row_classes: that
    # of each row. raw: indices of the columns whose cells are HTML.
    row_classes = row_classes or [""] * len(rows)
    head = "".join(
        f'<th scope="col" class="{name}">{escape_text(cell)}</th>'
        for cell, name in zip(header, cell_classes)
    )
    body = "".join(
        f'<tr class="{row_class}">'
        + "".join(
            f'<td class="{name}">{cell if j in raw else _cell(cell, name)}</td>'
            for j, (cell, name) in enumerate(zip(row, cell_classes))
        )
        + "</tr>\n"
        for row, row_class in zip(rows, row_classes)
    )
    return f"<table><thead><tr>{head}</tr></thead>\n<tbody>{body}</tbody></table>"


def _cell(cell, name):
    """Return the text of a cell; a name may break between its words."""
    text = escape_text(cell)
    return (
        re.sub("(?<=[a-z])(?=[A-Z])|(?<=_)", "<wbr>", text) if name == "name" else text
    )


# The report's style sheet: one column, light or dark as the reader's system is set.
#
# Several curves in one figure have colours between --first and --last.


STYLE_SHEET = """
:root {
  color-scheme: light dark;
  --page: #fbfaf7; --ink: #1f2328; --muted: #6b7079; --line: #dedbd2;
  --raised: #f2efe8; --accent: #1f6f8b; --bad: #a3352b;
  --first: oklch(.42 .16 300); --last: oklch(.78 .16 125);
}
@media (prefers-color-scheme: dark) {
  :root {
    --page: #16181b; --ink: #e4e2dc; --muted: #9a9ea6; --line: #34373c;
    --raised: #1f2226; --accent: #6fb7d1; --bad: #e58a80;
    --first: oklch(.58 .18 300); --last: oklch(.9 .17 125);
  }
}
* { box-sizing: border-box; }
body {
  margin: 0 auto; padding: 2.5rem 1.25rem 4rem; max-width: 70rem;
  background: var(--page); color: var(--ink);
  font: 1rem/1.55 system-ui, -apple-system, "Segoe UI", "Noto Sans", sans-serif;
  overflow-wrap: break-word;
}
h1 { font-size: 1.75rem; line-height: 1.2; margin: 0 0 .5rem; text-wrap: balance; }
h2 { font-size: 1.15rem; margin: 2.75rem 0 .75rem; }
p { max-width: 44rem; margin: .5rem 0; }
.lead { font-size: 1.1rem; }
.muted, footer { color: var(--muted); font-size: .9rem; }
wbr { display: none; }
.wide { overflow-x: auto; margin: .75rem -.5rem; }
table { border-collapse: collapse; font-size: .92rem;
  font-variant-numeric: tabular-nums; }
th, td { padding: .4rem .7rem .4rem 0; text-align: left; vertical-align: top; }
th:first-child, td:first-child { padding-left: .5rem; }
th { color: var(--muted); font-weight: 500; white-space: nowrap; }
thead th { border-bottom: 1px solid var(--line); }
tbody tr + tr > * { border-top: 1px solid var(--line); }
td.number, th.number { text-align: right; white-space: nowrap; }
td.name { font-weight: 500; white-space: nowrap; max-width: 27rem; overflow: hidden;
  text-overflow: ellipsis; }
td.name:first-child { position: sticky; left: 0; background: var(--page); }
td.last { min-width: 11rem; overflow-wrap: anywhere; }
tr.winner td { background: var(--raised); }
tr.winner td.name:first-child { background: var(--raised); }
tr.winner td.name { color: var(--accent); }
tr.failed td { color: var(--muted); }
tr.failed td.last { color: var(--bad); }
dl { display: grid; grid-template-columns: max-content 1fr; gap: .2rem 1.25rem;
  margin: 0; }
dt { color: var(--muted); }
dd { margin: 0; min-width: 0; }
code { font-size: .92em; background: var(--raised); padding: .1em .3em;
  border-radius: 3px; }
.absent { border: 1px dashed var(--line); padding: 1rem; max-width: none; }
details svg { display: block; width: 100%; min-width: 34rem; max-width: 54rem;
  height: auto; }
svg text { font-family: inherit; }
summary { cursor: pointer; color: var(--accent); }
.strips table { width: 100%; max-width: 54rem; }
.strips td { padding-top: .15rem; padding-bottom: .15rem; border: 0;
  vertical-align: middle; }
.strips td.drawing { width: 100%; padding-left: 1rem; padding-right: 1.75rem; }
svg.strip { display: block; width: 100%; overflow: visible; }
.interval { stroke: var(--accent); stroke-width: 2; }
.fold { stroke: var(--muted); stroke-width: 1; }
.mark { fill: var(--accent); stroke: var(--page); stroke-width: 1; }
.arrow { fill: var(--accent); }
.point { fill: var(--accent); fill-opacity: .55; }
.grid { stroke: var(--line); stroke-width: 1; }
.reference { stroke: var(--muted); stroke-width: 1; stroke-dasharray: 4 3; }
.plots { display: grid;
  grid-template-columns: repeat(auto-fit, minmax(min(21rem, 100%), 1fr));
  gap: 1rem 2.5rem; max-width: 58rem; align-items: start; }
.plots.rows { max-width: none;
  grid-template-columns: repeat(auto-fit, minmax(min(28rem, 100%), 1fr)); }
.plot { margin: .75rem 0; min-width: 0; }
figcaption { color: var(--muted); font-size: .85rem; margin-bottom: .4rem; }
figcaption.below { text-align: right; margin: .2rem 0 0; }
.frame { display: grid; grid-template-columns: max-content minmax(0, 1fr);
  column-gap: .5rem; padding-right: 1rem; }
.frame svg { display: block; overflow: visible; width: 100%; height: 17rem;
  border: solid var(--line); border-width: 0 0 1px 1px; }
.rise, .scale { position: relative; font-size: .8rem; color: var(--muted);
  font-variant-numeric: tabular-nums; }
.rise { min-width: 3.2rem; }
.rise span { position: absolute; right: 0; transform: translateY(50%); }
.scale { height: 1.4rem; margin-top: .2rem; }
.scale span { position: absolute; transform: translateX(-50%); white-space: nowrap; }
svg [id$="-chosen"] text { paint-order: stroke; stroke: var(--page); stroke-width: 4px;
  stroke-linejoin: round; }
.confusion td { text-align: right; min-width: 3rem; padding: .4rem .75rem; }
.confusion th { padding: .4rem .75rem; }
.confusion td {
  background: color-mix(in srgb, var(--accent) var(--share), transparent);
}
.confusion td.zero { color: var(--muted); }
h3 { font-size: 1rem; margin: 1.5rem 0 .25rem; }
pre { background: var(--raised); padding: 1rem; font-size: .85rem; line-height: 1.45;
  border-radius: 4px; }
pre code { background: none; padding: 0; }
td.standing { color: var(--accent); }
td.bar { width: 40%; min-width: 6rem; }
.meter { display: block; height: .7em; margin-top: .35em; border-radius: 2px;
  background: linear-gradient(to right, var(--accent) var(--share), var(--raised) 0); }
@media (max-width: 30rem) {
  wbr { display: inline; }
  body { padding: 1.25rem .9rem 3rem; }
  h1 { font-size: 1.35rem; }
  .wide td.name { white-space: normal; max-width: 9rem; }
  .strips td.name { white-space: normal; overflow: visible; }
  .strips thead { display: none; }
  .strips tr { display: grid; grid-template-columns: minmax(0, 1fr) max-content; }
  .strips tr + tr { margin-top: .35rem; }
  .strips td.drawing { grid-area: 2 / 1 / 3 / 3; padding: 0 .75rem; }
  .frame svg { height: 15rem; }
  dl { grid-template-columns: 1fr; gap: 0; }
  dd { margin-bottom: .5rem; }
}
footer { margin-top: 3rem; border-top: 1px solid var(--line); padding-top: 1rem; }
"""

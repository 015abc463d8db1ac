"""A page of measured results in ``doc/``: its JSON file and the Markdown made of it."""

import json

from benchmarks._data import ROOT

DOC = ROOT / "doc"


def read_results(page):
    """Return the stored results of a page, {} if there are none."""
    file = DOC / f"{page}.json"
    return json.loads(file.read_text(encoding="utf-8")) if file.exists() else {}


def write_page(page, results, render):
    """Store the results of a page, and the page itself: ``render(results)``."""
    text = json.dumps(results, indent=1, ensure_ascii=False) + "\n"
    (DOC / f"{page}.json").write_text(text, encoding="utf-8")
    (DOC / f"{page}.md").write_text(render(results), encoding="utf-8")

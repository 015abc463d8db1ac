"""The site: its chart, figures, formulas, cards, pictures and pages on custom parts."""

import importlib
import json
import re
import runpy
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
from docutils import nodes
from docutils.utils import new_document
from sklearn.base import BaseEstimator
from sphinx import addnodes

import sklearn_bayeslazy

ROOT = Path(__file__).resolve().parent.parent
DOC = ROOT / "doc"
GUIDES = sorted(set((DOC / "user_guide").glob("*.md")) - {DOC / "user_guide/index.md"})
# The pages of the guide about a family of estimators.
FAMILIES = [
    page
    for page in GUIDES
    if f"user_guide/{page.stem}" in (DOC / "site_parts/learners.py").read_text("utf-8")
]
FENCE = re.compile(r"^```.*?^```", flags=re.MULTILINE | re.DOTALL)
FORMULA = re.compile(r"\$\$(.+?)\$\$|\$(.+?)\$", flags=re.DOTALL)


@pytest.fixture
def site_part(monkeypatch):
    """Return a function that imports a module of the site's extensions."""
    monkeypatch.syspath_prepend(str(DOC))
    return lambda name: importlib.import_module(f"site_parts.{name}")


def read(path):
    return path.read_text(encoding="utf-8")


def test_the_chart_names_every_estimator(site_part):
    choices = [
        choice for task in site_part("learners").TASKS for choice in task.choices
    ]
    named = {name for choice in choices for name in choice.ours}
    estimators = {
        name
        for name in sklearn_bayeslazy.__all__
        if isinstance(kind := getattr(sklearn_bayeslazy, name), type)
        and issubclass(kind, BaseEstimator)
    }
    assert named == estimators


def test_the_chart_names_existing_classes_of_scikit_learn_and_pages(site_part):
    for task in site_part("learners").TASKS:
        assert (DOC / f"{task.page}.md").exists()
        for choice in task.choices:
            for path in choice.peers:
                module, _, name = path.rpartition(".")
                kind = getattr(importlib.import_module(f"sklearn.{module}"), name)
                assert issubclass(kind, BaseEstimator)


@pytest.mark.parametrize("n_columns", [1, 2])
def test_the_chart_links_every_choice_within_its_width(site_part, n_columns):
    chart, learners = site_part("learner_chart"), site_part("learners")
    values = site_part("measured").figures()
    svg = chart.draw(n_columns, lambda name: f"#{name}", values)
    for task in learners.TASKS:
        assert f'href="#{task.page}"' in svg
        for choice in task.choices:
            for name in choice.ours:
                assert f'href="#{name}"' in svg
            for path in choice.peers:
                assert f"generated/sklearn.{path}.html" in svg
    width = n_columns * (chart.PANEL + chart.GAP) - chart.GAP
    boxes = re.findall(r'<rect [^>]*x="(\d+)" [^>]*width="(\d+)"', svg)
    assert all(int(x) + int(w) <= width for x, w in boxes)


def test_boxes_and_cards_lead_to_examples(site_part):
    for task in site_part("learners").TASKS:
        assert "\n## Use\n" in read(DOC / f"{task.page}.md")
    titles = re.findall(r"^\*\*\[.*\]\((.*)\)\*\*$", read(DOC / "index.md"), re.M)
    assert len(titles) == 8
    for link in set(titles) - {"choosing.md"}:
        page, _, anchor = link.partition("#")
        for section in re.split(r"^##+ ", read(DOC / page), flags=re.M)[1:]:
            title, _, text = section.partition("\n")
            if title.lower().replace(" ", "-") == anchor:
                assert text.index("```pycon") < 600
                break
        else:
            raise AssertionError(link)


def test_examples_are_targets_with_links_to_the_guide_and_the_parameters(site_part):
    pages = site_part("pages")
    guide = nodes.paragraph("", "", nodes.reference("", "Guide", refuri="guide.html"))
    title = nodes.rubric("", "Examples")
    content = addnodes.desc_content("", nodes.paragraph("", "Summary"), title)
    described = addnodes.desc("", addnodes.desc_signature(), content)
    heading = nodes.title("", "Name")
    page = nodes.section("", heading, guide, addnodes.index(), described)
    doctree = new_document("")
    doctree += page
    env = SimpleNamespace(docname="api/generated/Name")
    pages.mark_examples(SimpleNamespace(env=env), doctree)
    assert title["ids"] == ["example"]
    near = content[content.index(title) + 1]
    assert [link["refuri"] for link in near.findall(nodes.reference)] == [
        "guide.html",
        "#",
    ]
    assert [link["refuri"] for link in guide.findall(nodes.reference)] == [
        "guide.html",
        "#example",
    ]


def test_each_example_is_in_one_section_of_the_gallery(site_part):
    order = importlib.import_module("gallery_order")
    examples = sorted((DOC / "examples").glob("plot_*.py"), key=order.in_reading_order)
    numbers = [int(path.stem.split("_")[1]) for path in examples]
    assert numbers == order.NUMBERS
    assert len(set(numbers)) == len(numbers)


def test_examples_and_pages_import_public_names_only():
    pages = [ROOT / "README.md", *DOC.rglob("*.md"), *DOC.glob("examples/*.py")]
    private = re.compile(r"(from|import) sklearn_bayeslazy(\.\w+)*\._")
    assert len(pages) > 50
    assert not [path.name for path in pages if private.search(path.read_text("utf-8"))]


def test_headings_divide_the_cards_of_the_gallery(site_part):
    order = importlib.import_module("gallery_order")
    card = (
        '.. raw:: html\n\n    <div class="sphx-glr-thumbcontainer" tooltip="t">\n\n'
        "  :doc:`/auto_examples/plot_{}_x`\n\n.. raw:: html\n\n    </div>\n\n"
    )
    opened = '.. raw:: html\n\n    <div class="sphx-glr-thumbnails">\n\n'
    cards = "".join(card.format(number) for number in order.NUMBERS)
    page = order.add_sections(f"Gallery\n=======\n\n{opened}{cards}")
    for title, numbers in order.SECTIONS.items():
        _, _, rest = page.partition(f"\n{title}\n{'-' * len(title)}\n")
        shown = [int(n) for n in re.findall(r"/plot_(\d+)_x", rest)]
        assert shown[: len(numbers)] == list(numbers)
    # The containers are closed as often as they are opened, but for the last one, which
    # the rest of the page closes.
    assert page.count("<div") == page.count("</div>") + 1


@pytest.mark.parametrize(
    ("words", "page"),
    [
        ("missing values", "naive_bayes"),
        ("imbalanced", "rare_classes"),
        ("error bars", "local_regression"),
        ("calibration", "text"),
        ("similar documents", "neighbors"),
        ("prediction interval", "local_regression"),
        ("spam filter", "text"),
        ("combine classifiers", "ensembles"),
    ],
)
def test_words_that_people_search_lead_to_a_page_of_the_guide(words, page):
    """Sphinx's search ranks a main entry first if half of it or more is typed."""
    entries = re.findall(
        r"^```{index} (.+)$", read(DOC / f"user_guide/{page}.md"), re.M
    )
    main = [e.strip() for line in entries for e in line.split(",") if "!" in e]
    main = [entry.removeprefix("!").strip().lower() for entry in main]
    assert any(words in entry and 2 * len(words) >= len(entry) for entry in main)


def test_the_reference_links_to_pages_of_the_guide_that_name_the_estimator(site_part):
    pages = importlib.import_module("api_reference").guide_pages()
    assert all(
        name.rsplit(".", 1)[1] in read(DOC / f"{page}.md")
        for name, page in pages.items()
    )
    estimators = {
        f"sklearn_bayeslazy.{name}"
        for name in sklearn_bayeslazy.__all__
        if isinstance(kind := getattr(sklearn_bayeslazy, name), type)
        and issubclass(kind, BaseEstimator)
    }
    assert estimators <= set(pages)


def test_measured_figures_are_those_of_the_tables(site_part):
    """The pages of results print the same means, written by the benchmarks."""
    values = site_part("measured").figures()
    page = read(DOC / "accuracy_out_of_the_box.md").replace("**", "")
    rows = {}
    for line in page.splitlines():
        cells = [cell.strip().removeprefix("0") for cell in line.split("|")[1:-1]]
        if len(cells) == 6:
            rows.setdefault(cells[0], cells[1:])
    assert rows["AODEClassifier"][:2] == [
        values["aode_accuracy"],
        values["aode_log_loss"],
    ]
    assert rows["RandomForestClassifier"][1] == values["forest_log_loss"]
    assert rows["LocallyWeightedRegressor"][0] == values["local_r2"]
    assert rows["LocallyWeightedRegressor"][2] == values["local_seconds"]
    speed = json.loads(read(DOC / "benchmarks.json"))
    assert float(values["network_tan_ratio"]) == round(speed["network-tan"]["ratio"])


def test_pages_cite_existing_figures(site_part):
    values = site_part("measured").figures()
    cited = re.findall(r"{{ *(\w+) *}}", read(DOC / "index.md"))
    assert len(cited) >= 10
    assert set(cited) <= set(values)
    assert not re.search(r"\d\.\d", FENCE.sub("", read(DOC / "index.md")))


def test_cards_run():
    """Each card's code runs, in order, on tables of the kind that it names."""
    X, y = sklearn_bayeslazy.datasets.load_play_tennis(as_frame=True, return_X_y=True)
    rng = np.random.default_rng(0)
    names = {
        "X": X,
        "y": y,
        "t": np.arange(len(X), dtype=float),
        "texts": ["cheap pills", "lunch today", "cheap flights", "see you today"],
        "labels": ["spam", "ham", "spam", "ham"],
        "rows": rng.normal(size=(200, 8)),
        "cases": X.to_dict("records"),
        "answers": list(y),
    }
    codes = re.findall(r"^```python\n(.*?)^```", read(DOC / "index.md"), re.M | re.S)
    assert len(codes) == 7
    for code in codes:
        assert len([line for line in code.splitlines() if line]) == 3
        exec(code, names)


@pytest.mark.parametrize("page", FAMILIES, ids=lambda page: page.stem)
def test_a_guide_begins_with_a_picture_and_a_use(page):
    text = read(page)
    picture = re.search(r"^```{gallery-figure} (\w+)$", text, flags=re.MULTILINE)
    assert picture, "no picture"
    assert (DOC / "examples" / f"{picture[1]}.py").exists()
    first_use = text.index("```pycon")
    assert picture.start() < first_use < text.index("$")


@pytest.mark.parametrize("page", GUIDES, ids=lambda page: page.stem)
def test_formulas_become_mathml(site_part, page):
    text = re.sub(r"`[^`\n]+`", "", FENCE.sub("", read(page)))
    for block, inline in FORMULA.findall(text):
        math = site_part("mathml").to_mathml(block or inline, as_block=bool(block))
        assert "</math>" in math


def test_formulas_that_would_be_drawn_wrongly_are_errors(site_part):
    mathml = site_part("mathml")
    with pytest.raises(mathml.MathError, match="operatorname"):
        mathml.to_mathml(r"\operatorname*{arg\,max}_c")
    with pytest.raises(mathml.MathError):
        mathml.to_mathml(r"\frac{1}")


def test_short_fractions_and_dots_mean_the_long_spellings(site_part):
    to_mathml = site_part("mathml").to_mathml
    assert to_mathml(r"\frac12") == to_mathml(r"\frac{1}{2}")
    assert to_mathml(r"x_1 \dots x_d") == to_mathml(r"x_1 \ldots x_d")


@pytest.mark.parametrize(
    ("html", "n_foreign"),
    [
        ('<script src="https://example.org/a.js"></script>', 1),
        ('<link rel="stylesheet" href="http://example.org/a.css">', 1),
        ('<img alt="a" src="../_images/a.png"><a href="https://example.org">b</a>', 0),
    ],
)
def test_files_of_other_sites_are_noticed(site_part, html, n_foreign):
    assert len(site_part("pages").FOREIGN.findall(html)) == n_foreign


@pytest.mark.parametrize(
    "words",
    ["missing values", "imbalanced", "error bars", "calibration", "similar documents"],
)
def test_a_heading_or_the_index_has_words_that_people_search_for(words):
    lines = [line for page in GUIDES for line in read(page).lower().splitlines()]
    headings = [line for line in lines if line.startswith("#")]
    assert any(words in heading for heading in headings)
    assert words in read(DOC / "user_guide" / "index.md").lower()


# Each value can be computed by hand from the numbers in the file.
CUSTOM_PARTS = {
    "metric": lambda names: np.allclose(names["prediction"], (10 + 14) / 2),
    "weights": lambda names: np.allclose(
        names["prediction"], (3 / 4 * 7) / (1 + 3 / 4)
    ),
    "hash_family": lambda names: (
        names["report"].recall >= 0.85 and names["engine"].n_read_ < 1500
    ),
    "similarity": lambda names: np.allclose(
        names["found"]["similarity"], [2 / 3, 1 / 3]
    ),
}


@pytest.mark.parametrize("name", CUSTOM_PARTS)
def test_programs_of_the_pages_write_your_own(name):
    page = read(DOC / "write_your_own" / f"{name}.md")
    assert f"```{{literalinclude}} {name}.py" in page
    assert CUSTOM_PARTS[name](
        runpy.run_path(str(DOC / "write_your_own" / f"{name}.py"))
    )

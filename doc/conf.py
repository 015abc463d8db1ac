"""Configuration of the documentation: ``python -m sphinx -W -b html doc OUTPUT``.

The build needs no network. With BAYESLAZY_DOC_INTERSPHINX set, the names of
scikit-learn, NumPy and pandas become links, for which their inventories are fetched.
"""

import os
import sys
from pathlib import Path

DOC = Path(__file__).resolve().parent
# For the modules beside this file, wherever Sphinx was started.
sys.path.insert(0, str(DOC))

# Examples on 20 newsgroups read the collection from here; where it is not, Read the
# Docs may fetch it, and any other build shows them without running them.
DATA = Path(os.environ.get("BAYESLAZY_DATA", DOC.parent.parent / "shared" / "data"))
HAS_NEWSGROUPS = (DATA / "scikit_learn_data").exists() or "READTHEDOCS" in os.environ
WITHOUT_NEWSGROUPS = r"plot_(?!\d+_(newsgroups|hashed_documents))"
if (DATA / "scikit_learn_data").exists():
    os.environ["BAYESLAZY_DATA"] = str(DATA.resolve())

import api_reference  # noqa: E402

import sklearn_bayeslazy  # noqa: E402

project = "sklearn_bayeslazy"
author = "The sklearn_bayeslazy developers"
project_copyright = author
version = release = sklearn_bayeslazy.__version__

extensions = [
    "sphinx.ext.autodoc",
    "sphinx.ext.autosummary",
    "numpydoc",
    "myst_parser",
    "sphinx_gallery.gen_gallery",
]
exclude_patterns = ["_build", "examples"]
templates_path = ["_templates"]

# Pages in Markdown: definition lists, formulas between dollars, headings as targets.
myst_enable_extensions = ["deflist", "dollarmath"]
myst_heading_anchors = 3

# numpydoc lays out the docstrings; autodoc lists the methods, inherited ones included.
numpydoc_show_class_members = False
autodoc_default_options = {"members": True, "inherited-members": True}
autodoc_member_order = "bysource"

sphinx_gallery_conf = {
    "examples_dirs": "examples",
    "gallery_dirs": "auto_examples",
    "within_subsection_order": "gallery_order.by_number",
    "filename_pattern": r"plot_" if HAS_NEWSGROUPS else WITHOUT_NEWSGROUPS,
    "download_all_examples": False,
    "show_signature": False,
}

if os.environ.get("BAYESLAZY_DOC_INTERSPHINX"):
    extensions.append("sphinx.ext.intersphinx")
    intersphinx_mapping = {
        "numpy": ("https://numpy.org/doc/stable/", None),
        "pandas": ("https://pandas.pydata.org/docs/", None),
        "sklearn": ("https://scikit-learn.org/stable/", None),
    }

html_theme = "pydata_sphinx_theme"
html_title = project
html_show_sourcelink = False
html_theme_options = {
    "header_links_before_dropdown": 4,
    "navigation_with_keys": False,
    "show_prev_next": False,
}
# Pages that stand alone have nothing to show in the left column.
ALONE = (
    "accuracy_belief_network",
    "accuracy_boosting",
    "accuracy_local_regression",
    "accuracy_naive_bayes",
    "accuracy_neighbors",
    "accuracy_text",
    "benchmarks",
    "contributing",
    "index",
    "installation",
    "recall",
    "whats_new",
)
html_sidebars = {page: [] for page in ALONE}


def write_reference_index():
    """Write the index of the API reference from its list of names."""
    index = DOC / "api" / "index.rst"
    text = api_reference.render()
    # An unchanged file keeps its date, so that Sphinx need not read it again.
    if not index.exists() or index.read_text(encoding="utf-8") != text:
        index.write_text(text, encoding="utf-8")


def skip_foreign_member(app, what, name, member, skip, options):
    """Leave out what scikit-learn's own base classes and metadata routing add."""
    module = getattr(member, "__module__", None) or ""
    return True if module.split(".")[0] == "sklearn" else None


def setup(app):
    """Write the reference's index before Sphinx looks for pages, and filter members."""
    write_reference_index()
    app.connect("autodoc-skip-member", skip_foreign_member)

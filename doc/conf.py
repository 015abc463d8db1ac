"""Configuration of the documentation: ``python -m sphinx -W -b html doc OUTPUT``.

Neither the build nor the pages need a network. If BAYESLAZY_DOC_INTERSPHINX is set,
the build downloads the inventories of scikit-learn, NumPy and pandas, and their names
become links.
"""

import os
import sys
from pathlib import Path

DOC = Path(__file__).resolve().parent
# The modules beside this file can be imported from any working directory.
sys.path.insert(0, str(DOC))

# Examples on 20 newsgroups read the collection from here. If it is absent, Read the
# Docs downloads it, and any other build shows these examples without running them.
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
    "site_parts.mathml",
    "site_parts.measured",
    "site_parts.learner_chart",
    "site_parts.pages",
    "gallery_order",
]
# sphinx-gallery writes its times after it has built the pages; ** needs a folder.
_GALLERY_TIMES = "sg_execution_times.rst"
exclude_patterns = ["_build", "examples", _GALLERY_TIMES, f"**/{_GALLERY_TIMES}"]
templates_path = ["_templates"]

# Pages in Markdown: definition lists, formulas between dollars, ::: around blocks,
# measured figures as {{ name }}, headings as targets.
myst_enable_extensions = ["colon_fence", "deflist", "dollarmath", "substitution"]
myst_heading_anchors = 3

# A page of the reference links to its page of the guide.
autosummary_context = {"guide_pages": api_reference.guide_pages()}

# numpydoc formats the docstrings; autodoc lists the methods, also inherited ones.
numpydoc_show_class_members = False
autodoc_default_options = {"members": True, "inherited-members": True}
autodoc_member_order = "bysource"
# The docstrings tell the types; written out, such as ArrayLike, they fill the screen.
autodoc_typehints = "none"

sphinx_gallery_conf = {
    "examples_dirs": "examples",
    "gallery_dirs": "auto_examples",
    "within_subsection_order": "gallery_order.in_reading_order",
    "filename_pattern": r"plot_" if HAS_NEWSGROUPS else WITHOUT_NEWSGROUPS,
    "download_all_examples": False,
    "show_signature": False,
    "write_computation_times": False,  # this page would load scripts from the network
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
html_static_path = ["_static"]
html_css_files = ["site.css"]
html_math_renderer = "mathml"
html_theme_options = {
    "header_links_before_dropdown": 5,
    "navigation_with_keys": False,
    "show_prev_next": False,
}
if "dev" in release:
    html_theme_options["announcement"] = (
        f"This is the development version, {release}. There is no release yet."
    )
# The left column would be empty on these pages.
PAGES_WITHOUT_SIDEBAR = (
    "accuracy_belief_network",
    "accuracy_boosting",
    "accuracy_cases",
    "accuracy_local_regression",
    "accuracy_naive_bayes",
    "accuracy_neighbors",
    "accuracy_out_of_the_box",
    "accuracy_text",
    "accuracy_uncertainty",
    "accuracy_wide",
    "benchmarks",
    "choosing",
    "contributing",
    "index",
    "installation",
    "left_out",
    "recall",
    "whats_new",
)
html_sidebars = {page: [] for page in PAGES_WITHOUT_SIDEBAR}


def write_reference_index():
    """Write the index of the API reference from its list of names."""
    index = DOC / "api" / "index.rst"
    text = api_reference.render()
    # An unchanged file keeps its date, so that Sphinx does not read it again.
    if not index.exists() or index.read_text(encoding="utf-8") != text:
        index.write_text(text, encoding="utf-8")


def skip_foreign_member(app, what, name, member, skip, options):
    """Leave out members of scikit-learn's base classes and of metadata routing."""
    module = getattr(member, "__module__", None) or ""
    return True if module.split(".")[0] == "sklearn" else None


def setup(app):
    """Write the index of the reference before Sphinx reads pages; filter members."""
    write_reference_index()
    app.connect("autodoc-skip-member", skip_foreign_member)

"""The documentation as a site: `sphinx-build -W docs docs/_build` (extra `docs`). Nothing is fetched."""

import sys
from importlib import metadata
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent / "_ext"))

project = "bookbuilder"
author = "the bookbuilder authors"
copyright = "the bookbuilder authors, GPL-3.0-or-later"  # noqa: A001  the name is Sphinx's
version = release = metadata.version("bookbuilder")

extensions = [
    "command_reference",
    "docstrings",
    "myst_nb",
    "notebook_pages",
    "sphinx.ext.autodoc",
    "sphinx.ext.napoleon",
    "sphinx.ext.viewcode",
]
exclude_patterns = ["_build", "_ext", "jupyter_execute", "notebooks/.ipynb_checkpoints"]

# Notebooks are shown as committed. The tests run them.
nb_execution_mode = "off"
myst_enable_extensions = ["colon_fence", "deflist"]
myst_heading_anchors = 3
# Widgets would need a network. The notebooks contain their pictures.
nb_ipywidgets_js = {}

autodoc_member_order = "bysource"
autodoc_typehints = "signature"
autodoc_default_options = {"members": True, "show-inheritance": True}
# Attributes with the same name, such as `bytes`, belong to different classes. Links do not target them.
napoleon_use_ivar = True
# The same for aliases of types that two modules have.
suppress_warnings = ["ref.python"]
# Docstrings name code between single backticks.
default_role = "literal"
# The public names are documented in their rooms.
add_module_names = False
toc_object_entries_show_parents = "hide"

# Options in prose keep both their dashes.
smartquotes = False

html_theme = "furo"
html_static_path = ["_static"]
html_css_files = ["site.css"]
html_title = f"bookbuilder {release}"
html_logo = "figures/logo.svg"
html_favicon = "figures/logo.svg"
html_show_sphinx = False
html_theme_options = {
    "light_css_variables": {"color-brand-primary": "#1b3a6b", "color-brand-content": "#1b3a6b"},
    "dark_css_variables": {"color-brand-primary": "#9db8e8", "color-brand-content": "#9db8e8"},
}

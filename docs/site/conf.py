"""Sphinx's settings for the site; docs/site/build_site.py runs it."""

from __future__ import annotations

import os
import sys
from importlib.util import find_spec
from pathlib import Path

SITE = Path(os.environ["PI_GYM_SITE_CODE"])
sys.path.insert(0, str(SITE))

from reference_pages import all_modules, outside_imports  # noqa: E402

import pi_gym  # noqa: E402

project = "pi_gym"
author = "the pi_gym authors"
copyright = "the pi_gym authors"
version = release = os.environ["PI_GYM_SITE_VERSION"]
html_title = f"pi_gym {version}" + ("" if version == pi_gym.__version__ else f" ({pi_gym.__version__})")

extensions = ["myst_parser", "sphinx.ext.autodoc", "sphinx.ext.napoleon", "code_names"]
source_suffix = {".rst": "restructuredtext", ".md": "markdown"}
exclude_patterns = ["files/**"]
# Code in docstrings stands in single backticks; where it names something of the reference it is a link.
default_role = "code_name"
nitpicky = True
nitpick_ignore_regex = [(r"py:.*", r"(?!pi_gym\.).*")]

myst_heading_anchors = 4
myst_enable_extensions = ["attrs_inline"]
linkcheck_retries = 2
linkcheck_timeout = 20

autodoc_mock_imports = sorted(
    name for name in outside_imports(all_modules()) if name not in sys.stdlib_module_names and find_spec(name) is None
)
autodoc_member_order = "bysource"
autodoc_typehints_format = "short"
autodoc_preserve_defaults = True
python_use_unqualified_type_names = True
python_maximum_signature_line_length = 96
napoleon_numpy_docstring = False
napoleon_use_rtype = False
napoleon_use_ivar = True
add_module_names = False

html_theme = "furo"
html_static_path = [str(SITE / "static")]
templates_path = [str(SITE / "templates")]
html_css_files = ["site.css"]
html_copy_source = False
# The summaries would be fetched, which pages that are opened as files may not do.
html_show_search_summary = False
html_show_sourcelink = False
html_show_sphinx = False
html_sidebars = {
    "**": [
        "sidebar/brand.html",
        "sidebar/versions.html",
        "sidebar/search.html",
        "sidebar/scroll-start.html",
        "sidebar/navigation.html",
        "sidebar/scroll-end.html",
    ]
}
html_theme_options = {
    "light_css_variables": {"color-brand-primary": "#0b6b64", "color-brand-content": "#0b6b64"},
    "dark_css_variables": {"color-brand-primary": "#5ccabd", "color-brand-content": "#5ccabd"},
}
pygments_style = "friendly"
pygments_dark_style = "native"

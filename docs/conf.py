"""How Sphinx builds the site from these pages: ``make docs``. Needs no network; every warning is an error.

The pages below ``reference/`` are written from the code when the site is built, so that they cannot be stale.
"""

from __future__ import annotations

import re
import sys
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE))

from write_gallery import write_gallery  # noqa: E402
from write_reference import write_reference  # noqa: E402

from jupyter_selfheal._version import __version__  # noqa: E402

project = "jupyter_selfheal"
copyright = "the jupyter_selfheal developers"
release = version = __version__
extensions = ["myst_parser"]
myst_heading_anchors = 4
myst_enable_extensions = ["deflist"]
exclude_patterns = ["_build", "gallery/sources", "rules.md", "agents/AGENTS.md"]
html_use_index = False  # it would be an empty page: no page names entries for it
html_theme = "pydata_sphinx_theme"
html_title = f"jupyter_selfheal {__version__}"
html_static_path = ["_static"]
html_css_files = ["site.css"]
html_js_files = ["search_own_names.js"]
html_theme_options = {
    "show_toc_level": 2,
    "navigation_with_keys": True,
    "navbar_align": "left",
    "header_links_before_dropdown": 7,
    "logo": {"text": "jupyter_selfheal"},
}
html_context = {"default_mode": "auto"}
html_sidebars = {name: [] for name in ("index", "start", "try", "support")}
html_favicon = "_static/favicon.svg"
html_show_sourcelink = False
pygments_style = "default"
smartquotes = False  # messages are to be found as they are written

write_reference(HERE / "reference")
write_gallery(HERE / "gallery")


def read_for_site(_app: Any, _name: str, source: list[str]) -> None:
    """Links to files that are no pages of the site become their names, and diagrams are shown as text."""
    text = re.sub(r"\[([^\]]+)\]\((?:\.\./[^)]+|agents/AGENTS\.md)\)", r"\1", source[0])
    source[0] = text.replace("```mermaid", "```text")


def setup(app: Any) -> None:
    """Called by Sphinx."""
    app.connect("source-read", read_for_site)

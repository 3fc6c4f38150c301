"""A card as HTML, for a saved notebook where no widget is drawn: one that is not trusted, on a web page, printed."""

from __future__ import annotations

import re
from collections.abc import Sequence
from html import escape

COLOURS = {"+": "rgba(46, 158, 68, 0.2)", "-": "rgba(212, 60, 60, 0.18)"}


WRAP = "white-space: pre-wrap; word-break: normal; overflow-wrap: anywhere"
"""Sentences are broken between words: JupyterLab breaks what is in `pre` anywhere."""


NO_BUTTONS = "No buttons here? Trust the notebook, or run `%heal approve` in a new cell."
"""What can be done where no widget is drawn: a page that does not trust the notebook, as that of a second person, or a front end without."""


_CODE = re.compile(r"`([^`]+)`")


def format_html(text: str, explanation: Sequence[str] = (), *, is_open: bool = False) -> str:
    """The card's plain text with its first line marked, and the lines of its diff coloured; why it failed can be unfolded. ``is_open``:
    its fix waits for a word of the user's."""
    first, _, rest = text.partition("\n")
    lines = "\n".join(_format_line(line) for line in rest.splitlines())
    why = escape("\n".join(explanation))
    more = f"<details><summary>Explain</summary><pre style='{WRAP}'>{why}</pre></details>" if why else ""
    words = _CODE.sub(r"<code>\1</code>", escape(NO_BUTTONS))
    advice = f"<p>{words}</p>" if is_open else ""
    return f"<div><strong>{escape(first)}</strong><pre style='{WRAP}'>{lines}</pre>{more}{advice}</div>"


def _format_line(line: str) -> str:
    colour = COLOURS.get(line[:1])
    return f'<span style="background-color: {colour}">{escape(line)}</span>' if colour else escape(line)

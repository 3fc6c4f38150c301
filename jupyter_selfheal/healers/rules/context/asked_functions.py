"""Functions that the notebook asks its reader to write: one that a library has is no answer to that."""

from __future__ import annotations

import re

from jupyter_selfheal.model import Notebook

_ASKS = r"\b(?:write|implement|define|create|complete|program|code|build|develop|make)\b(?!\s+(?:sure|use))"
_COMMENT = re.compile(r"^[ \t]*#(.*)$", re.MULTILINE)


def is_asked_for(notebook: Notebook, cell_id: str, name: str) -> bool:
    """True where a text, or a comment, up to a cell asks for a function of a name: "Write functions `mean` and `var`."."""
    asks = re.compile(rf"{_ASKS}[^.!?\n]{{0,200}}(?<![\w.]){re.escape(name)}(?![\w.]\w)", re.IGNORECASE)
    for cell in notebook.cells[: notebook.index(cell_id) + 1]:
        text = "\n".join(_COMMENT.findall(cell.source)) if cell.kind == "code" else cell.source
        if asks.search(text):
            return True
    return False

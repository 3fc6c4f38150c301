"""MPL110: figures that are to open in windows where none can."""

from __future__ import annotations

import re
from collections.abc import Iterator

from jupyter_selfheal.healers.rules.context import Rule, RuleContext, Stage
from jupyter_selfheal.model import Applicability, Patch

BACKEND = re.compile(r"[ \t]*%matplotlib[ \t]+(qt\d?|tk|gtk\w*|wx|osx|macosx|auto)[ \t]*(?:#.*)?", re.IGNORECASE)
USED = re.compile(
    r"mpl_connect|ginput|waitforbuttonpress|\.pause\(|matplotlib\.widgets|from matplotlib import[^\n]*\bwidgets|show\(block|"
    r"\bion\(|\binteractive\(|flush_events|canvas\.draw|new_timer|Animation\("
)
"""What is done with a window: a figure in the page does not do it."""


class WindowedBackend(Rule):
    """Show figures in the page where no window can be opened.

    **Failure** `ImportError: Failed to import any of the following Qt binding modules` or `Cannot load backend 'TkAgg'` at `%matplotlib qt`, which hides the rest of the cell.

    **Fix** `%matplotlib inline`.

    **Fix safety** Safe: the same figures are drawn, and no value hangs on where they are shown. Silent where the notebook waits for clicks or keys, or draws
    into a window that stays open.
    """

    code = "MPL110"
    name = "windows for figures"
    stage = Stage.LIBRARY
    enames = frozenset({"ImportError", "ModuleNotFoundError", "TclError", "RuntimeError"})
    message = re.compile(
        r"Qt binding|Cannot load backend|[Hh]eadless|No module named '(?:_?tkinter|wx|gi|PyQt\d|PySide\d)'|no display name"
    )
    applicability = Applicability.SAFE
    why = "The same figures are drawn, in the page in place of windows."

    def propose(self, context: RuleContext) -> Iterator[Patch]:
        source, at = context.failure.source, context.failure.line - 1
        lines = source.split("\n")
        match = BACKEND.fullmatch(lines[at]) if 0 <= at < len(lines) else None
        if match is None or any(USED.search(c.source) for c in context.notebook.cells if c.kind == "code"):
            return
        start = sum(len(line) + 1 for line in lines[:at])
        yield self.patch(
            context.replace(context.failure.cell_id, [(start + match.start(1), start + match.end(1), "inline")]),
            "Show the figures in the page: `%matplotlib inline`",
            f"`{match[0].strip()}` opens windows, and there is nothing here that could.",
            prior=0.9,
        )

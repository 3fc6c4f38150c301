"""What `%heal ahead now` prints: a line for each cell below."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator

from jupyter_selfheal.messages import Foreseen
from jupyter_selfheal.model import Notebook

WIDTH = 80
"""Columns of a terminal."""


def format_forecasts(foreseen: Foreseen, notebook: Notebook, accept: float = 0.0) -> Iterator[str]:
    """The cell, what will become of it, and how or why; below it the fix that is ready, or with a score below ``accept`` one to check."""
    names = {f.cell_id: notebook.name_cell(f.cell_id) for f in foreseen.forecasts}
    wide = max((len(name) for name in names.values()), default=0)
    indent = " " * (wide + 13)
    for forecast in foreseen.forecasts:
        head = f"{names[forecast.cell_id]:{wide}}  {forecast.outcome:9}  "
        yield from textwrap.wrap(
            (head + forecast.detail).rstrip(),
            WIDTH,
            subsequent_indent=indent,
            drop_whitespace=False,
        )
        if forecast.fix:
            scores = [c.verdict.score for proposal in forecast.proposal[:1] for c in proposal.candidates[:1]]
            ready = "fix to check" if scores and scores[0] < accept else "fix ready"
            yield from textwrap.wrap(f"{ready}: {forecast.fix}", WIDTH, initial_indent=indent, subsequent_indent=indent)
    for note in foreseen.notes:
        yield f"note: {note}"

"""Does a fix change what healthy cells give? What they gave, was stored, and came again is right until something says otherwise."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING

from jupyter_selfheal.inside.difference import cut_text
from jupyter_selfheal.model import FailureKind, Notebook
from jupyter_selfheal.scoring.comparison import Comparison
from jupyter_selfheal.scoring.repeatable import is_repeatable
from jupyter_selfheal.scoring.stored import compare

if TYPE_CHECKING:
    from jupyter_selfheal.surfaces.notebook.cell_run import CellRun
    from jupyter_selfheal.surfaces.notebook.records import Record


def find_changed_values(
    notebook: Notebook, as_stored: Iterable[str], seen: Mapping[str, CellRun]
) -> dict[str, Comparison]:
    """Those of the healthy cells ``as_stored``, which gave what is stored for them, that give another value in a clean run."""
    cells = (notebook.cell(c) for c in as_stored if c in seen and not seen[c].failure)
    compared = {c.id: compare(c, seen[c.id].result.outputs) for c in cells}
    return {i: c for i, c in compared.items() if c.differs and is_repeatable(notebook.cell(i), notebook)}


def complains_of_values(record: Record) -> bool:
    """Whether what failed says that values were wrong: then those that were stored before may be wrong too, and a fix may change
    them. A crash says nothing of values that came without one."""
    return any(f.kind is FailureKind.MISSED or f.ename == "AssertionError" for f in record.failure)


def describe_change(number: int, compared: Comparison) -> str:
    """Why a fix is taken back that changes what cell ``number`` gives."""
    now, stored = _shorten_value(compared.got), _shorten_value(compared.stored)
    return f"with it cell {number} gives {now} where {stored} is stored, without it what is stored"


def describe_other_value(compared: Comparison) -> str:
    """What a cell gives with fixes, and what without them, where ``stored`` of the comparison is what it gave without."""
    return f"{_shorten_value(compared.got)}, and {_shorten_value(compared.stored)} without the fixes"


def _shorten_value(text: str) -> str:
    return cut_text(" ".join(text.split()), 60)

"""Does a fix change what healthy cells give? What they gave, was stored, and came again is right until something says otherwise."""

from __future__ import annotations

import itertools
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

LENGTH = 60
"""Characters that are shown of a value."""


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
    now, stored = _show_difference(compared)
    return f"with it cell {number} gives {now} where {stored} is stored, without it what is stored"


def describe_other_value(compared: Comparison) -> str:
    """What a cell gives with fixes, and what without them, where ``stored`` of the comparison is what it gave without."""
    now, before = _show_difference(compared)
    return f"{now}, and {before} without the fixes"


def _show_difference(compared: Comparison) -> tuple[str, str]:
    """What is given and what is stored, each in 60 characters: from the line on in which they differ, where they are longer."""
    lines = [[" ".join(line.split()) for line in text.splitlines()] for text in (compared.got, compared.stored)]
    same = sum(1 for _ in itertools.takewhile(lambda pair: pair[0] == pair[1], zip(*lines, strict=False)))
    begin = 0 if all(len(" ".join(shown)) <= LENGTH for shown in lines) else same
    now, stored = (("… " if begin else "") + cut_text(" ".join(shown[begin:]), LENGTH) for shown in lines)
    return now, stored

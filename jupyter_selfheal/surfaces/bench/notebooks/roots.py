"""What the failing cells of a healed notebook hang on, read off the heal's own report: roots by class, and what only follows from one."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from jupyter_selfheal.model import FailureKind, SkipReason
from jupyter_selfheal.surfaces.notebook.records import Status

HEALED = "healed"
FOLLOWS = "follows"
"""It fails, or failed, only because of another cell."""
TIME_LIMIT = "time limit"
NOT_TOLD = "not told"
"""The heal wrote no report, or one that does not know the cell to fail."""

OPEN = ("offered", "taken back", "no fix found", SkipReason.OWN_CHECK.value, SkipReason.FLAKY.value, SkipReason.NOT_PYTHON.value, TIME_LIMIT, NOT_TOLD)  # fmt: skip
"""Classes of roots that hang on nothing outside of the notebook, and are not healed. Whatever else a report names is outside."""

_WORDS = {Status.PROPOSED.value: "offered", Status.REVERTED.value: "taken back", Status.NOT_HEALED.value: "no fix found", Status.NOT_REACHED.value: TIME_LIMIT}  # fmt: skip


def count_roots(printed: bytes, before: Mapping[int, str], after: Mapping[int, str]) -> dict[str, int]:
    """By class, how many of the cells that failed before are roots of it, or follow; a cell that the report calls healed counts as such
    only where it ran afterwards."""
    cells = {int(cell["cell"]) - 1: cell for cell in _read_cells(printed)}
    failed = [n for n, status in before.items() if status == "failed"]
    return dict(Counter(classify_cell(cells.get(n, {}), after.get(n) == "ran") for n in failed).most_common())


def classify_cell(cell: Mapping[str, Any], runs: bool) -> str:
    """The class of one cell that failed. ``runs``: it ran in the healed notebook."""
    status = cell.get("status", "")
    if cell.get("cascade_of") or status in (Status.FOLLOWED, Status.CASCADE):
        return FOLLOWS
    if status == Status.HEALED:
        return HEALED if runs else _WORDS[Status.REVERTED]
    if status == Status.RAN:
        return FOLLOWS if runs else NOT_TOLD
    if cell.get("skip_reason") or status == Status.MEANT_TO_FAIL:
        return str(cell.get("skip_reason") or SkipReason.DELIBERATE.value)
    if cell.get("kind") == FailureKind.TIMED_OUT:
        return TIME_LIMIT
    return _WORDS.get(status, NOT_TOLD)


def add_roots(rows: Sequence[Mapping[str, Any]]) -> dict[str, int] | None:
    """The roots of several notebooks together, the commonest class first; None where no row tells them."""
    told = [row["roots"] for row in rows if "roots" in row]
    return dict(sum(map(Counter, told), Counter[str]()).most_common()) if told else None


def format_share(roots: Mapping[str, int] | None) -> str:
    """How many of the roots that hang on nothing outside are healed: ``46 of 54 (85%)``."""
    if roots is None:
        return "–"
    healed = roots.get(HEALED, 0)
    every = healed + sum(roots.get(name, 0) for name in OPEN)
    return f"{healed} of {every} ({healed / every:.0%})" if every else "0 of 0"


def format_classes(roots: Mapping[str, int] | None) -> str:
    """What is left, by class: what hangs on nothing outside first, then what does, then the cells that follow from either."""
    if roots is None:
        return "–"
    inside = [f"{name} {roots[name]}" for name in OPEN if roots.get(name)]
    outside = [f"{name} {n}" for name, n in roots.items() if name not in (*OPEN, HEALED, FOLLOWS)]
    parts = (("", inside), ("outside: ", outside), ("", [f"{FOLLOWS} {roots[FOLLOWS]}"] if roots.get(FOLLOWS) else []))
    return "; ".join(word + ", ".join(part) for word, part in parts if part) or "nothing"


def _read_cells(printed: bytes) -> Sequence[Mapping[str, Any]]:
    """The cells of a report that ``heal --json`` printed; none where it printed no report."""
    try:
        report = json.loads(printed)
        return [cell for notebook in report["notebooks"] for cell in notebook["cells"] if "cell" in cell]
    except (ValueError, TypeError, KeyError):
        return []

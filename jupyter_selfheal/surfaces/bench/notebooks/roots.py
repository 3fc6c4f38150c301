"""What the failing cells of a healed notebook hang on, read off the heal's own report: roots by class, and what only follows from one."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from jupyter_selfheal.healers.rules.context.tables import find_distribution
from jupyter_selfheal.loop.policy import MEANT_BEHIND
from jupyter_selfheal.model import FailureKind, SkipReason
from jupyter_selfheal.surfaces.notebook.records import Status

HEALED = "healed"
FOLLOWS = "follows"
"""It fails, or failed, only because of another cell."""
FOLLOWS_OUTSIDE = "follows from outside"
"""That other cell hangs on something outside of the notebook, and is not healed."""
TIME_LIMIT = "time limit"
NOT_TOLD = "not told"
"""The heal wrote no report, or one that does not know the cell to fail."""
NOT_INSTALLED = "module not installed"
"""A module is missing to a heal that was allowed to install."""

UNKNOWN_MODULE = "module of no known distribution"
"""Nothing may be installed for it, as anybody may publish under its name: a file of somebody's own, most often."""

OPEN = ("offered", "taken back", "no fix found", NOT_INSTALLED, SkipReason.OWN_CHECK.value, SkipReason.FLAKY.value, SkipReason.NOT_PYTHON.value, TIME_LIMIT, NOT_TOLD)  # fmt: skip
"""Classes of roots that hang on nothing outside of the notebook, and are not healed. Whatever else a report names is outside."""

_WORDS = {Status.PROPOSED.value: "offered", Status.REVERTED.value: "taken back", Status.NOT_HEALED.value: "no fix found", Status.NOT_REACHED.value: TIME_LIMIT}  # fmt: skip


def count_roots(printed: bytes, before: Mapping[int, str], after: Mapping[int, str]) -> dict[str, int]:
    """By class, how many of the cells that failed before are roots of it, or follow; a cell that the report calls healed counts as such
    only where it ran afterwards, and one that it never saw fail follows only where it is below a healed one."""
    cells = {int(cell["cell"]) - 1: cell for cell in _read_cells(printed)}
    healed = [n for n, cell in cells.items() if cell.get("status") == Status.HEALED and after.get(n) == "ran"]
    failed = [n for n, status in before.items() if status == "failed"]
    classes = {n: classify_cell(cells.get(n, {}), after.get(n) == "ran", min(healed, default=n) < n) for n in failed}
    inside = (
        HEALED,
        FOLLOWS,
        *OPEN,
        SkipReason.MISSING_MODULE.value,
    )  # what a heal may install is told by the settings alone
    for n, name in classes.items():
        root = classes.get(int(cells.get(n, {}).get("cascade_of") or 0) - 1, FOLLOWS)
        if name == FOLLOWS and root not in inside:
            classes[n] = FOLLOWS_OUTSIDE
    return dict(Counter(classes.values()).most_common())


def classify_cell(cell: Mapping[str, Any], runs: bool, is_below: bool = True) -> str:
    """The class of one cell that failed. ``runs``: it ran in the healed notebook; ``is_below``: a healed cell is above it."""
    status = cell.get("status", "")
    if cell.get("cascade_of") or status in (Status.FOLLOWED, Status.CASCADE):
        return FOLLOWS
    if status == Status.HEALED:
        return HEALED if runs else _WORDS[Status.REVERTED]
    if status == Status.RAN:
        return FOLLOWS if runs and is_below else NOT_TOLD
    if cell.get("skip_reason") == SkipReason.MISSING_MODULE and _is_of_no_distribution(str(cell.get("failure", ""))):
        return UNKNOWN_MODULE
    if cell.get("skip_reason") or status == Status.MEANT_TO_FAIL:
        return str(cell.get("skip_reason") or SkipReason.DELIBERATE.value)
    if str(cell.get("detail", "")).endswith(MEANT_BEHIND):
        return SkipReason.DELIBERATE.value  # what was mended only stood before it
    if cell.get("kind") == FailureKind.TIMED_OUT:
        return TIME_LIMIT
    return _WORDS.get(status, NOT_TOLD)


def _is_of_no_distribution(headline: str) -> bool:
    """Whether a failure misses a module that no distribution is known to have."""
    named = re.search(r"No module named '([\w.]+)'", headline)
    return named is not None and not find_distribution(named[1])[1]


def add_roots(rows: Sequence[Mapping[str, Any]]) -> dict[str, int] | None:
    """The roots of several notebooks together, the commonest class first; None where no row tells them. A missing module is nothing
    outside where the heal was allowed to install it."""
    told = [_name_installable(row) for row in rows if "roots" in row]
    return dict(sum(map(Counter, told), Counter[str]()).most_common()) if told else None


def _name_installable(row: Mapping[str, Any]) -> dict[str, int]:
    may_install = "--install" in str(row.get("settings", "")).split()
    missing = SkipReason.MISSING_MODULE.value
    return {NOT_INSTALLED if may_install and name == missing else name: n for name, n in row["roots"].items()}


def format_share(roots: Mapping[str, int] | None) -> str:
    """How many of the roots that hang on nothing outside, as the heal itself says, are healed: ``46 of 54 (85%)``."""
    return "–" if roots is None else _format_healed(roots, (HEALED, *OPEN))


def format_share_of_all(roots: Mapping[str, int] | None) -> str:
    """How many of all roots are healed, whatever they hang on."""
    return (
        "–"
        if roots is None
        else _format_healed(roots, [name for name in roots if name not in (FOLLOWS, FOLLOWS_OUTSIDE)])
    )


def format_cells_inside(rows: Sequence[Mapping[str, Any]]) -> str:
    """How many of the failing cells run after the heal that neither hang on anything outside nor follow from one that does."""
    roots = add_roots(rows) or {}
    inside = sum(n for name, n in roots.items() if name in (HEALED, FOLLOWS, *OPEN))
    ran = sum(int(row["healed"]) for row in rows)
    return f"{ran} of {inside} ({ran / inside:.0%})" if inside else "0 of 0"


def _format_healed(roots: Mapping[str, int], counted: Sequence[str]) -> str:
    healed, every = roots.get(HEALED, 0), sum(roots.get(name, 0) for name in counted)
    return f"{healed} of {every} ({healed / every:.0%})" if every else "0 of 0"


def format_classes(roots: Mapping[str, int] | None) -> str:
    """What is left, by class: what hangs on nothing outside first, then what does, then the cells that follow from either."""
    if roots is None:
        return "–"
    inside = [f"{name} {roots[name]}" for name in OPEN if roots.get(name)]
    outside = [f"{name} {n}" for name, n in roots.items() if name not in (*OPEN, HEALED, FOLLOWS, FOLLOWS_OUTSIDE)]
    following = [f"{name} {roots[name]}" for name in (FOLLOWS, FOLLOWS_OUTSIDE) if roots.get(name)]
    parts = (("", inside), ("outside: ", outside), ("", following))
    return "; ".join(word + ", ".join(part) for word, part in parts if part) or "nothing"


def _read_cells(printed: bytes) -> Sequence[Mapping[str, Any]]:
    """The cells of a report that ``heal --json`` printed; none where it printed no report."""
    try:
        report = json.loads(printed)
        return [cell for notebook in report["notebooks"] for cell in notebook["cells"] if "cell" in cell]
    except (ValueError, TypeError, KeyError):
        return []

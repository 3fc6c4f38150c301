"""Which cells a value depends on."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from jupyter_selfheal.source.source import read


def backward_slice(sources: Sequence[str], targets: Iterable[str]) -> tuple[int, ...]:
    """Indices of the sources that must have run, in order, for the names ``targets`` to be as they are after all of them.

    Over whole cells: the last binder of a name, every cell that changes it in place after that, and
    what those need in turn. Cells that use ``from m import *`` or magics that may bind names are kept.
    """
    pending = set(targets)
    kept: list[int] = []
    all_names = [read(source).names for source in sources]
    modules = frozenset().union(*(cell.imports for cell in all_names)) if all_names else frozenset()
    for at in range(len(sources) - 1, -1, -1):
        cell = all_names[at]
        changed = cell.binds | (cell.changes - modules) | cell.deletes
        if _binds_unknown(sources[at]) or changed & pending:
            kept.append(at)
            pending -= cell.binds - cell.uses
            pending |= cell.uses
    return tuple(reversed(kept))


def _binds_unknown(source: str) -> bool:
    return bool(
        re.search(r"(?m)^\s*(from\s+\S+\s+import\s+\*|%(run|load_ext|pylab|matplotlib|cd|env|autoreload)\b)", source)
    )

"""Which cells a value depends on."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Mapping, Sequence

from jupyter_selfheal.source.source import read


def find_backward_slice(sources: Sequence[str], targets: Iterable[str]) -> tuple[int, ...]:
    """Indices of the sources that must have run, in order, for the names ``targets`` to be as they are after all of them.

    Over whole cells: the last binder of a name, every cell that changes it in place after that, and
    what those need in turn. What changes a list of named objects in place (``for table in combine``) changes those objects.
    Cells that use ``from m import *`` or magics that may bind names are kept.
    """
    return _go_backward(sources, targets)[0]


def find_needed_names(sources: Sequence[str], targets: Iterable[str]) -> frozenset[str]:
    """The names that must be there before all of the sources for ``targets`` to be as they are after them (see :func:`find_backward_slice`)."""
    return _go_backward(sources, targets)[1]


def _go_backward(sources: Sequence[str], targets: Iterable[str]) -> tuple[tuple[int, ...], frozenset[str]]:
    pending = set(targets)
    kept: list[int] = []
    all_names = [read(source).names for source in sources]
    modules = frozenset().union(*(cell.imports for cell in all_names)) if all_names else frozenset()
    members = _find_members(sources)
    for at in range(len(sources) - 1, -1, -1):
        cell = all_names[at]
        changed = cell.binds | (cell.changes - modules) | cell.deletes
        changed = changed.union(*(members[name] for name in cell.changes if name in members))
        if _binds_unknown(sources[at]) or changed & pending:
            kept.append(at)
            pending -= cell.binds - cell.uses
            pending |= cell.uses
    return tuple(reversed(kept)), frozenset(pending)


def _find_members(sources: Sequence[str]) -> Mapping[str, frozenset[str]]:
    """``combine`` → the names in ``combine = [train, test]``, of all lists and tuples that hold nothing but names."""
    members: dict[str, frozenset[str]] = {}
    for source in sources:
        nodes = (s.node for s in read(source).statements) if re.search(r"=\s*[\[(]", source) else ()
        for node in nodes:
            if not isinstance(node, ast.Assign) or not isinstance(node.value, ast.List | ast.Tuple):
                continue
            parts = node.value.elts
            held = frozenset(part.id for part in parts if isinstance(part, ast.Name))
            if held and len(held) == len(parts):
                names = (t.id for t in node.targets if isinstance(t, ast.Name))
                members |= {name: members.get(name, frozenset()) | held for name in names}
    return members


def _binds_unknown(source: str) -> bool:
    return bool(
        re.search(r"(?m)^\s*(from\s+\S+\s+import\s+\*|%(run|load_ext|pylab|matplotlib|cd|env|autoreload)\b)", source)
    )

"""Lines that are printed and not expected: ``print(a == b)``, with which somebody looked at what goes on."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from jupyter_selfheal.inside.search.scope import Change
from jupyter_selfheal.inside.search.source_text import Source


def list_extra_lines(text: str, expected: str) -> Iterator[Change]:
    """The changes that take out a ``print`` whose text is not in what is expected, or that has none.

    Only where the source has more of them than lines are expected: one of fewer belongs to a line.
    """
    source = Source(text)
    calls = [n for n in source.order if isinstance(n, ast.Expr) and _is_print(n.value)]
    if len(calls) <= len(expected.strip().splitlines()):
        return
    alone_in_block = {
        id(block[0])
        for n in source.order
        for name in ("body", "orelse", "finalbody")
        if isinstance(block := getattr(n, name, None), list) and len(block) == 1
    }
    for call in calls:
        said = [n.value for n in ast.walk(call) if isinstance(n, ast.Constant) and isinstance(n.value, str)]
        if any(part and part in expected.lower() for value in said for part in value.lower().split()):
            continue
        alone = id(call) in alone_in_block
        edit = (source.start_of(call), source.end_of(call), "pass" if alone else "")
        start = text.rfind("\n", 0, edit[0]) + 1
        end = text.find("\n", edit[1]) + 1 or len(text)
        if not alone and text[start:end].strip() == text[edit[0] : edit[1]]:
            edit = (start, end, "")
        elif not alone:
            continue  # another statement, or a comment, shares its line
        yield Change((edit,), 0.3, call.lineno, f"`{ast.unparse(call)}` prints a line that is not expected")


def _is_print(node: ast.expr) -> bool:
    return isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "print"

"""Does another number stand where one was told apart? ``n != 0`` for ``n != 316`` meets all checks in which no 316 is, and loses the case that
somebody wrote down; ``n not in (0, 316)`` meets them, too."""

from __future__ import annotations

import ast
import difflib
import re
from collections.abc import Collection

from jupyter_selfheal.inside.search.parsed_once import parse_once
from jupyter_selfheal.inside.tree_names import walk

PLAIN = 2
"""Whole numbers up to this one tell no case of their own apart."""
_NAMED = re.compile(r"([A-Z][A-Z0-9_]+)\s*(?::[^=]+)?=\s*(-?[\d.][\d._e]*)\s*(?:#.*)?$")
"""A number that is named once for all: ``RATE = 0.19``."""
NEAR, ALIKE = 2, 0.5
"""How far another number may be, and how alike another text must be, to be what was meant by a slip."""


def find_given_up(old: str, new: str, checks: Collection[str]) -> str:
    """The number or text that a statement compared with and no longer does, where it is no slip of the new one and none of the ``checks`` speaks
    of it; empty elsewhere."""
    before, after = list(walk(parse_once(old))), list(walk(parse_once(new)))
    if list(map(type, before)) != list(map(type, after)):
        return ""
    changed = [
        (one.value, two.value)
        for one, two in zip(before, after, strict=True)
        if isinstance(one, ast.Constant) and isinstance(two, ast.Constant) and one.value != two.value
    ]
    if len(changed) != 1:
        return ""
    told, other = changed[0]
    sides = (
        side
        for node in before
        if isinstance(node, ast.Compare) and isinstance(node.ops[0], ast.Eq | ast.NotEq)
        for side in (node.left, *node.comparators)
    )
    is_asked = any(isinstance(side, ast.Constant) and side.value is told for side in sides)
    if not is_asked or _is_slip(told, other):
        return ""
    return "" if any(_speaks_of(check, told) for check in checks) else repr(told)


def _is_slip(told: object, other: object) -> bool:
    """Whether the old value is near the new one, or says nothing by itself."""
    if isinstance(told, bool) or isinstance(other, bool):
        return True
    if isinstance(told, int | float) and isinstance(other, int | float):
        return abs(told) <= PLAIN or abs(told - other) <= NEAR or _are_alike(str(told), str(other))
    if isinstance(told, str) and isinstance(other, str):
        return not told.strip() or _are_alike(told.lower(), other.lower())
    return True


def _are_alike(one: str, other: str) -> bool:
    return difflib.SequenceMatcher(None, one, other).ratio() > ALIKE


def _speaks_of(check: str, told: object) -> bool:
    text = str(told)
    return (
        re.search(rf"(?<![\d.]){re.escape(text)}(?![\d.])", check) is not None if text[-1:].isdigit() else text in check
    )


def find_named_number(old: str, new: str) -> str:
    """The name of a constant that gets another number, ``RATE = 1.19``: it gives what ``1 + RATE`` would, and is no longer what its name says; empty
    where there is none."""
    was, now = _NAMED.match(old), _NAMED.match(new)
    return was[1] if was and now and was[2] != now[2] else ""

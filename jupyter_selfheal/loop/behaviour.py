"""Which patches do the same: told by what they did, not by their text. Pure.

After ``a + b`` was rejected, ``a - -b`` is no news. Two patches do the same where their healer compared them on many inputs and saw no
difference, or where all that they change is printed or shown, and what their trials put out is equal.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable

from jupyter_selfheal import source as src
from jupyter_selfheal.model import Attempt, Patch, Replace, Role

_DEFINITIONS = ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef


def list_like_rejected(archive: Iterable[Attempt]) -> frozenset[str]:
    """Ids of the patches that do what a rejected one does, the rejected ones included."""
    attempts = tuple(archive)
    rejected = [a for a in attempts if a.rejection]
    return frozenset(a.patch.id for a in attempts if any(a is r or _does_the_same(a, r) for r in rejected))


def _does_the_same(one: Attempt, other: Attempt) -> bool:
    if one.patch.behaviour and one.patch.behaviour == other.patch.behaviour:
        return True
    first, second = _read_outputs(one), _read_outputs(other)
    return bool(first) and first == second and _shows_all(one.patch) and _shows_all(other.patch)


def _read_outputs(attempt: Attempt) -> tuple[object, ...]:
    """What the trial of a patch that ran printed and showed; empty where that is nothing."""
    if attempt.trial is None or not attempt.trial.ran:
        return ()
    steps = (s for s in attempt.trial.steps if s.role == Role.CELL.value)
    return tuple((o.output_type, o.text, repr(sorted(o.data.items()))) for s in steps for o in s.outputs)


def _shows_all(patch: Patch) -> bool:
    """True where the statements that a patch changes bind and define nothing: what they do is what they put out."""
    changed = [node for e in patch.edits if isinstance(e, Replace) for node in _list_changed(e)]
    nothing_else = all(isinstance(e, Replace) for e in patch.edits)
    return bool(changed) and nothing_else and not any(map(_leaves_something, changed))


def _list_changed(edit: Replace) -> list[ast.stmt]:
    before = set(src.list_statement_keys(edit.old))
    statements = zip(src.list_statements(edit.source), src.list_statement_keys(edit.source), strict=True)
    return [statement.node for statement, key in statements if key not in before]


def _leaves_something(node: ast.stmt) -> bool:
    names = src.collect_names([node])
    return bool(names.binds or names.changes) or isinstance(node, _DEFINITIONS)

"""What the search says of a definition and its asserts, and what its operators make of one."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

from jupyter_selfheal.healers.search.plan import build_plan
from jupyter_selfheal.inside.positions import splice
from jupyter_selfheal.inside.search import search
from jupyter_selfheal.inside.search.propose_mutations import list_changes
from jupyter_selfheal.inside.search.scope import Hints, Scope
from jupyter_selfheal.model import Case, Cell, Failure, FailureKind, Notebook, Oracle


def find(definition: str, checks: str, seconds: float = 300.0, said: Oracle | None = None) -> dict[str, Any]:
    """What the search says of a cell with a definition and one with its asserts, of which the user ``said`` something."""
    cells = Notebook((Cell("d", definition), Cell("t", checks, oracle=said or Oracle())))
    plan = build_plan(Case(Failure("t", checks, FailureKind.RAISED, "AssertionError"), cells))
    assert plan is not None
    space: dict[str, Any] = {"__name__": "__main__"}
    exec(definition, space)
    return search.probe(SimpleNamespace(user_ns=space), None, plan.to_argument(seconds, 1))


def list_texts(definition: str, words: str, hints: Hints | None = None) -> list[str]:
    """The texts that the operators make of a definition by changes with these words."""
    return [splice(definition, c.edits) for c in list_changes(Scope(definition, hints)) if words in c.words]

"""A cell near a failing one that does the same rightly, or catches its error."""

from __future__ import annotations

import ast
import difflib
import re
from collections.abc import Iterator

from jupyter_selfheal import source as src
from jupyter_selfheal.healers.rules.context import RuleContext
from jupyter_selfheal.healers.triage.left_alone._checks import Remedies, find_cell
from jupyter_selfheal.model import Cell

_NEAR = 3
"""Code cells below in which a failing one is looked for again."""

_FIRST = 3
"""Statements of such a cell that are looked at."""

_TOKENS = 150
"""Of longer cells nobody writes a second version by the side."""

_ADDED = 4
"""Tokens that mend a cell: ``str(`` and ``)``, ``global g``."""

_CHANGES, _ALIKE = 3, 0.6

_SIGNS = re.compile(r"(?:\W|and|or|not){1,4}")

_EXPECTING = re.compile(r"raises|assertRaises|suppress")


def find_repetition(context: RuleContext, remedies: Remedies) -> str:
    """Which cell near the failing one does the same without the error, or catches it, as the end of a sentence; empty where none does."""
    cell = find_cell(context)
    below = context.notebook.list_code_after(cell.id)[:_NEAR]
    for other in (*context.notebook.list_code_before(cell.id)[-1:], *below):
        if _catches(other.source, context):
            return f"{context.notebook.name_cell(other.id)} does the same and catches the error"
    for other in context.notebook.list_code_before(cell.id)[-_NEAR:]:
        if _has_run(other) and _is_shown_beside(cell.source, other.source):
            return f"{context.notebook.name_cell(other.id)} above does the same without it"
    ran = [other for other in below if _ran_after(other, cell)]
    mended = (
        {_dump_statement(p.source_of(cell.id, ""), context) for p in remedies.list_remedies(context)} if ran else {""}
    )
    for other in ran:
        if is_repetition(cell.source, other.source) or _list_dumps(other.source) & mended:
            return f"{context.notebook.name_cell(other.id)} below does the same without it"
    return ""


def _dump_statement(source: str, context: RuleContext) -> str:
    """The failing statement as a patch leaves it; empty where that is not known."""
    tree, at = src.parse(source), context.failure.statement
    return src.dump_tree(tree.body[at]) if tree is not None and 0 <= at < len(tree.body) else ""


def _list_dumps(source: str) -> set[str]:
    tree = src.parse(source)
    return {src.dump_tree(s) for s in tree.body[:_FIRST]} if tree is not None else set()


def _ran_after(other: Cell, cell: Cell) -> bool:
    ran = other.count is not None if cell.count is not None else bool(other.outputs)
    return ran and not any(o.output_type == "error" for o in other.outputs)


def _has_run(other: Cell) -> bool:
    return (other.count is not None or bool(other.outputs)) and not any(o.output_type == "error" for o in other.outputs)


def _is_shown_beside(failing: str, above: str) -> bool:
    """Whether a source is one above it with its words in another order, or another case (``total``, then ``Total``): nobody asks twice for
    the same."""
    one, two = _list_tokens(failing), _list_tokens(above)
    if one == two:
        return False
    return sorted(one) == sorted(two) or [t.casefold() for t in one] == [t.casefold() for t in two]


def is_repetition(failing: str, other: str) -> bool:
    """Whether a source is another one with its slip mended: the same tokens, but for a name that is alike, other signs or a few that were
    added, or but for one place where both store under the same name."""
    one, two = _list_tokens(failing), _list_tokens(other)
    if one == two:
        return bool(one)
    if len(one) < 3 or max(len(one), len(two)) > _TOKENS:
        return False
    matcher = difflib.SequenceMatcher(None, one, two, autojunk=False)
    changes = [(one[a:b], two[c:d]) for tag, a, b, c, d in matcher.get_opcodes() if tag != "equal"]
    if len(changes) == 1 and (stored := _list_stored(failing)) and stored == _list_stored(other):
        return True
    added = sum(len(new) for old, new in changes if not old)
    return len(changes) <= _CHANGES and added <= _ADDED and all(not old or _is_alike(old, new) for old, new in changes)


def _list_tokens(source: str) -> list[str]:
    """The words and signs of a source without its comments; where a line ends says nothing, nor how far it is indented."""
    return [t for t in re.findall(r"\w+|[^\w\s]", re.sub(r"(?m)#[^'\"\n]*$", "", source)) if t != ";"]


def _is_alike(old: list[str], new: list[str]) -> bool:
    one, two = "".join(old), "".join(new)
    if one.isdigit() or not new:
        return False
    if _SIGNS.fullmatch(one) and _SIGNS.fullmatch(two):
        return True  # `xs(0)`, `a and b`
    return difflib.SequenceMatcher(None, one.lower(), two.lower(), autojunk=False).ratio() >= _ALIKE


def _list_stored(source: str) -> set[str]:
    """What a source stores under, as it is written: ``df['c']``, ``total``."""
    targets = (t for n in src.walk(source) if isinstance(n, ast.Assign) for t in n.targets)
    return {ast.unparse(t) for t in targets}


def _catches(source: str, context: RuleContext) -> bool:
    """Whether a cell has the failing statement in a ``try``, or in a ``with`` that expects an error."""
    statement = context.failing_statement
    if statement is None or isinstance(statement, ast.Try):
        return False
    node: ast.AST = statement.value if isinstance(statement, ast.Expr) else statement
    alike = (n for body in _list_guarded(source) for s in body for n in ast.walk(s) if type(n) is type(node))
    wanted = src.dump_tree(node)
    return any(src.dump_tree(n) == wanted for n in alike)


def _list_guarded(source: str) -> Iterator[list[ast.stmt]]:
    for node in src.walk(source):
        is_expecting = isinstance(node, ast.With) and _EXPECTING.search(ast.unparse(node.items[0]))
        if isinstance(node, ast.Try | ast.With) and (is_expecting or getattr(node, "handlers", None)):
            yield node.body

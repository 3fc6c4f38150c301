"""IDX104: a list that a loop over its indices makes shorter."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from jupyter_selfheal import source as src
from jupyter_selfheal.healers.rules.context import Rule, RuleContext
from jupyter_selfheal.model import Applicability, Patch


class ShortenedWhileCounted(Rule):
    """Take items out of a list from its end on.

    **Failure** `IndexError: list index out of range` at `if x[i] < 0: x.pop(i)` under `for i in range(len(x))`.

    **Fix** `for i in reversed(range(len(x)))`: what is taken out moves only items that were looked at already.

    **Fix safety** Safe where the loop does nothing but take out the items that it tests one by one: the same items go, in whatever order.
    Unsafe where it does more, or looks at neighbours.
    """

    code = "IDX104"
    name = "list shortened while it is counted through"
    enames = frozenset({"IndexError"})
    applicability = Applicability.SAFE
    why = "The loop only takes out items, each by what it is itself: from the end on, the same ones go, and none is skipped."

    def propose(self, context: RuleContext) -> Iterator[Patch]:
        if "index out of range" not in context.failure.evalue:
            return
        for loop in context.list_nodes_on_line(ast.For)[::-1]:
            found = _find_counted(loop)
            if found is None:
                continue
            name, index = found
            removals = [s for s in ast.walk(loop) if isinstance(s, ast.stmt) and _is_removal(s, name, index)]
            if not removals:
                continue
            sure = _does_nothing_else(loop, removals[0], name, index)
            yield self.patch(
                context.replace_here((*context.span(loop.iter), f"reversed({context.text(loop.iter)})")),
                f"Go through `{name}` from its end on",
                f"The loop takes items out of `{name}`, so that those behind them move up and the last indices are gone.",
                applicability=Applicability.SAFE if sure else Applicability.UNSAFE,
                why=self.why if sure else "The loop does more than take items out, and its order may count.",
                prior=0.85 if sure else 0.55,
            )
            return


def _find_counted(loop: ast.For) -> tuple[str, str] | None:
    """(list, index) of ``for i in range(len(x))``."""
    match loop.iter, loop.target:
        case (
            ast.Call(
                func=ast.Name(id="range"),
                args=[ast.Call(func=ast.Name(id="len"), args=[ast.Name(id=name)])],
                keywords=[],
            ),
            ast.Name(id=index),
        ):
            return name, index
    return None


def _is_removal(statement: ast.stmt, name: str, index: str) -> bool:
    """``x.pop(i)``, ``del x[i]``, ``x.remove(x[i])``."""
    match statement:
        case ast.Expr(
            value=ast.Call(func=ast.Attribute(value=ast.Name(id=owner), attr="pop"), args=[ast.Name(id=place)])
        ):
            return (owner, place) == (name, index)
        case ast.Delete(targets=[ast.Subscript(value=ast.Name(id=owner), slice=ast.Name(id=place))]):
            return (owner, place) == (name, index)
    return False


def _does_nothing_else(loop: ast.For, removal: ast.stmt, name: str, index: str) -> bool:
    """True for a loop whose only statement is a removal under a condition of the one item."""
    if len(loop.body) != 1 or loop.orelse or not isinstance(loop.body[0], ast.If):
        return False
    branch = loop.body[0]
    if branch.body != [removal] or branch.orelse:
        return False
    inside = list(ast.walk(branch.test))
    if any(isinstance(n, ast.NamedExpr | ast.Await | ast.Lambda) for n in inside):
        return False
    items = [n for n in inside if isinstance(n, ast.Subscript) and src.find_root_name(n) == name]
    whole = all(isinstance(n.slice, ast.Name) and n.slice.id == index for n in items)
    read = sum(isinstance(n, ast.Name) and n.id in (name, index) for n in inside)
    calls = [n for n in inside if isinstance(n, ast.Call)]
    return bool(items) and whole and read == 2 * len(items) and not calls

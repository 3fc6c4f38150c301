"""API216: items taken of an object, where a part of it holds them now."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from jupyter_selfheal.healers.rules.context import Rule, RuleContext, Stage
from jupyter_selfheal.healers.rules.context.knowledge import Change, load_knowledge
from jupyter_selfheal.healers.rules.context.templates import render
from jupyter_selfheal.model import Applicability, Patch

SUBSCRIPTED = re.compile(r"'(\w+)' object is not subscriptable")
SEARCHED = re.compile(r"argument of type '(\w+)' is not (?:iterable|a container)")


class HeldByPart(Rule):
    """Take items of the part that holds them.

    **Failure** `TypeError: 'Word2Vec' object is not subscriptable`, or `argument of type 'Word2Vec' is not iterable`, where the changelog of the
    live object's class says which part of it holds the items now.

    **Fix** `model["word"]` becomes `model.wv["word"]`, and `"word" in model` becomes `"word" in model.wv`, wherever the cell does it with that object.

    **Fix safety** Safe: the old release passed both on to that very part. Unsafe where the changelog knows a doubt: a `Doc2Vec` gave documents by their tag, too.
    """

    code = "API216"
    name = "items that a part holds"
    stage = Stage.CHANGELOG
    enames = frozenset({"TypeError"})
    applicability = Applicability.SAFE
    why = "The old release took the items of this very part."

    def propose(self, context: RuleContext) -> Iterator[Patch]:
        said = SUBSCRIPTED.search(context.failure.evalue), SEARCHED.search(context.failure.evalue)
        method = "__getitem__" if said[0] else "__contains__" if said[1] else ""
        owners = _list_owners(context.list_failing_nodes(ast.Subscript, ast.Compare)) if method else []
        for owner in owners:
            change = _find_change(context, owner, method)
            written = render(context, change.read, owner) if change is not None else None
            if change is None or written is None:
                continue
            text = context.text(owner)
            same = [o for o in _list_owners(context.walk(ast.AST)) if context.text(o) == text]
            yield self.patch(
                context.replace_here(*((*context.span(o), written.text) for o in same)),
                f"Use `{written.text}`",
                f"`{text}` holds its items in `{written.text}` since {change.library} {change.version}.",
                applicability=Applicability.UNSAFE if change.unsafe else Applicability.SAFE,
                why=change.unsafe or self.cite(change.source),
                prior=0.6 if change.unsafe else 0.9,
            )
            return


def _list_owners(nodes: Iterator[ast.AST] | list[ast.AST]) -> list[ast.expr]:
    """What items are read of, or looked for in."""
    owners: list[ast.expr] = []
    for node in nodes:
        match node:
            case ast.Subscript(value=owner, ctx=ast.Load()):
                owners.append(owner)
            case ast.Compare(ops=[ast.In() | ast.NotIn()], comparators=[owner]):
                owners.append(owner)
    return owners


def _find_change(context: RuleContext, owner: ast.expr, method: str) -> Change | None:
    live = context.describe_all([owner], calls=True)[0]
    return None if live.is_module or live.is_class else load_knowledge().method(live.mro, method)

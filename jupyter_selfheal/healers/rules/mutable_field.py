"""TYP214: a list, dict or set as the default of a dataclass's field, and fields in an order that cannot be."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from jupyter_selfheal import source as src
from jupyter_selfheal.healers.rules.context import Rule, RuleContext
from jupyter_selfheal.healers.rules.context.edits import Splice, find_line_span
from jupyter_selfheal.healers.rules.context.nodes import read_last_name
from jupyter_selfheal.model import Applicability, Patch

MESSAGE = re.compile(r"^mutable default <class '.*'> for field (\w+) is not allowed: use default_factory")
ORDER = re.compile(r"^non-default argument '(\w+)' follows default argument")


class MutableField(Rule):
    """Give a field of a dataclass a factory for its default.

    **Failure** `ValueError: mutable default <class 'list'> for field tags is not allowed: use default_factory`; `TypeError: non-default argument 'author' follows default argument`.

    **Fix** `tags: list = []` becomes `tags: list = field(default_factory=list)`; a default that holds something becomes
    `field(default_factory=lambda: [1, 2])`, and so of `field(default=[])`; every such field of the class at once. A field without a default moves above those with one, where no call gives them by their place; else the default goes that every call gives.

    **Fix safety** Unsafe for the order of fields, as a default may be meant. Else safe: each object begins with a default of its own, as the message asks for.
    """

    code = "TYP214"
    name = "fields of a dataclass"
    enames = frozenset({"ValueError", "TypeError"})
    message = re.compile(f"{MESSAGE.pattern}|{ORDER.pattern}")
    applicability = Applicability.SAFE
    why = "The message names the remedy, and each object gets a default of its own."

    def propose(self, context: RuleContext) -> Iterator[Patch]:
        if late := ORDER.search(context.failure.evalue):
            yield from self._order_fields(context, late[1])
            return
        told = MESSAGE.search(context.failure.evalue)
        for node in context.walk(ast.ClassDef):
            fields = [n for n in node.body if isinstance(n, ast.AnnAssign) and isinstance(n.target, ast.Name)]
            if told is None or all(getattr(n.target, "id", "") != told[1] for n in fields):
                continue
            known = context.reference("dataclasses.field")
            if known is None:
                return
            changes: list[Splice] = []
            for field in fields:
                if field.value is None:
                    continue
                named = (
                    [k for k in field.value.keywords if k.arg == "default"] if isinstance(field.value, ast.Call) else []
                )
                if made := _name_factory(context, named[0].value if named else field.value):
                    new = f"default_factory={made}"
                    changes.append(
                        (*context.span(named[0] if named else field.value), new if named else f"{known.text}({new})")
                    )
            if not changes:
                continue
            yield self.patch(
                context.replace_here(*changes, *context.add_imports([known.import_line] if known.import_line else [])),
                f"Make the default of `{told[1]}` by `default_factory`",
                "All objects of a dataclass would share one default that can change.",
                prior=0.95,
            )
            return

    def _order_fields(self, context: RuleContext, late: str) -> Iterator[Patch]:
        """``pages: int = 0`` above ``author: str``: fields with a default stand last, or have none."""
        for node in context.walk(ast.ClassDef):
            fields = [n for n in node.body if isinstance(n, ast.AnnAssign) and isinstance(n.target, ast.Name)]
            names = [context.text(n.target) for n in fields]
            optional = [n for n in fields if n.value is not None]
            if late not in names or not optional:
                continue
            first = fields.index(optional[0])
            behind = [n for n in fields[first:] if n.value is None]
            calls = [
                n for n in context.walk_notebook() if isinstance(n, ast.Call) and read_last_name(n.func) == node.name
            ]
            given = min((len(c.args) for c in calls), default=0)
            if all(len(c.args) <= first for c in calls):
                start = src.find_offset(context.source, optional[0].lineno, 0)
                whole = [_find_line(context, n) for n in behind]
                moved = "".join(context.source[a:b] for a, b in whole)
                changes: list[Splice] = [(start, start, moved), *((a, b, "") for a, b in whole)]
                title = f"Put `{'`, `'.join(context.text(n.target) for n in behind)}` above the fields with a default"
            elif given > max(fields.index(n) for n in behind):
                late_ones = [n for n in optional if fields.index(n) < fields.index(behind[-1]) and n.value is not None]
                changes = [(context.span(n.annotation)[1], context.span(n)[1], "") for n in late_ones]
                title = f"Leave out the default of `{'`, `'.join(context.text(n.target) for n in late_ones)}`, which every call gives"
            else:
                return
            yield self.patch(
                context.replace_here(*changes),
                title,
                f"`{late}` has no default, and stands below a field that has one.",
                applicability=Applicability.UNSAFE,
                why="A default for it may be meant.",
                prior=0.85,
            )
            return


def _find_line(context: RuleContext, node: ast.stmt) -> tuple[int, int]:
    """The span of a statement's whole lines."""
    end = find_line_span(context.source, node.end_lineno or node.lineno)[1]
    return find_line_span(context.source, node.lineno)[0], min(end + 1, len(context.source))


def _name_factory(context: RuleContext, value: ast.expr) -> str:
    """What makes the default; empty where it cannot change, or is made by something else."""
    text = context.text(value)
    if isinstance(value, ast.Call) and not value.args and not value.keywords and text in ("list()", "dict()", "set()"):
        return text[:-2]
    if text in ("[]", "{}"):
        return "list" if text == "[]" else "dict"
    mutable = (ast.List, ast.Dict, ast.Set, ast.ListComp, ast.DictComp, ast.SetComp)
    return f"lambda: {text}" if isinstance(value, mutable) else ""

"""TYP264: the record that a loop is at, where one of its fields is meant."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Sequence

from jupyter_selfheal import source as src
from jupyter_selfheal.healers.rules.context import Rule, RuleContext
from jupyter_selfheal.healers.rules.context.record_fields import NUMBER, TEXT, list_fields
from jupyter_selfheal.model import Applicability, Patch

RECKONED = re.compile(
    r"^unsupported operand type\(s\) for \S+: '(?:int|float)' and '(\w+)'|^unsupported operand type\(s\) for \S+: '(\w+)' and '(?:int|float)'"
    r"|^'[<>]=?' not supported between instances of '(?:int|float)' and '(\w+)'|^'[<>]=?' not supported between instances of '(\w+)' and '(?:int|float)'"
    r"|^(?:int|float)\(\) argument must be .* not '(\w+)'|^must be real number, not (\w+)|^bad operand type for abs\(\): '(\w+)'"
    r"|^type (\w+) doesn't define __round__|^can't convert type '(\w+)' to numerator/denominator"
)
WRITTEN = re.compile(r"^'(\w+)' object has no attribute '(\w+)'|^can only concatenate str \(not \"(\w+)\"\) to str")
MOST = 3
"""Fields of the type from which on nobody knows which is meant."""
ONLY = "The field is the only one of its type in each record; the records may be the wrong ones."
TEXT_METHODS = frozenset(n for n in dir(str) if not n.startswith("_"))


class RecordForItsField(Rule):
    """Read the field of a loop's record that has the wanted type.

    **Failure** `TypeError: unsupported operand type(s) for +=: 'int' and 'tuple'` (`'dict'`, `'Order'`) at `total += order` in `for order in orders:`, `AttributeError: 'dict' object has no attribute
    'upper'` at `[row.upper() for row in rows]`.

    **Fix** `total += order[1]`, `order["price"]`, `order.price`; `row["name"].upper()`.

    **Fix safety** Unsafe: the field may be the only one of its type that each record has, but the records may be the wrong ones. Silent where more than three fields have the type, where one record lacks it, and where
    the line uses the record more than once.
    """

    code = "TYP264"
    name = "record in place of its field"
    enames = frozenset({"TypeError", "AttributeError"})
    applicability = Applicability.UNSAFE
    why = "Another field of the records has this type, too."

    def propose(self, context: RuleContext) -> Iterator[Patch]:
        kind, kinds = _read_wanted(context.failure.evalue)
        if not kind:
            return
        for use in context.list_nodes_at_failure(ast.Name):
            items = _find_looped(context, use)
            if items is None or not isinstance(use.ctx, ast.Load) or len(_list_bare_uses(context, use)) != 1:
                continue
            known = context.describe(f"{items}[0]")
            if known is None or known.type != kind:
                continue
            fields = list_fields(context, items, kinds)
            what = "number" if kinds == NUMBER else "text"
            for field in fields if len(fields) <= MOST else ():
                text = f"{use.id}{field}"
                yield self.patch(
                    context.replace_here((*context.span(use), text)),
                    f"Use `{text}`",
                    f"`{use.id}` is a `{kind}`; `{text}` is {'its only' if len(fields) == 1 else 'a'} {what}.",
                    why=ONLY if len(fields) == 1 else self.why,
                    prior=0.9 if len(fields) == 1 else 0.5,
                )
            return


def _read_wanted(message: str) -> tuple[str, str]:
    """The type of the record and the types that its field must have, of a message about a record that is used as its field."""
    if found := RECKONED.search(message):
        return next(g for g in found.groups() if g), NUMBER
    found = WRITTEN.search(message)
    if found and (found[3] or found[2] in TEXT_METHODS):
        return found[1] or found[3], TEXT
    return "", ""


def _find_looped(context: RuleContext, use: ast.Name) -> str | None:
    """What the loop around a variable goes through, if that may be evaluated and the variable is all that the loop takes of it."""
    parents = src.read(context.source).parents
    around: ast.AST = use
    while around in parents:
        around = parents[around]
        parts: Sequence[ast.For | ast.comprehension] = [around] if isinstance(around, ast.For) else []
        if isinstance(around, ast.ListComp | ast.SetComp | ast.GeneratorExp | ast.DictComp):
            parts = around.generators
        for part in parts:
            if isinstance(part.target, ast.Name) and part.target.id == use.id:
                return context.read_plain_chain(part.iter)
    return None


def _list_bare_uses(context: RuleContext, use: ast.Name) -> list[ast.Name]:
    """The uses of the variable on its line that take the record whole, or ask it for what it has not."""
    parents = src.read(context.source).parents
    same = [n for n in context.list_nodes_on_line(ast.Name) if n.id == use.id and isinstance(n.ctx, ast.Load)]
    return [n for n in same if not _reads_field(parents.get(n), context.attribute)]


def _reads_field(parent: ast.AST | None, missed: str) -> bool:
    return isinstance(parent, ast.Subscript) or (isinstance(parent, ast.Attribute) and parent.attr != missed)

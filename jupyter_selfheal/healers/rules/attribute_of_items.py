"""TYP241: objects that are ordered or added up, where one value of each is meant."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from jupyter_selfheal.healers.rules.context import Rule, RuleContext
from jupyter_selfheal.healers.rules.context.nodes import read_last_name
from jupyter_selfheal.healers.rules.context.record_fields import NUMBER, find_field, list_fields
from jupyter_selfheal.model import Applicability, Patch

ORDERING = frozenset({"sorted", "min", "max", "sort"})
UNORDERED = re.compile(
    r"^'[<>]' not supported between instances of '(\w+)' and '\1'|^unsupported operand type\(s\) for \+: 'int' and '(\w+)'"
)


class AttributeOfItems(Rule):
    """Say which value of each item orders the items, or is added up.

    **Failure** `NameError: name 'balance' is not defined` at `sorted(accounts, key=balance)`; `TypeError: '<' not supported between instances of
    'Account' and 'Account'` at `max(accounts)`; `unsupported operand type(s) for +: 'int' and 'Account'` at `sum(accounts)`.

    **Fix** `key=lambda item: item.balance`, of dictionaries `item['balance']`, of a method `item.balance()`, of texts `key=str.lower`; `sum(item.balance for item in accounts)`.

    **Fix safety** Unsafe: the items have a value of this name, or one number only, and a function of that name may have been meant. Silent where
    the notebook binds the name, where the items have it not, and where they have no number or several.
    """

    code = "TYP241"
    name = "attribute of items"
    enames = frozenset({"NameError", "TypeError"})
    applicability = Applicability.UNSAFE
    why = "The items have this value; whether it is the one that is meant is not shown."

    def propose(self, context: RuleContext) -> Iterator[Patch]:
        name = context.missing_name if context.failure.ename == "NameError" else ""
        if name and context.is_bound_anywhere(name):
            return
        if not name and not UNORDERED.search(context.failure.evalue):
            return
        for call in context.list_nodes_on_line(ast.Call) if name else context.list_calls_at_failure():
            items = _find_items(call)
            chain = context.read_plain_chain(items) if items is not None else None
            if not chain:
                continue
            patch = self._order_by(context, call, chain, name) if name else self._choose_number(context, call, chain)
            if patch is not None:
                yield patch
                return

    def _order_by(self, context: RuleContext, call: ast.Call, items: str, name: str) -> Patch | None:
        """``key=balance`` where each item has a ``balance``."""
        key = next((k.value for k in call.keywords if k.arg == "key"), None)
        if read_last_name(call.func) not in ORDERING or not isinstance(key, ast.Name) or key.id != name:
            return None
        first = context.describe(f"{items}[0]")
        if first is not None and first.type == "str" and name in first.attributes:
            text = f"str.{name}"
        else:
            field = find_field(context, items, name) or _find_method(context, items, name)
            text = f"lambda item: item{field}" if field else ""
        if not text:
            return None
        about = f"`{name}` is no variable; each item of `{items}` has it."
        edits = context.replace_here((*context.span(key), text))
        return self.patch(edits, f"Use `key={text}`", about, prior=0.9)

    def _choose_number(self, context: RuleContext, call: ast.Call, items: str) -> Patch | None:
        """``max(accounts)`` and ``sum(accounts)``, where an account has one number."""
        function = read_last_name(call.func)
        if function not in (*ORDERING, "sum") or call.keywords or len(call.args) > (function != "sort"):
            return None
        numbers = list_fields(context, items, NUMBER)
        if len(numbers) != 1:
            return None
        value = f"item{numbers[0]}"
        if function == "sum":
            change = (*context.span(call.args[0]), f"{value} for item in {items}")
        else:
            end = context.span(call)[1] - 1
            change = (end, end, f"{', ' if call.args else ''}key=lambda item: {value}")
        return self.patch(
            context.replace_here(change),
            f"Use `{value}` of each item",
            f"The items of `{items}` are no numbers; `{value}` is the only one that each has.",
            prior=0.8,
        )


def _find_items(call: ast.Call) -> ast.expr | None:
    """What is ordered or added up: ``xs`` of ``sorted(xs)``, ``sum(xs)`` and ``xs.sort()``."""
    if isinstance(call.func, ast.Attribute):
        return call.func.value if call.func.attr == "sort" else None
    return call.args[0] if len(call.args) == 1 else None


def _find_method(context: RuleContext, items: str, name: str) -> str:
    """``.area()``, where each item is an object of the notebook's own class that has such a method."""
    has = f"all(type(item).__module__ == '__main__' and callable(getattr(type(item), {name!r}, None)) for item in {items})"
    return f".{name}()" if context.is_true(f"isinstance({items}, (list, tuple)) and len({items}) > 0 and {has}") else ""

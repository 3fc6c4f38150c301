"""Fields of records: what each item of a list holds under one name, key or place."""

from __future__ import annotations

from collections.abc import Sequence

from jupyter_selfheal.healers.rules.context.edits import quote_alike
from jupyter_selfheal.healers.rules.context.rule_context import RuleContext

MOST = 12
"""Fields of a record that are looked at."""
NUMBER = "(int, float)"
TEXT = "(str,)"


def list_fields(context: RuleContext, items: str, kinds: str = "") -> list[str]:
    """What is written behind an item to read one of its fields (``.price``, ``['price']``, ``[1]``).

    Args:
        context: The failure, in whose frame the items are.
        items: A plain chain that holds a list or tuple of objects, dictionaries, or tuples of one length.
        kinds: A tuple of types, as text, that the field must have in every item (a truth value is no number); empty for any.
    """
    first = context.describe(f"{items}[0]")
    if first is None:
        return []
    if first.type == "dict":
        keys = context.keys(f"{items}[0]")
        names: list[str | int] = [k for k in (keys.keys if keys is not None else ()) if isinstance(k, str)]
    elif first.type in ("tuple", "list"):
        # a loop inside an expression does not see the frame's variables: `items` stands in its head alone
        is_even = context.is_true(f"all(len(item) == {first.length} for item in {items})")
        names = list(range(first.length)) if is_even else []
    else:
        names = [n for n in first.attributes if not n.startswith("_")]
    return [field for field in _find_fields(context, items, names[:MOST], kinds) if field]


def find_field(context: RuleContext, items: str, name: str | int) -> str:
    """What reads the field of a name or place in every item; empty where an item lacks it."""
    return _find_fields(context, items, [name])[0]


def _find_fields(context: RuleContext, items: str, names: Sequence[str | int], kinds: str = "") -> list[str]:
    """The same of several fields, by one question, of some types if they are given."""
    forms = [(name, form, has) for name in names for form, has in _list_forms(name, context.source).items()]
    are_there = f"isinstance({items}, (list, tuple)) and len({items}) > 0"
    asked = [
        f"{are_there} and all({has}{f' and type(item{form}) in {kinds}' if kinds else ''} for item in {items})"
        for _, form, has in forms
    ]
    held = [(name, form) for (name, form, _), holds in zip(forms, context.are_true(asked), strict=True) if holds]
    first = dict(reversed(held))
    return [first.get(name, "") for name in names]


def _list_forms(name: str | int, source: str) -> dict[str, str]:
    """The ways to read a field, each with the condition that an item has it so."""
    if isinstance(name, int):
        return {f"[{name}]": f"type(item) in (tuple, list) and len(item) > {name}"}
    return {
        f".{name}": f"{name!r} in vars(item)",
        f"[{quote_alike(name, source)}]": f"isinstance(item, dict) and {name!r} in item",
    }

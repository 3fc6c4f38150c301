"""Fields of records: what each item of a list holds under one name, key or place."""

from __future__ import annotations

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
    return [f for n in names[:MOST] if (f := find_field(context, items, n, kinds))]


def find_field(context: RuleContext, items: str, name: str | int, kinds: str = "") -> str:
    """What reads the field of a name or place in every item, of some types if they are given; empty where an item lacks it."""
    asked = f" and all(type(item{{field}}) in {kinds} for item in {items})" if kinds else ""
    if isinstance(name, int):
        forms = {f"[{name}]": f"type(item) in (tuple, list) and len(item) > {name}"}
    else:
        forms = {
            f".{name}": f"{name!r} in vars(item)",
            f"[{quote_alike(name, context.source)}]": f"isinstance(item, dict) and {name!r} in item",
        }
    for form, has in forms.items():
        is_there = f"isinstance({items}, (list, tuple)) and len({items}) > 0 and all({has} for item in {items})"
        if context.is_true(is_there + asked.format(field=form)):
            return form
    return ""

"""KEY104: a key that stands one level below."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from jupyter_selfheal.healers.rules.context import Rule, RuleContext
from jupyter_selfheal.model import Patch

MOST = 50
"""Entries of a dictionary that are looked into; one with more is a collection of records."""


class NestedKey(Rule):
    """Read a key where it stands: in the dictionary under another key.

    **Failure** `KeyError: 'city'` at `user["city"]`, where the key stands in `user["address"]`.

    **Fix** `user["address"]["city"]`.

    **Fix safety** Unsafe: the same key one level up may be what is missing. Silent where the key is under several others, and where the object has a key
    that is spelt like it.
    """

    code = "KEY104"
    name = "key one level below"
    enames = frozenset({"KeyError"})
    why = "It stands under one other key only, but may be missing where it was looked for."

    def propose(self, context: RuleContext) -> Iterator[Patch]:
        for entry in context.list_failing_nodes(ast.Subscript):
            owner, key = context.read_plain_chain(entry.value), entry.slice
            if owner is None or not isinstance(key, ast.Constant) or not isinstance(key.value, str):
                continue
            keys = context.keys(owner)
            if keys is None or keys.type != "dict" or key.value in keys.keys or len(keys.keys) > MOST:
                continue
            place = _find_place(context, owner, key.value)
            if place is None or not isinstance(entry.ctx, ast.Load):
                continue
            above = keys.keys[place]
            if not isinstance(above, str | int):
                continue
            quote = context.text(key)[-1]
            written = f"{quote}{above}{quote}" if isinstance(above, str) and quote not in above else repr(above)
            end = context.span(entry.value)[1]
            yield self.patch(
                context.replace_here((end, end, f"[{written}]")),
                f"Read `{key.value}` under `{above}`",
                f"`{owner}` has no {key.value!r}; `{owner}[{written}]` has.",
                prior=0.7,
            )
            return


def _find_place(context: RuleContext, owner: str, key: str) -> int | None:
    """Which of the dictionary's entries alone holds the key; None where several do, or none."""
    holding = f"[n for n, inner in enumerate({owner}.values()) if isinstance(inner, dict) and {key!r} in inner]"
    place = context.number(f"(lambda places: places[0] if len(places) == 1 else -1)({holding})")
    return int(place) if place is not None and place >= 0 else None

"""KEY104: a key that stands one level below."""

from __future__ import annotations

import ast
import keyword
import re
from collections.abc import Iterator

from jupyter_selfheal.healers.rules.context import Rule, RuleContext
from jupyter_selfheal.model import Patch

OF_LIST = re.compile(r"(?:list|tuple) indices must be integers or slices, not str")
MOST = 50
"""Entries of a dictionary that are looked into; one with more is a collection of records."""


class NestedKey(Rule):
    """Read a key where it stands: in the dictionary under another key.

    **Failure** `KeyError: 'city'` at `user["city"]`, where the key stands in `user["address"]`; `TypeError: list indices must be integers or slices, not str` at
    `users["city"]`, where each item of the list has the key, and at `row["city"]`, where a list as long as the row names its places.

    **Fix** `user["address"]["city"]`; `[user["city"] for user in users]`; `row[header.index("city")]`.

    **Fix safety** Unsafe: the same key one level up, or one item of the list, may be what is missing. Silent where the key is under several others, and where the object has a key
    that is spelt like it.
    """

    code = "KEY104"
    name = "key one level below"
    enames = frozenset({"KeyError", "TypeError"})
    why = "It stands under one other key only, but may be missing where it was looked for."

    def propose(self, context: RuleContext) -> Iterator[Patch]:
        if context.failure.ename == "TypeError" and not OF_LIST.match(context.failure.evalue):
            return
        for entry in context.list_failing_nodes(ast.Subscript):
            owner, key = context.read_plain_chain(entry.value), entry.slice
            if owner is None or not isinstance(key, ast.Constant) or not isinstance(key.value, str):
                continue
            if context.failure.ename == "TypeError":
                if patch := self._read_of_each(context, entry, owner, key.value) or self._read_by_header(
                    context, entry, owner, key.value
                ):
                    yield patch
                    return
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

    def _read_of_each(self, context: RuleContext, entry: ast.Subscript, owner: str, key: str) -> Patch | None:
        """``[user["city"] for user in users]``, where all items are dictionaries that have the key."""
        is_held = (
            f"type({owner}) is list and len({owner}) > 0 and all(type(_) is dict and {key!r} in _ for _ in {owner})"
        )
        if not isinstance(entry.ctx, ast.Load) or not context.is_true(is_held):
            return None
        item = owner[:-1] if owner.isidentifier() and owner.endswith("s") and len(owner) > 3 else "row"
        item = "row" if item in context.known_names or keyword.iskeyword(item) else item
        new = f"[{item}[{context.text(entry.slice)}] for {item} in {owner}]"
        return self.patch(
            context.replace_here((*context.span(entry), new)),
            f"Read it of each item: `{new}`",
            f"`{owner}` is a list, whose items have {key!r}.",
            prior=0.7,
        )

    def _read_by_header(self, context: RuleContext, entry: ast.Subscript, owner: str, key: str) -> Patch | None:
        """``row[header.index("city")]``, where one list of texts alone is as long as the row and has the key once."""
        kinds = {**context.state.names, **context.state.locals}
        named = [n for n, (kind, _) in kinds.items() if kind in ("list", "tuple") and n != owner][:MOST]
        is_head = f"len(_) == len({owner}) and _.count({key!r}) == 1 and all(isinstance(t, str) for t in _)"
        places = f"[n for n, _ in enumerate([{', '.join(named)}]) if {is_head}]"
        place = context.number(
            f"(lambda places: places[0] if len(places) == 1 and type({owner}) in (list, tuple) else -1)({places})"
        )
        if place is None or place < 0:
            return None
        head, (start, end) = named[int(place)], context.span(entry.slice)
        new = f"{head}.index({context.text(entry.slice)})"
        return self.patch(
            context.replace_here((start, end, new)),
            f"Read it at its place in `{head}`: `{owner}[{new}]`",
            f"`{owner}` is a {context.failure.evalue.partition(' ')[0]}, and `{head}` names its places.",
            prior=0.7,
        )


def _find_place(context: RuleContext, owner: str, key: str) -> int | None:
    """Which of the dictionary's entries alone holds the key; None where several do, or none."""
    holding = f"[n for n, inner in enumerate({owner}.values()) if isinstance(inner, dict) and {key!r} in inner]"
    place = context.number(f"(lambda places: places[0] if len(places) == 1 else -1)({holding})")
    return int(place) if place is not None and place >= 0 else None

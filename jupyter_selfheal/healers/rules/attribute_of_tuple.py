"""ATT131: an attribute of a tuple, whose parts have places and no names."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from itertools import combinations

from jupyter_selfheal.healers.rules.context import Rule, RuleContext
from jupyter_selfheal.model import Applicability, Patch

LONGEST = 4
"""Parts of a tuple from which on nobody knows which is meant."""
_ATTRIBUTES = frozenset(dir(tuple))
FIRST = frozenset({"key", "name", "word", "first", "x", "item", "letter", "label", "element", "char", "id"})
SECOND = frozenset({"value", "count", "score", "second", "y", "number", "freq", "total", "values", "counts"})


class AttributeOfTuple(Rule):
    """Read a part of a tuple by its place.

    **Failure** `AttributeError: 'tuple' object has no attribute 'key'` at `counts.most_common(1)[0].key`, `… 'score'` at `print(pair.name, pair.score)`.

    **Fix** `counts.most_common(1)[0][0]`; `print(pair[0], pair[1])` where the cell reads as many names as the tuple has parts, and in another order; `pair[1].name` where just one part has the attribute.

    **Fix safety** Unsafe: which part a name is of stands nowhere. Silent where the attribute is called, which another type is meant to have, and for tuples of more than four parts.
    """

    code = "ATT131"
    name = "attribute of a tuple"
    enames = frozenset({"AttributeError"})
    message = re.compile(r"^'tuple' object has no attribute '(\w+)'$")
    applicability = Applicability.UNSAFE
    why = "Which part of the tuple the name is of stands nowhere."

    def propose(self, context: RuleContext) -> Iterator[Patch]:
        for node in context.list_failing_nodes(ast.Attribute):
            length = context.owner.length if node.attr == context.attribute else -1
            if not 1 <= length <= LONGEST:
                continue
            owner = context.text(node.value)
            uses = [n for n in context.walk(ast.Attribute) if context.text(n.value) == owner]
            names = list(dict.fromkeys(n.attr for n in uses))
            if any(not isinstance(n.ctx, ast.Load) or n.attr in _ATTRIBUTES for n in uses):
                return
            chain = context.read_plain_chain(node.value)
            asked = [f"hasattr({chain}[{n}], {node.attr!r})" for n in range(length)] if chain else []
            having = [n for n, has in enumerate(context.are_true(asked)) if has]
            if having:
                if len(having) == 1:
                    text = f"{owner}[{having[0]}]"
                    yield self._put(
                        context, [(*context.span(n.value), text) for n in uses if n.attr == node.attr], text, node.attr
                    )
                return
            if context.is_called(node):
                return
            if len(names) == length > 1:
                places = _list_orders(names)
            elif len(names) == 1:
                order = sorted(range(length), key=lambda place: not _is_likely(node.attr, place))
                places = [{node.attr: place} for place in order]
            else:
                return
            for number, chosen in enumerate(places):
                splices = [(context.span(n.value)[1], context.span(n)[1], f"[{chosen[n.attr]}]") for n in uses]
                yield self._put(context, splices, f"{owner}[{chosen[node.attr]}]", node.attr, prior=0.5 - 0.02 * number)
            return

    def _put(
        self, context: RuleContext, splices: list[tuple[int, int, str]], text: str, name: str, prior: float = 0.5
    ) -> Patch:
        cause = f"A tuple has no `{name}`: its parts are read by their places."
        return self.patch(context.replace_here(*splices), f"Use `{text}`", cause, prior=prior)


def _list_orders(names: list[str]) -> list[dict[str, int]]:
    """Which names the places may have: as they are read first, then with two of them exchanged, as a cell may well read ``lon, lat`` of ``(lat, lon)``."""
    orders = [names]
    for one, other in combinations(range(len(names)), 2):
        order = [*names]
        order[one], order[other] = names[other], names[one]
        orders.append(order)
    orders.sort(key=lambda order: -sum(_is_likely(name, place) for place, name in enumerate(order)))
    return [{name: place for place, name in enumerate(order)} for order in orders]


def _is_likely(name: str, place: int) -> bool:
    return place < 2 and name in (FIRST, SECOND)[place]

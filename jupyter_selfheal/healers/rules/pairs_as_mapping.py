"""ATT132: a list of pairs that is read as the dictionary they came from."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from jupyter_selfheal import source as src
from jupyter_selfheal.healers.rules.context import Rule, RuleContext
from jupyter_selfheal.model import Applicability, Patch

METHODS = frozenset({"items", "keys", "values", "get"})


class PairsAsMapping(Rule):
    """Read a list of pairs as what it is, or make a dictionary of it.

    **Failure** `AttributeError: 'list' object has no attribute 'items'` at `for word, n in counts.most_common(5).items():`; `… 'keys'` at
    `ordered.keys()` and `TypeError: list indices must be integers or slices, not str` at `ordered["a"]` below `ordered = sorted(d.items())`.

    **Fix** `counts.most_common(5)`, which gives the pairs themselves; `ordered = dict(sorted(d.items()))` where the name is read as a dictionary alone, else `dict(ordered)` in that place.

    **Fix safety** Safe: all items are pairs, and no first part stands twice, so that the dictionary holds the very same. Silent for a key that none of them has.
    """

    code = "ATT132"
    name = "list of pairs read as a dictionary"
    enames = frozenset({"AttributeError", "TypeError"})
    message = re.compile(r"^'(?:list|tuple)' object has no attribute '(?:items|keys|values|get)'|^(?:list|tuple) indices must be integers or slices, not \w+$")  # fmt: skip
    applicability = Applicability.SAFE
    why = "The items are pairs with different first parts: a dictionary of them holds the same."

    def propose(self, context: RuleContext) -> Iterator[Patch]:
        by_key = context.failure.ename == "TypeError"
        for node in context.list_failing_nodes(ast.Subscript if by_key else ast.Attribute):
            if not isinstance(node, ast.Subscript | ast.Attribute) or not _is_of_mapping(context, node):
                continue
            pairs = context.text(node.value)
            told = [f"len(dict({pairs})) == len({pairs}) and all(type(p) is tuple for p in {pairs})"]
            if isinstance(node, ast.Subscript):
                told.append(f"{context.text(node.slice)} in dict({pairs})")
            if not all(context.are_true(told)):
                return
            call = context.call_of(node) if isinstance(node, ast.Attribute) else None
            made = _find_making(context, node.value)
            if isinstance(node, ast.Attribute) and node.attr == "items" and call is not None and made is None:
                yield self._put(context, (*context.span(call), pairs), f"Go through `{pairs}` itself", pairs)
            elif made is not None:
                yield self._put(context, (*context.span(made), f"dict({context.text(made)})"), f"Make `{pairs}` a dictionary", pairs)  # fmt: skip
            else:
                yield self._put(context, (*context.span(node.value), f"dict({pairs})"), f"Use `dict({pairs})`", pairs)
            return

    def _put(self, context: RuleContext, splice: tuple[int, int, str], title: str, pairs: str) -> Patch:
        return self.patch(context.replace_here(splice), title, f"`{pairs}` is a list of pairs.", prior=0.92)


def _is_of_mapping(context: RuleContext, node: ast.AST) -> bool:
    """Whether a name or call is read as only a dictionary can be."""
    if isinstance(node, ast.Attribute):
        return node.attr in METHODS
    if not isinstance(node, ast.Subscript) or isinstance(node.slice, ast.Slice):
        return False
    return isinstance(node.ctx, ast.Load) and context.number(node.slice) is None


def _find_making(context: RuleContext, pairs: ast.expr) -> ast.expr | None:
    """The value of the cell's only assignment to the name, where nothing reads it but as a dictionary, and more than one place does."""
    if not isinstance(pairs, ast.Name):
        return None
    parents = src.read(context.source).parents
    named = [n for n in context.walk(ast.Name) if n.id == pairs.id]
    uses = [parents.get(n) for n in named if isinstance(n.ctx, ast.Load)]
    made = [parents.get(n) for n in named if isinstance(n.ctx, ast.Store)]
    alone = made[0] if len(made) == 1 else None
    read_by_key = [u for u in uses if u is not None and _is_of_mapping(context, u)]
    if not isinstance(alone, ast.Assign) or len(read_by_key) != len(uses):
        return None
    only_items = all(isinstance(u, ast.Attribute) and u.attr == "items" for u in read_by_key)
    return None if only_items else alone.value

"""CAL106: what to sort by, given by position."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from jupyter_selfheal.healers.rules.context import Rule, RuleContext
from jupyter_selfheal.healers.rules.context.edits import Splice
from jupyter_selfheal.healers.rules.context.nodes import last_name
from jupyter_selfheal.model import Applicability, Patch


class SortKey(Rule):
    """Name what a list is sorted by.

    **Failure** `TypeError: sorted expected 1 argument, got 2` at `sorted(words, len)`, `sort() takes no positional arguments` at
    `words.sort(len)`.

    **Fix** `sorted(words, key=len)`; a function of two arguments, as Python 2 took it, becomes `key=cmp_to_key(…)`; `True` and `False`
    become `reverse=True`.

    **Fix safety** Safe: a function of one argument can only be the key, and one of two arguments only a comparison.
    """

    code = "CAL106"
    name = "sort key by position"
    enames = frozenset({"TypeError"})
    message = re.compile(r"sorted expected 1 argument, got 2|sort\(\) takes no positional arguments")
    applicability = Applicability.SAFE
    why = "A function of one argument can only be the key, and one of two only a comparison."

    def propose(self, context: RuleContext) -> Iterator[Patch]:
        for call in context.calls_at_failure():
            name = last_name(call.func)
            at = {"sorted": 1, "sort": 0}.get(name, -1)
            if at < 0 or len(call.args) != at + 1 or any(k.arg == "key" for k in call.keywords):
                continue
            given = call.args[at]
            changes = _write_keyword(context, given)
            if changes:
                text = _name_keyword(changes)
                yield self.patch(
                    context.replace_here(*changes),
                    f"Pass `{text}` by name",
                    f"`{name}` takes what it sorts by as `key` only.",
                    prior=0.9,
                )
            return


def _name_keyword(changes: list[Splice]) -> str:
    """The keyword that the splices write."""
    return changes[-1][2].split("=")[0] + "="


def _write_keyword(context: RuleContext, given: ast.expr) -> list[Splice]:
    start, end = context.span(given)
    text = context.text(given)
    if isinstance(given, ast.Constant):
        return [(start, end, f"reverse={text}")] if isinstance(given.value, bool) else []
    if isinstance(given, ast.Lambda):
        count = len(given.args.args)
    else:
        signature = context.signature(given) if context.plain_chain(given) else None
        thing = context.describe(given) if context.plain_chain(given) else None
        if thing is None or not thing.is_callable:
            return []
        needed = (
            [p for p in signature.parameters if not p.has_default and "VAR" not in p.kind] if signature else [given]
        )
        count = len(needed) or 1
    if count == 1:
        return [(start, end, f"key={text}")]
    if count == 2:
        return [*context.add_imports(["from functools import cmp_to_key"]), (start, end, f"key=cmp_to_key({text})")]
    return []

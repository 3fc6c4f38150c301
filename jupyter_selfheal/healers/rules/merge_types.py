"""PDA132: tables that are joined on a column of numbers and one of texts."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from jupyter_selfheal.healers.rules.context import Rule, RuleContext, Stage
from jupyter_selfheal.healers.rules.context.edits import quote_text
from jupyter_selfheal.model import Applicability, Patch

MESSAGE = re.compile(r"trying to merge on (\S+) and (\S+) columns(?: for key '([^']*)')?")
WHOLE = r"-?(?:0|[1-9]\d*)"
TEXTS = ("object", "str", "string")


class MergeTypes(Rule):
    """Join on keys of one type.

    **Failure** `ValueError: You are trying to merge on int64 and str columns for key 'id'`.

    **Fix** The column of texts is made one of numbers in the call: `left.merge(right.astype({"id": "int64"}), on="id")`.

    **Fix safety** Safe where every text of the key is a whole number as Python writes it, so that either type gives the same join. Where one
    is not (`"007"`, `"A7"`), the numbers are made texts, and this is only shown: such keys may not be meant to meet.
    """

    code = "PDA132"
    name = "types of a join's keys"
    stage = Stage.LIBRARY
    enames = frozenset({"ValueError"})
    message = MESSAGE
    applicability = Applicability.SAFE
    why = "Every text of the key is a whole number as it is usually written: either type joins the same rows."

    def propose(self, context: RuleContext) -> Iterator[Patch]:
        told = MESSAGE.search(context.failure.evalue)
        for call in context.list_calls_at_failure():
            sides = _list_sides(call)
            if told is None or len(sides) != 2:
                continue
            keys = _find_keys(call, told[3] or "")
            kinds = (told[1], told[2])
            texts = [n for n in (0, 1) if kinds[n] in TEXTS]
            if keys is None or len(texts) != 1 or not kinds[1 - texts[0]].lower().startswith(("int", "uint")):
                return
            at, other = texts[0], 1 - texts[0]
            column = f"({context.text(sides[at])})[{keys[at]!r}]"
            is_whole = context.is_true(f"{column}.astype(str).str.fullmatch(r'{WHOLE}').all()")
            change, key, kind = (at, keys[at], f'"{kinds[other]}"') if is_whole else (other, keys[other], "str")
            node = sides[change]
            new = f"{context.operand(node)}.astype({{{quote_text(key)}: {kind}}})"
            yield self.patch(
                context.replace_here((*context.span(node), new)),
                f"Join on keys of one type: `{new}`",
                f"`{key}` holds numbers in one table and texts in the other.",
                applicability=Applicability.SAFE if is_whole else Applicability.UNSAFE,
                why=self.why if is_whole else "Some texts of the key are no numbers as they are usually written.",
                prior=0.92 if is_whole else 0.6,
            )
            return


def _list_sides(call: ast.Call) -> list[ast.expr]:
    """The left and the right table of ``pd.merge(a, b)`` or ``a.merge(b)``; empty for another call."""
    if not isinstance(call.func, ast.Attribute) or call.func.attr != "merge":
        return []
    named = {k.arg: k.value for k in call.keywords}
    given = [*call.args[:2], *(named[n] for n in ("left", "right") if n in named)]
    return given if len(given) == 2 else [call.func.value, *given]


def _find_keys(call: ast.Call, told: str) -> tuple[str, str] | None:
    """The names of the key in the left and in the right table."""
    named = {k.arg: k.value for k in call.keywords}
    both = [named.get("left_on"), named.get("right_on")]
    if any(both):
        names = [n.value for n in both if isinstance(n, ast.Constant) and isinstance(n.value, str)]
        return (names[0], names[1]) if len(names) == 2 else None
    return (told, told) if told else None

"""ASR105: `x =+ y` where `x += y` was meant."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from jupyter_selfheal import source as src
from jupyter_selfheal.healers.rules.context import RAISED_OR_MISSED, Rule, RuleContext
from jupyter_selfheal.healers.rules.context.edits import Splice
from jupyter_selfheal.model import Applicability, Patch

WRITTEN = re.compile(r"=([+-])(?=[ \t])")


class SignAfterEquals(Rule):
    """Add to the name in place of assigning a signed value.

    **Failure** `AssertionError`, or another result than the expected one, where a statement reads `total =+ x`.

    **Fix** `total += x`; `=-` becomes `-=` where a blank follows the sign.

    **Fix safety** Safe: nobody writes a sign at the equals sign and a blank behind it to assign a signed value.
    """

    code = "ASR105"
    name = "sign after the equals sign"
    enames = frozenset({"AssertionError"})
    kinds = RAISED_OR_MISSED
    applicability = Applicability.SAFE
    why = "The sign stands at the equals sign and apart from the value: it was to be an augmented assignment."

    def propose(self, context: RuleContext) -> Iterator[Patch]:
        for cell_id in context.list_needed_upwards():
            source = context.source_of(cell_id)
            changes = list(_list_changes(source))
            if changes:
                yield self.patch(
                    context.replace(cell_id, changes),
                    f"Change `{source[changes[0][0] : changes[0][1]]}` to `{changes[0][2]}`",
                    "The statement assigns a signed value; it does not add to what is there.",
                    prior=0.95,
                )
                return


def _list_changes(source: str) -> Iterator[Splice]:
    for node in src.walk(source):
        if not isinstance(node, ast.Assign) or not isinstance(node.value, ast.UnaryOp) or len(node.targets) != 1:
            continue
        start, end = src.find_span(source, node.targets[0])[1], src.find_span(source, node.value.operand)[0]
        found = WRITTEN.search(source, start, end)
        if found is not None and not source[start : found.start()].strip():
            yield found.start(), found.end(), f"{found[1]}="

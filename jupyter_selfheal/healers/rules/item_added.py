"""TYP230: an item that is added to a list by `+`."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from jupyter_selfheal.healers.rules.context import Rule, RuleContext
from jupyter_selfheal.healers.rules.context.nodes import read_last_name
from jupyter_selfheal.healers.rules.context.value_types import NUMBERS, find_type
from jupyter_selfheal.model import Applicability, Patch

ROW = re.compile(
    r"can only concatenate tuple \(not \"(?:int|float)\"|unsupported operand type\(s\) for \S+: '(?:tuple' and '(?:int|float)|(?:int|float)' and 'tuple)'|"
    r"not supported between instances of '(?:tuple' and '(?:int|float)|(?:int|float)' and 'tuple)'"
)
"""A tuple that is reckoned with, or compared, as if it were a number."""
ONE_COLUMN = re.compile(r"(?is)^\s*select\s+(?:\w+\s*\([^()]*\)|\w+)(?:\s+as\s+\w+)?\s+from\b")
"""A query whose rows hold one value."""


class ItemAdded(Rule):
    """Put an item into brackets that is added to a list; take the only item of a row.

    **Failure** `TypeError: can only concatenate list (not "str") to list` at `names = names + "Bob"`; `can only concatenate tuple (not "int") to tuple` at
    `cursor.fetchone() + 1`.

    **Fix** `names = names + ["Bob"]`; of a tuple or a set `list(…)`. `cursor.fetchone()[0] + 1`; `int(query["page"][0]) + 1` of the parts of an address.

    **Fix safety** Safe for a tuple of one number, and a row of a query for one column, neither of which can be reckoned with. Safe for a text or a dictionary whose sum is kept under the list's own name, where the list holds such items. Unsafe for a text with a comma in it, which may be meant as several, and
    otherwise, as for an empty list, to which the words of a text may be meant to be added, and for a number: each item may be meant to be raised by it.
    """

    code = "TYP230"
    name = "item added to a list"
    enames = frozenset({"TypeError"})
    message = re.compile(rf'can only concatenate list \(not "(?:\w+\.)*\w+"\) to list|{ROW.pattern}')
    applicability = Applicability.SAFE
    why = "A list and one more item are a longer list."

    def propose(self, context: RuleContext) -> Iterator[Patch]:
        taken = next(_take_only_item(context), None)
        if taken is not None or ROW.search(context.failure.evalue):
            if taken is not None:
                node, new, sure = taken
                yield self.patch(
                    context.replace_here((*context.span(node), new)),
                    f"Use `{new}`",
                    f"`{context.text(node)}` is a row that holds one value, not the value itself.",
                    applicability=Applicability.SAFE if sure else Applicability.UNSAFE,
                    why="It holds one number, which alone can be reckoned with." if sure else "Another item may be meant.",
                    prior=0.9 if sure else 0.75,
                )  # fmt: skip
            return
        for node in context.list_failing_nodes(ast.BinOp):
            if not isinstance(node, ast.BinOp) or find_type(context, node.left) not in ("list", ""):
                continue
            kind, text, items = find_type(context, node.right), context.text(node.right), context.text(node.left)
            if not kind or kind in ("NoneType", "function", "ndarray", "Series", "DataFrame"):
                return
            kept = any(n.value is node and context.text(n.targets[0]) == items for n in context.walk(ast.Assign))
            alike = context.read_plain_chain(node.left) is not None and context.is_true(
                f"len({items}) > 0 and all(type(i).__name__ == {kind!r} for i in {items})"
            )
            several = kind in ("tuple", "set", "range", "dict_keys", "dict_values")
            parted = isinstance(node.right, ast.Constant) and bool(re.search(r"\w\s*[,;]\s*\w", str(node.right.value)))
            sure = kept and alike and kind not in NUMBERS and not several and not parted
            yield self.patch(
                context.replace_here((*context.span(node.right), f"list({text})" if several else f"[{text}]")),
                f"Use `list({text})`" if several else f"Put `{text}` into brackets",
                f"`{text}` is a `{kind}`, and only a list is added to a list.",
                applicability=Applicability.SAFE if sure else Applicability.UNSAFE,
                why=self.why
                if sure
                else "The text may be meant to be several items."
                if parted
                else "Each item may be meant to be changed."
                if alike or kind in NUMBERS
                else f"No item of the list says that `{text}` is to be one.",
                prior=0.85 if sure else 0.6,
            )
            return


def _take_only_item(context: RuleContext) -> Iterator[tuple[ast.expr, str, bool]]:
    """A side of the sum or comparison that is a row of one value, how its value is taken, and whether that is sure."""
    for node in context.list_failing_nodes(ast.BinOp, ast.Compare):
        sides = [n for n in ast.iter_child_nodes(node) if isinstance(n, ast.expr)]
        for side in sides:
            text, chain = context.text(side), context.read_plain_chain(side)
            is_row = isinstance(side, ast.Call) and read_last_name(side.func) == "fetchone"
            if is_row:
                asked = [c.args[0] for c in context.walk(ast.Call) if read_last_name(c.func) == "execute" and c.args and c.lineno <= side.lineno]  # fmt: skip
                last = asked[-1].value if asked and isinstance(asked[-1], ast.Constant) else ""
                yield side, f"{text}[0]", len(asked) == 1 and ONE_COLUMN.search(str(last)) is not None
            elif chain and context.is_true(f"isinstance({chain}, tuple) and len({chain}) == 1 and isinstance({chain}[0], (int, float))"):  # fmt: skip
                yield side, f"{text}[0]", True
            elif (chain or "parse_qs(" in text) and context.is_true(f"isinstance({text}, list) and len({text}) == 1 and isinstance({text}[0], str) and {text}[0].isdigit()"):  # fmt: skip
                yield side, f"int({text}[0])", False

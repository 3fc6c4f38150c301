"""TYP249: letters that `translate` is told to delete, as Python 2 did it."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from jupyter_selfheal.healers.rules.context import Rule, RuleContext, Stage
from jupyter_selfheal.healers.rules.context.nodes import read_last_name
from jupyter_selfheal.model import Applicability, Patch


class LettersDeleted(Rule):
    """Tell `translate` in its table which letters go.

    **Failure** `TypeError: str.translate() takes exactly one argument (2 given)` at `word.translate(None, string.punctuation)`.

    **Fix** `word.translate(str.maketrans("", "", string.punctuation))`; a table that `maketrans("ab", "xy")` makes on the spot gets them as its third argument.

    **Fix safety** Safe: Python 3's `str.maketrans` deletes the letters of its third text. Silent where the table has a name, and is no empty one that can be seen.
    """

    code = "TYP249"
    name = "letters that translate deletes"
    stage = Stage.CHANGELOG
    enames = frozenset({"TypeError"})
    message = re.compile(r"^(?:str\.)?translate\(\) takes exactly one argument \(2 given\)")
    applicability = Applicability.SAFE
    why = "`str.maketrans` takes the letters to delete as its third text (https://docs.python.org/3/library/stdtypes.html#str.maketrans)."

    def propose(self, context: RuleContext) -> Iterator[Patch]:
        changes = {}
        for call in context.walk(ast.Call):
            if read_last_name(call.func) == "translate" and len(call.args) == 2 and not call.keywords:
                pair = _read_pair(context, call.args[0])
                if pair is not None:
                    text = f"str.maketrans({pair[0]}, {pair[1]}, {context.text(call.args[1])})"
                    changes[call] = (context.span(call.args[0])[0], context.span(call.args[1])[1], text)
        failing = [c for c in context.list_calls_at_failure() if c in changes]
        if failing:
            yield self.patch(
                context.replace_here(*changes.values()),
                f"Use `{changes[failing[0]][2]}`",
                "`translate` takes its table alone since Python 3.",
                prior=0.95,
            )


def _read_pair(context: RuleContext, table: ast.expr) -> tuple[str, str] | None:
    """The two texts of a table: of none, or of `maketrans`, made on the spot or where its name was assigned last."""
    if isinstance(table, ast.Constant) and table.value is None:
        return '""', '""'
    if isinstance(table, ast.Name):
        made = context.find_last_assignment(table.id)
        value = made[2].value if made is not None else None
        is_empty = isinstance(value, ast.Call) and [getattr(a, "value", None) for a in value.args] == ["", ""]
        return ('""', '""') if is_empty and read_last_name(value.func) == "maketrans" else None  # type: ignore[union-attr]
    if isinstance(table, ast.Call) and read_last_name(table.func) == "maketrans" and len(table.args) == 2:
        return context.text(table.args[0]), context.text(table.args[1])
    return None

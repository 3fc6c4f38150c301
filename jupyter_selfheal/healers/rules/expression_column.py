"""KEY105: a column that is misspelt in the text of an expression."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from jupyter_selfheal import source as src
from jupyter_selfheal.healers.rules.context import Rule, RuleContext, Stage
from jupyter_selfheal.healers.rules.context.edits import Splice
from jupyter_selfheal.healers.rules.near_key import list_meant_keys
from jupyter_selfheal.model import Applicability, Patch

MESSAGE = re.compile(r"name '(\w+)' is not defined")


class ExpressionColumn(Rule):
    """Name the column as the table has it, in a query or a formula.

    **Failure** `UndefinedVariableError: name 'heigth' is not defined` at `df.query("heigth > 2")` or `df.eval(…)`; patsy's `NameError: name
    'heigth' is not defined` at `smf.ols("weight ~ heigth", data=df)`.

    **Fix** The text of the expression names the table's column, wherever it has the misspelt one; where the text has a name, in its assignment.

    **Fix safety** As for a key (KEY101): safe where one column only is so near by a slip. Silent where a variable has the name, where no
    column is near, and where the column's name is no identifier.
    """

    code = "KEY105"
    name = "misspelt column of an expression"
    stage = Stage.LIBRARY
    enames = frozenset({"UndefinedVariableError", "PatsyError"})
    message = MESSAGE
    applicability = Applicability.UNSAFE
    why = "The column is near, but may have been meant as another."

    def propose(self, context: RuleContext) -> Iterator[Patch]:
        told = MESSAGE.search(context.failure.evalue)
        if told is None or told[1] in context.state.names:
            return
        for call in context.list_calls_at_failure():
            table = _find_table(call)
            keys = context.keys(table) if table is not None and context.read_plain_chain(table) else None
            if keys is None or not keys.is_table:
                continue
            for word, sure in list_meant_keys(told[1], keys):
                place = _find_expression(context, call, told[1])
                if place is None or word not in keys.columns or not word.isidentifier():
                    continue
                yield self.patch(
                    context.replace(place[0], [_write_anew(place[1], place[2], told[1], word)]),
                    f"Change `{told[1]}` to `{word}`",
                    f"`{context.text(table) if table else ''}` has no column {told[1]!r}. Did you mean {word!r}?",
                    applicability=Applicability.SAFE if sure else Applicability.UNSAFE,
                    why="It is the only column that is near, by a slip." if sure else self.why,
                    prior=0.85 if sure else 0.5,
                )
            return


def _find_table(call: ast.Call) -> ast.expr | None:
    """The table that an expression is about: what a query is asked of, ``data=``, or the second argument behind a formula."""
    if isinstance(call.func, ast.Attribute) and call.func.attr in ("query", "eval"):
        return call.func.value
    named = next((k.value for k in call.keywords if k.arg == "data"), None)
    return named or (call.args[1] if len(call.args) == 2 else None)


def _find_expression(context: RuleContext, call: ast.Call, wrong: str) -> tuple[str, str, ast.Constant] | None:
    """(cell, its source, the text) of the call's expression, also where it was given a name."""
    given = [*call.args[:1], *(k.value for k in call.keywords if k.arg in ("formula", "expr"))]
    cell_id, source = context.cell_id, context.source
    for node in given:
        if isinstance(node, ast.Name) and (home := context.find_last_assignment(node.id)) is not None:
            cell_id, source, node = home.cell_id, home.source, home.node.value
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and re.search(rf"\b{wrong}\b", node.value):
            return cell_id, source, node
    return None


def _write_anew(source: str, node: ast.Constant, wrong: str, word: str) -> Splice:
    """The text as written, with the column's name wherever it stands outside of quotes and is no variable (``@name``)."""
    start, end = src.find_span(source, node)
    written = source[start:end]
    opening = re.match(r"\w*(?:\"\"\"|'''|\"|')", written)
    at = opening.end() if opening is not None else 0
    parts = re.split(r"('[^']*'|\"[^\"]*\")", written[at:])
    parts[::2] = [re.sub(rf"(?<![@.\w]){wrong}\b(?!\s*\()", word, part) for part in parts[::2]]
    return start, end, written[:at] + "".join(parts)

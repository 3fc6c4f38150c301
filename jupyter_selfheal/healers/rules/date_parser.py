"""PDA139: a parser of dates that `read_csv` no longer takes, of which only the format counts."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from jupyter_selfheal.healers.rules.context import Rule, RuleContext, Stage
from jupyter_selfheal.inside.tree_names import read_called_name
from jupyter_selfheal.model import Applicability, Patch


class DateParser(Rule):
    """Give `read_csv` the format of its dates.

    **Failure** `TypeError: read_csv() got an unexpected keyword argument 'date_parser'`.

    **Fix** `date_parser=lambda x: datetime.strptime(x, "%d-%m-%Y")` becomes `date_format="%d-%m-%Y"`, also where the function has a name.

    **Fix safety** Safe: the function does nothing but read dates in one format. Silent where no format, or more than one, stands in it.
    """

    code = "PDA139"
    name = "parser of dates"
    stage = Stage.CHANGELOG
    enames = frozenset({"TypeError"})
    message = re.compile(r"unexpected keyword argument 'date_parser'")
    applicability = Applicability.SAFE
    why = "The function only reads dates in one format, and pandas 2.0 takes the format itself."

    def propose(self, context: RuleContext) -> Iterator[Patch]:
        for call in context.list_calls_at_failure():
            given = next((k for k in call.keywords if k.arg == "date_parser"), None)
            if given is None:
                continue
            written = _find_format(context, given.value)
            if written:
                yield self.patch(
                    context.replace_here((*context.span(given), f"date_format={written}")),
                    f"Use `date_format={written}`",
                    "`read_csv` takes the format of its dates, and no longer a function.",
                    prior=0.95,
                )
            return


def _find_format(context: RuleContext, parser: ast.expr) -> str:
    """The format that a function reads dates by, as it is written; empty where that cannot be told."""
    body: ast.AST | None = parser if isinstance(parser, ast.Lambda) else None
    if isinstance(parser, ast.Name):
        for view in context.look_upwards():
            for node in view.walk(ast.FunctionDef, ast.Assign):
                if isinstance(node, ast.FunctionDef) and node.name == parser.id:
                    body = node
                elif isinstance(node, ast.Assign) and isinstance(node.value, ast.Lambda):
                    names = [t.id for t in node.targets if isinstance(t, ast.Name)]
                    body = node.value if parser.id in names else body
            if body is not None:
                break
    if body is None:
        return ""
    calls = [n for n in ast.walk(body) if isinstance(n, ast.Call)]
    called = {read_called_name(n) for n in calls}
    texts = {
        n.value for n in ast.walk(body) if isinstance(n, ast.Constant) and isinstance(n.value, str) and "%" in n.value
    }
    if len(texts) != 1 or not called & {"strptime", "to_datetime"} or called - {"strptime", "to_datetime", "str"}:
        return ""
    return repr(texts.pop())

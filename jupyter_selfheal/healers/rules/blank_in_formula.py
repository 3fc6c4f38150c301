"""PDA197: a column of a formula whose name is no Python name."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from jupyter_selfheal import source as src
from jupyter_selfheal.healers.rules.context import Rule, RuleContext, Stage
from jupyter_selfheal.healers.rules.context.nodes import find_keyword
from jupyter_selfheal.model import Applicability, Patch


class BlankInFormula(Rule):
    """Quote a column of a formula whose name has blanks or signs in it, and close the bracket around one.

    **Failure** `SyntaxError: invalid syntax` or `PatsyError` at `smf.ols("sale price ~ area", data=homes)`.

    **Fix** `smf.ols("Q('sale price') ~ area", data=homes)`; `"price ~ C(town)"` for `"price ~ C(town"`.

    **Fix safety** Safe: the table has a column of this name, which only `Q` can ask for. Silent where a column's name has nothing but signs of a formula between names that are columns, too (`a+b`).
    """

    code = "PDA197"
    name = "blank in a formula"
    stage = Stage.LIBRARY
    enames = frozenset({"SyntaxError", "PatsyError", "FormulaicError", "FormulaSyntaxError", "FactorEvaluationError"})
    applicability = Applicability.SAFE
    why = "The table has a column of this name, and in a formula only `Q` can name it."

    def propose(self, context: RuleContext) -> Iterator[Patch]:
        for call in context.list_calls_at_failure():
            named = find_keyword(call, "formula")
            formula = named.value if named is not None else call.args[0] if call.args else None
            given = find_keyword(call, "data")
            table = given.value if given is not None else call.args[1] if len(call.args) > 1 else None
            if not (isinstance(formula, ast.Constant) and isinstance(formula.value, str)) or "~" not in formula.value:
                continue
            keys = context.keys(table, calls=True) if table is not None else None
            columns = [c for c in (keys.columns if keys is not None else ()) if isinstance(c, str)]
            odd = sorted(
                (
                    c
                    for c in columns
                    if not c.isidentifier() and not re.fullmatch(r"[\d.\s]*", c) and not _is_sum(c, columns)
                ),
                key=len,
                reverse=True,
            )
            start, end = context.span(formula)
            written = context.source[start:end]
            if (closed := _close_bracket(written, columns)) and "unclosed bracket" in context.failure.evalue:
                yield self.patch(
                    context.replace_here((start, end, closed)),
                    f"Change `{written}` to `{closed}`",
                    "A bracket of the formula is not closed.",
                    why="One column stands in the bracket.",
                    prior=0.93,
                )
                return
            mark = "'" if written[-1] == '"' else '"'
            new = _quote_columns(written, [c for c in odd if mark not in c and "\\" not in c], mark)
            if new != written and src.can_compile(new):
                yield self.patch(
                    context.replace_here((start, end, new)),
                    f"Change `{written}` to `{new}`",
                    "A formula is read as Python: a column whose name has blanks or signs in it is named by `Q`.",
                    prior=0.93,
                )
            return


def _close_bracket(written: str, columns: list[str]) -> str:
    """``"y ~ a + C(town)"`` for `"y ~ a + C(town"`: the one bracket that is not closed, around the column in it; empty where it may end elsewhere."""
    if written.count("(") != written.count(")") + 1:
        return ""
    left_open = [m for m in re.finditer(r"\w\(\s*(\w+)(\s*\))?", written[1:-1]) if not m[2]]
    if len(left_open) != 1 or left_open[0][1] not in columns:
        return ""
    at = 1 + left_open[0].end(1)
    rest = written[at:-1].lstrip()
    return (
        f"{written[:at]}){written[at:]}" if not rest or (rest[0] in "+:" and ")" not in rest.partition("(")[0]) else ""
    )


def _quote_columns(written: str, odd: list[str], mark: str) -> str:
    """A formula with `Q("…")` around the columns that are no names, but for those that stand between quotes already."""
    if not odd:
        return written
    parts = "|".join(re.escape(c) for c in odd)
    pattern = rf"""Q\([^)]*\)|'[^']*'|"[^"]*"|(?<!\w)({parts})(?!\w)"""
    inner = re.sub(pattern, lambda m: f"Q({mark}{m[1]}{mark})" if m[1] else m[0], written[1:-1])
    return f"{written[0]}{inner}{written[-1]}"


def _is_sum(name: str, columns: list[str]) -> bool:
    """Whether a name may be read as an expression of other columns: ``a+b``."""
    parts = re.split(r"\s*[-+*:/]\s*", name)
    return len(parts) > 1 and all(p in columns or p.isdigit() for p in parts)

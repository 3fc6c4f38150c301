"""PDA136: a text, or a variable, that stands bare in a query."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from jupyter_selfheal import source as src
from jupyter_selfheal.healers.rules.context import Rule, RuleContext, Stage
from jupyter_selfheal.model import Applicability, Patch

MESSAGE = re.compile(r"name '(\w+)' is not defined")

ASSIGNED = "cannot assign without a target object"
EQUALS = re.compile(r"""'[^']*'|"[^"]*"|`[^`]*`|=>|=<|&&|\|\||\b(?:AND|OR|NOT)\b|(?<![=<>!])=(?!=)""")
"""Signs and words of other languages, and the one sign that stands for a comparison; what is quoted goes before them."""
WRITTEN = {"=": "==", "=>": ">=", "=<": "<=", "&&": "and", "||": "or", "AND": "and", "OR": "or", "NOT": "not"}


def _quote_names(context: RuleContext, call: ast.Call, written: str) -> str:
    """A query whose columns with blanks in their names stand between backticks, and the notebook's variables beside them behind `@`."""
    keys = context.keys(call.func.value, calls=True) if isinstance(call.func, ast.Attribute) else None
    columns = [c for c in (keys.columns if keys is not None else ()) if isinstance(c, str)]
    blank = sorted((c for c in columns if " " in c and not c.isidentifier()), key=len, reverse=True)
    parts = "|".join(re.escape(c) for c in blank)
    if not blank or not re.search(parts, written):
        return written
    variables = {n for n in context.state.names if n not in columns and n != "index"}

    def is_level(name: str) -> bool:
        table = context.text(call.func.value) if isinstance(call.func, ast.Attribute) else ""
        return context.is_true(f"{name!r} in ({table}).index.names")

    def mark(found: re.Match[str]) -> str:
        if found["column"]:
            return f"`{found['column']}`"
        return f"@{found['name']}" if found["name"] in variables and not is_level(found["name"]) else found[0]

    quoted = rf"""'[^']*'|"[^"]*"|`[^`]*`|@\w+|(?P<column>\b(?:{parts})\b)|(?P<name>\b[A-Za-z_]\w*\b)(?![.(])"""
    return written[0] + re.sub(quoted, mark, written[1:-1]) + written[-1]


class QueryText(Rule):
    """Quote a text in a query, and mark a variable with `@`.

    **Failure** `UndefinedVariableError: name 'Ulm' is not defined` at `df.query("city == Ulm")`.

    Also `cannot assign without a target object` at `df.query("city = 'Ulm'")`, and `SyntaxError` at `df.query("age > 3 && city = 'Ulm'")`.

    **Fix** `df.query("city == 'Ulm'")`; `df.query("age > @limit")` where the notebook has a variable `limit`; `df.query("age > 3 and city == 'Ulm'")`; a column with a blank in its name stands between backticks; `df.eval("w / h ** 2")` for `w / h ^ 2`.

    **Fix safety** Safe where the table holds this text in the column it is compared with and no variable has the name, or a variable has it
    and no such text is there.
    """

    code = "PDA136"
    name = "text or variable in a query"
    stage = Stage.LIBRARY
    enames = frozenset({"UndefinedVariableError", "ValueError", "SyntaxError", "AttributeError"})
    message = re.compile(
        rf"{MESSAGE.pattern}|{ASSIGNED}|in numexpr query|invalid syntax|has no attribute 'visit_BitXor'"
    )
    applicability = Applicability.SAFE
    why = "The name is a value of the column, or a variable of the notebook, and not both."

    def propose(self, context: RuleContext) -> Iterator[Patch]:
        if ASSIGNED in context.failure.evalue or context.failure.ename == "SyntaxError":
            yield from self._compare(context)
            return
        if context.failure.ename == "AttributeError":
            yield from self._write_power(context)
            return
        told = MESSAGE.search(context.failure.evalue)
        for call in context.list_calls_at_failure():
            if told is None or not (
                isinstance(call.func, ast.Attribute) and call.func.attr in ("query", "eval") and call.args
            ):
                continue
            name, given, table = told[1], call.args[0], context.text(call.func.value)
            if not (isinstance(given, ast.Constant) and isinstance(given.value, str)):
                continue
            column = re.search(rf"(\w+)\s*(?:==|!=)\s*{name}\b|\b{name}\s*(?:==|!=)\s*(\w+)", given.value)
            key = (column[1] or column[2]) if column else ""
            is_text = bool(key) and context.is_true(f"({name!r} == ({table})[{key!r}]).any()")
            is_variable = name in context.state.names
            if is_text == is_variable:
                return
            start, end = context.span(given)
            written = context.source[start:end]
            quote = '"' if "'" in written else "'"
            if is_text and quote == written[-1]:
                return
            new = re.sub(rf"(?<![@\w'\"]){name}\b", f"{quote}{name}{quote}" if is_text else f"@{name}", written)
            if new != written and src.can_compile(new):
                what = f"`{name}` is a text of `{key}`" if is_text else f"`{name}` is a variable of the notebook"
                yield self.patch(
                    context.replace_here((start, end, new)),
                    f"Change `{written}` to `{new}`",
                    f"{what}, not a column of `{table}`.",
                    prior=0.93,
                )
            return

    def _write_power(self, context: RuleContext) -> Iterator[Patch]:
        """``df.eval("bmi = weight / height ^ 2")``: a power is `**`."""
        for call in context.list_calls_at_failure():
            given = call.args[0] if call.args else None
            is_asked = isinstance(call.func, ast.Attribute) and call.func.attr in ("query", "eval")
            if not is_asked or not (isinstance(given, ast.Constant) and isinstance(given.value, str)):
                continue
            start, end = context.span(given)
            new = re.sub(r"\s?\^\s?(?=\d)", " ** ", context.source[start:end])
            if "^" not in new:
                yield self.patch(
                    context.replace_here((start, end, new)),
                    f"Change `{context.source[start:end]}` to `{new}`",
                    "`^` is no power: pandas writes it as Python does, `**`.",
                    why="Neither pandas nor its tables know `^` here, and a number stands behind it.",
                    prior=0.92,
                )
            return

    def _compare(self, context: RuleContext) -> Iterator[Patch]:
        """``df.query("city = 'Ulm'")``: a query only compares."""
        for call in context.list_calls_at_failure():
            given = call.args[0] if call.args else None
            is_query = isinstance(call.func, ast.Attribute) and call.func.attr == "query"
            if not is_query or not isinstance(given, ast.Constant):
                continue
            start, end = context.span(given)
            written = context.source[start:end]
            opening = re.match(r"\w*(?:\'\'\'|\"\"\"|\'|\")", written)
            at = opening.end() if opening is not None else 0
            new = written[:at] + EQUALS.sub(lambda m: WRITTEN.get(m[0], m[0]), written[at:])
            new = _quote_names(context, call, new)
            if new != written and src.can_compile(new):
                edits = context.replace_here((start, end, new))
                yield self.patch(
                    edits,
                    f"Change `{written}` to `{new}`",
                    "A query is written as Python: it compares with `==`, and joins with `and` and `or`.",
                    prior=0.93,
                )
            return

"""PDA144: `errors="ignore"`, which left everything as it was."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from jupyter_selfheal.healers.rules.context import Rule, RuleContext, Stage
from jupyter_selfheal.healers.rules.context.nodes import read_last_name
from jupyter_selfheal.healers.rules.context.rewritten_calls import build_argument_splice
from jupyter_selfheal.model import Applicability, Patch

READERS = ("to_numeric", "to_datetime", "to_timedelta")


class IgnoredErrors(Rule):
    """Read what can be read, and keep what cannot as it is.

    **Failure** `ValueError: invalid error value specified`, or `errors must be one of 'raise', or 'coerce'`, from `pd.to_numeric(s,
    errors="ignore")`, `pd.to_datetime` and `df.apply(pd.to_numeric, errors="ignore")`.

    **Fix** Without the argument, where everything can be read. Else the column is kept where a value of it cannot be read, as `ignore` did:
    `(pd.to_numeric(s) if pd.to_numeric(s, errors="coerce").notna().equals(s.notna()) else s)`.

    **Fix safety** Both are safe: without the argument the same is read, or the trial fails; and a column with a value that cannot be read stays
    as it was. `errors="coerce"` makes such values NaN and is only offered. Silent for what is neither a column nor a table's `apply`.
    """

    code = "PDA144"
    name = "errors that were ignored"
    stage = Stage.CHANGELOG
    enames = frozenset({"ValueError"})
    message = re.compile(r"invalid error value|errors must be one of")
    applicability = Applicability.SAFE
    why = "Nothing had to be ignored: what cannot be read would raise here."

    def propose(self, context: RuleContext) -> Iterator[Patch]:
        for call in context.list_calls_at_failure():
            keyword = next((k for k in call.keywords if k.arg == "errors"), None)
            if keyword is None or not (isinstance(keyword.value, ast.Constant) and keyword.value.value == "ignore"):
                continue
            reader, column = _find_reader(call)
            if reader is None:
                continue
            cause = f"`{read_last_name(reader)}` no longer ignores errors (since pandas 3.0)."
            others = [context.text(a) for a in (*call.args, *(k for k in call.keywords if k is not keyword))]
            plain = context.describe(f"{context.text(call.func)}({', '.join(others)})", calls=True)
            if plain is not None and plain.type:
                yield self.patch(
                    context.replace_here(build_argument_splice(context, call, keyword, "")),
                    'Leave out `errors="ignore"`',
                    cause,
                    prior=0.93,
                )
            text = _write_kept(context, call, reader, column)
            if text:
                yield self.patch(
                    context.replace_here((*context.span(call), text)),
                    "Keep a column that has a value which cannot be read",
                    cause,
                    why="A column with a value that cannot be read stays as it was, which is what `ignore` did.",
                    prior=0.9,
                )
            yield self.patch(
                context.replace_here((*context.span(keyword.value), '"coerce"')),
                'Change `"ignore"` to `"coerce"`',
                cause,
                applicability=Applicability.UNSAFE,
                why="Values that cannot be read become NaN or NaT, where `ignore` gave everything back as it was.",
            )
            return


def _find_reader(call: ast.Call) -> tuple[ast.expr | None, ast.expr | None]:
    """``pd.to_numeric`` and its argument; of ``df.apply(pd.to_numeric, …)`` the function and no argument."""
    if read_last_name(call.func) in READERS and call.args:
        return call.func, call.args[0]
    if read_last_name(call.func) == "apply" and isinstance(call.func, ast.Attribute) and len(call.args) == 1:
        given = call.args[0]
        return (given, None) if read_last_name(given) in READERS else (None, None)
    return None, None


def _write_kept(context: RuleContext, call: ast.Call, reader: ast.expr, column: ast.expr | None) -> str:
    """The expression that reads a column, or gives it back where something of it cannot be read."""
    function = context.text(reader)
    others = [k for k in call.keywords if k.arg != "errors"]
    given = "".join(f", {k.arg}={context.text(k.value)}" for k in others if k.arg)
    if len(given.split(", ")) - 1 != len(others) and others:
        return ""

    def write(name: str) -> str:
        read = f'{function}({name}, errors="coerce"{given}).notna().equals({name}.notna())'
        return f"{function}({name}{given}) if {read} else {name}"

    if column is None:
        assert isinstance(call.func, ast.Attribute)
        if others or not context.describe_all([call.func.value], calls=True)[0].is_a("pandas.DataFrame"):
            return ""
        return f"{context.text(call.func)}(lambda column: {write('column')})"
    if len(call.args) > 1 or context.read_plain_chain(column) is None:
        return ""
    if not context.describe_all([column])[0].is_a("pandas.Series", "pandas.Index"):
        return ""
    return f"({write(context.text(column))})"

"""PDA160: a sign for a missing value among numbers that are texts."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from jupyter_selfheal.healers.rules.context import Rule, RuleContext, Stage
from jupyter_selfheal.healers.rules.context.nodes import read_last_name
from jupyter_selfheal.model import Patch

MESSAGE = re.compile(
    r"Unable to parse string ['\"](?P<read>[^'\"]*)['\"]|could not convert string to float: '(?P<cast>[^']*)'|"
    r"invalid literal for int\(\) with base 10: '(?P<whole>[^']*)'"
)
SIGNS = frozenset(
    {"", "?", "-", "--", ".", "..", "*", "na", "n/a", "#n/a", "nan", "null", "none", "missing", "unknown"}
)
NUMBER = r"\s*[-+]?\d+(?:\.\d*)?(?:[eE][-+]?\d+)?\s*"


class SignForMissing(Rule):
    """Read a sign for a missing value as missing.

    **Failure** `ValueError: Unable to parse string "?" at position 1` at `pd.to_numeric(df["hp"])`, `could not convert string to float: '?'` at
    `df["hp"].astype(float)`.

    **Fix** `pd.to_numeric(df["hp"], errors="coerce")`.

    **Fix safety** Unsafe: rows become NaN. Silent where a text of the column is neither a number nor a usual sign for what is missing.
    """

    code = "PDA160"
    name = "sign for a missing value"
    stage = Stage.LAST
    enames = frozenset({"ValueError"})
    message = MESSAGE
    why = "What is not known becomes NaN, and the rows may be meant to be left out."

    def propose(self, context: RuleContext) -> Iterator[Patch]:
        match = MESSAGE.search(context.failure.evalue)
        known = context.reference("pandas.to_numeric")
        if match is None or known is None or (match[match.lastgroup or 0] or "").strip().lower() not in SIGNS:
            return
        for call in context.list_calls_at_failure():
            column = _find_column(call)
            if column is None:
                continue
            info = context.describe_all([column], calls=True)[0]
            if not info.is_a("pandas.Series"):
                continue
            texts = f"({context.text(column)}).dropna().astype(str)"
            signs = f"{texts}[~{texts}.str.fullmatch({NUMBER!r})].str.strip().str.lower()"
            if not context.is_true(f"{signs}.isin({sorted(SIGNS)!r}).all() and 2 * len({signs}) <= len({texts})"):
                return
            new = f'{known.text}({context.text(column)}, errors="coerce")'
            imports = context.add_imports([known.import_line] if known.import_line else [])
            yield self.patch(
                context.replace_here((*context.span(call), new), *imports),
                "Read the signs for missing values as missing",
                f"`{context.text(column)}` has a sign for what is missing among its numbers.",
                prior=0.7,
            )
            return


def _find_column(call: ast.Call) -> ast.expr | None:
    """The column of ``pd.to_numeric(column)`` and ``column.astype(float)``."""
    name = read_last_name(call.func)
    if name == "to_numeric" and len(call.args) == 1 and not any(k.arg == "errors" for k in call.keywords):
        return call.args[0]
    if name == "astype" and isinstance(call.func, ast.Attribute) and len(call.args) == 1:
        given = call.args[0]
        kind = given.id if isinstance(given, ast.Name) else given.value if isinstance(given, ast.Constant) else ""
        return call.func.value if kind in ("float", "float64", "int", "int64") else None
    return None

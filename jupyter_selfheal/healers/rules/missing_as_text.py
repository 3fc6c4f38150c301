"""PDA164: `astype(str)` that leaves missing values missing since pandas 3, where it wrote them as text before."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from jupyter_selfheal import source as src
from jupyter_selfheal.healers.rules.context import Rule, RuleContext, Stage
from jupyter_selfheal.healers.rules.context.edits import Splice
from jupyter_selfheal.healers.rules.context.replay import change_and_replay, list_statements_above
from jupyter_selfheal.healers.rules.lost_write import RELEASE
from jupyter_selfheal.model import Applicability, Patch

WRITTEN = "nan"
"""What `astype(str)` made of a missing value until pandas 3."""


class MissingAsText(Rule):
    """Write missing values as the text that they were.

    **Failure** Any that comes of a missing value among texts, often below `df["c"] = df["c"].astype(str)`: `TypeError: '<' not supported between
    instances of 'float' and 'str'`, `object of type 'float' has no len()`, `Encoders require their input argument must be uniformly strings or numbers`.
    Since pandas 3.0 `astype(str)` leaves missing values as they are.

    **Fix** `df["c"].astype(str).fillna('nan')`, in every such call that the failing cell's values come from and whose column has missing values. The
    cells that made them run again, from the first on.

    **Fix safety** Safe: it is what the call gave until pandas 3.0, and the failing cell runs with it and did not without. Silent for a cast of what holds
    nothing missing, and where missing values are filled, dropped or asked for behind the cast.
    """

    code = "PDA164"
    name = "missing values that were text"
    stage = Stage.LIBRARY
    enames = frozenset({"TypeError", "ValueError", "AttributeError"})
    message = re.compile(
        r"between instances of '(?:float|str)' and '(?:str|float)'|'float' has no len|type '?float'? is not iterable|argument of type 'float'|"
        r"'float' object (?:is not|has no attribute)|got '?float'?|uniformly strings or numbers|np\.nan is an invalid document|float found|"
        r"unsupported operand type\(s\) for \+: '(?:float|str)' and '(?:str|float)'|can only concatenate str"
    )
    applicability = Applicability.SAFE
    restores = "pandas 3.0"
    why = "Until pandas 3.0 `astype(str)` wrote missing values as text (https://pandas.pydata.org/docs/whatsnew/v3.0.0.html)."

    def propose(self, context: RuleContext) -> Iterator[Patch]:
        splices: dict[str, list[Splice]] = {}
        shown = ""
        for cell_id, source, statement in list_statements_above(context):
            for call in _list_casts(statement):
                column = src.extract_text(source, call.func.value) if isinstance(call.func, ast.Attribute) else ""
                if not _has_missing(context, column):
                    continue
                end = src.find_span(source, call)[1]
                splices.setdefault(cell_id, []).append((end, end, f".fillna({WRITTEN!r})"))
                shown = shown or f"{src.extract_text(source, call)}.fillna({WRITTEN!r})"
        if not splices or (context.number(RELEASE) or 0) < 3:
            return
        if edits := change_and_replay(context, splices):
            yield self.patch(
                edits,
                f"Write missing values as text: `{shown}`",
                "Since pandas 3.0, `astype(str)` leaves missing values missing: it wrote them as the text `nan`.",
                prior=0.9,
            )


def _list_casts(statement: ast.stmt) -> Iterator[ast.Call]:
    """``x.astype(str)`` and ``x.astype("str")`` whose missing values nobody treats behind the cast."""
    followed = {
        id(node.value)
        for node in ast.walk(statement)
        if isinstance(node, ast.Attribute) and node.attr in ("fillna", "dropna", "isna", "isnull", "notna", "notnull", "replace", "ffill", "bfill")
    }  # fmt: skip
    for node in ast.walk(statement):
        if not (isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == "astype"):
            continue
        given = node.args[0] if len(node.args) == 1 and not node.keywords else None
        is_text = (isinstance(given, ast.Name) and given.id == "str") or (
            isinstance(given, ast.Constant) and given.value == "str"
        )
        if is_text and id(node) not in followed:
            yield node


def _has_missing(context: RuleContext, column: str) -> bool:
    """True where an expression, read at the failure, is a column or a table with missing values in it."""
    if not column or not context.describe_all([column])[0].is_a("pandas.Series", "pandas.DataFrame"):
        return False
    return context.is_true(f"__import__('numpy').any({column}.isna())")

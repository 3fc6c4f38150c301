"""NPA109: the values of a table that something is to change in place."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from jupyter_selfheal.healers.rules.context import Rule, RuleContext, Stage
from jupyter_selfheal.healers.rules.context.edits import find_line_span
from jupyter_selfheal.healers.rules.read_only_array import READ_ONLY
from jupyter_selfheal.model import Applicability, Patch


class WrittenValues(Rule):
    """Change a copy of a table's values, and write it back.

    **Failure** `ValueError: assignment destination is read-only` (or `array is read-only`) at `np.random.shuffle(df["x"].values)`,
    `random.shuffle(stamps.values)`, `s.values.sort()`.

    **Fix** `values = df["x"].values.copy()`, the call on `values`, and `df["x"] = values` behind it.

    **Fix safety** Safe: before pandas 3.0 the call changed the table through its values, which is what the last line does.
    """

    code = "NPA109"
    name = "values changed in place"
    stage = Stage.LIBRARY
    enames = frozenset({"ValueError"})
    message = READ_ONLY
    applicability = Applicability.SAFE
    why = "Before pandas 3.0 the call changed the table through its values, which the last line does now."

    def propose(self, context: RuleContext) -> Iterator[Patch]:
        for node in ast.walk(context.tree):
            if not isinstance(node, ast.Expr) or not node.lineno <= context.line <= (node.end_lineno or node.lineno):
                continue
            matches = _find_values(node)
            if matches is None:
                continue
            owner = context.describe_all([matches.value])[0]
            back = _write_back(
                matches.value, owner.is_a("pandas.Index"), owner.is_a("pandas.Series", "pandas.DataFrame")
            )
            if not back:
                return
            name = "values" if "values" not in context.known_names else "values_copy"
            first = find_line_span(context.source, node.lineno)[0]
            indent = context.source[first : context.span(node)[0]]
            end = context.span(node)[1]
            if indent.strip():
                return
            text = context.text(matches)
            yield self.patch(
                context.replace(
                    context.cell_id,
                    [
                        (first, first, f"{indent}{name} = {text}.copy()\n"),
                        (*context.span(matches), name),
                        (end, end, f"\n{indent}{back.format(owner=context.text(matches.value), values=name)}"),
                    ],
                ),
                f"Change a copy of `{text}`, and write it back",
                "The values of a table are read-only since pandas 3.0.",
                prior=0.9,
            )
            return


def _find_values(statement: ast.Expr) -> ast.Attribute | None:
    """The ``….values`` that a statement of one call hands on, or whose method it calls."""
    call = statement.value
    if not isinstance(call, ast.Call):
        return None
    candidates: list[ast.expr] = list(call.args[:1])
    if isinstance(call.func, ast.Attribute) and call.func.attr in ("sort", "fill", "partition", "put", "itemset"):
        candidates = [call.func.value]
    for node in candidates:
        if isinstance(node, ast.Attribute) and node.attr == "values":
            return node
    return None


def _write_back(owner: ast.expr, index: bool, table: bool) -> str:
    """The statement that gives a table its values back; empty where there is no sure one."""
    if index and isinstance(owner, ast.Name):
        return "{owner} = {owner}.__class__({values})"
    if not table:
        return ""
    if isinstance(owner, ast.Subscript) and isinstance(owner.value, ast.Name):
        return "{owner} = {values}"
    return "{owner}[:] = {values}" if isinstance(owner, ast.Name) else ""

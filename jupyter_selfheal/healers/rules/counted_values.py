"""PDA118: the columns of ``value_counts().reset_index()``, which pandas 2 calls otherwise."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from jupyter_selfheal import source as src
from jupyter_selfheal.healers.rules.context import Rule, RuleContext, Stage
from jupyter_selfheal.model import Applicability, Failure, Patch

SOURCE = "https://pandas.pydata.org/docs/whatsnew/v2.0.0.html#value-counts-sets-the-resulting-name-to-count"


class CountedValues(Rule):
    """Keep the column names that counted values had before pandas 2.

    **Failure** `KeyError: 'index'`, or a plot that cannot interpret `index`, where the table is `df["city"].value_counts().reset_index()`:
    its columns were `index` and `city`, and are `city` and `count` now.

    **Fix** `df["city"].value_counts().rename_axis("index").reset_index(name="city")`, where the table is made.

    **Fix safety** Safe: the columns have exactly their old names again (pandas 2.0 release notes).
    """

    code = "PDA118"
    name = "columns of counted values"
    stage = Stage.LIBRARY
    enames = frozenset({"KeyError", "ValueError"})
    applicability = Applicability.SAFE
    why = f"The columns have the names again that they had before pandas 2.0 ({SOURCE})."

    def matches(self, failure: Failure) -> bool:
        return super().matches(failure) and "index" in failure.evalue

    def propose(self, context: RuleContext) -> Iterator[Patch]:
        above = [c.id for c in reversed(context.notebook.code_before(context.failure.cell_id))]
        for cell_id in dict.fromkeys([context.failure.cell_id, *above]):
            source = context.source_of(cell_id)
            changes = []
            for node in src.walk(source):
                name = _find_counted_column(node)
                if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and name:
                    end = src.find_span(source, node)[1]
                    start = src.find_span(source, node.func.value)[1]
                    changes.append((start, end, f'.rename_axis("index").reset_index(name={name!r})'.replace("'", '"')))
            if changes:
                yield self.patch(
                    context.replace(cell_id, changes),
                    f"Use `{changes[0][2][1:]}`",
                    "pandas 2.0 renamed the columns of counted values.",
                    prior=0.92,
                )
                return


def _find_counted_column(node: ast.AST) -> str:
    """The name of the column that is counted, of ``df["city"].value_counts(…).reset_index()``; empty for anything else."""
    if not (isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == "reset_index"):
        return ""
    counts = node.func.value
    if node.args or node.keywords or not (isinstance(counts, ast.Call) and isinstance(counts.func, ast.Attribute)):
        return ""
    column = counts.func.value
    if counts.func.attr != "value_counts":
        return ""
    if isinstance(column, ast.Attribute):
        return column.attr
    key = column.slice if isinstance(column, ast.Subscript) else None
    return key.value if isinstance(key, ast.Constant) and isinstance(key.value, str) else ""

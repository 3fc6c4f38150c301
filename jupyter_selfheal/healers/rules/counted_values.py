"""PDA118: the columns of ``value_counts().reset_index()``, which pandas 2 calls otherwise."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from jupyter_selfheal import source as src
from jupyter_selfheal.healers.rules.context import Rule, RuleContext, Stage
from jupyter_selfheal.model import Applicability, Patch

SOURCE = "https://pandas.pydata.org/docs/whatsnew/v2.0.0.html#value-counts-sets-the-resulting-name-to-count"

_AS_INDEX = re.compile(r"\bindex\b|is not unique|duplicate")


class CountedValues(Rule):
    """Keep the column names that counted values had before pandas 2.

    **Failure** `KeyError: 'index'`, or a plot that cannot interpret `index`, where the table is `df["city"].value_counts().reset_index()`:
    its columns were `index` and `city`, and are `city` and `count` now; also where they are renamed, and two columns have one name then.

    **Fix** `df["city"].value_counts().rename_axis("index").reset_index(name="city")`, where the table is made.

    **Fix safety** Safe: the columns have exactly their old names again (pandas 2.0 release notes).
    """

    code = "PDA118"
    name = "columns of counted values"
    stage = Stage.LIBRARY
    enames = frozenset({"KeyError", "ValueError"})
    applicability = Applicability.SAFE
    why = f"The columns have the names again that they had before pandas 2.0 ({SOURCE})."

    def propose(self, context: RuleContext) -> Iterator[Patch]:
        above = [c.id for c in reversed(context.notebook.list_code_before(context.failure.cell_id))]
        for cell_id in dict.fromkeys([context.failure.cell_id, *above]):
            source = context.source_of(cell_id)
            changes = []
            blamed = _AS_INDEX.search(context.failure.evalue) is not None
            for node in src.walk(source):
                blamed = blamed or any(name in context.failure.evalue for name in _list_new_names(node))
                name = _find_counted_column(node)
                if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and name:
                    end = src.find_span(source, node)[1]
                    start = src.find_span(source, node.func.value)[1]
                    changes.append((start, end, f'.rename_axis("index").reset_index(name={name!r})'.replace("'", '"')))
            if changes and blamed:
                yield self.patch(
                    context.replace(cell_id, changes),
                    f"Use `{changes[0][2][1:]}`",
                    "pandas 2.0 renamed the columns of counted values.",
                    prior=0.92,
                )
                return


def _list_new_names(node: ast.AST) -> list[str]:
    """What ``rename(columns={"index": "city"})`` makes of the old name: it is missing where nothing was called `index`."""
    if not (isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == "rename"):
        return []
    given = next((k.value for k in node.keywords if k.arg == "columns"), None)
    pairs = zip(given.keys, given.values, strict=True) if isinstance(given, ast.Dict) else ()
    return [
        repr(v.value)
        for k, v in pairs
        if isinstance(k, ast.Constant) and k.value == "index" and isinstance(v, ast.Constant) and v.value
    ]


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

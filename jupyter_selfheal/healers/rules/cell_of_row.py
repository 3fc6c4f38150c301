"""PDA173: a value of a row that became a column of its own."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from jupyter_selfheal import source as src
from jupyter_selfheal.healers.rules.context import Rule, RuleContext, Stage
from jupyter_selfheal.model import Applicability, Patch


class CellOfRow(Rule):
    """Write a value into its row with `.loc`.

    **Failure** `KeyError: 'ratio'` at `homes["ratio"]`, below `homes[i, "ratio"] = …` in a loop through the rows: that made a column for each row,
    of the name `(0, "ratio")`, and none of the name `"ratio"`.

    **Fix** `homes.loc[i, "ratio"] = …`.

    **Fix safety** Unsafe, though the table has a column for each row: such columns may have been meant. Silent where no assignment of that form stands in the failing cell or above.
    """

    code = "PDA173"
    name = "value of a row"
    stage = Stage.LIBRARY
    enames = frozenset({"KeyError", "AttributeError"})
    applicability = Applicability.UNSAFE
    why = "Columns whose names are pairs may have been meant."

    def propose(self, context: RuleContext) -> Iterator[Patch]:
        missed = re.search(r"'([^']+)'\W*$", context.failure.evalue)
        if missed is None:
            return
        for cell_id in (context.cell_id, *context.list_cells_upwards()):
            source = context.source_of(cell_id)
            for node in src.walk(source):
                if not isinstance(node, ast.Subscript) or not isinstance(node.ctx, ast.Store):
                    continue
                match node:
                    case ast.Subscript(ast.Name(table), ast.Tuple([ast.Name(), ast.Constant(column)])) if column == missed[1]:  # fmt: skip
                        keys = context.keys(table)
                    case _:
                        continue
                pairs = [c for c in keys.columns if isinstance(c, tuple) and c[-1] == column] if keys else []
                if not pairs or any(isinstance(part, str) for part in (c[0] for c in pairs)):
                    continue
                at = src.find_span(source, node.value)[1]
                yield self.patch(
                    context.replace(cell_id, [(at, at, ".loc")]),
                    f"Write `{table}.loc[{src.extract_text(source, node.slice)}]`",
                    f"`{src.extract_text(source, node)} = …` makes a column of the name `{pairs[0]}`, and writes into no row.",
                    prior=0.85,
                )
                return

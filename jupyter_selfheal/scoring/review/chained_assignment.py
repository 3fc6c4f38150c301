"""REV104: a value is set in a copy of a part of a table, and the table stays as it is."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from jupyter_selfheal import source as src
from jupyter_selfheal.model import Doubt
from jupyter_selfheal.scoring.lost_writes import LOST_WRITE
from jupyter_selfheal.scoring.review.context import Check, ReviewedCell
from jupyter_selfheal.scoring.review.context.code import walk_top_level
from jupyter_selfheal.scoring.written_parts import find_whole, list_written_parts

ADVICE = 'Use one step on the table itself: `df.loc[rows, "column"] = …`, or `df["column"] = df["column"].replace(…)`.'


class ChainedAssignment(Check):
    """A value is set in a copy of a part of a table: `df[mask]["x"] = 1`, `df["c"].replace("a", "b", inplace=True)`.

    **Doubt** The part that is written to is a copy, as the state after the cell says: in pandas 3 every part is, before it a
    selection of rows. Or pandas itself warned, with its `ChainedAssignmentError`, from a function too.

    **Silent** On nested dictionaries and lists, on `df.loc[mask, "x"] = 1`, on a part that has a name of its own (`part["x"] = 1`),
    with pandas 1 and 2 on columns, which were no copies.

    **What to do** Set it in one step on the table itself.
    """

    code = "REV104"
    name = "chained assignment"

    def review_cell(self, cell: ReviewedCell) -> Iterator[Doubt]:
        parts = [
            (statement, part, whole)
            for statement in walk_top_level(cell.body)
            for part in list_written_parts(statement)
            if (whole := find_whole(part)) is not None and src.find_root_name(part) not in cell.rebound
        ]
        pairs = [[ast.unparse(part), ast.unparse(whole)] for _, part, whole in parts]
        copies = cell.ask("review_kinds", "list_copies", pairs=pairs) if pairs else None
        silent = True
        for (statement, _, whole), is_copy in zip(parts, copies or (), strict=False):
            if is_copy:
                silent = False
                what = f"`{cell.extract_text(statement)[:80]}` changes a copy: `{ast.unparse(whole)}` stays as it is."
                yield cell.build_doubt(self.code, statement, what, ADVICE)
        if silent and any(LOST_WRITE in text for o in cell.outputs for text in (o.text, o.evalue)):
            what = f"pandas warned of a {LOST_WRITE}: a value was set in a copy, and the table stays as it is."
            yield cell.build_doubt(self.code, None, what, ADVICE)

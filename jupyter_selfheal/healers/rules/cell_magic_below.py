"""SYN116: a magic for a whole cell that stands below the cell's first line."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from jupyter_selfheal import source as src
from jupyter_selfheal.healers.rules.context import Rule, RuleContext
from jupyter_selfheal.healers.rules.context.code_lines import split_lines
from jupyter_selfheal.inside.parsing import parse_module
from jupyter_selfheal.model import Applicability, Insert, Patch, Replace

BELOW = re.compile(r"Line magic(?: function)? `(%%\w+)` not found")
ONE_SIGN = re.compile(r"Line magic(?: function)? `(%\w+)` not found \(But cell magic `(%%\w+)` exists")


class CellMagicBelow(Rule):
    """Let a cell magic begin its cell.

    **Failure** ``UsageError: Line magic function `%%time` not found``, where `%%time` stands below the first line: IPython looks for a cell magic there alone.

    **Fix** Below comments alone, the magic is moved above them. Below code, the cell is split in two there: what stands above runs first, by itself. `%capture` at a cell's beginning becomes `%%capture`.

    **Fix safety** Safe where comments alone stand above, and the cell goes on in Python, or imports alone. Unsafe where the cell is split below other code: it may have been meant for all of it. Silent where a second cell
    magic follows, and below comments of which a shell, or a page, would make something else.
    """

    code = "SYN116"
    name = "cell magic below the first line"
    enames = frozenset({"UsageError"})
    message = re.compile(f"{BELOW.pattern}|{ONE_SIGN.pattern}")
    applicability = Applicability.UNSAFE
    why = "What stands below the magic is what it is for, as far as can be told; it may have been meant for the whole cell."

    def propose(self, context: RuleContext) -> Iterator[Patch]:
        match, source, cell_id = BELOW.search(context.failure.evalue), context.failure.source, context.failure.cell_id
        lines = split_lines(source)
        places = [n for n, line in enumerate(lines) if line.startswith("%%")]
        told, first = ONE_SIGN.search(context.failure.evalue), lines[0] if lines else ""
        if told is not None and first.split()[:1] == [told[1]] and not src.is_foreign("\n".join(lines[1:])):
            yield self.patch(
                (Replace(cell_id, source, f"%{source}"),),
                f"Write `{told[2]}`",
                f"`{told[2][2:]}` is a magic for a whole cell, and has two signs.",
                applicability=Applicability.SAFE,
                why="There is no magic of this name for a line, and it begins the cell.",
                prior=0.95,
            )
        if match is None or len(places) != 1 or not places[0] or lines[places[0]].split()[0] != match[1]:
            return
        at, magic = places[0], match[1]
        above, cell = lines[:at], "\n".join(lines[at:])
        cause = f"`{magic}` is a magic for a whole cell, and does not stand in the cell's first line."
        if any(line.strip() and not line.lstrip().startswith("#") for line in above):
            head = "\n".join(above).rstrip()
            if src.parse(head) is not None:
                edits = (Insert.above(cell_id, head), Replace(cell_id, source, cell))
                alone = all(isinstance(n, ast.Import | ast.ImportFrom) for n in parse_module(head).body)
                yield self.patch(
                    edits,
                    f"Split the cell above `{magic}`",
                    cause,
                    applicability=Applicability.SAFE if alone else None,
                    why="Imports alone stand above it, which show nothing." if alone else "",
                    prior=0.9 if alone else 0.8,
                )
        elif not src.is_foreign(cell):
            moved = "\n".join([lines[at], *above, *lines[at + 1 :]])
            yield self.patch(
                (Replace(cell_id, source, moved),),
                f"Move `{magic}` to the first line",
                cause,
                applicability=Applicability.SAFE,
                why="Comments alone stand above it.",
                prior=0.9,
            )

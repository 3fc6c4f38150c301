"""STA101: the cell that defines a name is there, but was not run."""

from __future__ import annotations

from collections.abc import Iterator

from jupyter_selfheal import source as src
from jupyter_selfheal.healers.rules.context import Rule, RuleContext, Stage
from jupyter_selfheal.model import Applicability, Patch, RunCells


class UnrunCell(Rule):
    """Run the cells above that define what is missing and were not run.

    **Failure** `NameError`, where a cell above the failing one binds the name and has not run in this kernel: two thirds
    of real NameErrors (746 labelled crashes, Wang et al. 2025). A restarted kernel is the same case.

    **Fix** Run that cell and the unrun cells that it needs in turn, in the notebook's order. No source changes.

    **Fix safety** Safe: it makes the state that the notebook itself describes. Unsafe where one of the cells is marked
    expensive.
    """

    code = "STA101"
    name = "defining cell was not run"
    stage = Stage.STATE
    enames = frozenset({"NameError"})
    applicability = Applicability.SAFE
    why = "The notebook itself defines the name so, above this cell; no source changes."

    def propose(self, context: RuleContext) -> Iterator[Patch]:
        name = context.missing_name
        above = context.notebook.list_code_before(context.failure.cell_id)
        if not name or not any(name in src.find_names(c.source).binds and not c.runs for c in above):
            return
        live = context.state
        wanted = {n for n in src.find_names(context.failure.source).uses if n not in live.names} | {name}
        cells = [above[n] for n in src.find_backward_slice([c.source for c in above], wanted)]
        cells = [c for c in cells if not c.runs and not c.skip and not _loads_us(c.source)]
        if not any(name in src.find_names(c.source).binds for c in cells):
            return
        names = ", ".join(context.notebook.name_cell(c.id) for c in cells)
        expensive = any(c.expensive for c in cells)
        yield self.patch(
            (RunCells(tuple(c.id for c in cells)),),
            f"Run {names} first",
            f"`{name}` is defined in a cell above that was not run.",
            applicability=Applicability.UNSAFE if expensive else Applicability.SAFE,
            why="One of the cells is marked expensive." if expensive else self.why,
            prior=0.97,
        )


def _loads_us(source: str) -> bool:
    """A cell that has nothing to do any more once somebody heals."""
    lines = [line.strip() for line in source.splitlines()]
    return [line for line in lines if line and not line.startswith("#")] == ["%load_ext jupyter_selfheal"]
